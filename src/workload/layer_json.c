/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layer_json.c: reads one declared layer and its auxiliary operations. */
#include <string.h>

#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

/* Which types or operations a key applies to. */
#define CONV (1U << DSM_LAYER_CONV)
#define FC (1U << DSM_LAYER_FC)
#define LSTM (1U << DSM_LAYER_LSTM)
#define MATMUL (1U << DSM_LAYER_MATMUL)

static const dsm__object_key layer_keys[] = {
    {.name = "name"},
    {.name = "type"},
    {.name = "in"},
    {.name = "out"},
    {.name = "inputs"},
    {.name = "aux"},
    {"feature", CONV},
    {"kernel", CONV},
    {"stride", CONV},
    {"dilation", CONV},
    {"padding", CONV},
    {"groups", CONV},
    {"timesteps", FC | LSTM | MATMUL},
    {"bidirectional", LSTM},
    {"pipeline_group", LSTM},
    {"operand", MATMUL},
    {"operand_elements", MATMUL},
};
const dsm__object_type dsm__layer_object = {.name = "layer",
                                            .keys = layer_keys,
                                            .count = DSM__COUNT_OF(layer_keys),
                                            .kinds = &dsm__layer_type_words,
                                            .where = "a layer of type"};

#define RESIDUAL (1U << DSM_AUX_RESIDUAL)
#define POOLS ((1U << DSM_AUX_MAX_POOL) | (1U << DSM_AUX_AVG_POOL))

static const dsm__object_key aux_keys[] = {
    {.name = "op"},    {"from", RESIDUAL}, {"window", POOLS},
    {"stride", POOLS}, {"feature", POOLS}, {"on", POOLS},
};
const dsm__object_type dsm__aux_object = {.name = "auxiliary operation",
                                          .keys = aux_keys,
                                          .count = DSM__COUNT_OF(aux_keys),
                                          .kinds = &dsm__aux_op_words,
                                          .where = "the operation"};

static const dsm__word sides[] = {{.key = "output"}, {.key = "input"}};
DSM__WORDS(dsm__pool_side_words, "side of a pool", sides, 2);

/* Most auxiliary operations of a layer: each once, and a pool on both sides. */
enum { AUX_COUNT_MAX = DSM_AUX_OP_COUNT };

static bool is_pool(dsm_aux_op op) {
  return op == DSM_AUX_MAX_POOL || op == DSM_AUX_AVG_POOL;
}

static void read_pool(dsm_aux *aux, const dsm__json_node *node) {
  const dsm__json_node window = dsm__json_member(node, "window");
  if (dsm__json_require(&window, "[rows, columns]")) {
    dsm__size2_read(&window, 1, &aux->window);
  }
  aux->stride = aux->window;
  dsm__size2_read_optional(node, "stride", 1, &aux->stride);
  const dsm__json_node feature = dsm__json_member(node, "feature");
  if (dsm__json_is_present(&feature)) {
    aux->has_feature = true;
    dsm__size2_read(&feature, 1, &aux->feature);
  }
  const dsm__json_node on = dsm__json_member(node, "on");
  size_t side = 0;
  if (dsm__json_is_present(&on) && dsm__json_enum(&on, &dsm__pool_side_words, &side)) {
    aux->is_on_input = side == 1;
  }
}

static void read_aux(dsm_aux *aux, dsm__arena *arena, const dsm__json_node *node) {
  const dsm__json_node op = dsm__json_member(node, "op");
  size_t op_index = 0;
  if (!dsm__object_only_any(node, &dsm__aux_object) ||
      !dsm__json_require(&op, "an auxiliary operation such as \"relu\"") ||
      !dsm__json_enum(&op, &dsm__aux_op_words, &op_index)) {
    return;
  }
  aux->op = (dsm_aux_op)op_index;
  dsm__object_misplaced(node, &dsm__aux_object, op_index);
  if (is_pool(aux->op)) {
    read_pool(aux, node);
  } else if (aux->op == DSM_AUX_RESIDUAL) {
    const dsm__json_node from = dsm__json_member(node, "from");
    if (dsm__json_require(&from, "the name of an earlier layer")) {
      dsm__json_string(&from, 1, DSM_NAME_BYTES_MAX, arena, &aux->from);
    }
  }
}

/* An operation occurs once; a pool once on either side; what pools the output comes last of what
 * changes it element by element with another tensor. */
