/* SPDX-License-Identifier: GPL-3.0-or-later */
/* point_record.h: the records of a sweep's results: columns of its database, bytes between
 * processes, and what is better in each column. */
#ifndef DSM_SWEEP_POINT_RECORD_H
#define DSM_SWEEP_POINT_RECORD_H

#include "base/record.h"
#include "dsm/sweep.h"

extern const dsm__record_type dsm__point_record;       /**< dsm_point_result; `plan` is the last */
extern const dsm__record_type dsm__point_layer_record; /**< dsm_point_layer */

/** Columns of the view `points` that stand before those of the axes: point, status, reason. */
#define DSM__POINT_FIRST_COLUMNS 3

#endif
