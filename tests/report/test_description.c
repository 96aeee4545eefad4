/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "suites.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "subjects.h"
#include "system/system_internal.h"

/* Parameters as published: torchvision's models (vgg16, resnet50, alexnet, googlenet without
 * auxiliary classifiers, mobilenet_v2). MACs of vgg16: 15.47 G, of alexnet: 714 M, as is common
 * knowledge; exactly, from the shapes by hand. */
static const struct {
  const char *network;
  double parameters;
} published[] = {
    {"vgg16", 138357544},   {"resnet50", 25557032},    {"alexnet", 61100840},
    {"googlenet", 6624904}, {"mobilenet_v2", 3504872},
};

static const char *const networks[] = {"alexnet",      "gnmt",   "gnmt_vocab", "googlenet",
                                       "mobilenet_v2", "raider", "resnet50",   "vgg16"};

static double number_in(const cJSON *object, const char *key) {
  const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsNumber(item), "no number %s", key);
  return item->valuedouble;
}

static const char *text_in(const cJSON *object, const char *key) {
  const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsString(item), "no text %s", key);
  return item->valuestring;
}

/* The document of some descriptions. */
static cJSON *describe(const dsm_described *items, size_t count) {
  char *const text = as_json(DSM_ANSWERS(description, items, count));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_ptr_nonnull(root);
  ck_assert_str_eq(text_in(root, "format"), "dsm-describe/1");
  ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "items")), (int)count);
  free(text);
  return root;
}

static const cJSON *item_of(const cJSON *root, int index) {
  return cJSON_GetArrayItem(cJSON_GetObjectItem(root, "items"), index);
}

/* ---- workloads ---- */

START_TEST(test_parameters_are_as_published) {
  dsm_workload *const workload = load_bundled_workload(published[_i].network);
  cJSON *const root = describe(&(dsm_described){.file = "f", .workload = workload}, 1);
  const cJSON *const totals = cJSON_GetObjectItem(item_of(root, 0), "totals");
  ck_assert_double_eq(number_in(totals, "parameters"), published[_i].parameters);
  cJSON_Delete(root);
  dsm_workload_free(workload);
}
END_TEST

START_TEST(test_layers_add_up_to_the_totals) {
  dsm_workload *const workload = load_bundled_workload(networks[_i]);
  cJSON *const root = describe(&(dsm_described){.file = "f", .workload = workload}, 1);
  const cJSON *const item = item_of(root, 0);
  const cJSON *const totals = cJSON_GetObjectItem(item, "totals");
  static const char *const keys[] = {"parameters", "macs_forward_per_sample",
                                     "activation_bytes_per_sample"};
  for (int k = 0; k < COUNT_OF(keys); k++) {
    double sum = 0;
    const cJSON *layer;
    cJSON_ArrayForEach(layer, cJSON_GetObjectItem(item, "layers")) sum += number_in(layer, keys[k]);
    ck_assert_double_eq(sum, number_in(totals, keys[k]));
  }
  ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(item, "layers")),
                   (int)workload->spec_count);
  cJSON_Delete(root);
  dsm_workload_free(workload);
}
END_TEST

/* 1 -> 8 features of 16 x 16 under a 3 x 3 kernel: 72 weights and 8 biases, 72 * 256 MACs; pooled
 * to 8 x 8: 512 values of 2 bytes. */
START_TEST(test_a_layer_is_described_as_by_hand) {
  dsm_workload *const workload = load_bundled_workload("raider");
  cJSON *const root = describe(&(dsm_described){.file = "x/raider.json", .workload = workload}, 1);
  const cJSON *const item = item_of(root, 0);
  const cJSON *const layer = cJSON_GetArrayItem(cJSON_GetObjectItem(item, "layers"), 0);
  ck_assert_str_eq(text_in(item, "file"), "x/raider.json");
  ck_assert_str_eq(text_in(item, "kind"), "workload");
  ck_assert_str_eq(text_in(item, "name"), "raider");
  ck_assert_double_eq(number_in(item, "minibatch"), 256);
  ck_assert_str_eq(text_in(layer, "name"), "conv1");
  ck_assert_str_eq(text_in(layer, "type"), "conv");
  ck_assert_double_eq(number_in(layer, "parameters"), 80);
  ck_assert_double_eq(number_in(layer, "macs_forward_per_sample"), 18432);
  ck_assert_double_eq(number_in(layer, "activation_bytes_per_sample"), 1024);
  ck_assert(!cJSON_HasObjectItem(item, "peak_flops"));
  cJSON_Delete(root);
  dsm_workload_free(workload);
}
END_TEST

