/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resolve.c: from declared layers to primary layers.
 *
 * Walks the declared layers in order. A layer may use only layers before it, so the order of the
 * description is an order of execution and the graph has no cycle. Each relation between a layer
 * and its producers is checked here, and each quantity of docs/model.md, section 1, derived.
 *
 * Layers that are wrong by themselves take part too, as far as they can: references to them and by
 * them are checked, what they deliver is not.
 */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/words.h"
#include "workload/name_index.h"
#include "workload/shape.h"
#include "workload/workload_internal.h"

/* What a producer delivers. */
typedef struct delivery {
  uint64_t features; /* 0: not known, because the producer is wrong */
  dsm_size2 size;
} delivery;

typedef struct resolver {
  dsm_workload *workload;
  dsm__json_doc *doc;
  const bool *is_wrong;  /* of each declared layer: it is wrong by itself */
  dsm__name_index names; /* of declared layers */
  size_t *first_primary; /* of each declared layer: index of its (first) primary layer */
  dsm_layer *layers;     /* primary layers made so far */
  size_t layer_count;
  delivery *deliveries; /* of each declared layer */
  size_t input_definer; /* declared layer whose shape tells the network's input, or SIZE_MAX */
  bool is_input_wrong;  /* what would tell the network's input is wrong, and was reported */
} resolver;

static size_t primary_count_of(const dsm_layer_spec *spec) {
  return spec->is_bidirectional ? 2 : 1;
}

static size_t input_count(const dsm_layer_spec *spec) {
  return spec->input_count > 0 ? spec->input_count : 1;
}

static bool is_network_input(const char *name) {
  return strcmp(name, DSM__INPUT_NAME) == 0;
}

static bool is_fed_only_by_network(const dsm_layer_spec *spec, size_t index) {
  for (size_t i = 0; i < spec->input_count; i++) {
    if (spec->inputs[i] == NULL || !is_network_input(spec->inputs[i])) {
      return false;
    }
  }
  return spec->input_count > 0 || index == 0;
}

/* Finds an earlier declared layer by name; reports where that fails. */
static size_t find_earlier(const resolver *r, const dsm__layer_entry *layer,
                           const dsm__json_node *node, const char *name) {
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
    enum { LOOKED_AT = 1000 };
    char hint[64 + DSM_NAME_BYTES_MAX] = "";
    if (dsm__json_doc_keeps_findings(r->doc)) {
      const char *nearby[LOOKED_AT];
      size_t count = 0;
      for (size_t i = layer->index; i-- > 0 && count < LOOKED_AT;) {
        nearby[count++] = r->workload->specs[i].name;
      }
      dsm__nearest_hint(name, nearby, count, hint, sizeof hint);
    }
    dsm__json_error(node, hint, "expected the name of an earlier layer, found \"%s\"", name);
  }
  return SIZE_MAX;
}

/* The network's input, where it is not stated, is what the first layer fed by it alone needs. */
static void infer_input(resolver *r) {
  dsm_workload *const workload = r->workload;
  r->input_definer = SIZE_MAX;
  r->is_input_wrong = workload->is_input_stated &&
                      (workload->input_features == 0 || workload->input_size.rows == 0 ||
                       workload->input_size.columns == 0);
  for (size_t i = 0; i < workload->spec_count && !workload->is_input_stated; i++) {
    const dsm_layer_spec *const spec = &workload->specs[i];
    const bool is_pooled = dsm__find_pool(spec, true) != NULL;
    if (!is_fed_only_by_network(spec, i) || input_count(spec) != 1 || is_pooled) {
      continue;
    }
    r->is_input_wrong = r->is_wrong[i];
    if (!r->is_wrong[i]) {
      workload->input_features = spec->in;
      workload->input_size = (dsm_size2){spec->feature.rows * spec->stride.rows,
                                         spec->feature.columns * spec->stride.columns};
      r->input_definer = i;
      return;
    }
  }
}

