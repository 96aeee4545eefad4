/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_ALLOT_H
#define DSM_TESTS_TWIN_ALLOT_H

/* The best columns, rows and parallelisms of every possible pipeline group. */

#include "twin_price.h"

enum { TWIN_MAX_ALLOTMENTS = 64 };

typedef struct {
  twin_group group;
  twin_parallelism parallelism[TWIN_MAX_LAYERS]; /* of the stages */
  twin_group_price price;
} twin_allotment;

/* Where several allotments of a group are equally fast, those of which no other needs less memory.
 */
typedef struct {
  size_t count;
  twin_allotment items[TWIN_MAX_ALLOTMENTS];
  bool is_ambiguous; /* equally fast allotments of some group differ in memory */
} twin_allotments;

void twin_allot(twin_allotments *out, const twin_pricer *pricer);

#endif
