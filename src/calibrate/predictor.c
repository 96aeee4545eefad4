/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibrate/predictor.h"

#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/parallel.h"
#include "plan/legal.h"

/* What is remembered of trials takes at most so much. */
static const size_t kept_bytes_max = (size_t)64 << 20;

/* A trial that is being predicted. */
typedef struct job {
  dsm__predictor *predictor;
  dsm__trial *trial;
} job;

/* ---- one question ---- */

/* The question's system with the values of a trial. It borrows all else: it is not to be freed. */
static dsm_system system_of(const dsm__predictor *predictor, const dsm__question *question,
                            const dsm__trial *trial) {
  dsm_system made = *dsm__question_system(predictor->read, question);
  for (size_t k = 0; k < predictor->constant_count; k++) {
    double *const field = dsm__parameter_field(predictor->constants[k].parameter, &made);
    *field = trial->values[k];
  }
  return made;
}

static dsm_status map(dsm_plan **plan, const dsm__question *question, const dsm_system *system,
                      dsm_explorer *explorer, dsm_diags *diags) {
  dsm_explore_options options = question->options;
  options.thread_count = 1;
  return question->plan != NULL
             ? dsm__plan_keep(plan, question->plan, question->plan->workload, system, diags)
             : dsm_explorer_explore(explorer, plan, question->workload, system, &options, diags);
}

/* How long the layers and passes of a row take. */
static double seconds_of(const dsm__row *row, const dsm_plan *plan) {
  const bool is_step = row->of.layer == NULL && row->of.pass == DSM_PASS_COUNT;
  if (is_step) {
    return plan->result.step_seconds;
  }
  double cycles = 0;
  for (size_t i = 0; i < row->layer_count; i++) {
    for (unsigned p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[row->first_layer + i].passes[p];
      const bool is_asked = row->of.pass == DSM_PASS_COUNT || p == (unsigned)row->of.pass;
      cycles += is_asked && pass->exists ? pass->cycles.total : 0;
    }
  }
  return cycles * dsm_plan_computing_seconds(plan) / plan->result.step_cycles;
}

static void predict_question(void *context, size_t task_index, size_t worker_index) {
  const job *const of = context;
  const dsm__predictor *const predictor = of->predictor;
  const dsm__measurements *const read = predictor->read;
  const dsm__question *const question = &read->questions.items[task_index];
  const dsm_system system = system_of(predictor, question, of->trial);
  dsm_plan *plan = NULL;
  predictor->statuses[task_index] =
      map(&plan, question, &system, predictor->explorers[worker_index], NULL);
  for (size_t r = question->first_row; r != DSM__NO_ROW; r = read->rows.items[r].next_row) {
    of->trial->seconds[r] =
        plan == NULL ? (double)INFINITY : seconds_of(&read->rows.items[r], plan);
  }
  dsm_plan_free(plan);
}

/* ---- all of them ---- */

static void copy(dsm__trial *to, const dsm__trial *from, size_t row_count) {
  memcpy(to->values, from->values, sizeof to->values);
  memcpy(to->seconds, from->seconds, row_count * sizeof *to->seconds);
}

static uint32_t hash_of(const dsm__trial *trial) {
  return dsm__map_hash(0, trial->values, sizeof trial->values);
}

/* The trial with the same values among those that are remembered; NULL if there is none. */
static const dsm__trial *recall(const dsm__predictor *predictor, const dsm__trial *trial) {
  const size_t index =
      dsm__map_find_in(&predictor->kept_index, hash_of(trial), predictor->kept.items,
                       sizeof *predictor->kept.items, trial->values, sizeof trial->values);
  return index == DSM__MAP_NONE ? NULL : &predictor->kept.items[index];
}

/* Fits that differ in what they leave out try much that others have tried. False if out of memory.
 */
