/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file.h: files read whole and written whole or not at all. */
#ifndef DSM_BASE_FILE_H
#define DSM_BASE_FILE_H

#include <stddef.h>

#include "dsm/diag.h"

/** No input file may be larger (64 MiB). */
#define DSM__FILE_MAX_BYTES ((size_t)64 << 20)

/**
 * Reads a whole file ("-": standard input) into *text, malloc'ed and NUL-terminated, to be freed
 * by the caller, its length without the NUL into *length. DSM_ERROR_IO (missing, unreadable, a
 * directory), DSM_ERROR_INVALID (over DSM__FILE_MAX_BYTES), DSM_ERROR_OUT_OF_MEMORY; then *text is
 * NULL and one finding says why.
 */
DSM_NODISCARD dsm_status dsm__file_read(char **text, size_t *length, const char *path,
                                        dsm_diags *diags);

/**
 * Writes a file whole or not at all: a temporary file in the same folder, flushed, synced, closed
 * and renamed. What is not a regular file (such as /dev/stdout or a pipe) is written directly. An
 * existing file keeps its permissions; a symbolic link is followed. DSM_ERROR_IO with one finding
 * on failure, and then no trace is left.
 */
DSM_NODISCARD dsm_status dsm__file_write(const char *path, const char *text, size_t length,
                                         dsm_diags *diags);

#endif
