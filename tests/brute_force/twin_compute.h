/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_COMPUTE_H
#define DSM_TESTS_TWIN_COMPUTE_H

/* What arrays or vector units take for the products of an invocation (section 4). */

#include "twin_cost.h"

double twin_primary_cycles(const twin_context *context, const twin_node *node, twin_pass_kind pass,
                           twin_layout layout, const double split[TWIN_DIM_COUNT], double mbc);

#endif
