/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_cases.h: into how many stages an axis may be divided, for how many micro-batches, and what
 * no such step is faster than (section 13). */
#ifndef DSM_SEARCH_STAGES_STAGE_CASES_H
#define DSM_SEARCH_STAGES_STAGE_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cases.h"
#include "plan/step_stages.h"
#include "search/problem.h"
#include "search/roles/role_search.h"

/** All steps that divide an axis into so many stages. */
typedef struct dsm__stage_space {
  dsm_stages stages;           /**< the axis and the number */
  dsm_explore_options options; /**< without these */
  dsm__stage part;
  dsm__problem problem; /**< of the whole network on a stage's chips */
} dsm__stage_space;

/** Of them those with so many micro-batches; its bound is the least of those of its runs. */
typedef struct dsm__stage_case {
  dsm__open_case head;
  dsm__stage_space *of;
  uint64_t micro_batches;
  double hand_over;  /**< cycles: the least from a stage to the next, */
  double hand_round; /**< and how much more from the last one to the first, at least */
  double *handed;    /**< likewise, the least at so many places; len = segments */
  size_t runs_least; /**< of layers of a stage */
  size_t runs_most;
  double micro_cycles; /**< of all layers at least */
  double *bounds;      /**< of each number of runs: cycles that no step is faster than */
  bool is_fit_known;   /**< where stages begin at blocks: only what may fit has a finite bound */
} dsm__stage_case;

/** Rooms of all stages together: what fits in stages keeps no more than this of the whole network
 * on the chips of one, with so many micro-batches in flight. */
enum { DSM__STAGE_ROOMS = 2 };

/** All that is searched, and the best so far. */
typedef struct dsm__stages_searched {
  const dsm__problem *whole;
  const bool *is_cut;
  size_t *segments; /**< the first layer of each */
  size_t segment_count;
  const size_t *blocks_before; /**< of each, where stages begin at blocks; else NULL */
  double capacity_bytes;
  double best_cycles;        /**< what is not below it is not looked at */
  dsm__decisions *decisions; /**< of it */
  bool is_found;
  bool is_patient; /**< where no step is known the time is not over before there is a case, nor
                      until something is found */
  DSM__LIST(dsm__stage_space *) spaces;
  dsm__cases cases;
  bool is_cut_short; /**< the time was over before all were opened */
} dsm__stages_searched;

/** Opens the cases. A case whose rough bound is not below the best keeps that bound. False if out
 * of memory. */
bool dsm__stage_cases_open(dsm__stages_searched *search);

/** Frees the spaces, and adds what it evaluated to *evaluations. */
void dsm__stage_cases_fini(dsm__stages_searched *search, uint64_t *evaluations);

/** A problem for micro-batches of a case, which borrows all of it; what it finds is in an arena,
 * and in `found`. */
void dsm__stage_case_begin(dsm__problem *problem, dsm__found *found, const dsm__stage_case *of,
                           const dsm_workload *micro, double capacity_bytes, dsm__arena *arena);

/** Gives back what such a problem has counted. */
void dsm__stage_case_count(dsm__stage_case *of, const dsm__problem *problem);

/** Where stages begin at blocks, and so are known: does each have the room that any mapping needs?
 * Numbers of runs without it get an infinite bound. False if out of memory. */
bool dsm__stage_case_fit(const dsm__stages_searched *search, dsm__stage_case *of,
                         const dsm__problem *problem);

/** Is its schedule one of stages with one run each that go forward and backward in turn? */
bool dsm__stage_case_is_1f1b(const dsm__stage_case *of, size_t runs);

/** How long the slowest stage waits at least, as a share of what the other stages take for a
 * micro-batch; not of 1F1B. */
double dsm__stage_case_share(const dsm__stage_case *of, size_t runs);

/** A step with so many runs takes at least a stage's part of a n S + O of its mapping, where n S is
 * what all layers take for all micro-batches, and O what they take once a step: a; */
double dsm__stage_case_factor(const dsm__stage_case *of, size_t runs);

/** and so many cycles for what is handed over: */
double dsm__stage_case_handed(const dsm__stage_case *of, size_t runs);

/** What it takes to hand a layer's output of some samples over to the stage that is so many behind:
 * the shift of a chip's part of it, whatever its layout. */
double dsm__stage_case_shift(const dsm__stage_case *of, const dsm__problem *problem,
                             const dsm_layer *layer, uint64_t samples, size_t stages);

/** of all runs together so much for a micro-batch. */
double dsm__stage_case_handed_once(const dsm__stage_case *of, size_t runs);

/** The rooms of a case whose stages have `capacity_bytes` each. */
void dsm__stage_case_rooms(const dsm__stage_case *of, double capacity_bytes,
                           dsm__role_room rooms[DSM__STAGE_ROOMS]);

/** What all mappings take at least of n S + O where one counts n S by a factor: `cycles` of that
 * with another, lower factor, and of each layer by itself. */
double dsm__stage_case_at_least(const dsm__stage_case *of, double factor, double lower,
                                double cycles);

#endif
