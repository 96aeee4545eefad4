/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"
#include "read.h"
#include "suites.h"

#define CHIP                                                                                       \
  "{'name': 'npu', 'kind': 'chip', 'system': {'format': 'dsm-system/1', 'name': 'small',"          \
  " 'core': {'frequency_GHz': 1, 'scratchpad_MiB': 1, 'scratchpad_bandwidth_GBps': 1},"            \
  " 'chip': {'cores': 1, 'interconnect': 'ring', 'core_link_bandwidth_GBps': 64,"                  \
  " 'memory': {'capacity_GB': 3, 'bandwidth_GBps': 1}},"                                           \
  " 'system': {'topology': 'torus_2d', 'chips_x': 2, 'chips_y': 1,"                                \
  " 'link_bandwidth_x_GBps': 20, 'link_bandwidth_y_GBps': 10}}"

START_TEST(all_numbers_are_read) {
  dsm_server *const server = read_server(
      "{'name': 'gpu', 'kind': 'roofline', 'peak_TFLOPs': 2, 'memory_bandwidth_GBps': 300,"
      " 'efficiency_ratio': 0.25, 'task_microseconds': 5, 'memory_GB': 16, 'link_GBps': 12,"
      " 'power': {'busy_watts': 70, 'idle_watts': 10}, 'source': 'somewhere'},"
      "{'name': 'fpga', 'kind': 'fpga', 'clock_MHz': 300, 'multipliers': 64,"
      " 'initiation_interval_cycles': 1.5, 'instances': 3, 'task_microseconds': 7,"
      " 'accelerator': false},"
      "{'name': 'other', 'kind': 'times', 'times': {'a': 0.5, 'b': null},"
      " 'power': {'busy_watts': 3}}");
  ck_assert_str_eq(server->name, "test");
  ck_assert_ptr_null(server->source);
  ck_assert_uint_eq(server->device_count, 3);
  const dsm_device *const gpu = &server->devices[0];
  ck_assert_int_eq(gpu->kind, DSM_DEVICE_ROOFLINE);
  ck_assert_str_eq(gpu->source, "somewhere");
  ck_assert(gpu->is_accelerator);
  expect_number(gpu->roofline.peak_flops, 2e12);
  expect_number(gpu->roofline.memory_bytes_per_second, 3e11);
  expect_number(gpu->roofline.efficiency_ratio, 0.25);
  expect_number(gpu->task_seconds, 5e-6);
  expect_number(gpu->memory_bytes, 16e9);
  expect_number(gpu->link_bytes_per_second, 12e9);
  ck_assert(gpu->has_power);
  expect_number(gpu->busy_watts, 70);
  expect_number(gpu->idle_watts, 10);
  const dsm_device *const fpga = &server->devices[1];
  ck_assert(!fpga->is_accelerator);
  expect_number(fpga->fpga.clock_hertz, 3e8);
  ck_assert_uint_eq(fpga->fpga.multipliers, 64);
  expect_number(fpga->fpga.initiation_interval_cycles, 1.5);
  ck_assert_uint_eq(fpga->fpga.instances, 3);
  expect_number(fpga->task_seconds, 7e-6);
  const dsm_device *const other = &server->devices[2];
  ck_assert_uint_eq(other->time_count, 2);
  ck_assert_str_eq(other->times[0].task, "a");
  expect_number(other->times[0].seconds, 0.5);
  ck_assert(isinf(other->times[1].seconds));
  expect_number(other->idle_watts, 0);
  expect_number(other->task_seconds, 0);
  dsm_server_free(server);
}
END_TEST

START_TEST(what_is_absent_has_its_default) {
  dsm_server *const server = read_server(
      "{'name': 'gpu', 'kind': 'roofline', 'peak_TFLOPs': 2,"
      " 'memory_bandwidth_GBps': 300},"
      "{'name': 'fpga', 'kind': 'fpga', 'clock_MHz': 300, 'multipliers': 64}," CHIP "}");
  const dsm_device *const gpu = &server->devices[0];
  ck_assert(gpu->is_accelerator);
  ck_assert(!gpu->has_power);
  ck_assert_ptr_null(gpu->source);
  ck_assert(isinf(gpu->memory_bytes) && isinf(gpu->link_bytes_per_second));
  expect_number(gpu->roofline.efficiency_ratio, 1);
  expect_number(gpu->task_seconds, 0);
  expect_number(server->devices[1].fpga.initiation_interval_cycles, 1);
  ck_assert_uint_eq(server->devices[1].fpga.instances, 1);
  expect_number(server->devices[1].task_seconds, 0);
  /* Parameters may be on every chip: the memory of one counts. */
  expect_number(server->devices[2].memory_bytes, 3e9);
  ck_assert_str_eq(server->devices[2].chip->name, "small");
  dsm_server_free(server);
}
END_TEST

