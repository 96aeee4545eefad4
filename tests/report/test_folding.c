/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "reading.h"
#include "report/folded_name.h"
#include "report/folding.h"
#include "report/pass_rows.h"
#include "report/table/moved_rows.h"
#include "report/table/plan_table.h"
#include "subjects.h"

/* ---- sequences ---- */

/* "0+3 1": the layers of each row, in order. */
static void put_rows(const dsm__folding *folding, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (size_t row = 0; row < folding->row_count; row++) {
    for (size_t i = folding->rows[row].first; i != SIZE_MAX; i = folding->next[i]) {
      const char *const before = i != folding->rows[row].first ? "+" : row > 0 ? " " : "";
      length += (size_t)snprintf(text + length, size - length, "%s%zu", before, i);
    }
  }
}

/* Letters are kinds in lower case and classes as they stand: 'A' is of the kind of 'a'. */
static const struct {
  const char *layers;
  const char *rows;
} sequences[] = {
    {"", ""},
    {"a", "0"},
    {"abcd", "0 1 2 3"},
    {"aa", "0+1"},
    {"aaaaa", "0+1+2+3+4"},
    {"xaay", "0 1+2 3"},
    {"abab", "0+2 1+3"},
    {"xabcabcabcy", "0 1+4+7 2+5+8 3+6+9 10"},
    /* Equal layers that are no neighbours, and do not repeat in order. */
    {"abcadbc", "0 1 2 3 4 5 6"},
    /* A run in a run. */
    {"aabaab", "0+1+3+4 2+5"},
    {"aabccaabcc", "0+1+5+6 2+7 3+4+8+9"},
    {"ababcababc", "0+2+5+7 1+3+6+8 4+9"},
    /* The first block begins otherwise: what repeats begins at a block. */
    {"pqxaxbcaxbcaxbc", "0 1 2 3+7+11 4+8+12 5+9+13 6+10+14"},
    {"xbcabcabc", "0 1 2 3+6 4+7 5+8"},
    /* The first and the last repetition have other numbers: a row for each place and number. */
    {"AbcabcabcabC", "0 3+6+9 1+4+7+10 2+5+8 11"},
    {"ABCabcabcabcxyz", "0 1 2 3+6+9 4+7+10 5+8+11 12 13 14"},
    {"aaAaa", "0+1+3+4 2"},
    /* Places side by side that are equal in each repetition are one row. */
    {"AAbaabaabaab", "0+1 3+4+6+7+9+10 2+5+8+11"},
    /* All numbers differ: nothing changes its place. */
    {"abAB", "0 1 2 3"},
};

START_TEST(test_sequences_are_folded) {
  const char *const layers = sequences[_i].layers;
  const size_t count = strlen(layers);
  size_t kinds[64];
  size_t classes[64];
  char text[512];
  for (size_t i = 0; i < count; i++) {
    kinds[i] = (size_t)(layers[i] | 32);
    const char *const first = strchr(layers, layers[i]);
    classes[i] = (size_t)(first - layers);
  }
  dsm__arena *const arena = dsm__arena_new();
  dsm__folding folding;
  ck_assert(dsm__fold(&folding, kinds, classes, count, arena));
  put_rows(&folding, text, sizeof text);
  ck_assert_str_eq(text, sequences[_i].rows);
  dsm__arena_free(arena);
}
END_TEST

/* Each layer is in one row, whatever the sequence is, and a row's layers are of a class. */
START_TEST(test_every_layer_is_in_one_row) {
  enum { COUNT = 3000 };
  size_t *const classes = malloc(COUNT * sizeof *classes);
  unsigned state = 1 + (unsigned)_i;
  for (size_t i = 0; i < COUNT; i++) {
    state = state * 1103515245U + 12345U;
    const size_t back = 1 + (size_t)_i * 7;
    classes[i] = i >= back && (state >> 16) % 8 > 0 ? classes[i - back] : (state >> 20) % 50;
  }
  size_t *const kinds = malloc(COUNT * sizeof *kinds);
  for (size_t i = 0; i < COUNT; i++) {
    kinds[i] = classes[i] / 2;
  }
  dsm__arena *const arena = dsm__arena_new();
  dsm__folding folding;
  ck_assert(dsm__fold(&folding, kinds, classes, COUNT, arena));
  size_t layers = 0;
  char seen[COUNT] = {0};
  for (size_t row = 0; row < folding.row_count; row++) {
    size_t own = 0;
    for (size_t i = folding.rows[row].first; i != SIZE_MAX; i = folding.next[i]) {
      ck_assert_uint_eq(classes[i], classes[folding.rows[row].first]);
      ck_assert_int_eq(seen[i], 0);
      seen[i] = 1;
      own++;
    }
    ck_assert_uint_eq(own, folding.rows[row].count);
    layers += own;
  }
  ck_assert_uint_eq(layers, COUNT);
  dsm__arena_free(arena);
  free(kinds);
  free(classes);
}
END_TEST

