/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_shelf.h: inputs of sweeps in memory, and what holds of every sweep. */
#ifndef DSM_TESTS_FUZZ_FUZZ_SHELF_H
#define DSM_TESTS_FUZZ_FUZZ_SHELF_H

#include "dsm/sweep.h"

/** Whatever the name, it is fuzz_workload_text or fuzz_system_text; no more than so many lines. */
extern const dsm_sweep_source fuzz_shelf;
#define FUZZ_SHELF_LINES ((size_t)16)

/** Checks points, values and columns, and that the resolved form makes the same sweep. */
void fuzz_check_sweep(const dsm_sweep *sweep);

#endif
