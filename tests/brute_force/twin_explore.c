/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_price.h"
#include "twin_search.h"

typedef bool search_function(twin_result *out, const twin_context *context, twin_options options);

static bool explore(twin_result *out, const char *workload_json, const char *system_json,
                    const twin_options options, search_function *const search) {
  *out = (twin_result){0};
  twin_workload workload;
  twin_system system;
  if (!twin_workload_parse(&workload, workload_json) || !twin_system_parse(&system, system_json)) {
    return false;
  }
  const twin_context context = {
      .workload = &workload, .system = &system, .inference = options.inference};
  out->layer_count = workload.node_count;
  out->ideal_cycles = twin_ideal_cycles(&context);
  if (!options.inference) {
    twin_system_train(&system);
  }
  if (!search(out, &context, options)) {
    *out = (twin_result){0};
    return false;
  }
  return true;
}

bool twin_explore(twin_result *out, const char *workload_json, const char *system_json,
                  const twin_options options) {
  const bool is_simple =
      !options.reuse && !options.dysm && !options.pipeline && !options.per_pass && !options.hoist;
  return explore(out, workload_json, system_json, options,
                 is_simple ? twin_search_parallelisms : twin_search_mappings);
}

bool twin_explore_mappings(twin_result *out, const char *workload_json, const char *system_json,
                           const twin_options options) {
  return explore(out, workload_json, system_json, options, twin_search_mappings);
}

bool twin_score_splits(twin_cost *out, const char *workload_json, const char *system_json,
                       const twin_options options, const twin_mapping *mapping,
                       const twin_splits *splits) {
  *out = (twin_cost){0};
  twin_workload workload;
  twin_system system;
  twin_pricer pricer;
  if (!twin_workload_parse(&workload, workload_json) || !twin_system_parse(&system, system_json)) {
    return false;
  }
  const twin_context context = {
      .workload = &workload, .system = &system, .inference = options.inference};
  if (!options.inference) {
    twin_system_train(&system);
  }
  if (!twin_pricer_make(&pricer, &context, options)) {
    return false;
  }
  pricer.splits = splits;
  out->fault = twin_mapping_fault(&pricer.space, mapping);
  if (out->fault == NULL) {
    *out = twin_price(&pricer, mapping);
  }
  twin_pricer_free(&pricer);
  return true;
}

bool twin_score(twin_cost *out, const char *workload_json, const char *system_json,
                const twin_options options, const twin_mapping *mapping) {
  return twin_score_splits(out, workload_json, system_json, options, mapping, NULL);
}
