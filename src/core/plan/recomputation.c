/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/recomputation.h"

#include "plan/keeping.h"
#include "plan/segments.h"
#include "plan/strategy_rules.h"

static const dsm__word words[] = {
    [DSM_RECOMPUTATION_BEST].key = "best",
    [DSM_RECOMPUTATION_NONE].key = "none",
    [DSM_RECOMPUTATION_SELECTIVE].key = "selective",
    [DSM_RECOMPUTATION_FULL].key = "full",
    [DSM_RECOMPUTATION_OPERATIONS].key = "operations",
    [DSM_RECOMPUTATION_BY_OPERATION].key = "by_operation",
};
DSM__NAMED_WORDS(dsm__recomputation_words, "recomputation", words, DSM_RECOMPUTATION_COUNT,
                 dsm_recomputation, dsm_recomputation_name);

/* A walk over the layers, which goes from segment to segment. */
typedef struct asking {
  const dsm_workload *workload;
  dsm_recomputation asked;
  dsm__segment_walk walk;  /* ahead, to the end of the segment, */
  dsm__segment_walk inner; /* and to the layer */
  size_t first;            /* of the segment */
  size_t end;              /* behind it */
} asking;

static asking begin(const dsm_workload *workload, dsm_recomputation asked) {
  const dsm__segment_walk walk = dsm__segments_begin(workload);
  return (asking){.workload = workload, .asked = asked, .walk = walk, .inner = walk};
}

bool dsm__has_operations(const dsm_layer *layer) {
  return layer->input_op_elements > 0 || layer->mask_elements > 0 || layer->kept_results > 0 ||
         layer->kept_activations > 0 || layer->has_op[DSM_AUX_CROSS_ENTROPY];
}

/* What is asked for of the next layer. The segments of a block are one. */
static dsm__again take(asking *of, size_t index) {
  const dsm_layer *const layer = &of->workload->layers[index];
  const bool is_end = dsm__segment_ends(&of->inner, index);
  if (index == of->end) {
    of->first = index;
    while (!dsm__segment_ends(&of->walk, of->end) ||
           dsm__segment_may_go_on(of->workload, of->end)) {
      of->end++;
    }
    of->end++;
  }
  const bool is_one = of->asked == DSM_RECOMPUTATION_FULL
                          ? of->end > of->first + 1
                          : of->asked == DSM_RECOMPUTATION_SELECTIVE && layer->is_score;
  const bool is_of_operations =
      of->asked == DSM_RECOMPUTATION_OPERATIONS && dsm__has_operations(layer);
  if (is_of_operations && dsm__layer_may(of->workload, index, DSM__CHOICE_RECOMPUTED)) {
    return DSM__AGAIN_OPERATIONS;
  }
  if (!is_one || !dsm__layer_may(of->workload, index, DSM__CHOICE_RECOMPUTED)) {
    return DSM__AGAIN_NOTHING;
  }
  return is_end && index + 1 < of->end && of->asked == DSM_RECOMPUTATION_FULL ? DSM__AGAIN_ALL
                                                                              : DSM__AGAIN_INSIDE;
}

dsm__again *dsm__recomputed_layers(const dsm_workload *workload, dsm_recomputation asked,
                                   dsm__arena *arena) {
  asking of = begin(workload, asked);
  dsm__again *const are = dsm__arena_array(arena, workload->layer_count, sizeof *are);
  for (size_t i = 0; are != NULL && i < workload->layer_count; i++) {
    are[i] = take(&of, i);
  }
  return are;
}

const char *dsm_recomputation_why_not(const dsm_workload *workload, dsm_recomputation asked) {
  asking of = begin(workload, asked);
  bool is_any = !dsm__is_recomputation_fixed(asked) || asked == DSM_RECOMPUTATION_NONE;
  for (size_t i = 0; !is_any && i < workload->layer_count; i++) {
    is_any = take(&of, i) != DSM__AGAIN_NOTHING;
  }
  return is_any ? NULL
         : asked == DSM_RECOMPUTATION_FULL
             ? "no segment of the network has several layers, of which one can run again"
         : asked == DSM_RECOMPUTATION_OPERATIONS
             ? "no layer keeps anything for operations beside its product"
             : "the network has no attention that can run again";
}

dsm_recomputation dsm__recomputation_of(const dsm_plan *plan, dsm_recomputation asked) {
  asking of = begin(plan->workload, asked);
  bool is_as_asked = true;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_decisions *const own = &plan->layers[i].decisions;
    is_as_asked = is_as_asked && dsm__again_of(own) == take(&of, i);
  }
  return is_as_asked || !dsm__is_recomputation_fixed(asked) ? asked
         : dsm__may_keep_products(asked)                    ? DSM_RECOMPUTATION_BY_OPERATION
                                                            : DSM_RECOMPUTATION_BEST;
}
