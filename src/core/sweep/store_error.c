/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_error.c: SQLite's result codes as statuses and findings. */
#include <string.h>

#include "base/diag_add.h"
#include "sweep/store_internal.h"

/* A code without its extension. */
static int primary(int code) {
  return code & 0xff;
}

dsm_status dsm__store_refuse(const dsm_store *store, dsm_status status, const char *hint,
                             dsm_diags *diags, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = store->path}, hint, format, args);
  va_end(args);
  return status;
}

dsm_status dsm__store_damaged(const dsm_store *store, const char *what, dsm_diags *diags) {
  return dsm__store_refuse(store, DSM_ERROR_INVALID, NULL, diags, "the database is damaged: %s",
                           what);
}

/* What SQLite says of the call that gave the code, if that was the last one. */
static const char *message_of(const dsm_store *store, int code) {
  return store->database != NULL && sqlite3_extended_errcode(store->database) == code
             ? sqlite3_errmsg(store->database)
             : sqlite3_errstr(code);
}

/* Trouble of the outside: the disk, permissions, other processes. */
static dsm_status outside(const dsm_store *store, int code, const char *what, dsm_diags *diags) {
  const int error = store->database == NULL ? 0 : sqlite3_system_errno(store->database);
  const char *cause = sqlite3_errstr(code);
  char reason[DSM__REASON_SIZE] = "";
  switch (primary(code)) {
  case SQLITE_FULL:
    cause = "the disk or the database is full";
    break;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    cause = "another process keeps the database locked";
    break;
  case SQLITE_READONLY:
    cause = "the file or its folder can only be read";
    break;
  default:
    if (error != 0) {
      dsm__reason_of(error, reason);
    }
    break;
  }
  return dsm__store_refuse(store, DSM_ERROR_IO, NULL, diags, "%s: %s%s%s", what, cause,
                           reason[0] == '\0' ? "" : ": ", reason);
}

dsm_status dsm__store_fail(const dsm_store *store, int code, const char *what, dsm_diags *diags) {
  if (code == SQLITE_IOERR_NOMEM) {
    return dsm__out_of_memory(diags);
  }
  switch (primary(code)) {
  case SQLITE_NOMEM:
    return dsm__out_of_memory(diags);
  case SQLITE_NOTADB:
    return dsm__store_refuse(store, DSM_ERROR_INVALID, NULL, diags,
                             "expected a database of a sweep, found another file");
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

dsm_status dsm__store_have_read(const dsm_store *store, int code, const char *odd,
                                dsm_diags *diags) {
  if (code == SQLITE_CORRUPT && sqlite3_errcode(store->database) != SQLITE_CORRUPT) {
    return dsm__store_damaged(store, odd, diags);
  }
  return code == SQLITE_OK ? DSM_OK : dsm__store_fail(store, code, "cannot read", diags);
}

dsm_status dsm__store_have_written(dsm_store *store, int code, dsm_diags *diags) {
  if (code == SQLITE_OK) {
    return DSM_OK;
  }
  const dsm_status status = dsm__store_fail(store, code, "cannot write", diags);
  dsm__store_abandon(store);
  return status;
}
