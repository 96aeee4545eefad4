/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How partitions are shown, of partitions made by hand. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "made_partition.h"
#include "reading.h"
#include "subjects.h"
#include "suites.h"

/* ---- table ---- */

START_TEST(test_the_table_by_hand) {
  char *const text = as_table(DSM_ANSWER(partition, &made_partition), plain_style(90));
  expect_tidy(text);
  static const char expected[] =
      "net on pair: best throughput on 2 devices\n"
      "\n"
      "throughput    20.00 requests/s\n"
      "latency       80.00 ms\n"
      "bound         20.00 requests/s, gap 0.005 %; linear relaxation 24.00 requests/s\n"
      "solver        optimal within the gap\n"
      "\n"
      "Placement, with shares of the requests\n"
      "tasks           count  weights  devices\n"
      "conv1 to conv2      2    10 MB  gpu\n"
      "fc1                 1   500 MB  gpu 60.0 %, cpu 40.0 %\n"
      "fc2                 1   100 MB  cpu\n"
      "\n"
      "Devices, and what limits them\n"
      "device  time %  memory  memory %       link  link %  binds\n"
      "gpu       96.0  510 MB      85.0  8.05 MB/s     0.8  memory\n"
      "cpu      100.0  600 MB         -    40 kB/s       -  time\n"
      "\n"
      "without partitioning           devices  requests/s  latency ms    gain\n"
      "all of it on each accelerator        0  impossible           -       -\n"
      "all of it on each device             1       3.704       270.0  5.40 x\n"
      "all of it on the best device         1       3.704       270.0  5.40 x\n";
  ck_assert_str_eq(text, expected);
  free(text);
}
END_TEST

/* Twelve blocks of three tasks: the first two of each on one device, in shares that differ by less
 * than is printed, the third on the other. */
static dsm_partition made_of_blocks(dsm_instance *instance, dsm_task tasks[36], char names[36][16],
                                    double rates[72], bool is_stored[72]) {
  dsm_partition made = made_partition;
  *instance = *made_partition.instance;
  for (size_t i = 0; i < 36; i++) {
    (void)snprintf(names[i], sizeof names[i], "b%zu.%c", i / 3, (int)('x' + i % 3));
    tasks[i] = (dsm_task){.name = names[i], .weights_bytes = 1000};
    for (size_t j = 0; j < 2; j++) {
      const bool is_last = i % 3 == 2;
      is_stored[2 * i + j] = is_last ? j == 1 : true;
      rates[2 * i + j] = is_last ? (double)j : j == 0 ? 0.6 + 1e-6 * (double)i : 0.4;
    }
  }
  instance->tasks = tasks;
  instance->task_count = 36;
  instance->seconds = rates; /* which no table shows */
  made.instance = instance;
  made.rates = rates;
  made.is_stored = is_stored;
  return made;
}

START_TEST(test_runs_that_repeat_are_a_row) {
  dsm_instance instance;
  dsm_task tasks[36];
  char names[36][16];
  double rates[72];
  bool is_stored[72];
  const dsm_partition made = made_of_blocks(&instance, tasks, names, rates, is_stored);
  dsm_table_style style = plain_style(90);
  char *const text = as_table(DSM_ANSWER(partition, &made), style);
  expect_tidy(text);
  ck_assert_ptr_nonnull(strstr(text,
                               "tasks                 count  weights  devices\n"
                               "b0..11.x to b0..11.y     24    24 kB  gpu 60.0 %, cpu 40.0 %\n"
                               "b0..11.z                 12    12 kB  cpu\n\n"));
  free(text);
  style.is_unfolded = true;
  char *const unfolded = as_table(DSM_ANSWER(partition, &made), style);
  expect_tidy(unfolded);
  ck_assert_ptr_nonnull(strstr(unfolded, "\nb10.y      1     1 kB  gpu 60.0 %, cpu 40.0 %\n"
                                         "b10.z      1     1 kB  cpu\n"));
  free(unfolded);
}
END_TEST

