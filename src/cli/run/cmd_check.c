/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/input_files.h"
#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"

/* What every baseline is checked with. */
typedef struct terms {
  cli_input_file workload;     /* in place of the baselines'; if it is not given their own */
  cli_input_file system;       /* likewise */
  cli_override_list overrides; /* of the baselines' own inputs */
} terms;

typedef struct checked {
  dsm_checked *items;
  dsm_drift **drifts;
  size_t count;
} checked;

/* ---- inputs in place of the baselines' ---- */

/* Loads an input in place of the baselines' own, or keeps the overrides for those. */
static cli_exit load_term(terms *with, cli_input_file *to, const cli_arguments *arguments,
                          const char *name, dsm_description kind) {
  if (name == NULL) {
    cli_take_overrides(&with->overrides, &arguments->overrides.of[kind]);
    return CLI_EXIT_DONE;
  }
  *to = cli_load(arguments, name, kind, arguments->diags);
  return cli_exit_of(to->status);
}

static cli_exit load_terms(terms *with, const cli_arguments *arguments) {
  with->overrides.items =
      calloc(arguments->overrides.recorded.count + 1, sizeof *with->overrides.items);
  if (with->overrides.items == NULL) {
    return cli_out_of_memory();
  }
  cli_exit outcome =
      load_term(with, &with->workload, arguments, arguments->workload, DSM_DESCRIPTION_WORKLOAD);
  outcome = cli_exit_max(outcome, load_term(with, &with->system, arguments, arguments->system,
                                            DSM_DESCRIPTION_SYSTEM));
  cli_print_findings(arguments);
  return outcome;
}

static void free_terms(terms *with) {
  cli_input_file_fini(&with->workload);
  cli_input_file_fini(&with->system);
  free(with->overrides.items);
}

/* ---- one baseline ---- */

/* Findings of an exploration name no file: of several baselines the reader must know which. */
static void keep_findings(cli_baseline *baseline, const dsm_diags *found) {
  for (size_t i = 0; i < dsm_diags_count(found); i++) {
    dsm_diag diag = *dsm_diags_get(found, i);
    if (diag.file[0] == '\0') {
      (void)snprintf(diag.file, sizeof diag.file, "%s", baseline->file);
    }
    dsm_diags_append(baseline->diags, &diag);
  }
}

/* A baseline as it was read. */
typedef struct input {
  const char *file;
  char *text;
  size_t length;
} input;

/* A plan of cores in memory: chosen anew. */
static dsm_status compare_pim(dsm_drift **drift, const cli_arguments *arguments, const terms *with,
                              const input *of, dsm_diags *diags) {
  dsm_pim_plan *question = NULL;
  if (arguments->workload != NULL || arguments->system != NULL) {
    return cli_refuse(diags, DSM_ERROR_USAGE, of->file, "--set changes its inputs",
                      "expected no --workload and no --system for a plan of cores in memory");
  }
  dsm_status status = dsm_pim_question_parse(&question, of->text, of->length, of->file,
                                             with->overrides.items, with->overrides.count, diags);
  if (status == DSM_OK) {
    status = dsm_pim_check(drift, question, arguments->tolerance, diags);
  }
  dsm_pim_plan_free(question);
  return status;
}

static dsm_status compare_network(dsm_drift **drift, const cli_arguments *arguments,
                                  const terms *with, const input *of, dsm_diags *diags) {
  dsm_baseline *baseline = NULL;
  dsm_status status = dsm_baseline_parse(&baseline, of->text, of->length, of->file,
                                         with->overrides.items, with->overrides.count, diags);
  if (status == DSM_OK) {
    const dsm_check_request request = {.baseline = baseline,
                                       .workload = with->workload.workload,
                                       .system = with->system.system,
                                       .tolerance = arguments->tolerance,
                                       .thread_count = arguments->options.thread_count};
    status = dsm_check(drift, &request, diags);
  }
  dsm_baseline_free(baseline);
  return status;
}

