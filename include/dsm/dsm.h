/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * dsm.h: a tour of libdsm, and all of its headers.
 *
 * dsm predicts how fast a neural network trains or infers on a many-chip accelerator, finds the
 * best way to split it, and tells where utilization is lost. A session does what the command line
 * does, with options by its names:
 *
 *     dsm_session *const session = dsm_session_new();
 *     double seconds = 0;
 *     if (dsm_session_set(session, "mode", "inference") == DSM_OK &&
 *         dsm_session_set(session, "set", "system.core.scratchpad_MiB=2") == DSM_OK &&
 *         dsm_session_load(session, "vgg16.json", "torus64.json") == DSM_OK &&
 *         dsm_session_explore(session) == DSM_OK &&
 *         dsm_session_number(session, "step_seconds", &seconds)) {
 *       char *const table = dsm_session_print(session, "table");
 *       printf("%g s\n%s", seconds, table);
 *       dsm_text_free(table);
 *     }
 *     for (size_t i = 0; dsm_session_finding(session, i) != NULL; i++) {
 *       fprintf(stderr, "%s\n", dsm_session_finding(session, i));
 *     }
 *     dsm_session_free(session);
 *
 * Below a session stand the headers of its parts: answers and how they are printed (answer.h), the
 * search and its plans (explore.h, plan.h), and the model's structures and equations (workload.h,
 * system.h, model.h).
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
#include "dsm/design.h"
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
#include "dsm/ladder.h"
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
#include "dsm/search_options.h"
#include "dsm/server.h"
#include "dsm/serving.h"
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

#ifdef __cplusplus
extern "C" {
#endif

/** A network on a system, what is asked of them, and the answer. Not for several threads at once.
 */
typedef struct dsm_session dsm_session;

/** A new session: training, with the defaults of all options. NULL if out of memory. */
DSM_API dsm_session *dsm_session_new(void);

/** Frees the session and all that it has made; NULL is fine. */
DSM_API void dsm_session_free(dsm_session *session);

/** What dsm_session_set takes: name number `index`, NULL after the last. */
DSM_API const char *dsm_session_option(size_t index);

/**
 * Sets an option by the name that it has on the command line: those of dsm_search_option_get, such
 * as `optimize` or `time-limit`; `minibatch`; and `set`, whose value is PATH=VALUE with a PATH that
 * begins with "workload." or "system.". `minibatch` and `set` are of what is loaded later.
 * DSM_ERROR_USAGE, with a finding: there is no such option, or it has no such value;
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_session_set(dsm_session *session, const char *option,
                                                 const char *value);

/** Reads a workload and a system, in place of those and the plan that the session has. Otherwise as
 * dsm_workload_load and dsm_system_load. */
DSM_API DSM_NODISCARD dsm_status dsm_session_load(dsm_session *session, const char *workload_file,
                                                  const char *system_file);

/** Reads a plan in place of what the session has, and predicts it again, as dsm_plan_load. */
DSM_API DSM_NODISCARD dsm_status dsm_session_load_plan(dsm_session *session, const char *plan_file);

/** Finds the best plan of what is loaded, as dsm_explore. DSM_ERROR_USAGE also: nothing is. */
DSM_API DSM_NODISCARD dsm_status dsm_session_explore(dsm_session *session);

/** The plan that was explored or loaded, which the session owns; NULL: there is none. */
DSM_API const dsm_plan *dsm_session_plan(const dsm_session *session);

/** A number of the plan's `result` by its key: "step_cycles", "step_seconds", "samples_per_second"
 * or "utilization". False: there is no plan, or no such number. */
DSM_API bool dsm_session_number(const dsm_session *session, const char *key, double *value);

/** The plan as "table", "json", "csv" or "trace" (dsm_form), to be freed with dsm_text_free. NULL:
 * there is no plan, no such form, or no memory. */
DSM_API char *dsm_session_print(const dsm_session *session, const char *form);

/** Writes the plan to a file, as JSON. DSM_ERROR_USAGE: there is none; DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_session_save(dsm_session *session, const char *file);

/** What the last call that returns a status found, a line of text each; NULL behind the last. Until
 * the next such call. */
DSM_API const char *dsm_session_finding(dsm_session *session, size_t index);

/** Frees a text that the library made; NULL is fine. */
DSM_API void dsm_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
