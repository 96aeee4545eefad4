/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables.c: the dynamic programme of a chain.
 *
 * Of a window and a budget either the first stage keeps what an option saves until its backward
 * pass, the last of the window, and all others run in what is left; or it drops, and the next stage
 * whose input is kept parts the window: the right part runs beside that input, then the left part,
 * with the error that the right part made, has all memory again. No schedule in which what is
 * stored stays until its backward pass does anything else (Beaumont et al., 2019). Times are filled
 * window by window, short ones first, each for all budgets at once.
 */
#include <math.h>

#include "remat/solve.h"

static double *row_of(const dsm__remat_tables *of, size_t first, size_t last) {
  return of->seconds + dsm__remat_window_number(of->windows, first, last) * (of->slots + 1);
}

/* The least budget from which on a choice is open, or one that there is not. */
static size_t least_of(const dsm__remat_tables *of, double need, double kept) {
  const double least = need > kept ? need : kept;
  return least <= (double)of->slots ? (size_t)least : of->slots + 1;
}

static void add_keep(const dsm__remat_tables *of, dsm__remat_window window, size_t k, double *row) {
  const dsm_remat_option *const option = &of->chain->stages[window.first].options[k];
  const double seconds = option->forward_seconds + option->backward_seconds;
  const bool is_single = window.first == window.last;
  const double *const rest = is_single ? NULL : row_of(of, window.first + 1, window.last);
  size_t m = least_of(of, dsm__remat_keep_need(of->chain, window, k), option->saved_bytes);
  const size_t saved = m > of->slots ? 0 : (size_t)option->saved_bytes;
  for (; m <= of->slots; m++) {
    const double all = is_single ? seconds : seconds + rest[m - saved];
    row[m] = all < row[m] ? all : row[m];
  }
}

static void add_drop(const dsm__remat_tables *of, dsm__remat_window window,
                     const dsm__remat_drop *drop, double *row) {
  const double kept = of->chain->stages[drop->middle - 1].output_bytes;
  const double *const right = row_of(of, drop->middle, window.last);
  const double *const left = row_of(of, window.first, drop->middle - 1);
  const double seconds = drop->seconds;
  const size_t least = least_of(of, drop->need_bytes, kept);
  const size_t offset = least > of->slots ? 0 : (size_t)kept;
  for (size_t m = least; m <= of->slots; m++) {
    const double all = seconds + right[m - offset] + left[m];
    row[m] = all < row[m] ? all : row[m];
  }
}

static void fill(const dsm__remat_tables *of, dsm__remat_window window) {
  double *const row = row_of(of, window.first, window.last);
  dsm__remat_drop drop;
  for (size_t m = 0; m <= of->slots; m++) {
    row[m] = HUGE_VAL;
  }
  for (size_t k = 0; k < of->chain->stages[window.first].option_count; k++) {
    add_keep(of, window, k, row);
  }
  for (bool is_there = dsm__remat_drop_first(of->chain, window, &drop); is_there;
       is_there = dsm__remat_drop_next(of->chain, window, &drop)) {
    add_drop(of, window, &drop, row);
  }
}

bool dsm__remat_tables_make(dsm__remat_tables *tables, const dsm__remat_windows *windows,
                            size_t slots, dsm__arena *arena) {
  *tables = (dsm__remat_tables){.chain = windows->chain, .windows = windows, .slots = slots};
  tables->seconds = dsm__arena_alloc(arena, dsm__remat_table_bytes(windows->count, slots));
  for (size_t i = 0; tables->seconds != NULL && i < windows->count; i++) {
    fill(tables, windows->windows[i]);
  }
  return tables->seconds != NULL;
}

double dsm__remat_tables_seconds(const dsm__remat_tables *tables, size_t units) {
  return row_of(tables, 0, tables->chain->stage_count - 1)[units];
}

/* ---- back-tracking ---- */

/* What a choice takes; infinite where it is not open. */
static double keep_seconds(const dsm__remat_tables *of, dsm__remat_window window, size_t k,
                           size_t units) {
  const dsm_remat_option *const option = &of->chain->stages[window.first].options[k];
  const double seconds = option->forward_seconds + option->backward_seconds;
  const size_t least =
      least_of(of, dsm__remat_keep_need(of->chain, window, k), option->saved_bytes);
  if (units < least) {
    return HUGE_VAL;
  }
  return window.first == window.last
             ? seconds
             : seconds +
                   row_of(of, window.first + 1, window.last)[units - (size_t)option->saved_bytes];
}

static double drop_seconds(const dsm__remat_tables *of, dsm__remat_window window,
                           const dsm__remat_drop *drop, size_t units) {
  const double kept = of->chain->stages[drop->middle - 1].output_bytes;
  if (units < least_of(of, drop->need_bytes, kept)) {
    return HUGE_VAL;
  }
  return drop->seconds + row_of(of, drop->middle, window.last)[units - (size_t)kept] +
         row_of(of, window.first, drop->middle - 1)[units];
}

/* The fastest; of equals to keep goes before to drop, and an earlier option before a later one. */
static dsm__remat_choice choose(const void *context, dsm__remat_window window, double budget) {
  const dsm__remat_tables *const of = context;
  const size_t units = (size_t)budget;
  dsm__remat_choice choice = {0};
  dsm__remat_drop drop;
  double best = HUGE_VAL;
  for (size_t k = 0; k < of->chain->stages[window.first].option_count; k++) {
    const double seconds = keep_seconds(of, window, k, units);
    if (seconds < best) {
      best = seconds;
      choice.option = k;
    }
  }
  for (bool is_there = dsm__remat_drop_first(of->chain, window, &drop); is_there;
       is_there = dsm__remat_drop_next(of->chain, window, &drop)) {
    const double seconds = drop_seconds(of, window, &drop, units);
    if (seconds < best) {
      best = seconds;
      choice.middle = drop.middle;
    }
  }
  return choice;
}

bool dsm__remat_tables_steps(const dsm__remat_tables *tables, size_t units, dsm__remat_steps *steps,
                             dsm__arena *arena) {
  const dsm__remat_choices choices = {tables->chain, choose, tables};
  return dsm__remat_unfold(&choices, (double)units, steps, arena);
}
