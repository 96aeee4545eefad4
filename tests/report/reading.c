/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "reading.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

line_list lines_read(const char *text) {
  line_list lines = {0};
  size_t count = 1;
  for (const char *at = text; *at != '\0'; at++) {
    count += *at == '\n';
  }
  lines.items = calloc(count, sizeof *lines.items);
  ck_assert_ptr_nonnull(lines.items);
  for (const char *at = text; *at != '\0';) {
    const size_t length = strcspn(at, "\n");
    lines.items[lines.count] = strndup(at, length);
    ck_assert_ptr_nonnull(lines.items[lines.count]);
    lines.count++;
    at += length + (at[length] == '\n');
  }
  return lines;
}

void lines_free(line_list *lines) {
  for (size_t i = 0; i < lines->count; i++) {
    free(lines->items[i]);
  }
  free(lines->items);
  *lines = (line_list){0};
}

size_t lines_find(const line_list *lines, size_t from, const char *start) {
  for (size_t i = from; i < lines->count; i++) {
    if (strncmp(lines->items[i], start, strlen(start)) == 0) {
      return i;
    }
  }
  ck_abort_msg("no line begins with '%s'", start);
  return 0;
}

/* UAX 11, as far as the tests use it. */
static size_t columns_of_character(uint32_t code) {
  const bool is_mark = code >= 0x0300 && code <= 0x036F;
  const bool is_cjk = (code >= 0x2E80 && code <= 0x9FFF) || (code >= 0xAC00 && code <= 0xD7A3) ||
                      (code >= 0xFF01 && code <= 0xFF60);
  return is_mark ? 0 : is_cjk ? 2 : 1;
}

size_t columns_of(const char *line) {
  size_t columns = 0;
  for (const unsigned char *at = (const unsigned char *)line; *at != '\0';) {
    const size_t length = *at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
    uint32_t code = length == 1 ? *at : *at & (0xFFU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
      ck_assert_msg((at[i] & 0xC0) == 0x80, "no UTF-8: %s", line);
      code = code << 6 | (at[i] & 0x3FU);
    }
    columns += columns_of_character(code);
    at += length;
  }
  return columns;
}

void expect_lines_fit(const char *text, size_t width) {
  line_list lines = lines_read(text);
  for (size_t i = 0; i < lines.count; i++) {
    ck_assert_msg(columns_of(lines.items[i]) <= width, "wider than %zu: '%s'", width,
                  lines.items[i]);
  }
  lines_free(&lines);
}

void expect_tidy(const char *text) {
  ck_assert_ptr_nonnull(text);
  const size_t length = strlen(text);
  ck_assert_uint_ge(length, 1);
  ck_assert_msg(text[length - 1] == '\n', "no newline at the end");
  ck_assert_msg(length < 2 || text[length - 2] != '\n', "an empty line at the end");
  ck_assert_msg(strstr(text, " \n") == NULL, "a line ends in a space");
}

/* ---- colours ---- */

/* Takes escapes of the form ESC [ ... m out, in place; returns how many there were. */
static size_t strip_escapes(char *text) {
  size_t count = 0;
  size_t used = 0;
  for (size_t at = 0; text[at] != '\0';) {
    if (text[at] != '\033') {
      text[used++] = text[at++];
      continue;
    }
    const size_t digits = strspn(text + at + 1, "[0123456789;");
    ck_assert_msg(text[at + 1] == '[' && text[at + 1 + digits] == 'm', "no colour");
    at += 2 + digits;
    count++;
  }
  text[used] = '\0';
  return count;
}

void expect_same_without_color(char *colored, char *plain) {
  ck_assert_ptr_nonnull(colored);
  ck_assert_ptr_nonnull(plain);
  ck_assert_ptr_null(strchr(plain, '\033'));
  ck_assert_uint_gt(strip_escapes(colored), 0);
  ck_assert_str_eq(colored, plain);
  free(colored);
  free(plain);
}

/* ---- columns ---- */

