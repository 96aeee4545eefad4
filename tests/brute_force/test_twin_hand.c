/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_twin_hand.c: the twin against numbers worked out by hand, and against itself: every option
 * only ever lowers the optimum, and without options both of its searches agree.
 *
 * Usage: test_twin_hand [FIRST_SEED [COUNT]].
 *
 * The machines below have one core a chip, one MAC a core, elements of one byte, and nothing slow
 * but what a case says. So a block of weights is one weight, and primary cycles are the MACs of a
 * chip plus start-ups.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "instance.h"

enum { TEXT_SIZE = 2048 };

static unsigned failures;

typedef struct {
  double startup_cycles;
  double scratchpad_bytes;
  double streaming_bytes;
  double memory_bytes_per_cycle;
  int chips_y;
  double link_bytes_per_cycle;
  const char *model;
} machine;

static void write_machine(char text[TEXT_SIZE], const machine *m) {
  (void)snprintf(
      text, TEXT_SIZE,
      "{\"pe\":{\"simd_macs\":1},\"array\":{\"rows\":1,\"columns\":1,\"startup_cycles\":%.17g},"
      "\"core\":{\"frequency_GHz\":1,\"scratchpad_MiB\":%.17g,\"scratchpad_bandwidth_GBps\":1,"
      "\"sfu_ops_per_cycle\":4,\"transcendental_passes\":0,\"streaming_buffer_KiB\":%.17g},"
      "\"chip\":{\"cores\":1,\"interconnect\":\"ring\",\"core_link_bandwidth_GBps\":1e12,"
      "\"memory\":{\"capacity_GB\":1,\"bandwidth_GBps\":%.17g}},"
      "\"system\":{\"topology\":\"torus_2d\",\"chips_x\":1,\"chips_y\":%d,"
      "\"link_bandwidth_x_GBps\":1e12,\"link_bandwidth_y_GBps\":%.17g},\"model\":{%s}}",
      m->startup_cycles, m->scratchpad_bytes / 1048576, m->streaming_bytes / 1024,
      m->memory_bytes_per_cycle, m->chips_y, m->link_bytes_per_cycle,
      m->model == NULL ? "" : m->model);
}

static void expect(const char *what, const double found, const double expected) {
  if (!(fabs(found - expected) <= 1e-9 * fabs(expected))) {
    fprintf(stderr, "%s: %.17g instead of %.17g\n", what, found, expected);
    failures++;
  }
}

static twin_result explore(const char *workload, const machine *m, const twin_options options) {
  char system[TEXT_SIZE];
  twin_result result;
  write_machine(system, m);
  if (!twin_explore(&result, workload, system, options) || !result.feasible) {
    fprintf(stderr, "not explored\n");
    failures++;
  }
  return result;
}

#define CONVOLUTIONS(minibatch)                                                                    \
  "{\"minibatch\":" minibatch ",\"element_bytes\":1,\"gradient_bytes\":1,\"layers\":["             \
  "{\"name\":\"a\",\"type\":\"conv\",\"in\":1,\"out\":2,\"feature\":[2,2]},"                       \
  "{\"name\":\"b\",\"type\":\"conv\",\"in\":2,\"out\":1,\"feature\":[2,2]}]}"

/*
 * A sample: a reads 4 bytes and stores 8, b reads 8 and stores 4; kernels of 2. A byte takes 4
 * cycles, more than the MACs ever do. Weight updates: 2 * 2 bytes each, 32 cycles in all.
 *
 * Not held: a forward 4 + 2 + 8 = 14 bytes, b forward 8 + 2 + 4 = 14, b update 14, b backward
 * 4 + 2 + 8 and a mask of 1 = 15, a update 14: 71 bytes, 284 cycles.
 * a held: a forward 4 + 2 = 6, b forward 2 + 4 and 8 deferred = 14, b update 8 + 4 + 2 = 14, b
 * backward 4 + 2 = 6, a update 4 + 2 = 6: 46 bytes, 184 cycles.
 */
