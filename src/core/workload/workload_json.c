/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_json.c: the format "dsm-workload/1", read and written. */
#include "base/json_parameters.h"
#include "base/json_read.h"
#include "workload/byte_parameters.h"
#include "workload/layer_list.h"
#include "workload/workload_internal.h"

static void read_bytes(dsm_workload *workload, const dsm__json_node *root) {
  for (size_t p = 0; p < DSM__BYTE_PARAMETER_COUNT; p++) {
    const dsm__byte_parameter *const parameter = &dsm__byte_parameters[p];
    double *const field = dsm__byte_parameter_field(parameter, workload);
    const dsm__json_node node = dsm__json_member(root, parameter->key);
    *field = parameter->fallback;
    if (dsm__json_is_present(&node)) {
      dsm__json_double(&node, (dsm__json_range){parameter->min, parameter->max, false}, field);
      dsm__byte_parameter_set_stated(parameter, workload);
    }
  }
}

void dsm__element_bytes_read(const dsm__json_node *object, const char *key, double *bytes) {
  const dsm__json_node node = dsm__json_member(object, key);
  if (dsm__json_is_present(&node)) {
    dsm__json_double(
        &node, (dsm__json_range){DSM__ELEMENT_BYTES_MIN, DSM__ELEMENT_BYTES_MAX, false}, bytes);
  }
}

static void read_optimizer(dsm_workload *workload, const dsm__json_node *root) {
  const dsm__json_node node = dsm__json_member(root, "optimizer");
  size_t word = DSM_OPTIMIZER_NONE;
  if (dsm__json_is_present(&node) && dsm__json_enum(&node, &dsm__optimizer_words, &word)) {
    workload->optimizer = (dsm_optimizer)word;
  }
}

/* Bytes of state that an optimizer has of a weight: momenta, in single precision or a type of
 * theirs, and a copy of weights that have fewer bytes. */
static double state_bytes(const dsm_workload *workload, bool has_master_weights) {
  static const double momenta[DSM_OPTIMIZER_COUNT] = {
      [DSM_OPTIMIZER_SGD] = 1,
      [DSM_OPTIMIZER_LARS] = 1,
      [DSM_OPTIMIZER_ADAM] = 2,
      [DSM_OPTIMIZER_ADAM_MIXED] = 2,
  };
  static const double single = 4;
  double momentum = single;
  dsm__type_bytes_take(&momentum, &workload->types, DSM_USE_OPTIMIZER, NULL);
  const bool has_copy = has_master_weights && dsm__usual_weight_bytes(workload) < single;
  const double copy = has_copy ? single : 0;
  return momenta[workload->optimizer] * momentum + copy;
}

/* The state of a named optimizer, unless the description states its bytes. */
static void read_state(dsm_workload *workload, const dsm__json_node *root) {
  if (workload->types.of[DSM_USE_OPTIMIZER] != DSM_ELEMENT_TYPE_ANY &&
      workload->optimizer == DSM_OPTIMIZER_NONE) {
    const dsm__json_node types = dsm__json_member(root, "types");
    const dsm__json_node type = dsm__json_member(&types, "optimizer");
    dsm__json_error(&type, NULL, "expected an \"optimizer\" of the workload, found none");
  }
  const dsm__json_node node = dsm__json_member(root, "master_weights");
  bool has_master_weights = true;
  if (dsm__json_is_present(&node)) {
    dsm__json_bool(&node, &has_master_weights);
    if (workload->optimizer == DSM_OPTIMIZER_NONE) {
      dsm__json_error(&node, NULL, "expected an \"optimizer\" beside it, found none");
    }
  }
  if (workload->optimizer != DSM_OPTIMIZER_NONE &&
      !dsm__json_has(root, "optimizer_bytes_per_weight")) {
    workload->optimizer_bytes_per_weight = state_bytes(workload, has_master_weights);
  }
}

static void read_normalization(dsm_workload *workload, const dsm__json_node *root) {
  const dsm__json_node node = dsm__json_member(root, "normalization_group");
  workload->normalization_group = 1;
  if (dsm__json_is_present(&node)) {
    dsm__json_u64(&node, 1, DSM_DIMENSION_MAX, &workload->normalization_group);
  }
}

DSM__OBJECT(dsm__input_object, "input", {.name = "features"}, {.name = "feature"});

