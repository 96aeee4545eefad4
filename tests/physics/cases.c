/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases.c: random networks on random systems, with what they are explored with. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brute_force/instance.h"
#include "physics.h"
#include "random_numbers.h"
#include "random_protocols.h"
#include "refined_keys.h"
#include "search/given.h"
#include "search/random_network.h"

enum { TEXT_MAX = 1024 };

static bool chance(uint64_t *state, uint64_t percent) {
  return random_below(state, 100) < percent;
}

static double pick(uint64_t *state, const double *values, size_t count) {
  return values[random_below(state, count)];
}
#define PICK(state, values) pick(state, values, sizeof(values) / sizeof((values)[0]))

/* The torus of two axes that the properties are about, in place of others. */
static void make_torus(dsm_network *network) {
  static const char *const names[] = {"x", "y"};
  dsm_network torus = {.topology = DSM_TOPOLOGY_TORUS_2D, .axis_count = 2};
  for (unsigned a = 0; a < torus.axis_count; a++) {
    const bool is_there = a < network->axis_count;
    torus.axes[a] =
        (dsm_network_axis){.name = names[a],
                           .chips = is_there ? network->axes[a].chips : 1,
                           .bandwidth_GBps = network->axes[is_there ? a : 0].bandwidth_GBps,
                           .efficiency_ratio = 1,
                           .chips_per_port = 1};
  }
  *network = torus;
}

/* One to three axes of links of any kind, collectives of any kind, and what they wait for. */
static void make_axes(dsm_network *network, uint64_t *state) {
  static const char *const names[DSM_AXES_MAX] = {"x", "y", "z"};
  static const double sides[] = {1, 2, 2, 3, 4};
  static const double bandwidths_GBps[] = {1, 4, 12, 40, 200};
  static const double latencies_us[] = {0, 0, 0.01, 0.2};
  static const double ports[] = {1, 2, 4};
  *network = (dsm_network){
      .topology = DSM_TOPOLOGY_AXES,
      .axis_count = 1 + (unsigned)random_below(state, DSM_AXES_MAX),
      .collectives = (dsm_collectives)random_below(state, DSM_COLLECTIVES_COUNT),
      .collective_order = (dsm_collective_order)random_below(state, DSM_COLLECTIVE_ORDER_COUNT),
      .collective_base_us = PICK(state, latencies_us),
      .in_network_reduction = chance(state, 25),
  };
  for (unsigned a = 0; a < network->axis_count; a++) {
    network->axes[a] = (dsm_network_axis){
        .name = names[a],
        .chips = (uint64_t)PICK(state, sides),
        .bandwidth_GBps = PICK(state, bandwidths_GBps),
        .efficiency_ratio = chance(state, 50) ? 1 : 0.75,
        .latency_us = PICK(state, latencies_us),
        .link = (dsm_link_kind)random_below(state, DSM_LINK_KIND_COUNT),
        .both_ways = chance(state, 30),
        .chips_per_port = a == 0 ? 1 : (uint64_t)PICK(state, ports),
        .group_chips = (uint64_t)PICK(state, ports),
        .oversubscription = PICK(state, ports),
        .global_links = PICK(state, ports),
    };
  }
  random_protocols(network, *state);
}

/* 2 to 4 layers of every type, with all auxiliary operations, on systems of any shape. */
static void make_small(physics_case *one) {
  instance *const text = malloc(sizeof *text);
  ck_assert_ptr_nonnull(text);
  instance_make_full(text, one->seed, INSTANCE_ALL, 0);
  ck_assert_int_eq(dsm_workload_parse(&one->workload, text->workload_json,
                                      strlen(text->workload_json), "workload", NULL, 0, NULL),
                   DSM_OK);
  ck_assert_int_eq(dsm_system_parse(&one->given, text->system_json, strlen(text->system_json),
                                    "system", NULL, 0, NULL),
                   DSM_OK);
  if (one->given->system.topology == DSM_TOPOLOGY_AXES) {
    make_torus(&one->given->system);
  }
  free(text);
}

/* 5 to 14 layers with branches, concatenations and shortcuts, where holding and DySM pay. */
static void make_large(physics_case *one) {
  const random_case made = random_case_make(one->seed);
  one->workload = made.workload;
  one->given = made.system;
}

static const char *pick_word(uint64_t *state, const char *const *words, size_t count) {
  return words[random_below(state, count)];
}
#define PICK_WORD(state, words) pick_word(state, words, sizeof(words) / sizeof((words)[0]))