static void check_held(void) {
  const machine roomy = {.scratchpad_bytes = 16,
                         .streaming_bytes = 8,
                         .memory_bytes_per_cycle = 0.25,
                         .chips_y = 1,
                         .link_bytes_per_cycle = 1};
  machine tight = roomy;
  tight.streaming_bytes = 8.001;
  const twin_options none = {.hybrid = true, .parallelism_mask = 1};
  twin_options reuse = none;
  reuse.reuse = true;
  expect("convolutions", explore(CONVOLUTIONS("1"), &roomy, none).step_cycles, 316);
  expect("held", explore(CONVOLUTIONS("1"), &roomy, reuse).step_cycles, 216);
  expect("held, no room", explore(CONVOLUTIONS("1"), &tight, reuse).step_cycles, 316);
  twin_options inference = reuse;
  inference.inference = true;
  /* a 4 + 2, b 2 + 4 bytes */
  expect("held, inference", explore(CONVOLUTIONS("1"), &roomy, inference).step_cycles, 48);
}

/*
 * Two samples. At once: 26 + 26 + 26 + 28 + 26 bytes and 32 cycles of weight updates: 560; there is
 * no room for the 16 bytes of a. One by one a is held: forward and backward as above, twice, 2 *
 * (24 + 56 + 24) cycles, updates 24 + 56, and again with 2 bytes more each, 32 + 64.
 */
static void check_dysm(void) {
  machine m = {.scratchpad_bytes = 16,
               .streaming_bytes = 8,
               .memory_bytes_per_cycle = 0.25,
               .chips_y = 1,
               .link_bytes_per_cycle = 1};
  twin_options options = {.hybrid = true, .parallelism_mask = 1, .reuse = true};
  expect("two samples", explore(CONVOLUTIONS("2"), &m, options).step_cycles, 560);
  options.dysm = true;
  const twin_result best = explore(CONVOLUTIONS("2"), &m, options);
  expect("two spatial minibatches", best.step_cycles, 208 + 80 + 96 + 32);
  expect("factor", (double)best.mapping.layers[1].factor, 2);
  m.model = "\"dysm_uniform\":true";
  expect("uniform", explore(CONVOLUTIONS("2"), &m, options).step_cycles, 416);
  m.model = "\"dysm_accumulate_in_memory\":false";
  expect("no accumulation", explore(CONVOLUTIONS("2"), &m, options).step_cycles, 400);
  options.reuse = false;
  expect("DySM alone", explore(CONVOLUTIONS("2"), &m, options).step_cycles, 560);
}

/*
 * Three timesteps of an lstm with a kernel of 8 bytes, inference: it reads 2 bytes and stores 1.
 * Auxiliary work 8 / 4 = 2. First 11 bytes, 44 + 2; later 3 bytes, 12 + 2. The kernel may take
 * three quarters of the scratchpad.
 */
static void check_steady(void) {
  static const char workload[] = "{\"minibatch\":1,\"element_bytes\":1,\"layers\":[{\"name\":\"a\","
                                 "\"type\":\"lstm\",\"in\":1,\"out\":1,\"timesteps\":3}]}";
  machine m = {.scratchpad_bytes = 32.0 / 3,
               .memory_bytes_per_cycle = 0.25,
               .chips_y = 1,
               .link_bytes_per_cycle = 1};
  twin_options options = {.hybrid = true, .inference = true, .parallelism_mask = 1};
  expect("kernel fetched", explore(workload, &m, options).step_cycles, 138);
  options.reuse = true;
  expect("kernel resident", explore(workload, &m, options).step_cycles, 46 + 14 + 14);
  m.scratchpad_bytes = 10.66;
  expect("kernel too large", explore(workload, &m, options).step_cycles, 138);
}

/*
 * Two lstm of 8 weights, 2 samples, 3 timesteps, on 1 x 2 chips with data parallelism, start-up
 * 1000. A layer at a time: forward 1008 + 2, backward 1008 + 5, update 1008; 8 bytes of weights:
 * 4 bytes over links of half a byte a cycle, there and back, 16.
 * As stages: forward 1016 + 4, and 2 bytes to hand over, 4; backward 1016 + 10, and 4; update 1016;
 * one after the other over 3 + 1 steps.
 */
static void check_pipeline(void) {
  static const char workload[] =
      "{\"minibatch\":2,\"element_bytes\":1,\"gradient_bytes\":1,\"layers\":["
      "{\"name\":\"a\",\"type\":\"lstm\",\"in\":1,\"out\":1,\"timesteps\":3},"
      "{\"name\":\"b\",\"type\":\"lstm\",\"in\":1,\"out\":1,\"timesteps\":3}]}";
  const machine m = {.startup_cycles = 1000,
                     .scratchpad_bytes = 1 << 20,
                     .memory_bytes_per_cycle = 1e12,
                     .chips_y = 2,
                     .link_bytes_per_cycle = 0.5};
  twin_options options = {.hybrid = true, .parallelism_mask = 1};
  expect("one by one", explore(workload, &m, options).step_cycles,
         2 * (3 * (1010 + 1013 + 1008) + 16));
  options.pipeline = true;
  expect("pipeline", explore(workload, &m, options).step_cycles, 4 * (1024 + 1030 + 1016));
  options.reuse = true;
  expect("pipeline, reuse", explore(workload, &m, options).step_cycles, 4 * (1024 + 1030 + 1016));
  options.inference = true;
  expect("pipeline, inference", explore(workload, &m, options).step_cycles, 4 * 1024);
}

