/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparison.h: comparisons of texts such as "chips_x * chips_y > 64", and names of columns in
 * them: what conditions on axes and on results have in common. */
#ifndef DSM_SWEEP_COMPARISON_H
#define DSM_SWEEP_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

/** A comparison is the set of the orders of its sides in which it holds. */
enum {
  DSM__ORDER_LESS = 1 << 0,
  DSM__ORDER_EQUAL = 1 << 1,
  DSM__ORDER_MORE = 1 << 2,
  DSM__ORDER_DIFFERENT = DSM__ORDER_LESS | DSM__ORDER_MORE,
};

/** Where a text compares. */
typedef struct dsm__comparison {
  size_t at;
  const char *text; /**< such as "<=" */
  unsigned orders;
} dsm__comparison;

/** The first comparison outside of quotes and brackets; false if there is none. */
bool dsm__comparison_find(const char *text, dsm__comparison *found);

/** Does it hold of sides of which the first is below, equal to or above the second as `order` is to
 * 0? */
bool dsm__comparison_holds(unsigned orders, int order);

/** The path of a column. */
typedef const char *dsm__path_at(const void *of, size_t column);

/** The column of that path, or the only one whose path ends so, behind a dot; else count. */
size_t dsm__path_find(dsm__path_at *path_at, const void *of, size_t count, const char *name);

#endif
