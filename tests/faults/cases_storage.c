/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_storage.c: storage.h, its reports and its figures. */
#include <string.h>

#include "subject.h"

static const dsm_table_style style = {.width = 80, .color = true};
static const double weights[DSM_METRIC_COUNT] = {1, 0, 1};

static const dsm_storage_job job = {.samples = 100,
                                    .sample_bytes = 10,
                                    .samples_per_second = 8,
                                    .demand_bytes_per_second = 80,
                                    .fast_bytes = 500,
                                    .fast_bytes_per_second = 160,
                                    .capacity_bytes_per_second = 20};

/* ---- traces ---- */

static attempt parse_text(const char *text, dsm_diags *diags) {
  static dsm_metric_trace poison;
  dsm_metric_trace *made = &poison;
  const dsm_status status =
      dsm_metric_trace_parse(&made, text, strlen(text), "trace.csv", weights, diags);
  uint64_t digest = DIGEST_START;
  for (size_t i = 0; status == DSM_OK && i < made->row_count * DSM_METRIC_COUNT; i++) {
    digest = digest_double(digest, made->values[i]);
  }
  const attempt how = attempt_of_status(status, made, digest);
  if (made != &poison) {
    dsm_metric_trace_free(made);
  }
  return how;
}

static attempt parse(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text("loss,other,validation_error\n1,x,2\n2,\"y\",1\n", diags);
}

static attempt parse_bad(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text("loss,validation_error\n1,2\nnan,1\n", diags);
}

static const double values[] = {5, 0, 0, 4, 0, 0, 6, 0, 0, 7, 0, 0, 3, 0, 0};
static const dsm_metric_trace trace = {.values = values, .row_count = 5};

static attempt replay(const subject *s, dsm_diags *diags) {
  double repeats[5];
  size_t count = 0;
  dsm_storage_options options;
  (void)s;
  dsm_storage_options_init(&options);
  options.replay.rule = DSM_REPEAT_RULE_BOLLINGER;
  options.replay.window = 3;
  options.replay.deviations = 1.2;
  const dsm_status status = dsm_repeats_replay(repeats, &count, &trace, &options.replay, diags);
  return attempt_of_status(status, status == DSM_OK ? repeats : NULL, digest_u64(1, count));
}

/* ---- answers ---- */

static dsm_status answer(dsm_storage_result **made, bool is_replayed, dsm_diags *diags) {
  static const double repeats[] = {2, 6, 1, 1};
  dsm_storage_options options;
  dsm_storage_options_init(&options);
  options.replay.rule = is_replayed ? DSM_REPEAT_RULE_SCORE : DSM_REPEAT_RULE_NONE;
  options.trace = is_replayed ? &trace : NULL;
  options.repeats = is_replayed ? NULL : repeats;
  options.repeat_count = is_replayed ? 0 : 4;
  options.wants_timeline = true;
  options.sample_flop = 3;
  options.flop_per_second = 9;
  return dsm_storage(made, &job, &options, diags);
}

static attempt answer_attempt(bool is_replayed, dsm_diags *diags) {
  static dsm_storage_result poison;
  dsm_storage_result *made = &poison;
  const dsm_status status = answer(&made, is_replayed, diags);
  uint64_t digest = DIGEST_START;
  for (size_t i = 0; status == DSM_OK && i < made->event_count; i++) {
    digest = digest_double(digest, made->events[i].train_end_seconds);
  }
  const attempt how = attempt_of_status(status, made, digest);
  if (made != &poison) {
    dsm_storage_result_free(made);
  }
  return how;
}

static attempt of_list(const subject *s, dsm_diags *diags) {
  (void)s;
  return answer_attempt(false, diags);
}

static attempt of_trace(const subject *s, dsm_diags *diags) {
  (void)s;
  return answer_attempt(true, diags);
}

static attempt too_few(const subject *s, dsm_diags *diags) {
  static dsm_storage_result poison;
  dsm_storage_result *made = &poison;
  dsm_storage_options options;
  (void)s;
  dsm_storage_options_init(&options);
  options.mini_epochs = 2;
  const dsm_status status = dsm_storage(&made, &job, &options, diags);
  return attempt_of_status(status, made, 0);
}

static attempt no_job(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_storage_job none = job;
  none.sample_bytes = 0;
  return attempt_of_status(dsm_storage_job_check(&none, diags), NULL, 0);
}

