/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What collectives over axes cost, by hand. */
#include "suites.h"

#include <stdlib.h>

#include "fixture.h"
#include "model/chip_link.h"

/* A cluster of nodes of 8 chips: in a node 300 GB/s and 3.4 us a step, a port of 200 GB/s a node
 * and 9.6 us between nodes; links at three quarters of that, 8.4 us before each collective. The
 * axes of a node are given as `within[0]` members and, if the second is not 0, `within[1]` others.
 */
typedef struct cluster {
  uint64_t within[2];
  uint64_t nodes;
} cluster;

static dsm_system chips;
static dsm_machine machine;

static void build(cluster of) {
  const dsm_network_axis inner = {.name = "x",
                                  .chips = of.within[0],
                                  .bandwidth_GBps = 300,
                                  .efficiency_ratio = 0.75,
                                  .latency_us = 3.4,
                                  .link = DSM_LINK_KIND_SWITCH,
                                  .chips_per_port = 1};
  dsm_network_axis other = inner;
  dsm_network_axis outer = inner;
  other.chips = of.within[1];
  outer.chips = of.nodes;
  outer.bandwidth_GBps = 25; /* 8 chips share 200 */
  outer.latency_us = 9.6;
  outer.chips_per_port = 8;
  chips = friendly_system(1, 1);
  chips.core.frequency_GHz = 1.41;
  chips.system = (dsm_network){.topology = DSM_TOPOLOGY_AXES,
                               .axis_count = of.within[1] > 0 ? 3 : 2,
                               .collectives = DSM_COLLECTIVES_RING,
                               .collective_base_us = 8.4};
  chips.system.axes[0] = inner;
  chips.system.axes[1] = of.within[1] > 0 ? other : outer;
  chips.system.axes[2] = of.within[1] > 0 ? outer : (dsm_network_axis){.chips = 1};
  machine = dsm_machine_derive(&chips);
}

/* Seconds of an all-reduce: there and back. */
static double all_reduce(dsm_axis_set members, double bytes) {
  const dsm_traffic half = dsm__reduce_scatter_traffic(&machine, members, bytes);
  return (2 * dsm_group_cycles(&machine, &half) + dsm__collective_base_cycles(&machine)) / 1.41e9;
}

/*
 * 8 in a node, 64 MiB: 2 * 7/8 * 2^26 / 225e9 + 8.4e-6 + 14 * 3.4e-6
 * 16 over 2 nodes: min(225, 150) GB/s: 2 * 15/16 * 2^26 / 150e9 + 8.4e-6 + 2 * (14 * 3.4 + 9.6) e-6
 * 32 over 8 nodes, 4 of 8 chips, so that 2 rings share a port: 2 * 31/32 * 1e9 / 75e9 + 8.4e-6 +
 * 2 * (24 * 3.4 + 7 * 9.6) e-6
 */
START_TEST(test_ring_through_all_members_takes_what_its_slowest_link_does) {
  static const struct {
    cluster of;
    dsm_axis_set members;
    double bytes;
    double seconds;
  } cases[] = {
      {{{8, 0}, 1}, 1, 67108864, 5.779578311e-04},
      {{{8, 0}, 2}, 3, 67108864, 9.616608000e-04},
      {{{4, 2}, 8}, 5, 1e9, 2.613933333e-02},
  };
  build(cases[_i].of);
  const double found = all_reduce(cases[_i].members, cases[_i].bytes);
  ck_assert_double_eq_tol(found, cases[_i].seconds, 1e-6 * cases[_i].seconds);
}
END_TEST

/*
 * Nodes of 4 x 2 chips, 8 nodes, all 64 members, 800 bytes: 787.5 on each link, an eighth of that
 * on each chip's part of a port. Of 63 steps 3 of 4 are along x, then 1 of 2, and 7 between nodes.
 * With a port for each chip all 787.5 are on a link between nodes too.
 */
