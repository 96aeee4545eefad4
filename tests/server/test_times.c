/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_times.c: p_ij of all kinds of devices, against numbers computed by hand and a plan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"
#include "read.h"
#include "suites.h"

/* 4096 MACs; 64 element-passes for bias and relu together; 4160 parameters. */
#define FC                                                                                         \
  "{'name': 'fc', 'type': 'fc', 'in': 64, 'out': 64, 'aux': [{'op': 'bias'}, {'op': 'relu'}]}"

static const char chip[] =
    "{'name': 'npu', 'kind': 'chip', 'system': {'format': 'dsm-system/1', 'name': 'small',"
    " 'pe': {'simd_macs': 1}, 'array': {'rows': 4, 'columns': 4, 'startup_cycles': 100},"
    " 'core': {'frequency_GHz': 2, 'scratchpad_MiB': 1, 'scratchpad_bandwidth_GBps': 64,"
    " 'sfu_ops_per_cycle': 16},"
    " 'chip': {'cores': 1, 'interconnect': 'ring', 'core_link_bandwidth_GBps': 64,"
    " 'memory': {'capacity_GB': 1, 'bandwidth_GBps': 4}},"
    " 'system': {'topology': 'torus_2d', 'chips_x': 1, 'chips_y': 1,"
    " 'link_bandwidth_x_GBps': 20, 'link_bandwidth_y_GBps': 10}}}";

static double time_of(const char *device, uint64_t batch) {
  dsm_instance *const instance = make_instance(FC, device, batch, 0);
  ck_assert_uint_eq(instance->task_count, 1);
  ck_assert_uint_eq(instance->device_count, 1);
  const double seconds = dsm_instance_seconds(instance, 0, 0);
  dsm_instance_free(instance);
  return seconds;
}

START_TEST(roofline_by_memory) {
  static const char device[] =
      "{'name': 'd', 'kind': 'roofline', 'peak_TFLOPs': 1, 'memory_bandwidth_GBps': 1,"
      " 'efficiency_ratio': 0.5, 'task_microseconds': 3}";
  /* 2 bytes * (4160 parameters + 64 in + 64 out) over 0.5 GB/s, and 3 microseconds. */
  expect_number(time_of(device, 1), 2.0 * (4160 + 64 + 64) / 0.5e9 + 3e-6);
  /* Parameters once, features for each sample. */
  expect_number(time_of(device, 4), 2.0 * (4160 + 4 * 128) / 0.5e9 + 3e-6);
}
END_TEST

START_TEST(roofline_by_operations) {
  static const char device[] =
      "{'name': 'd', 'kind': 'roofline', 'peak_TFLOPs': 0.001, 'memory_bandwidth_GBps': 1000,"
      " 'efficiency_ratio': 0.5}";
  expect_number(time_of(device, 1), (2.0 * 4096 + 64) / 0.5e9);
  expect_number(time_of(device, 3), 3 * (2.0 * 4096 + 64) / 0.5e9);
}
END_TEST

START_TEST(fpga) {
  static const char device[] = "{'name': 'd', 'kind': 'fpga', 'clock_MHz': 100, 'multipliers': 100,"
                               " 'instances': 3, 'initiation_interval_cycles': 2}";
  expect_number(time_of(device, 1), 14 * 2 / 100e6); /* ceil(4096 / 300) = 14 */
  expect_number(time_of(device, 4), 55 * 2 / 100e6); /* ceil(16384 / 300) = 55 */
  expect_number(time_of("{'name': 'd', 'kind': 'fpga', 'clock_MHz': 100, 'multipliers': 4096,"
                        " 'task_microseconds': 5}",
                        1),
                1 / 100e6 + 5e-6);
}
END_TEST

START_TEST(given) {
  expect_number(time_of("{'name': 'd', 'kind': 'times', 'times': {'fc': 0.25}}", 7), 0.25);
  ck_assert(isinf(time_of("{'name': 'd', 'kind': 'times', 'times': {'fc': null}}", 1)));
  expect_number(
      time_of("{'name': 'd', 'kind': 'times', 'times': {'fc': 0.25}, 'seconds_ratio': 3}", 7),
      0.75);
}
END_TEST

