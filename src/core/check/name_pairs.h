/* SPDX-License-Identifier: GPL-3.0-or-later */
/* name_pairs.h: items of two lists side by side, found by their names. */
#ifndef DSM_CHECK_NAME_PAIRS_H
#define DSM_CHECK_NAME_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/** Names of the items of a list, in order. */
typedef struct dsm__names {
  const char **items;
  size_t count;
} dsm__names;

/** An item of one list, and the first of another that has its name; SIZE_MAX: there is none. */
typedef struct dsm__name_pair {
  size_t a;
  size_t b;
} dsm__name_pair;

typedef struct dsm__name_pairs {
  dsm__name_pair *items;
  size_t count;
} dsm__name_pairs;

/** The items of A in order, then those that B alone has. False if out of memory. */
bool dsm__pairs_by_name(dsm__name_pairs *pairs, dsm__names a, dsm__names b, dsm__arena *arena);

#endif