/*
 * An lstm of 4 x 8 weights, 8 samples, on 1 x 2 chips, a byte a cycle between them. Any pass has
 * 128 primary cycles, forward 16 and backward 40 auxiliary ones. Rotation, 32 cycles, shows only in
 * backward under model. Under data a sum of gradients takes 16, and so does a broadcast. Data,
 * 32 / 4 = 8 of the input and 16 / 4 = 4 of the error, change their layout.
 */
static void check_per_pass(void) {
  static const char workload[] =
      "{\"minibatch\":8,\"element_bytes\":1,\"gradient_bytes\":1,\"partial_sum_bytes\":1,"
      "\"layers\":[{\"name\":\"a\",\"type\":\"lstm\",\"in\":2,\"out\":2}]}";
  const machine m = {.scratchpad_bytes = 1 << 20,
                     .memory_bytes_per_cycle = 1e12,
                     .chips_y = 2,
                     .link_bytes_per_cycle = 1};
  twin_options options = {.parallelism_mask = 3};
  expect("alike", explore(workload, &m, options).step_cycles, 144 + 168 + 32 + 128);
  options.per_pass = true;
  const twin_result best = explore(workload, &m, options);
  expect("per pass", best.step_cycles, 144 + 168 + 128 + 16 + 4);
  expect("backward", best.mapping.layers[0].parallelism[TWIN_BACKWARD], TWIN_DATA);
  expect("update", best.mapping.layers[0].parallelism[TWIN_UPDATE], TWIN_MODEL);
  const twin_mapping other = {
      .layer_count = 1,
      .layers = {{.parallelism = {TWIN_DATA, TWIN_DATA, TWIN_MODEL}, .factor = 1}}};
  char system[TEXT_SIZE];
  twin_cost cost;
  write_machine(system, &m);
  if (!twin_score(&cost, workload, system, options, &other) || cost.fault != NULL) {
    failures++;
  }
  expect("update alone", cost.cycles, 144 + 168 + 128 + 16 + 8 + 4);
}

static void check_seed(const uint64_t seed, const instance_case which) {
  instance given;
  twin_result best;
  twin_result simple;
  twin_result plain;
  twin_cost cost;
  instance_make_full(&given, seed, which, INSTANCE_EVERY_KEY);
  twin_options none = given.options;
  none.reuse = none.dysm = none.pipeline = none.per_pass = false;
  if (!twin_explore(&best, given.workload_json, given.system_json, given.options) ||
      !twin_explore(&simple, given.workload_json, given.system_json, none) ||
      !twin_explore_mappings(&plain, given.workload_json, given.system_json, none) ||
      simple.feasible != plain.feasible || (simple.feasible && !best.feasible)) {
    fprintf(stderr, "seed %llu %s: not explored alike\n", (unsigned long long)seed,
            instance_case_name(which));
    failures++;
    return;
  }
  if (simple.feasible) {
    expect("searches agree", plain.step_cycles, simple.step_cycles);
    expect("options help", fmax(best.step_cycles, simple.step_cycles), simple.step_cycles);
  }
  if (best.feasible) {
    twin_score(&cost, given.workload_json, given.system_json, given.options, &best.mapping);
    expect("score", cost.cycles, best.step_cycles);
    expect("need", cost.memory_bytes, best.memory_bytes);
  }
}

int main(const int argc, char **argv) {
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 50;
  check_held();
  check_dysm();
  check_steady();
  check_pipeline();
  check_per_pass();
  for (uint64_t seed = first; seed < first + count; seed++) {
    for (int which = 0; which < INSTANCE_CASE_COUNT; which++) {
      const unsigned before = failures;
      check_seed(seed, (instance_case)which);
      if (failures > before) {
        fprintf(stderr, "seed %llu %s\n", (unsigned long long)seed,
                instance_case_name((instance_case)which));
      }
    }
  }
  printf("%u failures\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