static dsm_status compare(dsm_drift **drift, const cli_arguments *arguments, const terms *with,
                          const char *file, dsm_diags *diags) {
  input of = {.file = file};
  dsm_status status = dsm_file_read(&of.text, &of.length, file, diags);
  if (status == DSM_OK) {
    status = (dsm_answer_kind_of(of.text, of.length) == &dsm_answer_pim
                  ? compare_pim
                  : compare_network)(drift, arguments, with, &of, diags);
  }
  free(of.text);
  return status;
}

static cli_exit check_one(dsm_checked *item, dsm_drift **drift, cli_baseline *baseline,
                          const cli_arguments *arguments, const terms *with) {
  const double start = cli_seconds_now();
  if (baseline->status == DSM_OK) {
    dsm_diags *const diags = dsm_diags_new(CLI_BASELINE_FINDINGS_MAX);
    baseline->status = compare(drift, arguments, with, baseline->file, diags);
    keep_findings(baseline, diags);
    dsm_diags_free(diags);
  }
  *item = (dsm_checked){.file = baseline->file,
                        .status = baseline->status,
                        .drift = *drift,
                        .is_failed = true,
                        .diags = baseline->diags,
                        .row_limit = arguments->row_limit};
  cli_exit outcome = cli_exit_of(baseline->status);
  if (*drift != NULL) {
    const dsm_verdict verdict = (*drift)->verdict;
    item->is_failed =
        verdict == DSM_VERDICT_REGRESSED || (arguments->is_strict && verdict != DSM_VERDICT_OK);
    outcome = item->is_failed ? CLI_EXIT_REGRESSION : CLI_EXIT_DONE;
  }
  item->seconds = cli_seconds_now() - start;
  cli_print_diags(arguments, baseline->diags);
  if (*drift != NULL) {
    cli_say(arguments, "%s: %s on %s explored again, %.3f s", item->file, (*drift)->workload,
            (*drift)->system, item->seconds);
  }
  return outcome;
}

/* ---- all of them ---- */

static cli_exit check_all(cli_baselines *baselines, const cli_arguments *arguments,
                          const terms *with) {
  checked all = {.items = calloc(baselines->count, sizeof *all.items),
                 .drifts = calloc(baselines->count, sizeof(dsm_drift *)),
                 .count = baselines->count};
  cli_exit outcome = CLI_EXIT_DONE;
  if (all.items == NULL || all.drifts == NULL) {
    free(all.items);
    free(all.drifts);
    return cli_out_of_memory();
  }
  for (size_t i = 0; i < all.count; i++) {
    outcome = cli_exit_max(
        outcome, check_one(&all.items[i], &all.drifts[i], &baselines->items[i], arguments, with));
  }
  outcome =
      cli_exit_max(outcome, cli_put_with_table(arguments, DSM_ANSWERS(check, all.items, all.count),
                                               DSM_FORM_TABLE));
  for (size_t i = 0; i < all.count; i++) {
    dsm_drift_free(all.drifts[i]);
  }
  free(all.items);
  free(all.drifts);
  return outcome;
}

/* A report must not be written over a baseline: the promise would be gone. */
static cli_exit check_output(const cli_baselines *baselines, const cli_arguments *arguments) {
  const cli_baseline *const same =
      arguments->output == NULL ? NULL : cli_baselines_find(baselines, arguments->output);
  if (same != NULL) {
    return cli_usage_error(arguments->command, "--output: '%s' is a baseline", same->file);
  }
  for (size_t i = 0; i < baselines->count; i++) {
    if (baselines->items[i].status == DSM_ERROR_USAGE) {
      cli_print_diags(arguments, baselines->items[i].diags);
      return CLI_EXIT_USAGE;
    }
  }
  return CLI_EXIT_DONE;
}

cli_exit cli_run_check(const cli_arguments *arguments) {
  for (size_t i = 0; i < arguments->operand_count; i++) {
    if (arguments->operands[i][0] == '\0') {
      return cli_usage_error(arguments->command,
                             "expected the name of a baseline or of a folder, found an empty one");
    }
  }
  terms with = {0};
  cli_baselines baselines = {0};
  cli_exit outcome = load_terms(&with, arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_baselines_list(&baselines, arguments) ? check_output(&baselines, arguments)
                                                        : cli_out_of_memory();
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = check_all(&baselines, arguments, &with);
  }
  cli_baselines_fini(&baselines);
  free_terms(&with);
  return outcome;
}
