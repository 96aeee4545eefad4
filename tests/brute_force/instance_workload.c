/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "instance_network.h"
#include "instance_parts.h"

enum { NAME_SIZE = 24 };

typedef struct {
  char text[NAME_SIZE];
} layer_name;

static const char *const kind_names[] = {[INSTANCE_CONV] = "conv",
                                         [INSTANCE_FC] = "fc",
                                         [INSTANCE_LSTM] = "lstm",
                                         [INSTANCE_MATMUL] = "matmul",
                                         [INSTANCE_ATTENTION] = "attention",
                                         [INSTANCE_EMBEDDING] = "embedding",
                                         [INSTANCE_TRANSPOSED] = "conv_transpose"};

static layer_name name_of(const instance_network *network, const int layer) {
  layer_name name = {"@input"};
  if (layer != INSTANCE_INPUT) {
    (void)snprintf(name.text, sizeof name.text, "%s%d", kind_names[network->layers[layer].kind],
                   layer);
  }
  return name;
}

static void write_grid(instance_text *text, const char *key, const instance_grid grid) {
  instance_text_pair(text, key, grid.rows, grid.columns);
}

/* A value that may be its default: written where it is not, else on a coin. */
static void write_grid_or_not(instance_text *text, instance_random *random, const char *key,
                              const instance_grid grid) {
  const bool is_default = grid.rows == 1 && grid.columns == 1;
  if (!is_default || instance_random_chance(random, 50)) {
    write_grid(text, key, grid);
  }
}

static void write_count_or_not(instance_text *text, instance_random *random, const char *key,
                               const size_t count) {
  if (count != 1 || instance_random_chance(random, 30)) {
    instance_text_count(text, key, count);
  }
}

static void write_op(instance_text *text, const char *op) {
  if (op == NULL) {
    return;
  }
  instance_text_key(text, NULL);
  instance_text_open(text, '{');
  instance_text_string(text, "op", op);
  instance_text_close(text, '}');
}

static void write_pool(instance_text *text, const instance_pool *pool, const bool is_on_input) {
  if (!pool->exists) {
    return;
  }
  instance_text_key(text, NULL);
  instance_text_open(text, '{');
  instance_text_string(text, "op", pool->is_maximum ? "max_pool" : "avg_pool");
  write_grid(text, "window", pool->window);
  if (pool->states_stride) {
    write_grid(text, "stride", pool->stride);
  }
  if (pool->states_feature) {
    write_grid(text, "feature", pool->pooled);
  }
  if (is_on_input) {
    instance_text_string(text, "on", "input");
  }
  instance_text_close(text, '}');
}

static void write_residual(instance_text *text, const instance_network *network,
                           const instance_layer *layer) {
  if (layer->residual == INSTANCE_NONE) {
    return;
  }
  instance_text_key(text, NULL);
  instance_text_open(text, '{');
  instance_text_string(text, "op", layer->is_multiplied ? "multiply" : "residual");
  instance_text_string(text, "from", name_of(network, layer->residual).text);
  instance_text_close(text, '}');
}

static void write_input_ops(instance_text *text, const instance_layer *layer) {
  if (layer->selected > 0) {
    instance_text_key(text, NULL);
    instance_text_open(text, '{');
    instance_text_string(text, "op", "select");
    instance_text_count(text, "positions", layer->selected);
    instance_text_close(text, '}');
  }
  if (layer->upsampled.rows * layer->upsampled.columns > 1) {
    instance_text_key(text, NULL);
    instance_text_open(text, '{');
    instance_text_string(text, "op", "upsample");
    write_grid(text, "factor", layer->upsampled);
    instance_text_close(text, '}');
  }
  if (layer->input_norm != NULL) {
    instance_text_key(text, NULL);
    instance_text_open(text, '{');
    instance_text_string(text, "op", layer->input_norm);
    instance_text_string(text, "on", "input");
    instance_text_close(text, '}');
  }
}

static void write_rotary(instance_text *text, const instance_layer *layer) {
  if (layer->turned_share > 0) {
    instance_text_key(text, NULL);
    instance_text_open(text, '{');
    instance_text_string(text, "op", "rotary");
    instance_text_real(text, "share", layer->turned_share);
    instance_text_close(text, '}');
  }
}

