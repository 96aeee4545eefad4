/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps whose stages have several runs of layers each. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "model/chip_link.h"
#include "plan/segments.h"
#include "plan/step_stages.h"
#include "random_numbers.h"
#include "stage_twin.h"
#include "suites.h"

/* ---- the schedule ---- */

enum { STAGES_MAX = 4, RUNS_MAX = 4, BATCHES_MAX = 16, PASSES_MAX = RUNS_MAX * BATCHES_MAX };

/* A pass in the list of a device, as Narayanan et al. have them: of a model chunk. */
typedef struct entry {
  int is_backward;
  size_t chunk;
  size_t micro_batch;
} entry;

typedef struct device {
  entry list[2 * PASSES_MAX];
  size_t length;
  size_t at;
  double free_at;
  size_t kept; /* chunks whose activations it has */
  size_t most_kept;
} device;

/* Groups of p micro-batches go through the first chunk, then through the second and so on. */
static entry entry_of(size_t k, size_t stages, size_t runs, int is_backward) {
  const size_t in_group = k % (stages * runs);
  const size_t chunk = in_group / stages;
  return (entry){is_backward, is_backward ? runs - 1 - chunk : chunk,
                 k / (stages * runs) * stages + in_group % stages};
}

static void fill_list(device *of, size_t rank, size_t stages, size_t runs, size_t micro_batches) {
  const size_t all = micro_batches * runs;
  size_t warm_up = (stages - rank - 1) * 2 + (runs - 1) * stages;
  warm_up = warm_up < all ? warm_up : all;
  *of = (device){.length = 0};
  for (size_t k = 0; k < warm_up; k++) {
    of->list[of->length++] = entry_of(k, stages, runs, 0);
  }
  for (size_t k = 0; k < all; k++) {
    if (warm_up + k < all) {
      of->list[of->length++] = entry_of(warm_up + k, stages, runs, 0);
    }
    of->list[of->length++] = entry_of(k, stages, runs, 1);
  }
}

typedef struct simulation {
  double end;
  size_t most_kept[STAGES_MAX];
} simulation;

/* An event at a time: of all passes that could begin, the one that begins first does. Times are of
 * each chunk of each device, at chunk * stages + rank. */
static simulation simulate(size_t stages, size_t runs, size_t micro_batches, const double *forward,
                           const double *backward) {
  static device devices[STAGES_MAX];
  static double ends[2][STAGES_MAX * RUNS_MAX][BATCHES_MAX];
  simulation result = {.end = 0};
  const size_t chunks = stages * runs;
  for (size_t d = 0; d < stages; d++) {
    fill_list(&devices[d], d, stages, runs, micro_batches);
  }
  for (size_t c = 0; c < chunks; c++) {
    for (size_t i = 0; i < micro_batches; i++) {
      ends[0][c][i] = ends[1][c][i] = HUGE_VAL;
    }
  }
  for (size_t left = 2 * chunks * micro_batches; left > 0; left--) {
    size_t first = SIZE_MAX;
    double begin = HUGE_VAL;
    for (size_t d = 0; d < stages; d++) {
      if (devices[d].at == devices[d].length) {
        continue;
      }
      const entry next = devices[d].list[devices[d].at];
      const size_t c = next.chunk * stages + d;
      double ready = 0;
      if (!next.is_backward && c > 0) {
        ready = ends[0][c - 1][next.micro_batch];
      } else if (next.is_backward) {
        ready = c + 1 == chunks ? ends[0][c][next.micro_batch] : ends[1][c + 1][next.micro_batch];
      }
      const double own = fmax(ready, devices[d].free_at);
      first = own < begin ? d : first;
      begin = fmin(own, begin);
    }
    ck_assert_uint_ne(first, SIZE_MAX); /* it does not block */
    device *const runner = &devices[first];
    const entry next = runner->list[runner->at++];
    const size_t c = next.chunk * stages + first;
    runner->free_at = begin + (next.is_backward ? backward : forward)[c];
    ends[next.is_backward][c][next.micro_batch] = runner->free_at;
    runner->kept += next.is_backward ? 0 : 1;
    runner->most_kept = runner->kept > runner->most_kept ? runner->kept : runner->most_kept;
    runner->kept -= next.is_backward ? 1 : 0;
    result.end = fmax(result.end, runner->free_at);
  }
  for (size_t d = 0; d < stages; d++) {
    result.most_kept[d] = devices[d].most_kept;
  }
  return result;
}

