/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selections.c: what joins values, takes parts of them, or looks them up; and sizes of images. */
#include "import/onnx/windows.h"

/* ---- Concat ---- */

static bool join_shapes(dsm__onnx_lowering *of, const dsm__onnx_node *node, int *axis,
                        dsm__onnx_shape *shape) {
  for (size_t i = 0; i < node->input_count; i++) {
    dsm__onnx_shape one;
    if (!dsm__onnx_need_shape(of, node, i, &one)) {
      return false;
    }
    if (i == 0) {
      *shape = one;
      *axis = dsm__onnx_axis(dsm__onnx_attribute(node, "axis", INT64_MIN), one.rank);
    }
    bool is_fit = *axis >= 0 && one.rank == shape->rank;
    for (unsigned d = 0; is_fit && d < one.rank; d++) {
      is_fit = (int)d == *axis || one.dims[d] == shape->dims[d];
    }
    if (!is_fit) {
      dsm__onnx_error(of->graph, node,
                      "expected inputs that differ along one axis alone, found others");
      return false;
    }
    if (i > 0) {
      shape->dims[*axis] += one.dims[*axis];
    }
    if (shape->dims[*axis] > DSM_PRODUCT_MAX) {
      dsm__onnx_error(of->graph, node, "expected at most 2^53 elements, found more");
      return false;
    }
  }
  return node->input_count > 0;
}

void dsm__onnx_lower_concat(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  enum { VALUES_MAX = 4096 };
  dsm__onnx_value *values[VALUES_MAX];
  dsm__onnx_shape shape;
  uint64_t elements = 0;
  size_t count = 0;
  int axis = 0;
  if (node->input_count > VALUES_MAX) {
    dsm__onnx_error(of->graph, node, "expected at most %d inputs, found %u", VALUES_MAX,
                    (unsigned)node->input_count);
    return;
  }
  if (!join_shapes(of, node, &axis, &shape)) {
    return;
  }
  bool is_waiting = false;
  for (size_t i = 0; i < node->input_count; i++) {
    dsm__onnx_value *const value = dsm__onnx_input(of->graph, node, i);
    if (dsm__onnx_view_of(of, value) != NULL) {
      is_waiting = is_waiting || value->view->waiting_count > 0 || value->view->scores != NULL;
      values[count++] = value;
    }
  }
  if (!dsm__onnx_elements(&shape, &elements) || is_waiting) {
    dsm__onnx_error(of->graph, node,
                    "expected inputs that layers deliver as they are, at most 2^53 elements in "
                    "all, found others");
    return;
  }
  if (count == 1 && node->input_count > 1 &&
      dsm__onnx_join_token(of, node, values[0], axis, &shape)) {
    return;
  }
  if (count < node->input_count) {
    dsm__onnx_remark_on(of->graph, node, "is left out of what it joins: constants");
  }
  dsm__onnx_view *const view = dsm__onnx_view_join(of, values, count);
  dsm__onnx_shape first;
  if (view != NULL && dsm__onnx_shape_of(values[0], &first)) {
    const int samples = dsm__onnx_sample_axis(of, values[0]->view, &first);
    view->before = samples == axis ? 0 : dsm__onnx_product_before(&shape, samples);
    dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), &shape, view);
  }
}

/* ---- parts ---- */

/* The layer whose timesteps or positions an axis counts; NULL: it counts something else. */
static const dsm_layer_spec *counted_by(dsm__onnx_lowering *of, const dsm__onnx_value *value,
                                        const dsm__onnx_shape *shape, int axis) {
  enum { ROWS_RANK = 3 };
  const uint32_t layer = value->view->parts[0].layer;
  if (layer == DSM__ONNX_NETWORK || axis < 0 || axis + 1 >= (int)shape->rank) {
    return NULL;
  }
  const dsm_layer_spec *const spec = &of->graph->import->builder.layers.items[layer].spec;
  const uint64_t count = spec->timesteps > 1 ? spec->timesteps : spec->feature.rows;
  const bool is_step = spec->timesteps > 1 && shape->dims[axis] == spec->timesteps;
  const bool is_behind = dsm__onnx_sample_axis(of, value->view, shape) == 1;
  const bool is_position = spec->has_positions && count > 1 && shape->rank == ROWS_RANK &&
                           axis == (is_behind ? 0 : 1) && shape->dims[axis] == spec->feature.rows;
  return is_step || is_position ? spec : NULL;
}

