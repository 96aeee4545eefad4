/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_answer.c: what a search found, and what it says of the question. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/order.h"
#include "design/design_internal.h"

/* Values that differ by less are equal. */
#define SAME 1e-9

typedef struct maker {
  dsm_design *made;
  const dsm__search *search;
  const dsm__question *question;
  const dsm__answer *best;
  const dsm_design_request *request;
  dsm_diags *diags;
} maker;

/* ---- what a design is ---- */

/* Of what is minimised, budgets aside; infinite: it cannot run. */
static double value_of(const dsm__question *q, const dsm__answer *answer, dsm__times *scratch) {
  for (size_t n = 0; n < q->network_count; n++) {
    scratch[n] = dsm__times_found(&answer->times[n]);
    if (!(scratch[n].of[DSM_AIM_TIME].high < HUGE_VAL)) {
      return HUGE_VAL;
    }
  }
  return dsm__objective_low(q, &answer->corner, &answer->corner, scratch);
}

/* The design with the next better value of a parameter, if it was explored. */
static const dsm__answer *beside(const maker *m, size_t d) {
  const dsm__dimension *const dimension = &m->question->dimensions[d];
  dsm__corner corner = m->best->corner;
  const bool is_up = dimension->way == DSM_WAY_NEVER_SLOWER;
  if (dimension->way == DSM_WAY_NEITHER || corner.at[d] == (is_up ? dimension->count - 1 : 0)) {
    return NULL;
  }
  corner.at[d] = is_up ? corner.at[d] + 1 : corner.at[d] - 1;
  return dsm__answer_of(m->search->answers, &corner);
}

/* ---- parameters ---- */

static bool list_parameters(const maker *m) {
  const dsm__question *const q = m->question;
  dsm__arena *const arena = m->made->arena;
  dsm_design_parameter *const made = dsm__arena_array(arena, q->dimension_count, sizeof *made);
  if (made == NULL) {
    return false;
  }
  for (size_t d = 0; d < q->dimension_count; d++) {
    const dsm__dimension *const of = &q->dimensions[d];
    const dsm__answer *const next = beside(m, d);
    const double value = next == NULL ? HUGE_VAL : value_of(q, next, m->search->times);
    const double gain = value < HUGE_VAL ? 1 - value / m->made->value : 0;
    const uint32_t at = m->best->corner.at[d];
    made[d] = (dsm_design_parameter){
        .path = of->parameter->path,
        .unit = of->parameter->unit,
        .way = of->way,
        .value = dsm__arena_strdup(arena, of->values[at].text),
        .own = dsm__arena_strdup(arena, of->values[of->own].text),
        .least = dsm__arena_strdup(arena, of->values[0].text),
        .most = dsm__arena_strdup(arena, of->values[of->count - 1].text),
        .value_count = of->count,
        .is_at_limit = of->way != DSM_WAY_NEITHER &&
                       at == (of->way == DSM_WAY_NEVER_SLOWER ? of->count - 1 : 0),
        .gain = gain > SAME ? gain : 0};
    if (made[d].value == NULL || made[d].own == NULL || made[d].least == NULL ||
        made[d].most == NULL) {
      return false;
    }
  }
  m->made->parameters = made;
  m->made->parameter_count = q->dimension_count;
  return true;
}

/* ---- budgets ---- */

static double least_of(const dsm__question *q, const dsm__limit *budget) {
  const dsm__box all = dsm__box_of_all(q);
  return dsm__range_of(q, budget->expression, &all.low, &all.high, NULL).low;
}

/* From the parameters whose next better value breaks it: what a unit more saves. */
static void set_price(const maker *m, const dsm__limit *budget, dsm_design_budget *made) {
  const dsm__question *const q = m->question;
  for (size_t d = 0; d < q->dimension_count; d++) {
    const dsm__answer *const next = beside(m, d);
    const double gain = m->made->parameters[d].gain * m->made->value;
    if (next == NULL || gain <= 0) {
      continue;
    }
    const double spent = dsm__spent_of(q, budget->expression, next);
    if (spent > made->limit && spent > made->value) {
      const double price = gain / (spent - made->value);
      made->is_binding = true;
      made->price = price > made->price ? price : made->price;
    }
  }
}

static bool list_budgets(const maker *m) {
  const dsm__question *const q = m->question;
  dsm_design_budget *const made = dsm__arena_array(m->made->arena, q->budget_count, sizeof *made);
  if (made == NULL) {
    return false;
  }
  for (size_t b = 0; b < q->budget_count; b++) {
    made[b] = (dsm_design_budget){.text = dsm__arena_strdup(m->made->arena, q->budgets[b].name),
                                  .limit = q->budgets[b].most,
                                  .value = dsm__spent_of(q, q->budgets[b].expression, m->best),
                                  .least = least_of(q, &q->budgets[b])};
    if (made[b].text == NULL) {
      return false;
    }
    set_price(m, &q->budgets[b], &made[b]);
  }
  m->made->budgets = made;
  m->made->budget_count = q->budget_count;
  return true;
}

