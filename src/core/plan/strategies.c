/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strategies.c: what a search may use, a row each: its word, when it can be named, and why it
 * changes nothing. A new strategy is a value of dsm_optimization, a row and its question.
 */
#include "dsm/strategy.h"

#include <stdio.h>

#include "model/role_row.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/role_rules.h"
#include "plan/segments.h"
#include "plan/stage.h"
#include "plan/strategy_rules.h"

/* ---- why one has no effect; NULL: perhaps it has one ---- */

/* A workload on a system with options. */
typedef struct question {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_explore_options *options;
  dsm_machine machine;
} question;

static const char *why_no_hybrid(const question *q) {
  const dsm_network *const network = &q->system->system;
  unsigned long_axes = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    long_axes += network->axes[a].chips > 1;
  }
  if (long_axes == 1) {
    return "with chips along one axis only, the hybrids are plain data and model parallelism";
  }
  return (q->options->parallelisms & DSM_PARALLELISM_HYBRIDS) == 0
             ? "--parallelism leaves out those with axes of both roles, as data_x_model_y"
             : NULL;
}

static bool is_feed_forward(const dsm_workload *workload) {
  bool is = true;
  for (size_t i = 0; i < workload->layer_count; i++) {
    is = is && workload->layers[i].timesteps == 1;
  }
  return is;
}

static const char *why_no_reuse(const question *q) {
  const bool has_room = dsm_held_limit_bytes(&q->machine, 0) > 0;
  bool is_any_holdable = false;
  for (size_t i = 0; i < q->workload->layer_count; i++) {
    is_any_holdable = is_any_holdable || dsm__held_why_not(q->workload, i) == NULL;
    if (dsm_kernel_can_be_kept(&q->workload->layers[i], &q->machine) ||
        (has_room && is_any_holdable)) {
      return NULL;
    }
  }
  if (is_any_holdable) {
    return "the streaming buffers leave no room in the scratchpads";
  }
  return is_feed_forward(q->workload)
             ? "no layer reads the output of another, and none has timesteps"
             : "only matmuls have timesteps, and without model.resident_operands nothing of them "
               "can stay on chip";
}

static const char *why_no_dysm(const question *q) {
  for (size_t i = 0; i < q->workload->layer_count; i++) {
    if (dsm_dysm_factor_is_valid(&q->workload->layers[i], &q->machine, q->workload->minibatch, 2)) {
      return NULL;
    }
  }
  return is_feed_forward(q->workload)
             ? "the minibatch cannot be halved so that every chip still has a sample"
             : "in no layer without timesteps can the minibatch be halved so that every chip still "
               "has a sample";
}

static const char *why_no_pipeline(const question *q) {
  const uint64_t rows = dsm__stage_rows_most(q->system);
  if (rows == 1) {
    return "there is one row of chips, and each layer of a pipeline needs one";
  }
  for (size_t i = 0; i < q->workload->layer_count; i++) {
    const uint64_t least = dsm__pipeline_least_length(q->workload, i);
    if (least > 0 && least <= rows) {
      return NULL;
    }
  }
  return "the network has no run of two recurrent layers that can be pipelined";
}

static const char *why_no_per_pass(const question *q) {
  const dsm_parallelism_set allowed = q->options->parallelisms;
  return (allowed & (allowed - 1)) == 0 ? "--parallelism leaves one parallelism to choose" : NULL;
}

static const char *why_no_preload(const question *q) {
  if (dsm_preload_room_bytes(&q->machine) > 0) {
    return NULL;
  }
  return q->machine.has_shared_memory
             ? "with model.tiling \"blocked\" no weights are preloaded into a shared memory"
             : "the streaming buffers leave no room in the scratchpads";
}

static const char *why_no_hoist(const question *q) {
  bool is_any = false;
  for (size_t i = 0; i < q->workload->layer_count; i++) {
    is_any = is_any || dsm__layer_may(q->workload, i, DSM__CHOICE_HOISTED);
  }
  return is_any ? NULL : "the network has no lstm with timesteps";
}

