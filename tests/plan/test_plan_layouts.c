/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_plan_layouts.c: held outputs with layouts in the cores (model.layout_move "exact"), by hand.
 *
 *   0  a  conv 4 -> 8, 4 x 4        cores: ij 2, mb 2
 *   1  b  conv 8 -> 8, 4 x 4        cores: out 2, mb 2; output held
 *   2  c  conv 8 -> 8, 4 x 4        cores: ij 4 in forward, out 4 in backward and update
 *
 * 32 samples on 2 x 4 chips by data: 4 a chip, so b's output takes 128 * 4 * 2 = 1024 bytes of one.
 * 4 cores on a ring of 128 bytes a cycle: a move of it takes 1024 / 4 / 128 = 2 cycles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explored.h"
#include "made.h"
#include "plan/core_layouts.h"
#include "plan/plan_internal.h"
#include "suites.h"

#define CONV "\"type\": \"conv\", \"out\": 8, \"feature\": [4, 4]"

static const char network[] = "{\"name\": \"a\", " CONV ", \"in\": 4},"
                              "{\"name\": \"b\", " CONV ", \"in\": 8},"
                              "{\"name\": \"c\", " CONV ", \"in\": 8}";

enum { LAYER_A, LAYER_B, LAYER_C, LAYER_COUNT };

static const char exact[] = "{\"layout_move\": \"exact\"}";

static made m;

static void make(dsm_core_layout layout, uint64_t factor) {
  static const dsm_loops splits[LAYER_COUNT] = {
      {{1, 1, 2, 1, 2}}, {{1, 2, 1, 1, 2}}, {{1, 4, 1, 1, 1}}};
  m = made_of(network, DSM_MODE_TRAINING, exact);
  for (size_t i = 0; i < LAYER_COUNT; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      m.layers[i].splits[p][0] = splits[i];
      m.layers[i].splits[p][1] = splits[i];
    }
  }
  m.layers[LAYER_C].splits[DSM_PASS_FORWARD][0] = (dsm_loops){{1, 1, 4, 1, 1}};
  m.layers[LAYER_B].layer.is_output_held = true;
  m.layers[LAYER_B].layer.output_layout = layout;
  m.layers[LAYER_B].layer.dysm_factor = factor;
  m.layers[LAYER_C].layer.dysm_factor = factor;
  made_predict(&m);
}

static void tear_down(void) {
  made_free(&m);
}

static double moved(size_t layer, dsm_pass pass) {
  return m.plan->layers[layer].passes[pass].group_cycles[DSM_GROUP_LAYOUT_MOVE];
}

/* ---- moves ---- */

typedef struct move_case {
  dsm_core_layout layout;
  double b[DSM_PASS_COUNT];
  double c[DSM_PASS_COUNT];
} move_case;

/* b's splits fit two parts of the features and two of the samples; c's forward four of the
 * positions, and its backward, which cuts neither its input's features nor positions nor samples,
 * all layouts. */
static const move_case move_cases[] = {
    {{2, 1, 2}, {0, 0, 0}, {2, 0, 0}}, {{1, 4, 1}, {2, 2, 2}, {0, 0, 0}},
    {{4, 1, 1}, {2, 2, 2}, {2, 0, 0}}, {{1, 1, 4}, {2, 2, 2}, {2, 0, 0}},
    {{1, 2, 2}, {2, 2, 2}, {2, 0, 0}}, {{2, 2, 1}, {2, 2, 2}, {2, 0, 0}},
};

/* With a factor of 2, twice half of the bytes. */
START_TEST(test_misfits_move) {
  const move_case *const c = &move_cases[_i / 2];
  make(c->layout, 1 + (uint64_t)_i % 2);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    ck_assert_double_eq(moved(LAYER_A, (dsm_pass)p), 0);
    ck_assert_double_eq(moved(LAYER_B, (dsm_pass)p), c->b[p]);
    ck_assert_double_eq(moved(LAYER_C, (dsm_pass)p), c->c[p]);
  }
  ck_assert_int_eq(dsm_plan_validate(m.plan, NULL), DSM_OK);
}
END_TEST

