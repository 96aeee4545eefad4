/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chip_link.c: bytes between the chips (section 5). */
#include "model/chip_link.h"
#include "base/order.h"
#include "model/equations.h"
#include "model/links.h"
#include "model/role_row.h"

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

void dsm__add_auxiliary_traffic(const dsm_machine *machine, dsm_traffic *traffic, double bytes) {
  traffic->bytes[machine->auxiliary_link] += bytes;
  traffic->bytes[DSM_LINK_SHARED] += machine->has_shared_memory ? bytes : 0;
}

/* Of as many turns as a ring has chips: the last one brings everything home, and is not needed. */
static double moved_share(bool is_exact, uint64_t chips) {
  return is_exact ? ((double)chips - 1) / (double)chips : 1;
}

dsm_traffic dsm__rotation_traffic(const dsm_machine *machine, double widening, dsm_divided turning,
                                  bool are_sums, dsm_parallelism parallelism, double full_bytes) {
  const dsm_network *const network = &machine->system->system;
  const bool is_exact = machine->system->model.exact_rotation;
  dsm_traffic traffic = {.latency_cycles = 0};
  double turns = 1; /* of the axes before, for one along this axis */
  double largest = 0;
  double sum = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const uint64_t chips = network->axes[a].chips;
    if (dsm_role_divides(dsm_parallelism_role(parallelism, a), turning) && chips > 1) {
      const double moved = full_bytes / turns * moved_share(is_exact, chips);
      traffic.bytes[DSM_LINK_AXIS + a] =
          dsm__link_row_of(&network->axes[a])->shift(&network->axes[a], 1, moved);
      largest = dsm__larger(largest, moved);
      sum += moved;
      traffic.latency_cycles += dsm__axis_latency_cycles(machine, a);
      turns *= (double)chips;
    }
  }
  const double through_memory = machine->system->model.rotate_memory_bytes * largest;
  pass_memory(machine, &traffic, through_memory);
  traffic.bytes[machine->core_links.link] =
      dsm__spread_bytes(machine, are_sums ? sum : through_memory); /* cores add what they have */
  if (are_sums) {
    scale(&traffic, widening);
  }
  return traffic;
}

dsm_axis_set dsm__summing_axes(const dsm_layer *layer, const dsm_network *network,
                               dsm_parallelism parallelism) {
  dsm_axis_set axes = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    const bool is_summed = dsm__role_has(role, DSM__ROLE_SUMS_GRADIENTS) ||
                           (dsm__role_has(role, DSM__ROLE_SENDS_TOKENS) && layer->experts == 0);
    axes |= is_summed ? 1U << a : 0U;
  }
  return axes;
}

/* The axes that cut the weights. */
static dsm_axis_set weight_axes(const dsm_network *network, dsm_parallelism parallelism) {
  dsm_axis_set axes = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    axes |= dsm_role_divides(role, DSM_DIVIDED_WEIGHTS) ? 1U << a : 0U;
  }
  return axes;
}

double dsm__chips_of(const dsm_network *network, dsm_axis_set axes) {
  double chips = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    chips *= dsm_axis_set_has(axes, a) ? (double)network->axes[a].chips : 1;
  }
  return chips;
}

/* Section 11: the axes along which forward and backward need no more than a cut of the weights. */
static dsm_axis_set used_cuts(const dsm_layer *layer, const dsm_network *network,
                              const dsm_pass_layouts *layouts) {
  const dsm_axis_set forward = weight_axes(network, layouts->of[DSM_PASS_FORWARD]);
  const dsm_axis_set backward = weight_axes(network, layouts->of[DSM_PASS_BACKWARD]);
  return layer->has_backward ? forward & backward : forward;
}

double dsm_used_weight_ways(const dsm_layer *layer, const dsm_machine *machine,
                            const dsm_pass_layouts *layouts) {
  const dsm_network *const network = &machine->system->system;
  return dsm__chips_of(network, used_cuts(layer, network, layouts));
}

