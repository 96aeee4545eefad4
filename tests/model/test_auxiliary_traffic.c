/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

#define OP(name) (1U << (unsigned)DSM_AUX_##name)

/* A layer of o = 10 outputs a sample. By the table of section 4, for one sample: */
typedef struct traffic_case {
  unsigned ops; /* bit a: operation a is present */
  double forward;
  double backward;
  double inference;
} traffic_case;

static const traffic_case unfused_cases[] = {
    {0, 0, 0, 0},
    {OP(BATCH_NORM), 20, 50, 0},
    {OP(LAYER_NORM), 20, 50, 20},
    {OP(SOFTMAX), 20, 30, 20},
    {OP(CROSS_ENTROPY), 20 + 60, 60, 80}, /* 3 of 4 bytes are 6 of 2 */
    {OP(RELU), 20, 30, 20},
    {OP(SIGMOID), 20, 30, 20},
    {OP(TANH) | OP(GELU), 40, 60, 40},
    {OP(BIAS), 0, 10, 0},
    {OP(RESIDUAL), 10, 0, 10},
    {OP(MAX_POOL) | OP(AVG_POOL), 0, 0, 0},
    {OP(BATCH_NORM) | OP(RELU) | OP(SIGMOID), 20, 50, 0}, /* both ride along */
    {OP(LAYER_NORM) | OP(RELU), 20, 50, 20},
    {OP(LAYER_NORM) | OP(GELU), 40, 80, 40},
    {OP(BIAS) | OP(RELU) | OP(RESIDUAL) | OP(SOFTMAX), 50, 70, 50},
};

static dsm_assumptions model;
static dsm_residency residency;

static void set_up(void) {
  model = friendly_system(1, 1).model;
  model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_UNFUSED;
  residency = (dsm_residency){.is_input_held = false};
}

static dsm_layer layer_with(unsigned ops) {
  dsm_layer layer = fc_layer(8, 10);
  for (int a = 0; a < DSM_AUX_OP_COUNT; a++) {
    layer.has_op[a] = (ops >> a & 1) != 0;
  }
  return layer;
}

static double elements(const dsm_layer *layer, dsm_mode mode, dsm_pass pass) {
  return dsm__auxiliary_elements(layer, &model, mode, pass, &residency, 2);
}

static void expect(const dsm_layer *layer, double forward, double backward) {
  ck_assert_double_eq(elements(layer, DSM_MODE_TRAINING, DSM_PASS_FORWARD), forward);
  ck_assert_double_eq(elements(layer, DSM_MODE_TRAINING, DSM_PASS_BACKWARD), backward);
}

START_TEST(test_each_operation_reads_and_writes_for_itself) {
  const traffic_case *const c = &unfused_cases[_i];
  const dsm_layer layer = layer_with(c->ops);
  expect(&layer, c->forward, c->backward);
  ck_assert_double_eq(elements(&layer, DSM_MODE_INFERENCE, DSM_PASS_FORWARD), c->inference);
  ck_assert_double_eq(elements(&layer, DSM_MODE_TRAINING, DSM_PASS_UPDATE), 0);
}
END_TEST

START_TEST(test_layer_without_backward_moves_what_backward_would_in_update) {
  dsm_layer layer = layer_with(unfused_cases[_i].ops);
  layer.has_backward = false;
  ck_assert_double_eq(elements(&layer, DSM_MODE_TRAINING, DSM_PASS_UPDATE),
                      unfused_cases[_i].backward);
}
END_TEST

/* 20 and 50 of a norm, 20 and 30 of a softmax. */
START_TEST(test_fused_operations_are_those_with_sums) {
  dsm_layer layer = layer_with(OP(LAYER_NORM) | OP(SOFTMAX) | OP(GELU) | OP(BIAS) | OP(RESIDUAL));
  layer.fork_elements = 7;
  model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_FUSED;
  expect(&layer, 40, 80);
  model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_NONE;
  expect(&layer, 0, 0);
}
END_TEST

