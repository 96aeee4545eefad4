/* SPDX-License-Identifier: GPL-3.0-or-later */
/* edited.h: plans whose text was edited by hand. */
#ifndef DSM_TESTS_SEARCH_EDITED_H
#define DSM_TESTS_SEARCH_EDITED_H

#include "dsm/plan.h"

/** The text of a plan with something, where it first stands, replaced; to be freed. */
char *edited_text(const dsm_plan *plan, const char *before, const char *after);

/** Such a text is invalid, and the first finding says this. */
void expect_edited_refused(const dsm_plan *plan, const char *before, const char *after,
                           const char *message);

#endif