/* c moves it once where b's splits fit; b would move it three times where c's forward fits. */
START_TEST(test_layout_that_is_left_open_is_the_cheapest) {
  dsm__arena *const arena = dsm__arena_new();
  make((dsm_core_layout){1, 1, 4}, 1);
  const dsm_machine machine = dsm_machine_derive(m.system);
  const dsm__decisions decisions = {.layers = m.layers};
  m.layers[LAYER_B].layer.output_layout = (dsm_core_layout){0, 0, 0};
  ck_assert(dsm__core_layouts_complete(m.workload, &machine, DSM_MODE_TRAINING, &decisions,
                                       m.layers, false, arena));
  const dsm_core_layout cheapest = m.layers[LAYER_B].layer.output_layout;
  ck_assert_uint_eq(cheapest.features, 2);
  ck_assert_uint_eq(cheapest.ij, 1);
  ck_assert_uint_eq(cheapest.mb, 2);
  ck_assert_uint_eq(m.layers[LAYER_A].layer.output_layout.features, 0);
  dsm__arena_free(arena);
}
END_TEST

/* Of layouts that cost the same the first: b and c move nothing with any, so 1 x 1 x 4. */
START_TEST(test_of_equal_layouts_the_first_is_taken) {
  dsm__arena *const arena = dsm__arena_new();
  make((dsm_core_layout){4, 1, 1}, 1);
  const dsm_machine machine = dsm_machine_derive(m.system);
  const dsm__decisions decisions = {.layers = m.layers};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    m.layers[LAYER_B].splits[p][0] = (dsm_loops){{4, 1, 1, 1, 1}};
    m.layers[LAYER_C].splits[p][0] = (dsm_loops){{1, 4, 1, 1, 1}};
  }
  ck_assert(dsm__core_layouts_complete(m.workload, &machine, DSM_MODE_TRAINING, &decisions,
                                       m.layers, false, arena));
  ck_assert_uint_eq(m.layers[LAYER_B].layer.output_layout.features, 4); /* it had one */
  ck_assert(dsm__core_layouts_complete(m.workload, &machine, DSM_MODE_TRAINING, &decisions,
                                       m.layers, true, arena));
  ck_assert_uint_eq(m.layers[LAYER_B].layer.output_layout.features, 1);
  ck_assert_uint_eq(m.layers[LAYER_B].layer.output_layout.mb, 4);
  dsm__arena_free(arena);
}
END_TEST

static const uint64_t layout_counts[][2] = {{1, 1}, {2, 3}, {4, 6}, {6, 9}, {32, 21}, {7, 3}};

START_TEST(test_layouts_are_all_ordered_factorisations) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__core_layouts layouts;
  ck_assert(dsm__core_layouts_enumerate(&layouts, layout_counts[_i][0], arena));
  ck_assert_uint_eq(layouts.count, layout_counts[_i][1]);
  for (size_t i = 0; i < layouts.count; i++) {
    const dsm_core_layout one = layouts.items[i];
    ck_assert_uint_eq(one.features * one.ij * one.mb, layout_counts[_i][0]);
    if (i > 0) {
      const dsm_core_layout before = layouts.items[i - 1];
      ck_assert(before.features < one.features ||
                (before.features == one.features && before.ij < one.ij));
    }
  }
  dsm__arena_free(arena);
}
END_TEST

/* ---- as text ---- */

START_TEST(test_layouts_are_read_as_they_are_written) {
  make(move_cases[_i].layout, 2);
  char *const text = dsm_plan_print(m.plan);
  reading again = read_plan(text);
  ck_assert_int_eq(again.status, DSM_OK);
  ck_assert_double_eq(again.plan->result.step_cycles, m.plan->result.step_cycles);
  ck_assert_mem_eq(&again.plan->layers[LAYER_B].decisions.output_layout, &move_cases[_i].layout,
                   sizeof move_cases[_i].layout);
  reading_free(&again);
  free(text);
}
END_TEST

