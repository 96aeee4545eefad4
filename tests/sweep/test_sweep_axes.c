/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of axes: lists, ranges, texts of the command line. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "shelf.h"
#include "suites.h"

/* The column of the one axis that --vary makes. */
static const char *varied(const char *vary, const char *path) {
  const char *const workloads[] = {"net"};
  const char *const systems[] = {"one"};
  const dsm_sweep_request request = {.workloads = workloads,
                                     .workload_count = 1,
                                     .systems = systems,
                                     .system_count = 1,
                                     .varies = &vary,
                                     .vary_count = 1};
  dsm_sweep *const sweep = sweep_of(NULL, &request);
  const char *const text = column_of(sweep, path);
  dsm_sweep_free(sweep);
  return text;
}

static void refused(const char *vary, const char *finding) {
  const char *const workloads[] = {"net"};
  const char *const systems[] = {"one"};
  const dsm_sweep_request request = {.workloads = workloads,
                                     .workload_count = 1,
                                     .systems = systems,
                                     .system_count = 1,
                                     .varies = &vary,
                                     .vary_count = 1};
  assert_refused(NULL, &request, DSM_ERROR_USAGE, finding);
}

typedef struct vary_case {
  const char *vary;
  const char *path;
  const char *expected;
} vary_case;

static const vary_case vary_cases[] = {
    {"workload.minibatch=256:2048:x2", "workload.minibatch", "256,512,1024,2048"},
    {"workload.minibatch=1:10:x3", "workload.minibatch", "1,3,9"},
    {"workload.minibatch=2048:256:x0.5", "workload.minibatch", "2048,1024,512,256"},
    {"workload.minibatch=1:9:+4", "workload.minibatch", "1,5,9"},
    {"workload.minibatch=9:1:-4", "workload.minibatch", "9,5,1"},
    {"workload.minibatch=7:7:+1", "workload.minibatch", "7"},
    {"workload.minibatch=1,2:4:+1,8", "workload.minibatch", "1,2,3,4,8"},
    {"system.core.frequency_GHz=0.1:1:+0.1", "system.core.frequency_GHz",
     "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"},
    {"system.core.frequency_GHz=1:2:x1.1", "system.core.frequency_GHz",
     "1,1.1,1.21,1.331,1.4641,1.61051,1.771561,1.9487171"},
    {"system.core.scratchpad_MiB=0.5,1,2.0,4e0", "system.core.scratchpad_MiB", "0.5,1,2,4"},
    {"workload.layers.c1.stride=[1,1],[2, 2]", "workload.layers.c1.stride", "[1,1],[2,2]"},
    {"system.model.exact_forks=true,false", "system.model.exact_forks", "true,false"},
    {"system.model.layout_move=none,\"always\"", "system.model.layout_move", "none,always"},
    {"workload=net,wide.json", "workload", "net,wide"},
    {"options.mode=training,inference", "options.mode", "training,inference"},
    {"options.optimize=none,reuse+hybrid,all,[]", "options.optimize", ""},
    {"options.optimize=none,reuse+hybrid,all,[\"dysm\",\"reuse\"]", "options.optimize",
     "none,hybrid+reuse,all,reuse+dysm"},
    {"options.optimize=shard+all,all+hybrid,[\"all\",\"stages\",\"accumulate\"]",
     "options.optimize", "all+shard,all,all+accumulate+stages"},
    {"options.optimize=everything", "options.optimize",
     "all+hoist+spatial+tensor+expert+accumulate+shard+recompute+stages+context"},
    {"options.parallelism=all,model+data", "options.parallelism", "all,data+model"},
    {"system.system.chips_x:system.system.chips_y=2:4,4:2", "system.system.chips_y", "4,2"},
    {"workload.minibatch:workload.source=4:\"a,b:c\",8:plain", "workload.source", "a,b:c,plain"},
};

