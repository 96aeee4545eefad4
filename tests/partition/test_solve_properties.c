/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_solve_properties.c: what holds for every answer, whatever the instance. */
#include <math.h>

#include "small_instance.h"
#include "suites.h"

enum { SEEDS = 120 };

static const double slack = 2e-6;

static dsm_partition_options exactly(void) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.gap = 0;
  return options;
}

/* 0 where there is no answer. */
static double rho_of(const small_instance *s, const dsm_partition_options *options) {
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s->instance, options, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  const double rho = status == DSM_OK ? partition->rho : 0;
  dsm_partition_free(partition);
  return rho;
}

START_TEST(units_do_not_matter) {
  const dsm_partition_options options = exactly();
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    small_instance s;
    small_random(&s, seed, 6, 3);
    const double before = rho_of(&s, &options);
    /* microseconds and gigabytes */
    for (size_t k = 0; k < s.instance.task_count * s.instance.device_count; k++) {
      s.seconds[k] *= 1e-6;
    }
    for (size_t i = 0; i < s.instance.task_count; i++) {
      s.tasks[i].weights_bytes *= 1e9;
      s.tasks[i].output_bytes *= 1e6;
      s.tasks[i].result_bytes *= 1e6;
    }
    for (size_t t = 0; t < s.instance.tensor_count; t++) {
      s.tensors[t].bytes *= 1e6;
    }
    for (size_t j = 0; j < s.instance.device_count; j++) {
      s.devices[j].memory_bytes *= 1e9;
      s.devices[j].link_bytes_per_second *= 1e12;
    }
    ck_assert_double_le(fabs(rho_of(&s, &options) * 1e-6 - before), slack * before);
  }
}
END_TEST

START_TEST(more_of_anything_never_hurts) {
  const dsm_partition_options options = exactly();
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    small_instance s;
    small_random(&s, seed, 5, 3);
    const double before = rho_of(&s, &options);
    const size_t device = seed % s.instance.device_count;
    small_instance more;
    small_random(&more, seed, 5, 3);
    more.devices[device].memory_bytes *= 1.5;
    ck_assert_double_ge(rho_of(&more, &options), before * (1 - slack));
    small_random(&more, seed, 5, 3);
    more.devices[device].link_bytes_per_second *= 1.5;
    ck_assert_double_ge(rho_of(&more, &options), before * (1 - slack));
    small_random(&more, seed, 5, 3);
    for (size_t i = 0; i < more.instance.task_count; i++) {
      more.seconds[i * more.instance.device_count + device] *= 0.5;
    }
    ck_assert_double_ge(rho_of(&more, &options), before * (1 - slack));
  }
}
END_TEST

/* The same with one device less: it can run nothing. */
START_TEST(a_further_device_never_hurts) {
  const dsm_partition_options options = exactly();
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    small_instance s;
    small_random(&s, seed, 5, 3);
    const double with = rho_of(&s, &options);
    const size_t device = seed % s.instance.device_count;
    for (size_t i = 0; i < s.instance.task_count; i++) {
      s.seconds[i * s.instance.device_count + device] = HUGE_VAL;
    }
    ck_assert_double_le(rho_of(&s, &options), with * (1 + slack));
  }
}
END_TEST

START_TEST(no_rate_is_above_that_of_the_slowest_task_everywhere) {
  const dsm_partition_options options = exactly();
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    small_instance s;
    small_random(&s, seed, 6, 3);
    double least = HUGE_VAL;
    for (size_t i = 0; i < s.instance.task_count; i++) {
      double sum = 0;
      for (size_t j = 0; j < s.instance.device_count; j++) {
        sum += 1 / dsm_instance_seconds(&s.instance, i, j);
      }
      least = fmin(least, sum);
    }
    ck_assert_double_le(rho_of(&s, &options), least * (1 + slack));
  }
}
END_TEST

START_TEST(answers_are_the_same_in_every_run) {
  const dsm_partition_options options = exactly();
  for (uint64_t seed = 0; seed < SEEDS / 4; seed++) {
    small_instance s;
    small_random(&s, seed, 6, 3);
    dsm_partition *made[2] = {NULL, NULL};
    for (int run = 0; run < 2; run++) {
      if (dsm_partition_solve(&made[run], &s.instance, &options, NULL) != DSM_OK) {
        ck_assert_ptr_null(made[run]);
      }
    }
    ck_assert_int_eq(made[0] == NULL, made[1] == NULL);
    for (size_t k = 0; made[0] != NULL && k < s.instance.task_count * s.instance.device_count;
         k++) {
      ck_assert(made[0]->rates[k] == made[1]->rates[k]);
    }
    dsm_partition_free(made[0]);
    dsm_partition_free(made[1]);
  }
}
END_TEST

