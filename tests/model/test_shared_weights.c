/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights that are not of one layer and all its positions: experts, tied layers, and bytes of
 * weights and caches of their own, by hand (docs/model.md, sections 1, 3, 5 and 12). */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

/* 4 x 2 chips of 4 cores; see fixture.h. */
static void set_up(void) {
  chips = friendly_system(4, 2);
  machine = dsm_machine_derive(&chips);
}

/* 6 experts of 8 x 10 weights; 3 positions use 2 of them each: one position an expert. */
static dsm_layer experts_layer(void) {
  dsm_layer layer = conv_layer(6 * 8, 6 * 10, 1, 1, 6);
  layer.name = "experts";
  layer.experts = 6;
  layer.routed = 3 * 2;
  layer.sent = 3 * 2;
  layer.active_experts = 2;
  return layer;
}

/* 12 x 20 weights of another layer. */
static dsm_layer tied_layer(void) {
  dsm_layer layer = fc_layer(12, 20);
  layer.is_tied = true;
  return layer;
}

static dsm_precision precision_with(double weight_bytes, double cache_bytes) {
  dsm_precision precision = friendly_precision();
  precision.weight_bytes = weight_bytes;
  precision.cache_bytes = cache_bytes;
  return precision;
}

static dsm_chip_bytes bytes_of(const dsm_layer *layer, dsm_precision precision, dsm_mode mode,
                               dsm_pass pass, dsm_parallelism parallelism, uint64_t samples) {
  const dsm_residency nothing = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, precision, mode, pass, parallelism, samples,
                              &nothing)
      .bytes;
}

static dsm_weight_traffic exchange_of(const dsm_layer *layer, dsm_precision precision,
                                      dsm_parallelism parallelism) {
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  return dsm_weight_traffic_derive(layer, &machine, precision, &layouts);
}

/* B = 2, Bg = 4, 8 bytes of state; 16 samples. */
static dsm_layer_memory memory_of(const dsm_layer *layer, dsm_precision precision, dsm_mode mode,
                                  dsm_parallelism parallelism) {
  const dsm_workload workload = {.minibatch = 16,
                                 .element_bytes = 2,
                                 .gradient_bytes = 4,
                                 .optimizer_bytes_per_weight = 8,
                                 .weight_bytes = precision.weight_bytes,
                                 .cache_bytes = precision.cache_bytes,
                                 .input_last_use = DSM_NEVER_USED};
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  return dsm_layer_memory_derive(layer, &machine, &workload, mode, &layouts);
}

/* ---- experts ---- */

/* Features of one expert are no share of another's: each chip has all experts, of its samples. One
 * expert is an fc. */
START_TEST(test_experts_are_whole_on_each_chip) {
  const dsm_layer experts = experts_layer();
  dsm_layer one = fc_layer(8, 10);
  one.experts = 1;
  one.routed = 3;
  one.sent = 3;
  one.active_experts = 1;
  ck_assert_uint_eq(dsm_layer_parallelisms(&experts), DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA));
  ck_assert_uint_eq(dsm_layer_parallelisms(&one), DSM_PARALLELISM_ALL);
}
END_TEST

typedef struct used {
  uint64_t samples; /* of 8 chips */
  double experts;   /* that are fetched in inference, on average */
} used;

/* 1, 2 and 3 samples of a chip with 3 positions by one expert each, of 6 experts: 6 - 6 (5/6)^3, ^6
 * and ^9. */
static const used uses[] = {
    {8, 91.0 / 36}, {16, 6 - 15625.0 / 7776}, {24, 6 - 1953125.0 / 1679616}};

START_TEST(test_inference_fetches_experts_that_are_used) {
  const used *const c = &uses[_i];
  dsm_layer layer = experts_layer();
  layer.routed = 3;
  layer.active_experts = 1;
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_chip_bytes trained = bytes_of(&layer, friendly_precision(), DSM_MODE_TRAINING,
                                            (dsm_pass)pass, DSM_PARALLELISM_DATA, c->samples);
    ck_assert_double_eq(trained.kernel, 6 * 80 * 2);
  }
  const dsm_chip_bytes bytes = bytes_of(&layer, friendly_precision(), DSM_MODE_INFERENCE,
                                        DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, c->samples);
  ck_assert_double_eq_tol(bytes.kernel, c->experts * 80 * 2, 1e-10);
  ck_assert_double_eq_tol(bytes.kernel_moved, c->experts * 80 * 2, 1e-10);
}
END_TEST

