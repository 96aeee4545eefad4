/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timeline by hand, beside a simulation event by event, and in the long run. */
#include <math.h>
#include <stdlib.h>

#include "jobs.h"
#include "random_numbers.h"
#include "suites.h"

enum { JOBS = 300, EVENTS_MAX = 60 };

/* S = 250 bytes: loaded in 12.5 s, trained on once in 3.125 s. rf 2, 6, 1, 1: training takes 6.25,
 * 18.75, 3.125 and 3.125 s. Loads end at 12.5; 25 (it begins with training 0 at 12.5); 37.5 (at
 * 25); 56.25, since load 3 begins with training 2, at 43.75. */
START_TEST(test_by_hand) {
  static const double repeats[] = {2, 6, 1, 1};
  static const double due[][4] = {{0, 12.5, 12.5, 18.75},
                                  {12.5, 25, 25, 43.75},
                                  {25, 37.5, 43.75, 46.875},
                                  {43.75, 56.25, 56.25, 59.375}};
  const dsm_storage_job job = job_by_hand();
  dsm_storage_event events[4];
  ck_assert_double_eq(dsm_storage_timeline(events, &job, 4, repeats, 4), 59.375);
  for (int i = 0; i < 4; i++) {
    ck_assert_double_eq(events[i].load_begin_seconds, due[i][0]);
    ck_assert_double_eq(events[i].load_end_seconds, due[i][1]);
    ck_assert_double_eq(events[i].train_begin_seconds, due[i][2]);
    ck_assert_double_eq(events[i].train_end_seconds, due[i][3]);
    ck_assert_uint_eq(events[i].samples, 25);
  }
  ck_assert_double_eq(events[0].stall_seconds, 12.5); /* the cold start */
  ck_assert_double_eq(events[1].stall_seconds, 6.25);
  ck_assert_double_eq(events[2].stall_seconds, 0);
  ck_assert_double_eq(events[3].stall_seconds, 9.375);
}
END_TEST

/* A second machine of the same rules, which knows of two places, a loader and a trainer alone: a
 * place is free once its mini-epoch is done with; time goes on to whatever ends next. */
typedef struct machine {
  double now;
  int free_places;
  size_t loading; /* next to be loaded, or being loaded */
  size_t training;
  bool is_loading;
  bool is_training;
  double load_left;
  double train_left;
} machine;

static double simulate(const dsm_storage_job *job, uint64_t mini_epochs, const double *repeats,
                       size_t count, double *stalled) {
  const double eb1 = fmin(job->fast_bytes_per_second, job->demand_bytes_per_second);
  machine m = {.free_places = 2};
  *stalled = 0;
  while (m.training < count) {
    const double load_bytes =
        (double)dsm_storage_mini_epoch_samples(job, mini_epochs, m.loading) * job->sample_bytes;
    const double train_bytes =
        (double)dsm_storage_mini_epoch_samples(job, mini_epochs, m.training) * job->sample_bytes;
    if (!m.is_loading && m.loading < count && m.free_places > 0) {
      m.is_loading = true;
      m.free_places--;
      m.load_left = load_bytes / job->capacity_bytes_per_second;
    }
    if (!m.is_training && m.training < m.loading) {
      m.is_training = true;
      m.train_left = repeats[m.training] * train_bytes / eb1;
    }
    const double step =
        fmin(m.is_loading ? m.load_left : HUGE_VAL, m.is_training ? m.train_left : HUGE_VAL);
    ck_assert(isfinite(step));
    m.now += step;
    *stalled += m.is_training ? 0 : step;
    m.load_left -= step;
    m.train_left -= step;
    if (m.is_training && !(m.train_left > 0)) {
      m.is_training = false;
      m.free_places++;
      m.training++;
    }
    if (m.is_loading && !(m.load_left > 0)) {
      m.is_loading = false;
      m.loading++;
    }
  }
  return m.now;
}

