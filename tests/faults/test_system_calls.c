/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_system_calls.c: every system call of reading and writing a file fails once, is interrupted
 * once, or does only a part of its work.
 *
 * The linker sends the calls here (see CMakeLists.txt). For N = 1, 2, ... call N fails, until a
 * function makes fewer than N. A failure is DSM_ERROR_IO with one finding; an existing file is then
 * what it was, and no temporary file is left. Interruptions and short transfers change nothing.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dsm/dsm.h"

/* ---- the calls ---- */

int __real_open(const char *path, int flags, ...);
ssize_t __real_read(int descriptor, void *target, size_t size);
ssize_t __real_write(int descriptor, const void *source, size_t size);
int __real_fchmod(int descriptor, mode_t mode);
int __real_fsync(int descriptor);
int __real_close(int descriptor);
int __real_rename(const char *from, const char *to);
int __real_mkdir(const char *path, mode_t mode);

int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_read(int descriptor, void *target, size_t size);
ssize_t __wrap_write(int descriptor, const void *source, size_t size);
int __wrap_fchmod(int descriptor, mode_t mode);
int __wrap_fsync(int descriptor);
int __wrap_close(int descriptor);
int __wrap_rename(const char *from, const char *to);
int __wrap_mkdir(const char *path, mode_t mode);

typedef enum fault {
  FAULT_NONE = 0,
  FAULT_FAILURE,      /* call N fails */
  FAULT_INTERRUPTION, /* call N, a read or write, is interrupted */
  FAULT_SHORT,        /* all reads and writes transfer one byte */
  FAULT_COUNT
} fault;

typedef enum called { OPEN, READ, WRITE, FCHMOD, FSYNC, CLOSE, RENAME, MKDIR, CALLED_COUNT } called;

static const char *const called_names[] = {
    [OPEN] = "open",   [READ] = "read",   [WRITE] = "write",   [FCHMOD] = "fchmod",
    [FSYNC] = "fsync", [CLOSE] = "close", [RENAME] = "rename", [MKDIR] = "mkdir",
};

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static fault active;
static size_t chosen;
static size_t seen;
static called hit;         /* the call that failed */
static bool was_only_read; /* the close that failed */
static size_t counts[CALLED_COUNT];
static bool is_signalled; /* every call finds signals that end a process */

/* Counts a call; true if it is the chosen one. */
static bool is_hit(called call) {
  if (active == FAULT_NONE) {
    return false;
  }
  counts[call]++;
  for (size_t i = 0; i < sizeof signals / sizeof *signals && is_signalled; i++) {
    (void)raise(signals[i]);
  }
  const bool is_transfer = call == READ || call == WRITE;
  if (active == FAULT_SHORT || (active == FAULT_INTERRUPTION && !is_transfer) || ++seen != chosen) {
    return false;
  }
  hit = call;
  if (active == FAULT_INTERRUPTION) {
    errno = EINTR;
  } else {
    errno = call == WRITE ? ENOSPC : EIO;
  }
  return true;
}

static size_t limited(size_t size) {
  return active == FAULT_SHORT && size > 1 ? 1 : size;
}

int __wrap_open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(args, unsigned) : 0;
  va_end(args);
  return is_hit(OPEN) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_read(int descriptor, void *target, size_t size) {
  return is_hit(READ) ? -1 : __real_read(descriptor, target, limited(size));
}

ssize_t __wrap_write(int descriptor, const void *source, size_t size) {
  return is_hit(WRITE) ? -1 : __real_write(descriptor, source, limited(size));
}

int __wrap_fchmod(int descriptor, mode_t mode) {
  return is_hit(FCHMOD) ? -1 : __real_fchmod(descriptor, mode);
}

int __wrap_fsync(int descriptor) {
  return is_hit(FSYNC) ? -1 : __real_fsync(descriptor);
}

/* A close that fails has closed all the same. What was only read cannot be lost by it. */
int __wrap_close(int descriptor) {
  const bool must_fail = is_hit(CLOSE);
  was_only_read = must_fail ? (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY : was_only_read;
  const int error = errno;
  const int result = __real_close(descriptor);
  if (must_fail) {
    errno = error;
  }
  return must_fail ? -1 : result;
}

int __wrap_rename(const char *from, const char *to) {
  return is_hit(RENAME) ? -1 : __real_rename(from, to);
}

int __wrap_mkdir(const char *path, mode_t mode) {
  return is_hit(MKDIR) ? -1 : __real_mkdir(path, mode);
}

/* ---- the files ---- */

static const char old_text[] = "what was here before\n";
static const char new_text[] = "a new text, whole\n";
static char folder[] = "/tmp/dsm-calls-XXXXXX";
static char old_path[64];
static char link_path[64];
static char fresh_path[64];

static void require(bool holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "test_system_calls: cannot prepare: %s\n", what);
    exit(EXIT_FAILURE);
  }
}