START_TEST(test_the_table_shows_what_the_json_holds) {
  dsm_workload *const workload = load_bundled_workload(networks[_i]);
  const dsm_described item = {.file = "f", .workload = workload};
  char *const text = as_table(DSM_ANSWERS(description, &item, 1), unfolded_style(200));
  cJSON *const root = describe(&item, 1);
  line_list lines = lines_read(text);
  const size_t titles = lines_find(&lines, 0, "layer ");
  size_t row = titles;
  const cJSON *layer;
  cJSON_ArrayForEach(layer, cJSON_GetObjectItem(item_of(root, 0), "layers")) {
    row++;
    const char *const name = text_in(layer, "name");
    ck_assert_int_eq(strncmp(lines.items[row], name, strlen(name)), 0);
    ck_assert_double_eq(number_of(cell_below(lines.items[titles], "parameters", lines.items[row])),
                        number_in(layer, "parameters"));
    ck_assert_double_eq(number_of(cell_below(lines.items[titles], "MACs/sample", lines.items[row])),
                        number_in(layer, "macs_forward_per_sample"));
  }
  const cJSON *const totals = cJSON_GetObjectItem(item_of(root, 0), "totals");
  ck_assert_uint_eq(lines_find(&lines, titles, "total "), row + 1);
  ck_assert_double_eq(
      number_of(cell_below(lines.items[titles], "parameters", lines.items[row + 1])),
      number_in(totals, "parameters"));
  ck_assert_double_eq(
      number_of(cell_below(lines.items[titles], "MACs/sample", lines.items[row + 1])),
      number_in(totals, "macs_forward_per_sample"));
  lines_free(&lines);
  cJSON_Delete(root);
  free(text);
  dsm_workload_free(workload);
}
END_TEST

/* One of each: "1 layer", "1 weight". */
/* Parameters and MACs of the rows, times their counts, and of those left out, are the totals. */
START_TEST(test_folded_rows_add_up_to_the_totals) {
  dsm_workload *const workload = load_bundled_workload(networks[_i]);
  const dsm_described item = {.file = "f", .workload = workload};
  for (size_t limit = 0; limit <= 6; limit += 3) {
    dsm_table_style style = plain_style(200);
    style.row_limit = limit;
    char *const text = as_table(DSM_ANSWERS(description, &item, 1), style);
    line_list lines = lines_read(text);
    const size_t titles = lines_find(&lines, 0, "layer ");
    const char *const title = lines.items[titles];
    double parameters = 0;
    double macs = 0;
    size_t row = titles + 1;
    for (; strncmp(lines.items[row], "total ", 6) != 0; row++) {
      const char *const counts = strstr(title, " n  type");
      const bool is_counted = counts != NULL && lines.items[row][counts + 1 - title] != ' ';
      const double count = is_counted ? number_of(cell_below(title, "n", lines.items[row])) : 1;
      parameters += count * number_of(cell_below(title, "parameters", lines.items[row]));
      macs += count * number_of(cell_below(title, "MACs/sample", lines.items[row]));
    }
    ck_assert_double_eq(parameters, (double)workload->parameters);
    ck_assert_double_eq(macs, (double)workload->forward_macs);
    ck_assert(limit == 0 || row <= titles + limit + 2);
    lines_free(&lines);
    free(text);
  }
  dsm_workload_free(workload);
}
END_TEST

