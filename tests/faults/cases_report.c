/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_report.c: report.h. A report is whole or NULL: never one with pieces missing. */
#include <math.h>

#include "subject.h"

static const dsm_table_style style = {.width = 80, .color = true};

static attempt plan_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_plan_table(s->plan, style));
}

static attempt plan_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_plan_csv(s->plan));
}

static attempt step_trace(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_step_trace(s->small_plan));
}

static attempt pipelined_step_trace(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_step_trace(s->pipelined_plan));
}

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

static attempt held_plan_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_plan_table(s->held_plan, style));
}

static attempt pipelined_plan_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_plan_table(s->pipelined_plan, style));
}

static attempt pipelined_plan_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_plan_csv(s->pipelined_plan));
}

typedef struct ladder {
  dsm_ladder_rung rungs[2];
} ladder;

static ladder ladder_of(const subject *s) {
  return (ladder){{{.name = "none", .plan = s->base_plan, .system = "a"},
                   {.name = "hybrid", .plan = s->plan, .system = "a"}}};
}

static attempt ladder_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  const ladder made = ladder_of(s);
  return attempt_of_text(dsm_report_ladder_table(made.rungs, 2, style));
}

static attempt ladder_json(const subject *s, dsm_diags *diags) {
  (void)diags;
  const ladder made = ladder_of(s);
  return attempt_of_text(dsm_report_ladder_json(made.rungs, 2));
}

static attempt ladder_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  const ladder made = ladder_of(s);
  return attempt_of_text(dsm_report_ladder_csv(made.rungs, 2));
}

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
  return attempt_of_text(dsm_report_plan_page(&page));
}

static attempt pipelined_plan_page(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_plan_page(&(dsm_plan_page){.plan = s->pipelined_plan}));
}

static attempt explanation_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  const dsm_explanation *const list[] = {s->explanation};
  return attempt_of_text(dsm_report_explanation_table(s->plan, list, 1, style));
}

static attempt explanation_json(const subject *s, dsm_diags *diags) {
  (void)diags;
  const dsm_explanation *const list[] = {s->explanation};
  return attempt_of_text(dsm_report_explanation_json(s->plan, list, 1));
}

static attempt explanation_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  const dsm_explanation *const list[] = {s->explanation};
  return attempt_of_text(dsm_report_explanation_csv(s->plan, list, 1));
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

static attempt description_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  const described made = described_of(s);
  return attempt_of_text(dsm_report_description_table(made.items, DESCRIBED_COUNT, style));
}

static attempt description_json(const subject *s, dsm_diags *diags) {
  (void)diags;
  const described made = described_of(s);
  return attempt_of_text(dsm_report_description_json(made.items, DESCRIBED_COUNT));
}

static attempt formats_json(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  return attempt_of_text(dsm_report_formats_json());
}

static attempt description_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  const described made = described_of(s);
  return attempt_of_text(dsm_report_description_csv(made.items, DESCRIBED_COUNT));
}

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

static attempt list_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  const listed made = listed_of(s);
  return attempt_of_text(dsm_report_list_table(made.items, LISTED_COUNT, style));
}

static attempt list_json(const subject *s, dsm_diags *diags) {
  (void)diags;
  const listed made = listed_of(s);
  return attempt_of_text(dsm_report_list_json(made.items, LISTED_COUNT));
}

static attempt list_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  const listed made = listed_of(s);
  return attempt_of_text(dsm_report_list_csv(made.items, LISTED_COUNT));
}

static attempt diags_json(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_report_diags_json(s->findings));
}

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

static attempt validation_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  const validated made = validated_of(s);
  return attempt_of_text(dsm_report_validation_table(made.items, VALIDATED_COUNT, style));
}

static attempt validation_json(const subject *s, dsm_diags *diags) {
  (void)diags;
  const validated made = validated_of(s);
  return attempt_of_text(dsm_report_validation_json(made.items, VALIDATED_COUNT));
}

static attempt validation_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  const validated made = validated_of(s);
  return attempt_of_text(dsm_report_validation_csv(made.items, VALIDATED_COUNT));
}

const faulty_case report_cases[] = {
    {"dsm_report_plan_table", plan_table, DSM_OK, NULL},
    {"dsm_report_plan_csv", plan_csv, DSM_OK, NULL},
    {"dsm_report_step_trace", step_trace, DSM_OK, NULL},
    {"dsm_report_step_trace, pipelined", pipelined_step_trace, DSM_OK, NULL},
    {"dsm_export_plan", export_plan, DSM_OK, NULL},
    {"dsm_export_plan, trace", export_trace, DSM_OK, NULL},
    {"dsm_export_target_parse", use_targets, DSM_OK, NULL},
    {"dsm_report_plan_table, held", held_plan_table, DSM_OK, NULL},
    {"dsm_report_plan_table, pipelined", pipelined_plan_table, DSM_OK, NULL},
    {"dsm_report_plan_csv, pipelined", pipelined_plan_csv, DSM_OK, NULL},
    {"dsm_report_ladder_table", ladder_table, DSM_OK, NULL},
    {"dsm_report_ladder_json", ladder_json, DSM_OK, NULL},
    {"dsm_report_ladder_csv", ladder_csv, DSM_OK, NULL},
    {"dsm_report_plan_page", plan_page, DSM_OK, NULL},
    {"dsm_report_plan_page, pipelined", pipelined_plan_page, DSM_OK, NULL},
    {"dsm_report_explanation_table", explanation_table, DSM_OK, NULL},
    {"dsm_report_explanation_json", explanation_json, DSM_OK, NULL},
    {"dsm_report_explanation_csv", explanation_csv, DSM_OK, NULL},
    {"dsm_report_description_table", description_table, DSM_OK, NULL},
    {"dsm_report_description_json", description_json, DSM_OK, NULL},
    {"dsm_report_formats_json", formats_json, DSM_OK, NULL},
    {"dsm_report_description_csv", description_csv, DSM_OK, NULL},
    {"dsm_report_list_table", list_table, DSM_OK, NULL},
    {"dsm_report_list_json", list_json, DSM_OK, NULL},
    {"dsm_report_list_csv", list_csv, DSM_OK, NULL},
    {"dsm_report_diags_json", diags_json, DSM_OK, NULL},
    {"dsm_report_validation_table", validation_table, DSM_OK, NULL},
    {"dsm_report_validation_json", validation_json, DSM_OK, NULL},
    {"dsm_report_validation_csv", validation_csv, DSM_OK, NULL},
};
const size_t report_case_count = sizeof report_cases / sizeof report_cases[0];
