/* SPDX-License-Identifier: GPL-3.0-or-later */
/* more.c: more of a resource is never slower. */
#include <math.h>

#include "physics.h"

typedef void giver(dsm_system *system);
/* May the property fail, and does docs/physics.md say why? */
typedef bool excuse(const physics_case *one, const dsm_plan *before);

static void give_link_x(dsm_system *system) {
  system->system.axes[0].bandwidth_GBps *= 2;
}
static void give_link_y(dsm_system *system) {
  system->system.axes[1].bandwidth_GBps *= 2;
}
static void give_link_z(dsm_system *system) {
  system->system.axes[2].bandwidth_GBps *= 2;
}
static void give_link_efficiency(dsm_system *system) {
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    system->system.axes[a].efficiency_ratio = sqrt(system->system.axes[a].efficiency_ratio);
  }
}
static void give_latency(dsm_system *system) {
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    system->system.axes[a].latency_us /= 2;
  }
}
static void give_collective_base(dsm_system *system) {
  system->system.collective_base_us /= 2;
}
static void give_protocol_latency(dsm_system *system) {
  system->system.protocol_latency_ratio /= 2;
}
static void give_protocol_efficiency(dsm_system *system) {
  for (int p = 0; p < DSM_PROTOCOL_COUNT; p++) {
    system->system.protocols[p].efficiency_ratio =
        sqrt(system->system.protocols[p].efficiency_ratio);
  }
}
static void give_protocol_limit(dsm_system *system) {
  for (int p = 0; p < DSM_PROTOCOL_COUNT; p++) {
    system->system.protocols[p].most_GBps *= 2;
  }
}
static void give_links_between_groups(dsm_system *system) {
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    system->system.axes[a].oversubscription = sqrt(system->system.axes[a].oversubscription);
    system->system.axes[a].global_links *= 2;
  }
}
static void give_memory_bandwidth(dsm_system *system) {
  system->chip.memory.bandwidth_GBps *= 2;
}
static void give_memory_efficiency(dsm_system *system) {
  const double doubled = system->chip.memory.efficiency_ratio * 2;
  system->chip.memory.efficiency_ratio = doubled < 1 ? doubled : 1;
}
static void give_memory_capacity(dsm_system *system) {
  system->chip.memory.capacity_GB *= 2;
}
static void give_shared_capacity(dsm_system *system) {
  system->chip.shared_memory.capacity_MB *= 2;
}
static void give_some_shared_capacity(dsm_system *system) {
  system->chip.shared_memory.capacity_MB *= 1.01;
}
static void give_shared_bandwidth(dsm_system *system) {
  system->chip.shared_memory.bandwidth_GBps *= 2;
}
static void give_core_link(dsm_system *system) {
  system->chip.core_link_bandwidth_GBps *= 2;
}
static void give_scratchpad(dsm_system *system) {
  system->core.scratchpad_MiB *= 2;
}
static void give_some_scratchpad(dsm_system *system) {
  system->core.scratchpad_MiB *= 1.01;
}
static void give_streaming_buffer(dsm_system *system) {
  system->core.streaming_buffer_KiB /= 2; /* to what is held and preloaded */
}
static void give_scratchpad_bandwidth(dsm_system *system) {
  system->core.scratchpad_bandwidth_GBps *= 2;
}
static void give_sfu(dsm_system *system) {
  system->core.sfu_ops_per_cycle *= 2;
}
static void give_auxiliary_memory(dsm_system *system) {
  const dsm_memory *const memory = &system->chip.memory;
  const double own = memory->auxiliary_efficiency_ratio;
  const double doubled = (own > 0 ? own : memory->efficiency_ratio) * 2;
  system->chip.memory.auxiliary_efficiency_ratio = doubled < 1 ? doubled : 1;
}
static void give_less_auxiliary_traffic(dsm_system *system) {
  for (int k = 0; k < DSM_OPERATION_COUNT; k++) {
    system->model.traffic[k].forward /= 2;
    system->model.traffic[k].backward /= 2;
  }
}
static void give_overhead(dsm_system *system) {
  system->core.operation_overhead_us /= 2;
  system->core.attention_floor_us /= 2;
  system->core.kernel_floor_us /= 2;
}
static void give_startup(dsm_system *system) {
  system->array.startup_cycles /= 2;
}
static void give_block_changes(dsm_system *system) {
  system->array.block_cycles /= 2;
}
static void give_array_efficiency(dsm_system *system) {
  system->array.efficiency_ratio = sqrt(system->array.efficiency_ratio);
}
static void give_tile_startup(dsm_system *system) {
  system->core.tile_startup_us /= 2;
  system->core.attention_tile_us /= 2;
}
static void give_tile_shapes(dsm_system *system) {
  system->core.tile_most_elements *= 2;
}
static void give_shared_operands(dsm_system *system) {
  system->core.shared_operands *= 2;
}
static void give_blocked_tiles(dsm_system *system) {
  system->model.tiling = DSM_TILING_BLOCKED;
}
static void give_whole_tiles(dsm_system *system) {
  system->chip.memory.tile_minor = 1;
  system->chip.memory.tile_second = 1;
  system->chip.memory.stacks = 1;
}
static void give_sustained_clock(dsm_system *system) {
  system->core.sustained_frequency_ratio = sqrt(system->core.sustained_frequency_ratio);
}
static void give_arrays(dsm_system *system) {
  system->core.arrays *= 2;
}
static void give_rates(dsm_system *system) {
  for (int t = 0; t < DSM_ELEMENT_TYPE_COUNT; t++) {
    system->pe.rates[t] *= 2;
  }
}
static void give_vector_unit(dsm_system *system) {
  system->core.vector_macs_per_cycle = system->core.vector_macs_per_cycle * 2 + 1;
}
static void give_clock(dsm_system *system) {
  system->core.frequency_GHz *= 2;
}
static void give_clock_and_bandwidths(dsm_system *system) {
  give_clock(system);
  give_link_x(system);
  give_link_y(system);
  give_link_z(system);
  give_memory_bandwidth(system);
  give_shared_bandwidth(system);
  give_core_link(system);
  give_scratchpad_bandwidth(system);
}
static void give_rows(dsm_system *system) {
  system->array.rows *= 2;
}
static void give_columns(dsm_system *system) {
  system->array.columns *= 2;
}
static void give_cores(dsm_system *system) {
  system->chip.cores *= 2;
}

