/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_roles_hand.c: what roles make chips have and exchange, by hand. */
#include "fixture.h"
#include "model/chip_link.h"
#include "suites.h"

enum { SAMPLES = 12, ROWS = 24, IN = 12, OUT = 24 };

static dsm_system chips;
static dsm_machine machine;

static dsm_layer small_layer(void) {
  dsm_layer layer = conv_layer(IN, OUT, ROWS, 1, 1);
  layer.rows = ROWS;
  layer.stride_rows = 1;
  return layer;
}

static dsm_pass_work work_of(const dsm_layer *layer, dsm_pass pass, const dsm_roles *roles) {
  const dsm_residency nothing = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                              dsm_parallelism_of(roles, 1), SAMPLES, &nothing);
}

/* What the links of exchanges of a kind carry in all. */
static double sent(const dsm_pass_work *work, dsm_transfer transfer) {
  const dsm_exchanges list = dsm__exchanges_derive(work);
  double bytes = 0;
  for (unsigned i = 0; i < list.count; i++) {
    bytes += list.items[i].transfer == transfer ? list.items[i].traffic.bytes[DSM_LINK_AXIS] : 0;
  }
  return bytes;
}

/* By hand: 2 * 4 bytes of 24 positions of 12 samples, 3 / 4 of them twice. */
START_TEST(test_statistics_on_four_chips) {
  const grid sides = {1, {4}};
  const dsm_roles roles = {{DSM_ROLE_MODEL}};
  chips = friendly_grid(&sides);
  chips.model.feature_statistics = true;
  machine = dsm_machine_derive(&chips);
  dsm_layer layer = small_layer();
  layer.has_op[DSM_AUX_LAYER_NORM] = true;
  const dsm_pass_work work = work_of(&layer, DSM_PASS_FORWARD, &roles);
  ASSERT_CLOSE(sent(&work, DSM_TRANSFER_ALL_REDUCE), 3456);
}
END_TEST

/* By hand: 12 experts of 1 to 2 features, 24 positions of each, on a ring of 4 chips: 3 experts a
 * chip, of 12 samples. A chip has 12 * 24 * 3 inputs of 2 bytes, 1728, and sends 3 / 2 of that
 * around; the busiest chip has 1.5 times as many. */
START_TEST(test_the_busiest_chip_has_more_tokens) {
  const grid sides = {1, {4}};
  const dsm_loops split = {{1, 1, 4, 1, 1}};
  const dsm_roles roles = {{DSM_ROLE_EXPERT}};
  chips = friendly_grid(&sides);
  chips.model.collective_memory_bytes = 1;
  machine = dsm_machine_derive(&chips);
  dsm_layer layer = small_layer();
  layer.groups = layer.experts = 12;
  layer.has_op[DSM_AUX_RELU] = true;
  const dsm_pass_work even = work_of(&layer, DSM_PASS_FORWARD, &roles);
  ck_assert_uint_eq(even.share.groups, 3);
  ck_assert_uint_eq(even.share.chip.n[DSM_DIM_MB], 12);
  ASSERT_CLOSE(even.bytes.input, 1728);
  ASSERT_CLOSE(sent(&even, DSM_TRANSFER_ALL_TO_ALL), (1728 + 2 * 1728) * 1.5);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    chips.model.expert_imbalance = 1;
    const dsm_pass_work work = work_of(&layer, (dsm_pass)p, &roles);
    chips.model.expert_imbalance = 1.5;
    const dsm_pass_work busy = work_of(&layer, (dsm_pass)p, &roles);
    const dsm_invocation_cost cost = dsm_invocation_score(&work, &split);
    const dsm_invocation_cost more = dsm_invocation_score(&busy, &split);
    const double startup = chips.array.startup_cycles;
    ASSERT_CLOSE(more.primary - startup, 1.5 * (cost.primary - startup));
    ASSERT_CLOSE(more.auxiliary, 1.5 * cost.auxiliary);
    ASSERT_CLOSE(more.collective, 1.5 * cost.collective);
    ASSERT_CLOSE(busy.bytes.input, 1.5 * work.bytes.input);
    ASSERT_CLOSE(busy.bytes.stored, 1.5 * work.bytes.stored);
    ASSERT_CLOSE(busy.bytes.kernel, work.bytes.kernel);
  }
  const dsm_roles whole = {{DSM_ROLE_WHOLE}}; /* the same everywhere: no chip has more */
  const dsm_pass_work same = work_of(&layer, DSM_PASS_FORWARD, &whole);
  ASSERT_CLOSE(same.bytes.input, 4 * 1728);
}
END_TEST