/* ---- an answer that was tampered with does not pass ---- */

/* A partition whose arrays can be changed; two tasks on a device each, with links. */
typedef struct tampered {
  small_instance small;
  dsm_partition partition;
  double rates[4];
  bool is_stored[4];
  double sent[2 * 3];
  dsm_device_use uses[2];
} tampered;

static void make_tampered(tampered *t, dsm_partition **solved) {
  small_chain(&t->small, 2, 2);
  t->small.seconds[1] = t->small.seconds[2] = 10;
  t->small.devices[0].memory_bytes = t->small.devices[1].memory_bytes = 1;
  t->small.devices[0].link_bytes_per_second = t->small.devices[1].link_bytes_per_second = 2;
  t->small.tasks[0].output_bytes = t->small.tasks[1].output_bytes = 1;
  small_relink(&t->small);
  const dsm_partition_options options = exactly();
  ck_assert_int_eq(dsm_partition_solve(solved, &t->small.instance, &options, NULL), DSM_OK);
  t->partition = **solved;
  for (size_t k = 0; k < 4; k++) {
    t->rates[k] = (*solved)->rates[k];
    t->is_stored[k] = (*solved)->is_stored[k];
  }
  for (size_t k = 0; k < 6; k++) {
    t->sent[k] = (*solved)->sent[k];
  }
  t->uses[0] = (*solved)->uses[0];
  t->uses[1] = (*solved)->uses[1];
  t->partition.rates = t->rates;
  t->partition.is_stored = t->is_stored;
  t->partition.sent = t->sent;
  t->partition.uses = t->uses;
}

static void tamper(tampered *t, int way) {
  switch (way) {
  case 0: /* nothing: it passes */
    break;
  case 1:
    t->rates[0] *= 0.9;
    break;
  case 2:
    t->rates[0] = 1.1;
    break;
  case 3:
    t->is_stored[0] = false;
    break;
  case 4:
    t->is_stored[1] = true;
    break;
  case 5:
    t->sent[0] = 0.5;
    break;
  case 6:
    t->sent[0] = 2.5;
    break;
  case 7:
    t->sent[5] = 0;
    break;
  case 8:
    t->partition.rho *= 1.01;
    break;
  case 9:
    t->partition.objective *= 1.01;
    break;
  case 10:
    t->partition.bound *= 0.99;
    break;
  case 11:
    t->partition.relaxation *= 0.99;
    break;
  case 12:
    t->uses[1].time_fraction = 0.5;
    break;
  case 13:
    t->uses[0].memory_bytes = 2;
    break;
  case 14:
    t->rates[0] = (double)NAN;
    break;
  case 15:
    t->rates[1] = -0.1;
    break;
  case 16: /* one task on two devices */
    t->partition.options.copies_max = 1;
    t->is_stored[1] = true;
    t->small.devices[1].memory_bytes = 2;
    t->uses[1].memory_bytes = 2;
    break;
  default:
    t->sent[1] = (double)NAN;
    break;
  }
}

enum { WAYS = 18 };

START_TEST(a_wrong_answer_is_found) {
  tampered t;
  dsm_partition *solved = NULL;
  make_tampered(&t, &solved);
  tamper(&t, _i);
  dsm_diags *const diags = dsm_diags_new(10);
  ck_assert_int_eq(dsm_partition_validate(&t.partition, diags),
                   _i == 0 ? DSM_OK : DSM_ERROR_INVALID);
  ck_assert_int_eq(dsm_diags_count(diags) > 0, _i > 0);
  dsm_diags_free(diags);
  dsm_partition_free(solved);
}
END_TEST

Suite *suite_solve_properties(void) {
  Suite *const suite = suite_create("solve properties");
  TCase *const properties = tcase_create("properties");
  tcase_set_timeout(properties, 300);
  tcase_add_test(properties, units_do_not_matter);
  tcase_add_test(properties, more_of_anything_never_hurts);
  tcase_add_test(properties, a_further_device_never_hurts);
  tcase_add_test(properties, no_rate_is_above_that_of_the_slowest_task_everywhere);
  tcase_add_test(properties, answers_are_the_same_in_every_run);
  tcase_add_loop_test(properties, a_wrong_answer_is_found, 0, WAYS);
  suite_add_tcase(suite, properties);
  return suite;
}
