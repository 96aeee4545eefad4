/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of layers with positions, as transformers and segmentation networks have them. */
#include "instance_transformer.h"

#include <stddef.h>

static const instance_grid one = {1, 1};

static size_t cells(const instance_grid grid) {
  return grid.rows * grid.columns;
}

static const instance_tensor *tensor_of(const instance_network *network, const int producer) {
  return producer == INSTANCE_INPUT ? &network->input : &network->layers[producer].output;
}

/* A producer: mostly the layer before. */
static int pick_producer(const instance_network *network, instance_random *random) {
  const int last = (int)network->layer_count - 1;
  return instance_random_chance(random, 70)
             ? last
             : (int)instance_random_between(random, 0, network->layer_count) - 1;
}

/* A layer; INSTANCE_NONE before the first. */
static int pick_layer(const instance_network *network, instance_random *random) {
  return network->layer_count == 0
             ? INSTANCE_NONE
             : (int)instance_random_between(random, 0, network->layer_count - 1);
}

static size_t pick_divisor(instance_random *random, const size_t number, const size_t most) {
  size_t divisor = instance_random_between(random, 1, number < most ? number : most);
  while (number % divisor != 0) {
    divisor--;
  }
  return divisor;
}

static void make_embedding(const instance_network *network, instance_random *random,
                           instance_layer *layer) {
  const instance_tensor *const input = &network->input;
  layer->kind = INSTANCE_EMBEDDING;
  layer->input_count = 1;
  layer->inputs[0] = INSTANCE_INPUT;
  layer->in = 1;
  layer->positions = cells(input->grid);
  layer->feature = (instance_grid){layer->positions, 1};
  layer->vocabulary = instance_random_between(random, 1, 50);
  layer->has_learned_positions = instance_random_chance(random, 40);
}

/* Of one producer: heads of queries, keys and values side by side. */
static bool split_features(instance_random *random, const size_t features, instance_layer *layer) {
  for (size_t tries = 0; tries < 30; tries++) {
    const size_t heads = instance_random_between(random, 1, 8);
    const size_t kv = pick_divisor(random, heads, heads);
    const size_t d = instance_random_between(random, 1, 1 + features / (heads + kv));
    const size_t taken = (heads + kv) * d;
    if (taken < features && (features - taken) % kv == 0) {
      layer->heads = heads;
      layer->kv_heads = kv;
      layer->head_features = d;
      layer->value_features = (features - taken) / kv;
      return true;
    }
  }
  return false;
}

/* Of three: who makes the keys has features of whole heads; else they are the queries. */
static void join_features(const instance_network *network, instance_random *random,
                          instance_layer *layer) {
  const instance_tensor *const query = tensor_of(network, layer->inputs[0]);
  const int others = pick_producer(network, random);
  const instance_tensor *const keys = tensor_of(network, others);
  layer->heads = pick_divisor(random, query->features, 8);
  layer->head_features = query->features / layer->heads;
  layer->input_count = 3;
  layer->inputs[1] = layer->inputs[0];
  layer->inputs[2] = layer->inputs[0];
  layer->kv_heads = layer->heads;
  layer->value_features = layer->head_features;
  const size_t kv = keys->features / layer->head_features;
  if (keys->features % layer->head_features == 0 && kv > 0 && layer->heads % kv == 0 &&
      instance_random_chance(random, 80)) {
    layer->inputs[1] = others;
    layer->inputs[2] = others;
    layer->kv_heads = kv;
  }
  for (size_t i = 0; i < 3; i++) { /* values of other features, from as many positions */
    const int other = pick_producer(network, random);
    const instance_tensor *const values = tensor_of(network, other);
    if (values->features % layer->kv_heads == 0 &&
        cells(values->grid) == cells(tensor_of(network, layer->inputs[1])->grid)) {
      layer->inputs[2] = other;
      layer->value_features = values->features / layer->kv_heads;
    }
  }
}

static void make_attention(const instance_network *network, instance_random *random,
                           instance_layer *layer) {
  layer->kind = INSTANCE_ATTENTION;
  layer->timesteps = 1;
  layer->input_count = 1;
  layer->inputs[0] = pick_producer(network, random);
  const instance_tensor *const query = tensor_of(network, layer->inputs[0]);
  const size_t positions = cells(query->grid);
  if (!instance_random_chance(random, 50) || !split_features(random, query->features, layer)) {
    join_features(network, random, layer);
  }
  const size_t keys = cells(tensor_of(network, layer->inputs[layer->input_count - 1])->grid);
  size_t context = keys;
  if (keys == positions && instance_random_chance(random, 35)) {
    context += instance_random_between(random, 1, 12); /* a cache */
  }
  layer->context = context != positions || instance_random_chance(random, 30) ? context : 0;
  layer->is_causal = context >= positions && instance_random_chance(random, 50);
  if (instance_random_chance(random, 30)) {
    layer->window = instance_random_between(random, 1, context + 2);
  }
  layer->positions = instance_random_chance(random, 50) ? positions : 0;
  layer->out = layer->heads * layer->value_features;
  layer->feature = (instance_grid){positions, 1};
}

