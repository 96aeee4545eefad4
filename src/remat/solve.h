/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve.h: the fastest schedule of a chain within each budget of whole units, and the one that
 * needs least memory. */
#ifndef DSM_REMAT_SOLVE_H
#define DSM_REMAT_SOLVE_H

#include "remat/chain_windows.h"

/** Steps, in an arena. */
typedef struct dsm__remat_steps {
  dsm_remat_step *items;
  size_t count;
  size_t capacity;
} dsm__remat_steps;

/* ---- within budgets of units ---- */

/** Least times of all windows that are needed, within 0 .. slots units. */
typedef struct dsm__remat_tables {
  const dsm_remat_chain *chain; /**< its sizes are units */
  const dsm__remat_windows *windows;
  size_t slots;
  double *seconds; /**< of a window's number and a budget: infinite where nothing fits */
} dsm__remat_tables;

/** Bytes of the tables of so many windows. */
static inline size_t dsm__remat_table_bytes(size_t window_count, size_t slots) {
  return window_count * (slots + 1) * sizeof(double);
}

/** Fills the tables, in the arena, of a chain whose sizes are units; false if out of memory. */
bool dsm__remat_tables_make(dsm__remat_tables *tables, const dsm__remat_windows *windows,
                            size_t slots, dsm__arena *arena);

/** The least time of the whole chain within some units; infinite where nothing fits. */
double dsm__remat_tables_seconds(const dsm__remat_tables *tables, size_t units);

/** A schedule that takes that time, which is finite; false if out of memory. */
bool dsm__remat_tables_steps(const dsm__remat_tables *tables, size_t units, dsm__remat_steps *steps,
                             dsm__arena *arena);

/* ---- with least memory ---- */

/** The least budget in which a schedule fits, and of the schedules that the recursion finds with it
 * a fast one; false if out of memory. Exact in bytes. */
bool dsm__remat_smallest(const dsm__remat_windows *windows, double *bytes, dsm__remat_steps *steps,
                         dsm__arena *arena);

/* ---- steps of what is chosen ---- */

/** What is done with a window: its first stage keeps what an option saves, or drops. */
typedef struct dsm__remat_choice {
  size_t option; /**< where it keeps */
  size_t middle; /**< 0: it keeps; else stages before it run forward, and its input is kept */
} dsm__remat_choice;

/** Chooses for a window within a budget. */
typedef dsm__remat_choice dsm__remat_chooser(const void *context, dsm__remat_window window,
                                             double budget);

/** How choices are made. */
typedef struct dsm__remat_choices {
  const dsm_remat_chain *chain;
  dsm__remat_chooser *choose;
  const void *context;
} dsm__remat_choices;

/** The steps that choices come to, in the arena; false if out of memory. */
bool dsm__remat_unfold(const dsm__remat_choices *choices, double budget, dsm__remat_steps *steps,
                       dsm__arena *arena);

#endif
