/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * siblings.h: queries, keys and values that an attention alone reads, and that several layers make
 * of the same input, are one product (docs/model.md, section 1).
 */
#ifndef DSM_WORKLOAD_SIBLINGS_H
#define DSM_WORKLOAD_SIBLINGS_H

#include "workload/resolver.h"

/** Joins them, in a resolved graph of which nothing is derived yet; false if out of memory. */
DSM_NODISCARD bool dsm__siblings_join(dsm__resolver *r);

#endif
