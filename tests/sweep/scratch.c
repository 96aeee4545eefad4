/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700

#include "scratch.h"

#include <check.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static dsm_diags *diags;

void scratch_enter(void) {
  (void)snprintf(folder, sizeof folder, "/tmp/dsm-sweep-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(chdir(folder), 0);
  diags = dsm_diags_new(20);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info;
  (void)kind;
  (void)place;
  return remove(path);
}

void scratch_leave(void) {
  ck_assert_int_eq(chdir("/"), 0);
  ck_assert_int_eq(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
  dsm_diags_free(diags);
}

dsm_diags *scratch_diags(void) {
  return diags;
}

void scratch_expect(const char *text) {
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  const dsm_diag *const found = dsm_diags_get(diags, 0);
  ck_assert_msg(strstr(found->message, text) != NULL, "expected \"%s\" in \"%s\"", text,
                found->message);
  dsm_diags_clear(diags);
}

bool scratch_exists(const char *path) {
  return access(path, F_OK) == 0;
}

void scratch_write(const char *path, const char *text, size_t length) {
  FILE *const file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(text, 1, length, file), length);
  ck_assert_int_eq(fclose(file), 0);
}

void scratch_copy(const char *from, const char *to) {
  char *text = NULL;
  size_t length = 0;
  ck_assert_int_eq(dsm_file_read(&text, &length, from, diags), DSM_OK);
  scratch_write(to, text, length);
  free(text);
}

dsm_store *scratch_open(const char *path, const dsm_sweep *sweep) {
  dsm_store *store = NULL;
  const dsm_status status = dsm_store_open(&store, path, sweep, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding");
  return store;
}

dsm_store *scratch_read(const char *path) {
  dsm_store *store = NULL;
  const dsm_status status = dsm_store_open_read(&store, path, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding");
  return store;
}

void scratch_put(dsm_store *store, const dsm_sweep *sweep, size_t first, size_t step, size_t end) {
  stored_result *const made = malloc(sizeof *made);
  ck_assert_ptr_nonnull(made);
  for (size_t p = first; p < end; p += step) {
    stored_result_init(made, sweep, p, SCRATCH_LAYERS);
    ck_assert_int_eq(dsm_store_put(store, &made->result, diags), DSM_OK);
  }
  free(made);
}

void scratch_make(const char *path, const dsm_sweep *sweep, size_t first, size_t step, size_t end) {
  dsm_store *const store = scratch_open(path, sweep);
  scratch_put(store, sweep, first, step, end);
  dsm_store_close(store);
}

double scratch_number(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  ck_assert_int_eq(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
  ck_assert_msg(sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql,
                sqlite3_errmsg(database));
  ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
  const double number = sqlite3_column_double(statement, 0);
  (void)sqlite3_finalize(statement);
  ck_assert_int_eq(sqlite3_close(database), SQLITE_OK);
  return number;
}

void scratch_sql(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  ck_assert_int_eq(
      sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL),
      SQLITE_OK);
  ck_assert_msg(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, "%s",
                sqlite3_errmsg(database));
  ck_assert_int_eq(sqlite3_close(database), SQLITE_OK);
}
