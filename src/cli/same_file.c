/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/same_file.h"

#include <sys/stat.h>

bool cli_is_same_file(const char *first, const char *second) {
  struct stat one;
  struct stat other;
  return stat(first, &one) == 0 && stat(second, &other) == 0 && S_ISREG(one.st_mode) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
