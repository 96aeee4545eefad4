/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/explored.h"

#include <stdlib.h>
#include <string.h>

#include "cli/run/complain.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"

/* Measured with, where no workload is given. */
static const char *const usual_networks[] = {"vgg16", "resnet50", "gnmt"};
enum { USUAL_COUNT = sizeof usual_networks / sizeof usual_networks[0] };

/* What is explored, and what comes out. */
typedef struct study {
  cli_input_file usual[USUAL_COUNT];
  const dsm_workload **workloads; /* given ones, or those */
  size_t workload_count;
  dsm_elasticity **items; /* one for each system */
  size_t item_count;
} study;

cli_exit cli_check_elasticity(const cli_arguments *arguments, const cli_input_file *loaded,
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

static dsm_status load_usual(study *all, const cli_arguments *arguments) {
  dsm_status status = DSM_OK;
  for (size_t i = 0; i < USUAL_COUNT && status == DSM_OK; i++) {
    all->usual[i] =
        cli_load(arguments, usual_networks[i], DSM_DESCRIPTION_WORKLOAD, arguments->diags);
    status = all->usual[i].status;
    all->workloads[all->workload_count++] = all->usual[i].workload;
  }
  return status;
}

static dsm_status collect_workloads(study *all, const cli_arguments *arguments,
                                    const cli_input_file *loaded, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (loaded[i].workload != NULL) {
      all->workloads[all->workload_count++] = loaded[i].workload;
    }
  }
  return all->workload_count > 0 ? DSM_OK : load_usual(all, arguments);
}

static dsm_variation_choice choice_of(const cli_arguments *arguments) {
  return strcmp(arguments->elasticity, "sensitivity") == 0 ? DSM_VARIATIONS_TENTH_BETTER
                                                           : DSM_VARIATIONS_TWICE;
}

static dsm_status derive_all(study *all, const cli_arguments *arguments,
                             const cli_input_file *loaded, size_t count) {
  dsm_status status = DSM_OK;
  for (size_t i = 0; i < count && status == DSM_OK; i++) {
    if (loaded[i].system != NULL) {
      const double start = cli_seconds_now();
      dsm_explore_options options = arguments->options;
      if (arguments->wants_all) {
        options.optimizations |= dsm_system_optimizations(loaded[i].system, options.mode);
      }
      const dsm_elasticity_request request = {.system = loaded[i].system,
                                              .workloads = all->workloads,
                                              .workload_count = all->workload_count,
                                              .options = options,
                                              .choice = choice_of(arguments)};
      status = dsm_elasticity_derive(&all->items[all->item_count], &request, arguments->diags);
      all->item_count += status == DSM_OK ? 1 : 0;
      cli_say(arguments, "%s: parameters varied in %.3f s", loaded[i].system->name,
              cli_seconds_now() - start);
    }
  }
  return status;
}

cli_exit cli_put_kept_elasticity(const cli_arguments *arguments, const dsm_plan *plan) {
  dsm_elasticity *item = NULL;
  const dsm_elasticity_request request = {
      .options = arguments->options, .choice = choice_of(arguments), .kept = plan};
  const dsm_status status = dsm_elasticity_derive(&item, &request, arguments->diags);
  const cli_exit outcome = cli_put_made(arguments, status, DSM_ANSWERS(elasticity, &item, 1));
  dsm_elasticity_free(item);
  return outcome;
}

cli_exit cli_put_elasticity(const cli_arguments *arguments, const cli_input_file *loaded,
                            size_t count) {
  cli_exit outcome = CLI_EXIT_DONE;
  study all = {.workloads = calloc(count + USUAL_COUNT, sizeof(dsm_workload *)),
               .items = calloc(count, sizeof(dsm_elasticity *))};
  if (all.workloads == NULL || all.items == NULL) {
    outcome = cli_out_of_memory();
    goto out;
  }
  dsm_status status = collect_workloads(&all, arguments, loaded, count);
  if (status == DSM_OK) {
    status = derive_all(&all, arguments, loaded, count);
  }
  outcome = cli_put_made(arguments, status, DSM_ANSWERS(elasticity, all.items, all.item_count));
out:
  for (size_t i = 0; i < all.item_count; i++) {
    dsm_elasticity_free(all.items[i]);
  }
  for (size_t i = 0; i < USUAL_COUNT; i++) {
    cli_input_file_fini(&all.usual[i]);
  }
  free(all.items);
  free(all.workloads);
  return outcome;
}
