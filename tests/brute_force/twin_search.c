/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_search.h"

#include <math.h>
#include <stdio.h>

#include "twin_reductions.h"
#include "twin_space.h"
#include "twin_splits.h"
#include "twin_tied.h"

/* Everything that is known before the parallelisms of the other layers are. */
typedef struct {
  twin_context context;
  bool allowed[TWIN_MAX_LAYERS][TWIN_PARALLELISM_COUNT];
  twin_layer priced[TWIN_MAX_LAYERS][TWIN_PARALLELISM_COUNT]; /* without relayouts */
} twin_search;

/* The pass over a step under its best split (section 3), without what is paid once a step. */
static twin_pass best_pass(const twin_context *context, const twin_node *node,
                           const twin_pass_kind pass, const twin_parallelism parallelism) {
  const twin_condition condition = twin_plain_condition(context, node);
  twin_invocation best = {.total = HUGE_VAL};
  (void)twin_best_invocation(&best, context, node, pass, parallelism, &condition, HUGE_VAL);
  const double invocations = twin_invocation_count(node, pass);
  twin_pass out = {
      .exists = true,
      .primary = invocations * best.primary,
      .overlapped = invocations * best.overlapped,
      .auxiliary = invocations * best.auxiliary,
      .non_overlapped = invocations * best.non_overlapped,
      .total = invocations * best.total,
  };
  for (size_t dim = 0; dim < TWIN_DIM_COUNT; dim++) {
    out.split[dim] = (size_t)best.split[dim];
  }
  return out;
}

static void add_non_overlapped(twin_pass *pass, const double cycles) {
  pass->non_overlapped += cycles;
  pass->total += cycles;
}

static twin_layer price_layer(const twin_context *context, const twin_node *node,
                              const twin_parallelism parallelism) {
  twin_layer layer = {.parallelism = parallelism};
  (void)snprintf(layer.name, sizeof layer.name, "%s", node->name);
  for (int i = TWIN_FORWARD; i < TWIN_PASS_COUNT; i++) {
    const twin_pass_kind pass = (twin_pass_kind)i;
    if (twin_has_pass(node, pass, context->inference)) {
      layer.passes[pass] = best_pass(context, node, pass, parallelism);
    }
  }
  if (layer.passes[TWIN_UPDATE].exists) {
    add_non_overlapped(
        &layer.passes[TWIN_UPDATE],
        twin_weight_exchange_cycles(
            context, node, (const twin_parallelism[]){parallelism, parallelism, parallelism}));
  }
  return layer;
}

/* A complete mapping, priced in full. */
typedef struct {
  double step_cycles;
  double memory_bytes;
  twin_layer layers[TWIN_MAX_LAYERS];
} mapping;

static void add_reductions(const twin_context *context, const twin_parallelism *sequence,
                           mapping *out) {
  twin_layer *const layers = out->layers;
  twin_summed_layer summed[TWIN_MAX_LAYERS];
  double cycles[TWIN_MAX_LAYERS];
  for (size_t i = 0; i < context->workload->node_count; i++) {
    summed[i] = (twin_summed_layer){.parallelism = {sequence[i], sequence[i], sequence[i]},
                                    .update_cycles = layers[i].passes[TWIN_UPDATE].total,
                                    .backward_cycles = layers[i].passes[TWIN_BACKWARD].total};
  }
  for (size_t i = 0; i < context->workload->node_count; i++) {
    summed[i].update_cycles += twin_tied_cycles(context, summed, i); /* before sums begin */
  }
  twin_price_reductions(cycles, context, summed);
  for (size_t i = 0; i < context->workload->node_count; i++) {
    add_non_overlapped(&layers[i].passes[TWIN_UPDATE],
                       cycles[i] + twin_tied_cycles(context, summed, i));
    out->memory_bytes += twin_tied_bytes(context, summed, i);
  }
}

