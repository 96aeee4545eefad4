/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_unused_off.c: devices that run nothing are turned off. */
#include <check.h>
#include <math.h>

#include "dsm/partition.h"
#include "enumerate.h"
#include "how_many.h"
#include "small_instance.h"
#include "suites.h"

static dsm_partition_options asked_for(double rho) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.gap = 0;
  options.objective = DSM_OBJECTIVE_ENERGY;
  options.required_rho = rho;
  options.is_unused_off = true;
  return options;
}

static dsm_partition *solved(uint64_t seed, const small_instance *s,
                             const dsm_partition_options *options) {
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_partition *made = NULL;
  const dsm_status status = dsm_partition_solve(&made, &s->instance, options, diags);
  ck_assert_msg(status == DSM_OK, "seed %llu: %s", (unsigned long long)seed,
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding");
  dsm_diags_free(diags);
  return made;
}

/* A task of a second on two devices of 10 and 1 W idle, 11 and 13 W busy. At 0.5 requests a second
 * with all on the first adds least: 11 + 0.5 * 1. Without it the second alone draws (1 + 13) / 2.
 */
START_TEST(the_idle_device_is_turned_off) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.devices[0].has_power = s.devices[1].has_power = true;
  s.devices[0].idle_watts = 10;
  s.devices[0].busy_watts = 11;
  s.devices[1].idle_watts = 1;
  s.devices[1].busy_watts = 13;
  dsm_partition_options options = asked_for(0.5);
  dsm_partition *made = solved(0, &s, &options);
  ck_assert_double_eq_tol(made->objective, 7 / 0.5, 1e-9);
  ck_assert(made->uses[0].is_off && !made->uses[1].is_off);
  dsm_partition_free(made);
  options.is_unused_off = false;
  made = solved(0, &s, &options);
  ck_assert_double_eq_tol(made->objective, 11.5 / 0.5, 1e-9);
  ck_assert(!made->uses[0].is_off && !made->uses[1].is_off);
  dsm_partition_free(made);
  /* as an answer to the other question it says what it draws too */
  options.is_unused_off = true;
  options.objective = DSM_OBJECTIVE_LATENCY;
  s.seconds[0] = 0.5;
  made = solved(0, &s, &options);
  ck_assert_double_eq_tol(made->joules_per_request, 0.5 * 11, 1e-9);
  ck_assert(made->uses[1].is_off);
  dsm_partition_free(made);
}
END_TEST

/* Equal devices, of which two have to work. */
START_TEST(no_more_are_on_than_are_needed) {
  small_instance s;
  small_chain(&s, 3, 4);
  for (size_t j = 0; j < 4; j++) {
    s.devices[j].has_power = true;
    s.devices[j].idle_watts = 5;
    s.devices[j].busy_watts = 20;
  }
  const dsm_partition_options options = asked_for(0.5);
  dsm_partition *const made = solved(0, &s, &options);
  size_t off_count = 0;
  for (size_t j = 0; j < 4; j++) {
    off_count += made->uses[j].is_off ? 1 : 0;
  }
  ck_assert_uint_eq(off_count, 2);
  ck_assert_double_eq_tol(made->objective * 0.5, 2 * 5 + 1.5 * 15, 1e-6);
  dsm_partition_free(made);
}
END_TEST

static void check_marks(const dsm_partition *made) {
  const dsm_instance *const it = made->instance;
  for (size_t j = 0; j < it->device_count; j++) {
    bool runs = false;
    for (size_t i = 0; i < it->task_count; i++) {
      runs = runs || made->rates[i * it->device_count + j] > 0;
    }
    ck_assert_int_eq(made->uses[j].is_off, !runs);
  }
}

/* Any number of copies or few, groups, tasks without time; never dearer than with all on. */
START_TEST(sets_of_devices_equal_the_twin) {
  const uint64_t count = HOW_MANY(300, 10, 4);
  for (uint64_t seed = (uint64_t)_i * count; seed < ((uint64_t)_i + 1) * count; seed++) {
    small_instance s;
    const size_t copies_max = seed % 3;
    small_random(&s, seed, copies_max != 0 ? 4 : 6, 3);
    for (size_t j = 0; j < s.instance.device_count; j++) {
      s.devices[j].has_power = true;
    }
    if (seed % 4 == 1) {
      small_instant(&s, seed);
    } else if (seed % 4 == 2 && copies_max == 1) {
      small_group(&s, 0);
    }
    dsm_partition_options options = asked_for(1);
    options.copies_max = copies_max;
    options.does_count_activations = seed % 5 == 0;
    options.is_staged = copies_max == 1 && seed % 2 == 0;
    const double most = enumerate_throughput(&s.instance, &options);
    if (most <= 0) {
      continue;
    }
    options.required_rho = most * (0.1 + 0.2 * (double)(seed % 5));
    const double twin = enumerate_energy(&s.instance, &options);
    dsm_partition *const made = solved(seed, &s, &options);
    ck_assert_msg(fabs(made->objective - twin) <= 2e-6 * twin,
                  "seed %llu: %.9g, the twin says %.9g", (unsigned long long)seed, made->objective,
                  twin);
    ck_assert_int_eq(made->status, DSM_SOLUTION_OPTIMAL);
    ck_assert_double_le(made->bound, twin * (1 + 1e-6));
    ck_assert_double_le(made->relaxation, twin * (1 + 1e-6));
    ck_assert_int_eq(dsm_partition_validate(made, NULL), DSM_OK);
    check_marks(made);
    dsm_partition_free(made);
    options.is_unused_off = false;
    ck_assert_double_le(twin, enumerate_energy(&s.instance, &options) * (1 + 1e-9));
  }
}
END_TEST

Suite *suite_unused_off(void) {
  Suite *const suite = suite_create("unused off");
  TCase *const tests = tcase_create("unused off");
  tcase_set_timeout(tests, 600);
  tcase_add_test(tests, the_idle_device_is_turned_off);
  tcase_add_test(tests, no_more_are_on_than_are_needed);
  tcase_add_loop_test(tests, sets_of_devices_equal_the_twin, 0, 4);
  suite_add_tcase(suite, tests);
  return suite;
}
