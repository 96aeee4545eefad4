/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "report/table/table.h"
#include "subjects.h"

static dsm__page page;

static void set_up_width(size_t width) {
  page = dsm__page_begin(plain_style(width));
}

/* Finishes the page and compares. */
static void expect_page(const char *expected) {
  char *const text = dsm__page_finish(&page);
  ck_assert_str_eq(text, expected);
  free(text);
}

/* Ends a test that does not look at the page. */
static void drop_page(void) {
  free(dsm__page_finish(&page));
}

static const dsm__table_column columns[] = {
    {.title = "name", .is_name = true},
    {.title = "kind", .gap = 2, .rank = 2},
    {.title = "size", .gap = 2, .is_right = true},
    {.title = "note", .gap = 1, .rank = 2},
    {.title = "hint", .gap = 2, .rank = 1},
};

/* The widths of the columns are 20, 5, 6, 4 and 4, together with the gaps
 * 20 + 2+5 + 2+6 + 1+4 + 2+4 = 46. */
static dsm__table make_table(void) {
  static const char *const cells[2][5] = {{"abcdefghijklmnopqrst", "conv", "1,024", "", "x"},
                                          {"short", "dense", "12,345", "y", ""}};
  dsm__table table = DSM__TABLE(&page, columns);
  for (int row = 0; row < 2; row++) {
    for (int c = 0; c < COUNT_OF(columns); c++) {
      dsm__table_add(&table, DSM__STYLE_PLAIN, cells[row][c]);
    }
  }
  return table;
}

static const struct {
  size_t width;
  const char *text;
} layouts[] = {
    {46, "name                  kind     size note  hint\n"
         "abcdefghijklmnopqrst  conv    1,024       x\n"
         "short                 dense  12,345 y\n"},
    /* names give way down to 16 before a column goes: 46 - 4 = 42 */
    {42, "name              kind     size note  hint\n"
         "abcdefgh\xE2\x80\xA6nopqrst  conv    1,024       x\n"
         "short             dense  12,345 y\n"},
    /* "note" goes, the last of the highest rank; the name gets back what that leaves: 41 = all */
    {41, "name                  kind     size  hint\n"
         "abcdefghijklmnopqrst  conv    1,024  x\n"
         "short                 dense  12,345\n"},
    /* "kind", then "hint": 20 + 2+6 + 2+4 = 34, less 4 = 30 */
    {30, "name                size  hint\n"
         "abcdefgh\xE2\x80\xA6nopqrst   1,024  x\n"
         "short             12,345\n"},
    {28, "name                    size\n"
         "abcdefghijklmnopqrst   1,024\n"
         "short                 12,345\n"},
    /* no column may go any more: names give way down to 8 */
    {16, "name        size\n"
         "abcd\xE2\x80\xA6rst   1,024\n"
         "short     12,345\n"},
    {10, "name        size\n"
         "abcd\xE2\x80\xA6rst   1,024\n"
         "short     12,345\n"},
};

START_TEST(test_layout_at_a_width) {
  set_up_width(layouts[_i].width);
  const dsm__table table = make_table();
  dsm__table_print(&table);
  expect_page(layouts[_i].text);
}
END_TEST

START_TEST(test_natural_width_leaves_nothing_out) {
  set_up_width(10);
  const dsm__table table = make_table();
  ck_assert_uint_eq(dsm__table_natural_width(&table), 46);
  drop_page();
}
END_TEST

START_TEST(test_optional_columns_are_not_shown_if_they_are_empty) {
  dsm__table_column some[COUNT_OF(columns)];
  memcpy(some, columns, sizeof columns);
  some[0].is_optional = true;
  some[2].is_optional = true;
  some[3].is_optional = true;
  set_up_width(100);
  dsm__table table = DSM__TABLE(&page, some);
  DSM__TABLE_TEXTS(&table, "", "conv", "1,024", "", "x");
  DSM__TABLE_TEXTS(&table, "", "dense", "", "", "");
  dsm__table_print(&table);
  expect_page("kind    size  hint\n"
              "conv   1,024  x\n"
              "dense\n");
}
END_TEST

/* A name that keeps its 20 columns: the columns of rank 2 go, then 20 + 2+6 + 2+4 = 34 fit. */
START_TEST(test_a_comfortable_name_outlives_other_columns) {
  dsm__table_column some[COUNT_OF(columns)];
  memcpy(some, columns, sizeof columns);
  some[0].comfort = 20;
  set_up_width(35);
  dsm__table table = make_table();
  table.columns = some;
  dsm__table_print(&table);
  expect_page("name                    size  hint\n"
              "abcdefghijklmnopqrst   1,024  x\n"
              "short                 12,345\n");
}
END_TEST

START_TEST(test_every_line_is_indented) {
  set_up_width(100);
  dsm__table table = make_table();
  table.indent = 3;
  ck_assert_uint_eq(dsm__table_natural_width(&table), 49);
  dsm__table_print(&table);
  expect_page("   name                  kind     size note  hint\n"
              "   abcdefghijklmnopqrst  conv    1,024       x\n"
              "   short                 dense  12,345 y\n");
}
END_TEST

