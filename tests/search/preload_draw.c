/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload_draw.c: instances for the twin of preloading. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plan/core_splits.h"
#include "preload_twin.h"
#include "random_numbers.h"

preload_twin preload_twin_of(const char *layers, const char *minibatch,
                             const dsm_override *overrides, size_t override_count) {
  char path[512];
  char text[2048];
  preload_twin twin = {0};
  snprintf(path, sizeof path, "%s/systems/chip1.json", DSM_SOURCE_DIR);
  const int length =
      snprintf(text, sizeof text,
               "{\"format\": \"dsm-workload/1\", \"name\": \"twin\", \"minibatch\": %s, "
               "\"element_bytes\": 2, \"layers\": [%s]}",
               minibatch, layers);
  ck_assert_int_lt(length, (int)sizeof text);
  ck_assert_int_eq(dsm_workload_parse(&twin.workload, text, (size_t)length, "twin", NULL, 0, NULL),
                   DSM_OK);
  ck_assert_int_eq(dsm_system_load(&twin.system, path, overrides, override_count, NULL), DSM_OK);
  ck_assert_uint_le(twin.workload->layer_count, TWIN_LAYERS_MAX);
  twin.machine = dsm_machine_derive(twin.system);
  dsm_explore_options_init(&twin.options);
  twin.options.mode = DSM_MODE_INFERENCE;
  twin.options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) |
                               DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE) |
                               DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
  dsm__arena *const arena = dsm__arena_new();
  dsm__core_splits splits;
  ck_assert(dsm__core_splits_enumerate(&splits, twin.system->chip.cores, arena));
  ck_assert_uint_le(splits.count, TWIN_SPLITS_MAX);
  memcpy(twin.splits, splits.items, splits.count * sizeof splits.items[0]);
  twin.split_count = splits.count;
  dsm__arena_free(arena);
  return twin;
}

void preload_twin_free(preload_twin *twin) {
  dsm_workload_free(twin->workload);
  dsm_system_free(twin->system);
}

static uint64_t pick(const uint64_t *values, size_t count, uint64_t *state) {
  return values[random_below(state, count)];
}

/* Every second instance has some of the refined equations of a layer. */
static void draw_model(dsm_assumptions *model, uint64_t *state) {
  if (random_below(state, 2) == 0) {
    return;
  }
  model->layout_move = random_below(state, 2) == 0 ? DSM_LAYOUT_MOVE_NONE : DSM_LAYOUT_MOVE_ALWAYS;
  model->resident_operands = random_below(state, 2) == 0;
  model->exact_rotation = random_below(state, 2) == 0;
  model->two_way_relayout = random_below(state, 2) == 0;
  model->statistics_sums = random_below(state, 2) == 0;
  model->partial_sum_bytes = random_below(state, 2) == 0 ? 0 : 4;
}

