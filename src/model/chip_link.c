/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chip_link.c: bytes between the chips (section 5). */
#include "model/equations.h"

static double larger(double a, double b) {
  return a > b ? a : b;
}

static void scale(dsm_traffic *traffic, double factor) {
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic->bytes[l] *= factor;
  }
}

/* What goes to external memory, or comes from there, passes the shared memory on its way. */
static void pass_memory(const dsm_machine *machine, dsm_traffic *traffic, double bytes) {
  traffic->bytes[DSM_LINK_MEMORY] = bytes;
  traffic->bytes[DSM_LINK_SHARED] = machine->has_shared_memory ? bytes : 0;
}

/* Of as many turns as a ring has chips: the last one brings everything home, and is not needed. */
static double moved_share(bool is_exact, uint64_t chips) {
  return is_exact ? ((double)chips - 1) / (double)chips : 1;
}

dsm_traffic dsm__rotation_traffic(const dsm_machine *machine, double widening, dsm_pass pass,
                                  dsm_parallelism parallelism, double full_bytes) {
  const dsm_network *const network = &machine->system->system;
  const dsm_axis_set model = dsm_parallelism_model_axes(parallelism);
  const bool is_exact = machine->system->model.exact_rotation;
  dsm_traffic traffic = {.latency_cycles = 0};
  double turns = 1; /* of the axes before, for one along this axis */
  double largest = 0;
  double sum = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const uint64_t chips = network->axes[a].chips;
    if (dsm_axis_set_has(model, a) && chips > 1) {
      const double moved = full_bytes / turns * moved_share(is_exact, chips);
      traffic.bytes[DSM_LINK_AXIS + a] = moved;
      largest = larger(largest, moved);
      sum += moved;
      traffic.latency_cycles += dsm__axis_latency_cycles(machine, a);
      turns *= (double)chips;
    }
  }
  const double through_memory = machine->system->model.rotate_memory_bytes * largest;
  pass_memory(machine, &traffic, through_memory);
  const bool is_by_cores = pass == DSM_PASS_BACKWARD; /* that add what they have to it */
  traffic.bytes[machine->core_links.link] =
      dsm__spread_bytes(machine, is_by_cores ? sum : through_memory);
  if (is_by_cores) {
    scale(&traffic, widening);
  }
  return traffic;
}

/* Chips along the axes that share samples, so that each has a gradient of its own. */
static double data_chips(const dsm_network *network, dsm_axis_set model) {
  double chips = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    chips *= dsm_axis_set_has(model, a) ? 1 : (double)network->axes[a].chips;
  }
  return chips;
}

/* A reduction (or its reverse) of `bytes` a chip along the D axes. */
static dsm_traffic reduction_traffic(const dsm_machine *machine, double bytes, dsm_axis_set model,
                                     double memory_bytes_per_byte) {
  dsm_traffic traffic = dsm__reduce_scatter_traffic(machine, ~model, bytes);
  traffic.bytes[machine->core_links.link] = dsm__crossing_bytes(machine, &traffic);
  pass_memory(machine, &traffic, memory_bytes_per_byte * bytes);
  return traffic;
}

/* Section 11: where weights must go. An axis is D where it is D in forward or backward. */
static dsm_axis_set broadcast_model_axes(const dsm_layer *layer, const dsm_pass_layouts *layouts) {
  const dsm_axis_set forward = dsm_parallelism_model_axes(layouts->of[DSM_PASS_FORWARD]);
  const dsm_axis_set backward = dsm_parallelism_model_axes(layouts->of[DSM_PASS_BACKWARD]);
  return layer->has_backward ? forward & backward : forward;
}

dsm_pass_layouts dsm_pass_layouts_uniform(dsm_parallelism parallelism) {
  return (dsm_pass_layouts){{parallelism, parallelism, parallelism}};
}

/*
 * Source: sections 5 and 11; DSM II-D (gradients are accumulated along X, then along Y; weights go
 * back along Y, then X) and Fig. 5. Symbols: w = w_el/nm*Bg, vx = w*(m-1)/m, w2 = w/m,
 * vy = w2*(n-1)/n on the D axes of the update pass; the broadcast likewise with w = w_el/nm*Bw on
 * the axes that are D in forward or backward. Limits: nothing to sum where nd = 1; one chip: only
 * its own weight update; a tied layer: nothing, all is the other's.
 */
dsm_weight_traffic dsm_weight_traffic_derive(const dsm_layer *layer, const dsm_machine *machine,
                                             dsm_precision precision,
                                             const dsm_pass_layouts *layouts) {
  const dsm_network *const network = &machine->system->system;
  const dsm_assumptions *const model = &machine->system->model;
  const dsm_axis_set summed = dsm_parallelism_model_axes(layouts->of[DSM_PASS_UPDATE]);
  const dsm_axis_set spread = broadcast_model_axes(layer, layouts);
  const double chips = (double)machine->chip_count;
  const double sum_chips = data_chips(network, summed);
  const double spread_chips = data_chips(network, spread);
  const double sum_weights = (double)layer->weight_elements / (chips / sum_chips);
  const double spread_weights = (double)layer->weight_elements / (chips / spread_chips);
  dsm_weight_traffic traffic = {0};
  if (layer->weight_elements == 0 || layer->is_tied) {
    return traffic;
  }
  const double weight_bytes =
      dsm__layer_weight_bytes(layer, precision.weight_bytes, precision.element_bytes);
  const double updated =
      precision.update_bytes > 0
          ? precision.update_bytes * sum_weights / sum_chips
          : model->weight_update_memory_bytes * (sum_weights * weight_bytes) / sum_chips;
  pass_memory(machine, &traffic.weight_update, updated);
  if (sum_chips > 1) {
    traffic.sum_of_gradients = reduction_traffic(machine, sum_weights * precision.gradient_bytes,
                                                 summed, model->reduce_memory_bytes);
    traffic.sum_of_gradients.latency_cycles += dsm__collective_base_cycles(machine);
  }
  if (sum_chips > 1 || spread_chips > 1) {
    traffic.broadcast_weights = reduction_traffic(machine, spread_weights * weight_bytes, spread,
                                                  model->broadcast_memory_bytes);
    traffic.broadcast_weights.latency_cycles +=
        sum_chips > 1 ? 0 : dsm__collective_base_cycles(machine);
  }
  return traffic;
}

