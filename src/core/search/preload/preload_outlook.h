/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload_outlook.h: how fast a level's partial mappings can still become, and the search of the
 * fastest mapping by those that can (section 10). */
#ifndef DSM_SEARCH_PRELOAD_PRELOAD_OUTLOOK_H
#define DSM_SEARCH_PRELOAD_PRELOAD_OUTLOOK_H

#include "search/preload/preload_level.h"

/** A price on bytes of weights, and what it says of what is still to come. */
typedef struct dsm__preload_prospect {
  double price;
  double refund;    /**< of the room */
  double *rest;     /**< of each node */
  double *deferred; /**< of each run: cycles and bytes at the price, at least */
} dsm__preload_prospect;

enum { DSM__PROSPECTS = 4 };

/** With so many bytes or more, a layer that takes a part of what an end of its run needs takes at
 * least so many cycles. */
typedef struct dsm__preload_part {
  double bytes;
  double cycles;
} dsm__preload_part;

typedef struct dsm__preload_outlook {
  const dsm__preload_level *level;
  dsm__preload_prospect prospects[DSM__PROSPECTS];
  size_t units; /**< of the room; 0: there are no tables, or they say less than prices */
  double units_per_byte;
  double *plain;   /**< of each node, with 0 .. units left: cycles where all layers are at ends */
  double *sharing; /**< the same where one layer may have a part */
  size_t *first_part; /**< of each run, in parts; and the end */
  dsm__preload_part *parts;
} dsm__preload_outlook;

/** Looks ahead from the price of a level's bound; false if out of memory. Lives as long as the
 * level. The tables are of mappings faster than `limit`: edges of no such mapping are left out. */
bool dsm__preload_outlook_init(dsm__preload_outlook *outlook, dsm__preload_level *level,
                               const dsm__preload_bound *bound, double limit);

/** What a partial mapping has come to. */
typedef struct dsm__preload_standing {
  uint32_t node;
  uint32_t deferred_run; /**< of a layer that is to get a part of its weights; UINT32_MAX: none */
  double cycles;         /**< without that layer */
  double bytes;
} dsm__preload_standing;

/** Can it become faster than a limit? Where nothing is deferred so far, with a layer that gets a
 * part if `may_share`. */
bool dsm__preload_can_win(const dsm__preload_outlook *outlook,
                          const dsm__preload_standing *standing, bool may_share, double limit);

/** What the tables say of all mappings of the level that are faster than their limit, with one
 * layer that gets a part or without; 0 if there are no tables. */
double dsm__preload_outlook_bound(const dsm__preload_outlook *outlook, bool may_share);

/** Most partial mappings kept in the search of a level. */
#define DSM__PRELOAD_LABELS_MAX ((size_t)1 << 20)

/** What is looked for: mappings faster than a limit, which is at most that of the outlook. */
typedef struct dsm__preload_aim {
  double limit;
  bool may_share; /**< a layer may have a part of its weights on chip that is neither none nor as
                       much as helps; else all are at ends of their runs */
} dsm__preload_aim;

/** The answer of a search of all mappings of a level. */
typedef struct dsm__preload_exact {
  bool is_complete; /**< no mapping is faster than the limit but what was found */
  bool is_found;    /**< something faster was */
} dsm__preload_exact;

/**
 * Looks for the fastest mapping, memory aside. That at most one layer has a part that is not an end
 * leaves nothing out: where two layers share bytes, the time is concave in who has them. False if
 * out of memory.
 */
bool dsm__preload_search(dsm__preload_level *level, const dsm__preload_outlook *outlook,
                         const dsm__preload_aim *aim, dsm__preload_mapping *mapping,
                         dsm__preload_exact *exact);

#endif
