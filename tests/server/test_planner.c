/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_planner.c: what the numbers of the planner format become. */
#include <math.h>
#include <string.h>

#include "dsm/dsm.h"
#include "read.h"
#include "suites.h"

#define GRAPH(nodes, edges)                                                                        \
  "{'maxSizePerFPGA': 100, 'maxFPGAs': 2, 'maxCPUs': 1, 'nodes': [" nodes "], 'edges': [" edges    \
  "], 'comment': 'debug information'}"
#define NODE(id, cpu, fpga, more)                                                                  \
  "{'id': " #id ", 'supportedOnFpga': true, 'cpuLatency': " #cpu ", 'fpgaLatency': " #fpga         \
  ", 'isBackwardNode': 0, 'size': 10" more "}"
#define EDGE(from, to, cost, more)                                                                 \
  "{'sourceId': " #from ", 'destId': " #to ", 'cost': " #cost more "}"

START_TEST(numbers) {
  dsm_instance *const instance = read_profile(
      GRAPH(
          NODE(7, 4, 1, ", 'name': 'first', 'layerId': 3") ","
                                                           "{'id': 8, 'supportedOnFpga': 0, "
                                                           "'cpuLatency': 6, 'fpgaLatency': 0,"
                                                           " 'isBackwardNode': false, 'size': 20}",
          EDGE(7, 8, 2, ", 'size': 3000")),
      0);
  ck_assert_str_eq(instance->name, "graph"); /* of its file */
  ck_assert_uint_eq(instance->device_count, 3);
  ck_assert_str_eq(instance->devices[0].name, "cpu1");
  ck_assert_str_eq(instance->devices[2].name, "fpga2");
  ck_assert(!instance->devices[0].is_accelerator && instance->devices[1].is_accelerator);
  ck_assert(isinf(instance->devices[0].memory_bytes));
  ck_assert(isinf(instance->devices[0].link_bytes_per_second));
  expect_number(instance->devices[1].memory_bytes, 100);
  /* 3000 bytes in 2 ms. */
  expect_number(instance->devices[1].link_bytes_per_second, 1.5e6);
  ck_assert_str_eq(instance->tasks[0].name, "first");
  ck_assert_str_eq(instance->tasks[1].name, "8");
  expect_number(instance->tasks[1].weights_bytes, 20);
  expect_number(dsm_instance_seconds(instance, 0, 0), 4e-3);
  expect_number(dsm_instance_seconds(instance, 0, 2), 1e-3);
  expect_number(dsm_instance_seconds(instance, 1, 0), 6e-3);
  ck_assert(isinf(dsm_instance_seconds(instance, 1, 1)));
  ck_assert_uint_eq(instance->tensor_count, 1);
  expect_tensor(instance, 0, 0, 3000, (const size_t[]){1}, 1);
  dsm_instance_free(instance);
}
END_TEST

/* Costs decide, whatever sizes say, and without sizes too. */
START_TEST(costs_are_times_of_the_link) {
  dsm_instance *const instance = read_profile(
      GRAPH(NODE(1, 1, 1, "") "," NODE(2, 1, 1, "") "," NODE(3, 1, 1, ""),
            EDGE(1, 2, 2, "") "," EDGE(1, 2, 2, "") "," EDGE(1, 3, 2, "") "," EDGE(2, 3, 0, "")),
      0);
  ck_assert_uint_eq(instance->tensor_count, 2);
  expect_tensor(instance, 0, 0, 2e6, (const size_t[]){1, 2}, 2);
  expect_tensor(instance, 1, 1, 0, (const size_t[]){2}, 1);
  expect_number(instance->tensors[0].bytes / instance->devices[1].link_bytes_per_second, 2e-3);
  dsm_instance_free(instance);
}
END_TEST

START_TEST(times_of_zero_stay) {
  dsm_instance *const instance =
      read_profile(GRAPH(NODE(1, 0, 0, "") "," NODE(2, 30, 3, ""), EDGE(1, 2, 1, "")), 0);
  ck_assert_double_eq(dsm_instance_seconds(instance, 0, 0), 0);
  ck_assert_double_eq(dsm_instance_seconds(instance, 0, 1), 0);
  expect_number(dsm_instance_seconds(instance, 1, 1), 3e-3);
  dsm_instance_free(instance);
}
END_TEST

/* 1 and 3 are one task; what 1 makes for it stays there. */
START_TEST(a_color_is_one_task) {
  dsm_instance *const instance = read_profile(
      GRAPH(NODE(1, 0, 0, ", 'colorClass': 5") "," NODE(2, 8, 2, "") "," NODE(
                3, 4, 1, ", 'colorClass': 5") "," NODE(4, 4, 1, ", 'colorClass': null"),
            EDGE(1, 3, 1, "") "," EDGE(1, 4, 1, "") "," EDGE(3, 4, 3, "") "," EDGE(2, 3, 1, "")),
      0);
  ck_assert_uint_eq(instance->task_count, 3);
  ck_assert_str_eq(instance->tasks[0].name, "2");
  ck_assert_str_eq(instance->tasks[1].name, "1..3");
  ck_assert_str_eq(instance->tasks[2].name, "4");
  expect_number(instance->tasks[1].weights_bytes, 20);
  expect_number(dsm_instance_seconds(instance, 1, 0), 4e-3);
  ck_assert_uint_eq(instance->tensor_count, 3);
  expect_tensor(instance, 0, 0, 1e6, (const size_t[]){1}, 1);
  expect_tensor(instance, 1, 1, 1e6, (const size_t[]){2}, 1);
  expect_tensor(instance, 2, 1, 3e6, (const size_t[]){2}, 1);
  expect_number(instance->tasks[1].output_bytes, 4e6);
  dsm_instance_free(instance);
}
END_TEST

START_TEST(a_planner_graph_is_a_profile) {
  static const char text[] = "{\"maxFPGAs\": 1, \"nodes\": []}";
  dsm_description description = DSM_DESCRIPTION_COUNT;
  ck_assert_int_eq(dsm_description_detect(&description, text, strlen(text), "x", NULL), DSM_OK);
  ck_assert_int_eq(description, DSM_DESCRIPTION_PROFILE);
  ck_assert_str_eq(dsm_description_name(description), "profile");
}
END_TEST

Suite *suite_planner(void) {
  Suite *const suite = suite_create("planner");
  TCase *const tcase = tcase_create("numbers");
  tcase_add_test(tcase, numbers);
  tcase_add_test(tcase, costs_are_times_of_the_link);
  tcase_add_test(tcase, times_of_zero_stay);
  tcase_add_test(tcase, a_color_is_one_task);
  tcase_add_test(tcase, a_planner_graph_is_a_profile);
  suite_add_tcase(suite, tcase);
  return suite;
}