/* Those of an fc are norms of two heads where two have all features. */
static void write_norm(instance_text *text, const instance_layer *layer) {
  const bool has_heads = layer->norm != NULL && layer->kind == INSTANCE_FC &&
                         strcmp(layer->norm, "batch_norm") != 0 && layer->out % 2 == 0;
  if (!has_heads) {
    write_op(text, layer->norm);
    return;
  }
  instance_text_key(text, NULL);
  instance_text_open(text, '{');
  instance_text_string(text, "op", layer->norm);
  instance_text_count(text, "features", layer->out / 2);
  instance_text_close(text, '}');
}

static void write_aux(instance_text *text, const instance_network *network,
                      const instance_layer *layer) {
  instance_text_key(text, "aux");
  instance_text_open(text, '[');
  write_input_ops(text, layer);
  write_pool(text, &layer->input_pool, true);
  write_op(text, layer->has_bias ? "bias" : NULL);
  write_norm(text, layer);
  if (!layer->is_activated_before_residual) {
    write_residual(text, network, layer);
  }
  write_op(text, layer->activations[0]);
  write_op(text, layer->activations[1]);
  if (layer->is_activated_before_residual) {
    write_residual(text, network, layer);
  }
  write_rotary(text, layer);
  write_op(text, layer->has_dropout ? "dropout" : NULL);
  write_op(text, layer->has_dropout && layer->has_bias ? "copy" : NULL);
  write_op(text, layer->has_dropout && !layer->has_bias ? "split" : NULL);
  write_op(text, layer->has_softmax ? "softmax" : NULL);
  write_op(text, layer->has_loss ? "cross_entropy" : NULL);
  write_pool(text, &layer->pool, false);
  instance_text_close(text, ']');
}

static void write_inputs(instance_text *text, instance_random *random,
                         const instance_network *network, const size_t index) {
  const instance_layer *const layer = &network->layers[index];
  const bool is_default = layer->input_count == 1 && layer->inputs[0] == (int)index - 1;
  if (is_default && instance_random_chance(random, 60)) {
    return;
  }
  instance_text_key(text, "inputs");
  instance_text_open(text, '[');
  for (size_t i = 0; i < layer->input_count; i++) {
    instance_text_string(text, NULL, name_of(network, layer->inputs[i]).text);
  }
  instance_text_close(text, ']');
}

static void write_pipeline(instance_text *text, const instance_layer *layer) {
  if (layer->pipeline == INSTANCE_PIPELINE_NULL) {
    instance_text_null(text, "pipeline_group");
  } else if (layer->pipeline == INSTANCE_PIPELINE_NAMED) {
    char name[NAME_SIZE] = "";
    (void)snprintf(name, sizeof name, "pipe%zu", layer->pipeline_id);
    instance_text_string(text, "pipeline_group", name);
  }
}

static void write_attention(instance_text *text, const instance_layer *layer) {
  instance_text_count(text, "heads", layer->heads);
  instance_text_count(text, "head_features", layer->head_features);
  if (layer->kv_heads != layer->heads) {
    instance_text_count(text, "kv_heads", layer->kv_heads);
  }
  if (layer->value_features != layer->head_features) {
    instance_text_count(text, "value_features", layer->value_features);
  }
  if (layer->context > 0) {
    instance_text_count(text, "context", layer->context);
  }
  if (layer->window > 0) {
    instance_text_count(text, "window", layer->window);
  }
  if (layer->is_causal) {
    instance_text_bool(text, "causal", true);
    instance_text_bool(text, "dropout", true);
  }
}

static void write_shared_weights(instance_text *text, const instance_network *network,
                                 const instance_layer *layer) {
  if (layer->is_tied) {
    instance_text_string(text, "tied_to", name_of(network, layer->tied_to).text);
  }
  if (layer->experts > 0) {
    instance_text_count(text, "experts", layer->experts);
    instance_text_count(text, "active_experts", layer->active_experts);
  }
  if (layer->capacity_factor > 1) {
    instance_text_real(text, "capacity_factor", layer->capacity_factor);
  }
}

static void write_positions(instance_text *text, const instance_layer *layer) {
  if (layer->positions > 0) {
    instance_text_count(text, "positions", layer->positions);
  }
  if (layer->kind == INSTANCE_EMBEDDING) {
    instance_text_count(text, "vocabulary", layer->vocabulary);
    instance_text_bool(text, "learned_positions", layer->has_learned_positions);
  }
}

