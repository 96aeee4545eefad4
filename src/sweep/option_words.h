/* SPDX-License-Identifier: GPL-3.0-or-later */
/* option_words.h: the words of a sweep, sets of optimizations and parallelisms as one text, such as
 * "hybrid+reuse", and how an override says a value. */
#ifndef DSM_SWEEP_OPTION_WORDS_H
#define DSM_SWEEP_OPTION_WORDS_H

#include "base/json_read.h"

extern const dsm__words dsm__record_words;
extern const dsm__words dsm__point_status_words;

/* The objects of "dsm-sweep/1". */
extern const dsm__object_type dsm__sweep_object;
extern const dsm__object_type dsm__sweep_options_object;
extern const dsm__object_type dsm__sweep_input_object;
extern const dsm__object_type dsm__axis_object;
extern const dsm__object_type dsm__range_object;

/** An option whose value is a set of words. */
typedef struct dsm__option_words {
  const dsm__words *words;
  bool may_be_none;
} dsm__option_words;

extern const dsm__option_words dsm__optimize_option;
extern const dsm__option_words dsm__parallelism_option;

/** Bytes of a word that is found wrong; longer ones are cut. */
enum { DSM__OPTION_WORD_SIZE = 128 };

/** Reads "all", perhaps "none", or different words joined by "+". If it is none of these: false,
 * and the word at fault in `wrong`, which may be NULL. */
bool dsm__option_words_parse(const dsm__option_words *option, const char *text, unsigned *set,
                             char wrong[DSM__OPTION_WORD_SIZE]);

/** The same text for a set, its words in the order of the enumeration. */
dsm__words_text dsm__option_words_text(const dsm__option_words *option, unsigned set);

/** `text`, which is what a JSON string `json` holds, if an override would take it as that string;
 * else, and for all other values, `json`. */
const char *dsm__override_text(const char *json, const char *text);

#endif
