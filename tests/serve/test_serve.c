/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front of serving against all batches one by one, and what holds of any front. */
#include <math.h>
#include <string.h>

#include "dsm/dsm.h"
#include "suites.h"

static const char network_text[] =
    "{\"format\": \"dsm-workload/1\", \"name\": \"small\", \"minibatch\": 1, \"layers\": ["
    "{\"name\": \"words\", \"type\": \"embedding\", \"vocabulary\": 1000, \"out\": 64, "
    "\"positions\": 9},"
    "{\"name\": \"qkv\", \"type\": \"fc\", \"in\": 64, \"out\": 96},"
    "{\"name\": \"see\", \"type\": \"attention\", \"heads\": 4, \"kv_heads\": 1, "
    "\"head_features\": 16,"
    " \"causal\": true},"
    "{\"name\": \"put\", \"type\": \"fc\", \"in\": 64, \"out\": 1000, \"aux\": [{\"op\": "
    "\"cross_entropy\"}]}]}";

/* Memory for the weights, 272 kB, and some dozens of requests of 64 bytes a token. */
static const char system_text[] =
    "{\"format\": \"dsm-system/1\", \"name\": \"four\", \"pe\": {\"simd_macs\": 4}, \"array\": "
    "{\"rows\": "
    "4, \"columns\": 4}, \"core\": {\"frequency_GHz\": 1, \"scratchpad_MiB\": 0.5, "
    "\"scratchpad_bandwidth_GBps\": 64, \"sfu_ops_per_cycle\": 16}, \"chip\": {\"cores\": 2, "
    "\"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64, \"memory\": {\"capacity_GB\": "
    "0.0006, "
    "\"bandwidth_GBps\": 16}}, \"system\": {\"topology\": \"torus_2d\", \"chips_x\": 2, "
    "\"chips_y\": 2, "
    "\"link_bandwidth_x_GBps\": 8, \"link_bandwidth_y_GBps\": 8}}";

dsm_workload *network;
dsm_system *machine;
dsm_diags *diags;

void set_up(void) {
  diags = dsm_diags_new(8);
  ck_assert_int_eq(
      dsm_workload_parse(&network, network_text, strlen(network_text), "n", NULL, 0, diags),
      DSM_OK);
  ck_assert_int_eq(
      dsm_system_parse(&machine, system_text, strlen(system_text), "s", NULL, 0, diags), DSM_OK);
}

void tear_down(void) {
  dsm_workload_free(network);
  dsm_system_free(machine);
  dsm_diags_free(diags);
}

dsm_serving_options options_of(void) {
  dsm_serving_options options;
  dsm_serving_options_init(&options);
  options.input_tokens = 24;
  options.output_tokens = 17;
  options.gap = 0.02;
  options.prefill_batch = 1;
  return options;
}