/* 4 GB/s at 2 GHz: 2 bytes a cycle. 2 * (4096 + 64 + 64) bytes in 4224 cycles, longer than the 256
 * blocks of the array with their start-up; then 64 element-passes at 16 a cycle. */
START_TEST(chip_by_memory) {
  expect_number(time_of(chip, 1), (4224 + 4) / 2e9);
}
END_TEST

/* A batch of 64: 256 blocks of 64 samples and the start-up of 100, longer than (4096 + 64 * 128)
 * * 2 bytes in 12288 cycles. */
START_TEST(chip_by_computing) {
  expect_number(time_of(chip, 64), (256 * 64 + 100 + 64 * 4) / 2e9);
}
END_TEST

/* 1e-6 MiB is 1.048576 bytes, an element two. */
START_TEST(chip_without_room_for_an_element) {
  char small[sizeof chip + 10];
  static const char key[] = "'scratchpad_MiB': 1";
  const char *const end = strstr(chip, key) + sizeof key - 1;
  (void)snprintf(small, sizeof small, "%.*se-6%s", (int)(end - chip), chip, end);
  expect_refused(FC, small, (dsm_instance_options){.batch = 1}, DSM_ERROR_INFEASIBLE,
                 "device \"npu\": no mapping fits: a core's scratchpad has 1.048576 bytes, and an "
                 "element of the network takes 2");
}
END_TEST

static dsm_plan *plan_alone(const dsm_workload *workload, const dsm_system *system) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  options.optimizations = 0;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  return plan;
}

static const char *const networks[] = {"vgg16", "googlenet", "resnet50", "gnmt", "raider"};

/* A single chip needs no relayouts, so each layer of a plan without optimizations is alone. */
START_TEST(chip_as_in_a_plan) {
  char path[1024];
  const dsm_override overrides[] = {{"minibatch", "2", "--set"}};
  dsm_workload *workload = NULL;
  dsm_server *server = NULL;
  (void)snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, networks[_i]);
  ck_assert_int_eq(dsm_workload_load(&workload, path, overrides, 1, NULL), DSM_OK);
  (void)snprintf(path, sizeof path, "%s/servers/edge_npu.json", DSM_SOURCE_DIR);
  ck_assert_int_eq(dsm_server_load(&server, path, NULL, 0, NULL), DSM_OK);
  const dsm_system *const system = server->devices[1].chip;
  dsm_plan *const plan = plan_alone(workload, system);
  const dsm_instance_options options = {.batch = 2};
  dsm_instance *instance = NULL;
  ck_assert_int_eq(dsm_instance_make(&instance, workload, server, &options, NULL), DSM_OK);
  ck_assert_uint_eq(instance->task_count, workload->layer_count);
  for (size_t i = 0; i < workload->layer_count; i++) {
    const double cycles = plan->layers[i].passes[DSM_PASS_FORWARD].cycles.total;
    ck_assert_double_eq_tol(dsm_instance_seconds(instance, i, 1) * 1e9, cycles, 1e-9 * cycles);
  }
  dsm_instance_free(instance);
  dsm_plan_free(plan);
  dsm_server_free(server);
  dsm_workload_free(workload);
}
END_TEST

/* Both devices compute with a byte an element and half a byte a parameter: because they say so, or
 * because the network does. */