static const char *const type_words[] = {"int8", "fp8",   "fp16",  "bf16", "tf32", "fp32", "int4",
                                         "fp4",  "nvfp4", "mxfp4", "e4m3", "e5m2", "mxfp8"};

/* Types by use, from a stream of their own: any of so many uses, of these words. */
static void write_types(instance_text *text, instance_random *own, const char *const *uses,
                        const size_t use_count, const unsigned percent) {
  instance_text_key(text, "types");
  instance_text_open(text, '{');
  for (size_t use = 0; use < use_count; use++) {
    if (instance_random_chance(own, percent)) {
      instance_text_string(text, uses[use], type_words[instance_random_between(own, 0, 12)]);
    }
  }
  instance_text_close(text, '}');
}

static void write_types_of_layer(instance_text *text, const instance_random *random,
                                 const instance_layer *layer, const size_t index) {
  static const char *const of_table[] = {"activations", "weights"};
  static const char *const of_weights[] = {"activations", "operands", "weights"};
  static const char *const of_attention[] = {"activations", "operands", "cache"};
  instance_random own = {.state = (random->state ^ UINT64_C(0x6c61796572747970)) + index};
  const bool is_product = layer->kind == INSTANCE_MATMUL || layer->kind == INSTANCE_ATTENTION;
  if (!instance_random_chance(&own, 8)) {
    return;
  }
  if (layer->kind == INSTANCE_EMBEDDING) {
    write_types(text, &own, of_table, layer->is_tied ? 1 : 2, 50);
  } else if (is_product) {
    write_types(text, &own, of_attention, layer->kind == INSTANCE_MATMUL ? 2 : 3, 50);
  } else {
    write_types(text, &own, of_weights, layer->is_tied ? 2 : 3, 50);
  }
}

/* Of an element, from a stream of their own. */
static void write_bytes_of_layer(instance_text *text, const instance_random *random,
                                 const instance_layer *layer, const size_t index) {
  static const double bytes[] = {0.5, 1, 2, 4};
  instance_random own = {.state = (random->state ^ UINT64_C(0x62797465736f6621)) + index};
  const bool is_product = layer->kind == INSTANCE_MATMUL || layer->kind == INSTANCE_ATTENTION;
  if (instance_random_chance(&own, 12)) {
    instance_text_real(text, "element_bytes", INSTANCE_PICK_REAL(&own, bytes));
  }
  if (instance_random_chance(&own, 8) && !is_product && !layer->is_tied) {
    instance_text_real(text, "weight_bytes", INSTANCE_PICK_REAL(&own, bytes));
  }
  if (instance_random_chance(&own, 15) && layer->kind == INSTANCE_ATTENTION) {
    instance_text_real(text, "cache_bytes", INSTANCE_PICK_REAL(&own, bytes));
  }
}

static void write_layer(instance_text *text, instance_random *random,
                        const instance_network *network, const size_t index) {
  const instance_layer *const layer = &network->layers[index];
  instance_text_key(text, NULL);
  instance_text_open(text, '{');
  instance_text_string(text, "name", name_of(network, (int)index).text);
  instance_text_string(text, "type", kind_names[layer->kind]);
  if (layer->kind != INSTANCE_ATTENTION) {
    if (layer->kind != INSTANCE_EMBEDDING) {
      instance_text_count(text, "in", layer->in);
    }
    instance_text_count(text, "out", layer->out);
  }
  write_inputs(text, random, network, index);
  write_positions(text, layer);
  write_shared_weights(text, network, layer);
  if (layer->kind == INSTANCE_ATTENTION) {
    write_attention(text, layer);
  } else if (layer->kind == INSTANCE_CONV || layer->kind == INSTANCE_TRANSPOSED) {
    write_grid(text, "feature", layer->feature);
    write_grid_or_not(text, random, "kernel", layer->kernel);
    write_grid_or_not(text, random, "stride", layer->stride);
    write_grid_or_not(text, random, "dilation", layer->dilation);
    write_count_or_not(text, random, "groups", layer->groups);
    if (layer->states_padding) {
      write_grid(text, "padding", layer->padding);
    }
  } else {
    write_count_or_not(text, random, "timesteps", layer->timesteps);
  }
  if (layer->kind == INSTANCE_MATMUL) {
    instance_text_string(text, "operand", name_of(network, layer->operand).text);
    instance_text_count(text, "operand_elements", layer->operand_elements);
  }
  if (layer->is_bidirectional) {
    instance_text_bool(text, "bidirectional", true);
  }
  write_pipeline(text, layer);
  write_bytes_of_layer(text, random, layer, index);
  write_types_of_layer(text, random, layer, index);
  write_aux(text, network, layer);
  instance_text_close(text, '}');
}

