/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_timings.c: files of profilers as profiles. The expected times are counted by hand. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"

/* A file with single quotes for double ones, of a device or not. */
typedef struct written {
  const char *device;
  const char *path;
  const char *text;
} written;

enum { FILES_MAX = 3, TEXT_MAX = 8192 };

static dsm_status import(char **text, const written *files, size_t count,
                         const dsm_profile_import_options *options, dsm_diags *diags) {
  static char texts[FILES_MAX][TEXT_MAX];
  dsm_profile_file made[FILES_MAX];
  for (size_t f = 0; f < count; f++) {
    const size_t length = strlen(files[f].text);
    ck_assert_uint_lt(length, TEXT_MAX);
    for (size_t i = 0; i <= length; i++) {
      texts[f][i] = files[f].text[i] == '\'' ? '"' : files[f].text[i];
    }
    made[f] = (dsm_profile_file){files[f].device, files[f].path, texts[f], length};
  }
  return dsm_profile_import(text, made, count, options, diags);
}

static dsm_instance *import_good(const written *files, size_t count,
                                 const dsm_profile_import_options *options) {
  char *text = NULL;
  dsm_instance *instance = NULL;
  ck_assert_int_eq(import(&text, files, count, options, NULL), DSM_OK);
  ck_assert_int_eq(dsm_profile_parse(&instance, text, strlen(text), "p", NULL, NULL), DSM_OK);
  free(text);
  return instance;
}

static void expect_seconds(const dsm_instance *instance, size_t task, size_t device,
                           double expected) {
  const double found = dsm_instance_seconds(instance, task, device);
  ck_assert_msg(fabs(found - expected) <= 1e-12 * expected, "%.17g for %.17g", found, expected);
}

#define NODE(name, us, weights, input, output)                                                     \
  "{'cat': 'Node', 'ph': 'X', 'ts': 1, 'dur': " #us ", 'name': '" name "_kernel_time', 'args': "   \
  "{'op_name': 'X', 'provider': 'CPU', 'parameter_size': '" #weights                               \
  "', 'activation_size': '" #input "', 'output_size': '" #output "'}}"
#define RUN "{'cat': 'Session', 'ph': 'X', 'ts': 1, 'dur': 9, 'name': 'model_run', 'args': {}}"
#define KERNEL(us) "{'cat': 'Kernel', 'ph': 'X', 'ts': 1, 'dur': " #us ", 'name': 'k', 'args': {}}"

/* a takes 30, 10, 12 in three runs, twice in the second: 30, 22 and 12. */
static const char onnx_runtime[] =
    "[{'cat': 'Session', 'ph': 'X', 'ts': 0, 'dur': 5, 'name': 'session_initialization'},"
    "{'cat': 'Node', 'ph': 'X', 'ts': 1, 'dur': 900, 'name': 'a_fence_before', 'args': {}}," NODE(
        "a", 30, 100, 8,
        40) "," NODE("b", 5, 7, 40,
                     20) "," RUN
                         "," NODE("a", 10, 100, 8, 40) "," NODE("a", 12, 100, 8, 40) "," NODE(
                             "b", 4, 7, 40, 20) "," RUN
                                                "," NODE("a", 12, 100, 8, 40) "," NODE(
                                                    "b", 9, 7, 40, 20) "," RUN "]";

START_TEST(onnx_runtime_gives_medians_over_runs_and_sizes) {
  const written file = {"cpu", "f.json", onnx_runtime};
  dsm_instance *const instance = import_good(&file, 1, NULL);
  ck_assert_str_eq(instance->name, "f");
  ck_assert_uint_eq(instance->task_count, 2);
  ck_assert_str_eq(instance->tasks[0].name, "a");
  expect_seconds(instance, 0, 0, 22e-6);
  expect_seconds(instance, 1, 0, 5e-6);
  ck_assert(instance->tasks[0].weights_bytes == 100 && instance->tasks[0].output_bytes == 40);
  ck_assert(instance->tasks[0].activation_bytes == 48);
  ck_assert_uint_eq(instance->tensor_count, 1);
  ck_assert(instance->tensors[0].bytes == 40 && instance->tensors[0].consumers[0] == 1);
  ck_assert(!instance->devices[0].is_accelerator);
  dsm_instance_free(instance);
}
END_TEST

