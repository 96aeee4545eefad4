/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_record.h: the records of the format "dsm-plan/1", each a table of fields. What a plan has,
 * decides and predicts is described there and nowhere else.
 */
#ifndef DSM_PLAN_PLAN_RECORD_H
#define DSM_PLAN_PLAN_RECORD_H

#include "base/record.h"
#include "dsm/plan.h"

/** The format's name with each of its versions. */
extern const dsm__words dsm__plan_versions;
/** The whole document: dsm_plan. */
extern const dsm__record_type dsm__plan_record;
/** How far the search was to go: dsm_explore_options. */
extern const dsm__record_type dsm__search_limits_record;
extern const dsm__record_type dsm__result_record;      /**< dsm_plan_result */
extern const dsm__record_type dsm__memory_record;      /**< dsm_plan_memory */
extern const dsm__record_type dsm__cycles_record;      /**< dsm_cycles */
extern const dsm__record_type dsm__pipeline_record;    /**< dsm_pipeline_plan */
extern const dsm__record_type dsm__step_stages_record; /**< dsm_stages */
extern const dsm__record_type dsm__layer_record;       /**< dsm_layer_plan */
extern const dsm__record_type dsm__decisions_record;   /**< dsm_layer_decisions */
extern const dsm__record_type dsm__pass_record;        /**< dsm_pass_plan */
/** dsm_pass_decisions */
extern const dsm__record_type dsm__pass_decisions_record;
extern const dsm__record_type dsm__invocation_record; /**< dsm_invocation */

/** What shares of waiting are, wherever they are; `waiting` is the key of the second there. */
#define DSM__STALL_SHARE_HELP(waiting)                                                             \
  "Of the time, in which the next mini-epoch is waited for (equation 3); waiting for fast "        \
  "storage is in " waiting " alone."
#define DSM__WAITING_SHARE_HELP "Of the time, in which data of either tier are waited for."

/** Longest name of a pipeline group, bytes: two names of layers fit. */
#define DSM__GROUP_NAME_BYTES_MAX 320

#endif