START_TEST(test_ring_steps_along_the_innermost_axis_that_is_not_through) {
  build((cluster){{4, 2}, 8});
  dsm_traffic traffic = dsm__reduce_scatter_traffic(&machine, 7, 800);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS], 787.5);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS + 1], 787.5);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS + 2], 787.5 / 8);
  ASSERT_CLOSE(traffic.latency_cycles, ((48 + 8) * 3.4 + 7 * 9.6) * 1410);
  ASSERT_CLOSE(dsm__received_bytes(&machine, &traffic), 787.5);
  chips.system.axes[2].chips_per_port = 1;
  traffic = dsm__reduce_scatter_traffic(&machine, 7, 800);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS + 2], 787.5);
  ASSERT_CLOSE(traffic.latency_cycles, ((48 + 8) * 3.4 + 7 * 9.6) * 1410);
}
END_TEST

/* Ports of 4 chips on y, of all 8 on z: the ring of 4 x 2 x 3 members has 4 behind one, then 8. */
START_TEST(test_ports_of_ports_carry_the_ring_once) {
  build((cluster){{4, 2}, 3});
  chips.system.axes[1].chips_per_port = 4;
  const dsm_traffic traffic = dsm__reduce_scatter_traffic(&machine, 7, 2400);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS], 2300);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS + 1], 2300 / 4.0);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS + 2], 2300 / 8.0);
}
END_TEST

/* On 8 x 2 chips 800 bytes: 700 along x, then of 100 a chip 50 along y; 7 steps and 1. */
START_TEST(test_nested_collective_goes_along_one_axis_after_the_other) {
  build((cluster){{8, 0}, 2});
  chips.system.collectives = DSM_COLLECTIVES_NESTED;
  const dsm_traffic traffic = dsm__reduce_scatter_traffic(&machine, 3, 800);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS], 700);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS + 1], 50);
  ASSERT_CLOSE(traffic.latency_cycles, (7 * 3.4 + 9.6) * 1410);
}
END_TEST

/*
 * On 8 chips at 225 GB/s and 2 nodes at 18.75 GB/s a chip, 800 bytes. Given: 700 on x and 50 on y,
 * y is the slower: 50 / 18.75. Best is that too, since the other order has 400 on y. In halves: x
 * 350 of the half that begins there and 175 of the other, y 200 and 25.
 */
START_TEST(test_order_decides_what_each_axis_carries) {
  static const struct {
    dsm_collective_order order;
    double x;
    double y;
  } cases[] = {{DSM_COLLECTIVE_ORDER_GIVEN, 700, 50},
               {DSM_COLLECTIVE_ORDER_BEST, 700, 50},
               {DSM_COLLECTIVE_ORDER_BOTH_HALVES, 525, 225}};
  build((cluster){{8, 0}, 2});
  chips.system.collectives = DSM_COLLECTIVES_NESTED;
  chips.system.collective_order = cases[_i].order;
  const dsm_traffic traffic = dsm__reduce_scatter_traffic(&machine, 3, 800);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS], cases[_i].x);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS + 1], cases[_i].y);
}
END_TEST

/*
 * On 8 x 2 chips of switches that add, fast ones between the nodes: x first has 400 on x and 50 on
 * y, y first 400 on y and 200 on x, which is the slower axis, so that y first is the faster. But it
 * brings 600 to the ring of cores, x first 450: where that ring is slowest x first is the faster.
 */