static bool is_for_any(const question *q, dsm_role_group group) {
  bool is_any = false;
  for (int r = 0; r < DSM_ROLE_COUNT; r++) {
    for (size_t i = 0; dsm__role_rows[r].group == group && i < q->workload->layer_count; i++) {
      is_any = is_any || dsm_layer_can_have_role(&q->workload->layers[i], (dsm_role)r);
    }
  }
  return is_any;
}

static const char *why_no_spatial(const question *q) {
  return is_for_any(q, DSM_ROLE_GROUP_SPATIAL) ? NULL
                                               : "the network has no layer with rows of positions";
}

static const char *why_no_expert(const question *q) {
  return is_for_any(q, DSM_ROLE_GROUP_EXPERT) ? NULL : "the network has no layer with experts";
}

static const char *why_no_context(const question *q) {
  return is_for_any(q, DSM_ROLE_GROUP_CONTEXT)
             ? NULL
             : "the network has no attention with rows of positions";
}

static const char *why_no_accumulate(const question *q) {
  return q->workload->minibatch > 1 ? NULL : "a minibatch of one sample cannot be cut";
}

static const char *why_no_recompute(const question *q) {
  return q->workload->is_list ? "a list of layers keeps nothing for later passes" : NULL;
}

/* Is there a layer, other than the last, whose output is all that later layers read? */
static bool has_cut(const dsm_workload *workload) {
  dsm__segment_walk walk = dsm__segments_begin(workload);
  bool has = false;
  for (size_t i = 0; i + 1 < workload->layer_count; i++) {
    has = dsm__segment_ends(&walk, i) || has;
  }
  return has;
}

static const char *why_no_stages(const question *q) {
  if (q->workload->is_list) {
    return "a list of layers has no output that passes from one to the next";
  }
  return has_cut(q->workload)
             ? NULL
             : "at no place of the network do all later layers read one tensor alone, so no stage "
               "can begin";
}

static const char *why_no_divide(const question *q) {
  const dsm_network *const network = &q->system->system;
  bool may_any = false;
  for (unsigned a = 0; a < network->axis_count; a++) {
    for (uint64_t inner = 2; dsm__may_divide(network, a) && inner < network->axes[a].chips;
         inner++) {
      may_any = may_any || network->axes[a].chips % inner == 0;
    }
  }
  return may_any ? NULL
                 : "the system has no axis of a switch, of two axes at most, whose number of chips "
                   "has a divisor";
}

/* ---- the table ---- */

#define TRAINING (1U << (unsigned)DSM_MODE_TRAINING)
#define INFERENCE (1U << (unsigned)DSM_MODE_INFERENCE)
#define BOTH (TRAINING | INFERENCE)
#define ADDED(purpose) (1U << (unsigned)DSM__ADDED_TO_##purpose)
#define TIME_ALONE (1U << (unsigned)DSM__OF_TIME_ALONE)
#define LEFT_OUT(which) (1U << (unsigned)DSM__LEFT_OUT_##which)

#define WEIGHTS (1U << (unsigned)DSM__STRATEGY_SET_COUNT)
#define CHIPS (WEIGHTS << 1U)

/* clang-format off */
/* ITEM(value of dsm_optimization, word, what else it has no effect for or NULL, why the other mode
 * does not have it, sets that it is in and what it needs, members of the row) */
