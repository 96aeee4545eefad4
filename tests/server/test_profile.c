/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"
#include "read.h"
#include "suites.h"

#define PROFILE(tasks)                                                                             \
  "{'format': 'dsm-profile/1', 'name': 'p', 'tasks': [" tasks "], 'devices': ["                    \
  "{'name': 'x', 'accelerator': false, 'memory_bytes': 10, 'link_bytes_per_second': 2},"           \
  "{'name': 'y', 'power': {'busy_watts': 4, 'idle_watts': 1}}]}"
#define TASK(name, weights, output, x, y, more)                                                    \
  "{'name': '" name "', 'weights_bytes': " #weights ", 'output_bytes': " #output                   \
  ", 'seconds': {'x': " #x ", 'y': " #y "}" more "}"

START_TEST(a_chain) {
  dsm_instance *const instance = read_profile(
      PROFILE(TASK("a", 1, 4, 1, 10, ", 'activation_bytes': 3") "," TASK("b", 2, 0, 10, null, "")),
      0);
  ck_assert_str_eq(instance->name, "p");
  ck_assert_uint_eq(instance->task_count, 2);
  expect_number(instance->tasks[0].weights_bytes, 1);
  expect_number(instance->tasks[0].activation_bytes, 3);
  expect_number(instance->tasks[1].activation_bytes, 0);
  expect_number(instance->tasks[0].output_bytes, 4);
  ck_assert_uint_eq(instance->tensor_count, 1);
  expect_tensor(instance, 0, 0, 4, (const size_t[]){1}, 1);
  expect_number(dsm_instance_seconds(instance, 0, 1), 10);
  ck_assert(isinf(dsm_instance_seconds(instance, 1, 1)));
  const dsm_instance_device *const x = &instance->devices[0];
  const dsm_instance_device *const y = &instance->devices[1];
  ck_assert(!x->is_accelerator && !x->has_power && y->is_accelerator && y->has_power);
  expect_number(x->memory_bytes, 10);
  expect_number(x->link_bytes_per_second, 2);
  ck_assert(isinf(y->memory_bytes) && isinf(y->link_bytes_per_second));
  expect_number(y->busy_watts, 4);
  dsm_instance_free(instance);
}
END_TEST

/* c stands before what it needs; a is for b and c. */
START_TEST(tasks_in_any_order) {
  dsm_instance *const instance =
      read_profile(PROFILE(TASK("c", 3, 0, 3, 3, ", 'inputs': ['b', 'a']") "," TASK(
                       "a", 1, 5, 1, 1, ", 'inputs': []") "," TASK("b", 2, 6, 2, 2, "")),
                   0);
  ck_assert_str_eq(instance->tasks[0].name, "a");
  ck_assert_str_eq(instance->tasks[1].name, "b");
  ck_assert_str_eq(instance->tasks[2].name, "c");
  expect_number(dsm_instance_seconds(instance, 2, 0), 3);
  ck_assert_uint_eq(instance->tensor_count, 2);
  expect_tensor(instance, 0, 0, 5, (const size_t[]){1, 2}, 2);
  expect_tensor(instance, 1, 1, 6, (const size_t[]){2}, 1);
  dsm_instance_free(instance);
}
END_TEST

/* Least times 1, 2, 3: into two, a and b, then c. */
START_TEST(tasks_are_joined_by_their_least_times) {
  dsm_instance *const instance = read_profile(
      PROFILE(TASK("a", 1, 5, 1, 10, ", 'activation_bytes': 7") "," TASK(
          "b", 2, 6, 20, 2, ", 'activation_bytes': 9") "," TASK("c", 3, 0, 3, null, "")),
      2);
  ck_assert_uint_eq(instance->task_count, 2);
  ck_assert_str_eq(instance->tasks[0].name, "a..b");
  expect_number(instance->tasks[0].weights_bytes, 3);
  expect_number(instance->tasks[0].activation_bytes, 9);
  expect_number(dsm_instance_seconds(instance, 0, 0), 21);
  expect_number(dsm_instance_seconds(instance, 0, 1), 12);
  ck_assert_uint_eq(instance->tensor_count, 1);
  expect_tensor(instance, 0, 0, 6, (const size_t[]){1}, 1);
  dsm_instance_free(instance);
}
END_TEST

