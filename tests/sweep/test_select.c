/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_select.c: best rows and rows that none dominates, against a twin that asks every pair. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "random_numbers.h"
#include "scratch.h"
#include "suites.h"

enum { NUMBERS = 4, STATUS = NUMBERS, COLUMNS, ROWS_MAX = 60, ROUNDS = 400 };

static const char *const names[COLUMNS] = {"point", "step_seconds", "utilization", "cost",
                                           "status"};

/* A table whose cells are few different numbers, so that there are many ties, or empty; some points
 * are infeasible. */
static dsm_point_table *random_table(uint64_t *state, uint64_t variety) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_point_table *const table = dsm__arena_alloc(arena, sizeof *table);
  const size_t row_count = (size_t)random_below(state, ROWS_MAX);
  dsm_cell *const cells = dsm__arena_array(arena, row_count * COLUMNS, sizeof *cells);
  for (size_t i = 0; i < row_count * COLUMNS; i++) {
    const bool is_point = i % COLUMNS == 0;
    const bool is_none = !is_point && random_below(state, 12) == 0;
    const double number =
        is_point ? (double)(i / COLUMNS) : (double)random_below(state, variety) - 2;
    cells[i] = (dsm_cell){.kind = is_none ? DSM_CELL_NONE : DSM_CELL_NUMBER,
                          .number = is_none ? 0 : number};
    if (i % COLUMNS == STATUS) {
      cells[i] = (dsm_cell){.kind = DSM_CELL_TEXT,
                            .text = random_below(state, 8) == 0 ? "infeasible" : "ok"};
    }
  }
  *table = (dsm_point_table){.name = "random",
                             .columns = names,
                             .column_count = COLUMNS,
                             .cells = cells,
                             .row_count = row_count,
                             .point_count = row_count,
                             .arena = arena};
  return table;
}

/* ---- the twin ---- */

static const dsm_cell *cell_of(const dsm_point_table *table, size_t row, size_t column) {
  return &table->cells[row * COLUMNS + column];
}

/* Is it a design that works, with all numbers? */
static bool has_all(const dsm_point_table *table, size_t row, const dsm_objective *list,
                    size_t count) {
  if (strcmp(cell_of(table, row, STATUS)->text, "ok") != 0) {
    return false;
  }
  for (size_t k = 0; k < count; k++) {
    if (cell_of(table, row, list[k].column)->kind != DSM_CELL_NUMBER) {
      return false;
    }
  }
  return true;
}

/* > 0: a is better in the objective. */
static int better(const dsm_point_table *table, size_t a, size_t b, dsm_objective objective) {
  const double x = cell_of(table, a, objective.column)->number;
  const double y = cell_of(table, b, objective.column)->number;
  const int order = x < y ? 1 : x > y ? -1 : 0;
  return objective.is_max ? -order : order;
}

static bool twin_dominates(const dsm_point_table *table, size_t a, size_t b,
                           const dsm_objective *list, size_t count) {
  bool is_better = false;
  for (size_t k = 0; k < count; k++) {
    if (better(table, a, b, list[k]) < 0) {
      return false;
    }
    is_better = is_better || better(table, a, b, list[k]) > 0;
  }
  return is_better;
}

/* Does row a come before row b? */
static bool twin_before(const dsm_point_table *table, size_t a, size_t b, const dsm_objective *list,
                        size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (better(table, a, b, list[k]) != 0) {
      return better(table, a, b, list[k]) > 0;
    }
  }
  return a < b;
}

/* Rows that are wanted, in order, by selection of the first again and again. */
static size_t twin(const dsm_point_table *table, const dsm_objective *list, size_t count,
                   bool is_pareto, size_t *rows) {
  bool is_wanted[ROWS_MAX] = {false};
  size_t found = 0;
  for (size_t r = 0; r < table->row_count; r++) {
    is_wanted[r] = has_all(table, r, list, count);
    for (size_t other = 0; other < table->row_count && is_pareto && is_wanted[r]; other++) {
      is_wanted[r] =
          !(has_all(table, other, list, count) && twin_dominates(table, other, r, list, count));
    }
  }
  for (;;) {
    size_t first = table->row_count;
    for (size_t r = 0; r < table->row_count; r++) {
      if (is_wanted[r] &&
          (first == table->row_count || twin_before(table, r, first, list, count))) {
        first = r;
      }
    }
    if (first == table->row_count) {
      return found;
    }
    is_wanted[first] = false;
    rows[found++] = first;
  }
}

