/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_answers.c: designs that were explored, each once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/parallel.h"
#include "design/design_internal.h"

/* What an earlier search kept. */
static dsm_status open_store(dsm__answers *answers, const char *path) {
  const dsm_status opened =
      dsm_store_open(&answers->store, path, answers->question->sweep, answers->diags);
  const dsm_status status =
      opened == DSM_OK ? dsm_store_points(answers->store, &answers->recorded, answers->diags)
                       : opened;
  const dsm_point_table *const table = answers->recorded;
  for (size_t r = 0; status == DSM_OK && r < table->row_count; r++) {
    const uint64_t point = (uint64_t)table->cells[r * table->column_count].number;
    if (!dsm__map_add(&answers->recorded_map, dsm__map_hash(0, &point, sizeof point), r)) {
      return dsm__out_of_memory(answers->diags);
    }
  }
  return status;
}

dsm_status dsm__answers_init(dsm__answers *answers, const dsm__question *question,
                             const dsm_design_request *request, dsm_diags *diags) {
  *answers = (dsm__answers){.question = question,
                            .arena = dsm__arena_new(),
                            .thread_count = dsm__parallel_workers(request->thread_count),
                            .diags = diags};
  if (answers->arena == NULL ||
      !DSM__RESERVE(answers->arena, answers->evaluators, answers->thread_count) ||
      !DSM__RESERVE(answers->arena, answers->results, answers->thread_count)) {
    return dsm__out_of_memory(diags);
  }
  for (size_t t = 0; t < answers->thread_count; t++) {
    answers->evaluators[t] = dsm__evaluator_new(question->sweep);
    if (answers->evaluators[t] == NULL) {
      return dsm__out_of_memory(diags);
    }
  }
  return request->store == NULL ? DSM_OK : open_store(answers, request->store);
}

void dsm__answers_fini(dsm__answers *answers) {
  for (size_t t = 0; answers->evaluators != NULL && t < answers->thread_count; t++) {
    dsm__evaluator_free(answers->evaluators[t]);
  }
  dsm_store_close(answers->store);
  dsm_point_table_free(answers->recorded);
  dsm__map_fini(&answers->recorded_map);
  dsm__map_fini(&answers->map);
  dsm__arena_free(answers->arena);
}

static uint64_t place_of(const dsm__question *question, const dsm__corner *corner) {
  uint64_t place = 0;
  for (size_t d = 0; d < question->dimension_count; d++) {
    place += question->dimensions[d].stride * corner->at[d];
  }
  return place;
}

static size_t find(const dsm__answers *answers, uint64_t place) {
  return dsm__map_find_in(&answers->map, dsm__map_hash(0, &place, sizeof place),
                          answers->list.items, sizeof answers->list.items[0], &place, sizeof place);
}

const dsm__answer *dsm__answer_of(const dsm__answers *answers, const dsm__corner *corner) {
  const size_t at = find(answers, place_of(answers->question, corner));
  return at == DSM__MAP_NONE || at >= answers->wanted ? NULL : &answers->list.items[at];
}

bool dsm__answers_want(dsm__answers *answers, const dsm__corner *corner) {
  const uint64_t place = place_of(answers->question, corner);
  if (find(answers, place) != DSM__MAP_NONE) {
    return true;
  }
  dsm__answer made = {.place = place, .corner = *corner};
  return DSM__RESERVE(answers->arena, made.times, answers->question->network_count) &&
         DSM__LIST_PUSH_IN(&answers->list, answers->arena, made) &&
         dsm__map_add(&answers->map, dsm__map_hash(0, &place, sizeof place),
                      answers->list.count - 1);
}

/* ---- exploring ---- */

/* No mapping has less of an objective. */
static double bound_of(const dsm_point_result *result, dsm_aim aim) {
  const dsm_plan_result *const found = &result->result;
  if (result->status != DSM_POINT_OK) {
    return result->status == DSM_POINT_INVALID ? 0 : HUGE_VAL;
  }
  return aim == DSM_AIM_TIME
             ? found->step_seconds * fmin(1, found->lower_bound_cycles / found->step_cycles)
             : found->energy.objective_bound;
}

