/* SPDX-License-Identifier: GPL-3.0-or-later */
/* question.h: what a plan is the answer to, to be asked again. */
#ifndef DSM_CLI_PARSE_QUESTION_H
#define DSM_CLI_PARSE_QUESTION_H

#include "cli/parse/arguments.h"

/** A plan's inputs and options, with those of the command line in their place. */
typedef struct cli_question {
  dsm_baseline *baseline;  /**< owns the inputs */
  const char **overrides;  /**< those that the plan records, then those of the command line */
  cli_arguments arguments; /**< borrows all but its options from those given */
} cli_question;

/** Adds the overrides given with a command, as ones of the inputs within a plan: their paths begin
 * with "workload." or "system.". */
void cli_take_overrides(dsm_override *taken, size_t *taken_count, const dsm_override *given,
                        size_t given_count);

/** Loads the question of the only operand, a plan or DATABASE:POINT. What goes wrong is printed; an
 * operand that is no plan is a usage error. To be freed with cli_question_fini in any case. */
cli_exit cli_load_question(cli_question *question, const cli_arguments *arguments);

void cli_question_fini(cli_question *question);

#endif
