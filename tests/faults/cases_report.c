/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_report.c: answer.h. A text is whole or NULL: never one with pieces missing. */
#include <math.h>

#include "subject.h"

FORM_CASES(plan, DSM_ANSWER(plan, s->plan))
FORM_CASES(held, DSM_ANSWER(plan, s->held_plan))
FORM_CASES(pipelined, DSM_ANSWER(plan, s->pipelined_plan))
TEXT_CASE(step_trace, as_trace(DSM_ANSWER(plan, s->small_plan)))
TEXT_CASE(pipelined_step_trace, as_trace(DSM_ANSWER(plan, s->pipelined_plan)))
TEXT_CASE(formats_json, as_json(DSM_ANSWER(formats, NULL)))
TEXT_CASE(findings_json, as_json(DSM_ANSWER(findings, s->findings)))

static uint64_t digest_export(const dsm_export *made) {
  uint64_t digest = DIGEST_START;
  for (size_t i = 0; i < made->file_count; i++) {
    digest = digest_text(digest, made->files[i].name);
    digest = digest_bytes(digest, made->files[i].text, made->files[i].length);
  }
  return digest;
}

static attempt export_to(const subject *s, dsm_export_target target, dsm_diags *diags) {
  static dsm_export poison;
  dsm_export *made = &poison;
  const dsm_status status = dsm_export_plan(&made, s->plan, target, diags);
  const attempt tried = attempt_of_status(status, made, status == DSM_OK ? digest_export(made) : 0);
  if (made != &poison) {
    dsm_export_free(made);
  }
  return tried;
}

static attempt export_plan(const subject *s, dsm_diags *diags) {
  return export_to(s, DSM_EXPORT_ASTRA_SIM, diags);
}

static attempt export_trace(const subject *s, dsm_diags *diags) {
  return export_to(s, DSM_EXPORT_CHAKRA, diags);
}

static attempt use_targets(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_export_target target = DSM_EXPORT_TARGET_COUNT;
  const char *const name = dsm_export_target_name(DSM_EXPORT_ASTRA_SIM);
  const bool is_parsed = dsm_export_target_parse(name, &target) && target == DSM_EXPORT_ASTRA_SIM &&
                         !dsm_export_target_parse("astra", &target);
  dsm_export_free(NULL);
  return (attempt){.status = is_parsed ? DSM_OK : DSM_ERROR_INVALID};
}

typedef struct ladder {
  dsm_ladder_rung rungs[2];
} ladder;

static ladder ladder_of(const subject *s) {
  return (ladder){{{.name = "none", .plan = s->base_plan, .system = "a"},
                   {.name = "hybrid", .plan = s->plan, .system = "a"}}};
}

FORM_CASES(ladder, DSM_ANSWERS(ladder, ((const ladder[]){ladder_of(s)})->rungs, 2))

static attempt plan_page(const subject *s, dsm_diags *diags) {
  (void)diags;
  const ladder made = ladder_of(s);
  const dsm_plan_page page = {.plan = s->plan,
                              .file = "it's.json",
                              .recorded_step_cycles = 1,
                              .best = s->plan,
                              .rungs = made.rungs,
                              .rung_count = 2,
                              .elasticity = s->sensitivity};
  return attempt_of_text(as_page(DSM_ANSWER(plan_page, &page)));
}

FORM_CASES(explanation,
           DSM_ANSWER(explanation, ((dsm_explained[]){
                                       {s->plan, (const dsm_explanation *[]){s->explanation}, 1}})))

static attempt pipelined_plan_page(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(
      as_page(DSM_ANSWER(plan_page, (&(dsm_plan_page){.plan = s->pipelined_plan}))));
}

enum { DESCRIBED_COUNT = 6 };

typedef struct described {
  dsm_described items[DESCRIBED_COUNT];
} described;

