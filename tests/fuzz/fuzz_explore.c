/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_explore.c: a workload, or a workload and a system separated by a NUL byte. What parses and
 * is small is explored in both modes with all optimizations, and twice in each with options that a
 * hash of the input decides.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static uint64_t hash_of(const uint8_t *data, size_t size) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ data[i]) * UINT64_C(1099511628211);
  }
  return hash;
}

/* What came of exploring; HUGE_VAL where nothing fits or is allowed. */
typedef struct outcome {
  double step_cycles;
  double lower_bound_cycles;
  bool has_pipelines;
} outcome;

static outcome explore(const dsm_workload *workload, const dsm_system *system,
                       const dsm_explore_options *options) {
  dsm_diags *const diags = fuzz_diags();
  dsm_plan *plan = NULL;
  outcome found = {HUGE_VAL, HUGE_VAL, false};
  const dsm_status status = dsm_explore(&plan, workload, system, options, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INFEASIBLE || status == DSM_ERROR_USAGE);
  FUZZ_CHECK((status == DSM_OK) == (plan != NULL));
  fuzz_check_diags(diags, status, 0);
  if (plan != NULL) {
    found = (outcome){plan->result.step_cycles, plan->result.lower_bound_cycles,
                      plan->pipeline_count > 0};
    FUZZ_CHECK(plan->result.lower_bound_cycles > 0);
    fuzz_check_plan(plan);
  }
  dsm_plan_free(plan);
  return found;
}

/* What is allowed less of is never faster; but for pipeline groups, which are not always at their
 * fastest: kept weights can make them slower, and they do not regard memory (docs/model.md, 9). */
static void check_restricted(const dsm_workload *workload, const dsm_system *system,
                             const dsm_explore_options *options, const outcome *best) {
  static const double rounding = 1e-9;
  const outcome found = explore(workload, system, options);
  FUZZ_CHECK(found.has_pipelines || found.step_cycles >= best->lower_bound_cycles * (1 - rounding));
}

static void explore_mode(const dsm_workload *workload, const dsm_system *system, dsm_mode mode,
                         uint64_t hash) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  options.optimizations = dsm_mode_optimizations(mode);
  const outcome best = explore(workload, system, &options);
  options.thread_count = 1 + (size_t)(hash >> 16 & 1);
  options.optimizations &= (dsm_optimization_set)(hash >> 8);
  check_restricted(workload, system, &options, &best);
  options.parallelisms = (dsm_parallelism_set)(hash >> 1) & DSM_PARALLELISM_ALL;
  options.optimizations = dsm_mode_optimizations(mode) & (dsm_optimization_set)(hash >> 24);
  check_restricted(workload, system, &options, &best);
}

static void explore_all(const dsm_workload *workload, const dsm_system *system, uint64_t hash) {
  for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
    explore_mode(workload, system, (dsm_mode)mode, hash >> (mode * 5));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  const size_t workload_length = strlen(text);
  const bool has_system = workload_length < size;
  const char *const system_text = has_system ? text + workload_length + 1 : fuzz_system_text;
  const size_t system_length = has_system ? size - workload_length - 1 : strlen(fuzz_system_text);
  dsm_workload *workload = NULL;
  dsm_system *system = NULL;
  if (dsm_workload_parse(&workload, text, workload_length, "w", NULL, 0, NULL) == DSM_OK &&
      dsm_system_parse(&system, system_text, system_length, "s", NULL, 0, NULL) == DSM_OK &&
      fuzz_is_small(workload, system)) {
    explore_all(workload, system, hash_of(data, size));
  }
  dsm_system_free(system);
  dsm_workload_free(workload);
  free(text);
  return 0;
}
