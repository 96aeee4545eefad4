/* SPDX-License-Identifier: GPL-3.0-or-later */
/* segments.c: a tensor enters behind its maker, and leaves with its last use; where one alone is
 * there, the network can be cut. */
#include "plan/segments.h"

/* The last layer that reads a layer's output in any way, or the layer itself. */
static size_t last_reader(const dsm_layer *layer, size_t index) {
  size_t use = index;
  if (layer->last_use != DSM_NEVER_USED && layer->last_use > use) {
    use = layer->last_use;
  }
  if (layer->last_operand_use != DSM_NEVER_USED && layer->last_operand_use > use) {
    use = layer->last_operand_use;
  }
  return use;
}

bool dsm__segments_find(const dsm_workload *workload, dsm__arena *arena, bool **is_cut) {
  const size_t count = workload->layer_count;
  size_t *leaving = NULL; /* behind a layer: how many tensors of earlier ones */
  if (!DSM__RESERVE(arena, leaving, count + 1) || !DSM__RESERVE(arena, *is_cut, count)) {
    return false;
  }
  const size_t input_use = workload->input_last_use;
  size_t open = input_use == DSM_NEVER_USED ? 0 : 1;
  leaving[input_use == DSM_NEVER_USED ? count : input_use]++;
  for (size_t i = 0; i < count; i++) {
    const size_t use = last_reader(&workload->layers[i], i);
    open -= leaving[i];
    (*is_cut)[i] = open == 0 && use > i;
    if (use > i) {
      open++;
      leaving[use]++;
    }
  }
  return true;
}