START_TEST(test_fork_works_on_the_input) {
  dsm_layer layer = layer_with(0);
  layer.fork_elements = 7;
  expect(&layer, 0, 21);
  residency.is_output_held = true;
  expect(&layer, 0, 21);
  residency.is_input_held = true;
  expect(&layer, 0, 0);
}
END_TEST

/* 2 of a norm, 1 of each activation, of a softmax and of a bias. */
START_TEST(test_held_output_leaves_what_was_saved) {
  const dsm_layer norm = layer_with(OP(LAYER_NORM) | OP(GELU));
  const dsm_layer others = layer_with(OP(SOFTMAX) | OP(RELU) | OP(BIAS) | OP(RESIDUAL));
  residency.is_output_held = true;
  expect(&norm, 0, 30);
  expect(&others, 0, 30);
  model.traffic[DSM_OPERATION_LAYER_NORM].backward = 0.5; /* never more than without */
  expect(&norm, 0, 15);
}
END_TEST

/* 1000 words of 8 samples: forward (2 * B + 3 * 4) * 8000 bytes, backward 3 * 4 * 8000. */
START_TEST(test_cross_entropy_works_in_single_precision) {
  static const double widths[] = {1, 2, 4};
  dsm_system system = friendly_system(1, 1);
  system.model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_FUSED;
  const dsm_machine machine = dsm_machine_derive(&system);
  dsm_layer layer = fc_layer(8, 1000);
  layer.has_op[DSM_AUX_CROSS_ENTROPY] = true;
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_precision precision = {widths[_i], 2, 2, 0, 1, 1, 0, 0, 0};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work work = dsm_pass_work_derive(&layer, &machine, precision, DSM_MODE_TRAINING,
                                                    (dsm_pass)pass, DSM_PARALLELISM_DATA, 8, &none);
    ASSERT_CLOSE(work.bytes.auxiliary, pass == DSM_PASS_FORWARD    ? (2 * widths[_i] + 12) * 8000
                                       : pass == DSM_PASS_BACKWARD ? 12 * 8000
                                                                   : 0);
    ck_assert_double_eq(dsm_invocation_kernels(&layer, &machine, DSM_MODE_TRAINING, (dsm_pass)pass),
                        pass == DSM_PASS_UPDATE ? 1 : 2);
  }
}
END_TEST

START_TEST(test_held_shortcut_is_not_read) {
  const dsm_layer layer = layer_with(OP(RESIDUAL));
  residency.is_shortcut_held = true;
  expect(&layer, 0, 0);
}
END_TEST

START_TEST(test_lstm_has_none) {
  dsm_layer lstm = lstm_layer(8, 5, 7);
  lstm.has_op[DSM_AUX_SOFTMAX] = true;
  lstm.fork_elements = 7;
  expect(&lstm, 0, 0);
}
END_TEST

/*
 * conv2_1_reduce of resnet50 on torus64: o = 64 * 56 * 56 = 200704, 256 samples on 64 chips, 2
 * bytes, a batch_norm with a relu; 256 * 0.8 / 2 = 102.4 bytes a cycle. Forward 2 * 200704 * 4 * 2
 * / 102.4 = 31360 in place of 2 * 200704 * 4 / 32 / 16 = 3136, backward 5 * 200704 * 4 * 2 / 102.4
 * = 78400 in place of 4 * 200704 * 4 / 32 / 16 = 6272.
 */
