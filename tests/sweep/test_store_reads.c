/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_store_reads.c: a disk that cannot be read is a failure of the outside, not a damaged file.
 *
 * What SQLite opens gets methods of which reading fails: in one page, for ever or from the Nth time
 * on, as of a disk with a bad sector or one that is gone.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "scratch.h"
#include "suites.h"

enum { PAGE_BYTES = 4096, READS_MAX = 100000 };

static sqlite3_vfs *real;
static sqlite3_vfs failing;
static sqlite3_io_methods real_methods;
static sqlite3_io_methods failing_methods;
static sqlite3_int64 bad_page;   /* -1: none */
static sqlite3_int64 good_reads; /* how many work before all fail */
static bool has_failed;

static int fail_to_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset) {
  const bool is_bad = bad_page >= 0 && offset < (bad_page + 1) * PAGE_BYTES &&
                      offset + size > bad_page * PAGE_BYTES;
  if (is_bad || good_reads == 0) {
    has_failed = true;
    return SQLITE_IOERR_READ;
  }
  good_reads--;
  return real_methods.xRead(file, bytes, size, offset);
}

static int open_to_fail(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *out_flags) {
  (void)vfs;
  const int code = real->xOpen(real, name, file, flags, out_flags);
  if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB) != 0) {
    real_methods = *file->pMethods;
    failing_methods = real_methods;
    failing_methods.iVersion = 2; /* no mapping into memory */
    failing_methods.xRead = fail_to_read;
    file->pMethods = &failing_methods;
  }
  return code;
}

static dsm_sweep *sweep;

static void enter(void) {
  scratch_enter();
  sweep = stored_sweep((stored_shape){.minibatch_count = 10, .record = DSM_RECORD_PLANS});
  ck_assert_ptr_nonnull(sweep);
  scratch_make("a.sqlite", sweep, 0, 1, 40);
  bad_page = -1;
  good_reads = INT64_MAX;
  real = sqlite3_vfs_find(NULL);
  failing = *real;
  failing.zName = "failing";
  failing.xOpen = open_to_fail;
  ck_assert_int_eq(sqlite3_vfs_register(&failing, 1), SQLITE_OK);
}

static void leave(void) {
  ck_assert_int_eq(sqlite3_vfs_unregister(&failing), SQLITE_OK);
  dsm_sweep_free(sweep);
  scratch_leave();
}

/* ---- what is done with a database ---- */

static dsm_status read_all(void) {
  dsm_store *store = NULL;
  dsm_point_table *table = NULL;
  dsm_status status = dsm_store_open_read(&store, "a.sqlite", scratch_diags());
  if (status == DSM_OK) {
    status = dsm_store_points(store, &table, scratch_diags());
  }
  dsm_point_table_free(table);
  dsm_store_close(store);
  return status;
}

static dsm_status go_on(void) {
  bool is_done[40];
  dsm_store *store = NULL;
  dsm_status status = dsm_store_open(&store, "a.sqlite", sweep, scratch_diags());
  if (status == DSM_OK) {
    status = dsm_store_done(store, is_done, scratch_diags());
  }
  dsm_store_close(store);
  return status;
}

static dsm_status merge(void) {
  const char *const source = "a.sqlite";
  return dsm_store_merge("b.sqlite", &source, 1, scratch_diags());
}

static dsm_status (*const uses[])(void) = {read_all, go_on, merge};

/* Uses the database while reading fails: a failure outside, unless what failed does not matter.
 * True if it failed. */
static bool expect_outside(dsm_status (*use)(void)) {
  has_failed = false;
  dsm_diags_clear(scratch_diags());
  const dsm_status status = use();
  if (status != DSM_OK) {
    const char *const message = dsm_diags_get(scratch_diags(), 0)->message;
    ck_assert(has_failed);
    ck_assert_msg(status == DSM_ERROR_IO, "status %d, page %lld, reads %lld: %s", (int)status,
                  (long long)bad_page, (long long)good_reads, message);
    ck_assert_ptr_nonnull(strstr(message, "disk I/O error"));
  }
  return status != DSM_OK;
}

START_TEST(test_a_page_that_cannot_be_read) {
  const double pages = scratch_number("a.sqlite", "PRAGMA page_count");
  ck_assert_double_eq(scratch_number("a.sqlite", "PRAGMA page_size"), PAGE_BYTES);
  ck_assert_double_gt(pages, 12);
  int failures = 0;
  for (bad_page = 0; bad_page < (sqlite3_int64)pages; bad_page++) {
    failures += expect_outside(uses[_i]) ? 1 : 0;
  }
  ck_assert_int_gt(failures, 3); /* some pages are of tables that nobody asks for */
}
END_TEST

START_TEST(test_a_disk_that_is_gone) {
  bad_page = -1;
  has_failed = true;
  for (sqlite3_int64 first = 0; has_failed && first < READS_MAX; first++) {
    good_reads = first;
    ck_assert(expect_outside(uses[_i]) || first > 3);
  }
  ck_assert(!has_failed);
}
END_TEST

Suite *suite_store_reads(void) {
  Suite *const suite = suite_create("store_reads");
  TCase *const tests = tcase_create("store_reads");
  tcase_add_checked_fixture(tests, enter, leave);
  tcase_add_loop_test(tests, test_a_page_that_cannot_be_read, 0, 3);
  tcase_add_loop_test(tests, test_a_disk_that_is_gone, 0, 3);
  suite_add_tcase(suite, tests);
  return suite;
}
