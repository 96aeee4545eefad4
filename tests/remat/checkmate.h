/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checkmate.h: the best way to run a small block, by an integer programme. */
#ifndef DSM_TESTS_REMAT_CHECKMATE_H
#define DSM_TESTS_REMAT_CHECKMATE_H

#include "chain/block.h"

/** The least time of a block, forward and backward, within a peak: the programme of Checkmate (Jain
 * et al., MLSys 2020), solved with GLPK. Infinite if there is no way. */
double checkmate_seconds(const dsm__remat_block *block, double peak);

#endif
