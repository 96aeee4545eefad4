/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interleave.h: stages that have several runs of layers each (section 8). */
#ifndef DSM_PLAN_INTERLEAVE_H
#define DSM_PLAN_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/words.h"
#include "dsm/strategy.h"

/** A pipeline whose stages have v runs of layers each, of all runs the first, the one p behind it,
 * and so on. */
typedef struct dsm__interleaving {
  size_t stages;
  size_t runs; /**< of each stage */
  size_t micro_batches;
  dsm_schedule schedule; /**< other than 1F1B: one run of each */
} dsm__interleaving;

extern const dsm__words dsm__schedule_words; /**< of dsm_schedule */

/** Is there such a schedule? One of several runs is for a multiple of the stages as micro-batches.
 */
bool dsm__is_interleaved_well(const dsm__interleaving *of);

/** Runs whose activations a stage, from 0, has at a time, at most: forward passes of runs and
 * micro-batches that are not back yet. */
size_t dsm__interleaved_in_flight(const dsm__interleaving *of, size_t stage);

/** What a stage takes for a micro-batch with all its runs. */
typedef struct dsm__interleaved_cost {
  double own;    /**< passes of layers */
  double handed; /**< over, of all runs */
} dsm__interleaved_cost;

/** Cycles of the passes of all micro-batches; costs are of each stage. */
double dsm__interleaved_cycles(const dsm__interleaving *of, const dsm__interleaved_cost *costs);

/** How long the slowest stage waits at least, as a share of what the other stages take for a
 * micro-batch: one by the runs, or 0 where gradients of weights fill the waiting. */
double dsm__least_waiting(const dsm__interleaving *of);

/** Of what all layers take for a micro-batch, the part that a step takes at least beside the
 * stages' mean of all that they do. */
double dsm__interleaved_waiting(const dsm__interleaving *of);

#endif
