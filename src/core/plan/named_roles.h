/* SPDX-License-Identifier: GPL-3.0-or-later */
/* named_roles.h: the roles that options name for each axis, and what they leave (section 3). */
#ifndef DSM_PLAN_NAMED_ROLES_H
#define DSM_PLAN_NAMED_ROLES_H

#include "dsm/plan.h"

/** The roles that words of parallelisms name. */
dsm_role_set dsm__word_roles(void);

/** The roles that options name, along any axis. */
dsm_role_set dsm__named_roles(const dsm_explore_options *options);

static inline bool dsm__has_named_roles(const dsm_explore_options *options) {
  return dsm__named_roles(options) != 0;
}

/** May an axis of a system have a role, as far as roles are named? One of one chip may have any. */
bool dsm__is_role_named(const dsm_explore_options *options, const dsm_system *system, unsigned axis,
                        dsm_role role);

/** The same of all axes. Words of parallelisms, where only some are allowed, leave no other roles
 * than theirs. */
bool dsm__are_roles_named(const dsm_explore_options *options, const dsm_system *system,
                          dsm_parallelism parallelism);

/** The first role that is named without the optimization that it needs; DSM_ROLE_COUNT: none is. */
dsm_role dsm__role_without_optimization(const dsm_explore_options *options);

/** Can a layer have roles beside data and model that are named? */
bool dsm__can_have_named_roles(const dsm_layer *layer, const dsm_explore_options *options,
                               const dsm_system *system);

#endif