START_TEST(test_equal_texts_are_folded) {
  static const char *const texts[] = {"x", "a 1", "b", "a 1", "b", "y"};
  char rows[64];
  dsm__arena *const arena = dsm__arena_new();
  dsm__folding folding;
  ck_assert(dsm__fold_texts(&folding, texts, 6, false, arena));
  put_rows(&folding, rows, sizeof rows);
  ck_assert_str_eq(rows, "0 1+3 2+4 5");
  ck_assert(dsm__fold_texts(&folding, texts, 6, true, arena));
  put_rows(&folding, rows, sizeof rows);
  ck_assert_str_eq(rows, "0 1 2 3 4 5");
  dsm__arena_free(arena);
}
END_TEST

/* ---- names ---- */

#define NAMES_MAX 6

static const struct {
  const char *names[NAMES_MAX];
  const char *folded;
} folded_names[] = {
    {{"conv1"}, "conv1"},
    {{"enc.0.qkv", "enc.1.qkv", "enc.2.qkv"}, "enc.0..2.qkv"},
    {{"conv4_2_reduce", "conv4_3_reduce"}, "conv4_2..3_reduce"},
    {{"b9", "b10", "b11"}, "b9..11"},
    {{"b11", "b9", "b10"}, "b9..11"},
    {{"b08", "b09", "b10"}, "b08..10"},
    {{"b1", "b3", "b4", "b5"}, "b1,3..5"},
    {{"b1", "b3", "b5", "b7"}, "b*"},
    {{"s1.b0", "s1.b1", "s2.b0", "s2.b1"}, "s*.b*"},
    {{"enc0.fwd", "enc0.bwd"}, "enc0.{fwd,bwd}"},
    {{"e.0.q", "e.0.k", "e.1.q", "e.1.k"}, "e.0..1.{q,k}"},
    {{"e.0.q", "e.0.k", "e.1.k"}, "e.{0.q,0..1.k}"},
    {{"left", "right"}, "left, right"},
    {{"3a_1x1", "3a_pool", "3b_1x1", "other"}, "3a_1x1, +3 like it"},
    {{"a", "b", "c", "d", "e"}, "a, +4 like it"},
    {{"99999999999999999999999", "99999999999999999999998"}, "99999999999999999999998..99999"},
};

START_TEST(test_names_are_folded) {
  size_t count = 0;
  while (count < NAMES_MAX && folded_names[_i].names[count] != NULL) {
    count++;
  }
  dsm__arena *const arena = dsm__arena_new();
  ck_assert_str_eq(dsm__folded_name(arena, folded_names[_i].names, count), folded_names[_i].folded);
  dsm__arena_free(arena);
}
END_TEST

/* ---- rows of passes ---- */

START_TEST(test_the_longest_rows_are_kept_and_of_equals_the_first) {
  static const double cycles[] = {3, 1, 2, 2.5, 2, 5, 2};
  enum { COUNT = sizeof cycles / sizeof cycles[0] };
  dsm_layer_plan layers[COUNT] = {{.layer = NULL}};
  static const dsm_layer layer = {.name = "layer"};
  for (int i = 0; i < COUNT; i++) {
    layers[i].layer = &layer;
    layers[i].passes[DSM_PASS_FORWARD].exists = true;
    layers[i].passes[DSM_PASS_FORWARD].cycles.total = cycles[i];
  }
  const dsm_plan plan = {.layers = layers, .layer_count = COUNT};
  dsm__arena *const arena = dsm__arena_new();
  dsm__pass_rows kept;
  ck_assert(dsm__pass_rows_find(&kept, &plan, true, 4, arena));
  static const size_t expected[] = {0, 2, 3, 5};
  ck_assert_uint_eq(kept.count, 4);
  for (size_t i = 0; i < kept.count; i++) {
    ck_assert_uint_eq(kept.items[i].layer, expected[i]);
    ck_assert(kept.items[i].is_first_of_name);
  }
  ck_assert_uint_eq(kept.left_out, 3);
  ck_assert_double_eq(kept.left_cycles, 5);
  ck_assert(dsm__pass_rows_find(&kept, &plan, true, COUNT, arena));
  ck_assert_uint_eq(kept.count, COUNT);
  ck_assert_uint_eq(kept.left_out, 0);
  dsm__arena_free(arena);
}
END_TEST

