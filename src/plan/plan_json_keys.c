/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_keys.c: the keys and words of the format "dsm-plan/1" that several readers know. */
#include "model/names.h"
#include "plan/plan_reader.h"

bool dsm__plan_root_only(const dsm__json_node *node) {
  static const char *const known[] = {"format",        "dsm_version", "mode",     "minibatch",
                                      "optimizations", "options",     "search",   "result",
                                      "pipeline",      "layers",      "workload", "system"};
  return dsm__json_object_only(node, known, DSM__COUNT_OF(known));
}

bool dsm__plan_result_only(const dsm__json_node *node) {
  static const char *const known[] = {"step_cycles",        "step_seconds", "latency_seconds",
                                      "samples_per_second", "utilization",  "lower_bound_cycles",
                                      "ideal_cycles",       "cycles",       "bound",
                                      "resources",          "memory"};
  return dsm__json_object_only(node, known, DSM__COUNT_OF(known));
}

bool dsm__plan_pipeline_only(const dsm__json_node *node) {
  static const char *const known[] = {"name", "layers", "columns", "rows", "cycles"};
  return dsm__json_object_only(node, known, DSM__COUNT_OF(known));
}

bool dsm__plan_layer_only(const dsm__json_node *node) {
  static const char *const known[] = {
      "name",           "dysm_factor",       "output_on_chip", "output_layout", "weights_on_chip",
      "pipeline_group", "error_parallelism", "held_bytes",     "passes"};
  return dsm__json_object_only(node, known, DSM__COUNT_OF(known));
}

bool dsm__plan_pass_only(const dsm__json_node *node) {
  static const char *const known[] = {
      "parallelism", "core_split", "chip",         "feature_iterations", "core",
      "array",       "cycles",     "ideal_cycles", "utilization",        "bound",
      "resources",   "groups",     "invocations",  "transfers"};
  return dsm__json_object_only(node, known, DSM__COUNT_OF(known));
}

bool dsm__plan_invocation_only(const dsm__json_node *node) {
  static const char *const known[] = {"kind", "count", "core_split", "core", "array", "cycles"};
  return dsm__json_object_only(node, known, DSM__COUNT_OF(known));
}

bool dsm__plan_read_parallelism(const dsm__json_node *node, dsm_parallelism *parallelism) {
  size_t index = 0;
  if (!dsm__json_enum(node, &dsm__parallelism_words, &index)) {
    return false;
  }
  *parallelism = (dsm_parallelism)index;
  return true;
}

void dsm__plan_read_split(const dsm__json_node *parent, uint64_t most, dsm_loops *split) {
  const char *known[DSM_DIM_COUNT];
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    known[d] = dsm_dim_name((dsm_dim)d);
  }
  *split = (dsm_loops){{0}};
  const dsm__json_node node = dsm__json_member(parent, "core_split");
  if (!dsm__json_require(&node, "the parts of each loop over the cores") ||
      !dsm__json_object_only(&node, known, DSM_DIM_COUNT)) {
    return;
  }
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    const dsm__json_node part = dsm__json_member(&node, known[d]);
    dsm__json_u64(&part, 1, most, &split->n[d]);
  }
}
