/* SPDX-License-Identifier: GPL-3.0-or-later */
/* option_words.h: the words of a sweep, the options that it may vary as texts, such as
 * "hybrid+reuse", and how an override says a value. */
#ifndef DSM_SWEEP_OPTION_WORDS_H
#define DSM_SWEEP_OPTION_WORDS_H

#include "base/json_read.h"
#include "base/words.h"
#include "dsm/plan.h"

extern const dsm__words dsm__record_words;
extern const dsm__words dsm__point_status_words;

/* The objects of "dsm-sweep/1". */
extern const dsm__object_type dsm__sweep_object;
extern const dsm__object_type dsm__sweep_options_object;
extern const dsm__object_type dsm__sweep_input_object;
extern const dsm__object_type dsm__axis_object;
extern const dsm__object_type dsm__range_object;

/** An option that an axis may vary: a word, a set of words, or a number. */
typedef struct dsm__sweep_option {
  const char *key;         /**< in the object "options" */
  const dsm__words *words; /**< NULL: a number from 0 to `most` */
  bool is_set;             /**< such as "hybrid+reuse" */
  bool may_be_none;        /**< of sets */
  bool has_roles;          /**< of sets: may name roles in place of its words */
  unsigned all;            /**< of a set: what the word "all" stands for */
  unsigned everything;     /**< likewise; 0: no such word, and "all" stands alone */
  double most;
  size_t offset; /**< in dsm_explore_options */
} dsm__sweep_option;

enum {
  DSM__OPTION_MODE = 0,
  DSM__OPTION_OPTIMIZE,
  DSM__OPTION_PARALLELISM,
  DSM__OPTION_AS_RUN_BY, /**< from here on a specification that states none has the first word,
                              or 0 */
  DSM__OPTION_STAGES_AT,
  DSM__OPTION_SCHEDULE,
  DSM__OPTION_RECOMPUTATION,
  DSM__OPTION_SHARD_LEVEL,
  DSM__OPTION_OBJECTIVE,
  DSM__OPTION_POWER_CAP,
  DSM__SWEEP_OPTION_COUNT
};
extern const dsm__sweep_option dsm__sweep_options[DSM__SWEEP_OPTION_COUNT];

/** Bytes of a word that is found wrong; longer ones are cut. */
enum { DSM__OPTION_WORD_SIZE = 128 };

/** Has a set of optimizations all, so that those of a system are added? */
static inline bool dsm__has_all(dsm_optimization_set set) {
  return (set & DSM_OPTIMIZATION_ALL) == DSM_OPTIMIZATION_ALL;
}

/** Sets an option from a word, or from a number that is one; if it is a set, from "all", perhaps
 * "none", or different words joined by "+", among which "all" and "everything" may be where there
 * is everything, or roles such as "data+column" and "x=column+y=data". If the text is none of
 * these: false, and the word at fault in `wrong`, which may be NULL. */
bool dsm__sweep_option_parse(const dsm__sweep_option *option, const char *text,
                             dsm_explore_options *options, char wrong[DSM__OPTION_WORD_SIZE]);

/** The same text for what is set, words in the order of the enumeration. */
dsm__words_text dsm__sweep_option_text(const dsm__sweep_option *option,
                                       const dsm_explore_options *options);

/** `text`, which is what a JSON string `json` holds, if an override would take it as that string;
 * else, and for all other values, `json`. */
const char *dsm__override_text(const char *json, const char *text);

#endif
