/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_remat.c: training in less memory by computing again. */
#include <stdlib.h>
#include <string.h>

#include "cli/parse/input_files.h"
#include "cli/parse/option_values.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"
#include "remat/command/remat_arguments.h"

/* ---- answers ---- */

/* The budget that is asked for: a part is of what keeping everything needs. */
static dsm_status settle_budget(const cli_arguments *arguments, const dsm_remat_chain *chain,
                                dsm_remat_options *options) {
  const cli_remat_arguments *const own = arguments->own;
  *options = own->options;
  if (own->budget_ratio == 0) {
    return DSM_OK;
  }
  dsm_remat_options all = *options;
  dsm_remat_chain unbounded = *chain;
  dsm_remat_result *result = NULL;
  unbounded.budget_bytes = 0;
  all.wants_front = false;
  const dsm_status status = dsm_remat(&result, &unbounded, &all, arguments->diags);
  if (status == DSM_OK) {
    options->budget_bytes = own->budget_ratio * result->full.peak_bytes;
  }
  dsm_remat_result_free(result);
  return status;
}

static cli_exit put_schedule(const cli_arguments *arguments, const dsm_remat_chain *chain,
                             const dsm_remat_options *options) {
  dsm_remat_result *result = NULL;
  const double start = cli_seconds_now();
  const dsm_status status = dsm_remat(&result, chain, options, arguments->diags);
  cli_exit outcome = cli_tell(arguments, status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s: %zu steps, units of %.0f bytes, %.3f s", chain->name,
            result->step_count, result->unit_bytes, cli_seconds_now() - start);
    outcome = cli_put_answer(arguments, DSM_ANSWER(remat, result));
  }
  dsm_remat_result_free(result);
  return outcome;
}

static cli_exit put_pipeline(const cli_arguments *arguments, const dsm_remat_chain *chain,
                             const dsm_remat_options *options) {
  const cli_remat_arguments *const own = arguments->own;
  const dsm_remat_pipeline_options asked = {
      .remat = *options, .devices = own->devices, .micro_batches = own->micro_batches};
  dsm_remat_pipeline *pipeline = NULL;
  const double start = cli_seconds_now();
  const dsm_status status = dsm_remat_pipeline_make(&pipeline, chain, &asked, arguments->diags);
  cli_exit outcome = cli_tell(arguments, status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s: %zu pipelines, %.3f s", chain->name, pipeline->case_count,
            cli_seconds_now() - start);
    outcome = cli_put_answer(arguments, DSM_ANSWER(remat_pipeline, pipeline));
  }
  dsm_remat_pipeline_free(pipeline);
  return outcome;
}

static cli_exit answer(const cli_arguments *arguments, const dsm_remat_chain *chain) {
  const cli_remat_arguments *const own = arguments->own;
  dsm_remat_options options;
  const dsm_status status = settle_budget(arguments, chain, &options);
  if (status != DSM_OK) {
    return cli_tell(arguments, status);
  }
  return own->devices > 0 ? put_pipeline(arguments, chain, &options)
                          : put_schedule(arguments, chain, &options);
}

/* ---- a chain of a file ---- */

static cli_exit answer_file(const cli_arguments *arguments) {
  const cli_remat_arguments *const own = arguments->own;
  cli_input_file loaded =
      cli_load(arguments, arguments->operands[0], DSM_DESCRIPTION_STAGES, arguments->diags);
  cli_exit outcome = cli_tell(arguments, loaded.status);
  if (outcome == CLI_EXIT_DONE) {
    const bool has_budget =
        loaded.chain->budget_bytes > 0 || own->options.budget_bytes > 0 || own->budget_ratio > 0;
    outcome = !has_budget && own->devices > 0
                  ? cli_usage_error(arguments->command,
                                    "--stages needs --budget: '%s' does not say what a device has",
                                    arguments->operands[0])
                  : answer(arguments, loaded.chain);
  }
  cli_input_file_fini(&loaded);
  return outcome;
}

/* ---- a chain of a plan ---- */

/* Enough for any network: a system may not have more. */
static const double memory_max_GB = 1e12;

/* The plan; where it does not fit, that of the same system with memory for all of it. */
static dsm_status find_plan(dsm_plan **plan, const cli_arguments *arguments,
                            const dsm_workload *workload, const dsm_system *system,
                            dsm_system *roomy) {
  dsm_status status = cli_explore(plan, arguments, workload, system, &arguments->options);
  if (status == DSM_ERROR_INFEASIBLE) {
    dsm_diags_clear(arguments->diags);
    *roomy = *system;
    roomy->chip.memory.capacity_GB = memory_max_GB;
    status = cli_explore(plan, arguments, workload, roomy, &arguments->options);
  }
  return status;
}

static cli_exit write_chain(const cli_arguments *arguments, const dsm_remat_chain *chain) {
  const cli_remat_arguments *const own = arguments->own;
  char *const text = dsm_remat_chain_print(chain);
  if (text == NULL) {
    return cli_out_of_memory();
  }
  const cli_exit outcome =
      cli_put_file(arguments, "write-stages", own->chain_file, text, strlen(text));
  free(text);
  return outcome;
}

/* Is there anything left of the memory? */
static cli_exit check_room(const cli_arguments *arguments, const dsm_remat_chain *chain,
                           const dsm_plan *plan) {
  const cli_remat_arguments *const own = arguments->own;
  if (chain->budget_bytes > 0 || own->options.budget_bytes > 0 || own->budget_ratio > 0) {
    return CLI_EXIT_DONE;
  }
  (void)cli_refuse(arguments->diags, DSM_ERROR_INFEASIBLE, NULL, NULL,
                   "%s: parameters, gradients, optimizer state and input take all of a chip's "
                   "memory: %.17g bytes",
                   chain->name,
                   plan->result.memory.weights_bytes + plan->result.memory.gradients_bytes +
                       plan->result.memory.optimizer_bytes + chain->input_bytes);
  cli_print_findings(arguments);
  return CLI_EXIT_INFEASIBLE;
}

static cli_exit answer_plan(const cli_arguments *arguments, const cli_input_file *workload_file,
                            const cli_input_file *system_file) {
  const cli_remat_arguments *const own = arguments->own;
  const dsm_workload *const workload = workload_file->workload;
  const dsm_system *const system = system_file->system;
  dsm_plan *plan = NULL;
  dsm_remat_chain *chain = NULL;
  dsm_system roomy;
  dsm_status status = find_plan(&plan, arguments, workload, system, &roomy);
  if (status == DSM_OK) {
    status =
        dsm_remat_chain_of_plan(&chain, plan, dsm_system_usable_bytes(system), arguments->diags);
  }
  cli_exit outcome = cli_tell(arguments, status);
  if (outcome == CLI_EXIT_DONE && own->chain_file != NULL) {
    outcome = write_chain(arguments, chain);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = check_room(arguments, chain, plan);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = answer(arguments, chain);
  }
  dsm_remat_chain_free(chain);
  dsm_plan_free(plan);
  return outcome;
}

cli_exit cli_run_remat(const cli_arguments *arguments) {
  return arguments->operand_count == 1 ? answer_file(arguments)
                                       : cli_use_pair(arguments, DSM_DESCRIPTION_WORKLOAD,
                                                      DSM_DESCRIPTION_SYSTEM, answer_plan);
}