START_TEST(test_memory_takes_longer_than_the_operations) {
  static const dsm_auxiliary_traffic rules[] = {
      DSM_AUXILIARY_TRAFFIC_NONE, DSM_AUXILIARY_TRAFFIC_FUSED, DSM_AUXILIARY_TRAFFIC_UNFUSED};
  static const double forward[] = {3136, 31360, 31360};
  static const double backward[] = {6272, 78400, 78400};
  dsm_system torus64 = friendly_system(4, 16);
  dsm_layer layer = conv_layer(64, 64, 56ULL * 56, 1, 1);
  layer.has_op[DSM_AUX_BATCH_NORM] = true;
  layer.has_op[DSM_AUX_RELU] = true;
  torus64.chip.cores = 32;
  torus64.core.sfu_ops_per_cycle = 16;
  torus64.chip.memory.bandwidth_GBps = 256;
  torus64.chip.memory.efficiency_ratio = 0.8;
  torus64.model.auxiliary_traffic = rules[_i];
  const dsm_machine machine = dsm_machine_derive(&torus64);
  const dsm_residency none = dsm_residency_none(&machine);
  for (int pass = DSM_PASS_FORWARD; pass <= DSM_PASS_BACKWARD; pass++) {
    const dsm_pass_work work =
        dsm_pass_work_derive(&layer, &machine, (dsm_precision){2, 2, 2, 0, 1, 1, 0, 0, 0},
                             DSM_MODE_TRAINING, (dsm_pass)pass, DSM_PARALLELISM_DATA, 256, &none);
    const dsm_loops split = loops(1, 1, 32, 1, 1);
    const double due = pass == DSM_PASS_FORWARD ? forward[_i] : backward[_i];
    const dsm_resources spent = dsm_invocation_resources(&work, &split);
    ASSERT_CLOSE(dsm_invocation_score(&work, &split).auxiliary, due);
    ASSERT_CLOSE(spent.cycles[_i == 0 ? DSM_BOUND_AUXILIARY : DSM_BOUND_AUXILIARY_MEMORY], due);
    ASSERT_CLOSE(spent.cycles[_i == 0 ? DSM_BOUND_AUXILIARY_MEMORY : DSM_BOUND_AUXILIARY], 0);
  }
}
END_TEST

/* 32 of the 64 bytes a nanosecond are usable, for auxiliary operations 48; 2 cycles of it. */
START_TEST(test_auxiliary_operations_have_a_rate_of_their_own) {
  dsm_system system = friendly_system(1, 1);
  dsm_machine machine = dsm_machine_derive(&system);
  ASSERT_CLOSE(dsm_link_cycles(&machine, machine.auxiliary_link, 480), 30);
  system.chip.memory.auxiliary_efficiency_ratio = 0.75;
  machine = dsm_machine_derive(&system);
  ASSERT_CLOSE(dsm_link_cycles(&machine, machine.auxiliary_link, 480), 20);
  ASSERT_CLOSE(dsm_link_cycles(&machine, DSM_LINK_AUXILIARY_MEMORY, 480), 20);
  ASSERT_CLOSE(dsm_link_cycles(&machine, DSM_LINK_MEMORY, 480), 30);
}
END_TEST

/* Memory is one: 480 bytes at its own rate take 30 cycles, then 96 for an optimizer take 4,
 * together more than a link of 4 bytes a cycle that is busy for 33; 31 cycles of the latter alone
 * are. */
START_TEST(test_rates_of_one_memory_add_up) {
  dsm_system system = friendly_system(1, 1);
  system.chip.memory.auxiliary_efficiency_ratio = 0.75;
  dsm_machine machine = dsm_machine_derive(&system);
  machine.link_bytes_per_cycle[DSM_LINK_AXIS] = 4;
  dsm_traffic traffic = {.bytes = {[DSM_LINK_AXIS] = 132, [DSM_LINK_MEMORY] = 480}};
  ASSERT_CLOSE(dsm_group_cycles(&machine, &traffic), 33);
  dsm__add_auxiliary_traffic(&machine, &traffic, 96);
  ASSERT_CLOSE(dsm_group_cycles(&machine, &traffic), 34);
  ck_assert_int_eq((int)dsm_group_slowest_link(&machine, &traffic), DSM_LINK_AUXILIARY_MEMORY);
  const dsm_resources spent = dsm_group_resources(&machine, &traffic);
  ASSERT_CLOSE(spent.cycles[DSM_BOUND_MEMORY], 30);
  ASSERT_CLOSE(spent.cycles[DSM_BOUND_AUXILIARY_MEMORY], 4);
  ck_assert_double_eq(traffic.bytes[DSM_LINK_SHARED], 0);
  machine.has_shared_memory = true;
  dsm__add_auxiliary_traffic(&machine, &traffic, 96);
  ck_assert_double_eq(traffic.bytes[DSM_LINK_SHARED], 96);
}
END_TEST