dsm_serving *serve(const dsm_serving_options *options) {
  dsm_serving *serving = NULL;
  const dsm_status status = dsm_serve(&serving, network, machine, options, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding");
  return serving;
}

/* A step of a phase on part of the machine, by itself; 0: it does not fit. */
static double step_of(dsm_phase phase, uint64_t context, uint64_t requests, dsm_system part) {
  dsm_workload *of = NULL;
  dsm_plan *plan = NULL;
  dsm_explore_options options;
  double seconds = 0;
  ck_assert_int_eq(dsm_workload_phase(&of, network, phase, 0, context, diags), DSM_OK);
  dsm_workload batch = *of;
  batch.minibatch = requests;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  options.optimizations = dsm_system_optimizations(&part, DSM_MODE_INFERENCE);
  if (dsm_explore(&plan, &batch, &part, &options, NULL) == DSM_OK) {
    seconds = plan->result.step_seconds;
  }
  dsm_plan_free(plan);
  dsm_workload_free(of);
  return seconds;
}

/* No batch of no part of the machine gives more of both than some point, but for the gap. All
 * batches are tried whose steps fit with their contexts at half of their answers. */
START_TEST(test_front_covers_all_batches) {
  const dsm_serving_options options = options_of();
  dsm_serving *const serving = serve(&options);
  size_t tried = 0;
  for (unsigned chips = 1; chips <= 4; chips *= 2) {
    dsm_system part = *machine;
    part.chip.memory.reserve_ratio = 0.1;
    part.system.axes[0].chips = chips > 1 ? 2 : 1;
    part.system.axes[1].chips = chips > 2 ? 2 : 1;
    const double prefill = step_of(DSM_PHASE_PREFILL, 24, 1, part);
    for (uint64_t requests = 1; requests < 400; requests++) {
      const double number = (double)requests;
      const double decode = step_of(DSM_PHASE_DECODE, 24 + 17, requests, part) > 0
                                ? step_of(DSM_PHASE_DECODE, 24 + 8, requests, part)
                                : 0;
      const dsm_serving_times times = {17, prefill,         1, {&number, &decode, 1},
                                       0,  {NULL, NULL, 0}, 1};
      const dsm_serving_state state = dsm_serving_closed(&times, number);
      bool is_covered = !(decode > 0);
      tried += is_covered ? 0 : 1;
      for (size_t i = 0; i < serving->point_count && !is_covered; i++) {
        const dsm_serving_point *const point = &serving->points[i];
        is_covered =
            1.02000001 * point->user_tokens_per_second >= 1 / state.tpot_seconds &&
            1.02000001 * point->chip_requests_per_second >= state.requests_per_second / chips;
      }
      ck_assert_msg(is_covered, "%u chips, %u requests", chips, (unsigned)requests);
    }
  }
  ck_assert_uint_gt(tried, 100);
  ck_assert_uint_lt(serving->explorations, tried);
  ck_assert_double_le(serving->reached_gap, 0.02);
  dsm_serving_free(serving);
}
END_TEST

/* Those go together that ended in one step: of 32 requests with 16 steps each 2 do on average, and
 * where some do 2 / (1 - exp(-2)); a prefill of so many is between those of 2 and of 4. More wait
 * where they do not fit, and a run that begins with all of them takes longer to a first token. */
START_TEST(test_numbers_of_requests) {
  const uint64_t numbers[] = {32, 1, 4000};
  dsm_serving_options options = options_of();
  options.prefill_batch = 0;
  options.requests = numbers;
  options.request_count = 3;
  dsm_serving *const serving = serve(&options);
  ck_assert_uint_eq(serving->point_count, 3);
  ck_assert_uint_eq(serving->options.prefill_batch, 8192 / 24);
  const dsm_serving_point *const point = &serving->points[0];
  const double together = 2 / (1 - exp(-2));
  const double cycle = 16 * point->decode_seconds + 32 / together * point->prefill_seconds;
  ck_assert_double_eq_tol(point->request_seconds, cycle, 1e-9 * cycle);
  ck_assert_uint_eq(point->chips, 4);
  ck_assert_double_gt(serving->points[2].ttft_seconds, 10 * point->ttft_seconds);
  options.waves = 1;
  dsm_serving *const begun = serve(&options);
  const double seconds = begun->points[1].prefill_seconds + 16 * begun->points[1].decode_seconds;
  ck_assert_double_gt(begun->points[0].ttft_seconds, point->ttft_seconds);
  ck_assert_double_eq_tol(begun->points[1].request_seconds, seconds, 1e-9 * seconds);
  dsm_serving_free(begun);
  dsm_serving_free(serving);
}
END_TEST

/* Users' tokens fall, chips' rise; of an instance a step of more requests takes no less. */
START_TEST(test_points_are_in_order) {
  const dsm_serving_options options = options_of();
  dsm_serving *const serving = serve(&options);
  ck_assert_uint_gt(serving->point_count, 3);
  ck_assert_double_eq(serving->cache_bytes_per_token, 2 * 16 * 2);
  ck_assert_double_eq(serving->cache_bytes_per_request, 41 * 64);
  for (size_t i = 1; i < serving->point_count; i++) {
    const dsm_serving_point *const before = &serving->points[i - 1];
    const dsm_serving_point *const point = &serving->points[i];
    ck_assert_double_lt(point->user_tokens_per_second, before->user_tokens_per_second);
    ck_assert_double_gt(point->chip_requests_per_second, before->chip_requests_per_second);
    ck_assert_double_le(point->memory_bytes, 0.9 * 0.0006e9 * (1 + 1e-12));
    if (point->chips == before->chips) {
      ck_assert_double_ge(point->decode_seconds, before->decode_seconds);
    }
  }
  dsm_serving_free(serving);
}
END_TEST

/* A looser limit, and more chips, give no less; a higher rate needs no fewer chips. */
START_TEST(test_more_is_never_worse) {
  dsm_serving_options options = options_of();
  dsm_serving *const all = serve(&options);
  double best = 0;
  for (int i = 1; i <= 8; i++) {
    const double fastest = all->points[0].tpot_seconds;
    options.tpot_seconds = fastest * (1 + 0.3 * i);
    dsm_serving *const limited = serve(&options);
    ck_assert_double_le(limited->best.tpot_seconds, options.tpot_seconds);
    ck_assert_double_ge(limited->best.chip_requests_per_second * 1.02, best);
    best = limited->best.chip_requests_per_second;
    dsm_serving_free(limited);
  }
  ck_assert_double_le(best, all->best.chip_requests_per_second * 1.02);
  options.tpot_seconds = 0;
  uint64_t chips = 1;
  for (int i = 1; i <= 8; i++) {
    options.rate = 0.11 * i * 4 * all->best.chip_requests_per_second;
    dsm_serving *const served = serve(&options);
    ck_assert_uint_ge(served->fleet.chips, chips);
    ck_assert_uint_eq(served->fleet.chips % served->fleet.instances, 0);
    ck_assert_double_gt(served->fleet.load, 0);
    ck_assert_double_le(served->fleet.load, 1);
    chips = served->fleet.chips;
    dsm_serving_free(served);
  }
  dsm_serving_free(all);
}
END_TEST

/* The host adds its time to each step, and kernels of a graph take theirs in place of launches: by
 * hand, the same machine whose launches are as short. */
START_TEST(test_host_and_graph) {
  const dsm_serving_options options = options_of();
  machine->core.operation_overhead_us = 2;
  machine->core.issue_us = 7;
  machine->core.graph_overhead_us = 1;
  dsm_serving *const replayed = serve(&options);
  machine->core.operation_overhead_us = 1;
  machine->core.issue_us = 0;
  machine->core.graph_overhead_us = 0;
  dsm_serving *const launched = serve(&options);
  machine->system.step_overhead_us = 1e6;
  machine->system.request_overhead_us = 1e5;
  dsm_serving *const hosted = serve(&options);
  ck_assert_uint_eq(replayed->point_count, launched->point_count);
  for (size_t i = 0; i < launched->point_count; i++) {
    ck_assert_double_eq(replayed->points[i].decode_seconds, launched->points[i].decode_seconds);
  }
  for (size_t i = 0; i < hosted->point_count; i++) {
    const dsm_serving_point *const point = &hosted->points[i];
    ck_assert_str_eq(point->bound, "host");
    ck_assert_double_gt(point->decode_seconds, 1 + 0.1 * (double)point->requests);
    ck_assert_double_le(point->decode_seconds, 1.001 + 0.1 * (double)point->requests);
  }
  dsm_serving_free(hosted);
  dsm_serving_free(launched);
  dsm_serving_free(replayed);
}
END_TEST

/* Instances of one kind each stay within the chips and the limit. */
START_TEST(test_apart_is_within_limits) {
  dsm_serving_options options = options_of();
  options.is_disaggregated = true;
  dsm_serving *const any = serve(&options);
  options.tpot_seconds = 1.5 * any->points[0].tpot_seconds;
  dsm_serving *const limited = serve(&options);
  ck_assert_uint_gt(limited->apart.requests, 0);
  ck_assert_uint_le(limited->apart.split.chips, 4);
  ck_assert_double_le(limited->apart.split.tpot_seconds, options.tpot_seconds);
  ck_assert_double_eq_tol(limited->apart.transfer_seconds, 24 * 64 / 8e9, 1e-12);
  ck_assert_double_le(limited->apart.split.requests_per_second,
                      any->apart.split.requests_per_second);
  dsm_serving_free(limited);
  dsm_serving_free(any);
}
END_TEST

/* A hit leaves less to prefill; an answer of one token has no decode. */
START_TEST(test_prefills_alone) {
  dsm_serving_options options = options_of();
  options.output_tokens = 1;
  dsm_serving *const cold = serve(&options);
  options.prefix_hit = 0.5;
  dsm_serving *const warm = serve(&options);
  ck_assert(isnan(cold->best.tpot_seconds));
  ck_assert_double_eq(cold->best.decode_seconds, 0);
  ck_assert_uint_eq(warm->cached_tokens, 12);
  ck_assert_double_lt(warm->best.prefill_seconds, cold->best.prefill_seconds);
  dsm_serving_free(cold);
  dsm_serving_free(warm);
}
END_TEST

/* What a step goes to adds up to it; each change is named once, and the last one is none. */
START_TEST(test_parts_and_changes) {
  dsm_serving_options options = options_of();
  options.has_changes = true;
  dsm_serving *const serving = serve(&options);
  for (size_t i = 0; i < serving->point_count; i++) {
    const dsm_serving_parts *const parts = &serving->points[i].parts;
    const double sum = parts->weights + parts->cache + parts->products + parts->collectives +
                       parts->others + parts->overhead + parts->host;
    ck_assert_double_eq_tol(sum, serving->points[i].decode_seconds, 1e-9 * sum);
  }
  ck_assert_uint_gt(serving->change_count, 1);
  for (size_t i = 0; i + 1 < serving->change_count; i++) {
    ck_assert_double_lt(serving->changes[i].bill, 1);
    ck_assert_double_le(serving->changes[i].bill, serving->changes[i + 1].bill);
  }
  ck_assert_str_eq(serving->changes[serving->change_count - 1].change, "as it is");
  ck_assert_double_eq(serving->changes[serving->change_count - 1].bill, 1);
  ck_assert_uint_eq(serving->changes[serving->change_count - 1].requests, serving->best.requests);
  ck_assert_uint_eq(serving->engine.requests, serving->best.requests);
  ck_assert_uint_eq(serving->engine.ways.attention.tensor * serving->engine.ways.attention.data *
                        serving->engine.ways.attention.context,
                    serving->best.chips);
  dsm_serving_free(serving);
}
END_TEST

/* Tokens of an hour of all chips cost what the hour does, whatever part of them an instance has. */
START_TEST(test_prices) {
  static const dsm_override technology = {"technology", "n5", NULL};
  static const double million = 1e6;
  dsm_serving_options options = options_of();
  dsm_serving *const unpriced = serve(&options);
  ck_assert_double_eq(unpriced->best.million_dollars, 0);
  dsm_serving_free(unpriced);
  dsm_system_free(machine);
  ck_assert_int_eq(
      dsm_system_parse(&machine, system_text, strlen(system_text), "s", &technology, 1, diags),
      DSM_OK);
  dsm_machine_cost cost;
  ck_assert_int_eq(dsm_machine_cost_of(machine, &cost, diags), DSM_OK);
  ck_assert_double_gt(cost.hour_dollars, 0);
  dsm_serving *const serving = serve(&options);
  for (size_t i = 0; i < serving->point_count; i++) {
    const dsm_serving_point *const point = &serving->points[i];
    const double hour_tokens = 3600 * 4 * point->chip_tokens_per_second;
    ck_assert_double_eq_tol(point->million_dollars * hour_tokens / million, cost.hour_dollars,
                            1e-9 * cost.hour_dollars);
  }
  dsm_serving_free(serving);
  options.output_tokens = 0;
  dsm_serving *const silent = serve(&options);
  ck_assert_double_eq(silent->best.million_dollars, 0);
  dsm_serving_free(silent);
}
END_TEST

/* Instances that are asked for have the steps that they have among all; so does a step's plan. */
START_TEST(test_instances_and_steps) {
  dsm_serving_options options = options_of();
  options.instances = "x=2";
  dsm_serving *const serving = serve(&options);
  dsm_plan *plan = NULL;
  for (size_t i = 0; i < serving->point_count; i++) {
    ck_assert_str_eq(serving->points[i].instance, "x=2");
  }
  ck_assert_int_eq(dsm_serve_step(&plan, network, machine, &options, serving->best.requests, diags),
                   DSM_OK);
  ck_assert_double_eq_tol(plan->result.step_seconds, serving->best.decode_seconds, 1e-12);
  ck_assert_double_eq_tol(plan->result.lower_bound_cycles, plan->result.step_cycles,
                          0.5 * plan->result.step_cycles);
  ck_assert_int_eq(dsm_plan_validate(plan, diags), DSM_OK);
  dsm_plan_free(plan);
  dsm_serving_free(serving);
}
END_TEST

START_TEST(test_refusals) {
  static const double limits[][3] = {{1e-9, 0, 0}, {0, 1e-9, 0}, {0, 0, 1e9}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    dsm_serving_options options = options_of();
    dsm_serving *serving = NULL;
    options.ttft_seconds = limits[i][0];
    options.tpot_seconds = limits[i][1];
    options.rate = limits[i][2];
    ck_assert_int_eq(dsm_serve(&serving, network, machine, &options, diags), DSM_ERROR_INFEASIBLE);
    ck_assert_ptr_null(serving);
    ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, i)->message,
                                 i < 2 ? "the least TTFT is" : "more than 4 chips can serve"));
  }
}
END_TEST

Suite *suite_serve(void) {
  Suite *const suite = suite_create("serve");
  TCase *const tests = tcase_create("front");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_front_covers_all_batches);
  tcase_add_test(tests, test_numbers_of_requests);
  tcase_add_test(tests, test_points_are_in_order);
  tcase_add_test(tests, test_more_is_never_worse);
  tcase_add_test(tests, test_host_and_graph);
  tcase_add_test(tests, test_apart_is_within_limits);
  tcase_add_test(tests, test_prefills_alone);
  tcase_add_test(tests, test_parts_and_changes);
  tcase_add_test(tests, test_prices);
  tcase_add_test(tests, test_instances_and_steps);
  tcase_add_test(tests, test_refusals);
  suite_add_tcase(suite, tests);
  return suite;
}
