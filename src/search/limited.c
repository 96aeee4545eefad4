/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * limited.c: shortest path under the memory constraint
 *
 *     sum(kept) + max(transient) <= capacity.
 *
 * Three steps:
 *
 * 1. Lagrangian relaxation. For a price on kept bytes the cheapest path is found exactly. For every
 *    feasible path, cycles >= cycles + price * (kept + max transient - capacity), so
 *    (cheapest priced path) - price * (capacity - least possible max transient) is a lower bound.
 *    Bisection on the price finds a good bound, and feasible paths on the way (the incumbent), as
 *    do splices of the last path that fits with the last that does not.
 *
 * 2. Labels. From the last stage to the first, all partial paths ("what stage s and those after it
 *    cost, keep and need at most") are kept that
 *      - no other label of the same stage and parallelism dominates. Proof: let a have cycles, kept
 *        and transient bytes each at most b's. Whatever precedes b can precede a (relayouts depend
 *        on the parallelism only), costs no more then and fits if it fitted b. So removing b loses
 *        no best cost.
 *      - can be completed within capacity (with the least kept bytes before them), and
 *      - can be completed within the incumbent's cycles, by the cheapest unpriced and by the
 *        cheapest priced completion (the bound of step 1 applied to the completion).
 *
 * 3. A walk forward takes at each stage the first parallelism from which some label completes the
 *    path within capacity and equal to the best cost: the lexicographically first optimum. Labels
 *    lost by dominance do not matter to it: it asks at each stage and parallelism whether any
 *    completion exists, and a dominated one exists only if its dominator does.
 *
 * If step 2 would keep more than DSM__LABELS_MAX labels, the incumbent and the bound of step 1 are
 * the answer.
 */
#include "search/limited.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/tolerance.h"
#include "search/trellis.h"

typedef struct label {
  double cycles;          /* of the stage and all after it */
  double kept_bytes;      /* likewise */
  double transient_bytes; /* largest, likewise */
} label;

typedef struct label_list {
  label *labels;
  size_t count;
} label_list;

typedef struct limited {
  const dsm__network *network;
  dsm__arena *arena;
  dsm__row *cheapest_before; /* unpriced */
  dsm__row *priced_before;   /* at the best price */
  double *kept_before;       /* least kept bytes of the stages before */
  double *transient_before;  /* least largest transient of the stages before */
  double price;              /* cycles per byte */
  double least_transient;    /* least possible largest transient of any path */
  double incumbent_cycles;
  double bound_cycles;
  dsm_parallelism *incumbent;
  dsm_parallelism *path; /* of the price tried last */
  dsm_parallelism *lean; /* of the least price whose path fits */
  dsm_parallelism *fast; /* of the largest price whose path does not */
  label_list (*lists)[DSM_PARALLELISM_COUNT];
  label *scratch;   /* candidates of one list */
  label *staircase; /* for dominance */
  size_t scratch_capacity;
  size_t label_count;
} limited;

static double larger(double a, double b) {
  return a > b ? a : b;
}

static bool is_allowed(const dsm__choice *choice) {
  return isfinite(choice->cycles);
}

static bool allocate(limited *l, dsm_parallelism *incumbent) {
  const size_t count = l->network->stage_count;
  l->cheapest_before = dsm__arena_array(l->arena, count, sizeof l->cheapest_before[0]);
  l->priced_before = dsm__arena_array(l->arena, count, sizeof l->priced_before[0]);
  l->kept_before = dsm__arena_array(l->arena, count, sizeof l->kept_before[0]);
  l->transient_before = dsm__arena_array(l->arena, count, sizeof l->transient_before[0]);
  l->lists = dsm__arena_array(l->arena, count, sizeof l->lists[0]);
  l->path = dsm__arena_array(l->arena, count, sizeof l->path[0]);
  l->lean = dsm__arena_array(l->arena, count, sizeof l->lean[0]);
  l->fast = dsm__arena_array(l->arena, count, sizeof l->fast[0]);
  l->incumbent = incumbent;
  return l->cheapest_before != NULL && l->priced_before != NULL && l->kept_before != NULL &&
         l->transient_before != NULL && l->lists != NULL && l->path != NULL && l->lean != NULL &&
         l->fast != NULL;
}

/* What every path must at least keep and need before each stage. */
static void derive_least_before(limited *l) {
  double kept = 0;
  double transient = 0;
  for (size_t s = 0; s < l->network->stage_count; s++) {
    l->kept_before[s] = kept;
    l->transient_before[s] = transient;
    double least_kept = HUGE_VAL;
    double least_transient = HUGE_VAL;
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      const dsm__choice *const choice = &l->network->stages[s].choices[p];
      if (is_allowed(choice)) {
        least_kept = fmin(least_kept, choice->kept_bytes);
        least_transient = fmin(least_transient, choice->transient_bytes);
      }
    }
    kept += least_kept;
    transient = larger(transient, least_transient);
  }
  l->least_transient = transient;
}