/* Further producers that have as many positions, or any where all are flattened. */
static void add_inputs(const instance_network *network, instance_random *random,
                       instance_layer *layer, const bool is_flat) {
  const size_t positions = cells(tensor_of(network, layer->inputs[0])->grid);
  for (size_t i = 0; i < 3 && layer->input_count < 2 && instance_random_chance(random, 25); i++) {
    const int other = (int)instance_random_between(random, 0, network->layer_count) - 1;
    if (other != layer->inputs[0] &&
        (is_flat || cells(tensor_of(network, other)->grid) == positions)) {
      layer->inputs[layer->input_count++] = other;
    }
  }
}

static bool has_positions(const instance_network *network, const instance_layer *layer) {
  for (size_t i = 0; i < layer->input_count; i++) {
    const int from = layer->inputs[i];
    if (from != INSTANCE_INPUT && network->layers[from].output.has_positions) {
      return true;
    }
  }
  return false;
}

static void make_fc(const instance_network *network, instance_random *random,
                    instance_layer *layer) {
  layer->kind = INSTANCE_FC;
  layer->input_count = 1;
  layer->inputs[0] = pick_producer(network, random);
  const size_t positions = cells(tensor_of(network, layer->inputs[0])->grid);
  const bool is_flat = instance_random_chance(random, 20);
  add_inputs(network, random, layer, is_flat);
  size_t kept = positions;
  if (!is_flat && instance_random_chance(random, 25)) {
    kept = instance_random_between(random, 1, positions);
    layer->selected = kept;
  }
  for (size_t i = 0; i < layer->input_count; i++) {
    const instance_tensor *const tensor = tensor_of(network, layer->inputs[i]);
    layer->in += tensor->features * (is_flat ? cells(tensor->grid) : 1);
  }
  const bool is_told = is_flat ? has_positions(network, layer)
                               : layer->selected == 0 && !has_positions(network, layer);
  layer->feature = (instance_grid){is_flat ? 1 : kept, 1};
  layer->positions = is_told || instance_random_chance(random, 30) ? cells(layer->feature) : 0;
  if (!is_told && is_flat && layer->positions == 0) {
    layer->is_without_positions = true;
  }
}

static void make_convolution(const instance_network *network, instance_random *random,
                             instance_layer *layer) {
  layer->kind = instance_random_chance(random, 50) ? INSTANCE_CONV : INSTANCE_TRANSPOSED;
  layer->timesteps = 1;
  layer->input_count = 1;
  layer->inputs[0] = pick_producer(network, random);
  const instance_tensor *const tensor = tensor_of(network, layer->inputs[0]);
  instance_grid size = tensor->grid;
  layer->in = tensor->features;
  if (instance_random_chance(random, 35) && cells(size) <= 16) {
    layer->upsampled = (instance_grid){instance_random_between(random, 1, 2),
                                       instance_random_between(random, 1, 3)};
    size.rows *= layer->upsampled.rows;
    size.columns *= layer->upsampled.columns;
  }
  layer->kernel =
      (instance_grid){instance_random_between(random, 1, 3), instance_random_between(random, 1, 3)};
  layer->stride =
      (instance_grid){instance_random_between(random, 1, 2), instance_random_between(random, 1, 2)};
  if (layer->kind == INSTANCE_CONV) {
    layer->feature =
        (instance_grid){(size.rows + layer->stride.rows - 1) / layer->stride.rows,
                        (size.columns + layer->stride.columns - 1) / layer->stride.columns};
  } else {
    layer->feature =
        (instance_grid){size.rows * layer->stride.rows, size.columns * layer->stride.columns};
  }
  if (instance_random_chance(random, 25)) {
    layer->out = layer->in * instance_random_between(random, 1, 2);
    layer->groups = pick_divisor(random, layer->in, layer->in);
  }
}

