/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cases_sweep_store.c: sweep_store.h and the reports of points. SQLite's allocations fail like our
 * own (injected.c).
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "subject.h"
#include "sweep/stored.h"

enum { LAYERS = 3 };

static void *poison(void) {
  static char place;
  return &place;
}

/* A file of the folder of stores. */
typedef struct place {
  char path[SUBJECT_PATH_BYTES + 16];
} place;

static place place_of(const subject *s, const char *name) {
  place made;
  (void)snprintf(made.path, sizeof made.path, "%s%s", s->store_path, name);
  return made;
}

static void remove_database(const char *path) {
  static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
  char name[SUBJECT_PATH_BYTES + 32];
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    (void)snprintf(name, sizeof name, "%s%s", path, endings[i]);
    (void)unlink(name);
  }
}

static attempt finish_store(dsm_status status, dsm_store *store) {
  attempt made = attempt_of_status(status, store, 1);
  if ((void *)store != poison()) {
    dsm_store_close(store);
  }
  return made;
}

/* ---- opening ---- */

static attempt open_new(const subject *s, dsm_diags *diags) {
  const place target = place_of(s, ".new");
  remove_database(target.path);
  dsm_store *store = poison();
  const dsm_status status = dsm_store_open(&store, target.path, s->stored, diags);
  return finish_store(status, store);
}

static const char *no_file_after_a_failure(const subject *s, dsm_status status) {
  const place target = place_of(s, ".new");
  return status != DSM_OK && access(target.path, F_OK) == 0 ? "a new database is whole or not there"
                                                            : NULL;
}

static attempt open_old(const subject *s, dsm_diags *diags) {
  dsm_store *store = poison();
  const dsm_status status = dsm_store_open(&store, s->store_path, s->stored, diags);
  return finish_store(status, store);
}

static attempt open_other(const subject *s, dsm_diags *diags) {
  dsm_store *store = poison();
  const dsm_status status = dsm_store_open(&store, s->store_path, s->other_stored, diags);
  return finish_store(status, store);
}

/* It has no status: what it cannot tell it denies. */
static attempt is_of_other(const subject *s, dsm_diags *diags) {
  const bool is_other = dsm_store_is_of_other(s->store_path, s->other_stored);
  return (attempt){.status = is_other ? DSM_OK : dsm__out_of_memory(diags)};
}

static attempt open_read(const subject *s, dsm_diags *diags) {
  dsm_store *store = poison();
  const dsm_status status = dsm_store_open_read(&store, s->store_path, diags);
  attempt made = {.status = status};
  if (status == DSM_OK) {
    made.digest = digest_text(DIGEST_START, dsm_store_resolved(store));
  }
  const attempt end = finish_store(status, store);
  made.wrong = end.wrong;
  return made;
}

static attempt is_database(const subject *s, dsm_diags *diags) {
  (void)diags;
  return (attempt){.digest = dsm_store_is_database(s->store_path) ? 1 : 2};
}

/* ---- using ---- */

static attempt done(const subject *s, dsm_diags *diags) {
  bool is_done[16] = {false};
  dsm_store *store = NULL;
  attempt made = {.status = dsm_store_open_read(&store, s->store_path, diags)};
  if (made.status == DSM_OK) {
    made.status = dsm_store_done(store, is_done, diags);
  }
  if (made.status == DSM_OK) {
    made.digest = digest_bytes(DIGEST_START, is_done, s->stored->point_count);
  }
  dsm_store_close(store);
  return made;
}

static uint64_t digest_table(const dsm_point_table *table) {
  uint64_t digest = digest_u64(DIGEST_START, table->row_count);
  for (size_t i = 0; i < table->row_count * table->column_count; i++) {
    digest = digest_u64(digest, table->cells[i].kind);
    digest = digest_double(digest, table->cells[i].number);
    digest = digest_text(digest, table->cells[i].text == NULL ? "" : table->cells[i].text);
  }
  return digest;
}

static attempt points(const subject *s, dsm_diags *diags) {
  dsm_store *store = NULL;
  dsm_point_table *table = poison();
  dsm_status status = dsm_store_open_read(&store, s->store_path, diags);
  if (status != DSM_OK) {
    return (attempt){.status = status};
  }
  status = dsm_store_points(store, &table, diags);
  const attempt made = attempt_of_status(status, table, status == DSM_OK ? digest_table(table) : 0);
  if ((void *)table != poison()) {
    dsm_point_table_free(table);
  }
  dsm_store_close(store);
  return made;
}

