/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_record.c: a record with fields of every kind, written, read, shown in words and packed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "json_fixture.h"
#include "suites.h"

/* ---- the record ---- */

enum { RED, GREEN, COLOR_COUNT };
static const dsm__word color_words[] = {[RED].key = "red", [GREEN].key = "green"};
static DSM__WORDS(colors, "color", color_words, COLOR_COUNT);

typedef struct leaf {
  const char *name;
  uint64_t size;
} leaf;

typedef struct choices {
  uint64_t factor;
  double share;
} choices;

typedef struct tree {
  const char *name;
  choices own;
  bool is_old;
  unsigned color; /* COLOR_COUNT: none */
  unsigned palette;
  uint64_t parts[COLOR_COUNT];
  double weights[COLOR_COUNT];
  leaf top;
  const leaf *leaves;
  size_t leaf_count;
  const char *const *notes;
  size_t note_count;
} tree;

DSM__RECORD(leaf_record, leaf, true, "A leaf.",
            DSM__FIELD(TEXT, leaf, name, "name", DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED,
                       .max = 8, .expected = "the leaf's name"),
            DSM__FIELD(COUNT, leaf, size, "size", DSM__FIELD_IS_READ, .min = 1, .fallback = 7));

DSM__RECORD(choices_record, choices, false, "What is decided.",
            DSM__FIELD(COUNT, choices, factor, "factor",
                       DSM__FIELD_IS_READ | DSM__FIELD_IS_DECISION | DSM__FIELD_IS_COLUMN, .min = 1,
                       .max = 16, .fallback = 1),
            DSM__FIELD(REAL, choices, share, "share", DSM__FIELD_IS_READ | DSM__FIELD_IS_COLUMN,
                       .max = 1, .column = "part"));

static bool has_top(const void *record) {
  return ((const tree *)record)->top.name != NULL;
}

static void write_age(dsm__json_writer *writer, const void *record) {
  dsm__json_write_string(writer, ((const tree *)record)->is_old ? "old" : "young");
}

#define FIELD(name, of_kind, member)                                                               \
  .key = (name), .kind = DSM__FIELD_##of_kind, .flags = DSM__FIELD_IS_READ,                        \
  .offset = offsetof(tree, member)

DSM__RECORD(tree_record, tree, false, "A tree.",
            DSM__FIELD(TEXT, tree, name, "name", DSM__FIELD_IS_READ | DSM__FIELD_IS_NULLABLE,
                       .max = 8),
            {.kind = DSM__FIELD_PART, .offset = offsetof(tree, own), .type = &choices_record},
            {FIELD("is_old", FLAG, is_old)},
            {FIELD("color", WORD, color), .words = &colors, .fallback = COLOR_COUNT},
            {FIELD("palette", WORD_SET, palette), .words = &colors},
            {FIELD("parts", COUNTS, parts), .words = &colors, .min = 1},
            {FIELD("weights", REALS, weights), .words = &colors},
            {FIELD("top", RECORD, top), .type = &leaf_record, .is_stated = has_top},
            {FIELD("leaves", LIST, leaves), .count_offset = offsetof(tree, leaf_count),
             .type = &leaf_record},
            {FIELD("notes", TEXT_LIST, notes), .count_offset = offsetof(tree, note_count),
             .max = 8},
            {.key = "age", .kind = DSM__FIELD_OWN, .write = write_age});

static const leaf leaves[] = {{"a", 1}, {"b", 2}};
static const char *const notes[] = {"tall", "x"};
static const tree oak = {
    .name = "oak",
    .own = {.factor = 4, .share = 0.25},
    .is_old = true,
    .color = GREEN,
    .palette = 3,
    .parts = {1, 8},
    .weights = {0, -0.5},
    .top = {"t", 9},
    .leaves = leaves,
    .leaf_count = 2,
    .notes = notes,
    .note_count = 2,
};
static const char oak_text[] = "{\n"
                               "  \"name\": \"oak\",\n"
                               "  \"factor\": 4,\n"
                               "  \"share\": 0.25,\n"
                               "  \"is_old\": true,\n"
                               "  \"color\": \"green\",\n"
                               "  \"palette\": [\"red\", \"green\"],\n"
                               "  \"parts\": {\"red\": 1, \"green\": 8},\n"
                               "  \"weights\": {\"green\": -0.5},\n"
                               "  \"top\": {\"name\": \"t\", \"size\": 9},\n"
                               "  \"leaves\": [\n"
                               "    {\"name\": \"a\", \"size\": 1},\n"
                               "    {\"name\": \"b\", \"size\": 2}\n"
                               "  ],\n"
                               "  \"notes\": [\"tall\", \"x\"],\n"
                               "  \"age\": \"old\"\n"
                               "}\n";