static void expect_rows(const dsm_point_table *table, const size_t *rows, size_t count) {
  ck_assert_uint_eq(table->row_count, count);
  for (size_t i = 0; i < count; i++) {
    ck_assert_double_eq(cell_of(table, i, 0)->number, (double)rows[i]);
  }
}

START_TEST(test_pareto_is_that_of_the_twin) {
  uint64_t state = 1000 + (uint64_t)_i;
  for (int round = 0; round < ROUNDS; round++) {
    dsm_point_table *const table = random_table(&state, _i == 0 ? 3 : 20);
    dsm_objective list[4];
    const size_t count = (size_t)random_below(&state, 5);
    for (size_t k = 0; k < count; k++) {
      list[k] = (dsm_objective){.column = 1 + (size_t)random_below(&state, NUMBERS - 1),
                                .is_max = random_below(&state, 2) == 0};
    }
    size_t rows[ROWS_MAX];
    const size_t expected = twin(table, list, count, true, rows);
    ck_assert_int_eq(dsm_point_table_pareto(table, list, count, NULL), DSM_OK);
    expect_rows(table, rows, expected);
    dsm_point_table_free(table);
  }
}
END_TEST

START_TEST(test_best_is_that_of_the_twin) {
  uint64_t state = 2000 + (uint64_t)_i;
  for (int round = 0; round < ROUNDS; round++) {
    dsm_point_table *const table = random_table(&state, _i == 0 ? 3 : 20);
    const dsm_objective objective = {.column = 1 + (size_t)random_below(&state, NUMBERS - 1),
                                     .is_max = random_below(&state, 2) == 0};
    const size_t most = (size_t)random_below(&state, ROWS_MAX);
    size_t rows[ROWS_MAX];
    const size_t expected = twin(table, &objective, 1, false, rows);
    ck_assert_int_eq(dsm_point_table_best(table, objective, most, NULL), DSM_OK);
    expect_rows(table, rows, expected < most ? expected : most);
    dsm_point_table_free(table);
  }
}
END_TEST

/* A column of an expression, and the rows for which a condition on it holds: the value itself, row
 * by row; without a number there is none. */
START_TEST(test_rows_are_those_for_which_a_condition_holds) {
  static const char *const wheres[] = {"twice - cost >= 3", "status=ok"};
  uint64_t state = 3000;
  for (int round = 0; round < ROUNDS; round++) {
    dsm_point_table *const table = random_table(&state, 9);
    const dsm_point_table before = *table;
    size_t rows[ROWS_MAX];
    size_t count = 0;
    for (size_t r = 0; r < table->row_count; r++) {
      const dsm_cell *const time = cell_of(table, r, 1);
      const dsm_cell *const cost = cell_of(table, r, 3);
      const bool is_ok = strcmp(cell_of(table, r, STATUS)->text, "ok") == 0;
      if (is_ok && time->kind == DSM_CELL_NUMBER && cost->kind == DSM_CELL_NUMBER &&
          2 * time->number + 1 - cost->number >= 3) {
        rows[count++] = r;
      }
    }
    ck_assert_int_eq(dsm_point_table_define(table, "twice=2*step_seconds+1", NULL), DSM_OK);
    ck_assert_uint_eq(table->column_count, COLUMNS + 1);
    for (size_t r = 0; r < table->row_count; r++) {
      const dsm_cell *const made = &table->cells[r * table->column_count + COLUMNS];
      const dsm_cell *const time = cell_of(&before, r, 1);
      ck_assert_int_eq(made->kind, time->kind);
      ck_assert(made->kind == DSM_CELL_NONE || made->number == 2 * time->number + 1);
    }
    /* Values leave some row, or are told to exclude each other; comparisons may leave none. */
    const dsm_status status = dsm_point_table_where(table, wheres, 2, NULL);
    ck_assert_int_eq(status, count > 0 || before.row_count == 0 ? DSM_OK : DSM_ERROR_USAGE);
    for (size_t i = 0; i < count; i++) {
      ck_assert_double_eq(table->cells[i * table->column_count].number, (double)rows[i]);
    }
    ck_assert(status != DSM_OK || table->row_count == count);
    dsm_point_table_free(table);
  }
}
END_TEST

