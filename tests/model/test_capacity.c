/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "fixture.h"

static dsm_system chips;
static dsm_machine machine;
static dsm_layer layers[3];
static dsm_workload workload;

/* Three layers that take the network's input's life apart; B = 2, Bg = 4, 8 bytes of optimiser
 * state a weight, 10 samples. The input has 50 elements over 3 timesteps. */
static void set_up(void) {
  chips = friendly_system(4, 2);
  machine = dsm_machine_derive(&chips);
  layers[0] = layers[1] = layers[2] = conv_layer(12, 20, 36, 4, 1); /* 960 weights */
  for (int l = 0; l < COUNT_OF(layers); l++) {
    layers[l].stored_elements = 180;
    layers[l].error_pair_elements = 200;
    layers[l].live_elements = 400;
  }
  workload = (dsm_workload){
      .name = "friendly",
      .minibatch = 10,
      .element_bytes = 2,
      .gradient_bytes = 4,
      .partial_sum_bytes = 6,
      .optimizer_bytes_per_weight = 8,
      .input_elements = 50,
      .input_timesteps = 3,
      .input_last_use = DSM_NEVER_USED,
      .layers = layers,
      .layer_count = COUNT_OF(layers),
  };
}

static dsm_layer_memory memory_of(int layer, dsm_mode mode, dsm_parallelism parallelism) {
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  return dsm_layer_memory_derive(&layers[layer], &machine, &workload, mode, &layouts);
}

/* On 4 x 2 chips, elements * 2 bytes * mbc / nm:
 *
 *   data            nm = 1, mbc = 2    activations 180*2*2    errors 200*2*2    live 400*2*2
 *   model           nm = 8, mbc = 10   180*2*10/8             200*2*10/8        400*2*10/8
 *   data_x_model_y  nm = 2, mbc = 3    180*2*3/2              200*2*3/2         400*2*3/2
 *   model_x_data_y  nm = 4, mbc = 5    180*2*5/4              200*2*5/4         400*2*5/4
 */
typedef struct memory_case {
  double weights; /* of the chip: 960 / nm */
  double activations_bytes;
  double errors_bytes;
  double live_bytes;
} memory_case;

static const memory_case memories[DSM_PARALLELISM_COUNT_OF(2)] = {
    [DSM_PARALLELISM_DATA] = {960, 720, 800, 1600},
    [DSM_PARALLELISM_MODEL] = {120, 450, 500, 1000},
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = {480, 540, 600, 1200},
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = {240, 450, 500, 1000},
};

START_TEST(test_training_keeps_weights_gradients_activations_and_errors) {
  const memory_case *const c = &memories[_i];
  const dsm_layer_memory memory = memory_of(0, DSM_MODE_TRAINING, (dsm_parallelism)_i);
  ck_assert_double_eq(memory.weights_bytes, c->weights * 2);
  ck_assert_double_eq(memory.gradients_bytes, c->weights * 4);
  ck_assert_double_eq(memory.optimizer_bytes, 960 * 8 / 8.0); /* each chip its part of all */
  chips.model.sharded_update = false;
  ck_assert_double_eq(memory_of(0, DSM_MODE_TRAINING, (dsm_parallelism)_i).optimizer_bytes,
                      c->weights * 8);
  ck_assert_double_eq(memory.activations_bytes, c->activations_bytes);
  ck_assert_double_eq(memory.transient_bytes, c->errors_bytes);
}
END_TEST

START_TEST(test_inference_keeps_weights_and_live_tensors) {
  const memory_case *const c = &memories[_i];
  const dsm_layer_memory memory = memory_of(0, DSM_MODE_INFERENCE, (dsm_parallelism)_i);
  ck_assert_double_eq(memory.weights_bytes, c->weights * 2);
  ck_assert_double_eq(memory.gradients_bytes, 0);
  ck_assert_double_eq(memory.optimizer_bytes, 0);
  ck_assert_double_eq(memory.activations_bytes, 0);
  ck_assert_double_eq(memory.transient_bytes, c->live_bytes);
}
END_TEST

/* The pair of live errors has the layout of backward, all else that of forward, and the layout of
 * update counts nowhere: all 64 combinations, from the table above. */
