/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Specifications and requests as a whole: names, inputs, order, findings, resolved form. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shelf.h"
#include "suites.h"

START_TEST(a_small_sweep) {
  dsm_sweep *const sweep = sweep_of(
      SPEC("\"source\": \"a test\", \"options\": {\"mode\": \"inference\", \"optimize\": "
           "[\"reuse\", \"preload\"], \"parallelism\": \"data+model\"}, \"set\": "
           "{\"workload.minibatch\": 16, \"workload.name\": \"my net\"}, \"axes\": [{\"path\": "
           "\"system.pe.simd_macs\", \"values\": [1, 2]}], \"record\": \"plans\""),
      NULL);
  ck_assert_str_eq(sweep->name, "study");
  ck_assert_str_eq(sweep->source, "a test");
  ck_assert_uint_eq(sweep->workload_count, 1);
  ck_assert_str_eq(sweep->workloads[0].name, "net");
  ck_assert_uint_eq(strlen(sweep->workloads[0].text), sweep->workloads[0].length);
  ck_assert_uint_eq(sweep->set_count, 2);
  ck_assert_str_eq(sweep->sets[0], "workload.minibatch=16");
  ck_assert_str_eq(sweep->sets[1], "workload.name=my net");
  ck_assert_int_eq(sweep->options.mode, DSM_MODE_INFERENCE);
  ck_assert_uint_eq(sweep->options.optimizations,
                    DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE) |
                        DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD));
  ck_assert_uint_eq(sweep->options.parallelisms, 3);
  ck_assert_int_eq(sweep->record, DSM_RECORD_PLANS);
  ck_assert_uint_eq(sweep->column_count, 3);
  ck_assert_str_eq(sweep->columns[0].path, "workload");
  ck_assert_str_eq(sweep->columns[1].path, "system");
  ck_assert_str_eq(column_of(sweep, "system.pe.simd_macs"), "1,2");
  dsm_sweep_free(sweep);
  dsm_sweep_free(NULL);
}
END_TEST

START_TEST(defaults) {
  const char *const names[] = {"net"};
  const char *const systems[] = {"one.json"};
  const dsm_sweep_request request = {
      .workloads = names, .workload_count = 1, .systems = systems, .system_count = 1};
  dsm_sweep *const sweep = sweep_of(NULL, &request);
  ck_assert_str_eq(sweep->name, "net-one");
  ck_assert_ptr_null(sweep->source);
  ck_assert_uint_eq(sweep->point_count, 1);
  ck_assert_int_eq(sweep->record, DSM_RECORD_LAYERS);
  ck_assert_int_eq(sweep->options.mode, DSM_MODE_TRAINING);
  ck_assert_uint_eq(sweep->options.optimizations, dsm_mode_optimizations(DSM_MODE_TRAINING));
  ck_assert_uint_eq(sweep->options.parallelisms, DSM_PARALLELISM_ALL);
  ck_assert_uint_eq(sweep->options.thread_count, 1);
  dsm_sweep_free(sweep);
}
END_TEST

/* What is the same but for spaces and the order of keys has the same text and digest. */
START_TEST(inputs_are_canonical) {
  const char text[] =
      "{\"format\": \"dsm-sweep/1\", \"systems\": [\"one\"], \"workloads\": [\"wide\", {\"name\": "
      "\"again\", \"description\": {\"layers\": [{\"out\": 64.0, \"in\": 6.4e1, \"type\": \"fc\", "
      "\"name\": \"f0\"}], \"minibatch\": 8, \"name\": \"wide\", \"format\": "
      "\"dsm-workload/1\"}}]}";
  dsm_sweep *const sweep = sweep_of(text, NULL);
  ck_assert_uint_eq(sweep->workload_count, 2);
  ck_assert_str_eq(sweep->workloads[0].text, sweep->workloads[1].text);
  ck_assert_str_eq(sweep->workloads[0].digest, sweep->workloads[1].digest);
  ck_assert_str_eq(sweep->workloads[0].text,
                   "{\"format\":\"dsm-workload/1\",\"layers\":[{\"in\":64,\"name\":\"f0\",\"out\":"
                   "64,\"type\":\"fc\"}],\"minibatch\":8,\"name\":\"wide\"}");
  ck_assert_str_eq(column_of(sweep, "workload"), "wide,again");
  dsm_sweep_free(sweep);
}
END_TEST

