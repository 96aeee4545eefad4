/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps in stages: what they take, keep and hand over, and which are the best. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "edited.h"
#include "given.h"
#include "how_many.h"
#include "plan/makespan.h"
#include "plan/segments.h"
#include "plan/step_stages.h"
#include "plan/tied_tables.h"
#include "random_numbers.h"
#include "role_draw.h"
#include "stage_twin.h"
#include "suites.h"

/* Resnet18 of 16 samples on 1 x 4 chips. */
static dsm_workload *workload;
static dsm_system *chips;

#define HYBRID DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID)
#define ACCUMULATE DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE)
#define STAGES DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES)

static void set_up_with(const char *chips_x, const char *chips_y, const char *capacity_GB) {
  const dsm_override overrides[] = {{"system.chips_x", chips_x, NULL},
                                    {"system.chips_y", chips_y, NULL},
                                    {"chip.memory.capacity_GB", capacity_GB, NULL}};
  workload = bundled_workload("resnet18", "16");
  chips = bundled_system_with("torus64", overrides, 3);
}

static void set_up(void) {
  set_up_with("1", "4", "8");
}

static void tear_down(void) {
  dsm_workload_free(workload);
  dsm_system_free(chips);
}

static dsm_explore_options options_with(dsm_optimization_set optimizations, uint64_t stages,
                                        uint64_t micro_batches) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = optimizations;
  options.stages = stages;
  options.micro_batches = micro_batches;
  return options;
}

static dsm_plan *explored_by(const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, options, NULL), DSM_OK);
  return plan;
}

/* With one run of each stage. */
static dsm_plan *explored_with(uint64_t stages, uint64_t micro_batches) {
  dsm_explore_options options = options_with(HYBRID | ACCUMULATE | STAGES, stages, micro_batches);
  options.interleave = 1;
  return explored_by(&options);
}

/* ---- the schedule ---- */

/* An event at a time: each stage keeps a list of what it is to run in 1F1B, and all stages begin
 * what they can as time goes on. */
static double simulated(const dsm__stage_cost *costs, size_t count, size_t micro_batches) {
  enum { STAGES_MAX = 8, BATCHES_MAX = 16 };
  double forward_end[STAGES_MAX][BATCHES_MAX];
  double backward_end[STAGES_MAX][BATCHES_MAX];
  int order[STAGES_MAX][2 * BATCHES_MAX]; /* k: forward of k; -k - 1: backward */
  size_t at[STAGES_MAX] = {0};
  double now[STAGES_MAX] = {0};
  for (size_t s = 0; s < count; s++) {
    size_t filled = 0;
    const size_t ahead = count - s < micro_batches ? count - s : micro_batches;
    for (size_t k = 0; k < micro_batches; k++) {
      forward_end[s][k] = backward_end[s][k] = -1;
    }
    for (size_t k = 0; k < ahead; k++) {
      order[s][filled++] = (int)k;
    }
    for (size_t k = 0; k < micro_batches; k++) {
      order[s][filled++] = -(int)k - 1;
      if (ahead + k < micro_batches) {
        order[s][filled++] = (int)(ahead + k);
      }
    }
  }
  for (size_t left = 2 * count * micro_batches; left > 0;) {
    for (size_t s = 0; s < count; s++) {
      if (at[s] == 2 * micro_batches) {
        continue;
      }
      const int what = order[s][at[s]];
      const size_t k = (size_t)(what < 0 ? -what - 1 : what);
      double ready = 0;
      if (what >= 0 && s > 0) {
        ready = forward_end[s - 1][k];
      } else if (what < 0) {
        ready = s + 1 < count ? backward_end[s + 1][k] : forward_end[s][k];
      }
      if (ready < 0) {
        continue;
      }
      now[s] = fmax(now[s], ready) + (what < 0 ? costs[s].backward : costs[s].forward);
      (what < 0 ? backward_end : forward_end)[s][k] = now[s];
      at[s]++;
      left--;
    }
  }
  double end = 0;
  double once = 0;
  for (size_t s = 0; s < count; s++) {
    end = fmax(end, now[s]);
    once = fmax(once, costs[s].once);
  }
  return end + once;
}

