/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "twin_bytes.h"
#include "twin_input.h"
#include "twin_json.h"
#include "twin_quantities.h"
#include "twin_types.h"
#include "twin_unroll.h"

typedef struct {
  double rows;
  double columns;
} size_2d;

static double area(const size_2d size) {
  return size.rows * size.columns;
}

static size_2d pair(const cJSON *object, const char *key, const size_2d missing) {
  const cJSON *const item = twin_member(object, key);
  if (!cJSON_IsArray(item)) {
    return missing;
  }
  return (size_2d){.rows = cJSON_GetArrayItem(item, 0)->valuedouble,
                   .columns = cJSON_GetArrayItem(item, 1)->valuedouble};
}

static const size_2d one = {1, 1};

/* Does an expanded layer answer to a name: its own, or the plain one of a bidirectional lstm or of
 * an attention, whose output is that of its second layer? */
static bool answers_to(const twin_node *node, const char *name) {
  static const char *const ends[] = {"", ".fwd", ".bwd", ".context"};
  const size_t length = strlen(name);
  bool is_end = false;
  for (size_t i = 0; strncmp(node->name, name, length) == 0 && i < 4; i++) {
    is_end |= strcmp(node->name + length, ends[i]) == 0;
  }
  return is_end;
}

static void refs_add(twin_refs *refs, const int layer) {
  assert(refs->count < TWIN_MAX_PRODUCERS);
  refs->layers[refs->count++] = layer;
}

static void refs_add_name(twin_refs *refs, const twin_workload *workload, const char *name) {
  if (strcmp(name, "@input") == 0) {
    refs_add(refs, TWIN_NETWORK_INPUT);
    return;
  }
  for (size_t i = 0; i < workload->node_count; i++) {
    if (answers_to(&workload->nodes[i], name)) {
      refs_add(refs, (int)i);
    }
  }
}

/* What a list reads from elsewhere nobody has made. */
static void refs_add_made(twin_refs *refs, const twin_workload *workload, const char *name) {
  if (strcmp(name, "@input") != 0) {
    refs_add_name(refs, workload, name);
  }
}

static twin_refs read_inputs(const twin_workload *workload, const cJSON *layer) {
  twin_refs refs = {0};
  const cJSON *const inputs = twin_member(layer, "inputs");
  if (cJSON_IsArray(inputs)) {
    const cJSON *input = NULL;
    cJSON_ArrayForEach(input, inputs) {
      refs_add_name(&refs, workload, input->valuestring);
    }
  } else if (layer->prev == NULL || layer->prev->next == NULL) {
    /* cJSON links the first element backwards to the last one: no layer stands before this one. */
    refs_add(&refs, TWIN_NETWORK_INPUT);
  } else {
    refs_add_name(&refs, workload, twin_text(layer->prev, "name"));
  }
  return refs;
}

static size_2d pooled_size(const cJSON *pool, const size_2d size) {
  const size_2d window = pair(pool, "window", one);
  const size_2d stride = pair(pool, "stride", window);
  const size_2d implied = {
      .rows = ceil((size.rows - window.rows) / stride.rows) + 1,
      .columns = ceil((size.columns - window.columns) / stride.columns) + 1,
  };
  return pair(pool, "feature", implied);
}

static bool is_one_of(const char *op, const char *a, const char *b, const char *c) {
  return strcmp(op, a) == 0 || strcmp(op, b) == 0 || strcmp(op, c) == 0;
}

/* The operation of a layer; NULL: it has none. */
static const cJSON *find_op(const cJSON *layer, const char *op) {
  const cJSON *aux = NULL;
  cJSON_ArrayForEach(aux, twin_member(layer, "aux")) {
    if (strcmp(twin_text(aux, "op"), op) == 0) {
      return aux;
    }
  }
  return NULL;
}

static size_2d upsampled_size(const cJSON *layer, const size_2d size) {
  const cJSON *const upsample = find_op(layer, "upsample");
  const size_2d factor = upsample == NULL ? one : pair(upsample, "factor", one);
  return (size_2d){.rows = size.rows * factor.rows, .columns = size.columns * factor.columns};
}

