/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_merge.c: several databases of the same sweep become one, in a single transaction.
 *
 * Rows go through the views, as values: the words of two databases have different ids. Memory does
 * not grow with the number of rows; SQLite writes what it cannot keep to the log.
 */
#include <string.h>

#include "base/diag_add.h"
#include "model/names.h"
#include "sweep/store_internal.h"

/* A merge that is under way. */
typedef struct merging {
  dsm_store *target;
  dsm_store *source;
  const char *const *paths; /**< of all sources */
  size_t index;             /**< of the source */
  dsm_diags *diags;
  dsm_status status; /**< of the row at hand */
} merging;

static dsm_status read_error(const merging *m, int code) {
  return dsm__store_fail(m->source, code, "cannot read", m->diags);
}

static dsm_status write_error(const merging *m, int code) {
  return dsm__store_fail(m->target, code, "cannot write", m->diags);
}

static dsm_status odd_row(const merging *m) {
  return dsm__store_damaged(m->source, DSM__STORE_ODD_ROW, m->diags);
}

/* ---- comparing ---- */

static bool is_same_value(sqlite3_stmt *first, sqlite3_stmt *second, int column) {
  const int type = sqlite3_column_type(first, column);
  if (type != sqlite3_column_type(second, column)) {
    return false;
  }
  if (type == SQLITE_NULL) {
    return true;
  }
  if (type == SQLITE_INTEGER) {
    return sqlite3_column_int64(first, column) == sqlite3_column_int64(second, column);
  }
  if (type == SQLITE_FLOAT) {
    const double one = sqlite3_column_double(first, column);
    const double other = sqlite3_column_double(second, column);
    return !(one < other) && !(one > other);
  }
  const void *const one = sqlite3_column_blob(first, column);
  const void *const other = sqlite3_column_blob(second, column);
  const int size = sqlite3_column_bytes(first, column);
  return size == sqlite3_column_bytes(second, column) &&
         (size == 0 || (one != NULL && other != NULL && memcmp(one, other, (size_t)size) == 0));
}

static bool is_same_row(sqlite3_stmt *first, sqlite3_stmt *second) {
  const int count = sqlite3_column_count(first);
  for (int c = 0; c < count; c++) {
    if (!is_same_value(first, second, c)) {
      return false;
    }
  }
  return true;
}

/* Which earlier source the target has a point from; the target itself if from none. */
static const char *origin_of(const merging *m, sqlite3_int64 point) {
  for (size_t i = 0; i < m->index; i++) {
    dsm_store *earlier = NULL;
    sqlite3_stmt *statement = NULL;
    bool is_found = false;
    if (!dsm__store_is_same_file(m->paths[i], m->target->path) &&
        dsm_store_open_read(&earlier, m->paths[i], NULL) == DSM_OK &&
        dsm__store_ask(earlier, DSM__STATEMENT_GET_POINT, point, &statement) == SQLITE_OK) {
      is_found = sqlite3_step(statement) == SQLITE_ROW;
    }
    dsm_store_close(earlier);
    if (is_found) {
      return m->paths[i];
    }
  }
  return m->target->path;
}

static dsm_status conflict(const merging *m, sqlite3_int64 point) {
  return dsm__store_refuse(m->source, DSM_ERROR_INVALID, NULL, m->diags,
                           "its point %lld is not the same as in %s", (long long)point,
                           origin_of(m, point));
}

static bool is_row_or_end(int code) {
  return code == SQLITE_ROW || code == SQLITE_DONE;
}

/* Compares what both have of a point, row by row. */
static dsm_status compare(const merging *m, dsm__statement which, sqlite3_int64 point) {
  sqlite3_stmt *ours = NULL;
  sqlite3_stmt *theirs = NULL;
  int our_code = dsm__store_ask(m->target, which, point, &ours);
  int their_code = dsm__store_ask(m->source, which, point, &theirs);
  bool is_same = true;
  bool goes_on = our_code == SQLITE_OK && their_code == SQLITE_OK;
  while (goes_on) {
    our_code = sqlite3_step(ours);
    their_code = sqlite3_step(theirs);
    is_same = our_code == their_code && (our_code != SQLITE_ROW || is_same_row(ours, theirs));
    goes_on = is_same && our_code == SQLITE_ROW;
  }
  dsm_status status = DSM_OK;
  if (their_code != SQLITE_OK && !is_row_or_end(their_code)) {
    status = read_error(m, their_code);
  } else if (our_code != SQLITE_OK && !is_row_or_end(our_code)) {
    status = write_error(m, our_code);
  } else if (!is_same) {
    status = conflict(m, point);
  }
  (void)sqlite3_reset(ours);
  (void)sqlite3_reset(theirs);
  return status;
}