static bool is_pipeline_loose(const physics_case *one, const dsm_plan *before) {
  return physics_is_pipeline_loose(one, before);
}

static bool never(const physics_case *one, const dsm_plan *before) {
  (void)one;
  (void)before;
  return false;
}

/* A larger array loads its weights longer at the same scratchpad bandwidth. */
static bool loads_longer(const physics_case *one, const dsm_plan *before) {
  return physics_is_pipeline_loose(one, before) || one->system.array.weights_from_scratchpad;
}

/* Can twice the cores share the work of an invocation without one more partial sum? */
static bool can_share_twice(const dsm_pass_plan *pass, dsm_pass which, const dsm_loops *split) {
  const bool was_valid = dsm_split_is_valid(&pass->share, split);
  bool can = false;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    dsm_loops twice = *split;
    twice.n[d] *= 2;
    const bool is_candidate = !was_valid || dsm_split_is_valid(&pass->share, &twice);
    can = can || (is_candidate && !physics_adds_sums(which, (dsm_dim)d));
  }
  return can;
}

/* Twice the cores need parts for all of them, and move and sum more where that is charged. Tiles
 * have to share the ring among them, and may be too few for them. */
static bool lacks_parts(const physics_case *one, const dsm_plan *before) {
  const dsm_assumptions *const model = &one->system.model;
  bool lacks = physics_is_pipeline_loose(one, before) || model->statistics_sums ||
               model->tile_schedule || model->layout_move != DSM_LAYOUT_MOVE_NONE;
  for (size_t i = 0; i < before->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &before->layers[i].passes[p];
      for (unsigned k = 0; pass->exists && k < pass->invocation_count; k++) {
        lacks = lacks || !can_share_twice(pass, (dsm_pass)p, &pass->invocations[k].split);
      }
    }
  }
  return lacks;
}

/* Preloaded weights take whole 32nds of their room, so that more room can leave less beside them.
 */
static bool preloads(const physics_case *one, const dsm_plan *before) {
  bool does = physics_is_pipeline_loose(one, before);
  for (size_t i = 0; i < before->layer_count; i++) {
    does = does || before->layers[i].decisions.weights_on_chip > 0;
  }
  return does;
}

/* Tiles of all loops leave no room for weights in a shared memory (section 10). */
static bool preloads_into_shared(const physics_case *one, const dsm_plan *before) {
  return physics_is_pipeline_loose(one, before) ||
         (one->system.chip.shared_memory.capacity_MB > 0 && preloads(one, before));
}