START_TEST(a_missing_file_is_reported) {
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  ck_assert_uint_eq(options.batch, 1);
  ck_assert_uint_eq(options.task_count, 0);
  dsm_instance *instance = NULL;
  ck_assert_int_eq(dsm_profile_load(&instance, "/nowhere/at/all.json", &options, NULL),
                   DSM_ERROR_IO);
  ck_assert_ptr_null(instance);
  ck_assert_int_eq(dsm_profile_load(&instance, "/nowhere/at/all.json", NULL, NULL), DSM_ERROR_IO);
  dsm_instance_free(NULL);
}
END_TEST

/* Fails unless two instances are the same in all that they say. */
static void expect_same(const dsm_instance *a, const dsm_instance *b) {
  ck_assert_str_eq(a->name, b->name);
  ck_assert(a->element_bytes == b->element_bytes && a->weight_bytes == b->weight_bytes);
  ck_assert_uint_eq(a->task_count, b->task_count);
  ck_assert_uint_eq(a->device_count, b->device_count);
  ck_assert_uint_eq(a->tensor_count, b->tensor_count);
  for (size_t i = 0; i < a->task_count; i++) {
    ck_assert_str_eq(a->tasks[i].name, b->tasks[i].name);
    ck_assert(a->tasks[i].weights_bytes == b->tasks[i].weights_bytes &&
              a->tasks[i].activation_bytes == b->tasks[i].activation_bytes &&
              a->tasks[i].output_bytes == b->tasks[i].output_bytes &&
              a->tasks[i].result_bytes == b->tasks[i].result_bytes &&
              a->tasks[i].input_bytes == b->tasks[i].input_bytes);
  }
  for (size_t k = 0; k < a->task_count * a->device_count; k++) {
    ck_assert(a->seconds[k] == b->seconds[k]);
  }
  for (size_t t = 0; t < a->tensor_count; t++) {
    ck_assert_uint_eq(a->tensors[t].consumer_count, b->tensors[t].consumer_count);
    expect_tensor(b, t, a->tensors[t].producer, a->tensors[t].bytes, a->tensors[t].consumers,
                  a->tensors[t].consumer_count);
  }
  for (size_t j = 0; j < a->device_count; j++) {
    const dsm_instance_device *const one = &a->devices[j];
    const dsm_instance_device *const other = &b->devices[j];
    ck_assert_str_eq(one->name, other->name);
    ck_assert(one->is_accelerator == other->is_accelerator &&
              one->memory_bytes == other->memory_bytes &&
              one->link_bytes_per_second == other->link_bytes_per_second &&
              one->element_bytes == other->element_bytes &&
              one->weight_bytes == other->weight_bytes && one->has_power == other->has_power &&
              one->busy_watts == other->busy_watts && one->idle_watts == other->idle_watts);
  }
}

/* What is written of an instance, which the caller frees, is that instance. */
static void expect_written_and_read(dsm_instance *instance) {
  char *text = NULL;
  dsm_instance *again = NULL;
  ck_assert_int_eq(dsm_profile_text(&text, instance, "a test", NULL), DSM_OK);
  ck_assert_int_eq(dsm_profile_parse(&again, text, strlen(text), "p", NULL, NULL), DSM_OK);
  expect_same(instance, again);
  dsm_instance_free(again);
  dsm_instance_free(instance);
  free(text);
}

START_TEST(what_is_written_is_read_back) {
  expect_written_and_read(
      read_profile(PROFILE(TASK("a", 1, 4, 0.1, 10,
                                ", 'activation_bytes': 3") "," TASK("b", 2, 0.3, 10, null, "")),
                   0));
  expect_written_and_read(read_profile(
      PROFILE(TASK("a", 0, 5, 1, 1, "") "," TASK("b", 2, 6, 2, 2, "") "," TASK(
          "c", 3, 0, 3, 3,
          ", 'inputs': ['a']") "," TASK("d", 3, 7, null, 3,
                                        ", 'inputs': []") "," TASK("e", 3, 1e-3, 3, 3,
                                                                   ", 'inputs': ['d', 'a', 'c']")),
      0));
  expect_written_and_read(make_instance(
      "{'name': 'stem', 'type': 'fc', 'in': 8, 'out': 8},"
      "{'name': 'head', 'type': 'fc', 'in': 8, 'out': 8, 'inputs': ['stem']}",
      "{'name': 'c', 'kind': 'times', 'element_bytes': 1, 'times': {'stem': 0.25, 'head': null}},"
      "{'name': 'g', 'count': 2, 'weight_bytes': 0.5, 'kind': 'roofline', 'peak_TFLOPs': 1, "
      "'memory_bandwidth_GBps': 7,"
      "'efficiency_ratio': 0.3, 'task_microseconds': 10}",
      3, 0));
}
END_TEST

