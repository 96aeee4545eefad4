/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_instance.c: tasks, tensors and groups of networks. Features are single numbers, so that a
 * tensor of n features has 2 n bytes. */
#include <math.h>
#include <stdio.h>

#include "dsm/dsm.h"
#include "read.h"
#include "suites.h"

#define FPGA "{'name': 'f', 'kind': 'fpga', 'clock_MHz': 1, 'multipliers': 1}"
#define ROOFLINE                                                                                   \
  "{'name': 'r', 'kind': 'roofline', 'peak_TFLOPs': 1e-6, 'memory_bandwidth_GBps': 1000,"          \
  " 'task_microseconds': 7}"
#define LAYER(name, in, out, more)                                                                 \
  "{'name': '" name "', 'type': 'fc', 'in': " #in ", 'out': " #out more "}"

/* a makes b and c, which are concatenated into d; e adds a to what it makes of d. */
static const char branching[] = LAYER("a", 4, 8, "") "," LAYER("b", 8, 2, "") "," LAYER(
    "c", 8, 6,
    ", 'inputs': ['a']") "," LAYER("d", 8, 4,
                                   ", 'inputs': ['b', 'c']") "," LAYER("e", 4, 8,
                                                                       ", 'aux': [{'op': "
                                                                       "'residual', 'from': 'a'}]");

START_TEST(tensors_of_a_chain) {
  dsm_instance *const instance =
      make_instance(LAYER("a", 4, 8, "") "," LAYER("b", 8, 2, ""), FPGA, 3, 0);
  ck_assert_str_eq(instance->name, "net");
  ck_assert_uint_eq(instance->task_count, 2);
  ck_assert_uint_eq(instance->tensor_count, 1);
  expect_tensor(instance, 0, 0, 3 * 16, (const size_t[]){1}, 1);
  ck_assert_str_eq(instance->tasks[0].name, "a");
  expect_number(instance->tasks[0].weights_bytes, 64);
  expect_number(instance->tasks[0].activation_bytes, 3 * (8 + 16)); /* input and output */
  expect_number(instance->tasks[0].output_bytes, 3 * 16);
  expect_number(instance->tasks[1].activation_bytes, 3 * (16 + 4));
  expect_number(instance->tasks[1].output_bytes, 3 * 4);
  dsm_instance_free(instance);
}
END_TEST

START_TEST(tensors_of_branches) {
  dsm_instance *const instance = make_instance(branching, FPGA, 1, 0);
  ck_assert_uint_eq(instance->task_count, 5);
  ck_assert_uint_eq(instance->tensor_count, 4);
  expect_tensor(instance, 0, 0, 16, (const size_t[]){1, 2, 4}, 3);
  expect_tensor(instance, 1, 1, 4, (const size_t[]){3}, 1);
  expect_tensor(instance, 2, 2, 12, (const size_t[]){3}, 1);
  expect_tensor(instance, 3, 3, 8, (const size_t[]){4}, 1);
  expect_number(instance->tasks[3].activation_bytes, 4 + 12 + 8);
  expect_number(instance->tasks[4].activation_bytes, 8 + 16 + 16);
  dsm_instance_free(instance);
}
END_TEST

/* Equal MACs in each layer of a: 32, b: 16, c: 48, d: 32, e: 32 for the FPGA. Operations are twice
 * that, and 8 more in e: into two tasks, a to c (192) and d to e (136). */