/* Rows of a bundled network, times their counts, are its step. */
START_TEST(test_folded_rows_add_up_to_the_step) {
  subject made = bundled_subject(_i);
  dsm__arena *const arena = dsm__arena_new();
  for (size_t most = 0; most < 10; most += 3) {
    dsm__pass_rows rows;
    double sum = 0;
    size_t passes = 0;
    ck_assert(dsm__pass_rows_find(&rows, made.plan, false, most, arena));
    for (size_t i = 0; i < rows.count; i++) {
      const dsm__pass_row *const row = &rows.items[i];
      const dsm_pass_plan *const pass = &made.plan->layers[row->layer].passes[row->pass];
      ck_assert_double_eq_tol(row->cycles, (double)row->count * pass->cycles.total,
                              1e-9 * row->cycles);
      sum += row->cycles;
      passes += row->count;
    }
    const double step = made.plan->result.step_cycles;
    ck_assert_double_eq_tol(sum + rows.left_cycles, step, 1e-9 * step);
    dsm__pass_rows all;
    ck_assert(dsm__pass_rows_find(&all, made.plan, true, 0, arena));
    ck_assert_uint_eq(passes + rows.left_out, all.count);
  }
  dsm__arena_free(arena);
  subject_free(&made);
}
END_TEST

/* ---- what moved ---- */

START_TEST(test_equal_layers_that_moved_are_one_row) {
  enum { COUNT = 6 };
  static const struct {
    const char *layer;
    size_t alike;
    double difference;
  } moved[COUNT] = {{"big", 1, -7},    {"block.0", 2, 3}, {"block.1", 2, 3},
                    {"block.2", 2, 3}, {"one", 0, 1},     {"two", 0, 1}};
  dsm_pass_difference passes[COUNT];
  dsm_decision_drift decisions[COUNT];
  dsm_layer_drift layers[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    passes[i] = (dsm_pass_difference){.layer = moved[i].layer,
                                      .seconds = {.after = fabs(moved[i].difference)},
                                      .difference_seconds = moved[i].difference,
                                      .share = moved[i].difference / 4,
                                      .alike = moved[i].alike};
    decisions[i] = (dsm_decision_drift){
        .layer = moved[i].layer, .decision = "dysm_factor", .alike = moved[i].alike};
    layers[i] = (dsm_layer_drift){
        .layer = moved[i].layer, .presence = DSM_PRESENCE_NEW, .alike = moved[i].alike};
  }
  dsm__page page = dsm__page_begin(plain_style(100));
  dsm__moved_rows rows = dsm__moved_passes(&page, passes, COUNT);
  ck_assert_uint_eq(rows.count, 4);
  ck_assert_str_eq(rows.items[0].name, "block.0..2"); /* 9 together */
  ck_assert_str_eq(rows.items[0].times, "3");
  ck_assert_str_eq(rows.items[1].name, "big");
  ck_assert_str_eq(rows.items[1].times, "");
  ck_assert_str_eq(rows.items[3].name, "two");
  const dsm_pass_difference sum = dsm__moved_together(&passes[1], 3);
  ck_assert_double_eq(sum.difference_seconds, 9);
  ck_assert_double_eq(sum.seconds.after, 9);
  ck_assert_double_eq(sum.share, 2.25);
  rows = dsm__moved_decisions(&page, decisions, COUNT);
  ck_assert_uint_eq(rows.count, 4);
  ck_assert_str_eq(rows.items[1].name, "block.0..2");
  rows = dsm__moved_layers(&page, layers, COUNT, DSM_PRESENCE_NEW);
  ck_assert_uint_eq(rows.count, 4);
  rows = dsm__moved_layers(&page, layers, COUNT, DSM_PRESENCE_MISSING);
  ck_assert_uint_eq(rows.count, 0);
  page.style.is_unfolded = true;
  rows = dsm__moved_passes(&page, passes, COUNT);
  ck_assert_uint_eq(rows.count, COUNT);
  ck_assert_str_eq(rows.items[0].name, "big");
  free(dsm__page_finish(&page));
}
END_TEST

/* What the folded table says of passes is, row by row times n, what the difference lists. */
START_TEST(test_differences_of_blocks_add_up) {
  subject a = encoder_subject(12, "torus64");
  subject b = encoder_subject(12, "torus16");
  dsm_diff *diff = NULL;
  ck_assert_int_eq(dsm_diff_derive(&diff, a.plan, b.plan, NULL), DSM_OK);
  dsm__page page = dsm__page_begin(plain_style(100));
  const dsm__moved_rows rows = dsm__moved_passes(&page, diff->passes, diff->pass_count);
  double seconds = 0;
  size_t passes = 0;
  for (size_t i = 0; i < rows.count; i++) {
    const dsm__moved_row *const row = &rows.items[i];
    seconds += dsm__moved_together(&diff->passes[row->first], row->count).difference_seconds;
    passes += row->count;
  }
  ck_assert_uint_lt(rows.count, 40);
  ck_assert_uint_eq(passes, diff->pass_count);
  ck_assert_double_eq_tol(seconds, diff->difference_seconds, 1e-9 * diff->difference_seconds);
  free(dsm__page_finish(&page));
  dsm_diff_free(diff);
  subject_free(&b);
  subject_free(&a);
}
END_TEST

