/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int dsm__open(const char *path, int flags, mode_t mode) {
  const int opened = open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
  if (opened < 0 || opened > STDERR_FILENO) {
    return opened;
  }
  const int moved = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  (void)close(opened);
  errno = error;
  return moved;
}