START_TEST(test_errors_have_the_layout_of_backward_and_the_rest_that_of_forward) {
  const int forward = _i;
  for (int backward = 0; backward < DSM_PARALLELISM_COUNT_OF(2); backward++) {
    for (int update = 0; update < DSM_PARALLELISM_COUNT_OF(2); update++) {
      const dsm_pass_layouts layouts = {
          {(dsm_parallelism)forward, (dsm_parallelism)backward, (dsm_parallelism)update}};
      const dsm_layer_memory training =
          dsm_layer_memory_derive(&layers[0], &machine, &workload, DSM_MODE_TRAINING, &layouts);
      const dsm_layer_memory inference =
          dsm_layer_memory_derive(&layers[0], &machine, &workload, DSM_MODE_INFERENCE, &layouts);
      ck_assert_double_eq(training.weights_bytes, memories[forward].weights * 2);
      ck_assert_double_eq(training.gradients_bytes, memories[forward].weights * 4);
      ck_assert_double_eq(training.optimizer_bytes, 960 * 8 / 8.0);
      ck_assert_double_eq(training.activations_bytes, memories[forward].activations_bytes);
      ck_assert_double_eq(training.transient_bytes, memories[backward].errors_bytes);
      ck_assert_double_eq(inference.weights_bytes, memories[forward].weights * 2);
      ck_assert_double_eq(inference.transient_bytes, memories[forward].live_bytes);
    }
  }
}
END_TEST

/* It has no pair of errors (section 1), whatever the layout in which its output's error is left. */
START_TEST(test_layer_without_backward_pass_has_no_live_errors) {
  layers[0].has_backward = false;
  layers[0].error_pair_elements = 0;
  const dsm_pass_layouts layouts = {
      {DSM_PARALLELISM_DATA, (dsm_parallelism)_i, DSM_PARALLELISM_DATA}};
  const dsm_layer_memory memory =
      dsm_layer_memory_derive(&layers[0], &machine, &workload, DSM_MODE_TRAINING, &layouts);
  ck_assert_double_eq(memory.transient_bytes, 0);
  ck_assert_double_eq(memory.activations_bytes, memories[DSM_PARALLELISM_DATA].activations_bytes);
}
END_TEST

START_TEST(test_one_chip_keeps_everything) {
  chips = friendly_system(1, 1);
  machine = dsm_machine_derive(&chips);
  const dsm_layer_memory memory = memory_of(0, DSM_MODE_TRAINING, (dsm_parallelism)_i);
  ck_assert_double_eq(memory.weights_bytes, 960 * 2);
  ck_assert_double_eq(memory.gradients_bytes, 960 * 4);
  ck_assert_double_eq(memory.optimizer_bytes, 960 * 8);
  ck_assert_double_eq(memory.activations_bytes, 180 * 10 * 2);
  ck_assert_double_eq(memory.transient_bytes, 200 * 10 * 2);
}
END_TEST

START_TEST(test_without_optimizer_state_none_is_kept) {
  workload.optimizer_bytes_per_weight = 0;
  ck_assert_double_eq(memory_of(0, DSM_MODE_TRAINING, DSM_PARALLELISM_DATA).optimizer_bytes, 0);
}
END_TEST

/* H = 5, T = 7: output and 5H of state are 6H = 30 elements a timestep; 30 * 7 * 2 samples * 2. */
START_TEST(test_lstm_keeps_output_and_state_of_all_timesteps) {
  layers[0] = lstm_layer(3, 5, 7);
  ck_assert_double_eq(memory_of(0, DSM_MODE_TRAINING, DSM_PARALLELISM_DATA).activations_bytes, 840);
}
END_TEST

/* Pairs of live errors and live tensors include their timesteps already. */
START_TEST(test_transient_elements_are_not_multiplied_by_timesteps) {
  layers[0].timesteps = 7;
  ck_assert_double_eq(memory_of(0, DSM_MODE_TRAINING, DSM_PARALLELISM_DATA).transient_bytes, 800);
  ck_assert_double_eq(memory_of(0, DSM_MODE_INFERENCE, DSM_PARALLELISM_DATA).transient_bytes, 1600);
}
END_TEST

START_TEST(test_matmul_keeps_no_weights) {
  layers[0] = matmul_layer(12, 20, 1); /* 20 outputs a sample, 2 samples */
  const dsm_layer_memory memory = memory_of(0, DSM_MODE_TRAINING, DSM_PARALLELISM_DATA);
  ck_assert_double_eq(memory.weights_bytes, 0);
  ck_assert_double_eq(memory.gradients_bytes, 0);
  ck_assert_double_eq(memory.optimizer_bytes, 0);
  ck_assert_double_eq(memory.activations_bytes, 80);
}
END_TEST

/* 3, 8 and 9 samples on 8 chips are 1, 1 and 2 a chip: 180 * 2 bytes each. */
START_TEST(test_minibatch_smaller_than_the_chip_count_keeps_one_sample_a_chip) {
  static const uint64_t minibatches[] = {3, 8, 9};
  static const double kept_bytes[] = {360, 360, 720};
  workload.minibatch = minibatches[_i];
  ck_assert_double_eq(memory_of(0, DSM_MODE_TRAINING, DSM_PARALLELISM_DATA).activations_bytes,
                      kept_bytes[_i]);
}
END_TEST

