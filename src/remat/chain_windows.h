/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chain_windows.h: the parts of a chain that the dynamic programme is about, each once.
 *
 * A window is stages first .. last of a chain. What it costs within a budget depends on its stages,
 * the error of what stands before it, and whether it ends with the chain: windows that agree in
 * these are one. Chains of equal blocks, and of equal micro-batches, have few.
 */
#ifndef DSM_REMAT_CHAIN_WINDOWS_H
#define DSM_REMAT_CHAIN_WINDOWS_H

#include <stdint.h>

#include "chain/chain.h"

/** A window, and its number among those that differ. */
typedef struct dsm__remat_window {
  size_t first;
  size_t last;
} dsm__remat_window;

typedef struct dsm__remat_windows {
  const dsm_remat_chain *chain;
  uint32_t *numbers;          /**< of window first .. last at first * stage_count + last */
  dsm__remat_window *windows; /**< one of each number that is needed, short ones first */
  size_t count;
} dsm__remat_windows;

/** Which windows the whole chain leads to. NULL if out of memory. All is in the arena. */
dsm__remat_windows *dsm__remat_windows_new(const dsm_remat_chain *chain, dsm__arena *arena);

/** The number of a window that is needed; windows[number] is equal to it. */
static inline size_t dsm__remat_window_number(const dsm__remat_windows *of, size_t first,
                                              size_t last) {
  return of->numbers[first * of->chain->stage_count + last];
}

/* ---- what can be done with a window ---- */

/** The least memory in which stage `first` can keep what an option saves. */
double dsm__remat_keep_need(const dsm_remat_chain *chain, dsm__remat_window window, size_t option);

/** Stages first .. middle - 1 run forward saving nothing, and the input of `middle` is kept. */
typedef struct dsm__remat_drop {
  size_t middle;
  double need_bytes; /**< the least memory for these passes */
  double seconds;    /**< of these passes */
} dsm__remat_drop;

/** The first of a window's drops; then the next. False if there is none: a stage that may not run
 * twice ends them. */
bool dsm__remat_drop_first(const dsm_remat_chain *chain, dsm__remat_window window,
                           dsm__remat_drop *drop);
bool dsm__remat_drop_next(const dsm_remat_chain *chain, dsm__remat_window window,
                          dsm__remat_drop *drop);

#endif
