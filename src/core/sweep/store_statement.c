/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_statement.c: statements that are compiled once, and words that are stored once. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/utf8.h"
#include "sweep/store_internal.h"

/* ---- texts ---- */

static void put_parameters(dsm__text_buffer *out, size_t count) {
  for (size_t i = 1; i <= count; i++) {
    dsm__text_printf(out, "%s?%zu", i == 1 ? "" : ",", i);
  }
}

static void put_point(const dsm_store *store, dsm__text_buffer *out) {
  dsm__text_puts(out, "INSERT OR IGNORE INTO point_row VALUES (");
  put_parameters(out, store->column_count - 1);
  dsm__text_puts(out, ")");
}

static void put_layer(const dsm_store *store, dsm__text_buffer *out) {
  (void)store;
  dsm__text_puts(out, "INSERT INTO layer_row(");
  dsm__layer_columns_put(out);
  dsm__text_puts(out, ") VALUES (");
  put_parameters(out, dsm__layer_columns_get().count);
  dsm__text_puts(out, ")");
}

static void get_point(const dsm_store *store, dsm__text_buffer *out) {
  dsm__text_puts(out, "SELECT ");
  dsm__store_put_columns(store, store->column_count, out);
  dsm__text_puts(out, " FROM points WHERE point = ?1");
}

static void get_layers(const dsm_store *store, dsm__text_buffer *out) {
  (void)store;
  dsm__text_puts(out, "SELECT ");
  dsm__layer_columns_put(out);
  dsm__text_puts(out, " FROM layers WHERE point = ?1 ORDER BY layer, CASE pass ");
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    dsm__text_printf(out, "WHEN '%s' THEN %d ", dsm_pass_name((dsm_pass)p), p);
  }
  dsm__text_puts(out, "END");
}

/* The text of a statement, or what appends it. */
static const struct {
  const char *text;
  void (*put)(const dsm_store *store, dsm__text_buffer *out);
} texts[DSM__STATEMENT_COUNT] = {
    [DSM__STATEMENT_BEGIN].text = "BEGIN IMMEDIATE",
    [DSM__STATEMENT_COMMIT].text = "COMMIT",
    [DSM__STATEMENT_ROLLBACK].text = "ROLLBACK",
    [DSM__STATEMENT_PUT_POINT].put = put_point,
    [DSM__STATEMENT_PUT_LAYER].put = put_layer,
    [DSM__STATEMENT_PUT_PLAN].text = "INSERT INTO plan_text(point, plan) VALUES (?1, ?2)",
    [DSM__STATEMENT_FIND_WORD].text = "SELECT id FROM word WHERE text = ?1",
    [DSM__STATEMENT_ADD_WORD].text = "INSERT INTO word(text) VALUES (?1)",
    [DSM__STATEMENT_GET_POINT].put = get_point,
    [DSM__STATEMENT_GET_LAYERS].put = get_layers,
};

/* ---- statements ---- */

int dsm__store_prepare(const dsm_store *store, dsm__text_buffer *text, unsigned flags,
                       sqlite3_stmt **statement) {
  const int code =
      text->failed ? SQLITE_NOMEM
                   : sqlite3_prepare_v3(store->database, text->text, -1, flags, statement, NULL);
  dsm__text_fini(text);
  return code;
}

int dsm__store_execute(const dsm_store *store, dsm__text_buffer *text) {
  const int code =
      text->failed ? SQLITE_NOMEM : sqlite3_exec(store->database, text->text, NULL, NULL, NULL);
  dsm__text_fini(text);
  return code;
}

int dsm__store_select_points(const dsm_store *store, size_t column_count,
                             sqlite3_stmt **statement) {
  dsm__text_buffer text = {0};
  dsm__text_puts(&text, "SELECT ");
  dsm__store_put_columns(store, column_count, &text);
  dsm__text_puts(&text, " FROM points ORDER BY point");
  return dsm__store_prepare(store, &text, 0, statement);
}

int dsm__store_statement(dsm_store *store, dsm__statement which, sqlite3_stmt **statement) {
  int code = SQLITE_OK;
  if (store->statements[which] == NULL) {
    dsm__text_buffer text = {0};
    if (texts[which].put != NULL) {
      texts[which].put(store, &text);
    } else {
      dsm__text_puts(&text, texts[which].text);
    }
    code = dsm__store_prepare(store, &text, SQLITE_PREPARE_PERSISTENT, &store->statements[which]);
  }
  *statement = store->statements[which];
  return code;
}