START_TEST(count_makes_numbered_devices) {
  dsm_server *const server = read_server(CHIP ", 'count': 3, 'memory_GB': 1}");
  ck_assert_uint_eq(server->device_count, 3);
  ck_assert_str_eq(server->devices[0].name, "npu1");
  ck_assert_str_eq(server->devices[2].name, "npu3");
  ck_assert_ptr_eq(server->devices[0].chip, server->devices[2].chip);
  expect_number(server->devices[1].memory_bytes, 1e9);
  dsm_server_free(server);
  dsm_server *const single = read_server(CHIP ", 'count': 1}");
  ck_assert_uint_eq(single->device_count, 1);
  ck_assert_str_eq(single->devices[0].name, "npu");
  dsm_server_free(single);
}
END_TEST

START_TEST(kinds_have_names) {
  ck_assert_str_eq(dsm_device_kind_name(DSM_DEVICE_CHIP), "chip");
  ck_assert_str_eq(dsm_device_kind_name(DSM_DEVICE_ROOFLINE), "roofline");
  ck_assert_str_eq(dsm_device_kind_name(DSM_DEVICE_FPGA), "fpga");
  ck_assert_str_eq(dsm_device_kind_name(DSM_DEVICE_TIMES), "times");
}
END_TEST

static const char *const bundled[] = {"cpu_2gpu", "cpu_gpu_fpga", "edge_gpu", "edge_npu"};

START_TEST(bundled_servers_are_read) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/servers/%s.json", DSM_SOURCE_DIR, bundled[_i]);
  dsm_server *server = NULL;
  ck_assert_int_eq(dsm_server_load(&server, path, NULL, 0, NULL), DSM_OK);
  ck_assert_str_eq(server->name, bundled[_i]);
  ck_assert_ptr_nonnull(server->source);
  bool has_accelerator = false;
  for (size_t j = 0; j < server->device_count; j++) {
    const dsm_device *const device = &server->devices[j];
    ck_assert_ptr_nonnull(device->source);
    ck_assert(device->has_power);
    ck_assert(isfinite(device->memory_bytes) && isfinite(device->link_bytes_per_second));
    has_accelerator = has_accelerator || device->is_accelerator;
  }
  ck_assert(has_accelerator);
  dsm_server_free(server);
}
END_TEST

START_TEST(values_can_be_overridden) {
  size_t length = 0;
  char *const text = read_source_file("servers", "cpu_2gpu.json", &length);
  const dsm_override overrides[] = {{"devices.gpu.memory_GB", "0.5", "--set"}};
  dsm_server *server = NULL;
  ck_assert_int_eq(dsm_server_parse(&server, text, length, "x", overrides, 1, NULL), DSM_OK);
  expect_number(server->devices[2].memory_bytes, 5e8);
  dsm_server_free(server);
  free(text);
}
END_TEST

START_TEST(a_missing_file_is_reported) {
  dsm_server *server = NULL;
  dsm_diags *const diags = dsm_diags_new(2);
  ck_assert_int_eq(dsm_server_load(&server, "/nowhere/at/all.json", NULL, 0, diags), DSM_ERROR_IO);
  ck_assert_ptr_null(server);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  dsm_diags_free(diags);
  dsm_server_free(NULL);
}
END_TEST

Suite *suite_server(void) {
  Suite *const suite = suite_create("server");
  TCase *const tcase = tcase_create("read");
  tcase_add_test(tcase, all_numbers_are_read);
  tcase_add_test(tcase, what_is_absent_has_its_default);
  tcase_add_test(tcase, count_makes_numbered_devices);
  tcase_add_test(tcase, kinds_have_names);
  tcase_add_loop_test(tcase, bundled_servers_are_read, 0, COUNT_OF(bundled));
  tcase_add_test(tcase, values_can_be_overridden);
  tcase_add_test(tcase, a_missing_file_is_reported);
  suite_add_tcase(suite, tcase);
  return suite;
}
