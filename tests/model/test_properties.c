/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of random mappings. */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"
#include "random_numbers.h"

enum { RUN_COUNT = 2000 };

/* One mapping. The work and the machine point into it: it is drawn where it stays. */
typedef struct random_mapping {
  dsm_system system;
  dsm_machine machine;
  dsm_layer layer;
  dsm_mode mode;
  dsm_pass pass;
  dsm_parallelism parallelism;
  uint64_t samples;
  dsm_residency residency;
  dsm_pass_work work;
  dsm_loops split;
} random_mapping;

static uint64_t seed_of(int loop_index) {
  return 7000 + (uint64_t)loop_index;
}

static bool draw_bool(uint64_t *state) {
  return random_below(state, 2) == 1;
}

static dsm_layer draw_layer(uint64_t *state) {
  const uint64_t in = 1 + random_below(state, 70);
  const uint64_t out = 1 + random_below(state, 70);
  const uint64_t ij = 1 + random_below(state, 50);
  const uint64_t timesteps = 1 + random_below(state, 4);
  switch (random_below(state, 5)) {
  case 0:
    return fc_layer(in, out);
  case 1:
    return lstm_layer(in, out, timesteps);
  case 2:
    return matmul_layer(in, out, timesteps);
  case 3: {
    const uint64_t groups = 2 + random_below(state, 6);
    return conv_layer(groups * (1 + in / 10), groups * (1 + out / 10), ij, 9, groups);
  }
  default:
    return conv_layer(in, out, ij, 1 + random_below(state, 9), 1);
  }
}

static void draw_aux(dsm_layer *layer, uint64_t *state) {
  for (int a = 0; a < DSM_AUX_OP_COUNT; a++) {
    layer->has_op[a] = random_below(state, 3) == 0;
  }
  layer->has_op[DSM_AUX_MULTIPLY] = false; /* stands in place of a residual */
  if (layer->is_convolution && draw_bool(state)) {
    layer->pool_window = 4;
    layer->stored_elements = (layer->output_elements + 3) / 4;
  }
  if (layer->is_convolution && draw_bool(state)) {
    layer->input_pool_window = 9;
    layer->input_pool_elements = layer->input_elements;
  }
}

/* Where the layer stands in a graph: forks of its input; behind the network's input or not. */
static void draw_graph(dsm_layer *layer, uint64_t *state) {
  const bool can_be_first = !layer->is_product && layer->gates == 0;
  layer->has_backward = !can_be_first || random_below(state, 4) != 0;
  layer->fork_elements = draw_bool(state) ? random_below(state, layer->input_elements + 1) : 0;
  layer->is_shortcut_own_input = layer->has_op[DSM_AUX_RESIDUAL] && draw_bool(state);
}

static void draw_model(dsm_assumptions *model, uint64_t *state) {
  static const double partial_sum_bytes[] = {0, 4, 1.5};
  model->partial_sum_bytes = partial_sum_bytes[random_below(state, COUNT_OF(partial_sum_bytes))];
  model->exact_rotation = draw_bool(state);
  model->exact_forks = draw_bool(state);
  model->lstm_gate_errors = draw_bool(state);
  model->statistics_sums = draw_bool(state);
  model->layout_move = draw_bool(state) ? DSM_LAYOUT_MOVE_ALWAYS : DSM_LAYOUT_MOVE_NONE;
  model->charge_held_masks = draw_bool(state);
}

/* Deals the prime factors of the core count to the loops. */
static dsm_loops draw_split(uint64_t cores, uint64_t *state) {
  dsm_loops split = loops(1, 1, 1, 1, 1);
  for (uint64_t factor = 2; cores > 1; factor++) {
    for (; cores % factor == 0; cores /= factor) {
      split.n[random_below(state, DSM_DIM_COUNT)] *= factor;
    }
  }
  return split;
}

/* Nothing, all, or some of the kernel on chip; a scratchpad of which at least a sixteenth is left.
 */
static dsm_residency draw_residency(const dsm_machine *m, uint64_t *state) {
  static const double fractions[] = {0, 1, 0.3, 0.999};
  return (dsm_residency){
      .is_input_held = draw_bool(state),
      .is_output_held = draw_bool(state),
      .is_shortcut_held = draw_bool(state),
      .is_accumulating = draw_bool(state),
      .resident_fraction = fractions[random_below(state, COUNT_OF(fractions))],
      .deferred_bytes = draw_bool(state) ? (double)random_below(state, 100000) / 7 : 0,
      .scratchpad_bytes = m->scratchpad_bytes * (double)(1 + random_below(state, 16)) / 16,
      .is_moving_free = random_below(state, 4) == 0,
  };
}

