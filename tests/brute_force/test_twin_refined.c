/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_twin_refined.c: the twin's refined equations against numbers worked out by hand, on the
 * machines of hand.h. Elements have one byte.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hand.h"

#define BYTES "\"element_bytes\":1,\"gradient_bytes\":1,\"partial_sum_bytes\":1"

/*
 * Features of 4 samples turn on a ring of 4 chips at a quarter of a byte a cycle, 16 bytes. Model
 * parallelism: 4 MACs in each of 4 feature iterations. Both layers, forward and update: 16 / 0.25
 * = 64 cycles, backward of b 16 and 64. One move less: 12 bytes, 48 cycles. Sums of 4 bytes: the
 * rotation of backward takes four times as long.
 */
static void check_rotation(void) {
  static const char workload[] = "{\"minibatch\":4," BYTES ",\"layers\":["
                                 "{\"name\":\"a\",\"type\":\"fc\",\"in\":4,\"out\":4},"
                                 "{\"name\":\"b\",\"type\":\"fc\",\"in\":4,\"out\":4}]}";
  hand_machine m = {.scratchpad_bytes = 1 << 20,
                    .memory_bytes_per_cycle = 1e12,
                    .chips_y = 4,
                    .link_bytes_per_cycle = 0.25};
  const twin_options options = {.parallelism_mask = 1U << TWIN_MODEL};
  hand_expect("rotation", hand_explore(workload, &m, options).step_cycles, 4 * 64 + 16 + 64);
  m.model = "\"exact_rotation\":true";
  hand_expect("exact rotation", hand_explore(workload, &m, options).step_cycles, 4 * 48 + 16 + 48);
  m.model = "\"exact_rotation\":true,\"partial_sum_bytes\":4";
  hand_expect("sums of 4 bytes", hand_explore(workload, &m, options).step_cycles,
              4 * 48 + 16 + 4 * 48);
}

/*
 * a reads 4 bytes and stores 8, b reads a, stores 8 and adds a, c reads both and stores 4; kernels
 * of 2, 4 and 4. A byte takes 4 cycles, more than the MACs ever do. Forward 14, 28 and 24 bytes,
 * update 14, 20 and 24, backward of c 4 + 4 + 16 and a mask of 2, of b 8 + 4 + 8 + 1 and 8 for the
 * shortcut: 179. Adding takes 8 / 4 cycles each way, weight updates 20 bytes.
 * Exact: b reads a once, 8 bytes less. In its backward pass it fetches the error of a that c left,
 * in place of its own output's, and adds it: 2 cycles more.
 */
static void check_forks(void) {
  static const char workload[] =
      "{\"minibatch\":1," BYTES ",\"layers\":["
      "{\"name\":\"a\",\"type\":\"conv\",\"in\":1,\"out\":2,\"feature\":[2,2]},"
      "{\"name\":\"b\",\"type\":\"conv\",\"in\":2,\"out\":2,\"feature\":[2,2],"
      "\"aux\":[{\"op\":\"residual\",\"from\":\"a\"}]},"
      "{\"name\":\"c\",\"type\":\"conv\",\"in\":4,\"out\":1,\"feature\":[2,2],"
      "\"inputs\":[\"a\",\"b\"]}]}";
  hand_machine m = {.scratchpad_bytes = 1 << 20,
                    .memory_bytes_per_cycle = 0.25,
                    .chips_y = 1,
                    .link_bytes_per_cycle = 1};
  const twin_options options = {.parallelism_mask = 1};
  hand_expect("forks", hand_explore(workload, &m, options).step_cycles, 4 * (179 + 20) + 2 + 2);
  m.model = "\"exact_forks\":true";
  hand_expect("exact forks", hand_explore(workload, &m, options).step_cycles,
              4 * (171 + 20) + 2 + 4);
}

/*
 * Four cores share 2 samples of 4 outputs, 14 bytes on a ring that takes a cycle for each, more
 * than the MACs. Softmax takes 8 * 2 / 16 passes. Split in 2 x 2, a core sends half of 2 numbers of
 * 4 bytes; 4 parts of the outputs would take 12 bytes. layer_norm: 8 / 16 passes, and as many
 * bytes.
 */