static mapping price_sequence(const twin_search *search, const twin_parallelism *sequence) {
  const twin_context *const context = &search->context;
  const size_t layer_count = context->workload->node_count;
  mapping out = {.memory_bytes = twin_memory_bytes(context, sequence)};
  for (size_t i = 0; i < layer_count; i++) {
    out.layers[i] = search->priced[i][sequence[i]];
  }
  for (size_t i = 1; i < layer_count; i++) {
    const double cycles = twin_relayout_cycles(context, i, sequence[i - 1], sequence[i]);
    add_non_overlapped(&out.layers[i].passes[TWIN_FORWARD], cycles);
    if (!context->inference) {
      twin_pass *const earlier = out.layers[i - 1].passes;
      add_non_overlapped(&earlier[earlier[TWIN_BACKWARD].exists ? TWIN_BACKWARD : TWIN_UPDATE],
                         cycles);
    }
  }
  add_reductions(context, sequence, &out);
  for (size_t i = 0; i < layer_count; i++) {
    for (size_t pass = 0; pass < TWIN_PASS_COUNT; pass++) {
      out.step_cycles += out.layers[i].passes[pass].total;
    }
  }
  return out;
}

/* The sequence after this one in lexicographic order, forbidden ones skipped; false after the last.
 */
static bool next_sequence(const twin_search *search, twin_parallelism *sequence) {
  for (size_t i = search->context.workload->node_count; i-- > 0;) {
    for (int next = (int)sequence[i] + 1; next < TWIN_PARALLELISM_COUNT; next++) {
      if (search->allowed[i][next]) {
        sequence[i] = (twin_parallelism)next;
        return true;
      }
    }
    sequence[i] = TWIN_DATA;
    while (!search->allowed[i][sequence[i]]) {
      sequence[i]++;
    }
  }
  return false;
}

/* False if a layer has nothing to choose from. */
static bool first_sequence(const twin_search *search, twin_parallelism *sequence) {
  for (size_t i = 0; i < search->context.workload->node_count; i++) {
    int first = TWIN_DATA;
    while (first < TWIN_PARALLELISM_COUNT && !search->allowed[i][first]) {
      first++;
    }
    if (first == TWIN_PARALLELISM_COUNT) {
      return false;
    }
    sequence[i] = (twin_parallelism)first;
  }
  return true;
}

/* Two rounds over all sequences: the least step of those that fit, then the first that reaches it.
 */
static bool search_sequences(twin_result *out, const twin_search *search) {
  twin_parallelism sequence[TWIN_MAX_LAYERS] = {TWIN_DATA};
  if (!first_sequence(search, sequence)) {
    return false;
  }
  const double capacity_bytes = search->context.system->capacity_bytes;
  double least_cycles = HUGE_VAL;
  out->smallest_need_bytes = HUGE_VAL;
  do {
    const mapping candidate = price_sequence(search, sequence);
    out->smallest_need_bytes = fmin(out->smallest_need_bytes, candidate.memory_bytes);
    if (candidate.memory_bytes <= capacity_bytes * (1 + TWIN_TIE_RATIO)) {
      least_cycles = fmin(least_cycles, candidate.step_cycles);
    }
  } while (next_sequence(search, sequence));

  (void)first_sequence(search, sequence);
  do {
    const mapping candidate = price_sequence(search, sequence);
    if (candidate.memory_bytes <= capacity_bytes * (1 + TWIN_TIE_RATIO) &&
        candidate.step_cycles <= least_cycles * (1 + TWIN_TIE_RATIO)) {
      out->feasible = true;
      out->step_cycles = candidate.step_cycles;
      out->memory_bytes = candidate.memory_bytes;
      out->mapping.layer_count = out->layer_count;
      for (size_t i = 0; i < out->layer_count; i++) {
        out->layers[i] = candidate.layers[i];
        out->mapping.layers[i] =
            (twin_decision){.parallelism = {sequence[i], sequence[i], sequence[i]}, .factor = 1};
      }
    }
  } while (!out->feasible && next_sequence(search, sequence));
  return true;
}

bool twin_search_parallelisms(twin_result *out, const twin_context *context,
                              const twin_options options) {
  twin_search search = {.context = *context};
  const twin_workload *const workload = context->workload;
  for (size_t i = 0; i < workload->node_count; i++) {
    for (int j = TWIN_DATA; j < TWIN_PARALLELISM_COUNT; j++) {
      const twin_parallelism parallelism = (twin_parallelism)j;
      search.allowed[i][j] =
          twin_parallelism_is_allowed(context->system, &workload->nodes[i], parallelism, options);
      if (search.allowed[i][j]) {
        search.priced[i][j] = price_layer(context, &workload->nodes[i], parallelism);
      }
    }
  }
  return search_sequences(out, &search);
}