/* ---- networks ---- */

/* The plan of a network on the best design. */
static dsm_status add_plan(const maker *m, size_t network, dsm_design_network *made) {
  const dsm__question *const q = m->question;
  dsm__sweep_point point;
  if (!dsm__point_init(&point, q->sweep, dsm__point_of(q, m->best->place, network, 0), q->arena)) {
    return dsm__out_of_memory(m->diags);
  }
  const dsm__found found = dsm__evaluator_ask(m->search->answers->evaluators[0], &point);
  char *const text = found.plan == NULL ? NULL : dsm_plan_print(found.plan);
  made->plan = text == NULL ? NULL : dsm__arena_strdup(m->made->arena, text);
  free(text);
  return made->plan == NULL ? dsm__out_of_memory(m->diags) : DSM_OK;
}

static dsm_status list_networks(const maker *m) {
  const dsm__question *const q = m->question;
  const dsm__answer *const own = &m->search->answers->list.items[0];
  dsm_design_network *const made = dsm__arena_array(m->made->arena, q->network_count, sizeof *made);
  dsm_status status = made == NULL ? dsm__out_of_memory(m->diags) : DSM_OK;
  for (size_t n = 0; made != NULL && n < q->network_count && status == DSM_OK; n++) {
    const dsm__times found = dsm__times_found(&m->best->times[n]);
    const double seconds = own->times[n].of[DSM_AIM_TIME].high;
    made[n] = (dsm_design_network){
        .name = dsm__arena_strdup(m->made->arena, q->sweep->workloads[n].name),
        .weight = q->weights[n],
        .step_seconds = found.of[DSM_AIM_TIME].high,
        .own_seconds = seconds < HUGE_VAL ? seconds : 0,
        .gap = m->best->times[n].of[q->aims[0]].high / m->best->times[n].of[q->aims[0]].low - 1,
        .value = dsm__range_of(q, q->minimize, &m->best->corner, &m->best->corner, &found).low};
    status = made[n].name == NULL      ? dsm__out_of_memory(m->diags)
             : m->request->wants_plans ? add_plan(m, n, &made[n])
                                       : DSM_OK;
  }
  m->made->networks = made;
  m->made->network_count = q->network_count;
  return status;
}

/* ---- the best ones ---- */

static int by_value(const void *left, const void *right) {
  const dsm__answer *const a = *(const dsm__answer *const *)left;
  const dsm__answer *const b = *(const dsm__answer *const *)right;
  return dsm__order_then(dsm__order(a->value, b->value),
                         a->place < b->place ? -1 : a->place > b->place);
}

/* Of all parameters; NULL if out of memory. */
static const char *const *values_of(const maker *m, const dsm__answer *answer) {
  const dsm__question *const q = m->question;
  dsm__arena *const arena = m->made->arena;
  const char **const values = dsm__arena_array(arena, q->dimension_count, sizeof *values);
  for (size_t d = 0; values != NULL && d < q->dimension_count; d++) {
    values[d] = dsm__arena_strdup(arena, q->dimensions[d].values[answer->corner.at[d]].text);
    if (values[d] == NULL) {
      return NULL;
    }
  }
  return values;
}

static bool fill_choice(const maker *m, const dsm__answer *answer, dsm_design_choice *choice) {
  const dsm__question *const q = m->question;
  dsm__arena *const arena = m->made->arena;
  const char *const *const values = values_of(m, answer);
  double *const spent = dsm__arena_array(arena, q->budget_count, sizeof *spent);
  double *const seconds = dsm__arena_array(arena, q->network_count, sizeof *seconds);
  const bool is_good = values != NULL && spent != NULL && seconds != NULL;
  for (size_t b = 0; b < q->budget_count && is_good; b++) {
    spent[b] = dsm__spent_of(q, q->budgets[b].expression, answer);
  }
  for (size_t n = 0; n < q->network_count && is_good; n++) {
    seconds[n] = answer->times[n].of[DSM_AIM_TIME].high;
  }
  *choice = (dsm_design_choice){.values = values,
                                .value = answer->value,
                                .share = answer->value / m->made->value - 1,
                                .spent = spent,
                                .seconds = seconds};
  return is_good;
}

/* Of equally good ones the first. */
static bool list_choices(const maker *m) {
  const dsm__answers *const answers = m->search->answers;
  dsm_design_choice *const made = dsm__arena_array(m->made->arena, DSM_DESIGN_LISTED, sizeof *made);
  const dsm__answer **const sorted =
      dsm__arena_array(m->question->arena, answers->wanted, sizeof *sorted);
  if (made == NULL || sorted == NULL) {
    return false;
  }
  for (size_t i = 0; i < answers->wanted; i++) {
    sorted[i] = &answers->list.items[i];
  }
  dsm__sort(sorted, answers->wanted, sizeof *sorted, by_value);
  size_t count = 0;
  for (size_t i = 0; i < answers->wanted && count < DSM_DESIGN_LISTED; i++) {
    const bool is_other = count == 0 || sorted[i]->value > made[count - 1].value * (1 + SAME);
    if (is_other && sorted[i]->value < HUGE_VAL && !fill_choice(m, sorted[i], &made[count++])) {
      return false;
    }
  }
  m->made->choices = made;
  m->made->choice_count = count;
  return true;
}

