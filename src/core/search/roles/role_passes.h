/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_passes.h: what passes of a layer by itself take with roles. */
#ifndef DSM_SEARCH_ROLES_ROLE_PASSES_H
#define DSM_SEARCH_ROLES_ROLE_PASSES_H

#include "search/problem.h"

/** Axes along which a layer's gathers are another's. */
typedef struct dsm__role_shares {
  dsm_axis_set both;      /**< in forward, and sums in backward */
  dsm_axis_set in_update; /**< of these, in update too */
} dsm__role_shares;

/** Is a factor looked at? */
bool dsm__role_factor_is_tried(const dsm__problem *problem, const dsm_layer *layer,
                               unsigned factor_index);

/** How a layer runs. */
dsm__layer_setting dsm__role_setting(const dsm__problem *problem, size_t layer_index,
                                     unsigned factor_index, dsm__role_shares shares);

/** The key of what is asked of a pass, in the problem's memo of passes with roles. */
dsm__memo_role_key dsm__role_pass_key(const dsm__problem *problem,
                                      const dsm__layer_setting *setting, dsm_pass pass,
                                      dsm_parallelism parallelism, dsm__memo_asked asked);

/** What a pass costs with all that it waits for. */
double dsm__role_pass_cost(const dsm__problem *problem, const dsm__layer_setting *setting,
                           dsm_pass pass, const dsm_pass_layouts *layouts);

#endif
