/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/elasticity.h"

#include <stdlib.h>
#include <string.h>

#include "cli/parse/lookup.h"
#include "cli/parse/optimizations.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"
#include "cli/run/seconds.h"

/* Measured with, where no workload is given. */
static const char *const usual_networks[] = {"vgg16", "resnet50", "gnmt"};
enum { USUAL_COUNT = sizeof usual_networks / sizeof usual_networks[0] };

/* What is explored, and what comes out. */
typedef struct study {
  dsm_workload *usual[USUAL_COUNT];
  const dsm_workload **workloads; /* given ones, or those */
  size_t workload_count;
  dsm_elasticity **items; /* one for each system */
  size_t item_count;
} study;

cli_exit cli_check_elasticity(const cli_arguments *arguments, const cli_loaded *loaded,
                              size_t count) {
  size_t system_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (loaded[i].system == NULL && loaded[i].workload == NULL) {
      return cli_usage_error(
          arguments->command, "--%s: expected systems and workloads, found the %s '%s'",
          arguments->elasticity, dsm_description_name(loaded[i].kind), arguments->operands[i]);
    }
    system_count += loaded[i].system != NULL ? 1 : 0;
  }
  return system_count > 0
             ? cli_check_optimizations(arguments)
             : cli_usage_error(arguments->command, "--%s needs a system", arguments->elasticity);
}

static dsm_status load_usual(study *all, const cli_arguments *arguments, dsm_diags *diags) {
  dsm_status status = DSM_OK;
  for (size_t i = 0; i < USUAL_COUNT && status == DSM_OK; i++) {
    char *path;
    status = cli_find_input(&path, arguments, usual_networks[i], CLI_BUNDLED_WORKLOADS, diags);
    if (status == DSM_OK) {
      status = dsm_workload_load(&all->usual[i], path, arguments->overrides.workload,
                                 arguments->overrides.workload_count, diags);
    }
    free(path);
    if (status == DSM_OK) {
      all->workloads[all->workload_count++] = all->usual[i];
    }
  }
  return status;
}

static dsm_status collect_workloads(study *all, const cli_arguments *arguments,
                                    const cli_loaded *loaded, size_t count, dsm_diags *diags) {
  for (size_t i = 0; i < count; i++) {
    if (loaded[i].workload != NULL) {
      all->workloads[all->workload_count++] = loaded[i].workload;
    }
  }
  return all->workload_count > 0 ? DSM_OK : load_usual(all, arguments, diags);
}

static dsm_variation_choice choice_of(const cli_arguments *arguments) {
  return strcmp(arguments->elasticity, "sensitivity") == 0 ? DSM_VARIATIONS_TENTH_BETTER
                                                           : DSM_VARIATIONS_TWICE;
}

static dsm_status derive_all(study *all, const cli_arguments *arguments, const cli_loaded *loaded,
                             size_t count, dsm_diags *diags) {
  dsm_status status = DSM_OK;
  for (size_t i = 0; i < count && status == DSM_OK; i++) {
    if (loaded[i].system != NULL) {
      const double start = cli_seconds_now();
      const dsm_elasticity_request request = {.system = loaded[i].system,
                                              .workloads = all->workloads,
                                              .workload_count = all->workload_count,
                                              .options = arguments->options,
                                              .choice = choice_of(arguments)};
      status = dsm_elasticity_derive(&all->items[all->item_count], &request, diags);
      all->item_count += status == DSM_OK ? 1 : 0;
      cli_say(arguments, "%s: parameters varied in %.3f s", loaded[i].system->name,
              cli_seconds_now() - start);
    }
  }
  return status;
}

static char *print_elasticities(const void *result, cli_format format, dsm_table_style style) {
  const study *const all = result;
  const dsm_elasticity *const *const items = (const dsm_elasticity *const *)all->items;
  switch (format) {
  case CLI_FORMAT_TABLE:
    return dsm_report_elasticity_table(items, all->item_count, style);
  case CLI_FORMAT_JSON:
    return dsm_report_elasticity_json(items, all->item_count);
  case CLI_FORMAT_CSV:
    return dsm_report_elasticity_csv(items, all->item_count);
  case CLI_FORMAT_JUNIT:
    break;
  }
  return NULL;
}

cli_exit cli_put_kept_elasticity(const cli_arguments *arguments, const dsm_plan *plan,
                                 dsm_diags *diags) {
  dsm_elasticity *item = NULL;
  const dsm_elasticity_request request = {
      .options = arguments->options, .choice = choice_of(arguments), .kept = plan};
  const dsm_status status = dsm_elasticity_derive(&item, &request, diags);
  const study one = {.items = &item, .item_count = 1};
  cli_print_findings(arguments, diags);
  const cli_exit outcome =
      status == DSM_OK ? cli_put_result(arguments, print_elasticities, &one) : cli_exit_of(status);
  dsm_elasticity_free(item);
  return outcome;
}

cli_exit cli_put_elasticity(const cli_arguments *arguments, const cli_loaded *loaded, size_t count,
                            dsm_diags *diags) {
  cli_exit outcome = CLI_EXIT_DONE;
  study all = {.workloads = calloc(count + USUAL_COUNT, sizeof(dsm_workload *)),
               .items = calloc(count, sizeof(dsm_elasticity *))};
  if (all.workloads == NULL || all.items == NULL) {
    outcome = cli_out_of_memory();
    goto out;
  }
  dsm_status status = collect_workloads(&all, arguments, loaded, count, diags);
  if (status == DSM_OK) {
    status = derive_all(&all, arguments, loaded, count, diags);
  }
  cli_print_findings(arguments, diags);
  outcome =
      status == DSM_OK ? cli_put_result(arguments, print_elasticities, &all) : cli_exit_of(status);
out:
  for (size_t i = 0; i < all.item_count; i++) {
    dsm_elasticity_free(all.items[i]);
  }
  for (size_t i = 0; i < USUAL_COUNT; i++) {
    dsm_workload_free(all.usual[i]);
  }
  free(all.items);
  free(all.workloads);
  return outcome;
}