static dsm_pass_work work_with(const random_mapping *mapping, dsm_residency residency) {
  const dsm_workload of = {.element_bytes = 2, .gradient_bytes = 4, .partial_sum_bytes = 6};
  return dsm_pass_work_derive(&mapping->layer, &mapping->machine,
                              dsm_precision_of(&of, &mapping->system), mapping->mode, mapping->pass,
                              mapping->parallelism, mapping->samples, &residency);
}

static dsm_invocation_cost cost_with(const random_mapping *mapping, dsm_residency residency) {
  const dsm_pass_work work = work_with(mapping, residency);
  return dsm_invocation_score(&work, &mapping->split);
}

static void draw(random_mapping *mapping, uint64_t *state) {
  dsm_system *const system = &mapping->system;
  *system = friendly_system(1 + random_below(state, 5), 1 + random_below(state, 5));
  system->chip.cores = 1 + random_below(state, 24);
  system->array.startup_cycles = draw_bool(state) ? 0 : 50;
  system->array.efficiency_ratio = random_below(state, 4) == 0 ? 0.75 : 1;
  system->array.block_cycles = random_below(state, 4) == 0 ? 14 : 0;
  system->array.unroll_kernel_on_rows = draw_bool(state);
  system->array.weights_from_scratchpad = draw_bool(state);
  draw_model(&system->model, state);
  system->core.scratchpad_MiB = (double)(1 + random_below(state, 64)) / 65536;
  system->system.axes[0].bandwidth_GBps = (double)(1 + random_below(state, 64));
  system->system.axes[1].bandwidth_GBps = (double)(1 + random_below(state, 64));
  system->chip.memory.bandwidth_GBps = (double)(1 + random_below(state, 256));
  system->chip.core_link_bandwidth_GBps = (double)(1 + random_below(state, 256));
  mapping->machine = dsm_machine_derive(system);
  mapping->layer = draw_layer(state);
  draw_aux(&mapping->layer, state);
  draw_graph(&mapping->layer, state);
  mapping->mode = draw_bool(state) ? DSM_MODE_TRAINING : DSM_MODE_INFERENCE;
  mapping->pass = (dsm_pass)random_below(state, DSM_PASS_COUNT);
  if (!dsm_pass_exists(&mapping->layer, mapping->mode, mapping->pass)) {
    mapping->pass = DSM_PASS_FORWARD;
  }
  mapping->parallelism = (dsm_parallelism)random_below(state, DSM_PARALLELISM_COUNT_OF(2));
  if ((dsm_layer_parallelisms(&mapping->layer) & DSM_PARALLELISM_BIT(mapping->parallelism)) == 0) {
    mapping->parallelism = DSM_PARALLELISM_DATA;
  }
  mapping->samples = 1 + random_below(state, 40);
  mapping->residency = draw_residency(&mapping->machine, state);
  mapping->work = work_with(mapping, mapping->residency);
  mapping->split = draw_split(system->chip.cores, state);
}

#define ASSERT_IN_RUN(condition, run)                                                              \
  ck_assert_msg((condition), "%s: seed %llu, run %d", #condition, (unsigned long long)seed_of(_i), \
                (run))

static bool is_close(double actual, double expected) {
  return fabs(actual - expected) <= 1e-12 * (1 + fabs(expected));
}

START_TEST(test_total_is_the_sum_of_its_parts) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const dsm_invocation_cost cost = dsm_invocation_score(&mapping.work, &mapping.split);
    const double others = cost.auxiliary + cost.partial_sum + cost.layout_move + cost.rotation;
    ASSERT_IN_RUN(is_close(cost.total, cost.primary + cost.overlapped_visible + others), run);
    ASSERT_IN_RUN(is_close(cost.total, fmax(cost.primary, cost.overlapped) + others), run);
    ASSERT_IN_RUN(cost.primary > 0 && cost.overlapped >= 0 && cost.auxiliary >= 0, run);
    ASSERT_IN_RUN(cost.partial_sum >= 0 && cost.layout_move >= 0 && cost.rotation >= 0, run);
    ASSERT_IN_RUN(isfinite(cost.total), run);
  }
}
END_TEST

