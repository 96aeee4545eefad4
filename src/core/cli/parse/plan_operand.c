/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/plan_operand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/parse/lookup.h"
#include "cli/parse/paths.h"
#include "cli/rows/companion_command.h"
#include "cli/run/complain.h"

/* ---- what goes wrong ---- */

static dsm_status report_no_point(const char *file, const char *found, dsm_diags *diags) {
  char hint[256];
  (void)snprintf(hint, sizeof hint, "POINT is a number; this shows them: dsm sweep %.200s", file);
  return cli_refuse(diags, DSM_ERROR_USAGE, file, hint, "expected DATABASE:POINT, found %.300s",
                    found);
}

/* Does the command take that kind? Else that is refused. A kind that no row is of is read as a
 * plan, which says what is wrong. */
static dsm_status check_kind(const cli_plan_operand *operand, const cli_arguments *arguments,
                             const dsm_answer_kind **kind) {
  if (arguments->command->bit == CLI_DIFF) {
    return DSM_OK;
  }
  const cli_companion_answer *const other = cli_companion_answer_of(*kind);
  if (other == NULL) {
    *kind = &dsm_answer_plan;
  }
  return other == NULL || (arguments->command->bit & other->commands) != 0
             ? DSM_OK
             : cli_refuse(arguments->diags, DSM_ERROR_INVALID, operand->name, other->hint,
                          "expected %s for dsm %s, found %s", other->expected,
                          arguments->command->name, other->found);
}

/* ---- documents ---- */

/* What an answer that was read says now. */
static dsm_status print_document(cli_plan_operand *operand, dsm_diags *diags) {
  operand->document = dsm_answer_print(operand->answer, DSM_FORM_JSON, NULL);
  return operand->document == NULL ? cli_note_out_of_memory(diags) : DSM_OK;
}

/* Of what is predicted or answered anew where it is read that, of other documents their text. */
static dsm_status take_document(cli_plan_operand *operand, const char *text, size_t length,
                                dsm_diags *diags) {
  const dsm_answer_kind *const kind = operand->answer.kind;
  if (dsm_answer_holds_question(kind)) {
    const dsm_status status =
        dsm_answer_parse(&operand->answer, kind, text, length, operand->file, diags);
    return status == DSM_OK ? print_document(operand, diags) : status;
  }
  operand->document = strndup(text, length);
  return operand->document == NULL ? cli_note_out_of_memory(diags) : DSM_OK;
}

/* ---- points of a database ---- */

static dsm_status load_point(cli_plan_operand *operand, const cli_arguments *arguments,
                             const char *point_text) {
  dsm_diags *const diags = arguments->diags;
  double point = 0;
  if (!dsm_number_parse(point_text, 0, DSM_SWEEP_POINTS_MAX, &point) ||
      strspn(point_text, "0123456789") != strlen(point_text)) {
    char found[300];
    (void)snprintf(found, sizeof found, "'%.200s' behind the colon", point_text);
    return report_no_point(operand->file, found, diags);
  }
  dsm_store *store = NULL;
  dsm_status status = dsm_store_open_read(&store, operand->file, diags);
  if (status == DSM_OK) {
    void *made = NULL;
    const cli_companion_answer *const other = cli_companion_answer_in(store);
    const dsm_answer_kind *kind = other != NULL ? other->kind : &dsm_answer_plan;
    double *const recorded = &operand->answer.recorded;
    operand->answer.kind = kind;
    status = check_kind(operand, arguments, &kind);
    if (status == DSM_OK) {
      status = other != NULL
                   ? other->load_point(&made, store, (size_t)point, recorded, diags)
                   : dsm_store_plan(store, (size_t)point, &operand->plan, recorded, diags);
      operand->answer.owned = made != NULL ? made : operand->plan;
      operand->answer.of = operand->answer.owned;
    }
    if (status == DSM_OK && made != NULL && arguments->command->bit == CLI_DIFF) {
      status = print_document(operand, diags);
    }
  }
  dsm_store_close(store);
  return status;
}

/* ---- files ---- */

