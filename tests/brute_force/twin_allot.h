/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_ALLOT_H
#define DSM_TESTS_TWIN_ALLOT_H

/* The columns, rows and parallelisms of every possible pipeline group that can be the best: of a
 * group's allotments those of which no other is as fast and needs no more memory. */

#include "twin_price.h"

enum { TWIN_MAX_ALLOTMENTS = 1024 };

typedef struct {
  twin_group group;
  twin_parallelism parallelism[TWIN_MAX_LAYERS]; /* of the stages */
  twin_fetching fetching[TWIN_MAX_LAYERS];
  twin_group_price price;
} twin_allotment;

typedef struct {
  size_t count;
  twin_allotment items[TWIN_MAX_ALLOTMENTS];
} twin_allotments;

void twin_allot(twin_allotments *out, const twin_pricer *pricer);

#endif
