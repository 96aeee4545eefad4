/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes of a layer that differ in parallelism (section 11). */
#include "suites.h"

#include "fixture.h"

static dsm_system chips;
static dsm_machine machine;

static void build(uint64_t chips_x, uint64_t chips_y) {
  chips = friendly_system(chips_x, chips_y);
  machine = dsm_machine_derive(&chips);
}

static void set_up(void) {
  build(4, 2);
}

static void assert_same(dsm_traffic actual, dsm_traffic expected) {
  assert_traffic(actual, expected.bytes[DSM_LINK_AXIS], expected.bytes[DSM_LINK_AXIS + 1],
                 expected.bytes[DSM_LINK_MEMORY], expected.bytes[DSM_LINK_RING]);
}

static const dsm_size2 tori[] = {{1, 1}, {1, 4}, {5, 1}, {4, 2}, {2, 3}, {3, 5}, {4, 4}};

enum {
  LAYOUTS_COUNT =
      DSM_PARALLELISM_COUNT_OF(2) * DSM_PARALLELISM_COUNT_OF(2) * DSM_PARALLELISM_COUNT_OF(2)
};

static dsm_pass_layouts layouts_of(int number) {
  return (dsm_pass_layouts){{(dsm_parallelism)(number % 4), (dsm_parallelism)(number / 4 % 4),
                             (dsm_parallelism)(number / 16)}};
}

static dsm_weight_traffic weights_of(const dsm_layer *layer, dsm_pass_layouts layouts) {
  return dsm_weight_traffic_derive(layer, &machine, friendly_precision(), &layouts);
}

START_TEST(test_uniform_layouts_are_the_same_in_all_passes) {
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform((dsm_parallelism)_i);
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    ck_assert_int_eq((int)layouts.of[pass], _i);
  }
}
END_TEST

/* --- gradients and weights by hand: 960 weights on 4 x 2 chips, Bg = 4, B = 2; memory 1.5 and 5
 * bytes a byte, ring 2, update 7 * 960 * 2 / 8 = 1680 */

#define D DSM_PARALLELISM_DATA
#define M DSM_PARALLELISM_MODEL
#define DM DSM_PARALLELISM_DATA_X_MODEL_Y
#define MD DSM_PARALLELISM_MODEL_X_DATA_Y

typedef struct weight_case {
  dsm_pass_layouts layouts; /* forward, backward, update */
  bool has_backward;
  double sum[4]; /* x, y, memory, ring */
  double broadcast[4];
} weight_case;

static const weight_case weight_cases[] = {
    /* sum of 1920 bytes along X; weights go everywhere: 1920 bytes, X 1440, Y 480/2 */
    {{{M, D, DM}}, true, {1440, 0, 2880, 2880}, {1440, 240, 9600, 3360}},
    /* X is D in forward and Y in backward: everywhere again. Nothing to sum. */
    {{{DM, MD, M}}, true, {0, 0, 0, 0}, {1440, 240, 9600, 3360}},
    {{{MD, DM, MD}}, true, {0, 480, 1440, 960}, {1440, 240, 9600, 3360}},
    /* summed over all chips, used where they are: a broadcast of 240 bytes that moves nowhere */
    {{{M, M, D}}, true, {2880, 480, 5760, 6720}, {0, 0, 1200, 0}},
    /* each weight on one chip in all three */
    {{{M, M, M}}, true, {0, 0, 0, 0}, {0, 0, 0, 0}},
    /* updated where they are, used along X: 960 bytes */
    {{{M, DM, M}}, true, {0, 0, 0, 0}, {720, 0, 4800, 1440}},
    {{{MD, M, M}}, true, {0, 0, 0, 0}, {0, 240, 2400, 480}},
    /* backward does not count where there is none: its layout is only that of the error */
    {{{M, D, DM}}, false, {1440, 0, 2880, 2880}, {0, 0, 1200, 0}},
    {{{M, D, M}}, false, {0, 0, 0, 0}, {0, 0, 0, 0}},
    {{{DM, MD, D}}, false, {2880, 480, 5760, 6720}, {720, 0, 4800, 1440}},
};