/* Taken out of the text, it is the cheapest again. */
START_TEST(test_layout_that_is_not_written_is_the_cheapest) {
  static const edit out = {"layers.1.output_layout", NULL};
  make((dsm_core_layout){4, 1, 1}, 1);
  char *const text = dsm_plan_print(m.plan);
  char *const open = edited(text, &out, 1);
  reading again = read_plan(open);
  ck_assert_int_eq(again.status, DSM_OK);
  ck_assert_uint_eq(again.plan->layers[LAYER_B].decisions.output_layout.mb, 2);
  ck_assert_double_eq(again.plan->result.step_cycles, m.plan->result.step_cycles - 6);
  reading_free(&again);
  free(open);
  free(text);
}
END_TEST

typedef struct wrong {
  edit edits[2];
  const char *path;
  const char *message;
} wrong;

#define B "layers.1."

static const wrong wrongs[] = {
    {{{B "output_layout", "{\"features\": 2, \"ij\": 2, \"mb\": 2}"}},
     "$.layers[1].output_layout",
     "expected parts that multiply to the 4 cores, found 2 x 2 x 2"},
    {{{B "output_layout", "{\"features\": 3, \"ij\": 1, \"mb\": 1}"}},
     "$.layers[1].output_layout",
     "expected parts that multiply to the 4 cores, found 3 x 1 x 1"},
    {{{B "output_layout.ij", "5"}}, "$.layers[1].output_layout.ij", NULL},
    {{{B "output_layout.ij", "0"}}, "$.layers[1].output_layout.ij", NULL},
    {{{B "output_layout.mb", NULL}}, "$.layers[1].output_layout", NULL},
    {{{B "output_layout.kij", "1"}}, "$.layers[1].output_layout.kij", NULL},
    {{{B "output_layout", "\"ij\""}}, "$.layers[1].output_layout", NULL},
    {{{B "output_on_chip", "false"}},
     "$.layers[1].output_layout",
     "expected none of an output that is not held, found one"},
    {{{"system.model.layout_move", "\"always\""}},
     "$.layers[1].output_layout",
     "expected none where model.layout_move is not \"exact\", found one"},
};

/* One finding each, at the key. */
START_TEST(test_wrong_layouts_are_told) {
  const wrong *const w = &wrongs[_i];
  make((dsm_core_layout){2, 1, 2}, 1);
  char *const text = dsm_plan_print(m.plan);
  char *const broken = edited(text, w->edits, 1);
  reading read = read_plan(broken);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
  const dsm_diag *const diag = dsm_diags_get(read.diags, 0);
  ck_assert_msg(strncmp(diag->path, w->path, strlen(w->path)) == 0, "%s", diag->path);
  ck_assert_msg(w->message == NULL || strcmp(diag->message, w->message) == 0, "%s", diag->message);
  reading_free(&read);
  free(broken);
  free(text);
}
END_TEST

/* A plan in memory has to have one. */
START_TEST(test_held_output_without_a_layout_is_not_valid) {
  make((dsm_core_layout){0, 0, 0}, 1);
  ck_assert_int_eq(dsm_plan_validate(m.plan, NULL), DSM_ERROR_INVALID);
}
END_TEST

Suite *suite_plan_layouts(void) {
  Suite *const suite = suite_create("plan_layouts");
  TCase *const tests = tcase_create("layouts");
  tcase_add_checked_fixture(tests, NULL, tear_down);
  tcase_add_loop_test(tests, test_misfits_move, 0, 2 * COUNT_OF(move_cases));
  tcase_add_test(tests, test_layout_that_is_left_open_is_the_cheapest);
  tcase_add_test(tests, test_of_equal_layouts_the_first_is_taken);
  tcase_add_loop_test(tests, test_layouts_are_all_ordered_factorisations, 0,
                      COUNT_OF(layout_counts));
  tcase_add_loop_test(tests, test_layouts_are_read_as_they_are_written, 0, COUNT_OF(move_cases));
  tcase_add_test(tests, test_layout_that_is_not_written_is_the_cheapest);
  tcase_add_loop_test(tests, test_wrong_layouts_are_told, 0, COUNT_OF(wrongs));
  tcase_add_test(tests, test_held_output_without_a_layout_is_not_valid);
  suite_add_tcase(suite, tests);
  return suite;
}
