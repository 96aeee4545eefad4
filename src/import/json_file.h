/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_file.h: files of other programs that are JSON, told from each other by their members. */
#ifndef DSM_IMPORT_JSON_FILE_H
#define DSM_IMPORT_JSON_FILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Do the bytes begin an object that has members of all these names, at most 8, themselves and not
 * deeper? One that has a member "format" before them is a description of dsm, and no such file.
 */
bool dsm__import_has_members(const char *bytes, size_t length, const char *const *names,
                             size_t count);

#endif