static const struct {
  const char *name;
  giver *give;
  excuse *may_fail;
} resources[] = {
    {"link_x", give_link_x, is_pipeline_loose},
    {"link_y", give_link_y, is_pipeline_loose},
    {"link_z", give_link_z, is_pipeline_loose},
    {"link efficiency", give_link_efficiency, is_pipeline_loose},
    {"latency", give_latency, is_pipeline_loose},
    {"links between groups", give_links_between_groups, is_pipeline_loose},
    {"collective base", give_collective_base, is_pipeline_loose},
    {"protocols' latency", give_protocol_latency, is_pipeline_loose},
    {"protocols' efficiency", give_protocol_efficiency, is_pipeline_loose},
    {"protocols' limit", give_protocol_limit, is_pipeline_loose},
    {"memory bandwidth", give_memory_bandwidth, is_pipeline_loose},
    {"memory efficiency", give_memory_efficiency, is_pipeline_loose},
    {"memory capacity", give_memory_capacity, never},
    {"shared memory", give_shared_capacity, is_pipeline_loose},
    {"1 % of shared memory", give_some_shared_capacity, is_pipeline_loose},
    {"shared memory's bandwidth", give_shared_bandwidth, is_pipeline_loose},
    {"core link", give_core_link, is_pipeline_loose},
    {"scratchpad", give_scratchpad, is_pipeline_loose},
    {"1 % of scratchpad", give_some_scratchpad, is_pipeline_loose},
    {"streaming buffer", give_streaming_buffer, preloads},
    {"scratchpad bandwidth", give_scratchpad_bandwidth, is_pipeline_loose},
    {"sfu", give_sfu, is_pipeline_loose},
    {"memory for auxiliary operations", give_auxiliary_memory, is_pipeline_loose},
    {"overhead", give_overhead, is_pipeline_loose},
    {"auxiliary traffic", give_less_auxiliary_traffic, is_pipeline_loose},
    {"startup", give_startup, is_pipeline_loose},
    {"block changes", give_block_changes, is_pipeline_loose},
    {"array efficiency", give_array_efficiency, is_pipeline_loose},
    {"start of tiles", give_tile_startup, is_pipeline_loose},
    {"shapes of tiles", give_tile_shapes, is_pipeline_loose},
    {"shared operands of tiles", give_shared_operands, is_pipeline_loose},
    {"tiles of all loops", give_blocked_tiles, preloads_into_shared},
    {"no padding in memory", give_whole_tiles, is_pipeline_loose},
    {"clock", give_clock, is_pipeline_loose},
    {"clock and bandwidths", give_clock_and_bandwidths, never},
    {"sustained clock", give_sustained_clock, is_pipeline_loose},
    {"rows", give_rows, loads_longer},
    {"columns", give_columns, loads_longer},
    {"cores", give_cores, lacks_parts},
    {"arrays", give_arrays, loads_longer},
    {"vector unit", give_vector_unit, is_pipeline_loose},
    {"rates of types", give_rates, is_pipeline_loose},
};
enum { RESOURCE_COUNT = sizeof resources / sizeof resources[0], TRIED = 5, STRIDE = 3 };

/* The bound holds of any search; the answer too, unless the search says that it may be off. */
static void check_resource(physics_log *log, const physics_case *one, const dsm_plan *before,
                           size_t which) {
  dsm_system system = one->system;
  resources[which].give(&system);
  dsm_plan *const after = physics_explore(one, &system);
  const double faster = system.core.frequency_GHz / before->system->core.frequency_GHz;
  const double limit = before->result.step_cycles * faster;
  const double found = after == NULL ? HUGE_VAL : after->result.step_cycles;
  const double bound = after == NULL ? HUGE_VAL : after->result.lower_bound_cycles;
  const bool is_open = after != NULL && !physics_is_close(bound, found);
  const bool may_fail = resources[which].may_fail(one, before);
  (may_fail ? physics_excuse : physics_expect)(log, one, resources[which].name,
                                               physics_at_most(bound, limit), bound, limit);
  if (is_open) {
    physics_excuse(log, one, "an answer above its bound", physics_at_most(found, limit), found,
                   limit);
  }
  dsm_plan_free(after);
}

/* Some resources, other ones for each case. */
void physics_more_is_never_slower(physics_log *log, const physics_case *one) {
  dsm_plan *const before = physics_explore(one, &one->system);
  if (before == NULL) {
    return;
  }
  physics_log_plan(log, one, before);
  const uint64_t first = one->seed + 5 * (uint64_t)one->set + 11 * (uint64_t)one->options.mode;
  for (uint64_t r = 0; r < TRIED; r++) {
    check_resource(log, one, before, (size_t)((first + STRIDE * r) % RESOURCE_COUNT));
  }
  dsm_plan_free(before);
}