/* What else than pools and the sums of residuals there can be. */
static void read_other_op(twin_node *node, const twin_workload *workload, const cJSON *aux) {
  const char *const op = twin_text(aux, "op");
  const bool is_on_input = strcmp(twin_text(aux, "on"), "input") == 0;
  const bool is_layer_norm = strcmp(op, "layer_norm") == 0;
  const bool is_rms_norm = strcmp(op, "rms_norm") == 0;
  node->has_layer_norm |= is_layer_norm && !is_on_input;
  node->has_rms_norm |= is_rms_norm && !is_on_input;
  node->has_norm_of_heads |= twin_member(aux, "features") != NULL;
  node->has_input_layer_norm |= is_layer_norm && is_on_input;
  node->has_input_rms_norm |= is_rms_norm && is_on_input;
  node->has_dropout |= strcmp(op, "dropout") == 0;
  node->has_copy |= strcmp(op, "copy") == 0;
  node->has_split |= strcmp(op, "split") == 0;
  if (strcmp(op, "rotary") == 0) {
    node->turned_share = twin_number(aux, "share", 1);
  }
  if (strcmp(op, "multiply") == 0) {
    node->has_multiply = true;
    refs_add_name(&node->shortcut, workload, twin_text(aux, "from"));
  }
}

/* How much the way back wants a result: nothing does, activations alone, or what sums or compares.
 */
typedef enum { WANTED_BY_NONE, WANTED_BY_ACTIVATIONS, WANTED_BY_SUMS } wanted;

/* As it goes through the operations: how much the result so far is wanted by who made it, which
 * each operation raises by what it wants to read again, before it makes the next one. */
static void read_kept_results(twin_node *node, const cJSON *layer) {
  double elements = twin_out_elements(node);
  wanted by = WANTED_BY_NONE;
  const cJSON *aux = NULL;
  cJSON_ArrayForEach(aux, twin_member(layer, "aux")) {
    const char *const op = twin_text(aux, "op");
    const bool is_input_alone = is_one_of(op, "select", "upsample", "");
    if (is_input_alone || strcmp(twin_text(aux, "on"), "input") == 0 || node->kind == TWIN_LSTM) {
      continue;
    }
    if (is_one_of(op, "batch_norm", "layer_norm", "rms_norm") || strcmp(op, "max_pool") == 0) {
      by = WANTED_BY_SUMS;
    } else if (is_one_of(op, "gelu", "silu", "multiply") && by == WANTED_BY_NONE) {
      by = WANTED_BY_ACTIVATIONS;
    }
    node->kept_for_sums += by == WANTED_BY_SUMS ? elements : 0;
    node->kept_for_others += by == WANTED_BY_ACTIVATIONS ? elements : 0;
    by = strcmp(op, "softmax") == 0                 ? WANTED_BY_SUMS
         : is_one_of(op, "relu", "sigmoid", "tanh") ? WANTED_BY_ACTIVATIONS
                                                    : WANTED_BY_NONE;
    elements = is_one_of(op, "max_pool", "avg_pool", "") ? twin_stored_elements(node) : elements;
  }
}

