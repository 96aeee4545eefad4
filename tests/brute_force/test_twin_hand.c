/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_twin_hand.c: the twin against numbers worked out by hand, and against itself: every option
 * only ever lowers the optimum, and without options both of its searches agree.
 *
 * Usage: test_twin_hand [FIRST_SEED [COUNT]].
 *
 * Machines are those of hand.h, with one core a chip and elements of one byte. So primary cycles
 * are the MACs of a chip plus start-ups.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hand.h"
#include "instance.h"
#include "twin_network.h"

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
  const hand_machine roomy = {.scratchpad_bytes = 16,
                              .streaming_bytes = 8,
                              .memory_bytes_per_cycle = 0.25,
                              .chips_y = 1,
                              .link_bytes_per_cycle = 1};
  hand_machine tight = roomy;
  tight.streaming_bytes = 8.001;
  const twin_options none = {.hybrid = true, .parallelism_mask = 1};
  twin_options reuse = none;
  reuse.reuse = true;
  hand_expect("convolutions", hand_explore(CONVOLUTIONS("1"), &roomy, none).step_cycles, 316);
  hand_expect("held", hand_explore(CONVOLUTIONS("1"), &roomy, reuse).step_cycles, 216);
  hand_expect("held, no room", hand_explore(CONVOLUTIONS("1"), &tight, reuse).step_cycles, 316);
  twin_options inference = reuse;
  inference.inference = true;
  /* a 4 + 2, b 2 + 4 bytes */
  hand_expect("held, inference", hand_explore(CONVOLUTIONS("1"), &roomy, inference).step_cycles,
              48);
}

/*
 * Two samples. At once: 26 + 26 + 26 + 28 + 26 bytes and 32 cycles of weight updates: 560; there is
 * no room for the 16 bytes of a. One by one a is held: forward and backward as above, twice, 2 *
 * (24 + 56 + 24) cycles, updates 24 + 56, and again with 2 bytes more each, 32 + 64.
 */
static void check_dysm(void) {
  hand_machine m = {.scratchpad_bytes = 16,
                    .streaming_bytes = 8,
                    .memory_bytes_per_cycle = 0.25,
                    .chips_y = 1,
                    .link_bytes_per_cycle = 1};
  twin_options options = {.hybrid = true, .parallelism_mask = 1, .reuse = true};
  hand_expect("two samples", hand_explore(CONVOLUTIONS("2"), &m, options).step_cycles, 560);
  options.dysm = true;
  const twin_result best = hand_explore(CONVOLUTIONS("2"), &m, options);
  hand_expect("two spatial minibatches", best.step_cycles, 208 + 80 + 96 + 32);
  hand_expect("factor", (double)best.mapping.layers[1].factor, 2);
  m.model = "\"dysm_uniform\":true";
  hand_expect("uniform", hand_explore(CONVOLUTIONS("2"), &m, options).step_cycles, 416);
  m.model = "\"dysm_accumulate_in_memory\":false";
  hand_expect("no accumulation", hand_explore(CONVOLUTIONS("2"), &m, options).step_cycles, 400);
  options.reuse = false;
  hand_expect("DySM alone", hand_explore(CONVOLUTIONS("2"), &m, options).step_cycles, 560);
}

/*
 * Three timesteps of an lstm with a kernel of 8 bytes, inference: it reads 2 bytes and stores 1.
 * Auxiliary work 8 / 4 = 2. First 11 bytes, 44 + 2; later 3 bytes, 12 + 2. The kernel may take
 * three quarters of the scratchpad.
 */
static void check_steady(void) {
  static const char workload[] = "{\"minibatch\":1,\"element_bytes\":1,\"layers\":[{\"name\":\"a\","
                                 "\"type\":\"lstm\",\"in\":1,\"out\":1,\"timesteps\":3}]}";
  hand_machine m = {.scratchpad_bytes = 32.0 / 3,
                    .memory_bytes_per_cycle = 0.25,
                    .chips_y = 1,
                    .link_bytes_per_cycle = 1};
  twin_options options = {.hybrid = true, .inference = true, .parallelism_mask = 1};
  hand_expect("kernel fetched", hand_explore(workload, &m, options).step_cycles, 138);
  options.reuse = true;
  hand_expect("kernel resident", hand_explore(workload, &m, options).step_cycles, 46 + 14 + 14);
  m.scratchpad_bytes = 10.66;
  hand_expect("kernel too large", hand_explore(workload, &m, options).step_cycles, 138);
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
  const hand_machine m = {.startup_cycles = 1000,
                          .scratchpad_bytes = 1 << 20,
                          .memory_bytes_per_cycle = 1e12,
                          .chips_y = 2,
                          .link_bytes_per_cycle = 0.5};
  twin_options options = {.hybrid = true, .parallelism_mask = 1};
  hand_expect("one by one", hand_explore(workload, &m, options).step_cycles,
              2 * (3 * (1010 + 1013 + 1008) + 16));
  options.pipeline = true;
  hand_expect("pipeline", hand_explore(workload, &m, options).step_cycles,
              4 * (1024 + 1030 + 1016));
  options.reuse = true;
  hand_expect("pipeline, reuse", hand_explore(workload, &m, options).step_cycles,
              4 * (1024 + 1030 + 1016));
  options.inference = true;
  hand_expect("pipeline, inference", hand_explore(workload, &m, options).step_cycles, 4 * 1024);
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
  const hand_machine m = {.scratchpad_bytes = 1 << 20,
                          .memory_bytes_per_cycle = 1e12,
                          .chips_y = 2,
                          .link_bytes_per_cycle = 1};
  twin_options options = {.parallelism_mask = 3};
  hand_expect("alike", hand_explore(workload, &m, options).step_cycles, 144 + 168 + 32 + 128);
  options.per_pass = true;
  const twin_result best = hand_explore(workload, &m, options);
  hand_expect("per pass", best.step_cycles, 144 + 168 + 128 + 16 + 4);
  hand_expect("backward", best.mapping.layers[0].parallelism[TWIN_BACKWARD], TWIN_DATA);
  hand_expect("update", best.mapping.layers[0].parallelism[TWIN_UPDATE], TWIN_MODEL);
  const twin_mapping other = {
      .layer_count = 1,
      .layers = {{.parallelism = {TWIN_DATA, TWIN_DATA, TWIN_MODEL}, .factor = 1}}};
  char system[HAND_TEXT_SIZE];
  twin_cost cost;
  hand_machine_write(system, &m);
  if (!twin_score(&cost, workload, system, options, &other) || cost.fault != NULL) {
    hand_failures++;
  }
  hand_expect("update alone", cost.cycles, 144 + 168 + 128 + 16 + 8 + 4);
}

