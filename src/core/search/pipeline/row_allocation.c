/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row_allocation.c: stage after stage, all partial allocations (labels) are kept that
 *
 *   - no other label of the same stage dominates: one that uses at most as many rows and whose
 *     slowest times are at most as long. Proof: any completion of the dominated label completes the
 *     other too, with no more rows, and a group's total grows with each of its slowest times.
 *   - can still lead to a total no worse than that of a first allocation, and than the known one:
 *     the slowest times of the stages to come are at least, each by itself, what all rows allow.
 *
 * The first allocation gives every stage the fewest rows with which its own whole time is within a
 * limit, for the smallest limit that the rows allow. No allocation has a lesser total than that
 * limit: the whole time of each of its stages is at most its total.
 */
#include "search/pipeline/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "plan/tolerance.h"

enum { LABELS_MAX = 1 << 12, EXTENSIONS_MAX = 1 << 18 };

typedef struct label {
  dsm__stage_times slowest;
  uint64_t rows;
  uint32_t parent; /* in the list of the stage before */
  uint32_t option;
} label;

typedef struct label_list {
  label *items;
  size_t count;
} label_list;

static bool is_not_slower(const dsm__stage_times *a, const dsm__stage_times *b) {
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (a->step[p] > b->step[p]) {
      return false;
    }
  }
  return a->once <= b->once;
}

static int compare_times(const dsm__stage_times *a, const dsm__stage_times *b) {
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const int order = dsm__order(a->step[p], b->step[p]);
    if (order != 0) {
      return order;
    }
  }
  return dsm__order(a->once, b->once);
}

static int compare_options(const void *left, const void *right) {
  const dsm__stage_option *const a = left;
  const dsm__stage_option *const b = right;
  if (a->rows != b->rows) {
    return dsm__order_whole(a->rows, b->rows);
  }
  const int order = compare_times(&a->times, &b->times);
  const int last = dsm__order_then(dsm__order_whole(a->parallelism, b->parallelism),
                                   dsm__order_whole(a->fetching, b->fetching));
  return dsm__order_then(order, last);
}

size_t dsm__stage_options_reduce(dsm__stage_option *options, size_t count) {
  qsort(options, count, sizeof options[0], compare_options);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    size_t k = 0;
    while (k < kept && !is_not_slower(&options[k].times, &options[i].times)) {
      k++;
    }
    if (k == kept) {
      options[kept++] = options[i];
    }
  }
  return kept;
}

/* A stage's own time, as if it were the slowest in everything. */
static double whole_time(const dsm__row_allocation *a, const dsm__stage_option *option) {
  return dsm__group_total(&option->times, a->timesteps, a->stage_count);
}

/* The first option within a limit has the fewest rows. SIZE_MAX: none. */
static size_t first_within(const dsm__row_allocation *a, size_t stage, double limit) {
  for (size_t o = 0; o < a->stages[stage].count; o++) {
    if (whole_time(a, &a->stages[stage].items[o]) <= limit) {
      return o;
    }
  }
  return SIZE_MAX;
}

/* Chooses by a limit; false if that takes too many rows. */
static bool choose_within(const dsm__row_allocation *a, double limit, size_t *chosen) {
  uint64_t rows = 0;
  for (size_t s = 0; s < a->stage_count; s++) {
    chosen[s] = first_within(a, s, limit);
    if (chosen[s] == SIZE_MAX) {
      return false;
    }
    rows += a->stages[s].items[chosen[s]].rows;
  }
  return rows <= a->rows;
}

static double total_of(const dsm__row_allocation *a, const size_t *chosen) {
  dsm__stage_times slowest = {{0}, 0};
  for (size_t s = 0; s < a->stage_count; s++) {
    dsm__stage_times_join(&slowest, &a->stages[s].items[chosen[s]].times);
  }
  return dsm__group_total(&slowest, a->timesteps, a->stage_count);
}

/*
 * The first allocation. Limits are whole times of options, so one of them is the smallest.
 *
 * The smallest threshold for a bottleneck: with a higher limit each stage needs no more rows, so
 * that what is possible grows with the limit, and bisection over the sorted limits finds the least.
 * It is a bound as well: in any allocation each stage's own whole time is within the total, so that
 * the total is no smaller than the least limit with which all stages find rows.
 */
