/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems over several workloads: geometric means, and which systems have one. */
#include <string.h>

#include "base/arena.h"
#include "scratch.h"
#include "suites.h"

enum { COLUMNS = 10 };

static const char *const names[COLUMNS] = {
    "point", "status", "reason",      "workload",     "system",
    "size",  "mode",   "utilization", "step_seconds", "decisions",
};

typedef struct row {
  const char *status;
  const char *workload;
  const char *system;
  double size;
  double utilization;
  double step_seconds;
} row;

static dsm_cell text_of(const char *text) {
  return (dsm_cell){.kind = DSM_CELL_TEXT, .text = text};
}

static dsm_cell number_of(double number) {
  return (dsm_cell){.kind = DSM_CELL_NUMBER, .number = number};
}

static dsm_point_table *table_of(const row *rows, size_t row_count) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_point_table *const table = dsm__arena_alloc(arena, sizeof *table);
  dsm_cell *const cells = dsm__arena_array(arena, row_count * COLUMNS, sizeof *cells);
  for (size_t r = 0; r < row_count; r++) {
    const dsm_cell none = {.kind = DSM_CELL_NONE};
    const bool is_ok = strcmp(rows[r].status, "ok") == 0;
    const dsm_cell made[COLUMNS] = {
        number_of((double)r),
        text_of(rows[r].status),
        is_ok ? none : text_of("a reason"),
        text_of(rows[r].workload),
        text_of(rows[r].system),
        number_of(rows[r].size),
        is_ok ? text_of("training") : none,
        is_ok ? number_of(rows[r].utilization) : none,
        is_ok ? number_of(rows[r].step_seconds) : none,
        is_ok ? text_of(rows[r].workload) : none,
    };
    memcpy(cells + r * COLUMNS, made, sizeof made);
  }
  *table = (dsm_point_table){.name = "means",
                             .columns = names,
                             .column_count = COLUMNS,
                             .cells = cells,
                             .row_count = row_count,
                             .point_count = row_count,
                             .arena = arena};
  return table;
}

static const dsm_cell *cell_of(const dsm_point_table *table, size_t r, const char *column) {
  size_t c = 0;
  while (strcmp(names[c], column) != 0) {
    c++;
  }
  return &table->cells[r * COLUMNS + c];
}

static void expect_number(const dsm_point_table *table, size_t r, const char *column,
                          double expected) {
  ck_assert_int_eq(cell_of(table, r, column)->kind, DSM_CELL_NUMBER);
  ck_assert_double_eq_tol(cell_of(table, r, column)->number, expected, 1e-12 * expected);
}

/* sqrt(1 * 4) = 2, sqrt(3 * 3) = 3, sqrt(2 * 32) = 8; "c" lacks a workload, "d" fails on one. */
START_TEST(test_a_system_has_the_geometric_mean) {
  static const row rows[] = {
      {"ok", "x", "a", 1, 0.5, 1}, {"ok", "x", "a", 2, 0.5, 2},       {"ok", "x", "b", 1, 0, 3},
      {"ok", "x", "c", 1, 0.5, 1}, {"infeasible", "x", "d", 1, 0, 0}, {"ok", "y", "d", 1, 0.5, 1},
      {"ok", "y", "b", 1, 0, 3},   {"ok", "y", "a", 2, 0.125, 32},    {"ok", "y", "a", 1, 0, 4},
  };
  dsm_point_table *const table = table_of(rows, COUNT_OF(rows));
  ck_assert_int_eq(dsm_point_table_means(table, NULL), DSM_OK);
  ck_assert_uint_eq(table->workload_count, 2);
  ck_assert_uint_eq(table->point_count, 5);
  ck_assert_uint_eq(table->row_count, 3);
  static const struct {
    const char *system;
    double size;
    double step_seconds;
  } expected[] = {{"a", 1, 2}, {"a", 2, 8}, {"b", 1, 3}};
  for (size_t r = 0; r < 3; r++) {
    ck_assert_int_eq(cell_of(table, r, "point")->kind, DSM_CELL_NONE);
    ck_assert_str_eq(cell_of(table, r, "status")->text, "ok");
    ck_assert_str_eq(cell_of(table, r, "workload")->text, "x+y");
    ck_assert_str_eq(cell_of(table, r, "system")->text, expected[r].system);
    expect_number(table, r, "size", expected[r].size);
    expect_number(table, r, "step_seconds", expected[r].step_seconds);
    ck_assert_str_eq(cell_of(table, r, "mode")->text, "training");
    ck_assert_int_eq(cell_of(table, r, "decisions")->kind, DSM_CELL_NONE);
  }
  ck_assert_int_eq(cell_of(table, 0, "utilization")->kind, DSM_CELL_NONE); /* of 0.5 and 0 */
  expect_number(table, 1, "utilization", 0.25);
  ck_assert_int_eq(cell_of(table, 2, "utilization")->kind, DSM_CELL_NUMBER); /* 0 and 0 */
  dsm_objective objective;
  ck_assert_int_eq(dsm_objective_parse(&objective, table, "step_seconds", NULL), DSM_OK);
  ck_assert_int_eq(dsm_point_table_best(table, objective, 2, NULL), DSM_OK);
  expect_number(table, 0, "step_seconds", 2);
  expect_number(table, 1, "step_seconds", 3);
  dsm_point_table_free(table);
}
END_TEST

