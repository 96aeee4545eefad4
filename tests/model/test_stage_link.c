/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stages hand over, and the gradients that two of them share: by moving it chip by chip. */
#include <stdint.h>

#include "fixture.h"
#include "model/chip_link.h"
#include "model/links.h"
#include "suites.h"

/* A stage of m x n chips, along whose last axis others follow. */
static dsm_system system_of(uint64_t m, uint64_t n, dsm_link_kind link) {
  dsm_system system = friendly_system(m, n);
  system.system.axes[1].link = link;
  system.system.axes[1].latency_us = 0.5;
  return system;
}

static dsm_boundary boundary_of(const dsm_system *system, dsm_role x, dsm_role y) {
  const dsm_layer layer = fc_layer(24, 48);
  const dsm_machine machine = dsm_machine_derive(system);
  const dsm_roles roles = {{x, y}};
  return dsm__boundary_derive(&layer, &machine, friendly_precision(), 8, 1, 1,
                              dsm_parallelism_of(&roles, 2));
}

/* All chips of a stage send to those n places on along a ring or a line: what the busiest link
 * carries, of pieces that go from chip to chip. Each chip has `piece` bytes. */
static double busiest_link(uint64_t n, double piece) {
  double links[64] = {0};
  double most = 0;
  for (uint64_t from = 0; from < n; from++) {
    for (uint64_t at = from; at < from + n; at++) {
      links[at] += piece;
    }
  }
  for (uint64_t at = 0; at < 2 * n; at++) {
    most = links[at] > most ? links[at] : most;
  }
  return most;
}

/* 8 samples of 48 outputs of 2 bytes: 768. */
START_TEST(test_each_chip_sends_its_share) {
  for (uint64_t n = 1; n <= 4; n *= 2) {
    const dsm_system ring = system_of(4, n, DSM_LINK_KIND_RING);
    const dsm_system switched = system_of(4, n, DSM_LINK_KIND_SWITCH);
    const double piece = 768.0 / (4 * (double)n);
    const dsm_boundary by_ring = boundary_of(&ring, DSM_ROLE_DATA, DSM_ROLE_DATA);
    const dsm_boundary by_switch = boundary_of(&switched, DSM_ROLE_DATA, DSM_ROLE_MODEL);
    const double step = 0.5 * ring.core.frequency_GHz * 1000;
    ck_assert_double_eq_tol(by_ring.shift.bytes[DSM_LINK_AXIS + 1], busiest_link(n, piece), 1e-9);
    ck_assert_double_eq_tol(by_ring.shift.latency_cycles, step * (double)n, 1e-9);
    ck_assert_double_eq_tol(by_switch.shift.bytes[DSM_LINK_AXIS + 1], piece, 1e-9);
    ck_assert_double_eq_tol(by_switch.shift.latency_cycles, step, 1e-9);
    ck_assert_double_eq_tol(by_ring.bytes, piece, 1e-9);
    ck_assert_double_eq(by_ring.gather.bytes[DSM_LINK_AXIS], 0);
  }
}
END_TEST

/* All chips of all stages of n chips send `piece` bytes to those n places on, round all stages: the
 * most that leaves a group, for any or for one other. */
static double most_leaving(uint64_t n, uint64_t stages, uint64_t group, bool is_for_one,
                           double piece) {
  double most = 0;
  for (uint64_t from = 0; from < n * stages / group; from++) {
    double left = 0;
    for (uint64_t to = 0; to < n * stages / group; to++) {
      double bytes = 0;
      for (uint64_t chip = from * group; chip < (from + 1) * group; chip++) {
        bytes += from != to && (chip + n) % (n * stages) / group == to ? piece : 0;
      }
      left += bytes;
      most = is_for_one && bytes > most ? bytes : most;
    }
    most = !is_for_one && left > most ? left : most;
  }
  return most;
}

