/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instance_network.h"

#include "instance_shared_weights.h"
#include "instance_transformer.h"
#include "twin.h"

static const size_t feature_counts[] = {1,  2,  3,  4,  5,  6,  7,  8,  12, 16,  16,
                                        17, 24, 32, 32, 33, 48, 64, 65, 96, 128, 200};
static const size_t timestep_counts[] = {1, 2, 3, 5, 8};
static const instance_grid one = {1, 1};

/* How often a name may stand twice among a layer's inputs; 0 if that is no valid workload. */
static const size_t repeated_input_percent = 10;

static size_t ceil_div(const size_t a, const size_t b) {
  return a / b + (a % b != 0);
}

static size_t cells(const instance_grid grid) {
  return grid.rows * grid.columns;
}

static bool is_same(const instance_grid a, const instance_grid b) {
  return a.rows == b.rows && a.columns == b.columns;
}

/* Square three times in four. */
static instance_grid pick_grid(instance_random *random, const size_t low, const size_t high) {
  const size_t rows = instance_random_between(random, low, high);
  const bool is_square = instance_random_chance(random, 75);
  return (instance_grid){rows, is_square ? rows : instance_random_between(random, low, high)};
}

static const instance_tensor *tensor_of(const instance_network *network, const int producer) {
  return producer == INSTANCE_INPUT ? &network->input : &network->layers[producer].output;
}

/* Random earlier layer or the network's input; the layer before more often than not. */
static int pick_producer(const instance_network *network, instance_random *random) {
  const int last = (int)network->layer_count - 1;
  if (instance_random_chance(random, 60)) {
    return last;
  }
  return (int)instance_random_between(random, 0, network->layer_count) - 1;
}

/* A conv needs one size of all its producers; timesteps agree everywhere, for lack of a meaning
 * otherwise. */
static bool can_concatenate(const instance_layer *layer, const instance_tensor *a,
                            const instance_tensor *b) {
  const bool sizes_agree = layer->kind != INSTANCE_CONV || is_same(a->grid, b->grid);
  return sizes_agree && (a->timesteps == 0 || b->timesteps == 0 || a->timesteps == b->timesteps);
}

static void pick_inputs(const instance_network *network, instance_random *random,
                        const instance_network_settings *settings, instance_layer *layer) {
  layer->inputs[layer->input_count++] = pick_producer(network, random);
  const size_t tries = instance_random_chance(random, settings->several_inputs_percent) ? 4 : 0;
  for (size_t i = 0; i < tries && layer->input_count < INSTANCE_MAX_INPUTS; i++) {
    const int other = (int)instance_random_between(random, 0, network->layer_count) - 1;
    bool fits = true;
    for (size_t j = 0; j < layer->input_count; j++) {
      const int input = layer->inputs[j];
      const bool is_repeated =
          input == other && !instance_random_chance(random, repeated_input_percent);
      fits = fits && !is_repeated &&
             can_concatenate(layer, tensor_of(network, input), tensor_of(network, other));
    }
    if (fits) {
      layer->inputs[layer->input_count++] = other;
    }
  }
  for (size_t i = 0; i < layer->input_count; i++) {
    const instance_tensor *const tensor = tensor_of(network, layer->inputs[i]);
    layer->in += tensor->features * (layer->kind == INSTANCE_CONV ? 1 : cells(tensor->grid));
  }
}

static instance_pool pick_pool(instance_random *random, const instance_grid size) {
  instance_pool pool = {
      .exists = true,
      .is_maximum = instance_random_chance(random, 60),
      .states_stride = instance_random_chance(random, 60),
      .states_feature = instance_random_chance(random, 25),
      .window = {instance_random_between(random, 1, size.rows < 3 ? size.rows : 3),
                 instance_random_between(random, 1, size.columns < 3 ? size.columns : 3)},
  };
  if (instance_random_chance(random, 15)) {
    pool.window = size; /* global */
  }
  pool.stride = pool.states_stride ? pick_grid(random, 1, 3) : pool.window;
  if (pool.states_feature) {
    /* As with padding: every stride yields an output. */
    pool.pooled = (instance_grid){ceil_div(size.rows, pool.stride.rows),
                                  ceil_div(size.columns, pool.stride.columns)};
  } else {
    pool.pooled =
        (instance_grid){ceil_div(size.rows - pool.window.rows, pool.stride.rows) + 1,
                        ceil_div(size.columns - pool.window.columns, pool.stride.columns) + 1};
  }
  return pool;
}