/* ---- a transformer ---- */

static size_t count_lines(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) {
    count += *text == '\n' ? 1 : 0;
  }
  return count;
}

/* Its table is about as long for 24 blocks as for three. */
START_TEST(test_a_transformer_fits_a_screen) {
  subject few = encoder_subject(3, "torus64");
  subject many = encoder_subject(24, "torus64");
  dsm_table_style style = plain_style(100);
  char *const few_text = as_table(DSM_ANSWER(plan, few.plan), style);
  char *const text = as_table(DSM_ANSWER(plan, many.plan), style);
  ck_assert_uint_le(count_lines(text), 70);
  ck_assert_uint_le(count_lines(text), count_lines(few_text) + 3);
  ck_assert_ptr_nonnull(strstr(text, "encoder.0..23.score  24 fwd"));
  ck_assert_ptr_nonnull(strstr(text, "1. 72 x encoder.0..23.{query,key,value} update: "));
  style.is_unfolded = true;
  char *const unfolded = as_table(DSM_ANSWER(plan, many.plan), style);
  ck_assert_uint_gt(count_lines(unfolded), 24 * BLOCK_LAYERS * 3 - 2 * 24);
  ck_assert_ptr_null(strstr(unfolded, ".."));
  style.is_summary = true;
  char *const summary = as_table(DSM_ANSWER(plan, many.plan), style);
  ck_assert_ptr_null(strstr(summary, "layer "));
  ck_assert_ptr_nonnull(strstr(summary, "step time"));
  char *const json = dsm_plan_print(many.plan);
  ck_assert_uint_lt(strlen(json), 2000000);
  ck_assert_ptr_nonnull(strstr(json, "\"encoder.23.ff2\""));
  free(json);
  free(summary);
  free(unfolded);
  free(text);
  free(few_text);
  subject_free(&many);
  subject_free(&few);
}
END_TEST

/* What the sentences on losses say of equal layers is the sum of what they say of each. */
START_TEST(test_losses_of_equal_layers_are_summed) {
  subject made = encoder_subject(24, "torus64");
  dsm__page page = dsm__page_begin(plain_style(100));
  const char *sentences[DSM__BOTTLENECKS_MAX];
  double lost = 0;
  for (size_t i = 0; i < made.plan->layer_count; i++) {
    const dsm_pass_plan *const update = &made.plan->layers[i].passes[DSM_PASS_UPDATE];
    const char *const name = made.plan->layers[i].name;
    if (strstr(name, ".query") != NULL || strstr(name, ".key") != NULL ||
        strstr(name, ".value") != NULL) {
      lost += update->cycles.total - update->ideal_cycles;
    }
  }
  ck_assert_uint_eq(dsm__plan_bottleneck_sentences(&page, made.plan, sentences), 3);
  const char *const number = strstr(sentences[0], "update: ");
  ck_assert_ptr_nonnull(number);
  ck_assert_double_eq_tol(strtod(number + 8, NULL), 100 * lost / made.plan->result.step_cycles,
                          0.0500001);
  free(dsm__page_finish(&page));
  subject_free(&made);
}
END_TEST

Suite *suite_folding(void) {
  Suite *const suite = suite_create("folding");
  TCase *const cases = tcase_create("all");
  tcase_add_unchecked_fixture(cases, bundled_set_up, NULL);
  tcase_add_loop_test(cases, test_sequences_are_folded, 0, COUNT_OF(sequences));
  tcase_add_loop_test(cases, test_every_layer_is_in_one_row, 0, 12);
  tcase_add_test(cases, test_equal_texts_are_folded);
  tcase_add_loop_test(cases, test_names_are_folded, 0, COUNT_OF(folded_names));
  tcase_add_test(cases, test_the_longest_rows_are_kept_and_of_equals_the_first);
  tcase_add_loop_test(cases, test_folded_rows_add_up_to_the_step, 0, BUNDLED_EXPLORATION_COUNT);
  tcase_add_test(cases, test_equal_layers_that_moved_are_one_row);
  tcase_add_test(cases, test_differences_of_blocks_add_up);
  tcase_add_test(cases, test_a_transformer_fits_a_screen);
  tcase_add_test(cases, test_losses_of_equal_layers_are_summed);
  suite_add_tcase(suite, cases);
  return suite;
}
