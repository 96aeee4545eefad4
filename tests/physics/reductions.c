/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reductions.c: sums of gradients that are one collective wait for it once: never slower than
 * apart, never faster with more latency, and what layers pay adds up to a latency for each set of
 * axes.
 */
#include <math.h>

#include "physics.h"

/* Axes of several chips along which the chips share samples: a bit for each. */
static unsigned data_axes(const dsm_system *system, dsm_parallelism parallelism) {
  const dsm_axis_set model = dsm_parallelism_model_axes(parallelism);
  unsigned axes = 0;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const bool is_in = !dsm_axis_set_has(model, a) && system->system.axes[a].chips > 1;
    axes |= is_in ? 1U << a : 0;
  }
  return axes;
}

/* Steps along one axis after the other, or of one ring: along an axis once all members before it
 * have had their turn. */
static double latency_of(const dsm_system *system, unsigned axes) {
  const bool is_ring = system->system.collectives == DSM_COLLECTIVES_RING;
  double us = 0;
  double members = 1; /* along all of them, then along those further out */
  for (unsigned a = 0; is_ring && a < system->system.axis_count; a++) {
    members *= (axes >> a & 1U) != 0 ? (double)system->system.axes[a].chips : 1;
  }
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const dsm_network_axis *const axis = &system->system.axes[a];
    const double chips = (double)axis->chips;
    if ((axes >> a & 1U) != 0) {
      const double nested = (chips - 1) * (axis->both_ways ? 0.5 : 1);
      us += (is_ring ? members - members / chips : nested) * axis->latency_us;
      members /= chips;
    }
  }
  return us * system->core.frequency_GHz * 1000;
}

/* Adds what a layer's collectives are, a bit for each set of axes. */
typedef struct seen_sets {
  unsigned sums;
  unsigned ways_back;
  unsigned ways_back_alone;
} seen_sets;

static void see(seen_sets *seen, const dsm_system *system, const dsm_layer_plan *layer) {
  const dsm_parallelism forward = layer->passes[DSM_PASS_FORWARD].share.parallelism;
  const dsm_parallelism backward =
      layer->layer->has_backward ? layer->passes[DSM_PASS_BACKWARD].share.parallelism : forward;
  const unsigned sum = data_axes(system, layer->passes[DSM_PASS_UPDATE].share.parallelism);
  const unsigned done = system->model.sharded_update ? 0 : sum; /* all of these update all */
  const unsigned way_back = (data_axes(system, forward) | data_axes(system, backward)) & ~done;
  seen->sums |= sum != 0 ? 1U << sum : 0;
  seen->ways_back |= sum != 0 && way_back != 0 ? 1U << way_back : 0;
  seen->ways_back_alone |= sum == 0 && way_back != 0 ? 1U << way_back : 0;
}

static double latency_of_all(const dsm_system *system, const seen_sets *seen) {
  const double base = system->system.collective_base_us * system->core.frequency_GHz * 1000;
  const double times = system->model.sharded_update ? 1 : 2; /* an all-reduce goes round twice */
  double cycles = 0;
  for (unsigned axes = 1; axes < 1U << DSM_AXES_MAX; axes++) {
    cycles += (seen->sums >> axes & 1U) != 0 ? base + times * latency_of(system, axes) : 0;
    cycles += (seen->ways_back >> axes & 1U) != 0 ? latency_of(system, axes) : 0;
    cycles += (seen->ways_back_alone >> axes & 1U) != 0 ? base + latency_of(system, axes) : 0;
  }
  return cycles;
}

/* What the layers of a plan pay is what its collectives take. */
static void expect_shares(physics_log *log, const physics_case *one, const dsm_plan *plan) {
  seen_sets seen = {0, 0, 0};
  double paid = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_pass_plan *const update = &layer->passes[DSM_PASS_UPDATE];
    if (layer->pipeline == DSM_NO_PIPELINE && update->exists && layer->layer->weight_elements > 0) {
      see(&seen, plan->system, layer);
      paid += update->group_latency_cycles[DSM_GROUP_SUM_OF_GRADIENTS] +
              update->group_latency_cycles[DSM_GROUP_BROADCAST_WEIGHTS];
    }
  }
  const double due = latency_of_all(plan->system, &seen);
  physics_expect(log, one, "latency of collectives", physics_is_close(paid, due), paid, due);
}