START_TEST(test_one_is_singular) {
  static const char one[] =
      "{ \"format\": \"dsm-workload/1\", \"name\": \"one\", \"minibatch\": 1, \"layers\": ["
      "{ \"name\": \"a\", \"type\": \"fc\", \"in\": 1, \"out\": 1 } ] }";
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, one, strlen(one), "one", NULL, 0, NULL), DSM_OK);
  const dsm_described item = {.file = "f", .workload = workload};
  char *const text = as_table(DSM_ANSWERS(description, &item, 1), plain_style(200));
  ck_assert_ptr_nonnull(
      strstr(text, "\n1 layer, minibatch 1, 2 bytes an element; 1 weight, 2 B\n"));
  free(text);
  dsm_workload_free(workload);
}
END_TEST

/* Kernels with strides, groups, and both of different size. */
START_TEST(test_kernels_show_stride_and_groups) {
  static const char network[] =
      "{ \"format\": \"dsm-workload/1\", \"name\": \"k\", \"minibatch\": 1, \"layers\": ["
      "{ \"name\": \"a\", \"type\": \"conv\", \"in\": 4, \"out\": 4, \"feature\": [8, 4],"
      "  \"kernel\": [3, 5], \"stride\": [1, 2] },"
      "{ \"name\": \"b\", \"type\": \"conv\", \"in\": 4, \"out\": 4, \"feature\": [4, 2],"
      "  \"kernel\": [3, 3], \"stride\": [2, 2], \"groups\": 4 },"
      "{ \"name\": \"c\", \"type\": \"conv\", \"in\": 4, \"out\": 4, \"feature\": [4, 2] } ] }";
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, network, strlen(network), "k", NULL, 0, NULL),
                   DSM_OK);
  const dsm_described item = {.file = "f", .workload = workload};
  char *const text = as_table(DSM_ANSWERS(description, &item, 1), plain_style(200));
  ck_assert_ptr_nonnull(strstr(text, "      8x4  3x5 /1x2  "));
  ck_assert_ptr_nonnull(strstr(text, "      4x2  3x3 /2 g4 "));
  ck_assert_ptr_nonnull(strstr(text, "      4x2  1x1       "));
  free(text);
  dsm_workload_free(workload);
}
END_TEST

/* ---- systems ---- */

/* 64 chips of 32 cores of 16 x 8 PEs of 8 MACs: 2,097,152 MACs; at 2 GHz and 2 operations 8.388608
 * PFLOP/s. A chip has 1/64 of it, 131.072 TFLOP/s, over 256 GB/s * 0.8 = 640 FLOP per byte. */
START_TEST(test_a_system_is_described_as_by_hand) {
  dsm_system *const system = load_bundled_system("torus64");
  cJSON *const root = describe(&(dsm_described){.file = "torus64", .system = system}, 1);
  const cJSON *const item = item_of(root, 0);
  ck_assert_str_eq(text_in(item, "kind"), "system");
  ck_assert_str_eq(text_in(item, "name"), "torus64");
  ck_assert_double_eq(number_in(item, "peak_flops"), 8.388608e15);
  ck_assert_double_eq_tol(number_in(item, "machine_balance"), 640, 1e-9);
  ck_assert_double_eq(number_in(item, "chips"), 64);
  ck_assert_double_eq(number_in(item, "cores"), 2048);
  ck_assert_double_eq(number_in(item, "macs_per_cycle"), 2097152);
  ck_assert_double_eq(number_in(item, "memory_bytes"), 512e9);
  ck_assert(!cJSON_HasObjectItem(item, "layers"));
  cJSON_Delete(root);
  dsm_system_free(system);
}
END_TEST

static const cJSON *parameter(const cJSON *item, const char *path) {
  const cJSON *entry;
  cJSON_ArrayForEach(entry, cJSON_GetObjectItem(item, "parameters")) {
    if (strcmp(text_in(entry, "path"), path) == 0) {
      return entry;
    }
  }
  ck_abort_msg("no parameter %s", path);
  return NULL;
}

