/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_STREAM_H
#define DSM_TESTS_TWIN_STREAM_H

/* What an invocation moves between memory and cores while it computes (section 5; of a shared
 * memory section 7). */

#include "twin_traffic.h"

/* Bytes of memory, bytes that the busiest link of the cores carries of them, and bytes of a shared
 * memory. */
typedef struct {
  double memory;
  double link;
  double shared;
} twin_stream;

/* The pass as section 5 has it: what is read and written once and what once for each tile. What
 * turns at the same time is given. */
twin_stream twin_stream_of(const twin_context *context, const twin_node *node, twin_pass_kind pass,
                           twin_layout layout, const double split[TWIN_DIM_COUNT],
                           const twin_traffic *bytes, const twin_condition *condition,
                           double turned);

#endif