START_TEST(test_weights_go_where_forward_and_backward_need_them) {
  const weight_case *const c = &weight_cases[_i];
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  conv.has_backward = c->has_backward;
  const dsm_weight_traffic traffic = weights_of(&conv, c->layouts);
  assert_traffic(traffic.sum_of_gradients, c->sum[0], c->sum[1], c->sum[2], c->sum[3]);
  assert_traffic(traffic.broadcast_weights, c->broadcast[0], c->broadcast[1], c->broadcast[2],
                 c->broadcast[3]);
  assert_traffic(traffic.weight_update, 0, 0, 1680, 0);
}
END_TEST

/* --- all 64 combinations a second time */

static bool is_data_x(dsm_parallelism parallelism) {
  return parallelism == D || parallelism == DM;
}

static bool is_data_y(dsm_parallelism parallelism) {
  return parallelism == D || parallelism == MD;
}

/* Section 11 as it stands: w of the layout, vx, w2, vy. */
static dsm_traffic along_data_axes(double weight_bytes, bool is_x_data, bool is_y_data,
                                   double memory_factor) {
  const double m = (double)chips.system.axes[0].chips;
  const double n = (double)chips.system.axes[1].chips;
  const double nm = (is_x_data ? 1 : m) * (is_y_data ? 1 : n);
  const double w = weight_bytes / nm;
  const double vx = is_x_data ? w * (m - 1) / m : 0;
  const double w2 = is_x_data ? w / m : w;
  const double vy = is_y_data ? w2 * (n - 1) / n : 0;
  return (dsm_traffic){
      .bytes = {vx, vy, [DSM_LINK_MEMORY] = memory_factor * w, [DSM_LINK_RING] = 2 * (vx + vy)}};
}

static double data_ways(bool is_x_data, bool is_y_data) {
  return (is_x_data ? (double)chips.system.axes[0].chips : 1) *
         (is_y_data ? (double)chips.system.axes[1].chips : 1);
}

static void assert_weight_traffic(const dsm_layer *layer, dsm_pass_layouts layouts) {
  const dsm_parallelism forward = layouts.of[DSM_PASS_FORWARD];
  const dsm_parallelism backward = layouts.of[DSM_PASS_BACKWARD];
  const dsm_parallelism update = layouts.of[DSM_PASS_UPDATE];
  const bool is_x_spread = is_data_x(forward) || (layer->has_backward && is_data_x(backward));
  const bool is_y_spread = is_data_y(forward) || (layer->has_backward && is_data_y(backward));
  const double nd = data_ways(is_data_x(update), is_data_y(update));
  const double nd_spread = data_ways(is_x_spread, is_y_spread);
  const double weights = (double)layer->weight_elements;
  const dsm_traffic nothing = {.bytes = {0}};
  const dsm_weight_traffic traffic = weights_of(layer, layouts);
  assert_same(traffic.sum_of_gradients,
              nd > 1 ? along_data_axes(weights * 4, is_data_x(update), is_data_y(update), 1.5)
                     : nothing);
  assert_same(traffic.broadcast_weights,
              nd > 1 || nd_spread > 1 ? along_data_axes(weights * 2, is_x_spread, is_y_spread, 5)
                                      : nothing);
  assert_traffic(traffic.weight_update, 0, 0, 7 * weights * 2 / (double)machine.chip_count, 0);
}

START_TEST(test_weight_traffic_of_all_layouts) {
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  for (int t = 0; t < COUNT_OF(tori); t++) {
    build(tori[t].rows, tori[t].columns);
    for (int has_backward = 0; has_backward < 2; has_backward++) {
      conv.has_backward = has_backward == 1;
      assert_weight_traffic(&conv, layouts_of(_i));
    }
  }
}
END_TEST

/* One parallelism in all passes: section 5, where the broadcast is the reduction times B / Bg with
 * its own memory factor, and there are both or neither. */