START_TEST(test_objectives_are_read) {
  static const struct {
    const char *text;
    size_t column;
    bool is_max;
  } cases[] = {
      {"utilization", 2, true},   {"min:utilization", 2, false}, {"max:utilization", 2, true},
      {"step_seconds", 1, false}, {"max:step_seconds", 1, true}, {"cost", 3, false},
      {"point", 0, false},
  };
  uint64_t state = 1;
  dsm_point_table *const table = random_table(&state, 3);
  dsm_objective objective;
  ck_assert_int_eq(dsm_objective_parse(&objective, table, cases[_i].text, NULL), DSM_OK);
  ck_assert_uint_eq(objective.column, cases[_i].column);
  ck_assert_int_eq(objective.is_max, cases[_i].is_max);
  dsm_point_table_free(table);
}
END_TEST

START_TEST(test_an_unknown_column_is_wrong) {
  static const char *const texts[] = {"utilisation", "least:utilization", "",
                                      "min:", "UTILIZATION"};
  uint64_t state = 1;
  dsm_point_table *const table = random_table(&state, 3);
  dsm_objective objective;
  ck_assert_int_eq(dsm_objective_parse(&objective, table, texts[_i], scratch_diags()),
                   DSM_ERROR_USAGE);
  if (_i == 0) {
    ck_assert_str_eq(dsm_diags_get(scratch_diags(), 0)->hint, "did you mean \"utilization\"?");
  }
  scratch_expect("expected a column of the results");
  dsm_point_table_free(table);
}
END_TEST

/* The beginning of a column, or of the last word of a path, is as good as a slip. */
START_TEST(test_the_beginning_of_a_column_is_understood) {
  static const char *const columns[] = {"point", "system.core.scratchpad_MiB", "step_seconds",
                                        "step_cycles"};
  static const struct {
    const char *text;
    const char *hint; /* NULL: none */
  } cases[] = {
      {"step", "did you mean \"step_seconds\"?"},
      {"min:step", "did you mean \"step_seconds\"?"},
      {"max:step_c", "did you mean \"step_cycles\"?"},
      {"scratchpad", "did you mean \"system.core.scratchpad_MiB\"?"},
      {"stepseconds", "did you mean \"step_seconds\"?"},
      {"", NULL},
      {"bandwidth", NULL},
  };
  const dsm_point_table table = {.columns = columns, .column_count = COUNT_OF(columns)};
  dsm_objective objective;
  ck_assert_int_eq(dsm_objective_parse(&objective, &table, cases[_i].text, scratch_diags()),
                   DSM_ERROR_USAGE);
  const char *const hint = dsm_diags_get(scratch_diags(), 0)->hint;
  ck_assert_str_eq(hint, cases[_i].hint == NULL ? "" : cases[_i].hint);
}
END_TEST

START_TEST(test_words_have_no_best) {
  dsm_sweep *const sweep = stored_sweep((stored_shape){.minibatch_count = 1});
  scratch_make("a", sweep, 0, 1, 4);
  dsm_store *const store = scratch_read("a");
  dsm_point_table *table = NULL;
  ck_assert_int_eq(dsm_store_points(store, &table, NULL), DSM_OK);
  dsm_objective objective;
  ck_assert_int_eq(dsm_objective_parse(&objective, table, "mode", scratch_diags()),
                   DSM_ERROR_USAGE);
  scratch_expect("found \"mode\", which holds words");
  dsm_point_table_free(table);
  dsm_store_close(store);
  dsm_sweep_free(sweep);
}
END_TEST

Suite *suite_select(void) {
  Suite *const suite = suite_create("select");
  TCase *const tests = tcase_create("select");
  tcase_add_checked_fixture(tests, scratch_enter, scratch_leave);
  tcase_add_loop_test(tests, test_pareto_is_that_of_the_twin, 0, 2);
  tcase_add_loop_test(tests, test_best_is_that_of_the_twin, 0, 2);
  tcase_add_test(tests, test_rows_are_those_for_which_a_condition_holds);
  tcase_add_loop_test(tests, test_objectives_are_read, 0, 7);
  tcase_add_loop_test(tests, test_an_unknown_column_is_wrong, 0, 5);
  tcase_add_loop_test(tests, test_the_beginning_of_a_column_is_understood, 0, 7);
  tcase_add_test(tests, test_words_have_no_best);
  suite_add_tcase(suite, tests);
  return suite;
}
