/* SPDX-License-Identifier: GPL-3.0-or-later */
/* row_allocation.h: rows of the torus for the stages of a pipeline (section 9). */
#ifndef DSM_SEARCH_PIPELINE_ROW_ALLOCATION_H
#define DSM_SEARCH_PIPELINE_ROW_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/mapping.h"
#include "plan/stage.h"

/** One way to run a stage. */
typedef struct dsm__stage_option {
  uint64_t rows;
  dsm_parallelism parallelism;
  unsigned fetching; /**< bit p: pass p fetches its weights in each timestep though it could keep
                          them */
  dsm__stage_times times;
} dsm__stage_option;

typedef struct dsm__stage_options {
  const dsm__stage_option *items;
  size_t count; /**< at least 1 */
} dsm__stage_options;

/** Removes options that another one is at least as good as in rows and all times (of equals the
 * later ones); returns how many are left, by rows ascending. */
size_t dsm__stage_options_reduce(dsm__stage_option *options, size_t count);

/** A group whose stages are given rows. */
typedef struct dsm__row_allocation {
  const dsm__stage_options *stages; /**< reduced */
  size_t stage_count;
  uint64_t rows;       /**< at most, of all stages together */
  uint64_t timesteps;  /**< T */
  double known_total;  /**< of another mapping of the group, or infinite: an allocation that takes
                            longer need not be the best */
  bool is_only_faster; /**< what takes as long as the known total is not wanted: where nothing takes
                            less, *total is that and chosen is not set */
  uint64_t *work_left; /**< comparisons that may still be made, counted down; NULL: any number */
} dsm__row_allocation;

typedef enum dsm__row_allocation_result {
  DSM__ROW_ALLOCATION_EXACT,
  DSM__ROW_ALLOCATION_BOUNDED, /**< too many partial allocations: a good one, perhaps not the best
                                */
  DSM__ROW_ALLOCATION_IMPOSSIBLE, /**< fewer rows than stages need */
  DSM__ROW_ALLOCATION_OUT_OF_MEMORY
} dsm__row_allocation_result;

/** Chooses an option for each stage (chosen[stage] is its index) of least dsm__group_total, or of
 * any total that is not below the known one where none is; no allocation has less than *bound,
 * which is the lesser of both totals where that is exact. */
dsm__row_allocation_result dsm__row_allocation_find(const dsm__row_allocation *allocation,
                                                    size_t *chosen, double *total, double *bound);

#endif
