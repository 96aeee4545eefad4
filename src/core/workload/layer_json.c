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
#define ATTENTION (1U << DSM_LAYER_ATTENTION)
#define EMBEDDING (1U << DSM_LAYER_EMBEDDING)
#define CONVS (CONV | (1U << DSM_LAYER_CONV_TRANSPOSE))

static const dsm__object_key layer_keys[] = {
    {.name = "name"},
    {.name = "type"},
    {"in", CONVS | FC | LSTM | MATMUL},
    {"out", CONVS | FC | LSTM | MATMUL | EMBEDDING},
    {.name = "inputs"},
    {.name = "aux"},
    {"feature", CONVS},
    {"kernel", CONVS},
    {"stride", CONVS},
    {"dilation", CONVS},
    {"padding", CONVS},
    {"groups", CONVS},
    {"input_feature", CONVS},
    {"positions", FC | ATTENTION | EMBEDDING},
    {"timesteps", FC | LSTM | MATMUL | EMBEDDING},
    {"bidirectional", LSTM},
    {"pipeline_group", LSTM},
    {"operand", MATMUL},
    {"operand_elements", MATMUL},
    {"tied_to", FC | EMBEDDING},
    {"experts", FC},
    {"active_experts", FC},
    {"capacity_factor", FC},
    {"heads", ATTENTION},
    {"kv_heads", ATTENTION},
    {"head_features", ATTENTION},
    {"value_features", ATTENTION},
    {"latent", ATTENTION},
    {"chunk", ATTENTION},
    {"rotary_features", ATTENTION},
    {"context", ATTENTION},
    {"window", ATTENTION},
    {"causal", ATTENTION},
    {"dropout", ATTENTION},
    {"sinks", ATTENTION},
    {"vocabulary", EMBEDDING},
    {"learned_positions", EMBEDDING},
    {.name = "element_bytes"},
    {"weight_bytes", CONVS | FC | LSTM | EMBEDDING},
    {"cache_bytes", ATTENTION},
    {.name = "types"},
};
const dsm__object_type dsm__layer_object = {.name = "layer",
                                            .keys = layer_keys,
                                            .count = DSM__COUNT_OF(layer_keys),
                                            .kinds = &dsm__layer_type_words,
                                            .where = "a layer of type"};

static const dsm__object_key types_keys[] = {
    {"weights", CONVS | FC | LSTM | EMBEDDING},
    {.name = "activations"},
    {"operands", CONVS | FC | LSTM | MATMUL | ATTENTION},
    {"cache", ATTENTION},
};
const dsm__object_type dsm__layer_types_object = {.name = "types of a layer",
                                                  .keys = types_keys,
                                                  .count = DSM__COUNT_OF(types_keys),
                                                  .kinds = &dsm__layer_type_words,
                                                  .where = "types of a layer of type"};

#define OP(word) (1U << DSM_AUX_##word)
#define POOLS (OP(MAX_POOL) | OP(AVG_POOL))
/* What may work on the input, and what works on nothing else. */
#define ON_INPUT_ALONE (OP(SELECT) | OP(UPSAMPLE))
#define SHARED_NORMS (OP(LAYER_NORM) | OP(RMS_NORM))
#define ON_INPUT (POOLS | SHARED_NORMS | ON_INPUT_ALONE)

static const dsm__object_key aux_keys[] = {
    {.name = "op"},
    {"from", OP(RESIDUAL) | OP(MULTIPLY) | SHARED_NORMS},
    {"window", POOLS},
    {"stride", POOLS},
    {"feature", POOLS},
    {"on", ON_INPUT},
    {"positions", OP(SELECT)},
    {"factor", OP(UPSAMPLE)},
    {"share", OP(ROTARY)},
    {"features", SHARED_NORMS},
    {"heads", SHARED_NORMS},
    {"given", SHARED_NORMS},
};
const dsm__object_type dsm__aux_object = {.name = "auxiliary operation",
                                          .keys = aux_keys,
                                          .count = DSM__COUNT_OF(aux_keys),
                                          .kinds = &dsm__aux_op_words,
                                          .where = "the operation"};

static const dsm__word sides[] = {{.key = "output"}, {.key = "input"}};
DSM__WORDS(dsm__aux_side_words, "side of an operation", sides, 2);

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
}

