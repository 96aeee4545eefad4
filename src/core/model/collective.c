/* SPDX-License-Identifier: GPL-3.0-or-later */
/* collective.c: what collectives between chips put on the links of axes, by kind of link (section
 * 5). */
#include <math.h>

#include "base/order.h"
#include "base/units.h"
#include "model/chip_link.h"
#include "model/equations.h"
#include "model/links.h"

static double cycles_of_us(const dsm_machine *machine, double us) {
  return dsm__cycles_of_us(us, machine->system->core.frequency_GHz);
}

/* Steps of a collective that goes from chip to chip along an axis. */
static double steps_along(const dsm_network_axis *axis) {
  const double all = (double)axis->chips - 1;
  return axis->both_ways ? all / 2 : all;
}

double dsm__axis_latency_cycles(const dsm_machine *machine, unsigned axis) {
  const dsm_network_axis *const of = &machine->system->system.axes[axis];
  return steps_along(of) * cycles_of_us(machine, of->latency_us);
}

double dsm__step_latency_cycles(const dsm_machine *machine, unsigned axis) {
  return cycles_of_us(machine, machine->system->system.axes[axis].latency_us);
}

double dsm__collective_base_cycles(const dsm_machine *machine) {
  return cycles_of_us(machine, machine->system->system.collective_base_us);
}

/* ---- reductions ---- */

/* The axes among whose chips a collective goes, in an order. */
typedef struct axis_order {
  unsigned axes[DSM_AXES_MAX];
  unsigned count;
} axis_order;

static axis_order given_order(const dsm_network *network, dsm_axis_set members) {
  axis_order order = {.count = 0};
  for (unsigned a = 0; a < network->axis_count; a++) {
    if (dsm_axis_set_has(members, a) && network->axes[a].chips > 1) {
      order.axes[order.count++] = a;
    }
  }
  return order;
}

/* One ring through all members steps along an axis once it is through all members before it, and n
 * - 1 times of n: the last step is along an axis further out. */
dsm__steps dsm__steps_of(const dsm_network *network, dsm_axis_set members, bool is_all_to_all) {
  const bool is_ring = network->collectives == DSM_COLLECTIVES_RING && !is_all_to_all;
  dsm__steps steps = {{0}};
  double left = is_ring ? dsm__chips_of(network, members) : 1; /* those before counted as one */
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_network_axis *const axis = &network->axes[a];
    if (dsm_axis_set_has(members, a) && axis->chips > 1) {
      steps.along[a] = is_ring ? left - left / (double)axis->chips : steps_along(axis);
      left /= (double)axis->chips;
    }
  }
  return steps;
}

static double latency_cycles(const dsm_machine *machine, const dsm__steps *steps) {
  double cycles = 0;
  for (unsigned a = 0; a < machine->system->system.axis_count; a++) {
    cycles += steps->along[a] * dsm__step_latency_cycles(machine, a);
  }
  return cycles;
}

/* Adds what goes along one axis after the other: of what one leaves to a chip, the next has its
 * share. */
static void reduce_along(const dsm_machine *machine, const axis_order *order, double bytes,
                         dsm_traffic *traffic) {
  const dsm_network *const network = &machine->system->system;
  for (unsigned i = 0; i < order->count; i++) {
    const unsigned a = order->axes[i];
    const dsm_network_axis *const axis = &network->axes[a];
    const dsm__link_row *const link = dsm__link_row_of(axis);
    const bool is_in_network = network->in_network_reduction && link->has_ports && !axis->protocols;
    const double chips = (double)axis->chips;
    /* A switch that adds what passes it moves the bytes of an all-reduce once: half of them in the
     * reduction, half in its way back. */
    traffic->bytes[DSM_LINK_AXIS + a] +=
        link->shift(axis, 1, is_in_network ? bytes / 2 : bytes * (chips - 1) / chips);
    bytes /= chips;
  }
}

/* Cycles of a reduction but for the memory, which no order changes. */
static double reduction_cycles(const dsm_machine *machine, const dsm_traffic *between_chips) {
  dsm_traffic traffic = *between_chips;
  traffic.bytes[machine->core_links.link] = dsm__crossing_bytes(machine, between_chips);
  return dsm_group_cycles(machine, &traffic);
}

/* The fastest of all orders, the first of equals: three axes have six. */
static void reduce_in_best_order(const dsm_machine *machine, const axis_order *given, double bytes,
                                 dsm_traffic *traffic) {
  static const unsigned orders[][DSM_AXES_MAX] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                                  {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
  double least = HUGE_VAL;
  for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
    axis_order order = {.count = 0};
    for (unsigned i = 0; i < DSM_AXES_MAX; i++) {
      if (orders[o][i] < given->count) {
        order.axes[order.count++] = given->axes[orders[o][i]];
      }
    }
    dsm_traffic tried = {.latency_cycles = 0};
    reduce_along(machine, &order, bytes, &tried);
    if (reduction_cycles(machine, &tried) < least) {
      least = reduction_cycles(machine, &tried);
      *traffic = tried;
    }
  }
}

/* As many equal parts as axes, of which each begins along another and goes round from there. */
static void reduce_in_parts(const dsm_machine *machine, const axis_order *given, double bytes,
                            dsm_traffic *traffic) {
  for (unsigned first = 0; first < given->count; first++) {
    axis_order order = {.count = given->count};
    for (unsigned i = 0; i < given->count; i++) {
      order.axes[i] = given->axes[(first + i) % given->count];
    }
    reduce_along(machine, &order, bytes / given->count, traffic);
  }
}

