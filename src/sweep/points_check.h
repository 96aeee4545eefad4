/* SPDX-License-Identifier: GPL-3.0-or-later */
/* points_check.h: is there a point of a sweep that can be explored? */
#ifndef DSM_SWEEP_POINTS_CHECK_H
#define DSM_SWEEP_POINTS_CHECK_H

#include "dsm/sweep.h"

/** DSM_ERROR_INVALID, with why the first one is not, if the workload or the system of every point
 * is invalid: there is nothing to explore. Looks at points until one is valid. `file` is the
 * finding's, or NULL. DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status dsm__sweep_check_points(const dsm_sweep *sweep, const char *file,
                                                 dsm_diags *diags);

#endif
