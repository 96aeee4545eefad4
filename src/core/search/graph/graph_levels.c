/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_levels.c: paths parted by the node that they have on a level.
 *
 * The relaxation's bound is that of a mixture of two paths, one too large and fast, the other small
 * and slow, in the shares that just fill the memory. Where a path can go over from the one to the
 * other for next to nothing, some path is nearly as fast; where that costs much, as in a network
 * whose blocks all have one layout or all another, none is, and the bound is loose. On the level
 * where the fast path has filled the memory so far that only the slow one fits behind it, every
 * path is either on the fast one's side, and then has to go over behind that level, or on the slow
 * one's, and has gone over before it. Relaxed by itself, each side is bounded with what that costs.
 */
#include "search/graph/graph_levels.h"

#include <math.h>
#include <string.h>

bool dsm__graph_levels_find(const dsm__graph *graph, dsm__arena *arena, dsm__graph_levels *levels) {
  const size_t count = graph->node_count;
  uint32_t *const level = dsm__arena_array(arena, count, sizeof *level);
  uint32_t *const nodes = dsm__arena_array(arena, count, sizeof *nodes);
  size_t *const first = dsm__arena_array(arena, count + 1, sizeof *first);
  *levels = (dsm__graph_levels){.nodes = nodes, .first = first};
  if (level == NULL || nodes == NULL || first == NULL) {
    return false;
  }
  memset(level, 0, count * sizeof *level);
  memset(first, 0, (count + 1) * sizeof *first);
  for (size_t v = 0; v < count; v++) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      uint32_t *const to = &level[graph->edges[e].to];
      if (*to != 0 && *to != level[v] + 1) {
        return true; /* another path is longer or shorter */
      }
      *to = level[v] + 1;
    }
    first[level[v] + 1]++;
  }
  levels->count = (size_t)level[count - 1] + 1;
  for (size_t l = 0; l < levels->count; l++) {
    first[l + 1] += first[l];
  }
  for (size_t v = count; v-- > 0;) { /* first[l + 1] goes down to where level l begins */
    nodes[--first[level[v] + 1]] = (uint32_t)v;
  }
  memmove(first, first + 1, levels->count * sizeof *first);
  first[levels->count] = count;
  return true;
}

/* The node on each level of the cheapest path of a head, and of a tail. */
static void list_head(const dsm__graph *graph, const dsm__graph_tree *head, size_t levels,
                      uint32_t *nodes) {
  uint32_t at = (uint32_t)(graph->node_count - 1);
  for (size_t l = levels; l-- > 0;) {
    nodes[l] = at;
    at = l > 0 ? head->from[at] : 0;
  }
}

static void list_tail(const dsm__graph *graph, const dsm__graph_tree *tail, size_t levels,
                      uint32_t *nodes) {
  uint32_t at = 0;
  for (size_t l = 0; l < levels; l++) {
    nodes[l] = at;
    at = l + 1 < levels ? graph->edges[tail->edges[at]].to : at;
  }
}

/* The level where the memory is full if the fast path is gone to it and the lean one on; of levels
 * on which the two differ the nearest. SIZE_MAX: they nowhere do. */
static size_t find_level(const dsm__graph_relaxed *r, size_t levels, const uint32_t *fast,
                         const uint32_t *lean) {
  const double room = r->graph->capacity_bytes - r->least_transient;
  size_t full = 0;
  while (full + 1 < levels &&
         r->heads[0].sums[fast[full]].kept_bytes + r->tail.sums[lean[full]].kept_bytes <= room) {
    full++;
  }
  for (size_t away = 0; away < levels; away++) {
    if (full + away < levels && fast[full + away] != lean[full + away]) {
      return full + away;
    }
    if (away <= full && fast[full - away] != lean[full - away]) {
      return full - away;
    }
  }
  return SIZE_MAX;
}

/* What the cheapest path through a node keeps. */
static double kept_through(const dsm__graph_relaxed *r, uint32_t node) {
  return r->heads[0].sums[node].kept_bytes + r->tail.sums[node].kept_bytes;
}

static bool is_reached(const dsm__graph_relaxed *r, uint32_t node) {
  return isfinite(r->heads[0].sums[node].cost) && isfinite(r->tail.sums[node].cost);
}

/*
 * A node is on the fast path's side if the cheapest path through it, at a price at which the fast
 * path is, keeps more nearly what the fast path keeps than what the cheapest one through the lean
 * path's node does. Any parting gives true bounds; this one parts what goes over from what does
 * not.
 */
bool dsm__graph_part(const dsm__graph_levels *levels, dsm__graph_relaxed *relaxed,
                     const dsm__graph_side *whole, const dsm__graph_side *sides[2]) {
  dsm__graph_relaxed *const r = relaxed;
  if (levels->count == 0) {
    return false;
  }
  uint32_t *const fast = dsm__arena_array(r->arena, 2 * levels->count, sizeof *fast);
  if (fast == NULL) {
    return false;
  }
  uint32_t *const lean = fast + levels->count;
  list_head(r->graph, &r->heads[0], levels->count, fast);
  list_tail(r->graph, &r->tail, levels->count, lean);
  const size_t level = find_level(r, levels->count, fast, lean);
  if (level == SIZE_MAX) {
    return false;
  }
  dsm__graph_plant_tail(r->graph, &r->tail, r->heads[0].price, r->transient_limit);
  r->work += 2 * (double)dsm__graph_edge_count(r->graph);
  const double of_fast = kept_through(r, fast[level]);
  const double of_lean = kept_through(r, lean[level]);
  if (!is_reached(r, lean[level]) || of_lean >= of_fast) {
    return false;
  }
  const uint32_t *const nodes = &levels->nodes[levels->first[level]];
  const size_t count = levels->first[level + 1] - levels->first[level];
  dsm__graph_side *const made = dsm__arena_array(r->arena, 2, sizeof *made);
  uint32_t *const left_out = dsm__arena_array(r->arena, count, sizeof *left_out);
  if (made == NULL || left_out == NULL) {
    return false;
  }
  size_t first_count = 0; /* the fast side leaves out the first ones, the lean side the last */
  size_t last_count = 0;
  for (size_t i = 0; i < count; i++) {
    const bool is_fast =
        is_reached(r, nodes[i]) && kept_through(r, nodes[i]) > (of_fast + of_lean) / 2;
    if (is_fast) {
      left_out[count - ++last_count] = nodes[i];
    } else {
      left_out[first_count++] = nodes[i];
    }
  }
  made[0] = (dsm__graph_side){whole, left_out, first_count};
  made[1] = (dsm__graph_side){whole, left_out + first_count, last_count};
  sides[0] = &made[0];
  sides[1] = &made[1];
  return true;
}

void dsm__graph_take_side(const dsm__graph *graph, const dsm__graph_side *side,
                          dsm__graph_node *nodes) {
  memcpy(nodes, graph->nodes, (graph->node_count + 1) * sizeof *nodes);
  for (; side != NULL; side = side->whole) {
    for (size_t i = 0; i < side->count; i++) {
      nodes[side->left_out[i]].transient_bytes = HUGE_VAL;
    }
  }
}
