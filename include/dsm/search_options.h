/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * search_options.h: the options of a search by name, as the command line has them.
 */
#ifndef DSM_SEARCH_OPTIONS_H
#define DSM_SEARCH_OPTIONS_H

#include <stddef.h>

#include "dsm/diag.h"
#include "dsm/status.h"
#include "dsm/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Defines the function of the words of an enumeration: number `index` of `count`, NULL after them.
 */
#define DSM_WORDS_AT(function, type, count)                                                        \
  const char *function(size_t index) {                                                             \
    return index < (count) ? type##_name((type)index) : NULL;                                      \
  }                                                                                                \
  _Static_assert((count) > 0, "it has words")

/** How the value of an option is read. */
typedef enum dsm_search_reading {
  DSM_SEARCH_WORD = 0, /**< one of the words */
  DSM_SEARCH_WORDS,    /**< several of them, with commas between */
  DSM_SEARCH_COUNT,    /**< a whole number from 1 to `most` */
  DSM_SEARCH_NUMBER,   /**< a number from `least` to `most` */
  DSM_SEARCH_RATIO     /**< a number from 0 to below 1, also in per cent */
} dsm_search_reading;

/** An option. */
typedef struct dsm_search_option {
  const char *name; /**< as on the command line, without the dashes */
  dsm_search_reading reading;
  size_t place; /**< in dsm_explore_options, in bytes: an enumeration, uint64_t or double */
  double least;
  double most;
  const char *(*word)(size_t index); /**< of a DSM_SEARCH_WORD; NULL after the last */
} dsm_search_option;

/** Number `index` of them, NULL after the last. */
DSM_API const dsm_search_option *dsm_search_option_get(size_t index);

/** That of a name, or NULL. */
DSM_API const dsm_search_option *dsm_search_option_find(const char *name);

/**
 * Reads the value of an option, such as "inference" of `mode`. Names of axes in `parallelism` are
 * x, y and z. DSM_ERROR_USAGE, with what was expected, and nothing is changed: it is no value of
 * it.
 */
DSM_API DSM_NODISCARD dsm_status dsm_search_option_set(dsm_explore_options *options,
                                                       const dsm_search_option *option,
                                                       const char *value, dsm_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
