/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_spatial.c: what chips which share positions have, and rows, keys and values that they send
 * each other, against a count of which of them each chip needs and lacks.
 */
#include "fixture.h"
#include "model/chip_link.h"
#include "model/equations.h"
#include "suites.h"

enum { SAMPLES = 12, ROWS = 24, IN = 12, OUT = 24, MOST_STRIDE = 3 };

static dsm_system chips;
static dsm_machine machine;

typedef struct part {
  int first;
  int end;
} part;

static const dsm_roles spatial = {{DSM_ROLE_SPATIAL}};

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

/* Rows that a chip lacks of a tensor, before its own and behind them: of the input for its outputs,
 * of the output's error for its inputs. */
static part rows_beyond(const dsm_layer *layer, int chip, int count, bool is_backward) {
  const int own = ROWS / count;
  const int stride = (int)layer->stride_rows;
  const int before = (int)layer->halo_rows / 2;
  const int kernel = (int)layer->halo_rows + stride;
  const int there_first = chip * own * (is_backward ? 1 : stride);
  const int there_end = (chip + 1) * own * (is_backward ? 1 : stride);
  part missing = {0, 0};
  bool is_used[MOST_STRIDE * ROWS] = {false};
  for (int r = 0; r < ROWS; r++) {
    for (int k = 0; k < kernel; k++) {
      const int i = r * stride - before + k; /* an input row of this output row */
      const bool is_mine = is_backward ? i >= chip * own * stride && i < (chip + 1) * own * stride
                                       : r >= chip * own && r < (chip + 1) * own;
      if (i >= 0 && i < ROWS * stride && is_mine) {
        is_used[is_backward ? r : i] = true;
      }
    }
  }
  for (int r = 0; r < ROWS * stride; r++) {
    missing.first += is_used[r] && r < there_first ? 1 : 0;
    missing.end += is_used[r] && r >= there_end ? 1 : 0;
  }
  return missing;
}

START_TEST(test_halos_bring_the_rows_that_chips_lack) {
  static const dsm_link_kind links[] = {DSM_LINK_KIND_RING, DSM_LINK_KIND_LINE,
                                        DSM_LINK_KIND_SWITCH};
  for (int length = 2; length <= 6; length += length == 4 ? 2 : 1) {
    for (int k = 0; k < 3 * 4 * 3; k++) {
      const grid sides = {1, {(uint64_t)length}};
      chips = friendly_grid(&sides);
      chips.system.axes[0].link = links[k % 3];
      machine = dsm_machine_derive(&chips);
      dsm_layer layer = small_layer();
      layer.stride_rows = (uint64_t)(1 + k / 3 % 3);
      layer.strides = layer.stride_rows;
      layer.halo_rows = (uint64_t)(k / 9);
      layer.kij = layer.halo_rows + layer.stride_rows;
      layer.input_elements *= layer.stride_rows;
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        const bool is_backward = p == DSM_PASS_BACKWARD;
        double rows = 0;
        for (int c = 0; c < length; c++) {
          const part missing = rows_beyond(&layer, c, length, is_backward);
          const double both = missing.first + missing.end;
          const double larger = fmax(missing.first, missing.end);
          rows = fmax(rows, links[k % 3] == DSM_LINK_KIND_SWITCH ? both : larger);
        }
        const dsm_pass_work work = work_of(&layer, (dsm_pass)p, &spatial);
        ASSERT_CLOSE(sent(&work, DSM_TRANSFER_HALO), rows * SAMPLES * 2 * (is_backward ? OUT : IN));
      }
    }
  }
}
END_TEST

/* The same rows of pools: of the output, whose results and their errors are as many as a kernel of
 * as large windows makes; of the input, which a kernel of 1 x 1 then reads. */
