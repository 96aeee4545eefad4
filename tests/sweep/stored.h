/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stored.h: a sweep and results made by hand, for what stores them. Nothing is explored: numbers
 * follow from the number of the point, so that another program can check them.
 */
#ifndef DSM_TESTS_SWEEP_STORED_H
#define DSM_TESTS_SWEEP_STORED_H

#include "dsm/sweep_store.h"

enum { STORED_LAYERS_MAX = 4096, STORED_PASSES = 3 };

/** What differs between sweeps. */
typedef struct stored_shape {
  size_t minibatch_count; /**< values of workload.minibatch; points are four times as many */
  dsm_record record;
  const char *name;       /**< NULL: "stored" */
  const char *source;     /**< a text in the specification; NULL: "a" */
  const char *input_mark; /**< a character for the digest of the first workload; NULL: "1" */
  const char *last_path;  /**< NULL: "point" */
} stored_shape;

/** Two workloads on a system; axes `workload.minibatch` (64, 128, ...) and, together,
 * `workload.layers.a"b.stride` (words) and `point` (numbers). NULL if out of memory; to be freed
 * with dsm_sweep_free. */
dsm_sweep *stored_sweep(stored_shape shape);

/** A result and the memory it points to. */
typedef struct stored_result {
  dsm_point_result result;
  char decisions[64];
  char plan[96];
  char names[STORED_LAYERS_MAX / STORED_PASSES + 1][32];
  dsm_point_layer layers[STORED_LAYERS_MAX];
} stored_result;

/** Sets up the result of a point, with layer_count rows of layers unless the sweep records only
 * points. Points 5, 12, 19, ... are infeasible, 7, 18, 29, ... invalid. */
void stored_result_init(stored_result *made, const dsm_sweep *sweep, size_t point,
                        size_t layer_count);

#endif
