/* SPDX-License-Identifier: GPL-3.0-or-later */
/* degrees.h: a plan's decisions in the words of the field: how many ways each parallelism has. */
#ifndef DSM_PLAN_DEGREES_H
#define DSM_PLAN_DEGREES_H

#include "base/record.h"
#include "dsm/plan.h"

/** What is shared among chips, and how. */
typedef enum dsm__degree_kind {
  DSM__DEGREE_TENSOR = 0, /**< TP: features of weights and products, heads */
  DSM__DEGREE_SEQUENCE,   /**< SP: positions of what lies between the layers of TP */
  DSM__DEGREE_CONTEXT,    /**< CP: positions */
  DSM__DEGREE_DATA,       /**< DP: samples */
  DSM__DEGREE_EXPERT,     /**< EP: experts, on axes that share samples */
  DSM__DEGREE_REPLICATED, /**< nothing: chips that compute the same */
  DSM__DEGREE_PIPELINE,   /**< PP: stages */
  DSM__DEGREE_ZERO,       /**< ZeRO: 1 optimizer state, 2 also gradients, 3 also weights */
  DSM__DEGREE_COUNT
} dsm__degree_kind;

/** Least and most of the layers that it is asked of, and of their passes. */
typedef struct dsm__degree {
  uint64_t least;
  uint64_t most;
  const char *const *axes; /**< names of those along which any has it */
  size_t axis_count;
} dsm__degree;

typedef struct dsm__degrees {
  dsm__degree of[DSM__DEGREE_COUNT];
  uint64_t interleave;   /**< runs of layers of each stage, 1 or more */
  const char *recompute; /**< the word of dsm_recomputation, or "mixed" */
  uint64_t micro_batches;
  uint64_t micro_batch_samples;                       /**< on all chips together */
  const char *names[DSM__DEGREE_COUNT][DSM_AXES_MAX]; /**< that `axes` point to */
} dsm__degrees;

/** Does a role along an axis make a parallelism, of those before stages? */
bool dsm__makes_degree(dsm__degree_kind kind, dsm_role role);

/** Derives them from a plan's decisions; *degrees points into itself and the plan. Layers of a
 * pipeline group, which have chips of their own, are not asked. False: the plan has neither roles
 * beside data and model nor stages, and they are not to be shown. */
bool dsm__degrees_derive(dsm__degrees *degrees, const dsm_plan *plan);

extern const dsm__record_type dsm__degrees_record; /**< dsm__degrees */

#endif