START_TEST(test_uniform_layouts_broadcast_what_was_summed) {
  const dsm_parallelism parallelism = (dsm_parallelism)_i;
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  for (int t = 0; t < COUNT_OF(tori); t++) {
    build(tori[t].rows, tori[t].columns);
    const bool is_summed = data_ways(is_data_x(parallelism), is_data_y(parallelism)) > 1;
    const dsm_traffic sum =
        along_data_axes(960 * 4, is_data_x(parallelism), is_data_y(parallelism), 1.5);
    dsm_traffic broadcast = sum;
    broadcast.bytes[DSM_LINK_MEMORY] *= 5 / 1.5;
    for (int l = 0; l < DSM_LINK_COUNT; l++) {
      broadcast.bytes[l] *= is_summed ? 0.5 : 0;
    }
    for (int has_backward = 0; has_backward < 2; has_backward++) {
      conv.has_backward = has_backward == 1;
      const dsm_weight_traffic traffic = weights_of(&conv, dsm_pass_layouts_uniform(parallelism));
      assert_same(traffic.sum_of_gradients, is_summed ? sum : (dsm_traffic){.bytes = {0}});
      assert_same(traffic.broadcast_weights, broadcast);
    }
  }
}
END_TEST

/* Neither the layout of backward of a layer without one, nor any of a layer without weights. */
START_TEST(test_layouts_without_meaning_move_nothing) {
  const dsm_pass_layouts layouts = layouts_of(_i);
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  conv.has_backward = false;
  const dsm_pass_layouts same = {
      {layouts.of[DSM_PASS_FORWARD], layouts.of[DSM_PASS_FORWARD], layouts.of[DSM_PASS_UPDATE]}};
  const dsm_weight_traffic any = weights_of(&conv, layouts);
  const dsm_weight_traffic plain = weights_of(&conv, same);
  ck_assert_mem_eq(&any, &plain, sizeof any);

  const dsm_layer matmul = matmul_layer(12, 20, 1);
  const dsm_weight_traffic none = weights_of(&matmul, layouts);
  const dsm_weight_traffic nothing = {{.bytes = {0}}, {.bytes = {0}}, {.bytes = {0}}};
  ck_assert_mem_eq(&none, &nothing, sizeof none);
}
END_TEST

/* --- relayouts within a layer, 10 samples on 4 x 2 chips */

static dsm_update_relayouts relayouts_of(const dsm_layer *layer, dsm_pass_layouts layouts) {
  return dsm_update_relayouts_derive(layer, &machine, friendly_precision(), 10, &layouts);
}

/* in_el = 12*36 = 432: 432*10*2 = 8640 bytes, d = 1080; stored 180: 3600 bytes, d = 450. X d*3/2,
 * Y d*1/2, memory 6*d. */
START_TEST(test_update_brings_input_and_error_into_its_layout) {
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  conv.stored_elements = 180;
  const dsm_update_relayouts both = relayouts_of(&conv, (dsm_pass_layouts){{D, MD, M}});
  assert_traffic(both.input, 1620, 540, 6480, 0);
  assert_traffic(both.error, 0, 225, 2700, 0);
  const dsm_update_relayouts input = relayouts_of(&conv, (dsm_pass_layouts){{MD, DM, DM}});
  assert_traffic(input.input, 1620, 540, 6480, 0);
  assert_traffic(input.error, 0, 0, 0, 0);
  const dsm_update_relayouts error = relayouts_of(&conv, (dsm_pass_layouts){{D, MD, D}});
  assert_traffic(error.input, 0, 0, 0, 0);
  assert_traffic(error.error, 675, 0, 2700, 0);
}
END_TEST

/* X = 3, H = 5, T = 7: 8*10*2*7 = 1120 bytes, d = 140; 5*10*2*7 = 700, d = 87.5. */
START_TEST(test_update_relays_all_timesteps) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  const dsm_update_relayouts moves = relayouts_of(&lstm, (dsm_pass_layouts){{D, DM, M}});
  assert_traffic(moves.input, 210, 70, 840, 0);
  assert_traffic(moves.error, 131.25, 0, 525, 0);
}
END_TEST

