/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pipeline_front.h: mappings of a pipeline group that need less memory than its fastest. Where the
 * memory binds, one of these may be the best.
 */
#ifndef DSM_SEARCH_PIPELINE_PIPELINE_FRONT_H
#define DSM_SEARCH_PIPELINE_PIPELINE_FRONT_H

#include "search/pipeline/pipelines.h"
#include "search/pipeline/stages.h"

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
