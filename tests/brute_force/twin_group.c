/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Section 9: a pipeline group over timesteps. */
#include <math.h>

#include "twin_price.h"
#include "twin_splits.h"

twin_stage twin_price_stage(const twin_pricer *pricer, const size_t layer, const size_t columns,
                            const size_t rows, const twin_parallelism parallelism,
                            const unsigned place) {
  const twin_context *const whole = &pricer->space.context;
  const twin_workload *const workload = whole->workload;
  const twin_node *const node = &workload->nodes[layer];
  twin_system torus = *whole->system;
  torus.chips_x = (double)columns;
  torus.chips_y = (double)rows;
  const twin_context own = {.workload = workload, .system = &torus, .inference = whole->inference};

  twin_stage stage = {
      .kept_bytes = twin_kept_bytes(&own, layer, parallelism),
      .transient_bytes = twin_transient_bytes(&own, layer, parallelism, parallelism),
  };
  if (whole->inference && twin_input_is_live(workload, layer)) {
    stage.transient_bytes += twin_network_input_bytes(whole);
  }
  if (!whole->inference) {
    stage.extra = twin_weight_exchange_cycles(&own, node, parallelism, parallelism, parallelism);
  }
  const double hand_over = twin_group_cycles(
      &torus, 0, node->out * workload->minibatch * workload->element_bytes / torus.chips_x, 0, 0);
  const twin_condition condition = twin_plain_condition(&own, node);
  for (int i = TWIN_FORWARD; i < TWIN_PASS_COUNT; i++) {
    const twin_pass_kind pass = (twin_pass_kind)i;
    if (!twin_has_pass(node, pass, whole->inference)) {
      continue;
    }
    twin_invocation first = {.total = HUGE_VAL};
    twin_invocation steady = {.total = HUGE_VAL};
    (void)twin_best_invocation(&first, &own, node, pass, parallelism, &condition, HUGE_VAL);
    stage.steps[pass] = first.total;
    if (twin_keeps_kernel(&pricer->space, layer) &&
        twin_best_steady_invocation(&steady, &own, node, pass, parallelism) &&
        steady.total <= first.total) {
      stage.steps[pass] = steady.total;
      stage.extra += first.total - steady.total;
    }
    const bool hands_over = (pass == TWIN_FORWARD && (place & TWIN_STAGE_LAST) == 0) ||
                            (pass == TWIN_BACKWARD && (place & TWIN_STAGE_FIRST) == 0);
    if (hands_over) {
      stage.steps[pass] = torus.overlapped_hand_over ? fmax(stage.steps[pass], hand_over)
                                                     : stage.steps[pass] + hand_over;
    }
  }
  return stage;
}

twin_group_price twin_price_group(const twin_pricer *pricer, const size_t first, const size_t count,
                                  const twin_stage *stages) {
  const double timesteps = pricer->space.context.workload->nodes[first].timesteps;
  twin_group_price price = {0};
  double extra = 0;
  for (size_t i = 0; i < count; i++) {
    extra = fmax(extra, stages[i].extra);
    price.kept_bytes = fmax(price.kept_bytes, stages[i].kept_bytes);
    price.transient_bytes = fmax(price.transient_bytes, stages[i].transient_bytes);
  }
  price.cycles = extra;
  for (int pass = TWIN_FORWARD; pass < TWIN_PASS_COUNT; pass++) {
    double step = 0;
    for (size_t i = 0; i < count; i++) {
      step = fmax(step, stages[i].steps[pass]);
    }
    price.cycles += step * (timesteps + (double)count - 1);
  }
  return price;
}