/* A side may be as long as feature times stride, so that the product must be checked first of all.
 */
static void check_input(resolver *r, const dsm__json_node *root,
                        const dsm__json_node *layers_node) {
  dsm_workload *const workload = r->workload;
  const dsm_size2 size = workload->input_size;
  uint64_t elements = 0;
  if (!dsm__bounded_product(&elements, workload->input_features, size.rows, size.columns, 1)) {
    const dsm__json_node stated = dsm__json_member(root, "input");
    const dsm__json_node definer = dsm__json_item(layers_node, r->input_definer);
    dsm__json_error(workload->is_input_stated ? &stated : &definer, NULL,
                    "expected a network's input of at most 2^53 elements, found %llu x %llu x %llu "
                    "(features, rows, columns)",
                    (unsigned long long)workload->input_features, (unsigned long long)size.rows,
                    (unsigned long long)size.columns);
    r->is_input_wrong = true;
  }
  if (r->is_input_wrong) {
    workload->input_features = 0; /* not known, like what a wrong producer delivers */
  }
}

/* The declared layer behind one input, or DSM_NETWORK_INPUT; false (reported) if there is none. */
static bool find_input(const resolver *r, const dsm__layer_entry *layer, const dsm__json_node *node,
                       size_t position, size_t *producer) {
  if (layer->spec->input_count == 0) {
    *producer = layer->index == 0 ? DSM_NETWORK_INPUT : layer->index - 1;
    return true;
  }
  const char *const name = layer->spec->inputs[position];
  if (name == NULL) {
    return false; /* no string: reported when it was read */
  }
  *producer = is_network_input(name) ? DSM_NETWORK_INPUT : find_earlier(r, layer, node, name);
  return *producer != SIZE_MAX || is_network_input(name);
}

/* Adds what one input delivers; `is_flattened`: as features times size. */
static bool add_delivery(const dsm__json_node *node, bool is_flattened, delivery one,
                         delivery *sum) {
  const uint64_t positions = is_flattened ? one.size.rows * one.size.columns : 1;
  uint64_t features = 0;
  if (!dsm__bounded_product(&features, one.features, positions, 1, 1) ||
      !dsm__bounded_product(&sum->features, sum->features + features, 1, 1, 1)) {
    dsm__json_error(node, NULL, "expected at most 2^53 input features, found more");
    return false;
  }
  const bool is_first = sum->size.rows == 0;
  if (!is_flattened && !is_first &&
      (one.size.rows != sum->size.rows || one.size.columns != sum->size.columns)) {
    dsm__json_error(node, NULL,
                    "expected features of the same size from all inputs, found %llu x %llu "
                    "beside %llu x %llu",
                    (unsigned long long)one.size.rows, (unsigned long long)one.size.columns,
                    (unsigned long long)sum->size.rows, (unsigned long long)sum->size.columns);
    return false;
  }
  sum->size = one.size;
  return true;
}

/* Finds all producers of a layer's input and sums what they deliver; false (reported here or where
 * a producer is wrong) if that is not known. */
static bool gather_inputs(const resolver *r, const dsm__layer_entry *layer, bool is_flattened,
                          size_t *producers, delivery *gathered) {
  const dsm__json_node inputs = dsm__layer_entry_member(layer, "inputs");
  const bool is_listed = layer->spec->input_count > 0;
  const size_t count = input_count(layer->spec);
  dsm__json_node item = dsm__json_item(&inputs, 0);
  bool is_known = true;
  *gathered = (delivery){0, {0, 0}};
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    const dsm__json_node *const node = is_listed ? &item : layer->node;
    if (!find_input(r, layer, node, i, &producers[i])) {
      is_known = false;
      continue;
    }
    const bool is_network = producers[i] == DSM_NETWORK_INPUT;
    const delivery network = {r->workload->input_features, r->workload->input_size};
    const delivery one = is_network ? network : r->deliveries[producers[i]];
    if (is_network && one.features == 0 && !r->is_input_wrong && !r->is_wrong[layer->index]) {
      dsm__json_error(node, "such as \"input\": {\"features\": 3, \"feature\": [224, 224]}",
                      "expected the network's input to be stated beside \"layers\", as no layer "
                      "tells its size, found no \"input\"");
    }
    is_known = is_known && one.features > 0 && add_delivery(node, is_flattened, one, gathered);
  }
  return is_known;
}