/* Of weights and of keys and values in a cache, from a stream of their own. */
static void write_other_bytes(instance_text *text, instance_random random) {
  static const double bytes[] = {0.5, 1, 2, 4};
  random.state ^= UINT64_C(0x7765696768747321);
  if (instance_random_chance(&random, 22)) {
    instance_text_real(text, "weight_bytes", INSTANCE_PICK_REAL(&random, bytes));
  }
  if (instance_random_chance(&random, 22)) {
    instance_text_real(text, "cache_bytes", INSTANCE_PICK_REAL(&random, bytes));
  }
}

/* The type of momenta goes with an optimizer. */
static bool write_optimizer(instance_text *text, instance_random *random) {
  static const char *const optimizers[] = {"sgd", "lars", "adam", "adam_mixed", "none"};
  const size_t which = instance_random_between(random, 0, 4);
  instance_random own = {.state = random->state ^ UINT64_C(0x6d61737465727321)};
  instance_text_string(text, "optimizer", optimizers[which]);
  if (which < 4 && instance_random_chance(&own, 50)) {
    instance_text_bool(text, "master_weights", instance_random_chance(&own, 30));
  }
  return which < 4;
}

static void write_number_formats(instance_text *text, instance_random *random) {
  static const size_t bytes[] = {1, 2, 2, 4};
  static const size_t optimizer_bytes[] = {4, 8, 12};
  write_other_bytes(text, *random);
  instance_text_count(text, "element_bytes", INSTANCE_PICK(random, bytes));
  if (instance_random_chance(random, 40)) {
    instance_text_count(text, "gradient_bytes", INSTANCE_PICK(random, bytes));
  }
  if (instance_random_chance(random, 40)) {
    instance_text_count(text, "partial_sum_bytes", INSTANCE_PICK(random, bytes));
  }
  if (instance_random_chance(random, 40)) {
    instance_text_count(text, "optimizer_bytes_per_weight", INSTANCE_PICK(random, optimizer_bytes));
  }
  static const char *const uses[] = {"weights", "activations", "operands",
                                     "cache",   "gradients",   "optimizer"};
  instance_random own = {.state = random->state ^ UINT64_C(0x7573657374797065)};
  const bool has_optimizer = instance_random_chance(random, 25) && write_optimizer(text, random);
  if (instance_random_chance(&own, 20)) {
    write_types(text, &own, uses, has_optimizer ? 6 : 5, 35);
  }
  if (instance_random_chance(random, 25)) {
    instance_text_count(text, "normalization_group", instance_random_between(random, 1, 40));
  }
  if (instance_random_chance(random, 25)) {
    static const char *const types[] = {"any",  "int8", "fp8", "fp16",  "bf16",
                                        "tf32", "fp32", "fp4", "mxfp8", "int4"};
    instance_text_string(text, "element_type", types[instance_random_between(random, 0, 9)]);
  }
}

void instance_workload_write_network(instance_text *text, instance_random *random,
                                     const instance_network *network, const size_t minibatch) {
  instance_text_open(text, '{');
  instance_text_string(text, "format", "dsm-workload/1");
  instance_text_string(text, "name", "random");
  instance_text_count(text, "minibatch", minibatch);
  write_number_formats(text, random);
  if (network->states_input) {
    instance_text_key(text, "input");
    instance_text_open(text, '{');
    instance_text_count(text, "features", network->input.features);
    write_grid(text, "feature", network->input.grid);
    instance_text_close(text, '}');
  }
  instance_text_key(text, "layers");
  instance_text_open(text, '[');
  for (size_t i = 0; i < network->layer_count; i++) {
    write_layer(text, random, network, i);
  }
  instance_text_close(text, ']');
  instance_text_close(text, '}');
}

void instance_workload_write(instance_text *text, instance_random *random) {
  static const size_t minibatches[] = {1,  2,  3,  4,  5,  6,  7,  8,  8,
                                       12, 16, 16, 24, 31, 32, 45, 64, 64};
  const instance_network_settings settings = instance_network_defaults();
  const instance_network network = instance_network_make(random, &settings);
  instance_workload_write_network(text, random, &network, INSTANCE_PICK(random, minibatches));
}