static dsm_status parse_plan(cli_plan_operand *operand, const cli_arguments *arguments,
                             const char *text, size_t length) {
  dsm_diags *const diags = arguments->diags;
  dsm_answer *const answer = &operand->answer;
  const dsm_answer_kind *kind = dsm_answer_kind_of(text, length);
  if (kind == NULL) {
    return cli_note_out_of_memory(diags);
  }
  dsm_status status = check_kind(operand, arguments, &kind);
  answer->kind = kind;
  if (status == DSM_OK && kind != &dsm_answer_plan && arguments->command->bit == CLI_DIFF) {
    return take_document(operand, text, length, diags);
  }
  if (status == DSM_OK) {
    status = dsm_answer_parse(answer, kind, text, length, operand->file, diags);
  }
  operand->plan = kind == &dsm_answer_plan ? answer->owned : NULL;
  operand->is_contradictory =
      operand->plan != NULL &&
      dsm_plan_validate_text(text, length, operand->file, NULL) == DSM_ERROR_INVALID;
  return status;
}

static dsm_status load_file(cli_plan_operand *operand, const cli_arguments *arguments) {
  dsm_diags *const diags = arguments->diags;
  dsm_status status = cli_find_input(&operand->file, arguments, operand->name, 0, diags);
  if (status != DSM_OK) {
    return status;
  }
  if (dsm_store_is_database(operand->file)) {
    return report_no_point(operand->file, "a database without a point", diags);
  }
  char *text = NULL;
  size_t length = 0;
  status = dsm_file_read(&text, &length, operand->file, diags);
  if (status == DSM_OK) {
    status = parse_plan(operand, arguments, text, length);
  }
  free(text);
  return status;
}

/* What stands before the colon is the name of a file, whatever it holds. */
static dsm_status load_behind_colon(cli_plan_operand *operand, const cli_arguments *arguments,
                                    const char *point_text) {
  dsm_diags *const diags = arguments->diags;
  const dsm_status status = cli_check_is_no_output(arguments, operand->file, diags);
  if (status != DSM_OK) {
    return status;
  }
  if (access(operand->file, F_OK) == 0 && !dsm_store_is_database(operand->file)) {
    return cli_refuse(diags, DSM_ERROR_INVALID, operand->file, NULL,
                      "expected the database of a sweep before a point, found another file");
  }
  return load_point(operand, arguments, point_text);
}

bool cli_is_point(const char *name) {
  const char *const colon = strrchr(name, ':');
  return colon != NULL && colon != name && access(name, F_OK) != 0;
}

dsm_status cli_load_plan(cli_plan_operand *operand, const cli_arguments *arguments,
                         const char *name) {
  *operand = (cli_plan_operand){.name = name, .is_point = cli_is_point(name)};
  if (!operand->is_point) {
    return load_file(operand, arguments);
  }
  const char *const colon = strrchr(name, ':');
  operand->file = strndup(name, (size_t)(colon - name));
  if (operand->file == NULL) {
    return cli_note_out_of_memory(arguments->diags);
  }
  return load_behind_colon(operand, arguments, colon + 1);
}

void cli_plan_operand_fini(cli_plan_operand *operand) {
  dsm_answer_free(&operand->answer);
  free(operand->file);
  free(operand->document);
  *operand = (cli_plan_operand){0};
}

cli_exit cli_load_first_plan(cli_plan_operand *operand, const cli_arguments *arguments) {
  const dsm_status status = cli_load_plan(operand, arguments, arguments->operands[0]);
  cli_print_findings(arguments);
  cli_note_recorded(arguments,
                    operand->plan == NULL || operand->is_point ? operand->name : "the plan",
                    operand->answer);
  if (operand->is_contradictory) {
    cli_note(arguments,
             "recorded numbers of %s contradict each other, as dsm validate says: all are "
             "predicted again",
             operand->name);
  }
  return cli_exit_of(status);
}

cli_exit cli_use_plan(const cli_arguments *arguments, cli_plan_use *use) {
  cli_plan_operand operand;
  cli_exit outcome = cli_load_first_plan(&operand, arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = use(arguments, &operand);
  }
  cli_plan_operand_fini(&operand);
  return outcome;
}

void cli_note_recorded(const cli_arguments *arguments, const char *name, dsm_answer answer) {
  static const double tolerance = 1e-9; /* of two implementations of the model */
  const cli_companion_answer *const other = cli_companion_answer_of(answer.kind);
  if (answer.of == NULL || !(answer.recorded > 0)) {
    return;
  }
  const double now =
      other != NULL ? other->seconds(answer.of) : ((const dsm_plan *)answer.of)->result.step_cycles;
  const double change = now - answer.recorded;
  if (fabs(change) > tolerance * answer.recorded) {
    cli_note(arguments,
             other != NULL ? "%s records %.6g s, now it is %.6g s (%+.1f %%)"
                           : "%s records %.0f cycles a step, now it is %.0f (%+.1f %%)",
             name, answer.recorded, now, 100 * change / answer.recorded);
  }
}
