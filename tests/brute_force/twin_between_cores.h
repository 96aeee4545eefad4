/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_BETWEEN_CORES_H
#define DSM_TESTS_TWIN_BETWEEN_CORES_H

/* What cores send each other in one invocation, beside what streams from memory. */

#include "twin_traffic.h"

/* Cycles of partial sums, of the sums of statistics, and, where held tensors always move, of these
 * moves. */
double twin_between_cores_cycles(const twin_context *context, const twin_node *node,
                                 twin_pass_kind pass, twin_layout layout,
                                 const double split[TWIN_DIM_COUNT], const twin_traffic *bytes,
                                 const twin_condition *condition);

/* Cycles of the held tensors that move because the split does not fit their layout, where
 * layout_move is "exact": what comes on top of twin_invocation_of(). Of `bytes` only those of the
 * chip matter, of `layouts`, by layer, only those of held outputs. */
double twin_layout_move_cycles(const twin_context *context, const twin_node *node,
                               twin_pass_kind pass, const double split[TWIN_DIM_COUNT],
                               const twin_traffic *bytes, const twin_condition *condition,
                               const twin_parts *layouts);

#endif
