/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_cost.h"

#include <math.h>

#include "twin_bytes.h"
#include "twin_reductions.h"
#include "twin_types.h"

double twin_weight_exchange_cycles(const twin_context *context, const twin_node *node,
                                   const twin_parallelism parallelism[TWIN_PASS_COUNT]) {
  const twin_system *const system = context->system;
  const double weights = node->is_tied ? 0 : twin_weight_elements(node);
  const twin_layout update = twin_layout_of(system, parallelism[TWIN_UPDATE]);
  const double chips = system->sharded_update ? twin_chips(system) : update.nm;
  const double update_bytes = context->workload->update_bytes;
  const double named_bytes = update_bytes * weights / chips; /* by an optimizer, at its own rate */
  double cycles = update_bytes > 0 ? fmax(named_bytes / system->auxiliary_bytes_per_cycle,
                                          named_bytes / system->shared_bytes_per_cycle)
                                   : twin_group_cycles(system, NULL,
                                                       system->weight_update_memory_bytes *
                                                           (weights * node->weight_bytes) / chips,
                                                       0);
  if (node->casts_weights && !node->is_tied) {
    const double cast = (node->weight_bytes + twin_type_bytes(node->read_type)) * weights / chips;
    cycles += fmax(cast / system->auxiliary_bytes_per_cycle, cast / system->shared_bytes_per_cycle);
  }
  twin_half halves[2];
  if (!twin_halves_are_apart(system) && twin_halves_of(halves, context, node, parallelism)) {
    for (size_t h = 0; h < 2; h++) {
      cycles += halves[h].moving_cycles + halves[h].latency_cycles;
    }
  }
  return cycles;
}

double twin_relayout_cycles(const twin_context *context, const size_t boundary,
                            const twin_parallelism from, const twin_parallelism to) {
  const twin_workload *const workload = context->workload;
  double total_bytes = 0;
  for (size_t i = 0; i < boundary; i++) {
    if (twin_is_used_from(workload, i, boundary, false)) {
      total_bytes += twin_stored_size(workload, &workload->nodes[i]) *
                     workload->nodes[i].timesteps * workload->minibatch * workload->element_bytes;
    }
  }
  return twin_move_cycles(context->system, total_bytes, from, to);
}

/* Of the type that is stated, else by the larger of what is multiplied: 1 byte, 2, or more. */
double twin_array_rate(const twin_context *context, const twin_node *node,
                       const twin_pass_kind pass) {
  const size_t stated = context->workload->element_type;
  const bool is_of_all =
      stated < TWIN_TYPE_COUNT &&
      ((stated >= 2 && stated <= 5) || twin_type_bytes(stated) >= context->workload->element_bytes);
  const double kernel = twin_kernel_bytes(context, node);
  double larger = fmax(node->in_bytes, kernel);
  if (node->read_type < TWIN_TYPE_COUNT) {
    return context->system->type_rates[node->read_type];
  }
  if (is_of_all) {
    return context->system->type_rates[stated];
  }
  if (pass == TWIN_UPDATE) {
    larger = fmax(node->in_bytes, node->out_bytes);
  } else if (pass == TWIN_BACKWARD) {
    larger = fmax(twin_is_product(node) ? larger : kernel, node->out_bytes);
  }
  return context->system->type_rates[larger > 2 ? 5 : (larger > 1 ? 2 : 0)];
}

/* Section 6 */

double twin_ideal_cycles(const twin_context *context) {
  const twin_system *const system = context->system;
  double cycles = 0;
  for (size_t i = 0; i < context->workload->node_count; i++) {
    const twin_node *const node = &context->workload->nodes[i];
    const double macs =
        twin_macs(node) * twin_visible_share(context->system, node) * node->timesteps;
    for (int pass = TWIN_FORWARD; pass < TWIN_PASS_COUNT; pass++) {
      if (twin_has_pass(node, (twin_pass_kind)pass, context->inference)) {
        const double rate = twin_array_rate(context, node, (twin_pass_kind)pass);
        const double of_arrays = system->rows * system->columns * system->arrays * rate;
        const double of_cores = system->cores * fmax(of_arrays, system->vector_macs_per_cycle);
        const double peak = system->peak_macs_per_cycle * rate;
        cycles += macs * (twin_is_product(node) && pass == TWIN_BACKWARD ? 2 : 1) /
                  (twin_chips(system) * (peak > 0 ? peak : of_cores));
      }
    }
  }
  return context->workload->minibatch * cycles;
}