START_TEST(no_valid_point_is_an_error) {
  assert_refused(SPEC("\"axes\": [{\"path\": \"workload.minibatch\", \"values\": [0, -1]}, "
                      "{\"path\": \"system.pe.simd_macs\", \"values\": [1, 2, 4]}]"),
                 NULL, DSM_ERROR_INVALID,
                 "dir/study.json: error: no point is valid: point 0 and 5 more: workload "
                 "$.minibatch: expected a whole "
                 "number from 1 to 2147483647, found 0");
  assert_refused(SPEC("\"set\": {\"workload.minibatch\": 0}"), NULL, DSM_ERROR_INVALID,
                 "dir/study.json: error: no point is valid: point 0: workload $.minibatch: "
                 "expected a whole number from 1 "
                 "to 2147483647, found 0");
  assert_refused(SPEC("\"options\": {\"optimize\": \"none\", \"parallelism\": "
                      "\"data_x_model_y\"}"),
                 NULL, DSM_ERROR_INVALID,
                 "dir/study.json: error: no point is valid: point 0: expected options that leave a "
                 "parallelism, found none");
  dsm_sweep *const sweep = sweep_of(
      SPEC("\"axes\": [{\"path\": \"workload.minibatch\", \"values\": [0, -1, 1]}]"), NULL);
  ck_assert_uint_eq(sweep->point_count, 3);
  dsm_sweep_free(sweep);
}
END_TEST

static const char *const good_texts[] = {
    SPEC("\"axes\": []"),
    SPEC("\"set\": {\"workload.source\": \"3\", \"system.model.layout_move\": \"always\"}"),
    SPEC("\"options\": {\"optimize\": \"none\", \"parallelism\": [\"data\"]}"),
    SPEC("\"axes\": [{\"path\": \"options.mode\", \"values\": [\"inference\", \"training\"]}, "
         "{\"path\": \"options.optimize\", \"values\": [\"all\", \"preload\", \"per_pass\"]}, "
         "{\"path\": \"options.parallelism\", \"values\": [\"all\", [\"data\", \"model\"]]}]"),
    SPEC("\"axes\": [{\"paths\": [\"system.system.chips_x\", \"system.system.chips_y\"], "
         "\"values\": [[1, 4], [4, 1]]}, {\"path\": \"workload.source\", \"values\": [\"\", "
         "\"a\\nb\", \"4\", 4, null, [1, \"b\"], {\"b\": 1, \"a\": 2.50}]}], \"exclude\": "
         "[\"system.system.chips_x<system.system.chips_y,workload.source!=\\\"4\\\"\"]"),
    "{\"format\": \"dsm-sweep/1\", \"axes\": [{\"path\": \"system.pe.simd_macs\", \"values\": [1, "
    "2]}, {\"paths\": [\"workload\", \"system\"], \"values\": [[\"net\", \"one\"], [\"net\", "
    "\"two\"], [\"wide\", \"one\"]]}]}",
    "{\"format\": \"dsm-sweep/1\", \"axes\": [{\"path\": \"system\", \"values\": [\"one\"]}, "
    "{\"path\": \"workload\", \"values\": [\"net\", \"a/wide.json\"]}]}",
    "{\"format\": \"dsm-sweep/1\", \"name\": \"n\", \"systems\": [\"two\", \"one\"], \"axes\": "
    "[{\"path\": \"workload.minibatch\", \"range\": {\"from\": 1, \"to\": 3, \"factor\": 1.3}}, "
    "{\"path\": \"workload\", \"values\": [\"net\", \"wide\"]}]}",
};