/* When the last pass of the program's own schedule ends. */
static double scheduled(const dsm__interleaving *of, const double *forward,
                        const double *backward) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__schedule schedule;
  dsm__stage_cost costs[STAGES_MAX * RUNS_MAX] = {{.once = 0}};
  for (size_t r = 0; r < of->stages * of->runs; r++) {
    costs[r] = (dsm__stage_cost){.forward = forward[r], .backward = backward[r]};
  }
  const double end = dsm__stages_schedule_find(costs, of, arena, &schedule);
  dsm__arena_free(arena);
  return end;
}

static dsm__interleaving random_interleaving(uint64_t *state) {
  const size_t stages = 2 + (size_t)random_below(state, STAGES_MAX - 1);
  return (dsm__interleaving){.stages = stages,
                             .runs = 2 + (size_t)random_below(state, RUNS_MAX - 1),
                             .micro_batches =
                                 stages * (1 + (size_t)random_below(state, BATCHES_MAX / stages))};
}

/* Stages that differ by up to a half, whose runs are equal: the order and what is kept are those of
 * the simulation, and the closed form is from 0.87 to 1.13 of it. No step is below the bound. */
START_TEST(test_closed_form_is_near_a_simulation) {
  double least = HUGE_VAL;
  double most = 0;
  uint64_t state = 11;
  for (int trial = 0; trial < 3000; trial++) {
    const dsm__interleaving of = random_interleaving(&state);
    dsm__interleaved_cost costs[STAGES_MAX];
    double forward[STAGES_MAX * RUNS_MAX];
    double backward[STAGES_MAX * RUNS_MAX];
    double sum = 0;
    const double hand_over = (double)random_below(&state, 20) / (double)of.runs;
    for (size_t s = 0; s < of.stages; s++) {
      const double one = 100 + (double)random_below(&state, 51);
      const double share = 0.25 + (double)random_below(&state, 26) / 100;
      const double runs = (double)of.runs;
      costs[s] = (dsm__interleaved_cost){.own = one, .handed = 2 * hand_over * runs};
      sum += one;
      for (size_t v = 0; v < of.runs; v++) {
        forward[v * of.stages + s] = one * share / runs + hand_over;
        backward[v * of.stages + s] = one * (1 - share) / runs + hand_over;
      }
    }
    const simulation found = simulate(of.stages, of.runs, of.micro_batches, forward, backward);
    const double cycles = dsm__interleaved_cycles(&of, costs);
    ck_assert_double_eq_tol(scheduled(&of, forward, backward), found.end, 1e-9 * found.end);
    for (size_t s = 0; s < of.stages; s++) {
      ck_assert_uint_eq(dsm__interleaved_in_flight(&of, s), found.most_kept[s]);
    }
    least = fmin(least, cycles / found.end);
    most = fmax(most, cycles / found.end);
    ck_assert_double_ge_tol(cycles,
                            (double)of.micro_batches * sum / (double)of.stages +
                                dsm__interleaved_waiting(&of) * sum,
                            1e-9 * cycles);
  }
  ck_assert_double_ge(least, 0.87);
  ck_assert_double_le(most, 1.13);
}
END_TEST

/* Narayanan et al.: of p equal stages the bubble is (p - 1) / v of what one takes for a
 * micro-batch; the simulation says the same. */