/* A node whose kernels were traced takes what they take, not its launch; without the ends of runs
 * each occurrence is one: (10 + 20) and 50 have the median 40. */
START_TEST(kernels_count_in_place_of_launches) {
  const written file = {NULL, "dir/gpu.json",
                        "[" NODE("a", 3, 1, 2, 3) "," KERNEL(10) "," KERNEL(20) "," NODE(
                            "a", 4, 1, 2, 3) "," KERNEL(50) "]"};
  dsm_instance *const instance = import_good(&file, 1, NULL);
  ck_assert_str_eq(instance->devices[0].name, "gpu");
  expect_seconds(instance, 0, 0, 40e-6);
  dsm_instance_free(instance);
}
END_TEST

/* The copy before the first task counts with it; b is fused with a; the sum of each device is what
 * it took: 22 + 5 and 2 + 20 microseconds. */
START_TEST(fused_layers_take_others_with_them) {
  const written files[] = {
      {"cpu", "f.json", onnx_runtime},
      {"gpu", "t.json",
       "[{'count': 10}, {'name': 'Reformatting CopyNode for Input Tensor 0 to a + b', 'timeMs': "
       "0.02, 'averageMs': 0.002, 'percentage': 9}, {'name': 'a + b', 'timeMs': 1, 'averageMs': "
       "0.03, 'medianMs': 0.02, 'percentage': 91}]"}};
  dsm_instance *const instance = import_good(files, 2, NULL);
  ck_assert_uint_eq(instance->task_count, 1);
  expect_seconds(instance, 0, 0, 27e-6);
  expect_seconds(instance, 0, 1, 22e-6);
  ck_assert(instance->tasks[0].weights_bytes == 107 && instance->tasks[0].output_bytes == 20);
  dsm_instance_free(instance);
}
END_TEST

#define EVENT(cat, name, tid, ts, us, args)                                                        \
  "{'ph': 'X', 'cat': '" cat "', 'name': '" name "', 'pid': 1, 'tid': " #tid ", 'ts': " #ts        \
  ", 'dur': " #us ", 'args': {" args "}}"
static const char sizes[] =
    "layer,seconds,weights_bytes,output_bytes,device\nmodel,1,0,8,x\na,1,0,8,x\nb,1,0,8,x\n"
    "aten::relu,1,0,8,x\naten::relu_2,1,0,8,x\n";

/* "model" holds the annotations a and b, which are the layers; what was launched within them takes
 * 50 + 7 and 11 us, a kernel of another thread's launch none of it. */
START_TEST(torch_layers_take_what_they_launch) {
  const written files[] = {
      {"gpu", "t.json",
       "{'schemaVersion': 1, 'traceEvents': [" EVENT(
           "user_annotation", "model",
           5, 0, 100, "") "," EVENT("user_annotation", "a", 5, 1,
                                    10, "") "," EVENT("user_annotation", "b", 5, 20, 10,
                                                      "") "," EVENT("cuda_runtime",
                                                                    "cudaLaunchKernel", 5, 3, 1, "'correlation': 71") "," EVENT("cuda_runtime", "cudaLaunchKernel", 5, 5, 1, "'correlation': 72") "," EVENT("cuda_runtime", "cudaLaunchKernel", 5, 21, 1, "'correlation': 73") "," EVENT("cuda_runtime", "cudaLaunchKernel", 6, 22,
                                                                                                                                                                                                                                                                                         1, "'correlation': 74") "," EVENT("kernel",
                                                                                                                                                                                                                                                                                                                           "k", 7, 60, 11,
                                                                                                                                                                                                                                                                                                                           "'correlation': 73") "," EVENT("kernel", "k", 7, 40, 50,
                                                                                                                                                                                                                                                                                                                                                          "'correlation': 71") "," EVENT("gpu_memset",
                                                                                                                                                                                                                                                                                                                                                                                         "k", 7, 40, 7, "'correlation': 72") "," EVENT("kernel", "k", 7, 90,
                                                                                                                                                                                                                                                                                                                                                                                                                                       1000,
                                                                                                                                                                                                                                                                                                                                                                                                                                       "'correlation': 74") "]}"},
      {"x", "s.csv", sizes}};
  dsm_instance *const instance = import_good(files, 2, NULL);
  ck_assert_uint_eq(instance->task_count, 2);
  expect_seconds(instance, 0, 0, 57e-6);
  expect_seconds(instance, 1, 0, 11e-6);
  dsm_instance_free(instance);
}
END_TEST