/* a and b are one task, and c needs what a made: b's result leaves, or c needs it too. */
static const char *const joined[] = {"'a'", "'a', 'b'"};

START_TEST(joined_tasks_are_read_back) {
  char profile[1024];
  (void)snprintf(profile, sizeof profile,
                 PROFILE(TASK("a", 1, 5, 1, 1, "") "," TASK("b", 2, 6, 1, 1, "") "," TASK(
                     "c", 3, 0, 30, 30, ", 'inputs': [%s]")),
                 joined[_i]);
  dsm_instance *const instance = read_profile(profile, 2);
  ck_assert_uint_eq(instance->tensor_count, (size_t)_i + 1);
  expect_number(instance->tasks[0].result_bytes, _i == 0 ? 6 : 0);
  expect_written_and_read(instance);
}
END_TEST

/* The first layers of networks with branches, joined anyhow. */
START_TEST(joined_networks_are_read_back) {
  char path[1024];
  const dsm_instance_options options = {.batch = 1, .task_count = 2 + 3 * (size_t)_i};
  dsm_workload *workload = NULL;
  dsm_server *server = NULL;
  dsm_instance *instance = NULL;
  (void)snprintf(path, sizeof path, "%s/workloads/googlenet.json", DSM_SOURCE_DIR);
  ck_assert_int_eq(dsm_workload_load(&workload, path, NULL, 0, NULL), DSM_OK);
  (void)snprintf(path, sizeof path, "%s/servers/cpu_2gpu.json", DSM_SOURCE_DIR);
  ck_assert_int_eq(dsm_server_load(&server, path, NULL, 0, NULL), DSM_OK);
  ck_assert_int_eq(dsm_instance_make(&instance, workload, server, &options, NULL), DSM_OK);
  expect_written_and_read(instance);
  dsm_server_free(server);
  dsm_workload_free(workload);
}
END_TEST

START_TEST(values_of_a_profile_are_overridden) {
  static const char text[] =
      "{\"format\": \"dsm-profile/1\", \"name\": \"p\", \"devices\": [{\"name\": \"x\"}], "
      "\"tasks\": [{\"name\": \"a.b\", \"weights_bytes\": 1, \"output_bytes\": 2, \"seconds\": "
      "{\"x\": 3}}]}";
  const dsm_override overrides[] = {
      {.path = "devices.x.memory_bytes", .value = "50", .origin = "--set"},
      {.path = "tasks.a.b.seconds.x", .value = "7", .origin = "--set"}};
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.overrides = overrides;
  options.override_count = 2;
  dsm_instance *instance = NULL;
  ck_assert_int_eq(dsm_profile_parse(&instance, text, sizeof text - 1, "p", &options, NULL),
                   DSM_OK);
  expect_number(instance->devices[0].memory_bytes, 50);
  expect_number(dsm_instance_seconds(instance, 0, 0), 7);
  dsm_instance_free(instance);
}
END_TEST

Suite *suite_profile(void) {
  Suite *const suite = suite_create("profile");
  TCase *const tcase = tcase_create("read");
  tcase_add_test(tcase, a_chain);
  tcase_add_test(tcase, tasks_in_any_order);
  tcase_add_test(tcase, tasks_are_joined_by_their_least_times);
  tcase_add_test(tcase, a_missing_file_is_reported);
  tcase_add_test(tcase, what_is_written_is_read_back);
  tcase_add_loop_test(tcase, joined_tasks_are_read_back, 0, COUNT_OF(joined));
  tcase_add_loop_test(tcase, joined_networks_are_read_back, 0, 8);
  tcase_add_test(tcase, values_of_a_profile_are_overridden);
  suite_add_tcase(suite, tcase);
  return suite;
}