START_TEST(own_bytes_are_those_of_another_network) {
  const dsm_override of_devices[] = {{"devices.cpu.element_bytes", "1", "--set"},
                                     {"devices.cpu.weight_bytes", "0.5", "--set"},
                                     {"devices.npu.element_bytes", "1", "--set"},
                                     {"devices.npu.weight_bytes", "0.5", "--set"}};
  const dsm_override of_network[] = {{"element_bytes", "1", "--set"},
                                     {"weight_bytes", "0.5", "--set"}};
  char path[1024];
  dsm_instance *made[2] = {NULL, NULL};
  for (size_t own = 0; own < 2; own++) {
    dsm_workload *workload = NULL;
    dsm_server *server = NULL;
    (void)snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, networks[_i]);
    ck_assert_int_eq(dsm_workload_load(&workload, path, of_network, own == 0 ? 2 : 0, NULL),
                     DSM_OK);
    (void)snprintf(path, sizeof path, "%s/servers/edge_npu.json", DSM_SOURCE_DIR);
    ck_assert_int_eq(dsm_server_load(&server, path, of_devices, own == 0 ? 0 : 4, NULL), DSM_OK);
    ck_assert_int_eq(dsm_instance_make(&made[own], workload, server, NULL, NULL), DSM_OK);
    dsm_server_free(server);
    dsm_workload_free(workload);
  }
  for (size_t i = 0; i < made[0]->task_count; i++) {
    for (size_t j = 0; j < 2; j++) {
      expect_number(dsm_instance_seconds(made[1], i, j), dsm_instance_seconds(made[0], i, j));
      expect_number(dsm_instance_weights_bytes(made[1], i, j), made[0]->tasks[i].weights_bytes);
      expect_number(dsm_instance_activation_bytes(made[1], i, j),
                    made[0]->tasks[i].activation_bytes);
    }
  }
  for (size_t t = 0; t < made[0]->tensor_count; t++) {
    expect_number(dsm_instance_tensor_bytes(made[1], t, 1), made[0]->tensors[t].bytes);
  }
  dsm_instance_free(made[0]);
  dsm_instance_free(made[1]);
}
END_TEST

/* Layers that state 4 bytes in a network of 2 are on a chip of 1 what 2 are in a network of 1. */
START_TEST(layers_with_bytes_are_scaled) {
  char device[sizeof chip + 64];
  (void)snprintf(device, sizeof device, "%.*s, 'element_bytes': 1}", (int)sizeof chip - 2, chip);
  static const char four[] =
      "{'name': 'fc', 'type': 'fc', 'in': 64, 'out': 64, 'element_bytes': 4}";
  static const char two[] =
      "{\"format\": \"dsm-workload/1\", \"name\": \"net\", \"minibatch\": 8, \"element_bytes\": 1,"
      "\"layers\": [{\"name\": \"fc\", \"type\": \"fc\", \"in\": 64, \"out\": 64,"
      "\"element_bytes\": 2}]}";
  dsm_instance *const scaled = make_instance(four, device, 3, 0);
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, two, strlen(two), "net", NULL, 0, NULL), DSM_OK);
  dsm_server *const server = read_server(chip);
  const dsm_instance_options options = {.batch = 3};
  dsm_instance *plain = NULL;
  ck_assert_int_eq(dsm_instance_make(&plain, workload, server, &options, NULL), DSM_OK);
  expect_number(dsm_instance_seconds(scaled, 0, 0), dsm_instance_seconds(plain, 0, 0));
  expect_number(dsm_instance_weights_bytes(scaled, 0, 0), plain->tasks[0].weights_bytes);
  dsm_instance_free(plain);
  dsm_instance_free(scaled);
  dsm_server_free(server);
  dsm_workload_free(workload);
}
END_TEST

/* A layer alone on many chips is a network of one layer, with all parallelisms. */
START_TEST(chip_of_many_chips) {
  static const char conv[] =
      "{'name': 'c', 'type': 'conv', 'in': 64, 'out': 128, 'feature': [56, 56], 'kernel': [3, 3],"
      " 'aux': [{'op': 'bias'}, {'op': 'relu'}, {'op': 'max_pool', 'window': [2, 2]}]}";
  static const char lstm[] =
      "{'name': 'l', 'type': 'lstm', 'in': 1024, 'out': 1024, 'timesteps': 8}";
  static const char fc[] = FC;
  const char *const layers[] = {fc, conv, lstm};
  size_t length = 0;
  char *const system_text = read_source_file("systems", "torus64.json", &length);
  const size_t size = length + 100;
  for (char *c = system_text; *c != '\0'; c++) {
    *c = *c == '\'' ? ' ' : *c; /* in its texts; read_server takes it for a double quote */
  }
  char *const device = malloc(size);
  ck_assert_ptr_nonnull(device);
  (void)snprintf(device, size, "{'name': 'n', 'kind': 'chip', 'system': %s}", system_text);
  dsm_system *system = NULL;
  ck_assert_int_eq(dsm_system_parse(&system, system_text, length, "s", NULL, 0, NULL), DSM_OK);
  dsm_workload *const workload = read_network(layers[_i]); /* its minibatch is 8 */
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  dsm_instance *const instance = make_instance(layers[_i], device, 8, 0);
  expect_number(dsm_instance_seconds(instance, 0, 0), plan->result.step_seconds);
  dsm_instance_free(instance);
  dsm_plan_free(plan);
  dsm_workload_free(workload);
  dsm_system_free(system);
  free(device);
  free(system_text);
}
END_TEST