const char *cell_below(const char *titles, const char *title, const char *line) {
  static char cell[64];
  const char *found = titles;
  const size_t title_length = strlen(title);
  for (;; found++) {
    found = strstr(found, title);
    ck_assert_msg(found != NULL, "no column '%s' in '%s'", title, titles);
    const bool is_start = found == titles || found[-1] == ' ';
    if (is_start && (found[title_length] == ' ' || found[title_length] == '\0')) {
      break;
    }
  }
  const size_t end = (size_t)(found - titles) + title_length;
  ck_assert_msg(strlen(line) >= end, "nothing below '%s' in '%s'", title, line);
  size_t start = end;
  while (start > 0 && line[start - 1] != ' ') {
    start--;
  }
  ck_assert_uint_lt(end - start, sizeof cell);
  memcpy(cell, line + start, end - start);
  cell[end - start] = '\0';
  ck_assert_msg(end > start, "nothing below '%s' in '%s'", title, line);
  return cell;
}

double number_of(const char *cell) {
  char plain[64];
  size_t used = 0;
  if (strcmp(cell, "-") == 0) {
    return 0;
  }
  for (const char *at = cell; *at != '\0' && used + 1 < sizeof plain; at++) {
    if (*at != ',') {
      plain[used++] = *at;
    }
  }
  plain[used] = '\0';
  char *end;
  const double value = strtod(plain, &end);
  ck_assert_msg(used > 0 && *end == '\0', "no number: '%s'", cell);
  return value;
}

/* ---- CSV ---- */

/* What ends a field. */
typedef enum field_end { FIELD_END_COMMA, FIELD_END_ROW } field_end;

/* Copies the field at *at to *out, both of which move behind it. */
static field_end read_field(const char **at, char **out) {
  const char *from = *at;
  char *to = *out;
  if (*from == '"') {
    from++;
    while (from[0] != '"' || from[1] == '"') {
      ck_assert_msg(*from != '\0', "a quote is never closed");
      from += *from == '"';
      *to++ = *from++;
    }
    from++;
  } else {
    const size_t length = strcspn(from, ",\r\n\"");
    memcpy(to, from, length);
    to += length;
    from += length;
  }
  *to++ = '\0';
  const bool is_comma = *from == ',';
  ck_assert_msg(is_comma || strncmp(from, "\r\n", 2) == 0, "a field does not end: '%.20s'", from);
  *at = from + (is_comma ? 1 : 2);
  *out = to;
  return is_comma ? FIELD_END_COMMA : FIELD_END_ROW;
}

csv_table csv_read(const char *text) {
  ck_assert_ptr_nonnull(text);
  const size_t length = strlen(text);
  csv_table table = {.storage = malloc(length + 1), .fields = calloc(length + 1, sizeof(char *))};
  ck_assert_ptr_nonnull(table.storage);
  ck_assert_ptr_nonnull(table.fields);
  size_t field_count = 0;
  size_t line_count = 0;
  char *out = table.storage;
  for (const char *at = text; *at != '\0';) {
    table.fields[field_count++] = out;
    if (read_field(&at, &out) == FIELD_END_COMMA) {
      continue;
    }
    line_count++;
    if (line_count == 1) {
      table.column_count = field_count;
    }
    ck_assert_uint_eq(field_count, line_count * table.column_count);
  }
  ck_assert_uint_ge(line_count, 1);
  table.row_count = line_count - 1;
  return table;
}

void csv_free(csv_table *table) {
  free(table->fields);
  free(table->storage);
  *table = (csv_table){0};
}

const char *csv_at(const csv_table *table, size_t row, const char *title) {
  ck_assert_uint_lt(row, table->row_count);
  for (size_t c = 0; c < table->column_count; c++) {
    if (strcmp(table->fields[c], title) == 0) {
      return table->fields[(row + 1) * table->column_count + c];
    }
  }
  ck_abort_msg("no column %s", title);
  return NULL;
}

double csv_number_at(const csv_table *table, size_t row, const char *title) {
  const char *const field = csv_at(table, row, title);
  char *end;
  const double value = strtod(field, &end);
  ck_assert_msg(field[0] != '\0' && *end == '\0', "%s is no number: '%s'", title, field);
  return value;
}

void expect_csv_titles(const csv_table *table, const char *const *titles) {
  size_t count = 0;
  for (; titles[count] != NULL; count++) {
    ck_assert_uint_lt(count, table->column_count);
    ck_assert_str_eq(table->fields[count], titles[count]);
  }
  ck_assert_uint_eq(count, table->column_count);
}