/* By hand: of 12 inputs, 24 positions, 12 samples of 2 bytes, 6912, three quarters come over a link
 * of 8 bytes a cycle, in 648 cycles; over one half as fast in 1296. The arrays take 3 * 24 * 12 +
 * 100 = 964 for 6 outputs a chip. */
START_TEST(test_a_share_of_a_gather_hides_behind_the_product) {
  static const struct {
    double bandwidth_GBps;
    double share;
    double shown;
  } cases[] = {{16, 0, 648},  {16, 0.5, 324}, {16, 1, 0},
               {8, 0.5, 648}, {8, 0.75, 332}, {8, 1, 332}}; /* the last two: 1296 - 964 */
  const grid sides = {1, {4}};
  const dsm_loops split = {{1, 4, 1, 1, 1}};
  const dsm_roles roles = {{DSM_ROLE_GATHER_COLUMN}};
  const dsm_layer layer = small_layer();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chips = friendly_grid(&sides);
    chips.system.axes[0].bandwidth_GBps = cases[i].bandwidth_GBps;
    chips.model.overlapped_collectives = cases[i].share;
    chips.model.overlapped_dispatch = 1; /* no expert sends tokens here */
    machine = dsm_machine_derive(&chips);
    const dsm_pass_work work = work_of(&layer, DSM_PASS_FORWARD, &roles);
    const dsm_invocation_cost cost = dsm_invocation_score(&work, &split);
    const dsm_resources resources = dsm_invocation_resources(&work, &split);
    double given = 0;
    for (int b = 0; b < DSM_BOUND_COUNT; b++) {
      given += resources.cycles[b];
    }
    ASSERT_CLOSE(cost.primary, 964);
    ASSERT_CLOSE(cost.collective, cases[i].shown);
    ASSERT_CLOSE(cost.total, 964 + cases[i].shown + cost.auxiliary);
    ASSERT_CLOSE(given, cost.total);
  }
}
END_TEST

/* By hand: as above 7776 bytes of tokens come over a link in 972 cycles; what streams, 1728 + 3456
 * + 12 bytes, takes 324.75 and the arrays 316. */
START_TEST(test_a_share_of_tokens_hides_behind_the_experts) {
  static const double cases[][2] = {{0, 972}, {0.25, 729}, {1, 647.25}};
  const grid sides = {1, {4}};
  const dsm_loops split = {{1, 1, 4, 1, 1}};
  const dsm_roles roles = {{DSM_ROLE_EXPERT}};
  dsm_layer layer = small_layer();
  layer.groups = layer.experts = 12;
  layer.weight_elements = 24;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chips = friendly_grid(&sides);
    chips.model.overlapped_collectives = 1; /* nothing but tokens moves here */
    chips.model.overlapped_dispatch = cases[i][0];
    machine = dsm_machine_derive(&chips);
    const dsm_pass_work work = work_of(&layer, DSM_PASS_FORWARD, &roles);
    const dsm_invocation_cost cost = dsm_invocation_score(&work, &split);
    ASSERT_CLOSE(cost.overlapped, 324.75);
    ASSERT_CLOSE(cost.collective, cases[i][1]);
  }
}
END_TEST

Suite *suite_roles_hand(void) {
  Suite *const suite = suite_create("roles by hand");
  TCase *const hand = tcase_create("four chips");
  tcase_add_test(hand, test_statistics_on_four_chips);
  tcase_add_test(hand, test_the_busiest_chip_has_more_tokens);
  tcase_add_test(hand, test_a_share_of_a_gather_hides_behind_the_product);
  tcase_add_test(hand, test_a_share_of_tokens_hides_behind_the_experts);
  suite_add_tcase(suite, hand);
  return suite;
}
