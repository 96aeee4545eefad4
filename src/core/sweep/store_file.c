/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_file.c: the file under the database: made, locked for one writer, opened.
 *
 * The lock is a flock of a descriptor of its own, which SQLite's locks (fcntl) do not know. That
 * descriptor is opened before SQLite opens the file and closed after SQLite closed it, since
 * closing any descriptor of a file drops all fcntl locks that the process has on it.
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* flock */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag_add.h"
#include "base/files.h"
#include "sweep/store_internal.h"

/* What every database begins with, its NUL included. */
static const char magic[16] = "SQLite format 3";

bool dsm_store_is_database(const char *path) {
  const int descriptor = dsm__open(path, O_RDONLY | O_NONBLOCK, 0);
  if (descriptor < 0) {
    return false;
  }
  char start[sizeof magic];
  struct stat info;
  const bool is_regular = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  const ssize_t got = is_regular ? pread(descriptor, start, sizeof start, 0) : -1;
  (void)close(descriptor);
  return got == (ssize_t)sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

/* ---- locking ---- */

/* A descriptor of the file, made if it is not there. -1 with errno on failure. */
static int open_or_make(const char *path, bool *is_new) {
  const mode_t mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  const int flags = O_RDWR | O_NONBLOCK;
  *is_new = false;
  const int found = dsm__open(path, flags, 0);
  if (found >= 0 || errno != ENOENT) {
    return found;
  }
  const int made = dsm__open(path, flags | O_CREAT | O_EXCL, mode);
  *is_new = made >= 0;
  /* A link that leads nowhere yet is there and not there: make what it names. */
  return made >= 0 || errno != EEXIST ? made : dsm__open(path, flags | O_CREAT, mode);
}

/* 0 if locked, or if the file system knows no such locks; else an errno value. */
static int lock(int descriptor) {
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return EWOULDBLOCK;
    }
    if (errno != EINTR) {
      return 0;
    }
  }
  return 0;
}

static bool is_same_file(const struct stat *one, const struct stat *other) {
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Does the path still name the file that is locked? Its last writer may have removed it. */
static bool is_still_there(int descriptor, const char *path) {
  struct stat locked;
  struct stat named;
  return fstat(descriptor, &locked) == 0 && stat(path, &named) == 0 &&
         is_same_file(&locked, &named);
}

/* One attempt to open and lock; *is_gone: the file was removed meanwhile. */
static dsm_status try_lock(dsm_store *store, bool *is_gone, dsm_diags *diags) {
  *is_gone = false;
  const int descriptor = open_or_make(store->path, &store->is_new);
  if (descriptor < 0) {
    return dsm__system_error(store->path, "cannot open for writing", errno, diags);
  }
  store->lock = descriptor;
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    return dsm__store_refuse(store, DSM_ERROR_IO, NULL, diags,
                             "expected a regular file for the database, found something else");
  }
  if (lock(descriptor) == EWOULDBLOCK) {
    store->is_new = false; /* it is the other's now */
    return dsm__store_refuse(store, DSM_ERROR_IO, NULL, diags,
                             "another process writes to this database");
  }
  *is_gone = !is_still_there(descriptor, store->path);
  return DSM_OK;
}

dsm_status dsm__store_lock(dsm_store *store, dsm_diags *diags) {
  enum { MOST_TRIES = 100 };
  bool is_gone = true;
  dsm_status status = DSM_OK;
  for (int i = 0; i < MOST_TRIES && status == DSM_OK && is_gone; i++) {
    if (store->lock >= 0) {
      (void)close(store->lock);
      store->lock = -1;
    }
    status = try_lock(store, &is_gone, diags);
  }
  if (status == DSM_OK && is_gone) {
    return dsm__system_error(store->path, "cannot open for writing", EAGAIN, diags);
  }
  return status;
}

void dsm__store_unlock(dsm_store *store) {
  (void)flock(store->lock, LOCK_UN);
  store->is_new = false; /* it may be another's from now on */
}

bool dsm__store_is_same_file(const char *first, const char *second) {
  struct stat one;
  struct stat other;
  return stat(first, &one) == 0 && stat(second, &other) == 0 && is_same_file(&one, &other);
}

/* ---- opening ---- */

/* SQLite gives some names a meaning: ":memory:", "file:...". None of them begins with a dot or a
 * slash. */
static char *plain_name(dsm_store *store) {
  return dsm__arena_printf(store->arena, "%s%s", store->path[0] == '/' ? "" : "./", store->path);
}

/* A URI that says that the file does not change. */
static char *immutable_name(dsm_store *store) {
  dsm__text_buffer text = {0};
  dsm__text_puts(&text, store->path[0] == '/' ? "file://" : "file:./");
  for (const char *at = store->path; *at != '\0'; at++) {
    if (strchr("%?#", *at) != NULL) {
      dsm__text_printf(&text, "%%%02X", (unsigned)(unsigned char)*at);
    } else {
      dsm__text_append(&text, at, 1);
    }
  }
  dsm__text_puts(&text, "?immutable=1");
  char *const name = text.failed ? NULL : dsm__arena_strdup(store->arena, text.text);
  dsm__text_fini(&text);
  return name;
}

int dsm__store_connect(dsm_store *store, bool is_immutable) {
  enum { PATIENCE_MS = 3000 };
  /* A database from elsewhere must not make SQLite do more than read and write tables. */
  static const struct {
    int option;
    int value;
  } settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                  {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                  {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}};
  const char *const name = is_immutable ? immutable_name(store) : plain_name(store);
  if (name == NULL) {
    return SQLITE_NOMEM;
  }
  const int flags = is_immutable ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE;
  int code = sqlite3_open_v2(name, &store->database, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) {
    (void)sqlite3_extended_result_codes(store->database, 1);
    code = sqlite3_busy_timeout(store->database, PATIENCE_MS);
  }
  for (size_t i = 0; i < DSM__COUNT_OF(settings) && code == SQLITE_OK; i++) {
    code = sqlite3_db_config(store->database, settings[i].option, settings[i].value, NULL);
  }
  return code;
}

bool dsm__store_has_log(const dsm_store *store) {
  static const char *const endings[] = {"-wal", "-journal"};
  bool is_found = false;
  for (size_t i = 0; i < DSM__COUNT_OF(endings); i++) {
    const char *const name = dsm__arena_printf(store->arena, "%s%s", store->path, endings[i]);
    struct stat info;
    is_found = is_found || name == NULL || (stat(name, &info) == 0 && info.st_size > 0);
  }
  return is_found;
}
