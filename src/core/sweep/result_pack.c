/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/point_record.h"

#include "dsm/limits.h"

void dsm__result_pack(dsm__text_buffer *buffer, const dsm_point_result *result) {
  dsm__record_pack(buffer, &dsm__point_record, result);
}

/* Is everything there that a result must have? */
static bool is_whole(const dsm_point_result *result) {
  bool is_good = result->point < DSM_SWEEP_OPEN_MAX;
  for (size_t i = 0; i < result->layer_count; i++) {
    is_good = is_good && result->layers[i].name != NULL;
  }
  return is_good;
}

dsm_status dsm__result_unpack(dsm_point_result *result, const void *bytes, size_t length,
                              dsm__arena *arena) {
  dsm__packed in = {.at = bytes, .left = length, .arena = arena, .status = DSM_OK};
  *result = (dsm_point_result){.point = 0};
  dsm__record_unpack(&in, &dsm__point_record, result);
  if (in.status == DSM_OK && (in.left > 0 || !is_whole(result))) {
    in.status = DSM_ERROR_INVALID;
  }
  if (in.status != DSM_OK) {
    *result = (dsm_point_result){0};
  }
  return in.status;
}
