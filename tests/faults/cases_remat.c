/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_remat.c: remat.h and its reports. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subject.h"

static const dsm_table_style style = {.width = 80, .color = true};

static const char text[] =
    "{ \"format\": \"dsm-stages/1\", \"name\": \"small\", \"minibatch\": 4, \"input_bytes\": 3,\n"
    "  \"stages\": [ { \"name\": \"stem\", \"output_bytes\": 4, \"options\": [\n"
    "    { \"name\": \"all\", \"forward_seconds\": 1, \"backward_seconds\": 2, \"saved_bytes\": 9 "
    "}\n"
    "  ] }, { \"name\": \"block\", \"count\": 3, \"operations\": [\n"
    "    { \"name\": \"a\", \"forward_seconds\": 3, \"backward_seconds\": 6, \"bytes\": 16 },\n"
    "    { \"name\": \"b\", \"forward_seconds\": 1, \"backward_seconds\": 2, \"bytes\": 4 } ] } ] "
    "}\n";

static const double budget = 60;

/* A chain that needs no reading. */
static const dsm_remat_option ready_options[] = {{"all", 1, 2, 9, 0, 1}, {"less", 2, 2, 5, 1, 0}};
static const dsm_remat_stage ready_stages[] = {{"a", 4, 4, 1, 0, true, ready_options, 2},
                                               {"b", 4, 4, 1, 0, true, ready_options, 2},
                                               {"c", 4, 4, 1, 0, true, ready_options, 2},
                                               {"d", 3, 4, 1, 0, true, ready_options, 2}};

static dsm_remat_chain ready_chain(void) {
  return (dsm_remat_chain){.name = "ready",
                           .minibatch = 4,
                           .input_bytes = 2,
                           .link_bytes_per_second = HUGE_VAL,
                           .stages = ready_stages,
                           .stage_count = sizeof ready_stages / sizeof ready_stages[0]};
}

/* ---- chains ---- */

static uint64_t digest_chain(const dsm_remat_chain *of) {
  uint64_t digest = digest_text(DIGEST_START, of->name);
  for (size_t s = 0; s < of->stage_count; s++) {
    digest = digest_text(digest, of->stages[s].name);
    digest = digest_double(digest, of->stages[s].output_bytes);
    for (size_t k = 0; k < of->stages[s].option_count; k++) {
      digest = digest_text(digest, of->stages[s].options[k].name);
      digest = digest_double(digest, of->stages[s].options[k].backward_seconds);
    }
  }
  return digest;
}

static attempt chain_attempt(dsm_status status, dsm_remat_chain *made,
                             const dsm_remat_chain *poison) {
  const attempt how = attempt_of_status(status, made, status == DSM_OK ? digest_chain(made) : 0);
  if (made != poison) {
    dsm_remat_chain_free(made);
  }
  return how;
}

static dsm_remat_chain poison_chain;

static attempt parse_text(const char *of, dsm_diags *diags) {
  dsm_remat_chain *made = &poison_chain;
  const dsm_status status =
      dsm_remat_chain_parse(&made, of, strlen(of), "stages.json", NULL, 0, diags);
  return chain_attempt(status, made, &poison_chain);
}

static attempt parse(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text(text, diags);
}

static attempt parse_bad(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text("{ \"format\": \"dsm-stages/1\", \"name\": \"x\", \"stages\": [ 1 ] }", diags);
}

static attempt load(const subject *s, dsm_diags *diags) {
  dsm_remat_chain *made = &poison_chain;
  const dsm_status status = dsm_remat_chain_load(&made, s->workload_path, NULL, 0, diags);
  return chain_attempt(status, made, &poison_chain);
}

static attempt of_plan(const subject *s, dsm_diags *diags) {
  dsm_remat_chain *made = &poison_chain;
  const dsm_status status = dsm_remat_chain_of_plan(&made, s->plan, 0, diags);
  return chain_attempt(status, made, &poison_chain);
}

static attempt of_inference(const subject *s, dsm_diags *diags) {
  dsm_remat_chain *made = &poison_chain;
  const dsm_status status = dsm_remat_chain_of_plan(&made, s->inference_plan, 0, diags);
  return chain_attempt(status, made, &poison_chain);
}

static attempt print(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  const dsm_remat_chain chain = ready_chain();
  return attempt_of_text(dsm_remat_chain_print(&chain));
}

/* ---- schedules ---- */

