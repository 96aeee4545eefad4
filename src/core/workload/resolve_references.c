/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolve_references.c: what a layer names beside its inputs: operands, shared weights and norms,
 * shortcuts. */
#include "workload/resolver.h"

/* Finds the layer whose output a residual adds, and checks that it has the same shape. */
static bool resolve_shortcut(const dsm__resolver *r, const dsm__layer_entry *layer,
                             size_t aux_index, dsm_layer *out) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__json_node list = dsm__json_member(layer->node, "aux");
  const dsm__json_node aux = dsm__json_item(&list, aux_index);
  const dsm__json_node node = dsm__json_member(&aux, "from");
  const size_t from = dsm__find_earlier(r, layer, &node, spec->aux[aux_index].from);
  if (from == SIZE_MAX || r->deliveries[from].features == 0 ||
      dsm__is_wrong_layer(r, layer->index)) {
    return false;
  }
  const dsm__delivery one = r->deliveries[from];
  const uint64_t features = r->deliveries[layer->index].features;
  if (features == 0) {
    return false; /* its positions are those of a wrong layer */
  }
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
  size_t *const shortcuts = dsm__new_indices(r, 2);
  if (shortcuts == NULL) {
    return false;
  }
  out->shortcut_count = dsm__append_primaries(r, from, shortcuts);
  out->shortcuts = shortcuts;
  return true;
}

/* What a matmul does not say of its operand: it is all that the operand's layer delivers in a
 * timestep. */
static bool derive_operand_elements(const dsm__resolver *r, const dsm__layer_entry *layer,
                                    const dsm__delivery *from) {
  uint64_t *const elements = &r->builder->specs[layer->index].operand_elements;
  return *elements > 0 ||
         dsm__bounded_product(elements, from->features, from->size.rows, from->size.columns, 1);
}

static bool resolve_operand(const dsm__resolver *r, const dsm__layer_entry *layer, dsm_layer *out) {
  if (layer->spec->operand == NULL || r->workload->is_list) {
    return true;
  }
  const dsm__json_node node = dsm__json_member(layer->node, "operand");
  const size_t found = dsm__find_earlier(r, layer, &node, layer->spec->operand);
  if (found == SIZE_MAX || r->deliveries[found].features == 0) {
    return false;
  }
  size_t *const operands = dsm__new_indices(r, 2);
  if (operands == NULL) {
    return false;
  }
  out->operand_count = dsm__append_primaries(r, found, operands);
  out->operands = operands;
  return derive_operand_elements(r, layer, &r->deliveries[found]);
}

/* Of an embedding's table, or of the weights of an fc. */
static uint64_t weight_rows(const dsm_layer_spec *spec) {
  return spec->type == DSM_LAYER_EMBEDDING ? spec->vocabulary : spec->in;
}

/* The layer whose weights one shares has as many; they have their bytes. */
static bool resolve_tie(const dsm__resolver *r, const dsm__layer_entry *layer, dsm_layer *out) {
  const dsm_layer_spec *const spec = layer->spec;
  if (spec->tied_to == NULL) {
    return true;
  }
  const dsm__json_node node = dsm__json_member(layer->node, "tied_to");
  const size_t found = dsm__find_earlier(r, layer, &node, spec->tied_to);
  if (found == SIZE_MAX || dsm__is_wrong_layer(r, found) || dsm__is_wrong_layer(r, layer->index)) {
    return false;
  }
  const dsm_layer_spec *const to = &r->workload->specs[found];
  const uint64_t rows = weight_rows(spec);
  const uint64_t weights = rows * spec->out;
  const bool has_weights =
      to->type == DSM_LAYER_EMBEDDING || (to->type == DSM_LAYER_FC && to->experts == 0);
  if (has_weights && weight_rows(to) * to->out == weights) {
    const dsm_layer *const shared = &r->layers[r->first_primary[found]];
    out->bytes.weights = shared->bytes.weights;
    out->casts.are_weights_typed = shared->casts.are_weights_typed;
    return true;
  }
  dsm__json_error(&node, NULL,
                  "expected an embedding or fc with %llu weights (%llu x %llu), found %s \"%s\"",
                  (unsigned long long)weights, (unsigned long long)rows,
                  (unsigned long long)spec->out, dsm_layer_type_name(to->type), spec->tied_to);
  return false;
}

bool dsm__resolve_references(const dsm__resolver *r, const dsm__layer_entry *layer,
                             dsm_layer *out) {
  bool is_good = resolve_operand(r, layer, out);
  is_good = resolve_tie(r, layer, out) && is_good;
  for (size_t i = 0; i < layer->spec->aux_count; i++) {
    const dsm_aux *const aux = &layer->spec->aux[i];
    if (aux->from == NULL || r->workload->is_list) {
      continue;
    }
    if (dsm__is_shared_norm(aux)) {
      is_good = dsm__resolve_shared_norm(r, layer, i) && is_good;
    } else {
      is_good = resolve_shortcut(r, layer, i, out) && is_good;
    }
  }
  return is_good;
}