static void check_aux_order(const dsm_layer_spec *spec, const dsm__json_node *aux_node) {
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  bool is_seen[DSM_AUX_OP_COUNT] = {false};
  bool is_output_pooled = false;
  bool is_input_pooled = false;
  dsm__json_node node = dsm__json_item(aux_node, 0);
  for (size_t i = 0; i < spec->aux_count; i++, node = dsm__json_next(&node)) {
    const dsm_aux *const aux = &spec->aux[i];
    bool *const pooled = aux->is_on_input ? &is_input_pooled : &is_output_pooled;
    if (is_pool(aux->op) ? *pooled : is_seen[aux->op]) {
      dsm__json_error(&node, NULL, "expected each operation once, found a second %s",
                      is_pool(aux->op) ? (aux->is_on_input ? "pool on the input" : "pool")
                                       : dsm_aux_op_name(aux->op));
    } else if (is_pool(aux->op)) {
      *pooled = true;
    } else if (aux->op == DSM_AUX_RESIDUAL && is_output_pooled) {
      dsm__json_error(&node, NULL, "expected the residual before the pool, found it after");
    }
    is_seen[aux->op] = true;
    if (is_pool(aux->op) && !(aux->is_on_input ? kind->pools_input : kind->pools_output)) {
      dsm__json_error(&node, NULL, "expected a pool on the %s only in a %s, found it in %s",
                      aux->is_on_input ? "input" : "output",
                      aux->is_on_input ? "conv or fc" : "conv", dsm_layer_type_name(spec->type));
    }
  }
}

static void read_aux_list(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *layer) {
  const dsm__json_node node = dsm__json_member(layer, "aux");
  size_t count = 0;
  if (!dsm__json_is_present(&node) || !dsm__json_array(&node, 0, AUX_COUNT_MAX, &count)) {
    return;
  }
  dsm_aux *const aux = dsm__arena_array(arena, count, sizeof *aux);
  if (aux == NULL) {
    dsm__json_set_out_of_memory(node.doc);
    return;
  }
  const size_t errors_before = dsm__json_doc_error_count(node.doc);
  dsm__json_node item = dsm__json_item(&node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    read_aux(&aux[i], arena, &item);
  }
  spec->aux = aux;
  spec->aux_count = count;
  if (dsm__json_doc_error_count(node.doc) == errors_before) {
    check_aux_order(spec, &node);
  }
}

static void read_inputs(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *layer) {
  const dsm__json_node node = dsm__json_member(layer, "inputs");
  size_t count = 0;
  if (!dsm__json_is_present(&node) || !dsm__json_array(&node, 1, DSM_LAYERS_MAX, &count)) {
    return;
  }
  const char **const inputs = dsm__arena_array(arena, count, sizeof *inputs);
  if (inputs == NULL) {
    dsm__json_set_out_of_memory(node.doc);
    return;
  }
  dsm__json_node item = dsm__json_item(&node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    dsm__json_string(&item, 1, DSM_NAME_BYTES_MAX, arena, &inputs[i]);
  }
  spec->inputs = inputs;
  spec->input_count = count;
}

static void read_name(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *layer) {
  const dsm__json_node node = dsm__json_member(layer, "name");
  if (dsm__json_require(&node, "a name that no other layer has") &&
      dsm__json_name(&node, DSM_NAME_BYTES_MAX, arena, &spec->name) && spec->name[0] == '@') {
    dsm__json_error(&node, NULL, "expected a name that does not begin with \"@\", found \"%s\"",
                    spec->name);
  }
}

void dsm__layer_spec_read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  if (!dsm__object_only_any(node, &dsm__layer_object)) {
    return;
  }
  read_name(spec, arena, node);
  dsm__json_required_u64(node, "in", "the number of input features", 1, DSM_DIMENSION_MAX,
                         &spec->in);
  dsm__json_required_u64(node, "out", "the number of output features", 1, DSM_DIMENSION_MAX,
                         &spec->out);
  const dsm__json_node type = dsm__json_member(node, "type");
  size_t type_index = 0;
  if (!dsm__json_require(&type, "\"conv\", \"fc\", \"lstm\" or \"matmul\"") ||
      !dsm__json_enum(&type, &dsm__layer_type_words, &type_index)) {
    return;
  }
  spec->type = (dsm_layer_type)type_index;
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  dsm__object_misplaced(node, &dsm__layer_object, type_index);
  read_inputs(spec, arena, node);
  read_aux_list(spec, arena, node);
  if (kind->has_timesteps) {
    dsm__json_optional_u64(node, "timesteps", 1, DSM_SIDE_MAX, 1, &spec->timesteps);
  }
  if (kind->read != NULL) {
    kind->read(spec, arena, node);
  }
}