/* What rounding can add to or take from a priced sum over all stages. */
static double rounding_slack(const limited *l, double price) {
  return 4 * DBL_EPSILON * (double)l->network->stage_count *
         (l->incumbent_cycles + price * l->network->capacity_bytes);
}

static void offer(limited *l, const dsm_parallelism *path) {
  const double cycles = dsm__sequence_cycles(l->network, path);
  if (cycles < l->incumbent_cycles &&
      dsm__sequence_bytes(l->network, path) <= l->network->capacity_bytes) {
    l->incumbent_cycles = cycles;
    memcpy(l->incumbent, path, l->network->stage_count * sizeof path[0]);
  }
}

/* Tries a price: better bound, better incumbent. Returns whether its path fits. */
static bool try_price(limited *l, double price, dsm__row *rest) {
  dsm__trellis_rest(l->network, price, rest);
  const double best = dsm__trellis_best(l->network, price, rest, l->path);
  const double bound =
      best - price * (l->network->capacity_bytes - l->least_transient) - rounding_slack(l, price);
  if (bound > l->bound_cycles) {
    l->bound_cycles = bound;
    l->price = price;
  }
  const bool fits = dsm__sequence_bytes(l->network, l->path) <= l->network->capacity_bytes;
  memcpy(fits ? l->lean : l->fast, l->path, l->network->stage_count * sizeof l->path[0]);
  offer(l, l->path);
  return fits;
}

/* Sums of a path up to and including each stage. */
static void sum_path(const dsm__network *network, const dsm_parallelism *path, label *sums) {
  label sum = {0, 0, 0};
  for (size_t s = 0; s < network->stage_count; s++) {
    const dsm__network_stage *const stage = &network->stages[s];
    const dsm__choice *const choice = &stage->choices[path[s]];
    const double move = s == 0 ? 0 : dsm__move_cycles(stage, (int)path[s - 1], (int)path[s]);
    sum.cycles += move + choice->cycles;
    sum.kept_bytes += choice->kept_bytes;
    sum.transient_bytes = larger(sum.transient_bytes, choice->transient_bytes);
    sums[s] = sum;
  }
}

/*
 * Identical layers have one price at which all of them change their mind, so that the paths on its
 * two sides are far apart. Between them lie those that begin as one and go on as the other: the
 * best that fits is found by its sums (its largest transient taken as that of both), then offered.
 */
static void try_splices(limited *l, const dsm_parallelism *head, const dsm_parallelism *tail,
                        const label *head_sums, const label *tail_sums) {
  const size_t count = l->network->stage_count;
  const label *const all = &tail_sums[count - 1];
  double best_cycles = l->incumbent_cycles;
  size_t best_cut = 0;
  for (size_t cut = 1; cut < count; cut++) {
    const label *const before = &head_sums[cut - 1];
    const dsm__network_stage *const stage = &l->network->stages[cut];
    const double move = dsm__move_cycles(stage, (int)head[cut - 1], (int)tail[cut]) -
                        dsm__move_cycles(stage, (int)tail[cut - 1], (int)tail[cut]);
    const double cycles = before->cycles + move + (all->cycles - tail_sums[cut - 1].cycles);
    const double bytes = before->kept_bytes + (all->kept_bytes - tail_sums[cut - 1].kept_bytes) +
                         larger(before->transient_bytes, all->transient_bytes);
    if (cycles < best_cycles && bytes <= l->network->capacity_bytes) {
      best_cycles = cycles;
      best_cut = cut;
    }
  }
  if (best_cut > 0) {
    memcpy(l->path, head, best_cut * sizeof head[0]);
    memcpy(l->path + best_cut, tail + best_cut, (count - best_cut) * sizeof tail[0]);
    offer(l, l->path);
  }
}

static bool splice(limited *l) {
  const size_t count = l->network->stage_count;
  label *const lean_sums = dsm__arena_array(l->arena, count, sizeof *lean_sums);
  label *const fast_sums = dsm__arena_array(l->arena, count, sizeof *fast_sums);
  if (lean_sums == NULL || fast_sums == NULL) {
    return false;
  }
  sum_path(l->network, l->lean, lean_sums);
  sum_path(l->network, l->fast, fast_sums);
  try_splices(l, l->lean, l->fast, lean_sums, fast_sums);
  try_splices(l, l->fast, l->lean, fast_sums, lean_sums);
  return true;
}