START_TEST(test_wide_characters_are_aligned) {
  static const char *const names[] = {"網路", "größe", "abcdef"};
  set_up_width(40);
  dsm__table table = dsm__table_make(&page, columns + 1, 2);
  for (int i = 0; i < COUNT_OF(names); i++) {
    dsm__table_add(&table, DSM__STYLE_PLAIN, names[i]);
    dsm__table_add(&table, DSM__STYLE_PLAIN, "1");
  }
  dsm__table_print(&table);
  expect_page("kind    size\n"
              "網路       1\n"
              "größe      1\n"
              "abcdef     1\n");
}
END_TEST

START_TEST(test_cells_cannot_steer_the_terminal) {
  set_up_width(40);
  dsm__table table = dsm__table_make(&page, columns, 1);
  dsm__table_add(&table, DSM__STYLE_PLAIN, "a\033[2Jb\n");
  dsm__table_print(&table);
  expect_page("name\n"
              "a?[2Jb?\n");
}
END_TEST

START_TEST(test_a_table_without_rows_has_its_titles) {
  set_up_width(40);
  const dsm__table table = dsm__table_make(&page, columns, 3);
  dsm__table_print(&table);
  expect_page("name  kind  size\n");
}
END_TEST

START_TEST(test_colour_does_not_change_the_layout) {
  char *texts[2];
  for (int i = 0; i < 2; i++) {
    page = dsm__page_begin((dsm_table_style){.width = 30, .color = i == 0});
    dsm__table table = make_table();
    table.cells[0].style = DSM__STYLE_HEADING;
    table.cells[2].style = DSM__STYLE_BAD;
    dsm__table_print(&table);
    texts[i] = dsm__page_finish(&page);
  }
  expect_same_without_color(texts[0], texts[1]);
}
END_TEST

/* ---- random tables ---- */

/* A linear congruential generator: the same cases on every machine. */
static unsigned draw(unsigned *state, unsigned below) {
  *state = *state * 1664525U + 1013904223U;
  return (*state >> 8) % below;
}

/* Writes `count` letters, some of which take two columns or several bytes. */
static void draw_word(unsigned *state, char *word, size_t size, unsigned count) {
  static const char *const letters[] = {"a", "b", "1", "ö", "網", "e\xCC\x81"};
  size_t used = 0;
  word[0] = '\0';
  for (unsigned i = 0; i < count; i++) {
    used +=
        (size_t)snprintf(word + used, size - used, "%s", letters[draw(state, COUNT_OF(letters))]);
  }
}

/* Rank 0 columns at their natural width with names at 8 can be wider than the page; all else must
 * fit. Returns that least width. */
static size_t draw_table(unsigned *state, dsm__table_column *random, dsm__table *table) {
  char cells[4][6][80];
  const unsigned column_count = 1 + draw(state, 6);
  const unsigned row_count = draw(state, 5);
  size_t least = 0;
  for (unsigned c = 0; c < column_count; c++) {
    random[c] = (dsm__table_column){.title = "t",
                                    .rank = draw(state, 3),
                                    .gap = draw(state, 3),
                                    .is_right = draw(state, 2) == 1,
                                    .is_name = draw(state, 2) == 1};
    size_t width = 1;
    for (unsigned r = 0; r < row_count; r++) {
      draw_word(state, cells[r][c], sizeof cells[r][c], draw(state, 12));
      const size_t cell_width = columns_of(cells[r][c]);
      width = cell_width > width ? cell_width : width;
    }
    if (random[c].rank == 0) {
      least += random[c].gap + (random[c].is_name && width > 8 ? 8 : width);
    }
  }
  *table = dsm__table_make(&page, random, column_count);
  for (unsigned r = 0; r < row_count; r++) {
    for (unsigned c = 0; c < column_count; c++) {
      dsm__table_add(table, DSM__STYLE_PLAIN, cells[r][c]);
    }
  }
  return least;
}

START_TEST(test_random_tables_fit) {
  for (unsigned seed = 0; seed < 2000; seed++) {
    unsigned state = seed;
    dsm__table_column random[6];
    dsm__table table;
    const size_t width = draw(&state, 70);
    set_up_width(width);
    const size_t least = draw_table(&state, random, &table);
    dsm__table_print(&table);
    char *const text = dsm__page_finish(&page);
    ck_assert_msg(text != NULL, "seed %u", seed);
    line_list lines = lines_read(text);
    for (size_t i = 0; i < lines.count; i++) {
      ck_assert_msg(columns_of(lines.items[i]) <= (width > least ? width : least),
                    "seed %u: wider than %zu: '%s'", seed, width, lines.items[i]);
    }
    lines_free(&lines);
    free(text);
  }
}
END_TEST

Suite *suite_table(void) {
  Suite *const suite = suite_create("table");
  TCase *const layout = tcase_create("layout");
  tcase_add_loop_test(layout, test_layout_at_a_width, 0, COUNT_OF(layouts));
  tcase_add_test(layout, test_natural_width_leaves_nothing_out);
  tcase_add_test(layout, test_optional_columns_are_not_shown_if_they_are_empty);
  tcase_add_test(layout, test_a_comfortable_name_outlives_other_columns);
  tcase_add_test(layout, test_every_line_is_indented);
  tcase_add_test(layout, test_wide_characters_are_aligned);
  tcase_add_test(layout, test_cells_cannot_steer_the_terminal);
  tcase_add_test(layout, test_a_table_without_rows_has_its_titles);
  tcase_add_test(layout, test_colour_does_not_change_the_layout);
  tcase_add_test(layout, test_random_tables_fit);
  suite_add_tcase(suite, layout);
  return suite;
}