int dsm__store_ask(dsm_store *store, dsm__statement which, sqlite3_int64 point,
                   sqlite3_stmt **statement) {
  const int code = dsm__store_statement(store, which, statement);
  return code == SQLITE_OK ? sqlite3_bind_int64(*statement, 1, point) : code;
}

int dsm__store_run(sqlite3_stmt *statement) {
  const int code = sqlite3_step(statement);
  (void)sqlite3_reset(statement); /* says the same again */
  return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

int dsm__store_do(dsm_store *store, dsm__statement which) {
  sqlite3_stmt *statement;
  const int code = dsm__store_statement(store, which, &statement);
  return code == SQLITE_OK ? dsm__store_run(statement) : code;
}

void dsm__store_abandon(dsm_store *store) {
  /* SQLite ends some transactions by itself when they fail. */
  if (sqlite3_get_autocommit(store->database) == 0 &&
      dsm__store_do(store, DSM__STATEMENT_ROLLBACK) != SQLITE_OK) {
    (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
  }
  if (store->words != NULL) {
    /* The words that the transaction added are gone. */
    memset(store->words, 0, DSM__WORD_SLOTS * sizeof *store->words);
  }
}

/* ---- words ---- */

/* Asks for a word, or adds it: its id, 0 if the database has none. */
static int run_on_word(dsm_store *store, dsm__statement which, const char *text, size_t length,
                       sqlite3_int64 *id) {
  sqlite3_stmt *statement;
  int code = dsm__store_statement(store, which, &statement);
  if (code == SQLITE_OK) {
    code = sqlite3_bind_text(statement, 1, text, (int)length, SQLITE_STATIC);
  }
  if (code != SQLITE_OK) {
    return code;
  }
  code = sqlite3_step(statement);
  *id = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  (void)sqlite3_reset(statement);
  (void)sqlite3_clear_bindings(statement);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

int dsm__store_word(dsm_store *store, const char *text, sqlite3_int64 *id) {
  const size_t length = strlen(text);
  dsm__cached_word *const slot = &store->words[dsm__map_hash(0, text, length) % DSM__WORD_SLOTS];
  if (slot->id != 0 && strcmp(slot->text, text) == 0) {
    *id = slot->id;
    return SQLITE_OK;
  }
  int code = run_on_word(store, DSM__STATEMENT_FIND_WORD, text, length, id);
  if (code == SQLITE_OK && *id == 0) {
    code = run_on_word(store, DSM__STATEMENT_ADD_WORD, text, length, id);
    *id = sqlite3_last_insert_rowid(store->database);
  }
  if (code == SQLITE_OK && length < sizeof slot->text) {
    memcpy(slot->text, text, length + 1);
    slot->id = *id;
  }
  return code;
}

/* ---- reading ---- */

int dsm__store_rows(sqlite3_stmt *statement, dsm__row_taker *take, void *context) {
  int code = sqlite3_step(statement);
  while (code == SQLITE_ROW) {
    code = take(context, statement);
    code = code == SQLITE_OK ? sqlite3_step(statement) : code;
  }
  (void)sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int dsm__store_query(const dsm_store *store, const char *sql, dsm__row_taker *take, void *context) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) {
    code = dsm__store_rows(statement, take, context);
  }
  (void)sqlite3_finalize(statement);
  return code;
}

static int take_number(void *number, sqlite3_stmt *row) {
  *(sqlite3_int64 *)number = sqlite3_column_int64(row, 0);
  return SQLITE_OK;
}

int dsm__store_number(const dsm_store *store, const char *sql, sqlite3_int64 *number) {
  return dsm__store_query(store, sql, take_number, number);
}

int dsm__store_text(sqlite3_stmt *statement, int column, const char **text) {
  *text = NULL;
  if (sqlite3_column_type(statement, column) == SQLITE_NULL) {
    return SQLITE_OK;
  }
  const char *const found = (const char *)sqlite3_column_text(statement, column);
  if (found == NULL) {
    return SQLITE_NOMEM;
  }
  const size_t length = (size_t)sqlite3_column_bytes(statement, column);
  for (size_t at = 0; at < length;) {
    const size_t size = dsm__utf8_length(found + at, length - at);
    if (size == 0 || found[at] == '\0') {
      return SQLITE_CORRUPT;
    }
    at += size;
  }
  *text = found;
  return SQLITE_OK;
}

int dsm__store_copy_text(sqlite3_stmt *statement, int column, dsm__arena *arena,
                         const char **copy) {
  const char *text;
  const int code = dsm__store_text(statement, column, &text);
  *copy = text == NULL ? NULL : dsm__arena_strdup(arena, text);
  return text != NULL && *copy == NULL ? SQLITE_NOMEM : code;
}
