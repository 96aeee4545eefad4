/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an invocation takes in energy: by hand, and on machines that weigh it as the ledger of its
 * transfers has it. */
#include <math.h>

#include "fixture.h"
#include "model/equations.h"
#include "suites.h"

enum { PJ_MAC = 3, PJ_MEMORY = 10 };
static const double pJ = 1e-12;

static void set_energy(dsm_system *chips) {
  dsm_energy *const energy = &chips->technology.energy;
  chips->technology.is_stated = true;
  energy->mac_pJ[DSM_ELEMENT_TYPE_FP16] = PJ_MAC;
  energy->vector_pJ = 7;
  energy->scratchpad_pJ_per_byte = 0.5;
  energy->shared_pJ_per_byte = 1.5;
  energy->core_link_pJ_per_byte = 0.25;
  energy->memory_pJ_per_byte = PJ_MEMORY;
  energy->link_pJ_per_byte[DSM_MEDIUM_BOARD] = 20;
  energy->link_pJ_per_byte[DSM_MEDIUM_CABLE] = 30;
  energy->medium[1] = DSM_MEDIUM_CABLE;
}

static dsm_pass_work work_of(const dsm_layer *layer, const dsm_machine *machine, dsm_pass pass,
                             dsm_parallelism parallelism) {
  const dsm_residency none = dsm_residency_none(machine);
  return dsm_pass_work_derive(layer, machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                              parallelism, 8, &none);
}

static void expect_pJ(const dsm_joules *joules, dsm_energy_part part, double expected) {
  ck_assert_msg(fabs(joules->of[part] / pJ - expected) <= 1e-9 * expected,
                "%s: %.17g pJ, by hand %.17g", dsm_energy_part_name(part), joules->of[part] / pJ,
                expected);
}

/*
 * 8 to 16 features, 8 samples on 2 chips of one core. A chip has 4 samples: 8 * 16 * 4 = 512 MACs,
 * each of which reads 2 / 8 bytes of an operand and 2 * 6 / 4 of a sum; 64 bytes of inputs, 256 of
 * weights and 128 of outputs go to or from memory, and over the links of the core.
 */
START_TEST(test_an_invocation_by_hand) {
  static const dsm_loops whole = {{1, 1, 1, 1, 1}};
  dsm_system chips = friendly_system(2, 1);
  const dsm_layer fc = fc_layer(8, 16);
  chips.chip.cores = 1;
  set_energy(&chips);
  const dsm_machine machine = dsm_machine_derive(&chips);
  const dsm_pass_work work = work_of(&fc, &machine, DSM_PASS_FORWARD, DSM_PARALLELISM_DATA);
  const dsm_joules joules = dsm_invocation_energy(&work, &whole);
  expect_pJ(&joules, DSM_ENERGY_COMPUTE, 512.0 * PJ_MAC);
  expect_pJ(&joules, DSM_ENERGY_SCRATCHPAD, 512 * 3.25 * 0.5);
  expect_pJ(&joules, DSM_ENERGY_MEMORY, 448.0 * PJ_MEMORY);
  expect_pJ(&joules, DSM_ENERGY_CORES, 448 * 0.25);
  expect_pJ(&joules, DSM_ENERGY_VECTOR, 0);
  expect_pJ(&joules, DSM_ENERGY_LINKS, 0);
  ck_assert_double_eq_tol(dsm_joules_total(&joules) / pJ, 1536 + 832 + 4480 + 112, 1e-9);
}
END_TEST

START_TEST(test_links_have_the_energy_of_their_medium) {
  dsm_system chips = friendly_system(2, 2);
  set_energy(&chips);
  const dsm_machine machine = dsm_machine_derive(&chips);
  const dsm_traffic traffic = {
      .bytes = {[DSM_LINK_AXIS] = 100, [DSM_LINK_AXIS + 1] = 10, [DSM_LINK_MEMORY] = 1}};
  dsm_joules sum = {{0}};
  ck_assert_double_eq_tol(dsm_traffic_joules(&machine.energy, &traffic) / pJ,
                          100 * 20 + 10 * 30 + PJ_MEMORY, 1e-9);
  dsm_joules_add_traffic(&sum, &machine.energy, &traffic, 2);
  expect_pJ(&sum, DSM_ENERGY_LINKS, 4600);
  expect_pJ(&sum, DSM_ENERGY_MEMORY, 2.0 * PJ_MEMORY);
  dsm_joules_add(&sum, &sum, 1);
  ck_assert_double_eq_tol(dsm_joules_dynamic(&sum) / pJ, 9240, 1e-9);
}
END_TEST