/* Steps are runs: aten::relu takes 4, 10 and 6, the second one of each step 1, 2 and 3; what an
 * operator calls, and what stands before the steps, is no layer. */
START_TEST(torch_operators_are_numbered_in_each_step) {
  const written files[] = {
      {"gpu", "t.json",
       "{'traceEvents': [" EVENT("cpu_op", "aten::relu", 5, 1, 999, "") "," EVENT("user_annotation", "ProfilerStep#1", 5, 2000, 100, "") "," EVENT(
           "user_annotation",
           "ProfilerStep#2",
           5, 2200, 100,
           "") "," EVENT("user_annotation", "ProfilerStep#3", 5, 2400, 100,
                         "") "," EVENT("cpu_op", "aten::relu", 5, 2010, 4,
                                       "") "," EVENT("cpu_op", "aten::relu", 5, 2050, 1,
                                                     "") "," EVENT("cpu_op", "aten::clamp_min", 5,
                                                                   2011, 2,
                                                                   "") "," EVENT("cpu_op",
                                                                                 "aten::relu",
                                                                                 5, 2210, 10,
                                                                                 "") "," EVENT("cpu"
                                                                                               "_o"
                                                                                               "p",
                                                                                               "ate"
                                                                                               "n::"
                                                                                               "rel"
                                                                                               "u",
                                                                                               5,
                                                                                               2250,
                                                                                               2,
                                                                                               "") "," EVENT("cpu_op",
                                                                                                             "aten::relu",
                                                                                                             5,
                                                                                                             2410,
                                                                                                             6,
                                                                                                             "") "," EVENT("cpu_op",
                                                                                                                           "aten::relu",
                                                                                                                           5,
                                                                                                                           2450,
                                                                                                                           3,
                                                                                                                           "") "]}"},
      {"x", "s.csv", sizes}};
  dsm_instance *const instance = import_good(files, 2, NULL);
  ck_assert_uint_eq(instance->task_count, 2);
  ck_assert_str_eq(instance->tasks[1].name, "aten::relu_2");
  expect_seconds(instance, 0, 0, 6e-6);
  expect_seconds(instance, 1, 0, 2e-6);
  dsm_instance_free(instance);
}
END_TEST

/* Rows of two devices in one file; a took 4 and 2 ms; b took no time on y, so it is part of a. */
START_TEST(csv_has_devices_and_runs) {
  const written file = {NULL, "t.csv",
                        "device,layer,milliseconds,weights_bytes,activation_bytes,output_bytes\n"
                        "x,a,4,1,2,3\nx,'b',5,10,20,30\ny,a,7,,,\ny,b,0,,,\nx,a,2,1,2,3\n"};
  dsm_instance *const instance = import_good(&file, 1, NULL);
  ck_assert_uint_eq(instance->device_count, 2);
  ck_assert_uint_eq(instance->task_count, 1);
  expect_seconds(instance, 0, 0, 8e-3);
  expect_seconds(instance, 0, 1, 7e-3);
  ck_assert(instance->tasks[0].weights_bytes == 11 && instance->tasks[0].activation_bytes == 20 &&
            instance->tasks[0].output_bytes == 30);
  dsm_instance_free(instance);
}
END_TEST

