/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conv.c: a convolution, whose kernel slides over the features of its input. */
#include "base/checked.h"
#include "workload/layers/layer_kind.h"

void dsm__conv_read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  (void)arena;
  const dsm__json_node feature = dsm__json_member(node, "feature");
  if (dsm__json_require(&feature, "[rows, columns] of the output before pooling")) {
    dsm__size2_read(&feature, 1, &spec->feature);
  }
  dsm__size2_read_optional(node, "kernel", 1, &spec->kernel);
  dsm__size2_read_optional(node, "stride", 1, &spec->stride);
  dsm__size2_read_optional(node, "dilation", 1, &spec->dilation);
  const dsm__json_node padding = dsm__json_member(node, "padding");
  if (dsm__json_is_present(&padding)) {
    spec->has_padding = true;
    dsm__size2_read(&padding, 0, &spec->padding);
  }
  const dsm__json_node input = dsm__json_member(node, "input_feature");
  if (dsm__json_is_present(&input)) {
    spec->has_input_feature = dsm__size2_read(&input, 1, &spec->input_feature);
  }
  const dsm__json_node groups = dsm__json_member(node, "groups");
  if (!dsm__json_is_present(&groups) || !dsm__json_u64(&groups, 1, DSM_SIDE_MAX, &spec->groups)) {
    return;
  }
  const bool is_known = spec->in > 0 && spec->out > 0; /* else that has been reported */
  if (is_known && (spec->in % spec->groups != 0 || spec->out % spec->groups != 0)) {
    dsm__json_error(&groups, NULL,
                    "expected a divisor of in (%llu) and out (%llu), found %llu groups",
                    (unsigned long long)spec->in, (unsigned long long)spec->out,
                    (unsigned long long)spec->groups);
  }
}

static uint64_t least_side(uint64_t side, uint64_t stride, uint64_t reach, uint64_t padding) {
  const uint64_t padded = (side - 1) * stride + reach;
  return padded > 2 * padding ? padded - 2 * padding : 1;
}

/* As many as outputs times the stride where the padding is implied. */
static dsm_size2 least_input(const dsm_layer_spec *spec) {
  const dsm_size2 side = spec->feature;
  if (!spec->has_padding) {
    return (dsm_size2){side.rows * spec->stride.rows, side.columns * spec->stride.columns};
  }
  return (dsm_size2){
      least_side(side.rows, spec->stride.rows, spec->dilation.rows * (spec->kernel.rows - 1) + 1,
                 spec->padding.rows),
      least_side(side.columns, spec->stride.columns,
                 spec->dilation.columns * (spec->kernel.columns - 1) + 1, spec->padding.columns)};
}

static void put_unless_one(dsm__json_writer *writer, const char *key, dsm_size2 size,
                           bool is_full) {
  if (is_full || size.rows != 1 || size.columns != 1) {
    dsm__size2_put(writer, key, size);
  }
}

void dsm__conv_write(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  dsm__size2_put(writer, "feature", spec->feature);
  put_unless_one(writer, "kernel", spec->kernel, is_full);
  put_unless_one(writer, "stride", spec->stride, is_full);
  put_unless_one(writer, "dilation", spec->dilation, is_full);
  if (spec->has_padding) {
    dsm__size2_put(writer, "padding", spec->padding);
  }
  if (spec->has_input_feature) {
    dsm__size2_put(writer, "input_feature", spec->input_feature);
  }
  if (is_full || spec->groups != 1) {
    dsm__json_put_u64(writer, "groups", spec->groups);
  }
}

/* The size of a convolution's output along an axis; 0 where the kernel does not fit. */
static uint64_t conv_output_size(uint64_t size, uint64_t kernel, uint64_t stride, uint64_t dilation,
                                 uint64_t padding) {
  const uint64_t padded = size + 2 * padding;
  const uint64_t reach = dilation * (kernel - 1) + 1;
  return padded < reach ? 0 : (padded - reach) / stride + 1;
}

static bool is_over(dsm_size2 size, dsm_size2 limit) {
  return size.rows > limit.rows || size.columns > limit.columns;
}

/* Does the kernel lie within its padded input? Warned of a padding that is as large as the kernel,
 * and of a kernel far larger than its input. */
