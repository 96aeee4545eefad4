/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_internal.h: what the files of the store share.
 *
 * SQLite's result codes stay inside: functions here return them as int, those of sweep_store.h
 * turn them into a status with a finding (dsm__store_fail).
 */
#ifndef DSM_SWEEP_STORE_INTERNAL_H
#define DSM_SWEEP_STORE_INTERNAL_H

#include <sqlite3.h>

#include "base/arena.h"
#include "base/record.h"
#include "base/text_buffer.h"
#include "dsm/sweep_store.h"

/** "DSMS", big-endian, in the header of the file; and the version of tables and views. */
#define DSM__STORE_APPLICATION 0x44534D53
#define DSM__STORE_SCHEMA 1

typedef struct dsm__store_input {
  const char *kind; /**< "workload" or "system" */
  const char *name;
  const char *file;
  const char *digest;
} dsm__store_input;

/** Which sweep a database belongs to. */
typedef struct dsm__identity {
  const char *dsm_version;
  const char *name;
  const char *digest;
  const char *resolved;
  const char *record;
  size_t point_count;
  const dsm__store_input *inputs;
  size_t input_count;
  const char *const *paths; /**< that vary */
  size_t path_count;
  unsigned parts;         /**< dsm__point_parts */
  const dsm_sweep *sweep; /**< NULL: it is that of a database */
} dsm__identity;

/** Statements that are kept. */
typedef enum dsm__statement {
  DSM__STATEMENT_BEGIN = 0,
  DSM__STATEMENT_COMMIT,
  DSM__STATEMENT_ROLLBACK,
  DSM__STATEMENT_PUT_POINT, /**< parameters: the columns of `points` without `plan` */
  DSM__STATEMENT_PUT_LAYER, /**< parameters: the columns of `layers`; words by id */
  DSM__STATEMENT_PUT_PLAN,  /**< point, plan */
  DSM__STATEMENT_FIND_WORD,
  DSM__STATEMENT_ADD_WORD,
  DSM__STATEMENT_GET_POINT,  /**< the columns of `points` of a point, in order */
  DSM__STATEMENT_GET_LAYERS, /**< the columns of `layers` of a point, in order, sorted */
  DSM__STATEMENT_COUNT
} dsm__statement;

enum { DSM__WORD_SLOTS = 4096, DSM__WORD_BYTES = 56 };

/** A word that the database knows. */
typedef struct dsm__cached_word {
  sqlite3_int64 id;           /**< 0: the slot is free */
  char text[DSM__WORD_BYTES]; /**< longer words are not kept */
} dsm__cached_word;

struct dsm_store {
  const char *path; /**< for findings */
  sqlite3 *database;
  int lock;     /**< descriptor that holds the writers' lock, or -1 */
  bool has_log; /**< it was given a log, which is to be ended */
  bool is_new;  /**< the file was made when it was opened */
  dsm__arena *arena;
  const dsm_sweep *sweep; /**< NULL: opened for reading or merging */
  dsm__identity identity;
  const char *const *columns; /**< of the view `points`, `plan` last */
  size_t column_count;
  sqlite3_stmt *statements[DSM__STATEMENT_COUNT];
  dsm__cached_word
      *words; /**< DSM__WORD_SLOTS of a writer: a cache, each word in the slot of its hash */
};

/* ---- store_error.c ---- */

/** Reports what an SQLite call said, as the finding "<what>: ...", and gives the status. */
dsm_status dsm__store_fail(const dsm_store *store, int code, const char *what, dsm_diags *diags);
/** Reports an error of the store's file and gives the status; `hint` may be NULL. */
dsm_status dsm__store_refuse(const dsm_store *store, dsm_status status, const char *hint,
                             dsm_diags *diags, const char *format, ...) DSM_PRINTF(5, 6);
/** Reports that the file is not as dsm left it. */
dsm_status dsm__store_damaged(const dsm_store *store, const char *what, dsm_diags *diags);
/** How reading went: where a row was found to be none that dsm writes, `odd` is said of the file.
 */
dsm_status dsm__store_have_read(const dsm_store *store, int code, const char *odd,
                                dsm_diags *diags);
/** How writing went; a transaction that failed is ended. */
dsm_status dsm__store_have_written(dsm_store *store, int code, dsm_diags *diags);
/** What dsm__store_have_read says of most rows. */
#define DSM__STORE_ODD_ROW "a row holds what dsm does not write"
#define DSM__STORE_ODD_TABLES "its tables are not as dsm makes them"

/* ---- store_statement.c ---- */

/** Compiles a text, which is freed; `flags` of sqlite3_prepare_v3. */
int dsm__store_prepare(const dsm_store *store, dsm__text_buffer *text, unsigned flags,
                       sqlite3_stmt **statement);
/** Runs a text, which is freed. */
int dsm__store_execute(const dsm_store *store, dsm__text_buffer *text);
/** Takes a row of a query; any other code than SQLITE_OK ends the query, and is its code. */
typedef int dsm__row_taker(void *context, sqlite3_stmt *row);
/** Gives each row of a statement to `take`, and resets it. */
int dsm__store_rows(sqlite3_stmt *statement, dsm__row_taker *take, void *context);
/** The same of a text. */
int dsm__store_query(const dsm_store *store, const char *sql, dsm__row_taker *take, void *context);
/** The number that a statement gives. */
int dsm__store_number(const dsm_store *store, const char *sql, sqlite3_int64 *number);
/** The first columns of all rows of `points`, in order. */
int dsm__store_select_points(const dsm_store *store, size_t column_count, sqlite3_stmt **statement);
/** The kept statement, compiled on first use. */
int dsm__store_statement(dsm_store *store, dsm__statement which, sqlite3_stmt **statement);
/** The same, which asks for what there is of a point. */
int dsm__store_ask(dsm_store *store, dsm__statement which, sqlite3_int64 point,
                   sqlite3_stmt **statement);
