/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_outlook.c: how fast a level's partial mappings can still become (section 10).
 *
 * Two bounds from below, of which either can be the better. With a price on each byte of weights,
 * as in the bound of the level, for some prices; that is tight where many layers share the room.
 * And tables by the room that is left, in units: no layer takes more units than its bytes, rounded
 * down, so that the table of a node has the fastest of all ways to go on with so many units, and
 * nothing that fits is faster. That is tight where few layers of many bytes do.
 */
#include "search/preload/preload_outlook.h"

#include <math.h>
#include <string.h>

/* The price of the bound is the best for the whole path. What is left to a partial mapping may be
 * much or little room for the layers to come, for which others are better. */
static const double price_factors[DSM__PROSPECTS] = {1, 0, 0.5, 2};

/* Numbers in a table, units of the room: at most, and so few that a table is of no use; and into
 * how many steps the way from one end of a run to the next is divided. */
enum { CELLS_MAX = 1 << 20, UNITS_MAX = 2048, UNITS_MIN = 128, STEPS_MAX = 16, PARTS_MAX = 128 };

/* Sums of cycles are wrong by less than this part of them. */
static const double rounding = 1e-12;

/* ---- at prices ---- */

static bool look_at_price(dsm__preload_outlook *outlook, dsm__preload_level *level, double price,
                          dsm__preload_prospect *p) {
  dsm__arena *const arena = level->problem.arena;
  const size_t node_count = level->network.graph.node_count;
  p->price = price;
  p->refund = price * level->room_bytes;
  if (!DSM__RESERVE(arena, p->rest, node_count) ||
      !DSM__RESERVE(arena, p->deferred, level->runs.count)) {
    return false;
  }
  dsm__preload_set_price(level, price);
  memcpy(p->rest, level->rest, node_count * sizeof p->rest[0]);
  for (size_t r = 0; r < level->runs.count; r++) {
    p->deferred[r] = level->runs.items[r].priced;
  }
  outlook->level = level;
  return true;
}

static bool can_win_at_prices(const dsm__preload_outlook *outlook,
                              const dsm__preload_standing *standing, double limit) {
  for (int i = 0; i < DSM__PROSPECTS; i++) {
    const dsm__preload_prospect *const p = &outlook->prospects[i];
    double value = standing->cycles + p->price * standing->bytes + p->rest[standing->node];
    value += standing->deferred_run == UINT32_MAX ? 0 : p->deferred[standing->deferred_run];
    if (!(value - p->refund - rounding * (value + p->refund) < limit)) {
      return false;
    }
  }
  return true;
}

/* ---- parts ---- */

static size_t steps_of(const dsm__resident_run *run) {
  const size_t steps = PARTS_MAX / run->end_count;
  return steps > STEPS_MAX ? STEPS_MAX : steps;
}

/*
 * What parts of the weights can come to between an end of a run and the next; how many are faster
 * than the end. Along a step a layer becomes faster, so that it is nowhere faster than at the end
 * of the step.
 *
 * Between two ends a run has infinitely many parts. In steps of equal bytes, each is taken for the
 * bytes of its beginning and the cycles of its end: no part inside is better in either, so that
 * finitely many stand for all, from below.
 */
static size_t list_parts(const dsm__resident_run *run, size_t end, dsm__preload_part *parts) {
  const dsm__resident *const from = &run->ends[end];
  const dsm__resident *const to = from + 1;
  const size_t steps = steps_of(run);
  const double step_bytes = (to->bytes - from->bytes) / (double)steps;
  size_t count = 0;
  for (size_t i = 0; i < steps; i++) {
    const double until = from->bytes + step_bytes * (double)(i + 1);
    const double cycles = i + 1 < steps ? dsm__resident_least(run, until) : to->cycles;
    if (cycles < from->cycles) {
      parts[count++] = (dsm__preload_part){from->bytes + step_bytes * (double)i, cycles};
    }
  }
  return count;
}