/* `*size` is the output's size before pooling, and the stored one on return. */
static void read_aux(twin_node *node, const cJSON *layer, const twin_workload *workload,
                     const size_2d input_size, size_2d *size) {
  const size_2d upsampled = upsampled_size(layer, input_size);
  const cJSON *aux = NULL;
  if (find_op(layer, "upsample") != NULL) {
    node->upsampled_results = node->in * area(upsampled);
    node->multiplied_ij = area(upsampled);
  }
  cJSON_ArrayForEach(aux, twin_member(layer, "aux")) {
    const char *const op = twin_text(aux, "op");
    const bool is_activation = is_one_of(op, "sigmoid", "tanh", "gelu") || strcmp(op, "silu") == 0;
    read_other_op(node, workload, aux);
    node->has_bias |= strcmp(op, "bias") == 0;
    node->has_relu |= strcmp(op, "relu") == 0;
    node->has_softmax |= strcmp(op, "softmax") == 0;
    node->has_loss |= strcmp(op, "cross_entropy") == 0;
    node->has_batch_norm |= strcmp(op, "batch_norm") == 0;
    node->has_transcendental |= is_activation;
    node->transcendentals += is_activation ? 1 : 0;
    if (strcmp(op, "residual") == 0) {
      node->has_residual = true;
      refs_add_made(&node->shortcut, workload, twin_text(aux, "from"));
    }
    if (is_one_of(op, "max_pool", "avg_pool", "") && strcmp(twin_text(aux, "on"), "input") == 0) {
      node->multiplied_ij = area(pooled_size(aux, upsampled));
      node->pooled_results = node->in * node->multiplied_ij;
      node->input_pool_ops = node->in * node->multiplied_ij * area(pair(aux, "window", one));
    } else if (is_one_of(op, "max_pool", "avg_pool", "")) {
      node->pool_window = area(pair(aux, "window", one));
      *size = pooled_size(aux, *size);
    }
  }
}

static twin_kind read_kind(const char *type) {
  if (strcmp(type, "conv") == 0) {
    return TWIN_CONV;
  }
  if (strcmp(type, "fc") == 0) {
    return TWIN_FC;
  }
  if (strcmp(type, "attention") == 0) {
    return TWIN_CONTEXT; /* that delivers what it delivers */
  }
  if (strcmp(type, "embedding") == 0) {
    return TWIN_EMBEDDING;
  }
  if (strcmp(type, "conv_transpose") == 0) {
    return TWIN_TRANSPOSED;
  }
  return strcmp(type, "lstm") == 0 ? TWIN_LSTM : TWIN_MATMUL;
}

/* The stored size of what a layer reads; all producers of a conv agree. */
static size_2d read_input_size(const twin_refs *inputs, const size_2d network_input,
                               const size_2d *stored) {
  return inputs->layers[0] == TWIN_NETWORK_INPUT ? network_input : stored[inputs->layers[0]];
}

static void read_pipeline_rule(twin_node *node, const cJSON *layer) {
  const cJSON *const group = twin_member(layer, "pipeline_group");
  if (node->kind != TWIN_LSTM || node->is_alone || twin_flag(layer, "bidirectional") ||
      cJSON_IsNull(group)) {
    node->pipeline_rule = TWIN_PIPELINE_NEVER;
  } else if (cJSON_IsString(group)) {
    node->pipeline_rule = TWIN_PIPELINE_NAMED;
    (void)snprintf(node->pipeline_name, sizeof node->pipeline_name, "%s", group->valuestring);
  }
}

/* As stated, or so much that nothing is missing. */
static size_2d own_input_size(const cJSON *layer, const size_2d size) {
  const size_2d kernel = pair(layer, "kernel", one);
  const size_2d stride = pair(layer, "stride", one);
  const size_2d dilation = pair(layer, "dilation", one);
  const size_2d padding = pair(layer, "padding", one);
  size_2d least = {size.rows * stride.rows, size.columns * stride.columns};
  if (twin_member(layer, "padding") != NULL) {
    least.rows =
        (size.rows - 1) * stride.rows + dilation.rows * (kernel.rows - 1) + 1 - 2 * padding.rows;
    least.columns = (size.columns - 1) * stride.columns + dilation.columns * (kernel.columns - 1) +
                    1 - 2 * padding.columns;
  }
  return pair(layer, "input_feature", least);
}

/* Rows of a sample: as stated, else what the select of the input leaves, else those of what is
 * read, if these have some. */
