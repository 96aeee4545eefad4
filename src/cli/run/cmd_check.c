/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/parse/baselines.h"
#include "cli/parse/input_files.h"
#include "cli/parse/question.h"
#include "cli/rows/command.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

#define FINDINGS_MAX 100

/* What every baseline is checked with. */
typedef struct terms {
  dsm_workload *workload;  /* in place of the baselines'; NULL: their own */
  dsm_system *system;      /* likewise */
  dsm_override *overrides; /* of the baselines' own inputs */
  size_t override_count;
} terms;

typedef struct checked {
  dsm_checked *items;
  dsm_drift **drifts;
  size_t count;
} checked;

/* ---- inputs in place of the baselines' ---- */

static cli_exit load_terms(terms *with, const cli_arguments *arguments) {
  const cli_overrides *const overrides = &arguments->overrides;
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  with->overrides =
      calloc(overrides->workload_count + overrides->system_count + 1, sizeof *with->overrides);
  if (diags == NULL || with->overrides == NULL) {
    dsm_diags_free(diags);
    return cli_out_of_memory();
  }
  cli_exit outcome = CLI_EXIT_DONE;
  if (arguments->workload != NULL) {
    outcome =
        cli_exit_of(cli_load_workload(&with->workload, arguments, arguments->workload, diags));
  } else {
    cli_take_overrides(with->overrides, &with->override_count, overrides->workload,
                       overrides->workload_count);
  }
  if (arguments->system != NULL) {
    outcome = cli_exit_max(
        outcome, cli_exit_of(cli_load_system(&with->system, arguments, arguments->system, diags)));
  } else {
    cli_take_overrides(with->overrides, &with->override_count, overrides->system,
                       overrides->system_count);
  }
  cli_print_findings(arguments, diags);
  dsm_diags_free(diags);
  return outcome;
}

static void free_terms(terms *with) {
  dsm_workload_free(with->workload);
  dsm_system_free(with->system);
  free(with->overrides);
}

/* ---- one baseline ---- */

static double seconds_now(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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

static dsm_status compare(dsm_drift **drift, const cli_arguments *arguments, const terms *with,
                          const char *file, dsm_diags *diags) {
  dsm_baseline *baseline = NULL;
  dsm_status status =
      dsm_baseline_load(&baseline, file, with->overrides, with->override_count, diags);
  if (status == DSM_OK) {
    const dsm_check_request request = {.baseline = baseline,
                                       .workload = with->workload,
                                       .system = with->system,
                                       .tolerance = arguments->tolerance,
                                       .thread_count = arguments->options.thread_count};
    status = dsm_check(drift, &request, diags);
  }
  dsm_baseline_free(baseline);
  return status;
}

static cli_exit check_one(dsm_checked *item, dsm_drift **drift, cli_baseline *baseline,
                          const cli_arguments *arguments, const terms *with) {
  const double start = seconds_now();
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
  item->seconds = seconds_now() - start;
  cli_print_findings(arguments, baseline->diags);
  if (*drift != NULL) {
    cli_say(arguments, "%s: %s on %s explored again, %.3f s", item->file, (*drift)->workload,
            (*drift)->system, item->seconds);
  }
  return outcome;
}

/* ---- all of them ---- */

static char *print_checked(const void *result, cli_format format, dsm_table_style style) {
  const checked *const all = result;
  switch (format) {
  case CLI_FORMAT_TABLE:
    return dsm_report_check_table(all->items, all->count, style);
  case CLI_FORMAT_JSON:
    return dsm_report_check_json(all->items, all->count);
  case CLI_FORMAT_CSV:
    return dsm_report_check_csv(all->items, all->count);
  case CLI_FORMAT_JUNIT:
    return dsm_report_check_junit(all->items, all->count);
  }
  return NULL;
}

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
      cli_exit_max(outcome, cli_put_with_table(arguments, print_checked, &all, CLI_FORMAT_TABLE));
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
      cli_print_findings(arguments, baselines->items[i].diags);
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
