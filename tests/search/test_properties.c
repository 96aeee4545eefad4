/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_properties.c: what must hold for any network and system. */
#include <stdbool.h>
#include <string.h>

#include "bundled.h"
#include "suites.h"

static const char *const networks[] = {"vgg16", "resnet50", "gnmt", "googlenet", "mobilenet_v2"};
enum { NETWORK_COUNT = sizeof networks / sizeof networks[0] };

/* The step with some values of torus64 replaced. */
static double step_cycles(const char *network, const dsm_override *overrides, size_t count) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  /* googlenet has many states where a chip has many samples. */
  const bool is_large = strcmp(network, "googlenet") == 0;
  dsm_workload *const workload = bundled_workload(network, is_large ? "64" : "256");
  dsm_system *const system = bundled_system_with("torus64", overrides, count);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  const double cycles = plan->result.step_cycles;
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
  return cycles;
}

static const dsm_override better[] = {
    {"chip.memory.bandwidth_GBps", "300", NULL},    {"chip.memory.efficiency_ratio", "0.9", NULL},
    {"chip.core_link_bandwidth_GBps", "300", NULL}, {"system.link_bandwidth_x_GBps", "150", NULL},
    {"system.link_bandwidth_y_GBps", "60", NULL},   {"core.scratchpad_MiB", "2", NULL},
    {"core.sfu_ops_per_cycle", "20", NULL},         {"array.startup_cycles", "500", NULL},
};

START_TEST(test_more_of_a_resource_is_never_slower) {
  for (int n = 0; n < NETWORK_COUNT; n++) {
    const double before = step_cycles(networks[n], NULL, 0);
    const double after = step_cycles(networks[n], &better[_i], 1);
    ck_assert_msg(after <= before * (1 + 1e-11), "%s: %s=%s: %.17g after %.17g", networks[n],
                  better[_i].path, better[_i].value, after, before);
  }
}
END_TEST

/* Cycles do not change when everything is three times as fast. */
START_TEST(test_scaling_clock_and_bandwidths_keeps_cycles) {
  static const dsm_override thrice[] = {
      {"core.frequency_GHz", "6", NULL},
      {"core.scratchpad_bandwidth_GBps", "384", NULL},
      {"chip.core_link_bandwidth_GBps", "768", NULL},
      {"chip.memory.bandwidth_GBps", "768", NULL},
      {"system.link_bandwidth_x_GBps", "360", NULL},
      {"system.link_bandwidth_y_GBps", "120", NULL},
  };
  for (int n = 0; n < NETWORK_COUNT; n++) {
    const double before = step_cycles(networks[n], NULL, 0);
    const double after = step_cycles(networks[n], thrice, sizeof thrice / sizeof thrice[0]);
    ck_assert_double_eq_tol(after / before, 1, 1e-12);
  }
}
END_TEST

START_TEST(test_one_chip_sends_nothing) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  bundled explored = bundled_explore("resnet50", "chip1", "16", &options);
  ck_assert_int_eq(explored.status, DSM_OK);
  for (size_t i = 0; i < explored.plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &explored.plan->layers[i].passes[p];
      for (size_t t = 0; t < pass->transfer_count; t++) {
        ck_assert(pass->transfers[t].link != DSM_LINK_AXIS &&
                  pass->transfers[t].link != DSM_LINK_AXIS + 1);
      }
    }
  }
  bundled_free(&explored);
}
END_TEST

/* Asking for more is never slower, also where collectives are shared and the search with all words
 * keeps other shares of their latencies than one with fewer. */
START_TEST(test_a_word_more_is_not_slower) {
  const dsm_optimization_set fewer = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) |
                                     DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS) |
                                     DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL) |
                                     DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR);
  const dsm_optimization_set words[] = {fewer,
                                        fewer | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD)};
  double cycles[2];
  for (int i = 0; i < 2; i++) {
    dsm_explore_options options;
    dsm_explore_options_init(&options);
    options.optimizations = words[i];
    bundled explored = bundled_explore("bert_base", "tpu_v4_4096", "256", &options);
    ck_assert_int_eq(explored.status, DSM_OK);
    cycles[i] = explored.plan->result.step_cycles;
    bundled_free(&explored);
  }
  ck_assert_double_le(cycles[1], cycles[0] * (1 + 1e-9));
}
END_TEST

/* Never faster than peak compute, nor than any link needs for what it carries. The layers of a
 * pipeline have links of their own: only layers outside groups add up. */
START_TEST(test_never_faster_than_the_roofline) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  bundled explored = bundled_explore(networks[_i], "torus64", "256", &options);
  double link_cycles[DSM_LINK_COUNT] = {0};
  for (size_t i = 0; i < explored.plan->layer_count; i++) {
    const bool is_alone = explored.plan->layers[i].pipeline == DSM_NO_PIPELINE;
    for (int p = 0; is_alone && p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &explored.plan->layers[i].passes[p];
      for (size_t t = 0; t < pass->transfer_count; t++) {
        link_cycles[pass->transfers[t].link] += pass->transfers[t].cycles;
      }
    }
  }
  ck_assert_double_le(explored.plan->result.ideal_cycles, explored.plan->result.step_cycles);
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    ck_assert_double_le(link_cycles[l], explored.plan->result.step_cycles);
  }
  bundled_free(&explored);
}
END_TEST

Suite *suite_properties(void) {
  Suite *const suite = suite_create("properties");
  TCase *const tests = tcase_create("physics");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_more_of_a_resource_is_never_slower, 0,
                      sizeof better / sizeof better[0]);
  tcase_add_test(tests, test_scaling_clock_and_bandwidths_keeps_cycles);
  tcase_add_test(tests, test_one_chip_sends_nothing);
  tcase_add_test(tests, test_a_word_more_is_not_slower);
  tcase_add_loop_test(tests, test_never_faster_than_the_roofline, 0, NETWORK_COUNT);
  suite_add_tcase(suite, tests);
  return suite;
}
