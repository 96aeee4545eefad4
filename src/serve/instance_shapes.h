/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instance_shapes.h: the sizes of instances that are asked for. */
#ifndef DSM_SERVE_INSTANCE_SHAPES_H
#define DSM_SERVE_INSTANCE_SHAPES_H

#include "dsm/diag.h"
#include "dsm/system.h"

enum { DSM__SIZES_MAX = 32 };

/** Chips along each axis: all combinations of these. */
typedef struct dsm__shapes {
  uint64_t sizes[DSM_AXES_MAX][DSM__SIZES_MAX];
  size_t counts[DSM_AXES_MAX]; /**< 1 or more */
} dsm__shapes;

/** Reads "gpu=4,8" or "gpu=8,node=1,2": divisors of an axis's chips; 1 along axes that are not
 * named. DSM_ERROR_USAGE with a finding. */
DSM_NODISCARD dsm_status dsm__shapes_read(dsm__shapes *shapes, const char *text,
                                          const dsm_system *system, dsm_diags *diags);

/** Makes the network of a part of a system that of combination `index`; false behind the last. */
bool dsm__shapes_apply(const dsm__shapes *shapes, size_t index, dsm_network *part);

#endif
