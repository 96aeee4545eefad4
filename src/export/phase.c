/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/phase.h"

#include "model/equations.h"

/* The axes of more than one chip along which features are shared out, or samples. */
static dsm_axis_set axes_of(const dsm_plan *plan, const dsm_pass_plan *pass, bool are_of_model) {
  const dsm_axis_set model = dsm_parallelism_model_axes(pass->share.parallelism);
  dsm_axis_set axes = 0;
  for (unsigned a = 0; a < plan->system->system.axis_count; a++) {
    if (plan->system->system.axes[a].chips > 1 && dsm_axis_set_has(model, a) == are_of_model) {
      axes |= (dsm_axis_set)(1U << a);
    }
  }
  return axes;
}

/* Elements of a chip's samples, with all features, over all invocations of a pass. */
static double turned_elements(const dsm_plan *plan, size_t layer, const dsm_pass_plan *pass) {
  double invocations = 0;
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    invocations += (double)pass->invocations[i].count;
  }
  return (double)plan->layers[layer].layer->input_elements *
         (double)pass->share.chip.n[DSM_DIM_MB] * invocations;
}

/* Cycles by which an invocation would be shorter if no features turned. */
static double visible_rotation(const dsm_invocation *invocation) {
  double link_cycles[DSM_LINK_COUNT] = {0};
  for (size_t i = 0; i < invocation->transfer_count; i++) {
    const dsm_plan_transfer *const one = &invocation->transfers[i];
    if (one->group == DSM_GROUP_STREAM && one->transfer != DSM_TRANSFER_ROTATE) {
      link_cycles[one->link] += one->cycles;
    }
  }
  double longest = invocation->cost.primary;
  for (int link = 0; link < DSM_LINK_COUNT; link++) {
    longest = link_cycles[link] > longest ? link_cycles[link] : longest;
  }
  const double saved = invocation->cost.primary + invocation->cost.overlapped_visible - longest;
  return saved > 0 ? saved : 0;
}

static dsm__export_phase forward_phase(const dsm_plan *plan, size_t layer,
                                       const dsm_pass_plan *pass) {
  dsm__export_phase made = {.cycles = pass->cycles.total,
                            .collective = DSM__COLLECTIVE_ALL_GATHER,
                            .axes = axes_of(plan, pass, true)};
  made.bytes =
      turned_elements(plan, layer, pass) / (double)pass->share.model_ways *
      dsm__stated_bytes(plan->layers[layer].layer->bytes.input, plan->workload->element_bytes);
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    made.cycles -= visible_rotation(&pass->invocations[i]) * pass->invocations[i].times;
  }
  return made;
}

static dsm__export_phase backward_phase(const dsm_plan *plan, size_t layer,
                                        const dsm_pass_plan *pass) {
  return (dsm__export_phase){.cycles = pass->cycles.total - pass->group_cycles[DSM_GROUP_ROTATION],
                             .collective = DSM__COLLECTIVE_REDUCE_SCATTER,
                             .bytes =
                                 turned_elements(plan, layer, pass) *
                                 dsm_precision_of(plan->workload, plan->system).partial_sum_bytes,
                             .axes = axes_of(plan, pass, true)};
}

static dsm__export_phase update_phase(const dsm_plan *plan, size_t layer,
                                      const dsm_pass_plan *pass) {
  const dsm_layer *const summed = plan->layers[layer].layer;
  return (dsm__export_phase){
      .cycles = pass->cycles.total - (pass->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] +
                                      pass->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS]),
      .collective = DSM__COLLECTIVE_ALL_REDUCE,
      .bytes = (double)summed->weight_elements / (double)pass->share.model_ways *
               plan->workload->gradient_bytes,
      .axes = axes_of(plan, pass, false)};
}

dsm__export_phase dsm__export_phase_of(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  const dsm_pass_plan *const planned = &plan->layers[layer].passes[pass];
  const dsm_layer *const of = plan->layers[layer].layer;
  const bool is_alone = plan->layers[layer].pipeline == DSM_NO_PIPELINE;
  const bool has_weights = of->weight_elements > 0 && !of->is_tied;
  if (is_alone && pass == DSM_PASS_UPDATE && planned->share.data_ways > 1 && has_weights) {
    return update_phase(plan, layer, planned);
  }
  if (is_alone && pass != DSM_PASS_UPDATE && planned->share.turns > 1) {
    return pass == DSM_PASS_FORWARD ? forward_phase(plan, layer, planned)
                                    : backward_phase(plan, layer, planned);
  }
  return (dsm__export_phase){.cycles = planned->cycles.total};
}
