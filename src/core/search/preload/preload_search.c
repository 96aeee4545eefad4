/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_search.c: the fastest mapping of a level, by partial mappings that can still win.
 *
 * Labels are extended node by node in the order of the graph. Of two labels of a node, one that has
 * no more bytes and no more cycles makes the other superfluous: what goes on from the one goes on
 * from the other, at the same cost and within the same room. Labels with a layer that is still to
 * get its part are compared among those with the same run, and with those without such a layer, of
 * which the better is one that is not slower even if the part saves all that it can.
 *
 * Why one such layer is enough: along a fall the time is concave in the bytes (section 10). If two
 * layers lie strictly inside their falls, moving bytes from one to the other keeps the sum of
 * bytes, and the sum of two concave functions is least at an end of that move. So from any mapping
 * one with at most one layer inside is reached that is no slower, and all others are at ends of
 * their runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_list.h"
#include "base/order.h"
#include "plan/tolerance.h"
#include "search/preload/preload_outlook.h"

#define NO_LABEL UINT32_MAX
#define NO_RUN UINT32_MAX

/* A path from the first node to some node, and how its layers run. One of them may be deferred: it
 * gets what all others leave, and its cycles count at last. */
typedef struct label {
  double cycles;
  double bytes;
  uint32_t deferred_run; /* NO_RUN: none */
  uint32_t end;          /* which of its run's ends; end_count: deferred */
  size_t edge;           /* the last */
  uint32_t before;       /* the label of the path without it */
  uint32_t next;         /* at the same node */
} label;

typedef struct labelling {
  const dsm__preload_outlook *outlook;
  dsm__preload_level *level;
  bool may_share; /* a layer may be deferred */
  double limit;
  DSM__LIST(label) labels;
  uint32_t *first;            /* of each node */
  DSM__LIST(uint32_t) sorted; /* labels of the node at hand */
  bool is_full;               /* too many labels */
} labelling;

static bool can_win(const labelling *l, const label *one, uint32_t node) {
  const dsm__preload_standing standing = {node, one->deferred_run, one->cycles, one->bytes};
  return dsm__preload_can_win(l->outlook, &standing, l->may_share, l->limit);
}

/* Adds a label to a node, if it can win. False if out of memory. */
static bool add_label(labelling *l, label one, uint32_t node) {
  if (one.bytes > dsm__capacity_limit(l->level->room_bytes) || !can_win(l, &one, node)) {
    return true;
  }
  if (l->labels.count == DSM__PRELOAD_LABELS_MAX) {
    l->is_full = true;
    return true;
  }
  if (!DSM__LIST_RESERVE(&l->labels, 1)) {
    return false;
  }
  one.next = l->first[node];
  l->labels.items[l->labels.count] = one;
  l->first[node] = (uint32_t)l->labels.count++;
  return true;
}

/* One edge further: a layer with each of its ends, or deferred. */
static bool extend(labelling *l, uint32_t from, size_t edge) {
  const dsm__preload_level *const level = l->level;
  const uint32_t to = level->network.edges[edge].to;
  const size_t run_index = level->run_of[edge];
  label one = l->labels.items[from];
  one.edge = edge;
  one.before = from;
  one.end = 0;
  if (run_index == SIZE_MAX) {
    one.cycles += level->fixed_cycles[edge];
    return add_label(l, one, to);
  }
  const dsm__resident_run *const run = level->runs.items[run_index].of;
  const label base = one;
  for (size_t i = 0; i < run->end_count; i++) {
    one = base;
    one.cycles += run->ends[i].cycles;
    one.bytes += run->ends[i].bytes;
    one.end = (uint32_t)i;
    if (!add_label(l, one, to)) {
      return false;
    }
  }
  const size_t *const first_part = &l->outlook->first_part[run_index];
  if (!l->may_share || first_part[0] == first_part[1] || base.deferred_run != NO_RUN) {
    return true; /* no part of its weights helps, or none is to get one */
  }
  one = base;
  one.deferred_run = (uint32_t)run_index;
  one.end = (uint32_t)run->end_count;
  return add_label(l, one, to);
}

