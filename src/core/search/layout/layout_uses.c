/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_uses.c: from edges to tensors, passes and layouts.
 *
 * A tensor is numbered by the layer that makes it, its parallelism and its factor: these are what
 * its layouts depend on, and all layers that read it as held share them (section 7). Passes that
 * look alike are one variant, as while nothing moves, and of each variant the useful splits are
 * found once. Only then is it known which layouts of a tensor matter.
 */
#include "search/layout/layout_uses.h"

#include <math.h>
#include <stdlib.h>

/* Where the number of a tensor stands. */
static dsm__layout_slot *place_of(const dsm__layout_uses *uses, size_t layer,
                                  dsm_parallelism parallelism, unsigned factor_index) {
  return &uses->slot_of[(layer * DSM_PARALLELISM_COUNT + (size_t)parallelism) *
                            uses->request->factor_count +
                        factor_index];
}

dsm__layout_slot dsm__layout_slot_of(const dsm__layout_uses *uses, size_t layer,
                                     dsm_parallelism parallelism, unsigned factor_index) {
  return *place_of(uses, layer, parallelism, factor_index) - 1; /* 0 - 1: none */
}

/* Its number, a new one if it has none. */
static dsm__layout_slot take_slot(dsm__layout_uses *uses, size_t layer, dsm_parallelism parallelism,
                                  unsigned factor_index) {
  dsm__layout_slot *const place = place_of(uses, layer, parallelism, factor_index);
  if (*place == 0) {
    *place = (dsm__layout_slot)++uses->slot_count;
  }
  return *place - 1;
}

static const dsm_layer *layer_of(const dsm__layout_uses *uses, size_t node) {
  return &uses->request->table->inputs->workload->layers[uses->request->free->infos[node].layer];
}

/* Finds out what an edge touches, and adds the variants of its passes. */
static bool find_use(dsm__layout_uses *uses, size_t node, size_t edge) {
  const dsm__layout_request *const request = uses->request;
  const dsm__node_info *const info = &request->free->infos[node];
  const dsm__holding *const holding = &request->free->holdings[edge];
  const dsm_mode mode = request->table->inputs->options->mode;
  dsm__layout_use *const use = &uses->edges[edge];
  use->is_touching =
      dsm__network_is_layer(info) && (holding->is_input_held || holding->is_output_held);
  if (!use->is_touching) {
    return true;
  }
  const dsm__layer_step step = dsm__network_step_unpack(request->free->edges[edge].tag);
  const dsm_parallelism parallelism = (dsm_parallelism)info->forward;
  if (holding->is_output_held) {
    use->own = take_slot(uses, info->layer, parallelism, step.factor_index);
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    use->profiles[p] = SIZE_MAX;
    if (dsm_pass_exists(layer_of(uses, node), mode, (dsm_pass)p)) {
      use->profiles[p] =
          dsm__variants_add(&uses->variants, request->table->distinct.class_of[info->layer],
                            (dsm_pass)p, parallelism, step.factor_index, holding);
      if (use->profiles[p] == SIZE_MAX) {
        return false;
      }
    }
  }
  return true;
}

/* Adds what the passes of an edge demand of the layouts that they touch. */
static bool add_demands(dsm__layout_uses *uses, size_t node, size_t edge) {
  const dsm__holding *const holding = &uses->request->free->holdings[edge];
  const dsm__node_info *const info = &uses->request->free->infos[node];
  const dsm__layer_step step = dsm__network_step_unpack(uses->request->free->edges[edge].tag);
  const dsm_layer *const layer = layer_of(uses, node);
  const dsm__layout_use *const use = &uses->edges[edge];
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (use->profiles[p] == SIZE_MAX) {
      continue;
    }
    const dsm__layout_profile *const profile = &uses->profiles.items[use->profiles[p]];
    if (holding->is_output_held &&
        !dsm__layout_choices_add(&uses->choices, use->own, profile, true)) {
      return false;
    }
    for (size_t i = 0; holding->is_input_held && i < layer->producer_count; i++) {
      const dsm__layout_slot slot =
          take_slot(uses, layer->producers[i], (dsm_parallelism)info->forward, step.factor_index);
      if (!dsm__layout_choices_add(&uses->choices, slot, profile, false)) {
        return false;
      }
    }
  }
  return true;
}