/* Where the samples are when of an axis only a part is left, or nothing. */
static uint64_t cut_before(const dsm__onnx_lowering *of, const dsm__onnx_view *view,
                           const dsm__onnx_shape *from, int axis, const dsm__onnx_shape *shape) {
  const int samples = dsm__onnx_sample_axis(of, view, from);
  const int lost = samples > axis ? (int)from->rank - (int)shape->rank : 0;
  return samples < 0 || samples == axis || samples < lost
             ? 0
             : dsm__onnx_product_before(shape, samples - lost);
}

/* So many of an axis go on in an output. */
static void cut(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *output,
                const dsm__onnx_shape *from, int axis, const dsm__onnx_shape *shape,
                uint64_t taken) {
  dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  uint64_t elements = 0;
  if (output == NULL) {
    return;
  }
  if (input->kind == DSM__ONNX_CONSTANT) {
    output->kind = DSM__ONNX_CONSTANT;
    dsm__onnx_set_shape(of->graph, output, shape);
  }
  if (dsm__onnx_view_of(of, input) == NULL) {
    return;
  }
  const dsm_layer_spec *const counted = counted_by(of, input, from, axis);
  const bool is_whole = taken == from->dims[axis] || (counted != NULL && counted->timesteps > 1);
  (void)dsm__onnx_elements(shape, &elements);
  dsm__onnx_view *const view = is_whole || counted != NULL
                                   ? dsm__onnx_view_through(of, input)
                                   : dsm__onnx_view_cut(of, input, elements);
  if (view == NULL) {
    return;
  }
  view->before = cut_before(of, input->view, from, axis, shape);
  const dsm_aux select = {.op = DSM_AUX_SELECT, .positions = taken};
  if (is_whole || counted == NULL || dsm__onnx_let_wait(of, node, select, view)) {
    dsm__onnx_make(of, output, shape, view);
  }
}

void dsm__onnx_lower_split(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  dsm__onnx_numbers sizes;
  if (!dsm__onnx_need_shape(of, node, 0, &from)) {
    return;
  }
  const int axis = dsm__onnx_axis(dsm__onnx_attribute(node, "axis", 0), from.rank);
  const bool has_sizes = dsm__onnx_numbers_at(of, node, "split", 1, &sizes);
  const size_t count = node->output_count;
  if (axis < 0 || dsm__onnx_hides_numbers(of, node, 1) || count == 0 ||
      count > DSM__ONNX_NUMBERS_MAX || (has_sizes && sizes.count != count)) {
    dsm__onnx_error(of->graph, node, "expected 1 to %d parts along an axis, found others",
                    DSM__ONNX_NUMBERS_MAX);
    return;
  }
  const uint64_t even = (from.dims[axis] + count - 1) / count;
  uint64_t rest = from.dims[axis];
  for (size_t i = 0; i < count; i++) {
    const uint64_t size = !has_sizes           ? (even < rest ? even : rest)
                          : sizes.items[i] < 0 ? 0
                                               : (uint64_t)sizes.items[i];
    if (size == 0 || size > rest) {
      dsm__onnx_error(of->graph, node, "expected parts of %llu in all, found others",
                      (unsigned long long)from.dims[axis]);
      return;
    }
    dsm__onnx_shape shape = from;
    shape.dims[axis] = size;
    rest -= size;
    cut(of, node, dsm__onnx_output(of->graph, node, i), &from, axis, &shape, size);
  }
}

