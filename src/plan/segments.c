/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/segments.h"

#include "plan/segment.h"

bool dsm__segments_find(const dsm_workload *workload, dsm__arena *arena, bool **is_cut) {
  dsm__segment_walk walk = dsm__segments_begin(workload);
  if (!DSM__RESERVE(arena, *is_cut, workload->layer_count)) {
    return false;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    (*is_cut)[i] = dsm__segment_ends(&walk, i) && i + 1 < workload->layer_count;
  }
  return true;
}
