/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder.h: what files a folder has. */
#ifndef DSM_BASE_FOLDER_H
#define DSM_BASE_FOLDER_H

#include <stddef.h>

#include "base/arena.h"
#include "dsm/diag.h"

/**
 * Lists the names in a folder that end in `suffix` (and have something before it) and do not begin
 * with a dot, in bytewise order, in the arena. DSM_ERROR_IO if the folder cannot be read,
 * DSM_ERROR_INVALID if it has more than `most` of them, DSM_ERROR_OUT_OF_MEMORY; then one finding
 * says why.
 */
DSM_NODISCARD dsm_status dsm__folder_list(const char *const **names, size_t *count,
                                          const char *path, const char *suffix, size_t most,
                                          dsm__arena *arena, dsm_diags *diags);

#endif
