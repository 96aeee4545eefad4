/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_plan.c: the plan of a point, as recorded or explored again. */
#include <assert.h>
#include <string.h>

#include "base/diag_add.h"
#include "sweep/evaluator.h"
#include "sweep/machine_kind.h"
#include "sweep/option_words.h"
#include "sweep/store_internal.h"

/* What a database has of a point. Texts are the arena's. */
typedef struct recorded {
  bool exists;
  const char *status;
  const char *reason;  /* NULL: none */
  const char *plan;    /* NULL: not recorded */
  double step_cycles;  /* 0: none */
  double step_seconds; /* likewise */
} recorded;

/* The plan that is wanted. */
typedef struct wanted {
  const dsm__machine *machine;
  void **plan;
} wanted;

static int column_of(const dsm_store *store, const char *name) {
  size_t column = store->column_count - 1;
  while (column > 0 && strcmp(store->columns[column], name) != 0) {
    column--;
  }
  return (int)column;
}

static int read_row(dsm_store *store, sqlite3_stmt *statement, dsm__arena *arena, recorded *row) {
  static const char *const names[] = {"status", "reason", "plan"};
  const char **const texts[] = {&row->status, &row->reason, &row->plan};
  int code = SQLITE_OK;
  row->exists = true;
  row->step_cycles = sqlite3_column_double(statement, column_of(store, "step_cycles"));
  row->step_seconds = sqlite3_column_double(statement, column_of(store, "step_seconds"));
  for (size_t i = 0; i < DSM__COUNT_OF(names) && code == SQLITE_OK; i++) {
    code = dsm__store_copy_text(statement, column_of(store, names[i]), arena, texts[i]);
  }
  return code;
}

static dsm_status read_recorded(dsm_store *store, size_t point, dsm__arena *arena, recorded *row,
                                dsm_diags *diags) {
  sqlite3_stmt *statement;
  int code = dsm__store_ask(store, DSM__STATEMENT_GET_POINT, (sqlite3_int64)point, &statement);
  if (code == SQLITE_OK) {
    code = sqlite3_step(statement);
    code = code == SQLITE_ROW    ? read_row(store, statement, arena, row)
           : code == SQLITE_DONE ? SQLITE_OK
                                 : code;
  }
  (void)sqlite3_reset(statement);
  return dsm__store_have_read(store, code, DSM__STORE_ODD_ROW, diags);
}

/* ---- points without a plan ---- */

static dsm_status refuse(const dsm_store *store, size_t point, dsm_point_status status,
                         const char *reason, dsm_diags *diags) {
  return dsm__store_refuse(
      store, status == DSM_POINT_INFEASIBLE ? DSM_ERROR_INFEASIBLE : DSM_ERROR_INVALID, NULL, diags,
      "point %zu has no plan, it is %s%s%s", point, dsm_point_status_name(status),
      reason == NULL ? "" : ": ", reason == NULL ? "" : reason);
}

/* The status of a word; DSM_POINT_STATUS_COUNT if it is none. */
static dsm_point_status status_of(const char *word) {
  size_t status = DSM_POINT_STATUS_COUNT;
  (void)dsm__words_find(&dsm__point_status_words, word, &status);
  return (dsm_point_status)status;
}

/* ---- plans ---- */

static dsm_status parse(const dsm_store *store, size_t point, const char *text, dsm__arena *arena,
                        wanted to, dsm_diags *diags) {
  assert(text != NULL);
  const char *const name = dsm__arena_printf(arena, "%s:%zu", store->path, point);
  if (name == NULL) {
    return dsm__out_of_memory(diags);
  }
  return to.machine->parse(to.plan, text, strlen(text), name, diags);
}

/* Explores the point as the sweep does, of which a plan is wanted. */
static dsm_status explore(const dsm_store *store, size_t point, dsm__arena *arena, wanted to,
                          dsm_diags *diags) {
  const char *const text = store->identity.resolved;
  const dsm_record record = DSM_RECORD_PLANS;
  const dsm_sweep_request request = {.record = &record};
  dsm_sweep *sweep = NULL;
  dsm_point_result result = {.point = point};
  dsm_status status =
      dsm_sweep_make(&sweep, text, strlen(text), store->path, NULL, &request, NULL, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__evaluator *const evaluator = dsm__evaluator_new(sweep);
  status = evaluator == NULL ? dsm__out_of_memory(diags)
                             : dsm__evaluate(evaluator, point, &result, diags);
  if (status == DSM_OK) {
    status = result.status == DSM_POINT_OK
                 ? parse(store, point, result.plan, arena, to, diags)
                 : refuse(store, point, result.status, result.reason, diags);
  }
  dsm__evaluator_free(evaluator);
  dsm_sweep_free(sweep);
  return status;
}

/* `row` gets what is recorded. */
static dsm_status find(dsm_store *store, size_t point, dsm__arena *arena, wanted to, recorded *row,
                       dsm_diags *diags) {
  const dsm_status read = read_recorded(store, point, arena, row, diags);
  if (read != DSM_OK) {
    return read;
  }
  const dsm_point_status status = !row->exists          ? DSM_POINT_OK
                                  : row->status == NULL ? DSM_POINT_STATUS_COUNT
                                                        : status_of(row->status);
  if (status == DSM_POINT_STATUS_COUNT) {
    return dsm__store_damaged(store, DSM__STORE_ODD_ROW, diags);
  }
  if (status != DSM_POINT_OK) {
    return refuse(store, point, status, row->reason, diags);
  }
  return row->plan != NULL ? parse(store, point, row->plan, arena, to, diags)
                           : explore(store, point, arena, to, diags);
}

static dsm_status find_plan(dsm_store *store, size_t point, wanted to, recorded *row,
                            dsm_diags *diags) {
  if (point >= store->identity.point_count) {
    return dsm__store_refuse(store, DSM_ERROR_USAGE, NULL, diags,
                             "expected a point of 0 .. %zu, found %zu",
                             store->identity.point_count - 1, point);
  }
  dsm__arena *const arena = dsm__arena_new();
  if (arena == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = find(store, point, arena, to, row, diags);
  dsm__arena_free(arena);
  return status;
}

dsm_status dsm_store_plan(dsm_store *store, size_t point, dsm_plan **plan,
                          double *recorded_step_cycles, dsm_diags *diags) {
  recorded row = {.exists = false};
  void *made = NULL;
  const wanted to = {&dsm__network_machine, &made};
  const dsm_status status = find_plan(store, point, to, &row, diags);
  *plan = made;
  if (recorded_step_cycles != NULL) {
    *recorded_step_cycles = row.step_cycles;
  }
  return status;
}

bool dsm__store_is_on(const dsm_store *store, const dsm__machine *machine) {
  const char *const text = store->identity.resolved;
  return dsm__has_format(text, machine->inputs[DSM_DESCRIPTION_WORKLOAD]->format) &&
         !dsm__has_format(text, dsm__network_machine.inputs[DSM_DESCRIPTION_WORKLOAD]->format);
}

dsm_status dsm__store_plan_on(dsm_store *store, size_t point, const dsm__machine *machine,
                              void **plan, double *recorded_seconds, dsm_diags *diags) {
  recorded row = {.exists = false};
  *plan = NULL;
  const dsm_status status = find_plan(store, point, (wanted){machine, plan}, &row, diags);
  if (recorded_seconds != NULL) {
    *recorded_seconds = row.step_seconds;
  }
  return status;
}