/* ---- writing ---- */

static char *written_as(const dsm__record_type *type, const void *record) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__record_write(&writer, type, record);
  dsm__json_finish(&writer);
  return dsm__text_finish(&text);
}

static char *written(const tree *record) {
  return written_as(&tree_record, record);
}

START_TEST(test_fields_are_written_in_order) {
  char *const text = written(&oak);
  ck_assert_str_eq(text, oak_text);
  free(text);
}
END_TEST

START_TEST(test_what_is_not_stated_is_null_or_left_out) {
  const tree bare = {
      .own = {.factor = 1, .share = (double)NAN}, .color = COLOR_COUNT, .parts = {1, 1}};
  char *const text = written(&bare);
  ck_assert_str_eq(text, "{\n"
                         "  \"name\": null,\n"
                         "  \"factor\": 1,\n"
                         "  \"is_old\": false,\n"
                         "  \"palette\": [],\n"
                         "  \"parts\": {\"red\": 1, \"green\": 1},\n"
                         "  \"weights\": {},\n"
                         "  \"leaves\": [],\n"
                         "  \"notes\": [],\n"
                         "  \"age\": \"young\"\n"
                         "}\n");
  free(text);
}
END_TEST

/* What is there under a condition, on itself or on another member. */
typedef struct shop {
  uint64_t floors;
  double area;
  unsigned color;
  const char *owner;
} shop;

DSM__RECORD(shop_record, shop, true, "A shop.",
            DSM__FIELD(COUNT, shop, floors, "floors", DSM__FIELD_UNLESS_1, .max = 9),
            DSM__FIELD(REAL, shop, area, "area", DSM__FIELD_UNLESS_0, .max = 9),
            DSM__FIELD(COUNT, shop, floors, "if_owned", 0, .stated_if = DSM__IF(shop, owner)),
            DSM__FIELD(COUNT, shop, floors, "if_free", 0, .stated_if = DSM__UNLESS(shop, owner)),
            DSM__FIELD(COUNT, shop, floors, "if_high", 0,
                       .stated_if = DSM__IF_ABOVE(shop, area, 2)),
            DSM__FIELD(COUNT, shop, floors, "if_red", 0, .stated_if = DSM__IF_IS(shop, color, RED)),
            DSM__FIELD(COUNT, shop, floors, "if_other", 0,
                       .stated_if = DSM__IF_NOT(shop, color, RED)));

START_TEST(test_conditions_say_what_is_stated) {
  static const struct {
    shop of;
    const char *json;
  } cases[] = {
      {{1, 0, RED, NULL}, "{\"if_free\": 1, \"if_red\": 1}\n"},
      {{2, 2, GREEN, ""}, "{\"floors\": 2, \"area\": 2, \"if_owned\": 2, \"if_other\": 2}\n"},
      {{0, 2.5, RED, NULL}, "{\"area\": 2.5, \"if_free\": 0, \"if_high\": 0, \"if_red\": 0}\n"},
  };
  char *const text = written_as(&shop_record, &cases[_i].of);
  ck_assert_str_eq(text, cases[_i].json);
  free(text);
}
END_TEST

/* ---- reading ---- */

static dsm__arena *arena;
static json_fixture json;

static void set_up(void) {
  arena = dsm__arena_new();
  ck_assert_ptr_nonnull(arena);
}

static void tear_down(void) {
  dsm__arena_free(arena);
}

