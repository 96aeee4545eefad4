/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resolve.c: from declared layers to primary layers.
 *
 * Walks the declared layers in order. A layer may use only layers before it, so the order of the
 * description is an order of execution and the graph has no cycle. Each relation between a layer
 * and its producers is checked here, and each quantity of docs/model.md, section 1, derived.
 */
#include <string.h>

#include "base/checked.h"
#include "base/nearest.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

/* What a producer delivers. */
typedef struct delivery {
  uint64_t features;
  dsm_size2 size;
} delivery;

typedef struct resolver {
  dsm_workload *workload;
  dsm__json_doc *doc;
  dsm__name_index names; /* of declared layers */
  size_t *first_primary; /* of each declared layer: index of its (first) primary layer */
  dsm_layer *layers;     /* primary layers made so far */
  size_t layer_count;
  dsm_size2 *stored_size; /* of each declared layer: size of a stored output feature */
  size_t input_definer;   /* declared layer whose shape tells the network's input, or SIZE_MAX */
} resolver;

/* A declared layer being resolved, with its node for findings. */
typedef struct subject {
  const dsm_layer_spec *spec;
  const dsm__json_node *node;
  size_t index;
} subject;

static size_t primary_count_of(const dsm_layer_spec *spec) {
  return spec->is_bidirectional ? 2 : 1;
}

static const char *input_name(const subject *layer, const resolver *r, size_t position) {
  if (layer->spec->input_count > 0) {
    return layer->spec->inputs[position];
  }
  return layer->index == 0 ? DSM__INPUT_NAME : r->workload->specs[layer->index - 1].name;
}

static size_t input_count(const dsm_layer_spec *spec) {
  return spec->input_count > 0 ? spec->input_count : 1;
}

static bool is_fed_only_by_network(const dsm_layer_spec *spec, size_t index) {
  if (spec->input_count == 0) {
    return index == 0;
  }
  for (size_t i = 0; i < spec->input_count; i++) {
    if (strcmp(spec->inputs[i], DSM__INPUT_NAME) != 0) {
      return false;
    }
  }
  return true;
}

static const dsm_aux *find_pool(const dsm_layer_spec *spec, bool is_on_input) {
  for (size_t i = 0; i < spec->aux_count; i++) {
    const dsm_aux *const aux = &spec->aux[i];
    if ((aux->op == DSM_AUX_MAX_POOL || aux->op == DSM_AUX_AVG_POOL) &&
        aux->is_on_input == is_on_input) {
      return aux;
    }
  }
  return NULL;
}

/* The node of a member of the layer, or of the layer itself where the member is not written. */
static dsm__json_node node_of(const subject *layer, const char *key) {
  const dsm__json_node member = dsm__json_member(layer->node, key);
  return dsm__json_is_present(&member) ? member : *layer->node;
}

/* Finds an earlier declared layer by name; reports where that fails. */
static size_t find_earlier(const resolver *r, const subject *layer, const dsm__json_node *node,
                           const char *name) {
  const size_t found = dsm__name_index_find(&r->names, name);
  if (found != SIZE_MAX && found < layer->index) {
    return found;
  }
  if (found == layer->index) {
    dsm__json_error(node, NULL, "expected an earlier layer, found the layer itself, \"%s\"", name);
  } else if (found != SIZE_MAX) {
    dsm__json_error(node, "layers are listed in order of execution and form no cycle",
                    "expected an earlier layer, found \"%s\", which comes later", name);
  } else {
    const char *nearest = NULL;
    const size_t shown = layer->index < 1000 ? layer->index : 1000;
    for (size_t i = 0; i < shown && nearest == NULL; i++) {
      const char *const candidate = r->workload->specs[layer->index - 1 - i].name;
      nearest = dsm__nearest(name, &candidate, 1);
    }
    char hint[64 + DSM_NAME_BYTES_MAX] = "";
    if (nearest != NULL) {
      dsm__nearest_hint(name, &nearest, 1, hint, sizeof hint);
    }
    dsm__json_error(node, hint, "expected the name of an earlier layer, found \"%s\"", name);
  }
  return SIZE_MAX;
}