static void check_sums_of_samples(void) {
  static const char softmax[] =
      "{\"minibatch\":2," BYTES ",\"layers\":[{\"name\":\"a\",\"type\":\"fc\",\"in\":1,\"out\":4,"
      "\"aux\":[{\"op\":\"softmax\"}]}]}";
  static const char both[] =
      "{\"minibatch\":2," BYTES ",\"layers\":[{\"name\":\"a\",\"type\":\"fc\",\"in\":1,\"out\":4,"
      "\"aux\":[{\"op\":\"layer_norm\"},{\"op\":\"softmax\"}]}]}";
  hand_machine m = {.scratchpad_bytes = 1 << 20,
                    .memory_bytes_per_cycle = 1e12,
                    .cores = 4,
                    .core_link_cycles = 1,
                    .chips_y = 1,
                    .link_bytes_per_cycle = 1};
  const twin_options options = {.inference = true, .parallelism_mask = 1};
  hand_expect("softmax", hand_explore(softmax, &m, options).step_cycles, 14 + 1);
  m.model = "\"statistics_sums\":true";
  const twin_result best = hand_explore(softmax, &m, options);
  hand_expect("sums of softmax", best.step_cycles, 14 + 1 + 4);
  hand_expect("parts of the output", (double)best.layers[0].passes[TWIN_FORWARD].split[1], 2);
  hand_expect("sums of both", hand_explore(both, &m, options).step_cycles, 14 + 1.5 + 8);
}

/*
 * Two cores share 4 samples of one feature. Forward 9 bytes and 8 / 8 passes; update 9.5 bytes, and
 * 16 / 8 passes of the backward pass that the layer does not have; half a byte of partial sums.
 * Statistics: half of 2 numbers of 4 bytes, forward and in the update.
 */
static void check_sums_of_features(void) {
  static const char workload[] =
      "{\"minibatch\":4," BYTES ",\"layers\":[{\"name\":\"a\",\"type\":\"fc\",\"in\":1,\"out\":1,"
      "\"aux\":[{\"op\":\"batch_norm\"}]}]}";
  hand_machine m = {.scratchpad_bytes = 1 << 20,
                    .memory_bytes_per_cycle = 1e12,
                    .cores = 2,
                    .core_link_cycles = 1,
                    .chips_y = 1,
                    .link_bytes_per_cycle = 1};
  twin_options options = {.parallelism_mask = 1};
  hand_expect("batch_norm", hand_explore(workload, &m, options).step_cycles, 9 + 1 + 9.5 + 2 + 0.5);
  m.model = "\"statistics_sums\":true";
  hand_expect("sums of batch_norm", hand_explore(workload, &m, options).step_cycles,
              9 + 1 + 9.5 + 2 + 0.5 + 8);
  options.inference = true;
  hand_expect("batch_norm, inference", hand_explore(workload, &m, options).step_cycles, 9 + 0.5);
}

/*
 * The convolutions of test_twin_hand.c, one sample, but two cores and a ring as slow as the memory:
 * with a held 216 cycles, without 316. A move takes a quarter of its 8 bytes, 8 cycles: always when
 * b reads a, and when the update of a reads its error. Exact: laid out by positions, only the
 * update of a does not fit. It moves the error, or splits the positions too and sums half of its
 * kernel's 2 bytes of gradient, 8 cycles with sums of 2 bytes and 4 with sums of 1. Laid out by
 * features, b would have to move a, or to sum its 4 outputs.
 */
static void check_layouts(void) {
  static const char workload[] =
      "{\"minibatch\":1,\"element_bytes\":1,\"gradient_bytes\":1,\"layers\":["
      "{\"name\":\"a\",\"type\":\"conv\",\"in\":1,\"out\":2,\"feature\":[2,2]},"
      "{\"name\":\"b\",\"type\":\"conv\",\"in\":2,\"out\":1,\"feature\":[2,2]}]}";
  hand_machine m = {.scratchpad_bytes = 16,
                    .streaming_bytes = 8,
                    .memory_bytes_per_cycle = 0.25,
                    .cores = 2,
                    .core_link_cycles = 4,
                    .chips_y = 1,
                    .link_bytes_per_cycle = 1};
  const twin_options options = {.parallelism_mask = 1, .reuse = true};
  hand_expect("held by two cores", hand_explore(workload, &m, options).step_cycles, 216);
  m.model = "\"layout_move\":\"always\"";
  hand_expect("always moved", hand_explore(workload, &m, options).step_cycles, 216 + 16);
  m.model = "\"layout_move\":\"exact\"";
  hand_expect("moved once", hand_explore(workload, &m, options).step_cycles, 216 + 8);
  m.model = "\"layout_move\":\"exact\",\"partial_sum_bytes\":1";
  const twin_result best = hand_explore(workload, &m, options);
  hand_expect("never moved", best.step_cycles, 216 + 4);
  hand_expect("parts of positions", (double)best.mapping.layers[0].parts.positions, 2);
}

/*
 * The two lstm of test_twin_hand.c on 2 x 1 chips: no two rows for them, one by one. With stages
 * one column wide: forward 1016 + 4, backward 1016 + 10, update 1016 over 3 + 1 steps, and 2 bytes
 * to hand over, 4 cycles or, at another speed, 1100.
 */
