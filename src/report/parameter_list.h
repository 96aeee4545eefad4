/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parameter_list.h: parameters with value, unit, default and source, as a list for people. */
#ifndef DSM_REPORT_PARAMETER_LIST_H
#define DSM_REPORT_PARAMETER_LIST_H

#include "dsm/system.h"
#include "report/table/text_page.h"

/** A parameter as the list shows it. Texts are not NULL. */
typedef struct dsm__listed_parameter {
  const char *path;
  const char *value;
  const char *unit;
  const char *fallback; /**< its default, or "required" */
  const char *source;
} dsm__listed_parameter;

/** Appends the list: sources stand beside the values if the page is wide, else below them; on a
 * narrow page defaults and units are left out. */
void dsm__parameter_list_put(dsm__page *page, const dsm__listed_parameter *parameters,
                             size_t count);

/** The parameters of a system in the order of its format, and how many; in the page's arena;
 * sources as they are, not made safe for a terminal. NULL, and the page fails, if out of memory. */
dsm__listed_parameter *dsm__parameter_list_of(dsm__page *page, const dsm_system *system,
                                              size_t *count);

#endif
