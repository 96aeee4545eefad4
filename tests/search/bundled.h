/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bundled.h: explorations of bundled descriptions, for tests. */
#ifndef DSM_TESTS_SEARCH_BUNDLED_H
#define DSM_TESTS_SEARCH_BUNDLED_H

#include "dsm/dsm.h"

/** An exploration with its inputs. */
typedef struct bundled {
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
  dsm_status status; /**< of the exploration; the inputs must be good */
} bundled;

/** Loads workloads/NAME.json and systems/NAME.json and explores. Aborts the test on bad inputs. */
bundled bundled_explore(const char *workload, const char *system, const char *minibatch,
                        const dsm_explore_options *options);

void bundled_free(bundled *explored);

/** Loads only. */
dsm_workload *bundled_workload(const char *name, const char *minibatch);
dsm_system *bundled_system(const char *name);
dsm_system *bundled_system_with(const char *name, const dsm_override *overrides, size_t count);

/** The defaults, for a mode. */
dsm_explore_options bundled_options(dsm_mode mode);

/** All bundled networks. */
enum { BUNDLED_NETWORKS = 8 };
extern const char *const bundled_networks[BUNDLED_NETWORKS];

#endif