static bool check_kernel(const dsm__layer_entry *layer, dsm_size2 input, bool is_inferred) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__json_node kernel = dsm__layer_entry_member(layer, "kernel");
  const dsm_size2 padding = spec->padding;
  const dsm_size2 padded = {input.rows + 2 * padding.rows, input.columns + 2 * padding.columns};
  const dsm_size2 reach = {spec->dilation.rows * (spec->kernel.rows - 1) + 1,
                           spec->dilation.columns * (spec->kernel.columns - 1) + 1};
  /* The implied padding grows with the kernel: half of it stands out on either side. */
  const dsm_size2 widest = {2 * input.rows + 1, 2 * input.columns + 1};
  /* Of a filter along a sequence, a step has one position: those before it are there. */
  const bool is_step = input.rows * input.columns == 1 && spec->groups > 1;
  if (!spec->has_padding && !is_step && is_over(reach, widest)) {
    dsm__json_warning(
        &kernel, "state \"padding\" where it is not the implied one",
        "most of a dilated kernel of %llu x %llu lies beside its input of %llu x %llu",
        (unsigned long long)reach.rows, (unsigned long long)reach.columns,
        (unsigned long long)input.rows, (unsigned long long)input.columns);
  }
  if (!spec->has_padding) {
    return true;
  }
  if (is_over(reach, padded)) {
    dsm__json_error(
        &kernel,
        is_inferred ? "the network's input is inferred; state \"input\" where it is larger" : NULL,
        "expected a dilated kernel within the padded input of %llu x %llu, found %llu x %llu",
        (unsigned long long)padded.rows, (unsigned long long)padded.columns,
        (unsigned long long)reach.rows, (unsigned long long)reach.columns);
    return false;
  }
  if (padding.rows >= reach.rows || padding.columns >= reach.columns) {
    const dsm__json_node node = dsm__layer_entry_member(layer, "padding");
    dsm__json_warning(&node, NULL,
                      "a padding of %llu x %llu is as large as the dilated kernel of %llu x %llu: "
                      "outputs at the edges see padding alone",
                      (unsigned long long)padding.rows, (unsigned long long)padding.columns,
                      (unsigned long long)reach.rows, (unsigned long long)reach.columns);
  }
  return true;
}

/* Does the declared feature follow from the input? */
static bool check_feature(const dsm__layer_entry *layer, dsm_size2 input) {
  const dsm_layer_spec *const spec = layer->spec;
  dsm_size2 expected = {dsm__ceil_div_u64(input.rows, spec->stride.rows),
                        dsm__ceil_div_u64(input.columns, spec->stride.columns)};
  if (spec->has_padding) {
    expected.rows = conv_output_size(input.rows, spec->kernel.rows, spec->stride.rows,
                                     spec->dilation.rows, spec->padding.rows);
    expected.columns = conv_output_size(input.columns, spec->kernel.columns, spec->stride.columns,
                                        spec->dilation.columns, spec->padding.columns);
  }
  if (expected.rows == spec->feature.rows && expected.columns == spec->feature.columns) {
    return true;
  }
  const dsm__json_node node = dsm__layer_entry_member(layer, "feature");
  dsm__json_error(
      &node, spec->has_padding ? NULL : "state \"padding\" where it is not the implied one",
      "expected [%llu, %llu] from an input of %llu x %llu%s, found [%llu, %llu]",
      (unsigned long long)expected.rows, (unsigned long long)expected.columns,
      (unsigned long long)input.rows, (unsigned long long)input.columns,
      spec->has_padding ? " with the stated padding" : " over the stride",
      (unsigned long long)spec->feature.rows, (unsigned long long)spec->feature.columns);
  return false;
}

/* A padding that is stated says nothing of the input that is inferred from the layer itself. */
static bool check(const dsm__lowering *lowering) {
  const dsm__layer_entry *const layer = lowering->layer;
  const bool is_feature_known = !(layer->spec->has_padding && lowering->is_definer);
  return check_kernel(layer, lowering->input, lowering->is_input_inferred) &&
         (!is_feature_known || check_feature(layer, lowering->input));
}

static void lower(const dsm__lowering *lowering, dsm_layer *primary) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  *primary = dsm__loops_of_features(spec->in, spec->out);
  primary->is_convolution = true;
  primary->ij = spec->feature.rows * spec->feature.columns;
  primary->kij = spec->kernel.rows * spec->kernel.columns;
  primary->strides = spec->stride.rows * spec->stride.columns;
  primary->stride_rows = spec->stride.rows;
  const uint64_t reach = spec->dilation.rows * (spec->kernel.rows - 1) + 1;
  primary->halo_rows = reach > spec->stride.rows ? reach - spec->stride.rows : 0;
  primary->groups = spec->groups;
}

const dsm__layer_kind dsm__conv_kind = {
    .states_features = DSM__STATES_IN | DSM__STATES_OUT,
    .read = dsm__conv_read,
    .write = dsm__conv_write,
    .reads_positions = true,
    .works_on_input = true,
    .pools_output = true,
    .least_input = least_input,
    .check = check,
    .lower = lower,
};
