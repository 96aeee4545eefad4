/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * links.h: what the links along an axis carry, by their kind (sections 5 and 8). A kind is a row of
 * links.c and one of DSM_LINK_KINDS, dsm/system.h.
 */
#ifndef DSM_MODEL_LINKS_H
#define DSM_MODEL_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/system.h"

/** A kind of link. Bytes are those of its busiest link, of a bandwidth of bandwidth_GBps. */
typedef struct dsm__link_row {
  bool has_ports; /**< a chip reaches all others through one port, which sends to both neighbours of
                       a shift, and what is behind it adds with system.in_network_reduction */
  /** Of an all-to-all of `bytes` that each of two or more chips has. */
  double (*all_to_all)(const dsm_network_axis *axis, const dsm_assumptions *model, double bytes);
  /** Where each chip sends `bytes` to the one `places` on. A reduce-scatter and an all-gather go
   * round by shifts to the next chip, an all-reduce is both. */
  double (*shift)(const dsm_network_axis *axis, double places, double bytes);
  /** How many places on a chip of the stage is that is `stages` on, of an axis of a stage; the last
   * stage is followed by the first. */
  double (*stage_distance)(const dsm_network_axis *axis, size_t stages);
} dsm__link_row;

/** That of an axis. */
const dsm__link_row *dsm__link_row_of(const dsm_network_axis *axis);

/** Leaves of an axis the chips of a stage, whose groups stay what they were. */
void dsm__axis_cut(dsm_network_axis *axis, uint64_t chips);

/** Of a shift to the next chip, how many times its bytes the busiest link carries: 1 or more. */
double dsm__crowding(const dsm_network_axis *axis);

#endif
