/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * dsm.h: all of libdsm.
 *
 * dsm predicts how fast a neural network trains or infers on a many-chip accelerator, finds the
 * best way to split it, and tells where utilization is lost:
 *
 *     dsm_workload_load(&workload, "vgg16.json", NULL, 0, diags);
 *     dsm_system_load(&system, "torus64.json", NULL, 0, diags);
 *     dsm_explore_options_init(&options);
 *     dsm_explore(&plan, workload, system, &options, diags);
 *     dsm_plan_save(plan, "plan.json", diags);
 *
 * Conventions of the whole API:
 *  - Fallible functions return a dsm_status and take a dsm_diags last, which may be NULL. Output
 *    parameters come first and are set only on DSM_OK (otherwise to NULL where they are pointers).
 *  - A `T **out` gives ownership; free it with the function named after the type. A returned
 *    `const T *` is borrowed and dies with its parent. Free functions accept NULL.
 *  - Objects are immutable once made and may be read from any number of threads at once. A
 * dsm_diags must not be shared between threads.
 *  - The library never prints, exits, aborts, reads the environment or keeps global state.
 *  - Names carry units. Counts are uint64_t, sizes in memory size_t, modelled quantities double.
 *  - Pointers to options may be NULL: the defaults, as the _init function of their type makes them.
 *  - Other pointers must not be NULL unless a function says so.
 */
#ifndef DSM_H
#define DSM_H

#include "dsm/answer.h"
#include "dsm/calibrate.h"
#include "dsm/check.h"
#include "dsm/diag.h"
#include "dsm/diff.h"
#include "dsm/dispatch.h"
#include "dsm/elasticity.h"
#include "dsm/element_type.h"
#include "dsm/explore.h"
#include "dsm/export.h"
#include "dsm/file.h"
#include "dsm/import.h"
#include "dsm/instance.h"
#include "dsm/limits.h"
#include "dsm/mapping.h"
#include "dsm/model.h"
#include "dsm/number.h"
#include "dsm/override.h"
#include "dsm/partition.h"
#include "dsm/partition_front.h"
#include "dsm/path_steps.h"
#include "dsm/pim.h"
#include "dsm/plan.h"
#include "dsm/plot.h"
#include "dsm/plot_points.h"
#include "dsm/profile_import.h"
#include "dsm/remat.h"
#include "dsm/role.h"
#include "dsm/server.h"
#include "dsm/status.h"
#include "dsm/storage.h"
#include "dsm/strategy.h"
#include "dsm/suggest.h"
#include "dsm/sweep.h"
#include "dsm/sweep_run.h"
#include "dsm/sweep_store.h"
#include "dsm/system.h"
#include "dsm/traffic.h"
#include "dsm/workload.h"

#endif