START_TEST(test_halos_of_pools_bring_the_rows_that_chips_lack) {
  for (int length = 2; length <= 6; length += length == 4 ? 2 : 1) {
    for (int k = 0; k < 3 * 4; k++) {
      const grid sides = {1, {(uint64_t)length}};
      chips = friendly_grid(&sides);
      machine = dsm_machine_derive(&chips);
      dsm_layer window = small_layer(); /* a kernel of the same rows */
      window.stride_rows = (uint64_t)(1 + k % 3);
      window.halo_rows = (uint64_t)(k / 3);
      const uint64_t read = ROWS * window.stride_rows;
      const dsm_pooled_rows rows = {ROWS, window.stride_rows, window.halo_rows};
      dsm_layer behind = conv_layer(IN, OUT, read, 1, 1);
      behind.rows = read;
      behind.stride_rows = 1;
      behind.pooled = rows;
      behind.pool_window = window.stride_rows + window.halo_rows;
      behind.stored_elements = OUT * ROWS;
      dsm_layer before = small_layer();
      before.input_elements = IN * read;
      before.input_pool_elements = IN * ROWS;
      before.input_pool_window = behind.pool_window;
      before.input_pooled = rows;
      double there = 0; /* of what is read, and of errors of what is made */
      double back = 0;
      for (int c = 0; c < length; c++) {
        const part missing = rows_beyond(&window, c, length, false);
        const part errors = rows_beyond(&window, c, length, true);
        there = fmax(there, fmax(missing.first, missing.end));
        back = fmax(back, fmax(errors.first, errors.end));
      }
      const double bytes = SAMPLES * 2.0;
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        const bool is_forward = p == DSM_PASS_FORWARD;
        const dsm_pass_work output = work_of(&behind, (dsm_pass)p, &spatial);
        const dsm_pass_work input = work_of(&before, (dsm_pass)p, &spatial);
        ck_assert_uint_eq(output.share.chip.n[DSM_DIM_IJ] * (uint64_t)length, read);
        ASSERT_CLOSE(sent(&output, DSM_TRANSFER_HALO),
                     p == DSM_PASS_BACKWARD ? 0 : (is_forward ? there : back) * OUT * bytes);
        ASSERT_CLOSE(sent(&input, DSM_TRANSFER_HALO),
                     (p == DSM_PASS_BACKWARD ? back : there) * IN * bytes);
      }
      behind.has_update = false;
      const dsm_pass_work alone = work_of(&behind, DSM_PASS_BACKWARD, &spatial);
      ASSERT_CLOSE(sent(&alone, DSM_TRANSFER_HALO), back * OUT * bytes);
    }
  }
}
END_TEST

/* By hand: 55 rows behind which a pool of 3 at stride 2 makes 27: of 4 chips each has 7 results, of
 * 14 rows, and the last one 6 of 13. A pool of all 7 rows leaves one result, which one chip has. */
START_TEST(test_chips_have_whole_rows_of_results) {
  const grid sides = {1, {4}};
  chips = friendly_grid(&sides);
  machine = dsm_machine_derive(&chips);
  dsm_layer layer = conv_layer(IN, OUT, 55 * 55, 1, 1);
  layer.rows = 55;
  layer.stride_rows = 1;
  layer.pooled = (dsm_pooled_rows){27, 2, 1};
  ck_assert_uint_eq(work_of(&layer, DSM_PASS_FORWARD, &spatial).share.chip.n[DSM_DIM_IJ], 14 * 55);
  layer.ij = 7 * 7;
  layer.rows = 7;
  layer.pooled = (dsm_pooled_rows){1, 7, 0};
  ck_assert_uint_eq(work_of(&layer, DSM_PASS_FORWARD, &spatial).share.chip.n[DSM_DIM_IJ], 7 * 7);
  layer.pooled = (dsm_pooled_rows){1, 1, 6}; /* stated: all rows are shared, and brought together */
  ck_assert_uint_eq(work_of(&layer, DSM_PASS_FORWARD, &spatial).share.chip.n[DSM_DIM_IJ], 2 * 7);
}
END_TEST

/* ---- shares ---- */

/* By hand: of 24 rows 6 a chip, in tiles too: 12 samples of 6 rows by 24 features of 12 sums; one
 * pass over 6 * 24 * 12 outputs by 4 cores of 2 operations a cycle. */