dsm_axis_set dsm__broadcast_axes(const dsm_layer *layer, const dsm_network *network,
                                 const dsm_pass_layouts *layouts) {
  const dsm_axis_set summed = dsm__summing_axes(layer, network, layouts->of[DSM_PASS_UPDATE]);
  const dsm_axis_set cut = weight_axes(network, layouts->of[DSM_PASS_UPDATE]);
  return (summed | cut) & ~used_cuts(layer, network, layouts);
}

dsm_pass_layouts dsm_pass_layouts_uniform(dsm_parallelism parallelism) {
  return (dsm_pass_layouts){{parallelism, parallelism, parallelism}};
}

/* Weights that an update left in pieces, back to all chips that need them. */
static dsm_traffic weights_back(const dsm_layer *layer, const dsm_machine *machine,
                                dsm_precision precision, const dsm_pass_layouts *layouts,
                                dsm__collective_asked asked) {
  const double bytes =
      (double)layer->weight_elements / dsm_used_weight_ways(layer, machine, layouts) *
      dsm__layer_weight_bytes(layer, precision.weight_bytes, precision.element_bytes);
  asked.bytes = bytes;
  asked.memory_bytes = machine->system->model.broadcast_memory_bytes * bytes;
  return dsm__collective_traffic(machine, &asked);
}

dsm_traffic dsm__weights_gathering(const dsm_layer *layer, const dsm_machine *machine,
                                   dsm_precision precision, const dsm_pass_layouts *layouts) {
  const dsm_axis_set members = dsm__broadcast_axes(layer, &machine->system->system, layouts);
  return weights_back(layer, machine, precision, layouts,
                      (dsm__collective_asked){.members = members});
}

/*
 * Source: sections 5 and 11; DSM II-D (gradients are accumulated along X, then along Y; weights go
 * back along Y, then X) and Fig. 5. Symbols: w = w_el/nm*Bg, vx = w*(m-1)/m, w2 = w/m,
 * vy = w2*(n-1)/n on the D axes of the update pass; the broadcast likewise with w = w_el/nm*Bw on
 * the axes along which the update leaves weights in pieces, summed or cut, and forward or backward
 * has them whole. Limits: nothing to sum where nd = 1; one chip: only its own weight update; a tied
 * layer: nothing of its own, see tied_table.c.
 * Without shards gradients are all-reduced, and each chip updates all weights that it has. Weights
 * that products read in a narrower type are cast as they are updated: Bk read, Bp written.
 */
