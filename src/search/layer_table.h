/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layer_table.h: the best core splits of every distinct layer, pass and parallelism. */
#ifndef DSM_SEARCH_LAYER_TABLE_H
#define DSM_SEARCH_LAYER_TABLE_H

#include "dsm/plan.h"
#include "plan/core_splits.h"
#include "search/distinct.h"

/** A distinct layer under one parallelism. */
typedef struct dsm__layer_entry {
  bool is_allowed;
  dsm_loops splits[DSM_PASS_COUNT]; /**< of the passes that exist */
  double cycles;                    /**< of a step: all passes and reductions, no relayouts */
  uint64_t evaluations;
} dsm__layer_entry;

typedef struct dsm__layer_table {
  dsm__distinct distinct;
  dsm__core_splits splits;
  dsm__layer_entry (*entries)[DSM_PARALLELISM_COUNT]; /**< one row a class of layers */
} dsm__layer_table;

/** Fills the table, on up to options->thread_count threads; false if out of memory. */
bool dsm__layer_table_fill(dsm__layer_table *table, const dsm_workload *workload,
                           const dsm_machine *machine, const dsm_explore_options *options,
                           dsm__arena *arena);

/** The entry of a layer. */
static inline const dsm__layer_entry *dsm__layer_table_get(const dsm__layer_table *table,
                                                           size_t layer_index,
                                                           dsm_parallelism parallelism) {
  return &table->entries[table->distinct.class_of[layer_index]][parallelism];
}

#endif