static const char network[] =
    "{\"format\": \"dsm-workload/1\", \"name\": \"net\", \"minibatch\": 1, \"element_bytes\": 2, "
    "\"input\": {\"features\": 8, \"feature\": [1, 1]}, \"layers\": ["
    "{\"name\": \"a\", \"type\": \"fc\", \"in\": 8, \"out\": 4},"
    "{\"name\": \"b\", \"type\": \"fc\", \"in\": 4, \"out\": 6},"
    "{\"name\": \"c\", \"type\": \"fc\", \"in\": 4, \"out\": 6, \"inputs\": [\"a\"]},"
    "{\"name\": \"d\", \"type\": \"fc\", \"in\": 12, \"out\": 2, \"inputs\": [\"b\", \"c\"]}]}";

/* Sizes and connections are the workload's, with three samples; "relu" counts with b. */
START_TEST(a_workload_gives_sizes_and_connections) {
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, network, strlen(network), "n", NULL, 0, NULL),
                   DSM_OK);
  const dsm_profile_import_options options = {.workload = workload, .batch = 3};
  const written file = {"gpu", "t.csv", "layer,seconds\nb,1\nrelu,0.5\na,2\nc,3\nd,4\n"};
  dsm_instance *const instance = import_good(&file, 1, &options);
  ck_assert_str_eq(instance->name, "net");
  ck_assert_uint_eq(instance->task_count, 4);
  expect_seconds(instance, 0, 0, 2);
  expect_seconds(instance, 1, 0, 1.5);
  ck_assert_uint_eq(instance->tensor_count, 3);
  ck_assert(instance->tensors[0].bytes == 3 * 4 * 2 && instance->tensors[0].consumer_count == 2);
  dsm_instance_free(instance);
  dsm_workload_free(workload);
}
END_TEST

/* What is refused, and what the first finding says. */
static const struct {
  const char *text;
  const char *found;
} refused[] = {
    {"", "expected times of layers, found nothing"},
    {"[", ""},
    {"[]", "JSON of another kind"},
    {"{'a': 1}", "JSON of another kind"},
    {"[NaN]", ""},
    {"[{'cat': 'Session', 'ph': 'X', 'name': 'model_run'}]", "ONNX Runtime, found none"},
    {"[" NODE("a", -1, 1, 1, 1) "]", "-1"},
    {"[{'cat': 'Node', 'ph': 'X', 'name': 'a_kernel_time', 'args': {}}]", "missing key \"dur\""},
    {"[" NODE("a", 1, 1, 1, x) "]", "expected 0 to 1000000000000 bytes, found \"x\""},
    {"[{'count': 3}, {'timeMs': 1}]", "missing key \"name\""},
    {"[{'count': 3}, {'name': 'a'}]", "missing key \"medianMs\""},
    {"[{'count': 0}, {'name': 'a', 'timeMs': 1}]", "0"},
    {"[{'count': 1}, {'name': 'a', 'timeMs': 1}]", "expected sizes of weights and outputs"},
    {"{'traceEvents': []}", "PyTorch profiler, found none"},
    {"{'traceEvents': [" EVENT("cpu_op", "a", 1, 5, -3, "") "]}", "-3"},
    {"{'traceEvents': [{'ph': 'X', 'cat': 'cpu_op', 'name': 'a', 'ts': 1}]}",
     "missing key \"dur\""},
    {"layer,second\na,1\n", "unknown column \"second\""},
    {"layer,seconds,seconds\na,1,1\n", "is there twice"},
    {"layer,device\na,x\n", "one of \"seconds\""},
    {"layer,seconds,milliseconds\na,1,1\n", "one of \"seconds\""},
    {"layer,seconds\na,1,2\n", "expected 2 fields"},
    {"layer,seconds\na,nan\n", "found \"nan\""},
    {"layer,seconds\na,-1\n", "found \"-1\""},
    {"layer,seconds\n,1\n", "expected the name of a layer"},
    {"layer,seconds\n", "found none"},
    {"layer,seconds,device\na,1,y\n", "a row of device \"gpu\""},
    {"layer,seconds,weights_bytes,output_bytes\na,0,1,1\n", "took time on every device"},
    {"layer,seconds,weights_bytes,output_bytes\na,1e-13,1,1\n", "1e-13 s for \"a\""},
};

