/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "suites.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "dsm/file.h"

/* Each test has an empty folder of its own. */
static char folder[64];
static char path[128]; /* folder/out.json */
static dsm_diags *diags;

static void set_up(void) {
  (void)snprintf(folder, sizeof folder, "/tmp/dsm-test-file-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/out.json", folder);
  diags = dsm_diags_new(4);
  ck_assert_ptr_nonnull(diags);
}

/* Calls visit for each entry of the folder but . and .. */
static size_t for_each_entry(void (*visit)(const char *entry_path)) {
  DIR *const entries = opendir(folder);
  ck_assert_ptr_nonnull(entries);
  size_t count = 0;
  for (const struct dirent *each = readdir(entries); each != NULL; each = readdir(entries)) {
    if (strcmp(each->d_name, ".") == 0 || strcmp(each->d_name, "..") == 0)
      continue;
    char entry_path[512];
    (void)snprintf(entry_path, sizeof entry_path, "%s/%s", folder, each->d_name);
    if (visit != NULL)
      visit(entry_path);
    count++;
  }
  (void)closedir(entries);
  return count;
}

static void delete_entry(const char *entry_path) {
  (void)remove(entry_path);
}

static void tear_down(void) {
  (void)for_each_entry(delete_entry);
  (void)rmdir(folder);
  dsm_diags_free(diags);
}

/* Writes a file by other means than the ones tested. */
static void put(const char *name, const char *text) {
  FILE *const file = fopen(name, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
  ck_assert_int_eq(fclose(file), 0);
}

/* The file's content is exactly this. */
static void expect_content(const char *name, const char *expected) {
  FILE *const file = fopen(name, "rb");
  ck_assert_ptr_nonnull(file);
  char content[256];
  const size_t length = fread(content, 1, sizeof content - 1, file);
  content[length] = '\0';
  (void)fclose(file);
  ck_assert_str_eq(content, expected);
}

static void expect_finding(const char *file, const char *message) {
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, message);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->file, file);
}

static dsm_status write_text(const char *name, const char *text) {
  return dsm_file_write(name, text, strlen(text), diags);
}

static mode_t mode_of(const char *name) {
  struct stat info;
  ck_assert_int_eq(stat(name, &info), 0);
  return info.st_mode & 0777;
}

/* ---- reading ---- */

static void expect_read(const char *name, const char *expected, size_t expected_length) {
  char *text = NULL;
  size_t length = 99;
  ck_assert_int_eq(dsm_file_read(&text, &length, name, diags), DSM_OK);
  ck_assert_uint_eq(length, expected_length);
  ck_assert_mem_eq(text, expected, expected_length + 1);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  free(text);
}

static void expect_unreadable(const char *name, dsm_status expected, const char *message) {
  char *text = path; /* anything but NULL */
  size_t length = 99;
  ck_assert_int_eq(dsm_file_read(&text, &length, name, diags), expected);
  ck_assert_ptr_null(text);
  expect_finding(name, message);
}

START_TEST(test_file_is_read_whole) {
  put(path, "{\n}\n");
  expect_read(path, "{\n}\n", 4);
}
END_TEST

START_TEST(test_empty_file_is_read_as_empty_text) {
  put(path, "");
  expect_read(path, "", 0);
}
END_TEST

START_TEST(test_bytes_after_nul_are_read) {
  FILE *const file = fopen(path, "wb");
  ck_assert_uint_eq(fwrite("a\0b", 1, 3, file), 3);
  ck_assert_int_eq(fclose(file), 0);
  expect_read(path, "a\0b", 3);
}
END_TEST

/* What is no regular file does not know its size, so that the buffer must grow. */
START_TEST(test_pipe_of_unknown_length_is_read_whole) {
  enum { LENGTH = 50000 };
  char *const expected = malloc(LENGTH + 1);
  ck_assert_ptr_nonnull(expected);
  memset(expected, 'x', LENGTH);
  expected[LENGTH] = '\0';
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  ck_assert_int_eq(write(ends[1], expected, LENGTH), LENGTH);
  ck_assert_int_eq(close(ends[1]), 0);
  char name[32];
  (void)snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
  expect_read(name, expected, LENGTH);
  (void)close(ends[0]);
  free(expected);
}
END_TEST

