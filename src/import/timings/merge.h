/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merge.h: rows of several devices as the tasks that all of them have.
 *
 * A task is a layer by whose name each device has a row that took time: a row of that name, or of
 * several names ("conv1 + relu1", as TensorRT fuses layers) of which it is the first that is known.
 * Any other row counts with the task that ran before it on its device, or else with the first one,
 * so that the times of the tasks add up to what the device took.
 */
#ifndef DSM_IMPORT_TIMINGS_MERGE_H
#define DSM_IMPORT_TIMINGS_MERGE_H

#include "import/timings/timings.h"
#include "workload/name_index.h"

/** The names that may be tasks, and which are. */
typedef struct dsm__merge {
  const dsm__timings *timings;
  dsm__arena *arena;
  const char *const *names; /**< in the order in which tasks run */
  size_t name_count;
  dsm__name_index index;
  bool *is_task;   /**< of each name */
  size_t **leads;  /**< leads[device][row]: the name that it is called by, or SIZE_MAX */
  double *seconds; /**< seconds[name * devices + device], of tasks */
} dsm__merge;

/** Merges all rows; `names` are borrowed. False if out of memory. */
bool dsm__merge_rows(dsm__merge *merge, const dsm__timings *timings, const char *const *names,
                     size_t name_count, dsm__arena *arena);

/** The tasks that the rows of a device count with, name by name; SIZE_MAX where there are none. */
bool dsm__merge_targets(const dsm__merge *merge, size_t device, size_t **targets,
                        dsm__arena *arena);

/** Is it a row of a task itself? */
bool dsm__merge_is_task(const dsm__merge *merge, size_t device, size_t row);

#endif
