/* SPDX-License-Identifier: GPL-3.0-or-later */
/* descriptor.h: opening files. */
#ifndef DSM_BASE_DESCRIPTOR_H
#define DSM_BASE_DESCRIPTOR_H

#include <sys/types.h>

/**
 * open(2), but for the numbers 0 to 2: they belong to standard input, output and error, also where
 * those are closed. The descriptor does not outlive exec, nor does a terminal become the process's
 * own. -1 with errno.
 */
int dsm__open(const char *path, int flags, mode_t mode);

#endif