static bool list_front(const maker *m) {
  const dsm__search *const s = m->search;
  const dsm__question *const q = m->question;
  dsm__arena *const arena = m->made->arena;
  dsm_design_step *const made = dsm__arena_array(arena, s->front.count, sizeof *made);
  if (made == NULL) {
    return false;
  }
  for (size_t i = 0; i < s->front.count; i++) {
    const dsm__step *const step = &s->front.items[i];
    const dsm__answer *const best = &s->answers->list.items[step->best];
    made[i] = (dsm_design_step){.most = step->most,
                                .spent = dsm__spent_of(q, q->pareto, best),
                                .value = value_of(q, best, s->times),
                                .bound = step->bound,
                                .values = values_of(m, best)};
    if (made[i].values == NULL) {
      return false;
    }
  }
  m->made->front = made;
  m->made->front_count = s->front.count;
  m->made->pareto = q->pareto == NULL ? NULL : dsm__arena_strdup(arena, q->pareto + 1);
  return q->pareto == NULL || m->made->pareto != NULL;
}

/* ---- none ---- */

/* Why a network cannot run on the system as it is. */
static dsm_status complain_of_networks(const maker *m) {
  const dsm__question *const q = m->question;
  const dsm__answer *const own = &m->search->answers->list.items[0];
  for (size_t n = 0; n < q->network_count; n++) {
    dsm__sweep_point point;
    if (own->times[n].of[DSM_AIM_TIME].high < HUGE_VAL) {
      continue;
    }
    if (!dsm__point_init(&point, q->sweep, dsm__point_of(q, own->place, n, 0), q->arena)) {
      return dsm__out_of_memory(m->diags);
    }
    const dsm__found found = dsm__evaluator_ask(m->search->answers->evaluators[0], &point);
    const char *const why =
        found.finding == NULL ? "it has no mapping" : dsm__finding_text(&found, q->arena);
    return dsm__refuse(m->diags, DSM_ERROR_INFEASIBLE,
                       "%s runs on none of the designs; on the system as it is: %s",
                       q->sweep->workloads[n].name, why == NULL ? "" : why);
  }
  return dsm__refuse(m->diags, DSM_ERROR_INFEASIBLE,
                     "no design keeps all budgets and runs all networks");
}

static dsm_status complain(const maker *m) {
  const dsm__question *const q = m->question;
  for (size_t b = 0; b < q->budget_count; b++) {
    const double least = least_of(q, &q->budgets[b]);
    if (least > q->budgets[b].most) {
      return dsm__refuse(m->diags, DSM_ERROR_INFEASIBLE,
                         "no design keeps the budget %s: the least is %.6g", q->budgets[b].name,
                         least);
    }
  }
  return m->search->is_stopped
             ? dsm__refuse(m->diags, DSM_ERROR_INFEASIBLE,
                           "the search ended before it found a design that keeps all budgets")
         : m->search->box_count == 0
             ? dsm__refuse(m->diags, DSM_ERROR_INFEASIBLE,
                           "each budget alone can be kept, but no design keeps all of them")
             : complain_of_networks(m);
}

dsm_status dsm__design_make(dsm_design *made, const dsm__search *search,
                            const dsm_design_request *request, dsm_diags *diags) {
  const dsm__question *const q = search->question;
  const dsm__answer *const own = &search->answers->list.items[0];
  maker m = {.made = made, .search = search, .question = q, .request = request, .diags = diags};
  if (search->best == SIZE_MAX) {
    return complain(&m);
  }
  m.best = &search->answers->list.items[search->best];
  made->system = dsm__arena_strdup(made->arena, q->system->name);
  made->minimize = dsm__arena_strdup(made->arena, q->minimize + 1);
  made->question = dsm__arena_strdup(made->arena, q->sweep->resolved);
  made->value = m.best->value;
  made->bound = search->bound;
  made->gap = made->bound > 0 ? made->value / made->bound - 1 : 0;
  const double own_value = value_of(q, own, search->times);
  made->own_value = own_value < HUGE_VAL ? own_value : 0;
  made->is_own_within = own->value < HUGE_VAL;
  made->designs = q->network_stride;
  made->explorations = search->answers->explorations;
  made->boxes = search->box_count;
  made->is_stopped = search->is_stopped;
  if (made->system == NULL || made->minimize == NULL || made->question == NULL ||
      !list_parameters(&m) || !list_budgets(&m) || !list_choices(&m) || !list_front(&m)) {
    return dsm__out_of_memory(diags);
  }
  return list_networks(&m);
}