static void read_input(dsm_workload *workload, const dsm__json_node *root) {
  const dsm__json_node input = dsm__json_member(root, "input");
  if (!dsm__json_is_present(&input) || !dsm__object_only(&input, &dsm__input_object, 0)) {
    return;
  }
  workload->is_input_stated = true;
  dsm__json_required_u64(&input, "features", "the number of features of the network's input", 1,
                         DSM_DIMENSION_MAX, &workload->input_features);
  const dsm__json_node size = dsm__json_member(&input, "feature");
  size_t count = 0;
  if (!dsm__json_require(&size, "[rows, columns] of the network's input") ||
      !dsm__json_array(&size, 2, 2, &count)) {
    return;
  }
  const dsm__json_node rows = dsm__json_item(&size, 0);
  const dsm__json_node columns = dsm__json_item(&size, 1);
  dsm__json_u64(&rows, 1, DSM_SIDE_MAX, &workload->input_size.rows);
  dsm__json_u64(&columns, 1, DSM_SIDE_MAX, &workload->input_size.columns);
}

/* Reads the layers one by one, then what holds between them. */
static void read_layers(dsm_workload *workload, const dsm__json_node *root,
                        const dsm__json_node *layers) {
  dsm__workload_builder builder = {.workload = workload, .root = *root, .list = *layers};
  dsm__layer_lists lists;
  dsm__layer_lists_read(&lists, workload->arena, layers);
  if (!lists.is_unusable && dsm__layer_lists_unroll(&lists, &builder)) {
    dsm__builder_finish(&builder);
  }
  dsm__builder_fini(&builder);
}

DSM__OBJECT(dsm__workload_object, "workload", {.name = "format"}, {.name = "name"},
            {.name = "source"}, {.name = "minibatch"}, {.name = "element_bytes"},
            {.name = "weight_bytes"}, {.name = "cache_bytes"}, {.name = "gradient_bytes"},
            {.name = "partial_sum_bytes"}, {.name = "optimizer_bytes_per_weight"},
            {.name = "optimizer"}, {.name = "master_weights"}, {.name = "normalization_group"},
            {.name = "element_type"}, {.name = "types"}, {.name = "parameters"},
            {.name = "connected"}, {.name = "input"}, {.name = "dataset"}, {.name = "layers"});

/* Is it a list of layers without a graph? */
static void read_connected(dsm_workload *workload, const dsm__json_node *root) {
  const dsm__json_node input = dsm__json_member(root, "input");
  bool is_connected = true;
  dsm__json_optional_bool(root, "connected", true, &is_connected);
  workload->is_list = !is_connected;
  if (workload->is_list && dsm__json_is_present(&input)) {
    dsm__json_error(&input, NULL,
                    "expected no \"input\" of a list of layers that are not connected, found one");
  }
}

static void read_members(dsm_workload *workload, const dsm__json_node *node) {
  dsm__json_read_name(node, "the workload's name", workload->arena, &workload->name);
  dsm__json_read_source(node, workload->arena, &workload->source);
  dsm__json_required_u64(node, "minibatch", "the number of samples in a step", 1, DSM_DIMENSION_MAX,
                         &workload->minibatch);
  read_bytes(workload, node);
  dsm__element_bytes_read(node, "weight_bytes", &workload->weight_bytes);
  dsm__element_bytes_read(node, "cache_bytes", &workload->cache_bytes);
  dsm__workload_types_read(workload, node);
  read_optimizer(workload, node);
  read_state(workload, node);
  read_normalization(workload, node);
  read_input(workload, node);
  read_connected(workload, node);
  const dsm__json_node dataset = dsm__json_member(node, "dataset");
  if (dsm__json_is_present(&dataset)) {
    dsm__dataset_read(&workload->dataset, &dataset);
  }
  const dsm__json_node layers = dsm__json_member(node, "layers");
  if (dsm__json_require(&layers, "a list of layers")) {
    read_layers(workload, node, &layers);
  }
}

void dsm__workload_read(dsm_workload *workload, const dsm__json_node *node) {
  if (!dsm__json_format(node, "dsm-workload/1") ||
      !dsm__object_only(node, &dsm__workload_object, 0)) {
    return;
  }
  dsm__json_parameters parameters;
  dsm__json_parameters_open(&parameters, node);
  read_members(workload, node);
  dsm__json_parameters_close(&parameters);
}

DSM__DESCRIPTION(dsm__workload_description, WORKLOAD, "dsm-workload/1", dsm_workload,
                 dsm__workload_new, dsm__workload_read, dsm_workload_free);
DSM__DESCRIPTION_READERS(dsm__workload_description, dsm_workload, dsm_workload_parse,
                         dsm_workload_load);
