/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_questions.c: questions without an answer, what is said then, limits, names, MPS. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "partition/instance_facts.h"
#include "partition/solver.h"
#include "small_instance.h"
#include "suites.h"

static dsm_partition_options defaults(void) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  return options;
}

/* The status, and that the first finding says this. */
static void expect(const small_instance *s, const dsm_partition_options *options,
                   dsm_status expected, const char *said) {
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, &s->instance, options, diags), expected);
  ck_assert_ptr_null(partition);
  ck_assert_uint_ge(dsm_diags_count(diags), 1);
  const char *const message = dsm_diags_get(diags, 0)->message;
  ck_assert_msg(strstr(message, said) != NULL, "%s", message);
  dsm_diags_free(diags);
}

START_TEST(a_task_that_fits_nowhere_is_named) {
  small_instance s;
  small_chain(&s, 3, 2);
  s.devices[0].memory_bytes = 5;
  s.devices[1].memory_bytes = 8;
  s.tasks[1].weights_bytes = 10;
  const dsm_partition_options options = defaults();
  expect(&s, &options, DSM_ERROR_INFEASIBLE,
         "task \"t2\" fits nowhere: it needs 10 bytes, and \"d2\", the largest device that can run "
         "it, has 8: 2 bytes are missing");
  /* where the larger device cannot run it, the other one counts */
  s.seconds[1 * 2 + 1] = HUGE_VAL;
  expect(&s, &options, DSM_ERROR_INFEASIBLE, "5 bytes are missing");
  s.seconds[1 * 2 + 0] = HUGE_VAL;
  expect(&s, &options, DSM_ERROR_INFEASIBLE, "task \"t2\" can run on no device");
}
END_TEST

START_TEST(parts_of_a_byte_are_missing_too) {
  small_instance s;
  small_chain(&s, 1, 1);
  s.tasks[0].weights_bytes = 8.25;
  s.devices[0].memory_bytes = 7.75;
  const dsm_partition_options options = defaults();
  expect(&s, &options, DSM_ERROR_INFEASIBLE,
         "it needs 9 bytes, and \"d1\", the largest device that can run it, has 7: 1 byte is "
         "missing");
}
END_TEST

START_TEST(activations_count_where_asked) {
  small_instance s;
  small_chain(&s, 1, 1);
  s.devices[0].memory_bytes = 2;
  s.tasks[0].activation_bytes = 3;
  dsm_partition_options options = defaults();
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, &s.instance, &options, NULL), DSM_OK);
  dsm_partition_free(partition);
  options.does_count_activations = true;
  expect(&s, &options, DSM_ERROR_INFEASIBLE, "2 bytes are missing");
}
END_TEST

START_TEST(tasks_that_do_not_fit_together) {
  small_instance s;
  small_chain(&s, 3, 2);
  for (size_t i = 0; i < 3; i++) {
    s.tasks[i].weights_bytes = 6;
  }
  s.devices[0].memory_bytes = s.devices[1].memory_bytes = 8;
  const dsm_partition_options options = defaults();
  expect(&s, &options, DSM_ERROR_INFEASIBLE,
         "they need 18 bytes, the devices have 16: 2 bytes are missing");
  s.devices[0].memory_bytes = s.devices[1].memory_bytes = 10;
  expect(&s, &options, DSM_ERROR_INFEASIBLE, "no way to divide whole tasks of 18 bytes");
}
END_TEST

START_TEST(a_rate_out_of_reach_names_the_best) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.devices[0].has_power = s.devices[1].has_power = true;
  s.devices[0].busy_watts = s.devices[1].busy_watts = 1;
  dsm_partition_options options = defaults();
  options.objective = DSM_OBJECTIVE_ENERGY;
  options.required_rho = 3;
  expect(&s, &options, DSM_ERROR_INFEASIBLE,
         "the required 3 requests per second are out of reach: the best rate is 2");
}
END_TEST

START_TEST(energy_needs_power_and_a_rate) {
  small_instance s;
  small_chain(&s, 1, 1);
  dsm_partition_options options = defaults();
  options.objective = DSM_OBJECTIVE_ENERGY;
  expect(&s, &options, DSM_ERROR_USAGE, "needs a required rate");
  options.required_rho = 0.5;
  expect(&s, &options, DSM_ERROR_USAGE, "\"d1\" gives none");
  options = defaults();
  options.time_limit_seconds = 0;
  expect(&s, &options, DSM_ERROR_USAGE, "a time limit above 0");
  options = defaults();
  options.gap = 1;
  expect(&s, &options, DSM_ERROR_USAGE, "a gap of 0 or more");
}
END_TEST

/* ---- the wall around the solver ---- */

static dsm_status add_too_little(void *context) {
  const size_t *const count = context;
  return *count == 0 ? DSM_OK : DSM_ERROR_OUT_OF_MEMORY;
}

