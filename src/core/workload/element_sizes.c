/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * element_sizes.c: bytes of an element of the tensors of a layer (section 2).
 *
 * A layer says what its outputs and weights have; what it reads has the bytes of its producers.
 * What does not differ from the workload's is 0, so that layers are equal however that is written.
 * Sizes count in whole elements of the workload's size: their sums are exact, in whatever order
 * tensors come and go.
 */
#include <math.h>

#include "workload/resolver.h"

static bool is_equal(double a, double b) {
  return !(a < b) && !(a > b);
}

static double stated_or(double stated, double otherwise) {
  return stated > 0 ? stated : otherwise;
}

double dsm__usual_weight_bytes(const dsm_workload *workload) {
  return stated_or(workload->weight_bytes, workload->element_bytes);
}

/* The same of an element of a cache. */
static double usual_cache_bytes(const dsm_workload *workload) {
  return stated_or(workload->cache_bytes, workload->element_bytes);
}

/* 0 where it is what is usual. */
static double unless_usual(double bytes, double usual) {
  return is_equal(bytes, usual) ? 0 : bytes;
}

/* The type that products of a layer read. Weights are multiplied in the workload's; products of
 * activations in that of activations, unless the layer says otherwise. */
static dsm_element_type operands_of(const dsm_workload *workload, const dsm_layer_spec *spec,
                                    const dsm_layer *layer) {
  const dsm_element_type *const all = workload->types.of;
  const dsm_element_type own = spec->types.of[DSM_USE_OPERANDS];
  const dsm_element_type activations = spec->types.of[DSM_USE_ACTIVATIONS];
  if (layer->lookup_elements > 0 || own != DSM_ELEMENT_TYPE_ANY) {
    return own; /* rows of a table are not multiplied */
  }
  if (layer->is_product) {
    return activations != DSM_ELEMENT_TYPE_ANY ? activations : all[DSM_USE_ACTIVATIONS];
  }
  if (all[DSM_USE_OPERANDS] != DSM_ELEMENT_TYPE_ANY) {
    return all[DSM_USE_OPERANDS];
  }
  return dsm__is_narrow(workload->element_type, workload->element_bytes) ? workload->element_type
                                                                         : all[DSM_USE_ACTIVATIONS];
}

static void derive_types(const dsm_workload *workload, const dsm_layer_spec *spec,
                         dsm_layer *layer) {
  const dsm_element_type *const all = workload->types.of;
  layer->casts.operands = operands_of(workload, spec, layer);
  layer->casts.are_gradients_typed = all[DSM_USE_GRADIENTS] != DSM_ELEMENT_TYPE_ANY;
  if (all[DSM_USE_WEIGHTS] != DSM_ELEMENT_TYPE_ANY ||
      spec->types.of[DSM_USE_WEIGHTS] != DSM_ELEMENT_TYPE_ANY) {
    layer->casts.are_weights_typed = true;
  }
}

void dsm__layer_derive_own_bytes(const dsm_workload *workload, const dsm_layer_spec *spec,
                                 dsm_layer *layer) {
  const double element = workload->element_bytes;
  const double weights = dsm__usual_weight_bytes(workload);
  const double cache = usual_cache_bytes(workload);
  const double own = spec->element_bytes;
  layer->bytes.output = unless_usual(stated_or(own, element), element);
  if (!layer->is_tied && layer->weight_elements > 0) {
    layer->bytes.weights =
        unless_usual(stated_or(spec->weight_bytes, stated_or(own, weights)), weights);
  }
  if (layer->cache_elements > 0) {
    layer->bytes.cache = unless_usual(stated_or(spec->cache_bytes, stated_or(own, cache)), cache);
  }
  derive_types(workload, spec, layer);
}

/* Is what a layer reads made by norms? They write it in the type that its products read, too. */
static bool is_input_normed(const dsm_workload *workload, const dsm_layer *layers,
                            const dsm_layer *layer) {
  bool is_normed = layer->producer_count > 0;
  for (size_t i = 0; i < layer->producer_count && is_normed; i++) {
    const dsm_layer *const made =
        layer->producers[i] == DSM_NETWORK_INPUT ? NULL : &layers[layer->producers[i]];
    is_normed =
        made != NULL && (made->has_op[DSM_AUX_BATCH_NORM] || made->has_op[DSM_AUX_LAYER_NORM] ||
                         made->has_op[DSM_AUX_RMS_NORM]);
  }
  return is_normed || dsm__find_input_norm(&workload->specs[layer->spec_index]) != NULL;
}

/* A recurrent cell casts as it adds up its gates. */
static void derive_casts(const dsm_workload *workload, const dsm_layer *layers, dsm_layer *layer) {
  dsm_layer_casts *const casts = &layer->casts;
  const double weights = stated_or(layer->bytes.weights, dsm__usual_weight_bytes(workload));
  const double input = stated_or(layer->bytes.input, workload->element_bytes);
  const bool is_as_stored = casts->operands == DSM_ELEMENT_TYPE_ANY;
  const double operands = is_as_stored ? input : dsm_element_type_bytes(casts->operands);
  const bool has_weights = layer->weight_elements > 0 && layer->lookup_elements == 0;
  const bool casts_here = !is_as_stored && layer->gates == 0;
  casts->is_input_cast =
      casts_here && operands < input && !is_input_normed(workload, layers, layer);
  casts->is_error_cast =
      casts_here && operands < stated_or(layer->bytes.output, workload->element_bytes);
  casts->are_weights_cast = !is_as_stored && has_weights && operands < weights;
  casts->are_weights_widened = casts->are_weights_typed && has_weights && weights < operands;
}

