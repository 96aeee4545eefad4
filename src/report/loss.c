/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/loss.h"

#include "model/names.h"

double dsm__share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

dsm__loss dsm__loss_of_pass(const dsm_pass_plan *pass) {
  dsm__loss loss = {
      .busy = pass->ideal_cycles,
      .array = pass->cycles.primary - pass->ideal_cycles,
      .transfer = pass->cycles.overlapped_visible,
      .auxiliary = pass->cycles.auxiliary,
      .other = pass->cycles.non_overlapped,
      .total = pass->cycles.total,
  };
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_COUNT; g++) {
    loss.groups[g] = pass->group_cycles[g];
  }
  return loss;
}

dsm__loss dsm__loss_of_plan(const dsm_plan *plan) {
  const dsm_plan_result *const result = &plan->result;
  dsm__loss loss = {
      .busy = result->ideal_cycles,
      .array = result->cycles.primary - result->ideal_cycles,
      .transfer = result->cycles.overlapped_visible,
      .auxiliary = result->cycles.auxiliary,
      .other = result->cycles.non_overlapped,
      .total = result->cycles.total,
  };
  for (size_t layer = 0; layer < plan->layer_count; layer++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[layer].passes[p];
      for (int g = DSM_GROUP_STREAM + 1; pass->exists && g < DSM_GROUP_COUNT; g++) {
        loss.groups[g] += pass->group_cycles[g];
      }
    }
  }
  return loss;
}

dsm__time_parts dsm__time_parts_of(const dsm__loss *loss) {
  dsm__time_parts parts = {.cycles = {[DSM__PART_BUSY] = loss->busy,
                                      [DSM__PART_ARRAY] = loss->array,
                                      [DSM__PART_TRANSFER] = loss->transfer,
                                      [DSM__PART_AUXILIARY] = loss->auxiliary}};
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_COUNT; g++) {
    parts.cycles[(int)DSM__PART_GROUPS + g - 1] = loss->groups[g];
  }
  return parts;
}

dsm_group dsm__loss_largest_group(const double groups[DSM_GROUP_COUNT]) {
  int largest = DSM_GROUP_STREAM;
  double most = 0;
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_COUNT; g++) {
    if (groups[g] > most) {
      largest = g;
      most = groups[g];
    }
  }
  return (dsm_group)largest;
}

const char *dsm__loss_kind_that_matters(const dsm__loss *loss) {
  static const double least_share = 0.005;
  const bool matters = dsm__share(loss->other, loss->total) >= least_share;
  const dsm_group group = dsm__loss_largest_group(loss->groups);
  return matters && group != DSM_GROUP_STREAM ? dsm__word_brief(&dsm__group_words, group) : "";
}
