/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "bundled.h"
#include "model/equations.h"
#include "plan/tolerance.h"
#include "random_numbers.h"
#include "search/layer_search.h"
#include "suites.h"

typedef struct setting {
  dsm__arena *arena;
  dsm_workload *workload;
  dsm_system *system;
  dsm_machine machine;
  dsm_residency nothing; /* is on chip */
  dsm__core_splits splits;
} setting;

static setting set_up(const char *workload, const char *system) {
  setting s = {.arena = dsm__arena_new(),
               .workload = bundled_workload(workload, "256"),
               .system = bundled_system(system)};
  s.machine = dsm_machine_derive(s.system);
  s.nothing = dsm_residency_none(&s.machine);
  ck_assert(dsm__core_splits_enumerate(&s.splits, s.system->chip.cores, s.arena));
  return s;
}

static void tear_down(setting *s) {
  dsm_workload_free(s->workload);
  dsm_system_free(s->system);
  dsm__arena_free(s->arena);
}

static dsm__layer_setting training_setting(const setting *s, size_t index) {
  return (dsm__layer_setting){.layer = &s->workload->layers[index],
                              .machine = &s->machine,
                              .precision = dsm_precision_of(s->workload, s->system),
                              .mode = DSM_MODE_TRAINING,
                              .minibatch = s->workload->minibatch,
                              .dysm_factor = 1};
}

START_TEST(test_no_valid_split_is_faster_than_the_best) {
  setting s = set_up("resnet50", "torus64");
  for (size_t i = 0; i < s.workload->layer_count; i++) {
    const dsm_pass_work work = dsm_pass_work_derive(
        &s.workload->layers[i], &s.machine, dsm_precision_of(s.workload, s.system),
        DSM_MODE_TRAINING, DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, s.workload->minibatch,
        &s.nothing);
    const dsm__best_split best = dsm__best_split_find(&work, &s.splits, false);
    ck_assert(dsm_split_is_valid(&work.share, &best.split));
    for (size_t k = 0; k < s.splits.count; k++) {
      if (dsm_split_is_valid(&work.share, &s.splits.items[k])) {
        const dsm_invocation_cost cost = dsm_invocation_score(&work, &s.splits.items[k]);
        ck_assert_double_ge(cost.total * (1 + 1e-10), best.cost.total);
      }
    }
  }
  tear_down(&s);
}
END_TEST

/* raider's last fc has 16 x 4 features of size 1 x 1; 256 samples over 64 chips are 4 a chip: with
 * data parallelism k_in <= 16, k_out <= 4, k_mb <= 4, so 32 cores are used by, say, in 8, mb 4.
 * Under model parallelism a chip has one feature of each and 256 samples: only mb 32 is valid. */
START_TEST(test_only_valid_split_is_taken) {
  setting s = set_up("raider", "torus64");
  const dsm_layer *const layer = &s.workload->layers[3];
  const dsm_pass_work work = dsm_pass_work_derive(
      layer, &s.machine, dsm_precision_of(s.workload, s.system), DSM_MODE_TRAINING,
      DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL, s.workload->minibatch, &s.nothing);
  const dsm__best_split best = dsm__best_split_find(&work, &s.splits, false);
  ck_assert_uint_eq(best.split.n[DSM_DIM_MB], 32);
  tear_down(&s);
}
END_TEST

/* A layer of 1 feature, 1 sample a chip on 32 cores has no valid split: all are candidates, equal
 * in time where partial sums do not matter, and the written order decides. In forward, splits of in
 * and kij send partial sums; the others leave primary alike and differ in footprint: s_in + s_out +
 * kcore = inp/(k_in k_ij k_mb) + raw/(k_out k_ij k_mb) + ker/(k_in k_kij k_out), least where ij and
 * mb together are 32, of which ij 1, mb 32 is lexicographically first. */
START_TEST(test_idle_cores_are_left_where_no_split_is_valid) {
  static const char text[] = "{\"format\":\"dsm-workload/1\",\"name\":\"dot\",\"minibatch\":1,"
                             "\"layers\":[{\"name\":\"a\",\"type\":\"fc\",\"in\":1,\"out\":1}]}";
  setting s = set_up("raider", "torus64");
  dsm_workload *dot = NULL;
  ck_assert_int_eq(dsm_workload_parse(&dot, text, sizeof text - 1, "dot", NULL, 0, NULL), DSM_OK);
  const dsm_pass_work work = dsm_pass_work_derive(
      &dot->layers[0], &s.machine, dsm_precision_of(dot, s.system), DSM_MODE_INFERENCE,
      DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, 1, &s.nothing);
  const dsm__best_split best = dsm__best_split_find(&work, &s.splits, false);
  ck_assert_uint_eq(best.split.n[DSM_DIM_IN], 1);
  ck_assert_uint_eq(best.split.n[DSM_DIM_KIJ], 1);
  for (size_t k = 0; k < s.splits.count; k++) {
    const dsm_loops *const other = &s.splits.items[k];
    const dsm_invocation_cost cost = dsm_invocation_score(&work, other);
    ck_assert_double_ge(cost.total, best.cost.total);
    if (cost.total <= best.cost.total && cost.primary <= best.cost.primary) {
      ck_assert_double_ge(cost.footprint_bytes, best.cost.footprint_bytes);
    }
  }
  dsm_workload_free(dot);
  tear_down(&s);
}
END_TEST

