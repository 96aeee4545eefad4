/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_dispatch.c: dispatch.h, baselines, and the reports of partitions and simulations, of
 * partitions made by hand. */
#include "report/made_partition.h"
#include "subject.h"

static uint64_t digest_dispatch(const dsm_dispatch *dispatch) {
  uint64_t digest = digest_double(DIGEST_START, dispatch->throughput);
  digest = digest_double(digest, dispatch->mean_latency_seconds);
  for (size_t j = 0; j < dispatch->partition->instance->device_count; j++) {
    digest = digest_double(digest, dispatch->devices[j].mean_queue);
  }
  digest = digest_text(digest, dsm_dispatch_rule_name(dispatch->options.rule));
  for (size_t v = 0; v < dispatch->event_count; v++) {
    digest = digest_u64(digest, dispatch->events[v].task);
    digest = digest_double(digest, dispatch->events[v].end_seconds);
  }
  return digest;
}

static attempt simulate(const dsm_partition *partition, const dsm_dispatch_options *options,
                        dsm_diags *diags) {
  static dsm_dispatch poison;
  dsm_dispatch *dispatch = &poison;
  const dsm_status status = dsm_dispatch_run(&dispatch, partition, options, diags);
  const attempt made =
      attempt_of_status(status, dispatch, status == DSM_OK ? digest_dispatch(dispatch) : 0);
  if (dispatch != &poison) {
    dsm_dispatch_free(dispatch);
  }
  return made;
}

/* Enough requests for everything to grow. */
static attempt simulate_window(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_dispatch_options options;
  dsm_dispatch_options_init(&options);
  options.request_count = 300;
  options.window = 150;
  options.does_record = true;
  dsm_dispatch_options_scale(&options, made_partition.instance);
  return simulate(&made_partition, &options, diags);
}

static attempt simulate_rate(const subject *s, dsm_diags *diags) {
  (void)s;
  const dsm_dispatch_options options = {.request_count = 300, .rate = 1000, .seed = 3};
  return simulate(&made_partition, &options, diags);
}

static attempt simulate_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  const dsm_dispatch_options options = {.window = 1};
  return simulate(&made_partition, &options, diags);
}

static attempt check_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  const dsm_dispatch_options options = {.window = 1};
  return (attempt){.status = dsm_dispatch_check(made_partition.instance, &options, diags)};
}

static attempt simulate_starving(const subject *s, dsm_diags *diags) {
  (void)s;
  const dsm_dispatch_options options = {
      .rule = DSM_DISPATCH_EARLIEST, .request_count = 3, .window = 1};
  static const bool nowhere[8] = {false};
  dsm_partition starving = made_partition;
  starving.is_stored = nowhere;
  return simulate(&starving, &options, diags);
}

static attempt free_no_dispatch(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_dispatch_free(NULL);
  return (attempt){.status = DSM_OK};
}

static attempt baselines(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_partition_baseline made[DSM_BASELINE_KIND_COUNT];
  dsm_partition_baselines(made_partition.instance, &made_partition.options, made);
  attempt result = {.status = DSM_OK, .digest = DIGEST_START};
  for (int k = 0; k < DSM_BASELINE_KIND_COUNT; k++) {
    result.digest = digest_text(result.digest, dsm_baseline_kind_name(made[k].kind));
    result.digest = digest_double(result.digest, made[k].rho);
  }
  return result;
}

FORM_CASES(dispatch, DSM_ANSWER(dispatch, s->simulation))
TEXT_CASE(dispatch_trace, as_trace(DSM_ANSWER(dispatch, s->simulation)))

const faulty_case dispatch_cases[] = {
    {"dsm_dispatch_run, window", simulate_window, DSM_OK, NULL},
    {"dsm_dispatch_run, rate", simulate_rate, DSM_OK, NULL},
    {"dsm_dispatch_check", check_nothing, DSM_ERROR_USAGE, NULL},
    {"dsm_dispatch_run, no requests", simulate_nothing, DSM_ERROR_USAGE, NULL},
    {"dsm_dispatch_run, starving", simulate_starving, DSM_ERROR_INVALID, NULL},
    {"dsm_dispatch_free", free_no_dispatch, DSM_OK, NULL},
    {"dsm_partition_baselines", baselines, DSM_OK, NULL},
    FORM_ROWS(dispatch),
    {"dsm_answer_print: dispatch trace", dispatch_trace, DSM_OK, NULL},
};
const size_t dispatch_case_count = sizeof dispatch_cases / sizeof dispatch_cases[0];
