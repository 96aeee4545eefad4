/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_TILES_H
#define DSM_TESTS_TWIN_TILES_H

/* Tiles of all loops of a core (section 5, model.tiling "blocked"). */

#include "twin_traffic.h"

/* Cycles of the memory, or of the link of a core, for what streams. */
typedef struct {
  double fixed; /* once in any case */
  double left;  /* what is by positions: inputs, in backward errors */
  double right; /* weights, in update errors */
  double sums;  /* all sums before they are finished, written and read */
} twin_load;

/* Of the memory, of the link of a core, and of a shared memory. */
enum { TWIN_LOADS = 3 };

/* How often. */
typedef struct {
  double left;
  double right;
  double sums;
} twin_times;

double twin_load_cycles(const twin_load loads[TWIN_LOADS], const twin_times *times);

/* What is fetched how often with the tiles of least cycles, of the largest load, over all
 * tiles and the operand that stays; or `paper`, if none takes less. */
twin_times twin_tiled_times(const twin_context *context, const twin_node *node, twin_pass_kind pass,
                            twin_layout layout, const double split[TWIN_DIM_COUNT],
                            const twin_traffic *bytes, const twin_condition *condition,
                            const twin_load loads[TWIN_LOADS], twin_times paper);

/* Bytes of sums that the pass makes, written once and read once. */
double twin_spilled_bytes(const twin_context *context, twin_pass_kind pass, const twin_node *node,
                          const twin_traffic *bytes, const twin_condition *condition);

#endif
