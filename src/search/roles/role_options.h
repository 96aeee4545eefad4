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
  dsm_sharding shard;
  bool is_recomputed;
  bool is_dominated;     /**< another one is no worse where nothing is held; kept where something
                              may be */
  unsigned factor_index; /**< the best; of equals the first */
  double cycles;         /**< of all passes, once a step too; infinite: no core split will do */
  double once_cycles;    /**< of these, what occurs once a step */
  double least_cycles;   /**< of those with these roles, whatever they share */
} dsm__role_option;

/** Has an option what another one has, but for what it shares? */
static inline bool dsm__is_same_option(const dsm__role_option *a, const dsm__role_option *b) {
  return a->parallelism == b->parallelism && a->shard == b->shard &&
         a->is_recomputed == b->is_recomputed;
}

/** Of a class, and of its layers that are among the first layers. */
typedef struct dsm__role_options {
  dsm__role_option *items; /**< those that share nothing first, in the order of preference */
  size_t count;
  size_t whole_count; /**< that share nothing */
} dsm__role_options;

/** Those of a layer; borrowed from the arena. NULL items if out of memory. `may_recompute`: also
 * those that run the forward pass again. */
dsm__role_options dsm__role_options_find(dsm__problem *problem, size_t layer_index,
                                         bool may_recompute);

#endif
