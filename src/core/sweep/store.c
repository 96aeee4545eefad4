/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c: what is recorded, and recording. One transaction a point. */
#include <assert.h>
#include <string.h>

#include "sweep/point_record.h"
#include "sweep/store_internal.h"

/* ---- what is recorded ---- */

/* The points that are marked. */
typedef struct marks {
  bool *is_done;
  size_t count;
} marks;

static int take_point(void *context, sqlite3_stmt *row) {
  const marks *const to = context;
  const sqlite3_int64 point = sqlite3_column_int64(row, 0);
  if (point < 0 || (sqlite3_uint64)point >= to->count) {
    return SQLITE_CORRUPT;
  }
  to->is_done[point] = true;
  return SQLITE_OK;
}

dsm_status dsm_store_done(dsm_store *store, bool *is_done, dsm_diags *diags) {
  marks to = {.is_done = is_done, .count = store->identity.point_count};
  memset(is_done, 0, to.count * sizeof *is_done);
  const int code = dsm__store_query(store, "SELECT point FROM point_row", take_point, &to);
  return code == SQLITE_OK ? DSM_OK : dsm__store_fail(store, code, "cannot read", diags);
}

/* ---- binding ---- */

/* Binds parameters one after the other, until one cannot be. */
typedef struct binder {
  sqlite3_stmt *statement;
  int at;
  int code;
} binder;

static binder bind(dsm_store *store, dsm__statement which) {
  binder to = {.at = 0};
  to.code = dsm__store_statement(store, which, &to.statement);
  return to;
}

/* The next parameter's turn: can it still be bound? */
static bool can_bind(binder *to) {
  to->at++;
  return to->code == SQLITE_OK;
}

/* Runs the statement. Parameters that are not bound are NULL. */
static int run(const binder *to) {
  const int code = to->code == SQLITE_OK ? dsm__store_run(to->statement) : to->code;
  if (to->statement != NULL) {
    (void)sqlite3_clear_bindings(to->statement);
  }
  return code;
}

/* NULL: SQL's NULL. The text must stay until the statement has run. */
static void bind_text(binder *to, const char *text) {
  if (can_bind(to)) {
    to->code = text == NULL ? sqlite3_bind_null(to->statement, to->at)
                            : sqlite3_bind_text64(to->statement, to->at, text, strlen(text),
                                                  SQLITE_STATIC, SQLITE_UTF8);
  }
}

static void bind_double(binder *to, double value) {
  if (can_bind(to)) {
    to->code = sqlite3_bind_double(to->statement, to->at, value);
  }
}

static void bind_integer(binder *to, uint64_t value) {
  if (can_bind(to)) {
    to->code = value <= INT64_MAX ? sqlite3_bind_int64(to->statement, to->at, (sqlite3_int64)value)
                                  : sqlite3_bind_double(to->statement, to->at, (double)value);
  }
}

/* Whole numbers as such, so that SQL shows them without a point. */
static void bind_number(binder *to, double value) {
  static const double exact_max = 9007199254740992.0; /* 2^53 */
  if (value >= -exact_max && value <= exact_max && (double)(sqlite3_int64)value == value) {
    if (can_bind(to)) {
      to->code = sqlite3_bind_int64(to->statement, to->at, (sqlite3_int64)value);
    }
  } else {
    bind_double(to, value);
  }
}

static void bind_word(dsm_store *store, binder *to, const char *text) {
  sqlite3_int64 id = 0;
  if (text == NULL) {
    bind_text(to, NULL);
  } else if (can_bind(to)) {
    to->code = dsm__store_word(store, text, &id);
    if (to->code == SQLITE_OK) {
      to->code = sqlite3_bind_int64(to->statement, to->at, id);
    }
  }
}

/* ---- fields of records ---- */