static bool read(const char *text, unsigned wanted, tree *record) {
  const dsm__record_reader reader = {.arena = arena, .wanted = wanted, .most_parts = 64};
  json_open(&json, text, NULL, 0, DSM_OK);
  return dsm__record_only(&json.root, &tree_record) &&
         dsm__record_read(&reader, &json.root, &tree_record, record);
}

/* Lists of structs are for the caller to read. */
START_TEST(test_what_is_written_is_read_as_it_is) {
  tree record = {.name = NULL};
  ck_assert(read(oak_text, DSM__FIELD_IS_READ, &record));
  json_expect_count(&json, 0);
  json_close(&json);
  ck_assert_ptr_null(record.leaves);
  record.leaves = leaves;
  record.leaf_count = 2;
  record.weights[GREEN] = -0.5; /* nor are REALS read */
  char *const text = written(&record);
  ck_assert_str_eq(text, oak_text);
  free(text);
}
END_TEST

START_TEST(test_what_is_absent_has_its_fallback) {
  tree record = {.own.factor = 99, .color = RED, .is_old = true};
  ck_assert(read("{\"parts\": {\"red\": 1, \"green\": 1}, \"top\": {\"name\": \"x\"}}",
                 DSM__FIELD_IS_READ, &record));
  json_close(&json);
  ck_assert_uint_eq(record.own.factor, 1);
  ck_assert_uint_eq(record.color, COLOR_COUNT);
  ck_assert(!record.is_old);
  ck_assert_uint_eq(record.top.size, 7);
}
END_TEST

START_TEST(test_only_wanted_fields_are_read) {
  tree record = {.is_old = false};
  ck_assert(read("{\"is_old\": 3, \"factor\": 2}", DSM__FIELD_IS_DECISION, &record));
  json_expect_count(&json, 0);
  json_close(&json);
  ck_assert_uint_eq(record.own.factor, 2);
}
END_TEST

static const struct {
  const char *text;
  const char *finding;
} flaws[] = {
    {"{\"factr\": 2}", "t.json:1:2: $.factr: error: unknown key \"factr\" (did you mean "
                       "\"factor\"?)"},
    {"{\"factor\": 17}",
     "t.json:1:2: $.factor: error: expected a whole number from 1 to 16, found 17"},
    {"{\"share\": 1.5}", "t.json:1:2: $.share: error: expected a number from 0 to 1, found 1.5"},
    {"{\"color\": \"blue\"}",
     "t.json:1:2: $.color: error: expected \"red\" or \"green\", found \"blue\""},
    {"{\"top\": {}}",
     "t.json:1:2: $.top.name: error: missing key \"name\": expected the leaf's name"},
    {"{\"parts\": {\"red\": 65, \"green\": 1}}",
     "t.json:1:12: $.parts.red: error: expected a whole number from 1 to 64, found 65"},
};

START_TEST(test_a_flaw_is_told_where_it_is) {
  tree record = {.name = NULL};
  (void)read(flaws[_i].text, DSM__FIELD_IS_READ, &record);
  json_expect_count(&json, 1);
  json_expect(&json, 0, flaws[_i].finding);
  json_close(&json);
}
END_TEST

/* ---- words, columns, keys ---- */

static const struct {
  const char *key;
  const char *text;
} texts[] = {
    {"name", "oak"},      {"factor", "4"},          {"share", "0.25"},
    {"is_old", "true"},   {"color", "green"},       {"palette", "red+green"},
    {"parts", "green 8"}, {"top", "name t size 9"}, {"leaves", ""},
};

START_TEST(test_values_in_words) {
  dsm__text_buffer text = {0};
  const void *record = &oak;
  const dsm__field *const field = dsm__record_field(&tree_record, texts[_i].key, &record);
  ck_assert_ptr_nonnull(field);
  dsm__text_puts(&text, "");
  dsm__field_put_text(field, NULL, record, "-", &text);
  ck_assert_str_eq(text.text, texts[_i].text);
  dsm__text_fini(&text);
}
END_TEST

START_TEST(test_columns_are_those_of_the_table_and_its_parts) {
  const dsm__field *columns[DSM__FIELDS_MAX];
  ck_assert_uint_eq(dsm__record_columns(&tree_record, columns), 2);
  ck_assert_str_eq(dsm__field_column(columns[0]), "factor");
  ck_assert_str_eq(dsm__field_column(columns[1]), "part");
}
END_TEST