static void add(dsm__made_tensors *sum, double elements, double bytes) {
  sum->are_equal = sum->elements > 0 ? sum->are_equal && is_equal(bytes, sum->first) : true;
  sum->first = sum->elements > 0 ? sum->first : bytes;
  sum->elements += elements;
  sum->bytes += elements * bytes;
}

double dsm__made_bytes(const dsm__made_tensors *sum, const dsm_workload *workload) {
  const double mean = sum->are_equal ? sum->first : sum->bytes / sum->elements;
  return sum->elements > 0 ? unless_usual(mean, workload->element_bytes) : 0;
}

void dsm__made_add(dsm__made_tensors *sum, const dsm_workload *workload, const dsm_layer *made) {
  add(sum, (double)made->stored_elements, stated_or(made->bytes.output, workload->element_bytes));
}

static void add_made(const dsm_workload *workload, const dsm_layer *layers, const size_t *indices,
                     size_t count, dsm__made_tensors *sum) {
  const double usual = workload->element_bytes;
  for (size_t i = 0; i < count; i++) {
    if (indices[i] == DSM_NETWORK_INPUT) {
      const double elements = (double)workload->input_features * (double)workload->input_size.rows *
                              (double)workload->input_size.columns;
      add(sum, elements, usual);
    } else {
      dsm__made_add(sum, workload, &layers[indices[i]]);
    }
  }
}

static double mean_made(const dsm_workload *workload, const dsm_layer *layers,
                        const size_t *indices, size_t count) {
  dsm__made_tensors sum = {.elements = 0};
  add_made(workload, layers, indices, count, &sum);
  return dsm__made_bytes(&sum, workload);
}

double dsm__produced_bytes(const dsm_workload *workload, const dsm_layer *layer) {
  return workload->is_list
             ? layer->bytes.output
             : mean_made(workload, workload->layers, layer->producers, layer->producer_count);
}

/* A recurrent cell reads its own hidden units too. */
static double read_bytes(const dsm_workload *workload, const dsm_layer *layer) {
  const double produced = dsm__produced_bytes(workload, layer);
  const double usual = workload->element_bytes;
  dsm__made_tensors sum = {.elements = 0};
  if (layer->gates == 0) {
    return produced;
  }
  const uint64_t hidden = layer->out / layer->gates;
  const double units = (double)hidden;
  add(&sum, (double)layer->in - units, stated_or(produced, usual));
  add(&sum, units, stated_or(layer->bytes.output, usual));
  return dsm__made_bytes(&sum, workload);
}

uint64_t dsm__sized_elements(const dsm_workload *workload, uint64_t elements, double bytes) {
  return bytes > 0 ? (uint64_t)ceil((double)elements * bytes / workload->element_bytes) : elements;
}

/* Of all that a layer stores, makes, and, in a list, reads, over all timesteps. */
static bool is_too_large(const dsm_workload *workload, const dsm_layer *layer) {
  const double most = fmax((double)layer->output_elements,
                           (double)layer->input_elements + (double)layer->live_elements);
  return layer->bytes.output > 0 && most * (double)layer->timesteps * layer->bytes.output >
                                        (double)DSM_PRODUCT_MAX * workload->element_bytes;
}

bool dsm__workload_derive_bytes(const dsm_workload *workload, dsm_layer *layers) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    dsm_layer *const layer = &layers[i];
    const bool is_list = workload->is_list;
    const double own = layer->bytes.output;
    layer->bytes.input = read_bytes(workload, layer);
    layer->bytes.operand =
        is_list ? own : mean_made(workload, layers, layer->operands, layer->operand_count);
    layer->bytes.shortcut =
        is_list ? own : mean_made(workload, layers, layer->shortcuts, layer->shortcut_count);
    derive_casts(workload, layers, layer);
    if (is_too_large(workload, layer)) {
      return false;
    }
    layer->stored_size = dsm__sized_elements(workload, layer->stored_elements, own);
    layer->live_elements = dsm__sized_elements(workload, layer->live_elements, own);
  }
  return true;
}

static double cache_bytes(const dsm_workload *workload, bool is_added) {
  const double usual = usual_cache_bytes(workload);
  double bytes = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    const uint64_t elements = is_added ? layer->cache_new_elements : layer->cache_elements;
    bytes += (double)elements * stated_or(layer->bytes.cache, usual);
  }
  return bytes;
}

double dsm__workload_cache_bytes(const dsm_workload *workload) {
  return cache_bytes(workload, false);
}

double dsm__workload_added_cache_bytes(const dsm_workload *workload) {
  return cache_bytes(workload, true);
}

double dsm__workload_weights_bytes(const dsm_workload *workload) {
  const double usual = dsm__usual_weight_bytes(workload);
  double bytes = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    const double elements = layer->is_tied ? 0 : (double)layer->weight_elements;
    bytes += elements * stated_or(layer->bytes.weights, usual);
  }
  return bytes;
}