START_TEST(test_best_order_is_that_of_the_whole_group) {
  build((cluster){{8, 0}, 2});
  chips.system.axes[1].bandwidth_GBps = 3000;
  chips.system.collectives = DSM_COLLECTIVES_NESTED;
  chips.system.collective_order = DSM_COLLECTIVE_ORDER_BEST;
  chips.system.in_network_reduction = true;
  machine = dsm_machine_derive(&chips);
  machine.link_bytes_per_cycle[DSM_LINK_RING] = 1e9;
  const dsm_traffic by_links = dsm__reduce_scatter_traffic(&machine, 3, 800);
  ASSERT_CLOSE(by_links.bytes[DSM_LINK_AXIS], 200);
  ASSERT_CLOSE(by_links.bytes[DSM_LINK_AXIS + 1], 400);
  machine.link_bytes_per_cycle[DSM_LINK_RING] = 1;
  const dsm_traffic by_ring = dsm__reduce_scatter_traffic(&machine, 3, 800);
  ASSERT_CLOSE(by_ring.bytes[DSM_LINK_AXIS], 400);
  ASSERT_CLOSE(by_ring.bytes[DSM_LINK_AXIS + 1], 50);
}
END_TEST

/* What a reduction takes with what it brings to the ring of cores. */
static double whole_cycles(dsm_traffic traffic) {
  traffic.bytes[DSM_LINK_RING] =
      chips.model.reduce_ring_crossings * dsm__received_bytes(&machine, &traffic);
  return dsm_group_cycles(&machine, &traffic);
}

/* Whatever the names of the axes: the best order does not depend on which stands first. */
START_TEST(test_best_order_does_not_depend_on_the_order_of_axes) {
  build((cluster){{8, 4}, 3});
  chips.system.collectives = DSM_COLLECTIVES_NESTED;
  chips.system.collective_order = DSM_COLLECTIVE_ORDER_BEST;
  dsm_traffic traffic = dsm__reduce_scatter_traffic(&machine, 7, 800);
  const double before = whole_cycles(traffic);
  const dsm_network_axis first = chips.system.axes[0];
  chips.system.axes[0] = chips.system.axes[2];
  chips.system.axes[2] = first;
  machine = dsm_machine_derive(&chips);
  traffic = dsm__reduce_scatter_traffic(&machine, 7, 800);
  ASSERT_CLOSE(whole_cycles(traffic), before);
}
END_TEST

START_TEST(test_both_ways_halve_the_steps) {
  build((cluster){{8, 0}, 1});
  const double one_way = dsm__axis_latency_cycles(&machine, 0);
  chips.system.axes[0].both_ways = true;
  ASSERT_CLOSE(dsm__axis_latency_cycles(&machine, 0), one_way / 2);
  ASSERT_CLOSE(dsm__step_latency_cycles(&machine, 0), 3.4 * 1410);
}
END_TEST

/* There and back the bytes pass once, in place of 2 * 7/8 of them. */
START_TEST(test_switch_that_adds_moves_the_bytes_once) {
  build((cluster){{8, 0}, 1});
  chips.system.collectives = DSM_COLLECTIVES_NESTED;
  chips.system.in_network_reduction = true;
  const dsm_traffic half = dsm__reduce_scatter_traffic(&machine, 1, 800);
  ASSERT_CLOSE(2 * half.bytes[DSM_LINK_AXIS], 800);
}
END_TEST

START_TEST(test_one_member_moves_nothing) {
  build((cluster){{1, 0}, 1});
  for (int kind = 0; kind < DSM_COLLECTIVES_COUNT; kind++) {
    chips.system.collectives = (dsm_collectives)kind;
    const dsm_traffic traffic = dsm__reduce_scatter_traffic(&machine, 3, 800);
    ck_assert_double_eq(dsm_group_cycles(&machine, &traffic), 0);
    ck_assert_double_eq(dsm__all_to_all_bytes(&machine, 0, 800), 0);
  }
}
END_TEST

