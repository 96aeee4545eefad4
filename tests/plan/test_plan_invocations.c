/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_plan_invocations.c: what a plan says of one invocation, and of one layer's memory, adds up
 * to what it says of the pass, and of the whole. */
#include <math.h>

#include "explored.h"
#include "suites.h"

/* A network of convolutions with spatial minibatches, one with pipelines, one of inference. */
static const struct {
  const char *workload;
  const char *system;
  const char *minibatch;
  dsm_mode mode;
} explorations[] = {
    {"vgg16", "torus64", "256", DSM_MODE_TRAINING},
    {"gnmt", "torus64", "256", DSM_MODE_TRAINING},
    {"gnmt", "torus64_refined", "256", DSM_MODE_TRAINING},
    {"gnmt", "torus64", "16", DSM_MODE_INFERENCE},
};

static explored explore(int index) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = explorations[index].mode;
  options.optimizations = dsm_mode_optimizations(options.mode);
  return explore_bundled(explorations[index].workload, explorations[index].system,
                         explorations[index].minibatch, &options);
}

static void expect_close(double found, double expected) {
  ck_assert_double_le(fabs(found - expected), 1e-9 * fabs(expected));
}

typedef void look(const dsm_layer_plan *layer, const dsm_pass_plan *pass);

static void look_at_passes(int index, look *look_at) {
  explored made = explore(index);
  for (size_t i = 0; i < made.plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (made.plan->layers[i].passes[p].exists) {
        look_at(&made.plan->layers[i], &made.plan->layers[i].passes[p]);
      }
    }
  }
  explored_free(&made);
}

static void look_at_cycles(const dsm_layer_plan *layer, const dsm_pass_plan *pass) {
  dsm_cycles sum = {0};
  for (unsigned k = 0; k < pass->invocation_count; k++) {
    const dsm_invocation *const invocation = &pass->invocations[k];
    sum.primary += invocation->times * invocation->cost.primary;
    sum.overlapped += invocation->times * invocation->cost.overlapped;
    sum.overlapped_visible += invocation->times * invocation->cost.overlapped_visible;
    sum.auxiliary += invocation->times * invocation->cost.auxiliary;
    if (layer->pipeline == DSM_NO_PIPELINE) {
      ck_assert_double_eq(invocation->times, (double)invocation->count);
    }
    ck_assert_double_ge(invocation->times, 0);
  }
  expect_close(sum.primary, pass->cycles.primary);
  expect_close(sum.overlapped, pass->cycles.overlapped);
  expect_close(sum.overlapped_visible, pass->cycles.overlapped_visible);
  expect_close(sum.auxiliary, pass->cycles.auxiliary);
}

START_TEST(test_invocations_add_up_to_the_cycles_of_their_pass) {
  look_at_passes(_i, look_at_cycles);
}
END_TEST

static bool is_of_invocations(dsm_group group) {
  return group == DSM_GROUP_STREAM || group == DSM_GROUP_PARTIAL_SUM ||
         group == DSM_GROUP_LAYOUT_MOVE || group == DSM_GROUP_ROTATION;
}

static void look_at_transfers(const dsm_layer_plan *layer, const dsm_pass_plan *pass) {
  (void)layer;
  double bytes[DSM_TRANSFER_COUNT][DSM_NO_AXIS + 1][DSM_LINK_COUNT] = {{{0}}};
  for (unsigned k = 0; k < pass->invocation_count; k++) {
    for (size_t i = 0; i < pass->invocations[k].transfer_count; i++) {
      const dsm_plan_transfer *const one = &pass->invocations[k].transfers[i];
      ck_assert(is_of_invocations(one->group));
      ck_assert_double_gt(one->bytes, 0);
      bytes[one->transfer][one->axis][one->link] += one->bytes * (double)pass->invocations[k].count;
    }
  }
  for (size_t i = 0; i < pass->transfer_count; i++) {
    const dsm_plan_transfer *const all = &pass->transfers[i];
    expect_close(bytes[all->transfer][all->axis][all->link],
                 is_of_invocations(all->group) ? all->bytes : 0);
  }
}

START_TEST(test_invocations_add_up_to_the_transfers_of_their_pass) {
  look_at_passes(_i, look_at_transfers);
}
END_TEST

START_TEST(test_layers_add_up_to_the_memory_of_the_plan) {
  explored made = explore(_i);
  const dsm_plan_memory *const memory = &made.plan->result.memory;
  dsm_layer_memory sum = {0};
  double transient = 0;
  for (size_t i = 0; i < made.plan->layer_count; i++) {
    const dsm_layer_memory *const one = &made.plan->layers[i].memory;
    sum.weights_bytes += one->weights_bytes;
    sum.gradients_bytes += one->gradients_bytes;
    sum.optimizer_bytes += one->optimizer_bytes;
    sum.activations_bytes += one->input_bytes + one->activations_bytes;
    transient = one->transient_bytes > transient ? one->transient_bytes : transient;
  }
  expect_close(sum.weights_bytes, memory->weights_bytes);
  expect_close(sum.gradients_bytes, memory->gradients_bytes);
  expect_close(sum.optimizer_bytes, memory->optimizer_bytes);
  if (made.plan->options.mode == DSM_MODE_TRAINING) {
    expect_close(sum.activations_bytes, memory->activations_bytes);
    expect_close(transient, memory->errors_bytes);
  } else {
    expect_close(transient, memory->activations_bytes);
  }
  explored_free(&made);
}
END_TEST

Suite *suite_plan_invocations(void) {
  Suite *const suite = suite_create("plan_invocations");
  TCase *const sums = tcase_create("sums");
  const int count = COUNT_OF(explorations);
  tcase_add_loop_test(sums, test_invocations_add_up_to_the_cycles_of_their_pass, 0, count);
  tcase_add_loop_test(sums, test_invocations_add_up_to_the_transfers_of_their_pass, 0, count);
  tcase_add_loop_test(sums, test_layers_add_up_to_the_memory_of_the_plan, 0, count);
  suite_add_tcase(suite, sums);
  return suite;
}