/* 32 positions, each by 8 of 256 experts chosen evenly, need 163.3 of them. */
START_TEST(test_few_tokens_fetch_some_experts) {
  const dsm_layer layer = {.experts = 256, .active_experts = 8, .routed = 8};
  const dsm_chip_share share = {.chip.n[DSM_DIM_MB] = 32};
  ck_assert_double_eq_tol(256 * dsm__fetched_experts(&layer, &share, DSM_MODE_INFERENCE), 163.3,
                          0.05);
  ck_assert_double_eq(dsm__fetched_experts(&layer, &share, DSM_MODE_TRAINING), 1);
}
END_TEST

/* Of one expert a chip along X has a quarter: 80 * 2 / 4, of 1 of 2 chips along Y. */
START_TEST(test_one_expert_is_shared_by_features) {
  dsm_layer one = fc_layer(8, 10);
  one.experts = 1;
  one.routed = 3;
  one.active_experts = 1;
  ck_assert_double_eq(bytes_of(&one, friendly_precision(), DSM_MODE_INFERENCE, DSM_PASS_FORWARD,
                               DSM_PARALLELISM_MODEL_X_DATA_Y, 16)
                          .kernel,
                      40);
}
END_TEST

/* Copies of 6 positions, one an expert: 8 inputs and 10 outputs each, 2 samples, 2 bytes. */
START_TEST(test_tokens_are_copied_to_their_experts) {
  const dsm_layer layer = experts_layer();
  const dsm_chip_bytes bytes = bytes_of(&layer, friendly_precision(), DSM_MODE_TRAINING,
                                        DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, 16);
  ck_assert_double_eq(bytes.input_moved, 6 * 8 * 2 * 2);
  ck_assert_double_eq(bytes.output_moved, 6 * 10 * 2 * 2);
}
END_TEST

/* Each expert has ceil(8 / 4) * ceil(10 / 8) = 4 blocks, past which a position of 2 samples
 * streams, after a start of 100. */
START_TEST(test_experts_have_blocks_of_their_own) {
  const dsm_layer layer = experts_layer();
  const dsm_residency nothing = dsm_residency_none(&machine);
  const dsm_pass_work work =
      dsm_pass_work_derive(&layer, &machine, friendly_precision(), DSM_MODE_TRAINING,
                           DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, 16, &nothing);
  const dsm__core_work core = {.groups = 6, .in = 8, .out = 10, .ij = 1, .kij = 1, .mb = 2};
  ck_assert_double_eq(dsm__primary_of_core(&work, &core), 6 * 4 * 2 + 100);
}
END_TEST

/* 480 weights on each of 8 chips, used or not. Gradients of 4 bytes: 1920 * 3/4 along X, a quarter
 * of them * 1/2 along Y; memory 1.5 bytes a byte, the ring twice. */
START_TEST(test_all_experts_are_kept_and_summed_up) {
  const dsm_layer layer = experts_layer();
  const dsm_precision precision = friendly_precision();
  const dsm_weight_traffic traffic = exchange_of(&layer, precision, DSM_PARALLELISM_DATA);
  assert_traffic(traffic.sum_of_gradients, 1440, 240, 2880, 3360);
  assert_traffic(traffic.broadcast_weights, 720, 120, 4800, 1680);
  assert_traffic(traffic.weight_update, 0, 0, 7 * 480 * 2 / 8.0, 0);
  const dsm_layer_memory training =
      memory_of(&layer, precision, DSM_MODE_TRAINING, DSM_PARALLELISM_DATA);
  ck_assert_double_eq(training.weights_bytes, 480 * 2);
  ck_assert_double_eq(training.gradients_bytes, 480 * 4);
  ck_assert_double_eq(training.optimizer_bytes, 480 * 8 / 8.0);
  ck_assert_double_eq(training.activations_bytes, 6 * 10 * 2 * 2);
  ck_assert_double_eq(
      memory_of(&layer, precision, DSM_MODE_INFERENCE, DSM_PARALLELISM_DATA).weights_bytes,
      480 * 2);
}
END_TEST

/* ---- tied layers ---- */

/* One sum of gradients, one update, one broadcast: those of the layer that has the weights. */
START_TEST(test_tied_layer_exchanges_no_weights) {
  const dsm_layer layer = tied_layer();
  const dsm_weight_traffic traffic = exchange_of(&layer, friendly_precision(), (dsm_parallelism)_i);
  assert_traffic(traffic.sum_of_gradients, 0, 0, 0, 0);
  assert_traffic(traffic.broadcast_weights, 0, 0, 0, 0);
  assert_traffic(traffic.weight_update, 0, 0, 0, 0);
  ck_assert_double_eq(traffic.sum_of_gradients.latency_cycles, 0);
  ck_assert_double_eq(traffic.broadcast_weights.latency_cycles, 0);
}
END_TEST

