/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reading.h: reports read back: their lines and columns, CSV, colours. What is malformed fails the
 * test. */
#ifndef DSM_TESTS_REPORT_READING_H
#define DSM_TESTS_REPORT_READING_H

#include <stdbool.h>
#include <stddef.h>

/** The lines of a text, without their ends. */
typedef struct line_list {
  char **items;
  size_t count;
} line_list;

line_list lines_read(const char *text);
void lines_free(line_list *lines);

/** Index of the first line at or after `from` that begins with a text; fails if none does. */
size_t lines_find(const line_list *lines, size_t from, const char *start);

/** Columns of a terminal that a line of UTF-8 takes: two for each CJK character. */
size_t columns_of(const char *line);

/** Fails if a line is wider. */
void expect_lines_fit(const char *text, size_t width);

/** Fails if the text does not end in exactly one newline, or a line ends in a space. */
void expect_tidy(const char *text);

/** Fails unless the coloured text has escapes, and without them is the plain one. Frees both. */
void expect_same_without_color(char *colored, char *plain);

/** The cell under a right-aligned title: what ends where the title ends. Static memory. */
const char *cell_below(const char *titles, const char *title, const char *line);

/** A number as tables show it: thousands separators, "-" for nothing. */
double number_of(const char *cell);

/** RFC 4180, read. */
typedef struct csv_table {
  char *storage;
  char **fields; /**< row by row, the titles first */
  size_t column_count;
  size_t row_count; /**< without the titles */
} csv_table;

csv_table csv_read(const char *text);
void csv_free(csv_table *table);

/** The field of a row (from 0, without the titles) in the column of that title. */
const char *csv_at(const csv_table *table, size_t row, const char *title);

/** The same as a number, exactly. */
double csv_number_at(const csv_table *table, size_t row, const char *title);

/** Fails unless the titles are these, in this order; the list ends in NULL. */
void expect_csv_titles(const csv_table *table, const char *const *titles);

#endif
