/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * design_search.c: branch and bound over boxes of designs.
 *
 * No design of a box is faster than its best corner, which mostly breaks a budget: a box is split
 * until the best corners of its parts are no better than the best design by more than the gap.
 * Boxes are looked at in batches of one size, so that the answer is the same for any number of
 * threads.
 */
#include <math.h>
#include <string.h>

#include "base/deadline.h"
#include "base/diag_add.h"
#include "design/design_internal.h"

/* Boxes that are looked at together; rounds of a descent; combinations of values. */
enum { BATCH = 4, ROUNDS_MAX = 4, COMBINATIONS_MAX = 1000000 };

/* What a parameter does is measured anew in a box that is so much narrower: at about every split
 * along it. With 0.3 or 0.8 proofs took a third more explorations, of vgg16 and bert_base. */
#define NARROWER 0.55

/* ---- the heap ---- */

static bool is_before(const dsm__box *one, const dsm__box *other) {
  return one->bound < other->bound || (!(other->bound < one->bound) && one->number < other->number);
}

static bool push(dsm__search *s, const dsm__box *box) {
  if (!DSM__LIST_PUSH_IN(&s->boxes, s->arena, *box)) {
    return false;
  }
  size_t at = s->boxes.count - 1;
  dsm__box *const items = s->boxes.items;
  while (at > 0 && is_before(box, &items[(at - 1) / 2])) {
    items[at] = items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  items[at] = *box;
  return true;
}

static dsm__box pop(dsm__search *s) {
  dsm__box *const items = s->boxes.items;
  const dsm__box first = items[0];
  const dsm__box moved = items[--s->boxes.count];
  size_t at = 0;
  for (size_t below = 1; below < s->boxes.count; below = 2 * at + 1) {
    below += below + 1 < s->boxes.count && is_before(&items[below + 1], &items[below]);
    if (!is_before(&items[below], &moved)) {
      break;
    }
    items[at] = items[below];
    at = below;
  }
  if (s->boxes.count > 0) {
    items[at] = moved;
  }
  return first;
}

/* ---- bounds ---- */

static double incumbent(const dsm__search *s) {
  return s->best == SIZE_MAX ? HUGE_VAL : s->answers->list.items[s->best].value;
}

static bool is_cut(const dsm__search *s, double bound) {
  return !(bound < HUGE_VAL) || (bound > 0 ? bound * (1 + s->request->gap) : bound) >= incumbent(s);
}

/* A box that is done: none of its designs has less than its bound. */
static void close_box(dsm__search *s, double bound) {
  s->cut = bound < s->cut ? bound : s->cut;
}

/* From all that was explored. */
static void bound_box(dsm__search *s, dsm__box *box) {
  dsm__answers_bound(s->answers, box, s->times);
  const double bound = dsm__objective_low(s->question, &box->low, &box->high, s->times);
  if (!dsm__may_keep(s->question, &box->low, &box->high, s->times)) {
    box->bound = HUGE_VAL;
  }
  box->bound = bound > box->bound ? bound : box->bound;
}

static bool add_box(dsm__search *s, dsm__box *box) {
  if (!dsm__box_contract(s->question, box)) {
    return true;
  }
  const dsm__corner corner = dsm__best_corner(s->question, box);
  box->is_asked = dsm__answer_of(s->answers, &corner) != NULL;
  box->number = s->number++;
  s->box_count++;
  bound_box(s, box);
  if (is_cut(s, box->bound)) {
    close_box(s, box->bound);
    return true;
  }
  return push(s, box);
}

static void take_best(dsm__search *s, size_t from) {
  for (size_t i = from; i < s->answers->wanted; i++) {
    if (s->answers->list.items[i].value < incumbent(s)) {
      s->best = i;
    }
  }
}

/* Explores what is wanted. */
static dsm_status ask(dsm__search *s) {
  const size_t from = s->answers->wanted;
  const dsm_status status = dsm__answers_find(s->answers);
  take_best(s, from);
  return status;
}

/* ---- good designs ---- */

static bool keeps(const dsm__search *s, const dsm__corner *corner) {
  return dsm__may_keep(s->question, corner, corner, NULL);
}

/* A step better of a parameter; false: there is none up to the end of a box. */
static bool step(const dsm__search *s, const dsm__box *within, size_t d, int by,
                 dsm__corner *corner) {
  const dsm_way way = s->question->dimensions[d].way;
  const int up = way == DSM_WAY_NEVER_FASTER ? -by : way == DSM_WAY_NEVER_SLOWER ? by : 0;
  const int64_t to = (int64_t)corner->at[d] + up;
  if (up == 0 || to < (int64_t)within->low.at[d] || to > (int64_t)within->high.at[d]) {
    return false;
  }
  corner->at[d] = (uint32_t)to;
  return true;
}

/* Raises, one step at a time, what promises most for what it takes of the budgets, until nothing
 * fits. */
static void fill(const dsm__search *s, const dsm__box *box, const double *slopes,
                 dsm__corner *corner) {
  bool is_raised = true;
  while (is_raised) {
    double best_gain = -1;
    dsm__corner best = *corner;
    is_raised = false;
    for (size_t d = 0; d < s->question->dimension_count; d++) {
      dsm__corner raised = *corner;
      if (step(s, box, d, 1, &raised) && keeps(s, &raised)) {
        double taken = 1e-12;
        for (size_t b = 0; b < s->question->budget_count; b++) {
          const char *const expression = s->question->budgets[b].expression;
          const double before = dsm__range_of(s->question, expression, corner, corner, NULL).low;
          const double after = dsm__range_of(s->question, expression, &raised, &raised, NULL).low;
          taken += fmax(0, after - before) / fmax(fabs(s->question->budgets[b].most), 1e-300);
        }
        if (slopes[d] / taken > best_gain) {
          best_gain = slopes[d] / taken;
          best = raised;
          is_raised = true;
        }
      }
    }
    *corner = best;
  }
}

/* The corner of a box that costs least: of parameters that are bounded, the worst values. */
static dsm__corner worst_corner(const dsm__search *s, const dsm__box *box) {
  dsm__corner corner = box->low;
  for (size_t d = 0; d < s->question->dimension_count; d++) {
    if (s->question->dimensions[d].way == DSM_WAY_NEVER_FASTER) {
      corner.at[d] = box->high.at[d];
    }
  }
  return corner;
}

dsm__box dsm__box_of_all(const dsm__question *question) {
  dsm__box box = {.bound = -HUGE_VAL};
  for (size_t d = 0; d < question->dimension_count; d++) {
    box.high.at[d] = question->dimensions[d].count - 1;
  }
  return box;
}

/* What a step of a parameter does around the best design: asks for those beside it. */
static dsm_status slopes_at(dsm__search *s, const dsm__corner *from, double *slopes) {
  const dsm__box all = dsm__box_of_all(s->question);
  const size_t count = s->question->dimension_count;
  for (size_t d = 0; d < count; d++) {
    dsm__corner beside = *from;
    if (step(s, &all, d, 1, &beside) && !dsm__answers_want(s->answers, &beside)) {
      return dsm__out_of_memory(s->answers->diags);
    }
  }
  const dsm_status status = ask(s);
  const dsm__answer *const here = dsm__answer_of(s->answers, from);
  for (size_t d = 0; d < count && status == DSM_OK; d++) {
    dsm__corner beside = *from;
    slopes[d] = 0;
    if (step(s, &all, d, 1, &beside)) {
      const dsm__answer *const there = dsm__answer_of(s->answers, &beside);
      const double gain = log(here->low / there->low);
      slopes[d] = isfinite(gain) ? fmax(0, gain) : 0;
    }
  }
  return status;
}

/* What the slopes promise of a move. */
static double promise_of(const dsm__question *q, const double slopes[], const dsm__corner *from,
                         const dsm__corner *moved) {
  double promise = 0;
  for (size_t d = 0; d < q->dimension_count; d++) {
    const double steps = (double)moved->at[d] - (double)from->at[d];
    promise += slopes[d] * (q->dimensions[d].way == DSM_WAY_NEVER_FASTER ? -steps : steps);
  }
  return promise;
}

/* Exchanges a few steps of one parameter for as many of others as the budgets then have room for,
 * where that promises a gain, as long as there is one. */
static dsm_status descend(dsm__search *s) {
  const dsm__question *const q = s->question;
  const dsm__box all = dsm__box_of_all(s->question);
  size_t before = SIZE_MAX;
  for (int round = 0; round < ROUNDS_MAX && s->best != before && s->best != SIZE_MAX; round++) {
    double slopes[DSM__DIMENSIONS_MAX] = {0};
    before = s->best;
    const dsm__corner from = s->answers->list.items[before].corner;
    dsm_status status = slopes_at(s, &from, slopes);
    for (size_t d = 0; d < q->dimension_count && status == DSM_OK; d++) {
      for (int by = 1; by <= 4; by *= 2) {
        dsm__corner moved = from;
        if (!step(s, &all, d, -by, &moved)) {
          continue;
        }
        fill(s, &all, slopes, &moved);
        if (promise_of(q, slopes, &from, &moved) > 0 && !dsm__answers_want(s->answers, &moved)) {
          return dsm__out_of_memory(s->answers->diags);
        }
      }
    }
    status = status == DSM_OK ? ask(s) : status;
    if (status != DSM_OK) {
      return status;
    }
  }
  return DSM_OK;
}

/* ---- splitting ---- */

static uint32_t middle_of(const dsm__box *box, size_t d) {
  return box->low.at[d] + (box->high.at[d] - box->low.at[d]) / 2;
}

/* The worse part of a box, split at the middle of a parameter; its values that are better are left
 * out. */
static dsm__box worse_part(const dsm__search *s, const dsm__box *box, size_t d) {
  dsm__box part = *box;
  if (s->question->dimensions[d].way == DSM_WAY_NEVER_FASTER) {
    part.low.at[d] = middle_of(box, d) + 1;
  } else {
    part.high.at[d] = middle_of(box, d);
  }
  return part;
}

static dsm__box better_part(const dsm__search *s, const dsm__box *box, size_t d) {
  dsm__box part = *box;
  if (s->question->dimensions[d].way == DSM_WAY_NEVER_FASTER) {
    part.high.at[d] = middle_of(box, d);
  } else {
    part.low.at[d] = middle_of(box, d) + 1;
  }
  return part;
}

static bool is_open(const dsm__search *s, const dsm__box *box, size_t d) {
  return s->question->dimensions[d].way != DSM_WAY_NEITHER && box->low.at[d] < box->high.at[d];
}

/* Has a box become so much narrower that what a parameter does has to be measured anew? */
static bool is_stale(const dsm__search *s, const dsm__box *box, size_t d) {
  const uint32_t width = box->high.at[d] - box->low.at[d];
  return is_open(s, box, d) && (double)width <= NARROWER * box->measured[d];
}

/* The best corners of the worse parts. */
static bool want_parts(dsm__search *s, const dsm__box *box) {
  for (size_t d = 0; d < s->question->dimension_count; d++) {
    if (box->measured[d] == 0 ? is_open(s, box, d) : is_stale(s, box, d)) {
      const dsm__box part = worse_part(s, box, d);
      const dsm__corner corner = dsm__best_corner(s->question, &part);
      if (!dsm__answers_want(s->answers, &corner)) {
        return false;
      }
    }
  }
  return true;
}

/* How much a box with such ends promises to be worse than another, in logarithms, by slopes. */
static double loss_of(const dsm__search *s, const dsm__corner *best, const dsm__box *part,
                      const double *slopes) {
  const dsm__corner corner = dsm__best_corner(s->question, part);
  double loss = 0;
  for (size_t d = 0; d < s->question->dimension_count; d++) {
    loss += slopes[d] * fabs((double)best->at[d] - (double)corner.at[d]);
  }
  return loss;
}

static void measure_slopes(dsm__search *s, dsm__box *box) {
  const dsm__corner best = dsm__best_corner(s->question, box);
  for (size_t d = 0; d < s->question->dimension_count; d++) {
    if (box->measured[d] == 0 ? is_open(s, box, d) : is_stale(s, box, d)) {
      dsm__box part = worse_part(s, box, d);
      box->measured[d] = box->high.at[d] - box->low.at[d];
      bound_box(s, &part);
      const dsm__corner corner = dsm__best_corner(s->question, &part);
      const double steps = fabs((double)best.at[d] - (double)corner.at[d]);
      const double loss = log(part.bound / box->bound) / steps;
      box->slopes[d] = isfinite(loss) ? loss : 1;
    }
  }
}

/* The parameter of which a split promises most of its lesser part; SIZE_MAX: a single design. */
static size_t choose(dsm__search *s, const dsm__box *box) {
  const dsm__corner best = dsm__best_corner(s->question, box);
  size_t chosen = SIZE_MAX;
  double most = -1;
  for (size_t d = 0; d < s->question->dimension_count; d++) {
    if (!is_open(s, box, d)) {
      continue;
    }
    const dsm__box worse = worse_part(s, box, d);
    dsm__box better = better_part(s, box, d);
    const double need = log(incumbent(s) / (box->bound * (1 + s->request->gap)));
    const double cap = isfinite(need) && need > 0 ? 1.5 * need : HUGE_VAL;
    const double of_worse = fmin(cap, loss_of(s, &best, &worse, box->slopes));
    const double of_better = dsm__box_contract(s->question, &better)
                                 ? fmin(cap, loss_of(s, &best, &better, box->slopes))
                                 : 10;
    const double score =
        fmax(of_worse, 1e-6) * fmax(of_better, 1e-6) + 1e-12 * (box->high.at[d] - box->low.at[d]);
    if (score > most) {
      most = score;
      chosen = d;
    }
  }
  return chosen;
}

/* Does a design that was explored break a rule, or a budget whatever its mapping is? */
static bool is_none(const dsm__search *s, const dsm__box *box) {
  const dsm__answer *const answer = dsm__answer_of(s->answers, &box->low);
  for (size_t n = 0; answer != NULL && n < s->question->network_count; n++) {
    const dsm__interval seconds = answer->times[n].of[DSM_AIM_TIME];
    if (!(seconds.low > 0) && !(seconds.high < HUGE_VAL)) {
      return true;
    }
  }
  return answer != NULL && !dsm__may_keep(s->question, &box->low, &box->low, answer->times);
}

static bool split(dsm__search *s, dsm__box *box) {
  measure_slopes(s, box);
  const size_t d = choose(s, box);
  if (d == SIZE_MAX) {
    if (!is_none(s, box)) {
      close_box(s, box->bound);
    }
    return true;
  }
  dsm__box worse = worse_part(s, box, d);
  dsm__box better = better_part(s, box, d);
  return add_box(s, &worse) && add_box(s, &better);
}

/* ---- the beginning ---- */

/* FLOP/s of a design. */
static double peak_of(const dsm__search *s, const dsm__corner *corner) {
  const dsm_system system = dsm__system_of(s->question, corner);
  return dsm_system_peak_flops(&system);
}

/* No design of a box does a network's work faster than at its best peak rate. */
static void set_floor(dsm__search *s, dsm__box *box) {
  const dsm__corner corner = dsm__best_corner(s->question, box);
  const double peak = peak_of(s, &corner);
  for (size_t n = 0; n < s->question->network_count; n++) {
    s->times[n] = (dsm__times){.of = {[DSM_AIM_TIME] = {.low = peak > 0 ? s->work[n] / peak : 0}}};
    for (int aim = 0; aim < DSM_AIM_COUNT; aim++) {
      s->times[n].of[aim].high = HUGE_VAL;
    }
  }
  box->bound = dsm__objective_low(s->question, &box->low, &box->high, s->times);
}

/* A box of each combination of values that are enumerated. */
static dsm_status begin(dsm__search *s, dsm_diags *diags) {
  const dsm__question *const q = s->question;
  double combinations = 1;
  dsm__box box = dsm__box_of_all(s->question);
  for (size_t d = 0; d < q->dimension_count; d++) {
    const bool is_one = q->dimensions[d].way == DSM_WAY_NEITHER;
    combinations *= is_one ? q->dimensions[d].count : 1;
    box.high.at[d] = is_one ? 0 : box.high.at[d];
  }
  if (combinations > COMBINATIONS_MAX) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected at most %d combinations of values of which more is neither never "
                       "slower nor never faster, found %.0f",
                       COMBINATIONS_MAX, combinations);
  }
  for (;;) {
    dsm__box made = box;
    if (combinations > 1) {
      set_floor(s, &made);
    }
    if (!add_box(s, &made)) {
      return dsm__out_of_memory(diags);
    }
    size_t d = 0;
    for (; d < q->dimension_count; d++) {
      if (q->dimensions[d].way == DSM_WAY_NEITHER) {
        if (box.low.at[d] + 1 < q->dimensions[d].count) {
          box.low.at[d]++;
          box.high.at[d]++;
          break;
        }
        box.low.at[d] = 0;
        box.high.at[d] = 0;
      }
    }
    if (d == q->dimension_count) {
      return DSM_OK;
    }
  }
}

