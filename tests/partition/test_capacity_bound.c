/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_capacity_bound.c: bounds from whole tasks in limited room, and the knapsack below them. */
#include "partition/capacity_bound.h"

#include <math.h>

#include "enumerate.h"
#include "how_many.h"
#include "small_instance.h"
#include "suites.h"

static uint64_t draw(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

static void fill(dsm__knapsack *knapsack, uint64_t seed, size_t item_count, uint64_t need_max) {
  uint64_t state = seed;
  knapsack->item_count = item_count;
  double all = 0;
  for (size_t k = 0; k < item_count; k++) {
    const double need = 1 + (double)(draw(&state) % need_max);
    /* like tasks: worth about what they need */
    const double worth = need * (1 + (double)(draw(&state) % 8) / 64);
    knapsack->items[k] =
        (dsm__item){.need = need, .worth = worth, .density = worth / need, .label = k};
    all += need;
  }
  knapsack->room = floor(all * (double)(draw(&state) % 100) / 100);
  dsm__knapsack_order(knapsack);
}

static double try_all(const dsm__knapsack *knapsack) {
  double best = 0;
  for (unsigned set = 0; set < 1U << knapsack->item_count; set++) {
    double need = 0;
    double worth = 0;
    for (size_t k = 0; k < knapsack->item_count; k++) {
      need += (set >> k & 1) != 0 ? knapsack->items[k].need : 0;
      worth += (set >> k & 1) != 0 ? knapsack->items[k].worth : 0;
    }
    best = need <= knapsack->room ? fmax(best, worth) : best;
  }
  return best;
}

/* 1.1 + 2.2 > 3.3 in doubles. */
START_TEST(fractions_that_fill_the_room_fit) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__knapsack knapsack;
  ck_assert(dsm__knapsack_reserve(&knapsack, arena, 2));
  knapsack.item_count = 2;
  knapsack.room = 3.3;
  knapsack.items[0] = (dsm__item){.need = 1.1, .worth = 1.1, .density = 1, .label = 0};
  knapsack.items[1] = (dsm__item){.need = 2.2, .worth = 4.4, .density = 2, .label = 1};
  dsm__knapsack_order(&knapsack);
  ck_assert_double_eq_tol(dsm__knapsack_whole(&knapsack), 5.5, 1e-12);
  size_t split = 0;
  double part = 0;
  ck_assert_double_ge(dsm__knapsack_relaxed(&knapsack, &split, &part), 5.5 - 1e-12);
  dsm__arena_free(arena);
}
END_TEST

START_TEST(a_knapsack_is_filled_best) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__knapsack knapsack;
  ck_assert(dsm__knapsack_reserve(&knapsack, arena, 12));
  for (uint64_t seed = 0; seed < 300; seed++) {
    fill(&knapsack, seed, 1 + (size_t)seed % 12, 40);
    const double best = try_all(&knapsack);
    ck_assert_double_eq_tol(dsm__knapsack_whole(&knapsack), best, 1e-9 * best + 1e-12);
    size_t split = 0;
    double part = 0;
    ck_assert_double_ge(dsm__knapsack_relaxed(&knapsack, &split, &part), best * (1 - 1e-12));
  }
  dsm__arena_free(arena);
}
END_TEST

/* Of a thousand things of almost the same density more packings stay in question than are listed:
 * the answer is between what fits by density and the relaxation. */
START_TEST(a_large_knapsack_is_not_underrated) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__knapsack knapsack;
  ck_assert(dsm__knapsack_reserve(&knapsack, arena, 1000));
  for (uint64_t seed = 0; seed < 20; seed++) {
    fill(&knapsack, seed, 1000, 1000000007);
    size_t split = 0;
    double part = 0;
    const double relaxed = dsm__knapsack_relaxed(&knapsack, &split, &part);
    double room = knapsack.room;
    double greedy = 0;
    for (size_t k = 0; k < knapsack.item_count; k++) {
      if (knapsack.items[k].need <= room) {
        room -= knapsack.items[k].need;
        greedy += knapsack.items[k].worth;
      }
    }
    const double whole = dsm__knapsack_whole(&knapsack);
    ck_assert_double_le(whole, relaxed * (1 + 1e-12));
    ck_assert_double_ge(whole, greedy * (1 - 1e-12));
  }
  dsm__arena_free(arena);
}
END_TEST

static bool never(void *context) {
  (void)context;
  return false;
}

static double bound_of(const small_instance *s, const dsm_partition_options *options) {
  dsm__arena *const arena = dsm__arena_new();
  double bound = 0;
  ck_assert(dsm__capacity_bound_find(&bound, arena, &s->instance, options, never, NULL));
  dsm__arena_free(arena);
  return bound;
}