/* What never fails. */
static attempt equations(const subject *s, dsm_diags *diags) {
  static const double repeats[] = {1, 9};
  dsm_storage_event events[2];
  (void)diags;
  const uint64_t mini_epochs = dsm_storage_mini_epochs(&job);
  const dsm_storage_job made = dsm_storage_job_of(s->plan->workload, s->plan->system, 5);
  uint64_t digest = digest_u64(DIGEST_START, dsm_storage_fits(&job) ? 1 : 0);
  digest = digest_u64(digest, dsm_storage_is_stated(s->plan->workload, s->plan->system) ? 1 : 0);
  digest = digest_u64(digest, dsm_storage_mini_epoch_samples(&job, mini_epochs, 1));
  digest = digest_double(digest, made.samples_per_second);
  digest = digest_double(digest, dsm_storage_stall_free_repeat(&job));
  digest = digest_double(digest, dsm_storage_mean_of(&job, mini_epochs, repeats, NULL, 2).seconds);
  digest = digest_double(digest, dsm_storage_timeline(events, &job, mini_epochs, repeats, 2));
  digest = digest_double(digest, dsm_io_roof_of(1, 2, 3, 4).intensity);
  digest = digest_double(digest, dsm_sample_flop(s->plan->workload, DSM_MODE_TRAINING));
  digest = digest_double(digest, dsm_plan_computing_seconds(s->plan));
  digest = digest_text(digest, dsm_metric_name(DSM_METRIC_LOSS));
  digest = digest_text(digest, dsm_repeat_rule_name(DSM_REPEAT_RULE_SCORE));
  digest = digest_text(digest, dsm_storage_bound_name(DSM_STORAGE_BOUND_FAST));
  return attempt_of_status(DSM_OK, repeats, digest);
}

/* ---- answers that are read ---- */

static const char answer_text[] =
    "{\"format\": \"dsm-storage/1\", \"name\": \"x\", \"mode\": \"training\", \"planned\": false, "
    "\"rule\": \"none\", \"job\": {\"samples\": 100, \"sample_bytes\": 10, \"samples_per_second\": "
    "8, "
    "\"demand_bytes_per_second\": 80, \"fast_bytes\": 500, \"fast_bytes_per_second\": 160, "
    "\"capacity_bytes_per_second\": 20}, \"steady\": {\"mini_epochs\": 4}, \"repeats\": "
    "[{\"repeat\": 2, "
    "\"time\": 1}, {\"repeat\": 3, \"time\": 1}, {\"repeat\": 1, \"time\": 2}, {\"repeat\": 1, "
    "\"time\": 2}], \"fast_roof\": {\"sample_flop\": 3, \"flop_per_second\": 9}}";

static attempt read_answer(const char *text, dsm_diags *diags) {
  dsm_answer read;
  const dsm_status status =
      dsm_answer_parse(&read, &dsm_answer_storage, text, strlen(text), "s.json", diags);
  const dsm_storage_result *const made = read.of;
  const attempt how = attempt_of_status(
      status, made, status == DSM_OK ? digest_double(DIGEST_START, made->mean.seconds) : 0);
  dsm_answer_free(&read);
  return how;
}

static attempt read_good(const subject *s, dsm_diags *diags) {
  (void)s;
  return read_answer(answer_text, diags);
}

/* Its question again. */
static attempt ask(const subject *s, dsm_diags *diags) {
  const dsm_document document = {answer_text, strlen(answer_text), "s.json"};
  dsm_answer answer;
  (void)s;
  const dsm_status status = dsm_answer_ask(&answer, &dsm_answer_storage, &document, NULL, 0, diags);
  const attempt how =
      attempt_of_status(status, answer.of, dsm_answer_holds_question(&dsm_answer_storage) ? 1 : 0);
  dsm_answer_free(&answer);
  return how;
}

/* Two factors for four mini-epochs. */
static attempt read_bad(const subject *s, dsm_diags *diags) {
  (void)s;
  return read_answer(
      "{\"format\": \"dsm-storage/1\", \"name\": \"x\", \"mode\": \"training\", \"planned\": "
      "false, "
      "\"rule\": \"none\", \"job\": {\"samples\": 100, \"sample_bytes\": 10, "
      "\"samples_per_second\": "
      "8, \"demand_bytes_per_second\": 80, \"fast_bytes\": 500, \"fast_bytes_per_second\": 160, "
      "\"capacity_bytes_per_second\": 20}, \"steady\": {\"mini_epochs\": 4}, \"repeats\": "
      "[{\"repeat\": 2}, {\"repeat\": 3}]}",
      diags);
}

static attempt load_plan(const subject *s, dsm_diags *diags) {
  dsm_answer answer;
  const dsm_status status = dsm_answer_load(&answer, &dsm_answer_storage, s->workload_path, diags);
  const attempt how = attempt_of_status(status, answer.owned, 0);
  dsm_answer_free(&answer);
  return how;
}

/* ---- reports ---- */

typedef enum form { TABLE, JSON, CSV, PAGE } form;

static attempt report(form wanted, dsm_diags *diags) {
  dsm_storage_result *made = NULL;
  const dsm_status status = answer(&made, false, diags);
  if (status != DSM_OK) {
    return attempt_of_status(status, NULL, 0);
  }
  made->name = "x";
  const attempt how = attempt_of_text(wanted == TABLE  ? as_table(DSM_ANSWER(storage, made), style)
                                      : wanted == JSON ? as_json(DSM_ANSWER(storage, made))
                                      : wanted == PAGE ? as_page(DSM_ANSWER(storage, made))
                                                       : as_csv(DSM_ANSWER(storage, made)));
  dsm_storage_result_free(made);
  return how;
}