static delivery delivery_of(const resolver *r, size_t spec_index) {
  const dsm_layer_spec *const spec = &r->workload->specs[spec_index];
  return (delivery){spec->out * primary_count_of(spec), r->stored_size[spec_index]};
}

/* The network's input, where it is not stated, is what the first layer fed by nothing else needs.
 */
static void infer_input(resolver *r) {
  dsm_workload *const workload = r->workload;
  r->input_definer = SIZE_MAX;
  for (size_t i = 0; i < workload->spec_count && !workload->is_input_stated; i++) {
    const dsm_layer_spec *const spec = &workload->specs[i];
    const bool is_pooled = find_pool(spec, true) != NULL;
    if (is_fed_only_by_network(spec, i) && input_count(spec) == 1 && !is_pooled) {
      workload->input_features = spec->in;
      workload->input_size = (dsm_size2){spec->feature.rows * spec->stride.rows,
                                         spec->feature.columns * spec->stride.columns};
      r->input_definer = i;
      return;
    }
  }
}

/* Sums the features of all producers; false (reported) where they do not go together. */
static bool gather_inputs(resolver *r, const subject *layer, delivery *gathered) {
  const bool is_flattened = layer->spec->type != DSM_LAYER_CONV;
  const dsm__json_node inputs = node_of(layer, "inputs");
  const bool is_listed = layer->spec->input_count > 0;
  dsm__json_node item = dsm__json_item(&inputs, 0);
  *gathered = (delivery){0, {1, 1}};
  for (size_t i = 0; i < input_count(layer->spec); i++, item = dsm__json_next(&item)) {
    const dsm__json_node *const node = is_listed ? &item : layer->node;
    const char *const name = input_name(layer, r, i);
    delivery one = {r->workload->input_features, r->workload->input_size};
    if (strcmp(name, DSM__INPUT_NAME) != 0) {
      const size_t producer = find_earlier(r, layer, node, name);
      if (producer == SIZE_MAX) {
        return false;
      }
      one = delivery_of(r, producer);
    } else if (one.features == 0) {
      dsm__json_error(node, "such as \"input\": {\"features\": 3, \"feature\": [224, 224]}",
                      "expected the network's input to be stated, found a layer that does not "
                      "tell it");
      return false;
    }
    const uint64_t positions = one.size.rows * one.size.columns;
    uint64_t features = one.features;
    if ((is_flattened && dsm__ckd_mul_u64(&features, features, positions)) ||
        dsm__ckd_add_u64(&gathered->features, gathered->features, features)) {
      dsm__json_error(node, NULL, "expected at most 2^53 input features, found more");
      return false;
    }
    if (!is_flattened && i > 0 &&
        (one.size.rows != gathered->size.rows || one.size.columns != gathered->size.columns)) {
      dsm__json_error(node, NULL,
                      "expected features of the same size from all inputs, found %llu x %llu "
                      "beside %llu x %llu",
                      (unsigned long long)one.size.rows, (unsigned long long)one.size.columns,
                      (unsigned long long)gathered->size.rows,
                      (unsigned long long)gathered->size.columns);
      return false;
    }
    gathered->size = one.size;
  }
  return true;
}

