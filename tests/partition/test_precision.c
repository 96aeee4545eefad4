/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_precision.c: devices that store parameters and make tensors in bytes of their own. */
#include <math.h>

#include "enumerate.h"
#include "how_many.h"
#include "request_columns.h"
#include "small_instance.h"
#include "suites.h"

static dsm_partition_options exactly(uint64_t seed) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.gap = 0;
  options.does_keep_results = seed % 3 == 0;
  options.does_count_activations = seed % 2 == 0;
  return options;
}

/* 0 where there is no answer. A twin of graphs with routes may be worse. */
static double value_of(uint64_t seed, const small_instance *s,
                       const dsm_partition_options *options) {
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s->instance, options, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  ck_assert_msg(status != DSM_OK || partition->status == DSM_SOLUTION_OPTIMAL, "seed %llu",
                (unsigned long long)seed);
  const double value = status == DSM_OK ? partition->objective : 0;
  dsm_partition_free(partition);
  return value;
}

static void expect(uint64_t seed, const small_instance *s, const dsm_partition_options *options,
                   double twin) {
  const double value = value_of(seed, s, options);
  twin = isfinite(twin) ? twin : 0;
  ck_assert_msg(fabs(value - twin) <= 2e-6 * twin, "seed %llu, %s: %.9g, the twin says %.9g",
                (unsigned long long)seed, dsm_objective_kind_name(options->objective), value, twin);
}

static void draw(small_instance *s, uint64_t seed, size_t tasks_max) {
  small_random(s, seed, tasks_max, 3);
  small_precision(s, seed);
  for (size_t j = 0; j < s->instance.device_count; j++) {
    s->devices[j].has_power = true;
  }
}

enum { LOOPS = 4 };

START_TEST(links_equal_the_twin) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(300, 30, 10);
  for (uint64_t seed = first; seed < first + HOW_MANY(300, 30, 10); seed++) {
    small_instance s;
    draw(&s, seed, seed % 2 == 0 ? 6 : 4);
    dsm_partition_options options = exactly(seed);
    options.copies_max = seed % 5 == 0 ? 1 : 0;
    const double most = enumerate_throughput(&s.instance, &options);
    expect(seed, &s, &options, most);
    options.objective = DSM_OBJECTIVE_ENERGY;
    options.required_rho = most > 0 ? most * 0.7 : 1;
    expect(seed, &s, &options, enumerate_energy(&s.instance, &options));
    options.objective = DSM_OBJECTIVE_LATENCY;
    options.copies_max = 0;
    expect(seed, &s, &options, enumerate_latency(&s.instance, &options));
  }
}
END_TEST

/* Chains alone: of graphs the twin may be worse. */
START_TEST(routes_equal_the_twin) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(300, 30, 10);
  for (uint64_t seed = first; seed < first + HOW_MANY(300, 30, 10); seed++) {
    small_instance s;
    draw(&s, seed, 4);
    small_relink(&s);
    small_routes(&s, seed);
    dsm_partition_options options = exactly(seed);
    options.does_count_input = seed % 2 == 0;
    expect(seed, &s, &options, request_columns_throughput(&s.instance, &options));
    options.objective = DSM_OBJECTIVE_LATENCY;
    expect(seed, &s, &options, request_columns_latency(&s.instance, &options));
  }
}
END_TEST

/* Without activations a device of half the bytes is one of twice the memory and twice the link. */
START_TEST(bytes_are_memory_and_links) {
  for (uint64_t seed = 0; seed < HOW_MANY(400, 60, 20); seed++) {
    small_instance s;
    small_instance other;
    draw(&s, seed, 6);
    draw(&other, seed, 6);
    for (size_t j = 0; j < s.instance.device_count; j++) {
      dsm_instance_device *const it = &other.devices[j];
      it->memory_bytes /= small_weights(&s.instance, j);
      it->link_bytes_per_second /= small_elements(&s.instance, j);
      it->element_bytes = it->weight_bytes = 0;
    }
    dsm_partition_options options = exactly(seed);
    options.does_count_activations = false;
    const double value = value_of(seed, &other, &options);
    ck_assert_double_le(fabs(value_of(seed, &s, &options) - value), 2e-6 * value);
    options.objective = DSM_OBJECTIVE_LATENCY;
    const double seconds = value_of(seed, &other, &options);
    ck_assert_double_le(fabs(value_of(seed, &s, &options) - seconds), 2e-6 * seconds);
  }
}
END_TEST

/* Two tasks of 10 bytes of parameters and one tensor of 6 bytes, each at home on one of two
 * devices: 6 bytes over 3 bytes/s take two seconds, with a quarter of the bytes half of one; 16-bit
 * parameters of 32-bit ones take 5 bytes. */
START_TEST(the_sender_counts) {
  small_instance s;
  small_chain(&s, 2, 2);
  s.seconds[1] = s.seconds[2] = 100;
  s.tasks[0].weights_bytes = s.tasks[1].weights_bytes = 10;
  s.devices[0].memory_bytes = s.devices[1].memory_bytes = 10;
  s.devices[0].link_bytes_per_second = 3;
  s.tasks[0].output_bytes = 6;
  small_relink(&s);
  dsm_partition_options options = exactly(0);
  options.does_count_activations = false;
  ck_assert_double_eq_tol(value_of(0, &s, &options), 0.5, 1e-9);
  s.instance.element_bytes = s.instance.weight_bytes = 4;
  s.devices[1].element_bytes = 1; /* who receives matters not */
  ck_assert_double_eq_tol(value_of(0, &s, &options), 0.5, 1e-9);
  s.devices[0].element_bytes = 1;
  ck_assert_double_eq_tol(value_of(0, &s, &options), 1, 1e-9);
  s.devices[0].memory_bytes = 5;
  ck_assert_double_eq(value_of(0, &s, &options), 0); /* no room for both */
  s.devices[0].weight_bytes = 2;
  ck_assert_double_eq_tol(value_of(0, &s, &options), 1, 1e-9);
}
END_TEST

Suite *suite_precision(void) {
  Suite *const suite = suite_create("precision");
  TCase *const precision = tcase_create("precision");
  tcase_set_timeout(precision, 300);
  tcase_add_test(precision, the_sender_counts);
  tcase_add_test(precision, bytes_are_memory_and_links);
  tcase_add_loop_test(precision, links_equal_the_twin, 0, LOOPS);
  tcase_add_loop_test(precision, routes_equal_the_twin, 0, LOOPS);
  suite_add_tcase(suite, precision);
  return suite;
}
