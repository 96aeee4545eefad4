/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdio.h>
#include <string.h>

#include "json_fixture.h"

static const char sample[] = "{\n"
                             "  \"core\": {\"clock_hz\": 1, \"dotted.key\": {\"x\": 2}},\n"
                             "  \"layers\": [\n"
                             "    {\"name\": \"conv\", \"stride\": 10},\n"
                             "    {\"name\": \"features.0\", \"stride\": 11},\n"
                             "    {\"name\": \"features\", \"0\": {\"stride\": 12}},\n"
                             "    {\"name\": \"1\", \"stride\": 13},\n"
                             "    {\"name\": \"9\", \"stride\": 14},\n"
                             "    {\"name\": \"1.stride\", \"x\": 15}\n"
                             "  ],\n"
                             "  \"empty\": [], \"text\": \"t\", \"nothing\": null\n"
                             "}\n";

/* One step of a path to a value: a key, or an item's index. */
typedef struct reach {
  const char *key; /* NULL: item */
  size_t index;
} reach;

enum { REACH_LIMIT = 4 };

/* The nodes must outlive what points to them: they are kept in `nodes`. */
static const dsm__json_node *follow(const json_fixture *json, const reach *path,
                                    dsm__json_node nodes[REACH_LIMIT + 1]) {
  nodes[0] = json->root;
  size_t depth = 0;
  for (; depth < REACH_LIMIT && (path[depth].key != NULL || path[depth].index > 0); depth++) {
    const bool is_item = path[depth].key == NULL;
    nodes[depth + 1] = is_item ? dsm__json_item(&nodes[depth], path[depth].index - 1)
                               : dsm__json_member(&nodes[depth], path[depth].key);
  }
  return &nodes[depth];
}

/* ---- what is set ---- */

typedef struct set_case {
  const char *path;
  reach where[REACH_LIMIT]; /* an index is one more than the item's, so that 0 is the end */
} set_case;

static const set_case set_cases[] = {
    {"core.clock_hz", {{"core", 0}, {"clock_hz", 0}}},
    {"core", {{"core", 0}}},
    {"nothing", {{"nothing", 0}}},
    {"core.dotted.key.x", {{"core", 0}, {"dotted.key", 0}, {"x", 0}}},
    {"new", {{"new", 0}}},
    {"core.new", {{"core", 0}, {"new", 0}}},
    {"core.new.deep.er", {{"core", 0}, {"new", 0}, {"deep", 0}, {"er", 0}}},
    {"layers.0.stride", {{"layers", 0}, {NULL, 1}, {"stride", 0}}},
    {"layers.5.x", {{"layers", 0}, {NULL, 6}, {"x", 0}}},
    {"layers.conv.stride", {{"layers", 0}, {NULL, 1}, {"stride", 0}}},
    {"layers.conv", {{"layers", 0}, {NULL, 1}}},
    {"layers.conv.name", {{"layers", 0}, {NULL, 1}, {"name", 0}}},
    /* the longest name that fits */
    {"layers.features.0.stride", {{"layers", 0}, {NULL, 2}, {"stride", 0}}},
    {"layers.features.1", {{"layers", 0}, {NULL, 3}, {"1", 0}}},
    {"layers.1.stride", {{"layers", 0}, {NULL, 6}}},
    /* an index goes before a name of the same length */
    {"layers.1.new", {{"layers", 0}, {NULL, 2}, {"new", 0}}},
    /* beyond the end it is a name */
    {"layers.9.stride", {{"layers", 0}, {NULL, 5}, {"stride", 0}}},
    {"layers.conv.in.0", {{"layers", 0}, {NULL, 1}, {"in", 0}, {"0", 0}}},
};

START_TEST(test_override_reaches_its_value) {
  const set_case *const each = &set_cases[_i];
  const dsm_override override = {.path = each->path, .value = "77"};
  json_fixture json;
  json_open(&json, sample, &override, 1, DSM_OK);
  dsm__json_node nodes[REACH_LIMIT + 1];
  uint64_t value = 0;
  ck_assert(dsm__json_u64(follow(&json, each->where, nodes), 0, 100, &value));
  ck_assert_uint_eq(value, 77);
  json_close(&json);
}
END_TEST