/* Derives a pool's result; false (reported) where the window does not fit. */
static bool derive_pool(const subject *layer, const dsm_aux *pool, dsm_size2 from,
                        dsm_size2 *pooled) {
  const dsm__json_node list = dsm__json_member(layer->node, "aux");
  const dsm__json_node node = dsm__json_item(&list, (size_t)(pool - layer->spec->aux));
  const bool is_too_large = pool->window.rows > from.rows || pool->window.columns > from.columns;
  if (pool->has_feature) {
    *pooled = pool->feature;
    if (pooled->rows > from.rows + pool->window.rows ||
        pooled->columns > from.columns + pool->window.columns) {
      dsm__json_error(&node, NULL,
                      "expected a pooled feature of at most %llu x %llu (size and window), found "
                      "%llu x %llu",
                      (unsigned long long)(from.rows + pool->window.rows),
                      (unsigned long long)(from.columns + pool->window.columns),
                      (unsigned long long)pooled->rows, (unsigned long long)pooled->columns);
      return false;
    }
    return true;
  }
  if (is_too_large) {
    dsm__json_error(
        &node, NULL, "expected a window within the feature of %llu x %llu, found %llu x %llu",
        (unsigned long long)from.rows, (unsigned long long)from.columns,
        (unsigned long long)pool->window.rows, (unsigned long long)pool->window.columns);
    return false;
  }
  *pooled = (dsm_size2){dsm__pooled_size(from.rows, pool->window.rows, pool->stride.rows),
                        dsm__pooled_size(from.columns, pool->window.columns, pool->stride.columns)};
  return true;
}

/* The size of a convolution's output along an axis; 0 where the kernel does not fit. */
static uint64_t conv_output_size(uint64_t size, uint64_t kernel, uint64_t stride, uint64_t dilation,
                                 uint64_t padding) {
  const uint64_t padded = size + 2 * padding;
  const uint64_t reach = dilation * (kernel - 1) + 1;
  return padded < reach ? 0 : (padded - reach) / stride + 1;
}

static bool check_feature(const resolver *r, const subject *layer, dsm_size2 input) {
  const dsm_layer_spec *const spec = layer->spec;
  dsm_size2 expected = {dsm__ceil_div_u64(input.rows, spec->stride.rows),
                        dsm__ceil_div_u64(input.columns, spec->stride.columns)};
  if (spec->has_padding) {
    if (r->input_definer == layer->index) {
      return true; /* the input was inferred from this very feature */
    }
    expected.rows = conv_output_size(input.rows, spec->kernel.rows, spec->stride.rows,
                                     spec->dilation.rows, spec->padding.rows);
    expected.columns = conv_output_size(input.columns, spec->kernel.columns, spec->stride.columns,
                                        spec->dilation.columns, spec->padding.columns);
  }
  if (expected.rows == spec->feature.rows && expected.columns == spec->feature.columns) {
    return true;
  }
  const dsm__json_node node = node_of(layer, "feature");
  dsm__json_error(
      &node, spec->has_padding ? NULL : "state \"padding\" where it is not the implied one",
      "expected [%llu, %llu] from an input of %llu x %llu%s, found [%llu, %llu]",
      (unsigned long long)expected.rows, (unsigned long long)expected.columns,
      (unsigned long long)input.rows, (unsigned long long)input.columns,
      spec->has_padding ? " with the stated padding" : " over the stride",
      (unsigned long long)spec->feature.rows, (unsigned long long)spec->feature.columns);
  return false;
}

/* Multiplies up to four factors; 2^53 or less, or false. */
static bool product(uint64_t *result, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  return !dsm__ckd_mul_u64(result, a, b) && !dsm__ckd_mul_u64(result, *result, c) &&
         !dsm__ckd_mul_u64(result, *result, d) && *result <= DSM_PRODUCT_MAX;
}

/* Loop dimensions and element counts; false where one passes the limit. */
static bool derive_quantities(dsm_layer *out, const dsm_layer_spec *spec, dsm_size2 input,
                              dsm_size2 stored) {
  const bool is_lstm = spec->type == DSM_LAYER_LSTM;
  const uint64_t weight_dims = spec->type == DSM_LAYER_MATMUL ? 0 : 1;
  const uint64_t input_positions = spec->type == DSM_LAYER_CONV ? input.rows * input.columns : 1;
  out->in = is_lstm ? spec->in + spec->out : spec->in;
  out->out = is_lstm ? 4 * spec->out : spec->out;
  out->ij = spec->feature.rows * spec->feature.columns;
  out->kij = spec->kernel.rows * spec->kernel.columns;
  out->groups = spec->groups;
  out->timesteps = spec->timesteps;
  out->state_elements = is_lstm ? 5 * spec->out : 0;
  out->operand_elements = spec->operand_elements;
  const uint64_t stored_features = is_lstm ? spec->out : out->out;
  const uint64_t ways = out->in / out->groups;
  uint64_t steps = 0;
  return product(&out->input_elements, out->in, input_positions, 1, 1) &&
         product(&out->output_elements, out->out, out->ij, 1, 1) &&
         product(&out->stored_elements, stored_features, stored.rows, stored.columns, 1) &&
         product(&out->weight_elements, ways, out->out, out->kij, weight_dims) &&
         product(&out->macs, ways, out->out, out->kij, out->ij) &&
         product(&steps, out->macs, out->timesteps, 1, 1) &&
         product(&steps, out->input_elements, out->timesteps, 1, 1) &&
         product(&steps, out->output_elements, 2 * out->timesteps, 1, 1);
}