/* The load of each link when each of n chips sends 1 byte to each of the others (d = n bytes). */
static double busiest_link(dsm_link_kind link, bool both_ways, int n) {
  double forward[16] = {0};
  double backward[16] = {0};
  for (int from = 0; from < n; from++) {
    for (int to = 0; to < n; to++) {
      const int ahead = (to - from + n) % n;
      const bool is_back = link == DSM_LINK_KIND_LINE ? to < from : both_ways && 2 * ahead > n;
      const int hops = link == DSM_LINK_KIND_LINE ? abs(to - from) : is_back ? n - ahead : ahead;
      for (int h = 0; h < hops; h++) {
        if (both_ways && link == DSM_LINK_KIND_RING && 2 * ahead == n) {
          forward[(from + h) % n] += 0.5; /* as far one way as the other */
          backward[(from - h - 1 + n) % n] += 0.5;
        } else if (is_back) {
          backward[(from - h - 1 + n) % n] += 1;
        } else {
          forward[(from + h) % n] += 1;
        }
      }
    }
  }
  double busiest = 0;
  for (int l = 0; l < n; l++) {
    busiest = fmax(busiest, fmax(forward[l], backward[l]));
  }
  return busiest;
}

/* Rings of any size, lines of even ones; a switch sends all but a chip's own. */
START_TEST(test_all_to_all_is_what_its_busiest_link_carries) {
  const int n = _i;
  build((cluster){{(uint64_t)n, 0}, 1});
  dsm_network_axis *const axis = &chips.system.axes[0];
  axis->link = DSM_LINK_KIND_RING;
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, n), busiest_link(DSM_LINK_KIND_RING, false, n));
  axis->both_ways = true;
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, n), busiest_link(DSM_LINK_KIND_RING, true, n));
  axis->both_ways = false;
  if (n % 2 == 0) {
    axis->link = DSM_LINK_KIND_LINE;
    ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, n), busiest_link(DSM_LINK_KIND_LINE, false, n));
  }
  axis->link = DSM_LINK_KIND_SWITCH;
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, n), n - 1);
}
END_TEST

/* ---- fat trees and dragonflies ---- */

static dsm_network_axis *build_groups(dsm_link_kind link, uint64_t axis_chips,
                                      uint64_t group_chips) {
  build((cluster){{axis_chips, 0}, 1});
  dsm_network_axis *const axis = &chips.system.axes[0];
  axis->link = link;
  axis->group_chips = group_chips;
  axis->oversubscription = 1;
  axis->global_links = 1;
  chips.system.collectives = DSM_COLLECTIVES_NESTED;
  return axis;
}

static double scattered(double bytes) {
  const dsm_traffic traffic = dsm__reduce_scatter_traffic(&machine, 1, bytes);
  ASSERT_CLOSE(dsm__received_bytes(&machine, &traffic),
               chips.system.in_network_reduction
                   ? bytes / 2
                   : bytes * (1 - 1 / (double)chips.system.axes[0].chips));
  return traffic.bytes[DSM_LINK_AXIS];
}

/*
 * 16 chips, leaves of 4 with a link up, since 4 times as many go down. All-to-all of 16 bytes a
 * chip: each of the 4 sends 1 to each of 12 others elsewhere, 48 up the one link. A ring goes out
 * of a leaf once, 15 bytes of 16. Leaves of 2 have half a link: twice that, in switches that add
 * too.
 */
START_TEST(test_fat_tree_by_hand) {
  dsm_network_axis *const axis = build_groups(DSM_LINK_KIND_FAT_TREE, 16, 4);
  axis->oversubscription = 4;
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, 16), 48);
  ASSERT_CLOSE(scattered(16), 15);
  axis->group_chips = 2;
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, 16), 2 * 14 / 0.5);
  ASSERT_CLOSE(scattered(16), 30);
  chips.system.in_network_reduction = true;
  ASSERT_CLOSE(scattered(16), 16);
  chips.system.collectives = DSM_COLLECTIVES_RING;
  chips.system.in_network_reduction = false;
  ASSERT_CLOSE(scattered(16), 30);
}
END_TEST

/*
 * 12 chips in groups of 4, 1 link between two of them: all-to-all of 12 bytes a chip puts 4 * 4 on
 * it, and 11 on a chip's link. With 2 links 8, so that 11 count. A ring goes from group to group on
 * one link; of half a link twice its 11 bytes. 6 chips: from 4 to 2 others 8 of 6 bytes each.
 */
