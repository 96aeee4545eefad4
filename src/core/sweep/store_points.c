/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_points.c: the view `points` as a table in memory. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/order.h"
#include "sweep/point_record.h"
#include "sweep/store_internal.h"

/* A table that is being read. */
typedef struct reading {
  dsm_store *store;
  dsm__arena *arena;
  dsm_cell *cells;
  size_t column_count;
  size_t row_count;
  size_t most;
} reading;

/* The text of a cell. Texts repeat from row to row: the row before shares its own. */
static int read_text(const reading *from, sqlite3_stmt *row, size_t column, dsm_cell *cell) {
  const char *text;
  const int code = dsm__store_text(row, (int)column, &text);
  if (code != SQLITE_OK) {
    return code;
  }
  const dsm_cell *const above = from->row_count > 0 ? cell - from->column_count : NULL;
  const bool is_same =
      above != NULL && above->kind == DSM_CELL_TEXT && strcmp(above->text, text) == 0;
  *cell = (dsm_cell){.kind = DSM_CELL_TEXT,
                     .text = is_same ? above->text : dsm__arena_strdup(from->arena, text)};
  return cell->text == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int read_cell(const reading *from, sqlite3_stmt *row, size_t column, dsm_cell *cell) {
  switch (sqlite3_column_type(row, (int)column)) {
  case SQLITE_NULL:
    *cell = (dsm_cell){.kind = DSM_CELL_NONE};
    return SQLITE_OK;
  case SQLITE_INTEGER:
  case SQLITE_FLOAT:
    *cell = (dsm_cell){.kind = DSM_CELL_NUMBER, .number = sqlite3_column_double(row, (int)column)};
    return isfinite(cell->number) ? SQLITE_OK : SQLITE_CORRUPT;
  case SQLITE_TEXT:
    return read_text(from, row, column, cell);
  default:
    return SQLITE_CORRUPT;
  }
}

static int take_row(void *context, sqlite3_stmt *statement) {
  reading *const from = context;
  assert(from->cells != NULL);
  dsm_cell *const row = from->cells + from->row_count * from->column_count;
  int code = from->row_count == from->most ? SQLITE_CORRUPT : SQLITE_OK;
  for (size_t c = 0; c < from->column_count && code == SQLITE_OK; c++) {
    code = read_cell(from, statement, c, &row[c]);
  }
  if (code == SQLITE_OK && (row[0].kind != DSM_CELL_NUMBER || row[0].number < 0 ||
                            row[0].number >= (double)from->store->identity.point_count)) {
    code = SQLITE_CORRUPT;
  }
  from->row_count++;
  return code;
}

/* Counts, then reads, within one transaction: a writer may be at work. */
static int read_all(reading *from) {
  dsm_store *const store = from->store;
  sqlite3_stmt *statement = NULL;
  sqlite3_int64 count = 0;
  int code = sqlite3_exec(store->database, "BEGIN", NULL, NULL, NULL);
  if (code == SQLITE_OK) {
    code = dsm__store_number(store, "SELECT count(*) FROM point_row", &count);
  }
  from->most = (size_t)count;
  if (code == SQLITE_OK && from->most > store->identity.point_count) {
    code = SQLITE_CORRUPT;
  }
  if (code == SQLITE_OK) {
    from->cells =
        dsm__arena_array(from->arena, from->most * from->column_count, sizeof *from->cells);
    code = from->cells == NULL ? SQLITE_NOMEM
                               : dsm__store_select_points(store, from->column_count, &statement);
  }
  if (code == SQLITE_OK) {
    code = dsm__store_rows(statement, take_row, from);
  }
  (void)sqlite3_finalize(statement);
  return code;
}

static bool copy_names(dsm_point_table *table, const dsm_store *store, size_t column_count) {
  const char **const columns = dsm__arena_array(table->arena, column_count, sizeof *columns);
  table->name = dsm__arena_strdup(table->arena, store->identity.name);
  if (columns == NULL || table->name == NULL) {
    return false;
  }
  for (size_t c = 0; c < column_count; c++) {
    columns[c] = dsm__arena_strdup(table->arena, store->columns[c]);
    if (columns[c] == NULL) {
      return false;
    }
  }
  table->columns = columns;
  table->column_count = column_count;
  table->point_count = store->identity.point_count;
  return true;
}

dsm_status dsm_store_points(dsm_store *store, dsm_point_table **table, dsm_diags *diags) {
  *table = NULL;
  const size_t column_count = store->column_count - 1; /* without `plan` */
  dsm__arena *const arena = dsm__arena_new();
  dsm_point_table *const made = arena == NULL ? NULL : dsm__arena_alloc(arena, sizeof *made);
  if (made != NULL) {
    made->arena = arena;
  }
  if (made == NULL || !copy_names(made, store, column_count)) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  reading from = {.store = store, .arena = arena, .column_count = column_count};
  const int code = read_all(&from);
  const dsm_status status = dsm__store_have_read(store, code, DSM__STORE_ODD_ROW, diags);
  dsm__store_abandon(store); /* nothing was written */
  if (status != DSM_OK) {
    dsm__arena_free(arena);
    return status;
  }
  made->cells = from.cells;
  made->row_count = from.row_count;
  *table = made;
  return DSM_OK;
}

size_t dsm__points_find(const dsm_point_table *table, const char *name) {
  size_t column = 0;
  while (column < table->column_count && strcmp(table->columns[column], name) != 0) {
    column++;
  }
  return column;
}

const dsm_cell *dsm__point_cell(const dsm_point_table *table, size_t row, size_t column) {
  static const dsm_cell none = {.kind = DSM_CELL_NONE};
  return column < table->column_count ? &table->cells[row * table->column_count + column] : &none;
}

const char *dsm__points_text(dsm__arena *arena, const dsm_cell *cell) {
  char number[DSM__NUMBER_TEXT_SIZE];
  if (cell->kind != DSM_CELL_NUMBER) {
    return cell->kind == DSM_CELL_TEXT ? cell->text : "";
  }
  (void)dsm__double_to_text(cell->number, number);
  return dsm__arena_strdup(arena, number);
}

bool dsm__points_hold_words(const dsm_point_table *table, size_t column) {
  bool has_text = false;
  for (size_t row = 0; row < table->row_count; row++) {
    const dsm_cell *const cell = dsm__point_cell(table, row, column);
    if (cell->kind == DSM_CELL_NUMBER) {
      return false;
    }
    has_text = has_text || cell->kind == DSM_CELL_TEXT;
  }
  return has_text;
}

int dsm__order_cells(const dsm_cell *one, const dsm_cell *other) {
  if (one->kind != other->kind) {
    return dsm__order_whole(one->kind, other->kind);
  }
  return one->kind == DSM_CELL_TEXT ? strcmp(one->text, other->text)
                                    : dsm__order(one->number, other->number);
}

bool dsm__cell_is_ok(const dsm_cell *status) {
  return status->kind == DSM_CELL_TEXT &&
         strcmp(status->text, dsm_point_status_name(DSM_POINT_OK)) == 0;
}

DSM__ARENA_FREE(dsm_point_table, dsm_point_table_free);