/* The parts by hand from the equations that the other suites test. */
START_TEST(test_parts_are_the_equations_values) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const dsm_pass_work *const work = &mapping.work;
    const dsm_machine *const m = &mapping.machine;
    const dsm_invocation_cost cost = dsm_invocation_score(work, &mapping.split);
    const dsm__core_work core = dsm__core_work_derive(&work->share, &mapping.split);
    const dsm__core_bytes bytes =
        dsm__core_bytes_derive(&mapping.layer, mapping.layer.groups, &work->bytes, &mapping.split);
    const double blocks = dsm__array_blocks(m, work->pass, &core);
    const double block_cycles =
        dsm__block_cycles(m, work->precision.array_rate, work->tensor_bytes.kernel,
                          (double)core.ij * (double)core.mb, 1);
    ASSERT_IN_RUN(is_close(cost.primary,
                           dsm__primary_cycles(m, work->share.model_ways, blocks, block_cycles)),
                  run);
    ASSERT_IN_RUN(is_close(cost.footprint_bytes, bytes.input + bytes.output + bytes.kernel), run);
    const double sums = dsm__partial_sum_bytes(work, &mapping.split, &bytes) +
                        dsm__statistics_bytes(work, &mapping.split);
    const double moved = dsm__layout_move_bytes(m, dsm__misfit_bytes(work, &mapping.split));
    const double ring = m->link_bytes_per_cycle[DSM_LINK_RING];
    ASSERT_IN_RUN(is_close(cost.partial_sum, sums / ring), run);
    ASSERT_IN_RUN(is_close(cost.layout_move, moved / ring), run);
  }
}
END_TEST

/* Adds up each group's named transfers. */
static void add_up(const dsm_transfer_list *list, dsm_traffic groups[DSM_GROUP_COUNT]) {
  for (unsigned i = 0; i < list->count; i++) {
    for (int l = 0; l < DSM_LINK_COUNT; l++) {
      groups[list->items[i].group].bytes[l] += list->items[i].traffic.bytes[l];
    }
  }
}

/* Looks at their slowest link. */
static void assert_transfers_explain(const random_mapping *mapping, dsm_residency residency,
                                     int loop_index, int run) {
  const int _i = loop_index;
  const dsm_pass_work work = work_with(mapping, residency);
  const dsm_invocation_cost cost = dsm_invocation_score(&work, &mapping->split);
  const dsm_transfer_list list = dsm_invocation_transfers(&work, &mapping->split);
  dsm_traffic groups[DSM_GROUP_COUNT] = {{.bytes = {0}}};
  double group_cycles[DSM_GROUP_COUNT] = {0};
  add_up(&list, groups);
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    const dsm_link slowest = dsm_group_slowest_link(&mapping->machine, &groups[g]);
    group_cycles[g] = groups[g].bytes[slowest] / mapping->machine.link_bytes_per_cycle[slowest];
    ASSERT_IN_RUN(g <= DSM_GROUP_ROTATION || group_cycles[g] <= 0, run);
  }
  ASSERT_IN_RUN(is_close(group_cycles[DSM_GROUP_STREAM], cost.overlapped), run);
  ASSERT_IN_RUN(is_close(group_cycles[DSM_GROUP_PARTIAL_SUM], cost.partial_sum), run);
  ASSERT_IN_RUN(is_close(group_cycles[DSM_GROUP_LAYOUT_MOVE], cost.layout_move), run);
  ASSERT_IN_RUN(is_close(group_cycles[DSM_GROUP_ROTATION], cost.rotation), run);
}

START_TEST(test_transfers_of_a_group_explain_its_cycles) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    assert_transfers_explain(&mapping, mapping.residency, _i, run);
  }
}
END_TEST

/* Every combination of what can be held or accumulate, with no, some and all of the kernel on chip,
 * and with and without something deferred. */
START_TEST(test_transfers_explain_cycles_with_every_residency) {
  static const double fractions[] = {0, 0.6, 1};
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT / 20; run++) {
    draw(&mapping, &state);
    for (int flags = 0; flags < 32; flags++) {
      for (int f = 0; f < COUNT_OF(fractions); f++) {
        const dsm_residency residency = {
            .is_input_held = (flags & 1) != 0,
            .is_output_held = (flags & 2) != 0,
            .is_shortcut_held = (flags & 4) != 0,
            .is_accumulating = (flags & 8) != 0,
            .deferred_bytes = (flags & 16) != 0 ? 555 : 0,
            .resident_fraction = fractions[f],
            .scratchpad_bytes = mapping.residency.scratchpad_bytes,
        };
        assert_transfers_explain(&mapping, residency, _i, run);
      }
    }
  }
}
END_TEST

