/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_check.c: check.h and its reports. */
#include <string.h>

#include "subject.h"

static const dsm_table_style style = {.width = 80, .color = true};

/* ---- baselines ---- */

static uint64_t digest_baseline(const dsm_baseline *baseline) {
  uint64_t digest = digest_text(DIGEST_START, baseline->dsm_version);
  digest = digest_text(digest, baseline->workload->name);
  digest = digest_text(digest, baseline->system->name);
  digest = digest_u64(digest, baseline->minibatch);
  digest = digest_double(digest, baseline->record.result.step_seconds);
  for (size_t i = 0; i < baseline->record.layer_count; i++) {
    const dsm_layer_plan *const layer = &baseline->record.layers[i];
    digest = digest_text(digest, layer->name);
    const char *const group = layer->decisions.pipeline_group;
    digest = digest_text(digest, group == NULL ? "" : group);
    digest = digest_u64(digest, layer->decisions.stage_rows);
    digest = digest_double(digest, layer->passes[DSM_PASS_FORWARD].cycles.total);
  }
  return digest;
}

static attempt take_baseline(dsm_status status, dsm_baseline *baseline,
                             const dsm_baseline *poison) {
  const attempt made =
      attempt_of_status(status, baseline, status == DSM_OK ? digest_baseline(baseline) : 0);
  if (baseline != poison) {
    dsm_baseline_free(baseline);
  }
  return made;
}

static attempt parse(const char *text, const dsm_override *overrides, size_t count,
                     dsm_diags *diags) {
  static dsm_baseline poison;
  dsm_baseline *baseline = &poison;
  const dsm_status status =
      dsm_baseline_parse(&baseline, text, strlen(text), "b.json", overrides, count, diags);
  return take_baseline(status, baseline, &poison);
}

static attempt parse_small(const subject *s, dsm_diags *diags) {
  return parse(s->small_plan_text, NULL, 0, diags);
}

static attempt parse_with_overrides(const subject *s, dsm_diags *diags) {
  static const dsm_override overrides[] = {{.path = "workload.minibatch", .value = "16"},
                                           {.path = "system.chip.cores", .value = "1"}};
  return parse(s->small_plan_text, overrides, 2, diags);
}

static attempt parse_wrong_figure(const subject *s, dsm_diags *diags) {
  static const dsm_override wrong = {.path = "result.utilization", .value = "2"};
  return parse(s->small_plan_text, &wrong, 1, diags);
}

static attempt parse_other_version(const subject *s, dsm_diags *diags) {
  static const dsm_override other = {.path = "format", .value = "dsm-plan/2"};
  return parse(s->small_plan_text, &other, 1, diags); /* with a note */
}

static attempt parse_question(const subject *s, dsm_diags *diags) {
  static dsm_baseline poison;
  dsm_baseline *question = &poison;
  const dsm_status status = dsm_question_parse(
      &question, s->small_plan_text, strlen(s->small_plan_text), "p.json", NULL, 0, diags);
  return take_baseline(status, question, &poison);
}

static attempt load(const subject *s, dsm_diags *diags) {
  static dsm_baseline poison;
  dsm_baseline *baseline = &poison;
  const dsm_status status = dsm_baseline_load(&baseline, s->plan_path, NULL, 0, diags);
  return take_baseline(status, baseline, &poison);
}

/* ---- drifts ---- */

static uint64_t digest_drift(const dsm_drift *drift) {
  uint64_t digest = digest_text(DIGEST_START, dsm_verdict_name(drift->verdict));
  digest = digest_text(digest, drift->workload);
  digest = digest_double(digest, drift->step_seconds.change);
  for (size_t i = 0; i < drift->layer_count; i++) {
    digest = digest_text(digest, drift->layers[i].layer);
    digest = digest_text(digest, dsm_presence_name(drift->layers[i].presence));
  }
  for (size_t i = 0; i < drift->pass_count; i++) {
    digest = digest_text(digest, drift->passes[i].layer);
    digest = digest_double(digest, drift->passes[i].cycles.change);
  }
  for (size_t i = 0; i < drift->decision_count; i++) {
    digest = digest_text(digest, drift->decisions[i].layer);
    digest = digest_text(digest, drift->decisions[i].decision);
    digest = digest_text(digest, drift->decisions[i].before);
    digest = digest_text(digest, drift->decisions[i].after);
  }
  return digest;
}

static attempt take_drift(dsm_status status, dsm_drift *drift, const dsm_drift *poison) {
  const attempt made = attempt_of_status(status, drift, status == DSM_OK ? digest_drift(drift) : 0);
  if (drift != poison) {
    dsm_drift_free(drift);
  }
  return made;
}