/* Opens, records a point, and looks whether all of it or nothing is there. */
static attempt put(const subject *s, dsm_diags *diags) {
  const place target = place_of(s, ".put");
  remove_database(target.path);
  dsm_store *store = NULL;
  dsm_status status = dsm_store_open(&store, target.path, s->stored, diags);
  if (status == DSM_OK) {
    status = dsm_store_put(store, &s->stored_result->result, diags);
  }
  dsm_store_close(store);
  return (attempt){.status = status};
}

static const char *all_or_nothing(const subject *s, dsm_status status) {
  const place target = place_of(s, ".put");
  if (access(target.path, F_OK) != 0) {
    return status == DSM_OK ? "what was put is there" : NULL;
  }
  dsm_store *store = NULL;
  dsm_point_table *table = NULL;
  if (dsm_store_open_read(&store, target.path, NULL) != DSM_OK ||
      dsm_store_points(store, &table, NULL) != DSM_OK) {
    dsm_store_close(store);
    return "the database is whole";
  }
  const bool is_there = table->row_count == 1;
  dsm_point_table_free(table);
  dsm_store_close(store);
  return is_there == (status == DSM_OK) ? NULL : "a point is recorded if the status says so";
}

/* The plan of a point of a database. */
static attempt plan_of(const char *path, size_t point, dsm_diags *diags) {
  double recorded = 0;
  dsm_store *store = NULL;
  dsm_plan *plan = poison();
  dsm_status status = dsm_store_open_read(&store, path, diags);
  if (status != DSM_OK) {
    return (attempt){.status = status};
  }
  status = dsm_store_plan(store, point, &plan, &recorded, diags);
  const attempt made = attempt_of_status(
      status, plan,
      status == DSM_OK ? digest_double(DIGEST_START, plan->result.step_cycles + recorded) : 0);
  if ((void *)plan != poison()) {
    dsm_plan_free(plan);
  }
  dsm_store_close(store);
  return made;
}

/* The sweep is of a network: it has no plan of cores in memory. */
static attempt other_plan(const subject *s, dsm_diags *diags) {
  double recorded = 0;
  dsm_store *store = NULL;
  dsm_pim_plan *plan = poison();
  dsm_status status = dsm_store_open_read(&store, s->swept_path, diags);
  if (status != DSM_OK) {
    return (attempt){.status = status};
  }
  const bool is_pim = dsm_store_is_pim(store);
  status = dsm_store_pim_plan(store, 0, &plan, &recorded, diags);
  attempt made = attempt_of_status(status, plan, 0);
  made.wrong = is_pim ? "a network on cores in memory" : made.wrong;
  if ((void *)plan != poison()) {
    dsm_pim_plan_free(plan);
  }
  dsm_store_close(store);
  return made;
}

static attempt explored_plan(const subject *s, dsm_diags *diags) {
  return plan_of(s->swept_path, 0, diags);
}

static attempt infeasible_plan(const subject *s, dsm_diags *diags) {
  return plan_of(s->swept_path, 1, diags);
}

static attempt broken_plan(const subject *s, dsm_diags *diags) {
  return plan_of(s->store_path, 0, diags);
}

static attempt merge(const subject *s, dsm_diags *diags) {
  const place target = place_of(s, ".new");
  remove_database(target.path);
  const char *const sources[] = {s->store_path};
  return (attempt){.status = dsm_store_merge(target.path, sources, 1, diags)};
}

/* ---- selecting and reporting ---- */

static attempt select_rows(const subject *s, dsm_diags *diags, bool is_pareto) {
  dsm_objective objectives[2];
  dsm_point_table table = *s->points;
  table.arena = dsm__arena_new();
  if (table.arena == NULL) {
    return (attempt){.status = DSM_ERROR_OUT_OF_MEMORY};
  }
  dsm_status status = dsm_objective_parse(&objectives[0], &table, "max:utilization", diags);
  if (status == DSM_OK) {
    status = dsm_objective_parse(&objectives[1], &table, "workload.minibatch", diags);
  }
  if (status == DSM_OK) {
    status = is_pareto ? dsm_point_table_pareto(&table, objectives, 2, diags)
                       : dsm_point_table_best(&table, objectives[0], 3, diags);
  }
  const uint64_t digest = status == DSM_OK ? digest_table(&table) : 0;
  dsm__arena_free(table.arena);
  return (attempt){.status = status, .digest = digest};
}