START_TEST(test_equal_stages_wait_as_published) {
  for (size_t stages = 2; stages <= STAGES_MAX; stages++) {
    for (size_t runs = 1; runs <= RUNS_MAX; runs++) {
      const dsm__interleaving of = {.stages = stages, .runs = runs, .micro_batches = 3 * stages};
      dsm__interleaved_cost costs[STAGES_MAX];
      double forward[STAGES_MAX * RUNS_MAX];
      double backward[STAGES_MAX * RUNS_MAX];
      for (size_t c = 0; c < stages * runs; c++) {
        costs[c % stages] = (dsm__interleaved_cost){.own = 36, .handed = 0};
        forward[c] = 12 / (double)runs;
        backward[c] = 24 / (double)runs;
      }
      const double step = 36 * (3 * (double)stages + ((double)stages - 1) / (double)runs);
      ck_assert_double_eq_tol(dsm__interleaved_cycles(&of, costs), step, 1e-9 * step);
      if (runs > 1) {
        ck_assert_double_eq_tol(simulate(stages, runs, of.micro_batches, forward, backward).end,
                                step, 1e-9 * step);
      }
    }
  }
}
END_TEST

/* By hand: 4 micro-batches, two stages of 10 and 6 cycles, of which they hand over 2 and 4 with two
 * runs: 4 times the largest, and a half of what the other does, of which it hands over once. */
START_TEST(test_step_by_hand) {
  const dsm__interleaving of = {2, 2, 4, DSM_SCHEDULE_1F1B};
  const dsm__stage_cost costs[] = {
      {.forward = 4, .backward = 6, .handed = 2, .once = 3},
      {.forward = 2, .backward = 4, .handed = 4, .once = 5},
  };
  ck_assert_double_eq(dsm__stages_step_cycles(costs, &of), 4 * 10 + (2 + 4 / 2.0) / 2 + 5);
  ck_assert_uint_eq(dsm__interleaved_in_flight(&of, 0), 5);
  ck_assert_uint_eq(dsm__interleaved_in_flight(&of, 1), 3);
  ck_assert(dsm__is_interleaved_well(&of));
  ck_assert(!dsm__is_interleaved_well(&(dsm__interleaving){2, 2, 3, DSM_SCHEDULE_1F1B}));
  ck_assert(dsm__is_interleaved_well(&(dsm__interleaving){2, 1, 3, DSM_SCHEDULE_1F1B}));
}
END_TEST

/* ---- plans ---- */

/* Resnet18 of 16 samples on 1 x 4 chips. */
static dsm_workload *workload;
static dsm_system *chips;

static void set_up(void) {
  const dsm_override overrides[] = {{"system.chips_x", "1", NULL}, {"system.chips_y", "4", NULL}};
  workload = bundled_workload("resnet18", "16");
  chips = bundled_system_with("torus64", overrides, 2);
}

static void tear_down(void) {
  dsm_workload_free(workload);
  dsm_system_free(chips);
}

static dsm_explore_options asked(uint64_t stages, uint64_t runs, uint64_t micro_batches) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES);
  options.stages = stages;
  options.interleave = runs;
  options.micro_batches = micro_batches;
  return options;
}

static dsm_plan *explored(uint64_t stages, uint64_t runs, uint64_t micro_batches) {
  const dsm_explore_options options = asked(stages, runs, micro_batches);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  return plan;
}

/* By hand: what the layers take on half of the chips, in the closed form, and what a chip of the
 * fuller stage needs. */
