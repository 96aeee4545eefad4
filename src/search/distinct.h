/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distinct.h: layers that cost the same are searched once. */
#ifndef DSM_SEARCH_DISTINCT_H
#define DSM_SEARCH_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "dsm/workload.h"

/** What the cost of a layer's passes depends on; no padding, so that bytes can be compared. */
typedef struct dsm__layer_shape {
  uint64_t gates;
  uint64_t operand_groups;
  uint64_t lookup_elements;
  uint64_t cache_elements;
  uint64_t experts;
  uint64_t routed;
  uint64_t input_op_elements;
  uint64_t rotated_elements;
  uint64_t upsampled_elements;
  double hidden_share;
  uint64_t in;
  uint64_t out;
  uint64_t ij;
  uint64_t rows;
  uint64_t kij;
  uint64_t strides;
  uint64_t stride_rows;
  uint64_t halo_rows;
  uint64_t groups;
  uint64_t timesteps;
  uint64_t input_elements;
  uint64_t output_elements;
  uint64_t stored_elements;
  uint64_t state_elements;
  uint64_t operand_elements;
  uint64_t weight_elements;
  uint64_t macs;
  uint64_t pool_window;
  uint64_t input_pool_window;
  uint64_t input_pool_elements;
  uint64_t fork_elements;
  uint64_t flags; /**< operations present, then has_backward, has_update, is_shortcut_own_input */
} dsm__layer_shape;
_Static_assert(sizeof(dsm__layer_shape) == 32 * sizeof(uint64_t), "no padding");

/** Forks tell layers apart only where the model looks at them (model.exact_forks, and
 * model.auxiliary_traffic "unfused"). */
dsm__layer_shape dsm__layer_shape_of(const dsm_layer *layer, bool are_forks_counted);

typedef struct dsm__distinct {
  size_t *class_of;       /**< of each layer: its class, 0 .. count - 1 in order of appearance */
  size_t *representative; /**< of each class: its first layer */
  size_t count;
} dsm__distinct;

/** Classes of layers that agree in everything that the cost of a pass depends on;
 * are_forks_counted: on forks too. False if out of memory. O(layers). */
bool dsm__distinct_find(dsm__distinct *distinct, const dsm_workload *workload,
                        bool are_forks_counted, dsm__arena *arena);

#endif