START_TEST(tasks_of_several_layers) {
  dsm_instance *const instance = make_instance(branching, FPGA "," ROOFLINE, 1, 2);
  ck_assert_uint_eq(instance->task_count, 2);
  ck_assert_str_eq(instance->tasks[0].name, "a..c");
  ck_assert_str_eq(instance->tasks[1].name, "d..e");
  expect_number(instance->tasks[0].weights_bytes, 2 * (32 + 16 + 48));
  /* a, b and c cross the border, each with its own bytes. */
  ck_assert_uint_eq(instance->tensor_count, 3);
  expect_tensor(instance, 0, 0, 16, (const size_t[]){1}, 1);
  expect_tensor(instance, 1, 0, 4, (const size_t[]){1}, 1);
  expect_tensor(instance, 2, 0, 12, (const size_t[]){1}, 1);
  /* While c runs: a, which it reads, its output, and b, which passes it by. */
  expect_number(instance->tasks[0].activation_bytes, 16 + 12 + 4);
  /* While d runs: b, c and its output, and a for later: 40; while e runs: d, a, its output: 40. */
  expect_number(instance->tasks[1].activation_bytes, 40);
  expect_number(instance->tasks[1].output_bytes, 16);
  expect_number(dsm_instance_seconds(instance, 0, 0), (32 + 16 + 48) / 1e6);
  /* The cost of a task counts once. */
  expect_number(dsm_instance_seconds(instance, 1, 1), (64 + 64 + 8) / 1e6 + 7e-6);
  dsm_instance_free(instance);
}
END_TEST

START_TEST(one_task) {
  dsm_instance *const instance = make_instance(branching, FPGA, 1, 1);
  ck_assert_uint_eq(instance->task_count, 1);
  ck_assert_uint_eq(instance->tensor_count, 0);
  ck_assert_str_eq(instance->tasks[0].name, "a..e");
  expect_number(instance->tasks[0].output_bytes, 16);
  dsm_instance_free(instance);
  dsm_instance *const all = make_instance(branching, FPGA, 1, 100);
  ck_assert_uint_eq(all->task_count, 5);
  dsm_instance_free(all);
}
END_TEST

/* A task that can run nowhere with one of its layers cannot run. */
START_TEST(tasks_of_given_times) {
  static const char times[] =
      "{'name': 't', 'kind': 'times', 'times': {'a': 1, 'b': 2, 'c': 4, 'd': 8, 'e': null}}";
  dsm_instance *const instance = make_instance(branching, times, 1, 2);
  expect_number(dsm_instance_seconds(instance, 0, 0), 7);
  ck_assert(isinf(dsm_instance_seconds(instance, 1, 0)));
  dsm_instance_free(instance);
}
END_TEST

START_TEST(devices_are_the_servers) {
  dsm_instance *const instance =
      make_instance(LAYER("a", 4, 8, ""),
                    "{'name': 'f', 'kind': 'fpga', 'clock_MHz': 1, 'multipliers': 1, 'count': 2,"
                    " 'accelerator': false, 'memory_GB': 2, 'link_GBps': 3,"
                    " 'power': {'busy_watts': 5, 'idle_watts': 1}}",
                    1, 0);
  ck_assert_uint_eq(instance->device_count, 2);
  const dsm_instance_device *const device = &instance->devices[1];
  ck_assert_str_eq(device->name, "f2");
  ck_assert(!device->is_accelerator && device->has_power);
  expect_number(device->memory_bytes, 2e9);
  expect_number(device->link_bytes_per_second, 3e9);
  expect_number(device->busy_watts, 5);
  expect_number(device->idle_watts, 1);
  dsm_instance_free(instance);
}
END_TEST

START_TEST(a_batch_has_limits) {
  const dsm_instance_options none = {.batch = 0};
  expect_refused(LAYER("a", 4, 8, ""), FPGA, none, DSM_ERROR_USAGE, "expected a batch from 1 to");
  const dsm_instance_options huge = {.batch = UINT64_C(1) << 40};
  expect_refused(LAYER("a", 4, 8, ""), FPGA, huge, DSM_ERROR_USAGE, "found 1099511627776");
}
END_TEST

/* m has its operand from two samples of k, whatever the minibatch. */
START_TEST(a_batch_has_the_samples_of_an_operand) {
  static const char layers[] =
      LAYER("k", 4, 8, "") ", {'name': 'm', 'type': 'matmul', 'in': 8, 'out': 2, 'operand': 'k',"
                           " 'operand_elements': 16}";
  const dsm_instance_options one = {.batch = 1};
  expect_refused(
      layers, FPGA, one, DSM_ERROR_USAGE,
      "expected a batch of at least 2 samples, from which \"m\" has its operand, found 1");
  dsm_instance_free(make_instance(layers, FPGA, 2, 0));
}
END_TEST

