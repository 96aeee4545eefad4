/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * front.c: partitions that are best in several objectives at once: the questions.
 *
 * Each question is one of dsm_partition_solve, with a share of the time that is left: of those that
 * are still to be asked each has as much. What a question proves is kept, also where there is no
 * answer to it.
 */
#include "partition/front_internal.h"

#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "partition/instance_facts.h"

/* Numbers of answers that are nearer than that are the same whatever the gap. */
static const double least_slack = 1e-6;

enum { QUESTIONS_OF_TWO = 12, QUESTIONS_OF_THREE = 36, LEAST_OF_TWO = 3, LEAST_OF_THREE = 5 };

void dsm_front_options_init(dsm_front_options *options) {
  *options = (dsm_front_options){.objectives =
                                     1U << DSM_OBJECTIVE_THROUGHPUT | 1U << DSM_OBJECTIVE_LATENCY};
  dsm_partition_options_init(&options->partition);
}

/* ---- what is asked ---- */

static bool has_all(const dsm_front_options *options) {
  return options->objectives == (1U << DSM_OBJECTIVE_KIND_COUNT) - 1;
}

static dsm_status check_options(const dsm_instance *instance, const dsm_front_options *options,
                                dsm_diags *diags) {
  const unsigned all = (1U << DSM_OBJECTIVE_KIND_COUNT) - 1;
  const size_t least = has_all(options) ? LEAST_OF_THREE : LEAST_OF_TWO;
  const size_t count = options->question_count;
  if ((options->objectives & ~all) != 0 ||
      !dsm__front_has(options->objectives, DSM_OBJECTIVE_THROUGHPUT) ||
      options->objectives == 1U << DSM_OBJECTIVE_THROUGHPUT) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "a front is of throughput, and of latency, energy or both");
  }
  if (count > 0 && (count < least || count > DSM_FRONT_QUESTIONS_MAX)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected %zu to %d questions of a front of %s objectives, found %zu", least,
                       DSM_FRONT_QUESTIONS_MAX, has_all(options) ? "three" : "two", count);
  }
  dsm_status status = DSM_OK;
  for (int k = 0; k < DSM_OBJECTIVE_KIND_COUNT && status == DSM_OK; k++) {
    dsm_partition_options asked = options->partition;
    asked.objective = (dsm_objective_kind)k;
    asked.required_rho = 1;
    if (k ==
        DSM_OBJECTIVE_LATENCY) { /* it is limited in all questions but one, which need not be */
      asked.objective = DSM_OBJECTIVE_THROUGHPUT;
      asked.latency_limit_seconds = options->partition.latency_limit_seconds == 0
                                        ? 1
                                        : options->partition.latency_limit_seconds;
    }
    if (dsm__front_has(options->objectives, (dsm_objective_kind)k)) {
      status = dsm__check_question(instance, &asked, diags);
    }
  }
  return status;
}

/* ---- questions ---- */

static bool is_stopped(const dsm__front_finder *f) {
  const dsm_partition_options *const options = &f->options->partition;
  return options->is_stopped != NULL && options->is_stopped(options->context);
}

bool dsm__front_is_over(const dsm__front_finder *f) {
  return f->status != DSM_OK || f->asked_count >= f->question_count || is_stopped(f) ||
         dsm__deadline_left(&f->deadline) <= 0;
}

/* The options of a question: those of all, and what it asks. */
static dsm_partition_options options_of(const dsm__front_finder *f, dsm__front_question question) {
  dsm_partition_options options = f->options->partition;
  const double whole = options.time_limit_seconds;
  options.objective = question.objective;
  options.latency_limit_seconds = question.limit_seconds;
  options.required_rho = question.objective == DSM_OBJECTIVE_ENERGY ? question.rate : 0;
  options.time_limit_seconds = fmax(dsm__deadline_left(&f->deadline), whole / 1000) /
                               (double)(f->question_count - f->asked_count);
  return options;
}

/* What is said of a later question, once each. */
static void pass_on(dsm__front_finder *f) {
  for (size_t k = 0; k < dsm_diags_count(f->later); k++) {
    const dsm_diag *const each = dsm_diags_get(f->later, k);
    bool is_known = false;
    for (size_t i = 0; i < dsm_diags_count(f->diags) && !is_known; i++) {
      is_known = strcmp(dsm_diags_get(f->diags, i)->message, each->message) == 0;
    }
    if (!is_known) {
      dsm__diags_add(f->diags, each->severity, (dsm__place){.file = NULL}, NULL, "%s",
                     each->message);
    }
  }
}

/* No answer: it is out of reach, or it was not found. What is wrong with the question, or with the
 * machine, ends the search; of the first question also that it has none. */
static void take_failure(dsm__front_finder *f, dsm_status status, bool is_first,
                         dsm__front_proof *proof) {
  if (is_first) {
    f->status = status;
  } else if (status == DSM_ERROR_INFEASIBLE) {
    proof->bound = proof->objective == DSM_OBJECTIVE_ENERGY ? HUGE_VAL : 0;
    f->proofs.items[f->proofs.count++] = *proof;
  } else if (status == DSM_ERROR_IO) {
    f->unanswered_count++;
  } else {
    f->status = status;
    pass_on(f);
  }
}

static dsm_front_point point_of(dsm_partition *made, dsm__front_question question) {
  return (dsm_front_point){.objective = question.objective,
                           .latency_limit_seconds = question.limit_seconds,
                           .required_rho = made->options.required_rho,
                           .bound = made->bound,
                           .gap = made->gap,
                           .status = made->status,
                           .rho = made->rho,
                           .mean_latency_seconds = made->mean_latency_seconds,
                           .joules_per_request = made->joules_per_request,
                           .is_rho_bound = made->is_bound,
                           .is_mean_bound = made->is_mean_bound,
                           .partition = made};
}