START_TEST(test_arrays_and_special_units_have_their_part_of_the_rows) {
  const grid sides = {1, {4}};
  chips = friendly_grid(&sides);
  machine = dsm_machine_derive(&chips);
  dsm_layer layer = small_layer();
  layer.has_op[DSM_AUX_RELU] = true;
  const dsm_pass_work work = work_of(&layer, DSM_PASS_FORWARD, &spatial);
  const dsm_roles all = {{DSM_ROLE_WHOLE}};
  const dsm_pass_work whole = work_of(&layer, DSM_PASS_FORWARD, &all);
  ASSERT_CLOSE(work.auxiliary_cycles, whole.auxiliary_cycles / 4);
  ASSERT_CLOSE(work.auxiliary_cycles,
               6.0 * OUT * SAMPLES / (double)chips.chip.cores / chips.core.sfu_ops_per_cycle);
  const dsm__product forward = dsm__product_derive(&layer, &work.share, DSM_PASS_FORWARD);
  const dsm__product backward = dsm__product_derive(&layer, &work.share, DSM_PASS_BACKWARD);
  const dsm__product update = dsm__product_derive(&layer, &work.share, DSM_PASS_UPDATE);
  ASSERT_CLOSE(forward.rows, 6 * SAMPLES);
  ASSERT_CLOSE(forward.columns * forward.summed, IN * OUT);
  ASSERT_CLOSE(backward.rows, 6 * SAMPLES);
  ASSERT_CLOSE(backward.columns * backward.summed, IN * OUT);
  ASSERT_CLOSE(update.summed, 6 * SAMPLES);
  ASSERT_CLOSE(update.rows * update.columns, IN * OUT);
}
END_TEST

/* ---- attention ---- */

enum { HEADS = 4, KEY_HEADS = 2, HEAD = 6, KEYS = 24 };

/* Queries of 24 positions, keys and values of as many. */
static dsm_layer product_layer(bool is_score) {
  dsm_layer layer = conv_layer(HEADS * (is_score ? HEAD : KEYS), HEADS * (is_score ? KEYS : HEAD),
                               ROWS, 1, HEADS);
  layer.is_convolution = false;
  layer.is_product = true;
  layer.is_score = is_score;
  layer.reads_score = !is_score;
  layer.rows = ROWS;
  layer.operand_groups = KEY_HEADS;
  layer.operand_elements = KEY_HEADS * HEAD * KEYS;
  layer.weight_elements = 0;
  layer.has_update = false;
  return layer;
}

/* Bytes of a chip while the product runs. */
static double transient_of(const dsm_layer *layer, const dsm_roles *roles, unsigned axis_count) {
  const dsm_workload workload = {.minibatch = SAMPLES, .element_bytes = 2, .layers = NULL};
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(dsm_parallelism_of(roles, axis_count));
  return dsm_layer_memory_derive(layer, &machine, &workload, DSM_MODE_TRAINING, &layouts)
      .transient_bytes;
}

/* Each chip needs the keys of all positions, and has those of its own. Of each key each chip has a
 * part of the sum of its errors, and leaves all but its own to others. */
START_TEST(test_keys_and_values_turn_among_chips_with_queries_of_their_own) {
  const double sample_bytes = 2.0 * SAMPLES;
  const double widening = friendly_precision().partial_sum_bytes / 2;
  for (int n = 2; n <= 6; n += n == 4 ? 2 : 1) {
    const grid sides = {1, {(uint64_t)n}};
    chips = friendly_grid(&sides);
    chips.model.collective_memory_bytes = 1;
    machine = dsm_machine_derive(&chips);
    double elements = 0; /* that chip 1 lacks */
    for (int key = 0; key < KEYS; key++) {
      elements += key / (KEYS / n) == 1 ? 0 : KEY_HEADS * HEAD;
    }
    for (int p = 0; p < 2; p++) {
      const dsm_layer layer = product_layer(p == 0);
      const dsm_pass_work forward = work_of(&layer, DSM_PASS_FORWARD, &spatial);
      const dsm_pass_work backward = work_of(&layer, DSM_PASS_BACKWARD, &spatial);
      ck_assert_uint_eq(forward.share.chip.n[DSM_DIM_IJ], (uint64_t)(ROWS / n));
      ASSERT_CLOSE(forward.bytes.kernel, KEY_HEADS * HEAD * KEYS * sample_bytes);
      ASSERT_CLOSE(forward.bytes.input * n, (double)layer.input_elements * sample_bytes);
      ASSERT_CLOSE(forward.rotation.bytes[DSM_LINK_AXIS], elements * sample_bytes);
      ASSERT_CLOSE(forward.rotation.bytes[DSM_LINK_MEMORY], forward.bytes.kernel);
      ASSERT_CLOSE(2 * backward.rotation.bytes[DSM_LINK_AXIS], elements * sample_bytes);
      ASSERT_CLOSE(sent(&forward, DSM_TRANSFER_REDUCE_SCATTER), 0);
      ASSERT_CLOSE(2 * sent(&backward, DSM_TRANSFER_REDUCE_SCATTER),
                   elements * sample_bytes * widening);
      const dsm_loops split = {{1, 4, 1, 1, 1}}; /* what turns is hidden by computing */
      const dsm_invocation_cost cost = dsm_invocation_score(&forward, &split);
      ck_assert_double_ge(cost.overlapped, dsm_group_cycles(&machine, &forward.rotation));
      ASSERT_CLOSE(cost.rotation, 0);
      ASSERT_CLOSE(cost.collective, 0);
    }
  }
}
END_TEST