/** Runs a statement that gives no rows, and resets it. */
int dsm__store_run(sqlite3_stmt *statement);
/** Runs a kept statement without parameters. */
int dsm__store_do(dsm_store *store, dsm__statement which);
/** Ends a transaction that failed. */
void dsm__store_abandon(dsm_store *store);
/** The id of a word; added if it is new. */
int dsm__store_word(dsm_store *store, const char *text, sqlite3_int64 *id);

/** A text of the current row, checked: UTF-8 and without NUL. SQLITE_CORRUPT, SQLITE_NOMEM. NULL
 * for SQL's NULL. */
int dsm__store_text(sqlite3_stmt *statement, int column, const char **text);
/** The same, copied into an arena. */
int dsm__store_copy_text(sqlite3_stmt *statement, int column, dsm__arena *arena, const char **copy);

/* ---- store_schema.c ---- */

/** Names of the columns of `points` for these paths; false if out of memory. */
bool dsm__store_columns(dsm_store *store);
/** Appends the first `count` columns of `points`, quoted, joined by commas. */
void dsm__store_put_columns(const dsm_store *store, size_t count, dsm__text_buffer *out);
/** Columns of the view `layers`: the first is `point`, the others are fields of
 * dsm__point_layer_record. */
typedef struct dsm__layer_columns {
  const dsm__field *fields[1 + DSM__FIELDS_MAX]; /**< NULL for `point` */
  size_t count;
} dsm__layer_columns;
dsm__layer_columns dsm__layer_columns_get(void);
/** Appends their names, joined by commas. */
void dsm__layer_columns_put(dsm__text_buffer *out);
/** Is it the pass, which is stored as a number? */
bool dsm__layer_column_is_pass(const dsm__field *field);
/** Is it stored as the number of a word? */
bool dsm__layer_column_is_word(const dsm__field *field);

/** Makes all tables and views, and writes down whose they are. In one transaction. */
int dsm__store_set_up(dsm_store *store);
/** Writes down whose they are, where nothing is written of that. */
int dsm__store_write_identity(dsm_store *store);
/**
 * Are tables and views those that dsm makes, all of them and nothing else? Asks none of them, for a
 * view in place of a table can compute for ever. Those that depend on the axes are compared once
 * the store has its columns. DSM_ERROR_INVALID, DSM_ERROR_IO, DSM_ERROR_OUT_OF_MEMORY.
 */
dsm_status dsm__store_check_schema(dsm_store *store, dsm_diags *diags);

/* ---- store_identity.c ---- */

bool dsm__identity_of_sweep(dsm__identity *identity, const dsm_sweep *sweep, dsm__arena *arena);
/** Reads the identity of the database. */
dsm_status dsm__identity_read(dsm_store *store, dsm_diags *diags);
/** DSM_ERROR_INVALID, with a finding about the store's file that says what differs, unless both
 * are the same sweep. `other`: the file that the wanted one is of; NULL: it is this program's. */
dsm_status dsm__identity_compare(const dsm_store *store, const dsm__identity *wanted,
                                 const char *other, dsm_diags *diags);

/** Are all inputs of `part` also in the other, with the same contents? */
bool dsm__identity_has_inputs(const dsm__identity *identity, const dsm__identity *part);

/* ---- store_grow.c ---- */

/** If all points of the store's sweep are in another one, that of an identity, and are the same
 * there: *places[old] is the number of each, in the store's arena; else *places is NULL. */
dsm_status dsm__store_find_part(const dsm_store *store, const dsm__identity *wanted,
                                const size_t **places, dsm_diags *diags);
/** Makes the store that of the larger sweep. In one transaction. */
dsm_status dsm__store_grow(dsm_store *store, const dsm__identity *wanted, const size_t *places,
                           dsm_diags *diags);

/* ---- store_file.c ---- */

/** Opens the file for a writer, perhaps makes it, and locks it. */
dsm_status dsm__store_lock(dsm_store *store, dsm_diags *diags);
/** Gives up the lock, but not its descriptor. */
void dsm__store_unlock(dsm_store *store);
/** Do both paths name the same existing file? */
bool dsm__store_is_same_file(const char *first, const char *second);
/** Opens SQLite on the file that the path names. `is_immutable`: nobody writes to it. */
int dsm__store_connect(dsm_store *store, bool is_immutable);
/** Is there a log with something in it? Also true if out of memory. */
bool dsm__store_has_log(const dsm_store *store);

/* ---- store_open.c ---- */

/** dsm_store_open of the sweep of an identity, which is that of the database `other`, or NULL;
 * without a log. */
dsm_status dsm__store_open_for(dsm_store **store, const char *path, const dsm__identity *wanted,
                               const char *other, dsm_diags *diags);
/** Closes, and removes the file if it was made when it was opened. */
void dsm__store_discard(dsm_store *store);
/** Looks at every page. DSM_ERROR_INVALID if one is damaged. */
dsm_status dsm__store_check_pages(dsm_store *store, dsm_diags *diags);

#endif