bool dsm__front_ask(dsm__front_finder *f, dsm__front_question question, double *value) {
  if (!DSM__LIST_RESERVE_IN(&f->points, 1, f->arena) ||
      !DSM__LIST_RESERVE_IN(&f->proofs, 1, f->arena)) {
    f->status = dsm__out_of_memory(f->diags);
    return false;
  }
  const bool is_first = f->asked_count == 0;
  const dsm_partition_options asked = options_of(f, question);
  if (f->options->begin_question != NULL) {
    f->options->begin_question(f->options->partition.context, f->asked_count, f->question_count,
                               question.objective);
  }
  dsm_diags_clear(f->later);
  dsm_partition *made = NULL;
  const dsm_status status =
      dsm_partition_solve(&made, f->instance, &asked, is_first ? f->diags : f->later);
  f->asked_count++;
  dsm__front_proof proof = {.objective = question.objective,
                            .limit_seconds =
                                question.limit_seconds > 0 ? question.limit_seconds : HUGE_VAL,
                            .rate = question.rate};
  if (status != DSM_OK) {
    take_failure(f, status, is_first, &proof);
    return false;
  }
  pass_on(f);
  *value = made->objective;
  proof.bound = made->bound;
  f->proofs.items[f->proofs.count++] = proof;
  if (question.objective == DSM_OBJECTIVE_LATENCY) {
    dsm_partition_free(made);
  } else {
    /* the share of a question is a matter of the clock, and nobody's question */
    made->options.time_limit_seconds = f->options->partition.time_limit_seconds;
    f->points.items[f->points.count++] = point_of(made, question);
  }
  return true;
}

/* ---- all of them ---- */

/*
 * All questions. Latency comes first: its points say how many requests there can be within which
 * limit, and within each of these limits, energy is asked for at rates up to there. The number of
 * limits is about that of rates for each.
 */
static void ask_all(dsm__front_finder *f) {
  const double limit = f->options->partition.latency_limit_seconds;
  const unsigned objectives = f->options->objectives;
  const bool has_energy = dsm__front_has(objectives, DSM_OBJECTIVE_ENERGY);
  double most = 0;
  if (!dsm__front_ask(f, (dsm__front_question){DSM_OBJECTIVE_THROUGHPUT, limit, 0}, &most)) {
    return;
  }
  if (dsm__front_has(objectives, DSM_OBJECTIVE_LATENCY)) {
    const size_t share = (size_t)fmax(3, ceil(sqrt((double)f->question_count)));
    dsm__front_ask_limits(f, has_energy ? share : f->question_count);
  }
  const size_t limit_count = has_energy ? f->points.count : 0;
  for (size_t k = 0; k < limit_count && !dsm__front_is_over(f); k++) {
    const dsm_front_point within = f->points.items[k];
    const size_t left = f->question_count - f->asked_count;
    dsm__front_ask_rates(f, within.latency_limit_seconds, within.rho,
                         f->asked_count + left / (limit_count - k));
  }
}

static dsm_status hand_over(dsm__front_finder *f, dsm_front *front) {
  front->name = dsm__arena_strdup(f->arena, f->instance->name == NULL ? "" : f->instance->name);
  if (front->name == NULL) {
    return dsm__out_of_memory(f->diags);
  }
  front->is_over = f->asked_count < f->question_count && dsm__deadline_left(&f->deadline) <= 0;
  front->was_stopped = is_stopped(f);
  dsm__front_sift(f);
  for (size_t k = 0; k < f->points.count; k++) {
    dsm__front_bound(f, &f->points.items[k]);
  }
  front->objectives = f->options->objectives;
  front->gap = f->options->partition.gap;
  front->question_count = f->asked_count;
  front->unanswered_count = f->unanswered_count;
  front->seconds = f->options->partition.time_limit_seconds - dsm__deadline_left(&f->deadline);
  front->points = f->points.items;
  front->point_count = f->points.count;
  return DSM_OK;
}

dsm_status dsm_front_find(dsm_front **front, const dsm_instance *instance,
                          const dsm_front_options *options, dsm_diags *diags) {
  *front = NULL;
  const dsm_status checked = check_options(instance, options, diags);
  if (checked != DSM_OK) {
    return checked;
  }
  dsm_front *const made = DSM__ARENA_OWNER(dsm_front);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm__front_finder f = {.instance = instance,
                         .options = options,
                         .diags = diags,
                         .later = dsm_diags_new(10),
                         .arena = made->arena,
                         .slack = fmax(options->partition.gap, least_slack),
                         .question_count = options->question_count > 0 ? options->question_count
                                           : has_all(options)          ? QUESTIONS_OF_THREE
                                                                       : QUESTIONS_OF_TWO};
  if (f.later == NULL) {
    dsm_front_free(made);
    return dsm__out_of_memory(diags);
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    f.idle_watts += instance->devices[j].idle_watts;
    f.has_batches = f.has_batches || dsm_instance_batch(instance, j) > 1 ||
                    instance->devices[j].batch_size_count > 1;
  }
  dsm__deadline_begin(&f.deadline, options->partition.time_limit_seconds);
  ask_all(&f);
  dsm_status status = f.status == DSM_OK ? hand_over(&f, made) : f.status;
  dsm_diags_free(f.later);
  if (status != DSM_OK) {
    made->points = f.points.items;
    made->point_count = f.points.count;
    dsm_front_free(made);
    return status;
  }
  *front = made;
  return DSM_OK;
}

void dsm_front_free(dsm_front *front) {
  if (front != NULL) {
    for (size_t k = 0; k < front->point_count; k++) {
      dsm_partition_free(front->points[k].partition);
    }
    dsm__arena_free(front->arena);
  }
}
