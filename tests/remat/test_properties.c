/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds of every chain (docs/remat.md). */
#include "dsm/remat.h"

#include "chains.h"
#include "random_numbers.h"
#include "suites.h"

enum { CASES = 60, STAGES_MAX = 20, SLOTS = 40 };

static const double close_enough = 1e-9;

typedef struct drawn {
  own_chain own;
  uint64_t state;
  double smallest;
  double full_bytes;
  double full_seconds;
} drawn;

static void draw_case(drawn *to, int number) {
  to->state = (uint64_t)number + 1000;
  chain_of_random(&to->own, &to->state, 2 + (size_t)random_below(&to->state, STAGES_MAX - 1), 3);
  dsm_remat_result *const full = solved(&to->own.chain, 1e6, SLOTS);
  to->smallest = full->smallest_bytes;
  to->full_bytes = full->full.peak_bytes;
  to->full_seconds = full->full.seconds;
  ck_assert_double_eq(full->run.seconds, full->full.seconds);
  dsm_remat_result_free(full);
}

/* The budget a part of the way from the smallest to what everything needs. */
static double part(const drawn *of, double ratio) {
  return of->smallest + ratio * (of->full_bytes - of->smallest);
}

static double seconds_within(const dsm_remat_chain *chain, double budget, size_t slots) {
  dsm_remat_result *const result = solved(chain, budget, slots);
  const double seconds = result->run.seconds;
  dsm_remat_result_free(result);
  return seconds;
}

/* Also where sizes are rounded: there are few slots. */
START_TEST(test_time_falls_with_budget) {
  drawn of;
  draw_case(&of, _i);
  double before = -1;
  for (int i = 20; i >= 0; i--) {
    const double seconds = seconds_within(&of.own.chain, part(&of, i / 20.0), SLOTS);
    ck_assert_double_ge(seconds, before);
    before = seconds;
  }
  ck_assert_double_eq(seconds_within(&of.own.chain, of.full_bytes, SLOTS), of.full_seconds);
}
END_TEST

START_TEST(test_an_option_more_never_hurts) {
  drawn of;
  draw_case(&of, _i);
  const double budget = part(&of, 0.4);
  const double before = seconds_within(&of.own.chain, budget, 500);
  const size_t s = (size_t)random_below(&of.state, of.own.chain.stage_count);
  dsm_remat_stage *const stage = &of.own.stages[s];
  of.own.options[s][stage->option_count++] =
      (dsm_remat_option){.name = "another",
                         .forward_seconds = (double)random_below(&of.state, 12),
                         .backward_seconds = (double)random_below(&of.state, 30),
                         .saved_bytes = stage->output_bytes + (double)random_below(&of.state, 5)};
  ck_assert_double_le(seconds_within(&of.own.chain, budget, 500), before);
}
END_TEST

START_TEST(test_units_do_not_matter) {
  static const double factor = 3.7;
  drawn of;
  draw_case(&of, _i);
  const double budget = part(&of, 0.3);
  const double before = seconds_within(&of.own.chain, budget, SLOTS);
  own_chain other = of.own;
  other.chain.stages = other.stages;
  for (size_t s = 0; s < other.chain.stage_count; s++) {
    dsm_remat_stage *const stage = &other.stages[s];
    stage->options = other.options[s];
    stage->forward_seconds *= factor;
    for (size_t k = 0; k < stage->option_count; k++) {
      other.options[s][k].forward_seconds *= factor;
      other.options[s][k].backward_seconds *= factor;
    }
  }
  const double after = seconds_within(&other.chain, budget, SLOTS);
  ck_assert_double_eq_tol(after, factor * before, close_enough * after);
  static const double size_factor = 8; /* a power of two: nothing is rounded otherwise */
  for (size_t s = 0; s < other.chain.stage_count; s++) {
    dsm_remat_stage *const stage = &other.stages[s];
    stage->output_bytes *= size_factor;
    stage->error_bytes *= size_factor;
    stage->temporary_bytes *= size_factor;
    for (size_t k = 0; k < stage->option_count; k++) {
      other.options[s][k].saved_bytes *= size_factor;
      other.options[s][k].forward_temporary_bytes *= size_factor;
      other.options[s][k].backward_temporary_bytes *= size_factor;
    }
  }
  other.chain.input_bytes *= size_factor;
  other.chain.input_error_bytes *= size_factor;
  ck_assert_double_eq(seconds_within(&other.chain, size_factor * budget, SLOTS), after);
}
END_TEST