/* Output size along one axis under explicit padding; 0 if the kernel does not fit. */
static size_t padded_output(const size_t size, const size_t padding, const size_t kernel,
                            const size_t dilation, const size_t stride) {
  const size_t reach = dilation * (kernel - 1) + 1;
  return size + 2 * padding < reach ? 0 : (size + 2 * padding - reach) / stride + 1;
}

static void pick_conv_geometry(const instance_network *network, instance_random *random,
                               const instance_network_settings *settings, instance_layer *layer) {
  instance_grid size = tensor_of(network, layer->inputs[0])->grid;
  if (instance_random_chance(random, 15)) {
    layer->input_pool = pick_pool(random, size);
    size = layer->input_pool.pooled;
  }
  const bool is_point = instance_random_chance(random, settings->point_kernel_percent);
  layer->kernel = is_point ? one : pick_grid(random, 1, 5);
  layer->stride = instance_random_chance(random, 70) ? one : pick_grid(random, 1, 3);
  layer->dilation = instance_random_chance(random, 80) ? one : pick_grid(random, 1, 3);
  layer->feature = (instance_grid){ceil_div(size.rows, layer->stride.rows),
                                   ceil_div(size.columns, layer->stride.columns)};
  if (instance_random_chance(random, 25)) {
    const instance_grid padding = pick_grid(random, 0, 2);
    const instance_grid padded = {
        padded_output(size.rows, padding.rows, layer->kernel.rows, layer->dilation.rows,
                      layer->stride.rows),
        padded_output(size.columns, padding.columns, layer->kernel.columns, layer->dilation.columns,
                      layer->stride.columns),
    };
    if (cells(padded) > 0) {
      layer->states_padding = true;
      layer->padding = padding;
      layer->feature = padded;
    }
  }
}

/* Groups must divide both features; a depthwise layer has as many as it has inputs. */
static void pick_groups(instance_random *random, instance_layer *layer) {
  if (layer->residual == INSTANCE_NONE && instance_random_chance(random, 30)) {
    layer->out = layer->in * instance_random_between(random, 1, 2);
  }
  if (layer->out % layer->in == 0 && instance_random_chance(random, 50)) {
    layer->groups = layer->in;
    return;
  }
  static const size_t some[] = {2, 3, 4, 8, 16};
  const size_t groups = INSTANCE_PICK(random, some);
  layer->groups = layer->in % groups == 0 && layer->out % groups == 0 ? groups : 1;
}

/* Sets the residual, and the output features that it needs, if some earlier layer can be added. */
static void pick_residual(const instance_network *network, instance_random *random,
                          instance_layer *layer) {
  if (network->layer_count == 0 || !instance_random_chance(random, 50)) {
    return;
  }
  const int any = (int)instance_random_between(random, 0, network->layer_count - 1);
  const int own = layer->inputs[instance_random_between(random, 0, layer->input_count - 1)];
  const int from = own != INSTANCE_INPUT && instance_random_chance(random, 40) ? own : any;
  const instance_tensor *const tensor = tensor_of(network, from);
  const size_t halves = layer->is_bidirectional ? 2 : 1;
  if (is_same(tensor->grid, layer->feature) && tensor->timesteps == layer->timesteps &&
      tensor->features % halves == 0) {
    layer->residual = from;
    layer->out = tensor->features / halves;
  }
}

static void pick_auxiliary(instance_random *random, instance_layer *layer) {
  static const char *const activations[] = {"relu", "relu", "relu", "sigmoid", "tanh", "gelu"};
  layer->has_bias = instance_random_chance(random, 50);
  if (layer->kind == INSTANCE_LSTM) {
    return;
  }
  if (instance_random_chance(random, 35)) {
    layer->norm = instance_random_chance(random, 60) ? "batch_norm" : "layer_norm";
  }
  if (instance_random_chance(random, 60)) {
    const size_t first = instance_random_between(random, 0, 5);
    layer->activations[0] = activations[first];
    /* A second one of another kind, now and then, for the order of the chain. */
    layer->activations[1] = first == 3 && instance_random_chance(random, 50) ? "relu" : NULL;
  }
  layer->is_activated_before_residual = instance_random_chance(random, 30);
  layer->has_softmax = instance_random_chance(random, 20);
  if (layer->kind == INSTANCE_CONV && instance_random_chance(random, 30)) {
    layer->pool = pick_pool(random, layer->feature);
  }
}