#define STRATEGIES(ITEM)                                                                           \
  ITEM(HYBRID, hybrid, why_no_hybrid, NULL, CHIPS, .modes = BOTH,                                  \
      .help = "one layer uses two parallelisms")                                                   \
  ITEM(REUSE, reuse, why_no_reuse, NULL, 0, .modes = BOTH,                                         \
      .help = "outputs and activation gradients stay on chip")                                     \
  ITEM(DYSM, dysm, why_no_dysm, NULL, 0, .modes = BOTH,                                            \
      .help = "a layer runs the minibatch in several parts")                                       \
  ITEM(PIPELINE, pipeline, why_no_pipeline, NULL, TIME_ALONE, .modes = BOTH,                       \
      .help = "recurrent layers run at the same time")                                             \
  ITEM(PER_PASS, per_pass, why_no_per_pass, "inference has only forward passes", LEFT_OUT(FIRST),  \
      .modes = TRAINING,                                                                           \
      .help = "in training, passes of a layer may use different parallelisms")                     \
  ITEM(PRELOAD, preload, why_no_preload, NULL, WEIGHTS | TIME_ALONE, .modes = INFERENCE, .has_gap = true,       \
      .refused = "in training every step changes the weights",                                     \
      .help = "in inference, weights stay on chip")                                                \
  ITEM(HOIST, hoist, why_no_hoist, "in inference each timestep computes its own input products",   \
      0, .modes = TRAINING,                                                                        \
      .help = "in training, an lstm computes the input products of all timesteps at once")         \
  ITEM(SPATIAL, spatial, why_no_spatial, NULL, LEFT_OUT(OF_STAGES), .modes = BOTH,                 \
      .is_of_all_roles = true, .roles = DSM_ROLE_GROUP_SPATIAL,                                    \
      .help = "chips share positions")                                                             \
  ITEM(TENSOR, tensor, NULL, NULL, LEFT_OUT(OF_STAGES) | CHIPS, .modes = BOTH,                     \
      .is_of_all_roles = true, .roles = DSM_ROLE_GROUP_TENSOR,                                     \
      .help = "chips shard weights by columns and rows")                                           \
  ITEM(EXPERT, expert, why_no_expert, NULL, 0, .modes = BOTH, .is_of_all_roles = true,             \
      .roles = DSM_ROLE_GROUP_EXPERT,                                                              \
      .help = "chips share experts")                                                               \
  ITEM(ACCUMULATE, accumulate, why_no_accumulate, "inference has no gradients",                    \
      ADDED(CUT) | ADDED(TAKE_TURNS) | ADDED(FIT), .modes = TRAINING,                              \
      .help = "in training, the minibatch is cut into micro-batches")                              \
  ITEM(SHARD, shard, NULL, "inference has no gradients",                                           \
       ADDED(KEEP_LESS) | ADDED(FIT) | LEFT_OUT(FIRST) | LEFT_OUT(SECOND) | LEFT_OUT(OF_STAGES) |  \
           WEIGHTS | CHIPS | TIME_ALONE,                                                           \
      .modes = TRAINING,                                                                           \
      .help = "in training, chips shard optimizer state, weight gradients and weights")            \
  ITEM(RECOMPUTE, recompute, why_no_recompute, "inference keeps nothing for later passes",         \
      ADDED(KEEP_LESS) | ADDED(FIT), .modes = TRAINING,                                            \
      .help = "in training, forward passes run again instead of keeping activations")              \
  ITEM(STAGES, stages, why_no_stages, "inference runs no layer backward",                          \
      ADDED(TAKE_TURNS) | ADDED(FIT) | CHIPS | TIME_ALONE, .modes = TRAINING,                                   \
      .help = "in training, micro-batches pass through pipeline stages, each on chips of its own") \
  ITEM(CONTEXT, context, why_no_context, NULL, 0, .modes = BOTH, .roles = DSM_ROLE_GROUP_CONTEXT,  \
      .help = "chips share positions of attentions, whose keys and values turn or are gathered")   \
  ITEM(DIVIDE, divide, why_no_divide, NULL, TIME_ALONE | CHIPS, .modes = BOTH,                     \
      .help = "an axis of a switch stands for two, whose chips have roles of their own")
/* clang-format on */

#define WORD(value, name, why, other, sets, ...) [DSM_OPTIMIZATION_##value].key = #name,
static const dsm__word words[] = {STRATEGIES(WORD)};
DSM__NAMED_WORDS(dsm__optimization_words, "optimization", words, DSM_OPTIMIZATION_COUNT,
                 dsm_optimization, dsm_optimization_name);
