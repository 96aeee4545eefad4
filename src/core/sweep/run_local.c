/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_local.c: a sweep on threads of this process, each with an evaluator of its own. */
#include "base/arena.h"
#include "base/diag_add.h"
#include "base/parallel.h"
#include "dsm/sweep_run.h"
#include "sweep/evaluator.h"

/* What a thread has of its own. */
typedef struct worker {
  dsm__evaluator *evaluator;
  dsm_point_result result;
  dsm_status status; /* of its evaluator */
} worker;

typedef struct run {
  dsm_store *store;
  const dsm_sweep *sweep;
  const dsm_sweep_run_options *options;
  dsm_sweep_progress *progress;
  dsm_diags *diags;
  dsm__arena *arena;
  size_t *points; /* that are not recorded yet */
  size_t point_count;
  worker *workers;
  size_t worker_count;
  dsm_status put_status; /* of the store */
} run;

void dsm_sweep_run_options_init(dsm_sweep_run_options *options) {
  *options = (dsm_sweep_run_options){.thread_count = 1, .shard = {.index = 0, .count = 1}};
}

/* Lists the points of the shard that are not recorded yet. */
static dsm_status list_points(run *r) {
  const size_t count = r->sweep->point_count;
  bool *const is_done = dsm__arena_array(r->arena, count, sizeof *is_done);
  r->points = dsm__arena_array(r->arena, count, sizeof *r->points);
  if (is_done == NULL || r->points == NULL) {
    return dsm__out_of_memory(r->diags);
  }
  const dsm_status status = dsm_store_done(r->store, is_done, r->diags);
  if (status != DSM_OK) {
    return status;
  }
  for (size_t p = r->options->shard.index; p < count; p += r->options->shard.count) {
    r->progress->total++;
    if (is_done[p]) {
      r->progress->earlier++;
    } else {
      r->points[r->point_count++] = p;
    }
  }
  r->progress->done = r->progress->earlier;
  return DSM_OK;
}

static dsm_status make_workers(run *r) {
  const size_t wanted = dsm__parallel_workers(r->options->thread_count);
  r->worker_count = wanted < r->point_count ? wanted : r->point_count;
  r->workers = dsm__arena_array(r->arena, r->worker_count, sizeof *r->workers);
  if (r->workers == NULL) {
    r->worker_count = 0;
    return dsm__out_of_memory(r->diags);
  }
  for (size_t w = 0; w < r->worker_count; w++) {
    r->workers[w].evaluator = dsm__evaluator_new(r->sweep);
    if (r->workers[w].evaluator == NULL) {
      return dsm__out_of_memory(r->diags);
    }
  }
  return DSM_OK;
}

static bool make(void *context, size_t task_index, size_t worker_index) {
  const run *const r = context;
  worker *const w = &r->workers[worker_index];
  if (r->options->is_stopped != NULL && r->options->is_stopped(r->options->context)) {
    return false;
  }
  w->status = dsm__evaluate(w->evaluator, r->points[task_index], &w->result, NULL);
  return w->status == DSM_OK;
}

static void report(const run *r, const dsm_point_result *latest) {
  r->progress->latest = latest;
  if (r->options->report != NULL) {
    r->options->report(r->options->context, r->progress);
  }
}

static bool take(void *context, size_t task_index, size_t worker_index) {
  run *const r = context;
  const dsm_point_result *const result = &r->workers[worker_index].result;
  (void)task_index;
  r->put_status = dsm_store_put(r->store, result, r->diags);
  if (r->put_status != DSM_OK) {
    return false;
  }
  r->progress->done++;
  r->progress->infeasible += result->status == DSM_POINT_INFEASIBLE ? 1 : 0;
  r->progress->invalid += result->status == DSM_POINT_INVALID ? 1 : 0;
  report(r, result);
  return true;
}

/* Evaluates and records what is left. */
static dsm_status go(run *r) {
  report(r, NULL);
  const bool is_whole = dsm__parallel_stream(r->worker_count, r->point_count, make, take, r);
  report(r, NULL);
  if (is_whole || r->put_status != DSM_OK) {
    return r->put_status;
  }
  for (size_t w = 0; w < r->worker_count; w++) {
    if (r->workers[w].status != DSM_OK) {
      return dsm__out_of_memory(r->diags);
    }
  }
  return DSM_OK; /* it was stopped */
}

dsm_status dsm_sweep_run(dsm_store *store, const dsm_sweep *sweep,
                         const dsm_sweep_run_options *options, dsm_sweep_progress *progress,
                         dsm_diags *diags) {
  dsm_sweep_run_options defaults;
  dsm_sweep_run_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  run r = {.store = store,
           .sweep = sweep,
           .options = options,
           .progress = progress,
           .diags = diags,
           .arena = dsm__arena_new(),
           .put_status = DSM_OK};
  *progress = (dsm_sweep_progress){0};
  dsm_status status = r.arena == NULL ? dsm__out_of_memory(diags) : list_points(&r);
  if (status == DSM_OK) {
    status = make_workers(&r);
  }
  if (status == DSM_OK) {
    status = go(&r);
  }
  for (size_t w = 0; w < r.worker_count; w++) {
    dsm__evaluator_free(r.workers[w].evaluator);
  }
  dsm__arena_free(r.arena);
  return status;
}
