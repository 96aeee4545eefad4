/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_stages.c: reads what a plan decides for its step, micro-batches and stages: words
 * become an axis and layers. */
#include <string.h>

#include "model/axis_words.h"
#include "plan/plan_reader.h"
#include "plan/plan_record.h"

bool dsm__stages_find_axis(dsm_stages *stages, const dsm_network *network) {
  stages->axis = 0;
  while (stages->axis < network->axis_count &&
         strcmp(dsm__axis_name(network, stages->axis), stages->axis_name) != 0) {
    stages->axis++;
  }
  return stages->axis < network->axis_count;
}

static bool find_axis(dsm__plan_reader *reader, const dsm__json_node *node) {
  dsm_stages *const stages = &reader->plan.stages;
  if (dsm__stages_find_axis(stages, &reader->system->system)) {
    return true;
  }
  const dsm__json_node axis = dsm__json_member(node, "axis");
  dsm__json_error(&axis, NULL, "expected an axis of the system, found \"%s\"", stages->axis_name);
  return false;
}

/* Each stage has as many runs as the others. */
static bool find_count(dsm__plan_reader *reader, const dsm__json_node *node) {
  const dsm_stages *const stages = &reader->plan.stages;
  const dsm__json_node names = dsm__json_member(node, "first_layers");
  if (stages->run_count == 0) {
    dsm__json_error(&names, NULL, "expected the first layer of each stage, found none");
  } else if (stages->run_count % stages->interleave != 0) {
    dsm__json_error(&names, "each stage has so many runs of layers",
                    "expected a multiple of interleave, %zu, found %zu layers", stages->interleave,
                    stages->run_count);
  }
  return stages->run_count > 0 && stages->run_count % stages->interleave == 0;
}

static bool find_layers(dsm__plan_reader *reader, const dsm__json_node *node) {
  dsm_stages *const stages = &reader->plan.stages;
  size_t *const firsts = dsm__arena_array(reader->arena, stages->run_count, sizeof *firsts);
  if (dsm__json_lacks_memory(reader->doc, firsts == NULL)) {
    return false;
  }
  const dsm__json_node names = dsm__json_member(node, "first_layers");
  for (size_t s = 0; s < stages->run_count; s++) {
    firsts[s] = dsm_workload_find_layer(reader->workload, stages->first_layer_names[s]);
    if (firsts[s] == SIZE_MAX) {
      const dsm__json_node item = dsm__json_item(&names, s);
      dsm__json_error(&item, NULL, "expected a layer of the network, found \"%s\"",
                      stages->first_layer_names[s]);
      return false;
    }
  }
  stages->first_layers = firsts;
  return true;
}

void dsm__plan_check_step(dsm__plan_reader *reader) {
  const dsm__json_node node = dsm__json_member(&reader->root, "stages");
  dsm_stages *const stages = &reader->plan.stages;
  if (!dsm__json_is_present(&node)) {
    return;
  }
  const bool is_read = dsm__json_doc_error_count(reader->doc) == 0 && stages->axis_name != NULL &&
                       stages->first_layer_names != NULL && stages->interleave > 0;
  if (!is_read || !find_axis(reader, &node) || !find_count(reader, &node) ||
      !find_layers(reader, &node)) {
    *stages = (dsm_stages){.count = 0};
  }
}

void dsm__plan_read_step(dsm__plan_reader *reader) {
  const dsm__record_reader decisions = {.arena = reader->arena, .wanted = DSM__FIELD_IS_DECISION};
  (void)dsm__record_read(&decisions, &reader->root, &dsm__plan_record, &reader->plan);
  reader->plan.micro_batches = reader->plan.micro_batches > 0 ? reader->plan.micro_batches : 1;
  dsm_stages *const stages = &reader->plan.stages;
  stages->count = stages->interleave > 0 ? stages->run_count / stages->interleave : 0;
  stages->schedule = reader->plan.options.schedule;
}
