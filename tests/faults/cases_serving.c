/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_serving.c: serving.h. */
#include <string.h>

#include "subject.h"

static const char network_text[] =
    "{\"format\": \"dsm-workload/1\", \"name\": \"small\", \"minibatch\": 1, \"layers\": ["
    "{\"name\": \"e\", \"type\": \"embedding\", \"vocabulary\": 10, \"out\": 12, \"positions\": "
    "5}, "
    "{\"name\": \"a\", \"type\": \"attention\", \"heads\": 2, \"head_features\": 2, \"causal\": "
    "true}]}";

static attempt serve_with(const subject *s, const dsm_serving_options *options, dsm_diags *diags) {
  static dsm_serving poison;
  dsm_serving *serving = &poison;
  dsm_workload *network = NULL;
  uint64_t digest = DIGEST_START;
  dsm_status status =
      dsm_workload_parse(&network, network_text, strlen(network_text), "n", NULL, 0, diags);
  if (status == DSM_OK) {
    status = dsm_serve(&serving, network, s->system, options, diags);
  } else {
    serving = NULL;
  }
  for (size_t i = 0; status == DSM_OK && i < serving->point_count; i++) {
    digest = digest_double(digest, serving->points[i].chip_requests_per_second);
    digest = digest_text(digest, serving->points[i].instance);
    digest = digest_text(digest, dsm_serving_limit_name(serving->points[i].limit));
  }
  const attempt made = attempt_of_status(status, serving, digest);
  if (serving != &poison) {
    dsm_serving_free(serving);
  }
  dsm_workload_free(network);
  return made;
}

static dsm_serving_options options_of(void) {
  dsm_serving_options options;
  dsm_serving_options_init(&options);
  options.input_tokens = 6;
  options.output_tokens = 3;
  options.gap = 0.9;
  options.chips = 1;
  return options;
}

static attempt serve(const subject *s, dsm_diags *diags) {
  dsm_serving_options options = options_of();
  options.rate = 1;
  options.is_disaggregated = true;
  options.has_changes = true;
  return serve_with(s, &options, diags);
}

static attempt serve_chunks(const subject *s, dsm_diags *diags) {
  dsm_serving_options options = options_of();
  options.chunk_tokens = 3;
  options.simulated_requests = 20;
  return serve_with(s, &options, diags);
}

static attempt serve_ahead(const subject *s, dsm_diags *diags) {
  dsm_serving_options options = options_of();
  dsm_workload *draft = NULL;
  attempt made = {.status = dsm_workload_parse(&draft, network_text, strlen(network_text), "d",
                                               NULL, 0, diags)};
  options.speculated_tokens = 2;
  options.acceptance = 0.5;
  options.draft = draft;
  if (made.status == DSM_OK) {
    made = serve_with(s, &options, diags);
  }
  dsm_workload_free(draft);
  return made;
}

static attempt serve_nobody(const subject *s, dsm_diags *diags) {
  dsm_serving_options options = options_of();
  options.tpot_seconds = 1e-15;
  return serve_with(s, &options, diags);
}

static attempt serve_badly(const subject *s, dsm_diags *diags) {
  dsm_serving_options options = options_of();
  options.gap = 0;
  return serve_with(s, &options, diags);
}

/* Nothing is allocated. */
static attempt be_steady(const subject *s, dsm_diags *diags) {
  static const double requests[] = {1, 9};
  static const double seconds[] = {1, 2};
  const dsm_serving_times times = {.output_tokens = 9,
                                   .prefill_seconds = 1,
                                   .prefill_batch = 1,
                                   .decode = {requests, seconds, 2}};
  dsm_serving_state state;
  (void)s, (void)diags;
  uint64_t digest = digest_double(DIGEST_START, dsm_serving_closed(&times, 2).ttft_seconds);
  digest = digest_double(digest, dsm_serving_benchmark(&times, 2, 3).ttft_seconds);
  digest = digest_double(digest, dsm_serving_largest_rate(&times));
  digest = digest_double(digest, dsm_serving_tokens_per_step(2, 0.5));
  digest = digest_u64(digest, dsm_serving_open(&state, &times, 0.1));
  dsm_serving_split split;
  digest = digest_u64(digest, dsm_serving_divide(&split, &times, 1, 1, 2, 9));
  digest = digest_double(digest, split.running);
  digest = digest_u64(digest, dsm_serving_open_apart(&state, &times, 0.1, 0.1));
  return (attempt){.status = DSM_OK, .digest = digest_double(digest, state.running)};
}

