/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_sums.h: do the numbers that a plan's text records add up? */
#ifndef DSM_PLAN_PLAN_SUMS_H
#define DSM_PLAN_PLAN_SUMS_H

#include "base/json_read.h"

/** Reports every number that is not what those it is made of add up to. Numbers that the text
 * leaves out are not missed; one that is there is judged if all that it is made of are. */
void dsm__plan_check_sums(dsm__json_doc *doc, dsm__arena *arena);

#endif