START_TEST(test_dragonfly_by_hand) {
  dsm_network_axis *const axis = build_groups(DSM_LINK_KIND_DRAGONFLY, 12, 4);
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, 12), 16);
  ASSERT_CLOSE(scattered(12), 11);
  axis->global_links = 2;
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, 12), 11);
  axis->global_links = 0.5;
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, 12), 32);
  ASSERT_CLOSE(scattered(12), 22);
  axis->chips = 6;
  ASSERT_CLOSE(dsm__all_to_all_bytes(&machine, 0, 6), 16);
}
END_TEST

/* To the digit: leaves with as many links up as down, and all chips on one leaf or in one group. */
START_TEST(test_groups_that_hold_nothing_back_are_a_switch) {
  for (uint64_t n = 2; n <= 12; n++) {
    for (uint64_t group = 1; group <= 16; group++) {
      for (int in_network = 0; in_network < 2; in_network++) {
        (void)build_groups(DSM_LINK_KIND_SWITCH, n, group);
        chips.system.in_network_reduction = in_network == 1;
        const double all_to_all = dsm__all_to_all_bytes(&machine, 0, 100);
        const double sum = scattered(100);
        dsm_network_axis *const axis = &chips.system.axes[0];
        axis->link = DSM_LINK_KIND_FAT_TREE;
        axis->oversubscription = group < n ? 1 : 8;
        ck_assert_double_eq(dsm__all_to_all_bytes(&machine, 0, 100), all_to_all);
        ck_assert_double_eq(scattered(100), sum);
        axis->link = DSM_LINK_KIND_DRAGONFLY;
        axis->global_links = group < n ? (double)n : 0.125;
        ck_assert_double_eq(dsm__all_to_all_bytes(&machine, 0, 100), all_to_all);
        ck_assert_double_eq(scattered(100), sum);
      }
    }
  }
}
END_TEST

START_TEST(test_fewer_links_between_groups_are_never_faster) {
  for (uint64_t n = 2; n <= 12; n++) {
    for (uint64_t group = 1; group <= 12; group++) {
      double before[4] = {0};
      for (double times = 1; times <= 64; times *= 2) {
        dsm_network_axis *axis = build_groups(DSM_LINK_KIND_FAT_TREE, n, group);
        axis->oversubscription = times;
        double now[4] = {dsm__all_to_all_bytes(&machine, 0, 100), scattered(100)};
        axis = build_groups(DSM_LINK_KIND_DRAGONFLY, n, group);
        axis->global_links = 4 / times;
        now[2] = dsm__all_to_all_bytes(&machine, 0, 100);
        now[3] = scattered(100);
        for (int i = 0; i < 4; i++) {
          ck_assert_double_ge(now[i], before[i]);
          before[i] = now[i];
        }
      }
    }
  }
}
END_TEST

/* ---- protocols ---- */

/* 8 chips of one node; the published figures of rings, all-to-alls and switches that add. */
typedef struct node {
  double bandwidth_GBps;
  double most_GBps;
  double latency_ratio;
  bool adds;
} node;

static const node h100 = {450, 141, 1, true};
static const node a100 = {300, 87.7, 1.5, false};

static void build_node(node of, uint64_t count) {
  build((cluster){{count, 0}, 2});
  dsm_network *const network = &chips.system;
  network->axes[0].bandwidth_GBps = of.bandwidth_GBps;
  network->axes[0].protocols = true;
  network->in_network_reduction = of.adds;
  network->protocol_latency_ratio = of.latency_ratio;
  network->protocols[DSM_PROTOCOL_LOW_LATENCY] = (dsm_protocol){6.6, 0.6, 0.5, of.most_GBps};
  network->protocols[DSM_PROTOCOL_LOW_LATENCY_128] = (dsm_protocol){14, 1.9, 0.92, 0};
  network->protocols[DSM_PROTOCOL_SIMPLE] = (dsm_protocol){8.4, 3.4, 1, 0};
  network->protocols[DSM_PROTOCOL_ALL_TO_ALL] = (dsm_protocol){8.4, 0, 0.85, 0};
  network->protocols[DSM_PROTOCOL_IN_NETWORK] = (dsm_protocol){25, 0, 0.85, 0};
  machine = dsm_machine_derive(&chips);
  machine.link_bytes_per_cycle[DSM_LINK_RING] = HUGE_VAL;
}