START_TEST(test_step_is_that_of_a_simulation) {
  uint64_t state = 7 + (uint64_t)_i;
  const size_t count = 1 + (size_t)(_i % 6);
  const size_t micro_batches = 1 + (size_t)(random_below(&state, 12));
  dsm__stage_cost costs[6];
  double most = 0;
  double sum = 0;
  double once = 0;
  for (size_t s = 0; s < count; s++) {
    costs[s] = (dsm__stage_cost){.forward = 1 + (double)random_below(&state, 9),
                                 .backward = 1 + (double)random_below(&state, 19),
                                 .once = (double)random_below(&state, 5)};
    sum += costs[s].forward + costs[s].backward;
    most = fmax(most, costs[s].forward + costs[s].backward);
    once = fmax(once, costs[s].once);
  }
  const double step = dsm__stages_step_cycles(
      costs, &(dsm__interleaving){count, 1, micro_batches, DSM_SCHEDULE_1F1B});
  const double least = sum * dsm__least_makespan(count, micro_batches);
  ck_assert_double_eq_tol(step, simulated(costs, count, micro_batches), 1e-9 * step);
  ck_assert_double_le_tol(step, (double)micro_batches * most + sum - most + once, 1e-9 * step);
  ck_assert_double_ge_tol(step, least + once, 1e-9 * step);
}
END_TEST

/* What the least of a schedule is made of, stage by stage, for stages as uneven as may be; and no
 * weaker than what the work of each stage alone leaves to those behind it. */
START_TEST(test_no_schedule_is_below_its_least) {
  uint64_t state = 11 + (uint64_t)_i;
  const size_t count = 1 + (size_t)random_below(&state, 8);
  const size_t batches = 1 + (size_t)random_below(&state, 16);
  const double n = (double)batches;
  dsm__stage_cost costs[8];
  double sum = 0;
  for (size_t s = 0; s < count; s++) {
    costs[s] = (dsm__stage_cost){.forward = exp2((double)random_below(&state, 12)) - 1,
                                 .backward = exp2((double)random_below(&state, 12)) - 1};
    sum += costs[s].forward + costs[s].backward;
  }
  const double step =
      dsm__stages_step_cycles(costs, &(dsm__interleaving){count, 1, batches, DSM_SCHEDULE_1F1B});
  for (size_t s = 0; s < count; s++) {
    const double kept = fmin(n, (double)(count - s));
    const double f = costs[s].forward;
    const double b = costs[s].backward;
    ck_assert_double_ge_tol(step, sum + (n - kept) * f + (n - 1) * b, 1e-9 * step);
    ck_assert_double_ge_tol(step, sum + (n - 1) * f + (n - kept) * b, 1e-9 * step);
  }
  const double least = dsm__least_makespan(count, batches);
  ck_assert_double_ge_tol(step, least * sum, 1e-9 * step);
  ck_assert_double_ge_tol(least, 1 / (1 - pow(1 - 1 / n, (double)count)), 1e-9 * least);
}
END_TEST

/* By hand: two stages keep 2 and 1 of 3 micro-batches, 1 + 1 / (2 / 3 + 1 / 2). */
START_TEST(test_least_by_hand) {
  ck_assert_double_eq_tol(dsm__least_makespan(2, 3), 13.0 / 7, 1e-12);
  ck_assert_double_eq_tol(dsm__least_makespan(1, 9), 9, 1e-12);
  ck_assert_double_eq(dsm__least_makespan(6, 1), 1);
}
END_TEST

START_TEST(test_equal_stages_take_what_the_formula_says) {
  dsm__stage_cost costs[5];
  for (size_t s = 0; s < 5; s++) {
    costs[s] = (dsm__stage_cost){.forward = 3, .backward = 5, .once = 2};
  }
  ck_assert_double_eq(
      dsm__stages_step_cycles(costs, &(dsm__interleaving){5, 1, 12, DSM_SCHEDULE_1F1B}),
      (12 + 5 - 1) * 8 + 2);
  ck_assert_double_eq(
      dsm__stages_step_cycles(costs, &(dsm__interleaving){1, 1, 12, DSM_SCHEDULE_1F1B}),
      12 * 8 + 2);
}
END_TEST