/* The update of a named optimizer, 40 weights of 28 bytes, passes at the rate of auxiliary
 * operations; what the system says of an update passes at memory's. */
START_TEST(test_named_optimizer_has_the_rate_of_auxiliary_operations) {
  dsm_system system = friendly_system(1, 2);
  system.chip.memory.auxiliary_efficiency_ratio = 0.75;
  const dsm_machine machine = dsm_machine_derive(&system);
  const dsm_layer layer = fc_layer(8, 10);
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
  dsm_workload workload = {.element_bytes = 2, .optimizer = DSM_OPTIMIZER_ADAM};
  dsm_weight_traffic traffic =
      dsm_weight_traffic_derive(&layer, &machine, dsm_precision_of(&workload, &system), &layouts);
  ASSERT_CLOSE(dsm_group_cycles(&machine, &traffic.weight_update), 40 * 28 / 24.0);
  workload.optimizer = DSM_OPTIMIZER_NONE;
  traffic =
      dsm_weight_traffic_derive(&layer, &machine, dsm_precision_of(&workload, &system), &layouts);
  ASSERT_CLOSE(dsm_group_cycles(&machine, &traffic.weight_update), 40 * 7 * 2 / 16.0);
}
END_TEST

/* With auxiliary operations that read for themselves nothing of it streams, but a shortcut that is
 * added on chip. */
START_TEST(test_shortcut_and_fork_are_read_once) {
  dsm_system system = friendly_system(1, 1);
  dsm_layer layer = with_residual_and_norm(conv_layer(8, 8, 16, 1, 1));
  layer.fork_elements = 7;
  system.model.exact_forks = true;
  system.model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_UNFUSED;
  const dsm_machine machine = dsm_machine_derive(&system);
  dsm_residency held = dsm_residency_none(&machine);
  for (int is_held = 0; is_held < 2; is_held++) {
    held.is_output_held = is_held == 1;
    const dsm_pass_work forward =
        dsm_pass_work_derive(&layer, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, 3, &held);
    const dsm_pass_work backward =
        dsm_pass_work_derive(&layer, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             DSM_PASS_BACKWARD, DSM_PARALLELISM_DATA, 3, &held);
    ASSERT_CLOSE(forward.bytes.shortcut, is_held == 1 ? 8 * 16 * 3 * 2 : 0);
    ASSERT_CLOSE(backward.bytes.shortcut + backward.bytes.fork, 0);
  }
}
END_TEST

/* A norm and a softmax sum; with unfused traffic whatever reads or writes but a bias. A batch_norm
 * of inference is part of the weights. */
START_TEST(test_kernels_are_those_that_do_not_ride_along) {
  dsm_layer layer = layer_with(OP(LAYER_NORM) | OP(SOFTMAX) | OP(TANH) | OP(BIAS) | OP(RESIDUAL));
  const dsm_layer norm = layer_with(OP(BATCH_NORM) | OP(RELU));
  static const double forward[] = {2, 2, 4};  /* + tanh, residual */
  static const double backward[] = {2, 2, 4}; /* + tanh, fork */
  layer.fork_elements = 7;
  model.auxiliary_traffic = (dsm_auxiliary_traffic)_i;
#define KERNELS(layer, mode, pass) dsm__auxiliary_kernels(&(layer), &model, mode, pass)
  ck_assert_double_eq(KERNELS(layer, DSM_MODE_TRAINING, DSM_PASS_FORWARD), forward[_i]);
  ck_assert_double_eq(KERNELS(layer, DSM_MODE_TRAINING, DSM_PASS_BACKWARD), backward[_i]);
  ck_assert_double_eq(KERNELS(layer, DSM_MODE_TRAINING, DSM_PASS_UPDATE), 0);
  ck_assert_double_eq(KERNELS(norm, DSM_MODE_TRAINING, DSM_PASS_FORWARD), 1);
  ck_assert_double_eq(KERNELS(norm, DSM_MODE_INFERENCE, DSM_PASS_FORWARD), 0);
  layer.has_backward = false;
  ck_assert_double_eq(KERNELS(layer, DSM_MODE_TRAINING, DSM_PASS_UPDATE), backward[_i]);
#undef KERNELS
}
END_TEST