static void assert_same_points(const dsm_sweep *a, const dsm_sweep *b) {
  ck_assert_uint_eq(a->point_count, b->point_count);
  ck_assert_uint_eq(a->column_count, b->column_count);
  for (size_t p = 0; p < a->point_count; p++) {
    ck_assert_uint_eq(a->products[p], b->products[p]);
    for (size_t c = 0; c < a->column_count; c++) {
      const dsm_axis_value *const x = dsm_sweep_value(a, p, c);
      const dsm_axis_value *const y = dsm_sweep_value(b, p, c);
      ck_assert_str_eq(a->columns[c].path, b->columns[c].path);
      ck_assert_str_eq(x->text, y->text);
      ck_assert_str_eq(x->json, y->json);
      ck_assert_int_eq(x->is_number, y->is_number);
      ck_assert_uint_eq(x->input, y->input);
    }
  }
}

START_TEST(resolved_makes_the_same) {
  dsm_sweep *const sweep = sweep_of(good_texts[_i], NULL);
  dsm_sweep *again = NULL;
  ck_assert_int_eq(dsm_sweep_make(&again, sweep->resolved, strlen(sweep->resolved), "x.sqlite",
                                  NULL, NULL, NULL, NULL),
                   DSM_OK);
  ck_assert_str_eq(again->resolved, sweep->resolved);
  ck_assert_str_eq(again->digest, sweep->digest);
  ck_assert_str_eq(again->name, sweep->name);
  ck_assert_uint_eq(again->set_count, sweep->set_count);
  for (size_t s = 0; s < sweep->set_count; s++) {
    ck_assert_str_eq(again->sets[s], sweep->sets[s]);
  }
  ck_assert_uint_eq(again->options.optimizations, sweep->options.optimizations);
  ck_assert_uint_eq(again->options.parallelisms, sweep->options.parallelisms);
  assert_same_points(sweep, again);
  dsm_sweep_free(again);
  dsm_sweep_free(sweep);
}
END_TEST

/* The command line adds to a specification, and replaces what it says too. */
START_TEST(request_over_specification) {
  const char *const workloads[] = {"wide"};
  const char *const varies[] = {"system.pe.simd_macs=4", "workload.minibatch=1,2"};
  const char *const sets[] = {"workload.source=here", "workload.source=there"};
  const char *const excludes[] = {"workload.minibatch = 1, system.array.rows = 4"};
  const dsm_mode mode = DSM_MODE_INFERENCE;
  const dsm_record record = DSM_RECORD_POINTS;
  const dsm_parallelism_set parallelisms = 1;
  const dsm_optimization_set optimizations = 0;
  const dsm_sweep_request request = {.workloads = workloads,
                                     .workload_count = 1,
                                     .varies = varies,
                                     .vary_count = 2,
                                     .sets = sets,
                                     .set_count = 2,
                                     .excludes = excludes,
                                     .exclude_count = 1,
                                     .mode = &mode,
                                     .record = &record,
                                     .parallelisms = &parallelisms,
                                     .optimizations = &optimizations};
  dsm_sweep *const sweep = sweep_of(
      SPEC("\"set\": {\"workload.source\": \"spec\"}, \"axes\": [{\"path\": "
           "\"system.pe.simd_macs\", \"values\": [1, 2]}, {\"path\": \"system.array.rows\", "
           "\"values\": [4, 8]}], \"options\": {\"mode\": \"training\"}"),
      &request);
  ck_assert_str_eq(column_of(sweep, "workload"), "wide,wide,wide");
  ck_assert_str_eq(column_of(sweep, "system.pe.simd_macs"), "4,4,4");
  ck_assert_str_eq(column_of(sweep, "system.array.rows"), "4,8,8");
  ck_assert_str_eq(column_of(sweep, "workload.minibatch"), "2,1,2");
  ck_assert_uint_eq(sweep->set_count, 1);
  ck_assert_str_eq(sweep->sets[0], "workload.source=there");
  ck_assert_int_eq(sweep->options.mode, DSM_MODE_INFERENCE);
  ck_assert_uint_eq(sweep->options.optimizations, 0);
  ck_assert_uint_eq(sweep->options.parallelisms, 1);
  ck_assert_int_eq(sweep->record, DSM_RECORD_POINTS);
  dsm_sweep_free(sweep);
}
END_TEST

