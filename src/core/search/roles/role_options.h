/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_options.h: the roles that a class of layers can have along all axes, and what it takes with
 * them. */
#ifndef DSM_SEARCH_ROLES_ROLE_OPTIONS_H
#define DSM_SEARCH_ROLES_ROLE_OPTIONS_H

#include "base/growing_list.h"
#include "search/roles/role_passes.h"

/** A class of layers with a role along each axis, those of its update pass at their best. Along
 * some axes another layer may be charged its gathers: an option of its own. */
typedef struct dsm__role_option {
  dsm_parallelism parallelism; /**< of forward and backward, */
  dsm_parallelism update;      /**< and of update */
  dsm__role_shares shares;
  dsm_axis_set gathers; /**< axes along which update gathers the input as forward does, where
                           another layer may do it */
  uint64_t update_ways; /**< that cut its gradients, at most as many as forward's its weights */
  bool is_spare;        /**< only where memory is short: another one with these roles is as fast */
  dsm_sharding shard;
  bool is_recomputed;
  bool is_product_kept;      /**< where it is recomputed: its operations alone are */
  bool is_output_recomputed; /**< of layers with which a segment ends that may go on */
  bool is_dominated;     /**< another one is no worse where nothing is held; kept where something
                              may be */
  bool is_for_holding;   /**< only where something is held: the same roles in all passes, beside
                              options whose update has its own */
  bool may_hold;         /**< something may be held while it runs */
  unsigned factor_index; /**< the best; of equals the first */
  size_t first_shared; /**< the first option that is the same but shares something, where one is */
  double cost;         /**< of all passes, once a step too; infinite: no core split will do */
  double once_cost;    /**< of these, what occurs once a step */
  double least_cost;   /**< of those with these roles, whatever they share, */
  double floor_cost;   /**< and what it takes at least, whoever gathers for its update */
} dsm__role_option;

/** Has an option what another one has, but for what it shares? */
static inline bool dsm__is_same_option(const dsm__role_option *a, const dsm__role_option *b) {
  return a->parallelism == b->parallelism && a->shard == b->shard &&
         a->is_recomputed == b->is_recomputed && a->is_product_kept == b->is_product_kept &&
         a->is_output_recomputed == b->is_output_recomputed && a->gathers == b->gathers &&
         a->update_ways == b->update_ways && a->is_for_holding == b->is_for_holding;
}

/** Its roles in each pass. */
static inline dsm_pass_layouts dsm__option_layouts(const dsm__role_option *option) {
  return (dsm_pass_layouts){{[DSM_PASS_FORWARD] = option->parallelism,
                             [DSM_PASS_BACKWARD] = option->parallelism,
                             [DSM_PASS_UPDATE] = option->update}};
}

/** Of a class, and of its layers in each zone. */
typedef struct dsm__role_options {
  dsm__role_option *items; /**< those that share nothing first, in the order of preference */
  size_t count;
  size_t whole_count; /**< that share nothing */
  bool has_spares;
} dsm__role_options;

/** Of all classes, kept while searches differ only in how tables of tied layers are cut. */
typedef struct dsm__kept_options {
  dsm__role_options *items; /**< NULL: none yet */
} dsm__kept_options;

/** Those of a layer; borrowed from the arena. NULL items if out of memory. What tied layers
 * exchange is in no time. `may_recompute`: also those that run the forward pass again. */
dsm__role_options dsm__role_options_find(const dsm__problem *problem, size_t layer_index,
                                         bool may_recompute);

#endif
