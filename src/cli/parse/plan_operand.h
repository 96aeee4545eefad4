/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_operand.h: plans that the command line names: files, and points of the database of a sweep.
 */
#ifndef DSM_CLI_PARSE_PLAN_OPERAND_H
#define DSM_CLI_PARSE_PLAN_OPERAND_H

#include "cli/parse/arguments.h"

/** A plan that was asked for. */
typedef struct cli_plan_operand {
  const char *name;            /**< as given */
  char *file;                  /**< the plan or the database, as found; NULL if it was not */
  dsm_plan *plan;              /**< NULL if there is none */
  bool is_point;               /**< of a database, by its number */
  double recorded_step_cycles; /**< what file or database says of the step; 0: nothing */
} cli_plan_operand;

/** Is `name` DATABASE:POINT, whether or not there is such a database? A file of that name is none.
 */
bool cli_is_point(const char *name);

/** Loads what `name` says: a plan, or DATABASE:POINT. To be freed with cli_plan_operand_fini in any
 * case. */
DSM_NODISCARD dsm_status cli_load_plan(cli_plan_operand *operand, const cli_arguments *arguments,
                                       const char *name, dsm_diags *diags);

/** cli_load_plan of the first operand; prints what was found, and notes where another step is
 * recorded than the model predicts now. */
cli_exit cli_load_first_plan(cli_plan_operand *operand, const cli_arguments *arguments);

void cli_plan_operand_fini(cli_plan_operand *operand);

/** Says if the recorded step is not what the model says now: an edited plan, or another model.
 * `name`: what records it. */
void cli_note_recorded_step(const cli_arguments *arguments, const char *name, const dsm_plan *plan,
                            double recorded_step_cycles);

#endif
