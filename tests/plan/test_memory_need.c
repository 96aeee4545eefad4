/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan over the chips' memory is infeasible, and the finding says by how much and why. */
#include <stdlib.h>
#include <string.h>

#include "explored.h"
#include "suites.h"

static explored made;
static reading read_back;

static void tear_down(void) {
  reading_free(&read_back);
  explored_free(&made);
}

/* Plans of raider on torus16 with that capacity. What a chip needs, all layers data parallel, 16 of
 * 256 samples a chip, 2 bytes an element:
 *   weights      72 + 576 + 2048 + 64 = 2760, 5520 bytes; gradients the same
 *   activations  stored 8 * 64 + 8 * 16 + 16 + 4 = 660 elements and 256 of the input,
 *                916 * 16 samples * 2 bytes = 29,312
 *   errors       largest pair: conv2 and conv1, (128 + 512) * 16 * 2 = 20,480
 * together 60,832 bytes. */
static void read_with_capacity(const char *capacity_GB) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  made = explore_bundled("raider", "torus16", "256", &options);
  char *const text = dsm_plan_print(made.plan);
  const edit capacity = {"system.chip.memory.capacity_GB", capacity_GB};
  char *const changed = edited(text, &capacity, 1);
  read_back = read_plan(changed);
  free(changed);
  free(text);
}

START_TEST(test_need_is_the_sum_of_all_that_is_kept) {
  read_with_capacity("8");
  const dsm_plan_memory *const memory = &read_back.plan->result.memory;
  ck_assert_double_eq(memory->weights_bytes, 5520);
  ck_assert_double_eq(memory->gradients_bytes, 5520);
  ck_assert_double_eq(memory->activations_bytes, 29312);
  ck_assert_double_eq(memory->errors_bytes, 20480);
  ck_assert_double_eq(memory->optimizer_bytes, 0);
  ck_assert_double_eq(memory->total_bytes, 60832);
}
END_TEST

START_TEST(test_plan_that_just_fits_is_feasible) {
  read_with_capacity("60.833e-6");
  ck_assert_int_eq(read_back.status, DSM_OK);
  ck_assert_int_eq(dsm_plan_validate(read_back.plan, NULL), DSM_OK);
}
END_TEST

START_TEST(test_plan_that_just_does_not_fit_is_infeasible) {
  read_with_capacity("60.831e-6");
  ck_assert_int_eq(read_back.status, DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(read_back.plan);
  ck_assert_uint_eq(dsm_diags_count(read_back.diags), 1);
}
END_TEST

/* The largest three: the activation gradients (20,480), then conv1's stored output (16,384). */
START_TEST(test_finding_names_the_largest_tensors) {
  read_with_capacity("60.831e-6");
  const dsm_diag *const diag = dsm_diags_get(read_back.diags, 0);
  const char *const errors = strstr(diag->hint, "activation gradients of conv2");
  const char *const activations = strstr(diag->hint, "activations of conv1");
  ck_assert_ptr_nonnull(errors);
  ck_assert_ptr_nonnull(activations);
  ck_assert(errors < activations);
}
END_TEST

Suite *suite_memory_need(void) {
  Suite *const suite = suite_create("memory_need");
  TCase *const tcase = tcase_create("capacity");
  tcase_add_checked_fixture(tcase, NULL, tear_down);
  tcase_add_test(tcase, test_need_is_the_sum_of_all_that_is_kept);
  tcase_add_test(tcase, test_plan_that_just_fits_is_feasible);
  tcase_add_test(tcase, test_plan_that_just_does_not_fit_is_infeasible);
  tcase_add_test(tcase, test_finding_names_the_largest_tensors);
  suite_add_tcase(suite, tcase);
  return suite;
}