/* A matmul of gnmt keeps its operand over timesteps, and is faster so; without resident_operands
 * all its invocations are the first one. Weights stay in either case. */
START_TEST(test_operands_are_kept_only_where_they_are_as_weights) {
  setting s = set_up("gnmt", "torus64");
  const size_t score = dsm_workload_find_layer(s.workload, "att_score");
  const size_t lstm = dsm_workload_find_layer(s.workload, "enc2");
  for (int is_resident = 0; is_resident <= 1; is_resident++) {
    s.system->model.resident_operands = is_resident == 1;
    for (int pass = DSM_PASS_FORWARD; pass <= DSM_PASS_BACKWARD; pass++) {
      dsm__layer_setting matmul = training_setting(&s, score);
      const dsm__best_pass best =
          dsm__best_pass_find(&matmul, (dsm_pass)pass, DSM_PARALLELISM_DATA, true, &s.splits);
      const double count = (double)dsm_invocation_count(matmul.layer, (dsm_pass)pass);
      ck_assert_int_eq(best.is_kernel_kept, is_resident == 1);
      if (is_resident == 1) {
        ck_assert_double_lt(best.cycles, count * best.first_cycles);
      } else {
        ck_assert_double_eq(best.cycles, count * best.first_cycles);
      }
      matmul.layer = &s.workload->layers[lstm];
      ck_assert(dsm__best_pass_find(&matmul, (dsm_pass)pass, DSM_PARALLELISM_MODEL_X_DATA_Y, true,
                                    &s.splits)
                    .is_kernel_kept);
    }
  }
  tear_down(&s);
}
END_TEST

/* The rule of the header, over costs in full: nothing is left out, nothing compared as it comes. */
static size_t best_by_rule(const dsm_pass_work *work, const dsm__core_splits *splits,
                           dsm_invocation_cost *costs, bool *is_left) {
  bool is_any_valid = false;
  for (size_t i = 0; i < splits->count; i++) {
    costs[i] = dsm_invocation_score(work, &splits->items[i]);
    is_left[i] = dsm_split_is_valid(&work->share, &splits->items[i]);
    is_any_valid = is_any_valid || is_left[i];
  }
  for (size_t i = 0; i < splits->count; i++) {
    is_left[i] = is_left[i] || !is_any_valid;
  }
  for (int rule = 0; rule < 3; rule++) {
    double least = HUGE_VAL;
    for (int is_dropping = 0; is_dropping <= 1; is_dropping++) {
      for (size_t i = 0; i < splits->count; i++) {
        const double by_rule[] = {costs[i].total, costs[i].primary, costs[i].footprint_bytes};
        least = is_left[i] && is_dropping == 0 ? fmin(least, by_rule[rule]) : least;
        is_left[i] = is_left[i] && (is_dropping == 0 || by_rule[rule] <= dsm__tie_limit(least));
      }
    }
  }
  size_t first = 0;
  while (!is_left[first]) {
    first++;
  }
  return first;
}

static dsm_workload *drawn_layer(uint64_t *state) {
  char text[512];
  const unsigned side = 1 + (unsigned)random_below(state, 14);
  const unsigned groups = random_below(state, 4) == 0 ? 2 : 1;
  const unsigned kernel = 1 + (unsigned)random_below(state, side < 3 ? side : 3);
  (void)snprintf(
      text, sizeof text,
      "{\"format\":\"dsm-workload/1\",\"name\":\"drawn\",\"minibatch\":%u,\"layers\":["
      "{\"name\":\"a\",\"type\":\"conv\",\"in\":%u,\"out\":%u,\"groups\":%u,"
      "\"feature\":[%u,%u],\"kernel\":[%u,%u]}]}",
      1 + (unsigned)random_below(state, 64), groups * (1 + (unsigned)random_below(state, 60)),
      groups * (1 + (unsigned)random_below(state, 60)), groups, side, side, kernel, kernel);
  dsm_workload *drawn = NULL;
  ck_assert_int_eq(dsm_workload_parse(&drawn, text, strlen(text), "drawn", NULL, 0, NULL), DSM_OK);
  return drawn;
}

