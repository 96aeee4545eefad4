/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trellis.h: shortest paths through the layers x parallelisms trellis, both ways. */
#ifndef DSM_SEARCH_TRELLIS_H
#define DSM_SEARCH_TRELLIS_H

#include "search/network.h"

/** A number for each parallelism of a stage. */
typedef struct dsm__row {
  double at[DSM_PARALLELISM_COUNT];
} dsm__row;

/** Cycles of a choice plus a price on its kept bytes; infinite where it is not allowed. */
static inline double dsm__priced(const dsm__choice *choice, double cycles_per_byte) {
  return choice->cycles + cycles_per_byte * choice->kept_bytes;
}

/** Cycles of the move between two choices of neighbouring stages. */
static inline double dsm__move_cycles(const dsm__network_stage *later, int before, int after) {
  return later->relayout_cycles[dsm__role_change((dsm_parallelism)before, (dsm_parallelism)after)];
}

/** rest[s].at[p]: least price of what follows stage s if it runs p, s itself left out. */
void dsm__trellis_rest(const dsm__network *network, double cycles_per_byte, dsm__row *rest);

/** before[s].at[p]: least price of what precedes stage s if it runs p, s itself left out. */
void dsm__trellis_before(const dsm__network *network, double cycles_per_byte, dsm__row *before);

/** Least price of a whole path, and (if not NULL) the lexicographically first path of it. */
double dsm__trellis_best(const dsm__network *network, double cycles_per_byte, const dsm__row *rest,
                         dsm_parallelism *sequence);

/** Kept plus largest transient bytes of a sequence. */
double dsm__sequence_bytes(const dsm__network *network, const dsm_parallelism *sequence);

/** Cycles of a sequence. */
double dsm__sequence_cycles(const dsm__network *network, const dsm_parallelism *sequence);

#endif
