/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_points_report.c: points of a sweep as table, JSON and CSV. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "suites.h"

enum { COLUMNS = 12, ROWS = 3 };

static const char *const columns[COLUMNS] = {
    "point",       "status",        "reason",
    "workload",    "system",        "system.core.scratchpad_MiB",
    "system.rows", "system.x.rows", "mode",
    "minibatch",   "utilization",   "step_seconds",
};

static dsm_cell number(double value) {
  return (dsm_cell){.kind = DSM_CELL_NUMBER, .number = value};
}

static dsm_cell word(const char *text) {
  return (dsm_cell){.kind = DSM_CELL_TEXT, .text = text};
}

/* Three points of five; the last has no result unless all are ok. */
typedef struct made {
  dsm_cell cells[ROWS * COLUMNS];
  dsm_point_table table;
} made;

static const dsm_point_table *make(made *target, bool is_all_ok) {
  for (size_t row = 0; row < ROWS; row++) {
    const bool is_ok = is_all_ok || row < 2;
    dsm_cell *const cells = target->cells + row * COLUMNS;
    memset(cells, 0, COLUMNS * sizeof *cells);
    cells[0] = number((double)row + 1);
    cells[1] = word(is_ok ? "ok" : "infeasible");
    cells[2] = is_ok ? (dsm_cell){0} : word("it needs 9 GB, \"too much\"");
    cells[3] = word("vgg16");
    cells[4] = word("torus64");
    cells[5] = number(0.5 * (double)(row + 1));
    cells[6] = number((double)row + 7);
    cells[7] = word(row == 0 ? "a" : "b");
    if (is_ok) {
      cells[8] = word("training");
      cells[9] = number(256);
      cells[10] = number(0.25 * (double)(row + 1));
      cells[11] = number(0.001 * (double)(row + 1));
    }
  }
  target->table = (dsm_point_table){.name = "sizes",
                                    .columns = columns,
                                    .column_count = COLUMNS,
                                    .cells = target->cells,
                                    .row_count = ROWS,
                                    .point_count = 5};
  return &target->table;
}

static void expect_text(char *text, const char *expected) {
  ck_assert_ptr_nonnull(text);
  ck_assert_str_eq(text, expected);
  free(text);
}

START_TEST(test_what_is_common_stands_once_and_what_failed_below) {
  made target;
  expect_text(as_table(DSM_ANSWER(points, make(&target, false)), (dsm_table_style){.width = 100}),
              "sizes: 3 of 5 points\n"
              "workload vgg16, system torus64, mode training, minibatch 256\n"
              "\n"
              "point  status      scratchpad_MiB  system.rows  system.x.rows  util %  step (ms)\n"
              "    1  ok                     0.5            7  a                25.0     1.0000\n"
              "    2  ok                       1            8  b                50.0     2.0000\n"
              "    3  infeasible             1.5            9  b\n"
              "\n"
              "point 3 is infeasible: it needs 9 GB, \"too much\"\n");
}
END_TEST

START_TEST(test_a_table_fits_its_width) {
  made target;
  char *const text =
      as_table(DSM_ANSWER(points, make(&target, true)), (dsm_table_style){.width = 50});
  ck_assert_ptr_nonnull(text);
  ck_assert_ptr_null(strstr(text, "infeasible"));
  ck_assert_ptr_null(strstr(text, "status"));
  ck_assert_ptr_null(strstr(text, "step (ms)"));
  ck_assert_ptr_nonnull(strstr(text, "util %"));
  for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
    ck_assert_uint_le(strcspn(line, "\n"), 50);
  }
  free(text);
}
END_TEST

START_TEST(test_a_table_without_rows_is_a_heading) {
  made target;
  (void)make(&target, true);
  target.table.row_count = 0;
  expect_text(as_table(DSM_ANSWER(points, &target.table), (dsm_table_style){.width = 80}),
              "sizes: 0 of 5 points\n");
}
END_TEST