/* By hand: keys of 2 * 6 * 24 features, 12 samples, 2 bytes are 6,912; on a ring of 4 chips 5,184
 * of them come along a link, and as many in both invocations of backward together, beside 5,184
 * bytes of sums of errors, widened. */
START_TEST(test_keys_on_four_chips) {
  const grid sides = {1, {4}};
  chips = friendly_grid(&sides);
  machine = dsm_machine_derive(&chips);
  const dsm_layer layer = product_layer(true);
  const dsm_pass_work forward = work_of(&layer, DSM_PASS_FORWARD, &spatial);
  const dsm_pass_work backward = work_of(&layer, DSM_PASS_BACKWARD, &spatial);
  ASSERT_CLOSE(forward.bytes.kernel, 6912);
  ASSERT_CLOSE(forward.rotation.bytes[DSM_LINK_AXIS], 5184);
  ASSERT_CLOSE(backward.rotation.bytes[DSM_LINK_AXIS], 2592);
  ASSERT_CLOSE(sent(&backward, DSM_TRANSFER_REDUCE_SCATTER),
               2592 * friendly_precision().partial_sum_bytes / 2);
}
END_TEST

/* By hand, likewise: gathered before the product they are a collective of as many bytes, and stand
 * in memory whole while it runs, 5,184 bytes of other chips. As `context` they turn, as `spatial`
 * has it. */
START_TEST(test_keys_on_four_chips_are_gathered) {
  static const dsm_roles turning = {{DSM_ROLE_CONTEXT}};
  static const dsm_roles gathering = {{DSM_ROLE_GATHER_CONTEXT}};
  const grid sides = {1, {4}};
  chips = friendly_grid(&sides);
  machine = dsm_machine_derive(&chips);
  const dsm_layer layer = product_layer(true);
  const dsm_pass_work forward = work_of(&layer, DSM_PASS_FORWARD, &gathering);
  const dsm_pass_work backward = work_of(&layer, DSM_PASS_BACKWARD, &gathering);
  const double widening = friendly_precision().partial_sum_bytes / 2;
  ASSERT_CLOSE(forward.rotation.bytes[DSM_LINK_AXIS], 0);
  ASSERT_CLOSE(sent(&forward, DSM_TRANSFER_ALL_GATHER), 5184);
  ASSERT_CLOSE(sent(&forward, DSM_TRANSFER_REDUCE_SCATTER), 0);
  ASSERT_CLOSE(sent(&backward, DSM_TRANSFER_ALL_GATHER), 2592);
  ASSERT_CLOSE(sent(&backward, DSM_TRANSFER_REDUCE_SCATTER), 2592 * widening);
  ck_assert_double_gt(forward.collective_cycles, 0);
  for (int p = DSM_PASS_FORWARD; p <= DSM_PASS_BACKWARD; p++) {
    const dsm_loops split = {{1, 4, 1, 1, 1}};
    const dsm_pass_work one = work_of(&layer, (dsm_pass)p, &spatial);
    const dsm_pass_work other = work_of(&layer, (dsm_pass)p, &turning);
    const dsm_pass_work gathered = work_of(&layer, (dsm_pass)p, &gathering);
    const double total = dsm_invocation_score(&other, &split).total;
    ck_assert_double_eq(dsm_invocation_score(&one, &split).total, total);
    ck_assert_double_gt(dsm_invocation_score(&gathered, &split).total, total);
  }
  ASSERT_CLOSE(transient_of(&layer, &gathering, 1) - transient_of(&layer, &turning, 1), 5184);
  ck_assert_double_eq(transient_of(&layer, &turning, 1), transient_of(&layer, &spatial, 1));
}
END_TEST

