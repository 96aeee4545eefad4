/* SPDX-License-Identifier: GPL-3.0-or-later */
/* what_if.h: what the network would do if a layer were decided otherwise, in words. */
#ifndef DSM_REPORT_WHAT_IF_H
#define DSM_REPORT_WHAT_IF_H

#include "report/table/text_page.h"

/** A decision before its values: "held on chip". Never NULL. */
const char *dsm__what_if_label(dsm_decision decision);

/** Its value, and what that does to the step: "no: +12.3 % (+1,118,660 cycles), then no longer
 * held: conv2". Never NULL. */
const char *dsm__what_if_text(dsm__page *page, const dsm_plan *plan, double reference_cycles,
                              const dsm_what_if *what_if);

/** Names of layers, joined by a separator; at most `most`, then "and 3 more" (0: all). */
const char *dsm__layer_names(dsm__page *page, const dsm_plan *plan, const size_t *layers,
                             size_t count, const char *separator, size_t most);

#endif