static uint64_t derive_parameters(const dsm_layer *layer) {
  const uint64_t norm_features = layer->type == DSM_LAYER_LSTM ? layer->out / 4 : layer->out;
  uint64_t parameters = layer->weight_elements;
  parameters += layer->has_op[DSM_AUX_BIAS] ? layer->out : 0;
  parameters += layer->has_op[DSM_AUX_BATCH_NORM] ? 2 * norm_features : 0;
  parameters += layer->has_op[DSM_AUX_LAYER_NORM] ? 2 * norm_features : 0;
  return parameters;
}

/* Appends the primary layers of a declared layer to a list; returns how many. */
static size_t append_primaries(const resolver *r, size_t spec_index, size_t *list) {
  const size_t count = primary_count_of(&r->workload->specs[spec_index]);
  for (size_t i = 0; i < count; i++) {
    list[i] = r->first_primary[spec_index] + i;
  }
  return count;
}

static bool resolve_producers(resolver *r, const subject *layer, dsm_layer *out) {
  const size_t count = input_count(layer->spec);
  size_t *const producers = dsm__arena_array(r->workload->arena, 2 * count, sizeof *producers);
  if (producers == NULL) {
    dsm__json_set_out_of_memory(r->doc);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const char *const name = input_name(layer, r, i);
    if (strcmp(name, DSM__INPUT_NAME) == 0) {
      producers[out->producer_count++] = DSM_NETWORK_INPUT;
    } else {
      const size_t spec_index = dsm__name_index_find(&r->names, name);
      out->producer_count += append_primaries(r, spec_index, &producers[out->producer_count]);
    }
  }
  out->producers = producers;
  return true;
}

static bool resolve_shortcut(resolver *r, const subject *layer, size_t aux_index, dsm_layer *out) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__json_node list = dsm__json_member(layer->node, "aux");
  const dsm__json_node aux = dsm__json_item(&list, aux_index);
  const dsm__json_node node = dsm__json_member(&aux, "from");
  const size_t from = find_earlier(r, layer, &node, spec->aux[aux_index].from);
  if (from == SIZE_MAX) {
    return false;
  }
  const delivery one = delivery_of(r, from);
  const uint64_t features = spec->out * primary_count_of(spec);
  if (one.features != features || one.size.rows != spec->feature.rows ||
      one.size.columns != spec->feature.columns) {
    dsm__json_error(&node, NULL,
                    "expected %llu features of %llu x %llu as the layer has before pooling, found "
                    "%llu of %llu x %llu from \"%s\"",
                    (unsigned long long)features, (unsigned long long)spec->feature.rows,
                    (unsigned long long)spec->feature.columns, (unsigned long long)one.features,
                    (unsigned long long)one.size.rows, (unsigned long long)one.size.columns,
                    spec->aux[aux_index].from);
    return false;
  }
  size_t *const shortcuts = dsm__arena_array(r->workload->arena, 2, sizeof *shortcuts);
  if (shortcuts == NULL) {
    dsm__json_set_out_of_memory(r->doc);
    return false;
  }
  out->shortcut_count = append_primaries(r, from, shortcuts);
  out->shortcuts = shortcuts;
  return true;
}

