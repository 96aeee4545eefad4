/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_halos.c: rows that chips which share positions send each other, against a count of which
 * rows each of them needs and lacks.
 */
#include "fixture.h"
#include "model/equations.h"
#include "suites.h"

enum { SAMPLES = 12, ROWS = 24, IN = 12, OUT = 24, MOST_STRIDE = 3 };

static dsm_system chips;
static dsm_machine machine;

typedef struct part {
  int first;
  int end;
} part;

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

/* What the links of halos carry in all. */
static double sent(const dsm_pass_work *work) {
  const dsm_exchanges list = dsm__exchanges_derive(work);
  double bytes = 0;
  for (unsigned i = 0; i < list.count; i++) {
    bytes += list.items[i].transfer == DSM_TRANSFER_HALO
                 ? list.items[i].traffic.bytes[DSM_LINK_AXIS]
                 : 0;
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
      const dsm_roles roles = {{DSM_ROLE_SPATIAL}};
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        const bool is_backward = p == DSM_PASS_BACKWARD;
        double rows = 0;
        for (int c = 0; c < length; c++) {
          const part missing = rows_beyond(&layer, c, length, is_backward);
          const double both = missing.first + missing.end;
          const double larger = fmax(missing.first, missing.end);
          rows = fmax(rows, links[k % 3] == DSM_LINK_KIND_SWITCH ? both : larger);
        }
        const dsm_pass_work work = work_of(&layer, (dsm_pass)p, &roles);
        ASSERT_CLOSE(sent(&work), rows * SAMPLES * 2 * (is_backward ? OUT : IN));
      }
    }
  }
}
END_TEST

Suite *suite_halos(void) {
  Suite *const suite = suite_create("halos");
  TCase *const counted = tcase_create("one by one");
  tcase_add_test(counted, test_halos_bring_the_rows_that_chips_lack);
  suite_add_tcase(suite, counted);
  return suite;
}
