/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c: what is recorded, and recording. One transaction a point. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/names.h"
#include "plan/plan_internal.h"
#include "sweep/store_internal.h"

/* ---- what is recorded ---- */

static int mark_done(dsm_store *store, bool *is_done) {
  const size_t count = store->identity.point_count;
  memset(is_done, 0, count * sizeof *is_done);
  sqlite3_stmt *statement = NULL;
  int code =
      sqlite3_prepare_v2(store->database, "SELECT point FROM point_row", -1, &statement, NULL);
  if (code == SQLITE_OK) {
    code = sqlite3_step(statement);
  }
  while (code == SQLITE_ROW) {
    const sqlite3_int64 point = sqlite3_column_int64(statement, 0);
    if (point < 0 || (sqlite3_uint64)point >= count) {
      code = SQLITE_CORRUPT;
      break;
    }
    is_done[point] = true;
    code = sqlite3_step(statement);
  }
  (void)sqlite3_finalize(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

dsm_status dsm_store_done(dsm_store *store, bool *is_done, dsm_diags *diags) {
  const int code = mark_done(store, is_done);
  return code == SQLITE_OK ? DSM_OK : dsm__store_fail(store, code, "cannot read", diags);
}

/* ---- binding ---- */

/* Binds parameters one after the other, until one cannot be. */
typedef struct binder {
  sqlite3_stmt *statement;
  int at;
  int code;
} binder;

/* NULL: SQL's NULL. The text must stay until the statement has run. */
static void bind_text(binder *to, const char *text) {
  to->at++;
  if (to->code == SQLITE_OK) {
    to->code = text == NULL ? sqlite3_bind_null(to->statement, to->at)
                            : sqlite3_bind_text64(to->statement, to->at, text, strlen(text),
                                                  SQLITE_STATIC, SQLITE_UTF8);
  }
}

static void bind_double(binder *to, double value) {
  to->at++;
  if (to->code == SQLITE_OK) {
    to->code = sqlite3_bind_double(to->statement, to->at, value);
  }
}

static void bind_integer(binder *to, uint64_t value) {
  to->at++;
  if (to->code == SQLITE_OK) {
    to->code = value <= INT64_MAX ? sqlite3_bind_int64(to->statement, to->at, (sqlite3_int64)value)
                                  : sqlite3_bind_double(to->statement, to->at, (double)value);
  }
}

/* Whole numbers as such, so that SQL shows them without a point. */
static void bind_number(binder *to, double value) {
  static const double exact_max = 9007199254740992.0; /* 2^53 */
  if (value >= -exact_max && value <= exact_max && (double)(sqlite3_int64)value == value) {
    to->at++;
    if (to->code == SQLITE_OK) {
      to->code = sqlite3_bind_int64(to->statement, to->at, (sqlite3_int64)value);
    }
  } else {
    bind_double(to, value);
  }
}

static void bind_word(dsm_store *store, binder *to, const char *text) {
  sqlite3_int64 id = 0;
  to->at++;
  if (to->code == SQLITE_OK && text == NULL) {
    to->code = sqlite3_bind_null(to->statement, to->at);
  } else if (to->code == SQLITE_OK) {
    to->code = dsm__store_word(store, text, &id);
    if (to->code == SQLITE_OK) {
      to->code = sqlite3_bind_int64(to->statement, to->at, id);
    }
  }
}

/* ---- the row of a point ---- */

static void bind_axes(binder *to, const dsm_sweep *sweep, size_t point) {
  for (size_t c = 0; c < sweep->column_count; c++) {
    const dsm_axis_value *const value = dsm_sweep_value(sweep, point, c);
    if (value->is_number) {
      bind_number(to, value->number);
    } else {
      bind_text(to, value->text);
    }
  }
}

static void bind_result(binder *to, const dsm_point_result *point) {
  const dsm_plan_result *const result = &point->result;
  const dsm_plan_memory *const memory = &result->memory;
  const double values[] = {
      result->utilization,        result->step_seconds,
      result->samples_per_second, result->step_cycles,
      result->lower_bound_cycles, result->cycles.primary,
      result->cycles.overlapped,  result->cycles.overlapped_visible,
      result->cycles.auxiliary,   result->cycles.non_overlapped,
      memory->weights_bytes,      memory->activations_bytes,
      memory->gradients_bytes,    memory->errors_bytes,
      memory->optimizer_bytes,    memory->total_bytes,
      memory->capacity_bytes,
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    bind_double(to, values[i]);
  }
  bind_text(to, point->decisions);
}

static int put_point(dsm_store *store, const dsm_point_result *point) {
  binder to = {0};
  to.code = dsm__store_statement(store, DSM__STATEMENT_PUT_POINT, &to.statement);
  bind_integer(&to, point->point);
  bind_text(&to, dsm_point_status_name(point->status));
  bind_text(&to, point->reason);
  bind_axes(&to, store->sweep, point->point);
  const dsm__words_text optimizations =
      dsm__words_join(&dsm__optimization_words, point->optimizations, "+");
  const dsm__words_text parallelisms =
      dsm__words_join(&dsm__parallelism_words, point->parallelisms, "+");
  if (point->status == DSM_POINT_OK) {
    bind_text(&to, dsm_mode_name(point->mode));
    bind_integer(&to, point->minibatch);
    bind_text(&to, optimizations.text[0] == '\0' ? "none" : optimizations.text);
    bind_text(&to, parallelisms.text[0] == '\0' ? "none" : parallelisms.text);
    bind_result(&to, point);
  }
  /* Parameters that are not bound are NULL. */
  const int code = to.code == SQLITE_OK ? dsm__store_run(to.statement) : to.code;
  if (to.statement != NULL) {
    (void)sqlite3_clear_bindings(to.statement);
  }
  return code;
}

/* ---- the rows of its layers ---- */

static int put_layer(dsm_store *store, size_t point, size_t index, const dsm_point_layer *layer) {
  const dsm__split_text split = dsm__split_text_of(&layer->core_split, "-");
  binder to = {0};
  to.code = dsm__store_statement(store, DSM__STATEMENT_PUT_LAYER, &to.statement);
  bind_integer(&to, point);
  bind_integer(&to, index);
  bind_word(store, &to, layer->name);
  bind_integer(&to, (uint64_t)layer->pass);
  bind_word(store, &to, dsm_parallelism_name(layer->parallelism));
  bind_word(store, &to, split.text);
  bind_integer(&to, layer->dysm_factor);
  bind_integer(&to, layer->output_on_chip ? 1 : 0);
  bind_double(&to, layer->weights_on_chip);
  bind_word(store, &to, layer->pipeline_group);
  bind_word(store, &to, dsm_bound_name(layer->bound));
  bind_double(&to, layer->utilization);
  bind_double(&to, layer->cycles.total);
  bind_double(&to, layer->cycles.primary);
  bind_double(&to, layer->cycles.overlapped);
  bind_double(&to, layer->cycles.overlapped_visible);
  bind_double(&to, layer->cycles.auxiliary);
  bind_double(&to, layer->cycles.non_overlapped);
  return to.code == SQLITE_OK ? dsm__store_run(to.statement) : to.code;
}

/* Passes of a layer follow each other: another name, or a pass that does not come after the one
 * before, begins the next layer. */
static int put_layers(dsm_store *store, const dsm_point_result *point) {
  size_t index = 0;
  for (size_t i = 0; i < point->layer_count; i++) {
    const dsm_point_layer *const layer = &point->layers[i];
    if (i > 0 && (strcmp(layer->name, layer[-1].name) != 0 || layer->pass <= layer[-1].pass)) {
      index++;
    }
    const int code = put_layer(store, point->point, index, layer);
    if (code != SQLITE_OK) {
      return code;
    }
  }
  return SQLITE_OK;
}

static int put_plan(dsm_store *store, const dsm_point_result *point) {
  binder to = {0};
  to.code = dsm__store_statement(store, DSM__STATEMENT_PUT_PLAN, &to.statement);
  bind_integer(&to, point->point);
  bind_text(&to, point->plan);
  const int code = to.code == SQLITE_OK ? dsm__store_run(to.statement) : to.code;
  if (to.statement != NULL) {
    (void)sqlite3_clear_bindings(to.statement);
  }
  return code;
}

/* ---- all of it ---- */

static int put_all(dsm_store *store, const dsm_point_result *result) {
  int code = dsm__store_do(store, DSM__STATEMENT_BEGIN);
  if (code == SQLITE_OK) {
    code = put_point(store, result);
  }
  const bool is_new = code == SQLITE_OK && sqlite3_changes(store->database) > 0;
  if (is_new) {
    code = put_layers(store, result);
  }
  if (is_new && code == SQLITE_OK && result->plan != NULL) {
    code = put_plan(store, result);
  }
  return code == SQLITE_OK ? dsm__store_do(store, DSM__STATEMENT_COMMIT) : code;
}

dsm_status dsm_store_put(dsm_store *store, const dsm_point_result *result, dsm_diags *diags) {
  assert(store->sweep != NULL && result->point < store->identity.point_count);
  const int code = put_all(store, result);
  if (code == SQLITE_OK) {
    return DSM_OK;
  }
  const dsm_status status = dsm__store_fail(store, code, "cannot write", diags);
  dsm__store_abandon(store);
  return status;
}
