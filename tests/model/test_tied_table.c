/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a tied layer exchanges with its owner: by moving the numbers of a table along a ring of
 * chips, one block after the other. */
#include <math.h>

#include "fixture.h"
#include "model/equations.h"
#include "model/tied_table.h"
#include "suites.h"

enum { CHIPS = 4 };

/* What a role leaves to a chip, in words of the table of section 3. */
static bool has_block(dsm_role role, int chip, int in, int out) {
  switch (role) {
  case DSM_ROLE_MODEL:
  case DSM_ROLE_COLUMN:
  case DSM_ROLE_GATHER_COLUMN:
    return out == chip;
  case DSM_ROLE_MODEL_OUT:
  case DSM_ROLE_ROW:
  case DSM_ROLE_ROW_SCATTER:
    return in == chip;
  case DSM_ROLE_DATA:
  case DSM_ROLE_SPATIAL:
  case DSM_ROLE_WHOLE:
  case DSM_ROLE_HEADS:
  case DSM_ROLE_EXPERT:
  case DSM_ROLE_CONTEXT:
  case DSM_ROLE_GATHER_CONTEXT:
  case DSM_ROLE_COUNT:
    break;
  }
  return true;
}

static bool is_partial(dsm_role role) {
  return role == DSM_ROLE_DATA || role == DSM_ROLE_SPATIAL;
}

/* Links that a block passes from a chip on until all that want it, or add to it, were on the way:
 * the chips behind it. */
static int hops(const bool wanted[CHIPS], int from) {
  int most = 0;
  for (int k = 1; k < CHIPS; k++) {
    most = wanted[(from + k) % CHIPS] ? k : most;
  }
  return most;
}

/* Of the chips that have a block, one from which it goes the shortest way; all chips by turns
 * where any will do, so that links share evenly. */
static int way_of_weights(dsm_role owner, dsm_role tied, int in, int out) {
  bool wanted[CHIPS];
  int least = CHIPS;
  for (int c = 0; c < CHIPS; c++) {
    wanted[c] = has_block(tied, c, in, out) && !has_block(owner, c, in, out);
  }
  for (int c = 0; c < CHIPS; c++) {
    const int own = hops(wanted, c);
    least = has_block(owner, c, in, out) && own < least ? own : least;
  }
  return least;
}

/* To each chip that updates the block, if it cannot take it from what it has made itself. */
static int way_of_gradients(dsm_role owner, dsm_role tied, int in, int out) {
  bool making[CHIPS];
  bool asking[CHIPS];
  int asking_count = 0;
  int owner_chip = 0;
  int maker = 0;
  if (is_partial(owner)) {
    return 0; /* the owner's sum takes all */
  }
  for (int c = 0; c < CHIPS; c++) {
    making[c] = has_block(tied, c, in, out);
    asking[c] = has_block(owner, c, in, out);
    asking_count += asking[c] ? 1 : 0;
    owner_chip = asking[c] ? c : owner_chip;
    maker = making[c] ? c : maker;
  }
  if (is_partial(tied)) { /* added up on the way there, then on to all others that ask */
    return CHIPS - 1 + (asking_count > 1 ? hops(asking, owner_chip) : 0);
  }
  for (int c = 0; c < CHIPS; c++) {
    asking[c] = asking[c] && !making[c];
  }
  return hops(asking, maker);
}

static const dsm_role roles[] = {DSM_ROLE_DATA,   DSM_ROLE_SPATIAL,   DSM_ROLE_MODEL,
                                 DSM_ROLE_COLUMN, DSM_ROLE_MODEL_OUT, DSM_ROLE_ROW,
                                 DSM_ROLE_WHOLE};

static dsm_system ring_of(uint64_t m, uint64_t n) {
  dsm_system system = friendly_system(m, n);
  system.model.reduce_memory_bytes = 3;
  system.model.broadcast_memory_bytes = 2;
  system.model.relayout_memory_bytes = 2;
  return system;
}

static dsm__table_exchange exchange_of(const dsm_layer *layer, const dsm_machine *machine,
                                       dsm_roles owner, dsm_roles tied) {
  const dsm_pass_layouts of_owner = dsm_pass_layouts_uniform(dsm_parallelism_of(&owner, 2));
  const dsm_pass_layouts of_tied = dsm_pass_layouts_uniform(dsm_parallelism_of(&tied, 2));
  const dsm__table_cut theirs = dsm__table_cut_of(layer, machine, &of_owner);
  const dsm__table_cut own = dsm__table_cut_of(layer, machine, &of_tied);
  return dsm__table_exchange_derive(layer, machine, friendly_precision(), &theirs, &own);
}

static double bytes_along(const dsm__table_exchange *exchange, int first, int end, unsigned axis) {
  double bytes = 0;
  for (int m = first; m < end; m++) {
    bytes += exchange->moves[m].bytes[(unsigned)DSM_LINK_AXIS + axis];
  }
  return bytes;
}