START_TEST(test_parameters_of_each_kind_have_their_values) {
  dsm_system *const system = load_bundled_system("torus64");
  cJSON *const root = describe(&(dsm_described){.file = "torus64", .system = system}, 1);
  const cJSON *const item = item_of(root, 0);
  ck_assert_double_eq(number_in(parameter(item, "chip.cores"), "value"), 32);
  ck_assert_double_eq(number_in(parameter(item, "model.relu_mask_bytes"), "value"), 0.125);
  ck_assert(
      cJSON_IsFalse(cJSON_GetObjectItem(parameter(item, "array.unroll_kernel_on_rows"), "value")));
  ck_assert_str_eq(text_in(parameter(item, "chip.interconnect"), "value"), "ring");
  ck_assert_str_eq(text_in(parameter(item, "system.topology"), "value"), "torus_2d");
  ck_assert_str_eq(text_in(parameter(item, "core.frequency_GHz"), "source"),
                   dsm_system_note(system, "core.frequency_GHz"));
  cJSON_Delete(root);
  dsm_system_free(system);
}
END_TEST

/* A system as users write one: with one note, one value of their own, and the rest by default. */
static dsm_system *parse_own_system(void) {
  static const char own[] =
      "{ \"format\": \"dsm-system/1\", \"name\": \"own\", \"array\": { \"columns\": 12 },\n"
      "  \"core\": { \"frequency_GHz\": 1, \"scratchpad_MiB\": 1,"
      "    \"scratchpad_bandwidth_GBps\": 64 },\n"
      "  \"chip\": { \"cores\": 4, \"interconnect\": \"ring\","
      "    \"core_link_bandwidth_GBps\": 64,\n"
      "    \"memory\": { \"capacity_GB\": 1, \"bandwidth_GBps\": 64 } },\n"
      "  \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 2, \"chips_y\": 2,\n"
      "    \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 },\n"
      "  \"model\": { \"exact_rotation\": true, \"dysm_uniform\": false },\n"
      "  \"notes\": { \"chip.cores\": \"data sheet, \\u001bpage 3\" } }\n";
  dsm_system *system = NULL;
  ck_assert_int_eq(dsm_system_parse(&system, own, strlen(own), "own", NULL, 0, NULL), DSM_OK);
  return system;
}

/* What is said of a parameter; default NULL: it is required. */
static const struct {
  const char *path, *unit, *fallback, *source;
} origins[] = {
    {"chip.cores", "cores", NULL, "data sheet, \033page 3"},
    {"core.frequency_GHz", "GHz", NULL, "given"},
    {"array.columns", "PEs", "8", "given"},
    {"array.rows", "PEs", "16", "(default) assumption, as pe.simd_macs"},
    {"model.exact_rotation", "flag", "false", "assumption, the description does not say why"},
    {"model.dysm_uniform", "flag", "false", "given"}, /* though it is the default */
    {"model.dysm_accumulate_in_memory", "flag", "true",
     "(default) assumption: partial gradients are re-read from memory from the second spatial "
     "minibatch on"},
    {"model.layout_move", "word", "none",
     "(default) assumption: any core split finds a held tensor where it is"},
    {"model.relu_mask_bytes", "bytes/element", "0.125", "(default) assumption: one bit"},
};

START_TEST(test_a_parameter_has_unit_default_and_source) {
  dsm_system *const system = parse_own_system();
  const dsm_described item = {.file = "own", .system = system};
  cJSON *const root = describe(&item, 1);
  const cJSON *const entry = parameter(item_of(root, 0), origins[_i].path);
  ck_assert_str_eq(text_in(entry, "unit"), origins[_i].unit);
  ck_assert_str_eq(text_in(entry, "source"), origins[_i].source);
  const cJSON *const fallback = cJSON_GetObjectItem(entry, "default");
  ck_assert_int_eq(fallback != NULL, origins[_i].fallback != NULL);
  if (fallback != NULL) {
    char *const text = cJSON_PrintUnformatted(fallback);
    const char *const quote = cJSON_IsString(fallback) ? "\"" : "";
    char expected[64];
    snprintf(expected, sizeof expected, "%s%s%s", quote, origins[_i].fallback, quote);
    ck_assert_str_eq(text, expected);
    cJSON_free(text);
  }
  cJSON_Delete(root);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_the_csv_says_the_same_of_a_parameter) {
  dsm_system *const system = parse_own_system();
  const dsm_described item = {.file = "own", .system = system};
  char *const text = as_csv(DSM_ANSWERS(description, &item, 1));
  csv_table table = csv_read(text);
  size_t row = 0;
  while (strcmp(csv_at(&table, row, "path"), origins[_i].path) != 0) {
    row++;
  }
  ck_assert_str_eq(csv_at(&table, row, "unit"), origins[_i].unit);
  const char *const escape = strchr(origins[_i].source, '\033');
  if (escape == NULL) {
    ck_assert_str_eq(csv_at(&table, row, "source"), origins[_i].source);
  } else { /* a terminal may show it */
    ck_assert_str_eq(csv_at(&table, row, "source"), "data sheet, \xEF\xBF\xBDpage 3");
  }
  ck_assert_str_eq(csv_at(&table, row, "default"),
                   origins[_i].fallback == NULL ? "" : origins[_i].fallback);
  ck_assert_str_eq(csv_at(&table, row, "layer"), "");
  csv_free(&table);
  free(text);
  dsm_system_free(system);
}
END_TEST