DSM__PARSED_WORDS(dsm__optimization_words, dsm_optimization, dsm_optimization_parse);

#define IS_NAMED_ONLY(value)                                                                       \
  ((DSM_OPTIMIZATION_ALL & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_##value)) == 0)
#define STRATEGY(value, name, why, other, sets, ...)                                               \
  [DSM_OPTIMIZATION_##value] = {.word = #name, .is_named_only = IS_NAMED_ONLY(value), __VA_ARGS__},
static const dsm_strategy strategies[] = {STRATEGIES(STRATEGY)};
_Static_assert(sizeof strategies / sizeof *strategies == DSM_OPTIMIZATION_COUNT,
               "a row for each strategy");

#define WHY_NOT(value, name, why, other, sets, ...) [DSM_OPTIMIZATION_##value] = (why),
static const char *(*const why_not[])(const question *q) = {STRATEGIES(WHY_NOT)};

#define OTHER_MODE(value, name, why, other, sets, ...) [DSM_OPTIMIZATION_##value] = (other),
static const char *const no_other_mode[] = {STRATEGIES(OTHER_MODE)};

#define SETS(value, name, why, other, sets, ...) [DSM_OPTIMIZATION_##value] = (sets),
static const unsigned sets_of[] = {STRATEGIES(SETS)};

const dsm_strategy *dsm_strategy_of(dsm_optimization optimization) {
  return &strategies[optimization];
}

/* ---- what follows from it ---- */

const char *dsm_optimization_why_not(dsm_optimization optimization, const dsm_workload *workload,
                                     const dsm_system *system, const dsm_explore_options *options) {
  const question asked = {workload, system, options, dsm_machine_derive(system)};
  const unsigned sets = sets_of[optimization];
  if ((strategies[optimization].modes >> (unsigned)options->mode & 1U) == 0 &&
      no_other_mode[optimization] != NULL) {
    return no_other_mode[optimization];
  }
  if ((sets & TIME_ALONE) != 0 && options->aim != DSM_AIM_TIME) {
    return "with it times are no sums, and only those are searched for another objective than time";
  }
  if ((sets & WEIGHTS) != 0 && workload->weights == 0) {
    return "the network has no weights";
  }
  if ((sets & CHIPS) != 0 && dsm_system_chips(system) == 1) {
    return "the system has one chip";
  }
  return why_not[optimization] == NULL ? NULL : why_not[optimization](&asked);
}

dsm_optimization_set dsm_mode_possible_optimizations(dsm_mode mode) {
  dsm_optimization_set set = 0;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    const bool is_there = (strategies[o].modes >> (unsigned)mode & 1U) != 0;
    set |= is_there ? DSM_OPTIMIZATION_BIT(o) : 0;
  }
  return set;
}

dsm_optimization_set dsm_mode_optimizations(dsm_mode mode) {
  return dsm_mode_possible_optimizations(mode) & DSM_OPTIMIZATION_ALL;
}

dsm_optimization_set dsm_system_optimizations(const dsm_system *system, dsm_mode mode) {
  dsm_optimization_set roles = 0;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    roles |= strategies[o].is_of_all_roles ? DSM_OPTIMIZATION_BIT(o) : 0;
  }
  const dsm_optimization_set named =
      (system->model.search == DSM_ROLE_SEARCH_ALL ? roles : 0) |
      (system->model.search_hoist ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HOIST) : 0);
  return dsm_mode_optimizations(mode) | (named & dsm_mode_possible_optimizations(mode));
}

void dsm_explore_options_init(dsm_explore_options *options) {
  *options = (dsm_explore_options){
      .mode = DSM_MODE_TRAINING,
      .optimizations = dsm_mode_optimizations(DSM_MODE_TRAINING),
      .parallelisms = DSM_PARALLELISM_ALL,
      .thread_count = 1,
  };
}

