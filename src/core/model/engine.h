/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine.h: what computes the products of a chip (section 4). A new kind is a file with its
 * equations, and a row of DSM__ENGINES.
 */
#ifndef DSM_MODEL_ENGINE_H
#define DSM_MODEL_ENGINE_H

#include "model/equations.h"

typedef struct dsm__engine {
  /** Does a system describe its chips so? The first row that says yes is its engine. */
  bool (*is_of)(const dsm_system *system);
  /** Is it decided what each core computes? Else all cores share everything evenly, the split is 1,
   * and each tensor moves once. */
  bool has_splits;
  /** Do cores take tiles of outputs as they become free, and an attention in one kernel? */
  bool has_tiles;
  /** Multiply-accumulates of a core a cycle at its peak, at a rate of the element type. */
  double (*core_macs)(const dsm_system *system, double array_rate);
  /** Fills work->tiles with what an invocation takes, whatever the split; NULL: that differs. */
  void (*prepare)(dsm_pass_work *work);
  /** Primary cycles of an invocation with a split of the cores. */
  double (*cycles)(const dsm_pass_work *work, const dsm_loops *split);
  dsm_computing (*computing)(const dsm_pass_work *work, const dsm_loops *split);
  /** Adds these primary cycles to the resources that decide them. */
  void (*add_resources)(const dsm_pass_work *work, const dsm_loops *split, double primary_cycles,
                        double cycles[DSM_BOUND_COUNT]);
} dsm__engine;

/** All of them: the first that is of a system is its engine; the last, of arrays, is of all. */
#define DSM__ENGINES(ROW) ROW(peak) ROW(tiles) ROW(arrays)
#define DSM__ENGINE_DECLARED(name) extern const dsm__engine dsm__engine_##name;
DSM__ENGINES(DSM__ENGINE_DECLARED)

/** Of arrays, or of a faster vector unit: one of them computes at a time. */
double dsm__array_core_macs(const dsm_system *system, double array_rate);

/** Do tiles of all loops lie in scratchpads (model.tiling "blocked")? */
static inline bool dsm__is_blocked(const dsm_pass_work *work) {
  const dsm_machine *const machine = work->machine;
  return machine->system->model.tiling == DSM_TILING_BLOCKED && machine->engine->has_splits;
}

/** That of a system. */
const dsm__engine *dsm__engine_of(const dsm_system *system);

#endif