/* What is not scored in full because it cannot be the best is never the best: over random layers,
 * passes and numbers of cores, fast and slow memories. Small layers have many equal splits. */
START_TEST(test_what_is_cut_short_is_never_the_best) {
  static const uint64_t cores[] = {1, 6, 16, 30, 48, 60, 72};
  uint64_t state = (uint64_t)_i + 1;
  size_t ties = 0;
  for (int draw = 0; draw < 200; draw++) {
    setting s = set_up("raider", _i % 2 == 0 ? "torus64" : "chip1");
    dsm_workload *const drawn = drawn_layer(&state);
    s.machine.link_bytes_per_cycle[DSM_LINK_MEMORY] *= random_below(&state, 3) == 0 ? 1 : 64;
    s.system->chip.cores = cores[random_below(&state, sizeof cores / sizeof cores[0])];
    ck_assert(dsm__core_splits_enumerate(&s.splits, s.system->chip.cores, s.arena));
    dsm_invocation_cost *const costs = calloc(s.splits.count, sizeof *costs);
    bool *const is_left = calloc(s.splits.count, sizeof *is_left);
    ck_assert(costs != NULL && is_left != NULL);
    const dsm_pass_work work =
        dsm_pass_work_derive(&drawn->layers[0], &s.machine, dsm_precision_of(drawn, s.system),
                             DSM_MODE_TRAINING, (dsm_pass)random_below(&state, DSM_PASS_COUNT),
                             DSM_PARALLELISM_DATA, drawn->minibatch, &s.nothing);
    const size_t expected = best_by_rule(&work, &s.splits, costs, is_left);
    const dsm__best_split best = dsm__best_split_find(&work, &s.splits, false);
    ck_assert(best.is_found);
    ck_assert_mem_eq(&best.split, &s.splits.items[expected], sizeof best.split);
    for (size_t i = 0; i < s.splits.count; i++) {
      ties += i != expected && costs[i].total <= costs[expected].total &&
              costs[i].primary <= costs[expected].primary;
    }
    free(costs);
    free(is_left);
    dsm_workload_free(drawn);
    tear_down(&s);
  }
  ck_assert_uint_gt(ties, 0);
}
END_TEST

/* How a layer may be run: some of it held, some room, some weights on chip. */
static dsm_residency drawn_residency(uint64_t *state, const dsm_machine *machine) {
  const double least = machine->scratchpad_bytes / 16;
  return (dsm_residency){
      .is_input_held = random_below(state, 2) == 0,
      .is_output_held = random_below(state, 2) == 0,
      .is_moving_free = random_below(state, 2) == 0,
      .resident_fraction = (double)random_below(state, 5) / 4,
      .scratchpad_bytes = least * (double)(1 + random_below(state, 16)),
  };
}

/* The least total of all candidates, one after the other. */
static double least_of_all(const dsm_pass_work *work, const dsm__core_splits *splits) {
  double least_valid = HUGE_VAL;
  double least = HUGE_VAL;
  for (size_t i = 0; i < splits->count; i++) {
    const double total = dsm_invocation_score(work, &splits->items[i]).total;
    const bool is_valid = dsm_split_is_valid(&work->share, &splits->items[i]);
    least_valid = is_valid ? fmin(least_valid, total) : least_valid;
    least = fmin(least, total);
  }
  return isfinite(least_valid) ? least_valid : least;
}

/* One front has the fastest split of a pass however it is run; layers of bundled networks, with
 * matmuls and statistics among them, and drawn ones, on scratchpads of all sizes. */
