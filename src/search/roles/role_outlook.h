/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_outlook.h: what a mapping with roles takes at least before a layer and behind it, found
 * before the graph of all mappings is made, so that what is in no mapping within a limit is not
 * made at all. */
#ifndef DSM_SEARCH_ROLES_ROLE_OUTLOOK_H
#define DSM_SEARCH_ROLES_ROLE_OUTLOOK_H

#include <math.h>

#include "search/roles/role_states.h"

/** Cycles of a layer with an option that shares nothing, or with as much shared as may help it;
 * infinite: it is not looked at. Layers of a kind have the same. */
typedef struct dsm__role_least {
  const void *context;
  double (*cycles)(const void *context, size_t layer_index, size_t whole, bool may_share);
} dsm__role_least;

typedef struct dsm__role_outlook {
  double least_cycles; /**< of all mappings of such options; infinite: there is none. 0: nothing is
                            known, nothing is left out */
  struct dsm__outlook_kind *const *kinds;  /**< of each layer */
  const struct dsm__outlook_spot *spots;   /**< states between layers, */
  dsm__map spot_index;                     /**< and the index of these, */
  const struct dsm__outlook_point *points; /**< and of those before a kind of layer */
  dsm__map point_index;
} dsm__role_outlook;

/** What options of a layer may take, with the move into it, on a path within the limit. */
typedef struct dsm__role_rooms {
  const double *of_groups; /**< NULL: anything */
  const uint16_t *group_of;
} dsm__role_rooms;

/** Finds it for mappings of `limit_cycles` at most, of layers that take layers[0 .. layer_count) at
 * least; in the arena but for what dsm__role_outlook_fini frees in any case. False if out of
 * memory. */
bool dsm__role_outlook_find(const dsm__role_space *space, const dsm__role_least *least,
                            const double *layers, double limit_cycles, dsm__arena *arena,
                            dsm__role_outlook *outlook);
void dsm__role_outlook_fini(dsm__role_outlook *outlook);

/** Of a state before a layer. */
dsm__role_rooms dsm__role_rooms_at(const dsm__role_space *space, const dsm__role_outlook *outlook,
                                   size_t layer_index, const dsm__role_state *state);

/** Of an option that shares nothing, and those that share something but are the same. */
static inline double dsm__role_room_of(const dsm__role_rooms *rooms, size_t whole) {
  return rooms->of_groups == NULL ? HUGE_VAL : rooms->of_groups[rooms->group_of[whole]];
}

#endif