static double read_positions(twin_node *node, const cJSON *layer, const twin_workload *workload,
                             const size_2d network_input, const size_2d *stored) {
  const twin_kind kind = node->kind;
  if (kind != TWIN_FC && kind != TWIN_CONTEXT && kind != TWIN_EMBEDDING) {
    return 1;
  }
  const cJSON *const select = find_op(layer, "select");
  double positions = select != NULL ? twin_number(select, "positions", 1) : 0;
  for (size_t i = 0; i < node->inputs.count && positions <= 0; i++) {
    const int from = node->inputs.layers[i];
    const bool is_network = from == TWIN_NETWORK_INPUT;
    if (kind == TWIN_CONTEXT || (!is_network && workload->nodes[from].has_positions)) {
      positions = area(is_network ? network_input : stored[from]);
    }
  }
  positions = twin_number(layer, "positions", positions);
  node->has_positions = positions > 0;
  return node->has_positions ? positions : 1;
}

/* Experts are groups, each with weights of its own and its part of the positions: all parts are as
 * large as that of the expert that gets one more than others. Counted in millionths, as a factor
 * of 1.1 is no binary fraction. */
static void share_out(twin_node *node, const cJSON *layer) {
  const double millionths = round(twin_number(layer, "capacity_factor", 1) * 1e6);
  node->experts = twin_number(layer, "experts", 0);
  if (node->experts <= 0) {
    return;
  }
  node->routed = node->positions * twin_number(layer, "active_experts", 1);
  node->ij = ceil(node->routed * millionths / (node->experts * 1e6));
  /* What is sent, however it is rounded: some experts have one position fewer than others. */
  node->out_ij = ceil(node->routed * millionths / 1e6) / node->experts;
  node->iij = node->out_ij;
  node->stored_ij = node->out_ij;
  node->multiplied_ij = node->out_ij;
  node->in *= node->experts;
  node->out *= node->experts;
  node->groups = node->experts;
}

static twin_node read_node(const twin_workload *workload, const cJSON *layer, const bool is_list,
                           const size_2d network_input, size_2d *stored) {
  const twin_kind kind = read_kind(twin_text(layer, "type"));
  const bool is_conv = kind == TWIN_CONV || kind == TWIN_TRANSPOSED;
  twin_node node = {
      .kind = kind,
      .in = twin_number(layer, "in", 1),
      .out = twin_number(layer, "out", 1),
      .groups = twin_number(layer, "groups", 1),
      .timesteps = twin_number(layer, "timesteps", 1),
      .operand_elements = twin_number(layer, "operand_elements", 0),
      .kij = is_conv ? area(pair(layer, "kernel", one)) : 1,
      .strides = kind == TWIN_CONV ? area(pair(layer, "stride", one)) : 1,
      .inputs = read_inputs(workload, layer),
  };
  size_2d size = is_conv ? pair(layer, "feature", one) : one;
  node.is_alone = is_list;
  if (is_list) {
    node.inputs = (twin_refs){.layers = {TWIN_NETWORK_INPUT}, .count = 1};
  }
  const size_2d input_size = !is_conv
                                 ? one
                                 : (is_list ? own_input_size(layer, size)
                                            : read_input_size(&node.inputs, network_input, stored));
  node.ij = area(size);
  node.iij = area(input_size);
  node.multiplied_ij = node.iij;
  read_aux(&node, layer, workload, input_size, &size);
  node.stored_ij = area(size);
  if (kind == TWIN_TRANSPOSED) {
    node.out_ij = node.ij;
    node.ij = node.multiplied_ij;
  } else if (!is_conv) {
    const double positions = read_positions(&node, layer, workload, network_input, stored);
    size = (size_2d){.rows = positions, .columns = 1};
    node.ij = positions;
    node.iij = positions;
    node.multiplied_ij = positions;
    node.stored_ij = positions;
    node.positions = positions;
  }
  if (kind != TWIN_TRANSPOSED) {
    node.out_ij = node.ij;
  }
  if (kind == TWIN_EMBEDDING) {
    const bool has_rows = twin_flag(layer, "learned_positions");
    node.table_rows = twin_number(layer, "vocabulary", 1) + (has_rows ? node.ij : 0);
    node.lookup_elements = node.ij * node.out * (has_rows ? 2 : 1);
    node.in = 1;
  }
  if (node.kind == TWIN_MATMUL) {
    refs_add_made(&node.operand, workload, twin_text(layer, "operand"));
  }
  if (kind == TWIN_FC) {
    share_out(&node, layer);
  }
  node.is_tied = twin_member(layer, "tied_to") != NULL;
  if (node.is_tied) {
    refs_add_made(&node.tied, workload, twin_text(layer, "tied_to"));
  }
  node.stated_bytes[0] = twin_number(layer, "element_bytes", 0);
  node.stated_bytes[1] = twin_number(layer, "weight_bytes", 0);
  node.stated_bytes[2] = twin_number(layer, "cache_bytes", 0);
  twin_read_uses(node.uses, layer);
  node.stated_bytes[0] = twin_bytes_of_use(node.uses, TWIN_USE_ACTIVATIONS, node.stated_bytes[0]);
  node.stated_bytes[1] = twin_bytes_of_use(node.uses, TWIN_USE_WEIGHTS, node.stated_bytes[1]);
  node.stated_bytes[2] = twin_bytes_of_use(node.uses, TWIN_USE_CACHE, node.stated_bytes[2]);
  read_kept_results(&node, layer);
  read_pipeline_rule(&node, layer);
  stored[workload->node_count] = size;
  return node;
}

