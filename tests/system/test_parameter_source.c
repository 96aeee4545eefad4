/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of each parameter: unit, default, and where its value comes from. */
#include <string.h>

#include "machine_text.h"
#include "suites.h"
#include "system/system_internal.h"

static const dsm__parameter *parameter_of(const char *path) {
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (strcmp(dsm__parameters[p].path, path) == 0) {
      return &dsm__parameters[p];
    }
  }
  ck_abort_msg("no parameter %s", path);
  return NULL;
}

START_TEST(test_each_parameter_has_a_unit) {
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    ck_assert_msg(dsm__parameters[p].unit != NULL && dsm__parameters[p].unit[0] != '\0', "%s",
                  dsm__parameters[p].path);
  }
}
END_TEST

/* A required one has no default whose source could be told. */
START_TEST(test_each_default_has_a_source) {
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    ck_assert_msg((dsm__parameters[p].source == NULL) == dsm__parameters[p].is_required, "%s",
                  dsm__parameters[p].path);
  }
}
END_TEST

typedef struct source_case {
  const char *path;  /* looked at */
  const char *set;   /* a path that is set to the value; NULL: nothing is */
  const char *value; /* as a description has it */
  const char *source;
} source_case;

static const source_case sources[] = {
    /* a note, whatever the value */
    {"array.rows", "notes", "{\"array.rows\": \"data sheet\"}", "data sheet"},
    {"core.frequency_GHz", "notes", "{\"core.frequency_GHz\": \"\"}", ""},
    /* no note: the default */
    {"array.rows", NULL, NULL, "(default) assumption, as pe.simd_macs"},
    {"array.rows", "array.rows", "16", "given"}, /* though it is the default */
    {"array.startup_cycles", NULL, NULL,
     "(default) assumption: time to bring the first data in; no source"},
    {"model.exact_rotation", NULL, NULL,
     "(default) assumption: the last step of a rotation, back to where it began, is charged"},
    {"model.layout_move", NULL, NULL,
     "(default) assumption: any core split finds a held tensor where it is"},
    /* no note, another value */
    {"array.rows", "array.rows", "17", "given"},
    {"array.startup_cycles", "array.startup_cycles", "999.5", "given"},
    {"chip.memory.efficiency_ratio", "chip.memory.efficiency_ratio", "0.5", "given"},
    {"model.exact_rotation", "model.exact_rotation", "true",
     "assumption, the description does not say why"},
    {"model.layout_move", "model.layout_move", "always",
     "assumption, the description does not say why"},
    {"model.relu_mask_bytes", "model.relu_mask_bytes", "2",
     "assumption, the description does not say why"},
    /* required ones have no default */
    {"core.frequency_GHz", NULL, NULL, "given"},
    {"chip.interconnect", NULL, NULL, "given"},
};

START_TEST(test_a_value_is_never_without_a_source) {
  const source_case *const each = &sources[_i];
  outcome read = each->set == NULL ? read_minimal(NULL, 0) : read_with(each->set, each->value);
  ck_assert_int_eq(read.status, DSM_OK);
  dsm__arena *const arena = dsm__arena_new();
  ck_assert_ptr_nonnull(arena);
  ck_assert_str_eq(dsm__parameter_source(arena, parameter_of(each->path), read.system),
                   each->source);
  dsm__arena_free(arena);
  outcome_free(&read);
}
END_TEST

typedef struct text_case {
  const char *path;
  double number;
  const char *text;
} text_case;

static const text_case texts[] = {
    {"array.rows", 1048576, "1048576"},
    {"core.scratchpad_MiB", 0.1, "0.1"},
    {"array.startup_cycles", 1e9, "1000000000"},
    {"model.exact_forks", 0, "false"},
    {"model.exact_forks", 1, "true"},
    {"model.layout_move", 2, "exact"},
    {"chip.interconnect", 0, "ring"},
    {"system.topology", 0, "torus_2d"},
};

START_TEST(test_a_number_stands_for_what_a_description_has) {
  char text[DSM__NUMBER_TEXT_SIZE];
  const dsm__parameter *const parameter = parameter_of(texts[_i].path);
  ck_assert_str_eq(dsm__parameter_text(parameter, texts[_i].number, text), texts[_i].text);
  /* and is what is read from it */
  outcome read = read_with(texts[_i].path, texts[_i].text);
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_double_eq(dsm__parameter_number(parameter, read.system), texts[_i].number);
  outcome_free(&read);
}
END_TEST

START_TEST(test_only_flags_and_words_have_words) {
  ck_assert_ptr_null(parameter_of("array.rows")->words);
  ck_assert_ptr_null(parameter_of("core.frequency_GHz")->words);
  ck_assert_uint_eq(parameter_of("model.exact_rotation")->words->count, 2);
  ck_assert_uint_eq(parameter_of("model.layout_move")->words->count, DSM_LAYOUT_MOVE_COUNT);
  ck_assert_uint_eq(parameter_of("system.topology")->words->count, DSM_TOPOLOGY_COUNT);
}
END_TEST

Suite *suite_parameter_source(void) {
  Suite *const suite = suite_create("parameter_source");
  TCase *const core = tcase_create("core");
  tcase_add_test(core, test_each_parameter_has_a_unit);
  tcase_add_test(core, test_each_default_has_a_source);
  tcase_add_loop_test(core, test_a_value_is_never_without_a_source, 0, COUNT_OF(sources));
  tcase_add_loop_test(core, test_a_number_stands_for_what_a_description_has, 0, COUNT_OF(texts));
  tcase_add_test(core, test_only_flags_and_words_have_words);
  suite_add_tcase(suite, core);
  return suite;
}
