/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_pass_roles.c: a layer whose passes have roles of their own, against a simulation that says
 * of each weight which chips have it after the update and which need it in forward and backward;
 * and by hand.
 */
#include <math.h>

#include "fixture.h"
#include "model/chip_link.h"
#include "suites.h"

enum { SAMPLES = 12, ROWS = 24, IN = 12, OUT = 24 };

static const grid sides_of[] = {{1, {2}},    {1, {3}},    {1, {1}},
                                {2, {2, 3}}, {2, {3, 1}}, {3, {2, 3, 2}}};

static dsm_system chips;
static dsm_machine machine;

static void build(const grid *sides) {
  chips = friendly_grid(sides);
  chips.model.collective_memory_bytes = 1;
  machine = dsm_machine_derive(&chips);
}

static dsm_layer small_layer(void) {
  dsm_layer layer = conv_layer(IN, OUT, ROWS, 1, 1);
  layer.rows = ROWS;
  layer.stride_rows = 1;
  layer.stored_size = layer.stored_elements;
  return layer;
}

/* By hand: what a role makes of weights along its axis: cut by Out or In, Summed, Whole. */
static const char kinds[DSM_ROLE_COUNT] = {
    [DSM_ROLE_DATA] = 'S',           [DSM_ROLE_SPATIAL] = 'S',   [DSM_ROLE_WHOLE] = 'W',
    [DSM_ROLE_MODEL] = 'O',          [DSM_ROLE_COLUMN] = 'O',    [DSM_ROLE_ROW] = 'I',
    [DSM_ROLE_GATHER_COLUMN] = 'O',  [DSM_ROLE_MODEL_OUT] = 'I', [DSM_ROLE_ROW_SCATTER] = 'I',
    [DSM_ROLE_HEADS] = '-',          [DSM_ROLE_EXPERT] = '-',    [DSM_ROLE_CONTEXT] = 'S',
    [DSM_ROLE_GATHER_CONTEXT] = 'S',
};

/* One cut of each axis, by out or by in, of all passes; false: they have several. */
static bool find_cuts(const dsm_roles roles[DSM_PASS_COUNT], char cuts[DSM_AXES_MAX]) {
  bool is_one = true;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    cuts[a] = '-';
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const char kind = kinds[roles[p].of[a]];
      const bool is_cut = kind == 'O' || kind == 'I';
      is_one = is_one && kind != '-' && (!is_cut || cuts[a] == '-' || cuts[a] == kind);
      cuts[a] = is_cut ? kind : cuts[a];
    }
  }
  return is_one;
}

/* Is a weight among those of the first chip, where so many axes cut? Weights go to the chips of an
 * axis in turns, by in or by out. */
static bool is_first(int in, int out, const char cuts[DSM_AXES_MAX],
                     const bool is_cut[DSM_AXES_MAX]) {
  bool is_its = true;
  int turn = 1;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    const int n = (int)chips.system.axes[a].chips;
    is_its = is_its && (!is_cut[a] || (cuts[a] == 'I' ? in : out) / turn % n == 0);
    turn *= n;
  }
  return is_its;
}

/* Weights of the first chip, and of all others as many. */
typedef struct counted {
  double used;      /* in forward or backward */
  double lacking;   /* of these, after the update */
  double forward;   /* in forward */
  double gradients; /* in update, */
  double owned;     /* of which it has the whole sum */
} counted;

static counted count_weights(const dsm_layer *layer, const dsm_roles roles[DSM_PASS_COUNT],
                             const char cuts[DSM_AXES_MAX]) {
  bool of_used[DSM_AXES_MAX];
  bool of_forward[DSM_AXES_MAX];
  bool of_gradients[DSM_AXES_MAX];
  bool of_owned[DSM_AXES_MAX];
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    const char forward = kinds[roles[DSM_PASS_FORWARD].of[a]];
    const char backward = kinds[roles[DSM_PASS_BACKWARD].of[a]];
    const char update = kinds[roles[DSM_PASS_UPDATE].of[a]];
    of_forward[a] = forward == 'O' || forward == 'I';
    of_used[a] = of_forward[a] && (!layer->has_backward || backward == 'O' || backward == 'I');
    of_gradients[a] = update == 'O' || update == 'I';
    of_owned[a] = update != 'W';
  }
  counted all = {0, 0, 0, 0, 0};
  for (int i = 0; i < IN; i++) {
    for (int o = 0; o < OUT; o++) {
      const bool is_used = is_first(i, o, cuts, of_used);
      const bool is_owned = is_first(i, o, cuts, of_owned);
      all.used += is_used ? 1 : 0;
      all.lacking += is_used && !is_owned ? 1 : 0;
      all.forward += is_first(i, o, cuts, of_forward) ? 1 : 0;
      all.gradients += is_first(i, o, cuts, of_gradients) ? 1 : 0;
      all.owned += is_owned ? 1 : 0;
    }
  }
  return all;
}

