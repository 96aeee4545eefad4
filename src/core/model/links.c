/* SPDX-License-Identifier: GPL-3.0-or-later */
/* links.c: a row for each kind of link along an axis (sections 5 and 8). */
#include "model/links.h"

#include "model/equations.h"

/*
 * Source: section 5. Symbols: b*(n-1)/n of b bytes. Limits: one chip: nothing.
 */
static double all_but_own(const dsm_network_axis *axis, double bytes) {
  return bytes * ((double)axis->chips - 1) / (double)axis->chips;
}

/* ---- rings and lines: from chip to chip ---- */

/*
 * Source: section 5. Symbols: d bytes a chip, n chips: one way round d*(n-1)/2 (two_way_relayout:
 * the shorter way, d*floor(n*n/4)/n; both_ways: half of that on each of two links).
 */
static double all_to_all_round(const dsm_network_axis *axis, const dsm_assumptions *model,
                               double bytes) {
  if (axis->both_ways) {
    return bytes * dsm__two_way_distance(axis->chips) / 2;
  }
  return bytes * (model->two_way_relayout ? dsm__two_way_distance(axis->chips)
                                          : ((double)axis->chips - 1) / 2);
}

/* Source: section 5. Symbols: d*n/4, the load of the middle of a line. */
static double all_to_all_through_middle(const dsm_network_axis *axis, const dsm_assumptions *model,
                                        double bytes) {
  (void)model;
  return bytes * (double)axis->chips / 4;
}

/* Each link carries what all chips before it send past it. */
static double past_chips(const dsm_network_axis *axis, double places, double bytes) {
  (void)axis;
  return bytes * places;
}

/* On a ring the last stage is as near to the first as to the one before it. */
static double round_a_stage(const dsm_network_axis *axis, size_t stages) {
  (void)stages;
  return (double)axis->chips;
}

static double past_all_stages(const dsm_network_axis *axis, size_t stages) {
  return (double)axis->chips * (double)stages;
}

/* ---- switches: through ports ---- */

/* Source: section 5. Symbols: d*(n-1)/n, what a port sends. */
static double all_to_all_through_ports(const dsm_network_axis *axis, const dsm_assumptions *model,
                                       double bytes) {
  (void)model;
  return all_but_own(axis, bytes);
}

static double through_a_port(const dsm_network_axis *axis, double places, double bytes) {
  (void)axis;
  (void)places;
  return bytes;
}

static const dsm__link_row rows[] = {
    [DSM_LINK_KIND_RING] = {.reduce_scatter = all_but_own,
                            .all_to_all = all_to_all_round,
                            .shift = past_chips,
                            .stage_distance = round_a_stage},
    [DSM_LINK_KIND_LINE] = {.reduce_scatter = all_but_own,
                            .all_to_all = all_to_all_through_middle,
                            .shift = past_chips,
                            .stage_distance = past_all_stages},
    [DSM_LINK_KIND_SWITCH] = {.has_ports = true,
                              .reduce_scatter = all_but_own,
                              .all_to_all = all_to_all_through_ports,
                              .shift = through_a_port,
                              .stage_distance = past_all_stages},
};
_Static_assert(sizeof rows / sizeof rows[0] == DSM_LINK_KIND_COUNT, "a row for each kind of link");

const dsm__link_row *dsm__link_row_of(const dsm_network_axis *axis) {
  return &rows[axis->link];
}

double dsm__crowding(const dsm_network_axis *axis) {
  return dsm__link_row_of(axis)->shift(axis, 1, 1);
}
