/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instance_shared_weights.h"

static const size_t most_features = 300;
static const size_t most_rows = 30000; /* of a table */

static bool is_last(const instance_network *network, const instance_layer *layer) {
  return layer == &network->layers[network->layer_count - 1];
}

/* Nobody reads what the last layer delivers; but what it adds has as many features. */
static bool may_change_out(const instance_network *network, const instance_layer *layer) {
  return is_last(network, layer) && layer->residual == INSTANCE_NONE;
}

static bool is_tied_to(const instance_network *network, const int layer) {
  for (size_t i = 0; i < network->layer_count; i++) {
    if (network->layers[i].is_tied && network->layers[i].tied_to == layer) {
      return true;
    }
  }
  return false;
}

static size_t rows_of(const instance_layer *layer) {
  return layer->kind == INSTANCE_EMBEDDING ? layer->vocabulary : layer->in;
}

/* Rows of `weights` with so many columns; 0 where there are none. */
static size_t rows_with(const size_t weights, const size_t columns) {
  const size_t rows = weights / columns;
  return weights % columns == 0 && rows <= most_rows ? rows : 0;
}

/* The table has rows as the layer needs. */
static bool change_table(const instance_network *network, instance_random *random,
                         instance_layer *layer, instance_layer *table) {
  if (layer->kind == INSTANCE_FC && may_change_out(network, layer) &&
      instance_random_chance(random, 50)) {
    layer->out = table->out * instance_random_between(random, 1, 3);
  }
  const size_t rows = rows_with(rows_of(layer) * layer->out, table->out);
  table->vocabulary = rows > 0 ? rows : table->vocabulary;
  return rows > 0;
}

/* The layer, to which none is tied as yet, has rows or columns as the other needs. */
static bool change_layer(const instance_network *network, instance_layer *layer,
                         const instance_layer *to) {
  const size_t weights = rows_of(to) * to->out;
  if (layer->kind == INSTANCE_EMBEDDING) {
    const size_t rows = rows_with(weights, layer->out);
    layer->vocabulary = rows > 0 ? rows : layer->vocabulary;
  } else if (may_change_out(network, layer)) {
    const size_t columns = rows_with(weights, layer->in);
    layer->out = columns > 0 && columns <= most_features ? columns : layer->out;
  }
  return rows_of(layer) * layer->out == weights;
}

static bool has_weights(const instance_layer *layer) {
  return layer->kind == INSTANCE_FC || layer->kind == INSTANCE_EMBEDDING;
}

static bool may_tie(const instance_layer *layer) {
  return has_weights(layer) && !layer->has_learned_positions;
}

void instance_tie(instance_network *network, instance_random *random) {
  if (instance_random_chance(random, 25)) {
    return;
  }
  for (size_t i = 1; i < network->layer_count; i++) {
    instance_layer *const layer = &network->layers[i];
    const int to = (int)instance_random_between(random, 0, i - 1);
    instance_layer *const other = &network->layers[to];
    if (!may_tie(layer) || !has_weights(other)) {
      continue;
    }
    const bool is_free_table =
        other->kind == INSTANCE_EMBEDDING && !other->is_tied && !is_tied_to(network, to);
    layer->is_tied = is_free_table ? change_table(network, random, layer, other)
                                   : change_layer(network, layer, other);
    layer->tied_to = to;
    layer->output.features = layer->out;
  }
}

void instance_add_experts(instance_network *network, instance_random *random) {
  static const double factors[] = {1, 1, 1.1, 1.25, 1.5, 2, 3.7};
  if (instance_random_chance(random, 50)) {
    return;
  }
  for (size_t i = 0; i < network->layer_count; i++) {
    instance_layer *const layer = &network->layers[i];
    const bool is_alone = !layer->is_tied && !is_tied_to(network, (int)i);
    if (layer->kind == INSTANCE_FC && is_alone && instance_random_chance(random, 70)) {
      layer->experts = instance_random_between(random, 1, 9);
      layer->active_experts = instance_random_between(random, 1, layer->experts);
      layer->capacity_factor = INSTANCE_PICK_REAL(random, factors);
    }
  }
}