START_TEST(test_precisions_are_said) {
  dsm_instance instance = *made_partition.instance;
  dsm_instance_device devices[] = {instance.devices[0], instance.devices[1]};
  devices[0].element_bytes = 1;
  devices[0].weight_bytes = 0.5;
  devices[1].weight_bytes = 4;
  instance.devices = devices;
  dsm_partition mixed = made_partition;
  mixed.instance = &instance;
  char *const text = as_table(DSM_ANSWER(partition, &mixed), plain_style(90));
  expect_tidy(text);
  ck_assert_ptr_nonnull(strstr(text, "\nprecision     gpu: bytes an element 1, a parameter 0.5\n"
                                     "precision     cpu: bytes a parameter 4\n"));
  free(text);
}
END_TEST

START_TEST(test_the_table_of_one_request) {
  char *const text = as_table(DSM_ANSWER(partition, &made_latency_partition), plain_style(90));
  expect_tidy(text);
  ck_assert_ptr_nonnull(strstr(text, "\nbound         unknown, gap unknown; linear relaxation "
                                     "unknown\n"));
  ck_assert_ptr_nonnull(strstr(text, "; the answer is that of the heuristic"));
  ck_assert_ptr_nonnull(strstr(text, "\nall of it on each accelerator        0  impossible"));
  ck_assert_ptr_nonnull(strstr(text, " 3.37 x\n")); /* 0.27 / 0.080004 */
  ck_assert_ptr_nonnull(strstr(text, "  time, memory, link\n"));
  ck_assert_ptr_nonnull(strstr(text, "gpu, cpu 0.0 %\n")); /* fc1 is stored there too */
  free(text);
}
END_TEST

/* Of a graph the table says that the throughput is a bound, and what is known to be reached. */
START_TEST(test_a_throughput_that_is_a_bound) {
  dsm_partition graph = made_partition;
  graph.is_bound = true;
  graph.whole_rho = 19;
  graph.simulated_rho = 18.5;
  char *const text = as_table(DSM_ANSWER(partition, &graph), plain_style(90));
  ck_assert_ptr_nonnull(
      strstr(text, "throughput    20.00 requests/s, a bound, as the network is not a chain\n"
                   "whole         at most 19.00 requests/s if each request runs as a whole\n"
                   "simulated     18.50 requests/s\n"));
  free(text);
}
END_TEST

/* ---- JSON ---- */

static cJSON *parsed(char *text) {
  ck_assert_ptr_nonnull(text);
  cJSON *const json = cJSON_Parse(text);
  ck_assert_ptr_nonnull(json);
  free(text);
  return json;
}

static double number_at(const cJSON *object, const char *key) {
  const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsNumber(value), "%s is no number", key);
  return value->valuedouble;
}

static const char *text_at(const cJSON *object, const char *key) {
  const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsString(value), "%s is no text", key);
  return value->valuestring;
}

static const cJSON *item_at(const cJSON *object, const char *key, int index) {
  const cJSON *const item =
      cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, key), index);
  ck_assert_ptr_nonnull(item);
  return item;
}

static bool is_null(const cJSON *object, const char *key) {
  return cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, key));
}

static void expect_answer(const cJSON *json) {
  ck_assert_str_eq(text_at(json, "format"), "dsm-partition/1");
  ck_assert_str_eq(text_at(json, "instance"), "net on pair");
  ck_assert_str_eq(text_at(json, "objective"), "throughput");
  ck_assert_str_eq(text_at(json, "status"), "optimal");
  ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(json, "heuristic")));
  ck_assert(!cJSON_HasObjectItem(json, "joules_per_request"));
  ck_assert(!cJSON_HasObjectItem(json, "simulation"));
}

static void expect_numbers(const cJSON *json) {
  ck_assert_double_eq(number_at(json, "rho"), 20);
  ck_assert_double_eq(number_at(json, "requests_per_second"), 20);
  ck_assert_double_eq(number_at(json, "objective_value"), 20);
  ck_assert_double_eq(number_at(json, "bound"), 20.001);
  ck_assert_double_eq(number_at(json, "relaxation"), 24);
  ck_assert_double_eq(number_at(json, "gap"), 5e-5);
  ck_assert_double_eq(number_at(json, "solver_seconds"), 0.125);
  ck_assert_double_eq(number_at(json, "latency_seconds"), 0.080004);
}

