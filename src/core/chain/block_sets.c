/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block_sets.c: the fastest ways to run a block within a peak: shortest paths over sets of tensors.
 *
 * A state is the set of tensors that are there, and the backward passes that are still to run. A
 * step computes a tensor whose inputs are there, drops one at no cost, or runs the next backward
 * pass. Before backward pass i only the tensors of operations up to i matter: later ones are read
 * by operations alone that nothing needs any more. So layer i has 2^(i+1) sets. What remains from
 * each set on is found layer by layer from the last backward pass back, within a layer with
 * Dijkstra's algorithm; the time to reach each set on the way forward likewise from the empty set.
 * Every schedule of a block is such a path: nothing is lost. (The integer programme of Checkmate
 * asks the same; its tests solve both.)
 */
#include <math.h>
#include <stdlib.h>

#include "base/growing_list.h"
#include "chain/block.h"

/* ---- a queue of sets by time ---- */

typedef struct entry {
  double seconds;
  uint32_t set;
} entry;

typedef struct entries {
  entry *items;
  size_t count;
  size_t capacity;
} entries;

typedef struct queue {
  entries heap;    /* none is less than the one at half its place */
  entries at_once; /* those of the time that was taken last: most steps drop something */
  double now;
  dsm__arena *arena;
} queue;

static bool is_before(const entry *a, const entry *b) {
  return a->seconds < b->seconds || (a->seconds == b->seconds && a->set < b->set);
}

static bool push(queue *to, double seconds, uint32_t set) {
  entries *const list = seconds == to->now ? &to->at_once : &to->heap;
  if (!DSM__LIST_RESERVE_IN(list, 1, to->arena)) {
    return false;
  }
  const entry one = {seconds, set};
  size_t at = list->count++;
  for (; list == &to->heap && at > 0 && is_before(&one, &list->items[(at - 1) / 2]);
       at = (at - 1) / 2) {
    list->items[at] = list->items[(at - 1) / 2];
  }
  list->items[at] = one;
  return true;
}

static entry pop_heap(entries *from) {
  const entry first = from->items[0];
  const entry last = from->items[--from->count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= from->count) {
      break;
    }
    if (child + 1 < from->count && is_before(&from->items[child + 1], &from->items[child])) {
      child++;
    }
    if (!is_before(&from->items[child], &last)) {
      break;
    }
    from->items[at] = from->items[child];
    at = child;
  }
  from->items[at] = last;
  return first;
}

/* Takes the first; false if there is none, and then another search may begin. */
static bool pop(queue *from, entry *first) {
  if (from->at_once.count > 0) {
    *first = from->at_once.items[--from->at_once.count];
    return true;
  }
  if (from->heap.count == 0) {
    from->now = -1;
    return false;
  }
  *first = pop_heap(&from->heap);
  from->now = first->seconds;
  return true;
}

/* ---- paths ---- */

/* How a state goes on: runs the backward pass, computes tensor m - 1, or drops tensor m - 65. */
enum { MOVE_BACKWARD = 0, MOVE_COMPUTE = 1, MOVE_DROP = 65 };

/* The sets before a backward pass. */
typedef struct layer {
  double *seconds;      /* that remain; infinite: it cannot be */
  unsigned char *moves; /* what is done next */
} layer;

typedef struct paths {
  const dsm__remat_block *block;
  double peak;
  const double *bytes; /* of each set */
  layer *layers;       /* one for each operation */
  double *reached;     /* seconds in which each set is reached on the way forward */
  queue todo;
} paths;

/* Takes over a better time of a set. */
static bool improve(paths *of, double *seconds, uint32_t set, double better, unsigned char *move,
                    unsigned char how) {
  if (!(better < seconds[set])) {
    return true;
  }
  seconds[set] = better;
  if (move != NULL) {
    move[set] = how;
  }
  return push(&of->todo, better, set);
}