static void put_old(void) {
  FILE *const file = fopen(old_path, "w");
  require(file != NULL && fputs(old_text, file) >= 0 && fclose(file) == 0, old_path);
  require(chmod(old_path, S_IRUSR | S_IWUSR | S_IXUSR) == 0, "permissions");
}

static bool holds(const char *path, const char *text) {
  char found[256];
  FILE *const file = fopen(path, "r");
  if (file == NULL) {
    return text == NULL;
  }
  found[fread(found, 1, sizeof found - 1, file)] = '\0';
  return fclose(file) == 0 && text != NULL && strcmp(found, text) == 0;
}

static size_t count_files(void) {
  size_t count = 0;
  DIR *const open_folder = opendir(folder);
  require(open_folder != NULL, folder);
  while (readdir(open_folder) != NULL) {
    count++;
  }
  (void)closedir(open_folder);
  return count;
}

/* ---- the cases ---- */

typedef dsm_status call_function(dsm_diags *diags);
/* Is what the call left behind that of a success, or of a failure? */
typedef bool look_function(bool is_success);

static char *read_text;

static dsm_status read_old(dsm_diags *diags) {
  size_t length = 0;
  return dsm_file_read(&read_text, &length, old_path, diags);
}

static bool look_at_read(bool is_success) {
  const bool is_good =
      is_success ? read_text != NULL && strcmp(read_text, old_text) == 0 : read_text == NULL;
  free(read_text);
  read_text = NULL;
  return is_good && holds(old_path, old_text) && count_files() == 2 + 2;
}

static dsm_status write_old(dsm_diags *diags) {
  return dsm_file_write(link_path, new_text, strlen(new_text), diags);
}

static bool look_at_old(bool is_success) {
  struct stat info;
  const bool is_mode_kept =
      stat(old_path, &info) == 0 && (info.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) == S_IRWXU;
  const bool is_good = is_mode_kept && holds(old_path, is_success ? new_text : old_text) &&
                       lstat(link_path, &info) == 0 && S_ISLNK(info.st_mode) &&
                       count_files() == 2 + 2;
  put_old();
  return is_good;
}

static dsm_status write_fresh(dsm_diags *diags) {
  return dsm_file_write(fresh_path, new_text, strlen(new_text), diags);
}

static bool look_at_fresh(bool is_success) {
  const bool is_good = holds(fresh_path, is_success ? new_text : NULL) &&
                       count_files() == (is_success ? 2 + 3 : 2 + 2);
  (void)unlink(fresh_path);
  return is_good;
}

static dsm_status write_folder(dsm_diags *diags) {
  static const dsm_named_text files[] = {{"a", new_text, 0}, {"b", old_text, 0}};
  return dsm_folder_write(fresh_path, files, 2, diags);
}

static bool look_at_folder(bool is_success) {
  char first[sizeof fresh_path + 2];
  char second[sizeof fresh_path + 2];
  (void)snprintf(first, sizeof first, "%s/a", fresh_path);
  (void)snprintf(second, sizeof second, "%s/b", fresh_path);
  const bool is_good = holds(first, is_success ? new_text : NULL) &&
                       holds(second, is_success ? old_text : NULL) &&
                       count_files() == (is_success ? 2 + 3 : 2 + 2);
  (void)unlink(first);
  (void)unlink(second);
  (void)rmdir(fresh_path);
  return is_good;
}

static dsm_status fill_folder(dsm_diags *diags) {
  require(__real_mkdir(fresh_path, S_IRWXU) == 0, "an empty folder");
  return write_folder(diags);
}

/* The folder stays, without a file if not with both. */
static bool look_at_filled(bool is_success) {
  struct stat info;
  const bool is_there = stat(fresh_path, &info) == 0 && count_files() == 2 + 3;
  if (!is_success) {
    return is_there && rmdir(fresh_path) == 0;
  }
  return look_at_folder(true) && is_there;
}

static dsm_status write_device(dsm_diags *diags) {
  return dsm_file_write("/dev/null", new_text, strlen(new_text), diags);
}

static bool look_at_device(bool is_success) {
  (void)is_success;
  return count_files() == 2 + 2;
}

typedef struct call_case {
  const char *name;
  call_function *call;
  look_function *look;
} call_case;