static dsm_status solve(dsm_remat_result **made, const dsm_remat_chain *chain, bool is_whole,
                        bool wants_front, dsm_diags *diags) {
  dsm_remat_options options;
  dsm_remat_options_init(&options);
  options.budget_bytes = 30;
  options.slots = 20;
  options.is_whole = is_whole;
  options.wants_front = wants_front;
  return dsm_remat(made, chain, &options, diags);
}

static uint64_t digest_result(const dsm_remat_result *of) {
  uint64_t digest = digest_double(DIGEST_START, of->run.seconds);
  digest = digest_double(digest, of->smallest_bytes);
  for (size_t i = 0; i < of->step_count; i++) {
    digest = digest_double(digest, of->held_bytes[i]);
  }
  for (size_t i = 0; i < of->point_count; i++) {
    digest = digest_double(digest, of->points[i].seconds);
  }
  return digest;
}

static attempt solve_with(bool is_whole, bool wants_front, dsm_diags *diags) {
  static dsm_remat_result poison;
  const dsm_remat_chain chain = ready_chain();
  dsm_remat_result *made = &poison;
  const dsm_status status = solve(&made, &chain, is_whole, wants_front, diags);
  const attempt how = attempt_of_status(status, made, status == DSM_OK ? digest_result(made) : 0);
  if (made != &poison) {
    dsm_remat_result_free(made);
  }
  return how;
}

static attempt solve_options(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve_with(false, false, diags);
}

static attempt solve_whole(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve_with(true, false, diags);
}

static attempt solve_front(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve_with(false, true, diags);
}

static attempt solve_too_little(const subject *s, dsm_diags *diags) {
  static dsm_remat_result poison;
  const dsm_remat_chain chain = ready_chain();
  dsm_remat_options options;
  dsm_remat_result *made = &poison;
  (void)s;
  dsm_remat_options_init(&options);
  options.budget_bytes = 1;
  const dsm_status status = dsm_remat(&made, &chain, &options, diags);
  return attempt_of_status(status, made, 0);
}

static attempt simulate(const subject *s, dsm_diags *diags) {
  static const dsm_remat_step steps[] = {{DSM_REMAT_SAVE, 0, 0},     {DSM_REMAT_SAVE, 1, 0},
                                         {DSM_REMAT_SAVE, 2, 0},     {DSM_REMAT_SAVE, 3, 0},
                                         {DSM_REMAT_BACKWARD, 3, 0}, {DSM_REMAT_BACKWARD, 2, 0},
                                         {DSM_REMAT_BACKWARD, 1, 0}, {DSM_REMAT_BACKWARD, 0, 0}};
  const dsm_remat_chain chain = ready_chain();
  dsm_remat_run run;
  (void)s;
  const dsm_status status =
      dsm_remat_simulate(&run, NULL, &chain, steps, sizeof steps / sizeof steps[0], diags);
  return (attempt){.status = status,
                   .digest = status == DSM_OK ? digest_double(DIGEST_START, run.peak_bytes) : 0};
}

/* What allocates nothing, and cannot fail. */
static attempt words(const subject *s, dsm_diags *diags) {
  const dsm_remat_chain chain = ready_chain();
  uint64_t digest = digest_double(DIGEST_START, dsm_remat_chain_seconds(&chain));
  (void)s;
  (void)diags;
  digest = digest_text(digest, dsm_remat_action_name(DSM_REMAT_SAVE));
  digest = digest_text(digest, dsm_remat_order_name(DSM_REMAT_GPIPE));
  digest = digest_text(digest, dsm_remat_sharing_name(DSM_REMAT_GLOBAL));
  return (attempt){.status = DSM_OK, .digest = digest};
}

/* ---- pipelines ---- */

static dsm_status make_pipeline(dsm_remat_pipeline **made, const dsm_remat_chain *chain,
                                dsm_diags *diags) {
  dsm_remat_pipeline_options options = {.devices = 2, .micro_batches = 2};
  dsm_remat_options_init(&options.remat);
  options.remat.budget_bytes = budget;
  options.remat.slots = 20;
  return dsm_remat_pipeline_make(made, chain, &options, diags);
}

static attempt pipeline(const subject *s, dsm_diags *diags) {
  static dsm_remat_pipeline poison;
  const dsm_remat_chain chain = ready_chain();
  dsm_remat_pipeline *made = &poison;
  (void)s;
  const dsm_status status = make_pipeline(&made, &chain, diags);
  const attempt how = attempt_of_status(
      status, made,
      status == DSM_OK ? digest_double(DIGEST_START, made->cases[made->best].seconds) : 0);
  if (made != &poison) {
    dsm_remat_pipeline_free(made);
  }
  return how;
}

