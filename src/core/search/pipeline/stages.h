/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stages.h: how the stages of pipelines run, by themselves, on tori of one width, and rows of the
 * torus for them (section 9). Layers of the same class are scored once.
 */
#ifndef DSM_SEARCH_PIPELINE_STAGES_H
#define DSM_SEARCH_PIPELINE_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/mapping.h"
#include "plan/stage.h"
#include "search/layer_table.h"

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

/** Whether a stage hands over depends on its place in the group. */
typedef enum dsm__stage_place {
  DSM__STAGE_FIRST,
  DSM__STAGE_MIDDLE,
  DSM__STAGE_LAST,
  DSM__STAGE_PLACES
} dsm__stage_place;

/** A stage with so many rows and a parallelism, by itself: not handing over. */
typedef struct dsm__stage_way {
  bool is_allowed;
  double once;                  /**< reductions */
  double first[DSM_PASS_COUNT]; /**< an invocation that fetches its weights; 0: no such pass */
  double
      steady[DSM_PASS_COUNT]; /**< one that has kept them, where that is not slower; else first */
} dsm__stage_way;

/** Ways to run stages on tori of a width. A number is an index of class_of. */
typedef struct dsm__stages {
  const dsm__layer_table *table;
  size_t count;              /**< classes of layers that are a stage somewhere */
  size_t *class_of;          /**< of each of these */
  size_t *number_of;         /**< of each class: its number among these, from 1; 0: none */
  double *limits;            /**< of each: cycles that a step of all its passes may take */
  uint64_t rows_max;         /**< that there is room for */
  uint64_t columns;          /**< of the width that has been scored last */
  uint64_t rows;             /**< that a stage may have, likewise */
  uint64_t evaluations;      /**< calls of the model */
  uint64_t *evaluated;       /**< of each worker */
  size_t workers;            /**< threads that score */
  dsm__stage_way *ways;      /**< by number, rows and parallelism */
  dsm__stage_option *placed; /**< scratch: the options of one class at one place */
  dsm__stage_options (*options)[DSM__STAGE_PLACES]; /**< by number */
  dsm__arena *arena;                                /**< of the options */
} dsm__stages;

/** No classes yet. False if out of memory. */
bool dsm__stages_init(dsm__stages *stages, const dsm__layer_table *table, dsm__arena *arena);

/** Takes in a class of layers, unless it is in. */
void dsm__stages_add(dsm__stages *stages, size_t class_index);

/** Makes room for up to rows_max rows a stage, once all classes are there. False if out of memory.
 */
bool dsm__stages_reserve(dsm__stages *stages, uint64_t rows_max, dsm__arena *arena);

/**
 * Scores all stages of 1 .. rows rows of `columns` chips, with all parallelisms, on up to
 * options->thread_count threads. One whose passes take longer than its limit is left out; limits
 * are the caller's to set.
 */
void dsm__stages_score(dsm__stages *stages, uint64_t columns, uint64_t rows);

/**
 * Makes options of what has been scored, within the limits that hold now: with weights kept where
 * that is not slower in a pass; if `may_fetch`, also with all other choices of passes that keep
 * them. False if out of memory.
 */
bool dsm__stages_place(dsm__stages *stages, bool may_fetch);

/** Where a stage stands in a group of so many. */
static inline dsm__stage_place dsm__stage_place_of(size_t stage, size_t stage_count) {
  return stage == 0 ? DSM__STAGE_FIRST
                    : (stage + 1 < stage_count ? DSM__STAGE_MIDDLE : DSM__STAGE_LAST);
}

/** Writes down the options of a layer at a place, as dsm__stages_place makes them, none left out:
 * at most dsm__stages_list_max. Returns how many. */
size_t dsm__stages_list(const dsm__stages *stages, size_t layer_index, dsm__stage_place where,
                        bool may_fetch, dsm__stage_option *options);
size_t dsm__stages_list_max(const dsm__stages *stages);

/** The ways to run a layer at a place, reduced; none where all were left out. */
const dsm__stage_options *dsm__stages_of(const dsm__stages *stages, size_t layer_index,
                                         dsm__stage_place where);

#endif
