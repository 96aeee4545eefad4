/* SPDX-License-Identifier: GPL-3.0-or-later */
/* links.c: a row for each kind of link along an axis (sections 5 and 8). */
#include "model/links.h"

#include <math.h>

#include "base/order.h"
#include "model/equations.h"

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

/* A link carries what the `places` chips before it send across it. */
static double past_chips(const dsm_network_axis *axis, double places, double bytes) {
  (void)axis;
  return bytes * places;
}

/* On a ring or behind ports the next stage is equally near for every stage. */
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
  return bytes * ((double)axis->chips - 1) / (double)axis->chips;
}

static double through_a_port(const dsm_network_axis *axis, double places, double bytes) {
  (void)axis;
  (void)places;
  return bytes;
}

/* ---- fat trees and dragonflies: through ports, and from group to group ---- */

/* Source: section 5. Symbols: of the G chips of a group those that a shift by s places takes out of
 * it, min(s, G). Limits: one group, and no shift to other stages: none. */
static double leaving_chips(const dsm_network_axis *axis, double places) {
  const bool is_leaving = axis->chips > axis->group_chips || places >= (double)axis->chips;
  return is_leaving ? dsm__smaller(places, (double)axis->group_chips) : 0;
}

/*
 * Source: section 5, fat trees. Symbols: o of leaves of G chips: over its G / o up-links each of
 * its G chips sends d*(n-G)/n. Limits: one leaf, or o = 1: a switch.
 */
static double all_to_all_up(const dsm_network_axis *axis, const dsm_assumptions *model,
                            double bytes) {
  const double chips = (double)axis->chips;
  const double others = dsm__larger(0, chips - (double)axis->group_chips);
  return dsm__larger(all_to_all_through_ports(axis, model, bytes),
                     axis->oversubscription * bytes * others / chips);
}

/* Source: section 5, fat trees. Symbols: those that leave, over G / o links up. */
static double up_and_down(const dsm_network_axis *axis, double places, double bytes) {
  const double share = axis->oversubscription / (double)axis->group_chips;
  return bytes * dsm__larger(1, leaving_chips(axis, places) * share);
}

/*
 * Source: section 5, dragonflies. Symbols: from G chips to the min(G, n-G) of another group d/n
 * each, over l links. Limits: one group: a switch.
 */
static double all_to_all_groups(const dsm_network_axis *axis, const dsm_assumptions *model,
                                double bytes) {
  const double group = (double)axis->group_chips;
  const double others = dsm__larger(0, (double)axis->chips - group);
  const double between =
      bytes * group * dsm__smaller(group, others) / (double)axis->chips / axis->global_links;
  return dsm__larger(all_to_all_through_ports(axis, model, bytes), between);
}

/* Source: section 5, dragonflies. Symbols: by s = q*G + r places r chips leave for one group, and
 * G - r for another, or for none if q = 0; l links to each. */
static double to_a_group(const dsm_network_axis *axis, double places, double bytes) {
  const double group = (double)axis->group_chips;
  const double further = fmod(places, group);
  const double nearer = places < group ? 0 : group - further;
  const double most = leaving_chips(axis, places) > 0 ? dsm__larger(further, nearer) : 0;
  return bytes * dsm__larger(1, most / axis->global_links);
}

static const dsm__link_row rows[] = {
    [DSM_LINK_KIND_RING] = {.all_to_all = all_to_all_round,
                            .shift = past_chips,
                            .stage_distance = round_a_stage},
    [DSM_LINK_KIND_LINE] = {.all_to_all = all_to_all_through_middle,
                            .shift = past_chips,
                            .stage_distance = past_all_stages},
    [DSM_LINK_KIND_SWITCH] = {.has_ports = true,
                              .all_to_all = all_to_all_through_ports,
                              .shift = through_a_port,
                              .stage_distance = round_a_stage},
    [DSM_LINK_KIND_FAT_TREE] = {.has_ports = true,
                                .all_to_all = all_to_all_up,
                                .shift = up_and_down,
                                .stage_distance = round_a_stage},
    [DSM_LINK_KIND_DRAGONFLY] = {.has_ports = true,
                                 .all_to_all = all_to_all_groups,
                                 .shift = to_a_group,
                                 .stage_distance = round_a_stage},
};
_Static_assert(sizeof rows / sizeof rows[0] == DSM_LINK_KIND_COUNT, "a row for each kind of link");

const dsm__link_row *dsm__link_row_of(const dsm_network_axis *axis) {
  return &rows[axis->link];
}

void dsm__axis_cut(dsm_network_axis *axis, uint64_t chips) {
  if (axis->chips <= axis->group_chips) { /* nothing leaves the group */
    axis->oversubscription = 0;
    axis->global_links = HUGE_VAL;
  }
  axis->chips = chips;
}

double dsm__crowding(const dsm_network_axis *axis) {
  return dsm__link_row_of(axis)->shift(axis, 1, 1);
}