/* Appends the primary layers of a declared layer to a list; returns how many. */
static size_t append_primaries(const resolver *r, size_t spec_index, size_t *list) {
  const size_t count = primary_count_of(&r->workload->specs[spec_index]);
  for (size_t i = 0; i < count; i++) {
    list[i] = r->first_primary[spec_index] + i;
  }
  return count;
}

static size_t *new_indices(const resolver *r, size_t count) {
  size_t *const indices = dsm__arena_array(r->workload->arena, count, sizeof *indices);
  if (indices == NULL) {
    dsm__json_set_out_of_memory(r->doc);
  }
  return indices;
}

static bool set_producers(const resolver *r, const size_t *spec_indices, size_t count,
                          dsm_layer *out) {
  size_t *const producers = new_indices(r, 2 * count);
  if (producers == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (spec_indices[i] == DSM_NETWORK_INPUT) {
      producers[out->producer_count++] = DSM_NETWORK_INPUT;
    } else {
      out->producer_count += append_primaries(r, spec_indices[i], &producers[out->producer_count]);
    }
  }
  out->producers = producers;
  return true;
}

/* Finds the layer whose output a residual adds, and checks that it has the same shape. */
static bool resolve_shortcut(const resolver *r, const dsm__layer_entry *layer, size_t aux_index,
                             dsm_layer *out) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__json_node list = dsm__json_member(layer->node, "aux");
  const dsm__json_node aux = dsm__json_item(&list, aux_index);
  const dsm__json_node node = dsm__json_member(&aux, "from");
  const size_t from = find_earlier(r, layer, &node, spec->aux[aux_index].from);
  if (from == SIZE_MAX || r->deliveries[from].features == 0 || r->is_wrong[layer->index]) {
    return false;
  }
  const delivery one = r->deliveries[from];
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
  size_t *const shortcuts = new_indices(r, 2);
  if (shortcuts == NULL) {
    return false;
  }
  out->shortcut_count = append_primaries(r, from, shortcuts);
  out->shortcuts = shortcuts;
  return true;
}

static bool resolve_operand(const resolver *r, const dsm__layer_entry *layer, dsm_layer *out) {
  if (layer->spec->operand == NULL) {
    return true;
  }
  const dsm__json_node node = dsm__json_member(layer->node, "operand");
  const size_t found = find_earlier(r, layer, &node, layer->spec->operand);
  if (found == SIZE_MAX || r->deliveries[found].features == 0) {
    return false;
  }
  size_t *const operands = new_indices(r, 2);
  if (operands == NULL) {
    return false;
  }
  out->operand_count = append_primaries(r, found, operands);
  out->operands = operands;
  return true;
}

/* References of a layer other than its inputs. */
static bool resolve_references(const resolver *r, const dsm__layer_entry *layer, dsm_layer *out) {
  bool is_good = resolve_operand(r, layer, out);
  for (size_t i = 0; i < layer->spec->aux_count; i++) {
    const dsm_aux *const aux = &layer->spec->aux[i];
    if (aux->op == DSM_AUX_RESIDUAL && aux->from != NULL) {
      is_good = resolve_shortcut(r, layer, i, out) && is_good;
    }
  }
  return is_good;
}

