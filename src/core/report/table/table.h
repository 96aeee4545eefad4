/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.h: columns that fit a width. A column has a rank: when all do not fit, names are shortened
 * to a comfortable width, then the columns of the highest rank go, then names are shortened down to
 * DSM__TABLE_NAME_MIN. Cells are added row by row, from left to right.
 */
#ifndef DSM_REPORT_TABLE_TABLE_H
#define DSM_REPORT_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/record.h"
#include "report/table/display.h"
#include "report/table/text_page.h"

/** No name is shortened below this. */
#define DSM__TABLE_NAME_MIN 8
/** Names keep this much while there is a column that may go. */
#define DSM__TABLE_NAME_COMFORT 16
/** Most columns of a table. */
#define DSM__TABLE_COLUMNS_MAX 16

typedef struct dsm__table_column {
  const char *title;
  unsigned rank;     /**< 0: always shown; the highest goes first */
  unsigned gap;      /**< spaces before it (not before the first that is shown) */
  bool is_right;     /**< right-aligned, as numbers are */
  bool is_name;      /**< may be shortened */
  unsigned comfort;  /**< of a name: its comfortable width; 0: DSM__TABLE_NAME_COMFORT */
  bool is_optional;  /**< not shown at any width if all its cells are empty */
  const char *value; /**< of a list's rows: a pattern (report/value_text.h) */
  /** In its place: a text of a row. */
  const char *(*make)(struct dsm__page *page, const void *document, const void *row);
  /** How it is shown, if not as the row is. */
  dsm__text_style (*style)(const void *document, const void *row);
} dsm__table_column;

/** A column of a list's rows, with what else is to be said of it; one of numbers. */
#define DSM__COLUMN_OF(of_title, of_value, ...)                                                    \
  { .title = (of_title), .value = (of_value), .gap = 2, __VA_ARGS__ }
#define DSM__NUMBERS(of_title, of_value) DSM__COLUMN_OF(of_title, of_value, .is_right = true)

typedef struct dsm__table_cell {
  const char *text;
  dsm__text_style style;
  double exact; /**< the number that the text is of; NaN: it is of none */
} dsm__table_cell;

/** Belongs to a page, whose arena owns the cells and their texts. */
typedef struct dsm__table {
  dsm__page *page;
  const dsm__table_column *columns; /**< borrowed */
  size_t column_count;
  dsm__table_cell *cells;
  size_t cell_count;
  size_t capacity;
  size_t indent; /**< spaces before every line */
} dsm__table;

/** A table without rows. */
dsm__table dsm__table_make(dsm__page *page, const dsm__table_column *columns, size_t column_count);

/** The same of an array of columns. */
#define DSM__TABLE(page, columns) dsm__table_make(page, columns, DSM__COUNT_OF(columns))

/** Adds the next cell; the text is copied and made safe for a terminal. */
void dsm__table_add(dsm__table *table, dsm__text_style style, const char *text);

/** The same of a number. */
void dsm__table_number(dsm__table *table, dsm__text_style style, const char *text, double exact);

/** A text in the plain style. */
void dsm__table_text(dsm__table *table, const char *text);

/** Adds the next cells, in one style. */
void dsm__table_add_all(dsm__table *table, dsm__text_style style, const char *const *texts,
                        size_t count);

/** The same of the texts that are written out, in the plain style. */
#define DSM__TABLE_TEXTS(table, ...) DSM__TABLE_STYLED(table, DSM__STYLE_PLAIN, __VA_ARGS__)
#define DSM__TABLE_STYLED(table, style, ...)                                                       \
  dsm__table_add_all(table, style, (const char *const[]){__VA_ARGS__},                             \
                     DSM__COUNT_OF(((const char *const[]){__VA_ARGS__})))

/** Is a column shown at all? An optional one is not if all its cells are empty. */
bool dsm__table_has_column(const dsm__table *table, size_t column);

/** Columns that the table would take if nothing were left out or shortened. */
size_t dsm__table_natural_width(const dsm__table *table);

/** Appends the titles and all rows to the page. */
void dsm__table_print(const dsm__table *table);

#endif
