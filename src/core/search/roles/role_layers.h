/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_layers.h: what a graph of roles asks of a layer about those around it, found once. */
#ifndef DSM_SEARCH_ROLES_ROLE_LAYERS_H
#define DSM_SEARCH_ROLES_ROLE_LAYERS_H

#include "base/arena.h"
#include "dsm/workload.h"

/** The most layers that a tensor can be inside for: so many bits are told of those before. */
enum { DSM__ROLE_REACH = 64 };

/** Bit k of a set of layers before one: the layer k + 1 before it. No padding: compared as bytes.
 */
typedef struct dsm__role_layer {
  uint64_t read;           /**< layers before, whose outputs are its inputs and operands */
  uint64_t inputs;         /**< of these, those that are its inputs */
  uint64_t added;          /**< whose outputs its residual adds */
  uint64_t carried;        /**< whose outputs a relayout before it moves */
  uint64_t same;           /**< whose inputs it reads too */
  uint64_t live;           /**< with itself as bit 0: whose outputs are read behind it */
  uint64_t alike;          /**< likewise: whose inputs a layer behind it reads too */
  uint64_t reads_far;      /**< it also reads what is never inside, */
  uint64_t adds_far;       /**< and adds such */
  uint64_t is_input_far;   /**< such is among its inputs, or it has none */
  uint64_t is_segment_end; /**< but for the network's last one */
  uint64_t may_go_on;      /**< one ends with it that may go on with the next one of a block */
  uint64_t kind;           /**< the first of layers that are equal in all of this, and in what they
                                keep and take: maybe itself */
} dsm__role_layer;

/** Finds them, for layers in classes of equal times. `is_end`: of each, does a segment end with it?
 * `other` : a layer unlike all others of its class; SIZE_MAX: there is none. NULL if out of memory.
 */
const dsm__role_layer *dsm__role_layers_find(const dsm_workload *workload, const size_t *class_of,
                                             const bool *is_end, size_t other, dsm__arena *arena);

#endif