/* All states that lead to a set in one step. */
static bool go_back(paths *of, size_t at, double errors, entry from) {
  const layer *const here = &of->layers[at];
  bool is_done = true;
  for (size_t j = 0; is_done && j <= at; j++) {
    const dsm__remat_operation *const made = &of->block->operations[j];
    const uint32_t bit = (uint32_t)dsm__tensor(j);
    const uint32_t other = from.set ^ bit;
    if ((from.set & bit) == 0) {
      const bool fits = of->bytes[other] + errors <= of->peak;
      is_done = !fits || improve(of, here->seconds, other, from.seconds, here->moves,
                                 (unsigned char)(MOVE_DROP + j));
    } else if ((made->inputs & ~(dsm__tensors)other) == 0 &&
               of->bytes[from.set] + errors + made->temporary_bytes <= of->peak) {
      is_done = improve(of, here->seconds, other, from.seconds + made->forward_seconds, here->moves,
                        (unsigned char)(MOVE_COMPUTE + j));
    }
  }
  return is_done;
}

/* The sets from which the backward pass can run at once. */
static bool begin_layer(paths *of, size_t at) {
  const layer *const here = &of->layers[at];
  const dsm__remat_operation *const operation = &of->block->operations[at];
  const double needed = dsm__remat_errors_during(of->block, at) + operation->temporary_bytes;
  const uint32_t below = (uint32_t)dsm__tensor(at) - 1;
  bool is_done = true;
  for (uint32_t set = 0; set < (uint32_t)dsm__tensor(at + 1); set++) {
    here->seconds[set] = HUGE_VAL;
  }
  for (uint32_t set = 0; is_done && set < (uint32_t)dsm__tensor(at + 1); set++) {
    const double rest = at == 0 ? 0 : of->layers[at - 1].seconds[set & below];
    if ((operation->needs & ~(dsm__tensors)set) == 0 && of->bytes[set] + needed <= of->peak &&
        isfinite(rest)) {
      is_done = improve(of, here->seconds, set, operation->backward_seconds + rest, here->moves,
                        MOVE_BACKWARD);
    }
  }
  return is_done;
}

static bool fill_layer(paths *of, size_t at) {
  const double errors = dsm__remat_errors_before(of->block, at);
  bool is_done = begin_layer(of, at);
  entry next;
  while (is_done && pop(&of->todo, &next)) {
    if (next.seconds == of->layers[at].seconds[next.set]) {
      is_done = go_back(of, at, errors, next);
    }
  }
  return is_done;
}

/* All sets that a set leads to on the way forward. */
static bool go_on(paths *of, entry from) {
  bool is_done = true;
  for (size_t j = 0; is_done && j < of->block->count; j++) {
    const dsm__remat_operation *const made = &of->block->operations[j];
    const uint32_t other = from.set ^ (uint32_t)dsm__tensor(j);
    const bool is_there = (from.set & (uint32_t)dsm__tensor(j)) != 0;
    const bool can_be_made = (made->inputs & ~(dsm__tensors)from.set) == 0 &&
                             of->bytes[other] + made->temporary_bytes <= of->peak;
    if (is_there || can_be_made) {
      is_done = improve(of, of->reached, other,
                        from.seconds + (is_there ? 0 : made->forward_seconds), NULL, 0);
    }
  }
  return is_done;
}

static bool reach(paths *of) {
  for (uint32_t set = 0; set < (uint32_t)dsm__tensor(of->block->count); set++) {
    of->reached[set] = HUGE_VAL;
  }
  bool is_done = improve(of, of->reached, 0, 0, NULL, 0);
  entry next;
  while (is_done && pop(&of->todo, &next)) {
    if (next.seconds == of->reached[next.set]) {
      is_done = go_on(of, next);
    }
  }
  return is_done;
}

static bool make_room(paths *of, dsm__arena *arena) {
  const size_t count = of->block->count;
  const size_t sets = (size_t)1 << count;
  double *bytes = NULL;
  bool is_made = DSM__RESERVE(arena, bytes, sets) && DSM__RESERVE(arena, of->layers, count) &&
                 DSM__RESERVE(arena, of->reached, sets);
  for (size_t i = 0; is_made && i < count; i++) {
    is_made = DSM__RESERVE(arena, of->layers[i].seconds, (size_t)2 << i) &&
              DSM__RESERVE(arena, of->layers[i].moves, (size_t)2 << i);
  }
  for (size_t set = 1; is_made && set < sets; set++) {
    const size_t last = 63U - (size_t)__builtin_clzll((unsigned long long)set);
    bytes[set] = bytes[set ^ ((size_t)1 << last)] + of->block->operations[last].bytes;
  }
  of->bytes = bytes;
  return is_made;
}

/* ---- ways ---- */

