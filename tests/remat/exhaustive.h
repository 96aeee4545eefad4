/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exhaustive.h: the best schedule of a short chain by trying all. */
#ifndef DSM_TESTS_REMAT_EXHAUSTIVE_H
#define DSM_TESTS_REMAT_EXHAUSTIVE_H

#include "dsm/remat.h"

enum { EXHAUSTIVE_STAGES_MAX = 5, EXHAUSTIVE_OPTIONS_MAX = 2 };

/** The least time of all schedules within a budget in which what is stored stays until its backward
 * pass; infinite if there is none. It knows no recursion: it walks from memory to memory. */
double exhaustive_seconds(const dsm_remat_chain *chain, double budget);

#endif