START_TEST(test_front_has_the_fastest) {
  static const uint64_t cores[] = {1, 12, 30, 64, 72, 84};
  static const char *const names[] = {"raider", "gnmt", "resnet50", "mobilenet_v2"};
  uint64_t state = (uint64_t)_i + 1;
  dsm__split_front front = {.count = 0};
  for (int draw = 0; draw < 40; draw++) {
    setting s = set_up(names[random_below(&state, 4)], _i % 2 == 0 ? "torus64_refined" : "chip1");
    dsm_workload *const drawn = drawn_layer(&state);
    const dsm_layer *const layer =
        random_below(&state, 2) == 0
            ? &drawn->layers[0]
            : &s.workload->layers[random_below(&state, s.workload->layer_count)];
    s.machine.scratchpad_bytes /= (double)((uint64_t)1 << random_below(&state, 12));
    s.machine.link_bytes_per_cycle[DSM_LINK_MEMORY] *= random_below(&state, 3) == 0 ? 1 : 64;
    s.system->chip.cores = cores[random_below(&state, sizeof cores / sizeof cores[0])];
    ck_assert(dsm__core_splits_enumerate(&s.splits, s.system->chip.cores, s.arena));
    const dsm_pass pass = (dsm_pass)random_below(&state, DSM_PASS_COUNT);
    for (int way = 0; way < 8; way++) {
      const dsm_residency residency = drawn_residency(&state, &s.machine);
      const dsm_pass_work work = dsm_pass_work_derive(
          layer, &s.machine, dsm_precision_of(s.workload, s.system), DSM_MODE_TRAINING, pass,
          DSM_PARALLELISM_DATA, s.workload->minibatch, &residency);
      if (way == 0) {
        dsm__split_front_find(&front, &work, &s.splits);
      }
      double least = HUGE_VAL;
      for (size_t i = 0; i < front.count; i++) {
        least = fmin(least, dsm_invocation_score(&work, &front.items[i].split).total);
      }
      const double of_all = least_of_all(&work, &s.splits);
      ck_assert_double_eq_tol(least, of_all, 1e-14 * of_all);
      const dsm__least_total found = dsm__least_total_find(&work, &s.splits, false);
      ck_assert_double_eq_tol(found.cycles, of_all, 1e-14 * of_all);
    }
    dsm_workload_free(drawn);
    tear_down(&s);
  }
  dsm__split_front_fini(&front);
}
END_TEST

/* No split is below the floor of its invocation, nor below that of one which reads and makes only
 * what is held, takes no room for it and moves nothing among the cores: over drawn layers and those
 * of bundled networks, on machines with rows of PEs, tiles, and thread blocks. */
START_TEST(test_floor_is_below_all_splits) {
  static const uint64_t cores[] = {1, 12, 30, 64, 72, 84};
  static const char *const names[] = {"raider", "gnmt", "resnet50", "mobilenet_v2", "bert_base"};
  static const char *const systems[] = {"torus64", "torus64_refined", "chip1", "tpu_v3_1024",
                                        "dgx_a100"};
  uint64_t state = (uint64_t)_i + 1;
  double nearest = 0;
  for (int draw = 0; draw < 40; draw++) {
    setting s = set_up(names[random_below(&state, 5)], systems[_i]);
    dsm_workload *const drawn = drawn_layer(&state);
    const dsm_layer *const layer =
        random_below(&state, 2) == 0
            ? &drawn->layers[0]
            : &s.workload->layers[random_below(&state, s.workload->layer_count)];
    s.machine.link_bytes_per_cycle[DSM_LINK_MEMORY] *= random_below(&state, 3) == 0 ? 1 : 64;
    s.system->chip.cores = cores[random_below(&state, sizeof cores / sizeof cores[0])];
    ck_assert(dsm__core_splits_enumerate(&s.splits, s.system->chip.cores, s.arena));
    const dsm_pass pass = (dsm_pass)random_below(&state, DSM_PASS_COUNT);
    const dsm_parallelism parallelism =
        (dsm_parallelism)random_below(&state, DSM_PARALLELISM_COUNT_OF(2));
    const double whole_bytes = s.machine.scratchpad_bytes;
    for (int way = 0; way < 8; way++) {
      dsm_residency residency = drawn_residency(&state, &s.machine);
      dsm_residency easiest = residency;
      residency.is_shortcut_held = random_below(&state, 2) == 0;
      easiest.is_input_held = true;
      easiest.is_output_held = true;
      easiest.is_shortcut_held = true;
      easiest.is_moving_free = true;
      easiest.scratchpad_bytes = whole_bytes;
      const dsm_precision precision = dsm_precision_of(s.workload, s.system);
      const dsm_pass_work work =
          dsm_pass_work_derive(layer, &s.machine, precision, DSM_MODE_TRAINING, pass, parallelism,
                               s.workload->minibatch, &residency);
      const dsm_pass_work easy =
          dsm_pass_work_derive(layer, &s.machine, precision, DSM_MODE_TRAINING, pass, parallelism,
                               s.workload->minibatch, &easiest);
      const double least = least_of_all(&work, &s.splits);
      const double floor_cost = dsm__least_needs_total(&work);
      ck_assert_double_le(floor_cost, least * (1 + 1e-12));
      ck_assert_double_le(dsm__least_needs_total(&easy), floor_cost * (1 + 1e-12));
      nearest = fmax(nearest, floor_cost / least);
    }
    dsm_workload_free(drawn);
    tear_down(&s);
  }
  ck_assert_double_gt(nearest, 0.99); /* it is a bound worth having */
}
END_TEST