START_TEST(test_minus_reads_standard_input) {
  int ends[2];
  const int saved = dup(STDIN_FILENO);
  ck_assert_int_eq(pipe(ends), 0);
  ck_assert_int_eq(write(ends[1], "[1]", 3), 3);
  ck_assert_int_eq(close(ends[1]), 0);
  ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  expect_read("-", "[1]", 3);
  ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD) >= 0, true); /* it was not closed */
  (void)close(ends[0]);
  if (saved >= 0) {
    (void)dup2(saved, STDIN_FILENO);
    (void)close(saved);
  }
}
END_TEST

START_TEST(test_missing_file_is_reported) {
  expect_unreadable(path, DSM_ERROR_IO, "cannot open: No such file or directory");
}
END_TEST

START_TEST(test_folder_as_input_is_reported) {
  expect_unreadable(folder, DSM_ERROR_IO, "expected a file, found a directory");
}
END_TEST

START_TEST(test_findings_may_be_unwanted) {
  char *text = NULL;
  size_t length;
  ck_assert_int_eq(dsm_file_read(&text, &length, path, NULL), DSM_ERROR_IO);
  ck_assert_int_eq(dsm_file_write(folder, "x", 1, NULL), DSM_ERROR_IO);
}
END_TEST

/* A file with nothing in it but its length. */
static void make_sparse_file(off_t length) {
  put(path, "");
  ck_assert_int_eq(truncate(path, length), 0);
}

START_TEST(test_file_of_the_largest_size_is_read) {
  make_sparse_file((off_t)256 << 20);
  char *text = NULL;
  size_t length = 0;
  ck_assert_int_eq(dsm_file_read(&text, &length, path, diags), DSM_OK);
  ck_assert_uint_eq(length, (size_t)256 << 20);
  free(text);
}
END_TEST

START_TEST(test_file_over_the_largest_size_is_refused) {
  make_sparse_file(((off_t)256 << 20) + 1);
  expect_unreadable(path, DSM_ERROR_INVALID, "expected at most 268435456 bytes, found more");
}
END_TEST

START_TEST(test_endless_input_is_refused) {
  expect_unreadable("/dev/zero", DSM_ERROR_INVALID, "expected at most 268435456 bytes, found more");
}
END_TEST

/* ---- writing ---- */

START_TEST(test_new_file_has_the_text_and_the_mode_of_the_umask) {
  const mode_t old_umask = umask(027);
  const dsm_status status = write_text(path, "{}\n");
  (void)umask(old_umask);
  ck_assert_int_eq(status, DSM_OK);
  expect_content(path, "{}\n");
  ck_assert_uint_eq(mode_of(path), 0640); /* 0666 & ~027 */
  ck_assert_uint_eq(for_each_entry(NULL), 1);
}
END_TEST

START_TEST(test_empty_text_makes_an_empty_file) {
  ck_assert_int_eq(write_text(path, ""), DSM_OK);
  expect_content(path, "");
}
END_TEST

static const mode_t kept_modes[] = {0600, 0644, 0664, 0755};

START_TEST(test_existing_file_is_replaced_and_keeps_its_mode) {
  put(path, "old text that is longer");
  ck_assert_int_eq(chmod(path, kept_modes[_i]), 0);
  ck_assert_int_eq(write_text(path, "new"), DSM_OK);
  expect_content(path, "new");
  ck_assert_uint_eq(mode_of(path), kept_modes[_i]);
  ck_assert_uint_eq(for_each_entry(NULL), 1);
}
END_TEST

START_TEST(test_file_in_the_current_folder_is_written) {
  const int here = open(".", O_RDONLY);
  ck_assert_int_eq(chdir(folder), 0);
  const dsm_status status = write_text("out.json", "x");
  ck_assert_int_eq(fchdir(here), 0);
  (void)close(here);
  ck_assert_int_eq(status, DSM_OK);
  expect_content(path, "x");
}
END_TEST

START_TEST(test_symbolic_link_is_followed_and_stays) {
  char link_path[128];
  (void)snprintf(link_path, sizeof link_path, "%s/link", folder);
  put(path, "old");
  ck_assert_int_eq(symlink("out.json", link_path), 0); /* relative to the link's folder */
  ck_assert_int_eq(write_text(link_path, "new"), DSM_OK);
  struct stat info;
  ck_assert_int_eq(lstat(link_path, &info), 0);
  ck_assert(S_ISLNK(info.st_mode));
  expect_content(path, "new");
  ck_assert_uint_eq(for_each_entry(NULL), 2);
}
END_TEST