START_TEST(vary_texts) {
  const vary_case *const each = &vary_cases[_i];
  if (each->expected[0] == '\0') {
    refused(each->vary,
            "--vary options.optimize: error: expected each value once, found none twice");
    return;
  }
  if (each->vary[0] == 'w' && each->vary[8] == '=') {
    const char *const systems[] = {"one"};
    const dsm_sweep_request request = {
        .systems = systems, .system_count = 1, .varies = &each->vary, .vary_count = 1};
    dsm_sweep *const sweep = sweep_of(NULL, &request);
    ck_assert_str_eq(column_of(sweep, each->path), each->expected);
    dsm_sweep_free(sweep);
    return;
  }
  ck_assert_str_eq(varied(each->vary, each->path), each->expected);
}
END_TEST

typedef struct refused_case {
  const char *vary;
  const char *finding;
} refused_case;

static const refused_case refused_cases[] = {
    {"workload.minibatch", "--vary: error: expected PATH=VALUES, found \"workload.minibatch\""},
    {"=3", "--vary: error: expected PATH=VALUES, found \"=3\""},
    {"sytem=one",
     "--vary sytem: error: expected workload, system, workload.PATH, system.PATH or an option such "
     "as options.mode, found \"sytem\" (did you mean \"system\"?)"},
    {"workload.minibatch=",
     "--vary workload.minibatch: error: expected a value, found nothing (an empty text is \"\" in "
     "quotes)"},
    {"workload.minibatch=1,,2",
     "--vary workload.minibatch: error: expected a value, found nothing (an empty text is \"\" in "
     "quotes)"},
    {"workload.minibatch=1:8:2",
     "--vary workload.minibatch: error: expected a range FROM:TO:xFACTOR or FROM:TO:+STEP, found "
     "\"1:8:2\" (a text with a colon needs double quotes)"},
    {"workload.minibatch=8:1:x2",
     "--vary workload.minibatch: error: expected a range that rises to its end, as its step says, "
     "found from 8 to 1 with factor 2"},
    {"workload.minibatch=1:8:-1",
     "--vary workload.minibatch: error: expected a range that falls to its end, as its step says, "
     "found from 1 to 8 with step -1"},
    {"workload.minibatch=1:8:x1",
     "--vary workload.minibatch: error: expected a factor above 0 that is not 1, found from 1 to 8 "
     "with factor 1"},
    {"workload.minibatch=1:8:+0",
     "--vary workload.minibatch: error: expected a step that is not 0, found from 1 to 8 with step "
     "0"},
    {"workload.minibatch=0:8:x2",
     "--vary workload.minibatch: error: expected a geometric range from and to numbers above 0, "
     "found from 0 to 8 with factor 2"},
    {"workload.minibatch=1:1e9:+1",
     "--vary workload.minibatch: error: expected a range of at most 100000 values, found from 1 to "
     "1000000000 with step 1"},
    {"workload.minibatch=1,2,1.0",
     "--vary workload.minibatch: error: expected each value once, found 1 twice"},
    {"workload.layers.c1.stride=[1,1",
     "--vary workload.layers.c1.stride: error: expected \",\" or \"]\", found the end of the text "
     "(what begins like JSON must be JSON)"},
    {"workload.minibatc=4",
     "--vary workload.minibatc: error: no workload has workload.minibatc: unknown key \"minibatc\" "
     "(did you mean \"minibatch\"?)"},
    {"workload.layers.c2.out=4",
     "--vary workload.layers.c2.out: error: no workload has workload.layers.c2.out: expected an "
     "index below 2 or the name of an item, found \"c2\""},
    {"system.cor.frequency_GHz=4",
     "--vary system.cor.frequency_GHz: error: no system has system.cor.frequency_GHz: unknown key "
     "\"cor\" (did you mean \"core\"?)"},
    {"system.name.x=4",
     "--vary system.name.x: error: no system has system.name.x: expected an object or a list above "
     "\"x\", found string \"one\""},
    {"options.mode=train",
     "--vary options.mode: error: expected \"training\" or \"inference\", found \"train\""},
    {"options.optimize=hybird",
     "--vary options.optimize: error: expected \"none\" or different ones of all, everything, "
     "hybrid, "
     "reuse, dysm, pipeline, per_pass, preload, hoist, spatial, tensor, expert, accumulate, shard, "
     "recompute, stages, context, divide, found \"hybird\" (did you "
     "mean "
     "\"hybrid\"?)"},
    {"options.optimize=preload,none",
     "--vary options.optimize: error: expected optimizations of a mode that is swept, found "
     "preload, which only inference has"},
    {"options.parallelism=none",
     "--vary options.parallelism: error: expected \"all\" or different ones of data, model, "
     "data_x_model_y, model_x_data_y, data_x_data_y_model_z, model_x_model_y_data_z, "
     "data_x_model_y_data_z, model_x_data_y_data_z, found \"none\""},
    {"workload.minibatch:system.pe.simd_macs=1:2,3",
     "--vary workload.minibatch:system.pe.simd_macs: error: expected 2 values joined by colons, "
     "found \"3\""},
    {"workload.minibatch:workload.minibatch=1:2",
     "--vary workload.minibatch:workload.minibatch: error: expected one axis a path, found "
     "workload.minibatch a second time"},
};

