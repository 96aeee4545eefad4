/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/recomputation.h"

#include "plan/keeping.h"
#include "plan/segment.h"

static const dsm__word words[] = {
    [DSM_RECOMPUTATION_BEST].key = "best",
    [DSM_RECOMPUTATION_NONE].key = "none",
    [DSM_RECOMPUTATION_SELECTIVE].key = "selective",
    [DSM_RECOMPUTATION_FULL].key = "full",
};
DSM__NAMED_WORDS(dsm__recomputation_words, "recomputation", words, DSM_RECOMPUTATION_COUNT,
                 dsm_recomputation, dsm_recomputation_name);

/* A walk over the layers, which goes from segment to segment. */
typedef struct asking {
  const dsm_workload *workload;
  dsm_recomputation asked;
  dsm__segment_walk walk;
  size_t first; /* of the segment */
  size_t end;   /* behind it */
} asking;

static asking begin(const dsm_workload *workload, dsm_recomputation asked) {
  return (asking){.workload = workload, .asked = asked, .walk = dsm__segments_begin(workload)};
}

/* Is the next layer one that is asked for? */
static bool take(asking *of, size_t index) {
  const dsm_layer *const layer = &of->workload->layers[index];
  if (index == of->end) {
    of->first = index;
    while (!dsm__segment_ends(&of->walk, of->end)) {
      of->end++;
    }
    of->end++;
  }
  const bool is_one = of->asked == DSM_RECOMPUTATION_FULL
                          ? of->end > of->first + 1
                          : of->asked == DSM_RECOMPUTATION_SELECTIVE && layer->is_score;
  return is_one && !of->workload->is_list && layer->timesteps == 1 &&
         dsm__recomputing_pass(layer) != DSM_PASS_COUNT;
}

bool *dsm__recomputed_layers(const dsm_workload *workload, dsm_recomputation asked,
                             dsm__arena *arena) {
  asking of = begin(workload, asked);
  bool *const are = dsm__arena_array(arena, workload->layer_count, sizeof *are);
  for (size_t i = 0; are != NULL && i < workload->layer_count; i++) {
    are[i] = take(&of, i);
  }
  return are;
}

const char *dsm_recomputation_why_not(const dsm_workload *workload, dsm_recomputation asked) {
  asking of = begin(workload, asked);
  bool is_any = asked == DSM_RECOMPUTATION_BEST || asked == DSM_RECOMPUTATION_NONE;
  for (size_t i = 0; !is_any && i < workload->layer_count; i++) {
    is_any = take(&of, i);
  }
  return is_any ? NULL
         : asked == DSM_RECOMPUTATION_FULL
             ? "no segment of the network has several layers, of which one can run again"
             : "the network has no attention that can run again";
}

dsm_recomputation dsm__recomputation_of(const dsm_plan *plan) {
  const dsm_recomputation asked = plan->options.recomputation;
  asking of = begin(plan->workload, asked);
  bool is_as_asked = true;
  for (size_t i = 0; i < plan->layer_count; i++) {
    is_as_asked = plan->layers[i].decisions.is_recomputed == take(&of, i) && is_as_asked;
  }
  return is_as_asked ? asked : DSM_RECOMPUTATION_BEST;
}
