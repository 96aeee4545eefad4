/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_answers.c: designs that were explored, each once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/parallel.h"
#include "design/design_internal.h"

dsm_status dsm__answers_init(dsm__answers *answers, const dsm__question *question,
                             const dsm_design_request *request, dsm_diags *diags) {
  *answers = (dsm__answers){.question = question,
                            .arena = dsm__arena_new(),
                            .thread_count = dsm__parallel_workers(request->thread_count),
                            .diags = diags};
  if (answers->arena == NULL ||
      !DSM__RESERVE(answers->arena, answers->evaluators, answers->thread_count)) {
    return dsm__out_of_memory(diags);
  }
  for (size_t t = 0; t < answers->thread_count; t++) {
    answers->evaluators[t] = dsm__evaluator_new(question->sweep);
    if (answers->evaluators[t] == NULL) {
      return dsm__out_of_memory(diags);
    }
  }
  return DSM_OK;
}

void dsm__answers_fini(dsm__answers *answers) {
  for (size_t t = 0; answers->evaluators != NULL && t < answers->thread_count; t++) {
    dsm__evaluator_free(answers->evaluators[t]);
  }
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
                          answers->list.items, sizeof answers->list.items[0], &place,
                          sizeof place);
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

static dsm__times times_of(const dsm_point_result *result) {
  if (result->status != DSM_POINT_OK) {
    const bool is_invalid = result->status == DSM_POINT_INVALID;
    return (dsm__times){.seconds = {is_invalid ? 0 : HUGE_VAL, HUGE_VAL}};
  }
  const dsm_plan_result *const found = &result->result;
  const double share = found->lower_bound_cycles / found->step_cycles;
  return (dsm__times){.seconds = {share < 1 ? found->step_seconds * share : found->step_seconds,
                                  found->step_seconds},
                      .samples = found->samples_per_second * found->step_seconds,
                      .ideal = found->utilization * found->step_seconds};
}

static void explore(void *context, size_t task, size_t worker) {
  dsm__answers *const answers = context;
  const dsm__question *const q = answers->question;
  dsm__answer *const answer = &answers->list.items[answers->wanted + task / q->network_count];
  const size_t network = task % q->network_count;
  dsm_point_result result;
  if (dsm__evaluate(answers->evaluators[worker], network * q->network_stride + answer->place,
                    &result, NULL) == DSM_OK) {
    answer->times[network] = times_of(&result);
  } else {
    answer->times[network].samples = -1; /* memory was out */
  }
}

/* From what was found to the quantity. */
static void evaluate(const dsm__question *q, dsm__answer *answer, dsm__times *scratch) {
  const dsm__corner *const at = &answer->corner;
  answer->low = dsm__objective_low(q, at, at, answer->times);
  answer->value = HUGE_VAL;
  for (size_t n = 0; n < q->network_count; n++) {
    const double seconds = answer->times[n].seconds.high;
    scratch[n] = answer->times[n];
    scratch[n].seconds = (dsm__interval){seconds, seconds};
    if (!isfinite(seconds)) {
      return;
    }
  }
  if (dsm__may_keep(q, at, at, scratch)) {
    answer->value = dsm__objective_low(q, at, at, scratch);
  }
}

dsm_status dsm__answers_find(dsm__answers *answers) {
  const dsm__question *const q = answers->question;
  const size_t tasks = (answers->list.count - answers->wanted) * q->network_count;
  dsm__times *const scratch = dsm__arena_array(answers->arena, q->network_count, sizeof *scratch);
  if (scratch == NULL) {
    return dsm__out_of_memory(answers->diags);
  }
  dsm__parallel_for(answers->thread_count, tasks, explore, answers);
  answers->explorations += tasks;
  for (; answers->wanted < answers->list.count; answers->wanted++) {
    dsm__answer *const answer = &answers->list.items[answers->wanted];
    for (size_t n = 0; n < q->network_count; n++) {
      if (answer->times[n].samples < 0) {
        return dsm__out_of_memory(answers->diags);
      }
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

void dsm__answers_bound(const dsm__answers *answers, const dsm__corner *corner,
                        dsm__times *times) {
  const dsm__question *const q = answers->question;
  for (size_t n = 0; n < q->network_count; n++) {
    times[n] = (dsm__times){.seconds = {0, HUGE_VAL}};
  }
  for (size_t i = 0; i < answers->wanted; i++) {
    const dsm__answer *const answer = &answers->list.items[i];
    if (!dominates(q, &answer->corner, corner)) {
      continue;
    }
    for (size_t n = 0; n < q->network_count; n++) {
      const double low = answer->times[n].seconds.low;
      times[n].seconds.low = low > times[n].seconds.low ? low : times[n].seconds.low;
      times[n].samples =
          answer->times[n].samples > 0 ? answer->times[n].samples : times[n].samples;
    }
  }
}