static bool derive_aux(const dsm_layer_spec *spec, dsm_size2 pooled_input, dsm_layer *out) {
  for (size_t i = 0; i < spec->aux_count; i++) {
    out->has_op[spec->aux[i].op] = true;
  }
  const dsm_aux *const output_pool = dsm__find_pool(spec, false);
  const dsm_aux *const input_pool = dsm__find_pool(spec, true);
  if (output_pool != NULL) {
    out->pool_window = output_pool->window.rows * output_pool->window.columns;
  }
  if (input_pool != NULL) {
    out->input_pool_window = input_pool->window.rows * input_pool->window.columns;
    const uint64_t features = spec->type == DSM_LAYER_CONV
                                  ? spec->in
                                  : spec->in / (pooled_input.rows * pooled_input.columns);
    return dsm__bounded_product(&out->input_pool_elements, features, pooled_input.rows,
                                pooled_input.columns, 1);
  }
  return true;
}

/* Makes the primary layers of a declared layer from the one that holds for both directions. */
static bool add_primaries(resolver *r, const dsm__layer_entry *layer, const dsm_layer *made) {
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
    if (count == 2 && dsm__name_index_find(&r->names, out->name) != SIZE_MAX) {
      const dsm__json_node name = dsm__json_member(layer->node, "name");
      dsm__json_error(&name, NULL,
                      "expected no other layer with the name of this one's direction, found \"%s\"",
                      out->name);
    }
    r->layer_count++;
  }
  return true;
}

static bool check_in(const dsm__layer_entry *layer, uint64_t delivered) {
  if (delivered == layer->spec->in) {
    return true;
  }
  const dsm__json_node node = dsm__json_member(layer->node, "in");
  dsm__json_error(&node, NULL, "expected %llu, which the layer's inputs deliver, found %llu",
                  (unsigned long long)delivered, (unsigned long long)layer->spec->in);
  return false;
}

/*
 * A dense product multiplies each element of its matrix equally often: once for every head and
 * position that shares it. So the elements divide the MACs, `in` times `out`. And they come from
 * the producer, which delivers features * stored size * timesteps for each sample; where positions
 * are samples, those of one sample's operand are from many. Nothing else is known of which of them
 * a product takes: heads, windows of timesteps and parts of a producer are all fine.
 */
static bool check_operand_elements(const resolver *r, const dsm__layer_entry *layer) {
  const dsm_layer_spec *const spec = layer->spec;
  const uint64_t samples = r->workload->minibatch;
  if (spec->operand == NULL || samples == 0) {
    return true; /* a minibatch of 0 was wrong, and reported */
  }
  const size_t from = dsm__name_index_find(&r->names, spec->operand);
  const delivery *const one = &r->deliveries[from];
  const uint64_t macs = spec->in * spec->out; /* is a layer's quantity by now: at most 2^53 */
  uint64_t delivered = 0;
  if (!dsm__bounded_product(&delivered, one->features, one->size.rows, one->size.columns,
                            r->workload->specs[from].timesteps)) {
    return true; /* the producer is wrong, and was reported */
  }
  const dsm__json_node node = dsm__json_member(layer->node, "operand_elements");
  const unsigned long long elements = spec->operand_elements;
  if (macs % elements != 0) {
    char hint[64 + DSM_NAME_BYTES_MAX];
    (void)snprintf(hint, sizeof hint, "\"%s\" delivers %llu elements a sample", spec->operand,
                   (unsigned long long)delivered);
    dsm__json_error(&node, hint, "expected a divisor of %llu, which is in times out, found %llu",
                    (unsigned long long)macs, elements);
    return false;
  }
  if ((elements - 1) / delivered >= samples) {
    dsm__json_error(
        &node, NULL,
        "expected at most the elements that \"%s\" delivers in a step, %llu for each of "
        "%llu sample%s, found %llu",
        spec->operand, (unsigned long long)delivered, (unsigned long long)samples,
        samples == 1 ? "" : "s", elements);
    return false;
  }
  return true;
}

