/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recurrence.c: timesteps wait for each other, which nothing but a recurrent layer makes them do.
 */
#include "workload/workload_internal.h"

static bool has_recurrence(const dsm_workload *workload) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (workload->layers[i].gates > 0) {
      return true;
    }
  }
  return false;
}

void dsm__recurrence_check(const dsm__workload_builder *builder) {
  const dsm_workload *const workload = builder->workload;
  if (has_recurrence(workload)) {
    return;
  }
  for (size_t i = 0; i < workload->spec_count; i++) {
    if (workload->specs[i].timesteps > 1) {
      const dsm__json_node node = dsm__json_member(&builder->layers.items[i].node, "timesteps");
      dsm__json_warning(&node,
                        "write \"positions\" in place of \"timesteps\" in fc and embedding, and "
                        "attention in place of matmul, where rows do not wait for each other",
                        "%llu timesteps run one after the other though no layer is an lstm",
                        (unsigned long long)workload->specs[i].timesteps);
      return;
    }
  }
}