START_TEST(test_two_stages_of_two_runs_by_hand) {
  dsm_plan *const plan = explored(2, 2, 4);
  ck_assert_uint_eq(plan->stages.count, 2);
  ck_assert_uint_eq(plan->stages.interleave, 2);
  ck_assert_uint_eq(plan->stages.run_count, 4);
  dsm__arena *const arena = dsm__arena_new();
  dsm__decisions decisions;
  ck_assert(dsm__decisions_of_plan(plan, arena, &decisions));
  decisions.stages = (dsm_stages){.count = 0};
  dsm_system half = *chips;
  half.system.axes[plan->stages.axis].chips /= 2;
  const dsm_machine machine = dsm_machine_derive(&half);
  dsm_workload micro = *workload;
  micro.minibatch /= 4;
  dsm_plan *flat = NULL;
  ck_assert_int_eq(dsm__plan_make(&flat, workload, &half, &plan->options, &decisions, NULL),
                   DSM_OK);
  double busy[2] = {0, 0};
  double handed[2] = {0, 0};
  double once[2] = {0, 0};
  double charged[2] = {0, 0};
  double bubbles[2] = {0, 0};
  double needs[2] = {0, 0};
  double transient[2] = {0, 0};
  static const double in_flight[2] = {5 / 2.0, 3 / 2.0};
  size_t run = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    dsm_pass_layouts layouts;
    run += run < 3 && i == plan->stages.first_layers[run + 1] ? 1 : 0;
    const size_t s = run % 2;
    double given = 0;
    if (i > 0 && i == plan->stages.first_layers[run]) {
      given = (double)workload->layers[i - 1].stored_elements * (double)micro.minibatch / 2 *
              micro.element_bytes;
    }
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const own = &plan->layers[i].passes[p];
      const dsm_pass_plan *const alone = &flat->layers[i].passes[p];
      layouts.of[p] = own->exists ? own->decisions.parallelism : plan->layers[i].error_parallelism;
      if (own->exists) {
        const double update = p == DSM_PASS_UPDATE
                                  ? alone->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] +
                                        alone->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS] +
                                        alone->group_cycles[DSM_GROUP_WEIGHT_UPDATE]
                                  : 0;
        once[s] += update;
        handed[s] += 2 * own->group_cycles[DSM_GROUP_HAND_OVER] / 4;
        busy[s] += (alone->cycles.total - update + 2 * own->group_cycles[DSM_GROUP_HAND_OVER]) / 4;
        charged[s] += own->cycles.total;
        bubbles[s] += own->group_cycles[DSM_GROUP_BUBBLE];
      }
    }
    const dsm_layer_memory one = dsm_layer_memory_derive(&workload->layers[i], &machine, &micro,
                                                         DSM_MODE_TRAINING, &layouts);
    needs[s] += one.weights_bytes + one.gradients_bytes + one.optimizer_bytes +
                (one.input_bytes + one.activations_bytes + given) * in_flight[s];
    transient[s] = fmax(transient[s], one.transient_bytes);
  }
  const size_t largest = busy[0] > busy[1] ? 0 : 1;
  const size_t other = 1 - largest;
  const double step =
      4 * busy[largest] + (busy[other] - handed[other] / 2) / 2 + fmax(once[0], once[1]);
  ck_assert_double_gt(handed[0], 0);
  ck_assert_double_gt(handed[1], 0);
  ck_assert_double_eq_tol(plan->result.step_cycles, step, 1e-9 * step);
  for (size_t s = 0; s < 2; s++) {
    ck_assert_double_eq_tol(charged[s], step / 2, 1e-9 * step);
    ck_assert_double_eq_tol(bubbles[s], (step - 4 * busy[s] - once[s]) / 2, 1e-9 * step);
  }
  ck_assert_double_eq_tol(plan->result.memory.total_bytes,
                          fmax(needs[0] + transient[0], needs[1] + transient[1]), 1);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  dsm_plan_free(flat);
  dsm__arena_free(arena);
  dsm_plan_free(plan);
}
END_TEST