static instance_kind pick_kind(const instance_network *network, instance_random *random,
                               const instance_network_settings *settings) {
  const size_t draw = instance_random_between(random, 0, 99);
  if (draw < settings->conv_percent) {
    return INSTANCE_CONV;
  }
  if (draw < settings->conv_percent + settings->fc_percent) {
    return INSTANCE_FC;
  }
  const size_t before_matmul =
      settings->conv_percent + settings->fc_percent + settings->lstm_percent;
  return draw < before_matmul || network->layer_count == 0 ? INSTANCE_LSTM : INSTANCE_MATMUL;
}

static size_t pick_timesteps(instance_random *random, const instance_network_settings *settings) {
  return instance_random_pick(random, settings->timesteps, settings->timestep_count);
}

/* A divisor of the MACs that is at most what the producer delivers for a sample: mostly the largest
 * one. */
static size_t pick_operand_elements(instance_random *random, const size_t macs,
                                    const instance_tensor *from) {
  const size_t delivered = from->features * cells(from->grid) * from->timesteps;
  const size_t most = delivered < macs ? delivered : macs;
  size_t elements =
      instance_random_chance(random, 70) ? most : instance_random_between(random, 1, most);
  while (macs % elements != 0) {
    elements--;
  }
  return elements;
}

static instance_layer make_layer(const instance_network *network, instance_random *random,
                                 const instance_network_settings *settings, const size_t timesteps,
                                 const bool may_be_bidirectional) {
  instance_layer layer = {
      .kind = pick_kind(network, random, settings),
      .out = instance_random_pick(random, settings->features, settings->feature_count),
      .timesteps = instance_random_chance(random, settings->same_timesteps_percent)
                       ? timesteps
                       : pick_timesteps(random, settings),
      .feature = one,
      .kernel = one,
      .stride = one,
      .dilation = one,
      .groups = 1,
      .operand = INSTANCE_NONE,
      .residual = INSTANCE_NONE,
  };
  pick_inputs(network, random, settings, &layer);
  layer.is_bidirectional = layer.kind == INSTANCE_LSTM && may_be_bidirectional &&
                           instance_random_chance(random, settings->bidirectional_percent);
  if (layer.kind == INSTANCE_CONV) {
    layer.timesteps = 1;
    pick_conv_geometry(network, random, settings, &layer);
  }
  pick_residual(network, random, &layer);
  if (layer.kind == INSTANCE_CONV && instance_random_chance(random, 30)) {
    pick_groups(random, &layer);
  }
  if (layer.kind == INSTANCE_MATMUL) {
    layer.operand = (int)instance_random_between(random, 0, network->layer_count - 1);
    layer.operand_elements =
        pick_operand_elements(random, layer.in * layer.out, tensor_of(network, layer.operand));
  }
  pick_auxiliary(random, &layer);
  layer.output = (instance_tensor){
      .features = layer.out * (layer.is_bidirectional ? 2 : 1),
      .grid = layer.pool.exists ? layer.pool.pooled : layer.feature,
      .timesteps = layer.timesteps,
  };
  return layer;
}

static bool reads_input(const instance_layer *layer) {
  for (size_t i = 0; i < layer->input_count; i++) {
    if (layer->inputs[i] == INSTANCE_INPUT) {
      return true;
    }
  }
  return false;
}

/* Can a reader of the description infer the network's input from its only consumer? */
static bool input_is_implied(const instance_network *network) {
  for (size_t i = 1; i < network->layer_count; i++) {
    if (reads_input(&network->layers[i])) {
      return false;
    }
  }
  const instance_layer *const first = &network->layers[0];
  const instance_grid implied = {first->feature.rows * first->stride.rows,
                                 first->feature.columns * first->stride.columns};
  return first->input_count == 1 &&
         (first->kind != INSTANCE_CONV || (!first->input_pool.exists && !first->states_padding &&
                                           is_same(implied, network->input.grid)));
}