START_TEST(test_fields_are_found_by_key_and_offset) {
  ck_assert_ptr_null(dsm__record_field(&tree_record, "height", NULL));
  ck_assert_str_eq(dsm__record_key_at(&choices_record, offsetof(choices, share)), "share");
  ck_assert_ptr_null(dsm__record_key_at(&choices_record, sizeof(choices)));
}
END_TEST

/* ---- bytes ---- */

DSM__RECORD(packed_record, tree, false, "What of a tree is packed.", {FIELD("name", TEXT, name)},
            {.kind = DSM__FIELD_PART, .offset = offsetof(tree, own), .type = &choices_record},
            {FIELD("is_old", FLAG, is_old)}, {FIELD("color", WORD, color), .words = &colors},
            {FIELD("parts", COUNTS, parts), .words = &colors},
            {FIELD("top", RECORD, top), .type = &leaf_record},
            {FIELD("leaves", LIST, leaves), .count_offset = offsetof(tree, leaf_count),
             .type = &leaf_record});

static dsm_status unpack(const dsm__text_buffer *bytes, size_t length, tree *record) {
  char *const exact =
      malloc(length == 0 ? 1 : length); /* so that a sanitizer sees a byte too far */
  ck_assert_ptr_nonnull(exact);
  memcpy(exact, bytes->text, length);
  dsm__packed in = {.at = (unsigned char *)exact, .left = length, .arena = arena};
  *record = (tree){.name = NULL};
  dsm__record_unpack(&in, &packed_record, record);
  free(exact);
  return in.status;
}

START_TEST(test_what_is_packed_comes_out) {
  dsm__text_buffer bytes = {0};
  tree record;
  dsm__record_pack(&bytes, &packed_record, &oak);
  ck_assert_int_eq(unpack(&bytes, bytes.length, &record), DSM_OK);
  ck_assert_str_eq(record.name, "oak");
  ck_assert_uint_eq(record.own.factor, 4);
  ck_assert_uint_eq(record.parts[GREEN], 8);
  ck_assert_str_eq(record.top.name, "t");
  ck_assert_uint_eq(record.leaf_count, 2);
  ck_assert_str_eq(record.leaves[1].name, "b");
  for (size_t length = 0; length < bytes.length; length++) {
    ck_assert_int_eq(unpack(&bytes, length, &record), DSM_ERROR_INVALID);
  }
  dsm__text_fini(&bytes);
}
END_TEST

START_TEST(test_bytes_of_no_word_are_refused) {
  dsm__text_buffer bytes = {0};
  tree blue = oak;
  tree record;
  blue.color = COLOR_COUNT;
  dsm__record_pack(&bytes, &packed_record, &blue);
  ck_assert_int_eq(unpack(&bytes, bytes.length, &record), DSM_ERROR_INVALID);
  dsm__text_fini(&bytes);
}
END_TEST

Suite *suite_record(void) {
  Suite *const suite = suite_create("record");
  TCase *const tcase = tcase_create("record");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_test(tcase, test_fields_are_written_in_order);
  tcase_add_test(tcase, test_what_is_not_stated_is_null_or_left_out);
  tcase_add_loop_test(tcase, test_conditions_say_what_is_stated, 0, 3);
  tcase_add_test(tcase, test_what_is_written_is_read_as_it_is);
  tcase_add_test(tcase, test_what_is_absent_has_its_fallback);
  tcase_add_test(tcase, test_only_wanted_fields_are_read);
  tcase_add_loop_test(tcase, test_a_flaw_is_told_where_it_is, 0, COUNT_OF(flaws));
  tcase_add_loop_test(tcase, test_values_in_words, 0, COUNT_OF(texts));
  tcase_add_test(tcase, test_columns_are_those_of_the_table_and_its_parts);
  tcase_add_test(tcase, test_fields_are_found_by_key_and_offset);
  tcase_add_test(tcase, test_what_is_packed_comes_out);
  tcase_add_test(tcase, test_bytes_of_no_word_are_refused);
  suite_add_tcase(suite, tcase);
  return suite;
}