/* A fast device with room for one of two tasks, and a slow one with room for both. One task is
 * whole on the slow one: 1 s. Stored in parts, each would be there for a third of the requests
 * only. */
START_TEST(whole_tasks_count) {
  small_instance s;
  small_chain(&s, 2, 2);
  for (size_t i = 0; i < 2; i++) {
    s.tasks[i].weights_bytes = 2;
    s.seconds[i * 2] = 0.1;
    s.seconds[i * 2 + 1] = 1;
  }
  s.devices[0].memory_bytes = 3;
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  ck_assert_double_eq_tol(bound_of(&s, &options), 1, 1e-12);
  options.objective = DSM_OBJECTIVE_LATENCY;
  ck_assert_double_eq_tol(bound_of(&s, &options), 1.1, 1e-12);
  options.objective = DSM_OBJECTIVE_ENERGY;
  options.required_rho = 0.5;
  for (size_t j = 0; j < 2; j++) {
    s.devices[j].has_power = true;
    s.devices[j].busy_watts = 11;
    s.devices[j].idle_watts = 1;
  }
  ck_assert_double_eq_tol(bound_of(&s, &options), 2 + 0.5 * 11, 1e-12);
  options.is_unused_off = true; /* work draws busy power, and nothing else does */
  ck_assert_double_eq_tol(bound_of(&s, &options), 0.5 * (0.1 + 1) * 11, 1e-12);
}
END_TEST

START_TEST(never_below_the_optimum) {
  small_instance s;
  small_random(&s, (uint64_t)_i, 6, 3);
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  const double rho = enumerate_throughput(&s.instance, &options);
  if (rho <= 0) {
    return;
  }
  ck_assert_double_ge(bound_of(&s, &options), rho * (1 - 1e-9));
  options.objective = DSM_OBJECTIVE_LATENCY;
  ck_assert_double_le(bound_of(&s, &options),
                      enumerate_latency(&s.instance, &options) * (1 + 1e-9));
  options.objective = DSM_OBJECTIVE_ENERGY;
  options.required_rho = rho / 2;
  for (size_t j = 0; j < s.instance.device_count; j++) {
    s.devices[j].has_power = true;
    s.devices[j].idle_watts = 1 + (double)(_i % 3);
    s.devices[j].busy_watts = s.devices[j].idle_watts * (double)(1 + (j + (size_t)_i) % 3);
  }
  const double watts = enumerate_energy(&s.instance, &options) * options.required_rho;
  ck_assert_double_le(bound_of(&s, &options), watts * (1 + 1e-9));
  options.is_unused_off = true;
  const double fewer = enumerate_energy(&s.instance, &options) * options.required_rho;
  ck_assert_double_le(bound_of(&s, &options), fewer * (1 + 1e-9));
}
END_TEST

/* Twice as many devices of each kind, without limits, do twice as much: each price stands for two
 * devices, and nothing else changes. */
START_TEST(equal_devices_have_one_price) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  for (uint64_t seed = 0; seed < 100; seed++) {
    small_instance one;
    small_instance two;
    small_random(&one, seed, SMALL_TASKS, SMALL_DEVICES / 2);
    small_chain(&two, one.instance.task_count, 2 * one.instance.device_count);
    for (size_t j = 0; j < two.instance.device_count; j++) {
      one.devices[j / 2].memory_bytes = HUGE_VAL;
      two.devices[j].link_bytes_per_second = one.devices[j / 2].link_bytes_per_second;
    }
    for (size_t k = 0; k < two.instance.task_count * two.instance.device_count; k++) {
      one.seconds[k / 2] = fmin(one.seconds[k / 2], 9);
      two.seconds[k] = one.seconds[k / 2];
    }
    const double once = bound_of(&one, &options);
    ck_assert_double_eq_tol(bound_of(&two, &options), 2 * once, 1e-9 * once);
  }
}
END_TEST

Suite *suite_capacity_bound(void) {
  Suite *const suite = suite_create("capacity bound");
  TCase *const tests = tcase_create("capacity bound");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, a_knapsack_is_filled_best);
  tcase_add_test(tests, fractions_that_fill_the_room_fit);
  tcase_add_test(tests, a_large_knapsack_is_not_underrated);
  tcase_add_test(tests, whole_tasks_count);
  tcase_add_test(tests, equal_devices_have_one_price);
  tcase_add_loop_test(tests, never_below_the_optimum, 0, HOW_MANY(300, 50, 20));
  suite_add_tcase(suite, tests);
  return suite;
}