/* Sources stand below at 80 columns, beside at 200; none steers the terminal. */
START_TEST(test_the_table_shows_units_defaults_and_sources) {
  dsm_system *const system = parse_own_system();
  const dsm_described item = {.file = "own", .system = system};
  char *const narrow = as_table(DSM_ANSWERS(description, &item, 1), plain_style(80));
  ck_assert_ptr_nonnull(strstr(narrow, "\nparameter                         value     unit"));
  ck_assert_ptr_nonnull(strstr(
      narrow, "\nchip.cores                        4         cores                 required\n"
              "    data sheet, ?page 3\n"));
  ck_assert_ptr_nonnull(strstr(narrow, "\narray.columns                     12        PEs         "
                                       "          8\n    given\n"));
  free(narrow);
  char *const wide = as_table(DSM_ANSWERS(description, &item, 1), plain_style(200));
  ck_assert_ptr_nonnull(
      strstr(wide, "\narray.columns                     12        PEs                   8         "
                   "given\n"));
  free(wide);
  dsm_system_free(system);
}
END_TEST

/* ---- plans ---- */

START_TEST(test_a_plan_is_described_with_both_and_its_result) {
  subject made = subject_explore(&(exploration){"raider", "torus16", "64", DSM_MODE_INFERENCE});
  cJSON *const root = describe(&(dsm_described){.file = "p.json", .plan = made.plan}, 1);
  const cJSON *const item = item_of(root, 0);
  const cJSON *const result = cJSON_GetObjectItem(item, "result");
  ck_assert_str_eq(text_in(item, "kind"), "plan");
  ck_assert_str_eq(text_in(item, "name"), "raider");
  ck_assert_str_eq(text_in(item, "system"), "torus16");
  ck_assert_str_eq(text_in(item, "mode"), "inference");
  ck_assert_double_eq(number_in(result, "step_cycles"), made.plan->result.step_cycles);
  ck_assert_double_eq(number_in(result, "step_seconds"), made.plan->result.step_seconds);
  ck_assert_double_eq(number_in(result, "samples_per_second"),
                      made.plan->result.samples_per_second);
  ck_assert_double_eq(number_in(result, "utilization"), made.plan->result.utilization);
  ck_assert(cJSON_HasObjectItem(item, "layers"));
  ck_assert(cJSON_HasObjectItem(item, "peak_flops"));
  cJSON_Delete(root);
  subject_free(&made);
}
END_TEST

/* ---- servers and profiles ---- */

