/* SPDX-License-Identifier: GPL-3.0-or-later */
/* option_words.h: the words of a sweep, and sets of optimizations and parallelisms as one text,
 * such as "hybrid+reuse". */
#ifndef DSM_SWEEP_OPTION_WORDS_H
#define DSM_SWEEP_OPTION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/words.h"
#include "dsm/plan.h"

extern const dsm__words dsm__record_words;
extern const dsm__words dsm__point_status_words;

/** Enough for any such text. */
#define DSM__OPTION_TEXT_SIZE 96

/** Reads "all", "none", or different words joined by "+". If it is none of these: false, and the
 * word at fault is copied to wrong[0 .. size). "all" is DSM_OPTIMIZATION_ALL. */
bool dsm__optimizations_parse(const char *text, dsm_optimization_set *set, char *wrong,
                              size_t size);

/** The same text for a set, its words in the order of the enumeration. */
void dsm__optimizations_text(dsm_optimization_set set, char text[DSM__OPTION_TEXT_SIZE]);

/** The same for parallelisms, of which there is no "none". */
bool dsm__parallelisms_parse(const char *text, dsm_parallelism_set *set, char *wrong, size_t size);
void dsm__parallelisms_text(dsm_parallelism_set set, char text[DSM__OPTION_TEXT_SIZE]);

#endif
