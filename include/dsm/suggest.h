/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * suggest.h: helping a user who mistyped. For programs over the library, so that their own findings
 * look and help like the library's.
 */
#ifndef DSM_SUGGEST_H
#define DSM_SUGGEST_H

#include <stddef.h>

#include "dsm/diag.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The word of words[0 .. count) that `text` was probably meant to be (nearest by edit distance, the
 * first of equals), or NULL if none is near. Borrowed from words; NULL entries are skipped.
 */
DSM_API const char *dsm_suggest(const char *text, const char *const *words, size_t count);

/** Appends a copy of a finding to the list; what would steer a terminal is made visible. */
DSM_API void dsm_diags_append(dsm_diags *diags, const dsm_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