/* One place in memory: weights, gradients and state are the other's. Its 20 outputs of 2 samples
 * are kept. */
START_TEST(test_tied_layer_keeps_no_weights) {
  const dsm_layer layer = tied_layer();
  const dsm_layer_memory training =
      memory_of(&layer, friendly_precision(), DSM_MODE_TRAINING, DSM_PARALLELISM_DATA);
  ck_assert_double_eq(training.weights_bytes, 0);
  ck_assert_double_eq(training.gradients_bytes, 0);
  ck_assert_double_eq(training.optimizer_bytes, 0);
  ck_assert_double_eq(training.activations_bytes, 20 * 2 * 2);
  ck_assert_double_eq(
      memory_of(&layer, friendly_precision(), DSM_MODE_INFERENCE, DSM_PARALLELISM_DATA)
          .weights_bytes,
      0);
}
END_TEST

/* 240 weights of 2 bytes are read in each pass that needs them; the gradients of the other layer
 * are read and written, where a layer of its own writes its gradients. */
START_TEST(test_tied_layer_adds_to_gradients) {
  dsm_layer layer = tied_layer();
  const dsm_precision precision = friendly_precision();
  const dsm_parallelism data = DSM_PARALLELISM_DATA;
  for (int tied = 0; tied < 2; tied++) {
    layer.is_tied = tied == 1;
    const dsm_mode training = DSM_MODE_TRAINING;
    ck_assert_double_eq(
        bytes_of(&layer, precision, training, DSM_PASS_FORWARD, data, 16).kernel_moved, 480);
    ck_assert_double_eq(
        bytes_of(&layer, precision, training, DSM_PASS_BACKWARD, data, 16).kernel_moved, 480);
    ck_assert_double_eq(bytes_of(&layer, precision, training, DSM_PASS_UPDATE, data, 16).gradient,
                        tied ? 960 : 480);
  }
}
END_TEST

/* An embedding, 4 rows of 5 numbers a sample: 2 samples of 2 bytes. */
START_TEST(test_tied_table_adds_to_rows) {
  dsm_layer table = fc_layer(1, 5);
  table.weight_elements = 500;
  table.lookup_elements = 20;
  for (int tied = 0; tied < 2; tied++) {
    table.is_tied = tied == 1;
    const dsm_chip_bytes bytes = bytes_of(&table, friendly_precision(), DSM_MODE_TRAINING,
                                          DSM_PASS_UPDATE, DSM_PARALLELISM_DATA, 16);
    ck_assert_double_eq(bytes.gradient, tied ? 160 : 80);
    ck_assert_double_eq(
        memory_of(&table, friendly_precision(), DSM_MODE_TRAINING, DSM_PARALLELISM_DATA)
            .weights_bytes,
        tied ? 0 : 1000);
  }
}
END_TEST

/* ---- bytes of weights and caches ---- */

/* 240 weights of half a byte; elements have 2 bytes, 2 samples a chip. */
START_TEST(test_weights_have_bytes_of_their_own) {
  const dsm_layer layer = fc_layer(12, 20);
  const dsm_precision precision = precision_with(0.5, 0);
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_chip_bytes bytes =
        bytes_of(&layer, precision, DSM_MODE_TRAINING, (dsm_pass)pass, DSM_PARALLELISM_DATA, 16);
    ck_assert_double_eq(bytes.kernel, 120);
    ck_assert_double_eq(bytes.input, 12 * 2 * 2);
    ck_assert_double_eq(bytes.raw, 20 * 2 * 2);
  }
  ck_assert_double_eq(
      bytes_of(&layer, precision, DSM_MODE_TRAINING, DSM_PASS_UPDATE, DSM_PARALLELISM_DATA, 16)
          .gradient,
      120);
}
END_TEST

/* Gradients have 4 bytes, 960 in all, as without; 120 bytes of weights go back: 90 along X, 15
 * along Y. The update moves 7 bytes a byte of a chip's eighth, or what the optimizer says. */
START_TEST(test_weights_of_their_own_bytes_go_back) {
  const dsm_layer layer = fc_layer(12, 20);
  dsm_precision precision = precision_with(0.5, 0);
  const dsm_weight_traffic traffic = exchange_of(&layer, precision, DSM_PARALLELISM_DATA);
  assert_traffic(traffic.sum_of_gradients, 720, 120, 1440, 1680);
  assert_traffic(traffic.broadcast_weights, 90, 15, 600, 210);
  assert_traffic(traffic.weight_update, 0, 0, 7 * 120 / 8.0, 0);
  precision.update_bytes = 28;
  assert_traffic(exchange_of(&layer, precision, DSM_PARALLELISM_DATA).weight_update, 0, 0,
                 28 * 240 / 8.0, 0);
}
END_TEST