START_TEST(test_link_to_nothing_yet_makes_its_target) {
  char link_path[128];
  (void)snprintf(link_path, sizeof link_path, "%s/link", folder);
  ck_assert_int_eq(symlink(path, link_path), 0);
  ck_assert_int_eq(write_text(link_path, "new"), DSM_OK);
  expect_content(path, "new");
}
END_TEST

START_TEST(test_link_to_itself_is_reported) {
  ck_assert_int_eq(symlink("out.json", path), 0);
  ck_assert_int_eq(write_text(path, "x"), DSM_ERROR_IO);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "cannot write: Too many levels of symbolic links");
  ck_assert_uint_eq(for_each_entry(NULL), 1);
}
END_TEST

START_TEST(test_full_device_is_reported) {
  ck_assert_int_eq(write_text("/dev/full", "x"), DSM_ERROR_IO);
  expect_finding("/dev/full", "cannot write: No space left on device");
}
END_TEST

START_TEST(test_missing_folder_is_reported) {
  char missing[128];
  (void)snprintf(missing, sizeof missing, "%s/none/out.json", folder);
  ck_assert_int_eq(write_text(missing, "x"), DSM_ERROR_IO);
  expect_finding(missing, "cannot write: No such file or directory");
  ck_assert_uint_eq(for_each_entry(NULL), 0);
}
END_TEST

START_TEST(test_empty_name_is_reported) {
  ck_assert_int_eq(write_text("", "x"), DSM_ERROR_IO);
  expect_finding("", "cannot write: No such file or directory");
}
END_TEST

START_TEST(test_folder_as_target_is_reported) {
  ck_assert_int_eq(write_text(folder, "x"), DSM_ERROR_IO);
  expect_finding(folder, "expected a file, found a directory");
  ck_assert_uint_eq(for_each_entry(NULL), 0);
}
END_TEST

/* A limit on the size of files makes the second half of the text fail, as a full disk would. */
START_TEST(test_failed_write_leaves_the_old_file_and_no_temporary) {
  put(path, "old");
  struct rlimit old_limit;
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  void (*const old_action)(int) = signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small_limit = {.rlim_cur = 512, .rlim_max = old_limit.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small_limit), 0);
  char text[1025];
  memset(text, 'n', 1024);
  text[1024] = '\0';
  const dsm_status status = write_text(path, text);
  (void)setrlimit(RLIMIT_FSIZE, &old_limit);
  (void)signal(SIGXFSZ, old_action);
  ck_assert_int_eq(status, DSM_ERROR_IO);
  expect_finding(path, "cannot write: File too large");
  expect_content(path, "old");
  ck_assert_uint_eq(for_each_entry(NULL), 1);
}
END_TEST

/* Of another machine's process of the same number, say: it is not overwritten, another name is
 * taken. */
START_TEST(test_foreign_temporary_is_left_alone) {
  int holder = -1;
  char temporary[160];
  (void)snprintf(temporary, sizeof temporary, "%s/.dsm-%ld-0.tmp", folder, (long)getpid());
  put(temporary, "foreign");
  ck_assert(dsm__temporary_hold(&holder, temporary));
  ck_assert_int_eq(write_text(path, "new"), DSM_OK);
  expect_content(path, "new");
  expect_content(temporary, "foreign");
  ck_assert_uint_eq(for_each_entry(NULL), 2);
  (void)close(holder);
}
END_TEST

START_TEST(test_fifo_is_written_directly) {
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  const int reader = open(path, O_RDWR | O_NONBLOCK);
  ck_assert_int_ge(reader, 0);
  ck_assert_int_eq(write_text(path, "through"), DSM_OK);
  char text[16] = "";
  ck_assert_int_eq(read(reader, text, sizeof text - 1), 7);
  (void)close(reader);
  ck_assert_str_eq(text, "through");
  struct stat info;
  ck_assert_int_eq(stat(path, &info), 0);
  ck_assert(S_ISFIFO(info.st_mode));
}
END_TEST

/* As for a shell's `>> file`: the text goes where the descriptor stands. */
START_TEST(test_named_descriptor_is_appended_to) {
  put(path, "old ");
  const int descriptor = open(path, O_WRONLY | O_APPEND);
  char name[32];
  (void)snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
  ck_assert_int_eq(write_text(name, "new"), DSM_OK);
  ck_assert_int_eq(close(descriptor), 0); /* it was not closed */
  expect_content(path, "old new");
}
END_TEST