/* How many of `size` lie from `first` to before `end` in steps. */
static uint64_t sliced(uint64_t size, int64_t first, int64_t end, int64_t step) {
  const int64_t most = (int64_t)size;
  const int64_t low = step < 0 ? -1 : 0;
  const int64_t high = step < 0 ? most - 1 : most;
  first = first < 0 ? first + most : first;
  end = end < 0 && end > INT64_MIN + most ? end + most : end;
  first = first < low ? low : first > high ? high : first;
  end = end < low ? low : end > high ? high : end;
  if (step > 0) {
    return end > first ? ((uint64_t)(end - first) - 1) / (uint64_t)step + 1 : 0;
  }
  return first > end ? ((uint64_t)(first - end) - 1) / (0 - (uint64_t)step) + 1 : 0;
}

/* What a Slice asks for: an axis each. */
typedef struct slices {
  dsm__onnx_numbers starts;
  dsm__onnx_numbers ends;
  dsm__onnx_numbers axes;
  dsm__onnx_numbers steps;
} slices;

bool dsm__onnx_read_slices(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           const dsm__onnx_shape *from, dsm__onnx_shape *shape, int *cut_axis,
                           unsigned *cut_count) {
  slices asked;
  if (!dsm__onnx_numbers_at(of, node, "starts", 1, &asked.starts) ||
      !dsm__onnx_numbers_at(of, node, "ends", 2, &asked.ends)) {
    return false;
  }
  if (dsm__onnx_hides_numbers(of, node, 3) || dsm__onnx_hides_numbers(of, node, 4)) {
    return false;
  }
  const bool has_axes = dsm__onnx_numbers_at(of, node, "axes", 3, &asked.axes);
  const bool has_steps = dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, 4), &asked.steps);
  *shape = *from;
  *cut_axis = 0;
  *cut_count = 0;
  for (unsigned i = 0; i < asked.starts.count; i++) {
    const int axis =
        dsm__onnx_axis(has_axes && i < asked.axes.count ? asked.axes.items[i] : i, from->rank);
    const int64_t step = has_steps && i < asked.steps.count ? asked.steps.items[i] : 1;
    if (axis < 0 || i >= asked.ends.count || step == 0) {
      return false;
    }
    shape->dims[axis] = sliced(from->dims[axis], asked.starts.items[i], asked.ends.items[i], step);
    if (shape->dims[axis] != from->dims[axis]) {
      *cut_axis = axis;
      (*cut_count)++;
    }
  }
  return true;
}

void dsm__onnx_lower_slice(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  dsm__onnx_shape shape;
  int axis = 0;
  unsigned count = 0;
  uint64_t elements = 0;
  if (!dsm__onnx_need_shape(of, node, 0, &from)) {
    return;
  }
  if (!dsm__onnx_read_slices(of, node, &from, &shape, &axis, &count) ||
      !dsm__onnx_elements(&shape, &elements) || elements == 0 || count > 1) {
    dsm__onnx_error(of->graph, node,
                    "expected a part along one axis, from and to numbers that are constant, found "
                    "another");
    return;
  }
  cut(of, node, dsm__onnx_output(of->graph, node, 0), &from, axis, &shape, shape.dims[axis]);
}

/* ---- Gather ---- */

/* Rows of a table by numbers that are read. */
static void embed(dsm__onnx_lowering *of, const dsm__onnx_node *node, const dsm__onnx_shape *table,
                  const dsm__onnx_shape *indices) {
  enum { TABLE_RANK = 2 };
  uint64_t all = 0;
  if (table->rank != TABLE_RANK || dsm__onnx_attribute(node, "axis", 0) != 0 ||
      indices->rank == 0 || indices->rank >= DSM__ONNX_RANK_MAX ||
      !dsm__onnx_elements(indices, &all) || table->dims[0] > DSM_DIMENSION_MAX) {
    dsm__onnx_error(of->graph, node, "expected rows of a table of weights, found others");
    return;
  }
  if (of->samples == 0 && !dsm__onnx_settle_samples_of(of, node, 1, indices)) {
    return;
  }
  const uint64_t positions = all / of->samples;
  if (all % of->samples != 0 || positions > DSM_SIDE_MAX) {
    dsm__onnx_error(of->graph, node, "expected 1 to %d rows for each of %llu samples, found others",
                    DSM_SIDE_MAX, (unsigned long long)of->samples);
    return;
  }
  const dsm__onnx_reading reading = {
      .value = dsm__onnx_input(of->graph, node, 1), .features = 1, .size = {positions, 1}};
  dsm_layer_spec *const spec = dsm__onnx_add_layer(of, node, &reading, DSM_LAYER_EMBEDDING);
  if (spec == NULL) {
    return;
  }
  spec->out = table->dims[1];
  spec->vocabulary = table->dims[0];
  dsm__onnx_take_weights(of, node, 0);
  spec->has_positions = true;
  spec->feature.rows = positions;
  dsm__onnx_shape shape = *indices;
  shape.dims[shape.rank++] = table->dims[1];
  dsm__onnx_deliver(of, node, dsm__onnx_output(of->graph, node, 0), &shape);
}