static bool relax(limited *l) {
  enum { DOUBLINGS = 30, BISECTIONS = 40 };
  const size_t count = l->network->stage_count;
  dsm__row *const rest = dsm__arena_array(l->arena, count, sizeof *rest);
  if (rest == NULL) {
    return false;
  }
  l->incumbent_cycles = dsm__sequence_cycles(l->network, l->incumbent);
  memcpy(l->lean, l->incumbent, count * sizeof l->lean[0]);
  try_price(l, 0, rest);
  double low = 0;
  /* From a millionth to a thousand times the incumbent for the whole capacity: beyond that, the
   * price would drown the cycles in rounding. */
  double high = l->incumbent_cycles / larger(l->network->capacity_bytes, 1) * 1e-6;
  for (int i = 0; i < DOUBLINGS && !try_price(l, high, rest); i++) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < BISECTIONS; i++) {
    const double middle = low + (high - low) / 2;
    if (try_price(l, middle, rest)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  dsm__trellis_before(l->network, 0, l->cheapest_before);
  dsm__trellis_before(l->network, l->price, l->priced_before);
  return splice(l);
}

/* Can this label still become part of a path that fits and is no worse than the incumbent? */
static bool is_promising(const limited *l, size_t s, int p, const label *candidate) {
  const double capacity = l->network->capacity_bytes;
  const double limit = dsm__equal_to(l->incumbent_cycles);
  const double transient = larger(candidate->transient_bytes, l->transient_before[s]);
  if (candidate->kept_bytes + l->kept_before[s] + transient > capacity) {
    return false;
  }
  if (candidate->cycles + l->cheapest_before[s].at[p] > limit) {
    return false;
  }
  const double room = capacity - larger(candidate->transient_bytes, l->least_transient);
  return candidate->cycles + l->price * candidate->kept_bytes + l->priced_before[s].at[p] -
             l->price * room <=
         limit + rounding_slack(l, l->price);
}

static int compare_labels(const void *left, const void *right) {
  const label *const a = left;
  const label *const b = right;
  if (a->cycles < b->cycles || a->cycles > b->cycles) {
    return a->cycles < b->cycles ? -1 : 1;
  }
  if (a->kept_bytes < b->kept_bytes || a->kept_bytes > b->kept_bytes) {
    return a->kept_bytes < b->kept_bytes ? -1 : 1;
  }
  return (a->transient_bytes > b->transient_bytes) - (a->transient_bytes < b->transient_bytes);
}

/* Position of the first step of the staircase that keeps more than `kept_bytes`. */
static size_t step_above(const label *staircase, size_t count, double kept_bytes) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (staircase[middle].kept_bytes <= kept_bytes) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/*
 * Removes dominated labels, in place, keeping the order by cycles. All labels seen so far cost no
 * more, so one is dominated if some kept one has both bytes at most its own. The staircase holds
 * the kept ones that matter: kept bytes ascending, transient bytes descending.
 */
static size_t remove_dominated(label *labels, size_t count, label *staircase) {
  qsort(labels, count, sizeof labels[0], compare_labels);
  size_t kept = 0;
  size_t steps = 0;
  for (size_t i = 0; i < count; i++) {
    const label candidate = labels[i];
    const size_t at = step_above(staircase, steps, candidate.kept_bytes);
    if (at > 0 && staircase[at - 1].transient_bytes <= candidate.transient_bytes) {
      continue;
    }
    size_t end = at;
    while (end < steps && staircase[end].transient_bytes >= candidate.transient_bytes) {
      end++;
    }
    memmove(&staircase[at + 1], &staircase[end], (steps - end) * sizeof staircase[0]);
    staircase[at] = candidate;
    steps = steps - (end - at) + 1;
    labels[kept++] = candidate;
  }
  return kept;
}

/* Labels of (s, p) from those of the next stage. False if there would be too many. */
static bool extend(limited *l, size_t s, int p, size_t *count) {
  const dsm__choice *const own = &l->network->stages[s].choices[p];
  const bool is_last = s + 1 == l->network->stage_count;
  *count = 0;
  for (int q = 0; q < DSM_PARALLELISM_COUNT; q++) {
    const label end = {0, 0, 0};
    const label_list tail = is_last ? (label_list){NULL, q == 0 ? 1 : 0} : l->lists[s + 1][q];
    const double move = is_last ? 0 : dsm__move_cycles(&l->network->stages[s + 1], p, q);
    for (size_t i = 0; i < tail.count; i++) {
      const label *const next = is_last ? &end : &tail.labels[i];
      const label candidate = {own->cycles + (move + next->cycles),
                               own->kept_bytes + next->kept_bytes,
                               larger(own->transient_bytes, next->transient_bytes)};
      if (is_promising(l, s, p, &candidate)) {
        if (*count == l->scratch_capacity) {
          return false;
        }
        l->scratch[(*count)++] = candidate;
      }
    }
  }
  return true;
}

typedef enum outcome { COMPLETE, TOO_MANY, OUT_OF_MEMORY } outcome;

static outcome make_labels(limited *l) {
  l->scratch_capacity = DSM__LABELS_MAX / 8;
  l->scratch = malloc(l->scratch_capacity * sizeof l->scratch[0]);
  l->staircase = malloc((l->scratch_capacity + 1) * sizeof l->staircase[0]);
  if (l->scratch == NULL || l->staircase == NULL) {
    return OUT_OF_MEMORY;
  }
  for (size_t s = l->network->stage_count; s-- > 0;) {
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      size_t count = 0;
      if (!is_allowed(&l->network->stages[s].choices[p])) {
        continue;
      }
      if (!extend(l, s, p, &count)) {
        return TOO_MANY;
      }
      count = remove_dominated(l->scratch, count, l->staircase);
      l->label_count += count;
      if (l->label_count > DSM__LABELS_MAX) {
        return TOO_MANY;
      }
      label *const labels = dsm__arena_array(l->arena, count, sizeof *labels);
      if (labels == NULL) {
        return OUT_OF_MEMORY;
      }
      memcpy(labels, l->scratch, count * sizeof labels[0]);
      l->lists[s][p] = (label_list){labels, count};
    }
  }
  return COMPLETE;
}