static double asked_us(dsm__collective_kind kind, dsm_axis_set members, double bytes) {
  const dsm__collective_asked asked = {.kind = kind, .members = members, .bytes = bytes};
  const dsm_traffic traffic = dsm__collective_traffic(&machine, &asked);
  return dsm_group_cycles(&machine, &traffic) / 1410;
}

/*
 * Links at three quarters: 337.5 and 225 GB/s. 2^16 bytes by low_latency: 6.6 + 14 * 0.6 = 15 us
 * and 1.75 * 2^16 / 141e9 s; the A100 1.5 * 15 us, / 87.7e9. 2^21: the switch, 25 us and 1.125 *
 * 2^21 / (0.85 * 337.5e9); the A100 as before. 2^26: the switch; the A100 by simple, 1.5 * (8.4 +
 * 14 * 3.4) us and 1.75 * 2^26 / 225e9.
 */
START_TEST(test_fastest_protocol_is_taken) {
  static const struct {
    const node *of;
    double bytes;
    double us;
  } cases[] = {
      {&h100, 65536, 15.813390}, {&h100, 2097152, 33.224125}, {&h100, 67108864, 288.172016},
      {&a100, 65536, 23.807731}, {&a100, 2097152, 64.347389}, {&a100, 67108864, 605.957831},
  };
  build_node(*cases[_i].of, 8);
  const double us = asked_us(DSM__COLLECTIVE_BOTH_WAYS, 1, cases[_i].bytes);
  ck_assert_double_eq_tol(us, cases[_i].us, 1e-6);
}
END_TEST

/*
 * One way: 7 steps, half the bytes, no switch that adds: 2^21 by low_latency, 6.6 + 7 * 0.6 us and
 * 0.875 * 2^21 / 141e9 s; 2^23 by low_latency_128, 14 + 7 * 1.9 us and 0.875 * 2^23 / (0.92 *
 * 337.5e9) s; 2^26 by simple, 8.4 + 7 * 3.4 us and 0.875 * 2^26 / 337.5e9 s. All-to-all: 8.4 us and
 * 0.875 * 2^21 / (0.85 * 337.5e9) s. What leaves the node goes as without protocols: 16 members, 14
 * steps inside, 1 between, 8.4 us before.
 */
START_TEST(test_protocols_of_other_collectives_by_hand) {
  build_node(h100, 8);
  ASSERT_CLOSE(asked_us(DSM__COLLECTIVE_ONE_WAY, 1, 2097152), 10.8 + 1835.008 / 141);
  ASSERT_CLOSE(asked_us(DSM__COLLECTIVE_ONE_WAY, 1, 8388608), 27.3 + 7340.032 / 310.5);
  ASSERT_CLOSE(asked_us(DSM__COLLECTIVE_ONE_WAY, 1, 67108864), 32.2 + 58720.256 / 337.5);
  ASSERT_CLOSE(asked_us(DSM__COLLECTIVE_ALL_TO_ALL, 1, 2097152), 8.4 + 1835.008 / 286.875);
  ASSERT_CLOSE(asked_us(DSM__COLLECTIVE_ONE_WAY, 3, 2097152),
               8.4 + 14 * 3.4 + 9.6 + 2097.152 * 15 / 16 / 150);
}
END_TEST

