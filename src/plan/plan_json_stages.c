/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_stages.c: reads the stages of a plan's step: words become an axis and layers. */
#include <string.h>

#include "model/axis_words.h"
#include "plan/plan_reader.h"
#include "plan/plan_record.h"

static bool find_axis(dsm__plan_reader *reader, const dsm__json_node *node) {
  const dsm_network *const network = &reader->system->system;
  dsm_stages *const stages = &reader->plan.stages;
  for (unsigned a = 0; a < network->axis_count; a++) {
    if (strcmp(dsm__axis_name(network, a), stages->axis_name) == 0) {
      stages->axis = a;
      return true;
    }
  }
  const dsm__json_node axis = dsm__json_member(node, "axis");
  dsm__json_error(&axis, NULL, "expected an axis of the system, found \"%s\"", stages->axis_name);
  return false;
}

static size_t layer_of(const dsm_workload *workload, const char *name) {
  size_t index = 0;
  while (index < workload->layer_count && strcmp(workload->layers[index].name, name) != 0) {
    index++;
  }
  return index;
}

/* Each stage has as many runs as the others. */
static bool find_count(dsm__plan_reader *reader, const dsm__json_node *node) {
  dsm_stages *const stages = &reader->plan.stages;
  const dsm__json_node names = dsm__json_member(node, "first_layers");
  stages->count = stages->run_count / stages->interleave;
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
  if (firsts == NULL) {
    dsm__json_set_out_of_memory(reader->doc);
    return false;
  }
  const dsm__json_node names = dsm__json_member(node, "first_layers");
  for (size_t s = 0; s < stages->run_count; s++) {
    firsts[s] = layer_of(reader->workload, stages->first_layer_names[s]);
    if (firsts[s] == reader->workload->layer_count) {
      const dsm__json_node item = dsm__json_item(&names, s);
      dsm__json_error(&item, NULL, "expected a layer of the network, found \"%s\"",
                      stages->first_layer_names[s]);
      return false;
    }
  }
  stages->first_layers = firsts;
  return true;
}

void dsm__plan_read_stages(dsm__plan_reader *reader) {
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