START_TEST(test_devices_of_servers_and_profiles_are_described) {
  static const dsm_device devices[] = {{.name = "a",
                                        .kind = DSM_DEVICE_FPGA,
                                        .is_accelerator = true,
                                        .memory_bytes = 2e9,
                                        .link_bytes_per_second = HUGE_VAL,
                                        .fpga = {.clock_hertz = 1e8,
                                                 .multipliers = 10,
                                                 .initiation_interval_cycles = 2,
                                                 .instances = 3}},
                                       {.name = "b",
                                        .kind = DSM_DEVICE_TIMES,
                                        .memory_bytes = HUGE_VAL,
                                        .link_bytes_per_second = 5,
                                        .has_power = true,
                                        .busy_watts = 7,
                                        .idle_watts = 1}};
  const dsm_server server = {.name = "two", .devices = devices, .device_count = 2};
  static const dsm_task tasks[] = {{.name = "t", .weights_bytes = 5},
                                   {.name = "u", .weights_bytes = 6}};
  static const dsm_instance_device places[] = {
      {.name = "a", .memory_bytes = 10, .link_bytes_per_second = HUGE_VAL}};
  static const double seconds[] = {0.5, HUGE_VAL};
  const dsm_instance profile = {.name = "p",
                                .tasks = tasks,
                                .task_count = 2,
                                .devices = places,
                                .device_count = 1,
                                .seconds = seconds};
  const dsm_described both[] = {{.file = "s", .server = &server},
                                {.file = "p", .profile = &profile}};
  cJSON *const root = describe(both, 2);
  const cJSON *const list = cJSON_GetObjectItem(item_of(root, 0), "devices");
  const cJSON *const fpga = cJSON_GetArrayItem(list, 0);
  const cJSON *const given = cJSON_GetArrayItem(list, 1);
  ck_assert_str_eq(text_in(item_of(root, 0), "kind"), "server");
  ck_assert_str_eq(text_in(fpga, "kind"), "fpga");
  ck_assert_double_eq(number_in(fpga, "peak_flops"), 2.0 * 10 * 3 * 1e8 / 2);
  ck_assert(cJSON_IsNull(cJSON_GetObjectItem(fpga, "link_bytes_per_second")));
  ck_assert(!cJSON_HasObjectItem(fpga, "busy_watts"));
  ck_assert(!cJSON_HasObjectItem(given, "peak_flops"));
  ck_assert_double_eq(number_in(given, "idle_watts"), 1);
  ck_assert_double_eq(number_in(item_of(root, 1), "weights_bytes"), 11);
  const cJSON *const place =
      cJSON_GetArrayItem(cJSON_GetObjectItem(item_of(root, 1), "devices"), 0);
  ck_assert_double_eq(number_in(place, "runs_tasks"), 1);
  cJSON_Delete(root);
}
END_TEST

/* ---- several, in all forms ---- */

static dsm_described items[3];
static subject made;

static void set_up(void) {
  made = subject_explore(&(exploration){"gnmt", "torus64", "256", DSM_MODE_TRAINING});
  items[0] = (dsm_described){.file = "w", .workload = made.workload};
  items[1] = (dsm_described){.file = "s,1", .system = made.system};
  items[2] = (dsm_described){.file = "p", .plan = made.plan};
}

static void tear_down(void) {
  subject_free(&made);
}

START_TEST(test_csv_has_a_row_for_each_layer_and_parameter) {
  static const char *const titles[] = {"file",
                                       "kind",
                                       "name",
                                       "layer",
                                       "type",
                                       "parameters",
                                       "macs_forward_per_sample",
                                       "activation_bytes_per_sample",
                                       "peak_flops",
                                       "machine_balance",
                                       "path",
                                       "value",
                                       "unit",
                                       "default",
                                       "source",
                                       NULL};
  char *const text = as_csv(DSM_ANSWERS(description, items, 3));
  expect_tidy(text);
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  const size_t layers = made.workload->spec_count;
  const size_t parameters = dsm__parameters_of(made.system).count;
  ck_assert_uint_eq(table.row_count, 2 * (layers + parameters));
  ck_assert_str_eq(csv_at(&table, 0, "file"), "w");
  ck_assert_str_eq(csv_at(&table, 0, "layer"), made.workload->specs[0].name);
  ck_assert_str_eq(csv_at(&table, 0, "peak_flops"), "");
  ck_assert_str_eq(csv_at(&table, layers, "file"), "s,1");
  ck_assert_str_eq(csv_at(&table, layers, "kind"), "system");
  ck_assert_str_eq(csv_at(&table, layers, "layer"), "");
  ck_assert_double_eq(csv_number_at(&table, layers, "peak_flops"), 8.388608e15);
  ck_assert_str_eq(csv_at(&table, layers, "path"), dsm__parameters[0].path);
  const size_t plan = layers + parameters;
  ck_assert_str_eq(csv_at(&table, plan, "kind"), "plan");
  ck_assert_str_eq(csv_at(&table, plan, "layer"), made.workload->specs[0].name);
  ck_assert_str_eq(csv_at(&table, plan, "path"), "");
  ck_assert_double_eq(csv_number_at(&table, plan, "peak_flops"), 8.388608e15);
  ck_assert_str_eq(csv_at(&table, plan + layers, "layer"), "");
  ck_assert_str_eq(csv_at(&table, plan + layers, "path"), dsm__parameters[0].path);
  csv_free(&table);
  free(text);
}
END_TEST

