/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_partition.c: partition.h: answers, questions without one, the programme as text. */
#include <math.h>
#include <stdlib.h>

#include "subject.h"
#include "two_devices.h"

static attempt solve(dsm_objective_kind objective, double required_rho, dsm_diags *diags) {
  static dsm_partition poison;
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = objective;
  options.required_rho = required_rho;
  dsm_partition *partition = &poison;
  const dsm_status status = dsm_partition_solve(&partition, &two_devices, &options, diags);
  uint64_t digest = 0;
  if (status == DSM_OK) {
    digest = digest_double(DIGEST_START, partition->objective);
    digest = digest_double(digest, partition->bound);
    digest = digest_u64(digest, partition->is_heuristic);
    digest = digest_text(digest, dsm_solution_status_name(partition->status));
    digest = digest_text(digest, dsm_objective_kind_name(partition->options.objective));
    for (size_t k = 0; k < 6; k++) {
      digest = digest_double(digest, partition->rates[k]);
    }
    if (dsm_partition_validate(partition, diags) != DSM_OK) {
      digest = 0;
    }
  }
  const attempt made = attempt_of_status(status, partition, digest);
  if (partition != &poison) {
    dsm_partition_free(partition);
  }
  return made;
}

static attempt solve_throughput(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve(DSM_OBJECTIVE_THROUGHPUT, 0, diags);
}

static attempt solve_latency(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve(DSM_OBJECTIVE_LATENCY, 0, diags);
}

static attempt solve_energy(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve(DSM_OBJECTIVE_ENERGY, 0.5, diags);
}

static attempt solve_out_of_reach(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve(DSM_OBJECTIVE_ENERGY, 50, diags);
}

static attempt write_mps(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  char *text = NULL;
  const dsm_status status = dsm_partition_mps(&text, &two_devices, &options, diags);
  const attempt made =
      attempt_of_status(status, text, text == NULL ? 0 : digest_text(DIGEST_START, text));
  free(text);
  return made;
}

static attempt write_profile(const subject *s, dsm_diags *diags) {
  (void)s;
  char *text = NULL;
  const dsm_status status = dsm_profile_text(&text, &two_devices, "a test", diags);
  const attempt made =
      attempt_of_status(status, text, text == NULL ? 0 : digest_text(DIGEST_START, text));
  free(text);
  return made;
}

static attempt free_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_partition_free(NULL);
  return (attempt){.status = DSM_OK};
}

const faulty_case partition_cases[] = {
    {"dsm_partition_solve, throughput", solve_throughput, DSM_OK, NULL},
    {"dsm_partition_solve, latency", solve_latency, DSM_OK, NULL},
    {"dsm_partition_solve, energy", solve_energy, DSM_OK, NULL},
    {"dsm_partition_solve, out of reach", solve_out_of_reach, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_partition_mps", write_mps, DSM_OK, NULL},
    {"dsm_profile_text", write_profile, DSM_OK, NULL},
    {"dsm_partition_free", free_nothing, DSM_OK, NULL},
};
const size_t partition_case_count = sizeof partition_cases / sizeof partition_cases[0];
