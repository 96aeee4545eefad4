/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mini-epochs and the steady state, by hand. */
#include <math.h>

#include "jobs.h"
#include "suites.h"

START_TEST(test_what_fits_is_one_mini_epoch) {
  dsm_storage_job job = job_by_hand();
  job.fast_bytes = 1000;
  ck_assert(dsm_storage_fits(&job));
  ck_assert_uint_eq(dsm_storage_mini_epochs(&job), 1);
  const dsm_storage_state state = dsm_storage_steady(&job, 1, 1);
  ck_assert_double_eq(state.capacity_bytes_per_second, 0);
  ck_assert_double_eq(state.stall_share, 0);
  ck_assert_double_eq(state.samples_per_second, 8);
  ck_assert_double_eq(state.stall_free_repeat, 1);
  job.fast_bytes = 999;
  ck_assert(!dsm_storage_fits(&job));
  ck_assert_uint_eq(dsm_storage_mini_epochs(&job), 3); /* of 49 samples at most */
}
END_TEST

/* nm = ceil(total / (EC1/2)), unless parts of a sample would be needed: 100 samples of which 33 fit
 * in a half are 4 mini-epochs (25 each), though 1000/333 is 3.003; of 50 in a half they are 2. */
START_TEST(test_two_mini_epochs_are_resident) {
  dsm_storage_job job = job_by_hand();
  ck_assert_uint_eq(dsm_storage_mini_epochs(&job), 4);
  job.fast_bytes = 666;
  ck_assert_uint_eq(dsm_storage_mini_epochs(&job), 4);
  job.fast_bytes = 680;
  ck_assert_uint_eq(dsm_storage_mini_epochs(&job), 3);
  job.fast_bytes = 20; /* one sample in each half */
  ck_assert_uint_eq(dsm_storage_mini_epochs(&job), 100);
  job.fast_bytes = 19.99;
  ck_assert_uint_eq(dsm_storage_mini_epochs(&job), 0);
}
END_TEST

START_TEST(test_mini_epochs_partition_the_samples) {
  const dsm_storage_job job = job_by_hand();
  for (uint64_t count = 1; count <= 100; count++) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t samples = dsm_storage_mini_epoch_samples(&job, count, i);
      ck_assert_uint_ge(samples, 100 / count);
      ck_assert_uint_le(samples, 100 / count + 1);
      ck_assert_uint_eq(samples, dsm_storage_mini_epoch_samples(&job, count, i + count));
      sum += samples;
    }
    ck_assert_uint_eq(sum, 100);
  }
}
END_TEST

/* S = 250, EB1 = 80, B2 = 20: rf 2 takes 2 * 250/80 = 6.25 s, loading 12.5 s: half of it stalled,
 * EB2 = 20, 4 samples/s. rf 4: 12.5 s, no stall, 8 samples/s. rf 5: 15.625 s, EB2 = 16. */
START_TEST(test_the_steady_state) {
  const dsm_storage_job job = job_by_hand();
  const dsm_storage_state two = dsm_storage_steady(&job, 4, 2);
  ck_assert_double_eq(two.mini_epoch_bytes, 250);
  ck_assert_double_eq(two.fast_bytes_per_second, 80);
  ck_assert_double_eq(two.period_seconds, 12.5);
  ck_assert_double_eq(two.stall_share, 0.5);
  ck_assert_double_eq(two.capacity_bytes_per_second, 20);
  ck_assert_double_eq(two.delivered_bytes_per_second, 40);
  ck_assert_double_eq(two.samples_per_second, 4);
  ck_assert_double_eq(two.stall_free_repeat, 4);
  const dsm_storage_state four = dsm_storage_steady(&job, 4, 4);
  ck_assert_double_eq(four.stall_share, 0);
  ck_assert_double_eq(four.samples_per_second, 8);
  const dsm_storage_state five = dsm_storage_steady(&job, 4, 5);
  ck_assert_double_eq(five.period_seconds, 15.625);
  ck_assert_double_eq(five.capacity_bytes_per_second, 16);
}
END_TEST

/* Chips that take more than fast storage reads: B1 = 160 of D = 320, 16 of 32 samples/s. */
START_TEST(test_fast_storage_can_be_the_limit) {
  dsm_storage_job job = job_by_hand();
  job.samples_per_second = 32;
  job.demand_bytes_per_second = 320;
  ck_assert_double_eq(dsm_storage_stall_free_repeat(&job), 8);
  ck_assert_double_eq(dsm_storage_steady(&job, 4, 8).samples_per_second, 16);
  job.fast_bytes = 1000;
  ck_assert_double_eq(dsm_storage_steady(&job, 1, 1).samples_per_second, 16);
}
END_TEST

/* Quotients that are whole on paper: 0.1 * 3 is more than 0.3 in binary. */
START_TEST(test_whole_quotients_are_not_rounded_up) {
  dsm_storage_job job = job_by_hand();
  job.demand_bytes_per_second = 0.1 * 3;
  job.capacity_bytes_per_second = 0.1;
  ck_assert_double_eq(dsm_storage_stall_free_repeat(&job), 3);
  job.samples = 3;
  job.sample_bytes = 0.1;
  job.fast_bytes = 0.3;
  ck_assert(dsm_storage_fits(&job));
}
END_TEST

START_TEST(test_numbers_that_no_job_has) {
  static const double bad[] = {0, -1, (double)NAN, (double)INFINITY};
  const dsm_storage_job good = job_by_hand();
  ck_assert_int_eq(dsm_storage_job_check(&good, NULL), DSM_OK);
  for (int i = 0; i < COUNT_OF(bad); i++) {
    dsm_storage_job jobs[6];
    for (int j = 0; j < COUNT_OF(jobs); j++) {
      jobs[j] = good;
    }
    jobs[0].sample_bytes = bad[i];
    jobs[1].samples_per_second = bad[i];
    jobs[2].demand_bytes_per_second = bad[i];
    jobs[3].fast_bytes = bad[i];
    jobs[4].fast_bytes_per_second = bad[i];
    jobs[5].capacity_bytes_per_second = bad[i];
    for (int j = 0; j < COUNT_OF(jobs); j++) {
      dsm_storage_result *result = NULL;
      ck_assert_int_eq(dsm_storage(&result, &jobs[j], NULL, NULL), DSM_ERROR_INVALID);
      ck_assert_ptr_null(result);
    }
  }
  dsm_storage_job none = good;
  none.samples = 0;
  ck_assert_int_eq(dsm_storage_job_check(&none, NULL), DSM_ERROR_INVALID);
}
END_TEST

Suite *suite_job(void) {
  Suite *const suite = suite_create("job");
  TCase *const tests = tcase_create("job");
  tcase_add_test(tests, test_what_fits_is_one_mini_epoch);
  tcase_add_test(tests, test_two_mini_epochs_are_resident);
  tcase_add_test(tests, test_mini_epochs_partition_the_samples);
  tcase_add_test(tests, test_the_steady_state);
  tcase_add_test(tests, test_fast_storage_can_be_the_limit);
  tcase_add_test(tests, test_whole_quotients_are_not_rounded_up);
  tcase_add_test(tests, test_numbers_that_no_job_has);
  suite_add_tcase(suite, tests);
  return suite;
}
