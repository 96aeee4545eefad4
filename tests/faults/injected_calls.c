/* SPDX-License-Identifier: GPL-3.0-or-later */
/* injected_calls.c: the system calls of files, which the linker sends here (see CMakeLists.txt). */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "injected.h"

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

static atomic_size_t seen;

size_t injected_call_count(void) {
  return atomic_load(&seen);
}

/* Counts a call; true if it fails with this error. */
static bool fails(int error, bool is_transfer) {
  const size_t number = atomic_fetch_add(&seen, 1) + 1;
  size_t chosen = 0;
  const injected_kind kind = injected_armed(&chosen);
  if (chosen != number) {
    return false;
  }
  if (kind == INJECTED_SIGNAL) {
    (void)raise(SIGTERM);
  }
  errno = kind == INJECTED_INTERRUPTION ? EINTR : error;
  return kind == INJECTED_CALL || (kind == INJECTED_INTERRUPTION && is_transfer);
}

static size_t limited(size_t size) {
  size_t chosen = 0;
  return injected_armed(&chosen) == INJECTED_SHORT && chosen > 0 && size > 1 ? 1 : size;
}

int __wrap_open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(args, unsigned) : 0;
  va_end(args);
  return fails(EIO, false) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_read(int descriptor, void *target, size_t size) {
  return fails(EIO, true) ? -1 : __real_read(descriptor, target, limited(size));
}

ssize_t __wrap_write(int descriptor, const void *source, size_t size) {
  return fails(ENOSPC, true) ? -1 : __real_write(descriptor, source, limited(size));
}

int __wrap_fchmod(int descriptor, mode_t mode) {
  return fails(EIO, false) ? -1 : __real_fchmod(descriptor, mode);
}

int __wrap_fsync(int descriptor) {
  return fails(EIO, false) ? -1 : __real_fsync(descriptor);
}

/* A close that fails has closed all the same. */
int __wrap_close(int descriptor) {
  const bool must_fail = fails(EIO, false);
  const int error = errno;
  const int result = __real_close(descriptor);
  errno = must_fail ? error : errno;
  return must_fail ? -1 : result;
}

int __wrap_rename(const char *from, const char *to) {
  return fails(EIO, false) ? -1 : __real_rename(from, to);
}

int __wrap_mkdir(const char *path, mode_t mode) {
  return fails(EIO, false) ? -1 : __real_mkdir(path, mode);
}