/* ---- reports, of what is made anew, which may fail as well ---- */

static attempt report(bool wants_front, char *(*make)(const dsm_remat_result *result),
                      dsm_diags *diags) {
  const dsm_remat_chain chain = ready_chain();
  dsm_remat_result *made = NULL;
  const dsm_status status = solve(&made, &chain, false, wants_front, diags);
  if (status != DSM_OK) {
    return attempt_of_status(status, made, 0);
  }
  char *const printed = make(made);
  dsm_remat_result_free(made);
  return attempt_of_text(printed);
}

static char *table(const dsm_remat_result *result) {
  return as_table(DSM_ANSWER(remat, result), style);
}

static char *json(const dsm_remat_result *result) {
  return as_json(DSM_ANSWER(remat, result));
}

static char *csv(const dsm_remat_result *result) {
  return as_csv(DSM_ANSWER(remat, result));
}

static attempt report_table(const subject *s, dsm_diags *diags) {
  (void)s;
  return report(false, table, diags);
}

static attempt report_front(const subject *s, dsm_diags *diags) {
  (void)s;
  return report(true, table, diags);
}

static attempt report_json(const subject *s, dsm_diags *diags) {
  (void)s;
  return report(true, json, diags);
}

static attempt report_csv(const subject *s, dsm_diags *diags) {
  (void)s;
  return report(false, csv, diags);
}

static attempt pipeline_report(char *(*make)(const dsm_remat_pipeline *of), dsm_diags *diags) {
  const dsm_remat_chain chain = ready_chain();
  dsm_remat_pipeline *made = NULL;
  const dsm_status status = make_pipeline(&made, &chain, diags);
  if (status != DSM_OK) {
    return attempt_of_status(status, made, 0);
  }
  char *const printed = make(made);
  dsm_remat_pipeline_free(made);
  return attempt_of_text(printed);
}

static char *pipeline_as_table(const dsm_remat_pipeline *of) {
  return as_table(DSM_ANSWER(remat_pipeline, of), style);
}

static char *pipeline_as_json(const dsm_remat_pipeline *of) {
  return as_json(DSM_ANSWER(remat_pipeline, of));
}

static char *pipeline_as_csv(const dsm_remat_pipeline *of) {
  return as_csv(DSM_ANSWER(remat_pipeline, of));
}

static attempt pipeline_table(const subject *s, dsm_diags *diags) {
  (void)s;
  return pipeline_report(pipeline_as_table, diags);
}

static attempt pipeline_json(const subject *s, dsm_diags *diags) {
  (void)s;
  return pipeline_report(pipeline_as_json, diags);
}

static attempt pipeline_csv(const subject *s, dsm_diags *diags) {
  (void)s;
  return pipeline_report(pipeline_as_csv, diags);
}

const faulty_case remat_cases[] = {
    {"dsm_remat_chain_parse", parse, DSM_OK, NULL},
    {"dsm_remat_chain_parse: a bad one", parse_bad, DSM_ERROR_INVALID, NULL},
    {"dsm_remat_chain_load: a workload", load, DSM_ERROR_INVALID, NULL},
    {"dsm_remat_chain_of_plan", of_plan, DSM_OK, NULL},
    {"dsm_remat_chain_of_plan: inference", of_inference, DSM_ERROR_USAGE, NULL},
    {"dsm_remat_chain_print", print, DSM_OK, NULL},
    {"dsm_remat", solve_options, DSM_OK, NULL},
    {"dsm_remat: whole stages", solve_whole, DSM_OK, NULL},
    {"dsm_remat: the front", solve_front, DSM_OK, NULL},
    {"dsm_remat: too little", solve_too_little, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_remat_simulate", simulate, DSM_OK, NULL},
    {"dsm_remat_action_name", words, DSM_OK, NULL},
    {"dsm_remat_pipeline_make", pipeline, DSM_OK, NULL},
    {"dsm_answer_print: remat table", report_table, DSM_OK, NULL},
    {"dsm_answer_print: remat table: the front", report_front, DSM_OK, NULL},
    {"dsm_answer_print: remat json", report_json, DSM_OK, NULL},
    {"dsm_answer_print: remat csv", report_csv, DSM_OK, NULL},
    {"dsm_answer_print: remat pipeline table", pipeline_table, DSM_OK, NULL},
    {"dsm_answer_print: remat pipeline json", pipeline_json, DSM_OK, NULL},
    {"dsm_answer_print: remat pipeline csv", pipeline_csv, DSM_OK, NULL},
};
const size_t remat_case_count = sizeof remat_cases / sizeof remat_cases[0];