/*
 * Source: section 9. Symbols: y = H*S*Bo/w, H = st_el, w = the chips of a row of the stage: the
 * rows pass along the last axis what each chip of the next one needs. Limits: nothing else moves.
 */
dsm_traffic dsm_hand_over_traffic(const dsm_layer *layer, const dsm_machine *machine,
                                  dsm_precision precision, uint64_t samples) {
  const double bytes = (double)layer->stored_elements * (double)samples *
                       dsm__stated_bytes(layer->bytes.output, precision.element_bytes);
  const dsm_network *const network = &machine->system->system;
  const unsigned outer = network->axis_count - 1;
  dsm_traffic traffic = {.latency_cycles = 0};
  traffic.bytes[DSM_LINK_AXIS + outer] =
      bytes / (double)(machine->chip_count / network->axes[outer].chips);
  traffic.latency_cycles = dsm__step_latency_cycles(machine, outer);
  return traffic;
}

/*
 * Source: section 9. Symbols: step = steady + h, or max(steady, h) with overlapped_hand_over, where
 * h = group(hand-over); this is step - steady. Limits: h <= steady: nothing; steady = 0: h.
 */
double dsm_stage_hand_over_cycles(const dsm_machine *machine, const dsm_traffic *hand_over,
                                  double step_cycles) {
  const double cycles = dsm_group_cycles(machine, hand_over);
  return machine->system->model.overlapped_hand_over ? larger(0, cycles - step_cycles) : cycles;
}

bool dsm_stage_hands_over(dsm_pass pass, size_t position, size_t stage_count) {
  return (pass == DSM_PASS_FORWARD && position + 1 < stage_count) ||
         (pass == DSM_PASS_BACKWARD && position > 0);
}

/*
 * Source: section 5; DSM II-D (each chip sends a distinct portion to every other chip). Symbols:
 * d = total_bytes / chips; all-to-all on each axis whose role changes: on rings x = d*(m-1)/2,
 * y = d*(n-1)/2. Limits: equal parallelisms, or no bytes: nothing, and nothing is
 * waited for; an axis of length 1 carries nothing.
 */
dsm_traffic dsm_relayout_traffic(const dsm_machine *machine, double total_bytes,
                                 dsm_parallelism before, dsm_parallelism after) {
  dsm_traffic traffic = {.latency_cycles = 0};
  if (before == after || !(total_bytes > 0)) {
    return traffic;
  }
  const dsm_network *const network = &machine->system->system;
  const dsm_axis_set changing =
      dsm_parallelism_model_axes(before) ^ dsm_parallelism_model_axes(after);
  const double chip_bytes = total_bytes / (double)machine->chip_count;
  for (unsigned a = 0; a < network->axis_count; a++) {
    if (dsm_axis_set_has(changing, a)) {
      traffic.bytes[DSM_LINK_AXIS + a] = dsm__all_to_all_bytes(machine, a, chip_bytes);
      traffic.latency_cycles += dsm__axis_latency_cycles(machine, a);
    }
  }
  pass_memory(machine, &traffic, machine->system->model.relayout_memory_bytes * chip_bytes);
  traffic.latency_cycles += dsm__collective_base_cycles(machine);
  return traffic;
}

/*
 * Source: section 11. Symbols: in_el*Nmb*Bi*T from pF to pU, st_el*Nmb*Bo*T from pB to pU. Domain:
 * a layer without update pass has no pU and moves nothing. Limits: pF = pB = pU: nothing.
 */
dsm_update_relayouts dsm_update_relayouts_derive(const dsm_layer *layer, const dsm_machine *machine,
                                                 dsm_precision precision, uint64_t minibatch,
                                                 const dsm_pass_layouts *layouts) {
  const double samples = (double)layer->timesteps * (double)minibatch;
  const double input = samples * dsm__stated_bytes(layer->bytes.input, precision.element_bytes);
  const double error = samples * dsm__stated_bytes(layer->bytes.output, precision.element_bytes);
  const dsm_parallelism update = layouts->of[DSM_PASS_UPDATE];
  if (!layer->has_update) {
    return (dsm_update_relayouts){0};
  }
  return (dsm_update_relayouts){
      .input = dsm_relayout_traffic(machine, (double)layer->input_elements * input,
                                    layouts->of[DSM_PASS_FORWARD], update),
      .error = dsm_relayout_traffic(machine, (double)layer->stored_elements * error,
                                    layouts->of[DSM_PASS_BACKWARD], update),
  };
}
