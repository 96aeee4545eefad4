/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal_keeping.c: shards, and layers that are made anew (section 12). */
#include "plan/keeping.h"
#include "plan/legal_internal.h"
#include "plan/segments.h"

static bool reads_held(const dsm__judge *judge, const size_t *makers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (makers[i] != DSM_NETWORK_INPUT && dsm__judged(judge, makers[i])->layer.is_output_held) {
      return true;
    }
  }
  return false;
}

/* What held tensors a forward pass reads and leaves is no longer there when it runs again. */
static bool is_beside_held(const dsm__judge *judge, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  return dsm__judged(judge, index)->layer.is_output_held ||
         reads_held(judge, layer->producers, layer->producer_count) ||
         reads_held(judge, layer->operands, layer->operand_count) ||
         reads_held(judge, layer->shortcuts, layer->shortcut_count);
}

/* Why a layer cannot be made anew; NULL: it can. */
static const char *why_not_recomputed(const dsm__judge *judge, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  if (!dsm__is_optimized(judge, DSM_OPTIMIZATION_RECOMPUTE)) {
    return "without the optimization recompute";
  }
  if (judge->of->workload->is_list) {
    return "in a list of layers, which keeps nothing";
  }
  if (layer->timesteps > 1) {
    return "in a layer with timesteps";
  }
  if (dsm__recomputing_pass(layer) == DSM_PASS_COUNT) {
    return "in a layer without a backward and an update pass";
  }
  if (is_beside_held(judge, index)) {
    return "in a layer whose output, or something that it reads, stays on chip";
  }
  return dsm__differing_pass(judge, index) != DSM_PASS_COUNT
             ? "in a layer whose passes differ in parallelism"
             : NULL;
}

bool dsm__is_recomputed_well(const dsm__judge *judge, size_t index) {
  return dsm__judged(judge, index)->layer.is_recomputed && why_not_recomputed(judge, index) == NULL;
}

static void judge_shard(dsm__judge *judge, size_t index) {
  const dsm__plan_place place = DSM__LAYER_PLACE(index, shard);
  const dsm_sharding shard = dsm__judged(judge, index)->layer.shard;
  const char *why = NULL;
  if (!dsm__is_optimized(judge, DSM_OPTIMIZATION_SHARD)) {
    why = "without the optimization shard";
  } else if (dsm__judged_layer(judge, index)->weight_elements == 0) {
    why = "in a layer without weights";
  } else if (judge->group_of[index] != DSM_NO_PIPELINE) {
    why = "in a pipeline group";
  } else if (dsm__differing_pass(judge, index) != DSM_PASS_COUNT) {
    why = "in a layer whose passes differ in parallelism";
  }
  if (shard != DSM_SHARDING_NONE && why != NULL) {
    dsm__judge_tell(judge, place, NULL, "expected \"none\" %s, found \"%s\"", why,
                    dsm_sharding_name(shard));
  }
}

/* Does a segment end with a layer inside of a repetition of a block? */
static bool may_go_on(const dsm_workload *workload, size_t index) {
  dsm__segment_walk walk = dsm__segments_begin(workload);
  bool is_end = false;
  for (size_t i = 0; i <= index; i++) {
    is_end = dsm__segment_ends(&walk, i);
  }
  return is_end && dsm__segment_may_go_on(workload, index);
}

static void judge_output(dsm__judge *judge, size_t index) {
  const dsm_layer_decisions *const own = &dsm__judged(judge, index)->layer;
  const char *const why = !own->is_recomputed ? "in a layer whose forward pass does not run again"
                          : !may_go_on(judge->of->workload, index)
                              ? "but where a segment ends inside a repetition of a block"
                              : NULL;
  if (own->is_output_recomputed && why != NULL) {
    dsm__judge_tell(judge, DSM__LAYER_PLACE(index, is_output_recomputed), NULL,
                    "expected false %s, found true", why);
  }
}

void dsm__judge_keeping(dsm__judge *judge, size_t index) {
  const char *const why = why_not_recomputed(judge, index);
  judge_shard(judge, index);
  judge_output(judge, index);
  if (dsm__judged(judge, index)->layer.is_recomputed && why != NULL) {
    dsm__judge_tell(judge, DSM__LAYER_PLACE(index, is_recomputed), NULL,
                    "expected false %s, found true", why);
  }
}