static bool resolve_operand(resolver *r, const subject *layer, dsm_layer *out) {
  const dsm__json_node node = dsm__json_member(layer->node, "operand");
  const size_t found = find_earlier(r, layer, &node, layer->spec->operand);
  if (found == SIZE_MAX) {
    return false;
  }
  size_t *const operands = dsm__arena_array(r->workload->arena, 2, sizeof *operands);
  if (operands == NULL) {
    dsm__json_set_out_of_memory(r->doc);
    return false;
  }
  out->operand_count = append_primaries(r, found, operands);
  out->operands = operands;
  return true;
}

static bool resolve_aux(resolver *r, const subject *layer, dsm_layer *out, dsm_size2 pooled_input) {
  for (size_t i = 0; i < layer->spec->aux_count; i++) {
    const dsm_aux *const aux = &layer->spec->aux[i];
    out->has_op[aux->op] = true;
    const uint64_t window = aux->window.rows * aux->window.columns;
    if (aux->op == DSM_AUX_RESIDUAL && !resolve_shortcut(r, layer, i, out)) {
      return false;
    }
    if (window > 0 && aux->is_on_input) {
      out->input_pool_window = window;
      if (!product(&out->input_pool_elements, layer->spec->in, 1, pooled_input.rows,
                   pooled_input.columns)) {
        return false;
      }
    } else if (window > 0) {
      out->pool_window = window;
    }
  }
  return true;
}

/* Makes the primary layers of a declared layer from the one that holds for both directions. */
static bool add_primaries(resolver *r, const subject *layer, const dsm_layer *made) {
  static const char *const directions[] = {"fwd", "bwd"};
  const size_t count = primary_count_of(layer->spec);
  r->first_primary[layer->index] = r->layer_count;
  for (size_t i = 0; i < count; i++) {
    dsm_layer *const out = &r->layers[r->layer_count];
    *out = *made;
    out->name = layer->spec->name;
    if (count == 2) {
      out->name = dsm__arena_printf(r->workload->arena, "%s.%s", layer->spec->name, directions[i]);
    }
    if (out->name == NULL) {
      dsm__json_set_out_of_memory(r->doc);
      return false;
    }
    r->layer_count++;
  }
  return true;
}

/* What a conv or fc with an input pool sees: the pool's own error was reported where it is false.
 */
static bool derive_pooled_input(const subject *layer, delivery *gathered, dsm_size2 *pooled) {
  const dsm_aux *const pool = find_pool(layer->spec, true);
  *pooled = gathered->size;
  if (pool == NULL) {
    return true;
  }
  return derive_pool(layer, pool, gathered->size, pooled);
}

static bool check_in(const subject *layer, uint64_t delivered) {
  if (delivered == layer->spec->in) {
    return true;
  }
  const dsm__json_node node = dsm__json_member(layer->node, "in");
  dsm__json_error(&node, NULL, "expected %llu, which the layer's inputs deliver, found %llu",
                  (unsigned long long)delivered, (unsigned long long)layer->spec->in);
  return false;
}

/* An fc that pools its input sees features times pooled size, of one feature size. */
static bool gather_pooled_fc(resolver *r, const subject *layer, delivery *gathered) {
  dsm_layer_spec as_conv = *layer->spec;
  as_conv.type = DSM_LAYER_CONV;
  const subject shown = {&as_conv, layer->node, layer->index};
  return gather_inputs(r, &shown, gathered);
}

/* Known before anything else can fail, so that the layers behind a wrong one are still checked. */
static bool derive_stored_size(resolver *r, const subject *layer) {
  const dsm_aux *const pool = find_pool(layer->spec, false);
  dsm_size2 *const stored = &r->stored_size[layer->index];
  *stored = layer->spec->feature;
  return pool == NULL || derive_pool(layer, pool, layer->spec->feature, stored);
}

