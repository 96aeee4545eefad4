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
#include "cli/rows/rows.h"
#include "cli/run/complain.h"

/* ---- what goes wrong ---- */

static dsm_status report_no_point(const char *file, const char *found, dsm_diags *diags) {
  char hint[256];
  (void)snprintf(hint, sizeof hint, "POINT is a number; this shows them: dsm sweep %.200s", file);
  return cli_refuse(diags, DSM_ERROR_USAGE, file, hint, "expected DATABASE:POINT, found %.300s",
                    found);
}

static bool takes_pim(const cli_arguments *arguments) {
  return (arguments->command->takes[0] & CLI_TAKES_PIM) != 0;
}

static bool takes_storage(const cli_arguments *arguments) {
  return (arguments->command->bit & (CLI_PLOT | CLI_REPORT)) != 0;
}

static dsm_status refuse_pim(const cli_plan_operand *operand, const cli_arguments *arguments) {
  return cli_refuse(arguments->diags, DSM_ERROR_INVALID, operand->name,
                    "these show it: dsm report, dsm plot, dsm score, dsm trace",
                    "expected a plan of a network for dsm %s, found one of cores in memory",
                    arguments->command->name);
}

static dsm_status refuse_storage(const cli_plan_operand *operand, const cli_arguments *arguments) {
  return cli_refuse(
      arguments->diags, DSM_ERROR_INVALID, operand->name, "these show it: dsm report, dsm plot",
      "expected a plan for dsm %s, found an answer of storage", arguments->command->name);
}

static dsm_status refuse_front(const cli_plan_operand *operand, const cli_arguments *arguments) {
  return cli_refuse(arguments->diags, DSM_ERROR_INVALID, operand->name, "this shows it: dsm plot",
                    "expected a plan for dsm %s, found a front of partitions",
                    arguments->command->name);
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
    status = !dsm_store_is_pim(store) ? dsm_store_plan(store, (size_t)point, &operand->plan,
                                                       &operand->recorded_step_cycles, diags)
             : takes_pim(arguments)   ? dsm_store_pim_plan(store, (size_t)point, &operand->pim,
                                                           &operand->recorded_seconds, diags)
                                      : refuse_pim(operand, arguments);
  }
  dsm_store_close(store);
  return status;
}

/* ---- files ---- */

/* Most texts that are plans of networks are known without reading them as JSON. */
bool cli_is_pim(const char *text, size_t length) {
  dsm_description kind = DSM_DESCRIPTION_COUNT;
  return strstr(text, "\"dsm-pim/") != NULL &&
         dsm_description_detect(&kind, text, length, NULL, NULL) == DSM_OK &&
         kind == DSM_DESCRIPTION_PIM;
}

static dsm_status parse_plan(cli_plan_operand *operand, const cli_arguments *arguments,
                             const char *text, size_t length) {
  dsm_diags *const diags = arguments->diags;
  const char *const file = operand->file;
  if (cli_is_pim(text, length)) {
    return takes_pim(arguments) ? dsm_pim_plan_parse(&operand->pim, &operand->recorded_seconds,
                                                     text, length, file, diags)
                                : refuse_pim(operand, arguments);
  }
  if (dsm_storage_is_printed(text, length)) {
    return takes_storage(arguments)
               ? dsm_storage_parse(&operand->storage, text, length, file, diags)
               : refuse_storage(operand, arguments);
  }
  if (dsm_front_is_printed(text, length)) {
    return arguments->command->bit == CLI_PLOT
               ? dsm_front_parse(&operand->front, text, length, file, diags)
               : refuse_front(operand, arguments);
  }
  const dsm_status status =
      dsm_plan_parse(&operand->plan, text, length, file, &operand->recorded_step_cycles, diags);
  operand->is_contradictory =
      status == DSM_OK && dsm_plan_validate_text(text, length, file, NULL) == DSM_ERROR_INVALID;
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
  dsm_plan_free(operand->plan);
  dsm_pim_plan_free(operand->pim);
  dsm_storage_result_free(operand->storage);
  dsm_front_free(operand->front);
  free(operand->file);
  *operand = (cli_plan_operand){0};
}

cli_exit cli_load_first_plan(cli_plan_operand *operand, const cli_arguments *arguments) {
  const dsm_status status = cli_load_plan(operand, arguments, arguments->operands[0]);
  cli_print_findings(arguments);
  if (operand->pim != NULL) {
    cli_note_recorded_seconds(arguments, operand->name, operand->pim, operand->recorded_seconds);
  }
  if (operand->plan != NULL) {
    cli_note_recorded_step(arguments, operand->is_point ? operand->name : "the plan", operand->plan,
                           operand->recorded_step_cycles);
  }
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

void cli_note_recorded_step(const cli_arguments *arguments, const char *name, const dsm_plan *plan,
                            double recorded_step_cycles) {
  static const double tolerance = 1e-9; /* of two implementations of the model */
  const double step_cycles = plan->result.step_cycles;
  const double change = step_cycles - recorded_step_cycles;
  if (recorded_step_cycles > 0 && fabs(change) > tolerance * recorded_step_cycles) {
    cli_note(arguments, "%s records %.0f cycles a step, now it is %.0f (%+.1f %%)", name,
             recorded_step_cycles, step_cycles, 100 * change / recorded_step_cycles);
  }
}

void cli_note_recorded_seconds(const cli_arguments *arguments, const char *name,
                               const dsm_pim_plan *plan, double recorded_seconds) {
  static const double tolerance = 1e-9;
  const double change = plan->cost.seconds - recorded_seconds;
  if (recorded_seconds > 0 && fabs(change) > tolerance * recorded_seconds) {
    cli_note(arguments, "%s records %.6g s, now it is %.6g s (%+.1f %%)", name, recorded_seconds,
             plan->cost.seconds, 100 * change / recorded_seconds);
  }
}
