/* SPDX-License-Identifier: GPL-3.0-or-later */
/* same_file.h: whether two names are of one file, so that no result goes over what it comes from.
 */
#ifndef DSM_CLI_SAME_FILE_H
#define DSM_CLI_SAME_FILE_H

#include <stdbool.h>

/** Do both names lead to the same existing regular file? */
bool cli_is_same_file(const char *first, const char *second);

#endif