/* What dominance compares, copied so that sorting needs no context. */
typedef struct rank {
  double bytes;
  double cycles;
  uint32_t deferred_run;
  uint32_t index;
} rank;

/* Without a deferred layer first; then by run; then fewest bytes, fewest cycles, the first. */
static int compare_ranks(const void *left, const void *right) {
  const rank *const a = left;
  const rank *const b = right;
  const int by_run = dsm__order_whole(a->deferred_run + 1, b->deferred_run + 1);
  const int by_bytes = dsm__order_then(by_run, dsm__order(a->bytes, b->bytes));
  const int by_cycles = dsm__order_then(by_bytes, dsm__order(a->cycles, b->cycles));
  return dsm__order_then(by_cycles, dsm__order_whole(a->index, b->index));
}

/*
 * Is a label with a deferred layer no better than one without, even if that layer is as fast as it
 * can be? The first `count` ranks are those without, each with more bytes and fewer cycles.
 *
 * The label without is as good if its cycles are no more than those of the other with its layer at
 * its fastest; its bytes are no more by the search. Whatever part the deferred layer gets, the
 * other mapping is then no slower and leaves as much room.
 */
static bool is_beaten_without(const labelling *l, const rank *ranks, size_t count,
                              const rank *one) {
  size_t low = 0; /* those before have no more bytes */
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (ranks[middle].bytes <= one->bytes) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const dsm__resident_run *const run = l->level->runs.items[one->deferred_run].of;
  return low > 0 && ranks[low - 1].cycles <= one->cycles + run->ends[run->end_count - 1].cycles;
}

/* Keeps the labels that no other is at least as good as; how many they are. */
static size_t reduce(const labelling *l, rank *ranks, size_t count) {
  size_t kept = 0;
  size_t plain = 0; /* kept without a deferred layer */
  qsort(ranks, count, sizeof *ranks, compare_ranks);
  for (size_t i = 0; i < count; i++) {
    const rank one = ranks[i];
    const bool is_plain = one.deferred_run == NO_RUN;
    const bool is_beaten = kept > 0 && ranks[kept - 1].deferred_run == one.deferred_run &&
                           ranks[kept - 1].cycles <= one.cycles;
    if (!is_beaten && (is_plain || !is_beaten_without(l, ranks, plain, &one))) {
      ranks[kept++] = one;
      plain += is_plain ? 1 : 0;
    }
  }
  return kept;
}

/* The labels of a node without those that are dominated, in *sorted. False if out of memory. */
static bool collect(labelling *l, uint32_t node, size_t *count) {
  size_t all = 0;
  for (uint32_t i = l->first[node]; i != NO_LABEL; i = l->labels.items[i].next) {
    all++;
  }
  *count = 0;
  if (all == 0) {
    return true;
  }
  rank *const ranks = malloc(all * sizeof *ranks);
  if (ranks == NULL) {
    return false;
  }
  size_t filled = 0;
  for (uint32_t i = l->first[node]; i != NO_LABEL; i = l->labels.items[i].next) {
    const label *const one = &l->labels.items[i];
    ranks[filled++] = (rank){one->bytes, one->cycles, one->deferred_run, i};
  }
  *count = reduce(l, ranks, all);
  const bool has_room = DSM__LIST_RESERVE(&l->sorted, *count);
  for (size_t i = 0; has_room && i < *count; i++) {
    l->sorted.items[i] = ranks[i].index;
  }
  free(ranks);
  return has_room;
}

