/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "base/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "suites.h"

static const char *const files[] = {"b.json",  "a.json",   "B.json",       "a10.json",
                                    "a2.json", ".json",    ".x.json",      "c.jso",
                                    "json",    "a.json.x", "\xc3\xa4.json"};
enum { FILE_COUNT = sizeof files / sizeof files[0] };

static char folder[64];
static dsm__arena *arena;
static dsm_diags *diags;

static void path_of(size_t index, char path[128]) {
  (void)snprintf(path, 128, "%s/%s", folder, files[index]);
}

static void set_up(void) {
  (void)snprintf(folder, sizeof folder, "/tmp/dsm-test-folder-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (size_t i = 0; i < FILE_COUNT; i++) {
    char path[128];
    path_of(i, path);
    FILE *const file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fclose(file), 0);
  }
  arena = dsm__arena_new();
  diags = dsm_diags_new(4);
}

static void tear_down(void) {
  for (size_t i = 0; i < FILE_COUNT; i++) {
    char path[128];
    path_of(i, path);
    (void)remove(path);
  }
  (void)rmdir(folder);
  dsm_diags_free(diags);
  dsm__arena_free(arena);
}

START_TEST(test_bytewise_order) {
  static const char *const expected[] = {"B.json",  "a.json", "a10.json",
                                         "a2.json", "b.json", "\xc3\xa4.json"};
  const char *const *names = NULL;
  size_t count = 0;
  ck_assert_int_eq(dsm__folder_list(&names, &count, folder, ".json", 100, arena, diags), DSM_OK);
  ck_assert_uint_eq(count, 6);
  for (size_t i = 0; i < count; i++) {
    ck_assert_str_eq(names[i], expected[i]);
  }
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
}
END_TEST

START_TEST(test_none) {
  const char *const *names = NULL;
  size_t count = 7;
  ck_assert_int_eq(dsm__folder_list(&names, &count, folder, ".db", 100, arena, diags), DSM_OK);
  ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(test_too_many) {
  const char *const *names = NULL;
  size_t count = 7;
  ck_assert_int_eq(dsm__folder_list(&names, &count, folder, ".json", 5, arena, diags),
                   DSM_ERROR_INVALID);
  ck_assert_uint_eq(count, 0);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "expected a folder with at most 5 files *.json, found more");
}
END_TEST

START_TEST(test_no_folder) {
  const char *const *names = NULL;
  size_t count = 7;
  char path[128];
  path_of(0, path);
  ck_assert_int_eq(dsm__folder_list(&names, &count, path, ".json", 5, arena, diags), DSM_ERROR_IO);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, "cannot read the folder: Not a directory");
  ck_assert_str_eq(dsm_diags_get(diags, 0)->file, path);
  ck_assert_int_eq(dsm__folder_list(&names, &count, "/nowhere/at/all", ".json", 5, arena, NULL),
                   DSM_ERROR_IO);
}
END_TEST

Suite *suite_folder(void) {
  Suite *const suite = suite_create("folder");
  TCase *const cases = tcase_create("all");
  tcase_add_checked_fixture(cases, set_up, tear_down);
  tcase_add_test(cases, test_bytewise_order);
  tcase_add_test(cases, test_none);
  tcase_add_test(cases, test_too_many);
  tcase_add_test(cases, test_no_folder);
  suite_add_tcase(suite, cases);
  return suite;
}
