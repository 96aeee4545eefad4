/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bound.c: give a pass, or the step, more of what it is bound by, and it gains most. The mapping
 * stays: the plan's own decisions are scored on a system that has one resource a little faster.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics.h"
#include "search/bundled.h"

/* A time t that is all of a resource is t / (1 + step) with so much more of it. */
static const double small_step = 1e-6;
static const double doubling = 1;
/* Of differences of times: rounding of the times, over what a step changes of them. */
static const double rounding = 1e-11;

/* ---- one resource faster ---- */

/* All that is counted in cycles of the arrays but their own work keeps its time in seconds. */
static void speed_arrays(dsm_system *system, double factor) {
  system->core.frequency_GHz *= factor;
  system->array.startup_cycles *= factor;
  system->array.block_cycles *= factor;
  system->core.sfu_ops_per_cycle /= factor;
}

/* The rate of the memory for operations of their own, stated where it was that of all others. */
static void state_auxiliary_ratio(dsm_memory *memory) {
  if (!(memory->auxiliary_efficiency_ratio > 0)) {
    memory->auxiliary_efficiency_ratio = memory->efficiency_ratio;
  }
}

static void speed(dsm_system *system, dsm_bound bound, double factor) {
  if (bound >= DSM_BOUND_AXIS && bound < DSM_BOUND_MEMORY) {
    system->system.axes[bound - DSM_BOUND_AXIS].bandwidth_GBps *= factor;
    return;
  }
  switch (bound) {
  case DSM_BOUND_COMPUTE:
    speed_arrays(system, factor);
    return;
  case DSM_BOUND_MEMORY:
    system->chip.memory.bandwidth_GBps *= factor;
    system->chip.memory.auxiliary_efficiency_ratio /= factor;
    return;
  case DSM_BOUND_OVERHEAD:
    system->core.operation_overhead_us /= factor;
    system->core.attention_floor_us /= factor;
    system->core.kernel_floor_us /= factor;
    system->core.issue_us /= factor;
    return;
  case DSM_BOUND_AUXILIARY_MEMORY:
    system->chip.memory.bandwidth_GBps *= factor;
    system->chip.memory.efficiency_ratio /= factor;
    return;
  case DSM_BOUND_RING:
  case DSM_BOUND_CORES:
    if ((system->chip.interconnect == DSM_INTERCONNECT_RING) == (bound == DSM_BOUND_RING)) {
      system->chip.core_link_bandwidth_GBps *= factor;
    }
    return;
  case DSM_BOUND_SHARED:
    system->chip.shared_memory.bandwidth_GBps *= factor;
    return;
  case DSM_BOUND_AUXILIARY:
    system->core.sfu_ops_per_cycle *= factor;
    return;
  case DSM_BOUND_STARTUP:
    system->array.startup_cycles /= factor;
    system->array.block_cycles /= factor;
    system->core.tile_startup_us /= factor;
    system->core.attention_tile_us /= factor;
    return;
  case DSM_BOUND_SCRATCHPAD:
    system->core.scratchpad_bandwidth_GBps *= factor;
    return;
  case DSM_BOUND_LATENCY:
    system->system.collective_base_us /= factor;
    system->system.protocol_latency_ratio /= factor;
    for (unsigned a = 0; a < system->system.axis_count; a++) {
      system->system.axes[a].latency_us /= factor;
    }
    return;
  case DSM_BOUND_BUBBLE: /* no part of a machine */
    return;
  case DSM_BOUND_AXIS:
  case DSM_BOUND_COUNT:
    break;
  }
  ck_abort_msg("no resource");
}

/* The plan's decisions on another system; NULL where a pipeline has to keep weights with another
 * core split there (section 9). */