static dsm_status explore_own(dsm__search *s) {
  dsm__corner own = {.at = {0}};
  for (size_t d = 0; d < s->question->dimension_count; d++) {
    own.at[d] = s->question->dimensions[d].own;
  }
  double *const work = dsm__arena_array(s->arena, s->question->network_count, sizeof *work);
  if (work == NULL || !dsm__answers_want(s->answers, &own)) {
    return dsm__out_of_memory(s->answers->diags);
  }
  const dsm_status status = ask(s);
  for (size_t n = 0; n < s->question->network_count && status == DSM_OK; n++) {
    work[n] = s->answers->list.items[0].times[n].ideal * peak_of(s, &own);
  }
  s->work = work;
  return status;
}

/* ---- the search ---- */

static dsm_status look(dsm__search *s) {
  dsm__box batch[BATCH];
  size_t count = 0;
  while (count < BATCH && s->boxes.count > 0 && !is_cut(s, s->boxes.items[0].bound)) {
    batch[count++] = pop(s);
  }
  for (size_t i = 0; i < count; i++) {
    const dsm__corner corner = dsm__best_corner(s->question, &batch[i]);
    bool is_good = true;
    if (!batch[i].is_asked) {
      dsm__corner filled = worst_corner(s, &batch[i]);
      is_good = dsm__answers_want(s->answers, &corner);
      if (keeps(s, &filled) && s->best == SIZE_MAX) {
        fill(s, &batch[i], batch[i].slopes, &filled);
        is_good = is_good && dsm__answers_want(s->answers, &filled);
      }
    } else {
      is_good = want_parts(s, &batch[i]);
    }
    if (!is_good) {
      return dsm__out_of_memory(s->answers->diags);
    }
  }
  const size_t before = s->best;
  dsm_status status = ask(s);
  if (status == DSM_OK && s->best != before) {
    status = descend(s);
  }
  for (size_t i = 0; i < count && status == DSM_OK; i++) {
    const bool was_asked = batch[i].is_asked;
    batch[i].is_asked = true;
    bound_box(s, &batch[i]);
    bool is_good = true;
    if (is_cut(s, batch[i].bound)) {
      close_box(s, batch[i].bound);
    } else if (was_asked) {
      is_good = split(s, &batch[i]);
    } else {
      is_good = push(s, &batch[i]);
    }
    status = is_good ? DSM_OK : dsm__out_of_memory(s->answers->diags);
  }
  return status;
}