typedef bool (*edge_visitor)(dsm__layout_uses *uses, size_t node, size_t edge);

/* All edges that are in and (unless that is to be found out) touch something. */
static bool visit_edges(dsm__layout_uses *uses, bool are_all, edge_visitor visit) {
  const dsm__graph *const graph = &uses->request->free->graph;
  for (size_t v = 0; v + 1 < graph->node_count; v++) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      if (uses->request->is_edge_in[e] != 0 && (are_all || uses->edges[e].is_touching) &&
          !visit(uses, v, e)) {
        return false;
      }
    }
  }
  return true;
}

/*
 * What layouts can add at most to a path within the limit: what that leaves to the fastest of the
 * edges that are in; and a little more, for rounding. False if out of memory.
 *
 * Layouts add to a path no more than the limit less what the path takes without them, which is at
 * least what the fastest path of the edges takes. A split that costs a pass more than that beyond
 * its fastest is on no mapping within the limit. So the nearer the known mapping is to the free
 * optimum, the fewer splits are looked at.
 */
static bool find_slack(const dsm__layout_request *request, double *slack, dsm__arena *arena) {
  const dsm__graph *const graph = &request->free->graph;
  const size_t last = graph->node_count - 1;
  double *const rest = dsm__arena_array(arena, graph->node_count, sizeof *rest);
  if (rest == NULL) {
    return false;
  }
  rest[last] = 0;
  for (size_t v = last; v-- > 0;) {
    rest[v] = HUGE_VAL;
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      if (request->is_edge_in[e] != 0) {
        rest[v] = fmin(rest[v], graph->edges[e].cost + rest[graph->edges[e].to]);
      }
    }
  }
  const double most = request->cost_limit;
  *slack = isfinite(most) ? (most - rest[0]) * (1 + 1e-6) + most * 1e-10 : HUGE_VAL;
  return true;
}

bool dsm__layout_uses_find(dsm__layout_uses *uses, const dsm__layout_request *request,
                           dsm__arena *arena) {
  const dsm__graph *const graph = &request->free->graph;
  const dsm__search_inputs *const inputs = request->table->inputs;
  const dsm__core_layouts *const layouts = request->layouts;
  *uses = (dsm__layout_uses){.request = request};
  double slack = HUGE_VAL;
  const size_t tensors =
      inputs->workload->layer_count * DSM_PARALLELISM_COUNT * (size_t)request->factor_count;
  dsm__variants_init(&uses->variants, request->table);
  if (!find_slack(request, &slack, arena) || !DSM__RESERVE(arena, uses->codes, layouts->count) ||
      !DSM__RESERVE(arena, uses->edges, dsm__graph_edge_count(graph)) ||
      !DSM__RESERVE(arena, uses->slot_of, tensors)) {
    return false;
  }
  for (size_t i = 0; i < layouts->count; i++) {
    uses->codes[i] = dsm__layout_code(dsm__layout_divisors(uses), &layouts->items[i]);
  }
  uses->choices.divisors = dsm__layout_divisors(uses);
  uses->choices.layouts = uses->codes;
  uses->choices.deadline = inputs->deadline;
  uses->choices.layout_count = layouts->count;
  return visit_edges(uses, true, find_use) &&
         dsm__layout_profiles_score(&uses->profiles, &uses->variants, slack,
                                    inputs->options->thread_count) &&
         visit_edges(uses, false, add_demands) &&
         dsm__layout_choices_derive(&uses->choices, uses->slot_count, arena);
}

void dsm__layout_uses_fini(dsm__layout_uses *uses) {
  dsm__variants_fini(&uses->variants);
  dsm__layout_profiles_fini(&uses->profiles);
  free(uses->choices.demands.items);
}

void dsm__layout_extras(const dsm__layout_uses *uses, size_t edge,
                        const dsm__touched_layouts *touched, double most, double *scratch,
                        double *extras) {
  const size_t count = touched->output_count;
  for (size_t i = 0; i < count; i++) {
    extras[i] = 0;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const size_t profile = uses->edges[edge].profiles[p];
    if (profile != SIZE_MAX) {
      dsm__layout_profile_extras(&uses->profiles.items[profile], touched, most, scratch,
                                 scratch + count);
      for (size_t i = 0; i < count; i++) {
        extras[i] += scratch[count + i];
      }
    }
  }
}