/* A residual or a gate, from who has as many features of the same size. */
static void pick_other(const instance_network *network, instance_random *random,
                       instance_layer *layer) {
  const int from = pick_layer(network, random);
  if (from == INSTANCE_NONE || !instance_random_chance(random, 60)) {
    return;
  }
  const instance_tensor *const tensor = tensor_of(network, from);
  const bool may_choose = layer->kind != INSTANCE_ATTENTION && layer->groups == 1;
  if (tensor->grid.rows == layer->feature.rows && tensor->grid.columns == layer->feature.columns &&
      tensor->timesteps == layer->timesteps && (may_choose || tensor->features == layer->out)) {
    layer->residual = from;
    layer->is_multiplied = instance_random_chance(random, 50);
    layer->out = tensor->features;
  }
}

static void pick_auxiliary(instance_random *random, instance_layer *layer) {
  static const char *const norms[] = {"layer_norm", "rms_norm", "rms_norm", "batch_norm"};
  static const char *const activations[] = {"relu", "gelu", "silu", "silu"};
  static const double shares[] = {1, 1, 0.5, 0.25, 0.3};
  layer->has_bias = instance_random_chance(random, 40);
  if (instance_random_chance(random, 25)) {
    layer->norm = norms[instance_random_between(random, 0, 3)];
  }
  if (instance_random_chance(random, 40)) {
    layer->activations[0] = activations[instance_random_between(random, 0, 3)];
  }
  layer->has_dropout = instance_random_chance(random, 30);
  layer->has_softmax = instance_random_chance(random, 15);
  if (instance_random_chance(random, 25)) {
    layer->turned_share = INSTANCE_PICK_REAL(random, shares);
  }
  const bool works_on_input = layer->kind == INSTANCE_FC || layer->kind == INSTANCE_CONV ||
                              layer->kind == INSTANCE_TRANSPOSED;
  if (works_on_input && instance_random_chance(random, 40)) {
    layer->input_norm = norms[instance_random_between(random, 0, 1)];
  }
}

static instance_layer make_layer(const instance_network *network, instance_random *random,
                                 const instance_network_settings *settings, const size_t timesteps,
                                 const bool may_attend) {
  instance_layer layer = {
      .out = instance_random_pick(random, settings->features, settings->feature_count),
      .timesteps = timesteps,
      .feature = one,
      .kernel = one,
      .stride = one,
      .dilation = one,
      .upsampled = one,
      .groups = 1,
      .operand = INSTANCE_NONE,
      .residual = INSTANCE_NONE,
  };
  const size_t draw = instance_random_between(random, 0, 99);
  const bool is_first = network->layer_count == 0;
  const bool may_look_up = network->input.features == 1;
  if (may_look_up && (is_first ? draw < 80 : draw < 6)) {
    make_embedding(network, random, &layer);
  } else if (draw < 50 && may_attend) {
    make_attention(network, random, &layer);
  } else if (draw >= 85 && timesteps == 1) {
    make_convolution(network, random, &layer);
  } else {
    make_fc(network, random, &layer);
  }
  pick_other(network, random, &layer);
  pick_auxiliary(random, &layer);
  layer.output = (instance_tensor){
      .features = layer.out,
      .grid = layer.feature,
      .timesteps = layer.timesteps,
      .has_positions = layer.kind != INSTANCE_CONV && layer.kind != INSTANCE_TRANSPOSED &&
                       !layer.is_without_positions,
  };
  return layer;
}

instance_network instance_transformer_make(instance_random *random,
                                           const instance_network_settings *settings) {
  const size_t rows = instance_random_between(random, 1, 9);
  instance_network network = {
      .states_input = true,
      .input = {.features =
                    instance_random_chance(random, 60)
                        ? 1
                        : instance_random_pick(random, settings->features, settings->feature_count),
                .grid = {rows, instance_random_chance(random, 80) ? 1 : 2}},
  };
  const size_t timesteps = instance_random_chance(random, 10) ? 3 : 1;
  const size_t declared_count =
      instance_random_between(random, settings->min_declared, settings->max_declared);
  size_t expanded_count = 0;
  while (network.layer_count < declared_count) {
    const size_t later_count = declared_count - network.layer_count - 1;
    const bool may_attend =
        timesteps == 1 && expanded_count + 2 + later_count <= settings->max_expanded;
    const instance_layer layer = make_layer(&network, random, settings, timesteps, may_attend);
    expanded_count += layer.kind == INSTANCE_ATTENTION ? 2 : 1;
    network.layers[network.layer_count++] = layer;
  }
  instance_layer *const last = &network.layers[network.layer_count - 1];
  last->has_loss = instance_random_chance(random, 25);
  return network;
}