/* A layer without backward pass has its error in the layout where the layer after left it. */
START_TEST(test_layer_without_backward_pass_takes_its_error_from_where_it_is) {
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1); /* st_el = 720: 14400 bytes, d = 1800 */
  conv.has_backward = false;
  const dsm_update_relayouts moves = relayouts_of(&conv, (dsm_pass_layouts){{D, M, D}});
  assert_traffic(moves.input, 0, 0, 0, 0);
  assert_traffic(moves.error, 2700, 900, 10800, 0);
}
END_TEST

START_TEST(test_layer_without_update_pass_relays_nothing) {
  const dsm_layer matmul = matmul_layer(12, 20, 3);
  const dsm_update_relayouts moves = relayouts_of(&matmul, layouts_of(_i));
  const dsm_update_relayouts nothing = {{.bytes = {0}}, {.bytes = {0}}};
  ck_assert_mem_eq(&moves, &nothing, sizeof moves);
}
END_TEST

/* Chips of an axis whose role changes exchange all: (k - 1) / 2 hops of total / chips bytes. */
static void assert_relayout(dsm_traffic actual, double total_bytes, dsm_parallelism from,
                            dsm_parallelism to) {
  const double d = total_bytes / (double)machine.chip_count;
  const double hops_x = ((double)chips.system.axes[0].chips - 1) / 2;
  const double hops_y = ((double)chips.system.axes[1].chips - 1) / 2;
  assert_traffic(actual, is_data_x(from) != is_data_x(to) ? d * hops_x : 0,
                 is_data_y(from) != is_data_y(to) ? d * hops_y : 0, from != to ? 6 * d : 0, 0);
}

START_TEST(test_relayouts_of_all_layouts) {
  const dsm_pass_layouts layouts = layouts_of(_i);
  dsm_layer fc = fc_layer(12, 20);
  for (uint64_t timesteps = 1; timesteps <= 3; timesteps++) {
    fc.timesteps = timesteps;
    for (int t = 0; t < COUNT_OF(tori); t++) {
      build(tori[t].rows, tori[t].columns);
      const dsm_update_relayouts moves = relayouts_of(&fc, layouts);
      assert_relayout(moves.input, 12.0 * 10 * 2 * (double)timesteps, layouts.of[DSM_PASS_FORWARD],
                      layouts.of[DSM_PASS_UPDATE]);
      assert_relayout(moves.error, 20.0 * 10 * 2 * (double)timesteps, layouts.of[DSM_PASS_BACKWARD],
                      layouts.of[DSM_PASS_UPDATE]);
    }
  }
}
END_TEST

Suite *suite_layouts(void) {
  Suite *const suite = suite_create("layouts");
  TCase *const weights = tcase_create("weights");
  tcase_add_checked_fixture(weights, set_up, NULL);
  tcase_add_loop_test(weights, test_uniform_layouts_are_the_same_in_all_passes, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(weights, test_weights_go_where_forward_and_backward_need_them, 0,
                      COUNT_OF(weight_cases));
  tcase_add_loop_test(weights, test_weight_traffic_of_all_layouts, 0, LAYOUTS_COUNT);
  tcase_add_loop_test(weights, test_uniform_layouts_broadcast_what_was_summed, 0,
                      DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(weights, test_layouts_without_meaning_move_nothing, 0, LAYOUTS_COUNT);
  suite_add_tcase(suite, weights);
  TCase *const relayouts = tcase_create("relayouts");
  tcase_add_checked_fixture(relayouts, set_up, NULL);
  tcase_add_test(relayouts, test_update_brings_input_and_error_into_its_layout);
  tcase_add_test(relayouts, test_update_relays_all_timesteps);
  tcase_add_test(relayouts, test_layer_without_backward_pass_takes_its_error_from_where_it_is);
  tcase_add_loop_test(relayouts, test_layer_without_update_pass_relays_nothing, 0, LAYOUTS_COUNT);
  tcase_add_loop_test(relayouts, test_relayouts_of_all_layouts, 0, LAYOUTS_COUNT);
  suite_add_tcase(suite, relayouts);
  return suite;
}
