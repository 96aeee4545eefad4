/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_BYTES_H
#define DSM_TESTS_TWIN_BYTES_H

/* Section 2: bytes of an element of each tensor of a layer. */

#include "twin_cost.h"
#include "twin_quantities.h"

/* Gives every layer its bytes, once all of them are known. */
void twin_derive_bytes(twin_workload *workload);

/* Of a weight, or of a product's second operand. */
double twin_kernel_bytes(const twin_context *context, const twin_node *node);

/* What a layer stores, as whole elements of the workload's. */
double twin_stored_size(const twin_workload *workload, const twin_node *node);

/* So many elements of a layer's bytes, likewise. */
double twin_own_size(const twin_workload *workload, const twin_node *node, double elements);

#endif