START_TEST(vary_texts_refused) {
  refused(refused_cases[_i].vary, refused_cases[_i].finding);
}
END_TEST

#define CORE                                                                                       \
  "{\"path\": \"system.core\", \"values\": [{\"frequency_GHz\": 1, \"scratchpad_MiB\": 8, "        \
  "\"scratchpad_bandwidth_GBps\": 128, \"sfu_ops_per_cycle\": 16}]}"
#define SCRATCHPAD "{\"path\": \"system.core.scratchpad_MiB\", \"values\": [1, 2]}"

#define PART_FIRST                                                                                 \
  "expected system.core before its part system.core.scratchpad_MiB, whose value it would replace " \
  "(leave one out, or make the part a later axis)"

/* A part may change after the whole, not before it, where its value would have no effect. */
START_TEST(parts_come_after_wholes) {
  dsm_sweep *const sweep = sweep_of(SPEC("\"axes\": [" CORE ", " SCRATCHPAD "]"), NULL);
  ck_assert_uint_eq(sweep->point_count, 2);
  dsm_sweep_free(sweep);
  assert_refused(SPEC("\"axes\": [" SCRATCHPAD ", " CORE "]"), NULL, DSM_ERROR_INVALID,
                 "dir/study.json:1:136: $.axes[1].path: error: " PART_FIRST);
  assert_refused(SPEC("\"set\": {\"system.core.scratchpad_MiB\": 4}, \"axes\": [" CORE "]"), NULL,
                 DSM_ERROR_INVALID, "dir/study.json:1:120: $.axes[0].path: error: " PART_FIRST);
}
END_TEST

typedef struct alias_case {
  const char *members;
  const char *finding; /* NULL: good */
} alias_case;

#define AXIS(path, values) "{\"path\": \"" path "\", \"values\": [" values "]}"
#define SECOND "error: expected one axis a value, found a second: "

