/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_SPLITS_H
#define DSM_TESTS_TWIN_SPLITS_H

/* The best core split of an invocation (section 3). */

#include "twin_cost.h"

/* Ordered factorisations of the core count into five: 126 for 32 cores, 2100 for 96 * 5. */
enum { TWIN_MAX_SPLITS = 2400 };

typedef struct {
  size_t count;
  twin_invocation items[TWIN_MAX_SPLITS];
} twin_candidates;

/* Every split in which no core stays idle, or every split if there is none such, in lexicographic
 * order. */
void twin_enumerate_invocations(twin_candidates *out, const twin_context *context,
                                const twin_node *node, twin_pass_kind pass,
                                twin_parallelism parallelism, const twin_condition *condition);

/*
 * Scores them and keeps the best by the order of preference. Only splits with at most
 * `kernel_limit_bytes` of the kernel a core count (HUGE_VAL: all); false if there is none.
 */
bool twin_best_invocation(twin_invocation *out, const twin_context *context, const twin_node *node,
                          twin_pass_kind pass, twin_parallelism parallelism,
                          const twin_condition *condition, double kernel_limit_bytes);

/*
 * The best invocation of a later timestep, whose kernel (update: whose gradient) is on chip since
 * the first (section 7); false if a core has no room for it.
 */
bool twin_best_steady_invocation(twin_invocation *out, const twin_context *context,
                                 const twin_node *node, twin_pass_kind pass,
                                 twin_parallelism parallelism);

#endif
