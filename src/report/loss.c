/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/loss.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const char *const group_words[] = {
    [DSM_GROUP_STREAM] = "stream",           [DSM_GROUP_PARTIAL_SUM] = "sums",
    [DSM_GROUP_LAYOUT_MOVE] = "move",        [DSM_GROUP_ROTATION] = "rotate",
    [DSM_GROUP_HAND_OVER] = "handover",      [DSM_GROUP_SUM_OF_GRADIENTS] = "reduce",
    [DSM_GROUP_BROADCAST_WEIGHTS] = "bcast", [DSM_GROUP_WEIGHT_UPDATE] = "update",
    [DSM_GROUP_RELAYOUT] = "relayout",
};
_Static_assert(COUNT_OF(group_words) == DSM_GROUP_COUNT, "a word for each group");

static const char *const group_phrases[] = {
    [DSM_GROUP_STREAM] = "transfers that computation does not hide",
    [DSM_GROUP_PARTIAL_SUM] = "adding up partial sums between cores",
    [DSM_GROUP_LAYOUT_MOVE] = "moving held tensors between cores",
    [DSM_GROUP_ROTATION] = "rotating errors between chips",
    [DSM_GROUP_HAND_OVER] = "handing over to the next stage of the pipeline",
    [DSM_GROUP_SUM_OF_GRADIENTS] = "summing gradients over chips",
    [DSM_GROUP_BROADCAST_WEIGHTS] = "broadcasting weights to chips",
    [DSM_GROUP_WEIGHT_UPDATE] = "updating weights in memory",
    [DSM_GROUP_RELAYOUT] = "relayout between parallelisms",
};
_Static_assert(COUNT_OF(group_phrases) == DSM_GROUP_COUNT, "a phrase for each group");

static const char *const pass_words[] = {
    [DSM_PASS_FORWARD] = "fwd",
    [DSM_PASS_BACKWARD] = "bwd",
    [DSM_PASS_UPDATE] = "upd",
};
_Static_assert(COUNT_OF(pass_words) == DSM_PASS_COUNT, "a word for each pass");

static const char *const parallelism_words[] = {
    [DSM_PARALLELISM_DATA] = "data",
    [DSM_PARALLELISM_MODEL] = "model",
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = "DxMy",
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = "MxDy",
};
_Static_assert(COUNT_OF(parallelism_words) == DSM_PARALLELISM_COUNT, "a word for each parallelism");

const char *dsm__group_word(dsm_group group) {
  return group_words[group];
}

const char *dsm__group_phrase(dsm_group group) {
  return group_phrases[group];
}

const char *dsm__pass_word(dsm_pass pass) {
  return pass_words[pass];
}

const char *dsm__parallelism_word(dsm_parallelism parallelism) {
  return parallelism_words[parallelism];
}

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
  return matters && group != DSM_GROUP_STREAM ? dsm__group_word(group) : "";
}
