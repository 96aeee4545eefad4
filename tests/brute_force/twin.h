/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_H
#define DSM_TESTS_TWIN_H

/*
 * The brute-force twin: a second cost model and a complete enumeration, written from
 * design/model.md (sections 1 to 9 and 11 to 13), design/refined.md, their rulings and
 * design/interface.md alone, without a look at the implementation it judges. It knows reuse, DySM,
 * timestep pipelining, a parallelism per pass, the refined equations, and one to three axes with
 * their kinds of links and collectives; it does not know preloading, and which of equally fast
 * mappings model.prefer_holding wants.
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

/* Two times, or two numbers of bytes, closer than this, relatively, are equal: the only tolerance
 * of the twin. */
#define TWIN_TIE_RATIO 1e-11

/* In tie-break order, smallest first; also the bits of twin_options.parallelism_mask. A system with
 * n axes has the first 2^n; each other is one of them. */
typedef enum {
  TWIN_DATA,
  TWIN_MODEL,
  TWIN_DATA_X_MODEL_Y, /* of two axes; on three the features along the third */
  TWIN_MODEL_X_DATA_Y, /* likewise */
  TWIN_DATA_X_DATA_Y_MODEL_Z,
  TWIN_MODEL_X_MODEL_Y_DATA_Z,
  TWIN_DATA_X_MODEL_Y_DATA_Z,
  TWIN_MODEL_X_DATA_Y_DATA_Z,
  TWIN_PARALLELISM_COUNT
} twin_parallelism;

typedef enum { TWIN_FORWARD, TWIN_BACKWARD, TWIN_UPDATE, TWIN_PASS_COUNT } twin_pass_kind;

typedef struct {
  bool hybrid;               /* false: of the mask only data and model count */
  bool inference;            /* forward passes only */
  unsigned parallelism_mask; /* bit i allows parallelism i; matmul and layers with groups take data
                                whatever it says */
  bool reuse;
  bool dysm;
  bool pipeline;
  bool per_pass; /* no effect in inference */
  bool hoist;    /* likewise */
} twin_options;

/* Of a held output, where its layout is a decision (layout_move "exact"): the parts of a sample's
 * features, of its positions, and of the samples; their product is the number of cores. */
typedef struct {
  size_t features;
  size_t positions;
  size_t samples;
} twin_parts;

/* What is decided of a layer. A stage of a pipeline group has one parallelism, factor 1, and
 * nothing held. */
typedef struct {
  twin_parallelism parallelism[TWIN_PASS_COUNT]; /* pF, pB, pU; inference, matmul: all the same */
  size_t factor;                                 /* DySM */
  bool is_held;                                  /* the output */
  bool is_hoisted;  /* of an lstm with timesteps: its input products of all of them at once */
  twin_parts parts; /* of a held output where that is a decision, else zero */
  bool fetches[TWIN_PASS_COUNT]; /* of a stage that could keep its weights over timesteps and would
                                    not be slower for it: fetches them in each all the same */
} twin_decision;

/* Core splits of the passes of layers with one timestep: cores along in, out, ij, kij, mb. */
typedef struct {
  size_t first[TWIN_MAX_LAYERS][TWIN_PASS_COUNT][TWIN_DIM_COUNT];
  size_t accumulating[TWIN_MAX_LAYERS][TWIN_DIM_COUNT]; /* update, of later spatial minibatches */
} twin_splits;

/* A pipeline group; the parallelism of a stage is that of its layer. */
typedef struct {
  size_t first;   /* layer */
  size_t count;   /* stages */
  size_t columns; /* of every stage: the chips of a row; all unless model.pipeline_columns */
  size_t rows[TWIN_MAX_LAYERS];
} twin_group;

/* Every decision but the core splits, which are always the best. */
typedef struct {
  size_t layer_count;
  twin_decision layers[TWIN_MAX_LAYERS];
  size_t group_count;
  twin_group groups[TWIN_MAX_LAYERS]; /* disjoint, in order */
} twin_mapping;

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
  twin_layer
      layers[TWIN_MAX_LAYERS]; /* but for their names, only where hybrid is the only option */
  twin_mapping mapping;        /* an optimal one */
} twin_result;

/*
 * Prices every mapping and keeps the best. Without reuse, dysm, pipeline and per_pass ties go to
 * the lexicographically smallest sequence of parallelisms, with them to any. False, with *out
 * zeroed, if a text is no JSON or the options allow no parallelism.
 */
bool twin_explore(twin_result *out, const char *workload_json, const char *system_json,
                  twin_options options);

/* As twin_explore(), by the enumeration of all decisions whatever the options. */
bool twin_explore_mappings(twin_result *out, const char *workload_json, const char *system_json,
                           twin_options options);

typedef struct {
  const char *fault;   /* the rule that the mapping breaks, NULL: none. If not NULL,
                          the rest is zero. The memory limit is no such rule */
  double cycles;       /* of the step */
  double memory_bytes; /* per chip */
  bool fits;           /* the memory of a chip */
  double group_cycles[TWIN_MAX_LAYERS]; /* of each pipeline group */
  /* Of each pass, relayouts between layers not included; 0 in groups. */
  double pass_cycles[TWIN_MAX_LAYERS][TWIN_PASS_COUNT];
  /* Of the relayouts between a layer and the one before it: forward and backward. */
  double boundary_cycles[TWIN_MAX_LAYERS][TWIN_PASS_COUNT];
} twin_cost;

/* Checks and prices one mapping. False, with *out zeroed, if a text is no JSON. */
bool twin_score(twin_cost *out, const char *workload_json, const char *system_json,
                twin_options options, const twin_mapping *mapping);

/* As twin_score(), with these splits in place of the best, in layers with one timestep outside
 * groups. */
bool twin_score_splits(twin_cost *out, const char *workload_json, const char *system_json,
                       twin_options options, const twin_mapping *mapping,
                       const twin_splits *splits);

#endif