/* Nothing but the value changes: its neighbours, their order and number stay. */
START_TEST(test_override_leaves_its_neighbours) {
  const dsm_override override = {.path = "layers.conv.stride", .value = "77"};
  json_fixture json;
  json_open(&json, sample, &override, 1, DSM_OK);
  const dsm__json_node layers = dsm__json_member(&json.root, "layers");
  size_t count = 0;
  ck_assert(dsm__json_array(&layers, 0, 100, &count));
  ck_assert_uint_eq(count, 6);
  const dsm__json_node conv = dsm__json_item(&layers, 0);
  const dsm__json_node name = dsm__json_first_member(&conv);
  const dsm__json_node stride = dsm__json_next(&name);
  const dsm__json_node end = dsm__json_next(&stride);
  ck_assert_str_eq(dsm__json_key(&name), "name");
  ck_assert_str_eq(dsm__json_key(&stride), "stride");
  ck_assert(!dsm__json_is_present(&end));
  const dsm__json_node next = dsm__json_next(&conv);
  const dsm__json_node next_stride = dsm__json_member(&next, "stride");
  uint64_t value = 0;
  ck_assert(dsm__json_u64(&next_stride, 0, 100, &value));
  ck_assert_uint_eq(value, 11);
  json_close(&json);
}
END_TEST

START_TEST(test_later_override_wins_and_may_go_into_an_earlier_one) {
  const dsm_override overrides[] = {
      {.path = "core.clock_hz", .value = "2"}, {.path = "core", .value = "{\"a\": {\"b\": 3}}"},
      {.path = "core.a.b", .value = "4"},      {.path = "core.a.c", .value = "5"},
      {.path = "core.a.b", .value = "6"},
  };
  json_fixture json;
  json_open(&json, sample, overrides, 5, DSM_OK);
  const dsm__json_node core = dsm__json_member(&json.root, "core");
  const dsm__json_node clock = dsm__json_member(&core, "clock_hz");
  const dsm__json_node a = dsm__json_member(&core, "a");
  const dsm__json_node b = dsm__json_member(&a, "b");
  const dsm__json_node c = dsm__json_member(&a, "c");
  uint64_t value = 0;
  ck_assert(!dsm__json_is_present(&clock));
  ck_assert(dsm__json_u64(&b, 6, 6, &value));
  ck_assert(dsm__json_u64(&c, 5, 5, &value));
  json_close(&json);
}
END_TEST

/* Also if the item with that name comes before. */
START_TEST(test_index_goes_before_a_name_of_its_length) {
  const dsm_override override = {.path = "1.x", .value = "77"};
  json_fixture json;
  json_open(&json, "[{\"name\": \"1\"}, {}]", &override, 1, DSM_OK);
  const dsm__json_node named = dsm__json_item(&json.root, 0);
  const dsm__json_node indexed = dsm__json_item(&json.root, 1);
  const dsm__json_node x_of_named = dsm__json_member(&named, "x");
  const dsm__json_node x_of_indexed = dsm__json_member(&indexed, "x");
  ck_assert(!dsm__json_is_present(&x_of_named));
  ck_assert(dsm__json_is_present(&x_of_indexed));
  json_close(&json);
}
END_TEST

/* ---- what a value is ---- */

typedef struct value_case {
  const char *value;
  const char *found; /* in the words of dsm__json_found */
} value_case;

static const value_case value_cases[] = {
    {"3.50", "number 3.50"},
    {"\"3\"", "string \"3\""},
    {"true", "true"},
    {"null", "null"},
    {"[1]", "a list"},
    {" {} ", "an object"},
    {"conv", "string \"conv\""},
    {"", "string \"\""},
    {"True", "string \"True\""},
    {"01", "string \"01\""},
    {"NaN", "string \"NaN\""},
    {"1e999", "string \"1e999\""},
    {"1 2", "string \"1 2\""},
    {"\xC3\xA9", "string \"\xC3\xA9\""},
};

