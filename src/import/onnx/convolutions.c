/* SPDX-License-Identifier: GPL-3.0-or-later */
/* convolutions.c: Conv and pools. */
#include "import/onnx/windows.h"

enum { SAMPLES = 0, FEATURES = 1, IMAGE_FROM = 2 };

/* The shape of an image of features. */
static dsm__onnx_shape shape_of(const dsm__onnx_shape *input, uint64_t features,
                                const dsm__onnx_slides *slides) {
  dsm__onnx_shape shape = *input;
  shape.dims[FEATURES] = features;
  for (unsigned i = 0; i < slides->count; i++) {
    shape.dims[IMAGE_FROM + i] = slides->sides[i].output;
  }
  return shape;
}

/* ---- convolutions ---- */

/* Padding that is the same on both ends of a side and gives the same output; -1: there is none. */
static int64_t even_padding(const dsm__onnx_slide *side) {
  const uint64_t reach = side->dilation * (side->window - 1) + 1;
  const uint64_t needed = (side->output - 1) * side->stride + reach;
  const uint64_t least = needed > side->input ? needed - side->input : 0;
  const uint64_t padding = (least + 1) / 2;
  const uint64_t all = side->input + 2 * padding;
  return all >= reach && (all - reach) / side->stride + 1 == side->output ? (int64_t)padding : -1;
}

/* Is the output as long as the input over the stride, which is what a layer implies? */
static bool is_implied(const dsm__onnx_slide *side) {
  return side->output == (side->input + side->stride - 1) / side->stride;
}

/* States the padding where it is not the implied one. */
static bool set_padding(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                        const dsm__onnx_slides *slides, dsm_layer_spec *spec) {
  const int64_t rows = even_padding(&slides->sides[0]);
  const int64_t columns = even_padding(&slides->sides[1]);
  if (is_implied(&slides->sides[0]) && is_implied(&slides->sides[1])) {
    return true;
  }
  if (rows < 0 || columns < 0) {
    dsm__onnx_error(
        of->graph, node,
        "expected padding that an even one can stand for, found one of %llu and %llu "
        "rows, %llu and %llu columns",
        (unsigned long long)slides->sides[0].before, (unsigned long long)slides->sides[0].after,
        (unsigned long long)slides->sides[1].before, (unsigned long long)slides->sides[1].after);
    return false;
  }
  spec->has_padding = true;
  spec->padding = (dsm_size2){(uint64_t)rows, (uint64_t)columns};
  return true;
}

static bool check_weights(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          const dsm__onnx_shape *input, const dsm__onnx_shape *weights,
                          uint64_t groups) {
  if (input->rank <= IMAGE_FROM) {
    dsm__onnx_error(of->graph, node, "expected an input of 3 or 4 dimensions, found %u",
                    input->rank);
    return false;
  }
  if (weights->rank != input->rank || groups == 0 || groups > DSM_SIDE_MAX ||
      input->dims[FEATURES] / groups != weights->dims[1] || input->dims[FEATURES] % groups != 0 ||
      weights->dims[0] % groups != 0) {
    dsm__onnx_error(of->graph, node,
                    "expected weights of %u dimensions for %llu features in %llu groups, found "
                    "others",
                    input->rank, (unsigned long long)input->dims[FEATURES],
                    (unsigned long long)groups);
    return false;
  }
  return true;
}

/* The layer of a node without its outputs and what pads it; NULL after a report. */
static dsm_layer_spec *add_layer(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                 const dsm__onnx_shape *input, const dsm__onnx_slides *slides,
                                 dsm_layer_type type) {
  const dsm__onnx_reading reading = {.value = dsm__onnx_input(of->graph, node, 0),
                                     .features = input->dims[FEATURES],
                                     .size = DSM__ONNX_SIZE2(slides, input)};
  dsm_layer_spec *const spec = dsm__onnx_add_layer(of, node, &reading, type);
  if (spec != NULL) {
    spec->feature = DSM__ONNX_SIZE2(slides, output);
    spec->kernel = DSM__ONNX_SIZE2(slides, window);
    spec->stride = DSM__ONNX_SIZE2(slides, stride);
    spec->dilation = DSM__ONNX_SIZE2(slides, dilation);
  }
  return spec;
}

/* Its bias and weights, and what it makes. */
static void finish_layer(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                         const dsm__onnx_shape *input, const dsm__onnx_slides *slides,
                         uint64_t features) {
  const dsm__onnx_shape shape = shape_of(input, features, slides);
  if (dsm__onnx_input(of->graph, node, 2) != NULL) {
    dsm__onnx_add_aux(of, DSM_AUX_BIAS);
  }
  dsm__onnx_take_weights(of, node, 1);
  dsm__onnx_deliver(of, node, dsm__onnx_output(of->graph, node, 0), &shape);
}

