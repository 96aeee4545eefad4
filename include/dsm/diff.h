/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * diff.h: two plans side by side: what differs in what was asked (inputs and options), in what was
 * decided, and in the time of each layer and pass. Unlike a check (check.h) it does not judge: A
 * and B may be plans of other networks and systems.
 *
 *     dsm_plan_load(&a, "a.json", NULL, diags);
 *     dsm_plan_load(&b, "b.json", NULL, diags);
 *     dsm_diff_derive(&diff, a, b, diags);
 */
#ifndef DSM_DIFF_H
#define DSM_DIFF_H

#include "dsm/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A value that was asked for and differs. */
typedef struct dsm_input_difference {
  const char *path; /**< "workload.PATH" or "system.PATH", as --set takes it, or "options.mode",
                         "options.optimize", "options.parallelism" as of a sweep's axes */
  const char *a;    /**< as JSON; NULL: A does not have it */
  const char *b;    /**< likewise */
} dsm_input_difference;

/** What differs. Layers are matched by name. Borrows both plans, owns all else. */
typedef struct dsm_diff {
  const dsm_plan *a;         /**< NULL: they are plans of cores in memory */
  const dsm_plan *b;         /**< likewise */
  const dsm_pim_plan *pim_a; /**< else NULL */
  const dsm_pim_plan *pim_b;
  bool is_different;
  const dsm_input_difference *inputs; /**< workload, system, options; in the order of A's formats */
  size_t input_count;
  const dsm_layer_drift *layers; /**< that only one has; MISSING: only in A, NEW: only in B */
  size_t layer_count;
  const dsm_decision_drift *decisions; /**< of layers that both have, in A's order of execution */
  size_t decision_count;
  const dsm_pass_difference *passes; /**< MISSING: only in A, NEW: only in B; the largest difference
                                          of time first; those whose time and utilization are the
                                          same but for rounding are left out */
  size_t pass_count;
  double difference_seconds; /**< of the step, B - A: that of all passes added up */
  struct dsm__arena *arena;  /**< private */
} dsm_diff;

/** Puts two plans side by side; both must outlive *diff, which belongs to the caller.
 * DSM_ERROR_OUT_OF_MEMORY. */
DSM_API DSM_NODISCARD dsm_status dsm_diff_derive(dsm_diff **diff, const dsm_plan *a,
                                                 const dsm_plan *b, dsm_diags *diags);

/** The same of two plans of cores in memory, in the words of dsm_pim_check. */
DSM_API DSM_NODISCARD dsm_status dsm_pim_diff_derive(dsm_diff **diff, const dsm_pim_plan *a,
                                                     const dsm_pim_plan *b, dsm_diags *diags);

/** Frees the difference, but not the plans; NULL is fine. */
DSM_API void dsm_diff_free(dsm_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