START_TEST(test_blocks_move_to_where_they_are_asked_for) {
  const dsm_system system = ring_of(CHIPS, 1);
  const dsm_machine machine = dsm_machine_derive(&system);
  const dsm_layer layer = fc_layer(24, 40);
  const double block = 24.0 * 40 / (CHIPS * CHIPS);
  const dsm_precision precision = friendly_precision();
  for (int o = 0; o < COUNT_OF(roles); o++) {
    for (int t = 0; t < COUNT_OF(roles); t++) {
      const dsm__table_exchange exchange =
          exchange_of(&layer, &machine, (dsm_roles){{roles[o], DSM_ROLE_DATA}},
                      (dsm_roles){{roles[t], DSM_ROLE_DATA}});
      double gradients = 0;
      double weights = 0;
      for (int in = 0; in < CHIPS; in++) {
        for (int out = 0; out < CHIPS; out++) {
          gradients += way_of_gradients(roles[o], roles[t], in, out) * block / CHIPS;
          weights += way_of_weights(roles[o], roles[t], in, out) * block / CHIPS;
        }
      }
      ASSERT_CLOSE(bytes_along(&exchange, 0, DSM__TABLE_GRADIENT_MOVES, 0),
                   gradients * precision.gradient_bytes);
      ASSERT_CLOSE(bytes_along(&exchange, DSM__TABLE_GRADIENT_MOVES, DSM__TABLE_MOVES, 0),
                   weights * dsm__layer_weight_bytes(&layer, precision.weight_bytes,
                                                     precision.element_bytes));
    }
  }
}
END_TEST

/* 960 weights on 4 x 2 chips: along Y an owner that cuts what the other layer cuts too halves all.
 */
START_TEST(test_axes_that_both_cut_divide_what_moves) {
  const dsm_system system = ring_of(CHIPS, 2);
  const dsm_machine machine = dsm_machine_derive(&system);
  const dsm_layer layer = fc_layer(24, 40);
  const dsm_precision precision = friendly_precision();
  const dsm__table_exchange exchange =
      exchange_of(&layer, &machine, (dsm_roles){{DSM_ROLE_ROW, DSM_ROLE_COLUMN}},
                  (dsm_roles){{DSM_ROLE_DATA, DSM_ROLE_COLUMN}});
  ASSERT_CLOSE(exchange.moves[0].bytes[DSM_LINK_AXIS], 480 * precision.gradient_bytes * 3 / 4);
  ASSERT_CLOSE(exchange.moves[0].bytes[DSM_LINK_MEMORY], 3 * 480 * precision.gradient_bytes);
  ck_assert_double_eq(bytes_along(&exchange, 0, DSM__TABLE_MOVES, 1), 0);
  /* First scattered along X, then a quarter of it passed along Y. */
  const dsm__table_exchange both =
      exchange_of(&layer, &machine, (dsm_roles){{DSM_ROLE_ROW, DSM_ROLE_COLUMN}},
                  (dsm_roles){{DSM_ROLE_DATA, DSM_ROLE_ROW}});
  ASSERT_CLOSE(both.moves[0].bytes[DSM_LINK_AXIS], 480 * precision.gradient_bytes * 3 / 4);
  ASSERT_CLOSE(both.moves[1].bytes[DSM_LINK_AXIS + 1], 120 * precision.gradient_bytes / 2);
}
END_TEST

START_TEST(test_a_copy_is_kept_where_something_moves) {
  const dsm_system system = ring_of(CHIPS, 1);
  const dsm_machine machine = dsm_machine_derive(&system);
  const dsm_layer layer = fc_layer(24, 40);
  const dsm_workload workload = {.minibatch = 8, //
                                 .element_bytes = 2,
                                 .weight_bytes = 2,
                                 .gradient_bytes = 4};
  const dsm_pass_layouts data = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
  const dsm_pass_layouts model = dsm_pass_layouts_uniform(DSM_PARALLELISM_MODEL);
  const dsm__table_cut shared = dsm__table_cut_of(&layer, &machine, &data);
  const dsm__table_cut cut = dsm__table_cut_of(&layer, &machine, &model);
  const dsm__table_cut crossed = dsm__table_transposed(cut);
  const struct {
    dsm_mode mode;
    const dsm_pass_layouts *own;
    const dsm__table_cut *owner;
    double weights;
    double gradients;
  } cases[] = {
      {DSM_MODE_TRAINING, &data, &cut, 960 * 2, 960 * 4},
      {DSM_MODE_INFERENCE, &data, &cut, 960 * 2, 0},
      {DSM_MODE_TRAINING, &model, &crossed, 240 * 2, 240 * 4},
      {DSM_MODE_TRAINING, &model, &cut, 0, 0},
      {DSM_MODE_TRAINING, &model, &shared, 0, 0},
  };
  for (int k = 0; k < COUNT_OF(cases); k++) {
    dsm_layer_memory memory = {.weights_bytes = 0};
    dsm__add_table_copy(&memory, &layer, &machine, &workload, cases[k].mode, cases[k].own,
                        cases[k].owner);
    ck_assert_double_eq(memory.weights_bytes, cases[k].weights);
    ck_assert_double_eq(memory.gradients_bytes, cases[k].gradients);
  }
}
END_TEST

Suite *suite_tied_table(void) {
  Suite *const suite = suite_create("tied_table");
  TCase *const tests = tcase_create("exchange");
  tcase_add_test(tests, test_blocks_move_to_where_they_are_asked_for);
  tcase_add_test(tests, test_axes_that_both_cut_divide_what_moves);
  tcase_add_test(tests, test_a_copy_is_kept_where_something_moves);
  suite_add_tcase(suite, tests);
  return suite;
}