void dsm__onnx_lower_conv(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape input;
  dsm__onnx_shape weights;
  dsm__onnx_slides slides;
  if (!dsm__onnx_need_shape(of, node, 0, &input) || !dsm__onnx_need_shape(of, node, 1, &weights)) {
    return;
  }
  const int64_t group = dsm__onnx_attribute(node, "group", 1);
  const uint64_t groups = group < 1 ? 0 : (uint64_t)group;
  if (!check_weights(of, node, &input, &weights, groups) ||
      !dsm__onnx_read_slides(of, node, &input, &weights.dims[IMAGE_FROM], &slides) ||
      !dsm__onnx_slide_outputs(of, node, &slides) ||
      !dsm__onnx_settle_samples(of, node, input.dims[SAMPLES])) {
    return;
  }
  dsm_layer_spec *const spec = add_layer(of, node, &input, &slides, DSM_LAYER_CONV);
  if (spec == NULL || !set_padding(of, node, &slides, spec)) {
    return;
  }
  spec->out = weights.dims[0];
  spec->groups = groups;
  finish_layer(of, node, &input, &slides, weights.dims[0]);
}

/* ---- pools ---- */

static dsm_aux_op pool_op(const dsm__onnx_node *node) {
  return dsm__span_is(node->op, "MaxPool") || dsm__span_is(node->op, "GlobalMaxPool") ||
                 dsm__span_is(node->op, "ReduceMax")
             ? DSM_AUX_MAX_POOL
             : DSM_AUX_AVG_POOL;
}

void dsm__onnx_lower_pool(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape input;
  dsm__onnx_slides slides;
  if (!dsm__onnx_need_shape(of, node, 0, &input) ||
      !dsm__onnx_read_slides(of, node, &input, NULL, &slides) ||
      !dsm__onnx_slide_outputs(of, node, &slides)) {
    return;
  }
  const dsm_aux pool = {.op = pool_op(node),
                        .window = DSM__ONNX_SIZE2(&slides, window),
                        .stride = DSM__ONNX_SIZE2(&slides, stride)};
  const dsm__onnx_shape shape = shape_of(&input, input.dims[FEATURES], &slides);
  dsm__onnx_apply_pool(of, node, &pool, DSM__ONNX_SIZE2(&slides, input),
                       DSM__ONNX_SIZE2(&slides, output), &shape);
}

/* One result of each feature. */
static void pool_all(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                     const dsm__onnx_shape *input, bool keeps_sides) {
  const dsm_size2 one = {1, 1};
  const dsm_size2 size = {input->dims[IMAGE_FROM],
                          input->rank > IMAGE_FROM + 1 ? input->dims[IMAGE_FROM + 1] : 1};
  const dsm_aux pool = {.op = pool_op(node), .window = size, .stride = size};
  dsm__onnx_shape shape = *input;
  for (unsigned i = IMAGE_FROM; i < shape.rank; i++) {
    shape.dims[i] = 1;
  }
  shape.rank = keeps_sides ? shape.rank : IMAGE_FROM;
  if (size.rows > DSM_SIDE_MAX || size.columns > DSM_SIDE_MAX) {
    dsm__onnx_error(of->graph, node, "expected sides of at most %d, found more", DSM_SIDE_MAX);
    return;
  }
  dsm__onnx_apply_pool(of, node, &pool, size, one, &shape);
}

void dsm__onnx_lower_global_pool(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape input;
  if (!dsm__onnx_need_shape(of, node, 0, &input)) {
    return;
  }
  if (input.rank < IMAGE_FROM + 1 || input.rank > IMAGE_FROM + DSM__ONNX_SIDES) {
    dsm__onnx_error(of->graph, node, "expected an input of 3 or 4 dimensions, found %u",
                    input.rank);
    return;
  }
  pool_all(of, node, &input, true);
}

/* A mean or maximum over the sides of an image is a pool; of anything else it is not understood. */
void dsm__onnx_lower_reduce(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape input;
  dsm__onnx_numbers axes;
  if (!dsm__onnx_need_shape(of, node, 0, &input)) {
    return;
  }
  (void)dsm__onnx_numbers_at(of, node, "axes", 1, &axes);
  unsigned reduced = 0;
  for (unsigned i = 0; i < axes.count; i++) {
    const int64_t axis = axes.items[i] < 0 ? axes.items[i] + input.rank : axes.items[i];
    reduced |= axis >= 0 && axis < (int64_t)input.rank ? 1U << axis : 0;
  }
  const unsigned all_sides = ((1U << input.rank) - 1) & ~3U;
  if (input.rank < IMAGE_FROM + 1 || input.rank > IMAGE_FROM + DSM__ONNX_SIDES ||
      reduced != all_sides) {
    dsm__onnx_error(of->graph, node,
                    "expected it over the sides of an image, as a pool, found it over others");
    return;
  }
  pool_all(of, node, &input, dsm__onnx_attribute(node, "keepdims", 1) != 0);
}