static double input_bytes(dsm_parallelism parallelism) {
  return memory_of(0, DSM_MODE_TRAINING, parallelism).input_bytes;
}

/* 50 * 3 * ceil(10/8) * 2 */
START_TEST(test_network_input_is_split_by_data) {
  ck_assert_double_eq(input_bytes(DSM_PARALLELISM_DATA), 600);
  workload.minibatch = 8;
  ck_assert_double_eq(input_bytes(DSM_PARALLELISM_DATA), 300);
  workload.minibatch = 1;
  ck_assert_double_eq(input_bytes(DSM_PARALLELISM_DATA), 300);
}
END_TEST

START_TEST(test_one_chip_keeps_the_whole_network_input) {
  chips = friendly_system(1, 1);
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(input_bytes(DSM_PARALLELISM_DATA), 50 * 3 * 10 * 2);
}
END_TEST

/* Of 16 samples, 50 * 3 * 16 * 2 = 4800 bytes in all: cut by samples along 4, by features along 2
 * chips; and as the first layer alone reads it: column and whole on all chips, gather_column by
 * positions, row by features. */
START_TEST(test_network_input_lies_as_its_first_reader_has_it) {
  static const struct {
    dsm_role role;
    double ways;
  } cases[] = {{DSM_ROLE_DATA, 8},
               {DSM_ROLE_COLUMN, 4},
               {DSM_ROLE_GATHER_COLUMN, 8},
               {DSM_ROLE_ROW, 8},
               {DSM_ROLE_WHOLE, 4}};
  workload.minibatch = 16;
  ck_assert_double_eq(input_bytes(DSM_PARALLELISM_DATA_X_MODEL_Y), 4800 / 8.0);
  for (int i = 0; i < COUNT_OF(cases); i++) {
    const dsm_roles roles = {.of = {DSM_ROLE_DATA, cases[i].role}};
    const dsm_parallelism parallelism = dsm_parallelism_of(&roles, 2);
    ck_assert_double_eq(input_bytes(parallelism), 4800 / cases[i].ways);
    ck_assert_double_eq(memory_of(1, DSM_MODE_TRAINING, parallelism).input_bytes, 0);
  }
}
END_TEST

/* The second of three layers reads it last: 600 bytes on top of 1600 in the first two. */
START_TEST(test_network_input_is_live_until_its_last_use_in_inference) {
  static const double live_bytes[] = {2200, 2200, 1600};
  workload.input_last_use = 1;
  ck_assert_double_eq(memory_of(_i, DSM_MODE_INFERENCE, DSM_PARALLELISM_DATA).transient_bytes,
                      live_bytes[_i]);
}
END_TEST

START_TEST(test_network_input_is_no_transient_in_training) {
  workload.input_last_use = 1;
  ck_assert_double_eq(memory_of(0, DSM_MODE_TRAINING, DSM_PARALLELISM_DATA).transient_bytes, 800);
}
END_TEST

Suite *suite_capacity(void) {
  Suite *const suite = suite_create("capacity");
  TCase *const layer = tcase_create("layer");
  tcase_add_checked_fixture(layer, set_up, NULL);
  tcase_add_loop_test(layer, test_training_keeps_weights_gradients_activations_and_errors, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(layer, test_inference_keeps_weights_and_live_tensors, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(layer, test_errors_have_the_layout_of_backward_and_the_rest_that_of_forward,
                      0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(layer, test_layer_without_backward_pass_has_no_live_errors, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(layer, test_one_chip_keeps_everything, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(layer, test_without_optimizer_state_none_is_kept);
  tcase_add_test(layer, test_lstm_keeps_output_and_state_of_all_timesteps);
  tcase_add_test(layer, test_transient_elements_are_not_multiplied_by_timesteps);
  tcase_add_test(layer, test_matmul_keeps_no_weights);
  tcase_add_loop_test(layer, test_minibatch_smaller_than_the_chip_count_keeps_one_sample_a_chip, 0,
                      3);
  suite_add_tcase(suite, layer);
  TCase *const input = tcase_create("input");
  tcase_add_checked_fixture(input, set_up, NULL);
  tcase_add_test(input, test_network_input_is_split_by_data);
  tcase_add_test(input, test_one_chip_keeps_the_whole_network_input);
  tcase_add_test(input, test_network_input_lies_as_its_first_reader_has_it);
  tcase_add_loop_test(input, test_network_input_is_live_until_its_last_use_in_inference, 0,
                      COUNT_OF(layers));
  tcase_add_test(input, test_network_input_is_no_transient_in_training);
  suite_add_tcase(suite, input);
  return suite;
}