static const char *const networks[] = {"alexnet",      "gnmt",     "gnmt_vocab", "googlenet",
                                       "mobilenet_v2", "resnet50", "raider",     "vgg16"};

/* What joining must not change, on the bundled networks, for any number of tasks. */
START_TEST(joining_keeps_the_sums) {
  char path[1024];
  dsm_workload *workload = NULL;
  (void)snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, networks[_i]);
  ck_assert_int_eq(dsm_workload_load(&workload, path, NULL, 0, NULL), DSM_OK);
  dsm_server *const server = read_server(FPGA);
  double weights = 0;
  double seconds = 0;
  for (size_t most = 0; most <= 12; most++) {
    const dsm_instance_options options = {.batch = 1, .task_count = most};
    dsm_instance *instance = NULL;
    ck_assert_int_eq(dsm_instance_make(&instance, workload, server, &options, NULL), DSM_OK);
    const size_t layers = workload->layer_count;
    ck_assert_uint_eq(instance->task_count, most == 0 || most > layers ? layers : most);
    double weights_now = 0;
    double seconds_now = 0;
    for (size_t i = 0; i < instance->task_count; i++) {
      weights_now += instance->tasks[i].weights_bytes;
      seconds_now += dsm_instance_seconds(instance, i, 0);
    }
    weights = most == 0 ? weights_now : weights;
    seconds = most == 0 ? seconds_now : seconds;
    expect_number(weights_now, weights);
    ck_assert_double_eq_tol(seconds_now, seconds, 1e-9 * seconds);
    for (size_t t = 0; t < instance->tensor_count; t++) {
      const dsm_tensor *const tensor = &instance->tensors[t];
      ck_assert_uint_gt(tensor->consumer_count, 0);
      for (size_t c = 0; c < tensor->consumer_count; c++) {
        const size_t before = c == 0 ? tensor->producer : tensor->consumers[c - 1];
        ck_assert_uint_gt(tensor->consumers[c], before);
        ck_assert_uint_lt(tensor->consumers[c], instance->task_count);
      }
    }
    dsm_instance_free(instance);
  }
  dsm_server_free(server);
  dsm_workload_free(workload);
}
END_TEST

START_TEST(no_options_are_the_defaults) {
  dsm_workload *const workload = read_network(branching);
  dsm_server *const server = read_server(FPGA);
  dsm_instance *instance = NULL;
  ck_assert_int_eq(dsm_instance_make(&instance, workload, server, NULL, NULL), DSM_OK);
  ck_assert_uint_eq(instance->task_count, 5);
  expect_tensor(instance, 1, 1, 4, (const size_t[]){3}, 1); /* of one sample */
  dsm_instance_free(instance);
  dsm_server_free(server);
  dsm_workload_free(workload);
}
END_TEST

Suite *suite_instance(void) {
  Suite *const suite = suite_create("instance");
  TCase *const tcase = tcase_create("made from a workload");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, tensors_of_a_chain);
  tcase_add_test(tcase, tensors_of_branches);
  tcase_add_test(tcase, tasks_of_several_layers);
  tcase_add_test(tcase, one_task);
  tcase_add_test(tcase, tasks_of_given_times);
  tcase_add_test(tcase, devices_are_the_servers);
  tcase_add_test(tcase, a_batch_has_limits);
  tcase_add_test(tcase, a_batch_has_the_samples_of_an_operand);
  tcase_add_test(tcase, no_options_are_the_defaults);
  tcase_add_loop_test(tcase, joining_keeps_the_sums, 0, COUNT_OF(networks));
  suite_add_tcase(suite, tcase);
  return suite;
}
