/* SPDX-License-Identifier: GPL-3.0-or-later */
/* update_roles.h: roles that a layer's update pass has of its own (sections 11 and 13). */
#ifndef DSM_SEARCH_ROLES_UPDATE_ROLES_H
#define DSM_SEARCH_ROLES_UPDATE_ROLES_H

#include "search/roles/role_passes.h"

/** An item by what it takes at least. */
typedef struct dsm__ranked_update {
  double floor_cost;
  size_t item;
} dsm__ranked_update;

/** Roles that an update pass can have, and what they alone decide. */
typedef struct dsm__update_item {
  dsm_parallelism parallelism;
  uint8_t roles[DSM_AXES_MAX];
  dsm_axis_set gathering; /**< the axes with gather_column */
  uint64_t ways;          /**< that cut its weights */
  double sums;            /**< of gradients, and weights' update, */
  size_t read;            /**< number of the layouts of its input, */
  size_t made;            /**< and of its output */
} dsm__update_item;

/** What the update passes of a class of layers take; what was asked of them is kept. Numbers that
 * are not known are NaN. */
typedef struct dsm__update_roles {
  dsm__arena *arena; /**< of all that follows */
  const dsm__problem *problem;
  size_t layer_index;
  bool has_company;        /**< other layers read what one of the class reads */
  dsm__update_item *items; /**< that the layer can have, in the order of preference */
  size_t count;
  unsigned sets;      /**< of axes along which gathers may be another's: one or all */
  double least_sums;  /**< of all items */
  double *passes;     /**< of each factor, set and item: the pass */
  double *broadcasts; /**< of each set of axes that cut what is used, and item */
  double *moves;      /**< of each two numbers of layouts, of the input, then of the error */
  dsm__ranked_update *ranked; /**< of each factor: the items, by pass and sums */
  bool *is_ranked;            /**< of each factor: are they known? */
  double *both;               /**< of each factor: forward and backward of the roles asked for, */
  double *apart;              /**< and what backward takes more where update has other roles */
} dsm__update_roles;

/** A way to run the passes of a layer with roles of forward and backward. */
typedef struct dsm__update_way {
  dsm_parallelism update;
  dsm_axis_set gathers; /**< axes along which update gathers the input as forward does, where that
                             may be another layer's too */
  uint64_t ways;        /**< that cut its gradients, at most as many as forward's */
  unsigned factor_index;
  double cost;       /**< of all passes, once a step too */
  double floor_cost; /**< the same at least, whoever gathers */
  bool is_spare;     /**< another way is as fast, with more gradients at a time */
} dsm__update_way;

enum { DSM__UPDATE_WAYS_MAX = 65 };

typedef struct dsm__update_ways {
  dsm__update_way items[DSM__UPDATE_WAYS_MAX];
  size_t count;
} dsm__update_ways;

/** May the update pass of a layer have roles of its own in this search? Not of layers that share a
 * table: what they exchange decides with it. */
bool dsm__may_update_apart(const dsm__problem *problem, size_t layer_index);

/** Axes along which a layer gathers in forward, and could in update. */
dsm_axis_set dsm__gathering_axes(const dsm_system *system, dsm_parallelism parallelism);

/** Does a layer of the same class read what another layer reads too? */
bool dsm__has_company(const dsm__problem *problem, size_t layer_index);

/** Starts them. False if out of memory. What it has is freed in any case. */
bool dsm__update_roles_init(dsm__update_roles *updates, const dsm__problem *problem,
                            size_t layer_index, const dsm_parallelism *items, size_t count);
void dsm__update_roles_fini(dsm__update_roles *updates);

/** Room for what forward and backward take of each factor with the roles that are asked next; NaN:
 * not known. */
double *dsm__update_both(dsm__update_roles *updates);

/** The ways that are worth a look, the one with the same roles among them if it is: no other one is
 * as fast, gathers as much and has as few gradients. `same`: that one, at its best; what its
 * forward and backward take is in dsm__update_both. */
void dsm__update_ways_find(dsm__update_roles *updates, dsm_parallelism forward,
                           const dsm__update_way *same, dsm__update_ways *found);

/** The best way that gathers and cuts like `as`, where gathers are another's along some axes.
 * Infinite cost: there is none. */
dsm__update_way dsm__update_way_shared(dsm__update_roles *updates, dsm_parallelism forward,
                                       dsm__role_shares shares, const dsm__update_way *as);

#endif