/* Do words, or roles that are named, leave no parallelism but those with axes of both roles? */
static bool is_hybrid_asked(const dsm_explore_options *options) {
  const dsm_role_set uniform = dsm__word_roles();
  const dsm_role_set named = dsm__named_roles(options);
  dsm_role_set of_all_axes = named;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    of_all_axes &= options->roles[a] == 0 ? named : options->roles[a];
  }
  return named == 0
             ? options->parallelisms != 0 && (options->parallelisms & ~DSM_PARALLELISM_HYBRIDS) == 0
             : (named & ~uniform) == 0 && of_all_axes == 0;
}

/* What options ask for that needs a strategy, where it is above 1; 0 asks for what is best. */
typedef struct demand {
  dsm_optimization needed;
  uint64_t value;
  const char *without; /* all that there is without it */
  const char *word;    /* of the value; NULL: it is a number */
} demand;
enum { DEMAND_COUNT = 8 };
_Static_assert(DSM_RECOMPUTATION_BEST == 0 && DSM_RECOMPUTATION_NONE == 1, "as of numbers");
_Static_assert(DSM_SHARD_LEVEL_BEST == 0 && DSM_SHARD_LEVEL_NONE == 1, "likewise");
_Static_assert(DSM_STAGES_AT_BEST == 0 && DSM_SCHEDULE_1F1B == 0,
               "so that others are above 1 with 1 more");

static demand demand_of(const dsm_explore_options *options, int number) {
  const demand demands[DEMAND_COUNT] = {
      {DSM_OPTIMIZATION_STAGES, options->interleave, "1 run of layers of each stage", NULL},
      {DSM_OPTIMIZATION_ACCUMULATE, options->interleave, "1 run of layers of each stage", NULL},
      {DSM_OPTIMIZATION_STAGES, options->stages, "1 stage", NULL},
      {DSM_OPTIMIZATION_ACCUMULATE, options->micro_batches, "1 micro-batch", NULL},
      {DSM_OPTIMIZATION_RECOMPUTE, (uint64_t)options->recomputation, "no recomputation",
       dsm_recomputation_name(options->recomputation)},
      {DSM_OPTIMIZATION_SHARD, (uint64_t)options->shard_level, "no level of shards",
       dsm_shard_level_name(options->shard_level)},
      {DSM_OPTIMIZATION_STAGES, (uint64_t)options->stages_at + 1, "stages_at \"best\"",
       dsm_stages_at_name(options->stages_at)},
      {DSM_OPTIMIZATION_STAGES, (uint64_t)options->schedule + 1, "schedule \"1f1b\"",
       dsm_schedule_name(options->schedule)},
  };
  return demands[number];
}

dsm_status dsm__strategies_check(const dsm_explore_options *options, dsm_diags *diags) {
  const dsm_optimization_set wrong =
      options->optimizations & ~dsm_mode_possible_optimizations(options->mode);
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    if ((wrong & DSM_OPTIMIZATION_BIT(o)) != 0) {
      return dsm__refuse(diags, DSM_ERROR_USAGE, "expected optimizations that %s has, found %s",
                         dsm_mode_name(options->mode), strategies[o].word);
    }
  }
  if (options->recomputation > DSM_RECOMPUTATION_FULL &&
      (options->as_run_by != DSM_AS_RUN_BY_ANY || options->aim != DSM_AIM_TIME)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected recomputation of whole layers with a framework or another "
                       "objective than time, found \"%s\"",
                       dsm_recomputation_name(options->recomputation));
  }
  for (int d = 0; d < DEMAND_COUNT; d++) {
    const demand asked = demand_of(options, d);
    char found[64];
    if (asked.value <= 1 || (options->optimizations & DSM_OPTIMIZATION_BIT(asked.needed)) != 0) {
      continue;
    }
    (void)snprintf(found, sizeof found, "%llu", (unsigned long long)asked.value);
    if (asked.word != NULL) {
      (void)snprintf(found, sizeof found, "\"%s\"", asked.word);
    }
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected %s without the optimization %s, found %s",
                       asked.without, strategies[asked.needed].word, found);
  }
  return DSM_OK;
}

