/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diag_add.h: how the library's own code reports a finding. */
#ifndef DSM_BASE_DIAG_ADD_H
#define DSM_BASE_DIAG_ADD_H

#include <stdarg.h>

#include "base/words.h"
#include "dsm/diag.h"

extern const dsm__words dsm__severity_words;
extern const dsm__words dsm__status_words;

/** Where a finding is; unknown parts are NULL or 0. */
typedef struct dsm__place {
  const char *file;
  size_t line;
  size_t column;
  const char *path;
} dsm__place;

/** Appends a finding; `hint` may be NULL. Does nothing if diags is NULL. Never allocates. */
void dsm__diags_add(dsm_diags *diags, dsm_severity severity, dsm__place place, const char *hint,
                    const char *format, ...) DSM_PRINTF(5, 6);

/** dsm__diags_add with a va_list. */
void dsm__diags_vadd(dsm_diags *diags, dsm_severity severity, dsm__place place, const char *hint,
                     const char *format, va_list args) DSM_PRINTF(5, 0);

/** Reports an error that is at no place in a file; returns the status. */
dsm_status dsm__refuse(dsm_diags *diags, dsm_status status, const char *format, ...)
    DSM_PRINTF(3, 4);

/** Reports "out of memory" and returns DSM_ERROR_OUT_OF_MEMORY. */
dsm_status dsm__out_of_memory(dsm_diags *diags);

/** Reports `what: reason` of a path for an errno value that the caller saved. DSM_ERROR_IO, or
 * DSM_ERROR_OUT_OF_MEMORY for ENOMEM. */
dsm_status dsm__system_error(const char *path, const char *what, int error, dsm_diags *diags);

/** The system's words for an errno value. */
enum { DSM__REASON_SIZE = 128 };
void dsm__reason_of(int error, char reason[DSM__REASON_SIZE]);

/** Sorts the findings from number `first` on by line, then column (stable): file order. */
void dsm__diags_sort_from(dsm_diags *diags, size_t first);

#endif