/* Points of the front: each is what its budget gives, or better; time falls from one to the next.
 */
START_TEST(test_front) {
  drawn of;
  draw_case(&of, _i);
  dsm_remat_options options;
  dsm_remat_options_init(&options);
  options.wants_front = true;
  dsm_remat_result *result = NULL;
  ck_assert_int_eq(dsm_remat(&result, &of.own.chain, &options, NULL), DSM_OK);
  ck_assert_double_eq(result->points[0].bytes, of.smallest);
  ck_assert_double_eq(result->points[result->point_count - 1].seconds, of.full_seconds);
  for (size_t i = 0; i < result->point_count; i++) {
    const dsm_remat_point *const point = &result->points[i];
    ck_assert(i == 0 || (point->bytes > point[-1].bytes && point->seconds < point[-1].seconds));
    ck_assert_double_eq(point->bytes > 0 ? seconds_within(&of.own.chain, point->bytes, 500)
                                         : point->seconds,
                        point->seconds);
  }
  dsm_remat_result_free(result);
}
END_TEST

/* Segments of `size` stages of which each keeps its input, and runs again before its backward
 * passes, as checkpoint_sequential of PyTorch does. */
static size_t equal_segments(dsm_remat_step *steps, size_t stage_count, size_t size) {
  size_t count = 0;
  const size_t last = (stage_count - 1) / size * size;
  for (size_t s = 0; s < last; s++) {
    steps[count++] =
        (dsm_remat_step){s % size == 0 ? DSM_REMAT_CHECKPOINT : DSM_REMAT_FORWARD, s, 0};
  }
  for (size_t first = last + size; first >= size; first -= size) {
    const size_t end = first < stage_count ? first : stage_count;
    for (size_t s = first - size; s < end; s++) {
      steps[count++] = (dsm_remat_step){DSM_REMAT_SAVE, s, 0};
    }
    for (size_t s = end; s > first - size; s--) {
      steps[count++] = (dsm_remat_step){DSM_REMAT_BACKWARD, s - 1, 0};
    }
  }
  return count;
}

START_TEST(test_never_worse_than_equal_segments) {
  drawn of;
  draw_case(&of, _i);
  for (size_t s = 0; s < of.own.chain.stage_count; s++) {
    of.own.stages[s].is_recomputable = true;
  }
  for (size_t size = 1; size <= of.own.chain.stage_count; size++) {
    dsm_remat_step steps[4 * CHAIN_STAGES_MAX];
    dsm_remat_run run;
    const size_t count = equal_segments(steps, of.own.chain.stage_count, size);
    ck_assert_int_eq(dsm_remat_simulate(&run, NULL, &of.own.chain, steps, count, NULL), DSM_OK);
    ck_assert_double_le(seconds_within(&of.own.chain, run.peak_bytes, 500), run.seconds);
  }
}
END_TEST

Suite *suite_properties(void) {
  Suite *const suite = suite_create("properties");
  TCase *const tests = tcase_create("properties");
  tcase_set_timeout(tests, 300);
  tcase_add_loop_test(tests, test_time_falls_with_budget, 0, CASES);
  tcase_add_loop_test(tests, test_an_option_more_never_hurts, 0, CASES);
  tcase_add_loop_test(tests, test_units_do_not_matter, 0, CASES);
  tcase_add_loop_test(tests, test_front, 0, CASES);
  tcase_add_loop_test(tests, test_never_worse_than_equal_segments, 0, CASES);
  suite_add_tcase(suite, tests);
  return suite;
}