static bool list_all_parts(dsm__preload_outlook *outlook) {
  const dsm__preload_level *const level = outlook->level;
  dsm__arena *const arena = level->problem.arena;
  size_t count = 0;
  for (size_t r = 0; r < level->runs.count; r++) {
    count += steps_of(level->runs.items[r].of) * (level->runs.items[r].of->end_count - 1);
  }
  if (!DSM__RESERVE(arena, outlook->first_part, level->runs.count + 1) ||
      !DSM__RESERVE(arena, outlook->parts, count)) {
    return false;
  }
  count = 0;
  for (size_t r = 0; r < level->runs.count; r++) {
    outlook->first_part[r] = count;
    for (size_t i = 0; i + 1 < level->runs.items[r].of->end_count; i++) {
      count += list_parts(level->runs.items[r].of, i, &outlook->parts[count]);
    }
  }
  outlook->first_part[level->runs.count] = count;
  return true;
}

/* ---- tables ---- */

/* Whole units that bytes take, no more by rounding. */
static size_t units_taken(const dsm__preload_outlook *outlook, double bytes) {
  return (size_t)(bytes * outlook->units_per_byte * (1 - rounding));
}

/* Whole units that are left, no fewer by rounding. */
static size_t units_left(const dsm__preload_outlook *outlook, double bytes) {
  const double units = bytes * outlook->units_per_byte * (1 + 1e-10);
  if (units < (double)outlook->units) {
    return units > 0 ? (size_t)units : 0;
  }
  return outlook->units;
}

static double *row_of(const dsm__preload_outlook *outlook, double *table, size_t node) {
  return table + node * (outlook->units + 1);
}

/* Lowers a row to what an edge with such cycles and units leads to. */
static void lower(const dsm__preload_outlook *outlook, double *restrict row,
                  const double *restrict to, double cycles, size_t taken) {
  for (size_t k = taken; k <= outlook->units; k++) {
    const double sum = cycles + to[k - taken];
    row[k] = sum < row[k] ? sum : row[k];
  }
}

/* Bytes are rounded down to units, so a mapping that fits the room takes no more units than there
 * are: no mapping is lost, and the table's sum is at most the mapping's time. */
static void lower_by_edge(dsm__preload_outlook *outlook, size_t node, size_t edge) {
  const dsm__preload_level *const level = outlook->level;
  const size_t target = level->network.edges[edge].to;
  double *const plain = row_of(outlook, outlook->plain, node);
  double *const sharing = row_of(outlook, outlook->sharing, node);
  const double *const to_plain = row_of(outlook, outlook->plain, target);
  const double *const to_sharing = row_of(outlook, outlook->sharing, target);
  const size_t run_index = level->run_of[edge];
  if (run_index == SIZE_MAX) {
    lower(outlook, plain, to_plain, level->fixed_cycles[edge], 0);
    lower(outlook, sharing, to_sharing, level->fixed_cycles[edge], 0);
    return;
  }
  const dsm__resident_run *const run = level->runs.items[run_index].of;
  for (size_t i = 0; i < run->end_count; i++) {
    const size_t taken = units_taken(outlook, run->ends[i].bytes);
    lower(outlook, plain, to_plain, run->ends[i].cycles, taken);
    lower(outlook, sharing, to_sharing, run->ends[i].cycles, taken);
  }
  for (size_t i = outlook->first_part[run_index]; i < outlook->first_part[run_index + 1]; i++) {
    const dsm__preload_part *const part = &outlook->parts[i];
    lower(outlook, sharing, to_plain, part->cycles, units_taken(outlook, part->bytes));
  }
}

/* Can a mapping through an edge be faster than the limit, at the price that edges have? */
static bool is_edge_in(const dsm__preload_outlook *outlook, const double *before, size_t node,
                       size_t edge, double limit) {
  const dsm__preload_level *const level = outlook->level;
  const dsm__graph_edge *const one = &level->network.edges[edge];
  const dsm__preload_prospect *const p = &outlook->prospects[0];
  const double sum = before[node] + one->cost + p->rest[one->to];
  return sum - p->refund - rounding * (sum + p->refund) < limit;
}

