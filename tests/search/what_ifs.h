/* SPDX-License-Identifier: GPL-3.0-or-later */
/* what_ifs.h: what dsm_explain says of decisions, for tests. */
#ifndef DSM_TESTS_SEARCH_WHAT_IFS_H
#define DSM_TESTS_SEARCH_WHAT_IFS_H

#include <stdbool.h>

#include "dsm/dsm.h"

/** The explanation of a layer; fails the test if there is none. To be freed. */
dsm_explanation *explained(const dsm_plan *plan, size_t layer_index);

/** A decision's value; fails where it is not told. */
const dsm_what_if *what_if_of(const dsm_explanation *explanation, dsm_decision decision,
                              uint64_t value);

/** What must hold of any explanation of a plan that is the best of its space, where the memory does
 * not bind (`is_limited`: where it may). `where` begins the messages. */
void expect_consistent(const dsm_explanation *explanation, const dsm_plan *plan, bool is_limited,
                       const char *where);

/** The same of all layers. */
void expect_all_consistent(const dsm_plan *plan, bool is_limited, const char *where);

#endif