START_TEST(test_odd_numbers_are_shown_as_they_are) {
  made target;
  (void)make(&target, true);
  target.cells[10] = number(-7);
  target.cells[COLUMNS + 10] = number(1.5);
  target.cells[11] = number(-1e300);
  target.cells[COLUMNS + 11] = word("none");
  char *const text =
      as_table(DSM_ANSWER(points, &target.table), (dsm_table_style){.width = 100, .color = true});
  ck_assert_ptr_nonnull(text);
  ck_assert_ptr_nonnull(strstr(text, " -7 "));
  ck_assert_ptr_nonnull(strstr(text, "-1e+300"));
  free(text);
}
END_TEST

START_TEST(test_many_columns_are_left_out_with_a_word) {
  enum { MANY = 30 };
  static char names[MANY][16];
  static const char *many[MANY];
  dsm_cell cells[2 * MANY];
  for (size_t c = 0; c < MANY; c++) {
    (void)snprintf(names[c], sizeof names[c], "system.p%zu", c);
    many[c] = names[c];
    cells[c] = number((double)c);
    cells[MANY + c] = number((double)c + 1);
  }
  many[0] = "point";
  many[1] = "reason";
  many[MANY - 1] = "mode";
  cells[1] = cells[MANY + 1] = (dsm_cell){0};
  const dsm_point_table table = {.name = "many",
                                 .columns = many,
                                 .column_count = MANY,
                                 .cells = cells,
                                 .row_count = 2,
                                 .point_count = 2};
  char *const text = as_table(DSM_ANSWER(points, &table), (dsm_table_style){.width = 400});
  ck_assert_ptr_nonnull(text);
  ck_assert_ptr_nonnull(strstr(text, "19 more columns differ between rows.\n"));
  free(text);
}
END_TEST

START_TEST(test_json_has_all_columns) {
  made target;
  (void)make(&target, false);
  target.table.cells += COLUMNS;
  target.table.row_count = 2;
  expect_text(
      as_json(DSM_ANSWER(points, &target.table)),
      "{\n"
      "  \"format\": \"dsm-points/1\",\n"
      "  \"name\": \"sizes\",\n"
      "  \"point_count\": 5,\n"
      "  \"rows\": [\n"
      "    {\"point\": 2, \"status\": \"ok\", \"reason\": null, \"workload\": \"vgg16\", "
      "\"system\": \"torus64\", \"system.core.scratchpad_MiB\": 1, \"system.rows\": 8, "
      "\"system.x.rows\": \"b\", \"mode\": \"training\", \"minibatch\": 256, \"utilization\": 0.5, "
      "\"step_seconds\": 0.002},\n"
      "    {\"point\": 3, \"status\": \"infeasible\", \"reason\": \"it needs 9 GB, \\\"too "
      "much\\\"\", \"workload\": \"vgg16\", \"system\": \"torus64\", "
      "\"system.core.scratchpad_MiB\": 1.5, \"system.rows\": 9, \"system.x.rows\": \"b\", "
      "\"mode\": null, \"minibatch\": null, \"utilization\": null, \"step_seconds\": null}\n"
      "  ]\n"
      "}\n");
}
END_TEST

START_TEST(test_csv_has_all_columns) {
  made target;
  (void)make(&target, false);
  target.table.cells += COLUMNS;
  target.table.row_count = 2;
  expect_text(as_csv(DSM_ANSWER(points, &target.table)),
              "point,status,reason,workload,system,system.core.scratchpad_MiB,system.rows,"
              "system.x.rows,mode,minibatch,utilization,step_seconds\r\n"
              "2,ok,,vgg16,torus64,1,8,b,training,256,0.5,0.002\r\n"
              "3,infeasible,\"it needs 9 GB, \"\"too much\"\"\",vgg16,torus64,1.5,9,b,,,,\r\n");
}
END_TEST

Suite *suite_points_report(void) {
  Suite *const suite = suite_create("points_report");
  TCase *const tests = tcase_create("points_report");
  tcase_add_test(tests, test_what_is_common_stands_once_and_what_failed_below);
  tcase_add_test(tests, test_a_table_fits_its_width);
  tcase_add_test(tests, test_a_table_without_rows_is_a_heading);
  tcase_add_test(tests, test_odd_numbers_are_shown_as_they_are);
  tcase_add_test(tests, test_many_columns_are_left_out_with_a_word);
  tcase_add_test(tests, test_json_has_all_columns);
  tcase_add_test(tests, test_csv_has_all_columns);
  suite_add_tcase(suite, tests);
  return suite;
}
