/* SPDX-License-Identifier: GPL-3.0-or-later */
/* views.c: what values are made of. */
#include <string.h>

#include "base/checked.h"
#include "import/onnx/lowering.h"

/* Most parts of all views together: those of lists that grow by one at each of thousands of nodes
 * would not fit. */
#define PARTS_MAX ((size_t)1 << 22)

static void out_of_memory(const dsm__onnx_lowering *of) {
  dsm__json_set_out_of_memory(of->graph->import->doc);
}

static dsm__onnx_part *new_parts(dsm__onnx_lowering *of, size_t count) {
  if (count > PARTS_MAX - of->part_count) {
    dsm__json_error(&of->graph->import->root, NULL,
                    "expected at most %zu parts of concatenated values, found more", PARTS_MAX);
    return NULL;
  }
  dsm__onnx_part *const parts = dsm__arena_array(of->graph->arena, count, sizeof *parts);
  of->part_count += count;
  if (parts == NULL) {
    out_of_memory(of);
  }
  return parts;
}

static dsm__onnx_view *new_view(dsm__onnx_lowering *of, const dsm__onnx_part *parts, size_t count) {
  dsm__onnx_view *const view =
      parts == NULL ? NULL : dsm__arena_alloc(of->graph->arena, sizeof *view);
  if (view == NULL) {
    if (parts != NULL) {
      out_of_memory(of);
    }
    return NULL;
  }
  view->parts = parts;
  view->count = count;
  view->is_sole = true;
  return view;
}

uint64_t dsm__onnx_product_before(const dsm__onnx_shape *shape, int axis) {
  uint64_t product = axis < 0 ? 0 : 1;
  for (int i = 0; i < axis; i++) {
    product = product > DSM_PRODUCT_MAX ? product : product * shape->dims[i];
  }
  return product;
}

int dsm__onnx_sample_axis(const dsm__onnx_lowering *of, const dsm__onnx_view *view,
                          const dsm__onnx_shape *shape) {
  for (unsigned i = 0; i < shape->rank; i++) {
    const uint64_t before = dsm__onnx_product_before(shape, (int)i);
    if (before == view->before && (of->samples == 0 || shape->dims[i] % of->samples == 0)) {
      return (int)i;
    }
  }
  return -1;
}

dsm__onnx_view *dsm__onnx_view_of_layer(dsm__onnx_lowering *of, uint32_t layer) {
  dsm__onnx_part *const part = new_parts(of, 1);
  if (part != NULL) {
    *part = (dsm__onnx_part){.layer = layer, .elements = of->layers.items[layer].elements};
  }
  return new_view(of, part, 1);
}

dsm__onnx_view *dsm__onnx_view_of_layers(dsm__onnx_lowering *of, const uint32_t *layers,
                                         size_t count) {
  dsm__onnx_part *const parts = new_parts(of, count);
  for (size_t i = 0; parts != NULL && i < count; i++) {
    parts[i] =
        (dsm__onnx_part){.layer = layers[i], .elements = of->layers.items[layers[i]].elements};
  }
  dsm__onnx_view *const view = new_view(of, parts, count);
  if (view != NULL) {
    view->before = 1; /* they are images */
  }
  return view;
}

static const dsm__onnx_view *view_of_input(dsm__onnx_lowering *of, const dsm__onnx_value *value) {
  dsm__onnx_part *const part = new_parts(of, 1);
  dsm__onnx_shape shape;
  if (part != NULL) {
    *part = (dsm__onnx_part){.layer = DSM__ONNX_NETWORK,
                             .input = (uint32_t)(value - of->graph->values.items)};
    if (dsm__onnx_shape_of(value, &shape)) {
      (void)dsm__onnx_elements(&shape, &part->elements);
    }
  }
  dsm__onnx_view *const view = new_view(of, part, 1);
  if (view != NULL) {
    const unsigned axis = of->graph->sample_axis < value->rank ? of->graph->sample_axis : 0;
    view->before =
        dsm__onnx_shape_of(value, &shape) ? dsm__onnx_product_before(&shape, (int)axis) : 0;
  }
  return view;
}

const dsm__onnx_view *dsm__onnx_view_of(dsm__onnx_lowering *of, dsm__onnx_value *value) {
  if (value == NULL || value->kind == DSM__ONNX_CONSTANT || value->kind == DSM__ONNX_UNKNOWN) {
    return NULL;
  }
  if (value->view == NULL && value->kind == DSM__ONNX_INPUT) {
    value->view = view_of_input(of, value);
  }
  return value->view;
}

dsm__onnx_view *dsm__onnx_view_through(dsm__onnx_lowering *of, const dsm__onnx_value *value) {
  dsm__onnx_view *const view = new_view(of, value->view->parts, value->view->count);
  if (view != NULL) {
    const bool is_sole = value->view->is_sole && value->uses == 1;
    *view = *value->view;
    view->is_sole = is_sole;
  }
  return view;
}

