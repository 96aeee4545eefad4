/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_cost.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Ordered factorisations of the core count into five: 126 for 32 cores, 2100 for 96 * 5. */
enum { MAX_SPLITS = 2400, MAX_DIVISORS = 64 };

/* Everything that is known before the parallelisms of the other layers are. */
typedef struct {
  twin_context context;
  bool allowed[TWIN_MAX_LAYERS][TWIN_PARALLELISM_COUNT];
  twin_layer priced[TWIN_MAX_LAYERS][TWIN_PARALLELISM_COUNT]; /* without relayouts */
} twin_search;

typedef struct {
  size_t count;
  twin_invocation items[MAX_SPLITS];
} candidates;

static double total_of(const twin_invocation *cost) {
  return cost->total;
}

static double primary_of(const twin_invocation *cost) {
  return cost->primary;
}

static double core_bytes_of(const twin_invocation *cost) {
  return cost->core_bytes;
}

/* Keeps, in their order, the candidates that are least by a key, up to a tie. */
static void keep_least(candidates *list, double (*const key)(const twin_invocation *)) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < list->count; i++) {
    least = fmin(least, key(&list->items[i]));
  }
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (key(&list->items[i]) <= least * (1 + TWIN_TIE_RATIO)) {
      list->items[kept++] = list->items[i];
    }
  }
  list->count = kept;
}

static size_t enumerate_divisors(size_t divisors[MAX_DIVISORS], const size_t number) {
  size_t count = 0;
  for (size_t divisor = 1; divisor <= number; divisor++) {
    if (number % divisor == 0) {
      assert(count < MAX_DIVISORS);
      divisors[count++] = divisor;
    }
  }
  return count;
}

/* All factorisations in lexicographic order, with their costs; only valid ones if asked. */
static void enumerate_splits(candidates *list, const twin_context *context, const twin_node *node,
                             const twin_pass_kind pass, const twin_parallelism parallelism,
                             const bool only_valid) {
  const size_t cores = (size_t)context->system->cores;
  size_t d[MAX_DIVISORS] = {0};
  const size_t count = enumerate_divisors(d, cores);
  list->count = 0;
  for (size_t in = 0; in < count; in++) {
    for (size_t out = 0; out < count; out++) {
      for (size_t ij = 0; ij < count; ij++) {
        for (size_t kij = 0; kij < count; kij++) {
          for (size_t mb = 0; mb < count; mb++) {
            if (d[in] * d[out] * d[ij] * d[kij] * d[mb] != cores) {
              continue;
            }
            const double split[] = {(double)d[in], (double)d[out], (double)d[ij], (double)d[kij],
                                    (double)d[mb]};
            if (only_valid && !twin_split_is_valid(context, node, parallelism, split)) {
              continue;
            }
            assert(list->count < MAX_SPLITS);
            list->items[list->count++] =
                twin_invocation_of(context, node, pass, parallelism, split);
          }
        }
      }
    }
  }
}

/* The pass over a step under its best split (section 3), without what is paid once a step. */
static twin_pass best_pass(candidates *list, const twin_context *context, const twin_node *node,
                           const twin_pass_kind pass, const twin_parallelism parallelism) {
  enumerate_splits(list, context, node, pass, parallelism, true);
  if (list->count == 0) {
    enumerate_splits(list, context, node, pass, parallelism, false);
  }
  keep_least(list, total_of);
  keep_least(list, primary_of);
  keep_least(list, core_bytes_of);
  const twin_invocation *const best = &list->items[0]; /* lexicographically smallest */
  const double invocations = twin_invocation_count(node, pass);
  twin_pass out = {
      .exists = true,
      .primary = invocations * best->primary,
      .overlapped = invocations * best->overlapped,
      .auxiliary = invocations * best->auxiliary,
      .non_overlapped = invocations * best->non_overlapped,
      .total = invocations * best->total,
  };
  for (size_t dim = 0; dim < TWIN_DIM_COUNT; dim++) {
    out.split[dim] = (size_t)best->split[dim];
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
  candidates list;
  for (int i = TWIN_FORWARD; i < TWIN_PASS_COUNT; i++) {
    const twin_pass_kind pass = (twin_pass_kind)i;
    if (twin_has_pass(node, pass, context->inference)) {
      layer.passes[pass] = best_pass(&list, context, node, pass, parallelism);
    }
  }
  if (layer.passes[TWIN_UPDATE].exists) {
    add_non_overlapped(&layer.passes[TWIN_UPDATE],
                       twin_weight_exchange_cycles(context, node, parallelism));
  }
  return layer;
}

static bool is_allowed(const twin_node *node, const twin_parallelism parallelism,
                       const twin_options options) {
  if (node->kind == TWIN_MATMUL || node->groups > 1) {
    return parallelism == TWIN_DATA;
  }
  const bool exists = options.hybrid || parallelism == TWIN_DATA || parallelism == TWIN_MODEL;
  return exists && (options.parallelism_mask >> parallelism & 1U) != 0;
}

/* A complete mapping, priced in full. */
typedef struct {
  double step_cycles;
  double memory_bytes;
  twin_layer layers[TWIN_MAX_LAYERS];
} mapping;

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
    if (candidate.memory_bytes <= capacity_bytes) {
      least_cycles = fmin(least_cycles, candidate.step_cycles);
    }
  } while (next_sequence(search, sequence));

  (void)first_sequence(search, sequence);
  do {
    const mapping candidate = price_sequence(search, sequence);
    if (candidate.memory_bytes <= capacity_bytes &&
        candidate.step_cycles <= least_cycles * (1 + TWIN_TIE_RATIO)) {
      out->feasible = true;
      out->step_cycles = candidate.step_cycles;
      out->memory_bytes = candidate.memory_bytes;
      for (size_t i = 0; i < out->layer_count; i++) {
        out->layers[i] = candidate.layers[i];
      }
    }
  } while (!out->feasible && next_sequence(search, sequence));
  return true;
}

bool twin_explore(twin_result *out, const char *workload_json, const char *system_json,
                  const twin_options options) {
  *out = (twin_result){0};
  twin_workload workload;
  twin_system system;
  if (!twin_workload_parse(&workload, workload_json) || !twin_system_parse(&system, system_json)) {
    return false;
  }
  twin_search search = {
      .context = {.workload = &workload, .system = &system, .inference = options.inference}};
  for (size_t i = 0; i < workload.node_count; i++) {
    for (int j = TWIN_DATA; j < TWIN_PARALLELISM_COUNT; j++) {
      const twin_parallelism parallelism = (twin_parallelism)j;
      search.allowed[i][j] = is_allowed(&workload.nodes[i], parallelism, options);
      if (search.allowed[i][j]) {
        search.priced[i][j] = price_layer(&search.context, &workload.nodes[i], parallelism);
      }
    }
  }
  out->layer_count = workload.node_count;
  out->ideal_cycles = twin_ideal_cycles(&search.context);
  if (!search_sequences(out, &search)) {
    *out = (twin_result){0};
    return false;
  }
  return true;
}