static void reduce_nested(const dsm_machine *machine, dsm_axis_set members, double bytes,
                          dsm_traffic *traffic) {
  const dsm_network *const network = &machine->system->system;
  const axis_order given = given_order(network, members);
  switch (network->collective_order) {
  case DSM_COLLECTIVE_ORDER_BEST:
    reduce_in_best_order(machine, &given, bytes, traffic);
    break;
  case DSM_COLLECTIVE_ORDER_BOTH_HALVES:
    reduce_in_parts(machine, &given, bytes, traffic);
    break;
  case DSM_COLLECTIVE_ORDER_GIVEN:
  case DSM_COLLECTIVE_ORDER_COUNT:
    reduce_along(machine, &given, bytes, traffic);
    break;
  }
}

/* Of the chips that share a port of an axis, those innermost, the members of one ring: of chips
 * that share the features each is in a ring of its own. */
static double members_behind_port(const dsm_network *network, dsm_axis_set members, unsigned axis) {
  double chips = (double)network->axes[axis].chips_per_port;
  double behind = 1;
  for (unsigned a = 0; a < axis && chips > 1; a++) {
    const double along = dsm__smaller(chips, (double)network->axes[a].chips);
    behind *= dsm_axis_set_has(members, a) ? along : 1;
    chips /= along;
  }
  return behind;
}

/* All links of the ring carry the same, but what goes through a port has the links of all members
 * behind it. */
static void reduce_in_ring(const dsm_machine *machine, dsm_axis_set members, double bytes,
                           dsm_traffic *traffic) {
  const dsm_network *const network = &machine->system->system;
  const axis_order along = given_order(network, members);
  const double all = dsm__chips_of(network, members);
  for (unsigned i = 0; i < along.count; i++) {
    const unsigned a = along.axes[i];
    const dsm_network_axis *const axis = &network->axes[a];
    traffic->bytes[DSM_LINK_AXIS + a] = dsm__link_row_of(axis)->shift(
        axis, 1, bytes * (all - 1) / all / members_behind_port(network, members, a));
  }
}

double dsm__received_bytes(const dsm_machine *machine, const dsm_traffic *traffic) {
  double largest = 0;
  double sum = 0;
  for (unsigned a = 0; a < machine->system->system.axis_count; a++) {
    const double received =
        traffic->bytes[DSM_LINK_AXIS + a] / dsm__crowding(&machine->system->system.axes[a]);
    largest = dsm__larger(largest, received);
    sum += received;
  }
  return machine->system->system.collectives == DSM_COLLECTIVES_RING ? largest : sum;
}

double dsm__crossing_bytes(const dsm_machine *machine, const dsm_traffic *traffic) {
  return dsm__spread_bytes(machine, machine->system->model.reduce_ring_crossings *
                                        dsm__received_bytes(machine, traffic));
}

/*
 * Source: section 5; DSM II-D (gradients are accumulated along X, then along Y). Symbols: nested:
 * along each axis of n members b*(n-1)/n, and b/n goes on; ring: b*(N-1)/N of all N members, over
 * the members behind a port. Limits: one member: nothing.
 */
dsm_traffic dsm__reduce_scatter_traffic(const dsm_machine *machine, dsm_axis_set members,
                                        double bytes) {
  dsm_traffic traffic = {.latency_cycles = 0};
  if (members == 0) {
    return traffic;
  }
  if (machine->system->system.collectives == DSM_COLLECTIVES_RING) {
    reduce_in_ring(machine, members, bytes, &traffic);
  } else {
    reduce_nested(machine, members, bytes, &traffic);
  }
  const dsm__steps steps = dsm__steps_of(&machine->system->system, members, false);
  traffic.latency_cycles = latency_cycles(machine, &steps);
  return traffic;
}

/* ---- all-to-all ---- */

double dsm__all_to_all_bytes(const dsm_machine *machine, unsigned axis, double bytes) {
  const dsm_network_axis *const of = &machine->system->system.axes[axis];
  return of->chips == 1 ? 0 : dsm__link_row_of(of)->all_to_all(of, &machine->system->model, bytes);
}

/* ---- all collectives ---- */

static dsm_traffic all_to_all_traffic(const dsm_machine *machine,
                                      const dsm__collective_asked *asked) {
  const dsm_network *const network = &machine->system->system;
  const dsm__steps steps = dsm__steps_of(network, asked->members, true);
  dsm_traffic traffic = {.latency_cycles = latency_cycles(machine, &steps)};
  for (unsigned a = 0; a < network->axis_count; a++) {
    traffic.bytes[DSM_LINK_AXIS + a] =
        dsm_axis_set_has(asked->members, a) ? dsm__all_to_all_bytes(machine, a, asked->bytes) : 0;
  }
  return traffic;
}

dsm_traffic dsm__collective_traffic(const dsm_machine *machine,
                                    const dsm__collective_asked *asked) {
  const bool is_all_to_all = asked->kind == DSM__COLLECTIVE_ALL_TO_ALL;
  const double ways = asked->kind == DSM__COLLECTIVE_BOTH_WAYS ? 2 : 1;
  dsm_traffic traffic = is_all_to_all
                            ? all_to_all_traffic(machine, asked)
                            : dsm__reduce_scatter_traffic(machine, asked->members, asked->bytes);
  traffic.bytes[machine->core_links.link] =
      asked->is_kept_from_cores ? 0 : dsm__crossing_bytes(machine, &traffic);
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic.bytes[l] *= ways;
  }
  traffic.latency_cycles =
      traffic.latency_cycles * ways + (asked->is_begun ? 0 : dsm__collective_base_cycles(machine));
  traffic.bytes[DSM_LINK_MEMORY] = asked->memory_bytes;
  traffic.bytes[DSM_LINK_SHARED] = machine->has_shared_memory ? asked->memory_bytes : 0;
  return dsm__by_protocol(machine, asked, &traffic);
}
