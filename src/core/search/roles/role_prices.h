/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_prices.h: what bytes cost where memory is short. */
#ifndef DSM_SEARCH_ROLES_ROLE_PRICES_H
#define DSM_SEARCH_ROLES_ROLE_PRICES_H

#include "search/roles/role_rooms.h"

/** Finds the least of each layer of a space, with what counts for its bytes. */
void dsm__role_least_find(dsm__role_space *space);

/**
 * Gives the bytes that layers keep the price with which the outline proves most of mappings that
 * fit, with the rooms and the least of layers that go with it: `rooms` are those without a price.
 * *need_bytes: so much all mappings need of a chip's memory at least; where that is more than there
 * is, nothing is changed. Nor where the time is over meanwhile. False if out of memory.
 */
bool dsm__role_prices_find(dsm__role_space *space, dsm__role_rooms *rooms, double *need_bytes);

#endif
