/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/sweep.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/number_text.h"
#include "dsm/limits.h"

static const char *const record_names[] = {
    [DSM_RECORD_POINTS] = "points",
    [DSM_RECORD_LAYERS] = "layers",
    [DSM_RECORD_PLANS] = "plans",
};
static const char *const point_status_names[] = {
    [DSM_POINT_OK] = "ok",
    [DSM_POINT_INFEASIBLE] = "infeasible",
    [DSM_POINT_INVALID] = "invalid",
};
_Static_assert(sizeof record_names / sizeof record_names[0] == DSM_RECORD_COUNT &&
                   sizeof point_status_names / sizeof point_status_names[0] ==
                       DSM_POINT_STATUS_COUNT,
               "a name for each");

const char *dsm_record_name(dsm_record record) {
  return record_names[record];
}

const char *dsm_point_status_name(dsm_point_status status) {
  return point_status_names[status];
}

void dsm_sweep_free(dsm_sweep *sweep) {
  if (sweep != NULL) {
    dsm__arena_free(sweep->arena);
  }
}

const dsm_axis_value *dsm_sweep_value(const dsm_sweep *sweep, size_t point, size_t column) {
  assert(point < sweep->point_count && column < sweep->column_count);
  const dsm_sweep_column *const of = &sweep->columns[column];
  uint64_t index = sweep->products[point];
  for (size_t a = sweep->axis_count - 1; a > of->axis; a--) {
    index /= sweep->axes[a].value_count;
  }
  const dsm_axis *const axis = &sweep->axes[of->axis];
  const size_t row = (size_t)(index % axis->value_count);
  return &axis->values[row * axis->path_count + of->slot];
}

bool dsm_shard_parse(const char *text, dsm_shard *shard) {
  char first[24];
  const size_t length = strcspn(text, "/");
  uint64_t index = 0;
  uint64_t count = 0;
  if (text[length] == '\0' || length >= sizeof first) {
    return false;
  }
  memcpy(first, text, length);
  first[length] = '\0';
  if (!dsm__text_to_u64(text + length + 1, 1, DSM_SWEEP_POINTS_MAX, &count) ||
      !dsm__text_to_u64(first, 1, count, &index)) {
    return false;
  }
  *shard = (dsm_shard){.index = (size_t)index - 1, .count = (size_t)count};
  return true;
}