dsm_weight_traffic dsm__sharded_weight_traffic(const dsm_layer *layer, const dsm_machine *machine,
                                               dsm_precision precision,
                                               const dsm_pass_layouts *layouts, bool is_sharded) {
  const dsm_network *const network = &machine->system->system;
  const dsm_assumptions *const model = &machine->system->model;
  const dsm_axis_set summed = dsm__summing_axes(layer, network, layouts->of[DSM_PASS_UPDATE]);
  const dsm_axis_set cut = weight_axes(network, layouts->of[DSM_PASS_UPDATE]);
  const dsm_axis_set asked = dsm__broadcast_axes(layer, network, layouts);
  const dsm_axis_set spread = is_sharded ? asked : asked & cut;
  const double sum_chips = dsm__chips_of(network, summed);
  const double spread_chips = dsm__chips_of(network, spread);
  const double update_chips = is_sharded ? sum_chips : 1;
  const double sum_weights = (double)layer->weight_elements / dsm__chips_of(network, cut);
  dsm_weight_traffic traffic = {0};
  if (layer->weight_elements == 0 || layer->is_tied) {
    return traffic;
  }
  const double weight_bytes =
      dsm__layer_weight_bytes(layer, precision.weight_bytes, precision.element_bytes);
  if (precision.update_bytes > 0) {
    dsm__add_auxiliary_traffic(machine, &traffic.weight_update,
                               precision.update_bytes * sum_weights / update_chips);
  } else {
    pass_memory(machine, &traffic.weight_update,
                model->weight_update_memory_bytes * (sum_weights * weight_bytes) / update_chips);
  }
  if (layer->casts.are_weights_cast) {
    const double cast_bytes = weight_bytes + dsm_element_type_bytes(layer->casts.operands);
    dsm__add_auxiliary_traffic(machine, &traffic.weight_update,
                               cast_bytes * sum_weights / update_chips);
  }
  if (sum_chips > 1) {
    const double bytes = sum_weights * precision.gradient_bytes;
    const double back = is_sharded ? 0 : model->broadcast_memory_bytes * bytes;
    const dsm__collective_asked sum = {.kind = is_sharded ? DSM__COLLECTIVE_ONE_WAY
                                                          : DSM__COLLECTIVE_BOTH_WAYS,
                                       .members = summed,
                                       .bytes = bytes,
                                       .memory_bytes = model->reduce_memory_bytes * bytes + back,
                                       .is_joined = model->fused_reductions};
    traffic.sum_of_gradients = dsm__collective_traffic(machine, &sum);
  }
  if ((is_sharded && sum_chips > 1) || spread_chips > 1) {
    traffic.broadcast_weights = weights_back(layer, machine, precision, layouts,
                                             (dsm__collective_asked){
                                                 .members = spread,
                                                 .is_begun = sum_chips > 1,
                                                 .is_joined = model->fused_reductions,
                                             });
  }
  return traffic;
}

dsm_weight_traffic dsm_weight_traffic_derive(const dsm_layer *layer, const dsm_machine *machine,
                                             dsm_precision precision,
                                             const dsm_pass_layouts *layouts) {
  return dsm__sharded_weight_traffic(layer, machine, precision, layouts,
                                     machine->system->model.sharded_update);
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
  const uint64_t row_chips = machine->chip_count / network->axes[outer].chips;
  dsm_traffic traffic = {.latency_cycles = 0};
  dsm_network_axis beyond = network->axes[outer];
  beyond.chips = 1; /* the next chip is another stage's */
  traffic.bytes[DSM_LINK_AXIS + outer] =
      dsm__link_row_of(&beyond)->shift(&beyond, 1, bytes / (double)row_chips);
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
  return machine->system->model.overlapped_hand_over ? dsm__larger(0, cycles - step_cycles)
                                                     : cycles;
}

bool dsm_stage_hands_over(dsm_pass pass, size_t position, size_t stage_count) {
  return (pass == DSM_PASS_FORWARD && position + 1 < stage_count) ||
         (pass == DSM_PASS_BACKWARD && position > 0);
}

/* Chips of the axes along which a tensor is cut. */
static double cutting_chips(const dsm_network *network, const dsm_layouts *layouts) {
  double chips = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    chips *= layouts->of[a] == DSM_LAYOUT_WHOLE ? 1 : (double)network->axes[a].chips;
  }
  return chips;
}

static void add(const dsm_machine *machine, const dsm__collective_asked *asked,
                dsm_traffic *traffic) {
  if (asked->members == 0) {
    return;
  }
  const dsm_traffic added = dsm__collective_traffic(machine, asked);
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic->bytes[l] += added.bytes[l];
  }
  traffic->latency_cycles += added.latency_cycles;
}

/*
 * Source: section 5; DSM II-D (each chip sends a distinct portion to every other chip). Symbols:
 * d = total_bytes / chips that it is cut over; all-to-all on each axis whose layout changes: on
 * rings x = d*(m-1)/2, y = d*(n-1)/2; where it becomes whole, an all-gather, after that: along x
 * d*m * (m-1)/m, along both of d*m*n; where it was whole, nothing. Limits: equal layouts, or no
 * bytes: nothing, and nothing is waited for; an axis of length 1 carries nothing.
 */
