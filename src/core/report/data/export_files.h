/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_files.h: the files that an answer becomes for other programs, whichever companion makes
 * them. */
#ifndef DSM_REPORT_DATA_EXPORT_FILES_H
#define DSM_REPORT_DATA_EXPORT_FILES_H

#include "dsm/export.h"

/** Adds a file, whose text is copied; NULL: memory was out. */
dsm_status dsm__export_add(dsm_export *to, const char *name, const char *text, size_t length,
                           dsm_diags *diags);

/** Hands an export over, or frees it if it failed. Returns the status. */
dsm_status dsm__export_finish(dsm_export **made, dsm_export *out, dsm_status status);

#endif
