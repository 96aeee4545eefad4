/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * issue.c: a pass of the network takes what its layers take, or what issuing its kernels takes, the
 * longer; the mapping is that of a machine that issues at once.
 */
#include <math.h>

#include "physics.h"

/* Kernels of an invocation, from the workload alone. */
static double kernels_of_one(const physics_case *one, const dsm_layer *layer, int pass) {
  const dsm_assumptions *const model = &one->system.model;
  const bool is_unfused = model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_UNFUSED;
  const bool is_forward = pass == DSM_PASS_FORWARD;
  const bool *const has = layer->has_op;
  const bool is_batch_norm = has[DSM_AUX_BATCH_NORM] && one->options.mode == DSM_MODE_TRAINING;
  const bool has_norm = has[DSM_AUX_BATCH_NORM] || has[DSM_AUX_LAYER_NORM] || has[DSM_AUX_RMS_NORM];
  const bool is_fused = model->fused_attention && layer->is_score;
  const bool drops = has[DSM_AUX_DROPOUT] && one->options.mode == DSM_MODE_TRAINING;
  const int activations = has[DSM_AUX_BATCH_NORM]
                              ? 0
                              : has[DSM_AUX_SIGMOID] + has[DSM_AUX_TANH] + has[DSM_AUX_GELU] +
                                    has[DSM_AUX_SILU] + (has[DSM_AUX_RELU] && !has_norm);
  const int numbers[DSM_OPERATION_COUNT] = {
      [DSM_OPERATION_ACTIVATION] = activations,
      [DSM_OPERATION_RESIDUAL] = has[DSM_AUX_RESIDUAL],
      [DSM_OPERATION_FORK] = layer->fork_elements > 0,
      [DSM_OPERATION_MULTIPLY] = has[DSM_AUX_MULTIPLY],
      [DSM_OPERATION_DROPOUT] = drops && !is_fused,
      [DSM_OPERATION_COPY] = has[DSM_AUX_COPY],
      [DSM_OPERATION_SPLIT] = has[DSM_AUX_SPLIT],
      [DSM_OPERATION_ROTARY] = layer->rotated_elements > 0,
  };
  double kernels = model->fused_attention && layer->reads_score ? 0 : 1;
  if (layer->gates > 0 || (pass == DSM_PASS_UPDATE && layer->has_backward)) {
    return kernels;
  }
  kernels += is_batch_norm + has[DSM_AUX_LAYER_NORM] + has[DSM_AUX_RMS_NORM];
  kernels += (has[DSM_AUX_SOFTMAX] && !is_fused) + (layer->input_op_elements > 0);
  kernels += has[DSM_AUX_CROSS_ENTROPY];
  for (int k = 0; is_unfused && k < DSM_OPERATION_COUNT; k++) {
    const double moved = is_forward ? model->traffic[k].forward : model->traffic[k].backward;
    kernels += moved > 0 ? numbers[k] : 0;
  }
  return kernels;
}

static double kernels_of(const physics_case *one, const dsm_layer_plan *layer, int pass) {
  const bool is_cut = layer->layer->timesteps == 1 && layer->decisions.dysm_factor > 1;
  const double factor = is_cut ? (double)layer->decisions.dysm_factor : 1;
  return layer->passes[pass].exists ? kernels_of_one(one, layer->layer, pass) * factor *
                                          (double)dsm_invocation_count(layer->layer, (dsm_pass)pass)
                                    : 0;
}

/* Of a network without stages. */
static double due_of(const physics_case *one, const dsm_plan *plan, double issue_cycles) {
  double due = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    double cycles = 0;
    double kernels = 0;
    for (size_t i = 0; i < plan->layer_count; i++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      cycles += pass->exists ? pass->cycles.total : 0;
      kernels += kernels_of(one, &plan->layers[i], p);
    }
    due += fmax(cycles, kernels * issue_cycles);
  }
  return due;
}

void physics_issue(physics_log *log, const physics_case *one) {
  static const double issues_us[] = {0.001, 0.05, 1, 100};
  enum { ISSUES = sizeof issues_us / sizeof issues_us[0] };
  dsm_plan *const plan = physics_explore(one, &one->system);
  double before = plan == NULL ? 0 : plan->result.step_cycles;
  if (plan != NULL) {
    physics_log_plan(log, one, plan);
  }
  for (size_t i = 0; plan != NULL && i < ISSUES; i++) {
    dsm_system system = one->system;
    system.core.issue_us = issues_us[i];
    dsm_plan *const issued = physics_explore(one, &system);
    const double found = issued == NULL ? HUGE_VAL : issued->result.step_cycles;
    const double due = due_of(one, plan, issues_us[i] * system.core.frequency_GHz * 1000);
    const bool is_valid = issued != NULL && dsm_plan_validate(issued, NULL) == DSM_OK;
    if (plan->pipeline_count == 0) {
      physics_expect(log, one, "the step", physics_is_close(found, due), found, due);
    }
    physics_expect(log, one, "slower issue", physics_at_most(before, found), before, found);
    physics_expect(log, one, "a valid plan", is_valid, is_valid, 1);
    before = found;
    dsm_plan_free(issued);
  }
  dsm_plan_free(plan);
}
