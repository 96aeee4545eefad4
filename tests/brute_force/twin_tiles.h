/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_TILES_H
#define DSM_TESTS_TWIN_TILES_H

/* Tiles of all loops of a core (section 5, model.tiling "blocked"). */

#include "twin_traffic.h"

/* What a pass multiplies, as it moves if each is moved once; bytes of a chip. */
typedef struct {
  double left;  /* of the input's positions: inputs, in backward errors */
  double right; /* weights, in update errors */
} twin_operands;

/* The least bytes of both operands, and of sums that go to memory before they are finished, over
 * all tiles and the operand that stays; HUGE_VAL if no tile fits. */
double twin_tiled_bytes(const twin_context *context, const twin_node *node, twin_pass_kind pass,
                        twin_layout layout, const double split[TWIN_DIM_COUNT],
                        const twin_traffic *bytes, const twin_condition *condition,
                        twin_operands operands);

#endif