/* ---- plans ---- */

/* By hand: what the layers take on half of the chips, and the schedule of that. */
START_TEST(test_two_stages_by_hand) {
  dsm_plan *const plan = explored_with(2, 4);
  ck_assert_uint_eq(plan->stages.count, 2);
  ck_assert_uint_eq(plan->micro_batches, 4);
  dsm__arena *const arena = dsm__arena_new();
  dsm__decisions decisions;
  ck_assert(dsm__decisions_of_plan(plan, arena, &decisions));
  decisions.stages = (dsm_stages){.count = 0};
  dsm_system half = *chips;
  half.system.axes[plan->stages.axis].chips /= 2;
  dsm_plan *flat = NULL;
  ck_assert_int_eq(dsm__plan_make(&flat, workload, &half, &plan->options, &decisions, NULL),
                   DSM_OK);
  dsm__stage_cost costs[2] = {{.once = 0}, {.once = 0}};
  double charged[2] = {0, 0};
  double bubbles[2] = {0, 0};
  const size_t border = plan->stages.first_layers[1];
  for (size_t i = 0; i < plan->layer_count; i++) {
    dsm__stage_cost *const cost = &costs[i >= border];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const own = &plan->layers[i].passes[p];
      const dsm_pass_plan *const alone = &flat->layers[i].passes[p];
      if (!own->exists) {
        continue;
      }
      ck_assert_double_eq_tol(own->cycles.primary, alone->cycles.primary / 2,
                              1e-9 * alone->cycles.primary);
      ck_assert_double_eq_tol(own->ideal_cycles, alone->ideal_cycles / 2,
                              1e-9 * alone->ideal_cycles);
      const double once = p == DSM_PASS_UPDATE
                              ? alone->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] +
                                    alone->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS] +
                                    alone->group_cycles[DSM_GROUP_WEIGHT_UPDATE]
                              : 0;
      cost->once += once;
      *(p == DSM_PASS_FORWARD ? &cost->forward : &cost->backward) +=
          (alone->cycles.total - once + 2 * own->group_cycles[DSM_GROUP_HAND_OVER]) / 4;
      charged[i >= border] += own->cycles.total;
      bubbles[i >= border] += own->group_cycles[DSM_GROUP_BUBBLE];
    }
  }
  /* The chips at the same place of the next stage: on a ring past all chips of a stage. */
  const dsm_layer *const last = &workload->layers[border - 1];
  const double bytes = (double)last->stored_elements * 16 / 4 * workload->element_bytes / 2;
  const double links = (double)half.system.axes[plan->stages.axis].chips;
  const dsm_machine machine = dsm_machine_derive(&half);
  dsm_traffic shift = {.latency_cycles = 0};
  shift.bytes[DSM_LINK_AXIS + plan->stages.axis] = bytes * links;
  const double hand_over = dsm_group_cycles(&machine, &shift);
  ck_assert_double_eq_tol(
      plan->layers[border - 1].passes[DSM_PASS_FORWARD].group_cycles[DSM_GROUP_HAND_OVER],
      4 * hand_over / 2, 1e-6 * hand_over);
  const double step = simulated(costs, 2, 4);
  ck_assert_double_eq_tol(plan->result.step_cycles, step, 1e-9 * step);
  for (size_t s = 0; s < 2; s++) {
    const double own = 4 * (costs[s].forward + costs[s].backward) + costs[s].once;
    ck_assert_double_eq_tol(charged[s], step / 2, 1e-9 * step);
    ck_assert_double_eq_tol(bubbles[s], (step - own) / 2, 1e-9 * step);
  }
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  dsm_plan_free(flat);
  dsm__arena_free(arena);
  dsm_plan_free(plan);
}
END_TEST

/* By hand: activations of two micro-batches at once in the first of two stages, of one in the
 * second; only the fuller one counts. */