/* 2 to 4 lstm layers and perhaps an fc, where starting up is dear, weights are kept and pipelines
 * pay. */
static void make_recurrent(physics_case *one) {
  static const char *const sizes[] = {"8", "16", "24", "40", "64"};
  static const char *const timesteps[] = {"2", "4", "16", "40"};
  static const char *const minibatches[] = {"4", "8", "16", "24"};
  static const char *const startups[] = {"40", "200", "1000"};
  static const char *const scratchpads[] = {"0.01", "0.03", "0.0625", "0.25"};
  static const char *const bandwidths_GBps[] = {"2", "8", "40"};
  static const char *const rows[] = {"2", "3", "4", "6", "8"};
  uint64_t state = one->seed;
  char text[TEXT_MAX] = "";
  size_t length = 0;
  const char *const steps = PICK_WORD(&state, timesteps);
  const size_t count = 2 + random_below(&state, 3);
  const bool has_end = chance(&state, 40);
  const char *in = PICK_WORD(&state, sizes);
  for (size_t i = 0; i < count + (has_end ? 1 : 0); i++) {
    const char *const out = PICK_WORD(&state, sizes);
    const int written =
        snprintf(text + length, sizeof text - length,
                 "%s{'name': 'l%zu', 'type': '%s', 'in': %s, 'out': %s, 'timesteps': %s}",
                 i == 0 ? "" : ", ", i, i < count ? "lstm" : "fc", in, out, steps);
    length += (size_t)written;
    ck_assert_uint_lt(length, sizeof text);
    in = out;
  }
  const dsm_override values[] = {
      {"array.startup_cycles", PICK_WORD(&state, startups), NULL},
      {"core.scratchpad_MiB", PICK_WORD(&state, scratchpads), NULL},
      {"chip.memory.bandwidth_GBps", PICK_WORD(&state, bandwidths_GBps), NULL},
      {"system.chips_y", PICK_WORD(&state, rows), NULL},
  };
  one->workload = given_network(PICK_WORD(&state, minibatches), text);
  one->given = given_system(values, sizeof values / sizeof values[0]);
}

/* The systems of all kinds are varied in what theirs leave alone. */
static void vary_system(dsm_system *system, uint64_t *state) {
  static const double sides[] = {1, 1, 2, 2, 3, 4, 6};
  static const double cores[] = {1, 2, 4, 4, 6, 8};
  static const double bandwidths_GBps[] = {1, 4, 12, 40, 200};
  static const double crossings[] = {1, 2};
  if (chance(state, 40)) {
    system->system.axes[0].chips = (uint64_t)PICK(state, sides);
    system->system.axes[1].chips = (uint64_t)PICK(state, sides);
    system->chip.cores = (uint64_t)PICK(state, cores);
  }
  if (chance(state, 50)) {
    system->system.axes[0].bandwidth_GBps = PICK(state, bandwidths_GBps);
    system->system.axes[1].bandwidth_GBps = PICK(state, bandwidths_GBps);
    system->chip.core_link_bandwidth_GBps = PICK(state, bandwidths_GBps);
    system->model.reduce_ring_crossings = PICK(state, crossings);
  }
}

/* Every third has its cores joined by something else than a ring; a core alone may get company. */
static void vary_interconnect(dsm_system *system, uint64_t seed) {
  if (system->chip.interconnect == DSM_INTERCONNECT_NONE && system->chip.cores > 1) {
    system->chip.interconnect = DSM_INTERCONNECT_RING;
  }
  static const dsm_interconnect others[] = {DSM_INTERCONNECT_CROSSBAR, DSM_INTERCONNECT_MESH};
  if (seed % 3 == 0) {
    system->chip.interconnect = others[seed / 3 % 2];
  } else if (system->chip.interconnect == DSM_INTERCONNECT_NONE) {
    system->chip.interconnect = DSM_INTERCONNECT_RING;
  }
}

/* Some have cores of several arrays, a vector unit, or another rate of the workload's type. */
static void vary_cores(dsm_system *system, uint64_t seed) {
  system->core.arrays = seed % 5 == 2 ? 2 + seed % 3 : 1;
  system->pe.rates[DSM_ELEMENT_TYPE_FP16] = seed % 4 == 1 ? 2 : seed % 4 == 2 ? 0.5 : 1;
  system->core.vector_macs_per_cycle = seed % 7 == 3 ? (double)(1 << seed % 6) : 0;
  system->core.sustained_frequency_ratio = seed % 5 == 4 ? 0.8 : 1;
  system->core.shared_operands = seed % 6 == 5 ? 3 : 1;
  system->core.kernel_floor_us = seed % 3 == 1 ? 0.02 : 0;
}

