/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/onnx/windows.h"

/* Numbers of an attribute with as many as there are sides, all from `least` on; without it they are
 * the fallback. */
static bool read_numbers(dsm__onnx_lowering *of, const dsm__onnx_node *node, const char *name,
                         int64_t least, size_t count, uint64_t *numbers) {
  dsm__onnx_numbers read;
  if (!dsm__onnx_attribute_numbers(node, name, &read) || read.count == 0) {
    return true;
  }
  bool is_good = read.count == count;
  for (size_t i = 0; is_good && i < count; i++) {
    is_good = read.items[i] >= least && read.items[i] <= DSM_SIDE_MAX;
    numbers[i] = is_good ? (uint64_t)read.items[i] : 1;
  }
  if (!is_good) {
    dsm__onnx_error(of->graph, node, "expected %zu numbers from %lld to %d in %s, found others",
                    count, (long long)least, DSM_SIDE_MAX, name);
  }
  return is_good;
}

/* Padding that makes the output as long as the input over the stride. */
static void pad_same(dsm__onnx_slide *side, bool is_lower) {
  const uint64_t reach = side->dilation * (side->window - 1) + 1;
  const uint64_t outputs = (side->input + side->stride - 1) / side->stride;
  const uint64_t needed = (outputs - 1) * side->stride + reach;
  const uint64_t padding = needed > side->input ? needed - side->input : 0;
  side->before = is_lower ? padding - padding / 2 : padding / 2;
  side->after = padding - side->before;
}

static bool read_padding(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                         dsm__onnx_slides *slides) {
  uint64_t pads[2 * DSM__ONNX_SIDES] = {0};
  const dsm__span how = dsm__onnx_attribute_text(node, "auto_pad");
  if (dsm__span_is(how, "SAME_UPPER") || dsm__span_is(how, "SAME_LOWER")) {
    for (unsigned i = 0; i < slides->count; i++) {
      pad_same(&slides->sides[i], dsm__span_is(how, "SAME_LOWER"));
    }
    return true;
  }
  const bool is_explicit = how.length == 0 || dsm__span_is(how, "NOTSET");
  if (is_explicit && !read_numbers(of, node, "pads", 0, 2 * (size_t)slides->count, pads)) {
    return false;
  }
  for (unsigned i = 0; i < slides->count; i++) {
    slides->sides[i].before = pads[i];
    slides->sides[i].after = pads[slides->count + i];
  }
  return true;
}

/* What a Pad before it added is padding of its own. */
static void take_padded(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                        dsm__onnx_slides *slides) {
  const dsm__onnx_view *const view = dsm__onnx_view_of(of, dsm__onnx_input(of->graph, node, 0));
  if (view != NULL) {
    slides->sides[0].input -= view->padded.rows;
    slides->sides[0].before += view->padded.rows;
    slides->sides[1].input -= view->padded.columns;
    slides->sides[1].before += view->padded.columns;
  }
}

bool dsm__onnx_read_slides(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           const dsm__onnx_shape *input, const uint64_t *window,
                           dsm__onnx_slides *slides) {
  enum { IMAGE_FROM = 2 };
  if (input->rank < IMAGE_FROM + 1 || input->rank > IMAGE_FROM + DSM__ONNX_SIDES) {
    dsm__onnx_error(of->graph, node, "expected an input of 3 or 4 dimensions, found %u",
                    input->rank);
    return false;
  }
  const dsm__onnx_slide none = {1, 1, 1, 1, 1, 0, 0};
  uint64_t windows[DSM__ONNX_SIDES] = {0};
  uint64_t strides[DSM__ONNX_SIDES] = {1, 1};
  uint64_t dilations[DSM__ONNX_SIDES] = {1, 1};
  *slides = (dsm__onnx_slides){.count = input->rank - IMAGE_FROM, .sides = {none, none}};
  if (!read_numbers(of, node, "kernel_shape", 1, slides->count, windows) ||
      !read_numbers(of, node, "strides", 1, slides->count, strides) ||
      !read_numbers(of, node, "dilations", 1, slides->count, dilations)) {
    return false;
  }
  for (unsigned i = 0; i < slides->count; i++) {
    dsm__onnx_slide *const side = &slides->sides[i];
    *side = (dsm__onnx_slide){.input = input->dims[IMAGE_FROM + i],
                              .window = window == NULL ? windows[i] : window[i],
                              .stride = strides[i],
                              .dilation = dilations[i]};
    if (side->window == 0 || side->window > DSM_SIDE_MAX || side->input > DSM_SIDE_MAX) {
      dsm__onnx_error(of->graph, node, "expected a window and an image of 1 to %d along each side",
                      DSM_SIDE_MAX);
      return false;
    }
  }
  if (!read_padding(of, node, slides)) {
    return false;
  }
  take_padded(of, node, slides);
  return true;
}

bool dsm__onnx_slide_outputs(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                             dsm__onnx_slides *slides) {
  const bool is_ceil = dsm__onnx_attribute(node, "ceil_mode", 0) != 0;
  for (unsigned i = 0; i < slides->count; i++) {
    dsm__onnx_slide *const side = &slides->sides[i];
    const uint64_t padded = side->input + side->before + side->after;
    const uint64_t reach = side->dilation * (side->window - 1) + 1;
    if (padded < reach) {
      dsm__onnx_error(of->graph, node,
                      "expected a window within the padded side of %llu, found %llu",
                      (unsigned long long)padded, (unsigned long long)reach);
      return false;
    }
    const uint64_t room = padded - reach;
    side->output = (is_ceil ? (room + side->stride - 1) / side->stride : room / side->stride) + 1;
    if (is_ceil && (side->output - 1) * side->stride >= side->input + side->before) {
      side->output--; /* no window begins in the padding behind */
    }
    if (side->output > DSM_SIDE_MAX) {
      dsm__onnx_error(of->graph, node,
                      "expected an output of at most %d along each side, found "
                      "%llu",
                      DSM_SIDE_MAX, (unsigned long long)side->output);
      return false;
    }
  }
  return true;
}
