/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_rooms.h: what a layer may take, with the relayouts around it, on paths within a limit. */
#ifndef DSM_SEARCH_ROLES_ROLE_ROOMS_H
#define DSM_SEARCH_ROLES_ROLE_ROOMS_H

#include "search/roles/role_outline.h"

/** That, of layers of a network. */
typedef struct dsm__role_rooms {
  double least_cost;    /**< of all paths; infinite: there is none. 0: nothing is known, */
  double open;          /**< by which a path may be over that, once there is a limit */
  double **before;      /**< of each layer, and state before it: what a path takes more up to it, */
  double **behind;      /**< and from a state behind it on: less than nothing too */
  double *least_behind; /**< of each layer, the least of these */
  uint64_t *others;     /**< before each layer and the end: outputs that a state does not tell */
} dsm__role_rooms;

/** Finds them, in the arena. False if out of memory. */
bool dsm__role_rooms_find(const dsm__role_space *space, const dsm__outline_source *source,
                          dsm__arena *arena, dsm__role_rooms *rooms);

/** Of mappings that hold nothing. */
bool dsm__open_rooms_find(const dsm__role_space *space, dsm__arena *arena, dsm__role_rooms *rooms);

/** The same of paths within a limit. */
dsm__role_rooms dsm__rooms_within(const dsm__role_rooms *rooms, double cost_limit);

/** From a state before a layer to any behind it. NULL rooms: infinite. */
double dsm__room_from(const dsm__role_space *space, const dsm__role_rooms *rooms,
                      size_t layer_index, const dsm__role_state *from);

/** Between states before a layer and behind it. NULL rooms: infinite. */
double dsm__room_between(const dsm__role_space *space, const dsm__role_rooms *rooms,
                         size_t layer_index, const dsm__role_state *from,
                         const dsm__role_state *to);

#endif