/* Some have a memory that all cores of a chip share, with more or less room than their scratchpads
 * together. */
static void vary_shared_memory(dsm_system *system, uint64_t seed) {
  static const double ratios[] = {0.25, 1, 4};
  static const double bandwidths_GBps[] = {4, 40, 400};
  if (seed % 4 == 3 || seed % 10 == 6) {
    system->chip.shared_memory.capacity_MB =
        ratios[seed / 4 % 3] * system->core.scratchpad_MiB * (double)system->chip.cores * 1.048576;
    system->chip.shared_memory.bandwidth_GBps = bandwidths_GBps[seed / 12 % 3];
  }
}

static dsm_explore_options options_of(uint64_t *state, dsm_mode mode) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  const dsm_optimization_set some = (dsm_optimization_set)random_next(state);
  options.optimizations = dsm_mode_optimizations(mode);
  options.optimizations &= chance(state, 60) ? DSM_OPTIMIZATION_ALL : some;
  return options;
}

/* Less memory than what the fastest mapping needs, and in which something may still fit. */
static void limit_memory(physics_case *one, uint64_t *state) {
  static const double fractions[] = {0.6, 0.8, 0.9, 0.97};
  dsm_plan *const free_plan = physics_explore(one, &one->system);
  if (free_plan != NULL) {
    const double need_GB = free_plan->result.memory.total_bytes / 1e9;
    one->system.chip.memory.capacity_GB = need_GB * PICK(state, fractions);
    one->is_limited = true;
  }
  dsm_plan_free(free_plan);
}

physics_case physics_case_make(uint64_t seed, physics_set set, dsm_mode mode) {
  physics_case one = {.seed = seed, .set = set};
  uint64_t state = seed * 8 + (uint64_t)mode;
  if (seed % 2 == 0) {
    make_small(&one);
  } else if (seed % 4 == 1) {
    make_large(&one);
  } else {
    make_recurrent(&one);
  }
  one.system = *one.given;
  vary_system(&one.system, &state);
  one.system.model.overlapped_reduction = false; /* reductions.c is about it alone */
  vary_interconnect(&one.system, seed);
  vary_cores(&one.system, seed);
  vary_shared_memory(&one.system, seed);
  refined_keys_apply(&one.system, set, seed);
  if (set == PHYSICS_AXES) {
    make_axes(&one.system.system, &state);
    one.system.model.tile_schedule = one.system.model.tile_schedule || chance(&state, 30);
  }
  one.options = options_of(&state, mode);
  if (chance(&state, 25)) {
    limit_memory(&one, &state);
  }
  return one;
}

void physics_case_free(physics_case *one) {
  dsm_workload_free(one->workload);
  dsm_system_free(one->given);
}

dsm_plan *physics_explore(const physics_case *one, const dsm_system *system) {
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_explore(&plan, one->workload, system, &one->options, NULL);
  ck_assert_msg(status == DSM_OK || status == DSM_ERROR_INFEASIBLE, "%s", dsm_status_name(status));
  return plan;
}

bool physics_is_pipeline_loose(const physics_case *one, const dsm_plan *plan) {
  const bool may_keep =
      (one->options.optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE)) != 0;
  bool is_loose = false;
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    const dsm_layer *const first = plan->layers[plan->pipelines[g].first_layer].layer;
    is_loose = is_loose || (may_keep && first->timesteps > 1);
  }
  return is_loose;
}

bool physics_adds_sums(dsm_pass pass, dsm_dim dim) {
  static const bool adds[DSM_PASS_COUNT][DSM_DIM_COUNT] = {
      [DSM_PASS_FORWARD] = {[DSM_DIM_IN] = true, [DSM_DIM_KIJ] = true},
      [DSM_PASS_BACKWARD] = {[DSM_DIM_OUT] = true, [DSM_DIM_KIJ] = true},
      [DSM_PASS_UPDATE] = {[DSM_DIM_IJ] = true, [DSM_DIM_MB] = true},
  };
  return adds[pass][dim];
}