static dsm_system with_latency(const physics_case *one, double latency_us) {
  dsm_system system = one->system;
  for (unsigned a = 0; a < system.system.axis_count; a++) {
    system.system.axes[a].latency_us = latency_us / (1 + a);
  }
  system.system.collective_base_us = 2 * latency_us;
  system.model.fused_reductions = false;
  for (int p = 0; p < DSM_PROTOCOL_COUNT; p++) { /* without them latency is known of all layers */
    system.system.protocols[p].efficiency_ratio = 0;
  }
  return system;
}

void physics_fused(physics_log *log, const physics_case *one) {
  static const double latencies_us[] = {0.001, 0.1, 2, 100};
  double before = 0;
  for (size_t i = 0; i < sizeof latencies_us / sizeof latencies_us[0]; i++) {
    dsm_system system = with_latency(one, latencies_us[i]);
    dsm_plan *const apart = physics_explore(one, &system);
    system.model.fused_reductions = true;
    dsm_plan *const fused = physics_explore(one, &system);
    if (apart != NULL && fused != NULL) {
      const double found = fused->result.step_cycles;
      const double limit = apart->result.step_cycles;
      const bool is_valid = dsm_plan_validate(fused, NULL) == DSM_OK;
      physics_log_plan(log, one, fused);
      physics_expect(log, one, "fused", physics_at_most(found, limit), found, limit);
      physics_expect(log, one, "more latency", physics_at_most(before, found), before, found);
      physics_expect(log, one, "a valid plan", is_valid, is_valid, 1);
      if (one->options.mode == DSM_MODE_TRAINING) {
        expect_shares(log, one, fused);
      }
      before = found;
    }
    dsm_plan_free(apart);
    dsm_plan_free(fused);
  }
}

/* What a plan sums, hidden or not, and of that what shows. */
static double once_cycles(const dsm_plan *plan, bool is_hidden_too) {
  double cycles = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_pass_plan *const update = &plan->layers[i].passes[DSM_PASS_UPDATE];
    if (update->exists) {
      cycles += update->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] +
                update->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS];
      cycles += is_hidden_too ? update->hidden_cycles : 0;
    }
  }
  return cycles;
}

void physics_overlapped(physics_log *log, const physics_case *one) {
  static const double latencies_us[] = {0, 0.1, 100};
  for (size_t i = 0; i < sizeof latencies_us / sizeof latencies_us[0]; i++) {
    dsm_system system = with_latency(one, latencies_us[i]);
    system.model.fused_reductions = one->seed % 2 == 0;
    dsm_plan *const apart = physics_explore(one, &system);
    system.model.overlapped_reduction = true;
    dsm_plan *const overlapped = physics_explore(one, &system);
    if (apart != NULL && overlapped != NULL) {
      const double found = overlapped->result.step_cycles;
      const double limit = apart->result.step_cycles;
      const double bound = overlapped->result.lower_bound_cycles;
      const double visible = once_cycles(overlapped, false);
      const double all = once_cycles(overlapped, true);
      const bool is_valid = dsm_plan_validate(overlapped, NULL) == DSM_OK;
      physics_log_plan(log, one, overlapped);
      physics_expect(log, one, "overlapped", physics_at_most(found, limit), found, limit);
      physics_expect(log, one, "the bound", physics_at_most(bound, found), bound, found);
      physics_expect(log, one, "what is visible", physics_at_most(visible, all), visible, all);
      physics_expect(log, one, "a valid plan", is_valid, is_valid, 1);
      if (overlapped->pipeline_count == 0) { /* one machine that computes, and one that sums */
        physics_expect(log, one, "the chain", physics_at_most(all, found), all, found);
      }
    }
    dsm_plan_free(apart);
    dsm_plan_free(overlapped);
  }
}