/* 240 weights on 4 chips along X, half a byte each; gradients and state are what they were, state
 * that of the half which a chip updates. */
START_TEST(test_weights_of_their_own_bytes_are_kept) {
  const dsm_layer layer = fc_layer(12, 20);
  const dsm_layer_memory memory =
      memory_of(&layer, precision_with(0.5, 0), DSM_MODE_TRAINING, DSM_PARALLELISM_MODEL_X_DATA_Y);
  ck_assert_double_eq(memory.weights_bytes, 30);
  ck_assert_double_eq(memory.gradients_bytes, 60 * 4);
  ck_assert_double_eq(memory.optimizer_bytes, 60 * 8 / 2.0);
}
END_TEST

/* Rows of a table are weights: 20 of 2 samples. */
START_TEST(test_rows_have_bytes_of_weights) {
  dsm_layer table = fc_layer(1, 5);
  table.weight_elements = 500;
  table.lookup_elements = 20;
  ck_assert_double_eq(bytes_of(&table, precision_with(1, 0), DSM_MODE_TRAINING, DSM_PASS_FORWARD,
                               DSM_PARALLELISM_DATA, 16)
                          .kernel,
                      20 * 2);
}
END_TEST

/* 12 x 20 keys of 2 samples, from a cache in inference, where 24 of them are new; what makes them
 * in training is stored as elements. An operand of elements that no cache keeps has theirs. */
START_TEST(test_caches_have_bytes_of_their_own) {
  dsm_layer layer = matmul_layer(12, 20, 1);
  const dsm_precision precision = precision_with(8, 0.5);
  const dsm_parallelism data = DSM_PARALLELISM_DATA;
  ck_assert_double_eq(
      bytes_of(&layer, precision, DSM_MODE_INFERENCE, DSM_PASS_FORWARD, data, 16).kernel, 960);
  layer.cache_elements = 240;
  layer.cache_new_elements = 24;
  const dsm_chip_bytes inference =
      bytes_of(&layer, precision, DSM_MODE_INFERENCE, DSM_PASS_FORWARD, data, 16);
  const dsm_chip_bytes training =
      bytes_of(&layer, precision, DSM_MODE_TRAINING, DSM_PASS_FORWARD, data, 16);
  ck_assert_double_eq(inference.kernel, 240);
  ck_assert_double_eq(inference.state, 24);
  ck_assert_double_eq(training.kernel, 960);
  ck_assert_double_eq(training.state, 0);
  ck_assert_double_eq(memory_of(&layer, precision, DSM_MODE_INFERENCE, data).cache_bytes, 240);
}
END_TEST

Suite *suite_shared_weights(void) {
  Suite *const suite = suite_create("shared weights");
  TCase *const experts = tcase_create("experts");
  tcase_add_checked_fixture(experts, set_up, NULL);
  tcase_add_test(experts, test_experts_are_whole_on_each_chip);
  tcase_add_loop_test(experts, test_inference_fetches_experts_that_are_used, 0, COUNT_OF(uses));
  tcase_add_test(experts, test_few_tokens_fetch_some_experts);
  tcase_add_test(experts, test_one_expert_is_shared_by_features);
  tcase_add_test(experts, test_tokens_are_copied_to_their_experts);
  tcase_add_test(experts, test_experts_have_blocks_of_their_own);
  tcase_add_test(experts, test_all_experts_are_kept_and_summed_up);
  suite_add_tcase(suite, experts);
  TCase *const tied = tcase_create("tied");
  tcase_add_checked_fixture(tied, set_up, NULL);
  tcase_add_loop_test(tied, test_tied_layer_exchanges_no_weights, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(tied, test_tied_layer_keeps_no_weights);
  tcase_add_test(tied, test_tied_layer_adds_to_gradients);
  tcase_add_test(tied, test_tied_table_adds_to_rows);
  suite_add_tcase(suite, tied);
  TCase *const bytes = tcase_create("bytes");
  tcase_add_checked_fixture(bytes, set_up, NULL);
  tcase_add_test(bytes, test_weights_have_bytes_of_their_own);
  tcase_add_test(bytes, test_weights_of_their_own_bytes_go_back);
  tcase_add_test(bytes, test_weights_of_their_own_bytes_are_kept);
  tcase_add_test(bytes, test_rows_have_bytes_of_weights);
  tcase_add_test(bytes, test_caches_have_bytes_of_their_own);
  suite_add_tcase(suite, bytes);
  return suite;
}
