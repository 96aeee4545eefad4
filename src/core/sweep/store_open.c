/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_open.c: opening and closing.
 *
 * While it is written, a database has a write-ahead log (NAME-wal, NAME-shm): a commit is then one
 * append without a sync, and readers do not wait. At the end all goes into the one file, which is
 * left without a log, so that it can be read anywhere. A merge, which is one commit, needs none.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag_add.h"
#include "sweep/store_internal.h"

static dsm_store *new_store(const char *path) {
  dsm_store *const store = DSM__ARENA_OWNER(dsm_store);
  if (store == NULL) {
    return NULL;
  }
  store->lock = -1;
  store->path = dsm__arena_strdup(store->arena, path);
  if (store->path == NULL) {
    dsm__arena_free(store->arena);
    return NULL;
  }
  return store;
}

/* Closes SQLite's part. What cannot be brought out of the log, because somebody reads or the disk
 * is full, stays in it. */
static void disconnect(dsm_store *store) {
  for (int s = 0; s < DSM__STATEMENT_COUNT; s++) {
    (void)sqlite3_finalize(store->statements[s]);
  }
  if (store->has_log) {
    (void)sqlite3_exec(store->database, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    (void)sqlite3_exec(store->database, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
  }
  (void)sqlite3_close(store->database);
}

/* Gives up the lock and the memory. */
static void release(dsm_store *store) {
  if (store->lock >= 0) {
    (void)close(store->lock);
  }
  dsm__arena_free(store->arena);
}

void dsm_store_close(dsm_store *store) {
  if (store != NULL) {
    disconnect(store);
    release(store);
  }
}

void dsm__store_discard(dsm_store *store) {
  disconnect(store);
  if (store->is_new) {
    (void)unlink(store->path); /* it is locked still: nobody else writes to it */
  }
  release(store);
}

/* ---- what is there ---- */

/* Whose database it is. */
typedef struct header {
  sqlite3_int64 application;
  sqlite3_int64 schema;
  sqlite3_int64 object_count;
} header;

static int read_header(dsm_store *store, header *found) {
  int code = dsm__store_number(store, "PRAGMA application_id", &found->application);
  if (code == SQLITE_OK) {
    code = dsm__store_number(store, "PRAGMA user_version", &found->schema);
  }
  if (code == SQLITE_OK) {
    code = dsm__store_number(store, "SELECT count(*) FROM sqlite_schema", &found->object_count);
  }
  return code;
}

/* A file that was made, but whose writer ended before its tables were committed. */
static bool is_blank(const header *found) {
  return found->application == 0 && found->schema == 0 && found->object_count == 0;
}

static dsm_status check_header(const dsm_store *store, const header *found, dsm_diags *diags) {
  if (is_blank(found)) {
    return dsm__store_refuse(store, DSM_ERROR_INVALID, NULL, diags,
                             "expected a database of a sweep, found an empty one");
  }
  if (found->application != DSM__STORE_APPLICATION) {
    return dsm__store_refuse(store, DSM_ERROR_INVALID, NULL, diags,
                             "expected a database of a sweep, found one of another program "
                             "(application_id %lld)",
                             (long long)found->application);
  }
  return found->schema == DSM__STORE_SCHEMA
             ? DSM_OK
             : dsm__store_refuse(store, DSM_ERROR_INVALID, NULL, diags,
                                 "expected version %d of the tables, found version %lld, of %s dsm",
                                 DSM__STORE_SCHEMA, (long long)found->schema,
                                 found->schema > DSM__STORE_SCHEMA ? "a newer" : "an older");
}

/* ---- for writing ---- */

/* Reads all of a file that SQLite has open. A read that ends early is none that failed. */
static int read_file(sqlite3_file *file) {
  char piece[4096];
  sqlite3_int64 size = 0;
  int code = file->pMethods->xFileSize(file, &size);
  for (sqlite3_int64 at = 0; at < size && code == SQLITE_OK; at += (sqlite3_int64)sizeof piece) {
    const sqlite3_int64 left = size - at;
    const int wanted = left < (sqlite3_int64)sizeof piece ? (int)left : (int)sizeof piece;
    code = file->pMethods->xRead(file, piece, wanted, at);
    code = code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
  }
  return code;
}

/* SQLite's check takes a page that the disk does not give for a damaged one. Does the disk give all
 * of the database and its log? SQLITE_OK if so. */
static int read_disk(const dsm_store *store) {
  static const int which[] = {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER};
  int code = SQLITE_OK;
  for (size_t i = 0; i < DSM__COUNT_OF(which) && code == SQLITE_OK; i++) {
    sqlite3_file *file = NULL;
    code = sqlite3_file_control(store->database, "main", which[i], (void *)&file);
    if (code == SQLITE_OK && file != NULL && file->pMethods != NULL) {
      code = read_file(file);
    }
  }
  return code;
}

/* What the check says. */
typedef struct verdict {
  const dsm_store *store;
  const char *text;
} verdict;

static int take_verdict(void *context, sqlite3_stmt *row) {
  verdict *const to = context;
  return dsm__store_copy_text(row, 0, to->store->arena, &to->text);
}

dsm_status dsm__store_check_pages(dsm_store *store, dsm_diags *diags) {
  verdict found = {.store = store, .text = "unknown"};
  int code = dsm__store_query(store, "PRAGMA quick_check(1)", take_verdict, &found);
  const bool is_whole = code == SQLITE_OK && found.text != NULL && strcmp(found.text, "ok") == 0;
  if (code == SQLITE_OK && !is_whole) {
    code = read_disk(store);
  }
  return code != SQLITE_OK ? dsm__store_fail(store, code, "cannot read", diags)
         : is_whole        ? DSM_OK
                           : dsm__store_damaged(store, found.text, diags);
}

/* Makes the database of a smaller sweep that of this one. */
static dsm_status grow(dsm_store *store, const dsm__identity *wanted, dsm_diags *diags) {
  const size_t *places = NULL;
  const bool is_same = strcmp(store->identity.digest, wanted->digest) == 0;
  const dsm_status status = is_same ? DSM_OK : dsm__store_find_part(store, wanted, &places, diags);
  return status == DSM_OK && places != NULL ? dsm__store_grow(store, wanted, places, diags)
                                            : status;
}

/* The database is there: is it that of this sweep? */
static dsm_status check_existing(dsm_store *store, const header *found, const dsm__identity *wanted,
                                 const char *other, dsm_diags *diags) {
  dsm_status status = check_header(store, found, diags);
  if (status == DSM_OK) { /* first of all: what else is read may be a trap */
    status = dsm__identity_read(store, diags);
  }
  if (status == DSM_OK) { /* a writer must not build on what is damaged */
    status = dsm__store_check_pages(store, diags);
  }
  if (status == DSM_OK) {
    status = grow(store, wanted, diags);
  }
  if (status == DSM_OK) {
    status = dsm__identity_compare(store, wanted, other, diags);
  }
  return status;
}

static dsm_status set_up(dsm_store *store, const dsm__identity *wanted, dsm_diags *diags) {
  store->identity = *wanted;
  if (!dsm__store_columns(store)) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = dsm__store_have_written(store, dsm__store_set_up(store), diags);
  return status == DSM_OK ? dsm__identity_read(store, diags) : status; /* it is the store's own */
}

/* From now on with a log. A file system that has none (it needs shared memory) gets commits that
 * are synced one by one: slower, as safe. */
static int start_log(dsm_store *store) {
  const int code = sqlite3_exec(store->database, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
  if ((code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM) {
    return code;
  }
  sqlite3_int64 is_log = 0;
  const int read_code =
      dsm__store_number(store, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", &is_log);
  if (read_code != SQLITE_OK || is_log == 0) {
    return read_code == SQLITE_OK ? code : read_code;
  }
  store->has_log = true;
  return sqlite3_exec(store->database, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
}

static dsm_status open_writer(dsm_store *store, const dsm__identity *wanted, const char *other,
                              dsm_diags *diags) {
  store->words = dsm__arena_array(store->arena, DSM__WORD_SLOTS, sizeof *store->words);
  if (store->words == NULL) {
    return dsm__out_of_memory(diags);
  }
  header found = {0};
  int code = dsm__store_connect(store, false);
  if (code == SQLITE_OK) {
    code = read_header(store, &found);
  }
  if ((code & 0xff) == SQLITE_BUSY) {
    /* Some network file systems make both kinds of locks the same one, so that ours is in the way
     * of SQLite's. Without it rows still stay single; only work may be done twice. */
    dsm__store_unlock(store);
    code = read_header(store, &found);
  }
  if (code != SQLITE_OK) {
    return dsm__store_fail(store, code, "cannot open for writing", diags);
  }
  return is_blank(&found) ? set_up(store, wanted, diags)
                          : check_existing(store, &found, wanted, other, diags);
}

dsm_status dsm__store_open_for(dsm_store **store, const char *path, const dsm__identity *wanted,
                               const char *other, dsm_diags *diags) {
  *store = NULL;
  dsm_store *const made = new_store(path);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = dsm__store_lock(made, diags);
  if (status == DSM_OK) {
    status = open_writer(made, wanted, other, diags);
  }
  if (status != DSM_OK) {
    dsm__store_discard(made);
    return status;
  }
  *store = made;
  return DSM_OK;
}

dsm_status dsm_store_open(dsm_store **store, const char *path, const dsm_sweep *sweep,
                          dsm_diags *diags) {
  *store = NULL;
  dsm__arena *const arena = dsm__arena_new();
  dsm__identity wanted;
  if (arena == NULL || !dsm__identity_of_sweep(&wanted, sweep, arena)) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  dsm_store *made = NULL;
  dsm_status status = dsm__store_open_for(&made, path, &wanted, NULL, diags);
  dsm__arena_free(arena);
  const int code = made == NULL ? SQLITE_OK : start_log(made);
  if (code != SQLITE_OK) {
    status = dsm__store_fail(made, code, "cannot write", diags);
    dsm__store_discard(made);
    return status;
  }
  if (made != NULL) {
    made->sweep = sweep;
  }
  *store = made;
  return status;
}

/* ---- for reading ---- */

/* Connects and reads the header. Where neither file nor folder can be written SQLite cannot follow
 * a log; without a log there is nothing to follow, and nobody who could write. */
static dsm_status connect_reader(dsm_store *store, header *found, dsm_diags *diags) {
  int code = dsm__store_connect(store, false);
  if (code == SQLITE_OK) {
    code = read_header(store, found);
  }
  const int kind = code & 0xff;
  if (kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY) {
    if (dsm__store_has_log(store)) {
      return dsm__store_refuse(
          store, DSM_ERROR_IO,
          "open it once where file and folder can be written, or copy it with its log", diags,
          "a writer was killed or is at work: its log (-wal or -journal) cannot be read in a "
          "folder that cannot be written");
    }
    (void)sqlite3_close(store->database);
    store->database = NULL;
    code = dsm__store_connect(store, true);
    if (code == SQLITE_OK) {
      code = read_header(store, found);
    }
  }
  if (code == SQLITE_OK) {
    code = sqlite3_exec(store->database, "PRAGMA query_only=ON", NULL, NULL, NULL);
  }
  return code == SQLITE_OK ? DSM_OK : dsm__store_fail(store, code, "cannot open", diags);
}

static dsm_status open_reader(dsm_store *store, dsm_diags *diags) {
  struct stat info;
  if (stat(store->path, &info) != 0 || access(store->path, R_OK) != 0) {
    return dsm__system_error(store->path, "cannot open", errno, diags);
  }
  if (!S_ISREG(info.st_mode)) {
    return dsm__store_refuse(store, DSM_ERROR_IO, NULL, diags,
                             "expected the database of a sweep, found no regular file");
  }
  header found = {0};
  dsm_status status = connect_reader(store, &found, diags);
  if (status == DSM_OK) {
    status = check_header(store, &found, diags);
  }
  return status == DSM_OK ? dsm__identity_read(store, diags) : status;
}

dsm_status dsm_store_open_read(dsm_store **store, const char *path, dsm_diags *diags) {
  *store = NULL;
  dsm_store *const made = new_store(path);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = open_reader(made, diags);
  if (status != DSM_OK) {
    dsm_store_close(made);
    return status;
  }
  *store = made;
  return DSM_OK;
}

bool dsm_store_is_of_other(const char *path, const dsm_sweep *sweep) {
  dsm_store *store = NULL;
  dsm__arena *const arena = dsm__arena_new();
  dsm__identity wanted;
  const size_t *places = NULL;
  bool is_other = arena != NULL && dsm__identity_of_sweep(&wanted, sweep, arena) &&
                  dsm_store_open_read(&store, path, NULL) == DSM_OK && store != NULL &&
                  strcmp(store->identity.digest, wanted.digest) != 0;
  if (is_other) {
    is_other = dsm__store_find_part(store, &wanted, &places, NULL) == DSM_OK && places == NULL;
  }
  dsm_store_close(store);
  dsm__arena_free(arena);
  return is_other;
}

const char *dsm_store_resolved(const dsm_store *store) {
  return store->identity.resolved;
}
