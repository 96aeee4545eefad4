/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hand_made.h: sweeps put together by hand, without a specification. */
#ifndef DSM_TESTS_SWEEP_HAND_MADE_H
#define DSM_TESTS_SWEEP_HAND_MADE_H

#include "dsm/sweep.h"

enum { HAND_VALUES_MAX = 16 };

/** An axis of one path; values end with NULL. Numbers and words as columns show them. */
typedef struct hand_axis {
  const char *path;
  const char *values[HAND_VALUES_MAX + 1];
} hand_axis;

/** The sweep of bundled workloads and systems (lists that end with NULL) and the axes; to be freed
 * with hand_sweep_free. */
dsm_sweep *hand_sweep(const char *const *workloads, const char *const *systems,
                      const hand_axis *axes, size_t axis_count, dsm_record record);
void hand_sweep_free(dsm_sweep *sweep);

#endif