/* The plan is read back as it was, and its bound is found again. */
START_TEST(test_runs_are_read_back) {
  dsm_plan *const plan = explored(2, 3, 8);
  char *const text = dsm_plan_print(plan);
  dsm_plan *again = NULL;
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), NULL, NULL, NULL), DSM_OK);
  ck_assert_uint_eq(again->stages.count, 2);
  ck_assert_uint_eq(again->stages.interleave, 3);
  ck_assert_uint_eq(again->options.interleave, 3);
  ck_assert_mem_eq(again->stages.first_layers, plan->stages.first_layers, 6 * sizeof(size_t));
  ck_assert_double_eq(again->result.step_cycles, plan->result.step_cycles);
  ck_assert_double_eq(again->result.memory.total_bytes, plan->result.memory.total_bytes);
  ck_assert_int_eq(dsm_plan_bound(again, NULL), DSM_OK);
  ck_assert_double_eq_tol(again->result.lower_bound_cycles, plan->result.lower_bound_cycles,
                          1e-9 * plan->result.lower_bound_cycles);
  dsm_plan_free(again);
  free(text);
  dsm_plan_free(plan);
}
END_TEST

/* Where no number of runs is asked for, the step is the fastest of all of them. The bound holds of
 * all: it is above none of their steps. It may be above the bound of one number, whose own search
 * knows no step that is as fast, and so proves less. */
START_TEST(test_all_numbers_of_runs_are_tried) {
  static const uint64_t micro_batches[] = {4, 8, 1};
  dsm_plan *const any = explored(2, 0, micro_batches[_i]);
  double best = HUGE_VAL;
  double bound = HUGE_VAL;
  uint64_t runs = 1;
  for (dsm_plan *one = explored(2, 1, micro_batches[_i]); one != NULL;) {
    best = fmin(best, one->result.step_cycles);
    bound = fmin(bound, one->result.lower_bound_cycles);
    dsm_plan_free(one);
    one = NULL;
    const dsm_explore_options options = asked(2, ++runs, micro_batches[_i]);
    const dsm_status status = dsm_explore(&one, workload, chips, &options, NULL);
    ck_assert(status == DSM_OK || one == NULL);
  }
  ck_assert_uint_eq(runs, micro_batches[_i] == 1 ? 2 : 6); /* of 10 segments */
  ck_assert_double_eq_tol(any->result.step_cycles, best, 1e-9 * best);
  ck_assert_double_le(any->result.lower_bound_cycles, best * (1 + 1e-9));
  ck_assert_double_ge(any->result.lower_bound_cycles, bound * (1 - 1e-9));
  ck_assert_uint_eq(any->options.interleave, 0);
  dsm_plan_free(any);
}
END_TEST

/* With data parallelism alone every cut is predicted; in the second case the memory binds. */
START_TEST(test_cuts_of_runs_are_the_best) {
  static const double capacities[] = {8, 0.045};
  dsm_explore_options options = asked(2, 2, 0);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  chips->chip.memory.capacity_GB = capacities[_i];
  dsm__arena *const arena = dsm__arena_new();
  bool *is_cut = NULL;
  ck_assert(dsm__segments_find(workload, arena, &is_cut));
  for (uint64_t n = 2; n <= 8; n *= 4) {
    options.micro_batches = n;
    dsm_plan *plan = NULL;
    stage_twin b = {.workload = workload, .system = chips, .options = &options, .is_cut = is_cut};
    ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
    ck_assert(dsm__decisions_of_plan(plan, arena, &b.decisions));
    stage_twin_cut(&b);
    ck_assert_double_le_tol(plan->result.lower_bound_cycles, b.best, 1e-9 * b.best);
    ck_assert_double_ge_tol(plan->result.step_cycles, b.best, 1e-9 * b.best);
    ck_assert_double_le(plan->result.step_cycles, 1.05 * b.best);
    dsm_plan_free(plan);
  }
  dsm__arena_free(arena);
}
END_TEST

/* Of 12 blocks two stages of so many runs have 12/2, 12/4 and 12/6 each: there is one cut, which is
 * written down by name. A step that may be cut anywhere is no slower. */