/* A server of two devices, and tasks on them. */
static const dsm_device devices[] = {
    {.name = "d",
     .kind = DSM_DEVICE_ROOFLINE,
     .memory_bytes = 1e9,
     .link_bytes_per_second = HUGE_VAL,
     .roofline = {.peak_flops = 1e12, .memory_bytes_per_second = 1e9, .efficiency_ratio = 1}},
    {.name = "e", .kind = DSM_DEVICE_TIMES, .memory_bytes = HUGE_VAL, .link_bytes_per_second = 1}};
static const dsm_server server = {
    .name = "s", .source = "here", .devices = devices, .device_count = 2};
static const dsm_task tasks[] = {{.name = "t", .weights_bytes = 5, .output_bytes = 1}};
static const dsm_instance_device places[] = {
    {.name = "d", .memory_bytes = 10, .link_bytes_per_second = HUGE_VAL, .has_power = true}};
static const double task_seconds[] = {0.5};
static const dsm_instance profile = {.name = "p",
                                     .tasks = tasks,
                                     .task_count = 1,
                                     .devices = places,
                                     .device_count = 1,
                                     .seconds = task_seconds};

static described described_of(const subject *s) {
  return (described){{
      {.file = "a.json", .workload = s->convolutional},
      {.file = "b.json", .workload = s->recurrent},
      {.file = "c.json", .system = s->system},
      {.file = "d.json", .plan = s->plan},
      {.file = "e.json", .server = &server},
      {.file = "f.json", .profile = &profile},
  }};
}

FORM_CASES(description,
           DSM_ANSWERS(description, ((const described[]){described_of(s)})->items, DESCRIBED_COUNT))

enum { LISTED_COUNT = 3 };

typedef struct listed {
  dsm_listed items[LISTED_COUNT];
} listed;

static listed listed_of(const subject *s) {
  return (listed){{
      {.name = "a", .about = "one line", .what = {.file = "a.json", .workload = s->convolutional}},
      {.name = "c", .what = {.file = "c.json", .system = s->system}},
      {.name = "e", .what = {.file = "e.json", .server = &server}},
  }};
}

FORM_CASES(list, DSM_ANSWER(list, (&(const dsm_listing){((const listed[]){listed_of(s)})->items,
                                                        LISTED_COUNT, true})))

enum { VALIDATED_COUNT = 2 };

typedef struct validated {
  dsm_validated items[VALIDATED_COUNT];
} validated;

static validated validated_of(const subject *s) {
  return (validated){{
      {.file = "a.json", .kind = "workload", .summary = "4 layers", .status = DSM_OK},
      {.file = "b.json", .kind = "workload", .status = DSM_ERROR_INVALID, .diags = s->findings},
  }};
}

FORM_CASES(validation,
           DSM_ANSWERS(validation, ((const validated[]){validated_of(s)})->items, VALIDATED_COUNT))

const faulty_case report_cases[] = {
    FORM_ROWS(plan),
    FORM_ROWS(held),
    FORM_ROWS(pipelined),
    {"dsm_answer_print: step trace", step_trace, DSM_OK, NULL},
    {"dsm_answer_print: step trace, pipelined", pipelined_step_trace, DSM_OK, NULL},
    {"dsm_export_plan", export_plan, DSM_OK, NULL},
    {"dsm_export_plan, trace", export_trace, DSM_OK, NULL},
    {"dsm_export_target_parse", use_targets, DSM_OK, NULL},
    FORM_ROWS(ladder),
    {"dsm_answer_print: plan page", plan_page, DSM_OK, NULL},
    {"dsm_answer_print: plan page, pipelined", pipelined_plan_page, DSM_OK, NULL},
    FORM_ROWS(explanation),
    FORM_ROWS(description),
    {"dsm_answer_print: formats json", formats_json, DSM_OK, NULL},
    FORM_ROWS(list),
    {"dsm_answer_print: findings json", findings_json, DSM_OK, NULL},
    FORM_ROWS(validation),
};
const size_t report_case_count = sizeof report_cases / sizeof report_cases[0];