static attempt simulate(const subject *s, dsm_diags *diags) {
  static const double requests[] = {1, 9};
  static const double seconds[] = {1, 2};
  const dsm_serving_times times = {.output_tokens = 9,
                                   .prefill_seconds = 1,
                                   .prefill_batch = 1,
                                   .decode = {requests, seconds, 2}};
  const dsm_serving_scenario scenario = {.times = &times,
                                         .input_tokens = 5,
                                         .new_tokens = 5,
                                         .every = 1,
                                         .running = 9,
                                         .cache_tokens = 60,
                                         .requests = 30};
  dsm_serving_simulation made = {.requests = 0};
  (void)s, (void)diags;
  const dsm_status status = dsm_serving_simulate(&made, &scenario);
  return (attempt){.status = status,
                   .digest = status == DSM_OK ? digest_double(DIGEST_START, made.ttft.mean) : 0};
}

static attempt parse_lengths(const subject *s, dsm_diags *diags) {
  static const char text[] = "input_tokens,output_tokens\n5,2\n7,3\n";
  static dsm_serving_lengths poison;
  dsm_serving_lengths *lengths = &poison;
  (void)s;
  const dsm_status status = dsm_serving_lengths_parse(&lengths, text, sizeof text - 1, "t", diags);
  const uint64_t digest =
      status == DSM_OK ? digest_u64(DIGEST_START, lengths->items[1].input_tokens) : 0;
  const attempt made = attempt_of_status(status, lengths, digest);
  if (lengths != &poison) {
    dsm_serving_lengths_free(lengths);
  }
  return made;
}

static attempt plan_step(const subject *s, dsm_diags *diags) {
  dsm_serving_options options = options_of();
  dsm_plan *plan = NULL;
  dsm_workload *network = NULL;
  dsm_status status =
      dsm_workload_parse(&network, network_text, strlen(network_text), "n", NULL, 0, diags);
  if (status == DSM_OK) {
    status = dsm_serve_step(&plan, network, s->system, &options, 2, diags);
  }
  const attempt made = attempt_of_status(
      status, plan, status == DSM_OK ? digest_double(DIGEST_START, plan->result.step_cycles) : 0);
  dsm_plan_free(plan);
  dsm_workload_free(network);
  return made;
}

/* Of an answer that was not searched for. */
static attempt export_answer(const subject *s, dsm_diags *diags) {
  dsm_export *made = NULL;
  const dsm_serving serving = {
      .name = "n on s",
      .options = {.input_tokens = 6, .output_tokens = 3, .prefill_batch = 1},
      .best = {.instance = "x=2"},
      .engine = {.network = "n",
                 .instance = "x=2",
                 .instances = 1,
                 .chips = 2,
                 .requests = 4,
                 .positions = 9,
                 .memory_ratio = 0.9,
                 .ways = {.attention = {2, 1, 1, 1}, .dense = {2, 1, 1, 1}},
                 .weights = DSM_ELEMENT_TYPE_BF16,
                 .activations = DSM_ELEMENT_TYPE_BF16,
                 .cache = DSM_ELEMENT_TYPE_BF16}};
  (void)s;
  const dsm_status status = dsm_export_serving(&made, &serving, DSM_EXPORT_VLLM, diags);
  const attempt tried = attempt_of_status(
      status, made, status == DSM_OK ? digest_text(DIGEST_START, made->files[0].text) : 0);
  dsm_export_free(made);
  return tried;
}

const faulty_case serving_cases[] = {
    {"dsm_serve", serve, DSM_OK, NULL},
    {"dsm_serve, in chunks", serve_chunks, DSM_OK, NULL},
    {"dsm_serving_lengths_parse", parse_lengths, DSM_OK, NULL},
    {"dsm_serving_simulate", simulate, DSM_OK, NULL},
    {"dsm_serve, with a draft", serve_ahead, DSM_OK, NULL},
    {"dsm_serve, limits that nothing meets", serve_nobody, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_serve, bad options", serve_badly, DSM_ERROR_USAGE, NULL},
    {"dsm_serving_closed", be_steady, DSM_OK, NULL},
    {"dsm_serving_benchmark", be_steady, DSM_OK, NULL},
    {"dsm_serve_step", plan_step, DSM_OK, NULL},
    {"dsm_export_serving", export_answer, DSM_OK, NULL},
};
const size_t serving_case_count = sizeof serving_cases / sizeof *serving_cases;
