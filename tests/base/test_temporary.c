/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporaries of processes that were killed are removed by the next write beside them. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* flock */

#include "suites.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "dsm/file.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

static char folder[64];

static void remove_all(const char *path) {
  DIR *const entries = opendir(path);
  ck_assert_ptr_nonnull(entries);
  for (const struct dirent *each; (each = readdir(entries)) != NULL;) {
    (void)unlinkat(dirfd(entries), each->d_name, 0);
    (void)unlinkat(dirfd(entries), each->d_name, AT_REMOVEDIR);
  }
  (void)closedir(entries);
}

static void enter(void) {
  (void)snprintf(folder, sizeof folder, "/tmp/dsm-test-temporary-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(chdir(folder), 0);
}

static void leave(void) {
  remove_all(folder);
  ck_assert_int_eq(chdir("/"), 0);
  ck_assert_int_eq(rmdir(folder), 0);
}

static void make(const char *name) {
  const int made = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
  ck_assert_int_ge(made, 0);
  ck_assert_int_eq(write(made, "part", 4), 4);
  ck_assert_int_eq(close(made), 0);
}

static bool exists(const char *name) {
  struct stat info;
  return lstat(name, &info) == 0;
}

static void expect_written(const char *path) {
  ck_assert_int_eq(dsm_file_write(path, "text", 4, NULL), DSM_OK);
  ck_assert(exists(path));
}

START_TEST(test_an_old_one_is_removed) {
  make(".dsm-1-0.tmp"); /* of a number that a process has */
  make(".dsm-4194304999-12.tmp");
  expect_written(_i == 0 ? "out.json" : "./out.json");
  ck_assert(!exists(".dsm-1-0.tmp"));
  ck_assert(!exists(".dsm-4194304999-12.tmp"));
}
END_TEST

START_TEST(test_an_old_folder_is_removed_with_its_files) {
  static const dsm_named_text files[] = {{"a", "1", 0}};
  ck_assert_int_eq(mkdir(".dsm-7-0.tmp", 0700), 0);
  make(".dsm-7-0.tmp/workload.txt");
  make(".dsm-7-0.tmp/.dsm-7-0.tmp");
  ck_assert_int_eq(dsm_folder_write("out", files, 1, NULL), DSM_OK);
  ck_assert(!exists(".dsm-7-0.tmp"));
  ck_assert(exists("out/a"));
  (void)unlink("out/a");
}
END_TEST

START_TEST(test_a_folder_with_an_old_one_is_empty) {
  static const dsm_named_text files[] = {{"a", "1", 0}};
  ck_assert_int_eq(mkdir("out", 0700), 0);
  make("out/.dsm-7-0.tmp");
  ck_assert_int_eq(dsm_folder_write("out", files, 1, NULL), DSM_OK);
  ck_assert(!exists("out/.dsm-7-0.tmp"));
  ck_assert(exists("out/a"));
  (void)unlink("out/a");
}
END_TEST

START_TEST(test_one_that_is_held_stays) {
  make(".dsm-7-0.tmp");
  int holder = -1;
  ck_assert(dsm__temporary_hold(&holder, ".dsm-7-0.tmp"));
  expect_written("out.json");
  ck_assert(exists(".dsm-7-0.tmp"));
  ck_assert_int_eq(close(holder), 0);
  expect_written("out.json");
  ck_assert(!exists(".dsm-7-0.tmp"));
}
END_TEST

/* Another process has just opened it to remove it, or has done so. */
START_TEST(test_one_that_is_being_removed_is_not_held) {
  int holder = 0;
  make(".dsm-7-0.tmp");
  const int remover = open(".dsm-7-0.tmp", O_RDONLY);
  ck_assert_int_eq(flock(remover, LOCK_EX | LOCK_NB), 0);
  ck_assert(!dsm__temporary_hold(&holder, ".dsm-7-0.tmp"));
  ck_assert_int_eq(errno, EEXIST);
  ck_assert_int_eq(holder, -1);
  (void)unlink(".dsm-7-0.tmp");
  (void)close(remover);
  ck_assert(!dsm__temporary_hold(&holder, ".dsm-7-0.tmp"));
  ck_assert_int_eq(errno, EEXIST);
}
END_TEST

START_TEST(test_what_is_called_otherwise_stays) {
  static const char *const names[] = {".dsm-7.tmp",   ".dsm-7-.tmp",   ".dsm--0.tmp",
                                      "dsm-7-0.tmp",  ".dsm-7-0.tm",   ".dsm-7-0.tmp~",
                                      ".dsm-x-0.tmp", ".dsm-7-0x.tmp", ".dsm-7-0.tmp.json"};
  for (int i = 0; i < COUNT_OF(names); i++) {
    make(names[i]);
  }
  make("kept");
  ck_assert_int_eq(symlink("kept", ".dsm-8-0.tmp"), 0);
  ck_assert_int_eq(mkfifo(".dsm-9-0.tmp", 0600), 0);
  expect_written("out.json");
  for (int i = 0; i < COUNT_OF(names); i++) {
    ck_assert_msg(exists(names[i]), "%s", names[i]);
  }
  ck_assert(exists("kept"));
  ck_assert(exists(".dsm-8-0.tmp"));
  ck_assert(exists(".dsm-9-0.tmp"));
}
END_TEST

/* Several processes write into one folder for a while: every write succeeds. */
START_TEST(test_writers_do_not_remove_what_others_write) {
  enum { WRITERS = 4, WRITES = 150 };
  pid_t writers[WRITERS];
  for (int w = 0; w < WRITERS; w++) {
    writers[w] = fork();
    if (writers[w] == 0) {
      char name[32];
      int failed = 0;
      (void)snprintf(name, sizeof name, "out%d", w);
      for (int i = 0; i < WRITES; i++) {
        failed += dsm_file_write(name, "text", 4, NULL) == DSM_OK ? 0 : 1;
      }
      _exit(failed == 0 ? 0 : 1);
    }
  }
  for (int w = 0; w < WRITERS; w++) {
    int status = -1;
    ck_assert_int_eq(waitpid(writers[w], &status, 0), writers[w]);
    ck_assert_int_eq(status, 0);
  }
}
END_TEST

Suite *suite_temporary(void) {
  Suite *const suite = suite_create("temporary");
  TCase *const tests = tcase_create("temporary");
  tcase_add_checked_fixture(tests, enter, leave);
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_an_old_one_is_removed, 0, 2);
  tcase_add_test(tests, test_an_old_folder_is_removed_with_its_files);
  tcase_add_test(tests, test_a_folder_with_an_old_one_is_empty);
  tcase_add_test(tests, test_one_that_is_held_stays);
  tcase_add_test(tests, test_one_that_is_being_removed_is_not_held);
  tcase_add_test(tests, test_what_is_called_otherwise_stays);
  tcase_add_test(tests, test_writers_do_not_remove_what_others_write);
  suite_add_tcase(suite, tests);
  return suite;
}
