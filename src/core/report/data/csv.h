/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.h: the one writer of comma-separated values (RFC 4180: quoted where needed, CRLF).
 *
 * A text that a spreadsheet would run as a formula gets a ' before it; what is no UTF-8, steers a
 * terminal or turns the direction of text becomes U+FFFD. JSON has names as they are.
 *
 * The columns of a document are fields of records; what a record has in it is "cycles.total". Each
 * row is made of the records that it is about: a cell is the first of their fields that has the
 * column's name and is stated, and empty if there is none.
 */
#ifndef DSM_REPORT_DATA_CSV_H
#define DSM_REPORT_DATA_CSV_H

#include "report/data/records.h"

/** Enough for all paths of a sweep with the most axes, DSM_SWEEP_AXES_MAX squared, and its results.
 */
enum { DSM__CSV_COLUMNS_MAX = 2048 };

/** A document; dsm__csv_begin begins it. */
typedef struct dsm__csv {
  dsm__page *page;
  const char *names[DSM__CSV_COLUMNS_MAX]; /**< of columns, in the page's arena */
  size_t count;
  dsm__text_buffer cell; /**< the text of the one that is being written */
  bool has_titles;
} dsm__csv;

/** What a row is about. */
typedef struct dsm__csv_part {
  const dsm__record_type *type;
  const void *record;
} dsm__csv_part;

/** Begins a document on a page. */
dsm__csv dsm__csv_begin(dsm__page *page);

/** Adds the fields of a record that are columns, but for those whose names are there already. */
void dsm__csv_columns(dsm__csv *csv, const dsm__record_type *type);

/** Adds one of them, by its name as a column. */
void dsm__csv_column(dsm__csv *csv, const dsm__record_type *type, const char *name);

/** Adds a column of any name. */
void dsm__csv_named_column(dsm__csv *csv, const char *name);

/** Writes a row, of whatever has a type. */
void dsm__csv_row(dsm__csv *csv, const dsm__csv_part *parts, size_t count);
#define DSM__CSV_ROW(csv, ...)                                                                     \
  dsm__csv_row(csv, (const dsm__csv_part[]){__VA_ARGS__},                                          \
               sizeof((const dsm__csv_part[]){__VA_ARGS__}) / sizeof(dsm__csv_part))

/** Ends the document. */
void dsm__csv_finish(dsm__csv *csv);

#endif