/* A quote or bracket that leads nowhere is a slip, not a string. */
START_TEST(test_value_that_begins_like_json_must_be_json) {
  static const char *const slips[] = {"[1", "{\"a\": 1", "\"open", "\"a\\u0000b\"", "[1,]"};
  const dsm_override override = {.path = "core.clock_hz", .value = slips[_i]};
  dsm__json_doc *doc = NULL;
  dsm_diags *const diags = dsm_diags_new(4);
  ck_assert_int_eq(dsm__json_doc_parse(&doc, sample, strlen(sample), "t.json", &override, 1, diags),
                   DSM_ERROR_INVALID);
  ck_assert_ptr_null(doc);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->hint, "what begins like JSON must be JSON");
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_value_is_json_or_else_a_string) {
  const dsm_override override = {.path = "core.clock_hz", .value = value_cases[_i].value};
  json_fixture json;
  json_open(&json, sample, &override, 1, DSM_OK);
  const dsm__json_node core = dsm__json_member(&json.root, "core");
  const dsm__json_node clock = dsm__json_member(&core, "clock_hz");
  char found[64];
  ck_assert_str_eq(dsm__json_found(&clock, found, sizeof found), value_cases[_i].found);
  json_close(&json);
}
END_TEST

/* ---- what is refused ---- */

typedef struct refused_case {
  const char *path;
  const char *value;
  const char *rendered;
} refused_case;

static const refused_case refused_cases[] = {
    {"", "1", "--set: $: error: expected a path such as core.clock_hz, found an empty one"},
    {"core..x", "1",
     "--set: $.core: error: expected names joined by single dots, found \"core..x\""},
    {".core", "1", "--set: $: error: expected names joined by single dots, found \".core\""},
    {"core.", "1", "--set: $.core: error: expected names joined by single dots, found \"core.\""},
    {"new.", "1", "--set: $: error: expected names joined by single dots, found \"new.\""},
    {"core.clock_hz.x", "1",
     "--set: $.core.clock_hz: error: expected an object or a list above \"x\", found number 1"},
    {"text.a.b", "1",
     "--set: $.text: error: expected an object or a list above \"a\", found string \"t\""},
    {"nothing.a", "1",
     "--set: $.nothing: error: expected an object or a list above \"a\", found null"},
    {"layers.6.stride", "1",
     "--set: $.layers: error: expected an index below 6 or the name of an item, found \"6\""},
    {"layers.cnov.stride", "1",
     "--set: $.layers: error: expected an index below 6 or the name of an item, found \"cnov\" "
     "(did you mean \"conv\"?)"},
    {"layers.-1", "1",
     "--set: $.layers: error: expected an index below 6 or the name of an item, found \"-1\""},
    {"layers.18446744073709551616", "1",
     "--set: $.layers: error: expected an index below 6 or the name of an item, found "
     "\"18446744073709551616\""},
    {"empty.0", "1",
     "--set: $.empty: error: expected an index below 0 or the name of an item, found \"0\""},
    {"core.clock_hz", "\xFF",
     "--set: $.core.clock_hz: error: expected a value in UTF-8, found \"\\xFF\""},
};

START_TEST(test_impossible_override_is_refused) {
  const refused_case *const each = &refused_cases[_i];
  const dsm_override override = {.path = each->path, .value = each->value};
  json_fixture json;
  json_open(&json, sample, &override, 1, DSM_ERROR_INVALID);
  json_expect_count(&json, 1);
  json_expect(&json, 0, each->rendered);
  json_close(&json);
}
END_TEST

START_TEST(test_all_impossible_overrides_are_reported) {
  const dsm_override overrides[] = {
      {.path = "text.a", .value = "1"},
      {.path = "core.clock_hz", .value = "1"},
      {.path = "text.b", .value = "1"},
  };
  json_fixture json;
  json_open(&json, sample, overrides, 3, DSM_ERROR_INVALID);
  json_expect_count(&json, 2);
  json_close(&json);
}
END_TEST

START_TEST(test_scalar_root_has_nothing_to_set) {
  const dsm_override override = {.path = "a", .value = "1"};
  json_fixture json;
  json_open(&json, "5", &override, 1, DSM_ERROR_INVALID);
  json_expect(&json, 0,
              "--set: $: error: expected an object or a list above \"a\", found number 5");
  json_close(&json);
}
END_TEST

