/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_overlap.c: sums of gradients behind what is still computed, worked out by hand. */
#include "model/chip_link.h"
#include "suites.h"

static void expect_visible(const dsm__reduction *one, double sum, double way_back) {
  ck_assert_double_eq_tol(one->visible[DSM__HALF_SUM], sum, 1e-12);
  ck_assert_double_eq_tol(one->visible[DSM__HALF_WAY_BACK], way_back, 1e-12);
}

/* Layers take 6 + 4, 15 + 5 and 5 for update and backward. The first sums from 6 on, until 10, and
 * sends back until 13; the second, updated at 25, sums until 28, and sends back until 32; the
 * third, updated at 35, when all has computed, is done at 38. */
START_TEST(test_what_ends_after_computing_is_visible) {
  dsm__reduction layers[] = {{.update_cycles = 6, .backward_cycles = 4, .cycles = {4, 3}},
                             {.update_cycles = 15, .backward_cycles = 5, .cycles = {3, 4}},
                             {.update_cycles = 5, .cycles = {2, 1}}};
  dsm__reductions_overlap(layers, 3);
  expect_visible(&layers[0], 0, 0);
  expect_visible(&layers[1], 0, 0);
  expect_visible(&layers[2], 2, 1);
  layers[1].cycles[DSM__HALF_WAY_BACK] = 9; /* until 37 */
  dsm__reductions_overlap(layers, 3);
  expect_visible(&layers[1], 0, 2);
  expect_visible(&layers[2], 2, 1);
}
END_TEST

/* A chain that is longer than computing: from 10 to 110 and 111, then 114. Computing ends at 31. */
START_TEST(test_a_long_chain_shows_but_for_what_is_computed) {
  dsm__reduction layers[] = {{.update_cycles = 10, .cycles = {100, 1}},
                             {.backward_cycles = 20, .cycles = {0, 0}},
                             {.update_cycles = 1, .cycles = {3, 0}}};
  dsm__reductions_overlap(layers, 3);
  expect_visible(&layers[0], 79, 1);
  expect_visible(&layers[1], 0, 0);
  expect_visible(&layers[2], 3, 0);
}
END_TEST

START_TEST(test_the_last_to_compute_hides_nothing) {
  dsm__reduction layers[] = {{.update_cycles = 10, .cycles = {4, 3}}};
  dsm__reductions_overlap(layers, 1);
  expect_visible(&layers[0], 4, 3);
  dsm__reductions_overlap(layers, 0);
}
END_TEST

Suite *suite_overlap(void) {
  Suite *const suite = suite_create("overlap");
  TCase *const visible = tcase_create("visible");
  tcase_add_test(visible, test_what_ends_after_computing_is_visible);
  tcase_add_test(visible, test_a_long_chain_shows_but_for_what_is_computed);
  tcase_add_test(visible, test_the_last_to_compute_hides_nothing);
  suite_add_tcase(suite, visible);
  return suite;
}