START_TEST(test_transfers_are_in_order_and_not_empty) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const dsm_transfer_list list = dsm_invocation_transfers(&mapping.work, &mapping.split);
    ASSERT_IN_RUN(list.count <= DSM_TRANSFERS_MAX, run);
    for (unsigned i = 0; i < list.count; i++) {
      double bytes = 0;
      for (int l = 0; l < DSM_LINK_COUNT; l++) {
        bytes += list.items[i].traffic.bytes[l];
      }
      ASSERT_IN_RUN(bytes > 0, run);
      const dsm_transfer_volume *const before = i == 0 ? NULL : &list.items[i - 1];
      const dsm_transfer transfer = list.items[i].transfer;
      ASSERT_IN_RUN(before == NULL || before->transfer < transfer ||
                        (before->transfer == transfer && before->axis < list.items[i].axis),
                    run);
    }
  }
}
END_TEST

START_TEST(test_more_bandwidth_never_increases_a_cost) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const dsm_invocation_cost before = dsm_invocation_score(&mapping.work, &mapping.split);
    mapping.machine.link_bytes_per_cycle[run % DSM_LINK_COUNT] *=
        1 + (double)random_below(&state, 1000) / 500;
    const dsm_invocation_cost after = dsm_invocation_score(&mapping.work, &mapping.split);
    ASSERT_IN_RUN(after.overlapped <= before.overlapped, run);
    ASSERT_IN_RUN(after.overlapped_visible <= before.overlapped_visible, run);
    ASSERT_IN_RUN(after.partial_sum <= before.partial_sum, run);
    ASSERT_IN_RUN(after.layout_move <= before.layout_move, run);
    ASSERT_IN_RUN(after.rotation <= before.rotation, run);
    ASSERT_IN_RUN(after.primary <= before.primary && after.auxiliary <= before.auxiliary, run);
    ASSERT_IN_RUN(after.total <= before.total, run);
  }
}
END_TEST

/* An array computes at most Pr * Pc multiply-accumulates a cycle. */
START_TEST(test_primary_is_at_least_the_ideal_share) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const double ideal =
        (double)mapping.layer.macs * (double)mapping.samples / mapping.machine.peak_macs_per_cycle;
    const double primary = dsm_invocation_score(&mapping.work, &mapping.split).primary;
    ASSERT_IN_RUN(primary >= ideal * (1 - 1e-12), run);
  }
}
END_TEST

/* --- residency */

/* Seven ways to have more on chip, or less to do; the capacity left stays. */
static dsm_residency with_more_on_chip(dsm_residency residency, int way) {
  switch (way) {
  case 0:
    residency.is_input_held = true;
    break;
  case 1:
    residency.is_output_held = true;
    break;
  case 2:
    residency.is_shortcut_held = true;
    break;
  case 3:
    residency.is_accumulating = false;
    break;
  case 4:
    residency.resident_fraction = (1 + residency.resident_fraction) / 2;
    break;
  case 5:
    residency.resident_fraction = 1;
    break;
  default:
    residency.deferred_bytes /= 2;
    break;
  }
  return residency;
}

enum { WAY_COUNT = 7 };

/* But for the last bit: the sum of a cheaper loop order has another order itself. */
static bool is_at_most(double a, double b) {
  return a <= b * (1 + 1e-12);
}

/* But for what then moves among the cores. */
START_TEST(test_more_on_chip_never_makes_an_invocation_slower) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const dsm_invocation_cost before = dsm_invocation_score(&mapping.work, &mapping.split);
    for (int way = 0; way < WAY_COUNT; way++) {
      const dsm_invocation_cost after =
          cost_with(&mapping, with_more_on_chip(mapping.residency, way));
      ASSERT_IN_RUN(is_at_most(after.overlapped, before.overlapped), run);
      ASSERT_IN_RUN(is_at_most(after.overlapped_visible, before.overlapped_visible), run);
      ASSERT_IN_RUN(is_at_most(after.total - after.layout_move, before.total), run);
    }
  }
}
END_TEST