static void add_node(twin_workload *workload, const twin_node *node, const char *name,
                     const char *suffix) {
  assert(workload->node_count < TWIN_MAX_LAYERS);
  twin_node *const added = &workload->nodes[workload->node_count];
  *added = *node;
  const int length = snprintf(added->name, sizeof added->name, "%s%s", name, suffix);
  assert(length > 0 && (size_t)length < sizeof added->name);
  (void)length;
  workload->nodes[workload->node_count].place = workload->node_count;
  workload->node_count++;
}

/* Keys and values, of one producer or of those after the queries'. */
static twin_refs operand_of(const twin_refs *inputs, const size_t place) {
  const int layer = inputs->layers[inputs->count == 1 ? 0 : place];
  twin_refs refs = {0};
  if (layer != TWIN_NETWORK_INPUT) {
    refs_add(&refs, layer);
  }
  return refs;
}

/* One of the two products of an attention; the keys that are read are `c`. */
static twin_node product_of(const twin_node *whole, const double heads, const double kv,
                            const double in, const double out) {
  twin_node node = {
      .kind = whole->kind,
      .stated_bytes = {whole->stated_bytes[0], whole->stated_bytes[1], whole->stated_bytes[2]},
      .in = heads * in,
      .out = heads * out,
      .ij = whole->ij,
      .out_ij = whole->ij,
      .kij = 1,
      .strides = 1,
      .iij = whole->ij,
      .stored_ij = whole->ij,
      .multiplied_ij = whole->ij,
      .groups = heads,
      .timesteps = 1,
      .operand_groups = kv,
      .operand_elements = kv * in * out,
      .pipeline_rule = TWIN_PIPELINE_NEVER,
  };
  memcpy(node.uses, whole->uses, sizeof node.uses);
  return node;
}

/* Auxiliary operations are on what the attention delivers. */
static void take_operations(twin_node *node, const twin_node *whole) {
  node->has_bias = whole->has_bias;
  node->has_relu = whole->has_relu;
  node->has_transcendental = whole->has_transcendental;
  node->transcendentals = whole->transcendentals;
  node->has_batch_norm = whole->has_batch_norm;
  node->has_layer_norm = whole->has_layer_norm;
  node->has_rms_norm = whole->has_rms_norm;
  node->has_norm_of_heads = whole->has_norm_of_heads;
  node->has_multiply = whole->has_multiply;
  node->has_dropout = whole->has_dropout;
  node->has_copy = whole->has_copy;
  node->has_split = whole->has_split;
  node->turned_share = whole->turned_share;
  node->has_softmax = whole->has_softmax;
  node->has_loss = whole->has_loss;
  node->has_residual = whole->has_residual;
  node->shortcut = whole->shortcut;
}

/* What masks leave out of c keys: the i-th of s queries sees those up to itself, or all, but no
 * more than a window has. */