static attempt report_table(const subject *s, dsm_diags *diags) {
  (void)s;
  return report(TABLE, diags);
}

static attempt report_json(const subject *s, dsm_diags *diags) {
  (void)s;
  return report(JSON, diags);
}

static attempt report_csv(const subject *s, dsm_diags *diags) {
  (void)s;
  return report(CSV, diags);
}

static attempt report_page(const subject *s, dsm_diags *diags) {
  (void)s;
  return report(PAGE, diags);
}

/* ---- figures ---- */

static attempt drawn_answer(const subject *s, dsm_diags *diags) {
  static dsm_plot poison;
  dsm_plot *plot = &poison;
  dsm_storage_result *made = NULL;
  (void)s;
  dsm_status status = answer(&made, true, diags);
  if (status != DSM_OK) {
    return attempt_of_status(status, NULL, 0);
  }
  status = dsm_plot_answer(&plot, DSM_ANSWER(storage, made), 1, diags);
  const attempt how =
      attempt_of_status(status, plot, status == DSM_OK ? digest_text(DIGEST_START, plot->body) : 0);
  if (plot != &poison) {
    dsm_plot_free(plot);
  }
  dsm_storage_result_free(made);
  return how;
}

static attempt figure(const subject *s, dsm_plan_figure wanted, dsm_diags *diags) {
  static dsm_plot poison;
  dsm_plot *plot = &poison;
  dsm_plan plan = *s->plan;
  plan.result.storage = (dsm_plan_storage){
      .job = job, .state = dsm_storage_steady(&job, dsm_storage_mini_epochs(&job), 2)};
  const dsm_status status = dsm_plot_plan(&plot, &plan, wanted, false, diags);
  const attempt how =
      attempt_of_status(status, plot, status == DSM_OK ? digest_text(DIGEST_START, plot->body) : 0);
  if (plot != &poison) {
    dsm_plot_free(plot);
  }
  return how;
}

static attempt supply(const subject *s, dsm_diags *diags) {
  return figure(s, DSM_PLAN_FIGURE_STORAGE, diags);
}

static attempt mini_epochs(const subject *s, dsm_diags *diags) {
  return figure(s, DSM_PLAN_FIGURE_MINI_EPOCHS, diags);
}

static attempt io_roofline(const subject *s, dsm_diags *diags) {
  return figure(s, DSM_PLAN_FIGURE_IO_ROOFLINE, diags);
}

static attempt no_storage(const subject *s, dsm_diags *diags) {
  static dsm_plot poison;
  dsm_plot *plot = &poison;
  const dsm_status status = dsm_plot_plan(&plot, s->plan, DSM_PLAN_FIGURE_STORAGE, false, diags);
  return attempt_of_status(status, plot, 0);
}

const faulty_case storage_cases[] = {
    {"dsm_metric_trace_parse", parse, DSM_OK, NULL},
    {"dsm_metric_trace_parse: a bad one", parse_bad, DSM_ERROR_INVALID, NULL},
    {"dsm_repeats_replay", replay, DSM_OK, NULL},
    {"dsm_storage", of_list, DSM_OK, NULL},
    {"dsm_storage: of a trace", of_trace, DSM_OK, NULL},
    {"dsm_storage: too few mini-epochs", too_few, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_storage_steady and the other equations", equations, DSM_OK, NULL},
    {"dsm_storage_job_check", no_job, DSM_ERROR_INVALID, NULL},
    {"dsm_answer_print: storage table", report_table, DSM_OK, NULL},
    {"dsm_answer_print: storage json", report_json, DSM_OK, NULL},
    {"dsm_answer_print: storage csv", report_csv, DSM_OK, NULL},
    {"dsm_answer_print: storage page", report_page, DSM_OK, NULL},
    {"dsm_answer_parse: storage", read_good, DSM_OK, NULL},
    {"dsm_answer_parse: storage, a list that is too short", read_bad, DSM_ERROR_INVALID, NULL},
    {"dsm_answer_ask: storage", ask, DSM_OK, NULL},
    {"dsm_answer_load: a network", load_plan, DSM_ERROR_INVALID, NULL},
    {"dsm_plot_answer: storage", drawn_answer, DSM_OK, NULL},
    {"dsm_plot_plan: storage", supply, DSM_OK, NULL},
    {"dsm_plot_plan: mini_epochs", mini_epochs, DSM_OK, NULL},
    {"dsm_plot_plan: io_roofline", io_roofline, DSM_OK, NULL},
    {"dsm_plot_plan: no storage", no_storage, DSM_ERROR_USAGE, NULL},
};
const size_t storage_case_count = sizeof storage_cases / sizeof storage_cases[0];