START_TEST(test_memory_is_of_the_fullest_stage) {
  dsm_plan *const plan = explored_with(2, 4);
  dsm_system half = *chips;
  half.system.axes[plan->stages.axis].chips /= 2;
  const dsm_machine machine = dsm_machine_derive(&half);
  dsm_workload micro = *workload;
  micro.minibatch /= 4;
  double needs[2] = {0, 0};
  for (size_t s = 0; s < 2; s++) {
    const dsm__stage_run run = dsm__stage_run_of(&plan->stages, plan->layer_count, s);
    double transient = 0;
    for (size_t i = run.first; i < run.end; i++) {
      dsm_pass_layouts layouts;
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
        layouts.of[p] =
            pass->exists ? pass->decisions.parallelism : plan->layers[i].error_parallelism;
      }
      const dsm_layer_memory one = dsm_layer_memory_derive(&workload->layers[i], &machine, &micro,
                                                           DSM_MODE_TRAINING, &layouts);
      needs[s] += one.weights_bytes + one.gradients_bytes + one.optimizer_bytes +
                  (one.input_bytes + one.activations_bytes) * (s == 0 ? 2 : 1);
      transient = fmax(transient, one.transient_bytes);
    }
    needs[s] += transient;
  }
  const dsm_layer *const last = &workload->layers[plan->stages.first_layers[1] - 1];
  needs[1] += (double)last->stored_elements * (double)micro.minibatch / 2 * micro.element_bytes;
  ck_assert_double_eq_tol(plan->result.memory.total_bytes, fmax(needs[0], needs[1]), 1);
  dsm_plan_free(plan);
}
END_TEST

/* A table that the first and the last stage use is there twice, and both update it; its gradients
 * are summed over both. */
START_TEST(test_tied_weights_are_in_two_stages) {
  tear_down();
  const dsm_override overrides[] = {{"system.axes.node.chips", "2", NULL}};
  workload = bundled_workload("gpt2", "16");
  chips = bundled_system_with("dgx_a100", overrides, 1);
  dsm_explore_options options = options_with(HYBRID | ACCUMULATE | STAGES, 2, 2);
  dsm_plan *const apart = explored_by(&options);
  options.stages = 1;
  options.micro_batches = 1;
  dsm_plan *const together = explored_by(&options);
  const size_t last = apart->layer_count - 1;
  ck_assert_uint_eq(dsm__tie_owner(workload, last), 0);
  ck_assert(dsm__is_tied_apart(workload, &apart->stages, last));
  ck_assert(!dsm__is_tied_apart(workload, &together->stages, last));
  const dsm_pass_plan *const own = &apart->layers[last].passes[DSM_PASS_UPDATE];
  const dsm_pass_plan *const none = &together->layers[last].passes[DSM_PASS_UPDATE];
  ck_assert_double_eq(none->group_cycles[DSM_GROUP_WEIGHT_UPDATE], 0);
  ck_assert_double_gt(own->group_cycles[DSM_GROUP_WEIGHT_UPDATE], 0);
  for (size_t i = 0; i <= last; i += last) { /* along the axis that the stages divide */
    const dsm_pass_plan *const pass = &apart->layers[i].passes[DSM_PASS_UPDATE];
    bool is_along = false;
    for (size_t t = 0; t < pass->transfer_count; t++) {
      is_along = is_along || (pass->transfers[t].transfer == DSM_TRANSFER_SUM_OF_GRADIENTS &&
                              pass->transfers[t].axis == apart->stages.axis);
    }
    ck_assert(is_along);
  }
  ck_assert_int_eq(dsm_plan_validate(apart, NULL), DSM_OK);
  dsm_plan_free(together);
  dsm_plan_free(apart);
}
END_TEST

/* The plan is read back as it was, and its bound is found again. */
START_TEST(test_stages_are_read_back) {
  dsm_plan *const plan = explored_with(2, 0);
  char *const text = dsm_plan_print(plan);
  dsm_plan *again = NULL;
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), NULL, NULL, NULL), DSM_OK);
  ck_assert_uint_eq(again->stages.count, 2);
  ck_assert_uint_eq(again->stages.first_layers[1], plan->stages.first_layers[1]);
  ck_assert_str_eq(again->stages.axis_name, "y");
  ck_assert_uint_eq(again->options.stages, 2);
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

