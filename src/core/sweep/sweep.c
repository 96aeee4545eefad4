/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/sweep.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/number_text.h"
#include "dsm/limits.h"
#include "sweep/option_words.h"
#include "sweep/point.h"

static const dsm__word record_words[] = {
    [DSM_RECORD_POINTS].key = "points",
    [DSM_RECORD_LAYERS].key = "layers",
    [DSM_RECORD_PLANS].key = "plans",
};
DSM__NAMED_WORDS(dsm__record_words, "record of a sweep", record_words, DSM_RECORD_COUNT, dsm_record,
                 dsm_record_name);

static const dsm__word point_status_words[] = {
    [DSM_POINT_OK].key = "ok",
    [DSM_POINT_INFEASIBLE].key = "infeasible",
    [DSM_POINT_INVALID].key = "invalid",
};
DSM__NAMED_WORDS(dsm__point_status_words, "state of a point", point_status_words,
                 DSM_POINT_STATUS_COUNT, dsm_point_status, dsm_point_status_name);

DSM__ARENA_FREE(dsm_sweep, dsm_sweep_free);

const dsm_axis_value *dsm__product_value(const dsm_sweep *sweep, uint64_t index, size_t column) {
  const dsm_sweep_column *const of = &sweep->columns[column];
  for (size_t a = sweep->axis_count - 1; a > of->axis; a--) {
    index /= sweep->axes[a].value_count;
  }
  const dsm_axis *const axis = &sweep->axes[of->axis];
  const size_t row = (size_t)(index % axis->value_count);
  return &axis->values[row * axis->path_count + of->slot];
}

const dsm_axis_value *dsm_sweep_value(const dsm_sweep *sweep, size_t point, size_t column) {
  assert(point < sweep->point_count && column < sweep->column_count);
  return dsm__product_value(sweep, sweep->is_open ? point : sweep->products[point], column);
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
