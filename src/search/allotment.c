/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * allotment.c: stage after stage, all partial allotments (labels) are kept that
 *
 *   - no other label of the same stage dominates: one that uses at most as many rows and whose
 *     slowest times are at most as long. Proof: any completion of the dominated label completes the
 *     other too, with no more rows, and a group's total grows with each of its slowest times.
 *   - can still lead to a total no worse than that of a first allotment: the times of the stages to
 *     come are at least, each by itself, the least of any of their options.
 *
 * The first allotment gives every stage the fewest rows with which its own whole time is within a
 * limit, for the smallest limit that the rows allow.
 */
#include "search/allotment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_no_longer(const dsm__stage_times *a, const dsm__stage_times *b) {
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (a->step[p] > b->step[p]) {
      return false;
    }
  }
  return a->once <= b->once;
}

static int compare_u64(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static int compare_doubles(double a, double b) {
  return (a > b) - (a < b);
}

static int compare_times(const dsm__stage_times *a, const dsm__stage_times *b) {
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const int order = compare_doubles(a->step[p], b->step[p]);
    if (order != 0) {
      return order;
    }
  }
  return compare_doubles(a->once, b->once);
}

static int compare_options(const void *left, const void *right) {
  const dsm__stage_option *const a = left;
  const dsm__stage_option *const b = right;
  if (a->rows != b->rows) {
    return compare_u64(a->rows, b->rows);
  }
  const int order = compare_times(&a->times, &b->times);
  return order != 0 ? order : (a->parallelism > b->parallelism) - (a->parallelism < b->parallelism);
}

size_t dsm__stage_options_reduce(dsm__stage_option *options, size_t count) {
  qsort(options, count, sizeof options[0], compare_options);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    size_t k = 0;
    while (k < kept && !is_no_longer(&options[k].times, &options[i].times)) {
      k++;
    }
    if (k == kept) {
      options[kept++] = options[i];
    }
  }
  return kept;
}

/* A stage's own time, as if it were the slowest in everything. */
static double whole_time(const dsm__allotment *a, const dsm__stage_option *option) {
  return dsm__group_total(&option->times, a->timesteps, a->stage_count);
}

/* The first option within a limit has the fewest rows. SIZE_MAX: none. */
static size_t first_within(const dsm__allotment *a, size_t stage, double limit) {
  for (size_t o = 0; o < a->stages[stage].count; o++) {
    if (whole_time(a, &a->stages[stage].items[o]) <= limit) {
      return o;
    }
  }
  return SIZE_MAX;
}

/* Chooses by a limit; false if that takes too many rows. */
static bool choose_within(const dsm__allotment *a, double limit, size_t *chosen) {
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

static int compare_limits(const void *left, const void *right) {
  return compare_doubles(*(const double *)left, *(const double *)right);
}

static double total_of(const dsm__allotment *a, const size_t *chosen) {
  dsm__stage_times slowest = {{0}, 0};
  for (size_t s = 0; s < a->stage_count; s++) {
    dsm__stage_times_join(&slowest, &a->stages[s].items[chosen[s]].times);
  }
  return dsm__group_total(&slowest, a->timesteps, a->stage_count);
}

/* The first allotment. Limits are whole times of options, so one of them is the smallest. */
static dsm__allotment_result find_first(const dsm__allotment *a, size_t *chosen, double *total) {
  size_t count = 0;
  for (size_t s = 0; s < a->stage_count; s++) {
    count += a->stages[s].count;
  }
  double *const limits = malloc((count + 1) * sizeof *limits);
  if (limits == NULL) {
    return DSM__ALLOTMENT_OUT_OF_MEMORY;
  }
  size_t next = 0;
  for (size_t s = 0; s < a->stage_count; s++) {
    for (size_t o = 0; o < a->stages[s].count; o++) {
      limits[next++] = whole_time(a, &a->stages[s].items[o]);
    }
  }
  qsort(limits, count, sizeof limits[0], compare_limits);
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
  free(limits);
  if (!is_found) {
    return DSM__ALLOTMENT_IMPOSSIBLE;
  }
  *total = total_of(a, chosen);
  return DSM__ALLOTMENT_EXACT;
}

/* What the stages from s on take at least: rows, and each slowest time by itself. */
typedef struct least {
  uint64_t rows;
  dsm__stage_times times;
} least;

static void derive_least(const dsm__allotment *a, least *rest) {
  rest[a->stage_count] = (least){0, {{0}, 0}};
  for (size_t s = a->stage_count; s-- > 0;) {
    const dsm__stage_options *const options = &a->stages[s];
    dsm__stage_times own = options->items[0].times;
    for (size_t o = 1; o < options->count; o++) {
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        own.step[p] = fmin(own.step[p], options->items[o].times.step[p]);
      }
      own.once = fmin(own.once, options->items[o].times.once);
    }
    rest[s] = rest[s + 1];
    rest[s].rows += options->items[0].rows;
    dsm__stage_times_join(&rest[s].times, &own);
  }
}