/* Begun by another: no base. Joined with others: by what is best for many bytes, the switch. */
START_TEST(test_part_of_a_collective_goes_as_the_whole_of_it) {
  build_node(h100, 8);
  dsm__collective_asked asked = {.members = 1, .bytes = 65536, .is_begun = true};
  dsm_traffic traffic = dsm__collective_traffic(&machine, &asked);
  ASSERT_CLOSE(traffic.latency_cycles, 7 * 0.6 * 1410);
  asked = (dsm__collective_asked){
      .kind = DSM__COLLECTIVE_BOTH_WAYS, .members = 1, .bytes = 64, .is_joined = true};
  traffic = dsm__collective_traffic(&machine, &asked);
  ASSERT_CLOSE(traffic.latency_cycles, 25 * 1410);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS], 64 * 1.125 / 0.85);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_RING], chips.model.reduce_ring_crossings * 64 * 1.125);
  chips.system.in_network_reduction = false;
  traffic = dsm__collective_traffic(&machine, &asked);
  ASSERT_CLOSE(traffic.latency_cycles, (8.4 + 14 * 3.4) * 1410);
  ASSERT_CLOSE(traffic.bytes[DSM_LINK_AXIS], 2 * 64 * 7 / 8.0);
}
END_TEST

START_TEST(test_fewer_bytes_and_faster_links_are_never_slower) {
  for (uint64_t count = 2; count <= 16; count *= 2) {
    for (int kind = 0; kind <= (int)DSM__COLLECTIVE_ALL_TO_ALL; kind++) {
      double least = 0;
      for (double bytes = 256; bytes < 1e10; bytes *= 1.5) {
        node of = h100;
        build_node(of, count);
        const double now = asked_us((dsm__collective_kind)kind, 1, bytes);
        ck_assert_double_ge(now, least);
        least = now;
        of.bandwidth_GBps *= 1.25;
        build_node(of, count);
        ck_assert_double_le(asked_us((dsm__collective_kind)kind, 1, bytes), now);
      }
    }
  }
}
END_TEST

Suite *suite_collective(void) {
  Suite *const suite = suite_create("collective");
  TCase *const tcase = tcase_create("collectives");
  tcase_add_loop_test(tcase, test_ring_through_all_members_takes_what_its_slowest_link_does, 0, 3);
  tcase_add_test(tcase, test_ring_steps_along_the_innermost_axis_that_is_not_through);
  tcase_add_test(tcase, test_ports_of_ports_carry_the_ring_once);
  tcase_add_test(tcase, test_nested_collective_goes_along_one_axis_after_the_other);
  tcase_add_loop_test(tcase, test_order_decides_what_each_axis_carries, 0, 3);
  tcase_add_test(tcase, test_best_order_is_that_of_the_whole_group);
  tcase_add_test(tcase, test_best_order_does_not_depend_on_the_order_of_axes);
  tcase_add_test(tcase, test_both_ways_halve_the_steps);
  tcase_add_test(tcase, test_switch_that_adds_moves_the_bytes_once);
  tcase_add_test(tcase, test_one_member_moves_nothing);
  tcase_add_loop_test(tcase, test_all_to_all_is_what_its_busiest_link_carries, 2, 13);
  tcase_add_test(tcase, test_fat_tree_by_hand);
  tcase_add_test(tcase, test_dragonfly_by_hand);
  tcase_add_test(tcase, test_groups_that_hold_nothing_back_are_a_switch);
  tcase_add_test(tcase, test_fewer_links_between_groups_are_never_faster);
  tcase_add_loop_test(tcase, test_fastest_protocol_is_taken, 0, 6);
  tcase_add_test(tcase, test_protocols_of_other_collectives_by_hand);
  tcase_add_test(tcase, test_part_of_a_collective_goes_as_the_whole_of_it);
  tcase_add_test(tcase, test_fewer_bytes_and_faster_links_are_never_slower);
  suite_add_tcase(suite, tcase);
  return suite;
}
