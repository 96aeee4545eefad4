/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool cli_occupy_standard_descriptors(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) {
      continue;
    }
    /* The wrong way round: reading from it, or writing to it, fails. The lowest free number is this
     * one, for those below are open. */
    const int made = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (made < 0 && open("/", O_RDONLY) < 0) { /* where there are no devices */
      return false;
    }
  }
  return true;
}
