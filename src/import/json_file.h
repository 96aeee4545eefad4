/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_file.h: files of other programs that are JSON, told from each other by their members. */
#ifndef DSM_IMPORT_JSON_FILE_H
#define DSM_IMPORT_JSON_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/**
 * Do the bytes begin an object that has members of all these names, at most 8, themselves and not
 * deeper? One that has a member "format" before them is a description of dsm, and no such file.
 */
bool dsm__import_has_members(const char *bytes, size_t length, const char *const *names,
                             size_t count);

/** A copy in which numbers that JSON does not have and Python writes are texts of their length: an
 * error where a key is read, and nothing where it is not. NULL: out of memory. */
const char *dsm__import_quote_numbers(dsm__arena *arena, const char *bytes, size_t length);

#endif