/* 2 kernels of 0.05 us at 2 GHz: 200 cycles beside what the invocation takes without. */
START_TEST(test_each_kernel_has_its_overhead) {
  dsm_system system = friendly_system(1, 1);
  const dsm_layer layer = layer_with(OP(LAYER_NORM));
  const dsm_loops split = loops(1, 1, 1, 1, 4);
  double totals[2];
  for (int i = 0; i < 2; i++) {
    system.core.operation_overhead_us = i == 0 ? 0 : 0.05;
    const dsm_machine machine = dsm_machine_derive(&system);
    const dsm_residency none = dsm_residency_none(&machine);
    const dsm_pass_work work =
        dsm_pass_work_derive(&layer, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, 8, &none);
    totals[i] = dsm_invocation_score(&work, &split).total;
    ASSERT_CLOSE(dsm_invocation_resources(&work, &split).cycles[DSM_BOUND_OVERHEAD],
                 i == 0 ? 0 : 200);
  }
  ASSERT_CLOSE(totals[1] - totals[0], 200);
}
END_TEST

/* 80 weights on 2 chips that share the samples: each updates 40 of them, 40 bytes each in mixed
 * precision; without an optimizer 7 bytes a byte of 2. */
START_TEST(test_optimizer_says_what_an_update_moves) {
  static const double bytes[DSM_OPTIMIZER_COUNT] = {40 * 7 * 2, 40 * 20, 40 * 28, 40 * 28, 40 * 40};
  const dsm_system system = friendly_system(1, 2);
  const dsm_machine machine = dsm_machine_derive(&system);
  const dsm_layer layer = fc_layer(8, 10);
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
  const dsm_workload workload = {.element_bytes = 2,
                                 .gradient_bytes = 2,
                                 .partial_sum_bytes = 2,
                                 .optimizer = (dsm_optimizer)_i};
  const dsm_weight_traffic traffic =
      dsm_weight_traffic_derive(&layer, &machine, dsm_precision_of(&workload, &system), &layouts);
  ASSERT_CLOSE(traffic.weight_update.bytes[DSM_LINK_MEMORY], bytes[_i]);
}
END_TEST

Suite *suite_auxiliary_traffic(void) {
  Suite *const suite = suite_create("auxiliary traffic");
  TCase *const tcase = tcase_create("traffic");
  tcase_add_checked_fixture(tcase, set_up, NULL);
  tcase_add_loop_test(tcase, test_each_operation_reads_and_writes_for_itself, 0,
                      COUNT_OF(unfused_cases));
  tcase_add_loop_test(tcase, test_layer_without_backward_moves_what_backward_would_in_update, 0,
                      COUNT_OF(unfused_cases));
  tcase_add_test(tcase, test_fused_operations_are_those_with_sums);
  tcase_add_test(tcase, test_fork_works_on_the_input);
  tcase_add_test(tcase, test_held_output_leaves_what_was_saved);
  tcase_add_loop_test(tcase, test_cross_entropy_works_in_single_precision, 0, 3);
  tcase_add_test(tcase, test_held_shortcut_is_not_read);
  tcase_add_test(tcase, test_lstm_has_none);
  tcase_add_loop_test(tcase, test_memory_takes_longer_than_the_operations, 0, 3);
  tcase_add_test(tcase, test_auxiliary_operations_have_a_rate_of_their_own);
  tcase_add_test(tcase, test_rates_of_one_memory_add_up);
  tcase_add_test(tcase, test_named_optimizer_has_the_rate_of_auxiliary_operations);
  tcase_add_test(tcase, test_shortcut_and_fork_are_read_once);
  tcase_add_loop_test(tcase, test_kernels_are_those_that_do_not_ride_along, 0, 3);
  tcase_add_test(tcase, test_each_kernel_has_its_overhead);
  tcase_add_loop_test(tcase, test_optimizer_says_what_an_update_moves, 0, DSM_OPTIMIZER_COUNT);
  suite_add_tcase(suite, tcase);
  return suite;
}