dsm__onnx_view *dsm__onnx_view_join(dsm__onnx_lowering *of, dsm__onnx_value *const *values,
                                    size_t count) {
  size_t total = 0;
  bool is_sole = true;
  for (size_t i = 0; i < count; i++) {
    total += values[i]->view->count;
    is_sole = is_sole && values[i]->view->is_sole && values[i]->uses == 1;
  }
  dsm__onnx_part *const parts = new_parts(of, total);
  size_t used = 0;
  for (size_t i = 0; parts != NULL && i < count; i++) {
    const dsm__onnx_view *const one = values[i]->view;
    memcpy(&parts[used], one->parts, one->count * sizeof *parts);
    used += one->count;
  }
  dsm__onnx_view *const view = new_view(of, parts, total);
  if (view != NULL) {
    view->is_sole = is_sole;
  }
  return view;
}

dsm__onnx_view *dsm__onnx_view_cut(dsm__onnx_lowering *of, const dsm__onnx_value *value,
                                   uint64_t elements) {
  dsm__onnx_view *const view = dsm__onnx_view_through(of, value);
  dsm__onnx_part *const parts = view == NULL ? NULL : new_parts(of, view->count);
  uint64_t whole = 0;
  if (parts == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < view->count; i++) {
    parts[i] = view->parts[i];
    whole += parts[i].elements;
  }
  /* Of several layers it is not known which of them are cut: their shares are. */
  for (size_t i = 0; i < view->count && whole > 0; i++) {
    parts[i].elements =
        (uint64_t)((long double)parts[i].elements * (long double)elements / (long double)whole);
  }
  view->parts = parts;
  return view;
}

/* Sums over the parts of each layer. */
static void take_parts(dsm__onnx_lowering *of, const dsm__onnx_view *view) {
  for (size_t i = 0; i < view->count; i++) {
    if (view->parts[i].layer != DSM__ONNX_NETWORK) {
      of->layers.items[view->parts[i].layer].taken += view->parts[i].elements;
    }
  }
}

static bool is_part_whole(const dsm__onnx_lowering *of, const dsm__onnx_part *part) {
  dsm__onnx_shape shape;
  uint64_t elements = 0;
  if (part->layer != DSM__ONNX_NETWORK) {
    return of->layers.items[part->layer].elements == part->elements;
  }
  return dsm__onnx_shape_of(&of->graph->values.items[part->input], &shape) &&
         dsm__onnx_elements(&shape, &elements) && elements == part->elements;
}

bool dsm__onnx_view_layers(dsm__onnx_lowering *of, const dsm__onnx_view *view,
                           const uint32_t **layers, size_t *count) {
  bool is_each_whole = true;
  bool is_whole = true;
  *count = 0;
  of->listed.count = 0;
  if (!DSM__LIST_RESERVE(&of->listed, view->count)) {
    out_of_memory(of);
    return false;
  }
  uint32_t *const list = of->listed.items;
  *layers = list;
  for (size_t i = 0; i < view->count; i++) {
    is_each_whole = is_each_whole && is_part_whole(of, &view->parts[i]);
  }
  take_parts(of, view);
  for (size_t i = 0; i < view->count; i++) {
    const uint32_t layer = view->parts[i].layer;
    dsm__onnx_layer *const one = layer == DSM__ONNX_NETWORK ? NULL : &of->layers.items[layer];
    if (is_each_whole || one == NULL) {
      is_whole = is_whole && is_part_whole(of, &view->parts[i]);
      list[(*count)++] = layer;
    } else if (one->taken != 0) { /* its first part: the others follow from it */
      is_whole = is_whole && one->taken == one->elements;
      one->taken = 0;
      list[(*count)++] = layer;
    }
  }
  for (size_t i = 0; i < view->count; i++) {
    if (view->parts[i].layer != DSM__ONNX_NETWORK) {
      of->layers.items[view->parts[i].layer].taken = 0;
    }
  }
  return is_whole;
}

dsm__onnx_layer *dsm__onnx_view_layer(const dsm__onnx_lowering *of, const dsm__onnx_view *view) {
  const bool is_one = view != NULL && view->count == 1 && view->waiting_count == 0 &&
                      view->scores == NULL && view->parts[0].layer != DSM__ONNX_NETWORK &&
                      is_part_whole(of, &view->parts[0]);
  return is_one ? &of->layers.items[view->parts[0].layer] : NULL;
}

void dsm__onnx_make(dsm__onnx_lowering *of, dsm__onnx_value *output, const dsm__onnx_shape *shape,
                    const dsm__onnx_view *view) {
  if (output == NULL || view == NULL) {
    return;
  }
  output->kind = DSM__ONNX_ACTIVATION;
  output->view = view;
  dsm__onnx_set_shape(of->graph, output, shape);
}

void dsm__onnx_pass(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                    const dsm__onnx_shape *shape) {
  dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  dsm__onnx_value *const output = dsm__onnx_output(of->graph, node, 0);
  if (output == NULL || input == NULL) {
    return;
  }
  if (input->kind == DSM__ONNX_CONSTANT) {
    output->kind = DSM__ONNX_CONSTANT;
    output->is_whole = input->is_whole;
    dsm__onnx_set_shape(of->graph, output, shape);
  } else if (dsm__onnx_view_of(of, input) != NULL) {
    output->is_whole = input->is_whole;
    dsm__onnx_make(of, output, shape, dsm__onnx_view_through(of, input));
  }
}
