/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predicted.h: a plan that the command line names, predicted again. */
#ifndef DSM_CLI_PREDICTED_H
#define DSM_CLI_PREDICTED_H

#include "cli/arguments.h"

typedef struct cli_predicted {
  char *path;     /**< as found; NULL if it was not */
  dsm_plan *plan; /**< NULL if it could not be loaded */
} cli_predicted;

/** Finds and loads the first operand, prints what was found, and notes where the plan records
 * another step than the model predicts now. To be freed with cli_predicted_fini in any case. */
cli_exit cli_predicted_load(cli_predicted *predicted, const cli_arguments *arguments);

void cli_predicted_fini(cli_predicted *predicted);

/** Says so if what --output names is the plan itself. */
cli_exit cli_predicted_check_output(const cli_predicted *predicted, const cli_arguments *arguments);

#endif