static bool remember(dsm__predictor *predictor, const dsm__trial *trial) {
  const size_t row_count = predictor->read->rows.count;
  const size_t size = sizeof *trial + row_count * sizeof *trial->seconds;
  dsm__trial kept;
  if (predictor->kept.count >= kept_bytes_max / size) {
    return true;
  }
  if (!DSM__LIST_RESERVE_IN(&predictor->kept, 1, predictor->arena) ||
      !DSM__RESERVE(predictor->arena, kept.seconds, row_count) ||
      !dsm__map_add(&predictor->kept_index, hash_of(trial), predictor->kept.count)) {
    return false;
  }
  copy(&kept, trial, row_count);
  predictor->kept.items[predictor->kept.count++] = kept;
  return true;
}

bool dsm__predict(dsm__predictor *predictor, dsm__trial *trial) {
  const dsm__measurements *const read = predictor->read;
  const size_t question_count = read->questions.count;
  const dsm__trial *const kept = recall(predictor, trial);
  if (kept != NULL) {
    copy(trial, kept, read->rows.count);
    return true;
  }
  if (predictor->explorations > 0 &&
      predictor->explorations + question_count > predictor->exploration_max) {
    predictor->is_stopped = true;
    return false;
  }
  predictor->explorations += question_count;
  dsm__parallel_for(predictor->thread_count, question_count, predict_question,
                    &(job){predictor, trial});
  for (size_t q = 0; q < question_count; q++) {
    predictor->is_out_of_memory =
        predictor->is_out_of_memory || predictor->statuses[q] == DSM_ERROR_OUT_OF_MEMORY;
  }
  predictor->is_out_of_memory = predictor->is_out_of_memory || !remember(predictor, trial);
  return !predictor->is_out_of_memory;
}

dsm_status dsm__predict_explain(dsm__predictor *predictor, const dsm__trial *trial,
                                dsm_diags *diags) {
  const dsm__measurements *const read = predictor->read;
  for (size_t r = 0; r < read->rows.count; r++) {
    const dsm__row *const row = &read->rows.items[r];
    const dsm__question *const question = &read->questions.items[row->question];
    if (predictor->statuses[row->question] != DSM_OK) {
      const dsm_system system = system_of(predictor, question, trial);
      dsm_diags *const found = dsm_diags_new(1);
      dsm_plan *plan = NULL;
      const dsm_status status = found == NULL
                                    ? DSM_ERROR_OUT_OF_MEMORY
                                    : map(&plan, question, &system, predictor->explorers[0], found);
      if (dsm_diags_count(found) > 0) {
        const dsm__place place = {.file = read->request->file, .line = row->of.line};
        const dsm_diag *const why = dsm_diags_get(found, 0);
        dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, why->hint, "%s: %s", row->of.workload,
                       why->message);
      }
      dsm_diags_free(found);
      dsm_plan_free(plan);
      return status == DSM_ERROR_USAGE ? DSM_ERROR_INVALID : status;
    }
  }
  return DSM_OK;
}

bool dsm__predictor_init(dsm__predictor *predictor) {
  const size_t worker_count = dsm__parallel_workers(predictor->thread_count);
  dsm__arena *const arena = dsm__arena_new();
  predictor->arena = arena;
  bool is_done = DSM__RESERVE(arena, predictor->explorers, worker_count) &&
                 DSM__RESERVE(arena, predictor->statuses, predictor->read->questions.count);
  while (is_done && predictor->explorer_count < worker_count) {
    dsm_explorer *const explorer = dsm_explorer_new();
    is_done = explorer != NULL;
    predictor->explorers[predictor->explorer_count] = explorer;
    predictor->explorer_count += is_done ? 1 : 0;
  }
  return is_done;
}

void dsm__predictor_fini(dsm__predictor *predictor) {
  for (size_t i = 0; i < predictor->explorer_count; i++) {
    dsm_explorer_free(predictor->explorers[i]);
  }
  dsm__map_fini(&predictor->kept_index);
  dsm__arena_free(predictor->arena);
}