/* The bound of the search: all held, moving for nothing, and the whole scratchpad. */
START_TEST(test_no_residency_is_faster_than_all_held_and_moving_for_nothing) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    dsm_residency all = mapping.residency;
    all.is_input_held = all.is_output_held = all.is_shortcut_held = all.is_moving_free = true;
    all.deferred_bytes = 0;
    all.scratchpad_bytes = mapping.machine.scratchpad_bytes;
    const double drawn = dsm_invocation_score(&mapping.work, &mapping.split).total;
    ASSERT_IN_RUN(is_at_most(cost_with(&mapping, all).total, drawn), run);
  }
}
END_TEST

START_TEST(test_less_scratchpad_never_makes_an_invocation_faster) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    dsm_residency residency = mapping.residency;
    dsm_invocation_cost before = dsm_invocation_score(&mapping.work, &mapping.split);
    for (int step = 0; step < 5; step++) {
      residency.scratchpad_bytes *= (double)(1 + random_below(&state, 100)) / 100;
      const dsm_invocation_cost after = cost_with(&mapping, residency);
      ASSERT_IN_RUN(is_at_most(before.overlapped, after.overlapped), run);
      ASSERT_IN_RUN(is_at_most(before.total, after.total), run);
      before = after;
    }
  }
}
END_TEST

/* Forward, with the kernel on chip in part: slower below the fraction needed, and no faster above.
 */
START_TEST(test_needed_fraction_is_the_least_that_is_as_fast_as_all) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    mapping.pass = DSM_PASS_FORWARD;
    const dsm_pass_work work = work_with(&mapping, mapping.residency);
    const double needed = dsm_resident_fraction_needed(&work, &mapping.split);
    ASSERT_IN_RUN(needed >= 0 && needed <= 1, run);
    dsm_residency residency = mapping.residency;
    residency.resident_fraction = 1;
    const double all = cost_with(&mapping, residency).total;
    residency.resident_fraction = needed;
    ASSERT_IN_RUN(is_close(cost_with(&mapping, residency).total, all), run);
    residency.resident_fraction = needed - 1e-3;
    ASSERT_IN_RUN(needed <= 1e-3 || cost_with(&mapping, residency).total > all, run);
    residency.resident_fraction = (needed + 1) / 2;
    ASSERT_IN_RUN(cost_with(&mapping, residency).total >= all * (1 - 1e-12), run);
  }
}
END_TEST

/* Computation, additions of errors, partial sums, rotation of errors and the footprint (s_in,
 * s_out, kcore) are those of the whole layer, wherever its tensors are. */
START_TEST(test_residency_changes_nothing_but_what_overlaps_and_what_is_held) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const dsm_residency none = dsm_residency_none(&mapping.machine);
    const dsm_invocation_cost with = dsm_invocation_score(&mapping.work, &mapping.split);
    const dsm_invocation_cost without = cost_with(&mapping, none);
    ASSERT_IN_RUN(is_close(with.primary, without.primary), run);
    ASSERT_IN_RUN(is_close(with.auxiliary, without.auxiliary), run);
    ASSERT_IN_RUN(is_close(with.partial_sum, without.partial_sum), run);
    ASSERT_IN_RUN(is_close(with.rotation, without.rotation), run);
    ASSERT_IN_RUN(is_close(with.footprint_bytes, without.footprint_bytes), run);
    ASSERT_IN_RUN(without.layout_move <= 0, run);
  }
}
END_TEST

/* What must cross the memory bus with all on chip: in update the input, whose copy on chip is gone;
 * an LSTM's gates and cell, which are never held; what the layer before left to write; masks and
 * saved statistics, where they are charged. */
static double least_bytes(const random_mapping *mapping, double deferred_bytes) {
  const dsm_layer *const layer = &mapping->layer;
  const double elements_of_chip =
      (double)mapping->work.share.chip.n[DSM_DIM_MB] / (double)mapping->work.share.model_ways;
  const double bytes_per_element = elements_of_chip * 2;
  const bool is_charged = mapping->system.model.charge_held_masks;
  if (mapping->pass == DSM_PASS_UPDATE) {
    const bool has_norm = layer->has_op[DSM_AUX_BATCH_NORM] || layer->has_op[DSM_AUX_LAYER_NORM] ||
                          layer->has_op[DSM_AUX_RMS_NORM];
    const double statistics =
        has_norm && is_charged ? (double)layer->output_elements * elements_of_chip * 0.25 : 0;
    return (double)layer->input_elements * bytes_per_element + statistics;
  }
  const bool is_training = mapping->mode == DSM_MODE_TRAINING;
  const bool is_saved = is_training && layer->gates > 0;
  const bool is_deferred = is_training && mapping->pass == DSM_PASS_FORWARD;
  const bool is_masked = mapping->pass == DSM_PASS_BACKWARD && is_charged;
  return (is_saved ? 5 * (double)layer->stored_elements * bytes_per_element : 0) +
         (is_deferred ? deferred_bytes : 0) +
         (is_masked ? (double)layer->input_elements * elements_of_chip * 0.125 : 0);
}