/* One stage is the plan without stages, to the last digit. */
START_TEST(test_one_stage_is_none) {
  const dsm_explore_options without = options_with(HYBRID | ACCUMULATE, 0, 0);
  dsm_plan *const one = explored_with(1, 0);
  dsm_plan *const none = explored_by(&without);
  ck_assert_uint_eq(one->stages.count, 0);
  ck_assert_double_eq(one->result.step_cycles, none->result.step_cycles);
  ck_assert_double_eq(one->result.memory.total_bytes, none->result.memory.total_bytes);
  dsm_plan_free(none);
  dsm_plan_free(one);
}
END_TEST

/* More to choose from is never slower, and no number of threads changes the answer. */
START_TEST(test_stages_are_never_slower) {
  const dsm_explore_options without = options_with(HYBRID | ACCUMULATE, 0, 0);
  dsm_explore_options with = options_with(HYBRID | ACCUMULATE | STAGES, 0, 0);
  dsm_plan *const none = explored_by(&without);
  dsm_plan *const one = explored_by(&with);
  with.thread_count = 4;
  dsm_plan *const other = explored_by(&with);
  ck_assert_double_le(one->result.step_cycles, none->result.step_cycles * (1 + 1e-9));
  ck_assert_double_eq(other->result.step_cycles, one->result.step_cycles);
  ck_assert_double_eq(other->result.lower_bound_cycles, one->result.lower_bound_cycles);
  dsm_plan_free(other);
  dsm_plan_free(one);
  dsm_plan_free(none);
}
END_TEST

/* A step whose sums may hide is no slower than one whose sums do not: stages are cut with all sums.
 */
START_TEST(test_sums_that_hide_are_never_slower) {
  static const dsm_optimization words[] = {DSM_OPTIMIZATION_HYBRID, DSM_OPTIMIZATION_TENSOR,
                                           DSM_OPTIMIZATION_ACCUMULATE, DSM_OPTIMIZATION_STAGES,
                                           DSM_OPTIMIZATION_RECOMPUTE};
  const dsm_override overrides[] = {{"system.axes.node.chips", "128", NULL},
                                    {"model.overlapped_reduction", "true", NULL}};
  dsm_explore_options options = options_with(0, 0, 0);
  for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
    options.optimizations |= DSM_OPTIMIZATION_BIT(words[w]);
  }
  double before = HUGE_VAL;
  for (size_t count = 1; count <= 2; count++) {
    tear_down();
    workload = bundled_workload("gpt3_175b", "16");
    chips = bundled_system_with("dgx_a100", overrides, count);
    dsm_plan *const plan = explored_by(&options);
    ck_assert_double_le(plan->result.step_cycles, before * (1 + 1e-12));
    before = plan->result.step_cycles;
    dsm_plan_free(plan);
  }
}
END_TEST

/* Convolutions of a few widths and residual blocks, then a wide layer, whose sums of gradients
 * weigh most. */
static dsm_workload *drawn_network(uint64_t *state) {
  static const char *const minibatches[] = {"16", "32", "48"};
  static const unsigned widths[] = {16, 32, 64, 128};
  const unsigned side = 4 + 4 * (unsigned)random_below(state, 2);
  const size_t count = 6 + random_below(state, 6);
  unsigned features = widths[random_below(state, 3)];
  writer w = {.length = 0};
  for (size_t i = 0; i < count; i++) {
    const bool is_block = i > 0 && random_below(state, 2) == 0;
    const unsigned kernel = is_block || random_below(state, 2) == 0 ? 3 : 1;
    const unsigned made = is_block ? features : widths[random_below(state, 4)];
    for (int k = 0; k < (is_block ? 2 : 1); k++) {
      WRITE(&w,
            "%s{'name': '%c%zu', 'type': 'conv', 'in': %u, 'out': %u, 'feature': [%u, %u], "
            "'kernel': [%u, %u], 'padding': [%u, %u], 'aux': [",
            w.length > 0 ? ", " : "", is_block && k == 0 ? 'b' : 'l', i, features, made, side, side,
            kernel, kernel, kernel / 2, kernel / 2);
      if (k == 1) {
        WRITE(&w, "{'op': 'residual', 'from': 'l%zu'}, ", i - 1);
      }
      WRITE(&w, "{'op': 'relu'}]}");
    }
    features = made;
  }
  WRITE(&w, ", {'name': 'fc', 'type': 'fc', 'in': %u, 'out': %u}", features * side * side,
        random_below(state, 2) == 0 ? 10 : 1000);
  return given_network(minibatches[random_below(state, 3)], w.text);
}