static double sum_of_axes(const dsm_traffic *traffic) {
  double bytes = 0;
  for (int a = 0; a < DSM_AXES_MAX; a++) {
    bytes += traffic->bytes[DSM_LINK_AXIS + a];
  }
  return bytes;
}

static dsm_pass_layouts layouts_of(const dsm_roles roles[DSM_PASS_COUNT]) {
  dsm_pass_layouts layouts;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    layouts.of[p] = dsm_parallelism_of(&roles[p], chips.system.axis_count);
  }
  return layouts;
}

static void check_weights(const dsm_layer *layer, const dsm_roles roles[DSM_PASS_COUNT],
                          const char cuts[DSM_AXES_MAX]) {
  const dsm_precision precision = friendly_precision();
  const dsm_pass_layouts layouts = layouts_of(roles);
  const counted all = count_weights(layer, roles, cuts);
  const dsm_weight_traffic traffic =
      dsm_weight_traffic_derive(layer, &machine, precision, &layouts);
  ASSERT_CLOSE(sum_of_axes(&traffic.sum_of_gradients),
               (all.gradients - all.owned) * precision.gradient_bytes);
  ASSERT_CLOSE(sum_of_axes(&traffic.broadcast_weights), all.lacking * precision.element_bytes);
  /* Without shards of the update whoever has a part of a sum has all of it. */
  const dsm_weight_traffic plain =
      dsm__sharded_weight_traffic(layer, &machine, precision, &layouts, false);
  ASSERT_CLOSE(sum_of_axes(&plain.sum_of_gradients),
               2 * (all.gradients - all.owned) * precision.gradient_bytes);
}

/* Those that share samples or rows. */
static double summing_chips(const dsm_roles *roles) {
  double ways = 1;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    ways *= kinds[roles->of[a]] == 'S' ? (double)chips.system.axes[a].chips : 1;
  }
  return ways;
}

static void check_memory(const dsm_layer *layer, const dsm_roles roles[DSM_PASS_COUNT],
                         const char cuts[DSM_AXES_MAX]) {
  const dsm_workload workload = {.minibatch = SAMPLES,
                                 .element_bytes = 2,
                                 .gradient_bytes = 4,
                                 .optimizer_bytes_per_weight = 8,
                                 .layers = layer,
                                 .layer_count = 1,
                                 .input_last_use = DSM_NEVER_USED};
  const dsm_pass_layouts layouts = layouts_of(roles);
  const counted all = count_weights(layer, roles, cuts);
  dsm_pass_layouts same = layouts;
  same.of[DSM_PASS_UPDATE] = same.of[DSM_PASS_FORWARD];
  const dsm_layer_memory memory =
      dsm_layer_memory_derive(layer, &machine, &workload, DSM_MODE_TRAINING, &layouts);
  const dsm_layer_memory beside =
      dsm_layer_memory_derive(layer, &machine, &workload, DSM_MODE_TRAINING, &same);
  bool has_roles = false;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    has_roles = has_roles || dsm_parallelism_has_roles(layouts.of[p]);
  }
  ASSERT_CLOSE(memory.weights_bytes, (has_roles ? all.used : all.forward) * 2);
  ASSERT_CLOSE(memory.gradients_bytes, all.forward * 4);
  ASSERT_CLOSE(memory.optimizer_bytes, all.forward * 8 / summing_chips(&roles[DSM_PASS_FORWARD]));
  ASSERT_CLOSE(memory.transient_bytes - beside.transient_bytes,
               has_roles ? fmax(0, all.gradients - all.forward) * 4 : 0);
}

/* Roles with a number. False where there are no more. */
static bool roles_of(unsigned number, dsm_roles *roles) {
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    const bool is_there = a < chips.system.axis_count;
    roles->of[a] = is_there ? (dsm_role)(number % DSM_ROLE_COUNT) : DSM_ROLE_DATA;
    number /= is_there ? DSM_ROLE_COUNT : 1;
  }
  return number == 0;
}

/* Forward and update have all roles, backward those of forward or some others. */
START_TEST(test_weights_reach_who_uses_them) {
  build(&sides_of[_i]);
  dsm_layer layer = small_layer();
  layer.error_pair_elements = layer.stored_elements + layer.input_elements;
  const unsigned step = chips.system.axis_count == 3 ? 37 : 1; /* all of three axes take too long */
  dsm_roles roles[DSM_PASS_COUNT];
  unsigned checked = 0;
  for (unsigned f = 0; roles_of(f, &roles[DSM_PASS_FORWARD]); f += step) {
    for (unsigned u = 0; roles_of(u, &roles[DSM_PASS_UPDATE]); u += step) {
      const unsigned others[] = {f, u, (f + 7 * u) % (f + 1)};
      for (size_t b = 0; b < COUNT_OF(others); b++) {
        char cuts[DSM_AXES_MAX];
        (void)roles_of(others[b], &roles[DSM_PASS_BACKWARD]);
        if (find_cuts(roles, cuts)) {
          layer.has_backward = b < 2 || f % 2 == 0;
          check_weights(&layer, roles, cuts);
          check_memory(&layer, roles, cuts);
          checked++;
        }
      }
    }
  }
  ck_assert_uint_gt(checked, 50);
}
END_TEST

