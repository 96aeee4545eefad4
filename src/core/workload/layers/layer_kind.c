/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/layers/layer_kind.h"

const dsm__layer_kind *dsm__layer_kind_of(dsm_layer_type type) {
  static const dsm__layer_kind *const kinds[DSM_LAYER_TYPE_COUNT] = {
      [DSM_LAYER_CONV] = &dsm__conv_kind,
      [DSM_LAYER_FC] = &dsm__fc_kind,
      [DSM_LAYER_LSTM] = &dsm__lstm_kind,
      [DSM_LAYER_MATMUL] = &dsm__matmul_kind,
      [DSM_LAYER_ATTENTION] = &dsm__attention_kind,
      [DSM_LAYER_EMBEDDING] = &dsm__embedding_kind,
      [DSM_LAYER_CONV_TRANSPOSE] = &dsm__conv_transpose_kind,
  };
  return kinds[type];
}

size_t dsm__primary_count_of(const dsm_layer_spec *spec) {
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  return kind->primary_count == NULL ? 1 : kind->primary_count(spec);
}

size_t dsm__first_output_of(const dsm_layer_spec *spec) {
  return dsm__layer_kind_of(spec->type)->ends_with_output ? dsm__primary_count_of(spec) - 1 : 0;
}

dsm_layer dsm__loops_of_features(uint64_t in, uint64_t out) {
  return (dsm_layer){.in = in,
                     .out = out,
                     .ij = 1,
                     .stride_rows = 1,
                     .kij = 1,
                     .strides = 1,
                     .groups = 1,
                     .timesteps = 1,
                     .has_update = true};
}

bool dsm__size2_read(const dsm__json_node *node, uint64_t min, dsm_size2 *size) {
  size_t count = 0;
  if (!dsm__json_array(node, 2, 2, &count)) {
    return false;
  }
  const dsm__json_node rows = dsm__json_item(node, 0);
  const dsm__json_node columns = dsm__json_item(node, 1);
  const bool is_rows_good = dsm__json_u64(&rows, min, DSM_SIDE_MAX, &size->rows);
  const bool is_columns_good = dsm__json_u64(&columns, min, DSM_SIDE_MAX, &size->columns);
  return is_rows_good && is_columns_good;
}

void dsm__size2_read_optional(const dsm__json_node *object, const char *key, uint64_t min,
                              dsm_size2 *size) {
  const dsm__json_node node = dsm__json_member(object, key);
  if (dsm__json_is_present(&node)) {
    dsm__size2_read(&node, min, size);
  }
}

void dsm__positions_read(dsm_layer_spec *spec, const dsm__json_node *node) {
  const dsm__json_node positions = dsm__json_member(node, "positions");
  if (dsm__json_is_present(&positions)) {
    spec->has_positions = dsm__json_u64(&positions, 1, DSM_SIDE_MAX, &spec->feature.rows);
  }
}

void dsm__positions_put(dsm__json_writer *writer, const dsm_layer_spec *spec) {
  if (spec->has_positions) {
    dsm__json_put_u64(writer, "positions", spec->feature.rows);
  }
}

void dsm__size2_put(dsm__json_writer *writer, const char *key, dsm_size2 size) {
  dsm__json_put_array(writer, key, true);
  dsm__json_write_u64(writer, size.rows);
  dsm__json_write_u64(writer, size.columns);
  dsm__json_end_array(writer);
}
