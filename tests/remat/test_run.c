/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules run step by step, by hand. */
#include "dsm/remat.h"

#include <string.h>

#include "chains.h"
#include "suites.h"

#define CK DSM_REMAT_CHECKPOINT
#define FWD DSM_REMAT_FORWARD
#define SAVE DSM_REMAT_SAVE
#define BACK DSM_REMAT_BACKWARD

/* Two stages that keep all: 3 + 3 saved, and both errors while the last runs backward. */
START_TEST(test_all_kept) {
  static const dsm_remat_step steps[] = {{SAVE, 0, 0}, {SAVE, 1, 0}, {BACK, 1, 0}, {BACK, 0, 0}};
  own_chain own;
  dsm_remat_run run;
  double held[COUNT_OF(steps)];
  chain_of_equal(&own, 2);
  ck_assert_int_eq(dsm_remat_simulate(&run, held, &own.chain, steps, COUNT_OF(steps), NULL),
                   DSM_OK);
  ck_assert_double_eq(run.seconds, 6);
  ck_assert_double_eq(run.peak_bytes, 8);
  ck_assert_uint_eq(run.repeated, 0);
  ck_assert_double_eq(held[0], 3);
  ck_assert_double_eq(held[1], 6);
  ck_assert_double_eq(held[2], 4);
  ck_assert_double_eq(held[3], 0);
}
END_TEST

/* The first of three drops, and runs again: its output and the next one's are checkpoints. */
START_TEST(test_run_again) {
  static const dsm_remat_step steps[] = {{CK, 0, 0},   {FWD, 1, 0},  {SAVE, 2, 0},
                                         {BACK, 2, 0}, {CK, 0, 0},   {SAVE, 1, 0},
                                         {BACK, 1, 0}, {SAVE, 0, 0}, {BACK, 0, 0}};
  own_chain own;
  dsm_remat_run run;
  double held[COUNT_OF(steps)];
  chain_of_equal(&own, 3);
  ck_assert_int_eq(dsm_remat_simulate(&run, held, &own.chain, steps, COUNT_OF(steps), NULL),
                   DSM_OK);
  ck_assert_double_eq(run.seconds, 3 * 3 + 3);
  ck_assert_uint_eq(run.repeated, 3);
  ck_assert_double_eq(held[1], 1); /* the checkpoint before the last stage alone */
  ck_assert_double_eq(held[3], 1); /* its error */
  ck_assert_double_eq(held[5], 5); /* error, checkpoint, saved */
  ck_assert_double_eq(run.peak_bytes, 6);
}
END_TEST

typedef struct wrong_schedule {
  const char *what;
  dsm_remat_step steps[3];
  size_t step_count;
} wrong_schedule;

static const wrong_schedule wrong[] = {
    {"no backward", {{SAVE, 0, 0}, {SAVE, 1, 0}}, 2},
    {"no input", {{SAVE, 1, 0}}, 1},
    {"nothing saved", {{CK, 0, 0}, {BACK, 0, 0}}, 2},
    {"twice", {{CK, 0, 0}, {CK, 0, 0}}, 2},
    {"no error", {{SAVE, 0, 0}, {BACK, 0, 0}}, 2},
    {"no such stage", {{SAVE, 2, 0}}, 1},
    {"no such option", {{SAVE, 0, 1}}, 1},
    {"no such action", {{DSM_REMAT_ACTION_COUNT, 0, 0}}, 1},
    {"nothing", {{CK, 0, 0}}, 0},
};

START_TEST(test_wrong) {
  own_chain own;
  dsm_remat_run run;
  chain_of_equal(&own, 2);
  ck_assert_int_eq(
      dsm_remat_simulate(&run, NULL, &own.chain, wrong[_i].steps, wrong[_i].step_count, NULL),
      DSM_ERROR_INVALID);
}
END_TEST

/* A stage that may not run twice does not. */
START_TEST(test_not_again) {
  static const dsm_remat_step steps[] = {
      {CK, 0, 0}, {SAVE, 1, 0}, {BACK, 1, 0}, {SAVE, 0, 0}, {BACK, 0, 0}};
  own_chain own;
  dsm_remat_run run;
  chain_of_equal(&own, 2);
  ck_assert_int_eq(dsm_remat_simulate(&run, NULL, &own.chain, steps, COUNT_OF(steps), NULL),
                   DSM_OK);
  own.stages[0].is_recomputable = false;
  dsm_diags *const diags = dsm_diags_new(1);
  ck_assert_int_eq(dsm_remat_simulate(&run, NULL, &own.chain, steps, COUNT_OF(steps), diags),
                   DSM_ERROR_INVALID);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "step 4 of the schedule, save of stage 1: it may not run twice");
  dsm_diags_free(diags);
}
END_TEST

Suite *suite_run(void) {
  Suite *const suite = suite_create("run");
  TCase *const tests = tcase_create("run");
  tcase_add_test(tests, test_all_kept);
  tcase_add_test(tests, test_run_again);
  tcase_add_loop_test(tests, test_wrong, 0, COUNT_OF(wrong));
  tcase_add_test(tests, test_not_again);
  suite_add_tcase(suite, tests);
  return suite;
}