/* Over timesteps too, where weights may stay. */
START_TEST(test_floor_is_below_passes) {
  static const dsm_parallelism parallelisms[] = {DSM_PARALLELISM_DATA, DSM_PARALLELISM_MODEL,
                                                 DSM_PARALLELISM_MODEL_X_DATA_Y};
  setting s = set_up("gnmt", "torus64");
  for (size_t i = 0; i < s.workload->layer_count; i++) {
    const dsm__layer_setting layer = training_setting(&s, i);
    for (int k = 0; k < DSM_PASS_COUNT * 3; k++) {
      const dsm_pass pass = (dsm_pass)(k / 3);
      const dsm_parallelism one = parallelisms[k % 3];
      if (dsm_pass_exists(layer.layer, DSM_MODE_TRAINING, pass)) {
        const double kept = dsm__least_pass_find(&layer, pass, one, true, &s.splits).cycles;
        const double again = dsm__least_pass_find(&layer, pass, one, false, &s.splits).cycles;
        ck_assert_double_le(dsm__pass_floor(&layer, pass, one, true), kept * (1 + 1e-12));
        ck_assert_double_le(dsm__pass_floor(&layer, pass, one, false), again * (1 + 1e-12));
        ck_assert_double_gt(dsm__pass_floor(&layer, pass, one, false), 0.3 * again);
      }
    }
  }
  tear_down(&s);
}
END_TEST

/* Along an axis of one chip it makes no difference what chips share: the search has one of such
 * parallelisms for all. */
START_TEST(test_alike_parallelisms_cost_the_same) {
  static const uint64_t chips[][2] = {{1, 1}, {1, 4}, {4, 1}};
  setting s = set_up(_i % 2 == 0 ? "resnet50" : "gnmt", "torus64_refined");
  s.system->system.axes[0].chips = chips[_i / 2][0];
  s.system->system.axes[1].chips = chips[_i / 2][1];
  s.machine = dsm_machine_derive(s.system);
  size_t alike = 0;
  for (size_t i = 0; i < s.workload->layer_count; i++) {
    const dsm__layer_setting layer = training_setting(&s, i);
    for (int k = 0; k < DSM_PARALLELISM_COUNT_OF(2) * DSM_PARALLELISM_COUNT_OF(2); k++) {
      const dsm_parallelism a = (dsm_parallelism)(k / DSM_PARALLELISM_COUNT_OF(2));
      const dsm_parallelism b = (dsm_parallelism)(k % DSM_PARALLELISM_COUNT_OF(2));
      if (a == b || !dsm__are_alike(&s.machine, a, b)) {
        continue;
      }
      alike++;
      const dsm_pass_layouts one = dsm_pass_layouts_uniform(a);
      const dsm_pass_layouts other = dsm_pass_layouts_uniform(b);
      ck_assert_double_eq(dsm__once_cycles(&layer, &one), dsm__once_cycles(&layer, &other));
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        const dsm__best_pass of_a = dsm__best_pass_find(&layer, (dsm_pass)p, a, true, &s.splits);
        const dsm__best_pass of_b = dsm__best_pass_find(&layer, (dsm_pass)p, b, true, &s.splits);
        ck_assert_double_eq(of_a.cycles, of_b.cycles);
        ck_assert_mem_eq(of_a.splits, of_b.splits, sizeof of_a.splits);
      }
    }
  }
  ck_assert_uint_gt(alike, 0);
  tear_down(&s);
}
END_TEST

Suite *suite_layer_search(void) {
  Suite *const suite = suite_create("layer_search");
  TCase *const tests = tcase_create("best split");
  tcase_add_test(tests, test_no_valid_split_is_faster_than_the_best);
  tcase_add_test(tests, test_only_valid_split_is_taken);
  tcase_add_test(tests, test_idle_cores_are_left_where_no_split_is_valid);
  tcase_add_test(tests, test_operands_are_kept_only_where_they_are_as_weights);
  tcase_add_loop_test(tests, test_what_is_cut_short_is_never_the_best, 0, 4);
  tcase_add_loop_test(tests, test_front_has_the_fastest, 0, 4);
  tcase_add_loop_test(tests, test_floor_is_below_all_splits, 0, 5);
  tcase_add_test(tests, test_floor_is_below_passes);
  tcase_add_loop_test(tests, test_alike_parallelisms_cost_the_same, 0, 6);
  suite_add_tcase(suite, tests);
  return suite;
}