START_TEST(vary_in_place_of_the_list) {
  const char *const varies[] = {"workload=wide,net"};
  const dsm_sweep_request request = {.varies = varies, .vary_count = 1};
  dsm_sweep *const sweep = sweep_of(SPEC("\"axes\": []"), &request);
  ck_assert_str_eq(column_of(sweep, "workload"), "wide,net");
  dsm_sweep_free(sweep);
}
END_TEST

typedef struct bad_case {
  dsm_status status;
  const char *text;
  const char *set; /* NULL: none */
  const char *finding;
} bad_case;

static const bad_case bad_cases[] = {
    {DSM_ERROR_USAGE, NULL, NULL,
     "error: expected at least one workload, found none\n"
     "error: expected at least one system, found none"},
    {DSM_ERROR_USAGE, SPEC("\"axes\": []"), "minibatch=3",
     "--set minibatch: error: expected workload.PATH or system.PATH, found \"minibatch\""},
    {DSM_ERROR_USAGE, SPEC("\"axes\": []"), "workload.minbatch=3",
     "--set workload.minbatch: error: no workload has workload.minbatch: unknown key \"minbatch\" "
     "(did you mean \"minibatch\"?)"},
    {DSM_ERROR_USAGE, SPEC("\"axes\": [{\"path\": \"workload.minibatch\", \"values\": [4]}]"),
     "workload.minibatch=3",
     "--set workload.minibatch: error: expected workload.minibatch as an axis or as a value for "
     "all "
     "points, found both (leave one of them out)"},
    {DSM_ERROR_IO,
     "{\"format\": \"dsm-sweep/1\", \"workloads\": [\"nothing\"], \"systems\": "
     "[\"one\"]}",
     NULL, "/nowhere/at/all: error: cannot open: No such file or directory"},
    {DSM_ERROR_INVALID,
     "{\"format\": \"dsm-sweep/1\", \"workloads\": [\"net\"], \"systems\": [\"broken\"]}", NULL,
     NULL},
    {DSM_ERROR_INVALID,
     "{\"format\": \"dsm-sweep/1\", \"workloads\": [\"net\", \"other/net\"], \"systems\": "
     "[\"one\"]}",
     NULL,
     "dir/study.json:1:48: $.workloads[1]: error: expected workloads with different names, found "
     "two that differ and are called net: net and other/net (columns and conditions know them by "
     "name)"},
    {DSM_ERROR_INVALID, SPEC("\"axes\": [{\"path\": \"workload\", \"values\": [\"wide\"]}]"), NULL,
     "dir/study.json:1:78: $.axes[0].path: error: expected one axis a path, found workload a "
     "second "
     "time (a list of workloads or systems is an axis too)"},
    {DSM_ERROR_INVALID,
     SPEC("\"options\": {\"mode\": \"training\"}, \"axes\": [{\"path\": \"options.mode\", "
          "\"values\": [\"inference\"]}]"),
     NULL,
     "dir/study.json:1:111: $.axes[0].path: error: expected options.mode as an axis or as an "
     "option for "
     "all points, found both (leave one of them out)"},
    {DSM_ERROR_INVALID, SPEC("\"options\": {\"optimize\": \"preload\"}"), NULL,
     "dir/study.json:1:80: $.options.optimize: error: expected optimizations of a mode that is "
     "swept, found preload, which only inference has"},
};