static double gathered(const dsm_layer *layer, dsm_pass pass, dsm_parallelism parallelism,
                       bool is_apart) {
  dsm_residency residency = dsm_residency_none(&machine);
  residency.is_error_apart = is_apart;
  const dsm_pass_work work =
      dsm_pass_work_derive(layer, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                           parallelism, SAMPLES, &residency);
  const dsm_exchanges list = dsm__exchanges_derive(&work);
  double bytes = 0;
  for (unsigned i = 0; i < list.count; i++) {
    bytes += list.items[i].transfer == DSM_TRANSFER_ALL_GATHER ||
                     list.items[i].transfer == DSM_TRANSFER_HALO
                 ? sum_of_axes(&list.items[i].traffic)
                 : 0;
  }
  return bytes;
}

/* What update gathers of the error serves backward only with the same roles: else backward gathers
 * as a layer without an update does. */
START_TEST(test_backward_gathers_errors_that_update_does_not) {
  build(&sides_of[_i]);
  dsm_layer layer = small_layer();
  layer.pooled.halo = 2;
  layer.pooled.stride = 1;
  dsm_layer frozen = layer;
  frozen.has_update = false;
  dsm_roles roles;
  for (unsigned n = 0; roles_of(n, &roles); n++) {
    const dsm_parallelism own = dsm_parallelism_of(&roles, chips.system.axis_count);
    ASSERT_CLOSE(gathered(&layer, DSM_PASS_BACKWARD, own, true),
                 gathered(&frozen, DSM_PASS_BACKWARD, own, false));
    ASSERT_CLOSE(gathered(&layer, DSM_PASS_UPDATE, own, true),
                 gathered(&layer, DSM_PASS_UPDATE, own, false));
    ASSERT_CLOSE(gathered(&layer, DSM_PASS_FORWARD, own, true),
                 gathered(&layer, DSM_PASS_FORWARD, own, false));
  }
}
END_TEST

/* By hand, on a ring of 4 chips: 288 weights of a layer of 12 inputs and 24 outputs, 24 rows, 12
 * samples, 2 bytes. */
START_TEST(test_an_update_by_samples_beside_columns) {
  const grid sides = {1, {4}};
  build(&sides);
  const dsm_layer layer = small_layer();
  const dsm_precision precision = friendly_precision();
  const dsm_roles columns = {{DSM_ROLE_GATHER_COLUMN}};
  const dsm_roles samples = {{DSM_ROLE_DATA}};
  const dsm_roles everywhere = {{DSM_ROLE_WHOLE}};
  const dsm_roles roles[] = {columns, columns, samples};
  const dsm_pass_layouts layouts = layouts_of(roles);
  const dsm_weight_traffic traffic =
      dsm_weight_traffic_derive(&layer, &machine, precision, &layouts);
  /* Each chip sums a quarter of the gradients, which is the part that its columns use. */
  ASSERT_CLOSE(sum_of_axes(&traffic.sum_of_gradients), 288 * precision.gradient_bytes * 3 / 4);
  ASSERT_CLOSE(sum_of_axes(&traffic.broadcast_weights), 0);
  /* The input lies by rows, the error by features: a chip has 12 * 24 * 12 / 4 and twice as many
   * elements, of which each link carries 3 / 2. */
  const dsm_update_relayouts moves =
      dsm_update_relayouts_derive(&layer, &machine, precision, SAMPLES, &layouts);
  ASSERT_CLOSE(sum_of_axes(&moves.input), 12.0 * 24 * 12 / 4 * 2 * 3 / 2);
  ASSERT_CLOSE(sum_of_axes(&moves.error), 12.0 * 24 * 24 / 4 * 2 * 3 / 2);
  /* Columns update their own weights, of which forward has all on each chip: they are gathered. */
  const dsm_roles others[] = {everywhere, everywhere, columns};
  const dsm_pass_layouts wanted = layouts_of(others);
  const dsm_weight_traffic back = dsm_weight_traffic_derive(&layer, &machine, precision, &wanted);
  ASSERT_CLOSE(sum_of_axes(&back.sum_of_gradients), 0);
  ASSERT_CLOSE(sum_of_axes(&back.broadcast_weights), 288 * precision.element_bytes * 3 / 4);
}
END_TEST

Suite *suite_pass_roles(void) {
  Suite *const suite = suite_create("roles of passes");
  TCase *const counted_case = tcase_create("one by one");
  tcase_set_timeout(counted_case, 60);
  tcase_add_loop_test(counted_case, test_weights_reach_who_uses_them, 0, COUNT_OF(sides_of));
  tcase_add_loop_test(counted_case, test_backward_gathers_errors_that_update_does_not, 0,
                      COUNT_OF(sides_of));
  tcase_add_test(counted_case, test_an_update_by_samples_beside_columns);
  suite_add_tcase(suite, counted_case);
  return suite;
}