/* What really is there at most on the way back from a set. */
static double backward_peak(const paths *of, uint32_t set) {
  double peak = 0;
  for (size_t at = of->block->count; at-- > 0;) {
    const double errors = dsm__remat_errors_before(of->block, at);
    unsigned move = of->layers[at].moves[set];
    for (; move != MOVE_BACKWARD; move = of->layers[at].moves[set]) {
      const size_t tensor = move >= MOVE_DROP ? move - MOVE_DROP : move - MOVE_COMPUTE;
      const double temporary =
          move >= MOVE_DROP ? 0 : of->block->operations[tensor].temporary_bytes;
      set ^= (uint32_t)dsm__tensor(tensor);
      const double bytes = of->bytes[set] + errors + temporary;
      peak = bytes > peak ? bytes : peak;
    }
    const double bytes = of->bytes[set] + dsm__remat_errors_during(of->block, at) +
                         of->block->operations[at].temporary_bytes;
    peak = bytes > peak ? bytes : peak;
    set &= (uint32_t)dsm__tensor(at) - 1;
  }
  return peak;
}

/* A set that may be saved, and its time. */
typedef struct candidate {
  double bytes;
  double seconds;
  uint32_t set;
} candidate;

static int by_bytes(const void *a, const void *b) {
  const candidate *const one = a;
  const candidate *const other = b;
  if (one->bytes != other->bytes) {
    return one->bytes < other->bytes ? -1 : 1;
  }
  if (one->seconds != other->seconds) {
    return one->seconds < other->seconds ? -1 : 1;
  }
  return one->set < other->set ? -1 : one->set > other->set;
}

/* The sets with the output of which none of at most their size is as fast, by size; how many. */
static size_t best_sets(const paths *of, candidate *list) {
  const uint32_t output = (uint32_t)dsm__tensor(of->block->count - 1);
  const double *const rest = of->layers[of->block->count - 1].seconds;
  size_t count = 0;
  size_t kept = 0;
  for (uint32_t set = output; set < 2 * output; set++) {
    if (isfinite(of->reached[set]) && isfinite(rest[set])) {
      list[count++] = (candidate){of->bytes[set], of->reached[set] + rest[set], set};
    }
  }
  qsort(list, count, sizeof *list, by_bytes);
  for (size_t i = 0; i < count; i++) {
    if (kept == 0 || list[i].seconds < list[kept - 1].seconds) {
      list[kept++] = list[i];
    }
  }
  return kept;
}

static dsm__remat_way way_of(const paths *of, uint32_t set) {
  dsm__remat_way way = {.saved = set, .saved_bytes = of->bytes[set]};
  dsm__remat_run_plainly(of->block, &way);
  way.forward_seconds = of->reached[set];
  way.forward_peak = way.forward_peak <= of->peak ? way.forward_peak : of->peak;
  way.backward_seconds = of->layers[of->block->count - 1].seconds[set];
  way.backward_peak = backward_peak(of, set);
  return way;
}

/* Of many as many as are wanted, evenly, the first and the last among them. */
static bool add_ways(const paths *of, const candidate *list, size_t count, size_t most,
                     dsm__remat_ways *ways, dsm__arena *arena) {
  const size_t taken = count < most ? count : most;
  if (!DSM__LIST_RESERVE_IN(ways, taken, arena)) {
    return false;
  }
  for (size_t i = 0; i < taken; i++) {
    const size_t at = taken == 1 ? count - 1 : i * (count - 1) / (taken - 1);
    ways->items[ways->count++] = way_of(of, list[at].set);
  }
  return true;
}

bool dsm__remat_ways_within(const dsm__remat_block *block, double peak, size_t most,
                            dsm__remat_ways *ways, dsm__arena *arena) {
  assert(block->count >= 1 && block->count <= DSM_REMAT_EXACT_OPERATIONS_MAX);
  dsm__arena *const shortly = dsm__arena_new();
  paths of = {.block = block, .peak = peak, .todo = {.now = -1, .arena = shortly}};
  candidate *list = NULL;
  bool is_done = make_room(&of, shortly) && reach(&of) &&
                 DSM__RESERVE(shortly, list, (size_t)1 << (block->count - 1));
  for (size_t at = 0; is_done && at < block->count; at++) {
    is_done = fill_layer(&of, at);
  }
  is_done = is_done && add_ways(&of, list, best_sets(&of, list), most, ways, arena);
  dsm__arena_free(shortly);
  return is_done;
}