START_TEST(refused) {
  const bad_case *const each = &bad_cases[_i];
  const dsm_sweep_request request = {.sets = &each->set, .set_count = each->set != NULL};
  char *const findings = findings_of(each->text, &request, each->status);
  if (each->finding != NULL) {
    ck_assert_str_eq(findings, each->finding);
  }
  ck_assert(findings[0] != '\0');
  free(findings);
}
END_TEST

/* A path that only one input knows, and one that leads through what `set` makes, are known. */
START_TEST(paths_known_somewhere) {
  dsm_sweep *sweep = sweep_of("{\"format\": \"dsm-sweep/1\", \"workloads\": [\"net\", \"wide\"], "
                              "\"systems\": [\"one\"], \"axes\": [{\"path\": "
                              "\"workload.layers.f0.out\", \"values\": [4, 8]}]}",
                              NULL);
  ck_assert_uint_eq(sweep->point_count, 4);
  dsm_sweep_free(sweep);
  sweep = sweep_of(SPEC("\"set\": {\"workload.layers.c1.aux\": [{\"op\": \"bias\"}]}, \"axes\": "
                        "[{\"path\": \"workload.layers.c1.aux.0.op\", \"values\": [\"relu\"]}]"),
                   NULL);
  dsm_sweep_free(sweep);
}
END_TEST

typedef struct shard_case {
  const char *text;
  bool is_good;
  size_t index;
  size_t count;
} shard_case;

static const shard_case shard_cases[] = {
    {"1/1", true, 0, 1},        {"3/8", true, 2, 8},
    {"8/8", true, 7, 8},        {"0/8", false, 0, 0},
    {"9/8", false, 0, 0},       {"1/0", false, 0, 0},
    {"", false, 0, 0},          {"1", false, 0, 0},
    {"/", false, 0, 0},         {"1/2/3", false, 0, 0},
    {"-1/2", false, 0, 0},      {"1/ 2", false, 0, 0},
    {"+1/2", false, 0, 0},      {"1000000/1000000", true, 999999, 1000000},
    {"1/1000001", false, 0, 0}, {"0000000000000000000000000000001/2", false, 0, 0},
};

START_TEST(shards) {
  const shard_case *const each = &shard_cases[_i];
  dsm_shard shard = {.index = 77, .count = 77};
  ck_assert_int_eq(dsm_shard_parse(each->text, &shard), each->is_good);
  ck_assert_uint_eq(shard.index, each->is_good ? each->index : 77);
  ck_assert_uint_eq(shard.count, each->is_good ? each->count : 77);
}
END_TEST

START_TEST(names) {
  ck_assert_str_eq(dsm_record_name(DSM_RECORD_POINTS), "points");
  ck_assert_str_eq(dsm_record_name(DSM_RECORD_LAYERS), "layers");
  ck_assert_str_eq(dsm_record_name(DSM_RECORD_PLANS), "plans");
  ck_assert_str_eq(dsm_point_status_name(DSM_POINT_OK), "ok");
  ck_assert_str_eq(dsm_point_status_name(DSM_POINT_INFEASIBLE), "infeasible");
  ck_assert_str_eq(dsm_point_status_name(DSM_POINT_INVALID), "invalid");
}
END_TEST

Suite *suite_sweep_make(void) {
  Suite *const suite = suite_create("sweep_make");
  TCase *const cases = tcase_create("all");
  tcase_add_test(cases, a_small_sweep);
  tcase_add_test(cases, defaults);
  tcase_add_test(cases, no_valid_point_is_an_error);
  tcase_add_test(cases, inputs_are_canonical);
  tcase_add_loop_test(cases, resolved_makes_the_same, 0, COUNT_OF(good_texts));
  tcase_add_test(cases, request_over_specification);
  tcase_add_test(cases, vary_in_place_of_the_list);
  tcase_add_loop_test(cases, refused, 0, COUNT_OF(bad_cases));
  tcase_add_test(cases, paths_known_somewhere);
  tcase_add_loop_test(cases, shards, 0, COUNT_OF(shard_cases));
  tcase_add_test(cases, names);
  suite_add_tcase(suite, cases);
  return suite;
}