/* Nodes of 8 chips, 300 GB/s in a node and a port of 200 GB/s a node, links at three quarters; 3.4
 * and 9.6 us a step, 8.4 us before a collective. `inner` of the chips of a node are members. */
static double all_reduce_seconds(const double inner, const double nodes, const double bytes) {
  const double ghz = 1.41;
  const twin_system system = {
      .axis_count = 3,
      .axes = {{.chips = inner,
                .bytes_per_cycle = 225 / ghz,
                .latency_cycles = 3400 * ghz,
                .chips_per_port = 1},
               {.chips = 8 / inner,
                .bytes_per_cycle = 225 / ghz,
                .latency_cycles = 3400 * ghz,
                .chips_per_port = 1},
               {.chips = nodes,
                .bytes_per_cycle = 18.75 / ghz,
                .latency_cycles = 9600 * ghz,
                .chips_per_port = 8}},
      .one_ring = true,
      .memory_bytes_per_cycle = HUGE_VAL,
      .core_link_bytes_per_cycle = HUGE_VAL,
      .shared_bytes_per_cycle = HUGE_VAL,
  };
  const twin_layout layout = twin_layout_of(&system, TWIN_DATA_X_MODEL_Y_DATA_Z);
  const double cycles = twin_half_all_reduce_moving_cycles(&system, &layout, bytes, 1) +
                        twin_all_reduce_steps_cycles(&system, &layout);
  return 2 * cycles / (ghz * 1e9) + 8.4e-6;
}

/*
 * 8 in a node, 64 MiB: 2 * 7/8 * 2^26 / 225e9 + 8.4e-6 + 14 * 3.4e-6.
 * 16 over 2 nodes: 2 * 15/16 * 2^26 / 150e9 + 8.4e-6 + 2 * (14 * 3.4 + 9.6) * 1e-6.
 * 32 over 8 nodes, 4 of 8 chips, so that 2 rings share a port: 2 * 31/32 * 1e9 / 75e9 + 8.4e-6 + 2
 * * (24 * 3.4 + 7 * 9.6) * 1e-6.
 */
static void check_rings(void) {
  hand_expect("8 in a node", all_reduce_seconds(8, 1, 67108864),
              2 * 58720256 / 225e9 + 8.4e-6 + 47.6e-6);
  hand_expect("16 over 2 nodes", all_reduce_seconds(8, 2, 67108864),
              2 * 62914560 / 150e9 + 8.4e-6 + 114.4e-6);
  hand_expect("32 over 8 nodes", all_reduce_seconds(4, 8, 1e9),
              2 * 968750000 / 75e9 + 8.4e-6 + 297.6e-6);
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
    hand_failures++;
    return;
  }
  if (simple.feasible) {
    hand_expect("searches agree", plain.step_cycles, simple.step_cycles);
    hand_expect("options help", fmax(best.step_cycles, simple.step_cycles), simple.step_cycles);
  }
  if (best.feasible) {
    twin_score(&cost, given.workload_json, given.system_json, given.options, &best.mapping);
    hand_expect("score", cost.cycles, best.step_cycles);
    hand_expect("need", cost.memory_bytes, best.memory_bytes);
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
  check_rings();
  for (uint64_t seed = first; seed < first + count; seed++) {
    for (int which = 0; which < INSTANCE_CASE_COUNT; which++) {
      const unsigned before = hand_failures;
      check_seed(seed, (instance_case)which);
      if (hand_failures > before) {
        fprintf(stderr, "seed %llu %s\n", (unsigned long long)seed,
                instance_case_name((instance_case)which));
      }
    }
  }
  printf("%u failures\n", hand_failures);
  return hand_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