static double hidden_share_of(const cJSON *layer, const double s, const double c,
                              const double context) {
  const double window = twin_number(layer, "window", context);
  double hidden = 0;
  for (double i = 1; i <= s; i++) {
    hidden += c - fmin(twin_flag(layer, "causal") ? context - s + i : context, window);
  }
  return hidden / (s * c);
}

static void add_attention(twin_workload *workload, const twin_node *whole, const cJSON *layer,
                          const size_2d network_input, size_2d *stored) {
  const double heads = twin_number(layer, "heads", 1);
  const double kv = twin_number(layer, "kv_heads", heads);
  const double d = twin_number(layer, "head_features", 1);
  const double dv = twin_number(layer, "value_features", d);
  const double s = whole->ij;
  const double context = twin_number(layer, "context", s);
  const double window = twin_number(layer, "window", context);
  const double c = fmin(context, window + s - 1);
  const int keys = whole->inputs.layers[whole->inputs.count - 1];
  const double made = area(keys == TWIN_NETWORK_INPUT ? network_input : stored[keys]);
  const bool is_cached = context > s && made == s;
  twin_node score = product_of(whole, heads, kv, d, c);
  twin_node sum = product_of(whole, heads, kv, c, dv);
  score.kind = TWIN_SCORE;
  score.inputs.count = 1;
  score.inputs.layers[0] = whole->inputs.layers[0];
  score.operand = operand_of(&whole->inputs, 1);
  score.has_softmax = true;
  score.has_dropout = twin_flag(layer, "dropout");
  score.kept_for_sums = score.has_dropout ? heads * c * s : 0; /* of the softmax before it */
  score.hidden_share = hidden_share_of(layer, s, c, context);
  sum.hidden_share = score.hidden_share;
  score.key_features = sum.key_features = d;
  score.value_features = sum.value_features = dv;
  score.window = sum.window = twin_number(layer, "window", 0);
  score.is_causal = sum.is_causal = twin_flag(layer, "causal");
  sum.operand = operand_of(&whole->inputs, 2);
  refs_add(&sum.inputs, (int)workload->node_count);
  take_operations(&sum, whole);
  read_kept_results(&sum, layer);
  if (is_cached) {
    score.cache_elements = kv * d * c;
    score.new_elements = kv * d * s;
    sum.cache_elements = kv * dv * c;
    sum.new_elements = kv * dv * s;
  }
  add_node(workload, &score, twin_text(layer, "name"), ".score");
  stored[workload->node_count] = (size_2d){.rows = s, .columns = 1};
  sum.has_positions = true;
  add_node(workload, &sum, twin_text(layer, "name"), ".context");
}

/* Does the text of a layer name the network's input? The first layer does so by default. */
static bool layer_reads_network_input(const cJSON *layer, const cJSON *layers) {
  const cJSON *const inputs = twin_member(layer, "inputs");
  if (inputs == NULL) {
    return layer == layers->child;
  }
  const cJSON *input = NULL;
  cJSON_ArrayForEach(input, inputs) {
    if (strcmp(input->valuestring, "@input") == 0) {
      return true;
    }
  }
  return false;
}

/* The network's input as stated, else as its first reader sees it. */
static size_2d read_network_input(const cJSON *root, double *features) {
  const cJSON *const stated = twin_member(root, "input");
  if (stated != NULL) {
    *features = twin_number(stated, "features", 1);
    return pair(stated, "feature", one);
  }
  const cJSON *const layers = twin_member(root, "layers");
  const cJSON *layer = NULL;
  cJSON_ArrayForEach(layer, layers) {
    if (layer_reads_network_input(layer, layers)) {
      const size_2d rows = {.rows = twin_number(layer, "positions", 1), .columns = 1};
      *features = twin_number(layer, "in", 1);
      const size_2d feature = pair(layer, "feature", rows);
      const size_2d stride = pair(layer, "stride", one);
      return (size_2d){.rows = feature.rows * stride.rows,
                       .columns = feature.columns * stride.columns};
    }
  }
  *features = 0;
  return one;
}