/* What weighs nothing is not there; cycles alone are the cycles. */
static void compare(const dsm_layer *layer, const dsm_system *chips, dsm_pass pass,
                    dsm_parallelism parallelism, const dsm_loops *split) {
  static const dsm_weights all[] = {{1, 0}, {0, 1e12}, {0.5, 3e12}};
  const dsm_machine machine = dsm_machine_derive(chips);
  const dsm_pass_work work = work_of(layer, &machine, pass, parallelism);
  const double cycles = dsm_invocation_score(&work, split).total;
  const dsm_joules joules = dsm_invocation_energy(&work, split);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    dsm_machine weighing = machine;
    weighing.is_weighed = true;
    weighing.weights = all[i];
    const dsm_pass_work weighed = work_of(layer, &weighing, pass, parallelism);
    const double expected = all[i].cycles * cycles + all[i].joules * dsm_joules_dynamic(&joules);
    const double found = dsm_invocation_score(&weighed, split).total;
    ck_assert_msg(fabs(found - expected) <= 1e-9 * expected, "%s: %.17g, by the ledger %.17g",
                  dsm_pass_name(pass), found, expected);
  }
}

START_TEST(test_prices_are_those_of_the_ledger) {
  const dsm_layer layers[] = {pooled_conv(),
                              with_residual_and_norm(pooled_conv()),
                              conv_layer(16, 32, 36, 9, 1),
                              fc_layer(64, 24),
                              lstm_layer(16, 24, 3),
                              matmul_layer(16, 32, 4)};
  static const dsm_loops splits[] = {{{4, 1, 1, 1, 1}},
                                     {{1, 4, 1, 1, 1}},
                                     {{2, 1, 2, 1, 1}},
                                     {{1, 1, 1, 1, 4}},
                                     {{1, 2, 1, 2, 1}}};
  for (int kind = 0; kind < 8; kind++) {
    dsm_system chips = friendly_system(2, 4);
    set_energy(&chips);
    chips.chip.shared_memory.capacity_MB = (kind & 1) != 0 ? 0.001 : 0;
    chips.chip.shared_memory.bandwidth_GBps = 100;
    chips.model.tiling = (kind & 2) != 0 ? DSM_TILING_BLOCKED : DSM_TILING_PAPER;
    chips.model.statistics_sums = (kind & 4) != 0;
    chips.chip.interconnect = (kind & 4) != 0 ? DSM_INTERCONNECT_CROSSBAR : DSM_INTERCONNECT_RING;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
      for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
        for (int p = 0; p < 4; p++) {
          for (size_t k = 0; k < sizeof splits / sizeof splits[0]; k++) {
            if (dsm_pass_exists(&layers[i], DSM_MODE_TRAINING, (dsm_pass)pass)) {
              compare(&layers[i], &chips, (dsm_pass)pass, (dsm_parallelism)p, &splits[k]);
            }
          }
        }
      }
    }
  }
}
END_TEST

START_TEST(test_groups_have_prices) {
  dsm_system chips = friendly_system(2, 2);
  set_energy(&chips);
  dsm_machine machine = dsm_machine_derive(&chips);
  const dsm_traffic traffic = {.bytes = {[DSM_LINK_AXIS] = 80}, .latency_cycles = 2};
  ck_assert_double_eq(dsm_group_price(&machine, &traffic), 12);
  machine.is_weighed = true;
  machine.weights = (dsm_weights){.cycles = 0.5, .joules = 1e12};
  ck_assert_double_eq_tol(dsm_group_price(&machine, &traffic), 6 + 1600, 1e-9);
}
END_TEST

Suite *suite_energy(void) {
  Suite *const suite = suite_create("energy");
  TCase *const tests = tcase_create("equations");
  tcase_add_test(tests, test_an_invocation_by_hand);
  tcase_add_test(tests, test_links_have_the_energy_of_their_medium);
  tcase_add_test(tests, test_prices_are_those_of_the_ledger);
  tcase_add_test(tests, test_groups_have_prices);
  suite_add_tcase(suite, tests);
  return suite;
}
