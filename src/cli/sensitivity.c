/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/sensitivity.h"

#include "cli/complain.h"
#include "cli/output.h"
#include "cli/seconds.h"

static char *print_sensitivity(const void *result, cli_format format, dsm_table_style style) {
  const dsm_elasticity *const sensitivity = result;
  switch (format) {
  case CLI_FORMAT_TABLE:
    return dsm_report_sensitivity_table(sensitivity, style);
  case CLI_FORMAT_JSON:
    return dsm_report_sensitivity_json(sensitivity);
  case CLI_FORMAT_CSV:
    return dsm_report_sensitivity_csv(sensitivity);
  case CLI_FORMAT_JUNIT:
    break;
  }
  return NULL;
}

/* Explorations that gave a time, with that of the parameters as they are. */
static size_t count_times(const dsm_elasticity *sensitivity) {
  size_t count = 1;
  for (size_t p = 0; p < sensitivity->parameter_count; p++) {
    count += sensitivity->parameters[p].variations[0].responses[0].why_not == NULL ? 1 : 0;
  }
  return count;
}

cli_exit cli_put_sensitivity(const cli_arguments *arguments, const dsm_workload *workload,
                             const dsm_system *system, dsm_diags *diags) {
  const double start = cli_seconds_now();
  const dsm_elasticity_request request = {.system = system,
                                          .workloads = &workload,
                                          .workload_count = 1,
                                          .options = arguments->options,
                                          .choice = DSM_VARIATIONS_TENTH_BETTER};
  dsm_elasticity *sensitivity = NULL;
  const dsm_status status = dsm_elasticity_derive(&sensitivity, &request, diags);
  cli_print_findings(arguments, diags);
  cli_exit outcome = cli_exit_of(status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s on %s: %zu explorations, %.3f s", workload->name, system->name,
            count_times(sensitivity), cli_seconds_now() - start);
    outcome = cli_put_result(arguments, print_sensitivity, sensitivity);
  }
  dsm_elasticity_free(sensitivity);
  return outcome;
}
