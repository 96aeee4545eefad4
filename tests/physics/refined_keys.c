/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "refined_keys.h"

#include <string.h>

#include "random_numbers.h"
#include "search/bundled.h"

/* A key of dsm_assumptions; torus64_refined has its refined value. */
typedef struct refined_key {
  size_t offset;
  size_t size;
} refined_key;

#define KEY(field)                                                                                 \
  { offsetof(dsm_assumptions, field), sizeof(((dsm_assumptions *)0)->field) }

static const refined_key keys[] = {
    KEY(reduce_memory_bytes), KEY(reduce_ring_crossings), KEY(partial_sum_bytes),
    KEY(exact_rotation),      KEY(exact_forks),           KEY(overlapped_hand_over),
    KEY(pipeline_columns),    KEY(lstm_gate_errors),      KEY(statistics_sums),
    KEY(two_way_relayout),    KEY(layout_move),           KEY(charge_held_masks),
    KEY(prefer_holding),      KEY(resident_operands),
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static void copy_key(dsm_assumptions *to, const dsm_assumptions *from, size_t which) {
  memcpy((char *)to + keys[which].offset, (const char *)from + keys[which].offset,
         keys[which].size);
}

/* Draws that give exact moves, a refinement of their own with a search of their own. */
enum { EXACT_DRAWS = 3 };

void refined_keys_apply(dsm_system *system, physics_set set, uint64_t seed) {
  if (set == PHYSICS_DEFAULT || set == PHYSICS_AXES) {
    return;
  }
  uint64_t state = ~seed;
  dsm_system *const refined = bundled_system("torus64_refined");
  const size_t only = random_below(&state, KEY_COUNT + EXACT_DRAWS);
  for (size_t i = 0; i < KEY_COUNT; i++) {
    const bool is_drawn = random_below(&state, 2) == 0;
    if (set == PHYSICS_REFINED || (set == PHYSICS_ONE_KEY && i == only) ||
        (set == PHYSICS_SOME_KEYS && is_drawn)) {
      copy_key(&system->model, &refined->model, i);
    }
  }
  const bool is_moving = system->model.layout_move == DSM_LAYOUT_MOVE_ALWAYS;
  if ((set == PHYSICS_ONE_KEY && only >= KEY_COUNT) ||
      (set == PHYSICS_SOME_KEYS && is_moving && random_below(&state, 2) == 0)) {
    system->model.layout_move = DSM_LAYOUT_MOVE_EXACT;
  }
  dsm_system_free(refined);
}
