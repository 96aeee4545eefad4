/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/cost_json.h"

void dsm__loops_put(dsm__json_writer *writer, const char *key, const dsm_loops *loops) {
  dsm__json_put_object(writer, key, true);
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    dsm__json_put_u64(writer, dsm_dim_name((dsm_dim)d), loops->n[d]);
  }
  dsm__json_end_object(writer);
}

void dsm__cycles_put(dsm__json_writer *writer, const dsm_cycles *cycles) {
  dsm__json_put_object(writer, "cycles", true);
  dsm__json_put_double(writer, "primary", cycles->primary);
  dsm__json_put_double(writer, "overlapped", cycles->overlapped);
  dsm__json_put_double(writer, "overlapped_visible", cycles->overlapped_visible);
  dsm__json_put_double(writer, "auxiliary", cycles->auxiliary);
  dsm__json_put_double(writer, "non_overlapped", cycles->non_overlapped);
  dsm__json_put_double(writer, "total", cycles->total);
  dsm__json_end_object(writer);
}

void dsm__groups_put(dsm__json_writer *writer, const double group_cycles[DSM_GROUP_COUNT]) {
  dsm__json_put_object(writer, "groups", true);
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    if (group_cycles[g] > 0) {
      dsm__json_put_double(writer, dsm_group_name((dsm_group)g), group_cycles[g]);
    }
  }
  dsm__json_end_object(writer);
}

void dsm__resources_put(dsm__json_writer *writer, const dsm_resources *resources) {
  dsm__json_put_string(writer, "bound", dsm_bound_name(dsm_resources_bound(resources)));
  dsm__json_put_object(writer, "resources", true);
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    if (resources->cycles[b] > 0 || resources->cycles[b] < 0) {
      dsm__json_put_double(writer, dsm_bound_name((dsm_bound)b), resources->cycles[b]);
    }
  }
  dsm__json_end_object(writer);
}