START_TEST(what_cannot_be_read_is_said) {
  const written file = {"gpu", "f", refused[_i].text};
  dsm_diags *const diags = dsm_diags_new(5);
  char *text = NULL;
  ck_assert_int_eq(import(&text, &file, 1, NULL, diags), DSM_ERROR_INVALID);
  ck_assert_ptr_null(text);
  ck_assert_uint_ge(dsm_diags_count(diags), 1);
  size_t errors = 0;
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    errors += dsm_diags_get(diags, i)->severity == DSM_SEVERITY_ERROR ? 1 : 0;
  }
  ck_assert_uint_eq(errors, 1);
  ck_assert_msg(strstr(dsm_diags_get(diags, 0)->message, refused[_i].found) != NULL, "%s",
                dsm_diags_get(diags, 0)->message);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(what_does_not_match_is_an_error_where_that_is_asked) {
  const written files[] = {{"cpu", "f.json", onnx_runtime},
                           {"gpu", "t.csv", "layer,seconds\na,1\nodd,1\n"}};
  dsm_profile_import_options options;
  dsm_profile_import_options_init(&options);
  dsm_diags *const diags = dsm_diags_new(9);
  char *text = NULL;
  ck_assert_int_eq(import(&text, files, 2, &options, diags), DSM_OK);
  ck_assert_ptr_nonnull(strstr(text, "gpu: odd (1000 ms) counts with a"));
  ck_assert_ptr_nonnull(strstr(text, "cpu: b (0.005 ms) counts with a"));
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 1)->message, "\"odd\""));
  free(text);
  options.is_strict = true;
  ck_assert_int_eq(import(&text, files, 2, &options, diags), DSM_ERROR_INVALID);
  ck_assert_ptr_null(text);
  dsm_diags_free(diags);
}
END_TEST

/* Twenty layers, nineteen runs of each at random: the median is the tenth of the sorted times. */
START_TEST(medians_are_those_of_sorted_times) {
  enum { LAYERS = 20, RUNS = 19 };
  char text[TEXT_MAX];
  int times[LAYERS][RUNS];
  unsigned state = 1;
  size_t used =
      (size_t)snprintf(text, sizeof text, "layer,microseconds,weights_bytes,output_bytes\n");
  for (int r = 0; r < RUNS; r++) {
    for (int i = 0; i < LAYERS; i++) {
      state = state * 1103515245U + 12345U;
      times[i][r] = 1 + (int)(state >> 16) % 999;
      used += (size_t)snprintf(text + used, sizeof text - used, "l%d,%d,1,1\n", i, times[i][r]);
    }
  }
  const written file = {"x", "t.csv", text};
  dsm_instance *const instance = import_good(&file, 1, NULL);
  for (int i = 0; i < LAYERS; i++) {
    for (int r = 0; r < RUNS; r++) { /* the one that nine are below, ties broken by place */
      int below = 0;
      for (int k = 0; k < RUNS; k++) {
        below += times[i][k] < times[i][r] || (times[i][k] == times[i][r] && k < r);
      }
      if (below == RUNS / 2) {
        expect_seconds(instance, (size_t)i, 0, 1e-6 * times[i][r]);
      }
    }
  }
  dsm_instance_free(instance);
}
END_TEST

TCase *timings_tests(void);

TCase *timings_tests(void) {
  TCase *const tcase = tcase_create("timings");
  tcase_add_test(tcase, onnx_runtime_gives_medians_over_runs_and_sizes);
  tcase_add_test(tcase, kernels_count_in_place_of_launches);
  tcase_add_test(tcase, fused_layers_take_others_with_them);
  tcase_add_test(tcase, torch_layers_take_what_they_launch);
  tcase_add_test(tcase, torch_operators_are_numbered_in_each_step);
  tcase_add_test(tcase, csv_has_devices_and_runs);
  tcase_add_test(tcase, a_workload_gives_sizes_and_connections);
  tcase_add_loop_test(tcase, what_cannot_be_read_is_said, 0, sizeof refused / sizeof *refused);
  tcase_add_test(tcase, what_does_not_match_is_an_error_where_that_is_asked);
  tcase_add_test(tcase, medians_are_those_of_sorted_times);
  return tcase;
}