static bool resolve_layer(resolver *r, const subject *layer) {
  const dsm_layer_spec *const spec = layer->spec;
  const bool is_pooled_fc = spec->type == DSM_LAYER_FC && find_pool(spec, true) != NULL;
  delivery gathered = {0, {1, 1}};
  dsm_size2 pooled_input = {1, 1};
  if (!derive_stored_size(r, layer)) {
    return false;
  }
  if (!(is_pooled_fc ? gather_pooled_fc(r, layer, &gathered)
                     : gather_inputs(r, layer, &gathered)) ||
      !derive_pooled_input(layer, &gathered, &pooled_input)) {
    return false;
  }
  uint64_t delivered = gathered.features;
  if (is_pooled_fc &&
      (!product(&delivered, gathered.features, pooled_input.rows, pooled_input.columns, 1))) {
    return false;
  }
  if (!check_in(layer, delivered) ||
      (spec->type == DSM_LAYER_CONV && !check_feature(r, layer, pooled_input))) {
    return false;
  }
  dsm_layer made = {.type = spec->type, .spec_index = layer->index};
  if (!resolve_aux(r, layer, &made, pooled_input) || !resolve_producers(r, layer, &made) ||
      (spec->operand != NULL && !resolve_operand(r, layer, &made))) {
    return false;
  }
  if (!derive_quantities(&made, spec, gathered.size, r->stored_size[layer->index])) {
    dsm__json_error(layer->node, NULL,
                    "expected at most 2^53 elements and MACs per sample, found more");
    return false;
  }
  const bool is_feed_forward = spec->type == DSM_LAYER_CONV || spec->type == DSM_LAYER_FC;
  made.has_backward = !(is_feed_forward && is_fed_only_by_network(spec, layer->index));
  made.has_update = spec->type != DSM_LAYER_MATMUL;
  made.parameters = derive_parameters(&made);
  return add_primaries(r, layer, &made);
}

static void check_duplicate_names(const resolver *r, const dsm__json_node *layers_node) {
  for (size_t i = 1; i < r->names.count; i++) {
    const dsm__name_entry *const entry = &r->names.entries[i];
    if (strcmp(entry->name, r->names.entries[i - 1].name) == 0) {
      const dsm__json_node layer = dsm__json_item(layers_node, entry->index);
      const dsm__json_node name = dsm__json_member(&layer, "name");
      dsm__json_error(&name, NULL, "expected a name that no other layer has, found a second \"%s\"",
                      entry->name);
    }
  }
}

static bool init_resolver(resolver *r, dsm_workload *workload) {
  const size_t count = workload->spec_count;
  dsm__arena *const arena = workload->arena;
  r->workload = workload;
  r->names.entries = dsm__arena_array(arena, count, sizeof r->names.entries[0]);
  r->names.count = count;
  r->first_primary = dsm__arena_array(arena, count, sizeof r->first_primary[0]);
  r->stored_size = dsm__arena_array(arena, count, sizeof r->stored_size[0]);
  r->layers = dsm__arena_array(arena, 2 * count, sizeof r->layers[0]);
  if (r->names.entries == NULL || r->first_primary == NULL || r->stored_size == NULL ||
      r->layers == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    r->names.entries[i] = (dsm__name_entry){workload->specs[i].name, i};
  }
  dsm__name_index_sort(&r->names);
  return true;
}

void dsm__workload_resolve(dsm_workload *workload, const dsm__json_node *root,
                           const dsm__json_node *layers_node) {
  resolver r = {.doc = root->doc};
  if (!init_resolver(&r, workload)) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  const size_t errors_before = dsm__json_doc_error_count(root->doc);
  check_duplicate_names(&r, layers_node);
  infer_input(&r);
  dsm__json_node item = dsm__json_item(layers_node, 0);
  for (size_t i = 0; i < workload->spec_count; i++, item = dsm__json_next(&item)) {
    const subject layer = {&workload->specs[i], &item, i};
    /* A layer that fails has been reported; the next ones are checked all the same. */
    if (!resolve_layer(&r, &layer) && dsm__json_doc_is_out_of_memory(root->doc)) {
      return;
    }
  }
  workload->layers = r.layers;
  workload->layer_count = r.layer_count;
  if (dsm__json_doc_error_count(root->doc) == errors_before) {
    dsm__workload_derive_lives(workload, r.layers, layers_node);
  }
}
