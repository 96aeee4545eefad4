/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/unconnected.h"

#include <string.h>

#include "workload/workload_internal.h"

/* ---- names ---- */

static void check_name(const dsm__json_node *node, const char *name) {
  if (name != NULL && strcmp(name, DSM__INPUT_NAME) != 0) {
    dsm__json_error(node, "\"connected\": false is for lists of layers without a graph",
                    "expected nothing but \"" DSM__INPUT_NAME
                    "\" to read in a list of layers that are not connected, found \"%s\"",
                    name);
  }
}

static void check_names(const dsm_layer_spec *spec, const dsm__json_node *layer) {
  const dsm__json_node inputs = dsm__json_member(layer, "inputs");
  const dsm__json_node operand = dsm__json_member(layer, "operand");
  const dsm__json_node group = dsm__json_member(layer, "pipeline_group");
  const dsm__json_node list = dsm__json_member(layer, "aux");
  dsm__json_node item = dsm__json_item(&inputs, 0);
  for (size_t i = 0; i < spec->input_count; i++, item = dsm__json_next(&item)) {
    check_name(&item, spec->inputs[i]);
  }
  if (spec->input_count > 1) {
    dsm__json_error(&inputs, NULL, "expected one input in a list of layers, found %zu",
                    spec->input_count);
  }
  check_name(&operand, spec->operand);
  item = dsm__json_item(&list, 0);
  for (size_t i = 0; i < spec->aux_count; i++, item = dsm__json_next(&item)) {
    const dsm__json_node from = dsm__json_member(&item, "from");
    check_name(&from, spec->aux[i].from);
  }
  if (spec->pipeline_group != NULL) {
    dsm__json_error(&group, NULL,
                    "expected no group of a pipeline in a list of layers that are not connected, "
                    "found \"%s\"",
                    spec->pipeline_group);
  }
}

void dsm__list_check(const dsm__workload_builder *builder) {
  const bool is_list = builder->workload->is_list;
  for (size_t i = 0; i < builder->layers.count; i++) {
    const dsm__json_node *const node = &builder->layers.items[i].node;
    dsm_layer_spec *const spec = &builder->specs[i];
    if (is_list) {
      check_names(spec, node);
      spec->pipeline_choice = DSM_PIPELINE_NEVER;
    } else if (spec->has_input_feature) {
      const dsm__json_node stated = dsm__json_member(node, "input_feature");
      dsm__json_error(&stated, "what a layer reads has its size; \"connected\": false is for lists",
                      "expected no \"input_feature\" where layers read each other, found one");
    }
  }
}

/* ---- inputs ---- */

bool dsm__list_input(const dsm__layer_entry *layer, dsm__delivery *input) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  uint64_t elements = 0;
  *input = (dsm__delivery){spec->in, spec->feature, spec->has_positions};
  if (spec->has_input_feature) {
    input->size = spec->input_feature;
  } else if (kind->least_input != NULL) {
    input->size = kind->least_input(spec);
  }
  if (!dsm__bounded_product(&elements, input->features, input->size.rows, input->size.columns, 1)) {
    dsm__json_error(layer->node, NULL, "expected an input of at most 2^53 elements, found more");
    return false;
  }
  return true;
}

uint64_t dsm__list_read_elements(const dsm_layer *layer, const dsm_layer_spec *spec,
                                 const dsm__delivery *input) {
  uint64_t elements = input->features * input->size.rows * input->size.columns;
  elements += layer->is_product ? layer->operand_elements : 0;
  for (size_t i = 0; i < spec->aux_count; i++) {
    elements += spec->aux[i].from != NULL ? layer->output_elements : 0;
  }
  return elements;
}
