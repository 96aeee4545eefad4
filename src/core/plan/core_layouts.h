/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_layouts.h: how held tensors lie in the cores of a chip (section 7, model.layout_move
 * "exact"). */
#ifndef DSM_PLAN_CORE_LAYOUTS_H
#define DSM_PLAN_CORE_LAYOUTS_H

#include "base/arena.h"
#include "plan/plan_internal.h"

/** Every (features, ij, mb) whose product is the core count, in the written order: lexicographic.
 */
typedef struct dsm__core_layouts {
  dsm_core_layout *items;
  size_t count;
} dsm__core_layouts;

/** Enumerates; false if out of memory. The list belongs to the arena. */
bool dsm__core_layouts_enumerate(dsm__core_layouts *layouts, uint64_t cores, dsm__arena *arena);

/** Is model.layout_move "exact"? Then each held output has a layout, but in a shared memory, of
 * which cores read any place. */
static inline bool dsm__has_layouts(const dsm_system *system) {
  return system->model.layout_move == DSM_LAYOUT_MOVE_EXACT &&
         !(system->chip.shared_memory.capacity_MB > 0);
}

/** Is it a layout, and not the zeros that stand for none? */
static inline bool dsm__is_layout(const dsm_core_layout *layout) {
  return layout->features != 0;
}

/**
 * Gives each held output that has no layout (is_anew: each held output) the layout with which least
 * is moved by the core splits as they are, of equals the first in the written order. `layers` are
 * those of `decisions`, to be written. Without layouts in the model nothing is done. False if out
 * of memory; arena is for scratch too.
 */
bool dsm__core_layouts_complete(const dsm_workload *workload, const dsm_machine *machine,
                                dsm_mode mode, const dsm__decisions *decisions,
                                dsm__layer_decision *layers, bool is_anew, dsm__arena *arena);

#endif