static void check_columns(void) {
  static const char workload[] =
      "{\"minibatch\":2,\"element_bytes\":1,\"gradient_bytes\":1,\"layers\":["
      "{\"name\":\"a\",\"type\":\"lstm\",\"in\":1,\"out\":1,\"timesteps\":3},"
      "{\"name\":\"b\",\"type\":\"lstm\",\"in\":1,\"out\":1,\"timesteps\":3}]}";
  hand_machine m = {.startup_cycles = 1000,
                    .scratchpad_bytes = 1 << 20,
                    .memory_bytes_per_cycle = 1e12,
                    .chips_x = 2,
                    .chips_y = 1,
                    .link_bytes_per_cycle = 0.5};
  const twin_options options = {.parallelism_mask = 1, .pipeline = true};
  hand_expect("no rows", hand_explore(workload, &m, options).step_cycles, 6 * (1010 + 1013 + 1008));
  m.model = "\"pipeline_columns\":true";
  const twin_result best = hand_explore(workload, &m, options);
  hand_expect("columns", best.step_cycles, 4 * (1024 + 1030 + 1016));
  hand_expect("width", (double)best.mapping.groups[0].columns, 1);
  m.model = "\"pipeline_columns\":true,\"overlapped_hand_over\":true";
  hand_expect("hidden", hand_explore(workload, &m, options).step_cycles, 4 * (1020 + 1026 + 1016));
  m.link_bytes_per_cycle = 2.0 / 1100;
  hand_expect("visible", hand_explore(workload, &m, options).step_cycles, 4 * (1100 + 1100 + 1016));
}

/* 12 bytes between data and model parallelism on a ring of 3 chips, 4 a chip: (3 - 1) / 2 links one
 * way round, 2 / 3 both ways. */
static void check_relayout(void) {
  static const char workload[] = "{\"minibatch\":3," BYTES ",\"layers\":["
                                 "{\"name\":\"a\",\"type\":\"fc\",\"in\":1,\"out\":4},"
                                 "{\"name\":\"b\",\"type\":\"fc\",\"in\":4,\"out\":1}]}";
  static const twin_mapping mapping = {
      .layer_count = 2,
      .layers = {{.parallelism = {TWIN_DATA, TWIN_DATA, TWIN_DATA}, .factor = 1},
                 {.parallelism = {TWIN_MODEL, TWIN_MODEL, TWIN_MODEL}, .factor = 1}}};
  static const char *const models[] = {"\"two_way_relayout\":false", "\"two_way_relayout\":true"};
  for (size_t i = 0; i < 2; i++) {
    const hand_machine m = {.scratchpad_bytes = 1 << 20,
                            .memory_bytes_per_cycle = 1e12,
                            .chips_y = 3,
                            .link_bytes_per_cycle = 1,
                            .model = models[i]};
    const twin_options options = {.parallelism_mask = 3};
    char system[HAND_TEXT_SIZE];
    twin_cost cost;
    hand_machine_write(system, &m);
    if (!twin_score(&cost, workload, system, options, &mapping)) {
      hand_failures++;
    }
    hand_expect("relayout", cost.boundary_cycles[1][TWIN_FORWARD], i == 0 ? 4 : 8.0 / 3);
    hand_expect("relayout back", cost.boundary_cycles[1][TWIN_BACKWARD], i == 0 ? 4 : 8.0 / 3);
  }
}

/*
 * A byte takes 4 cycles. An lstm of 8 weights updates them from 2 features and the error of one
 * output, or of four gates: 3 bytes more. In the convolutions of test_twin_hand.c, with a held, b's
 * backward pass reads a mask of a byte after all.
 */
static void check_errors(void) {
  static const char lstm[] = "{\"minibatch\":1," BYTES ",\"layers\":["
                             "{\"name\":\"a\",\"type\":\"lstm\",\"in\":1,\"out\":1}]}";
  static const char convolutions[] =
      "{\"minibatch\":1," BYTES ",\"layers\":["
      "{\"name\":\"a\",\"type\":\"conv\",\"in\":1,\"out\":2,\"feature\":[2,2]},"
      "{\"name\":\"b\",\"type\":\"conv\",\"in\":2,\"out\":1,\"feature\":[2,2]}]}";
  hand_machine m = {.scratchpad_bytes = 16,
                    .streaming_bytes = 8,
                    .memory_bytes_per_cycle = 0.25,
                    .chips_y = 1,
                    .link_bytes_per_cycle = 1};
  const twin_options options = {.parallelism_mask = 1, .reuse = true};
  const double of_outputs = hand_explore(lstm, &m, options).step_cycles;
  m.model = "\"lstm_gate_errors\":true";
  hand_expect("errors of gates", hand_explore(lstm, &m, options).step_cycles, of_outputs + 12);
  m.model = "\"charge_held_masks\":true";
  hand_expect("mask", hand_explore(convolutions, &m, options).step_cycles, 216 + 4);
}

int main(void) {
  check_relayout();
  check_errors();
  check_rotation();
  check_forks();
  check_sums_of_samples();
  check_sums_of_features();
  check_layouts();
  check_columns();
  printf("%u failures\n", hand_failures);
  return hand_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
