/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shape.h: sizes of features through kernels and pools, checked against what is declared. */
#ifndef DSM_WORKLOAD_SHAPE_H
#define DSM_WORKLOAD_SHAPE_H

#include "base/json_read.h"
#include "dsm/workload.h"

/** A declared layer being resolved, with its node for findings. */
typedef struct dsm__layer_entry {
  const dsm_layer_spec *spec;
  const dsm__json_node *node;
  size_t index; /**< among the declared layers */
} dsm__layer_entry;

/** The pool on the input or on the output of a layer, or NULL. */
const dsm_aux *dsm__find_pool(const dsm_layer_spec *spec, bool is_on_input);

/** The size of a pool's result from features of size `from`; false (reported) if it does not fit.
 */
bool dsm__pool_derive_size(const dsm__layer_entry *layer, const dsm_aux *pool, dsm_size2 from,
                           dsm_size2 *pooled);

/** The node of a member of the layer, or of the layer itself where the member is not written. */
dsm__json_node dsm__layer_entry_member(const dsm__layer_entry *layer, const char *key);

#endif