static dsm_plan *scored(const dsm_plan *plan, const dsm_system *system) {
  dsm_plan on_other = *plan;
  on_other.system = system;
  char *const text = dsm_plan_print(&on_other);
  dsm_plan *again = NULL;
  const dsm_status status = dsm_plan_parse(&again, text, strlen(text), "plan", NULL, NULL);
  ck_assert(status == DSM_OK || (status == DSM_ERROR_INVALID && plan->pipeline_count > 0));
  free(text);
  return again;
}

/* ---- what that gains ---- */

/* The plan with each resource faster by a step. */
typedef struct faster_plans {
  double step;
  bool is_complete;
  dsm_plan *with[DSM_BOUND_COUNT];
} faster_plans;

static faster_plans make_faster(const dsm_plan *plan, double step) {
  faster_plans made = {.step = step, .is_complete = true};
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    dsm_system system = *plan->system;
    speed(&system, (dsm_bound)b, 1 + step);
    made.with[b] = scored(plan, &system);
    made.is_complete = made.is_complete && made.with[b] != NULL;
  }
  return made;
}

static void free_faster(faster_plans *plans) {
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    dsm_plan_free(plans->with[b]);
  }
}

/* What each resource should gain, and gains, in cycles of the plan's own clock. */
typedef struct gains {
  const char *where;
  dsm_resources spent;
  double cycles;
  dsm_bound bound;
  double step;
  double gained[DSM_BOUND_COUNT];
} gains;

static double clocks(const dsm_plan *plan, const dsm_plan *faster) {
  return plan->system->core.frequency_GHz / faster->system->core.frequency_GHz;
}

static gains gains_of_step(const dsm_plan *plan, const faster_plans *faster) {
  gains g = {.where = "the step",
             .spent = plan->result.resources,
             .cycles = plan->result.step_cycles,
             .bound = dsm_resources_bound(&plan->result.resources),
             .step = faster->step};
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    g.gained[b] = g.cycles - faster->with[b]->result.step_cycles * clocks(plan, faster->with[b]);
  }
  return g;
}

static gains gains_of_pass(const dsm_plan *plan, const faster_plans *faster, size_t layer,
                           int pass) {
  const dsm_pass_plan *const now = &plan->layers[layer].passes[pass];
  gains g = {.where = dsm_pass_name((dsm_pass)pass),
             .spent = now->resources,
             .cycles = now->cycles.total,
             .bound = now->bound,
             .step = faster->step};
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    const dsm_plan *const then = faster->with[b];
    g.gained[b] = g.cycles - then->layers[layer].passes[pass].cycles.total * clocks(plan, then);
  }
  return g;
}

/* What a step takes off the cycles of one resource, if nothing else comes to decide them. */
static double due(const gains *g, int bound) {
  return g->spent.cycles[bound] * g->step / (1 + g->step);
}

static bool is_tied(const gains *g) {
  const double slack = rounding * g->cycles;
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    if (g->gained[b] < due(g, b) - slack) {
      return true;
    }
  }
  return false;
}

static double largest(const gains *g) {
  double most = g->gained[0];
  for (int b = 1; b < DSM_BOUND_COUNT; b++) {
    most = fmax(most, g->gained[b]);
  }
  return most;
}

/*
 * No resource gains more than its cycles allow, whatever the step: of max(a, b) the larger can gain
 * a / 2 and the smaller nothing. A small step gains just that, unless a and b are equal: then the
 * one that is named needs the other beside it.
 */
static void check_gains(physics_log *log, const physics_case *one, const gains *g, bool is_loose) {
  const double slack = rounding * g->cycles;
  /* With twice as much of one thing other tiles can be the fastest, or arrays that share another
   * thing, or the vector unit, which gain more of it. */
  const bool has_choice = one->system.model.tile_schedule ||
                          one->system.chip.shared_memory.capacity_MB > 0 ||
                          one->system.model.tiling == DSM_TILING_BLOCKED ||
                          one->system.core.arrays > 1 || one->system.core.vector_macs_per_cycle > 0;
  is_loose = is_loose || (has_choice && g->step > small_step);
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    const bool holds = g->gained[b] <= due(g, b) + slack;
    (is_loose ? physics_excuse : physics_expect)(log, one, g->where, holds, g->gained[b],
                                                 due(g, b));
  }
  const bool is_most = g->gained[g->bound] >= largest(g) - slack;
  const bool may_fail = is_loose || g->step > small_step || is_tied(g);
  (may_fail ? physics_excuse : physics_expect)(log, one, "the bound", is_most, g->gained[g->bound],
                                               largest(g));
}