/* Checks `in`, pools and sizes against what the producers deliver; fills the layer's quantities. */
static bool derive_layer(const resolver *r, const dsm__layer_entry *layer, delivery gathered,
                         dsm_layer *made) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm_aux *const input_pool = dsm__find_pool(spec, true);
  const bool is_flattened_after_pool = spec->type == DSM_LAYER_FC && input_pool != NULL;
  dsm_size2 pooled_input = gathered.size;
  if (input_pool != NULL &&
      !dsm__pool_derive_size(layer, input_pool, gathered.size, &pooled_input)) {
    return false;
  }
  const uint64_t positions = is_flattened_after_pool ? pooled_input.rows * pooled_input.columns : 1;
  uint64_t delivered = 0;
  const char *too_many = NULL;
  if (!dsm__bounded_product(&delivered, gathered.features, positions, 1, 1)) {
    too_many = "input features";
  }
  const bool is_checked =
      spec->type == DSM_LAYER_CONV && !(spec->has_padding && r->input_definer == layer->index);
  if (too_many == NULL) {
    const bool is_in_good = check_in(layer, delivered);
    const bool is_inferred =
        r->input_definer != SIZE_MAX && is_fed_only_by_network(spec, layer->index);
    const bool is_kernel_good =
        spec->type != DSM_LAYER_CONV || dsm__conv_check_kernel(layer, pooled_input, is_inferred);
    const bool is_feature_good =
        !is_kernel_good || !is_checked || dsm__conv_check_feature(layer, pooled_input);
    if (!is_in_good || !is_kernel_good || !is_feature_good) {
      return false;
    }
    too_many = derive_aux(spec, pooled_input, made)
                   ? dsm__layer_derive_quantities(made, spec, gathered.size,
                                                  r->deliveries[layer->index].size)
                   : "results of the pool on the input";
  }
  if (too_many != NULL) {
    dsm__json_error(layer->node, NULL, "expected at most 2^53 %s per sample, found more", too_many);
  }
  return too_many == NULL;
}

/* What a layer delivers: known before anything else of it is checked, so that the layers behind a
 * wrong one are still checked against what it declares. */
static void derive_delivery(resolver *r, const dsm__layer_entry *layer) {
  const dsm_aux *const pool = dsm__find_pool(layer->spec, false);
  delivery *const own = &r->deliveries[layer->index];
  if (r->is_wrong[layer->index]) {
    return;
  }
  own->size = layer->spec->feature;
  if (pool == NULL || dsm__pool_derive_size(layer, pool, layer->spec->feature, &own->size)) {
    own->features = layer->spec->out * primary_count_of(layer->spec);
  }
}

