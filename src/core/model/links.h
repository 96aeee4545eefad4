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
  /** Of a reduce-scatter of `bytes` that each chip has, and of the all-gather of as many: an
   * all-reduce is both. */
  double (*reduce_scatter)(const dsm_network_axis *axis, double bytes);
  /** Of an all-to-all of `bytes` that each of two or more chips has. */
  double (*all_to_all)(const dsm_network_axis *axis, const dsm_assumptions *model, double bytes);
  /** Where each chip sends `bytes` to the one `places` on. */
  double (*shift)(const dsm_network_axis *axis, double places, double bytes);
  /** How many places on a chip of the stage is that is `stages` on, of an axis of a stage; the last
   * stage is followed by the first. */
  double (*stage_distance)(const dsm_network_axis *axis, size_t stages);
} dsm__link_row;

/** That of an axis. */
const dsm__link_row *dsm__link_row_of(const dsm_network_axis *axis);

/** Of a shift to the next chip, how many times its bytes the busiest link carries: 1 or more. */
double dsm__crowding(const dsm_network_axis *axis);

#endif
