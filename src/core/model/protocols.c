/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protocols.c: how a library carries collectives over the links of chips (section 5, protocols): a
 * row for each protocol. */
#include <math.h>

#include "base/order.h"
#include "base/units.h"
#include "model/chip_link.h"
#include "model/equations.h"
#include "model/links.h"

/* A system has no protocol that carries less of a link. */
#define LEAST_EFFICIENCY 1e-6
/* As of links, so that times are numbers. */
#define LEAST_GBPS 1e-9

typedef struct row {
  unsigned carries;   /* a set of dsm__collective_kind */
  bool is_in_network; /* switches add; else data go from chip to chip */
} row;

#define BIT(kind) (1U << (unsigned)DSM__COLLECTIVE_##kind)
static const row rows[DSM_PROTOCOL_COUNT] = {
    [DSM_PROTOCOL_LOW_LATENCY] = {.carries = BIT(ONE_WAY) | BIT(BOTH_WAYS)},
    [DSM_PROTOCOL_LOW_LATENCY_128] = {.carries = BIT(ONE_WAY) | BIT(BOTH_WAYS)},
    [DSM_PROTOCOL_SIMPLE] = {.carries = BIT(ONE_WAY) | BIT(BOTH_WAYS)},
    [DSM_PROTOCOL_ALL_TO_ALL] = {.carries = BIT(ALL_TO_ALL)},
    [DSM_PROTOCOL_IN_NETWORK] = {.carries = BIT(BOTH_WAYS), .is_in_network = true},
};

static bool is_member(const dsm_network *network, const dsm__collective_asked *asked, unsigned a) {
  return dsm_axis_set_has(asked->members, a) && network->axes[a].chips > 1;
}

/* Do all axes of a collective have protocols, or switches? */
static bool are_all(const dsm_network *network, const dsm__collective_asked *asked,
                    bool (*is_such)(const dsm_network_axis *axis)) {
  bool are = true;
  for (unsigned a = 0; are && a < network->axis_count; a++) {
    are = !is_member(network, asked, a) || is_such(&network->axes[a]);
  }
  return are;
}

static bool has_protocols(const dsm_network_axis *axis) {
  return axis->protocols;
}

static bool has_switch(const dsm_network_axis *axis) {
  return dsm__link_row_of(axis)->has_ports;
}

static bool can_go(const dsm_network *network, const dsm__collective_asked *asked, int kind) {
  return network->protocols[kind].efficiency_ratio >= LEAST_EFFICIENCY &&
         (rows[kind].carries >> (unsigned)asked->kind & 1U) != 0 &&
         (!rows[kind].is_in_network ||
          (network->in_network_reduction && are_all(network, asked, has_switch)));
}

/*
 * Source: section 5, protocols. Symbols: a chip sends its b bytes to the switch, which adds, asks
 * for one of the n parts of the sum and sends it back, to be spread: b*(1 + 1/n). Limits: many
 * chips: b.
 */
static void go_through_switch(const dsm_machine *machine, const dsm__collective_asked *asked,
                              dsm_traffic *traffic) {
  const dsm_network *const network = &machine->system->system;
  const double bytes = asked->bytes * (1 + 1 / dsm__chips_of(network, asked->members));
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_network_axis *const axis = &network->axes[a];
    traffic->bytes[DSM_LINK_AXIS + a] =
        is_member(network, asked, a) ? dsm__link_row_of(axis)->shift(axis, 1, bytes) : 0;
  }
  traffic->bytes[machine->core_links.link] =
      dsm__spread_bytes(machine, machine->system->model.reduce_ring_crossings * bytes);
}

/* How many times as long as its data alone a protocol keeps a link busy. */
static double slowing(const dsm_network_axis *axis, const dsm_protocol *by, bool is_limited) {
  const double usable = axis->bandwidth_GBps * axis->efficiency_ratio;
  const double by_limit =
      is_limited && by->most_GBps > 0 ? usable / dsm__larger(by->most_GBps, LEAST_GBPS) : 0;
  return dsm__larger(1 / by->efficiency_ratio, by_limit);
}

static dsm_traffic traffic_by(const dsm_machine *machine, const dsm__collective_asked *asked,
                              const dsm_traffic *plain, int kind, bool is_limited) {
  const dsm_network *const network = &machine->system->system;
  const dsm_protocol *const by = &network->protocols[kind];
  const double ways = asked->kind == DSM__COLLECTIVE_BOTH_WAYS ? 2 : 1;
  const dsm__steps steps =
      dsm__steps_of(network, asked->members, asked->kind == DSM__COLLECTIVE_ALL_TO_ALL);
  double latency_us = asked->is_begun ? 0 : by->base_us;
  dsm_traffic traffic = *plain;
  if (rows[kind].is_in_network) {
    go_through_switch(machine, asked, &traffic);
  }
  for (unsigned a = 0; a < network->axis_count; a++) {
    if (traffic.bytes[DSM_LINK_AXIS + a] > 0) { /* slowing may be infinite */
      traffic.bytes[DSM_LINK_AXIS + a] *= slowing(&network->axes[a], by, is_limited);
    }
    latency_us += ways * steps.along[a] * by->step_us;
  }
  traffic.latency_cycles = dsm__cycles_of_us(network->protocol_latency_ratio * latency_us,
                                             machine->system->core.frequency_GHz);
  return traffic;
}

static double links_cycles(const dsm_machine *machine, const dsm_traffic *traffic) {
  double cycles = 0;
  for (int l = DSM_LINK_AXIS; l < DSM_LINK_AXIS + DSM_AXES_MAX; l++) {
    cycles = dsm__larger(cycles, dsm_link_cycles(machine, (dsm_link)l, traffic->bytes[l]));
  }
  return cycles;
}

/* Parts of a large collective go by the protocol that is best for many bytes, however few each part
 * has: the one with which links are busy for the least time without most_GBps. */
dsm_traffic dsm__by_protocol(const dsm_machine *machine, const dsm__collective_asked *asked,
                             const dsm_traffic *plain) {
  double least = HUGE_VAL;
  dsm_traffic best = *plain;
  const dsm_network *const network = &machine->system->system;
  const bool has_choice = are_all(network, asked, has_protocols);
  for (int kind = 0; has_choice && kind < DSM_PROTOCOL_COUNT; kind++) {
    if (!can_go(network, asked, kind)) {
      continue;
    }
    const dsm_traffic tried = traffic_by(machine, asked, plain, kind, true);
    const dsm_traffic unlimited = traffic_by(machine, asked, plain, kind, false);
    const double cycles =
        asked->is_joined ? links_cycles(machine, &unlimited) : dsm_group_cycles(machine, &tried);
    best = cycles < least ? tried : best;
    least = dsm__smaller(least, cycles);
  }
  return best;
}
