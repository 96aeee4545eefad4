/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/folding.h"

#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "plan/alike.h"

/* What begins at a layer: a run of so many layers that repeats until it has covered `extent` of
 * them, or, of one layer and extent, a layer by itself. */
typedef struct repeat {
  size_t period;
  size_t extent;
  size_t rows; /* that are needed from here to the end, this one's among them */
} repeat;

/* What is being folded. */
typedef struct folder {
  const size_t *kinds;
  const size_t *classes;
  size_t count;
  size_t *row_of; /* of each layer */
  size_t row_count;
  repeat *repeats;  /* of each layer */
  size_t *matches;  /* of each period: how many layers from here on are like those a period later */
  size_t *columns;  /* of each layer: its row where columns are folded */
  size_t *seen;     /* of each class: the column group in which it was seen last, from 1 on */
  size_t *row_seen; /* of each class: its row there */
  size_t groups;
} folder;

static bool prepare(folder *f, dsm__arena *arena) {
  const size_t count = f->count;
  return DSM__RESERVE(arena, f->row_of, count) && DSM__RESERVE(arena, f->repeats, count) &&
         DSM__RESERVE(arena, f->matches, DSM__FOLD_PERIOD_MAX + 1) &&
         DSM__RESERVE(arena, f->columns, count) && DSM__RESERVE(arena, f->seen, count) &&
         DSM__RESERVE(arena, f->row_seen, count);
}

/* Of two ways to go on the one with fewer rows, of equals the one that covers more at once. A layer
 * by itself comes before a run that saves nothing: what repeats begins where blocks do, of which
 * the first has another beginning. */
static void consider(repeat *best, repeat other) {
  const bool covers_more = best->extent > 1 && other.extent > best->extent;
  if (other.rows < best->rows || (other.rows == best->rows && covers_more)) {
    *best = other;
  }
}

/* Finds, from the end of the layers first .. end - 1 to their beginning, how they are shown with
 * the fewest rows. */
static void find_repeats(folder *f, const size_t *keys, size_t first, size_t end) {
  const size_t half = (end - first) / 2;
  const size_t longest = half < DSM__FOLD_PERIOD_MAX ? half : DSM__FOLD_PERIOD_MAX;
  memset(f->matches, 0, (longest + 1) * sizeof *f->matches);
  for (size_t i = end; i-- > first;) {
    f->repeats[i] =
        (repeat){.period = 1, .extent = 1, .rows = 1 + (i + 1 < end ? f->repeats[i + 1].rows : 0)};
    for (size_t p = 1; p <= longest && i + p < end; p++) {
      f->matches[p] = keys[i] == keys[i + p] ? f->matches[p] + 1 : 0;
      if (f->matches[p] >= p) {
        const size_t extent = p + f->matches[p] / p * p;
        const size_t after = i + extent < end ? f->repeats[i + extent].rows : 0;
        consider(&f->repeats[i], (repeat){.period = p, .extent = extent, .rows = p + after});
      }
    }
  }
}

/* Rows for layers whose runs are equal in all that is shown; a run is folded in the same way, which
 * makes it shorter by half at least each time. */
static void fold_exactly(folder *f, size_t first, size_t end) {
  find_repeats(f, f->classes, first, end);
  for (size_t i = first; i < end;) {
    const repeat found = f->repeats[i];
    if (found.period == 1) {
      f->row_of[i] = f->row_count++;
    } else {
      fold_exactly(f, i, i + found.period);
    }
    for (size_t k = i + found.period; k < i + found.extent; k++) {
      f->row_of[k] = f->row_of[k - found.period];
    }
    i += found.extent;
  }
}

/* Are two places of a run of equal classes in each repetition? */
static bool are_equal_columns(const folder *f, size_t a, size_t b, const repeat *run) {
  for (size_t k = 0; k < run->extent; k += run->period) {
    if (f->classes[a + k] != f->classes[b + k]) {
      return false;
    }
  }
  return true;
}

/* Each place of the run that begins at `first` has a row for each class that it has in any
 * repetition; places side by side that are equal have these rows together. How many rows. */
static size_t fold_columns(folder *f, size_t first, const repeat *run) {
  size_t rows = 0;
  for (size_t column = 0; column < run->period; column++) {
    const size_t at = first + column;
    if (column == 0 || !are_equal_columns(f, at - 1, at, run)) {
      f->groups++;
    }
    for (size_t k = 0; k < run->extent; k += run->period) {
      const size_t class = f->classes[at + k];
      if (f->seen[class] != f->groups) {
        f->seen[class] = f->groups;
        f->row_seen[class] = f->row_count + rows++;
      }
      f->columns[at + k] = f->row_seen[class];
    }
  }
  return rows;
}

/* A run that repeats with other numbers in some repetitions is shown place by place where that
 * saves half of the rows, and is shorter than what is equal as a whole. */
static void fold_run(folder *f, size_t first, repeat run) {
  const size_t before = f->row_count;
  const size_t in_columns = fold_columns(f, first, &run);
  fold_exactly(f, first, first + run.extent);
  if (in_columns < f->row_count - before && in_columns <= run.extent / 2) {
    memcpy(&f->row_of[first], &f->columns[first], run.extent * sizeof *f->row_of);
    f->row_count = before + in_columns;
  }
}

