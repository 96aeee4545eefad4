/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_routes.c: partitions whose transfers go through ports, pairs and ways in, have fixed costs,
 * and whose requests bring an input. */
#include <math.h>

#include "how_many.h"
#include "request_columns.h"
#include "small_instance.h"
#include "suites.h"

static dsm_partition_options exactly(dsm_objective_kind objective) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = objective;
  options.gap = 0;
  options.required_rho = 1;
  return options;
}

/* The answer's value and proof against the twin; on a graph the twin may be worse. */
static void compare(uint64_t seed, const small_instance *s, const dsm_partition_options *options,
                    double twin, bool is_exact) {
  const double sign = options->objective == DSM_OBJECTIVE_THROUGHPUT ? 1 : -1;
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s->instance, options, diags);
  const char *const said =
      dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding";
  const bool has_answer = isfinite(twin) && twin > 0;
  ck_assert_msg(status == DSM_OK || !has_answer, "seed %llu: %s", (unsigned long long)seed, said);
  ck_assert_msg(status == DSM_ERROR_INFEASIBLE || has_answer || !is_exact,
                "seed %llu: no answer expected: %s", (unsigned long long)seed, said);
  if (status == DSM_OK && has_answer) {
    const double better = sign * (partition->objective - twin) / twin;
    ck_assert_msg(better >= -2e-6 && (!is_exact || better <= 2e-6),
                  "seed %llu: best %s %.9g, bound %.9g, the twin says %.9g",
                  (unsigned long long)seed, dsm_objective_kind_name(options->objective),
                  partition->objective, partition->bound, twin);
    ck_assert_int_eq(partition->status, DSM_SOLUTION_OPTIMAL);
  }
  dsm_partition_free(partition);
  dsm_diags_free(diags);
}

static bool is_chain(const dsm_instance *instance) {
  unsigned seen = 0;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const unsigned bit = 1U << instance->tensors[t].consumers[0];
    if (instance->tensors[t].consumer_count != 1 || (seen & bit) != 0) {
      return false;
    }
    seen |= bit;
  }
  return true;
}

static void draw(small_instance *s, dsm_partition_options *options, uint64_t seed) {
  small_random(s, seed, 4, 3);
  small_routes(s, seed);
  for (size_t j = 0; j < s->instance.device_count; j++) {
    s->devices[j].has_power = true;
  }
  options->does_keep_results = seed % 3 == 0;
  options->does_count_input = seed % 2 == 0;
}

enum { LOOPS = 4 };

START_TEST(answers_equal_the_twin) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(500, 30, 8);
  for (uint64_t seed = first; seed < first + HOW_MANY(500, 30, 8); seed++) {
    small_instance s;
    dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
    draw(&s, &options, seed);
    const bool is_exact = is_chain(&s.instance);
    const double most = request_columns_throughput(&s.instance, &options);
    compare(seed, &s, &options, most, is_exact);
    options.objective = DSM_OBJECTIVE_LATENCY;
    compare(seed, &s, &options, request_columns_latency(&s.instance, &options), true);
    options.objective = DSM_OBJECTIVE_ENERGY;
    options.required_rho = most > 0 ? most * (seed % 3 == 2 ? 1.01 : 0.7) : 1;
    compare(seed, &s, &options, request_columns_energy(&s.instance, &options), is_exact);
  }
}
END_TEST

/* Copies of a tensor that go from its producer's device to others with consumers, each once. */
static double copies_needed(const dsm_partition *partition, size_t tensor) {
  const dsm_instance *const it = partition->instance;
  const dsm_tensor *const of = &it->tensors[tensor];
  double copies = 0;
  for (size_t j = 0; j < it->device_count; j++) {
    bool is_needed = false;
    for (size_t k = 0; k < of->consumer_count; k++) {
      is_needed = is_needed || partition->is_stored[of->consumers[k] * it->device_count + j];
    }
    copies += is_needed && !partition->is_stored[of->producer * it->device_count + j] ? 1 : 0;
  }
  return copies;
}

