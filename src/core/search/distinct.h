/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distinct.h: layers that cost the same are searched once. */
#ifndef DSM_SEARCH_DISTINCT_H
#define DSM_SEARCH_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "dsm/strategy.h"
#include "dsm/workload.h"
#include "model/layer_words.h"
#include "plan/recomputation.h"

/** What the cost of a layer's passes depends on; no padding, so that bytes can be compared. */
typedef struct dsm__layer_shape {
  uint64_t words[DSM__LAYER_WORDS];
  uint64_t fork_elements;
  uint64_t is_shortcut_own_input;
} dsm__layer_shape;
_Static_assert(sizeof(dsm__layer_shape) == (DSM__LAYER_WORDS + 2) * sizeof(uint64_t), "no padding");

/** Forks tell layers apart only where the model looks at them (model.exact_forks, and
 * model.auxiliary_traffic "unfused"). */
dsm__layer_shape dsm__layer_shape_of(const dsm_layer *layer, bool are_forks_counted);

typedef struct dsm__distinct {
  size_t *class_of;        /**< of each layer: its class, 0 .. count - 1 in order of appearance */
  size_t *representative;  /**< of each class: its first layer */
  bool *has_table;         /**< of each class: its weights are shared with layers of others */
  dsm__again *asked_again; /**< of each class: what of its layers is asked to be made anew */
  bool *may_go_on;         /**< of each class: a segment that ends with one of its layers may */
  size_t count;
} dsm__distinct;

/** Classes of layers that agree in everything that the cost of a pass depends on, in the table that
 * they share with others, if any, and in what is asked for; are_forks_counted: in forks too. False
 * if out of memory. O(layers). */
bool dsm__distinct_find(dsm__distinct *distinct, const dsm_workload *workload,
                        bool are_forks_counted, dsm_recomputation asked, dsm__arena *arena);

#endif