/* A value in words, such as "out 2 ij 8" or "hybrid+reuse". */
static void bind_made_text(dsm_store *store, binder *to, const dsm__field *field,
                           const void *record, bool is_word) {
  dsm__text_buffer text = {0};
  dsm__field_put_text(field, NULL, record, field->kind == DSM__FIELD_COUNTS ? "-" : "none", &text);
  if (text.failed && to->code == SQLITE_OK) {
    to->code = SQLITE_NOMEM;
  } else if (is_word) {
    bind_word(store, to, text.text);
  } else if (to->code == SQLITE_OK) {
    to->code = sqlite3_bind_text64(to->statement, ++to->at, text.text, text.length,
                                   SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  dsm__text_fini(&text);
}

/* A text, in its place or as the number of a word that many rows share. */
static void bind_field_text(dsm_store *store, binder *to, const dsm__field *field,
                            const void *record, bool is_word) {
  const char *const *const text = dsm__field_in(field, record);
  if (field->kind != DSM__FIELD_TEXT) {
    bind_made_text(store, to, field, record, is_word);
  } else if (is_word) {
    bind_word(store, to, *text);
  } else {
    bind_text(to, *text);
  }
}

static void bind_field(dsm_store *store, binder *to, const dsm__field *field, const void *record,
                       bool has_words) {
  const void *const value = dsm__field_in(field, record);
  if (!has_words && !dsm__field_is_stated(field, record)) { /* of a point */
    bind_text(to, NULL);
  } else if (field->kind == DSM__FIELD_COUNT) {
    bind_integer(to, *(const uint64_t *)value);
  } else if (field->kind == DSM__FIELD_REAL) {
    bind_double(to, *(const double *)value);
  } else if (field->kind == DSM__FIELD_FLAG) {
    bind_integer(to, *(const bool *)value ? 1 : 0);
  } else if (has_words && dsm__layer_column_is_pass(field)) {
    bind_integer(to, *(const dsm_pass *)value);
  } else {
    bind_field_text(store, to, field, record, has_words);
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

/* A row whose columns are bound one after the other. */
typedef struct row {
  dsm_store *store;
  binder to;
  const dsm_point_result *point; /* NULL: the row of a layer */
} row;

/* The axes stand behind the first columns. The rest of a point that has no result is not bound, and
 * its plan is in a table of its own. */
static bool bind_column(void *context, const dsm__field *field, const void *record) {
  row *const of = context;
  if ((field->flags & DSM__FIELD_IS_COLUMN) == 0 ||
      (of->point != NULL && !dsm__point_has_field(of->store->identity.parts, field))) {
    return true;
  }
  if (of->point != NULL && of->to.at == DSM__POINT_FIRST_COLUMNS) {
    bind_axes(&of->to, of->store->sweep, of->point->point);
    if (of->point->status != DSM_POINT_OK) {
      return false;
    }
  }
  if (of->point != NULL && field->offset == offsetof(dsm_point_result, plan)) {
    return false;
  }
  bind_field(of->store, &of->to, field, record, of->point == NULL);
  return true;
}

static int put_point(dsm_store *store, const dsm_point_result *point) {
  row of = {.store = store, .to = bind(store, DSM__STATEMENT_PUT_POINT), .point = point};
  (void)dsm__record_each(&dsm__point_record, point, bind_column, &of);
  return run(&of.to);
}

/* ---- the rows of its layers ---- */

static int put_layers(dsm_store *store, const dsm_point_result *point) {
  int code = SQLITE_OK;
  for (size_t i = 0; i < point->layer_count && code == SQLITE_OK; i++) {
    row of = {.store = store, .to = bind(store, DSM__STATEMENT_PUT_LAYER)};
    bind_integer(&of.to, point->point);
    (void)dsm__record_each(&dsm__point_layer_record, &point->layers[i], bind_column, &of);
    code = run(&of.to);
  }
  return code;
}

static int put_plan(dsm_store *store, const dsm_point_result *point) {
  binder to = bind(store, DSM__STATEMENT_PUT_PLAN);
  bind_integer(&to, point->point);
  bind_text(&to, point->plan);
  return run(&to);
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
  return dsm__store_have_written(store, put_all(store, result), diags);
}
