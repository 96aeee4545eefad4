/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipelines.h: runs of recurrent layers that can be pipelined, each at its best (section 9), and
 * mappings of a group that need less memory than its fastest. Where the memory binds, one of these
 * may be the best. */
#ifndef DSM_SEARCH_PIPELINE_PIPELINES_H
#define DSM_SEARCH_PIPELINE_PIPELINES_H

#include "search/layer_table.h"
#include "search/pipeline/stages.h"

/** A run of layers as a pipeline. */
typedef struct dsm__pipeline_group {
  size_t first_layer;
  size_t layer_count;
  double cycles;       /**< of the mapping: the least, where memory is not short */
  double bound_cycles; /**< no others have less */
  double kept_bytes;
  double transient_bytes;
  uint64_t columns;              /**< chips in a row of each stage; of equals the most */
  uint64_t *rows;                /**< of each layer; shared by groups of the same layers */
  dsm_parallelism *parallelisms; /**< of each layer, in all its passes; likewise */
  unsigned *fetching;            /**< of each layer, as dsm__stage_option has it; likewise */
} dsm__pipeline_group;

typedef struct dsm__pipeline_groups {
  dsm__pipeline_group *items; /**< by first layer, then by length, then the fastest first */
  size_t count;
  bool is_complete; /**< false: some groups are missing */
  bool is_exact;    /**< false: some are not at their best */
  uint64_t evaluations;
} dsm__pipeline_groups;

/** Most layers of a group and most rows of a stage in the searched space; most groups that differ
 * in their layers; and most stages (layers with so many rows, so wide) that differ. */
enum {
  DSM__STAGES_MAX = 64,
  DSM__ROWS_MAX = 1024,
  DSM__GROUPS_SOLVED_MAX = 4096,
  DSM__STAGES_SCORED_MAX = 1 << 17
};

/**
 * Finds all groups of a workload that the options allow, each at its fastest; with
 * `is_memory_short` also the mappings of each that are fastest of those with as little memory,
 * after the fastest. False if out of memory.
 */
bool dsm__pipeline_groups_find(dsm__pipeline_groups *groups, const dsm__layer_table *table,
                               bool is_memory_short, dsm__arena *arena);

/** A group of layers with room for a mapping, which it has not yet. False if out of memory. */
bool dsm__pipeline_group_init(dsm__pipeline_group *group, size_t first_layer, size_t layer_count,
                              dsm__arena *arena);

/** Gives a group the options chosen of each stage. */
void dsm__pipeline_group_choose(dsm__pipeline_group *group, const dsm__stage_options *stages,
                                const size_t *chosen, double cycles, uint64_t columns);

/** Derives what a mapping of a group needs: that of the stage that needs most, in both respects
 * (section 12). */
void dsm__pipeline_group_derive_memory(dsm__pipeline_group *group, const dsm__layer_table *table);

/** Mappings of a group: of all others each takes longer than one of them that needs no more memory
 * in both respects, or as long. */
typedef struct dsm__pipeline_front {
  dsm__pipeline_group *items; /**< in the arena; the group's fastest mapping comes first */
  size_t count;
  size_t capacity;
  bool is_exact; /**< false: some are missing */
} dsm__pipeline_front;

/** What a layer needs as a stage of so many rows of so many chips (section 12). */
dsm_layer_memory dsm__pipeline_stage_memory(const dsm__layer_table *table, size_t layer_index,
                                            uint64_t columns, uint64_t rows,
                                            dsm_parallelism parallelism);

/** Adds the mappings on stages as wide as those that have been scored last, all of them.
 * `work_left` as in dsm__row_allocation. False if out of memory. */
bool dsm__pipeline_front_extend(dsm__pipeline_front *front, const dsm__pipeline_group *group,
                                const dsm__stages *stages, uint64_t *work_left, dsm__arena *arena);

/** Adds a mapping, unless one that is there takes no longer and needs no more. False if out of
 * memory. */
bool dsm__pipeline_front_add(dsm__pipeline_front *front, const dsm__pipeline_group *mapping,
                             dsm__arena *arena);

#endif
