/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_rules.h: which roles a layer can have (section 3). */
#ifndef DSM_PLAN_ROLE_RULES_H
#define DSM_PLAN_ROLE_RULES_H

#include "dsm/model.h"
#include "dsm/plan.h"

/** The optimization that a role needs; DSM_OPTIMIZATION_COUNT: none. */
dsm_optimization dsm__role_optimization(dsm_role role);

/** Do options have that? */
bool dsm__may_have_role(const dsm_explore_options *options, dsm_role role);

/** Do options allow roles beside data and model? */
bool dsm__may_have_roles(const dsm_explore_options *options);

/** The same of all roles of a parallelism together: do heads divide among its chips? */
const char *dsm__roles_why_not(const dsm_layer *layer, const dsm_system *system,
                               dsm_parallelism parallelism);

/** May two passes of a layer have these roles along an axis? */
bool dsm__may_stand_beside(const dsm_layer *layer, dsm_role a, dsm_role b);

/** The first axis along which two passes of a layer cannot have these roles; DSM_NO_AXIS: none.
 * Weights have one cut, by out or by in, which data, spatial and whole may stand beside. */
unsigned dsm__roles_clash(const dsm_layer *layer, const dsm_system *system, dsm_parallelism a,
                          dsm_parallelism b);

#endif