static int compare_labels(const void *left, const void *right) {
  const label *const a = left;
  const label *const b = right;
  if (a->rows != b->rows) {
    return compare_u64(a->rows, b->rows);
  }
  const int order = compare_times(&a->slowest, &b->slowest);
  if (order != 0) {
    return order;
  }
  return a->parent != b->parent ? compare_u64(a->parent, b->parent)
                                : compare_u64(a->option, b->option);
}

/* Takes steps from those that are left; false if there are not as many. */
static bool spend(const dsm__allotment *a, uint64_t steps) {
  const bool is_enough = *a->steps >= steps;
  *a->steps = is_enough ? *a->steps - steps : 0;
  return is_enough;
}

/* Removes dominated labels: those before one in order use no more rows. False if it takes too long
 * or too many are left. */
static bool remove_dominated(const dsm__allotment *a, label *labels, size_t *count) {
  enum { SORTING_STEPS = 32 }; /* of a label, about */
  size_t kept = 0;
  if (!spend(a, (uint64_t)*count * SORTING_STEPS)) {
    return false;
  }
  qsort(labels, *count, sizeof labels[0], compare_labels);
  for (size_t i = 0; i < *count; i++) {
    size_t k = 0;
    while (k < kept && !is_no_longer(&labels[k].slowest, &labels[i].slowest)) {
      k++;
    }
    if (!spend(a, k + 1) || (k == kept && kept == LABELS_MAX)) {
      return false;
    }
    if (k == kept) {
      labels[kept++] = labels[i];
    }
  }
  *count = kept;
  return true;
}

/* All promising extensions of a stage's labels; false if there are too many. */
static bool extend(const dsm__allotment *a, size_t stage, const label_list *from, const least *rest,
                   double limit, label *scratch, size_t *count) {
  const dsm__stage_options *const options = &a->stages[stage];
  *count = 0;
  if (!spend(a, (uint64_t)from->count * options->count)) {
    return false;
  }
  for (size_t i = 0; i < from->count; i++) {
    for (size_t o = 0; o < options->count; o++) {
      label next = {.slowest = from->items[i].slowest,
                    .rows = from->items[i].rows + options->items[o].rows,
                    .parent = (uint32_t)i,
                    .option = (uint32_t)o};
      if (next.rows + rest->rows > a->rows) {
        break; /* options are in order of rows */
      }
      dsm__stage_times_join(&next.slowest, &options->items[o].times);
      dsm__stage_times at_least = next.slowest;
      dsm__stage_times_join(&at_least, &rest->times);
      if (dsm__group_total(&at_least, a->timesteps, a->stage_count) > limit) {
        continue;
      }
      if (*count == EXTENSIONS_MAX) {
        return false;
      }
      scratch[(*count)++] = next;
    }
  }
  return true;
}

/* The best of the last stage's labels, and how it came about. */
static void trace(const dsm__allotment *a, const label_list *lists, size_t *chosen, double *total) {
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

static dsm__allotment_result search(const dsm__allotment *a, label_list *lists, const least *rest,
                                    label *scratch, size_t *chosen, double *total) {
  const double limit = dsm__equal_to(*total);
  for (size_t s = 0; s < a->stage_count; s++) {
    size_t count = 0;
    if (!extend(a, s, &lists[s], &rest[s + 1], limit, scratch, &count) ||
        !remove_dominated(a, scratch, &count)) {
      return DSM__ALLOTMENT_BOUNDED;
    }
    lists[s + 1].items = calloc(count + 1, sizeof(label));
    if (lists[s + 1].items == NULL) {
      return DSM__ALLOTMENT_OUT_OF_MEMORY;
    }
    memcpy(lists[s + 1].items, scratch, count * sizeof(label));
    lists[s + 1].count = count;
  }
  trace(a, lists, chosen, total);
  return DSM__ALLOTMENT_EXACT;
}

dsm__allotment_result dsm__allotment_find(const dsm__allotment *allotment, size_t *chosen,
                                          double *total) {
  const size_t stages = allotment->stage_count;
  dsm__allotment_result result = find_first(allotment, chosen, total);
  if (result != DSM__ALLOTMENT_EXACT) {
    return result;
  }
  label start = {.rows = 0};
  label_list *const lists = calloc(stages + 1, sizeof *lists);
  least *const rest = calloc(stages + 1, sizeof *rest);
  label *const scratch = malloc((size_t)EXTENSIONS_MAX * sizeof *scratch);
  result = DSM__ALLOTMENT_OUT_OF_MEMORY;
  if (lists != NULL && rest != NULL && scratch != NULL) {
    derive_least(allotment, rest);
    lists[0] = (label_list){&start, 1};
    result = search(allotment, lists, rest, scratch, chosen, total);
  }
  for (size_t s = 1; lists != NULL && s <= stages; s++) {
    free(lists[s].items);
  }
  free(lists);
  free(rest);
  free(scratch);
  return result;
}
