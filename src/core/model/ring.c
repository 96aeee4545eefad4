/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ring.c: how far data travels on a ring of cores or of chips. */
#include "model/equations.h"

double dsm__two_way_distance(uint64_t members) {
  const uint64_t to_all = members * members / 4; /* floor: an odd ring has no opposite member */
  return (double)to_all / (double)members;
}
