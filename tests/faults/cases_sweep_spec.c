/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_sweep_spec.c: sweep.h but for evaluation: specifications, requests, values of points. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "subject.h"

static const char spec_text[] =
    "{ \"format\": \"dsm-sweep/1\", \"name\": \"faults\", \"source\": \"a test\",\n"
    "  \"workloads\": [\"single\", { \"name\": \"whole\", \"description\": { \"format\": "
    "\"dsm-workload/1\", \"name\": \"w\", \"minibatch\": 2, \"layers\": [ { \"name\": \"f\", "
    "\"type\": \"fc\", \"in\": 4, \"out\": 4 } ] } }],\n"
    "  \"systems\": [\"system\"], \"options\": { \"optimize\": [\"reuse\", \"hybrid\"] },\n"
    "  \"set\": { \"workload.source\": \"text\" },\n"
    "  \"axes\": [ { \"path\": \"workload.minibatch\", \"range\": { \"from\": 2, \"to\": 8, "
    "\"factor\": 2 } },\n"
    "    { \"paths\": [\"system.system.chips_x\", \"options.mode\"], \"values\": [[1, "
    "\"training\"], [2, \"inference\"]] } ],\n"
    "  \"exclude\": [\"workload.minibatch < 4, system = system\"], \"record\": \"plans\" }\n";

/* With a mistake of each kind. */
static const char bad_text[] =
    "{ \"format\": \"dsm-sweep/1\", \"workloads\": [\"single\"], \"systems\": [\"system\"],\n"
    "  \"axes\": [ { \"path\": \"workload.minibach\", \"values\": [1] },\n"
    "    { \"path\": \"minibatch\", \"values\": [1] },\n"
    "    { \"path\": \"system.system.chips_x\", \"values\": [1, 1.0] },\n"
    "    { \"path\": \"options.optimize\", \"values\": [\"hybird\"] } ],\n"
    "  \"set\": { \"workload.name.x\": 1 }, \"excluded\": 1 }\n";

static const char workload_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"single\", \"minibatch\": 2, \"layers\": [\n"
    "  { \"name\": \"f\", \"type\": \"fc\", \"in\": 8, \"out\": 8 } ] }\n";