instance_network_settings instance_network_defaults(void) {
  return (instance_network_settings){
      .min_declared = 1,
      .max_declared = INSTANCE_MAX_DECLARED,
      .max_expanded = TWIN_MAX_LAYERS,
      .conv_percent = 45,
      .fc_percent = 20,
      .lstm_percent = 23,
      .positions_percent = 33,
      .one_timestep_percent = 50,
      .same_timesteps_percent = 85,
      .bidirectional_percent = 40,
      .several_inputs_percent = 40,
      .point_kernel_percent = 30,
      .max_grid = 16,
      .features = feature_counts,
      .feature_count = sizeof feature_counts / sizeof feature_counts[0],
      .timesteps = timestep_counts,
      .timestep_count = sizeof timestep_counts / sizeof timestep_counts[0],
  };
}

static instance_network make_network(instance_random *random,
                                     const instance_network_settings *settings) {
  /* A stream of its own, so that all other networks are what they would be without these. */
  instance_random own = {.state = random->state ^ UINT64_C(0x7472616e73666f72)};
  if (instance_random_chance(&own, settings->positions_percent)) {
    return instance_transformer_make(&own, settings);
  }
  instance_network network = {
      .input = {.features =
                    instance_random_pick(random, settings->features, settings->feature_count),
                .grid = instance_random_chance(random, 30)
                            ? one
                            : pick_grid(random, 1, settings->max_grid)},
  };
  const bool is_short = instance_random_chance(random, settings->one_timestep_percent);
  const size_t timesteps = is_short ? 1 : pick_timesteps(random, settings);
  const size_t declared_count =
      instance_random_between(random, settings->min_declared, settings->max_declared);
  size_t expanded_count = 0;
  while (network.layer_count < declared_count) {
    const size_t later_count = declared_count - network.layer_count - 1;
    const bool may_be_bidirectional = expanded_count + 2 + later_count <= settings->max_expanded;
    const instance_layer layer =
        make_layer(&network, random, settings, timesteps, may_be_bidirectional);
    expanded_count += layer.is_bidirectional ? 2 : 1;
    network.layers[network.layer_count++] = layer;
  }
  instance_layer *const last = &network.layers[network.layer_count - 1];
  last->has_loss = last->kind != INSTANCE_LSTM && instance_random_chance(random, 25);
  network.states_input = !input_is_implied(&network) || instance_random_chance(random, 40);
  return network;
}

instance_network instance_network_make(instance_random *random,
                                       const instance_network_settings *settings) {
  instance_random own = {.state = random->state ^ UINT64_C(0x6578706572747321)};
  instance_network network = make_network(random, settings);
  instance_tie(&network, &own);
  instance_add_experts(&network, &own);
  return network;
}

static bool continues_run(const instance_layer *before, const instance_layer *layer) {
  return layer->kind == INSTANCE_LSTM && !layer->is_bidirectional && before->kind == layer->kind &&
         !before->is_bidirectional && before->timesteps == layer->timesteps;
}

void instance_network_group(instance_network *network, instance_random *random) {
  size_t end = 0;
  for (size_t first = 0; first < network->layer_count; first = end) {
    for (end = first + 1; end < network->layer_count; end++) {
      if (!continues_run(&network->layers[end - 1], &network->layers[end])) {
        break;
      }
    }
    const size_t draw = instance_random_between(random, 0, 99);
    const size_t skipped = instance_random_between(random, 0, 1);
    if (end - first < 2 || draw < 55) {
      continue;
    }
    if (draw < 70) { /* one of them never */
      network->layers[instance_random_between(random, first, end - 1)].pipeline =
          INSTANCE_PIPELINE_NULL;
      continue;
    }
    const size_t start = end - first > 2 ? first + skipped : first;
    for (size_t i = start; i < end; i++) {
      network->layers[i].pipeline = INSTANCE_PIPELINE_NAMED;
      network->layers[i].pipeline_id = first;
    }
  }
}