static void report(const dsm__search *s) {
  if (s->request->report != NULL) {
    const dsm_design_progress progress = {.value = incumbent(s),
                                          .bound = s->bound,
                                          .explorations = s->answers->explorations,
                                          .boxes = s->boxes.count};
    s->request->report(s->request->context, &progress);
  }
}

/* Has a limit been met? */
static bool is_over(dsm__search *s) {
  const dsm_design_request *const request = s->request;
  const size_t bytes = s->boxes.capacity * sizeof(dsm__box) +
                       s->answers->list.capacity *
                           (sizeof(dsm__answer) + s->question->network_count * sizeof(dsm__times));
  return (request->time_limit_seconds > 0 && dsm__deadline_is_over(&s->deadline)) ||
         (request->exploration_limit > 0 &&
          s->answers->explorations >= request->exploration_limit) ||
         (request->memory_limit_bytes > 0 && bytes > request->memory_limit_bytes);
}

dsm_status dsm__search_again(dsm__search *s, dsm_diags *diags) {
  s->best = SIZE_MAX;
  s->cut = HUGE_VAL;
  s->boxes.count = 0;
  take_best(s, 0);
  dsm_status status = s->best == SIZE_MAX ? DSM_OK : descend(s);
  if (status == DSM_OK) {
    status = begin(s, diags);
  }
  while (status == DSM_OK && s->boxes.count > 0 && !is_cut(s, s->boxes.items[0].bound)) {
    s->bound = s->boxes.items[0].bound;
    report(s);
    if (is_over(s)) {
      s->is_stopped = true;
      break;
    }
    status = look(s);
  }
  s->bound = s->boxes.count > 0 ? fmin(s->cut, s->boxes.items[0].bound) : s->cut;
  s->bound = fmin(s->bound, incumbent(s));
  return status;
}

dsm_status dsm__search_run(dsm__search *s, dsm_diags *diags) {
  dsm__deadline_begin(
      &s->deadline, s->request->time_limit_seconds > 0 ? s->request->time_limit_seconds : HUGE_VAL);
  if (!DSM__RESERVE(s->arena, s->times, s->question->network_count)) {
    return dsm__out_of_memory(diags);
  }
  s->best = SIZE_MAX;
  dsm_status status = explore_own(s);
  if (status == DSM_OK) {
    status = dsm__search_again(s, diags);
  }
  if (status == DSM_OK && s->best != SIZE_MAX) {
    /* What is beside the best design tells what more of anything would buy. */
    double slopes[DSM__DIMENSIONS_MAX] = {0};
    const dsm__corner best = s->answers->list.items[s->best].corner;
    status = slopes_at(s, &best, slopes);
    s->bound = fmin(s->bound, incumbent(s));
  }
  report(s);
  return status;
}
