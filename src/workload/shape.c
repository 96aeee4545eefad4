/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/shape.h"

#include "base/checked.h"

const dsm_aux *dsm__find_pool(const dsm_layer_spec *spec, bool is_on_input) {
  for (size_t i = 0; i < spec->aux_count; i++) {
    const dsm_aux *const aux = &spec->aux[i];
    if ((aux->op == DSM_AUX_MAX_POOL || aux->op == DSM_AUX_AVG_POOL) &&
        aux->is_on_input == is_on_input) {
      return aux;
    }
  }
  return NULL;
}

dsm__json_node dsm__layer_entry_member(const dsm__layer_entry *layer, const char *key) {
  const dsm__json_node member = dsm__json_member(layer->node, key);
  return dsm__json_is_present(&member) ? member : *layer->node;
}

/* ceil((size - window) / stride) + 1, for size >= window. */
static uint64_t pooled_size(uint64_t size, uint64_t window, uint64_t stride) {
  return dsm__ceil_div_u64(size - window, stride) + 1;
}

bool dsm__pool_derive_size(const dsm__layer_entry *layer, const dsm_aux *pool, dsm_size2 from,
                           dsm_size2 *pooled) {
  const dsm__json_node list = dsm__json_member(layer->node, "aux");
  const dsm__json_node node = dsm__json_item(&list, (size_t)(pool - layer->spec->aux));
  const dsm_size2 most = {from.rows + pool->window.rows, from.columns + pool->window.columns};
  if (pool->has_feature) {
    *pooled = pool->feature;
    if (pooled->rows <= most.rows && pooled->columns <= most.columns) {
      return true;
    }
    dsm__json_error(&node, NULL,
                    "expected a pooled feature of at most %llu x %llu (size and window), found "
                    "%llu x %llu",
                    (unsigned long long)most.rows, (unsigned long long)most.columns,
                    (unsigned long long)pooled->rows, (unsigned long long)pooled->columns);
    return false;
  }
  if (pool->window.rows > from.rows || pool->window.columns > from.columns) {
    dsm__json_error(&node, "state the pool's \"feature\" if it pads",
                    "expected a window within the feature of %llu x %llu, found %llu x %llu",
                    (unsigned long long)from.rows, (unsigned long long)from.columns,
                    (unsigned long long)pool->window.rows,
                    (unsigned long long)pool->window.columns);
    return false;
  }
  *pooled = (dsm_size2){pooled_size(from.rows, pool->window.rows, pool->stride.rows),
                        pooled_size(from.columns, pool->window.columns, pool->stride.columns)};
  return true;
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

bool dsm__conv_check_kernel(const dsm__layer_entry *layer, dsm_size2 input, bool is_inferred) {
  const dsm_layer_spec *const spec = layer->spec;
  const dsm__json_node kernel = dsm__layer_entry_member(layer, "kernel");
  const dsm_size2 padding = spec->padding;
  const dsm_size2 padded = {input.rows + 2 * padding.rows, input.columns + 2 * padding.columns};
  const dsm_size2 reach = {spec->dilation.rows * (spec->kernel.rows - 1) + 1,
                           spec->dilation.columns * (spec->kernel.columns - 1) + 1};
  /* The implied padding grows with the kernel: half of it stands out on either side. */
  const dsm_size2 widest = {2 * input.rows + 1, 2 * input.columns + 1};
  if (!spec->has_padding && is_over(reach, widest)) {
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

bool dsm__conv_check_feature(const dsm__layer_entry *layer, dsm_size2 input) {
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