START_TEST(test_beside_a_simulation) {
  uint64_t state = 1904;
  for (int n = 0; n < JOBS; n++) {
    const dsm_storage_job job = job_drawn(&state);
    const uint64_t mini_epochs = 2 + random_below(&state, 9);
    const size_t count = 1 + (size_t)random_below(&state, EVENTS_MAX);
    double repeats[EVENTS_MAX];
    dsm_storage_event events[EVENTS_MAX];
    double trained = 0;
    double loaded = 0;
    double stalls = 0;
    double stalled = 0;
    if (mini_epochs > job.samples) {
      continue;
    }
    for (size_t i = 0; i < count; i++) {
      repeats[i] = (double)(1 + random_below(&state, 20));
    }
    const double end = dsm_storage_timeline(events, &job, mini_epochs, repeats, count);
    const double other = simulate(&job, mini_epochs, repeats, count, &stalled);
    for (size_t i = 0; i < count; i++) {
      trained += repeats[i] * (double)events[i].samples * job.sample_bytes;
      loaded += (double)events[i].samples * job.sample_bytes;
      stalls += events[i].stall_seconds;
    }
    ck_assert_double_eq_tol(end, other, 1e-9 * end);
    ck_assert_double_eq_tol(stalls, stalled, 1e-9 * end);
    ck_assert_double_ge(end * (1 + 1e-12),
                        trained / fmin(job.fast_bytes_per_second, job.demand_bytes_per_second));
    ck_assert_double_ge(end * (1 + 1e-12), loaded / job.capacity_bytes_per_second);
  }
}
END_TEST

/* After many equal mini-epochs a period is the one of the steady state, and so are the stalls. */
START_TEST(test_in_the_long_run) {
  static const size_t count = 20000;
  uint64_t state = 1905;
  double *const repeats = calloc(count, sizeof *repeats);
  dsm_storage_event *const events = calloc(count, sizeof *events);
  for (int n = 0; n < 20; n++) {
    dsm_storage_job job = job_drawn(&state);
    job.samples = 1000;
    const double repeat = (double)(1 + random_below(&state, 30));
    for (size_t i = 0; i < count; i++) {
      repeats[i] = repeat;
    }
    const double end = dsm_storage_timeline(events, &job, 10, repeats, count);
    const dsm_storage_state steady = dsm_storage_steady(&job, 10, repeat);
    double stalls = 0;
    for (size_t i = 1; i < count; i++) {
      stalls += events[i].stall_seconds;
    }
    ck_assert_double_eq_tol(end / (double)count, steady.period_seconds,
                            2.0 / (double)count * steady.period_seconds);
    ck_assert_double_eq_tol(stalls / end, steady.stall_share, 2.0 / (double)count);
    ck_assert_double_eq_tol((double)count * repeat * 100 / end, steady.samples_per_second,
                            3.0 / (double)count * steady.samples_per_second);
  }
  free(events);
  free(repeats);
}
END_TEST

/* What fits is loaded once: later passes find it there. */
START_TEST(test_what_fits_is_loaded_once) {
  static const double repeats[] = {1, 2};
  dsm_storage_job job = job_by_hand();
  job.fast_bytes = 1000;
  dsm_storage_event events[2];
  ck_assert_double_eq(dsm_storage_timeline(events, &job, 1, repeats, 2), 50 + 12.5 + 25);
  ck_assert_double_eq(events[1].stall_seconds, 0);
}
END_TEST

Suite *suite_timeline(void) {
  Suite *const suite = suite_create("timeline");
  TCase *const tests = tcase_create("timeline");
  tcase_add_test(tests, test_by_hand);
  tcase_add_test(tests, test_beside_a_simulation);
  tcase_add_test(tests, test_in_the_long_run);
  tcase_add_test(tests, test_what_fits_is_loaded_once);
  suite_add_tcase(suite, tests);
  return suite;
}