/* ---- copying ---- */

/* Texts are what dsm writes, and nothing else is there but numbers. */
static int check_row(sqlite3_stmt *row) {
  const int count = sqlite3_column_count(row);
  int code = SQLITE_OK;
  for (int c = 0; c < count && code == SQLITE_OK; c++) {
    const int type = sqlite3_column_type(row, c);
    const char *text;
    if (type == SQLITE_BLOB) {
      code = SQLITE_CORRUPT;
    } else if (type == SQLITE_TEXT) {
      code = dsm__store_text(row, c, &text);
    }
  }
  return code;
}

/* A column of a layer that is stored as a number, the pass or the id of a word. */
static int bind_word(dsm_store *target, sqlite3_stmt *put, sqlite3_stmt *row, int column,
                     const dsm__field *field) {
  const char *text = NULL;
  const int code = dsm__store_text(row, column, &text);
  if (code != SQLITE_OK || text == NULL) {
    return code != SQLITE_OK ? code : sqlite3_bind_null(put, column + 1);
  }
  if (dsm__layer_column_is_pass(field)) {
    size_t pass = 0;
    return dsm__words_find(&dsm__pass_words, text, &pass)
               ? sqlite3_bind_int(put, column + 1, (int)pass)
               : SQLITE_CORRUPT;
  }
  sqlite3_int64 id = 0;
  const int found = dsm__store_word(target, text, &id);
  return found == SQLITE_OK ? sqlite3_bind_int64(put, column + 1, id) : found;
}

static int bind_layer(dsm_store *target, sqlite3_stmt *put, sqlite3_stmt *row) {
  const dsm__layer_columns columns = dsm__layer_columns_get();
  int code = check_row(row);
  for (size_t c = 0; c < columns.count && code == SQLITE_OK; c++) {
    const dsm__field *const field = columns.fields[c];
    const int column = (int)c;
    code = dsm__layer_column_is_pass(field) || dsm__layer_column_is_word(field)
               ? bind_word(target, put, row, column, field)
               : sqlite3_bind_value(put, column + 1, sqlite3_column_value(row, column));
  }
  return code;
}

/* How bringing rows of the source into the target went, where no finding ended it. */
static dsm_status outcome_of(const merging *m, int code) {
  return m->status != DSM_OK || code == SQLITE_OK ? m->status : read_error(m, code);
}

static int take_layer(void *context, sqlite3_stmt *row) {
  merging *const m = context;
  sqlite3_stmt *put = NULL;
  int code = dsm__store_statement(m->target, DSM__STATEMENT_PUT_LAYER, &put);
  if (code == SQLITE_OK) {
    code = bind_layer(m->target, put, row);
  }
  if (code == SQLITE_OK) {
    code = dsm__store_run(put);
  }
  if (code != SQLITE_OK) {
    m->status = code == SQLITE_CORRUPT ? odd_row(m) : write_error(m, code);
  }
  return code;
}

static dsm_status copy_layers(merging *m, sqlite3_int64 point) {
  sqlite3_stmt *rows = NULL;
  int code = dsm__store_ask(m->source, DSM__STATEMENT_GET_LAYERS, point, &rows);
  if (code == SQLITE_OK) {
    code = dsm__store_rows(rows, take_layer, m);
  }
  return outcome_of(m, code);
}

/* Runs a statement on the point of a row and its columns from `first` to before `end`. */
static int put_columns(dsm_store *target, dsm__statement which, sqlite3_stmt *row, int first,
                       int end) {
  sqlite3_stmt *put = NULL;
  int code = dsm__store_statement(target, which, &put);
  if (code == SQLITE_OK) {
    code = sqlite3_bind_value(put, 1, sqlite3_column_value(row, 0));
  }
  for (int c = first; c < end && code == SQLITE_OK; c++) {
    code = sqlite3_bind_value(put, 2 + c - first, sqlite3_column_value(row, c));
  }
  return code == SQLITE_OK ? dsm__store_run(put) : code;
}