static const call_case cases[] = {
    {"reading", read_old, look_at_read},
    {"writing over a file, by a link", write_old, look_at_old},
    {"writing a new file", write_fresh, look_at_fresh},
    {"writing a folder", write_folder, look_at_folder},
    {"filling an empty folder", fill_folder, look_at_filled},
    {"writing to a device", write_device, look_at_device},
};

/* ---- the test ---- */

static size_t failure_count;

static void check(bool is_good, const call_case *each, fault mode, const char *rule) {
  static const char *const ways[] = {
      [FAULT_NONE] = "works",
      [FAULT_FAILURE] = "fails",
      [FAULT_INTERRUPTION] = "is interrupted",
      [FAULT_SHORT] = "transfers one byte at a time",
  };
  if (!is_good) {
    failure_count++;
    fprintf(stderr, "%s, call %zu (%s) %s: broken promise: %s\n", each->name, chosen,
            called_names[hit], ways[mode], rule);
  }
}

/* One call with one fault; false once there is no call number `number`. */
static bool try_once(const call_case *each, fault mode, size_t number, dsm_diags *diags) {
  dsm_diags_clear(diags);
  seen = 0;
  chosen = number;
  active = mode;
  const dsm_status status = each->call(diags);
  active = FAULT_NONE;
  const bool was_hit = mode != FAULT_SHORT && seen >= number;
  const bool must_fail = was_hit && mode == FAULT_FAILURE && !(hit == CLOSE && was_only_read);
  check(status == (must_fail ? DSM_ERROR_IO : DSM_OK), each, mode, "the status");
  check(dsm_diags_count(diags) == (status == DSM_OK ? 0 : 1), each, mode, "one finding says why");
  check(each->look(status == DSM_OK), each, mode, "whole or not at all, and no trace");
  return was_hit;
}

static void run_case(const call_case *each, dsm_diags *diags) {
  size_t number = 1;
  while (try_once(each, FAULT_FAILURE, number, diags)) {
    number++;
  }
  printf("%-32s %zu system calls\n", each->name, number - 1);
  number = 1;
  while (try_once(each, FAULT_INTERRUPTION, number, diags)) {
    number++;
  }
  (void)try_once(each, FAULT_SHORT, 0, diags);
}

/* ---- signals ---- */

static volatile sig_atomic_t signal_count;
static volatile sig_atomic_t temporary_count;

/* Where a process would end: is there a temporary file or folder, here or in what is written? */
static void look_for_temporaries(int number) {
  (void)number;
  const char *const places[] = {folder, fresh_path};
  for (size_t i = 0; i < 2; i++) {
    DIR *const open_folder = opendir(places[i]);
    for (const struct dirent *entry;
         open_folder != NULL && (entry = readdir(open_folder)) != NULL;) {
      temporary_count += strncmp(entry->d_name, ".dsm-", 5) == 0;
    }
    if (open_folder != NULL) {
      (void)closedir(open_folder);
    }
  }
  signal_count++;
}

/* Signals come with every system call: a process that they end leaves all or nothing. */
static void run_with_signals(const call_case *each, dsm_diags *diags) {
  const struct sigaction looking = {.sa_handler = look_for_temporaries};
  struct sigaction before[sizeof signals / sizeof *signals];
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    require(sigaction(signals[i], &looking, &before[i]) == 0, "signals");
  }
  signal_count = 0;
  temporary_count = 0;
  is_signalled = true;
  (void)try_once(each, FAULT_SHORT, 0, diags);
  is_signalled = false;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    require(sigaction(signals[i], &before[i], NULL) == 0, "signals");
  }
  check(signal_count >= 3, each, FAULT_NONE, "signals arrive");
  check(temporary_count == 0, each, FAULT_NONE, "no temporary where a signal ends the process");
}

static void set_path(char path[64], const char *name) {
  (void)snprintf(path, 64, "%s/%s", folder, name);
}

int main(void) {
  require(mkdtemp(folder) != NULL, "a folder");
  set_path(old_path, "old");
  set_path(link_path, "link");
  set_path(fresh_path, "fresh");
  put_old();
  require(symlink("old", link_path) == 0, "a link");
  dsm_diags *const diags = dsm_diags_new(10);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_case(&cases[i], diags);
    run_with_signals(&cases[i], diags);
  }
  dsm_diags_free(diags);
  for (int c = 0; c < CALLED_COUNT; c++) {
    if (counts[c] == 0) {
      fprintf(stderr, "%s was never called: is it called by another name?\n", called_names[c]);
      failure_count++;
    }
  }
  require(unlink(link_path) == 0 && unlink(old_path) == 0 && rmdir(folder) == 0, "the end");
  printf("%zu broken promises\n", failure_count);
  return failure_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
