/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conv_transpose.c: each pixel of the input adds its kernel's products to the output: a convolution
 * with the roles of its two passes exchanged, so that its MACs are by pixels of the input.
 */
#include "workload/layers/layer_kind.h"

/* What a convolution along an axis has, but for its input. */
typedef struct side {
  uint64_t size;
  uint64_t kernel;
  uint64_t stride;
  uint64_t dilation;
  uint64_t padding;
} side;

/* All strides of the input, and the kernel's reach behind the last. A stated feature may be longer
 * by less than a stride, which is padding of the output. */
static bool is_size(side of, uint64_t input) {
  const uint64_t whole = (input - 1) * of.stride + of.dilation * (of.kernel - 1) + 1;
  const uint64_t least = whole > 2 * of.padding ? whole - 2 * of.padding : 0;
  return of.size >= least && of.size < least + of.stride;
}

#define SIDE(spec, rows)                                                                           \
  (side) {                                                                                         \
    (spec)->feature.rows, (spec)->kernel.rows, (spec)->stride.rows, (spec)->dilation.rows,         \
        (spec)->padding.rows                                                                       \
  }

static bool is_feature(const dsm_layer_spec *spec, dsm_size2 input) {
  if (!spec->has_padding) {
    return spec->feature.rows == input.rows * spec->stride.rows &&
           spec->feature.columns == input.columns * spec->stride.columns;
  }
  return is_size(SIDE(spec, rows), input.rows) && is_size(SIDE(spec, columns), input.columns);
}

static uint64_t least_side(side of, bool has_padding) {
  if (!has_padding) {
    return of.size / of.stride > 0 ? of.size / of.stride : 1;
  }
  const uint64_t reach = of.dilation * (of.kernel - 1) + 1;
  const uint64_t whole = of.size + 2 * of.padding;
  return whole > reach ? (whole - reach) / of.stride + 1 : 1;
}

static dsm_size2 least_input(const dsm_layer_spec *spec) {
  return (dsm_size2){least_side(SIDE(spec, rows), spec->has_padding),
                     least_side(SIDE(spec, columns), spec->has_padding)};
}

static bool check(const dsm__lowering *lowering) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const dsm_size2 input = lowering->input;
  if (is_feature(spec, input)) {
    return true;
  }
  const dsm__json_node feature = dsm__layer_entry_member(lowering->layer, "feature");
  dsm__json_error(
      &feature, spec->has_padding ? NULL : "state \"padding\" where it is not the implied one",
      "expected an input of %llu x %llu times the stride%s, found [%llu, %llu]",
      (unsigned long long)input.rows, (unsigned long long)input.columns,
      spec->has_padding ? " with the kernel, less the stated padding" : "",
      (unsigned long long)spec->feature.rows, (unsigned long long)spec->feature.columns);
  return false;
}

/* Loops over pixels of the input. */
static void lower(const dsm__lowering *lowering, dsm_layer *primary) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  *primary = dsm__loops_of_features(spec->in, spec->out);
  primary->is_convolution = true;
  primary->ij = lowering->input.rows * lowering->input.columns;
  primary->rows = lowering->input.rows;
  primary->kij = spec->kernel.rows * spec->kernel.columns;
  primary->groups = spec->groups;
}

const dsm__layer_kind dsm__conv_transpose_kind = {
    .states_features = DSM__STATES_IN | DSM__STATES_OUT,
    .read = dsm__conv_read,
    .write = dsm__conv_write,
    .reads_positions = true,
    .works_on_input = true,
    .least_input = least_input,
    .is_grown = true,
    .check = check,
    .lower = lower,
};
