/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_elasticity.c: elasticity.h and its reports. A few parameters stand for all: of each kind
 * one, with values that are refused. */
#include "subject.h"

static const dsm_table_style style = {.width = 80, .color = true};

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

static attempt derive_choice(const subject *s, const dsm_system *system, size_t thread_count,
                             const char *const *paths, size_t path_count,
                             dsm_variation_choice choice, dsm_diags *diags) {
  static dsm_elasticity poison;
  dsm_elasticity *elasticity = &poison;
  const dsm_workload *const workloads[] = {s->single, s->single};
  dsm_elasticity_request request = {.system = system,
                                    .workloads = workloads,
                                    .workload_count = 2,
                                    .options = s->inference,
                                    .paths = paths,
                                    .path_count = path_count,
                                    .choice = choice};
  request.options.thread_count = thread_count;
  const dsm_status status = dsm_elasticity_derive(&elasticity, &request, diags);
  const attempt made =
      attempt_of_status(status, elasticity, status == DSM_OK ? digest_elasticity(elasticity) : 0);
  if (elasticity != &poison) {
    dsm_elasticity_free(elasticity);
  }
  return made;
}

static attempt derive(const subject *s, const dsm_system *system, size_t thread_count,
                      const char *const *paths, size_t path_count, dsm_diags *diags) {
  return derive_choice(s, system, thread_count, paths, path_count, DSM_VARIATIONS_TWICE, diags);
}

static const char *const some_paths[] = {"core.resident_weight_fraction", "model.exact_rotation",
                                         "workload.gradient_bytes"};
enum { SOME_COUNT = sizeof some_paths / sizeof some_paths[0] };

static attempt derive_alone(const subject *s, dsm_diags *diags) {
  return derive(s, s->system, 1, some_paths, SOME_COUNT, diags);
}

static attempt derive_with_threads(const subject *s, dsm_diags *diags) {
  return derive(s, s->system, 2, some_paths, SOME_COUNT, diags);
}

static attempt derive_better(const subject *s, dsm_diags *diags) {
  return derive_choice(s, s->system, 1, some_paths, SOME_COUNT, DSM_VARIATIONS_TENTH_BETTER, diags);
}

static attempt derive_infeasible(const subject *s, dsm_diags *diags) {
  return derive(s, s->tiny_system, 1, some_paths, 1, diags);
}

static attempt derive_unknown(const subject *s, dsm_diags *diags) {
  static const char *const unknown[] = {"array.row"};
  return derive(s, s->system, 1, unknown, 1, diags);
}

static attempt elasticity_table(const subject *s, dsm_diags *diags) {
  (void)diags;
  const dsm_elasticity *const items[] = {s->elasticity, s->sensitivity};
  return attempt_of_text(dsm_report_elasticity_table(items, 2, style));
}

static attempt elasticity_json(const subject *s, dsm_diags *diags) {
  (void)diags;
  const dsm_elasticity *const items[] = {s->elasticity, s->sensitivity};
  return attempt_of_text(dsm_report_elasticity_json(items, 2));
}

static attempt elasticity_csv(const subject *s, dsm_diags *diags) {
  (void)diags;
  const dsm_elasticity *const items[] = {s->elasticity, s->sensitivity};
  return attempt_of_text(dsm_report_elasticity_csv(items, 2));
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
    {"dsm_elasticity_derive, infeasible", derive_infeasible, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_elasticity_derive, unknown", derive_unknown, DSM_ERROR_USAGE, NULL},
    {"dsm_report_elasticity_table", elasticity_table, DSM_OK, NULL},
    {"dsm_report_elasticity_json", elasticity_json, DSM_OK, NULL},
    {"dsm_report_elasticity_csv", elasticity_csv, DSM_OK, NULL},
    {"dsm_elasticity_free", free_nothing, DSM_OK, NULL},
};
const size_t elasticity_case_count = sizeof elasticity_cases / sizeof elasticity_cases[0];