/* The shape with an axis in place of which stand the dimensions of indices. */
bool dsm__onnx_gathered(const dsm__onnx_shape *from, int axis, const dsm__onnx_shape *indices,
                        dsm__onnx_shape *shape) {
  shape->rank = 0;
  if (from->rank + indices->rank > DSM__ONNX_RANK_MAX) {
    return false;
  }
  for (int i = 0; i < axis; i++) {
    shape->dims[shape->rank++] = from->dims[i];
  }
  for (unsigned i = 0; i < indices->rank; i++) {
    shape->dims[shape->rank++] = indices->dims[i];
  }
  for (unsigned i = (unsigned)axis + 1; i < from->rank; i++) {
    shape->dims[shape->rank++] = from->dims[i];
  }
  return true;
}

void dsm__onnx_lower_gather(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape from;
  dsm__onnx_shape indices;
  dsm__onnx_shape shape;
  uint64_t taken = 0;
  if (!dsm__onnx_need_shape(of, node, 0, &from) || !dsm__onnx_need_shape(of, node, 1, &indices)) {
    return;
  }
  const int axis = dsm__onnx_axis(dsm__onnx_attribute(node, "axis", 0), from.rank);
  if (dsm__onnx_input(of->graph, node, 0)->kind == DSM__ONNX_CONSTANT) {
    embed(of, node, &from, &indices);
  } else if (axis < 0 || !dsm__onnx_gathered(&from, axis, &indices, &shape) ||
             !dsm__onnx_elements(&indices, &taken) || taken > from.dims[axis]) {
    dsm__onnx_error(of->graph, node, "expected a part along an axis, found others");
  } else {
    cut(of, node, dsm__onnx_output(of->graph, node, 0), &from, axis, &shape, taken);
  }
}

/* ---- images ---- */

void dsm__onnx_lower_pad(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape shape;
  dsm__onnx_numbers pads;
  uint64_t elements = 0;
  if (!dsm__onnx_need_shape(of, node, 0, &shape)) {
    return;
  }
  bool is_good = dsm__onnx_numbers_at(of, node, "pads", 1, &pads) && pads.count == 2 * shape.rank;
  bool is_padded = false;
  for (unsigned i = 0; is_good && i < shape.rank; i++) {
    const int64_t before = pads.items[i];
    const int64_t after = pads.items[shape.rank + i];
    is_good = before >= 0 && after >= 0 && before <= DSM_SIDE_MAX && after <= DSM_SIDE_MAX;
    is_padded = is_padded || before > 0 || after > 0;
    shape.dims[i] += is_good ? (uint64_t)before + (uint64_t)after : 0;
  }
  if (!is_good || !dsm__onnx_elements(&shape, &elements)) {
    dsm__onnx_error(of->graph, node, "expected padding of 0 to %d at each end, found another",
                    DSM_SIDE_MAX);
    return;
  }
  const bool is_image = shape.rank > 2 && shape.rank <= 2 + DSM__ONNX_SIDES && pads.items[0] == 0 &&
                        pads.items[1] == 0 && pads.items[shape.rank] == 0 &&
                        pads.items[shape.rank + 1] == 0;
  dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  if (!is_padded || input->kind == DSM__ONNX_CONSTANT) {
    dsm__onnx_pass(of, node, &shape);
    return;
  }
  if (!is_image) {
    dsm__onnx_error(of->graph, node, "expected padding of the sides of an image, found another");
    return;
  }
  dsm__onnx_view *const view =
      dsm__onnx_view_of(of, input) == NULL ? NULL : dsm__onnx_view_through(of, input);
  if (view != NULL) {
    view->padded.rows += (uint64_t)(pads.items[2] + pads.items[shape.rank + 2]);
    view->padded.columns +=
        shape.rank > 3 ? (uint64_t)(pads.items[3] + pads.items[shape.rank + 3]) : 0;
    dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), &shape, view);
  }
}

