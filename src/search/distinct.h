/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distinct.h: layers that cost the same are searched once. */
#ifndef DSM_SEARCH_DISTINCT_H
#define DSM_SEARCH_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/workload.h"

typedef struct dsm__distinct {
  size_t *class_of;       /**< of each layer: its class, 0 .. count - 1 in order of appearance */
  size_t *representative; /**< of each class: its first layer */
  size_t count;
} dsm__distinct;

/** Classes of layers that agree in everything that the cost of a pass depends on; do_forks_count:
 * on forks too (model.exact_forks). False if out of memory. O(layers). */
bool dsm__distinct_find(dsm__distinct *distinct, const dsm_workload *workload, bool do_forks_count,
                        dsm__arena *arena);

#endif