START_TEST(test_stages_at_blocks_have_equally_many) {
  const uint64_t runs = (uint64_t)_i + 1;
  dsm_workload *const blocks = bundled_workload("bert_base", "16");
  bool is_cut[1024] = {false};
  ck_assert_uint_lt(blocks->layer_count, 1024);
  for (size_t i = 1; i < blocks->layer_count; i++) {
    for (uint64_t r = 1; r < 2 * runs; r++) {
      char first[64];
      (void)snprintf(first, sizeof first, "encoder.%d.qkv", (int)(r * 6 / runs));
      is_cut[i - 1] = is_cut[i - 1] || strcmp(blocks->layers[i].name, first) == 0;
    }
  }
  dsm_explore_options options = asked(2, runs, 4);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  options.stages_at = DSM_STAGES_AT_BLOCKS;
  dsm_plan *plan = NULL;
  dsm_plan *free_one = NULL;
  dsm__arena *const arena = dsm__arena_new();
  stage_twin twin = {.workload = blocks, .system = chips, .options = &options, .is_cut = is_cut};
  ck_assert_int_eq(dsm_explore(&plan, blocks, chips, &options, NULL), DSM_OK);
  ck_assert(dsm__decisions_of_plan(plan, arena, &twin.decisions));
  stage_twin_cut(&twin);
  ck_assert_double_eq_tol(plan->result.step_cycles, twin.best, 1e-9 * twin.best);
  ck_assert_double_le_tol(plan->result.lower_bound_cycles, twin.best, 1e-9 * twin.best);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  options.stages_at = DSM_STAGES_AT_BEST;
  ck_assert_int_eq(dsm_explore(&free_one, blocks, chips, &options, NULL), DSM_OK);
  ck_assert_double_le_tol(free_one->result.step_cycles, plan->result.step_cycles, 1e-9 * twin.best);
  dsm_plan_free(free_one);
  dsm_plan_free(plan);
  dsm__arena_free(arena);
  dsm_workload_free(blocks);
}
END_TEST

/* From the last stage to the first: on a line past all the others, on a ring as to a neighbour. */
START_TEST(test_way_back_to_the_first_stage) {
  static const double links[DSM_LINK_KIND_COUNT] = {[DSM_LINK_KIND_RING] = 1,
                                                    [DSM_LINK_KIND_LINE] = 3,
                                                    [DSM_LINK_KIND_SWITCH] = 1,
                                                    [DSM_LINK_KIND_FAT_TREE] = 1,
                                                    [DSM_LINK_KIND_DRAGONFLY] = 1};
  const dsm_layer *const layer = &workload->layers[3];
  const dsm_precision precision = dsm_precision_of(workload, chips);
  for (int kind = 0; kind < DSM_LINK_KIND_COUNT; kind++) {
    dsm_system one = *chips;
    one.system.axes[1].link = (dsm_link_kind)kind;
    const dsm_machine machine = dsm_machine_derive(&one);
    const dsm_boundary next =
        dsm__boundary_derive(layer, &machine, precision, 4, 1, 1, DSM_PARALLELISM_DATA);
    const dsm_boundary back =
        dsm__boundary_derive(layer, &machine, precision, 4, 1, 3, DSM_PARALLELISM_DATA);
    ck_assert_double_eq(back.shift.bytes[DSM_LINK_AXIS + 1],
                        links[kind] * next.shift.bytes[DSM_LINK_AXIS + 1]);
    ck_assert_double_eq(back.bytes, next.bytes);
  }
}
END_TEST

/* ---- what is wrong ---- */

