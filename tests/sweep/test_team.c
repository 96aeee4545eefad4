/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "bundled_sweep.h"
#include "suites.h"
#include "sweep/evaluator.h"
#include "sweep/point_record.h"
#include "sweep/team.h"

enum { POINT_COUNT = 6 };

/* One of the minibatches is not valid. */
static dsm_sweep *make_sweep(void) {
  return bundled_sweep("'workloads': ['alexnet'], 'systems': ['torus16'], 'axes': ["
                       "  {'path': 'workload.minibatch', 'values': [64, 128, 0]},"
                       "  {'path': 'options.mode', 'values': ['training', 'inference']}]",
                       DSM_RECORD_LAYERS);
}

typedef struct meeting {
  size_t given;
  size_t taken;
  size_t held_most;
  dsm__text_buffer found[POINT_COUNT];
} meeting;

/* Gives all points and takes all results. */
static void lead(void *context, dsm__team *team) {
  meeting *const m = context;
  while (m->taken < POINT_COUNT) {
    dsm__team_result result;
    bool was_busy = false;
    while (m->given < POINT_COUNT && dsm__team_give(team, m->given)) {
      m->given++;
      was_busy = true;
    }
    const size_t held = m->given - m->taken;
    m->held_most = held > m->held_most ? held : m->held_most;
    if (dsm__team_take(team, &result)) {
      ck_assert_int_eq(result.status, DSM_OK);
      ck_assert_uint_eq(m->found[result.point].length, 0);
      dsm__text_append(&m->found[result.point], result.bytes->text, result.bytes->length);
      dsm__team_release(team, &result);
      m->taken++;
      was_busy = true;
    }
    dsm__team_rest(team, was_busy);
  }
}

START_TEST(each_point_is_evaluated_once_whoever_does_it) {
  dsm_sweep *const sweep = make_sweep();
  ck_assert_uint_eq(sweep->point_count, POINT_COUNT);
  dsm__evaluator *const alone = dsm__evaluator_new(sweep);
  meeting m = {.given = 0};
  ck_assert_int_eq(dsm__team_run(sweep, (size_t)_i, lead, &m, NULL), DSM_OK);
  const size_t size = dsm__team_size((size_t)_i);
  ck_assert_uint_eq(m.held_most, size < POINT_COUNT ? size : POINT_COUNT);
  for (size_t p = 0; p < POINT_COUNT; p++) {
    dsm_point_result result;
    dsm__text_buffer expected = {0};
    ck_assert_int_eq(dsm__evaluate(alone, p, &result, NULL), DSM_OK);
    dsm__result_pack(&expected, &result);
    ck_assert_uint_eq(expected.length, m.found[p].length);
    ck_assert_mem_eq(expected.text, m.found[p].text, expected.length);
    dsm__text_fini(&expected);
    dsm__text_fini(&m.found[p]);
  }
  dsm__evaluator_free(alone);
  dsm_sweep_free(sweep);
}
END_TEST

static void leave(void *context, dsm__team *team) {
  (void)dsm__team_give(team, 0);
  *(bool *)context = true;
}

START_TEST(a_leader_may_leave_points_behind) {
  dsm_sweep *const sweep = make_sweep();
  bool was_called = false;
  ck_assert_int_eq(dsm__team_run(sweep, 2, leave, &was_called, NULL), DSM_OK);
  ck_assert(was_called);
  dsm_sweep_free(sweep);
}
END_TEST

Suite *suite_team(void) {
  Suite *const suite = suite_create("team");
  TCase *const tcase = tcase_create("points");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, each_point_is_evaluated_once_whoever_does_it, 0, 4);
  tcase_add_test(tcase, a_leader_may_leave_points_behind);
  suite_add_tcase(suite, tcase);
  return suite;
}