/* Its side, where it has a choice. */
static void read_side(dsm_aux *aux, const dsm__json_node *node) {
  const dsm__json_node on = dsm__json_member(node, "on");
  const bool is_on_input_alone = (ON_INPUT_ALONE & (1U << aux->op)) != 0;
  size_t side = is_on_input_alone ? 1 : 0;
  if (dsm__json_is_present(&on) && dsm__json_enum(&on, &dsm__aux_side_words, &side) && side == 0 &&
      is_on_input_alone) {
    dsm__json_error(&on, NULL, "expected \"input\", which %s works on, found \"output\"",
                    dsm_aux_op_name(aux->op));
  }
  aux->is_on_input = side == 1;
}

static void read_own_keys(dsm_aux *aux, dsm__arena *arena, const dsm__json_node *node) {
  const dsm__json_node from = dsm__json_member(node, "from");
  const dsm__json_node share = dsm__json_member(node, "share");
  const dsm__json_node factor = dsm__json_member(node, "factor");
  if (is_pool(aux->op)) {
    read_pool(aux, node);
  }
  const bool is_shared_norm = (SHARED_NORMS & (1U << aux->op)) != 0 && dsm__json_is_present(&from);
  if (is_shared_norm || ((aux->op == DSM_AUX_RESIDUAL || aux->op == DSM_AUX_MULTIPLY) &&
                         dsm__json_require(&from, "the name of an earlier layer"))) {
    dsm__json_string(&from, 1, DSM_NAME_BYTES_MAX, arena, &aux->from);
  }
  if (aux->op == DSM_AUX_SELECT) {
    dsm__json_required_u64(node, "positions", "how many positions of the input go on", 1,
                           DSM_SIDE_MAX, &aux->positions);
  }
  if (aux->op == DSM_AUX_UPSAMPLE && dsm__json_require(&factor, "[rows, columns]")) {
    dsm__size2_read(&factor, 1, &aux->factor);
  }
  if (aux->op == DSM_AUX_ROTARY && dsm__json_is_present(&share)) {
    dsm__json_double(&share, (dsm__json_range){0, 1, true}, &aux->share);
  }
  dsm__json_optional_u64(node, "features", 1, DSM_DIMENSION_MAX, 0, &aux->features);
  dsm__json_optional_u64(node, "heads", 1, DSM_SIDE_MAX, 0, &aux->heads);
  dsm__json_optional_bool(node, "given", false, &aux->is_given);
  if (aux->is_given && (aux->features > 0 || is_shared_norm)) {
    dsm__json_error(node, NULL, "expected \"given\" without \"features\" and \"from\", found both");
  }
}

/* The kind of an object by the word of a member; not known where that is none. */
static size_t kind_of(const dsm__json_node *node, const char *key, const dsm__words *words) {
  const dsm__json_node member = dsm__json_member(node, key);
  const char *const text = dsm__json_text(&member);
  size_t kind = DSM__ANY_KIND;
  return text != NULL && dsm__words_find(words, text, &kind) ? kind : DSM__ANY_KIND;
}

static void read_aux(dsm_aux *aux, dsm__arena *arena, const dsm__json_node *node) {
  const dsm__json_node op = dsm__json_member(node, "op");
  size_t op_index = 0;
  if (!dsm__object_only_any(node, &dsm__aux_object, kind_of(node, "op", &dsm__aux_op_words)) ||
      !dsm__json_require(&op, "an auxiliary operation such as \"relu\"") ||
      !dsm__json_enum(&op, &dsm__aux_op_words, &op_index)) {
    return;
  }
  aux->op = (dsm_aux_op)op_index;
  aux->share = 1;
  dsm__object_misplaced(node, &dsm__aux_object, op_index);
  read_own_keys(aux, arena, node);
  read_side(aux, node);
}

static bool is_binary(dsm_aux_op op) {
  return op == DSM_AUX_RESIDUAL || op == DSM_AUX_MULTIPLY;
}

static bool is_output_norm(const dsm_aux *aux) {
  return !aux->is_on_input && ((SHARED_NORMS | OP(BATCH_NORM)) & (1U << aux->op)) != 0;
}

/* Norms of heads are all that normalises an output: of all its heads, or of the first ones. */
static void check_heads(const dsm_layer_spec *spec, const dsm_aux *aux,
                        const dsm__json_node *node) {
  const dsm__json_node features = dsm__json_member(node, "features");
  const dsm__json_node heads = dsm__json_member(node, "heads");
  size_t norms = 0;
  for (size_t i = 0; i < spec->aux_count; i++) {
    norms += is_output_norm(&spec->aux[i]) ? 1 : 0;
  }
  if (aux->features == 0) {
    if (aux->heads > 0) {
      dsm__json_error(&heads, NULL, "expected \"features\" of a head beside it, found none");
    }
    return;
  }
  if (spec->type != DSM_LAYER_FC || aux->is_on_input || norms > 1) {
    dsm__json_error(&features, NULL,
                    "expected \"features\" only of the one norm on the output of an fc");
  } else if (aux->heads == 0 && spec->out % aux->features != 0) {
    dsm__json_error(&features, "or \"heads\" that have a norm, where others have none",
                    "expected a divisor of \"out\" (%llu), found %llu",
                    (unsigned long long)spec->out, (unsigned long long)aux->features);
  } else if (aux->heads > spec->out / aux->features) {
    dsm__json_error(&heads, NULL,
                    "expected at most %llu heads of %llu features in \"out\", found %llu",
                    (unsigned long long)(spec->out / aux->features),
                    (unsigned long long)aux->features, (unsigned long long)aux->heads);
  }
}

