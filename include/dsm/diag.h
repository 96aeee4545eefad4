/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * diag.h: diagnostics, that is what is wrong and where.
 *
 * A dsm_diags is a bounded list: it keeps the first findings and counts the rest. All its memory is
 * allocated when it is made, so reporting (also of "out of memory") cannot fail. Functions that
 * take a dsm_diags append to it and accept NULL, in which case only the status tells.
 */
#ifndef DSM_DIAG_H
#define DSM_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How bad a finding is. */
typedef enum dsm_severity {
  DSM_SEVERITY_ERROR = 0,
  DSM_SEVERITY_WARNING,
  DSM_SEVERITY_NOTE,
  DSM_SEVERITY_COUNT
} dsm_severity;

/** One finding. Strings are NUL-terminated UTF-8, cut (with "...") where they would not fit; bytes
 * of the input that are not UTF-8, or that could steer a terminal, stand there as `\\xNN`. */
typedef struct dsm_diag {
  dsm_severity severity;
  char file[256];    /**< name of the input as the caller gave it; empty: no file involved */
  size_t line;       /**< 1-based line in the file; 0: not known or not meaningful */
  size_t column;     /**< 1-based byte column in the line; 0 as for line */
  char path[256];    /**< JSON path such as "$.layers[3].stride"; empty: none */
  char message[512]; /**< one line, lower case: what was expected and what was found */
  char hint[256];    /**< a suggestion such as "did you mean \"stride\"?"; empty: none */
} dsm_diag;

/** A list of findings. */
typedef struct dsm_diags dsm_diags;

/** A new empty list that keeps at most `max_count` findings (1 .. 10000); NULL if out of memory. */
DSM_API dsm_diags *dsm_diags_new(size_t max_count);

/** Frees the list; NULL is fine. */
DSM_API void dsm_diags_free(dsm_diags *diags);

/** Empties the list. */
DSM_API void dsm_diags_clear(dsm_diags *diags);

/** How many findings are kept. 0 for NULL. */
DSM_API size_t dsm_diags_count(const dsm_diags *diags);

/** How many findings came after the list was full. 0 for NULL. */
DSM_API size_t dsm_diags_dropped(const dsm_diags *diags);

/** Finding number `index` (0-based, below dsm_diags_count). Borrowed: dies with the list. */
DSM_API const dsm_diag *dsm_diags_get(const dsm_diags *diags, size_t index);

/** What stands for a finding where an earlier one is shown in its place. */
#define DSM_DIAG_SHOWN_BEFORE SIZE_MAX

/**
 * For lists that people read: how many later findings of the same file say the same as finding
 * `index` at other places, if there are three or more of them in all; DSM_DIAG_SHOWN_BEFORE if an
 * earlier one says so; 0 if the finding stands for itself.
 */
DSM_API size_t dsm_diags_alike(const dsm_diags *diags, size_t index);

/**
 * Copies `text` (NULL: "") into target[0 .. size), `size` at least 4, NUL-terminated, as the texts
 * of a finding stand there: what is not UTF-8, or could steer a terminal or turn the direction of a
 * line, as `\\xNN`; cut, with "...", where it would not fit. For messages that quote what a user
 * gave.
 */
DSM_API void dsm_text_make_visible(char *target, size_t size, const char *text);

/**
 * Renders a finding as `file:line:column: $.path: error: message (hint)` without a newline; parts
 * that are not known are left out. `color` adds ANSI colours. At most `size` bytes are written,
 * always NUL-terminated when size > 0. Returns the length of the whole text, like snprintf.
 */
DSM_API size_t dsm_diag_render(const dsm_diag *diag, bool color, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