/* All but the bounds. */
static void take_plan(const dsm_point_result *result, dsm__times *times) {
  const dsm_plan_result *const found = &result->result;
  const double seconds = found->step_seconds;
  times->of[DSM_AIM_TIME].high = seconds;
  times->of[DSM_AIM_JOULES].high = found->energy.step_joules;
  times->of[DSM_AIM_EDP].high = found->energy.step_joules * seconds;
  times->of[DSM_AIM_DOLLARS].high = found->energy.step_dollars;
  times->samples = found->samples_per_second * seconds;
  times->ideal = found->utilization * seconds;
  for (int aim = 0; aim < DSM_AIM_COUNT && result->status != DSM_POINT_OK; aim++) {
    times->of[aim].high = HUGE_VAL;
  }
}

/* Of a row of the database. */
static bool number_in(const dsm_point_table *table, size_t row, const char *column,
                      double *number) {
  for (size_t c = 0; c < table->column_count; c++) {
    if (strcmp(table->columns[c], column) == 0) {
      const dsm_cell *const cell = &table->cells[row * table->column_count + c];
      *number = cell->number;
      return cell->kind == DSM_CELL_NUMBER;
    }
  }
  return false;
}

static bool is_point(const void *context, size_t row, const void *point) {
  const dsm_point_table *const table = context;
  return table->cells[row * table->column_count].number == (double)*(const uint64_t *)point;
}

/* What the database had of a point; false: nothing. */
static bool find_recorded(const dsm__answers *answers, uint64_t point, dsm_point_result *result) {
  const dsm_point_table *const table = answers->recorded;
  const size_t row =
      table == NULL ? DSM__MAP_NONE
                    : dsm__map_find(&answers->recorded_map, dsm__map_hash(0, &point, sizeof point),
                                    is_point, table, &point);
  if (row == DSM__MAP_NONE) {
    return false;
  }
  dsm_plan_result *const found = &result->result;
  *result = (dsm_point_result){.point = (size_t)point};
  if (!number_in(table, row, "step_seconds", &found->step_seconds)) {
    const char *const status = table->cells[row * table->column_count + 1].text;
    result->status = status != NULL && strcmp(status, dsm_point_status_name(DSM_POINT_INVALID)) == 0
                         ? DSM_POINT_INVALID
                         : DSM_POINT_INFEASIBLE;
    return true;
  }
  /* Of a system without a technology there are none. */
  (void)number_in(table, row, "step_joules", &found->energy.step_joules);
  (void)number_in(table, row, "step_dollars", &found->energy.step_dollars);
  (void)number_in(table, row, "objective_bound", &found->energy.objective_bound);
  return number_in(table, row, "step_cycles", &found->step_cycles) &&
         number_in(table, row, "lower_bound_cycles", &found->lower_bound_cycles) &&
         number_in(table, row, "samples_per_second", &found->samples_per_second) &&
         number_in(table, row, "utilization", &found->utilization);
}

/* Of all networks with all objectives. */
static size_t tasks_of_one(const dsm__question *q) {
  return q->network_count * q->aim_count;
}

static bool explore(void *context, size_t task, size_t worker) {
  dsm__answers *const answers = context;
  const dsm__question *const q = answers->question;
  dsm__answer *const answer = &answers->list.items[answers->wanted + task / tasks_of_one(q)];
  const size_t network = task % q->network_count;
  const size_t aim = task / q->network_count % q->aim_count;
  const uint64_t point = dsm__point_of(q, answer->place, network, aim);
  dsm_point_result *const result = &answers->results[worker];
  if (!find_recorded(answers, point, result) &&
      dsm__evaluate(answers->evaluators[worker], (size_t)point, result, NULL) != DSM_OK) {
    return false;
  }
  dsm__times *const times = &answer->times[network];
  times->of[q->aims[aim]].low = bound_of(result, q->aims[aim]);
  if (aim == 0) {
    take_plan(result, times);
  }
  return true;
}

/* Records what was found, which one thread does at a time. */
static bool record(void *context, size_t task, size_t worker) {
  dsm__answers *const answers = context;
  dsm_point_result unused;
  (void)task;
  if (answers->store != NULL && !find_recorded(answers, answers->results[worker].point, &unused)) {
    answers->put_status = dsm_store_put(answers->store, &answers->results[worker], answers->diags);
  }
  return answers->put_status == DSM_OK;
}

/* From what was found to the quantity. */
static void evaluate(const dsm__question *q, dsm__answer *answer, dsm__times *scratch) {
  const dsm__corner *const at = &answer->corner;
  answer->low = dsm__objective_low(q, at, at, answer->times);
  answer->value = HUGE_VAL;
  for (size_t n = 0; n < q->network_count; n++) {
    scratch[n] = dsm__times_found(&answer->times[n]);
    if (!isfinite(scratch[n].of[DSM_AIM_TIME].high)) {
      return;
    }
  }
  if (dsm__may_keep(q, at, at, scratch)) {
    answer->value = dsm__objective_low(q, at, at, scratch);
  }
}