static void check_side(const dsm_layer_spec *spec, const dsm_aux *aux, const dsm__json_node *node) {
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  if (is_pool(aux->op) && !aux->is_on_input && !kind->pools_output) {
    dsm__json_error(node, NULL, "expected a pool on the output only in a conv, found it in %s",
                    dsm_layer_type_name(spec->type));
  } else if (aux->is_on_input && !kind->works_on_input) {
    dsm__json_error(node, NULL, "expected a %s on the input only in a conv or fc, found it in %s",
                    is_pool(aux->op) ? "pool" : dsm_aux_op_name(aux->op),
                    dsm_layer_type_name(spec->type));
  } else if (aux->op == DSM_AUX_SELECT && !kind->keeps_positions) {
    dsm__json_error(node, NULL,
                    "expected a select only in an fc, which keeps positions, found it in %s",
                    dsm_layer_type_name(spec->type));
  } else if ((SHARED_NORMS & (1U << aux->op)) != 0 && aux->from != NULL && !aux->is_on_input) {
    const dsm__json_node from = dsm__json_member(node, "from");
    dsm__json_error(&from, "a norm of the input may be that of another layer with the same input",
                    "expected \"from\" of a %s only on the input, found it on the output",
                    dsm_aux_op_name(aux->op));
  } else if (aux->op == DSM_AUX_UPSAMPLE && !kind->reads_positions) {
    dsm__json_error(node, NULL, "expected an upsample only in a conv, found it in %s",
                    dsm_layer_type_name(spec->type));
  }
}

/* An operation occurs once on either side, a pool of either kind, a residual or a multiply, but an
 * lstm may have two biases: of its input, and of its hidden units. What pools the output comes last
 * of what changes it element by element with another tensor. */
static void check_aux_order(const dsm_layer_spec *spec, const dsm__json_node *aux_node) {
  size_t more_biases = spec->type == DSM_LAYER_LSTM ? 1 : 0;
  bool is_seen[2][DSM_AUX_OP_COUNT] = {{false}};
  bool is_pooled[2] = {false};
  bool is_binary_seen = false;
  bool is_input_normed = false;
  dsm__json_node node = dsm__json_item(aux_node, 0);
  for (size_t i = 0; i < spec->aux_count; i++, node = dsm__json_next(&node)) {
    const dsm_aux *const aux = &spec->aux[i];
    const bool is_second =
        is_pool(aux->op) ? is_pooled[aux->is_on_input] : is_seen[aux->is_on_input][aux->op];
    if (is_second && aux->op == DSM_AUX_BIAS && more_biases > 0) {
      more_biases--;
    } else if (is_second) {
      dsm__json_error(&node, NULL, "expected each operation once, found a second %s%s",
                      is_pool(aux->op) ? "pool" : dsm_aux_op_name(aux->op),
                      aux->is_on_input ? " on the input" : "");
    } else if (is_binary(aux->op) && is_binary_seen) {
      dsm__json_error(&node, "let an fc or a 1 x 1 conv between them hold the other one",
                      "expected a residual or a multiply, found both");
    } else if (dsm__is_input_norm(aux) && is_input_normed) {
      dsm__json_error(&node, NULL, "expected one normalisation of the input, found two");
    } else if (is_binary(aux->op) && is_pooled[0]) {
      dsm__json_error(&node, NULL, "expected the %s before the pool, found it after",
                      dsm_aux_op_name(aux->op));
    }
    is_pooled[aux->is_on_input] = is_pooled[aux->is_on_input] || is_pool(aux->op);
    is_input_normed = is_input_normed || dsm__is_input_norm(aux);
    is_binary_seen = is_binary_seen || is_binary(aux->op);
    is_seen[aux->is_on_input][aux->op] = true;
    check_side(spec, aux, &node);
    check_heads(spec, aux, &node);
  }
}