static attempt check(const subject *s, const dsm_system *system, dsm_diags *diags) {
  static dsm_drift poison;
  dsm_drift *drift = &poison;
  const dsm_check_request request = {
      .baseline = s->baseline, .workload = s->single, .system = system, .tolerance = 0};
  const dsm_status status = dsm_check(&drift, &request, diags);
  return take_drift(status, drift, &poison);
}

static attempt check_other_inputs(const subject *s, dsm_diags *diags) {
  return check(s, s->system, diags);
}

static attempt check_infeasible(const subject *s, dsm_diags *diags) {
  return check(s, s->tiny_system, diags);
}

static attempt derive(const subject *s, dsm_diags *diags) {
  static dsm_drift poison;
  dsm_drift *drift = &poison;
  const dsm_status status = dsm_drift_derive(&drift, s->baseline, s->pipelined_plan, 0, diags);
  return take_drift(status, drift, &poison);
}

static attempt derive_other_layers(const subject *s, dsm_diags *diags) {
  static dsm_drift poison;
  dsm_drift *drift = &poison;
  const dsm_status status = dsm_drift_derive(&drift, s->baseline, s->held_plan, 0, diags);
  return take_drift(status, drift, &poison);
}

static attempt read_tolerance(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  double tolerance = 0;
  double number = 0;
  const bool is_read =
      dsm_tolerance_parse("0.5%", &tolerance) && dsm_number_parse("12", 1, 100, &number);
  return (attempt){.status = DSM_OK,
                   .digest = digest_double(DIGEST_START, tolerance + number),
                   .wrong = is_read ? NULL : "a tolerance is read"};
}

static attempt free_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_baseline_free(NULL);
  dsm_drift_free(NULL);
  return (attempt){.status = DSM_OK};
}

/* ---- reports ---- */

/* One that moved, and one that could not be compared. */
typedef char *report(const dsm_checked *items, size_t count);

static attempt reported(const subject *s, report *print) {
  const dsm_checked items[] = {
      {.file = "a.json", .status = DSM_OK, .drift = s->drift, .is_failed = true, .seconds = 0.5},
      {.file = "b.json", .status = DSM_ERROR_INVALID, .is_failed = true, .diags = s->findings},
      {.file = "c.json", .status = DSM_OK, .drift = s->drift}};
  return attempt_of_text(print(items, sizeof items / sizeof items[0]));
}

static char *print_table(const dsm_checked *items, size_t count) {
  return as_table(DSM_ANSWERS(check, items, count), style);
}

static char *print_json(const dsm_checked *items, size_t count) {
  return as_json(DSM_ANSWERS(check, items, count));
}

static char *print_csv(const dsm_checked *items, size_t count) {
  return as_csv(DSM_ANSWERS(check, items, count));
}

static char *print_junit(const dsm_checked *items, size_t count) {
  return dsm_answer_print(DSM_ANSWERS(check, items, count), DSM_FORM_JUNIT, NULL);
}

static attempt report_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  return reported(s, print_table);
}

static attempt report_json(const subject *s, dsm_diags *diags) {
  (void)diags;
  return reported(s, print_json);
}

static attempt report_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  return reported(s, print_csv);
}

static attempt report_junit(const subject *s, dsm_diags *diags) {
  (void)diags;
  return reported(s, print_junit);
}

const faulty_case check_cases[] = {
    {"dsm_baseline_parse", parse_small, DSM_OK, NULL},
    {"dsm_baseline_parse, overrides", parse_with_overrides, DSM_OK, NULL},
    {"dsm_baseline_parse, wrong figure", parse_wrong_figure, DSM_ERROR_INVALID, NULL},
    {"dsm_baseline_parse, other version", parse_other_version, DSM_ERROR_INVALID, NULL},
    {"dsm_question_parse", parse_question, DSM_OK, NULL},
    {"dsm_baseline_load", load, DSM_OK, NULL},
    {"dsm_check, other inputs", check_other_inputs, DSM_OK, NULL},
    {"dsm_check, infeasible", check_infeasible, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_drift_derive", derive, DSM_OK, NULL},
    {"dsm_drift_derive, other layers", derive_other_layers, DSM_OK, NULL},
    {"dsm_tolerance_parse, dsm_number_parse", read_tolerance, DSM_OK, NULL},
    {"dsm_baseline_free, dsm_drift_free", free_nothing, DSM_OK, NULL},
    {"dsm_answer_print: check table", report_table, DSM_OK, NULL},
    {"dsm_answer_print: check json", report_json, DSM_OK, NULL},
    {"dsm_answer_print: check csv", report_csv, DSM_OK, NULL},
    {"dsm_answer_print: check junit", report_junit, DSM_OK, NULL},
};
const size_t check_case_count = sizeof check_cases / sizeof check_cases[0];