static double update_bytes_of(const char *optimizer) {
  if (strcmp(optimizer, "sgd") == 0) {
    return 20;
  }
  if (strcmp(optimizer, "lars") == 0 || strcmp(optimizer, "adam") == 0) {
    return 28;
  }
  return strcmp(optimizer, "adam_mixed") == 0 ? 40 : 0;
}

/* Section 12: a momentum, or two, and a copy of weights that have fewer than 4 bytes. */
static double state_bytes_of(const cJSON *root, const double weight_bytes, const double momentum) {
  const char *const optimizer = twin_text(root, "optimizer");
  if (update_bytes_of(optimizer) <= 0) {
    return 0;
  }
  const bool has_two = strncmp(optimizer, "adam", 4) == 0;
  const bool has_copy = weight_bytes < 4 && twin_flag_unless_false(root, "master_weights");
  return (has_two ? 2 : 1) * momentum + (has_copy ? 4 : 0);
}

bool twin_workload_parse(twin_workload *out, const char *json) {
  cJSON *const root = cJSON_Parse(json);
  if (root == NULL) {
    return false;
  }
  twin_unroll(root);
  size_t uses[TWIN_USE_COUNT];
  twin_read_uses(uses, root);
  const double element_bytes =
      twin_bytes_of_use(uses, TWIN_USE_ACTIVATIONS, twin_number(root, "element_bytes", 2));
  const size_t type = twin_type_of(twin_text(root, "element_type"));
  const bool has_type =
      type < TWIN_TYPE_COUNT && (type < 2 || type > 5); /* of fewer than 16 bits */
  const double of_type = has_type ? fmin(twin_type_bytes(type), element_bytes) : element_bytes;
  const double weight_bytes =
      twin_bytes_of_use(uses, TWIN_USE_WEIGHTS, twin_number(root, "weight_bytes", of_type));
  const double momentum = twin_bytes_of_use(uses, TWIN_USE_OPTIMIZER, 4);
  const double state = state_bytes_of(root, weight_bytes, momentum);
  const double moved = update_bytes_of(twin_text(root, "optimizer"));
  const double momenta = strncmp(twin_text(root, "optimizer"), "adam", 4) == 0 ? 2 : 1;
  *out = (twin_workload){
      .minibatch = twin_number(root, "minibatch", 1),
      .element_bytes = element_bytes,
      .weight_bytes = weight_bytes,
      .cache_bytes =
          twin_bytes_of_use(uses, TWIN_USE_CACHE, twin_number(root, "cache_bytes", element_bytes)),
      .gradient_bytes =
          twin_bytes_of_use(uses, TWIN_USE_GRADIENTS, twin_number(root, "gradient_bytes", 2)),
      .partial_sum_bytes = twin_number(root, "partial_sum_bytes", 2),
      .optimizer_bytes_per_weight = twin_number(root, "optimizer_bytes_per_weight", state),
      .update_bytes = moved > 0 ? moved - momenta * 2 * (4 - momentum) : 0,
      .normalization_group = twin_number(root, "normalization_group", 1),
      .element_type = type,
  };
  memcpy(out->uses, uses, sizeof uses);
  const bool is_list = cJSON_IsFalse(twin_member(root, "connected")) != 0;
  double features = 0;
  const size_2d network_input = read_network_input(root, &features);
  out->input_elements = features * area(network_input);

  size_2d stored[TWIN_MAX_LAYERS + 1] = {{0, 0}};
  const cJSON *layer = NULL;
  cJSON_ArrayForEach(layer, twin_member(root, "layers")) {
    const twin_node node = read_node(out, layer, is_list, network_input, stored);
    const char *const name = twin_text(layer, "name");
    if (node.kind == TWIN_CONTEXT) {
      add_attention(out, &node, layer, network_input, stored);
    } else if (twin_flag(layer, "bidirectional")) {
      add_node(out, &node, name, ".fwd");
      stored[out->node_count] = one;
      add_node(out, &node, name, ".bwd");
    } else {
      add_node(out, &node, name, "");
    }
  }
  twin_derive_bytes(out);
  cJSON_Delete(root);
  return true;
}