START_TEST(times_must_be_of_layers) {
  const dsm_instance_options options = {.batch = 1};
  expect_refused(FC, "{'name': 'd', 'kind': 'times', 'times': {'fc': 1, 'fd': 1}}", options,
                 DSM_ERROR_INVALID, "expected a time for a layer of net, found one for \"fd\"");
  expect_refused(FC, "{'name': 'd', 'kind': 'times', 'times': {}}", options, DSM_ERROR_INVALID,
                 "found none for \"fc\"");
}
END_TEST

START_TEST(times_are_in_range) {
  const dsm_instance_options options = {.batch = 1};
  const dsm_instance_options many = {.batch = 1000000};
  const dsm_instance_options joined = {.batch = 1, .task_count = 1};
  static const char slow[] = "{'name': 'slow', 'kind': 'roofline', 'count': 2, 'peak_TFLOPs': 1e-9,"
                             " 'efficiency_ratio': 1e-6, 'memory_bandwidth_GBps': 1}";
  static const char fast[] = "{'name': 'fast', 'kind': 'roofline', 'peak_TFLOPs': 1e9,"
                             " 'memory_bandwidth_GBps': 1e9}";
  /* 2 * 4096 + 64 operations at 0.001 a second. */
  dsm_instance_free(make_instance(FC, slow, 1, 0));
  expect_refused(FC, slow, many, DSM_ERROR_INVALID,
                 "expected times of tasks of 1e-12 to 1e9 s, or 0, found 8.256e+12 s for \"fc\" on "
                 "\"slow1\", and 1 more time out of this range");
  expect_refused(FC, fast, options, DSM_ERROR_INVALID,
                 "expected times of tasks of 1e-12 to 1e9 s, or 0, found 8.576e-15 s for \"fc\" on "
                 "\"fast\"");
  static const char long_times[] =
      "{'name': 'd', 'kind': 'times', 'times': {'fc': 9e8, 'fd': 9e8}}";
  static const char two[] = FC ",{'name': 'fd', 'type': 'fc', 'in': 64, 'out': 64}";
  dsm_instance_free(make_instance(two, long_times, 1, 0));
  expect_refused(two, long_times, joined, DSM_ERROR_INVALID,
                 "found 1.8e+09 s for \"fc..fd\" on \"d\"");
}
END_TEST

Suite *suite_times(void) {
  Suite *const suite = suite_create("times");
  TCase *const tcase = tcase_create("times");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, roofline_by_memory);
  tcase_add_test(tcase, roofline_by_operations);
  tcase_add_test(tcase, fpga);
  tcase_add_test(tcase, given);
  tcase_add_test(tcase, chip_by_memory);
  tcase_add_test(tcase, chip_by_computing);
  tcase_add_test(tcase, chip_without_room_for_an_element);
  tcase_add_loop_test(tcase, chip_as_in_a_plan, 0, COUNT_OF(networks));
  tcase_add_loop_test(tcase, own_bytes_are_those_of_another_network, 0, COUNT_OF(networks));
  tcase_add_test(tcase, layers_with_bytes_are_scaled);
  tcase_add_loop_test(tcase, chip_of_many_chips, 0, 3);
  tcase_add_test(tcase, times_must_be_of_layers);
  tcase_add_test(tcase, times_are_in_range);
  suite_add_tcase(suite, tcase);
  return suite;
}