/* Labels of all nodes; *count of the last one's stay in sorted. */
static bool run_through(labelling *l, size_t *count) {
  const dsm__graph *const graph = &l->level->network.graph;
  const label start = {.deferred_run = NO_RUN, .edge = SIZE_MAX, .before = NO_LABEL};
  if (!add_label(l, start, 0)) {
    return false;
  }
  for (size_t v = 0; v < graph->node_count && !l->is_full; v++) {
    l->is_full = dsm__problem_is_over(&l->level->problem);
    if (!collect(l, (uint32_t)v, count)) {
      return false;
    }
    for (size_t i = 0; i < *count && !l->is_full; i++) {
      for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
        if (!extend(l, l->sorted.items[i], e)) {
          return false;
        }
      }
    }
  }
  return true;
}

/* How the deferred layer of a whole path runs. */
static dsm__resident deferred_of(labelling *l, const label *whole) {
  return dsm__resident_within(l->level->runs.items[whole->deferred_run].of,
                              &l->level->problem.table.splits, l->level->room_bytes - whole->bytes,
                              &l->level->problem.found->evaluations);
}

/* The fastest of whole paths; NO_LABEL if none is below the limit. */
static uint32_t find_fastest(labelling *l, size_t count) {
  uint32_t fastest = NO_LABEL;
  double least = l->limit;
  for (size_t i = 0; i < count; i++) {
    const label *const one = &l->labels.items[l->sorted.items[i]];
    double cycles = one->cycles;
    if (one->deferred_run != NO_RUN) {
      const double left = l->level->room_bytes - one->bytes;
      const dsm__resident_run *const run = l->level->runs.items[one->deferred_run].of;
      if (cycles + dsm__resident_promise(run, left) >= least) {
        continue;
      }
      cycles += deferred_of(l, one).cycles;
    }
    if (cycles < least) {
      least = cycles;
      fastest = l->sorted.items[i];
    }
  }
  return fastest;
}

static void write_mapping(labelling *l, uint32_t whole, dsm__preload_mapping *mapping) {
  const dsm__preload_level *const level = l->level;
  size_t length = 0;
  for (uint32_t i = whole; l->labels.items[i].before != NO_LABEL; i = l->labels.items[i].before) {
    length++;
  }
  mapping->path.length = length;
  for (uint32_t i = whole; length > 0; i = l->labels.items[i].before) {
    mapping->path.edges[--length] = l->labels.items[i].edge;
  }
  dsm__preload_follow(level, mapping);
  size_t step = mapping->step_count;
  for (uint32_t i = whole; step > 0; i = l->labels.items[i].before) {
    const label *const one = &l->labels.items[i];
    if (level->run_of[one->edge] != SIZE_MAX) {
      const dsm__resident_run *const run = level->runs.items[mapping->steps[--step].run].of;
      mapping->steps[step].how =
          one->end < run->end_count ? run->ends[one->end] : deferred_of(l, &l->labels.items[whole]);
    }
  }
  dsm__preload_sum(mapping);
}

bool dsm__preload_search(dsm__preload_level *level, const dsm__preload_outlook *outlook,
                         const dsm__preload_aim *aim, dsm__preload_mapping *mapping,
                         dsm__preload_exact *exact) {
  const size_t node_count = level->network.graph.node_count;
  labelling l = {
      .outlook = outlook, .level = level, .may_share = aim->may_share, .limit = aim->limit};
  l.first = malloc(node_count * sizeof l.first[0]);
  bool is_done = l.first != NULL;
  size_t count = 0;
  *exact = (dsm__preload_exact){.is_complete = false};
  for (size_t v = 0; is_done && v < node_count; v++) {
    l.first[v] = NO_LABEL;
  }
  is_done = is_done && run_through(&l, &count);
  if (is_done && !l.is_full) {
    const uint32_t fastest = find_fastest(&l, count);
    exact->is_complete = true;
    exact->is_found = fastest != NO_LABEL;
    if (exact->is_found) {
      write_mapping(&l, fastest, mapping);
    }
  }
  free(l.labels.items);
  free(l.first);
  free(l.sorted.items);
  return is_done;
}