static void resolve_layer(resolver *r, const dsm__layer_entry *layer) {
  const dsm_layer_spec *const spec = layer->spec;
  const size_t count = input_count(spec);
  const bool is_pooled = dsm__find_pool(spec, true) != NULL;
  /* Nothing is said of how the inputs of a wrong layer go together: its type may be what is wrong.
   */
  const bool is_flattened =
      r->is_wrong[layer->index] || (spec->type != DSM_LAYER_CONV && !is_pooled);
  dsm_layer made = {.type = spec->type, .spec_index = layer->index};
  delivery gathered = {0, {0, 0}};
  derive_delivery(r, layer);
  size_t *const producers = new_indices(r, count);
  if (producers == NULL) {
    return;
  }
  const bool is_gathered = gather_inputs(r, layer, is_flattened, producers, &gathered);
  const bool is_referenced = resolve_references(r, layer, &made);
  const bool is_derived = is_gathered && r->deliveries[layer->index].features > 0 &&
                          derive_layer(r, layer, gathered, &made);
  if (!is_derived || !is_referenced || !check_operand_elements(r, layer) ||
      !set_producers(r, producers, count, &made)) {
    return;
  }
  const bool is_feed_forward = spec->type == DSM_LAYER_CONV || spec->type == DSM_LAYER_FC;
  made.has_backward = !(is_feed_forward && is_fed_only_by_network(spec, layer->index));
  made.has_update = spec->type != DSM_LAYER_MATMUL;
  made.parameters = dsm__layer_derive_parameters(&made);
  add_primaries(r, layer, &made);
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

static bool init_resolver(resolver *r) {
  const dsm_workload *const workload = r->workload;
  const size_t count = workload->spec_count;
  dsm__arena *const arena = workload->arena;
  r->names.entries = dsm__arena_array(arena, count, sizeof r->names.entries[0]);
  r->first_primary = dsm__arena_array(arena, count, sizeof r->first_primary[0]);
  r->deliveries = dsm__arena_array(arena, count, sizeof r->deliveries[0]);
  r->layers = dsm__arena_array(arena, 2 * count, sizeof r->layers[0]);
  if (r->names.entries == NULL || r->first_primary == NULL || r->deliveries == NULL ||
      r->layers == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (workload->specs[i].name != NULL) {
      r->names.entries[r->names.count++] = (dsm__name_entry){workload->specs[i].name, i};
    }
  }
  dsm__name_index_sort(&r->names);
  return true;
}

/* The name of a layer that reads one; NULL if none does. */
static const char *reader_of(const resolver *r, size_t spec_index) {
  for (size_t i = 0; i < r->layer_count; i++) {
    const dsm_layer *const layer = &r->layers[i];
    const size_t last =
        layer->last_use != DSM_NEVER_USED ? layer->last_use : layer->last_operand_use;
    if (layer->spec_index == spec_index && last != DSM_NEVER_USED) {
      return r->workload->specs[r->layers[last].spec_index].name;
    }
  }
  return NULL;
}

/* A loss is the end of what leads to it. */
static void check_losses(const resolver *r, const dsm__json_node *layers_node) {
  dsm__json_node item = dsm__json_item(layers_node, 0);
  for (size_t i = 0; i < r->workload->spec_count; i++, item = dsm__json_next(&item)) {
    const dsm_layer_spec *const spec = &r->workload->specs[i];
    const dsm__json_node list = dsm__json_member(&item, "aux");
    for (size_t a = 0; a < spec->aux_count; a++) {
      const char *const reader = spec->aux[a].op == DSM_AUX_CROSS_ENTROPY ? reader_of(r, i) : NULL;
      if (reader != NULL) {
        const dsm__json_node aux = dsm__json_item(&list, a);
        const dsm__json_node op = dsm__json_member(&aux, "op");
        dsm__json_error(&op, NULL,
                        "expected \"cross_entropy\" in a layer that no other reads, found it in "
                        "\"%s\", which \"%s\" reads",
                        spec->name, reader);
      }
    }
  }
}

void dsm__workload_resolve(dsm_workload *workload, const dsm__json_node *root,
                           const dsm__json_node *layers_node, const bool *is_wrong) {
  resolver r = {.workload = workload, .doc = root->doc, .is_wrong = is_wrong};
  if (!init_resolver(&r)) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  check_duplicate_names(&r, layers_node);
  dsm__pipeline_groups_check(workload, layers_node, is_wrong);
  infer_input(&r);
  check_input(&r, root, layers_node);
  dsm__json_node item = dsm__json_item(layers_node, 0);
  for (size_t i = 0; i < workload->spec_count; i++, item = dsm__json_next(&item)) {
    const dsm__layer_entry layer = {&workload->specs[i], &item, i};
    resolve_layer(&r, &layer);
    if (dsm__json_doc_is_out_of_memory(root->doc)) {
      return;
    }
  }
  workload->layers = r.layers;
  workload->layer_count = r.layer_count;
  if (dsm__json_doc_error_count(root->doc) == 0) {
    dsm__workload_derive_lives(workload, r.layers, layers_node);
    check_losses(&r, layers_node);
    if (!dsm__workload_derive_hoisted(workload, r.layers)) {
      dsm__json_set_out_of_memory(root->doc);
    }
  }
}
