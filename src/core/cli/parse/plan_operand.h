/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_operand.h: plans that the command line names, files and points of the database of a sweep,
 * and the questions that they answer. */
#ifndef DSM_CLI_PARSE_PLAN_OPERAND_H
#define DSM_CLI_PARSE_PLAN_OPERAND_H

#include "cli/parse/arguments.h"

/** A plan that was asked for. */
typedef struct cli_plan_operand {
  const char *name;      /**< as given */
  char *file;            /**< the plan or the database, as found; NULL if it was not */
  dsm_answer answer;     /**< what it is, of a kind that the command takes */
  dsm_plan *plan;        /**< the same where it is a plan of a network, else NULL */
  char *document;        /**< where a command compares documents: that of what is no plan of a
                              network, as JSON; else NULL */
  bool is_point;         /**< of a database, by its number */
  bool is_contradictory; /**< the plan's recorded numbers do not add up */
} cli_plan_operand;

/** Is `name` DATABASE:POINT, whether or not there is such a database? A file of that name is none.
 */
bool cli_is_point(const char *name);

/** Loads what `name` says: a plan, or DATABASE:POINT. To be freed with cli_plan_operand_fini in any
 * case. */
DSM_NODISCARD dsm_status cli_load_plan(cli_plan_operand *operand, const cli_arguments *arguments,
                                       const char *name);

/** cli_load_plan of the first operand; prints what was found, and notes where another step is
 * recorded than the model predicts now. */
cli_exit cli_load_first_plan(cli_plan_operand *operand, const cli_arguments *arguments);

/** What a command does with a plan. */
typedef cli_exit cli_plan_use(const cli_arguments *arguments, const cli_plan_operand *operand);

/** Loads the plan of the first operand, and uses it. */
cli_exit cli_use_plan(const cli_arguments *arguments, cli_plan_use *use);

void cli_plan_operand_fini(cli_plan_operand *operand);

/** Says if what is recorded of a plan, or of another answer, is not what the model says now: it was
 * edited, or the model is another. `name`: what records it. */
void cli_note_recorded(const cli_arguments *arguments, const char *name, dsm_answer answer);

/* ---- what a plan is the answer to, to be asked again ---- */

/** A plan's inputs and options, with those of the command line in their place. */
typedef struct cli_question {
  dsm_baseline *baseline;  /**< owns the inputs */
  const char **overrides;  /**< those that the plan records, then those of the command line */
  cli_arguments arguments; /**< borrows all but its options from those given */
} cli_question;

/** Adds the overrides given with a command, as ones of the inputs within a plan: their paths begin
 * with "workload." or "system.". */
void cli_take_overrides(cli_override_list *taken, const cli_override_list *given);

/** Loads the question of the only operand, a plan or DATABASE:POINT. What goes wrong is printed; an
 * operand that is no plan is a usage error. To be freed with cli_question_fini in any case. */
cli_exit cli_load_question(cli_question *question, const cli_arguments *arguments);

void cli_question_fini(cli_question *question);

#endif