/* 8 chips along y in stages of 1, 2 or 4, groups of 1 to 8 chips that send over half a link. */
START_TEST(test_stages_send_past_the_links_between_groups) {
  for (uint64_t n = 1; n <= 4; n *= 2) {
    for (uint64_t group = 1; group <= 8; group *= 2) {
      for (int k = 0; k < 2; k++) {
        dsm_system system =
            system_of(4, 8, k == 0 ? DSM_LINK_KIND_FAT_TREE : DSM_LINK_KIND_DRAGONFLY);
        dsm_network_axis *const axis = &system.system.axes[1];
        axis->group_chips = group;
        axis->oversubscription = 2 * (double)group;
        axis->global_links = 0.5;
        dsm__axis_cut(axis, n);
        const double piece = 768.0 / (4 * (double)n);
        const double between = most_leaving(n, 8 / n, group, k == 1, piece) / 0.5;
        const dsm_boundary found = boundary_of(&system, DSM_ROLE_DATA, DSM_ROLE_DATA);
        ck_assert_double_eq_tol(found.shift.bytes[DSM_LINK_AXIS + 1],
                                between > piece ? between : piece, 1e-9);
        const dsm_machine machine = dsm_machine_derive(&system);
        const dsm_layer layer = fc_layer(24, 48);
        const dsm_traffic sum =
            dsm__tie_traffic(&layer, &machine, friendly_precision(), 1, DSM_PARALLELISM_DATA);
        const double own = 24.0 * 48 * 4 / (4 * (double)n);
        ck_assert_double_eq_tol(sum.bytes[DSM_LINK_AXIS + 1],
                                own * (between > piece ? between / piece : 1), 1e-9);
      }
    }
  }
}
END_TEST

/* What is whole along x: each of the 4 chips sends a quarter, and has three from the others then.
 */
START_TEST(test_whole_tensors_are_gathered) {
  const dsm_system system = system_of(4, 2, DSM_LINK_KIND_SWITCH);
  const dsm_boundary boundary = boundary_of(&system, DSM_ROLE_ROW, DSM_ROLE_DATA);
  const double whole = 768.0 / 2; /* a chip's, of half of the samples */
  double received = 0;
  for (int other = 1; other < 4; other++) {
    received += whole / 4;
  }
  ck_assert_double_eq_tol(boundary.bytes, whole, 1e-9);
  ck_assert_double_eq_tol(boundary.shift.bytes[DSM_LINK_AXIS + 1], whole / 4, 1e-9);
  ck_assert_double_eq_tol(boundary.gather.bytes[DSM_LINK_AXIS], received, 1e-9);
  ck_assert_double_eq(boundary.gather.latency_cycles, 0);
}
END_TEST

/* 24 x 48 gradients of 4 bytes, of which each of 4 chips has summed a quarter: it sends half of
 * that to its partner, adds half, and gets the other half back. */
START_TEST(test_shared_gradients_are_summed_over_two) {
  const dsm_system system = system_of(2, 2, DSM_LINK_KIND_SWITCH);
  const dsm_machine machine = dsm_machine_derive(&system);
  const dsm_layer layer = fc_layer(24, 48);
  const dsm_traffic sum =
      dsm__tie_traffic(&layer, &machine, friendly_precision(), 1, DSM_PARALLELISM_DATA_X_MODEL_Y);
  const double own = 24.0 * 48 * 4 / 4;
  ck_assert_double_eq_tol(sum.bytes[DSM_LINK_AXIS + 1], own / 2 + own / 2, 1e-9);
  ck_assert_double_eq(sum.bytes[DSM_LINK_AXIS], 0);
}
END_TEST

Suite *suite_stage_link(void) {
  Suite *const suite = suite_create("stage_link");
  TCase *const tests = tcase_create("traffic");
  tcase_add_test(tests, test_each_chip_sends_its_share);
  tcase_add_test(tests, test_stages_send_past_the_links_between_groups);
  tcase_add_test(tests, test_whole_tensors_are_gathered);
  tcase_add_test(tests, test_shared_gradients_are_summed_over_two);
  suite_add_tcase(suite, tests);
  return suite;
}