/* Whole factors along both sides of an image, by scales or by a shape. */
static bool read_factors(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                         const dsm__onnx_shape *from, uint64_t factors[DSM__ONNX_RANK_MAX]) {
  enum { SCALES = 2, SIZES = 3 };
  const bool is_old = dsm__span_is(node->op, "Upsample") || of->graph->opset < 11;
  const dsm__onnx_value *const scales = dsm__onnx_input(of->graph, node, is_old ? 1 : SCALES);
  dsm__onnx_numbers sizes;
  double reals[DSM__ONNX_RANK_MAX];
  size_t count = scales == NULL ? 0 : dsm__onnx_tensor_reals(scales->tensor, reals, from->rank);
  count = count == 0 ? dsm__onnx_attribute_reals(node, "scales", reals, from->rank) : count;
  if (count == from->rank) {
    for (unsigned i = 0; i < from->rank; i++) {
      factors[i] = reals[i] >= 1 && reals[i] <= DSM_SIDE_MAX ? (uint64_t)reals[i] : 0;
      if (!((double)factors[i] >= reals[i])) {
        return false;
      }
    }
    return true;
  }
  if (!dsm__onnx_numbers_of(dsm__onnx_input(of->graph, node, SIZES), &sizes) ||
      sizes.count != from->rank) {
    return false;
  }
  for (unsigned i = 0; i < from->rank; i++) {
    const uint64_t size = sizes.items[i] < 1 ? 0 : (uint64_t)sizes.items[i];
    factors[i] = size / from->dims[i];
    if (size == 0 || size % from->dims[i] != 0 || size > DSM_DIMENSION_MAX) {
      return false;
    }
  }
  return true;
}

void dsm__onnx_lower_resize(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  enum { IMAGE_RANK = 4 };
  dsm__onnx_shape shape;
  uint64_t factors[DSM__ONNX_RANK_MAX] = {0};
  uint64_t elements = 0;
  if (!dsm__onnx_need_shape(of, node, 0, &shape)) {
    return;
  }
  if (shape.rank != IMAGE_RANK || !read_factors(of, node, &shape, factors) || factors[0] != 1 ||
      factors[1] != 1) {
    dsm__onnx_error(of->graph, node,
                    "expected whole factors along the sides of an image, found others");
    return;
  }
  for (unsigned i = 0; i < shape.rank; i++) {
    shape.dims[i] = shape.dims[i] > DSM_DIMENSION_MAX ? 0 : shape.dims[i] * factors[i];
  }
  if (!dsm__onnx_elements(&shape, &elements) || elements == 0) {
    dsm__onnx_error(of->graph, node, "expected at most 2^53 elements, found more");
    return;
  }
  dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  if (dsm__onnx_view_of(of, input) == NULL) {
    dsm__onnx_error(of->graph, node, "expected an image that is no constant, found one");
    return;
  }
  dsm__onnx_view *const view = dsm__onnx_view_through(of, input);
  const dsm_aux upsample = {.op = DSM_AUX_UPSAMPLE, .factor = {factors[2], factors[3]}};
  if (view != NULL && dsm__onnx_let_wait(of, node, upsample, view)) {
    dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), &shape, view);
  }
}