dsm_traffic dsm_layout_traffic(const dsm_machine *machine, double total_bytes,
                               const dsm_layouts *before, const dsm_layouts *after) {
  const dsm_network *const network = &machine->system->system;
  dsm_traffic traffic = {.latency_cycles = 0};
  const double chip_bytes = total_bytes / cutting_chips(network, before);
  dsm_axis_set gathered = 0;
  dsm_axis_set passed = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const bool is_cut = before->of[a] != DSM_LAYOUT_WHOLE && total_bytes > 0;
    gathered |= is_cut && after->of[a] == DSM_LAYOUT_WHOLE ? 1U << a : 0U;
    passed |= is_cut && before->of[a] != after->of[a] ? 1U << a : 0U;
  }
  passed &= ~gathered;
  const double memory_bytes = machine->system->model.relayout_memory_bytes * chip_bytes;
  const dsm__collective_asked all_to_all = {.kind = DSM__COLLECTIVE_ALL_TO_ALL,
                                            .members = passed,
                                            .bytes = chip_bytes,
                                            .memory_bytes = memory_bytes,
                                            .is_kept_from_cores = true};
  const dsm__collective_asked gather = {.members = gathered,
                                        .bytes = chip_bytes * dsm__chips_of(network, gathered),
                                        .memory_bytes = passed == 0 ? memory_bytes : 0,
                                        .is_kept_from_cores = true,
                                        .is_begun = passed != 0};
  add(machine, &all_to_all, &traffic);
  add(machine, &gather, &traffic);
  return traffic;
}

dsm_layouts dsm_input_layouts(dsm_parallelism parallelism) {
  dsm_layouts layouts;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    layouts.of[a] = dsm_role_input_layout(dsm_parallelism_role(parallelism, a));
  }
  return layouts;
}

dsm_layouts dsm_output_layouts(dsm_parallelism parallelism) {
  dsm_layouts layouts;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    layouts.of[a] = dsm_role_output_layout(dsm_parallelism_role(parallelism, a));
  }
  return layouts;
}

dsm_traffic dsm_relayout_traffic(const dsm_machine *machine, double total_bytes,
                                 dsm_parallelism before, dsm_parallelism after) {
  const dsm_layouts from = dsm_output_layouts(before);
  const dsm_layouts to = dsm_input_layouts(after);
  return dsm_layout_traffic(machine, total_bytes, &from, &to);
}

/*
 * Source: section 11. Symbols: in_el*Nmb*Bi*T from pF to pU, st_el*Nmb*Bo*T from pB to pU. Domain:
 * a layer without update pass has no pU and moves nothing. Limits: pF = pB = pU: nothing.
 */
dsm_update_relayouts dsm_update_relayouts_derive(const dsm_layer *layer, const dsm_machine *machine,
                                                 dsm_precision precision, uint64_t minibatch,
                                                 const dsm_pass_layouts *layouts) {
  const double samples = (double)layer->timesteps * (double)minibatch;
  const double input_bytes =
      samples * dsm__stated_bytes(layer->bytes.input, precision.element_bytes);
  const double error_bytes =
      samples * dsm__stated_bytes(layer->bytes.output, precision.element_bytes);
  if (!layer->has_update) {
    return (dsm_update_relayouts){0};
  }
  const dsm_layouts read = dsm_input_layouts(layouts->of[DSM_PASS_FORWARD]);
  const dsm_layouts left = dsm_output_layouts(layouts->of[DSM_PASS_BACKWARD]);
  const dsm_layouts input = dsm_input_layouts(layouts->of[DSM_PASS_UPDATE]);
  const dsm_layouts error = dsm_output_layouts(layouts->of[DSM_PASS_UPDATE]);
  return (dsm_update_relayouts){
      .input =
          dsm_layout_traffic(machine, (double)layer->input_elements * input_bytes, &read, &input),
      .error =
          dsm_layout_traffic(machine, (double)layer->stored_elements * error_bytes, &left, &error),
  };
}