static dsm_system *drawn_chips(uint64_t *state) {
  static const char *const chips_of_axis[] = {"1", "2", "4", "8"};
  static const char *const rates[] = {"2", "20", "100"};
  static const char *const memories[] = {"30", "300", "900"};
  const dsm_override overrides[] = {
      {"system.chips_x", chips_of_axis[1 + random_below(state, 3)], NULL},
      {"system.chips_y", chips_of_axis[random_below(state, 3)], NULL},
      {"system.link_bandwidth_x_GBps", rates[random_below(state, 3)], NULL},
      {"system.link_bandwidth_y_GBps", rates[random_below(state, 3)], NULL},
      {"chip.memory.bandwidth_GBps", memories[random_below(state, 3)], NULL},
      {"core.frequency_GHz", "1", NULL}};
  return bundled_system_with("torus16", overrides, 6);
}

/* Random networks and systems, with each set of words and each that has one more. */
START_TEST(test_larger_spaces_are_no_slower) {
  static const dsm_optimization words[] = {DSM_OPTIMIZATION_ACCUMULATE, DSM_OPTIMIZATION_TENSOR,
                                           DSM_OPTIMIZATION_SPATIAL, DSM_OPTIMIZATION_SHARD};
  enum { SETS = 1 << sizeof words / sizeof words[0], SEEDS = HOW_MANY(40, 6, 2) };
  unsigned staged = 0;
  for (uint64_t seed = SEEDS * (uint64_t)_i; seed < SEEDS * (uint64_t)(_i + 1); seed++) {
    uint64_t state = seed;
    dsm_workload *const network = drawn_network(&state);
    dsm_system *const system = drawn_chips(&state);
    double cycles[SETS];
    for (unsigned set = 0; set < SETS; set++) {
      dsm_explore_options options = options_with(HYBRID | STAGES, 0, 0);
      for (unsigned w = 0; 1U << w < SETS; w++) {
        options.optimizations |= (set >> w & 1U) != 0 ? DSM_OPTIMIZATION_BIT(words[w]) : 0;
      }
      dsm_plan *plan = NULL;
      ck_assert_int_eq(dsm_explore(&plan, network, system, &options, NULL), DSM_OK);
      cycles[set] = plan->result.step_cycles;
      staged += plan->stages.count > 1 ? 1 : 0;
      ck_assert_double_le(plan->result.lower_bound_cycles, cycles[set] * (1 + 1e-9));
      dsm_plan_free(plan);
      for (unsigned w = 0; 1U << w < SETS; w++) {
        const double fewer = (set >> w & 1U) != 0 ? cycles[set & ~(1U << w)] : HUGE_VAL;
        ck_assert_msg(cycles[set] <= fewer * (1 + 1e-9), "seed %u, set %u: %.17g, without %u %.17g",
                      (unsigned)seed, set, cycles[set], w, fewer);
      }
    }
    dsm_workload_free(network);
    dsm_system_free(system);
  }
  ck_assert_uint_gt(staged, 0);
}
END_TEST

/* ---- brute force ---- */

/* With data parallelism alone every cut, number of stages and micro-batches is predicted. The
 * search cuts where the slowest stage is fastest, which is not always where the step is. */
