/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_H
#define DSM_TESTS_TWIN_H

/*
 * The brute-force twin: a second cost model and a complete enumeration, written from
 * design/model.md (sections 1 to 6, 12, 13) and design/interface.md alone, without a look at the
 * implementation it judges. It knows neither reuse, DySM, pipelining, preloading nor a parallelism
 * per pass: every timestep is a first invocation, and a pass costs T invocations.
 *
 * Inputs are valid by construction (instance.h); the twin checks next to nothing. All cycles are at
 * core.frequency_GHz.
 */

#include <stdbool.h>
#include <stddef.h>

enum {
  TWIN_MAX_LAYERS = 6, /* expanded: a bidirectional lstm is two */
  TWIN_NAME_SIZE = 32,
  TWIN_DIM_COUNT = 5
};

/* Two times closer than this, relatively, are equal: the only tolerance of the twin. */
#define TWIN_TIE_RATIO 1e-11

/* In tie-break order, smallest first; also the bits of twin_options.parallelism_mask. */
typedef enum {
  TWIN_DATA,
  TWIN_MODEL,
  TWIN_DATA_X_MODEL_Y,
  TWIN_MODEL_X_DATA_Y,
  TWIN_PARALLELISM_COUNT
} twin_parallelism;

typedef enum { TWIN_FORWARD, TWIN_BACKWARD, TWIN_UPDATE, TWIN_PASS_COUNT } twin_pass_kind;

typedef struct {
  bool hybrid;               /* false: of the mask only data and model count */
  bool inference;            /* forward passes only */
  unsigned parallelism_mask; /* bit i allows parallelism i; matmul and layers with groups take data
                                whatever it says */
} twin_options;

/* One pass of one layer; cycles are sums over the invocations of a step. */
typedef struct {
  bool exists;
  size_t split[TWIN_DIM_COUNT]; /* cores along in, out, ij, kij, mb */
  double primary;               /* cycles */
  double overlapped;            /* cycles, hidden or not */
  double auxiliary;             /* cycles */
  double non_overlapped; /* cycles: partial sums, backward rotation, reductions, weight update,
                            relayouts */
  double total; /* cycles: invocations * (max(primary, overlapped) + auxiliary + partial sums +
                   rotation) + the rest */
} twin_pass;

typedef struct {
  char name[TWIN_NAME_SIZE]; /* "enc.fwd" and "enc.bwd" for the halves of a bidirectional lstm */
  twin_parallelism parallelism;
  twin_pass passes[TWIN_PASS_COUNT];
} twin_layer;

typedef struct {
  bool feasible; /* some mapping fits the memory of a chip; if not, only smallest_need_bytes and
                    layer_count hold */
  double step_cycles;         /* of the optimum */
  double ideal_cycles;        /* section 6 */
  double smallest_need_bytes; /* per chip, least over all mappings, whether they fit or not */
  double memory_bytes;        /* per chip, of the optimum */
  size_t layer_count;         /* len(layers), in execution order */
  twin_layer layers[TWIN_MAX_LAYERS];
} twin_result;

/*
 * Prices every mapping and keeps the best; ties go to the lexicographically smallest sequence of
 * parallelisms. False, with *out zeroed, if a text is no JSON or the options allow no parallelism.
 */
bool twin_explore(twin_result *out, const char *workload_json, const char *system_json,
                  twin_options options);

#endif
