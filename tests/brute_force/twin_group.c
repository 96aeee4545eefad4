/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Section 9: a pipeline group over timesteps. */
#include <math.h>

#include "twin_price.h"
#include "twin_splits.h"

static double step_of(const twin_system *torus, const double invocation, const double hand_over) {
  return torus->overlapped_hand_over ? fmax(invocation, hand_over) : invocation + hand_over;
}

twin_stage twin_price_stage(const twin_pricer *pricer, const size_t layer, const size_t columns,
                            const size_t rows, const twin_parallelism parallelism,
                            const unsigned place) {
  const twin_context *const whole = &pricer->space.context;
  const twin_workload *const workload = whole->workload;
  const twin_node *const node = &workload->nodes[layer];
  const twin_system torus = twin_stage_system(whole->system, columns, rows);
  const twin_context own = {.workload = workload, .system = &torus, .inference = whole->inference};

  twin_stage stage = {
      .kept_bytes = twin_kept_bytes(&own, layer, parallelism),
      .transient_bytes = twin_transient_bytes(&own, layer, parallelism, parallelism),
  };
  if (whole->inference && twin_input_is_live(workload, layer)) {
    stage.transient_bytes += twin_network_input_bytes(&own, parallelism);
  }
  if (!whole->inference) {
    stage.exchange = twin_weight_exchange_cycles(
        &own, node, (const twin_parallelism[]){parallelism, parallelism, parallelism});
  }
  const double hand_over = twin_hand_over_cycles(&torus, node->out * workload->minibatch *
                                                             node->out_bytes / (double)columns);
  const twin_condition condition = twin_plain_condition(&own, node);
  for (int i = TWIN_FORWARD; i < TWIN_PASS_COUNT; i++) {
    const twin_pass_kind pass = (twin_pass_kind)i;
    if (!twin_has_pass(node, pass, whole->inference)) {
      continue;
    }
    twin_invocation first = {.total = HUGE_VAL};
    twin_invocation steady = {.total = HUGE_VAL};
    (void)twin_best_invocation(&first, &own, node, pass, parallelism, &condition, HUGE_VAL);
    double kept = first.total;
    if (twin_keeps_kernel(&pricer->space, layer) &&
        twin_best_steady_invocation(&steady, &own, node, pass, parallelism) &&
        steady.total <= first.total) {
      kept = steady.total;
    }
    const bool hands_over = (pass == TWIN_FORWARD && (place & TWIN_STAGE_LAST) == 0) ||
                            (pass == TWIN_BACKWARD && (place & TWIN_STAGE_FIRST) == 0);
    stage.kept_extra[pass] = first.total - kept;
    stage.kept_steps[pass] = step_of(&torus, kept, hands_over ? hand_over : 0);
    stage.fetching_steps[pass] = step_of(&torus, first.total, hands_over ? hand_over : 0);
  }
  return stage;
}

twin_group_price twin_price_group(const twin_pricer *pricer, const size_t first, const size_t count,
                                  const twin_stage *stages, const twin_fetching *fetching) {
  const double timesteps = pricer->space.context.workload->nodes[first].timesteps;
  twin_group_price price = {0};
  double steps[TWIN_PASS_COUNT] = {0};
  for (size_t i = 0; i < count; i++) {
    double extra = stages[i].exchange;
    for (int pass = TWIN_FORWARD; pass < TWIN_PASS_COUNT; pass++) {
      const bool fetches = fetching[i].passes[pass];
      extra += fetches ? 0 : stages[i].kept_extra[pass];
      steps[pass] =
          fmax(steps[pass], fetches ? stages[i].fetching_steps[pass] : stages[i].kept_steps[pass]);
    }
    price.cycles = fmax(price.cycles, extra);
    price.kept_bytes = fmax(price.kept_bytes, stages[i].kept_bytes);
    price.transient_bytes = fmax(price.transient_bytes, stages[i].transient_bytes);
  }
  for (int pass = TWIN_FORWARD; pass < TWIN_PASS_COUNT; pass++) {
    const double cycles = steps[pass] * (timesteps + (double)count - 1);
    price.cycles += cycles;
    price.after_forward_cycles += pass == TWIN_FORWARD ? 0 : cycles;
  }
  return price;
}

/* The search for what fetches. */
typedef struct {
  const twin_pricer *pricer;
  size_t first;
  size_t count;
  const twin_stage *stages;
  twin_fetching fetching[TWIN_MAX_LAYERS];
  twin_fetching *best;
  twin_group_price least;
} choice;

/*
 * Every pace of this pass and those after it: the steps of any stage, fetching or not. With paces
 * given, whoever keeps up with them while it fetches does so: that makes no pace longer and no
 * extra greater. So some pace leads to the least price.
 */
static void visit_paces(choice *c, const int pass) {
  if (pass == TWIN_PASS_COUNT) {
    const twin_group_price price =
        twin_price_group(c->pricer, c->first, c->count, c->stages, c->fetching);
    if (price.cycles < c->least.cycles) {
      c->least = price;
      for (size_t i = 0; i < c->count; i++) {
        c->best[i] = c->fetching[i];
      }
    }
    return;
  }
  for (size_t i = 0; i < 2 * c->count; i++) {
    const twin_stage *const other = &c->stages[i / 2];
    const double pace = i % 2 == 0 ? other->kept_steps[pass] : other->fetching_steps[pass];
    for (size_t k = 0; k < c->count; k++) {
      c->fetching[k].passes[pass] =
          c->stages[k].kept_extra[pass] > 0 && c->stages[k].fetching_steps[pass] <= pace;
    }
    visit_paces(c, pass + 1);
    if (other->kept_extra[pass] <= 0) {
      i++; /* both steps are the same */
    }
  }
}

twin_group_price twin_price_group_best(const twin_pricer *pricer, const size_t first,
                                       const size_t count, const twin_stage *stages,
                                       twin_fetching *fetching) {
  choice c = {.pricer = pricer,
              .first = first,
              .count = count,
              .stages = stages,
              .best = fetching,
              .least = {.cycles = HUGE_VAL}};
  const twin_fetching none = {{false}};
  for (size_t i = 0; i < count; i++) {
    c.fetching[i] = none;
    fetching[i] = none;
  }
  c.least = twin_price_group(pricer, first, count, stages, fetching);
  visit_paces(&c, TWIN_FORWARD);
  return c.least;
}