/* ---- transposed convolutions ---- */

/* What a transposed convolution says of its output along a side. */
typedef struct growth {
  int64_t added;    /**< output_padding */
  int64_t wanted;   /**< output_shape; 0: it has none */
  bool is_same;     /**< as long as the input times the stride */
  uint64_t padding; /**< the even one that a layer states */
} growth;

static bool grow_side(dsm__onnx_slide *side, growth *by) {
  const uint64_t whole = (side->input - 1) * side->stride + side->dilation * (side->window - 1) + 1;
  const uint64_t all = by->added < 0 || by->added > DSM_SIDE_MAX ? 0 : whole + (uint64_t)by->added;
  const uint64_t cut_off = side->before + side->after;
  side->output = by->wanted > 0  ? (uint64_t)by->wanted
                 : by->is_same   ? side->input * side->stride
                 : all > cut_off ? all - cut_off
                                 : 0;
  by->padding = whole > side->output ? (whole - side->output + 1) / 2 : 0;
  const uint64_t least = whole - 2 * by->padding;
  return side->output > 0 && side->output <= DSM_SIDE_MAX && whole > 2 * by->padding &&
         side->output >= least && side->output - least < side->stride;
}

/* The outputs along all sides; rows and columns of the padding. */
static bool grow_sides(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_slides *slides,
                       dsm_size2 *padding) {
  const dsm__span how = dsm__onnx_attribute_text(node, "auto_pad");
  const bool is_same = dsm__span_is(how, "SAME_UPPER") || dsm__span_is(how, "SAME_LOWER");
  dsm__onnx_numbers added = {0};
  dsm__onnx_numbers wanted = {0};
  uint64_t paddings[DSM__ONNX_SIDES] = {0};
  (void)dsm__onnx_attribute_numbers(node, "output_padding", &added);
  (void)dsm__onnx_attribute_numbers(node, "output_shape", &wanted);
  for (unsigned i = 0; i < slides->count; i++) {
    growth by = {.added = i < added.count ? added.items[i] : 0,
                 .wanted = i < wanted.count ? wanted.items[i] : 0,
                 .is_same = is_same};
    if (!grow_side(&slides->sides[i], &by)) {
      dsm__onnx_error(of->graph, node,
                      "expected an output that the strides and an even padding make, found %llu "
                      "along dimension %u",
                      (unsigned long long)slides->sides[i].output, IMAGE_FROM + i);
      return false;
    }
    paddings[i] = by.padding;
  }
  *padding = (dsm_size2){paddings[0], paddings[1]};
  return true;
}

void dsm__onnx_lower_conv_transpose(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape input;
  dsm__onnx_shape weights;
  dsm__onnx_slides slides;
  dsm_size2 padding;
  if (!dsm__onnx_need_shape(of, node, 0, &input) || !dsm__onnx_need_shape(of, node, 1, &weights)) {
    return;
  }
  const int64_t group = dsm__onnx_attribute(node, "group", 1);
  if (weights.rank != input.rank || group < 1 || group > DSM_SIDE_MAX || input.rank < 2 ||
      weights.dims[0] != input.dims[FEATURES] || weights.dims[1] > DSM_DIMENSION_MAX) {
    dsm__onnx_error(of->graph, node,
                    "expected weights for the features of the input, found others");
    return;
  }
  if (!dsm__onnx_read_slides(of, node, &input, &weights.dims[IMAGE_FROM], &slides) ||
      !grow_sides(of, node, &slides, &padding) ||
      !dsm__onnx_settle_samples(of, node, input.dims[SAMPLES])) {
    return;
  }
  dsm_layer_spec *const spec = add_layer(of, node, &input, &slides, DSM_LAYER_CONV_TRANSPOSE);
  if (spec == NULL) {
    return;
  }
  spec->out = weights.dims[1] * (uint64_t)group;
  spec->groups = (uint64_t)group;
  spec->has_padding = spec->feature.rows != slides.sides[0].input * spec->stride.rows ||
                      spec->feature.columns != slides.sides[1].input * spec->stride.columns;
  spec->padding = spec->has_padding ? padding : (dsm_size2){0, 0};
  finish_layer(of, node, &input, &slides, spec->out);
}
