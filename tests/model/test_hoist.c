/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hoisted input products: docs/model.md, section 7, by hand. */
#include "fixture.h"
#include "suites.h"

static dsm_system chips;
static dsm_machine machine;
static dsm_layer lstm;  /* X = 3, H = 2, T = 5 */
static dsm_layer input; /* its loops */
static dsm_layer step;

static void set_up(void) {
  chips = friendly_system(2, 2);
  machine = dsm_machine_derive(&chips);
  lstm = lstm_layer(3, 2, 5);
  input = fc_layer(3, 8);
  step = lstm_layer(0, 2, 5);
  step.gate_elements = 8;
}

START_TEST(test_samples_are_those_of_all_timesteps_on_each_chip) {
  ck_assert_uint_eq(dsm_hoisted_samples(&lstm, &machine, DSM_PARALLELISM_DATA, 6), 40);
  ck_assert_uint_eq(dsm_hoisted_samples(&lstm, &machine, DSM_PARALLELISM_DATA, 8), 40);
  ck_assert_uint_eq(dsm_hoisted_samples(&lstm, &machine, DSM_PARALLELISM_MODEL, 6), 30);
  ck_assert_uint_eq(dsm_hoisted_samples(&lstm, &machine, DSM_PARALLELISM_DATA_X_MODEL_Y, 7), 40);
}
END_TEST

START_TEST(test_one_timestep_has_the_samples_of_the_minibatch) {
  lstm.timesteps = 1;
  ck_assert_uint_eq(dsm_hoisted_samples(&lstm, &machine, DSM_PARALLELISM_MODEL, 6), 6);
}
END_TEST

START_TEST(test_products_are_kept_until_the_update) {
  const dsm_workload workload = {.minibatch = 6, .element_bytes = 2};
  ASSERT_CLOSE(dsm_hoisted_bytes(&lstm, &machine, &workload, DSM_PARALLELISM_DATA), 160);
  ASSERT_CLOSE(dsm_hoisted_bytes(&lstm, &machine, &workload, DSM_PARALLELISM_MODEL), 120);
}
END_TEST

static dsm_chip_bytes bytes_of(const dsm_layer *layer, dsm_pass pass, uint64_t samples) {
  const dsm_residency residency = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                              DSM_PARALLELISM_DATA, samples, &residency)
      .bytes;
}

START_TEST(test_input_products_are_an_fc_over_all_timesteps) {
  const dsm_chip_bytes bytes = bytes_of(&input, DSM_PASS_FORWARD, 40);
  ASSERT_CLOSE(bytes.input_moved, 60);
  ASSERT_CLOSE(bytes.output_moved, 160);
  ASSERT_CLOSE(bytes.gates, 0);
}
END_TEST

START_TEST(test_timestep_reads_products_and_leaves_errors_of_gates) {
  const dsm_chip_bytes forward = bytes_of(&step, DSM_PASS_FORWARD, 6);
  ASSERT_CLOSE(forward.input_moved, 8);
  ASSERT_CLOSE(forward.gates, 32);
  ASSERT_CLOSE(bytes_of(&step, DSM_PASS_BACKWARD, 6).gates, 32);
  ASSERT_CLOSE(bytes_of(&step, DSM_PASS_UPDATE, 6).gates, 0);
}
END_TEST

START_TEST(test_gates_stream_once) {
  const dsm_residency residency = dsm_residency_none(&machine);
  const dsm_loops split = loops(1, 4, 1, 1, 1);
  for (int p = DSM_PASS_FORWARD; p <= DSM_PASS_BACKWARD; p++) {
    double bytes[2];
    for (int with = 0; with < 2; with++) {
      dsm_layer one = step;
      one.gate_elements = with == 0 ? 0 : 8;
      const dsm_pass_work work =
          dsm_pass_work_derive(&one, &machine, friendly_precision(), DSM_MODE_TRAINING, (dsm_pass)p,
                               DSM_PARALLELISM_DATA, 6, &residency);
      bytes[with] = streamed_bytes(&work, &split);
    }
    ASSERT_CLOSE(bytes[1] - bytes[0], 32);
  }
}
END_TEST

Suite *suite_hoist(void) {
  Suite *const suite = suite_create("hoist");
  TCase *const tcase = tcase_create("hoisted input products");
  tcase_add_checked_fixture(tcase, set_up, NULL);
  tcase_add_test(tcase, test_samples_are_those_of_all_timesteps_on_each_chip);
  tcase_add_test(tcase, test_one_timestep_has_the_samples_of_the_minibatch);
  tcase_add_test(tcase, test_products_are_kept_until_the_update);
  tcase_add_test(tcase, test_input_products_are_an_fc_over_all_timesteps);
  tcase_add_test(tcase, test_timestep_reads_products_and_leaves_errors_of_gates);
  tcase_add_test(tcase, test_gates_stream_once);
  suite_add_tcase(suite, tcase);
  return suite;
}
