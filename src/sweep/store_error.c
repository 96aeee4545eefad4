/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_error.c: SQLite's result codes as statuses and findings. */
#include <string.h>

#include "base/diag_add.h"
#include "sweep/store_internal.h"

/* A code without its extension. */
static int primary(int code) {
  return code & 0xff;
}

dsm_status dsm__store_damaged(const dsm_store *store, const char *what, dsm_diags *diags) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = store->path}, NULL,
                 "the database is damaged: %s", what);
  return DSM_ERROR_INVALID;
}

/* What SQLite says of the call that gave the code, if that was the last one. */
static const char *message_of(const dsm_store *store, int code) {
  return store->database != NULL && sqlite3_extended_errcode(store->database) == code
             ? sqlite3_errmsg(store->database)
             : sqlite3_errstr(code);
}

/* Trouble of the outside: the disk, permissions, other processes. */
static dsm_status outside(const dsm_store *store, int code, const char *what, dsm_diags *diags) {
  const dsm__place place = {.file = store->path};
  const int error = store->database == NULL ? 0 : sqlite3_system_errno(store->database);
  char reason[DSM__REASON_SIZE];
  switch (primary(code)) {
  case SQLITE_FULL:
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL, "%s: the disk or the database is full",
                   what);
    break;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL,
                   "%s: another process keeps the database locked", what);
    break;
  case SQLITE_READONLY:
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL,
                   "%s: the file or its folder can only be read", what);
    break;
  default:
    if (error != 0) {
      dsm__reason_of(error, reason);
      dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL, "%s: %s: %s", what,
                     sqlite3_errstr(code), reason);
    } else {
      dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL, "%s: %s", what, sqlite3_errstr(code));
    }
    break;
  }
  return DSM_ERROR_IO;
}

dsm_status dsm__store_fail(const dsm_store *store, int code, const char *what, dsm_diags *diags) {
  if (code == SQLITE_IOERR_NOMEM) {
    return dsm__out_of_memory(diags);
  }
  switch (primary(code)) {
  case SQLITE_NOMEM:
    return dsm__out_of_memory(diags);
  case SQLITE_NOTADB:
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = store->path}, NULL,
                   "expected a database of a sweep, found another file");
    return DSM_ERROR_INVALID;
  case SQLITE_CORRUPT:
  case SQLITE_ERROR: /* a table or column is missing */
  case SQLITE_SCHEMA:
  case SQLITE_CONSTRAINT:
  case SQLITE_MISMATCH:
  case SQLITE_TOOBIG:
    return dsm__store_damaged(store, message_of(store, code), diags);
  default:
    return outside(store, code, what, diags);
  }
}