/* A chain: convolutions, then layers without positions; some with timesteps. */
static void draw_layers(char *text, size_t size, uint64_t *state) {
  static const uint64_t features[] = {4, 8, 16, 24, 32, 48, 64};
  enum { FEATURES = sizeof features / sizeof features[0] };
  const uint64_t count = 2 + random_below(state, 3);
  const uint64_t convs = random_below(state, count + 1);
  const uint64_t side = 2 + random_below(state, 5);
  const bool is_recurrent = convs == 0 && random_below(state, 2) == 0;
  const uint64_t timesteps = is_recurrent ? 6 : 1;
  uint64_t in = pick(features, FEATURES, state);
  uint64_t delivered = 0; /* by the first layer, in each timestep */
  size_t used = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t out = pick(features, FEATURES, state);
    const char *const comma = i == 0 ? "" : ",";
    if (i < convs) {
      used += (size_t)snprintf(
          text + used, size - used,
          "%s{\"name\":\"l%d\",\"type\":\"conv\",\"in\":%d,\"out\":%d,\"feature\":[%d,%d],"
          "\"kernel\":[3,3]%s}",
          comma, (int)i, (int)in, (int)out, (int)side, (int)side,
          random_below(state, 3) == 0 ? ",\"aux\":[{\"op\":\"relu\"}]" : "");
      in = i + 1 == convs ? out * side * side : out;
    } else if (is_recurrent && random_below(state, 3) != 0) {
      used += (size_t)snprintf(text + used, size - used,
                               "%s{\"name\":\"l%d\",\"type\":\"lstm\",\"in\":%d,\"out\":%d,"
                               "\"timesteps\":6}",
                               comma, (int)i, (int)in, (int)out);
      in = out;
    } else if (i > 0 && random_below(state, 3) == 0) {
      used += (size_t)snprintf(text + used, size - used,
                               ",{\"name\":\"l%d\",\"type\":\"matmul\",\"in\":%d,\"out\":%d,"
                               "\"operand\":\"l0\",\"operand_elements\":%d%s}",
                               (int)i, (int)in, (int)out,
                               (int)largest_divisor(in * out, delivered * timesteps),
                               is_recurrent ? ",\"timesteps\":6" : "");
      in = out;
    } else {
      used += (size_t)snprintf(text + used, size - used,
                               "%s{\"name\":\"l%d\",\"type\":\"fc\",\"in\":%d,\"out\":%d%s}", comma,
                               (int)i, (int)in, (int)out, is_recurrent ? ",\"timesteps\":6" : "");
      in = out;
    }
    delivered = i > 0 ? delivered : convs > 0 ? out * side * side : out;
  }
}

/* Every third instance has a memory that all cores share, and some of these another interconnect.
 */
static void draw_shared_memory(preload_twin *twin, uint64_t *state) {
  static const double capacities_MB[] = {0.002, 0.004, 0.008, 0.016, 0.05};
  static const double bandwidths_GBps[] = {8, 24, 80, 400};
  if (random_below(state, 3) != 0) {
    return;
  }
  twin->system->chip.shared_memory.capacity_MB = capacities_MB[random_below(state, 5)];
  twin->system->chip.shared_memory.bandwidth_GBps = bandwidths_GBps[random_below(state, 4)];
  if (random_below(state, 3) == 0) {
    twin->system->chip.interconnect = DSM_INTERCONNECT_CROSSBAR;
  }
  twin->machine = dsm_machine_derive(twin->system);
}

preload_twin preload_twin_draw(uint64_t seed) {
  static const char *const cores[] = {"2", "3", "4", "4"};
  static const char *const scratchpads[] = {"0.00390625", "0.0078125", "0.015625", "0.03125"};
  static const char *const buffers[] = {"0.5", "1", "2", "3"};
  static const char *const bandwidths[] = {"2", "8", "24", "80"};
  static const char *const rings[] = {"8", "64", "256"};
  static const char *const startups[] = {"0", "10", "100"};
  static const char *const minibatches[] = {"1", "1", "2", "5"};
  uint64_t state = seed;
  char layers[1024];
  draw_layers(layers, sizeof layers, &state);
  const dsm_override overrides[] = {
      {"chip.cores", cores[random_below(&state, 4)], NULL},
      {"core.scratchpad_MiB", scratchpads[random_below(&state, 4)], NULL},
      {"core.streaming_buffer_KiB", buffers[random_below(&state, 4)], NULL},
      {"chip.memory.bandwidth_GBps", bandwidths[random_below(&state, 4)], NULL},
      {"chip.core_link_bandwidth_GBps", rings[random_below(&state, 3)], NULL},
      {"array.startup_cycles", startups[random_below(&state, 3)], NULL},
      {"system.chips_x", random_below(&state, 3) == 0 ? "2" : "1", NULL},
  };
  preload_twin twin = preload_twin_of(layers, minibatches[random_below(&state, 4)], overrides,
                                      sizeof overrides / sizeof overrides[0]);
  draw_shared_memory(&twin, &state);
  draw_model(&twin.system->model, &state);
  if (twin.machine.chip_count > 1 && random_below(&state, 2) == 0) {
    preload_twin_limit_memory(&twin, (double)random_below(&state, 100) / 100);
  }
  if (random_below(&state, 4) == 0) {
    twin.options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
  }
  return twin;
}
