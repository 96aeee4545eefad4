/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_sweep_eval.c: explorers, single points of a sweep, and local runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dsm/explore.h"
#include "dsm/sweep_run.h"
#include "subject.h"
#include "sweep/evaluator.h"

/* ---- a sweep that can be explored ---- */

static dsm_status read_nothing(void *context, const char *name, const char *folder,
                               dsm_description kind, char **text, size_t *length, char **file,
                               dsm_diags *diags) {
  (void)context;
  (void)name;
  (void)folder;
  (void)kind;
  (void)text;
  (void)length;
  (void)file;
  (void)diags;
  return DSM_ERROR_IO;
}

/* Four points: one is good, one infeasible, two are invalid. */
dsm_sweep *subject_sweep(void) {
  static const dsm_sweep_source source = {.read = read_nothing};
  char text[8192];
  snprintf(text, sizeof text,
           "{ \"format\": \"dsm-sweep/1\", \"name\": \"four\", \"record\": \"plans\",\n"
           "  \"workloads\": [ { \"name\": \"w\", \"description\": { \"format\": "
           "\"dsm-workload/1\", \"name\": \"w\", \"minibatch\": 2, \"layers\": [ { \"name\": "
           "\"f\", \"type\": \"fc\", \"in\": 4, \"out\": 4 } ] } } ],\n"
           "  \"systems\": [ { \"name\": \"s\", \"description\": %s } ],\n"
           "  \"axes\": [ { \"path\": \"workload.minibatch\", \"values\": [2, 0] },\n"
           "    { \"path\": \"system.chip.memory.capacity_GB\", \"values\": [1, 1e-9] } ] }\n",
           subject_system_text);
  dsm_sweep *sweep = NULL;
  if (dsm_sweep_make(&sweep, text, strlen(text), "four.json", NULL, NULL, &source, NULL) !=
      DSM_OK) {
    fprintf(stderr, "the sweep of four points cannot be made\n");
    exit(EXIT_FAILURE);
  }
  return sweep;
}

/* ---- explorers ---- */

static attempt new_explorer(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_explorer *const explorer = dsm_explorer_new();
  const dsm_status status = explorer == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
  dsm_explorer_free(explorer);
  return (attempt){.status = status};
}

static uint64_t digest_plan(const dsm_plan *plan) {
  uint64_t digest = digest_double(DIGEST_START, plan->result.step_cycles);
  digest = digest_double(digest, plan->result.lower_bound_cycles);
  return digest_u64(digest, plan->statistics.evaluations);
}

/* Twice: where there was no memory to keep something, it is found again. */
static attempt explore_twice(const subject *s, const dsm_workload *workload,
                             const dsm_explore_options *options, dsm_diags *diags) {
  static dsm_plan poison;
  dsm_explorer *const explorer = dsm_explorer_new();
  if (explorer == NULL) {
    return (attempt){.status = DSM_ERROR_OUT_OF_MEMORY};
  }
  attempt made = {.status = DSM_OK};
  for (int i = 0; i < 2 && made.status == DSM_OK && made.wrong == NULL; i++) {
    dsm_plan *plan = &poison;
    const dsm_status status =
        dsm_explorer_explore(explorer, &plan, workload, s->long_system, options, diags);
    const uint64_t before = made.digest;
    made = attempt_of_status(status, plan, status == DSM_OK ? digest_plan(plan) : 0);
    if (status == DSM_OK && i == 1 && made.digest != before) {
      made.wrong = "what is explored again is the same";
    }
    if (plan != &poison) {
      dsm_plan_free(plan);
    }
  }
  dsm_explorer_free(explorer);
  return made;
}

static attempt explore_residual(const subject *s, dsm_diags *diags) {
  return explore_twice(s, s->residual, &s->training, diags);
}

static attempt explore_stacked(const subject *s, dsm_diags *diags) {
  return explore_twice(s, s->stacked, &s->training, diags);
}

/* ---- points ---- */

static uint64_t digest_result(uint64_t digest, const dsm_point_result *result) {
  digest = digest_u64(digest, result->status);
  digest = digest_text(digest, result->reason == NULL ? "" : result->reason);
  digest = digest_text(digest, result->decisions == NULL ? "" : result->decisions);
  digest = digest_text(digest, result->plan == NULL ? "" : result->plan);
  digest = digest_double(digest, result->result.step_cycles);
  return digest_u64(digest, result->layer_count);
}

static attempt evaluate_all(const subject *s, dsm_diags *diags) {
  dsm__evaluator *const evaluator = dsm__evaluator_new(s->swept);
  attempt made = {.status = evaluator == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK,
                  .digest = DIGEST_START};
  for (size_t p = 0; made.status == DSM_OK && p < s->swept->point_count; p++) {
    dsm_point_result result;
    made.status = dsm__evaluate(evaluator, p, &result, diags);
    if (made.status == DSM_OK) {
      made.digest = digest_result(made.digest, &result);
    }
  }
  dsm__evaluator_free(evaluator);
  return made;
}

/* ---- runs ---- */

static void remove_database(const char *path) {
  static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
  char name[SUBJECT_PATH_BYTES + 32];
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    (void)snprintf(name, sizeof name, "%s%s", path, endings[i]);
    (void)unlink(name);
  }
}

static attempt run(const subject *s, size_t thread_count, dsm_diags *diags) {
  char path[SUBJECT_PATH_BYTES + 16];
  dsm_store *store = NULL;
  dsm_sweep_progress progress = {0};
  dsm_sweep_run_options options;
  dsm_sweep_run_options_init(&options);
  options.thread_count = thread_count;
  (void)snprintf(path, sizeof path, "%s.run", s->store_path);
  remove_database(path);
  attempt made = {.status = dsm_store_open(&store, path, s->swept, diags)};
  if (made.status == DSM_OK) {
    made.status = dsm_sweep_run(store, s->swept, &options, &progress, diags);
  }
  if (made.status == DSM_OK) {
    made.digest = digest_u64(DIGEST_START, progress.done);
    made.digest = digest_u64(made.digest, progress.invalid);
    made.digest = digest_u64(made.digest, progress.infeasible);
  }
  dsm_store_close(store);
  remove_database(path);
  return made;
}

static attempt run_alone(const subject *s, dsm_diags *diags) {
  return run(s, 1, diags);
}

static attempt run_with_threads(const subject *s, dsm_diags *diags) {
  return run(s, 2, diags);
}

static attempt free_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_explorer_free(NULL);
  dsm__evaluator_free(NULL);
  return (attempt){.status = DSM_OK};
}

const faulty_case sweep_eval_cases[] = {
    {"dsm_explorer_new", new_explorer, DSM_OK, NULL},
    {"dsm_explorer_explore, residual", explore_residual, DSM_OK, NULL},
    {"dsm_explorer_explore, stacked", explore_stacked, DSM_OK, NULL},
    {"dsm__evaluate", evaluate_all, DSM_OK, NULL},
    {"dsm_sweep_run, 1 thread", run_alone, DSM_OK, NULL},
    {"dsm_sweep_run, 2 threads", run_with_threads, DSM_OK, NULL},
    {"dsm_explorer_free", free_nothing, DSM_OK, NULL},
};
const size_t sweep_eval_case_count = sizeof sweep_eval_cases / sizeof sweep_eval_cases[0];