START_TEST(test_json) {
  cJSON *const json = parsed(as_json(DSM_ANSWER(partition, &made_partition)));
  expect_answer(json);
  expect_numbers(json);
  const cJSON *const gpu = item_at(json, "devices", 0);
  ck_assert_str_eq(text_at(gpu, "name"), "gpu");
  ck_assert_double_eq(number_at(gpu, "time_fraction"), 0.96);
  ck_assert_double_eq(number_at(gpu, "memory_bytes"), 5.1e8);
  ck_assert_double_eq(number_at(gpu, "memory_capacity_bytes"), 6e8);
  ck_assert_double_eq(number_at(gpu, "memory_fraction"), 0.85);
  ck_assert_double_eq(number_at(gpu, "link_bytes_per_second"), 8.048e6);
  ck_assert_double_eq(number_at(gpu, "link_capacity_bytes_per_second"), 1e9);
  ck_assert_double_eq(number_at(gpu, "link_fraction"), 0.008048);
  ck_assert_str_eq(item_at(gpu, "binds", 0)->valuestring, "memory");
  const cJSON *const cpu = item_at(json, "devices", 1);
  ck_assert(is_null(cpu, "memory_capacity_bytes"));
  ck_assert(is_null(cpu, "link_capacity_bytes_per_second"));
  ck_assert_str_eq(item_at(cpu, "binds", 0)->valuestring, "time");
  const cJSON *const task = item_at(json, "tasks", 2);
  ck_assert_str_eq(text_at(task, "name"), "fc1");
  ck_assert_str_eq(text_at(item_at(task, "placements", 0), "device"), "gpu");
  ck_assert_double_eq(number_at(item_at(task, "placements", 0), "rate"), 12);
  ck_assert_double_eq(number_at(item_at(task, "placements", 1), "rate"), 8);
  ck_assert_double_eq(number_at(item_at(task, "placements", 1), "seconds"), 0.05);
  const cJSON *const none = item_at(json, "baselines", 0);
  ck_assert_str_eq(text_at(none, "name"), "accelerators");
  ck_assert(!cJSON_HasObjectItem(none, "rho") && !cJSON_HasObjectItem(none, "gain"));
  ck_assert_double_eq_tol(number_at(item_at(json, "baselines", 1), "gain"), 5.4, 1e-12);
  cJSON_Delete(json);
}
END_TEST

START_TEST(test_json_of_other_objectives) {
  cJSON *json = parsed(as_json(DSM_ANSWER(partition, &made_latency_partition)));
  ck_assert_str_eq(text_at(json, "status"), "limited");
  ck_assert(is_null(json, "bound") && is_null(json, "relaxation") && is_null(json, "gap"));
  ck_assert_double_eq(number_at(item_at(json, "devices", 0), "link_bytes"), 4e3);
  ck_assert_double_eq_tol(number_at(item_at(json, "baselines", 2), "gain"), 0.27 / 0.080004, 1e-12);
  cJSON_Delete(json);
  json = parsed(as_json(DSM_ANSWER(partition, &made_energy_partition)));
  ck_assert_double_eq(number_at(json, "joules_per_request"), 12.5);
  ck_assert_double_eq(number_at(cJSON_GetObjectItem(json, "options"), "required_rho"), 20);
  ck_assert(!cJSON_HasObjectItem(item_at(json, "baselines", 2), "gain"));
  cJSON_Delete(json);
}
END_TEST