static attempt best(const subject *s, dsm_diags *diags) {
  return select_rows(s, diags, false);
}

static attempt pareto(const subject *s, dsm_diags *diags) {
  return select_rows(s, diags, true);
}

/* A column more, or fewer rows. */
static attempt narrow(const subject *s, dsm_diags *diags, bool is_define) {
  static const char *const wheres[] = {"minibatch*2>0", "status=ok"};
  dsm_point_table table = *s->points;
  table.arena = dsm__arena_new();
  if (table.arena == NULL) {
    return (attempt){.status = DSM_ERROR_OUT_OF_MEMORY};
  }
  const dsm_status status = is_define
                                ? dsm_point_table_define(&table, "twice=2*step_seconds", diags)
                                : dsm_point_table_where(&table, wheres, 2, diags);
  const uint64_t digest = status == DSM_OK ? digest_table(&table) : 0;
  dsm__arena_free(table.arena);
  return (attempt){.status = status, .digest = digest};
}

static attempt define(const subject *s, dsm_diags *diags) {
  return narrow(s, diags, true);
}

static attempt where(const subject *s, dsm_diags *diags) {
  return narrow(s, diags, false);
}

/* Points of two workloads on two systems or more. */
static attempt means(const subject *s, dsm_diags *diags) {
  dsm_point_table table = *s->points;
  table.arena = dsm__arena_new();
  if (table.arena == NULL) {
    return (attempt){.status = DSM_ERROR_OUT_OF_MEMORY};
  }
  const dsm_status status = dsm_point_table_means(&table, diags);
  const uint64_t digest = status == DSM_OK ? digest_table(&table) : 0;
  dsm__arena_free(table.arena);
  return (attempt){.status = status, .digest = digest};
}

static attempt bad_objective(const subject *s, dsm_diags *diags) {
  dsm_objective objective;
  return (attempt){.status = dsm_objective_parse(&objective, s->points, "utilisation", diags)};
}

FORM_CASES(points, DSM_ANSWER(points, s->points))

const faulty_case sweep_store_cases[] = {
    {"dsm_store_open, new", open_new, DSM_OK, no_file_after_a_failure},
    {"dsm_store_open, existing", open_old, DSM_OK, NULL},
    {"dsm_store_open, another sweep", open_other, DSM_ERROR_INVALID, NULL},
    {"dsm_store_is_of_other", is_of_other, DSM_OK, NULL},
    {"dsm_store_open_read", open_read, DSM_OK, NULL},
    {"dsm_store_is_database", is_database, DSM_OK, NULL},
    {"dsm_store_done", done, DSM_OK, NULL},
    {"dsm_store_points", points, DSM_OK, NULL},
    {"dsm_store_put", put, DSM_OK, all_or_nothing},
    {"dsm_store_plan, explored", explored_plan, DSM_OK, NULL},
    {"dsm_store_plan, infeasible", infeasible_plan, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_store_plan, recorded but no plan", broken_plan, DSM_ERROR_INVALID, NULL},
    {"dsm_store_pim_plan, of a network", other_plan, DSM_ERROR_INVALID, NULL},
    {"dsm_store_merge", merge, DSM_OK, no_file_after_a_failure},
    {"dsm_point_table_best", best, DSM_OK, NULL},
    {"dsm_point_table_pareto", pareto, DSM_OK, NULL},
    {"dsm_point_table_means", means, DSM_OK, NULL},
    {"dsm_point_table_define", define, DSM_OK, NULL},
    {"dsm_point_table_where", where, DSM_OK, NULL},
    {"dsm_objective_parse, unknown", bad_objective, DSM_ERROR_USAGE, NULL},
    FORM_ROWS(points),
};
const size_t sweep_store_case_count = sizeof sweep_store_cases / sizeof sweep_store_cases[0];
