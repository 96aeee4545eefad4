/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sensitivity.h: what each parameter is worth when a tenth better (`explore --sensitivity`). */
#ifndef DSM_CLI_SENSITIVITY_H
#define DSM_CLI_SENSITIVITY_H

#include "cli/arguments.h"

/** Explores with each parameter as it is and a tenth better, and shows what that does to the step.
 */
cli_exit cli_put_sensitivity(const cli_arguments *arguments, const dsm_workload *workload,
                             const dsm_system *system, dsm_diags *diags);

#endif
