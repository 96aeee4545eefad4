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

/** What differs. Layers are matched by name. Borrows both plans, owns all else. */
typedef struct dsm_diff {
  const dsm_plan *a;
  const dsm_plan *b;
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

/** Frees the difference, but not the plans; NULL is fine. */
DSM_API void dsm_diff_free(dsm_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