double dsm__spent_of(const dsm__question *question, const char *expression,
                     const dsm__answer *answer) {
  double most = -HUGE_VAL;
  for (size_t n = 0; n < question->network_count; n++) {
    const dsm__times found = dsm__times_found(&answer->times[n]);
    const double value =
        dsm__range_of(question, expression, &answer->corner, &answer->corner, &found).low;
    most = value > most ? value : most;
  }
  return most;
}

dsm_status dsm__answers_judge(dsm__answers *answers) {
  const dsm__question *const q = answers->question;
  dsm__times *const scratch = dsm__arena_array(answers->arena, q->network_count, sizeof *scratch);
  for (size_t i = 0; scratch != NULL && i < answers->wanted; i++) {
    evaluate(q, &answers->list.items[i], scratch);
  }
  return scratch == NULL ? dsm__out_of_memory(answers->diags) : DSM_OK;
}

dsm_status dsm__answers_find(dsm__answers *answers) {
  const dsm__question *const q = answers->question;
  const size_t tasks = (answers->list.count - answers->wanted) * tasks_of_one(q);
  dsm__times *const scratch = dsm__arena_array(answers->arena, q->network_count, sizeof *scratch);
  if (scratch == NULL) {
    return dsm__out_of_memory(answers->diags);
  }
  if (!dsm__parallel_stream(answers->thread_count, tasks, explore, record, answers)) {
    return answers->put_status != DSM_OK ? answers->put_status : dsm__out_of_memory(answers->diags);
  }
  answers->explorations += tasks;
  for (; answers->wanted < answers->list.count; answers->wanted++) {
    dsm__answer *const answer = &answers->list.items[answers->wanted];
    if (dsm__has_energy_aims(q)) {
      dsm__seconds_count(q, &answer->corner, answer->counts);
    }
    evaluate(q, answer, scratch);
  }
  return DSM_OK;
}

/* ---- what they say of others ---- */

/* Is no design of which `corner` is the best better than this one? */
static bool dominates(const dsm__question *q, const dsm__corner *one, const dsm__corner *corner) {
  for (size_t d = 0; d < q->dimension_count; d++) {
    const dsm_way way = q->dimensions[d].way;
    if (one->at[d] != corner->at[d] &&
        (way == DSM_WAY_NEITHER || (one->at[d] > corner->at[d]) != (way == DSM_WAY_NEVER_SLOWER))) {
      return false;
    }
  }
  return true;
}

/*
 * Joules and dollars are k * seconds + what does not depend on rates. A machine of the box is no
 * faster than the explored one, and its k is at least counts[aim]: where that is less than the k of
 * the explored one, the ratio of the two times its bound is a bound. Likewise edp.
 */
static double bound_at(const dsm__answer *answer, const dsm__interval *found, int aim,
                       const double counts[DSM_AIM_COUNT]) {
  const bool is_less = counts[aim] < answer->counts[aim];
  return is_less ? found->low * (counts[aim] / answer->counts[aim]) : found->low;
}

void dsm__answers_bound(const dsm__answers *answers, const dsm__box *box, dsm__times *times) {
  const dsm__question *const q = answers->question;
  const dsm__corner corner = dsm__best_corner(q, box);
  double counts[DSM_AIM_COUNT] = {0};
  if (dsm__has_energy_aims(q)) {
    dsm__seconds_count(q, &box->low, counts);
  }
  for (size_t n = 0; n < q->network_count; n++) {
    times[n] = (dsm__times){.samples = 0};
    for (int aim = 0; aim < DSM_AIM_COUNT; aim++) {
      times[n].of[aim].high = HUGE_VAL;
    }
  }
  for (size_t i = 0; i < answers->wanted; i++) {
    const dsm__answer *const answer = &answers->list.items[i];
    if (!dominates(q, &answer->corner, &corner)) {
      continue;
    }
    for (size_t n = 0; n < q->network_count; n++) {
      for (size_t a = 0; a < q->aim_count; a++) {
        const dsm_aim aim = q->aims[a];
        dsm__interval *const of = &times[n].of[aim];
        const double low = bound_at(answer, &answer->times[n].of[aim], (int)aim, counts);
        of->low = low > of->low ? low : of->low;
      }
      times[n].samples = answer->times[n].samples > 0 ? answer->times[n].samples : times[n].samples;
    }
  }
}
