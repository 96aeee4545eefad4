/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "dsm/import.h"
#include "dsm/workload.h"
#include "import/small_model.h"

static const char *const model = (const char *)small_model;

/* The small model with its findings. */
typedef struct outcome {
  char *text;
  size_t length;
  dsm_status status;
  dsm_diags *diags;
} outcome;

static outcome import_small(const dsm_import_options *options) {
  outcome made = {.diags = dsm_diags_new(20)};
  made.status = dsm_import_text(&made.text, &made.length, model, sizeof small_model, "m.onnx",
                                options, made.diags);
  return made;
}

static void discard(outcome *made) {
  free(made->text);
  dsm_diags_free(made->diags);
}

START_TEST(formats_have_words) {
  for (dsm_import_format f = 0; f < DSM_IMPORT_FORMAT_COUNT; f++) {
    dsm_import_format read = DSM_IMPORT_FORMAT_COUNT;
    ck_assert(dsm_import_format_parse(dsm_import_format_name(f), &read));
    ck_assert(read == f);
    ck_assert_uint_gt(strlen(dsm_import_format_help(f)), 0);
  }
  dsm_import_format none;
  ck_assert(!dsm_import_format_parse("nothing", &none));
}
END_TEST

START_TEST(formats_are_recognised_by_what_files_hold) {
  static const char json[] = "{\"format\": \"dsm-workload/1\"}";
  ck_assert(dsm_import_recognise(model, sizeof small_model, NULL) == DSM_IMPORT_ONNX);
  ck_assert(dsm_import_recognise(model, sizeof small_model - 1, NULL) == DSM_IMPORT_FORMAT_COUNT);
  ck_assert(dsm_import_recognise(model, sizeof small_model - 1, "m.onnx") == DSM_IMPORT_ONNX);
  ck_assert(dsm_import_recognise(json, sizeof json - 1, "w.json") == DSM_IMPORT_FORMAT_COUNT);
  ck_assert(dsm_import_recognise("", 0, NULL) == DSM_IMPORT_FORMAT_COUNT);
}
END_TEST

START_TEST(documents_are_recognised_by_their_own_members) {
  static const struct {
    const char *text;
    bool is_config;
  } cases[] = {
      {" \n{\"model_type\": 1}", true},
      {"{\"a\": \"\\\"}\", \"b\": [{}, [1]], \"model_type\" \t: \"x", true},
      {"{\"model_type\"", false},
      {"{\"model_type\", 1}", false},
      {"{\"a\": \"model_type\"}", false},
      {"{\"a\": {\"model_type\": 1}}", false},
      {"[{\"model_type\": 1}]", false},
      {"{} {\"model_type\": 1}", false},
      {"{\"format\": \"dsm-workload/1\", \"model_type\": 1}", false},
      {"{\"model_type\\", false},
      {"{\"", false},
      {"{", false},
  };
  const char *const text = cases[_i].text;
  const dsm_import_format found = dsm_import_recognise(text, strlen(text), "config.json");
  ck_assert(found == (cases[_i].is_config ? DSM_IMPORT_HUB_CONFIG : DSM_IMPORT_FORMAT_COUNT));
}
END_TEST

START_TEST(a_model_becomes_a_workload) {
  outcome made = import_small(NULL);
  dsm_workload *workload = NULL;
  ck_assert(made.status == DSM_OK);
  ck_assert_uint_eq(made.length, strlen(made.text));
  ck_assert_uint_eq(dsm_diags_count(made.diags), 1);
  const dsm_diag *const note = dsm_diags_get(made.diags, 0);
  ck_assert(note->severity == DSM_SEVERITY_NOTE);
  ck_assert_str_eq(note->path, "node \"l\" (LRN)");
  ck_assert_uint_eq(note->line, 0);
  ck_assert(dsm_workload_parse(&workload, made.text, made.length, "w", NULL, 0, NULL) == DSM_OK);
  ck_assert_str_eq(workload->name, "m");
  ck_assert_uint_eq(workload->minibatch, 1);
  ck_assert_uint_eq(workload->layer_count, 3);
  /* 8 x 8 positions of 3 x 4 features and 9 weights, then of 4 x 2; 6 x 5. */
  ck_assert_uint_eq(workload->forward_macs, 64 * 12 * 9 + 64 * 8 + 30);
  ck_assert_uint_eq(workload->weights, 12 * 9 + 8 + 30);
  dsm_workload_free(workload);
  discard(&made);
}
END_TEST

START_TEST(options_say_what_the_file_does_not) {
  const dsm_import_dimension sizes[] = {{"a", 3}, {"b", 16}};
  dsm_import_options options;
  dsm_import_options_init(&options);
  options.dimensions = sizes;
  options.dimension_count = 2;
  outcome made = import_small(&options);
  ck_assert_ptr_nonnull(strstr(made.text, "\"minibatch\": 16"));
  discard(&made);
  options.minibatch = 5;
  made = import_small(&options);
  ck_assert_ptr_nonnull(strstr(made.text, "\"minibatch\": 5,"));
  discard(&made);
  options.is_strict = true;
  made = import_small(&options);
  ck_assert(made.status == DSM_ERROR_INVALID);
  ck_assert_ptr_null(made.text);
  ck_assert(dsm_diags_get(made.diags, 0)->severity == DSM_SEVERITY_ERROR);
  discard(&made);
}
END_TEST

START_TEST(what_is_no_such_file_is_said) {
  char *text = NULL;
  size_t length = 1;
  ck_assert(dsm_import_text(&text, &length, "text", 4, "t.txt", NULL, NULL) == DSM_ERROR_INVALID);
  ck_assert_ptr_null(text);
  ck_assert_uint_eq(length, 0);
}
END_TEST

START_TEST(places_of_a_bare_document_have_labels) {
  dsm_diags *const diags = dsm_diags_new(10);
  dsm__json_doc *const doc = dsm__json_doc_bare("f", diags);
  const dsm__json_node place = dsm__json_labelled(doc, "row 3");
  const dsm__json_node member = dsm__json_member(&place, "in");
  const dsm__json_node item = dsm__json_item(&member, 2);
  ck_assert(!dsm__json_is_present(&member) && !dsm__json_is_present(&item));
  dsm__json_error(&item, NULL, "one");
  dsm__json_error(&item, NULL, "the same");
  dsm__json_error(&place, NULL, "two");
  ck_assert_uint_eq(dsm_diags_count(diags), 2);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, "row 3");
  ck_assert_str_eq(dsm_diags_get(diags, 0)->file, "f");
  ck_assert_uint_eq(dsm_diags_get(diags, 0)->line, 0);
  ck_assert(dsm__json_doc_finish(doc) == DSM_ERROR_INVALID);
  dsm__json_doc_free(doc);
  dsm_diags_free(diags);
}
END_TEST

TCase *timings_tests(void); /* of files of profilers */

int main(void) {
  Suite *const suite = suite_create("import");
  TCase *const tests = tcase_create("import");
  tcase_add_test(tests, formats_have_words);
  tcase_add_test(tests, formats_are_recognised_by_what_files_hold);
  tcase_add_loop_test(tests, documents_are_recognised_by_their_own_members, 0, 12);
  tcase_add_test(tests, a_model_becomes_a_workload);
  tcase_add_test(tests, options_say_what_the_file_does_not);
  tcase_add_test(tests, what_is_no_such_file_is_said);
  tcase_add_test(tests, places_of_a_bare_document_have_labels);
  suite_add_tcase(suite, tests);
  suite_add_tcase(suite, timings_tests());
  SRunner *const runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