/* A path of n names makes n - 1 objects in the root: n levels, and those of the value. */
static dsm_status set_deep(size_t name_count, const char *value) {
  char path[256] = "";
  for (size_t i = 0; i < name_count; i++)
    memcpy(path + 2 * i, "a.", 2);
  path[2 * name_count - 1] = '\0'; /* over the last dot */
  const dsm_override override = {.path = path, .value = value};
  dsm__json_doc *doc = NULL;
  const dsm_status status = dsm__json_doc_parse(&doc, "{}", 2, NULL, &override, 1, NULL);
  dsm__json_doc_free(doc);
  return status;
}

START_TEST(test_depth_of_32_is_legal_and_of_33_is_not) {
  ck_assert_int_eq(set_deep(32, "1"), DSM_OK);
  ck_assert_int_eq(set_deep(33, "1"), DSM_ERROR_INVALID);
  ck_assert_int_eq(set_deep(30, "[{\"a\": 1}]"), DSM_OK);
  ck_assert_int_eq(set_deep(31, "[{\"a\": 1}]"), DSM_ERROR_INVALID);
  ck_assert_int_eq(set_deep(100, "1"), DSM_ERROR_INVALID);
}
END_TEST

/* ---- findings about what was set ---- */

START_TEST(test_finding_about_a_set_value_names_the_override) {
  const dsm_override overrides[] = {
      {.path = "core.clock_hz", .value = "2.50"},
      {.path = "core.new.deep", .value = "-1"},
      {.path = "layers.conv", .value = "{\"stride\": 0.0}"},
  };
  json_fixture json;
  json_open(&json, sample, overrides, 3, DSM_OK);
  uint64_t value = 42;
  const dsm__json_node core = dsm__json_member(&json.root, "core");
  const dsm__json_node clock = dsm__json_member(&core, "clock_hz");
  const dsm__json_node new_object = dsm__json_member(&core, "new");
  const dsm__json_node deep = dsm__json_member(&new_object, "deep");
  const dsm__json_node absent = dsm__json_member(&new_object, "absent");
  const dsm__json_node layers = dsm__json_member(&json.root, "layers");
  const dsm__json_node conv = dsm__json_item(&layers, 0);
  const dsm__json_node stride = dsm__json_member(&conv, "stride");
  ck_assert(!dsm__json_u64(&clock, 1, 9, &value));
  ck_assert(!dsm__json_u64(&deep, 1, 9, &value));
  ck_assert(!dsm__json_u64(&absent, 1, 9, &value));
  ck_assert(!dsm__json_u64(&stride, 1, 9, &value));
  ck_assert_uint_eq(value, 42);
  json_expect_count(&json, 4);
  json_expect(&json, 0,
              "--set: $.core.clock_hz: error: expected a whole number from 1 to 9, found 2.50");
  json_expect(&json, 1,
              "--set: $.core.new.deep: error: expected a whole number from 1 to 9, found -1");
  json_expect(&json, 2,
              "--set: $.core.new.absent: error: missing key \"absent\": expected a whole number "
              "from 1 to 9");
  json_expect(&json, 3,
              "--set: $.layers[0].stride: error: expected a whole number from 1 to 9, found 0.0");
  json_close(&json);
}
END_TEST

START_TEST(test_finding_beside_a_set_value_names_the_file) {
  const dsm_override override = {.path = "core.clock_hz", .value = "5"};
  static const char *const known[] = {"clock_hz"};
  json_fixture json;
  json_open(&json, sample, &override, 1, DSM_OK);
  const dsm__json_node core = dsm__json_member(&json.root, "core");
  ck_assert(dsm__json_object_only(&core, known, 1));
  json_expect_count(&json, 1);
  json_expect(
      &json, 0,
      "t.json:2:27: $.core[\"dotted.key\"]: error: unknown key \"dotted.key\" (known: clock_hz)");
  json_close(&json);
}
END_TEST