static const alias_case alias_cases[] = {
    {"\"axes\": [" AXIS("workload.layers.c1.out", "4, 8") ", " AXIS("workload.layers.0.out",
                                                                    "2") "]",
     "dir/study.json:1:132: $.axes[1].path: " SECOND
     "workload.layers.0.out and workload.layers.c1.out are the same value in net (leave one of "
     "them "
     "out)"},
    {"\"axes\": [{\"paths\": [\"workload.layers.0.out\", \"workload.layers.c1.out\"], \"values\": "
     "[[2, 4]]}]",
     "dir/study.json:1:113: $.axes[0].paths[1]: " SECOND
     "workload.layers.c1.out and workload.layers.0.out are the same value in net (leave one of "
     "them "
     "out)"},
    {"\"set\": {\"workload.layers.1.out\": 4}, \"axes\": [" AXIS("workload.layers.fc.out", "2") "]",
     "dir/study.json:1:76: $.set[\"workload.layers.1.out\"]: error: expected an axis or a value "
     "for "
     "all points, found both: workload.layers.fc.out and workload.layers.1.out are the same value "
     "in net (leave one of them out)"},
    {"\"axes\": [" AXIS("workload.layers.c1.out", "4") ", " AXIS(
         "workload.layers.0", "{\"name\": \"c1\", \"type\": \"fc\", \"in\": 3, \"out\": 5}") "]",
     "dir/study.json:1:129: $.axes[1].path: error: expected workload.layers.0 before "
     "workload.layers.c1.out, which in net is a part of it, and whose value it would replace "
     "(leave "
     "one out, or make the part a later axis)"},
    {"\"set\": {\"workload.layers.1.name\": \"last\"}, \"axes\": [" AXIS(
         "workload.layers.1.out", "2") ", " AXIS("workload.layers.last.out", "3") "]",
     "dir/study.json:1:171: $.axes[1].path: " SECOND
     "workload.layers.last.out and workload.layers.1.out are the same value in net (leave one of "
     "them out)"},
    {"\"axes\": [" AXIS("workload.layers.0.out", "4, 8") ", " AXIS("workload.layers.fc.out",
                                                                   "2") "]",
     NULL},
    {"\"set\": {\"workload.layers.0\": {\"name\": \"c1\", \"type\": \"fc\", \"in\": 3, \"out\": "
     "5}}, "
     "\"axes\": [" AXIS("workload.layers.c1.out", "2, 512") "]",
     NULL},
};

START_TEST(a_value_under_two_names) {
  const alias_case *const each = &alias_cases[_i];
  char text[1024];
  (void)snprintf(text, sizeof text, SPEC("%s"), each->members);
  if (each->finding == NULL) {
    dsm_sweep_free(sweep_of(text, NULL));
  } else {
    assert_refused(text, NULL, DSM_ERROR_INVALID, each->finding);
  }
}
END_TEST

START_TEST(ranges_of_a_specification) {
  dsm_sweep *const sweep = sweep_of(
      SPEC("\"axes\": [{\"path\": \"workload.minibatch\", \"range\": {\"from\": 4, \"to\": 16, "
           "\"factor\": 2}}, {\"path\": \"system.core.frequency_GHz\", \"range\": {\"from\": 1, "
           "\"to\": 2, \"step\": 0.7}}]"),
      NULL);
  ck_assert_str_eq(column_of(sweep, "workload.minibatch"), "4,4,8,8,16,16");
  ck_assert_str_eq(column_of(sweep, "system.core.frequency_GHz"), "1,1.7,1,1.7,1,1.7");
  dsm_sweep_free(sweep);
}
END_TEST

/* A value of 2^53 - 1 is reached without rounding, and so are all whole numbers on the way. */
START_TEST(whole_numbers_stay_exact) {
  const char *const vary = "workload.minibatch=1,9007199254740981:9007199254740991:+5";
  const dsm_sweep_request request = {.varies = &vary, .vary_count = 1};
  dsm_sweep *const sweep = sweep_of(SPEC("\"axes\": []"), &request);
  ck_assert_uint_eq(sweep->point_count, 4); /* the first one is valid */
  for (size_t p = 1; p < 4; p++) {
    const double expected = 9007199254740981.0 + 5.0 * (double)(p - 1);
    ck_assert(dsm_sweep_value(sweep, p, 2)->number >= expected);
    ck_assert(dsm_sweep_value(sweep, p, 2)->number <= expected);
  }
  dsm_sweep_free(sweep);
}
END_TEST

