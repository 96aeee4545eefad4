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
  /** Of a shift: each chip sends `bytes` to the chip `places` further on. A reduce-scatter and an
   * all-gather are rings of shifts by one; an all-reduce is both. */
  double (*shift)(const dsm_network_axis *axis, double places, double bytes);
  /** Places from a chip to the same chip of another stage, `stages` stages on, of the axis of one
   * stage. The last stage is followed by the first, but on a line it is far from it. */
  double (*stage_distance)(const dsm_network_axis *axis, size_t stages);
} dsm__link_row;

/** That of an axis. */
const dsm__link_row *dsm__link_row_of(const dsm_network_axis *axis);

/** Cuts an axis down to the chips of one stage. Its groups stay: where all of the axis was in one
 * group, nothing leaves it, which is stored as oversubscription 0 and global_links without end. */
void dsm__axis_cut(dsm_network_axis *axis, uint64_t chips);

/** How many times the bytes of a shift to the next chip its busiest link carries: 1 or more. */
double dsm__crowding(const dsm_network_axis *axis);

#endif