START_TEST(test_unknown_key_that_was_set_names_the_override) {
  const dsm_override override = {.path = "core.clck_hz", .value = "5"};
  static const char *const known[] = {"clock_hz", "dotted.key"};
  json_fixture json;
  json_open(&json, sample, &override, 1, DSM_OK);
  const dsm__json_node core = dsm__json_member(&json.root, "core");
  ck_assert(dsm__json_object_only(&core, known, 2));
  json_expect_count(&json, 1);
  json_expect(&json, 0,
              "--set: $.core.clck_hz: error: unknown key \"clck_hz\" (did you mean "
              "\"clock_hz\"?)");
  json_close(&json);
}
END_TEST

START_TEST(test_duplicate_key_in_a_set_value_is_reported) {
  const dsm_override override = {.path = "core.x", .value = "[{\"a\": 1, \"a\": 2}]"};
  json_fixture json;
  json_open(&json, sample, &override, 1, DSM_OK);
  json_expect_count(&json, 1);
  json_expect(&json, 0, "--set: $.core.x[0].a: error: duplicate key \"a\"");
  json_close(&json);
}
END_TEST

typedef struct place_case {
  const char *path;
  const char *place; /* "/" for the separator */
} place_case;

static const place_case place_cases[] = {
    {"layers.1.out", "/layers/1/out"},
    {"layers.fc.out", "/layers/1/out"},
    {"layers.a.b", "/layers/0"},
    {"layers.a.b.new.part", "/layers/0/new/part"},
    {"layers.none.out", "/layers/none/out"},
    {"layers", "/layers"},
    {"other.thing", "/other/thing"},
    {"layers.1.out.deep", "/layers/1/out/deep"},
};

START_TEST(test_a_place_is_the_same_for_any_spelling) {
  static const char text[] = "{\"layers\": [{\"name\": \"a.b\"}, {\"name\": \"fc\", \"out\": 3}]}";
  json_fixture json;
  json_open(&json, text, NULL, 0, DSM_OK);
  dsm__text_buffer place = {0};
  dsm__json_doc_resolve(json.doc, place_cases[_i].path, &place);
  for (size_t i = 0; i < place.length; i++) {
    place.text[i] = place.text[i] == DSM__JSON_PLACE_SEPARATOR ? '/' : place.text[i];
  }
  ck_assert_str_eq(place.text, place_cases[_i].place);
  dsm__text_fini(&place);
  json_close(&json);
}
END_TEST

Suite *suite_json_override(void) {
  Suite *const suite = suite_create("json_override");
  TCase *const paths = tcase_create("paths");
  tcase_add_loop_test(paths, test_override_reaches_its_value, 0, COUNT_OF(set_cases));
  tcase_add_test(paths, test_index_goes_before_a_name_of_its_length);
  tcase_add_loop_test(paths, test_a_place_is_the_same_for_any_spelling, 0, COUNT_OF(place_cases));
  tcase_add_test(paths, test_override_leaves_its_neighbours);
  tcase_add_test(paths, test_later_override_wins_and_may_go_into_an_earlier_one);
  suite_add_tcase(suite, paths);
  TCase *const values = tcase_create("values");
  tcase_add_loop_test(values, test_value_that_begins_like_json_must_be_json, 0, 5);
  tcase_add_loop_test(values, test_value_is_json_or_else_a_string, 0, COUNT_OF(value_cases));
  suite_add_tcase(suite, values);
  TCase *const refused = tcase_create("refused");
  tcase_add_loop_test(refused, test_impossible_override_is_refused, 0, COUNT_OF(refused_cases));
  tcase_add_test(refused, test_all_impossible_overrides_are_reported);
  tcase_add_test(refused, test_scalar_root_has_nothing_to_set);
  tcase_add_test(refused, test_depth_of_32_is_legal_and_of_33_is_not);
  suite_add_tcase(suite, refused);
  TCase *const findings = tcase_create("findings");
  tcase_add_test(findings, test_finding_about_a_set_value_names_the_override);
  tcase_add_test(findings, test_finding_beside_a_set_value_names_the_file);
  tcase_add_test(findings, test_unknown_key_that_was_set_names_the_override);
  tcase_add_test(findings, test_duplicate_key_in_a_set_value_is_reported);
  suite_add_tcase(suite, findings);
  return suite;
}