/* Brings one row of the source's `points`, and all that belongs to it, into the target. */
static dsm_status copy_point(merging *m, sqlite3_stmt *row) {
  const int plan = (int)m->target->column_count - 1;
  const sqlite3_int64 point = sqlite3_column_int64(row, 0);
  int code = check_row(row);
  if (code == SQLITE_NOMEM) {
    return read_error(m, code);
  }
  if (code != SQLITE_OK || point < 0 || (sqlite3_uint64)point >= m->source->identity.point_count) {
    return odd_row(m);
  }
  code = put_columns(m->target, DSM__STATEMENT_PUT_POINT, row, 1, plan);
  if (code == SQLITE_OK && sqlite3_changes(m->target->database) == 0) { /* it has the point */
    const dsm_status status = compare(m, DSM__STATEMENT_GET_POINT, point);
    return status == DSM_OK ? compare(m, DSM__STATEMENT_GET_LAYERS, point) : status;
  }
  if (code == SQLITE_OK && sqlite3_column_type(row, plan) != SQLITE_NULL) {
    code = put_columns(m->target, DSM__STATEMENT_PUT_PLAN, row, plan, plan + 1);
  }
  return code == SQLITE_OK ? copy_layers(m, point) : write_error(m, code);
}

static int take_point(void *context, sqlite3_stmt *row) {
  merging *const m = context;
  m->status = copy_point(m, row);
  return m->status == DSM_OK ? SQLITE_OK : SQLITE_ABORT;
}

/* All of a source, as it is at one moment: a writer may be at work on it. */
static dsm_status copy_all(merging *m) {
  sqlite3_stmt *rows = NULL;
  int code = sqlite3_exec(m->source->database, "BEGIN", NULL, NULL, NULL);
  if (code == SQLITE_OK) {
    code = dsm__store_select_points(m->source, m->source->column_count, &rows);
  }
  if (code == SQLITE_OK) {
    code = dsm__store_rows(rows, take_point, m);
  }
  (void)sqlite3_finalize(rows);
  return outcome_of(m, code);
}

/* ---- all sources ---- */

/* Opens a source that must be of the same sweep as the first. */
static dsm_status open_source(dsm_store **source, const char *path, const dsm_store *first,
                              dsm_diags *diags) {
  dsm_status status = dsm_store_open_read(source, path, diags);
  if (status == DSM_OK) {
    status = dsm__store_check_pages(*source, diags);
  }
  if (status == DSM_OK && first != NULL) {
    status = dsm__identity_compare(*source, &first->identity, first->path, diags);
  }
  if (status != DSM_OK) {
    dsm_store_close(*source);
    *source = NULL;
  }
  return status;
}

/* Copies sources[first .. count); the first one is open. */
static dsm_status copy_sources(dsm_store *target, dsm_store *first, size_t first_index,
                               const char *const *sources, size_t count, dsm_diags *diags) {
  const int code = dsm__store_do(target, DSM__STATEMENT_BEGIN);
  merging m = {.target = target, .source = first, .paths = sources, .diags = diags};
  dsm_status status = code == SQLITE_OK ? DSM_OK : write_error(&m, code);
  for (size_t i = first_index; i < count && status == DSM_OK; i++) {
    dsm_store *further = NULL;
    if (dsm__store_is_same_file(sources[i], target->path)) {
      continue; /* its rows are there */
    }
    if (i > first_index) {
      status = open_source(&further, sources[i], first, diags);
    }
    if (status == DSM_OK) {
      m.source = further == NULL ? first : further;
      m.index = i;
      status = copy_all(&m);
    }
    dsm_store_close(further);
  }
  if (status == DSM_OK) {
    const int end = dsm__store_do(target, DSM__STATEMENT_COMMIT);
    status = end == SQLITE_OK ? DSM_OK : write_error(&m, end);
  }
  if (status != DSM_OK) {
    dsm__store_abandon(target);
  }
  return status;
}

dsm_status dsm_store_merge(const char *target, const char *const *sources, size_t source_count,
                           dsm_diags *diags) {
  size_t first_index = 0;
  while (first_index < source_count && dsm__store_is_same_file(sources[first_index], target)) {
    first_index++;
  }
  if (first_index == source_count) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = target}, NULL,
                   "expected other databases to merge into this one, found none");
    return DSM_ERROR_USAGE;
  }
  dsm_store *first = NULL;
  dsm_store *made = NULL;
  dsm_status status = open_source(&first, sources[first_index], NULL, diags);
  if (status == DSM_OK) {
    status = dsm__store_open_for(&made, target, &first->identity, first->path, diags);
  }
  if (status == DSM_OK) {
    /* In case a writer was killed. A reader may prevent it: then the log stays. */
    (void)sqlite3_exec(made->database, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    status = copy_sources(made, first, first_index, sources, source_count, diags);
  }
  if (made != NULL && status != DSM_OK) {
    dsm__store_discard(made);
  } else {
    dsm_store_close(made);
  }
  dsm_store_close(first);
  return status;
}