/* Where runs of what layers are repeat, whatever their numbers are. */
static void fold_all(folder *f) {
  find_repeats(f, f->kinds, 0, f->count);
  for (size_t i = 0; i < f->count;) {
    const repeat found = f->repeats[i];
    if (found.extent == 1) {
      f->row_of[i] = f->row_count++;
    } else {
      fold_run(f, i, found);
    }
    i += found.extent;
  }
}

/* From the row of each layer the layers of each row. */
static bool list_rows(dsm__folding *folding, const size_t *row_of, size_t row_count, size_t count,
                      dsm__arena *arena) {
  dsm__fold_row *const rows = dsm__arena_array(arena, row_count, sizeof *rows);
  size_t *const next = dsm__arena_array(arena, count, sizeof *next);
  if (rows == NULL || next == NULL) {
    return false;
  }
  for (size_t row = 0; row < row_count; row++) {
    rows[row] = (dsm__fold_row){.first = SIZE_MAX};
  }
  for (size_t i = count; i-- > 0;) {
    dsm__fold_row *const row = &rows[row_of[i]];
    next[i] = row->first;
    row->first = i;
    row->count++;
  }
  *folding = (dsm__folding){.rows = rows, .row_count = row_count, .next = next};
  return true;
}

bool dsm__fold(dsm__folding *folding, const size_t *kinds, const size_t *classes, size_t count,
               dsm__arena *arena) {
  folder f = {.kinds = kinds, .classes = classes, .count = count};
  *folding = (dsm__folding){.row_count = 0};
  if (!prepare(&f, arena)) {
    return false;
  }
  fold_all(&f);
  return list_rows(folding, f.row_of, f.row_count, count, arena);
}

/* Each layer is a row. */
static bool list_layers(dsm__folding *folding, size_t count, dsm__arena *arena) {
  size_t *row_of;
  *folding = (dsm__folding){.row_count = 0};
  if (!DSM__RESERVE(arena, row_of, count)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    row_of[i] = i;
  }
  return list_rows(folding, row_of, count, count, arena);
}

bool dsm__fold_plan(dsm__folding *folding, const dsm_plan *plan, bool is_unfolded,
                    dsm__arena *arena) {
  dsm__alike kinds;
  dsm__alike classes;
  if (is_unfolded) {
    return list_layers(folding, plan->layer_count, arena);
  }
  *folding = (dsm__folding){.row_count = 0};
  return dsm__alike_find(&kinds, plan->layers, plan->layer_count, DSM__ALIKE_LOOPS, arena) &&
         dsm__alike_find(&classes, plan->layers, plan->layer_count, DSM__ALIKE_NUMBERS, arena) &&
         dsm__fold(folding, kinds.class_of, classes.class_of, plan->layer_count, arena);
}

bool dsm__fold_equal(dsm__folding *folding, const dsm_plan *plan, bool is_unfolded,
                     dsm__arena *arena) {
  dsm__alike classes;
  if (is_unfolded) {
    return list_layers(folding, plan->layer_count, arena);
  }
  *folding = (dsm__folding){.row_count = 0};
  return dsm__alike_find(&classes, plan->layers, plan->layer_count, DSM__ALIKE_NUMBERS, arena) &&
         list_rows(folding, classes.class_of, classes.count, plan->layer_count, arena);
}

static bool is_equal_text(const void *context, size_t index, const void *key) {
  const char *const *const texts = context;
  return strcmp(texts[index], key) == 0;
}

/* Of each text the first that is equal. */
static bool find_equal_texts(size_t *class_of, const char *const *texts, size_t count) {
  dsm__map index = {0};
  bool is_ready = true;
  for (size_t i = 0; i < count && is_ready; i++) {
    const uint32_t hash = dsm__map_hash(0, texts[i], strlen(texts[i]));
    class_of[i] = dsm__map_find(&index, hash, is_equal_text, (const void *)texts, texts[i]);
    if (class_of[i] == DSM__MAP_NONE) {
      class_of[i] = i;
      is_ready = dsm__map_add(&index, hash, i);
    }
  }
  dsm__map_fini(&index);
  return is_ready;
}

bool dsm__fold_texts(dsm__folding *folding, const char *const *texts, size_t count,
                     bool is_unfolded, dsm__arena *arena) {
  size_t *class_of;
  if (is_unfolded) {
    return list_layers(folding, count, arena);
  }
  *folding = (dsm__folding){.row_count = 0};
  return DSM__RESERVE(arena, class_of, count) && find_equal_texts(class_of, texts, count) &&
         dsm__fold(folding, class_of, class_of, count, arena);
}

bool dsm__fold_equal_texts(dsm__folding *folding, const char *const *texts, size_t count,
                           bool is_unfolded, dsm__arena *arena) {
  size_t *row_of;
  size_t row_count = 0;
  if (is_unfolded) {
    return list_layers(folding, count, arena);
  }
  *folding = (dsm__folding){.row_count = 0};
  if (!DSM__RESERVE(arena, row_of, count) || !find_equal_texts(row_of, texts, count)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    row_of[i] = row_of[i] == i ? row_count++ : row_of[row_of[i]];
  }
  return list_rows(folding, row_of, row_count, count, arena);
}