static void check_stated(physics_log *log, const physics_case *one, const dsm_plan *plan,
                         double step) {
  faster_plans faster = make_faster(plan, step);
  if (!faster.is_complete) {
    free_faster(&faster);
    return;
  }
  const gains whole = gains_of_step(plan, &faster);
  check_gains(log, one, &whole, physics_is_pipeline_loose(one, plan));
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[i].passes[p].exists && plan->layers[i].pipeline == DSM_NO_PIPELINE) {
        const gains g = gains_of_pass(plan, &faster, i, p);
        check_gains(log, one, &g, false);
      }
    }
  }
  free_faster(&faster);
}

/* Both rates of memory are stated, so that each part of a time has the one that it waits for. */
static void check_step(physics_log *log, const physics_case *one, const dsm_plan *plan,
                       double step) {
  dsm_system system = *plan->system;
  state_auxiliary_ratio(&system.chip.memory);
  dsm_plan *const stated = scored(plan, &system);
  if (stated != NULL) {
    check_stated(log, one, stated, step);
  }
  dsm_plan_free(stated);
}

static void check_sums(physics_log *log, const physics_case *one, const char *where,
                       const dsm_resources *resources, double cycles) {
  double sum = 0;
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    sum += resources->cycles[b];
  }
  physics_expect(log, one, where, physics_is_close(sum, cycles), sum, cycles);
}

static void check_plan(physics_log *log, const physics_case *one, const dsm_plan *plan) {
  physics_log_plan(log, one, plan);
  check_sums(log, one, "resources of the step", &plan->result.resources, plan->result.step_cycles);
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      if (pass->exists) {
        check_sums(log, one, "resources of a pass", &pass->resources, pass->cycles.total);
      }
    }
  }
  check_step(log, one, plan, small_step);
}

void physics_bound(physics_log *log, const physics_case *one) {
  dsm_plan *const plan = physics_explore(one, &one->system);
  if (plan != NULL) {
    check_plan(log, one, plan);
  }
  dsm_plan_free(plan);
}

void physics_bound_doubled(physics_log *log, const physics_case *one) {
  dsm_plan *const plan = physics_explore(one, &one->system);
  if (plan != NULL) {
    physics_log_plan(log, one, plan);
    check_step(log, one, plan, doubling);
  }
  dsm_plan_free(plan);
}

void physics_bound_bundled(physics_log *log, const physics_case *one) {
  static const char *const systems[] = {"torus64",   "torus64_refined", "chip1",
                                        "tpu_v3_32", "tpu_v4_4096",     "dgx_a100"};
  enum { SYSTEMS = sizeof systems / sizeof systems[0] };
  const size_t pair =
      (size_t)(one->seed * PHYSICS_SET_COUNT + one->set) % ((size_t)BUNDLED_NETWORKS * SYSTEMS);
  const dsm_explore_options options = bundled_options(one->options.mode);
  bundled explored = bundled_explore(bundled_networks[pair % BUNDLED_NETWORKS],
                                     systems[pair / BUNDLED_NETWORKS], "64", &options);
  if (explored.status == DSM_OK) {
    physics_case its = *one;
    its.options = options;
    its.workload = explored.workload;
    its.system = *explored.system;
    its.is_limited = false;
    check_plan(log, &its, explored.plan);
  }
  bundled_free(&explored);
}