/* "z" fits nowhere: the means are of the others. */
START_TEST(test_a_workload_without_any_result_does_not_count) {
  static const row rows[] = {
      {"infeasible", "z", "a", 1, 0, 0}, {"infeasible", "z", "b", 1, 0, 0},
      {"ok", "x", "a", 1, 0.5, 1},       {"ok", "x", "b", 1, 0.5, 3},
      {"ok", "y", "a", 1, 0.5, 4},       {"ok", "y", "b", 1, 0.5, 3},
  };
  dsm_point_table *const table = table_of(rows, COUNT_OF(rows));
  ck_assert_int_eq(dsm_point_table_means(table, NULL), DSM_OK);
  ck_assert_uint_eq(table->workload_count, 2);
  ck_assert_uint_eq(table->row_count, 2);
  ck_assert_str_eq(cell_of(table, 0, "workload")->text, "x+y");
  expect_number(table, 0, "step_seconds", 2); /* sqrt(1 * 4) */
  expect_number(table, 1, "step_seconds", 3);
  dsm_point_table_free(table);
}
END_TEST

/* Sizes go with the workloads, as an axis of both has it: systems are ranked over the pairs. */
START_TEST(test_what_varies_with_the_workload_is_of_it) {
  static const row rows[] = {
      {"ok", "x", "a", 64, 0.5, 1},
      {"ok", "y", "a", 128, 0.5, 16},
      {"ok", "x", "b", 64, 0.5, 3},
      {"ok", "y", "b", 128, 0.5, 3},
  };
  dsm_point_table *const table = table_of(rows, COUNT_OF(rows));
  ck_assert_int_eq(dsm_point_table_means(table, NULL), DSM_OK);
  ck_assert_uint_eq(table->workload_count, 2);
  ck_assert_uint_eq(table->row_count, 2);
  expect_number(table, 0, "step_seconds", 4); /* sqrt(1 * 16) */
  expect_number(table, 1, "step_seconds", 3);
  ck_assert_int_eq(cell_of(table, 0, "size")->kind, DSM_CELL_NONE); /* of 64 and 128 */
  dsm_point_table_free(table);
}
END_TEST

/* Two of the four points of two networks on two sizes: the size does not go with the network. */
START_TEST(test_a_part_of_a_sweep_shows_nothing_of_the_rest) {
  static const row rows[] = {{"ok", "x", "a", 1, 0.5, 1},
                             {"ok", "y", "a", 2, 0.5, 4},
                             {"ok", "x", "b", 1, 0.5, 1},
                             {"ok", "y", "b", 2, 0.5, 4}};
  dsm_point_table *const table = table_of(rows, COUNT_OF(rows));
  table->point_count = 8;
  ck_assert_int_eq(dsm_point_table_means(table, NULL), DSM_OK);
  ck_assert_uint_eq(table->workload_count, 0);
  ck_assert_uint_eq(table->row_count, 4);
  dsm_point_table_free(table);
}
END_TEST

START_TEST(test_what_is_not_to_be_ranked_stays) {
  static const row rows[][4] = {
      /* one system, one workload */
      {{"ok", "x", "a", 1, 0.5, 1}, {"ok", "y", "a", 1, 0.5, 2}},
      {{"ok", "x", "a", 1, 0.5, 1}, {"ok", "x", "b", 1, 0.5, 2}},
      /* no system has all workloads: one is infeasible, there are more sizes of one workload */
      {{"ok", "x", "a", 1, 0.5, 1},
       {"ok", "x", "b", 1, 0.5, 2},
       {"infeasible", "y", "a", 1, 0, 0},
       {"infeasible", "y", "b", 1, 0, 0}},
      {{"ok", "x", "a", 1, 0.5, 1}, {"ok", "x", "a", 2, 0.5, 2}, {"ok", "y", "a", 4, 0.5, 2}},
  };
  static const size_t counts[] = {2, 2, 4, 3};
  dsm_point_table *const table = table_of(rows[_i], counts[_i]);
  ck_assert_int_eq(dsm_point_table_means(table, NULL), DSM_OK);
  ck_assert_uint_eq(table->workload_count, 0);
  ck_assert_uint_eq(table->row_count, counts[_i]);
  expect_number(table, 1, "point", 1);
  expect_number(table, 1, "step_seconds", 2);
  dsm_point_table_free(table);
}
END_TEST

START_TEST(test_a_table_without_rows_or_columns_stays) {
  dsm_point_table *const table = table_of(NULL, 0);
  ck_assert_int_eq(dsm_point_table_means(table, NULL), DSM_OK);
  ck_assert_uint_eq(table->row_count, 0);
  dsm_point_table_free(table);
  dsm_point_table bare = {.columns = names, .column_count = 2};
  ck_assert_int_eq(dsm_point_table_means(&bare, NULL), DSM_OK);
  ck_assert_uint_eq(bare.workload_count, 0);
}
END_TEST

Suite *suite_point_means(void) {
  Suite *const suite = suite_create("point_means");
  TCase *const tests = tcase_create("point_means");
  tcase_add_test(tests, test_a_system_has_the_geometric_mean);
  tcase_add_test(tests, test_a_workload_without_any_result_does_not_count);
  tcase_add_test(tests, test_what_varies_with_the_workload_is_of_it);
  tcase_add_test(tests, test_a_part_of_a_sweep_shows_nothing_of_the_rest);
  tcase_add_loop_test(tests, test_what_is_not_to_be_ranked_stays, 0, 4);
  tcase_add_test(tests, test_a_table_without_rows_or_columns_stays);
  suite_add_tcase(suite, tests);
  return suite;
}
