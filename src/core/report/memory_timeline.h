/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory_timeline.h: what a chip holds in its memory during each pass of a step.
 *
 * Section 12 of docs/model.md says how much memory a mapping needs; this says when. In training:
 *
 *  - weights, gradients and optimizer state have their place for the whole step;
 *  - the network's input is there for the whole step, what a layer keeps of its output and state
 *    from its forward pass to its last pass on the way back (all users of it run in between);
 *  - what a segment makes anew is there until its layer has run on the way back;
 *  - errors are there on the way back: a layer's pair during its backward pass, and the error of
 * its output during its update pass.
 *
 * In inference a layer's live tensors, the network's input among them, are there while it runs, and
 * all weights always. A chip belongs to one stage of a pipeline group, so a group's figures are
 * those of the stage that keeps most, in all passes of the group.
 *
 * The most that each kind takes is what dsm_plan_memory says of the kind; of what is made anew that
 * is where most is needed together with errors. In training the most that
 * all kinds take together can be less than its total_bytes, which is a bound from above: it adds
 * the largest pair of errors to all activations, though by then some of these may be gone. The two
 * are equal where the layer that runs backward first has the largest pair, and in inference.
 */
#ifndef DSM_REPORT_MEMORY_TIMELINE_H
#define DSM_REPORT_MEMORY_TIMELINE_H

#include "base/words.h"
#include "report/step_timeline.h"

typedef enum dsm__memory_kind {
  DSM__MEMORY_WEIGHTS = 0,
  DSM__MEMORY_GRADIENTS,
  DSM__MEMORY_OPTIMIZER,
  DSM__MEMORY_ACTIVATIONS, /**< the network's input among them */
  DSM__MEMORY_ERRORS,
  DSM__MEMORY_CACHE,      /**< keys and values */
  DSM__MEMORY_RECOMPUTED, /**< what a segment makes anew */
  DSM__MEMORY_KIND_COUNT
} dsm__memory_kind;

/** What a chip holds during a span. */
typedef struct dsm__memory_use {
  double bytes[DSM__MEMORY_KIND_COUNT];
  double total_bytes;
} dsm__memory_use;

typedef struct dsm__memory_timeline {
  const dsm__memory_use *uses; /**< one for each span of the step's timeline; of the arena */
  size_t use_count;
  dsm__memory_use most; /**< of each kind for itself, and of the total */
} dsm__memory_timeline;

/** Derives it from the plan of the step's timeline; false if out of memory. */
bool dsm__memory_timeline_derive(dsm__memory_timeline *timeline, const dsm__step_timeline *step,
                                 dsm__arena *arena);

extern const dsm__words dsm__memory_kind_words;

#endif
