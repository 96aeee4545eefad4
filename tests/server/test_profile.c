/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

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

Suite *suite_profile(void) {
  Suite *const suite = suite_create("profile");
  TCase *const tcase = tcase_create("read");
  tcase_add_test(tcase, a_chain);
  tcase_add_test(tcase, tasks_in_any_order);
  tcase_add_test(tcase, tasks_are_joined_by_their_least_times);
  tcase_add_test(tcase, a_missing_file_is_reported);
  suite_add_tcase(suite, tcase);
  return suite;
}
