/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_look.h: a case of a search of steps in stages while it is looked at: what its segments
 * take, where they are cut, and how good a mapping of it is. */
#ifndef DSM_SEARCH_STAGES_STAGE_LOOK_H
#define DSM_SEARCH_STAGES_STAGE_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/step_stages.h"
#include "search/problem.h"
#include "search/stages/stage_cases.h"
#include "search/stages/stage_cuts.h"

/** The least of a n S + O over all mappings, or less. */
typedef struct dsm__weighed_path {
  double factor; /**< a; 0: nothing is known */
  double cycles;
} dsm__weighed_path;

/** What is known of a case while it is looked at. */
typedef struct dsm__looking {
  dsm__stages_searched *search;
  dsm__stage_case *of;
  dsm__weighed_path low;  /**< of the number of runs with which all wait least, */
  dsm__weighed_path high; /**< and most */
  dsm_stages stages;      /**< with the runs that are tried, and where they begin */
  double once_share;      /**< of what is once a step, in what a path is the fastest of */
  dsm_workload micro;
  const dsm_machine *machine;
  const dsm__layer_decision *path;
  dsm__layer_decision *parts; /**< of stages by themselves */
  bool has_parts;
  dsm__layer_decision *layers; /**< that are tried */
  dsm__segment *of_path;       /**< its segments */
  dsm__segment *of_least;      /**< as if each layer kept as little as it can */
  dsm__segment *of_parts;      /**< of stages by themselves */
  dsm_layer_memory *least;     /**< of each layer, with one micro-batch in flight */
  size_t *firsts;              /**< segments of runs of stages */
  size_t *fitting;             /**< likewise, with the roles of the path */
  size_t *first_layers;        /**< of these */
  dsm__arena *arena;
} dsm__looking;

/** What a stage that begins with a layer is given of a micro-batch, in bytes of a chip. */
double dsm__look_input_bytes(const dsm__looking *at, size_t layer);

/** Adds what a layer keeps with its roles, or the least that it can. */
void dsm__look_add_memory(const dsm__looking *at, size_t index, bool is_least,
                          dsm__memory_sum *sum);

/** What segments keep: with the roles of `layers`, or the least that they can. */
void dsm__look_fill_memory(const dsm__looking *at, bool is_least, dsm__segment *segments);

/** The times of segments, as the whole network would have them on a stage's chips. False if out of
 * memory. */
bool dsm__look_fill_times(const dsm__looking *at, dsm__segment *segments);

/** Cuts segments into the runs of stages that fit into some memory (stage_cuts.h), and fills where
 * they begin. *cycles: what the step takes then; infinite if none fit. False if out of memory. */
bool dsm__look_cut(const dsm__looking *at, const dsm__segment *segments, double capacity_bytes,
                   double *cycles);

/** A whole mapping: as it is predicted, if its roles go together, it fits and is the fastest so
 * far. False if out of memory. */
bool dsm__look_judge(const dsm__looking *at);

#endif