START_TEST(a_session_passes_the_status_on) {
  size_t count = 0;
  ck_assert_int_eq(dsm__solver_session(add_too_little, NULL, &count, NULL), DSM_OK);
  count = 1;
  dsm_diags *const diags = dsm_diags_new(3);
  ck_assert_int_eq(dsm__solver_session(add_too_little, NULL, &count, diags),
                   DSM_ERROR_OUT_OF_MEMORY);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  dsm_diags_free(diags);
}
END_TEST

/* ---- texts ---- */

/* A host has the request's input already: it is another device only where that counts. */
START_TEST(a_host_may_equal_an_accelerator) {
  small_instance s;
  small_chain(&s, 2, 2);
  s.devices[0].is_accelerator = false;
  s.devices[1].is_accelerator = true;
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  ck_assert(dsm__devices_are_equal(&s.instance, &options, 0, 1));
  options.does_count_input = true;
  ck_assert(!dsm__devices_are_equal(&s.instance, &options, 0, 1));
  s.devices[0].is_accelerator = true;
  ck_assert(dsm__devices_are_equal(&s.instance, &options, 0, 1));
}
END_TEST

START_TEST(words_are_those_of_the_format) {
  ck_assert_str_eq(dsm_objective_kind_name(DSM_OBJECTIVE_THROUGHPUT), "throughput");
  ck_assert_str_eq(dsm_objective_kind_name(DSM_OBJECTIVE_LATENCY), "latency");
  ck_assert_str_eq(dsm_objective_kind_name(DSM_OBJECTIVE_ENERGY), "energy");
  ck_assert_str_eq(dsm_solution_status_name(DSM_SOLUTION_OPTIMAL), "optimal");
  ck_assert_str_eq(dsm_solution_status_name(DSM_SOLUTION_LIMITED), "limited");
}
END_TEST

START_TEST(mps_of_one_task_on_one_device) {
  small_instance s;
  small_chain(&s, 1, 1);
  s.devices[0].memory_bytes = 4;
  s.devices[0].link_bytes_per_second = 8;
  s.tasks[0].output_bytes = 2;
  s.seconds[0] = 0.5;
  const dsm_partition_options options = defaults();
  char *text = NULL;
  ck_assert_int_eq(dsm_partition_mps(&text, &s.instance, &options, NULL), DSM_OK);
  const char *const from_rows = strstr(text, "ROWS");
  ck_assert_ptr_nonnull(from_rows);
  ck_assert_str_eq(from_rows, "ROWS\n"
                              " N goal\n"
                              " L time_1_1_1\n"
                              " L stored_1_1_1\n"
                              " L memory_1_1_1\n"
                              " G excess_1_1_1\n"
                              " L link_1_1_1\n"
                              " G rate_1_1_1\n"
                              "COLUMNS\n"
                              " rho goal -1\n"
                              " rho rate_1_1_1 -1\n"
                              " x_1_1 time_1_1_1 0.5\n"
                              " x_1_1 stored_1_1_1 0.5\n"
                              " x_1_1 excess_1_1_1 -1\n"
                              " x_1_1 rate_1_1_1 1\n"
                              " MARKER2 'MARKER' 'INTORG'\n"
                              " s_1_1 stored_1_1_1 -1\n"
                              " s_1_1 memory_1_1_1 0.25\n"
                              " MARKER3 'MARKER' 'INTEND'\n"
                              " c_1_1 excess_1_1_1 1\n"
                              " c_1_1 link_1_1_1 0.25\n"
                              "RHS\n"
                              " RHS time_1_1_1 1\n"
                              " RHS memory_1_1_1 1\n"
                              " RHS link_1_1_1 1\n"
                              "BOUNDS\n"
                              " UP BOUND s_1_1 1\n"
                              "ENDATA\n");
  free(text);
}
END_TEST

Suite *suite_questions(void) {
  Suite *const suite = suite_create("questions");
  TCase *const questions = tcase_create("questions");
  tcase_add_test(questions, a_task_that_fits_nowhere_is_named);
  tcase_add_test(questions, parts_of_a_byte_are_missing_too);
  tcase_add_test(questions, activations_count_where_asked);
  tcase_add_test(questions, tasks_that_do_not_fit_together);
  tcase_add_test(questions, a_rate_out_of_reach_names_the_best);
  tcase_add_test(questions, energy_needs_power_and_a_rate);
  tcase_add_test(questions, a_session_passes_the_status_on);
  tcase_add_test(questions, a_host_may_equal_an_accelerator);
  tcase_add_test(questions, words_are_those_of_the_format);
  tcase_add_test(questions, mps_of_one_task_on_one_device);
  suite_add_tcase(suite, questions);
  return suite;
}
