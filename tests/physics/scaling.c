/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scaling.c: everything c times as fast takes 1/c of the time. */
#include <math.h>

#include "physics.h"

static const double factors[] = {0.25, 2, 3, 1.7, 1000};
enum { FACTORS = sizeof factors / sizeof factors[0], TRIED = 2 };

static const double tolerance = 1e-12;

void physics_scaling(physics_log *log, const physics_case *one) {
  dsm_plan *const plan = physics_explore(one, &one->system);
  for (uint64_t i = 0; plan != NULL && i < TRIED; i++) {
    const double factor = factors[(one->seed + i) % FACTORS];
    dsm_system system = one->system;
    system.core.frequency_GHz *= factor;
    system.core.tile_startup_us /= factor;
    system.core.attention_tile_us /= factor;
    system.core.attention_floor_us /= factor;
    system.core.kernel_floor_us /= factor;
    system.core.scratchpad_bandwidth_GBps *= factor;
    system.core.operation_overhead_us /= factor;
    system.chip.core_link_bandwidth_GBps *= factor;
    system.chip.memory.bandwidth_GBps *= factor;
    system.chip.shared_memory.bandwidth_GBps *= factor;
    system.system.collective_base_us /= factor;
    for (int p = 0; p < DSM_PROTOCOL_COUNT; p++) {
      system.system.protocols[p].base_us /= factor;
      system.system.protocols[p].step_us /= factor;
      system.system.protocols[p].most_GBps *= factor;
    }
    for (unsigned a = 0; a < system.system.axis_count; a++) {
      system.system.axes[a].bandwidth_GBps *= factor;
      system.system.axes[a].latency_us /= factor;
    }
    dsm_plan *const scaled = physics_explore(one, &system);
    const double limit = plan->result.step_seconds;
    const double found = scaled == NULL ? HUGE_VAL : scaled->result.step_seconds * factor;
    physics_expect(log, one, "time", fabs(found - limit) <= tolerance * limit, found, limit);
    dsm_plan_free(scaled);
  }
  if (plan != NULL) {
    physics_log_plan(log, one, plan);
  }
  dsm_plan_free(plan);
}