START_TEST(test_cuts_are_the_best) {
  static const char *const capacities[] = {"8", "0.06", "0.04"};
  tear_down();
  set_up_with("1", "4", capacities[_i]);
  dsm_explore_options options = options_with(ACCUMULATE | STAGES, 0, 0);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  options.interleave = 1;
  dsm__arena *const arena = dsm__arena_new();
  bool *is_cut = NULL;
  ck_assert(dsm__segments_find(workload, arena, &is_cut));
  for (uint64_t p = 2; p <= 4; p *= 2) {
    double best = HUGE_VAL;
    double found = HUGE_VAL;
    double bound = HUGE_VAL;
    for (uint64_t n = 1; n <= 16; n *= 2) {
      options.stages = p;
      options.micro_batches = n;
      dsm_plan *plan = NULL;
      stage_twin b = {.workload = workload, .system = chips, .options = &options, .is_cut = is_cut};
      if (dsm_explore(&plan, workload, chips, &options, NULL) == DSM_OK) {
        ck_assert(dsm__decisions_of_plan(plan, arena, &b.decisions));
        stage_twin_cut(&b);
        found = fmin(found, plan->result.step_cycles);
        best = fmin(best, b.best);
        bound = fmin(bound, plan->result.lower_bound_cycles);
        ck_assert_double_le_tol(plan->result.lower_bound_cycles, b.best, 1e-9 * b.best);
        ck_assert_double_ge_tol(plan->result.step_cycles, b.best, 1e-9 * b.best);
        ck_assert_double_le(plan->result.step_cycles, 1.01 * b.best);
      }
      dsm_plan_free(plan);
    }
    options.micro_batches = 0;
    if (isfinite(found)) {
      dsm_plan *const plan = explored_by(&options);
      ck_assert_double_eq_tol(plan->result.step_cycles, found, 1e-9 * found);
      ck_assert_double_le(plan->result.lower_bound_cycles, bound); /* other numbers may not fit */
      ck_assert_double_le(found, 1.01 * best);
      dsm_plan_free(plan);
    }
  }
  dsm__arena_free(arena);
}
END_TEST

/* ---- what is wrong ---- */

/* In the text of a plan with two stages. */
START_TEST(test_wrong_stages_are_told) {
  static const struct {
    const char *before;
    const char *after;
    const char *message;
  } cases[] = {
      {"\"axis\": \"y\"", "\"axis\": \"z\"", "expected an axis of the system, found \"z\""},
      {"\"axis\": \"y\"", "\"axis\": \"x\"",
       "expected 2 stages or more, whose number divides the 1 chips of the axis, found 2"},
      {"\"conv1\", \"", "\"nothing\", \"", "expected a layer of the network, found \"nothing\""},
      {"\"stages\"],", "\"reuse\"],", "expected none without the optimization stages, found 2"},
      {"\"conv1\", \"", "\"conv4_1a\", \"",
       "expected the network's first layer, \"conv1\", found \"conv4_1a\""},
  };
  dsm_plan *const plan = explored_with(2, 4);
  expect_edited_refused(plan, cases[_i].before, cases[_i].after, cases[_i].message);
  dsm_plan_free(plan);
}
END_TEST

Suite *suite_stages(void) {
  Suite *const suite = suite_create("stages");
  TCase *const schedule = tcase_create("schedule");
  tcase_add_loop_test(schedule, test_step_is_that_of_a_simulation, 0, 120);
  tcase_add_loop_test(schedule, test_no_schedule_is_below_its_least, 0, 300);
  tcase_add_test(schedule, test_least_by_hand);
  tcase_add_test(schedule, test_equal_stages_take_what_the_formula_says);
  suite_add_tcase(suite, schedule);
  TCase *const tests = tcase_create("plans");
  tcase_set_timeout(tests, 60);
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, test_two_stages_by_hand);
  tcase_add_test(tests, test_memory_is_of_the_fullest_stage);
  tcase_add_test(tests, test_tied_weights_are_in_two_stages);
  tcase_add_test(tests, test_stages_are_read_back);
  tcase_add_test(tests, test_one_stage_is_none);
  tcase_add_test(tests, test_stages_are_never_slower);
  tcase_add_test(tests, test_sums_that_hide_are_never_slower);
  tcase_add_loop_test(tests, test_cuts_are_the_best, 0, 3);
  tcase_add_loop_test(tests, test_wrong_stages_are_told, 0, 5);
  suite_add_tcase(suite, tests);
  TCase *const spaces = tcase_create("spaces");
  tcase_set_timeout(spaces, 120);
  tcase_add_loop_test(spaces, test_larger_spaces_are_no_slower, 0, 4);
  suite_add_tcase(suite, spaces);
  return suite;
}
