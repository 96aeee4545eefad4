/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_elasticity.c: elasticity.h and its reports. A few parameters stand for all: of each kind
 * one, with values that are refused. */
#include "subject.h"

static uint64_t digest_response(uint64_t digest, const dsm_response *response) {
  return response->why_not == NULL ? digest_double(digest, response->step_seconds)
                                   : digest_text(digest, response->why_not);
}

static uint64_t digest_elasticity(const dsm_elasticity *elasticity) {
  uint64_t digest = DIGEST_START;
  for (size_t w = 0; w < elasticity->workload_count; w++) {
    digest = digest_response(digest, &elasticity->references[w]);
  }
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    digest = digest_text(digest, parameter->path);
    digest = digest_text(digest, parameter->source);
    digest = digest_double(digest, parameter->influence);
    for (size_t w = 0; w < elasticity->workload_count; w++) {
      digest = digest_text(digest, dsm_elasticity_basis_name(parameter->slopes[w].basis));
      for (size_t v = 0; v < parameter->variation_count; v++) {
        digest = digest_text(digest, dsm_variation_kind_name(parameter->variations[v].kind));
        digest = digest_response(digest, &parameter->variations[v].responses[w]);
      }
    }
  }
  return digest;
}

static attempt derive(const dsm_elasticity_request *request, dsm_diags *diags) {
  static dsm_elasticity poison;
  dsm_elasticity *elasticity = &poison;
  const dsm_status status = dsm_elasticity_derive(&elasticity, request, diags);
  const attempt made =
      attempt_of_status(status, elasticity, status == DSM_OK ? digest_elasticity(elasticity) : 0);
  if (elasticity != &poison) {
    dsm_elasticity_free(elasticity);
  }
  return made;
}

static const char *const some_paths[] = {"core.resident_weight_fraction", "model.exact_rotation",
                                         "workload.gradient_bytes"};
enum { SOME_COUNT = sizeof some_paths / sizeof some_paths[0] };

static dsm_elasticity_request request_of(const subject *s, const dsm_workload *const *workloads) {
  return (dsm_elasticity_request){.system = s->system,
                                  .workloads = workloads,
                                  .workload_count = 2,
                                  .options = s->inference,
                                  .paths = some_paths,
                                  .path_count = SOME_COUNT};
}

static attempt derive_alone(const subject *s, dsm_diags *diags) {
  const dsm_elasticity_request request =
      request_of(s, (const dsm_workload *const[]){s->single, s->single});
  return derive(&request, diags);
}

static attempt derive_with_threads(const subject *s, dsm_diags *diags) {
  dsm_elasticity_request request =
      request_of(s, (const dsm_workload *const[]){s->single, s->single});
  request.options.thread_count = 2;
  return derive(&request, diags);
}

static attempt derive_better(const subject *s, dsm_diags *diags) {
  dsm_elasticity_request request =
      request_of(s, (const dsm_workload *const[]){s->single, s->single});
  request.choice = DSM_VARIATIONS_TENTH_BETTER;
  return derive(&request, diags);
}

/* With a value that is refused, one with which the mapping is not legal, and one that is. */
static attempt derive_kept(const subject *s, dsm_diags *diags) {
  static const char *const paths[] = {"core.resident_weight_fraction", "chip.cores",
                                      "core.frequency_GHz"};
  const dsm_elasticity_request request = {
      .kept = s->pipelined_plan, .paths = paths, .path_count = sizeof paths / sizeof paths[0]};
  return derive(&request, diags);
}

static attempt derive_infeasible(const subject *s, dsm_diags *diags) {
  dsm_elasticity_request request =
      request_of(s, (const dsm_workload *const[]){s->single, s->single});
  request.system = s->tiny_system;
  request.path_count = 1;
  return derive(&request, diags);
}

static attempt derive_unknown(const subject *s, dsm_diags *diags) {
  static const char *const unknown[] = {"array.row"};
  dsm_elasticity_request request =
      request_of(s, (const dsm_workload *const[]){s->single, s->single});
  request.paths = unknown;
  request.path_count = 1;
  return derive(&request, diags);
}

FORM_CASES(elasticity,
           DSM_ANSWERS(elasticity, ((const dsm_elasticity *[]){s->elasticity, s->sensitivity}), 2))

/* A first rung that does not fit, and one with an optimization more. */
static attempt climb(const subject *s, dsm_diags *diags) {
  dsm_explore_options options = s->inference;
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  const dsm_ladder_request request = {
      .workload = s->single, .system = s->system, .base = s->tiny_system, .options = &options};
  dsm_ladder ladder;
  const dsm_status status = dsm_ladder_explore(&ladder, &request, diags);
  const uint64_t digest =
      status == DSM_OK ? digest_double(DIGEST_START, ladder.plans[1]->result.step_cycles) : 0;
  dsm_ladder_fini(&ladder);
  return (attempt){.status = status, .digest = digest};
}

static attempt free_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_elasticity_free(NULL);
  return (attempt){.status = DSM_OK};
}

const faulty_case elasticity_cases[] = {
    {"dsm_elasticity_derive, 1 thread", derive_alone, DSM_OK, NULL},
    {"dsm_elasticity_derive, 2 threads", derive_with_threads, DSM_OK, NULL},
    {"dsm_elasticity_derive, a tenth better", derive_better, DSM_OK, NULL},
    {"dsm_elasticity_derive, a mapping that stays", derive_kept, DSM_OK, NULL},
    {"dsm_elasticity_derive, infeasible", derive_infeasible, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_elasticity_derive, unknown", derive_unknown, DSM_ERROR_USAGE, NULL},
    {"dsm_ladder_explore, dsm_ladder_fini", climb, DSM_OK, NULL},
    FORM_ROWS(elasticity),
    {"dsm_elasticity_free", free_nothing, DSM_OK, NULL},
};
const size_t elasticity_case_count = sizeof elasticity_cases / sizeof elasticity_cases[0];
