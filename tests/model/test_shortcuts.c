/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_shortcuts.c: what a row-like layer adds comes with what its own collective moves, however it
 * lies (section 11): pieces of sums go round a ring of chips one by one, numbers and all, and what
 * chips send is what the layer is charged without a shortcut.
 */
#include <string.h>

#include "fixture.h"
#include "model/chip_link.h"
#include "suites.h"

enum { MOST = 4, SAMPLES = 12, ROWS = 24, IN = 12, OUT = 24, PLACES = SAMPLES * ROWS * OUT };

static const uint64_t lengths[] = {2, 3, 4};
static const char layouts[] = "NDSF";

static double partial[MOST][PLACES]; /* of the sums, of each chip */
static bool is_whole[MOST][PLACES];  /* the chip has the layer's output there, in `made` */
static double made[MOST][PLACES];
static double added[PLACES]; /* the shortcut */

static dsm_system chips;
static dsm_machine machine;
static int n;

static void build(int index) {
  const grid ring = {1, {lengths[index]}};
  chips = friendly_grid(&ring);
  chips.model.exact_rotation = true;
  machine = dsm_machine_derive(&chips);
  n = (int)machine.chip_count;
  for (int p = 0; p < PLACES; p++) {
    added[p] = p % 7;
    for (int c = 0; c < n; c++) {
      partial[c][p] = (c + 2) * (p % 5);
    }
  }
}

/* Which chip has an element of a tensor in a layout; n: all have it. */
static int owner(char layout, int p) {
  const int sample = p / (ROWS * OUT);
  const int row = p / OUT % ROWS;
  const int feature = p % OUT;
  return layout == 'D'   ? sample * n / SAMPLES
         : layout == 'S' ? row * n / ROWS
         : layout == 'F' ? feature * n / OUT
                         : n;
}

/* Elements that pass along each link while each sum comes together on its owner: along the ring,
 * the owner last. */
static double scatter(char layout, double sums[PLACES]) {
  double sent = 0;
  for (int p = 0; p < PLACES; p++) {
    const int last = owner(layout, p);
    sums[p] = partial[(last + 1) % n][p];
    for (int hop = 1; hop < n; hop++) {
      sums[p] += partial[(last + 1 + hop) % n][p];
      sent++;
    }
  }
  return sent / n;
}

/* And while each element goes on from its owner to all others. */
static double gather(char layout) {
  double sent = 0;
  for (int p = 0; p < PLACES; p++) {
    for (int hop = 1; hop < n; hop++) {
      const int next = (owner(layout, p) + hop) % n;
      made[next][p] = made[(next + n - 1) % n][p];
      is_whole[next][p] = true;
      sent++;
    }
  }
  return sent / n;
}

/* A norm or an activation: not linear. */
static double operation(double sum) {
  return sum * sum + 1;
}

static double charged(dsm_role role, dsm_pass pass, dsm_transfer transfer) {
  dsm_layer layer = conv_layer(IN, OUT, ROWS, 1, 1);
  const dsm_residency nothing = dsm_residency_none(&machine);
  const dsm_roles roles = {.of = {role}};
  layer.rows = ROWS;
  layer.stride_rows = 1;
  layer.stored_size = layer.stored_elements;
  const dsm_pass_work work =
      dsm_pass_work_derive(&layer, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                           dsm_parallelism_of(&roles, 1), SAMPLES, &nothing);
  const dsm_exchanges list = dsm__exchanges_derive(&work);
  double bytes = 0;
  for (unsigned i = 0; i < list.count; i++) {
    bytes += list.items[i].transfer == transfer ? list.items[i].traffic.bytes[DSM_LINK_AXIS] : 0;
  }
  return bytes;
}

/* Each owner makes the output of its sums, with the part of the shortcut that it has. */
static void add_at_owners(char layout, char shortcut, const double sums[PLACES]) {
  memset(is_whole, 0, sizeof is_whole);
  for (int p = 0; p < PLACES; p++) {
    const int c = owner(layout, p);
    ck_assert(owner(shortcut, p) == n || owner(shortcut, p) == c);
    made[c][p] = operation(sums[p]) + added[p];
    is_whole[c][p] = true;
  }
}

static double expected(int p) {
  double sum = 0;
  for (int c = 0; c < n; c++) {
    sum += partial[c][p];
  }
  return operation(sum) + added[p];
}

/* `row`: the first half of an all-reduce may leave its sums where the shortcut lies; there it is
 * added, and the second half takes the whole output to all chips. The error of the output is whole
 * then, so that each chip has the shortcut's, wherever that lies. */
START_TEST(test_row_brings_it_along) {
  static double sums[PLACES];
  build(_i / 4);
  const char shortcut = layouts[_i % 4];
  const char between = shortcut == 'N' ? 'S' : shortcut;
  double sent = scatter(between, sums);
  add_at_owners(between, shortcut, sums);
  sent += gather(between);
  for (int c = 0; c < n; c++) {
    for (int p = 0; p < PLACES; p++) {
      ck_assert(is_whole[c][p]);
      ck_assert_double_eq(made[c][p], expected(p));
    }
  }
  ASSERT_CLOSE(charged(DSM_ROLE_ROW, DSM_PASS_FORWARD, DSM_TRANSFER_ALL_REDUCE),
               sent * friendly_precision().partial_sum_bytes);
}
END_TEST

/* `row_scatter`: where the shortcut is whole or lies as the output, it is added to the sums that
 * are there. Of what else lies its chip adds it to its own parts of sums before they move, which is
 * the same where nothing but what is linear comes between. Back, the layer gathers the error of its
 * output, so that it is whole on each chip, as the shortcut's. */
START_TEST(test_row_scatter_brings_it_along) {
  static double sums[PLACES];
  build(_i / 4);
  const char shortcut = layouts[_i % 4];
  const bool is_beside = shortcut == 'N' || shortcut == 'S';
  for (int p = 0; p < PLACES && !is_beside; p++) {
    partial[owner(shortcut, p)][p] += added[p];
  }
  const double sent = scatter('S', sums);
  if (is_beside) {
    add_at_owners('S', shortcut, sums);
  }
  for (int p = 0; p < PLACES; p++) {
    double whole = is_beside ? 0 : added[p];
    for (int c = 0; c < n; c++) {
      whole += (c + 2) * (p % 5);
    }
    ck_assert_double_eq(is_beside ? made[owner('S', p)][p] : sums[p],
                        is_beside ? expected(p) : whole);
  }
  ASSERT_CLOSE(charged(DSM_ROLE_ROW_SCATTER, DSM_PASS_FORWARD, DSM_TRANSFER_REDUCE_SCATTER),
               sent * friendly_precision().partial_sum_bytes);
  add_at_owners('S', 'S', sums);
  const double back = gather('S');
  for (int c = 0; c < n; c++) {
    for (int p = 0; p < PLACES; p++) {
      ck_assert(is_whole[c][p]);
    }
  }
  ASSERT_CLOSE(charged(DSM_ROLE_ROW_SCATTER, DSM_PASS_UPDATE, DSM_TRANSFER_ALL_GATHER),
               back * friendly_precision().element_bytes);
}
END_TEST

Suite *suite_shortcuts(void) {
  Suite *const suite = suite_create("shortcuts");
  TCase *const tests = tcase_create("shortcuts");
  const int count = COUNT_OF(lengths) * 4;
  tcase_add_loop_test(tests, test_row_brings_it_along, 0, count);
  tcase_add_loop_test(tests, test_row_scatter_brings_it_along, 0, count);
  suite_add_tcase(suite, tests);
  return suite;
}
