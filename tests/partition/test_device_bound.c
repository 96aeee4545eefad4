/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_device_bound.c: a bound from what each device is worth at prices, against all storages. */
#include "partition/device_bound.h"

#include <math.h>

#include "enumerate.h"
#include "how_many.h"
#include "small_instance.h"
#include "suites.h"

/* A search that has an answer, any: the linear programme with all stored as in the first one that
 * the tree finds. Bounds of the rate are such that there is something to be proven. */
static void make_search(dsm__search *search, const small_instance *s,
                        const dsm_partition_options *options, double optimum) {
  glp_term_out(GLP_OFF);
  const bool is_rate = options->objective == DSM_OBJECTIVE_THROUGHPUT;
  dsm__arena *const arena = dsm__arena_new();
  *search = (dsm__search){.instance = &s->instance,
                          .options = options,
                          .arena = arena,
                          .begin = glp_time(),
                          .sign = is_rate ? 1 : -1,
                          .bound = is_rate ? 1.5 * optimum : 0};
  search->form = (dsm__programme_form){
      .is_tight = true, .rho_limit = 1.5 * optimum, .time_unit = is_rate ? 1 / optimum : optimum};
  ck_assert(dsm__programme_build(&search->programme, arena, &s->instance, options, search->form));
  search->problem = dsm__search_load(search, &search->programme);
  ck_assert(DSM__RESERVE(arena, search->values, search->programme.column_count + 1));
  ck_assert_int_eq(dsm__search_relax(search, search->problem), DSM__SOLVED_OPTIMAL);
  glp_iocp how;
  glp_init_iocp(&how);
  how.msg_lev = GLP_MSG_OFF;
  how.mip_gap = 0.5;
  const int ended = glp_intopt(search->problem, &how);
  ck_assert(ended == 0 || ended == GLP_EMIPGAP);
  for (size_t c = 0; c < search->programme.column_count; c++) {
    search->values[c + 1] = glp_mip_col_val(search->problem, (int)c + 1);
  }
  search->has_best = true;
  search->best = search->programme.goal_offset +
                 search->programme.goal_unit * glp_mip_obj_val(search->problem);
}

static double bound_of(const small_instance *s, const dsm_partition_options *options,
                       double optimum) {
  dsm__search search;
  make_search(&search, s, options, optimum);
  ck_assert(dsm__search_relax(&search, search.problem) == DSM__SOLVED_OPTIMAL);
  const double relaxed = dsm__search_value(&search);
  ck_assert_int_eq(dsm__bound_by_devices(&search, 0), DSM_OK);
  ck_assert_double_le(search.sign * search.bound, search.sign * relaxed + 1e-6 * fabs(relaxed));
  glp_delete_prob(search.problem);
  dsm__arena_free(search.arena);
  return search.bound;
}

/* With ports and pairs the enumeration, which knows plain links alone, says nothing: there it is
 * what the solver proves, which tests of ways hold against whole requests. 0: there is no answer.
 */
static double optimum_of(const small_instance *s, const dsm_partition_options *options, int seed) {
  if (seed % 5 != 4) {
    return enumerate_throughput(&s->instance, options);
  }
  dsm_partition_options exact = *options;
  exact.gap = 0;
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s->instance, &exact, NULL);
  const double rho = status == DSM_OK ? partition->rho : 0;
  dsm_partition_free(partition);
  return rho;
}

static void draw(small_instance *s, dsm_partition_options *options, int seed) {
  small_random(s, (uint64_t)seed, 6, 3);
  if (seed % 5 == 4) {
    small_routes(s, (uint64_t)seed);
  }
  dsm_partition_options_init(options);
  options->copies_max = seed % 3 == 0 ? 1 : 0;
  options->is_staged = seed % 6 == 0;
  options->cuts_max = seed % 6 == 3 ? 1 + (size_t)seed % 2 : 0;
}

START_TEST(no_storage_is_beyond) {
  small_instance s;
  dsm_partition_options options;
  draw(&s, &options, _i);
  const double rho = optimum_of(&s, &options, _i);
  if (rho > 1e-9) {
    ck_assert_double_ge(bound_of(&s, &options, rho), rho * (1 - 1e-7));
  }
  options.objective = DSM_OBJECTIVE_LATENCY;
  const double seconds = enumerate_latency(&s.instance, &options);
  if (isfinite(seconds) && _i % 5 != 4) { /* of plain links */
    ck_assert_double_le(bound_of(&s, &options, seconds), seconds * (1 + 1e-7));
  }
}
END_TEST

/* Two tasks of a second, two devices with room for one of them each, and links that carry what the
 * first puts out half a time a second. In parts both are stored on both, each request stays where
 * it is, and the relaxation has more than half a request a second; whole, all of them have to move.
 */
START_TEST(what_cannot_be_stored_together_is_sent) {
  small_instance s;
  small_chain(&s, 2, 2);
  s.tasks[0].weights_bytes = s.tasks[1].weights_bytes = 1;
  s.tasks[0].output_bytes = 2;
  small_relink(&s);
  for (size_t j = 0; j < 2; j++) {
    s.devices[j].memory_bytes = 1;
    s.devices[j].link_bytes_per_second = 1;
  }
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  dsm__search search;
  make_search(&search, &s, &options, 0.5);
  ck_assert_double_gt(dsm__search_value(&search), 0.6);
  ck_assert_int_eq(dsm__bound_by_devices(&search, 0), DSM_OK);
  ck_assert_double_eq_tol(search.bound, 0.5, 1e-3);
  glp_delete_prob(search.problem);
  dsm__arena_free(search.arena);
}
END_TEST

Suite *suite_device_bound(void) {
  Suite *const suite = suite_create("device bound");
  TCase *const tests = tcase_create("device bound");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, what_cannot_be_stored_together_is_sent);
  tcase_add_loop_test(tests, no_storage_is_beyond, 0, HOW_MANY(600, 150, 60));
  suite_add_tcase(suite, tests);
  return suite;
}