/* In the text of a plan with two stages of two runs. */
START_TEST(test_wrong_runs_are_told) {
  static const struct {
    const char *before;
    const char *after;
    const char *message;
  } cases[] = {
      {"\"interleave\": 2, \"first_layers\"", "\"interleave\": 3, \"first_layers\"",
       "expected a multiple of interleave, 3, found 4 layers"},
      {"\"interleave\": 2, \"first_layers\"", "\"interleave\": 4, \"first_layers\"",
       "expected 2 stages or more, whose number divides the 4 chips of the axis, found 1"},
      {"\"interleave\": 2, \"first_layers\"", "\"interleave\": 0, \"first_layers\"",
       "expected a whole number from 1 to 1024, found 0"},
      {"\n  \"micro_batches\": 4", "\n  \"micro_batches\": 1",
       "expected 1 run of layers of each stage, where micro-batches are no multiple of 2 stages, "
       "found 2 for 1 micro-batches"},
  };
  dsm_plan *const plan = explored(2, 2, 4);
  char *const text = dsm_plan_print(plan);
  const char *const at = strstr(text, cases[_i].before);
  ck_assert_ptr_nonnull(at);
  char *const edited = malloc(strlen(text) + 64);
  (void)snprintf(edited, strlen(text) + 64, "%.*s%s%s", (int)(at - text), text, cases[_i].after,
                 at + strlen(cases[_i].before));
  dsm_diags *const diags = dsm_diags_new(8);
  dsm_plan *read = NULL;
  ck_assert_int_eq(dsm_plan_parse(&read, edited, strlen(edited), NULL, NULL, diags),
                   DSM_ERROR_INVALID);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, cases[_i].message);
  dsm_diags_free(diags);
  free(edited);
  free(text);
  dsm_plan_free(plan);
}
END_TEST

/* What is asked for and cannot be. */
START_TEST(test_wrong_questions_are_told) {
  static const struct {
    dsm_optimization_set without;
    uint64_t stages;
    uint64_t micro_batches;
    uint64_t runs;
    const char *message;
  } cases[] = {
      {DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES), 0, 0, 2,
       "expected 1 run of layers of each stage without the optimization stages, found 2"},
      {DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE), 2, 0, 2,
       "expected 1 run of layers of each stage without the optimization accumulate, found 2"},
      {0, 1, 0, 2, "expected 2 stages or more with 2 runs of layers of each, found 1"},
      {0, 4, 2, 2,
       "expected a number of micro-batches that is a multiple of the stages, 4, each of which has "
       "2 runs of layers, found 2"},
      {0, 4, 4, 90,
       "expected at most 10 runs of stages, as many as the layers of the network can be divided "
       "into, found 360"},
  };
  dsm_explore_options options = asked(cases[_i].stages, cases[_i].runs, cases[_i].micro_batches);
  options.optimizations &= ~cases[_i].without;
  dsm_diags *const diags = dsm_diags_new(8);
  dsm_plan *plan = NULL;
  ck_assert_int_ne(dsm_explore(&plan, workload, chips, &options, diags), DSM_OK);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, cases[_i].message);
  dsm_diags_free(diags);
}
END_TEST

Suite *suite_interleave(void) {
  Suite *const suite = suite_create("interleave");
  TCase *const schedule = tcase_create("schedule");
  tcase_add_test(schedule, test_closed_form_is_near_a_simulation);
  tcase_add_test(schedule, test_equal_stages_wait_as_published);
  tcase_add_test(schedule, test_step_by_hand);
  suite_add_tcase(suite, schedule);
  TCase *const tests = tcase_create("plans");
  tcase_set_timeout(tests, 60);
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, test_two_stages_of_two_runs_by_hand);
  tcase_add_test(tests, test_runs_are_read_back);
  tcase_add_loop_test(tests, test_all_numbers_of_runs_are_tried, 0, 3);
  tcase_add_loop_test(tests, test_cuts_of_runs_are_the_best, 0, 2);
  tcase_add_loop_test(tests, test_stages_at_blocks_have_equally_many, 0, 3);
  tcase_add_test(tests, test_way_back_to_the_first_stage);
  tcase_add_loop_test(tests, test_wrong_runs_are_told, 0, 4);
  tcase_add_loop_test(tests, test_wrong_questions_are_told, 0, 5);
  suite_add_tcase(suite, tests);
  return suite;
}
