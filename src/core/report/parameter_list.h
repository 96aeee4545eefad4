/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parameter_list.h: parameters with value, unit, default and source, as a list for people. */
#ifndef DSM_REPORT_PARAMETER_LIST_H
#define DSM_REPORT_PARAMETER_LIST_H

#include "dsm/elasticity.h"
#include "dsm/system.h"
#include "report/data/records.h"

/** A parameter as lists show it, and descriptions have it. */
typedef struct dsm__listed_parameter {
  const char *path;
  dsm__value value;
  const char *unit;
  dsm__value fallback; /**< its default; none: it is required */
  const char *source;  /**< as it is, not made safe for a terminal */
} dsm__listed_parameter;

/** A value as it stands in a description; `nothing` if there is none. In the page's arena. */
const char *dsm__listed_value(dsm__page *page, const dsm__value *value, const char *nothing);

/** A setting as a value; `none`: of one that is none. */
dsm__value dsm__setting_value(const dsm_setting *setting, dsm__value_kind none);

/** Appends a list of them: sources stand beside the values if the page is wide, else below them; on
 * a narrow page defaults and units are left out. */
void dsm__parameter_list_put(dsm__page *page, const dsm__rows *parameters);

/** Those of a system in the order of its format. */
dsm__rows dsm__parameter_list_of(dsm__page *page, const dsm_system *system);

/** What a technology that was read by itself states. */
dsm__rows dsm__technology_list_of(dsm__page *page, const dsm_technology *technology);

#endif
