/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_differences.h: what was asked of two plans, side by side. */
#ifndef DSM_CHECK_INPUT_DIFFERENCES_H
#define DSM_CHECK_INPUT_DIFFERENCES_H

#include "base/arena.h"
#include "dsm/diff.h"

/** Lists each value of workload, system and options that differs; list and texts are the arena's.
 * False if out of memory. */
bool dsm__input_differences(const dsm_plan *a, const dsm_plan *b, dsm__arena *arena,
                            const dsm_input_difference **list, size_t *count);

#endif