/* With each task in one place nothing moves but what has to, though more might at the same rate. */
START_TEST(nothing_moves_in_vain) {
  small_instance s;
  dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  draw(&s, &options, (uint64_t)_i);
  options.copies_max = 1;
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s.instance, &options, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  for (size_t t = 0; t < s.instance.tensor_count && status == DSM_OK; t++) {
    double sent = 0;
    for (size_t j = 0; j < s.instance.device_count; j++) {
      sent += partition->sent[t * s.instance.device_count + j];
    }
    const double bytes = partition->rho * s.tensors[t].bytes;
    ck_assert_double_eq_tol(sent, copies_needed(partition, t) * bytes, 1e-6 * bytes + 1e-12);
  }
  dsm_partition_free(partition);
}
END_TEST

/* Two tasks, each at home on one of two devices: what moves decides. */
static void two_devices(small_instance *s) {
  small_chain(s, 2, 2);
  s->seconds[1] = s->seconds[2] = 100;
  s->devices[0].memory_bytes = s->devices[1].memory_bytes = 1;
  s->tasks[0].output_bytes = 6;
  s->instance.ports = s->ports;
  s->instance.pairs = s->pairs;
  small_relink(s);
}

static double rate_of(const small_instance *s, bool counts_input) {
  dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  options.does_keep_results = true;
  options.does_count_input = counts_input;
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, &s->instance, &options, NULL), DSM_OK);
  const double rho = partition->rho;
  dsm_partition_free(partition);
  return rho;
}

static void check_rate(const small_instance *s, bool counts_input, double expected) {
  ck_assert_double_eq_tol(rate_of(s, counts_input), expected, 1e-9);
}

START_TEST(each_carrier_limits) {
  small_instance s;
  two_devices(&s);
  check_rate(&s, false, 1);
  s.devices[1].incoming_bytes_per_second = 3;
  check_rate(&s, false, 0.5);
  s.devices[1].incoming_bytes_per_second = 0;
  s.devices[0].transfer_seconds = 4;
  check_rate(&s, false, 0.25);
  s.devices[0].transfer_seconds = 0;
  s.instance.port_count = 1;
  s.ports[0] = (dsm_port){"switch", 2, 1, true};
  check_rate(&s, false, 1. / 3);
  s.ports[0].devices = 3; /* both behind it, and they see each other */
  check_rate(&s, false, 1);
  s.ports[0].is_direct = false; /* each way at the same time */
  check_rate(&s, false, 1. / 3);
  s.instance.pair_count = 1;
  s.pairs[0] = (dsm_device_pair){{0, 1}, 12, 1};
  check_rate(&s, false, 2. / 3);
}
END_TEST

START_TEST(the_input_comes_to_accelerators) {
  small_instance s;
  two_devices(&s);
  s.devices[0].link_bytes_per_second = 20;
  s.devices[0].is_accelerator = true;
  s.tasks[0].input_bytes = 80;
  check_rate(&s, false, 1);
  check_rate(&s, true, 0.25);
  s.devices[0].incoming_bytes_per_second = 40;
  check_rate(&s, true, 0.5);
  s.devices[0].is_accelerator = false;
  check_rate(&s, true, 1);
}
END_TEST

Suite *suite_routes(void) {
  Suite *const suite = suite_create("routes");
  TCase *const routes = tcase_create("routes");
  tcase_set_timeout(routes, 300);
  tcase_add_test(routes, each_carrier_limits);
  tcase_add_test(routes, the_input_comes_to_accelerators);
  tcase_add_loop_test(routes, nothing_moves_in_vain, 0, HOW_MANY(2000, 150, 25));
  tcase_add_loop_test(routes, answers_equal_the_twin, 0, LOOPS);
  suite_add_tcase(suite, routes);
  return suite;
}
