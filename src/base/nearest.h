/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nearest.h: the known word that somebody probably meant. */
#ifndef DSM_BASE_NEAREST_H
#define DSM_BASE_NEAREST_H

#include <stddef.h>

/**
 * The word of `words[0 .. count)` with the smallest edit distance (insertions, deletions,
 * substitutions, swaps of neighbours; upper and lower case count as half different) to `text`, if
 * that distance is at most about a third of the longer length; else NULL. The first of equals wins.
 * NULL entries are skipped. Borrowed from `words`. Texts over 128 bytes have no nearest word.
 */
const char *dsm__nearest(const char *text, const char *const *words, size_t count);

/** Writes `did you mean "..."?` into hint, or an empty string if nothing is near. Returns hint. */
const char *dsm__nearest_hint(const char *text, const char *const *words, size_t count, char *hint,
                              size_t size);

#endif