/* A source of files in memory, which may run out of memory too. */
static dsm_status read_input(void *context, const char *name, const char *folder,
                             dsm_description kind, char **text, size_t *length, char **file,
                             dsm_diags *diags) {
  (void)context;
  (void)folder;
  const char *const found = kind == DSM_DESCRIPTION_WORKLOAD ? workload_text : subject_system_text;
  const dsm_diag finding = {.severity = DSM_SEVERITY_ERROR, .message = "out of memory"};
  *text = strdup(found);
  *file = strdup(name);
  if (*text == NULL || *file == NULL) {
    free(*text);
    free(*file);
    *text = NULL;
    *file = NULL;
    dsm_diags_append(diags, &finding);
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  *length = strlen(found);
  return DSM_OK;
}

static uint64_t digest_sweep(const dsm_sweep *sweep) {
  uint64_t digest = digest_text(DIGEST_START, sweep->digest);
  digest = digest_text(digest, sweep->name);
  digest = digest_text(digest, dsm_record_name(sweep->record));
  digest = digest_text(digest, dsm_point_status_name(DSM_POINT_INFEASIBLE));
  for (size_t p = 0; p < sweep->point_count; p++) {
    for (size_t c = 0; c < sweep->column_count; c++) {
      const dsm_axis_value *const value = dsm_sweep_value(sweep, p, c);
      digest = digest_text(digest, value->text);
      digest = digest_text(digest, value->json);
      digest = digest_double(digest, value->number);
    }
  }
  return digest;
}

static attempt make_of(const char *text, const dsm_sweep_request *request, dsm_diags *diags) {
  static dsm_sweep poison;
  const dsm_sweep_source source = {.read = read_input};
  dsm_sweep *sweep = &poison;
  const dsm_status status = dsm_sweep_make(&sweep, text, text == NULL ? 0 : strlen(text), "s.json",
                                           ".", request, &source, diags);
  const attempt made = attempt_of_status(status, sweep, status == DSM_OK ? digest_sweep(sweep) : 0);
  if (sweep != &poison) {
    dsm_sweep_free(sweep);
  }
  return made;
}

static attempt make_specified(const subject *s, dsm_diags *diags) {
  (void)s;
  return make_of(spec_text, NULL, diags);
}

static attempt make_bad(const subject *s, dsm_diags *diags) {
  (void)s;
  return make_of(bad_text, NULL, diags);
}

static attempt make_requested(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char *const workloads[] = {"single.json"};
  static const char *const systems[] = {"system"};
  static const char *const varies[] = {
      "workload.minibatch=2,4:8:x2", "system.system.chips_x:system.system.chips_y=1:2,2:1",
      "options.optimize=none,hybrid+reuse,[\"dysm\"]", "workload.source={\"b\":1,\"a\":[2]},word"};
  static const char *const sets[] = {"system.pe.simd_macs=2", "workload.name=renamed"};
  static const char *const excludes[] = {"workload.minibatch = system.system.chips_x",
                                         "workload.source = word, options.optimize != none",
                                         "workload.minibatch = 3, workload != singel"};
  static const dsm_mode mode = DSM_MODE_INFERENCE;
  const dsm_sweep_request request = {.workloads = workloads,
                                     .workload_count = 1,
                                     .systems = systems,
                                     .system_count = 1,
                                     .varies = varies,
                                     .vary_count = 4,
                                     .sets = sets,
                                     .set_count = 2,
                                     .excludes = excludes,
                                     .exclude_count = 3,
                                     .mode = &mode};
  return make_of(NULL, &request, diags);
}

static attempt make_badly_requested(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char *const varies[] = {
      "workload.minibatch=1:2:3", "workload.minbatch=1", "sytem=a", "nothing",
      "options.mode=x",           "workload.source=[1"};
  static const char *const sets[] = {"system.pe.simd=2", "x=1"};
  const dsm_sweep_request request = {
      .varies = varies, .vary_count = 6, .sets = sets, .set_count = 2};
  return make_of("{ \"format\": \"dsm-sweep/1\", \"workloads\": [\"single\"], \"systems\": "
                 "[\"system\"] }",
                 &request, diags);
}

static attempt make_wrongly_excluded(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char *const excludes[] = {"workload < 1", "worklod = single", "system",
                                         "system = single, system = [1"};
  const dsm_sweep_request request = {.excludes = excludes, .exclude_count = 4};
  return make_of("{ \"format\": \"dsm-sweep/1\", \"workloads\": [\"single\"], \"systems\": "
                 "[\"system\"] }",
                 &request, diags);
}

static attempt make_with_two_names(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char *const varies[] = {"workload.minibatch=2,4", "workload.layers.0.out=2,4",
                                       "workload.layers.f.out=2,4"};
  const dsm_sweep_request request = {.varies = varies, .vary_count = 3};
  return make_of("{ \"format\": \"dsm-sweep/1\", \"workloads\": [\"single\"], \"systems\": "
                 "[\"system\"] }",
                 &request, diags);
}

static attempt make_of_folder(const subject *s, dsm_diags *diags) {
  char vary[SUBJECT_PATH_BYTES + 16] = "workload=";
  memcpy(vary + strlen(vary), s->folder, strlen(s->folder) + 1);
  memcpy(vary + strlen(vary), "/", 2);
  static const char *const systems[] = {"system"};
  const char *const varies[] = {vary};
  const dsm_sweep_request request = {
      .systems = systems, .system_count = 1, .varies = varies, .vary_count = 1};
  return make_of(NULL, &request, diags);
}

static attempt parse_shard(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_shard shard = {0};
  const bool is_good = dsm_shard_parse("3/8", &shard);
  return (attempt){.status = is_good ? DSM_OK : DSM_ERROR_USAGE,
                   .digest = digest_u64(DIGEST_START, shard.index + shard.count)};
}

/* ---- designs ---- */

static attempt find_design(const char *budget, dsm_diags *diags) {
  static dsm_design poison;
  static const char *const networks[] = {"a", "b@0.5"};
  static const char *const varies[] = {"chip.memory.bandwidth_GBps=1..4/3",
                                       "core.scratchpad_MiB=1,2"};
  static const char *const defines[] = {"price=core.scratchpad_MiB*2"};
  const dsm_sweep_source source = {.read = read_input};
  const dsm_design_request request = {.networks = networks,
                                      .network_count = 2,
                                      .system = "system",
                                      .question = {.varies = varies, .vary_count = 2},
                                      .defines = defines,
                                      .define_count = 1,
                                      .budgets = &budget,
                                      .budget_count = 1,
                                      .pareto = "price",
                                      .source = &source,
                                      .wants_plans = true};
  dsm_design *design = &poison;
  const dsm_status status = dsm_design_find(&design, &request, diags);
  const uint64_t digest =
      status == DSM_OK
          ? digest_text(digest_double(DIGEST_START, design->value + (double)design->front_count),
                        dsm_way_name(design->parameters[0].way))
          : 0;
  const attempt made = attempt_of_status(status, design, digest);
  if (design != &poison) {
    dsm_design_free(design);
  }
  return made;
}

static attempt best_design(const subject *s, dsm_diags *diags) {
  (void)s;
  return find_design("price<=4", diags);
}

static attempt no_design(const subject *s, dsm_diags *diags) {
  (void)s;
  return find_design("price<=0", diags);
}

const faulty_case sweep_spec_cases[] = {
    {"dsm_sweep_make", make_specified, DSM_OK, NULL},
    {"dsm_sweep_make, bad", make_bad, DSM_ERROR_INVALID, NULL},
    {"dsm_sweep_make, request", make_requested, DSM_OK, NULL},
    {"dsm_sweep_make, bad request", make_badly_requested, DSM_ERROR_USAGE, NULL},
    {"dsm_sweep_make, bad conditions", make_wrongly_excluded, DSM_ERROR_USAGE, NULL},
    {"dsm_sweep_make, one value under two names", make_with_two_names, DSM_ERROR_USAGE, NULL},
    {"dsm_sweep_make, folder", make_of_folder, DSM_OK, NULL},
    {"dsm_shard_parse", parse_shard, DSM_OK, NULL},
    {"dsm_design_find", best_design, DSM_OK, NULL},
    {"dsm_design_find: a budget that none keeps", no_design, DSM_ERROR_INFEASIBLE, NULL},
};
const size_t sweep_spec_case_count = sizeof sweep_spec_cases / sizeof sweep_spec_cases[0];
