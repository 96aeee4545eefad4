/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_reductions.h"

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
                         const twin_layout *layout, const double bytes,
                         const double memory_factor) {
  const double base = kind == TWIN_WAY_BACK ? 0 : system->collective_base_cycles;
  const double steps = twin_all_reduce_steps_cycles(system, layout);
  twin_half half = {
      .exists = true,
      .kind = kind,
      .latency_cycles = base + steps,
      .moving_cycles = twin_half_all_reduce_moving_cycles(system, layout, bytes, memory_factor),
  };
  for (size_t a = 0; a < system->axis_count; a++) {
    half.is_member[a] = layout->is_data[a] && system->axes[a].chips > 1;
  }
  return half;
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
  memset(halves, 0, 2 * sizeof *halves);
  if (context->inference || weights <= 0) {
    return false;
  }
  if (update.nd > 1) {
    halves[0] =
        half_of(system, TWIN_SUM, &update, weights * context->workload->gradient_bytes / update.nm,
                system->reduce_memory_bytes);
  }
  if (update.nd > 1 || all.nd > 1) {
    halves[1] = half_of(system, update.nd > 1 ? TWIN_WAY_BACK : TWIN_WAY_BACK_ALONE, &all,
                        weights * context->workload->element_bytes / all.nm,
                        system->broadcast_memory_bytes);
  }
  return true;
}

static bool are_one(const twin_half *a, const twin_half *b) {
  return a->exists && b->exists && a->kind == b->kind &&
         memcmp(a->is_member, b->is_member, sizeof a->is_member) == 0;
}

void twin_shared_latency(double *cycles, const twin_context *context,
                         const twin_summed_layer *layers) {
  const size_t count = context->workload->node_count;
  twin_half halves[TWIN_MAX_LAYERS][2];
  for (size_t i = 0; i < count; i++) {
    (void)twin_halves_of(halves[i], context, &context->workload->nodes[i], layers[i].parallelism);
    cycles[i] = 0;
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t h = 0; context->system->fused_reductions && !layers[i].is_grouped && h < 2; h++) {
      double alike = 0;
      for (size_t k = 0; k < count; k++) {
        alike += !layers[k].is_grouped && are_one(&halves[i][h], &halves[k][h]) ? 1 : 0;
      }
      cycles[i] += halves[i][h].exists ? halves[i][h].latency_cycles / alike : 0;
    }
  }
}
