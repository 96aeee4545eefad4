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

/* What is found of a baseline, by what it is. */
typedef struct outcome {
  dsm_drift *drift;
  dsm_comparison *comparison;
} outcome;

typedef struct checked {
  dsm_checked *items;
  outcome *found;
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
  cli_exit exit_code =
      load_term(with, &with->workload, arguments, arguments->workload, DSM_DESCRIPTION_WORKLOAD);
  exit_code = cli_exit_max(exit_code, load_term(with, &with->system, arguments, arguments->system,
                                                DSM_DESCRIPTION_SYSTEM));
  cli_print_findings(arguments);
  return exit_code;
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

/* The plan in the file that --against names, or one that is explored again. */
static dsm_status compare_plan(outcome *found, const cli_arguments *arguments, const terms *with,
                               const dsm_document *of, dsm_diags *diags) {
  dsm_baseline *baseline = NULL;
  dsm_answer now = {.of = NULL};
  dsm_status status = dsm_baseline_parse(&baseline, of->text, of->length, of->file,
                                         with->overrides.items, with->overrides.count, diags);
  if (status == DSM_OK && arguments->against != NULL) {
    status = dsm_answer_load(&now, &dsm_answer_plan, arguments->against, diags);
    if (status == DSM_OK) {
      status = dsm_drift_derive(&found->drift, baseline, now.of, arguments->tolerance, diags);
    }
  } else if (status == DSM_OK) {
    const dsm_check_request request = {.baseline = baseline,
                                       .workload = with->workload.workload,
                                       .system = with->system.system,
                                       .tolerance = arguments->tolerance,
                                       .thread_count = arguments->options.thread_count};
    status = dsm_check(&found->drift, &request, diags);
  }
  dsm_answer_free(&now);
  dsm_baseline_free(baseline);
  return status;
}

/* The document in that file, or what its question is answered with today. To be freed. */
static dsm_status document_now(char **text, size_t *length, const dsm_answer_kind *kind,
                               const cli_arguments *arguments, const terms *with,
                               const dsm_document *of, dsm_diags *diags) {
  dsm_answer now;
  if (arguments->against != NULL) {
    return dsm_file_read(text, length, arguments->against, diags);
  }
  const dsm_status status =
      dsm_answer_ask(&now, kind, of, with->overrides.items, with->overrides.count, diags);
  if (status == DSM_OK) {
    *text = dsm_answer_print(now, DSM_FORM_JSON, NULL);
    *length = *text == NULL ? 0 : strlen(*text);
  }
  dsm_answer_free(&now);
  return status == DSM_OK && *text == NULL ? cli_note_out_of_memory(diags) : status;
}

static dsm_status compare_document(outcome *found, const dsm_answer_kind *kind,
                                   const cli_arguments *arguments, const terms *with,
                                   const dsm_document *of, dsm_diags *diags) {
  char *text = NULL;
  size_t length = 0;
  if (arguments->workload != NULL || arguments->system != NULL) {
    return cli_refuse(diags, DSM_ERROR_USAGE, of->file, "--set changes its inputs",
                      "expected no --workload and no --system for an answer that is no plan of a "
                      "network");
  }
  dsm_status status = document_now(&text, &length, kind, arguments, with, of, diags);
  if (status == DSM_OK) {
    const dsm_document now = {text, length,
                              arguments->against != NULL ? arguments->against : of->file};
    status = dsm_answer_compare(&found->comparison, kind, of, &now, arguments->tolerance, diags);
  }
  free(text);
  return status;
}

static dsm_status compare(outcome *found, const cli_arguments *arguments, const terms *with,
                          const char *file, dsm_diags *diags) {
  char *text = NULL;
  size_t length = 0;
  dsm_status status = dsm_file_read(&text, &length, file, diags);
  if (status == DSM_OK) {
    const dsm_document of = {text, length, file};
    const dsm_answer_kind *const kind = dsm_answer_kind_of(text, length);
    status = kind == NULL ? cli_note_out_of_memory(diags)
             : kind == &dsm_answer_plan
                 ? compare_plan(found, arguments, with, &of, diags)
                 : compare_document(found, kind, arguments, with, &of, diags);
  }
  free(text);
  return status;
}

static cli_exit check_one(dsm_checked *item, outcome *found, cli_baseline *baseline,
                          const cli_arguments *arguments, const terms *with) {
  const double start = cli_seconds_now();
  if (baseline->status == DSM_OK) {
    dsm_diags *const diags = dsm_diags_new(CLI_BASELINE_FINDINGS_MAX);
    baseline->status = compare(found, arguments, with, baseline->file, diags);
    keep_findings(baseline, diags);
    dsm_diags_free(diags);
  }
  *item = (dsm_checked){.file = baseline->file,
                        .status = baseline->status,
                        .drift = found->drift,
                        .comparison = found->comparison,
                        .is_failed = true,
                        .diags = baseline->diags,
                        .row_limit = arguments->row_limit};
  cli_exit exit_code = cli_exit_of(baseline->status);
  if (found->drift != NULL || found->comparison != NULL) {
    const dsm_verdict verdict =
        found->drift != NULL ? found->drift->verdict : found->comparison->verdict;
    item->is_failed =
        verdict == DSM_VERDICT_REGRESSED || (arguments->is_strict && verdict != DSM_VERDICT_OK);
    exit_code = item->is_failed ? CLI_EXIT_REGRESSION : CLI_EXIT_DONE;
  }
  item->seconds = cli_seconds_now() - start;
  cli_print_diags(arguments, baseline->diags);
  if (found->drift != NULL && arguments->against == NULL) {
    cli_say(arguments, "%s: %s on %s explored again, %.3f s", item->file, found->drift->workload,
            found->drift->system, item->seconds);
  }
  return exit_code;
}

/* ---- all of them ---- */

static void free_checked(checked *all) {
  for (size_t i = 0; i < all->count && all->found != NULL; i++) {
    dsm_drift_free(all->found[i].drift);
    dsm_comparison_free(all->found[i].comparison);
  }
  free(all->items);
  free(all->found);
}

static cli_exit check_all(cli_baselines *baselines, const cli_arguments *arguments,
                          const terms *with) {
  checked all = {.items = calloc(baselines->count, sizeof *all.items),
                 .found = calloc(baselines->count, sizeof *all.found),
                 .count = baselines->count};
  cli_exit exit_code = CLI_EXIT_DONE;
  if (all.items == NULL || all.found == NULL) {
    free_checked(&all);
    return cli_out_of_memory();
  }
  for (size_t i = 0; i < all.count; i++) {
    exit_code = cli_exit_max(
        exit_code, check_one(&all.items[i], &all.found[i], &baselines->items[i], arguments, with));
  }
  exit_code = cli_exit_max(
      exit_code,
      cli_put_with_table(arguments, DSM_ANSWERS(check, all.items, all.count), DSM_FORM_TABLE));
  free_checked(&all);
  return exit_code;
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
  cli_exit exit_code = load_terms(&with, arguments);
  if (exit_code == CLI_EXIT_DONE) {
    exit_code = cli_baselines_list(&baselines, arguments) ? check_output(&baselines, arguments)
                                                          : cli_out_of_memory();
  }
  if (exit_code == CLI_EXIT_DONE && arguments->against != NULL && baselines.count > 1) {
    exit_code = cli_usage_error(arguments->command, "--against: expected one baseline, found %zu",
                                baselines.count);
  }
  if (exit_code == CLI_EXIT_DONE) {
    exit_code = check_all(&baselines, arguments, &with);
  }
  cli_baselines_fini(&baselines);
  free_terms(&with);
  return exit_code;
}
