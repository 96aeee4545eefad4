/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/sweep.h"

const dsm_axis_value *dsm_sweep_value(const dsm_sweep *sweep, size_t point, size_t column) {
  uint64_t rest = sweep->products[point];
  size_t index = 0;
  for (size_t a = sweep->axis_count; a-- > 0;) {
    const uint64_t value = rest % sweep->axes[a].value_count;
    rest /= sweep->axes[a].value_count;
    if (a == sweep->columns[column].axis) {
      index = (size_t)value;
    }
  }
  const dsm_axis *const axis = &sweep->axes[sweep->columns[column].axis];
  return &axis->values[index * axis->path_count + sweep->columns[column].slot];
}

const char *dsm_record_name(dsm_record record) {
  static const char *const names[] = {"points", "layers", "plans"};
  return record < DSM_RECORD_COUNT ? names[record] : "?";
}

const char *dsm_point_status_name(dsm_point_status status) {
  static const char *const names[] = {"ok", "infeasible", "invalid"};
  return status < DSM_POINT_STATUS_COUNT ? names[status] : "?";
}