void dsm_options_settle(dsm_explore_options *options) {
  const bool may_cut = dsm__may_choose(options, DSM__CHOICE_MICRO_BATCHES);
  const bool may_stage = dsm__may_choose(options, DSM__CHOICE_STAGES);
  options->interleave = may_cut && may_stage ? options->interleave : 0;
  options->stages = may_stage ? options->stages : 0;
  options->stages_at = may_stage ? options->stages_at : DSM_STAGES_AT_BEST;
  options->schedule = may_stage ? options->schedule : DSM_SCHEDULE_1F1B;
  options->micro_batches = may_cut ? options->micro_batches : 0;
  if (!dsm__may_choose(options, DSM__CHOICE_RECOMPUTED)) {
    options->recomputation = DSM_RECOMPUTATION_BEST;
  }
  if (!dsm__may_choose(options, DSM__CHOICE_SHARD)) {
    options->shard_level = DSM_SHARD_LEVEL_BEST;
  }
}

/* What needs a strategy that is asked for: no rung has another. */
static dsm_optimization_set asked_strategies(const dsm_explore_options *options) {
  dsm_optimization_set asked =
      is_hybrid_asked(options) ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) : 0;
  for (int d = 0; d < DEMAND_COUNT; d++) {
    const demand one = demand_of(options, d);
    asked |= one.value > 1 ? DSM_OPTIMIZATION_BIT(one.needed) : 0;
  }
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    const bool is_of_role = strategies[o].roles != DSM_ROLE_GROUP_WORDS &&
                            (dsm__roles_of(strategies[o].roles) & dsm__named_roles(options)) != 0;
    asked |= is_of_role ? DSM_OPTIMIZATION_BIT(o) : 0;
  }
  return asked;
}

size_t dsm_ladder_additions(const dsm_explore_options *options,
                            dsm_optimization additions[DSM_OPTIMIZATION_COUNT]) {
  const dsm_optimization_set rungs = options->optimizations &
                                     dsm_mode_possible_optimizations(options->mode) &
                                     ~asked_strategies(options);
  size_t count = 0;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    if ((rungs & DSM_OPTIMIZATION_BIT(o)) != 0) {
      additions[count++] = (dsm_optimization)o;
    }
  }
  return count;
}

dsm_optimization_set dsm__strategies_in(dsm__strategy_set set) {
  dsm_optimization_set all = 0;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    all |= (sets_of[o] >> (unsigned)set & 1U) != 0 ? DSM_OPTIMIZATION_BIT(o) : 0;
  }
  return all;
}

bool dsm__strategies_part(dsm_optimization_set set, unsigned number, dsm_optimization_set *part) {
  *part = 0;
  for (int o = DSM_OPTIMIZATION_COUNT - 1; o >= 0; o--) {
    const bool is_in = (set & DSM_OPTIMIZATION_BIT(o)) != 0;
    *part |= is_in && (number & 1U) != 0 ? DSM_OPTIMIZATION_BIT(o) : 0;
    number >>= is_in ? 1 : 0;
  }
  return number == 0;
}

dsm_optimization dsm__role_optimization(dsm_role role) {
  int o = dsm__role_is_of_words(role) ? DSM_OPTIMIZATION_COUNT : 0;
  while (o < DSM_OPTIMIZATION_COUNT && strategies[o].roles != dsm__role_rows[role].group) {
    o++;
  }
  return (dsm_optimization)o;
}

bool dsm__may_have_role(const dsm_explore_options *options, dsm_role role) {
  const dsm_optimization needed = dsm__role_optimization(role);
  return needed == DSM_OPTIMIZATION_COUNT ||
         (options->optimizations & DSM_OPTIMIZATION_BIT(needed)) != 0;
}

bool dsm__may_have_roles(const dsm_explore_options *options) {
  bool may = false;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    may = may || (strategies[o].roles != DSM_ROLE_GROUP_WORDS &&
                  (options->optimizations & DSM_OPTIMIZATION_BIT(o)) != 0);
  }
  return may;
}