static void read_aux_list(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *layer) {
  const dsm__json_node node = dsm__json_member(layer, "aux");
  size_t count = 0;
  if (!dsm__json_is_present(&node) || !dsm__json_array(&node, 0, AUX_COUNT_MAX, &count)) {
    return;
  }
  dsm_aux *const aux = dsm__arena_array(arena, count, sizeof *aux);
  if (dsm__json_lacks_memory(node.doc, aux == NULL)) {
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
  if (dsm__json_lacks_memory(node.doc, inputs == NULL)) {
    return;
  }
  dsm__json_node item = dsm__json_item(&node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    dsm__json_string(&item, 1, DSM_NAME_BYTES_MAX, arena, &inputs[i]);
  }
  spec->inputs = inputs;
  spec->input_count = count;
}

const char *dsm__layer_name_read(const dsm__json_node *object, const char *key, dsm__arena *arena) {
  const dsm__json_node node = dsm__json_member(object, key);
  const char *name = NULL;
  if (dsm__json_require(&node, "a name that no other layer has") &&
      dsm__json_name(&node, DSM_NAME_BYTES_MAX, arena, &name) && name[0] == '@') {
    dsm__json_error(&node, NULL, "expected a name that does not begin with \"@\", found \"%s\"",
                    name);
  }
  return name;
}

static void read_types(dsm_layer_spec *spec, const dsm__json_node *node) {
  const dsm__json_node types = dsm__json_member(node, "types");
  if (dsm__json_is_present(&types) &&
      dsm__object_only_any(&types, &dsm__layer_types_object, spec->type)) {
    dsm__object_misplaced(&types, &dsm__layer_types_object, spec->type);
    dsm__types_read(&spec->types, &types);
  }
  dsm__type_bytes_take(&spec->element_bytes, &spec->types, DSM_USE_ACTIVATIONS, node);
  dsm__type_bytes_take(&spec->weight_bytes, &spec->types, DSM_USE_WEIGHTS, node);
  dsm__type_bytes_take(&spec->cache_bytes, &spec->types, DSM_USE_CACHE, node);
}

static void read_own_bytes(dsm_layer_spec *spec, const dsm__json_node *node) {
  dsm__element_bytes_read(node, "element_bytes", &spec->element_bytes);
  dsm__element_bytes_read(node, "weight_bytes", &spec->weight_bytes);
  dsm__element_bytes_read(node, "cache_bytes", &spec->cache_bytes);
  read_types(spec, node);
  if (spec->weight_bytes > 0 && spec->tied_to != NULL) {
    const bool is_typed = spec->types.of[DSM_USE_WEIGHTS] != DSM_ELEMENT_TYPE_ANY;
    const dsm__json_node stated = dsm__json_member(node, is_typed ? "types" : "weight_bytes");
    dsm__json_error(&stated, "tied weights have the bytes of those they are tied to",
                    "expected no %s beside \"tied_to\", found one",
                    is_typed ? "type of weights" : "\"weight_bytes\"");
  }
}

void dsm__layer_spec_read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  if (!dsm__object_only_any(node, &dsm__layer_object,
                            kind_of(node, "type", &dsm__layer_type_words))) {
    return;
  }
  spec->name = dsm__layer_name_read(node, "name", arena);
  const dsm__json_node type = dsm__json_member(node, "type");
  size_t type_index = 0;
  const bool is_typed =
      dsm__json_require(&type, "a type of layer such as \"conv\", \"fc\" or \"attention\"") &&
      dsm__json_enum(&type, &dsm__layer_type_words, &type_index);
  if (!is_typed) {
    return;
  }
  const dsm__layer_kind *const kind = dsm__layer_kind_of((dsm_layer_type)type_index);
  if (kind->states_features & DSM__STATES_IN) {
    dsm__json_required_u64(node, "in", "the number of input features", 1, DSM_DIMENSION_MAX,
                           &spec->in);
  }
  if (kind->states_features & DSM__STATES_OUT) {
    dsm__json_required_u64(node, "out", "the number of output features", 1, DSM_DIMENSION_MAX,
                           &spec->out);
  }
  spec->type = (dsm_layer_type)type_index;
  dsm__object_misplaced(node, &dsm__layer_object, type_index);
  read_inputs(spec, arena, node);
  read_aux_list(spec, arena, node);
  if (kind->has_timesteps) {
    dsm__json_optional_u64(node, "timesteps", 1, DSM_SIDE_MAX, 1, &spec->timesteps);
  }
  if (kind->read != NULL) {
    kind->read(spec, arena, node);
  }
  read_own_bytes(spec, node);
}
