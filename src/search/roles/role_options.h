/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_options.h: the roles that a class of layers can have along all axes, and what it takes with
 * them. */
#ifndef DSM_SEARCH_ROLES_ROLE_OPTIONS_H
#define DSM_SEARCH_ROLES_ROLE_OPTIONS_H

#include "base/growing_list.h"
#include "search/problem.h"

/** A class of layers with a role along each axis. Along some axes another layer may be charged its
 * gathers: an option of its own. */
typedef struct dsm__role_option {
  dsm_parallelism parallelism;
  dsm_axis_set shared;
  unsigned factor_index; /**< the best; of equals the first */
  double cycles;         /**< of all passes, once a step too; infinite: no core split will do */
  double once_cycles;    /**< of these, what occurs once a step */
  double least_cycles;   /**< of those with these roles, whatever they share */
} dsm__role_option;

/** Of a class, and of its layers that are among the first layers. */
typedef struct dsm__role_options {
  dsm__role_option *items; /**< those that share nothing first, in the order of preference */
  size_t count;
  size_t whole_count; /**< that share nothing */
} dsm__role_options;

/** Those of a layer; borrowed from the arena. NULL items if out of memory. */
dsm__role_options dsm__role_options_find(dsm__problem *problem, size_t layer_index);

#endif