static dsm__row_allocation_result find_first(const dsm__row_allocation *a, size_t *chosen,
                                             double *total, double *least) {
  size_t count = 0;
  for (size_t s = 0; s < a->stage_count; s++) {
    count += a->stages[s].count;
  }
  double *const limits = malloc((count + 1) * sizeof *limits);
  if (limits == NULL) {
    return DSM__ROW_ALLOCATION_OUT_OF_MEMORY;
  }
  size_t next = 0;
  for (size_t s = 0; s < a->stage_count; s++) {
    for (size_t o = 0; o < a->stages[s].count; o++) {
      limits[next++] = whole_time(a, &a->stages[s].items[o]);
    }
  }
  qsort(limits, count, sizeof limits[0], dsm__order_numbers);
  size_t low = 0;
  size_t high = count; /* of the smallest limit that works: not found yet */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (choose_within(a, limits[middle], chosen)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const bool is_found = low < count && choose_within(a, limits[low], chosen);
  *least = is_found ? limits[low] : HUGE_VAL;
  free(limits);
  if (!is_found) {
    return DSM__ROW_ALLOCATION_IMPOSSIBLE;
  }
  *total = total_of(a, chosen);
  return DSM__ROW_ALLOCATION_EXACT;
}

enum { REST_TIMES = DSM_PASS_COUNT + 1 };

/* One of the times, the passes' steps first. */
static double *time_at(dsm__stage_times *times, int index) {
  return index < DSM_PASS_COUNT ? &times->step[index] : &times->once;
}

/* What the stages from one on take at least, and those behind the last: each slowest time by
 * itself, with as many rows as there are. To be freed; NULL if out of memory. */
static dsm__stage_times *derive_rest(const dsm__row_allocation *a) {
  dsm__stage_times *const rest = calloc(a->stage_count + 1, sizeof *rest);
  for (size_t s = a->stage_count; rest != NULL && s-- > 0;) {
    rest[s] = rest[s + 1];
    for (int t = 0; t < REST_TIMES; t++) {
      double least = HUGE_VAL;
      for (size_t o = 0; o < a->stages[s].count; o++) {
        dsm__stage_times of_option = a->stages[s].items[o].times;
        least = fmin(least, *time_at(&of_option, t));
      }
      *time_at(&rest[s], t) = fmax(*time_at(&rest[s], t), least);
    }
  }
  return rest;
}

static int compare_labels(const void *left, const void *right) {
  const label *const a = left;
  const label *const b = right;
  if (a->rows != b->rows) {
    return dsm__order_whole(a->rows, b->rows);
  }
  const int order = compare_times(&a->slowest, &b->slowest);
  const int last = dsm__order_then(dsm__order_whole(a->parent, b->parent),
                                   dsm__order_whole(a->option, b->option));
  return dsm__order_then(order, last);
}

/* Takes from the work that is left; false if there is none. */
static bool take_work(const dsm__row_allocation *a, uint64_t work) {
  if (a->work_left == NULL) {
    return true;
  }
  *a->work_left -= work < *a->work_left ? work : *a->work_left;
  return *a->work_left > 0;
}

/*
 * Removes dominated labels: those before one in order use no more rows. More than LABELS_MAX: there
 * may be more, or the work left did not suffice.
 *
 * Labels are in order of rows, so one is dominated if some label before it that is kept is not
 * slower in any time. That the order is total makes the answer the same however labels came.
 */
static size_t remove_dominated(const dsm__row_allocation *a, label *labels, size_t count) {
  qsort(labels, count, sizeof labels[0], compare_labels);
  size_t kept = 0;
  for (size_t i = 0; i < count && kept <= LABELS_MAX; i++) {
    size_t k = 0;
    while (k < kept && !is_not_slower(&labels[k].slowest, &labels[i].slowest)) {
      k++;
    }
    if (!take_work(a, k + 1)) {
      return LABELS_MAX + 1;
    }
    if (k == kept) {
      labels[kept++] = labels[i];
    }
  }
  return kept;
}

/* All promising extensions of a stage's labels; false if there are too many. */
static bool extend(const dsm__row_allocation *a, size_t stage, const label_list *from,
                   const dsm__stage_times *rest, double limit, label *scratch, size_t *count) {
  const dsm__stage_options *const options = &a->stages[stage];
  *count = 0;
  for (size_t i = 0; i < from->count; i++) {
    for (size_t o = 0; o < options->count; o++) {
      label next = {.slowest = from->items[i].slowest,
                    .rows = from->items[i].rows + options->items[o].rows,
                    .parent = (uint32_t)i,
                    .option = (uint32_t)o};
      if (next.rows > a->rows) {
        break; /* options are in order of rows */
      }
      dsm__stage_times_join(&next.slowest, &options->items[o].times);
      dsm__stage_times at_least = next.slowest;
      dsm__stage_times_join(&at_least, &rest[stage + 1]);
      if (dsm__group_total(&at_least, a->timesteps, a->stage_count) > limit) {
        continue;
      }
      if (*count == EXTENSIONS_MAX || !take_work(a, 1)) {
        return false;
      }
      scratch[(*count)++] = next;
    }
  }
  return true;
}

/* The best of the last stage's labels, and how it came about. */
static void trace(const dsm__row_allocation *a, const label_list *lists, size_t *chosen,
                  double *total) {
  const label_list *const last = &lists[a->stage_count];
  size_t at = 0;
  double best = HUGE_VAL;
  for (size_t i = 0; i < last->count; i++) {
    const double one = dsm__group_total(&last->items[i].slowest, a->timesteps, a->stage_count);
    if (one < best) {
      best = one;
      at = i;
    }
  }
  if (!(best < *total)) {
    return;
  }
  *total = best;
  for (size_t s = a->stage_count; s-- > 0;) {
    const label *const one = &lists[s + 1].items[at];
    chosen[s] = one->option;
    at = one->parent;
  }
}

static dsm__row_allocation_result search(const dsm__row_allocation *a, label_list *lists,
                                         const dsm__stage_times *rest, label *scratch,
                                         size_t *chosen, double *total) {
  const double limit = a->is_only_faster ? a->known_total * (1 - 1e-11)
                                         : fmin(dsm__tie_limit(*total), a->known_total);
  for (size_t s = 0; s < a->stage_count; s++) {
    size_t count = 0;
    if (!extend(a, s, &lists[s], rest, limit, scratch, &count)) {
      return DSM__ROW_ALLOCATION_BOUNDED;
    }
    count = remove_dominated(a, scratch, count);
    if (count > LABELS_MAX) {
      return DSM__ROW_ALLOCATION_BOUNDED;
    }
    lists[s + 1].items = calloc(count + 1, sizeof(label));
    if (lists[s + 1].items == NULL) {
      return DSM__ROW_ALLOCATION_OUT_OF_MEMORY;
    }
    memcpy(lists[s + 1].items, scratch, count * sizeof(label));
    lists[s + 1].count = count;
  }
  trace(a, lists, chosen, total);
  return DSM__ROW_ALLOCATION_EXACT;
}

/* Where a mapping is known that is better than the first allocation can be at best, nothing is
 * searched: the known total stays, and is the bound. */
dsm__row_allocation_result dsm__row_allocation_find(const dsm__row_allocation *allocation,
                                                    size_t *chosen, double *total, double *bound) {
  const size_t stages = allocation->stage_count;
  double least_total = 0;
  dsm__row_allocation_result result = DSM__ROW_ALLOCATION_EXACT;
  *total = allocation->known_total;
  if (!allocation->is_only_faster) {
    result = find_first(allocation, chosen, total, &least_total);
  }
  if (result != DSM__ROW_ALLOCATION_EXACT) {
    return result;
  }
  if (least_total > allocation->known_total) {
    *bound = allocation->known_total;
    return result;
  }
  label start = {.rows = 0};
  label_list *const lists = calloc(stages + 1, sizeof *lists);
  dsm__stage_times *const rest = derive_rest(allocation);
  label *const scratch = malloc((size_t)EXTENSIONS_MAX * sizeof *scratch);
  result = DSM__ROW_ALLOCATION_OUT_OF_MEMORY;
  if (lists != NULL && scratch != NULL && rest != NULL) {
    lists[0] = (label_list){&start, 1};
    result = search(allocation, lists, rest, scratch, chosen, total);
    *bound = result == DSM__ROW_ALLOCATION_EXACT
                 ? fmin(*total, allocation->known_total)
                 : dsm__group_total(&rest[0], allocation->timesteps, allocation->stage_count);
  }
  for (size_t s = 1; lists != NULL && s <= stages; s++) {
    free(lists[s].items);
  }
  free(lists);
  free(rest);
  free(scratch);
  return result;
}