START_TEST(test_with_all_on_chip_only_what_must_move_moves) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const dsm_residency all = {
        .is_input_held = true,
        .is_output_held = true,
        .is_shortcut_held = true,
        .is_accumulating = mapping.residency.is_accumulating,
        .resident_fraction = 1,
        .deferred_bytes = mapping.residency.deferred_bytes,
        .scratchpad_bytes = mapping.residency.scratchpad_bytes,
    };
    const dsm_pass_work work = work_with(&mapping, all);
    const dsm_transfer_list list = dsm_invocation_transfers(&work, &mapping.split);
    double moved = 0;
    for (unsigned i = 0; i < list.count; i++) {
      const bool is_rotation = list.items[i].transfer == DSM_TRANSFER_ROTATE;
      moved += is_rotation ? 0 : list.items[i].traffic.bytes[DSM_LINK_MEMORY];
    }
    ASSERT_IN_RUN(is_close(moved, least_bytes(&mapping, all.deferred_bytes)), run);
  }
}
END_TEST

/* What is held longer leaves less scratchpad: the one never grows with the other, nor is less than
 * a sixteenth left, nor more than there is. */
START_TEST(test_holding_never_leaves_more_scratchpad) {
  uint64_t state = seed_of(_i);
  random_mapping mapping;
  for (int run = 0; run < RUN_COUNT; run++) {
    draw(&mapping, &state);
    const double scratchpad = mapping.machine.scratchpad_bytes;
    const double preloaded = scratchpad * (double)random_below(&state, 100) / 100;
    double held = 0;
    double before = dsm_scratchpad_left_bytes(&mapping.machine, preloaded, held);
    ASSERT_IN_RUN(before <= scratchpad, run);
    for (int step = 0; step < 5; step++) {
      held += (double)random_below(&state, 10000);
      const double after = dsm_scratchpad_left_bytes(&mapping.machine, preloaded, held);
      ASSERT_IN_RUN(after <= before && after >= scratchpad / 16, run);
      before = after;
    }
  }
}
END_TEST

Suite *suite_properties(void) {
  enum { SEED_COUNT = 3 };
  Suite *const suite = suite_create("properties");
  TCase *const properties = tcase_create("invocations");
  tcase_add_loop_test(properties, test_total_is_the_sum_of_its_parts, 0, SEED_COUNT);
  tcase_add_loop_test(properties, test_parts_are_the_equations_values, 0, SEED_COUNT);
  tcase_add_loop_test(properties, test_transfers_of_a_group_explain_its_cycles, 0, SEED_COUNT);
  tcase_add_loop_test(properties, test_transfers_explain_cycles_with_every_residency, 0,
                      SEED_COUNT);
  tcase_add_loop_test(properties, test_transfers_are_in_order_and_not_empty, 0, SEED_COUNT);
  tcase_add_loop_test(properties, test_more_bandwidth_never_increases_a_cost, 0, SEED_COUNT);
  tcase_add_loop_test(properties, test_primary_is_at_least_the_ideal_share, 0, SEED_COUNT);
  suite_add_tcase(suite, properties);
  TCase *const residency = tcase_create("residency");
  tcase_add_loop_test(residency, test_more_on_chip_never_makes_an_invocation_slower, 0, SEED_COUNT);
  tcase_add_loop_test(residency, test_no_residency_is_faster_than_all_held_and_moving_for_nothing,
                      0, SEED_COUNT);
  tcase_add_loop_test(residency, test_less_scratchpad_never_makes_an_invocation_faster, 0,
                      SEED_COUNT);
  tcase_add_loop_test(residency, test_needed_fraction_is_the_least_that_is_as_fast_as_all, 0,
                      SEED_COUNT);
  tcase_add_loop_test(residency, test_residency_changes_nothing_but_what_overlaps_and_what_is_held,
                      0, SEED_COUNT);
  tcase_add_loop_test(residency, test_with_all_on_chip_only_what_must_move_moves, 0, SEED_COUNT);
  tcase_add_loop_test(residency, test_holding_never_leaves_more_scratchpad, 0, SEED_COUNT);
  suite_add_tcase(suite, residency);
  return suite;
}
