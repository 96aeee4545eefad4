/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_reductions.h"

#include <math.h>
#include <string.h>

/* Section 11: where the weights of a pass are needed, in the layouts of both. */
static twin_layout both_of(const twin_system *system, const twin_layout *forward,
                           const twin_layout *backward) {
  bool is_data[TWIN_MAX_AXES] = {false};
  for (size_t a = 0; a < system->axis_count; a++) {
    is_data[a] = forward->is_data[a] || backward->is_data[a];
  }
  return twin_layout_with(system, is_data);
}

static twin_half half_of(const twin_system *system, const twin_half_kind kind,
                         const twin_layout *layout, const double bytes, const double ways,
                         const double memory_bytes) {
  const twin_collective what = {.layout = layout,
                                .bytes = bytes,
                                .ways = ways,
                                .memory_bytes = memory_bytes,
                                .is_begun = kind == TWIN_WAY_BACK,
                                .is_joined = system->joins_gradients};
  const twin_collective_cycles cycles = twin_collective_of(system, &what);
  twin_half half = {
      .exists = true,
      .kind = kind,
      .latency_cycles = cycles.latency_cycles,
      .moving_cycles = cycles.moving_cycles,
  };
  for (size_t a = 0; a < system->axis_count; a++) {
    half.is_member[a] = layout->is_data[a] && system->axes[a].chips > 1;
  }
  return half;
}

/* Sums are gathered again; weights go back only along axes that did not sum. */
static void take_unsharded(twin_half halves[2], const twin_system *system,
                           const twin_layout *update, const twin_layout *all, const double bytes,
                           const double weight_bytes) {
  bool is_data[TWIN_MAX_AXES] = {false};
  for (size_t a = 0; a < system->axis_count; a++) {
    is_data[a] = all->is_data[a] && !update->is_data[a];
  }
  const twin_layout others = twin_layout_with(system, is_data);
  if (update->nd > 1) {
    halves[0] = half_of(system, TWIN_SUM, update, bytes, 2,
                        (system->reduce_memory_bytes + system->broadcast_memory_bytes) * bytes);
  }
  if (others.nd > 1) {
    const bool is_behind = update->nd > 1;
    halves[1] = half_of(system, is_behind ? TWIN_WAY_BACK : TWIN_WAY_BACK_ALONE, &others,
                        weight_bytes, 1, system->broadcast_memory_bytes * weight_bytes);
  }
}

bool twin_halves_of(twin_half halves[2], const twin_context *context, const twin_node *node,
                    const twin_parallelism parallelism[TWIN_PASS_COUNT]) {
  const twin_system *const system = context->system;
  const double weights = twin_weight_elements(node);
  const twin_layout forward = twin_layout_of(system, parallelism[TWIN_FORWARD]);
  const twin_layout backward =
      twin_has_backward(node) ? twin_layout_of(system, parallelism[TWIN_BACKWARD]) : forward;
  const twin_layout update = twin_layout_of(system, parallelism[TWIN_UPDATE]);
  const twin_layout all = both_of(system, &forward, &backward);
  const double bytes = weights * context->workload->gradient_bytes / update.nm;
  memset(halves, 0, 2 * sizeof *halves);
  if (context->inference || weights <= 0 || node->is_tied) {
    return false;
  }
  if (!system->sharded_update) {
    take_unsharded(halves, system, &update, &all, bytes, weights * node->weight_bytes / all.nm);
    return true;
  }
  if (update.nd > 1) {
    halves[0] = half_of(system, TWIN_SUM, &update, bytes, 1, system->reduce_memory_bytes * bytes);
  }
  if (update.nd > 1 || all.nd > 1) {
    const double back = weights * node->weight_bytes / all.nm;
    halves[1] = half_of(system, update.nd > 1 ? TWIN_WAY_BACK : TWIN_WAY_BACK_ALONE, &all, back, 1,
                        system->broadcast_memory_bytes * back);
  }
  return true;
}

static bool are_one(const twin_half *a, const twin_half *b) {
  return a->exists && b->exists && a->kind == b->kind &&
         memcmp(a->is_member, b->is_member, sizeof a->is_member) == 0;
}

bool twin_halves_are_apart(const twin_system *system) {
  return system->fused_reductions || system->overlapped_reduction;
}

/* Layers that have a half in common, this one among them. */
static double layers_in(const twin_half (*halves)[2], const size_t count, const twin_half *half) {
  double alike = 0;
  for (size_t k = 0; k < count; k++) {
    alike += are_one(half, &halves[k][0]) || are_one(half, &halves[k][1]) ? 1 : 0;
  }
  return alike;
}

/* Cycles of what each layer has to sum and to send back, one after the other on the links. */
static void derive_halves(double (*cycles)[2], const twin_context *context,
                          const twin_summed_layer *layers) {
  const size_t count = context->workload->node_count;
  twin_half halves[TWIN_MAX_LAYERS][2];
  memset(halves, 0, sizeof halves);
  for (size_t i = 0; i < count; i++) {
    if (!layers[i].is_grouped) {
      (void)twin_halves_of(halves[i], context, &context->workload->nodes[i], layers[i].parallelism);
    }
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t h = 0; h < 2; h++) {
      const twin_half *const half = &halves[i][h];
      const bool is_alone = !context->system->fused_reductions || !half->exists;
      const double share = is_alone ? 1 : layers_in((const twin_half(*)[2])halves, count, half);
      cycles[i][h] = half->moving_cycles + half->latency_cycles / share;
    }
  }
}

/* A clock for the chips' computing and one for the links, both from where forward ends: what the
 * links still do after the chips are done, layer by layer, is what those that end last have. */
static void derive_visible(double *visible, const twin_summed_layer *layers, const size_t count,
                           const double (*cycles)[2]) {
  double chips = 0;
  double links = 0;
  double ends[TWIN_MAX_LAYERS][2];
  for (size_t i = count; i-- > 0;) {
    chips += layers[i].update_cycles;
    for (size_t h = 0; h < 2; h++) {
      const double cost = cycles[i][h];
      links = cost > 0 ? fmax(links, chips) + cost : links;
      ends[i][h] = links;
    }
    chips += layers[i].backward_cycles;
  }
  double rest = fmax(0, links - chips); /* not yet given to those that end last */
  for (size_t i = 0; i < count; i++) {
    visible[i] = 0;
    for (size_t h = 2; h-- > 0;) {
      const double part = cycles[i][h] > 0 && ends[i][h] > chips ? fmin(rest, cycles[i][h]) : 0;
      visible[i] += part;
      rest -= part;
    }
  }
}

void twin_price_reductions(double *cycles, const twin_context *context,
                           const twin_summed_layer *layers) {
  const size_t count = context->workload->node_count;
  double halves[TWIN_MAX_LAYERS][2];
  derive_halves(halves, context, layers);
  if (context->system->overlapped_reduction) {
    derive_visible(cycles, layers, count, (const double(*)[2])halves);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    cycles[i] = twin_halves_are_apart(context->system) ? halves[i][0] + halves[i][1] : 0;
  }
}
