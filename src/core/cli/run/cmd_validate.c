/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/input_files.h"
#include "cli/parse/plan_operand.h"
#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

#define FINDINGS_MAX 100

/* A file's outcome, and what belongs to it. */
typedef struct checked {
  dsm_diags *diags;
  char summary[400];
} checked;

typedef struct validated {
  dsm_validated *items;
  checked *owned;
  size_t count;
} validated;

static void count_into(checked *to, uint64_t count, const char *noun) {
  (void)snprintf(to->summary, sizeof to->summary, "%" PRIu64 " %s%s", count, noun,
                 count == 1 ? "" : "s");
}

static void count_profile(checked *to, const dsm_instance *profile) {
  (void)snprintf(to->summary, sizeof to->summary, "%zu task%s on %zu device%s", profile->task_count,
                 profile->task_count == 1 ? "" : "s", profile->device_count,
                 profile->device_count == 1 ? "" : "s");
}

static void name_plan(checked *to, const char *workload, const char *system) {
  (void)snprintf(to->summary, sizeof to->summary, "%s on %s", workload, system);
}

static void summarize(checked *to, const cli_input_file *loaded) {
  if (loaded->workload != NULL) {
    count_into(to, loaded->workload->spec_count, "layer");
  } else if (loaded->system != NULL) {
    count_into(to, dsm_system_chips(loaded->system), "chip");
  } else if (loaded->plan != NULL) {
    name_plan(to, loaded->plan->workload->name, loaded->plan->system->name);
  } else if (loaded->sweep != NULL) {
    count_into(to, loaded->sweep->point_count, "point");
  } else if (loaded->technology != NULL) {
    count_into(to, loaded->technology->holder->note_count, "note");
  } else if (loaded->server != NULL) {
    count_into(to, loaded->server->device_count, "device");
  } else if (loaded->profile != NULL) {
    count_profile(to, loaded->profile);
  } else if (loaded->chain != NULL) {
    count_into(to, loaded->chain->stage_count, "stage");
  } else if (loaded->other != NULL) {
    const cli_companion_description *const row = cli_companion_description_of(loaded->kind);
    const char *workload = NULL;
    const char *system = NULL;
    if (row->count_place > 0) {
      uint64_t count;
      memcpy(&count, (const char *)loaded->other + row->count_place, sizeof count);
      count_into(to, count, row->noun);
    } else {
      row->name(loaded->other, &workload, &system);
      name_plan(to, workload, system);
    }
  }
}

static void note_recorded(const cli_arguments *arguments, const cli_input_file *loaded,
                          dsm_answer answer) {
  answer.recorded = loaded->recorded;
  cli_note_recorded(arguments, loaded->path, answer);
}

/* The numbers that the file records, and those that its decisions come to now. */
static dsm_status validate_plan(const cli_arguments *arguments, const cli_input_file *loaded,
                                dsm_diags *diags) {
  dsm_status status = dsm_plan_validate_text(loaded->text, loaded->length, loaded->path, diags);
  if (status == DSM_OK) {
    status = dsm_plan_validate(loaded->plan, diags);
  }
  if (status == DSM_OK) {
    note_recorded(arguments, loaded, DSM_ANSWER(plan, loaded->plan));
    status = dsm_plan_compare_text(loaded->plan, loaded->text, loaded->length, loaded->path, diags);
  }
  return status;
}

/* The same of what a companion knows, if that is an answer. */
static dsm_status validate_other(const cli_arguments *arguments, const cli_input_file *loaded,
                                 dsm_diags *diags) {
  const cli_companion_description *const row = cli_companion_description_of(loaded->kind);
  if (row->answer == NULL) {
    return loaded->status;
  }
  note_recorded(arguments, loaded, (dsm_answer){.kind = row->answer, .of = loaded->other});
  return row->compare(loaded->other, loaded, diags);
}

static dsm_validated validate(const cli_arguments *arguments, const char *name, checked *owned) {
  cli_input_file loaded = cli_load(arguments, name, DSM_DESCRIPTION_COUNT, owned->diags);
  if (loaded.plan != NULL) {
    loaded.status = validate_plan(arguments, &loaded, owned->diags);
  }
  if (loaded.other != NULL) {
    loaded.status = validate_other(arguments, &loaded, owned->diags);
  }
  summarize(owned, &loaded);
  const dsm_validated result = {.file = name,
                                .kind =
                                    loaded.is_detected ? dsm_description_name(loaded.kind) : NULL,
                                .summary = loaded.status == DSM_OK ? owned->summary : NULL,
                                .status = loaded.status,
                                .diags = owned->diags};
  cli_input_file_fini(&loaded);
  return result;
}

static cli_exit validate_all(const cli_arguments *arguments, validated *all) {
  cli_exit outcome = CLI_EXIT_DONE;
  bool is_usage_wrong = false;
  for (size_t i = 0; i < arguments->operand_count; i++) {
    all->owned[i].diags = dsm_diags_new(FINDINGS_MAX);
    if (all->owned[i].diags == NULL) {
      return cli_out_of_memory();
    }
    all->items[i] = validate(arguments, arguments->operands[i], &all->owned[i]);
    all->count = i + 1;
    cli_print_diags(arguments, all->owned[i].diags);
    outcome = cli_exit_max(outcome, cli_exit_of(all->items[i].status));
    is_usage_wrong = is_usage_wrong || all->items[i].status == DSM_ERROR_USAGE;
  }
  /* The output may be one of the inputs: then nothing is written. */
  return is_usage_wrong && arguments->output != NULL
             ? outcome
             : cli_exit_max(outcome, cli_put_answer(arguments, DSM_ANSWERS(validation, all->items,
                                                                           all->count)));
}

cli_exit cli_run_validate(const cli_arguments *arguments) {
  const size_t count = arguments->operand_count;
  validated all = {.items = calloc(count, sizeof *all.items),
                   .owned = calloc(count, sizeof *all.owned)};
  const cli_exit outcome =
      all.items == NULL || all.owned == NULL ? cli_out_of_memory() : validate_all(arguments, &all);
  for (size_t i = 0; all.owned != NULL && i < count; i++) {
    dsm_diags_free(all.owned[i].diags);
  }
  free(all.items);
  free(all.owned);
  return outcome;
}
