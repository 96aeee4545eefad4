/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch_tables.h: times over the size of a batch. */
#ifndef DSM_SERVER_BATCH_TABLES_H
#define DSM_SERVER_BATCH_TABLES_H

#include "base/arena.h"
#include "dsm/instance.h"

/** Sizes of which there are times. */
typedef struct dsm__batch_range {
  uint32_t least;
  uint32_t most; /**< below least: there are none */
  bool is_any;   /**< no task has a time above 0 there: no size differs from another */
} dsm__batch_range;

/** Consecutive tasks on a device. */
typedef struct dsm__batch_cells {
  size_t device;
  size_t first;
  size_t end;
} dsm__batch_cells;

/** Rising sizes, each once. */
typedef struct dsm__batch_sizes {
  uint32_t *items;
  size_t count;
} dsm__batch_sizes;

/** There is room for one more. */
void dsm__add_batch_size(dsm__batch_sizes *sizes, uint32_t size);

/** Of which all of the tasks have times that can run there. */
dsm__batch_range dsm__common_batches(const dsm_instance *instance, const dsm__batch_cells *cells);

/** All sizes in the tables of the tasks that are in the range, the least of it where there are
 * none, and room for one more. False if out of memory. */
bool dsm__batch_sizes_of(dsm__batch_sizes *sizes, dsm__arena *arena, const dsm_instance *instance,
                         const dsm__batch_cells *cells, dsm__batch_range range);

/** The table of tasks that run one after the other. False if out of memory. */
bool dsm__join_tables(dsm_batch_table *joined, dsm__arena *arena, const dsm_instance *from,
                      const dsm__batch_cells *cells);

/** The instance with a batch for each device, which borrows from it; times, devices are the
 * arena's. False if out of memory. */
bool dsm__instance_at(dsm_instance *made, dsm__arena *arena, const dsm_instance *instance,
                      const uint32_t *batches);

#endif