static bool fill_tables(dsm__preload_outlook *outlook, dsm__preload_level *level, double limit) {
  const dsm__graph *const graph = &level->network.graph;
  const size_t cells = graph->node_count * (outlook->units + 1);
  dsm__arena *const arena = level->problem.arena;
  double *const before = dsm__arena_array(arena, graph->node_count, sizeof *before);
  if (before == NULL || !DSM__RESERVE(arena, outlook->plain, cells) ||
      !DSM__RESERVE(arena, outlook->sharing, cells)) {
    return false;
  }
  dsm__preload_set_price(level, outlook->prospects[0].price);
  dsm__graph_before(graph, before);
  for (size_t i = 0; i < cells - (outlook->units + 1); i++) { /* the last node's stay 0 */
    outlook->plain[i] = outlook->sharing[i] = HUGE_VAL;
  }
  for (size_t v = graph->node_count - 1; v-- > 0;) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      if (is_edge_in(outlook, before, v, e, limit)) {
        lower_by_edge(outlook, v, e);
      }
    }
  }
  return true;
}

bool dsm__preload_outlook_init(dsm__preload_outlook *outlook, dsm__preload_level *level,
                               const dsm__preload_bound *bound, double limit) {
  *outlook = (dsm__preload_outlook){.units = 0};
  for (int i = 0; i < DSM__PROSPECTS; i++) {
    if (!look_at_price(outlook, level, bound->price * price_factors[i], &outlook->prospects[i])) {
      return false;
    }
  }
  const size_t units = CELLS_MAX / level->network.graph.node_count;
  if (!list_all_parts(outlook) || units <= UNITS_MIN) {
    return outlook->parts != NULL;
  }
  outlook->units = units > UNITS_MAX ? UNITS_MAX : units;
  outlook->units_per_byte = (double)outlook->units / level->room_bytes;
  if (!fill_tables(outlook, level, limit)) {
    return false;
  }
  if (dsm__preload_outlook_bound(outlook, false) <= bound->cycles) {
    outlook->units = 0; /* they say less than prices */
  }
  return true;
}

/* ---- what they say ---- */

static double cell_of(const dsm__preload_outlook *outlook, double *table, size_t node,
                      double left) {
  return row_of(outlook, table, node)[units_left(outlook, left)];
}

static bool is_below(double cycles, double limit) {
  return cycles * (1 - rounding) < limit;
}

/* Can it win where the layer deferred takes at least the bytes of a part, and is as fast as with
 * another part? */
static bool can_win_from(const dsm__preload_outlook *outlook, const dsm__preload_standing *standing,
                         double bytes, double cycles, double limit) {
  const double left = outlook->level->room_bytes - standing->bytes - bytes;
  return left >= 0 && is_below(standing->cycles + cycles +
                                   cell_of(outlook, outlook->plain, standing->node, left),
                               limit);
}

/* With a layer deferred: what it takes a part of, and the rest of what is left. Parts take ever
 * more bytes and ever fewer cycles, so that some together are excluded by the bytes of the first
 * and the cycles of the last. */
static bool can_win_with_part(const dsm__preload_outlook *outlook,
                              const dsm__preload_standing *standing, double limit) {
  enum { TOGETHER = 8 };
  const size_t end = outlook->first_part[standing->deferred_run + 1];
  size_t next = 0;
  for (size_t i = outlook->first_part[standing->deferred_run]; i < end; i = next) {
    next = i + TOGETHER < end ? i + TOGETHER : end;
    const bool can_win = can_win_from(outlook, standing, outlook->parts[i].bytes,
                                      outlook->parts[next - 1].cycles, limit);
    for (size_t k = i; can_win && k < next; k++) {
      if (can_win_from(outlook, standing, outlook->parts[k].bytes, outlook->parts[k].cycles,
                       limit)) {
        return true;
      }
    }
  }
  return false;
}

bool dsm__preload_can_win(const dsm__preload_outlook *outlook,
                          const dsm__preload_standing *standing, bool may_share, double limit) {
  const bool is_deferred = standing->deferred_run != UINT32_MAX;
  if (outlook->units > 0 && !is_deferred) {
    double *const table = may_share ? outlook->sharing : outlook->plain;
    const double left = outlook->level->room_bytes - standing->bytes;
    if (!is_below(standing->cycles + cell_of(outlook, table, standing->node, left), limit)) {
      return false;
    }
  }
  return can_win_at_prices(outlook, standing, limit) &&
         (outlook->units == 0 || !is_deferred || can_win_with_part(outlook, standing, limit));
}

double dsm__preload_outlook_bound(const dsm__preload_outlook *outlook, bool may_share) {
  const double *const table = may_share ? outlook->sharing : outlook->plain;
  return outlook->units == 0 ? 0 : table[outlook->units] * (1 - rounding);
}