START_TEST(folders) {
  dsm_sweep *sweep = NULL;
  const char text[] = "{\"format\": \"dsm-sweep/1\", \"systems\": [\"one\"], \"axes\": [{\"path\": "
                      "\"workload\", \"folder\": \"tests\"}]}";
  dsm_diags *const diags = dsm_diags_new(5);
  /* It has folders, but no files *.json. */
  ck_assert_int_eq(
      dsm_sweep_make(&sweep, text, sizeof text - 1, "s.json", DSM_SOURCE_DIR, NULL, &shelf, diags),
      DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, "$.axes[0].folder");
  dsm_diags_free(diags);
  assert_refused(SPEC("\"axes\": [{\"path\": \"workload.minibatch\", \"folder\": \".\"}]"), NULL,
                 DSM_ERROR_INVALID,
                 "dir/study.json:1:108: $.axes[0].folder: error: expected a folder only for the "
                 "path workload or system, found it for workload.minibatch");
  char *const missing = findings_of(
      "{\"format\": \"dsm-sweep/1\", \"systems\": [\"one\"], \"axes\": [{\"path\": \"workload\", "
      "\"folder\": \"nowhere\"}]}",
      NULL, DSM_ERROR_IO);
  ck_assert_str_eq(missing,
                   "dir/nowhere: error: cannot read the folder: No such file or directory");
  free(missing);
}
END_TEST

static dsm_status read_file(void *context, const char *name, const char *folder,
                            dsm_description kind, char **text, size_t *length, char **file,
                            dsm_diags *diags) {
  (void)context;
  (void)kind;
  ck_assert_ptr_null(folder); /* the name of a file in a folder needs no looking up */
  char *const copy = calloc(1, 4096);
  (void)snprintf(copy, 4096, "%s", name);
  *file = copy;
  return dsm_file_read(text, length, name, diags);
}

START_TEST(folders_in_bytewise_order) {
  const dsm_sweep_source files = {.read = read_file};
  const char *const varies[] = {"system=" DSM_SOURCE_DIR "/systems/",
                                "workload=" DSM_SOURCE_DIR "/workloads/vgg16.json"};
  const dsm_sweep_request request = {.varies = varies, .vary_count = 2};
  dsm_sweep *sweep = NULL;
  ck_assert_int_eq(dsm_sweep_make(&sweep, NULL, 0, NULL, NULL, &request, &files, NULL), DSM_OK);
  ck_assert_uint_ge(sweep->point_count, 5);
  ck_assert_str_eq(dsm_sweep_value(sweep, 0, 1)->text, "a100");
  ck_assert_str_eq(dsm_sweep_value(sweep, 3, 1)->text, "chip1");
  ck_assert_str_eq(dsm_sweep_value(sweep, 4, 1)->text, "dgx1_v100");
  ck_assert_str_eq(dsm_sweep_value(sweep, 5, 1)->text, "dgx2_v100");
  ck_assert_str_eq(dsm_sweep_value(sweep, 6, 1)->text, "dgx_a100"); /* '2' before '_' */
  dsm_sweep_free(sweep);
}
END_TEST

Suite *suite_sweep_axes(void) {
  Suite *const suite = suite_create("sweep_axes");
  TCase *const cases = tcase_create("all");
  tcase_add_loop_test(cases, vary_texts, 0, COUNT_OF(vary_cases));
  tcase_add_loop_test(cases, vary_texts_refused, 0, COUNT_OF(refused_cases));
  tcase_add_test(cases, parts_come_after_wholes);
  tcase_add_loop_test(cases, a_value_under_two_names, 0, COUNT_OF(alias_cases));
  tcase_add_test(cases, ranges_of_a_specification);
  tcase_add_test(cases, whole_numbers_stay_exact);
  tcase_add_test(cases, folders);
  tcase_add_test(cases, folders_in_bytewise_order);
  suite_add_tcase(suite, cases);
  return suite;
}
