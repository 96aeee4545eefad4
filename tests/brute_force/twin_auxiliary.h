/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_AUXILIARY_H
#define DSM_TESTS_TWIN_AUXILIARY_H

/* What an invocation does beside its products (section 4). */

#include "twin_cost.h"

/* Of all auxiliary operations; `padding` is that of what they move. */
double twin_auxiliary_cycles(const twin_context *context, const twin_node *node,
                             twin_pass_kind pass, twin_layout layout, double mbc,
                             const twin_condition *condition, double padding, double widened);

/* Kernels of an invocation, and what starting all of them takes. */
double twin_overhead_cycles(const twin_context *context, const twin_node *node,
                            twin_pass_kind pass);

#endif