/* By hand: on axes of 2 and 3 chips keys turn along the first and are gathered along the second.
 * Each chip of the second brings together the keys of its half of 6,912 bytes: 2 / 3 of 3,456 come.
 * That half then goes to the other chip of the first. */
START_TEST(test_keys_are_gathered_along_one_axis_and_turn_along_another) {
  static const dsm_roles both = {{DSM_ROLE_CONTEXT, DSM_ROLE_GATHER_CONTEXT}};
  static const dsm_roles turning = {{DSM_ROLE_CONTEXT, DSM_ROLE_CONTEXT}};
  const grid sides = {2, {2, 3}};
  chips = friendly_grid(&sides);
  machine = dsm_machine_derive(&chips);
  const dsm_layer layer = product_layer(false);
  const dsm_residency nothing = dsm_residency_none(&machine);
  const dsm_pass_work work =
      dsm_pass_work_derive(&layer, &machine, friendly_precision(), DSM_MODE_TRAINING,
                           DSM_PASS_FORWARD, dsm_parallelism_of(&both, 2), SAMPLES, &nothing);
  const dsm_exchanges list = dsm__exchanges_derive(&work);
  ck_assert_uint_eq(list.count, 1);
  ck_assert_int_eq(list.items[0].transfer, DSM_TRANSFER_ALL_GATHER);
  ASSERT_CLOSE(list.items[0].traffic.bytes[DSM_LINK_AXIS], 0);
  ASSERT_CLOSE(list.items[0].traffic.bytes[DSM_LINK_AXIS + 1], 2304);
  ASSERT_CLOSE(work.rotation.bytes[DSM_LINK_AXIS], 3456);
  ASSERT_CLOSE(work.rotation.bytes[DSM_LINK_AXIS + 1], 0);
  ASSERT_CLOSE(transient_of(&layer, &both, 2) - transient_of(&layer, &turning, 2), 2304);
}
END_TEST

/* Of a causal attention query i sees i + 1 keys. Chips with a piece from the front and one from the
 * back (zigzag) see equally many pairs: each its part of all of them. */
START_TEST(test_zigzag_balances_causal_work) {
  for (int n = 2; n <= 6; n += n == 4 ? 2 : 1) {
    const int piece = ROWS / (2 * n);
    const double all = ROWS * (ROWS + 1) / 2.0;
    for (int c = 0; c < n; c++) {
      double pairs = 0;
      for (int i = 0; i < ROWS; i++) {
        const int at = i / piece;
        pairs += at == c || at == 2 * n - 1 - c ? i + 1 : 0;
      }
      ASSERT_CLOSE(pairs * n, all);
    }
    const grid sides = {1, {(uint64_t)n}};
    chips = friendly_grid(&sides);
    chips.model.causal_skip = true;
    machine = dsm_machine_derive(&chips);
    dsm_layer layer = product_layer(true);
    layer.hidden_share = 1 - all / (ROWS * KEYS);
    const dsm_pass_work work = work_of(&layer, DSM_PASS_FORWARD, &spatial);
    ASSERT_CLOSE((double)work.share.chip.n[DSM_DIM_IJ] * KEYS * work.product_share * n, all);
  }
}
END_TEST

Suite *suite_spatial(void) {
  Suite *const suite = suite_create("spatial");
  TCase *const counted = tcase_create("one by one");
  tcase_add_test(counted, test_halos_bring_the_rows_that_chips_lack);
  tcase_add_test(counted, test_halos_of_pools_bring_the_rows_that_chips_lack);
  tcase_add_test(counted, test_chips_have_whole_rows_of_results);
  tcase_add_test(counted, test_arrays_and_special_units_have_their_part_of_the_rows);
  tcase_add_test(counted, test_keys_and_values_turn_among_chips_with_queries_of_their_own);
  tcase_add_test(counted, test_keys_on_four_chips);
  tcase_add_test(counted, test_keys_on_four_chips_are_gathered);
  tcase_add_test(counted, test_keys_are_gathered_along_one_axis_and_turn_along_another);
  tcase_add_test(counted, test_zigzag_balances_causal_work);
  suite_add_tcase(suite, counted);
  return suite;
}
