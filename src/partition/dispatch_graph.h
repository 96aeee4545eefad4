/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch_graph.h: a partition laid out for a simulation: who waits for whom, and who may run
 * what. */
#ifndef DSM_PARTITION_DISPATCH_GRAPH_H
#define DSM_PARTITION_DISPATCH_GRAPH_H

#include "base/arena.h"
#include "dsm/dispatch.h"

/** Lists of numbers: those of i are items[first[i]] .. items[first[i + 1] - 1], ascending. */
typedef struct dsm__lists {
  size_t *first;
  size_t *items;
} dsm__lists;

typedef struct dsm__dispatch_graph {
  const dsm_instance *instance;
  bool does_keep_results;
  dsm__lists inputs;       /**< of a task: tensors that it needs */
  dsm__lists followers;    /**< of a task: tasks that need something of it, each once */
  dsm__lists candidates;   /**< of a task: devices that hold its parameters and can run it */
  size_t *producer_counts; /**< of a task: tasks that it waits for */
  size_t *shared_numbers;  /**< of a tensor: 1, 2, ... of those with several consumers; else 0 */
  size_t shared_count;     /**< tensors with several consumers */
  size_t result_count;     /**< tasks without followers */
} dsm__dispatch_graph;

/** Fills the graph from an arena. DSM_ERROR_INVALID: a task that no device holds and can run. */
DSM_NODISCARD dsm_status dsm__dispatch_graph_make(dsm__dispatch_graph *graph, dsm__arena *arena,
                                                  const dsm_partition *partition, dsm_diags *diags);

/** Seconds that so many bytes take on a device's link; 0 for no bytes and on an unlimited link. */
double dsm__dispatch_sending(const dsm_instance *instance, size_t device, double bytes);

#endif