/* The part of the path that the walk has fixed. */
typedef struct prefix {
  double cycles;
  double kept_bytes;
  double transient_bytes;
} prefix;

/* Does some label complete the prefix within capacity and the limit? */
static bool has_completion(const limited *l, const label_list *list, const prefix *so_far,
                           double move, double limit) {
  for (size_t i = 0; i < list->count; i++) {
    const label *const rest = &list->labels[i];
    const double bytes = so_far->kept_bytes + rest->kept_bytes +
                         larger(so_far->transient_bytes, rest->transient_bytes);
    if (so_far->cycles + move + rest->cycles <= limit && bytes <= l->network->capacity_bytes) {
      return true;
    }
  }
  return false;
}

static double best_label_cycles(const limited *l) {
  double best = HUGE_VAL;
  const prefix start = {0, 0, 0};
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const label_list *const list = &l->lists[0][p];
    for (size_t i = 0; i < list->count; i++) {
      const label_list one = {&list->labels[i], 1};
      if (has_completion(l, &one, &start, 0, HUGE_VAL)) {
        best = fmin(best, list->labels[i].cycles);
      }
    }
  }
  return best;
}

/* Writes the path; false if at some stage rounding leaves no label that completes it. */
static bool walk_forward(const limited *l, double best, dsm_parallelism *path) {
  const double limit = dsm__equal_to(best);
  prefix so_far = {0, 0, 0};
  for (size_t s = 0; s < l->network->stage_count; s++) {
    const dsm__network_stage *const stage = &l->network->stages[s];
    int chosen = -1;
    double move = 0;
    for (int p = 0; p < DSM_PARALLELISM_COUNT && chosen < 0; p++) {
      move = s == 0 ? 0 : dsm__move_cycles(stage, (int)path[s - 1], p);
      chosen = has_completion(l, &l->lists[s][p], &so_far, move, limit) ? p : -1;
    }
    if (chosen < 0) {
      return false;
    }
    path[s] = (dsm_parallelism)chosen;
    so_far.cycles += move + stage->choices[chosen].cycles;
    so_far.kept_bytes += stage->choices[chosen].kept_bytes;
    so_far.transient_bytes = larger(so_far.transient_bytes, stage->choices[chosen].transient_bytes);
  }
  return dsm__sequence_bytes(l->network, path) <= l->network->capacity_bytes;
}

bool dsm__limited_search(const dsm__network *network, dsm__arena *arena, dsm_parallelism *sequence,
                         dsm__network_answer *answer) {
  limited l = {.network = network, .arena = arena, .bound_cycles = -HUGE_VAL};
  if (!allocate(&l, sequence)) {
    return false;
  }
  derive_least_before(&l);
  if (!relax(&l)) {
    return false;
  }
  const outcome result = make_labels(&l);
  free(l.scratch);
  free(l.staircase);
  if (result == OUT_OF_MEMORY) {
    return false;
  }
  answer->lower_bound_cycles = l.bound_cycles;
  if (result == COMPLETE) {
    const double best = best_label_cycles(&l);
    answer->lower_bound_cycles = fmax(answer->lower_bound_cycles, best);
    /* The incumbent stays whole where the walk fails. */
    if (walk_forward(&l, best, l.path)) {
      memcpy(sequence, l.path, network->stage_count * sizeof sequence[0]);
    }
  }
  answer->cycles = dsm__sequence_cycles(network, sequence);
  return true;
}