START_TEST(test_descriptor_of_the_program_is_refused) {
  put(path, "old");
  const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  char name[32];
  (void)snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
  ck_assert_int_eq(write_text(name, "new"), DSM_ERROR_IO);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "cannot write: this descriptor is one of the program's own");
  ck_assert_int_eq(close(descriptor), 0); /* it was not closed */
  expect_content(path, "old");
}
END_TEST

/* Printing into a file that was opened meanwhile would damage it. */
START_TEST(test_opened_files_leave_the_standard_numbers_free) {
  put(path, "old");
  for (int closed = 0; closed < 3; closed++) {
    const int saved = fcntl(closed, F_DUPFD_CLOEXEC, 10);
    (void)close(closed);
    const int opened = dsm__open(path, O_RDONLY, 0);
    const bool is_free = fcntl(closed, F_GETFD) < 0;
    (void)dup2(saved, closed);
    (void)close(saved);
    ck_assert_int_ge(opened, 3);
    ck_assert(is_free);
    ck_assert_int_eq(fcntl(opened, F_GETFD), FD_CLOEXEC);
    (void)close(opened);
  }
}
END_TEST

START_TEST(test_device_stdout_is_standard_output) {
  (void)fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  const int descriptor = open(path, O_WRONLY | O_CREAT, 0600);
  ck_assert_int_eq(dup2(descriptor, STDOUT_FILENO), STDOUT_FILENO);
  (void)close(descriptor);
  const dsm_status first = write_text("/dev/stdout", "one ");
  const dsm_status second = write_text("/dev/stdout", "two");
  (void)dup2(saved, STDOUT_FILENO);
  (void)close(saved);
  ck_assert_int_eq(first, DSM_OK);
  ck_assert_int_eq(second, DSM_OK);
  expect_content(path, "one two");
}
END_TEST

Suite *suite_file(void) {
  Suite *const suite = suite_create("file");
  TCase *const reading = tcase_create("reading");
  tcase_add_checked_fixture(reading, set_up, tear_down);
  tcase_add_test(reading, test_file_is_read_whole);
  tcase_add_test(reading, test_empty_file_is_read_as_empty_text);
  tcase_add_test(reading, test_bytes_after_nul_are_read);
  tcase_add_test(reading, test_pipe_of_unknown_length_is_read_whole);
  tcase_add_test(reading, test_minus_reads_standard_input);
  tcase_add_test(reading, test_missing_file_is_reported);
  tcase_add_test(reading, test_folder_as_input_is_reported);
  tcase_add_test(reading, test_findings_may_be_unwanted);
  tcase_add_test(reading, test_file_of_the_largest_size_is_read);
  tcase_add_test(reading, test_file_over_the_largest_size_is_refused);
  tcase_add_test(reading, test_endless_input_is_refused);
  suite_add_tcase(suite, reading);
  TCase *const writing = tcase_create("writing");
  tcase_add_checked_fixture(writing, set_up, tear_down);
  tcase_add_test(writing, test_new_file_has_the_text_and_the_mode_of_the_umask);
  tcase_add_test(writing, test_empty_text_makes_an_empty_file);
  tcase_add_loop_test(writing, test_existing_file_is_replaced_and_keeps_its_mode, 0,
                      COUNT_OF(kept_modes));
  tcase_add_test(writing, test_file_in_the_current_folder_is_written);
  tcase_add_test(writing, test_symbolic_link_is_followed_and_stays);
  tcase_add_test(writing, test_link_to_nothing_yet_makes_its_target);
  tcase_add_test(writing, test_link_to_itself_is_reported);
  tcase_add_test(writing, test_full_device_is_reported);
  tcase_add_test(writing, test_missing_folder_is_reported);
  tcase_add_test(writing, test_empty_name_is_reported);
  tcase_add_test(writing, test_folder_as_target_is_reported);
  tcase_add_test(writing, test_failed_write_leaves_the_old_file_and_no_temporary);
  tcase_add_test(writing, test_foreign_temporary_is_left_alone);
  tcase_add_test(writing, test_fifo_is_written_directly);
  tcase_add_test(writing, test_named_descriptor_is_appended_to);
  tcase_add_test(writing, test_descriptor_of_the_program_is_refused);
  tcase_add_test(writing, test_opened_files_leave_the_standard_numbers_free);
  tcase_add_test(writing, test_device_stdout_is_standard_output);
  suite_add_tcase(suite, writing);
  return suite;
}