START_TEST(test_a_bidirectional_lstm_is_one_layer_of_twice_the_work) {
  cJSON *const root = describe(items, 3);
  const cJSON *const layer = cJSON_GetArrayItem(cJSON_GetObjectItem(item_of(root, 0), "layers"), 0);
  ck_assert_str_eq(text_in(layer, "name"), "enc0");
  /* 2 directions x 4 gates x 1024 hidden x (1024 + 1024) inputs, over 128 timesteps */
  ck_assert_double_eq(number_in(layer, "parameters"), 16777216);
  ck_assert_double_eq(number_in(layer, "macs_forward_per_sample"), 16777216.0 * 128);
  cJSON_Delete(root);
}
END_TEST

START_TEST(test_no_line_is_wider_than_the_page) {
  for (size_t width = 40; width <= 200; width++) {
    char *const text = as_table(DSM_ANSWERS(description, items, 3), plain_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
}
END_TEST

START_TEST(test_colour_adds_only_escapes) {
  expect_same_without_color(
      as_table(DSM_ANSWERS(description, items, 3), (dsm_table_style){.width = 80, .color = true}),
      as_table(DSM_ANSWERS(description, items, 3), plain_style(80)));
}
END_TEST

Suite *suite_description(void) {
  Suite *const suite = suite_create("description");
  TCase *const workloads = tcase_create("workloads");
  tcase_add_loop_test(workloads, test_parameters_are_as_published, 0, COUNT_OF(published));
  tcase_add_loop_test(workloads, test_layers_add_up_to_the_totals, 0, COUNT_OF(networks));
  tcase_add_test(workloads, test_a_layer_is_described_as_by_hand);
  tcase_add_loop_test(workloads, test_the_table_shows_what_the_json_holds, 0, COUNT_OF(networks));
  tcase_add_loop_test(workloads, test_folded_rows_add_up_to_the_totals, 0, COUNT_OF(networks));
  tcase_add_test(workloads, test_one_is_singular);
  tcase_add_test(workloads, test_kernels_show_stride_and_groups);
  suite_add_tcase(suite, workloads);
  TCase *const others = tcase_create("systems and plans");
  tcase_add_test(others, test_a_system_is_described_as_by_hand);
  tcase_add_test(others, test_parameters_of_each_kind_have_their_values);
  tcase_add_loop_test(others, test_a_parameter_has_unit_default_and_source, 0, COUNT_OF(origins));
  tcase_add_loop_test(others, test_the_csv_says_the_same_of_a_parameter, 0, COUNT_OF(origins));
  tcase_add_test(others, test_the_table_shows_units_defaults_and_sources);
  tcase_add_test(others, test_a_plan_is_described_with_both_and_its_result);
  tcase_add_test(others, test_devices_of_servers_and_profiles_are_described);
  suite_add_tcase(suite, others);
  TCase *const several = tcase_create("several");
  tcase_add_checked_fixture(several, set_up, tear_down);
  tcase_set_timeout(several, 60);
  tcase_add_test(several, test_csv_has_a_row_for_each_layer_and_parameter);
  tcase_add_test(several, test_a_bidirectional_lstm_is_one_layer_of_twice_the_work);
  tcase_add_test(several, test_no_line_is_wider_than_the_page);
  tcase_add_test(several, test_colour_adds_only_escapes);
  suite_add_tcase(suite, several);
  return suite;
}