START_TEST(test_json_of_a_simulation) {
  dsm_dispatch *const simulation = made_simulation(40);
  cJSON *json = parsed(as_json(DSM_ANSWER(dispatch, simulation)));
  const cJSON *made = cJSON_GetObjectItem(json, "simulation");
  ck_assert_str_eq(text_at(made, "format"), "dsm-dispatch/1");
  ck_assert_double_eq(number_at(made, "requests"), 40);
  ck_assert_double_eq(number_at(made, "window"), 4);
  ck_assert(!cJSON_HasObjectItem(made, "rate") && !cJSON_HasObjectItem(made, "seed"));
  ck_assert_double_eq(number_at(made, "throughput"), simulation->throughput);
  const cJSON *const latency = cJSON_GetObjectItem(made, "latency");
  ck_assert_double_eq(number_at(latency, "p95_seconds"), simulation->p95_latency_seconds);
  const cJSON *const cpu = item_at(made, "devices", 1);
  ck_assert_double_eq(number_at(cpu, "mean_queue"), simulation->devices[1].mean_queue);
  ck_assert_double_eq(number_at(cpu, "most_queued"), (double)simulation->devices[1].most_queued);
  cJSON_Delete(json);
  simulation->options.window = 0;
  simulation->options.rate = 3;
  json = parsed(as_json(DSM_ANSWER(dispatch, simulation)));
  made = cJSON_GetObjectItem(json, "simulation");
  ck_assert_double_eq(number_at(made, "rate"), 3);
  ck_assert(cJSON_HasObjectItem(made, "seed") && !cJSON_HasObjectItem(made, "window"));
  cJSON_Delete(json);
  dsm_dispatch_free(simulation);
}
END_TEST

/* ---- CSV ---- */

START_TEST(test_csv) {
  static const char *const titles[] = {"instance",
                                       "objective",
                                       "status",
                                       "rho",
                                       "latency_seconds",
                                       "bound",
                                       "gap",
                                       "task",
                                       "device",
                                       "rate",
                                       "seconds",
                                       "weights_bytes",
                                       "output_bytes",
                                       "time_fraction",
                                       "memory_fraction",
                                       "link_fraction",
                                       "simulation.throughput",
                                       "simulation.latency.mean_seconds",
                                       "simulation.latency.p99_seconds",
                                       "simulation.time_fraction",
                                       "simulation.link_fraction",
                                       "simulation.mean_queue",
                                       "device_batch",
                                       "mean_latency_seconds",
                                       "waiting_seconds",
                                       NULL};
  dsm_dispatch *const simulation = made_simulation(40);
  char *text = as_csv(DSM_ANSWER(dispatch, simulation));
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  ck_assert_uint_eq(table.row_count, 5);
  ck_assert_str_eq(csv_at(&table, 3, "task"), "fc1");
  ck_assert_str_eq(csv_at(&table, 3, "device"), "cpu");
  ck_assert_double_eq(csv_number_at(&table, 3, "rate"), 8);
  ck_assert_double_eq(csv_number_at(&table, 3, "simulation.throughput"), simulation->throughput);
  ck_assert_double_eq(csv_number_at(&table, 3, "simulation.mean_queue"),
                      simulation->devices[1].mean_queue);
  ck_assert_str_eq(csv_at(&table, 3, "device_batch"), ""); /* one request at a time */
  csv_free(&table);
  free(text);
  text = as_csv(DSM_ANSWER(partition, &made_latency_partition));
  table = csv_read(text);
  ck_assert_str_eq(csv_at(&table, 0, "bound"), "");
  ck_assert_str_eq(csv_at(&table, 0, "simulation.throughput"), "");
  csv_free(&table);
  free(text);
  dsm_dispatch_free(simulation);
}
END_TEST

Suite *suite_partition_report(void) {
  Suite *const suite = suite_create("partition_report");
  TCase *const tests = tcase_create("partition_report");
  tcase_add_test(tests, test_the_table_by_hand);
  tcase_add_test(tests, test_runs_that_repeat_are_a_row);
  tcase_add_test(tests, test_precisions_are_said);
  tcase_add_test(tests, test_the_table_of_one_request);
  tcase_add_test(tests, test_a_throughput_that_is_a_bound);
  tcase_add_test(tests, test_json);
  tcase_add_test(tests, test_json_of_other_objectives);
  tcase_add_test(tests, test_json_of_a_simulation);
  tcase_add_test(tests, test_csv);
  suite_add_tcase(suite, tests);
  return suite;
}
