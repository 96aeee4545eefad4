/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_front.c: the front of what is minimised over another column: the same search under one
 * budget more, which gets smaller from step to step. */
#include <math.h>

#include "base/diag_add.h"
#include "design/design_internal.h"

/* Values that differ by a smaller share are equal. */
#define SAME 1e-9

/* Of the whole space that the budgets leave. */
static double least_of(const dsm__question *q) {
  dsm__box all = dsm__box_of_all(q);
  return dsm__box_contract(q, &all) ? dsm__range_of(q, q->pareto, &all.low, &all.high, NULL).low
                                    : HUGE_VAL;
}

/* Limit number `step` of those from `most` to `least`: in equal ratios, or, where `least` is not
 * above 0, in equal steps. */
static double limit_at(double most, double least, int step) {
  const double share = (double)step / (DSM_DESIGN_FRONT_MAX - 1);
  return least > 0 ? most * pow(least / most, share) : most + (least - most) * share;
}

static double spent_by_best(const dsm__search *s) {
  return dsm__spent_of(s->question, s->question->pareto, &s->answers->list.items[s->best]);
}

/* What holds with more of the column holds with less of it. */
static bool add_step(dsm__search *s, double most) {
  const double before = s->front.count == 0 ? -HUGE_VAL : s->front.items[s->front.count - 1].bound;
  const dsm__step made = {.most = most, .bound = fmax(before, s->bound), .best = s->best};
  return DSM__LIST_PUSH_IN(&s->front, s->arena, made);
}

static dsm_status walk(dsm__search *s, dsm__limit *budget, dsm_diags *diags) {
  const double least = least_of(s->question);
  const double most = spent_by_best(s);
  dsm_status status = add_step(s, HUGE_VAL) ? DSM_OK : dsm__out_of_memory(diags);
  for (int step = 1; step < DSM_DESIGN_FRONT_MAX && status == DSM_OK && !s->is_stopped; step++) {
    budget->most = limit_at(most, least, step);
    if (!(budget->most < spent_by_best(s) * (1 - SAME))) {
      continue;
    }
    status = dsm__answers_judge(s->answers);
    if (status == DSM_OK) {
      status = dsm__search_again(s, diags);
    }
    if (s->best == SIZE_MAX) {
      break;
    }
    if (status == DSM_OK && !add_step(s, budget->most)) {
      status = dsm__out_of_memory(diags);
    }
  }
  return status;
}

dsm_status dsm__front_find(dsm__search *search, dsm_diags *diags) {
  dsm__question *const q = search->question;
  const dsm__search first = *search;
  q->budgets[q->budget_count++] =
      (dsm__limit){.name = q->pareto + 1, .expression = q->pareto, .most = HUGE_VAL};
  const dsm_status status = walk(search, &q->budgets[q->budget_count - 1], diags);
  q->budget_count--;
  search->best = first.best;
  search->bound = first.bound;
  return status == DSM_OK ? dsm__answers_judge(search->answers) : status;
}
