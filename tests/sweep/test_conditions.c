/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "shelf.h"
#include "suites.h"

#define AXES                                                                                       \
  "\"axes\": [{\"path\": \"workload.minibatch\", \"values\": [1, 2, 4]}, {\"path\": "              \
  "\"system.array.rows\", \"values\": [2, 4]}, {\"path\": \"workload.source\", \"values\": "       \
  "[\"x\", \"3\", [1, 2]]}, {\"path\": \"options.optimize\", \"values\": [\"hybrid+reuse\"]}]"

typedef struct condition_case {
  const char *text;
  size_t excluded; /* of 18 points */
} condition_case;

static const condition_case good_cases[] = {
    {"workload.minibatch = 2", 6},
    {"workload.minibatch=2.0", 6},
    {"workload.minibatch != 2", 12},
    {"workload.minibatch < 2", 6},
    {"workload.minibatch <= 2", 12},
    {"workload.minibatch > 2", 6},
    {"workload.minibatch>=2", 12},
    {"workload.minibatch = system.array.rows", 6},
    {"workload.minibatch < system.array.rows", 9},
    {"workload.minibatch = 2, system.array.rows = 4", 3},
    {"workload.source = x", 6},
    {"workload.source = \"3\"", 6},
    {"workload.source = [1, 2]", 6},
    {"workload.source = [1,2] , workload.minibatch > 1", 4},
    {"workload = net, system != one", 0},
    {"workload = net, workload.minibatch = 1", 6},
    {"options.optimize = reuse+hybrid, workload.minibatch = 1", 6},
    {"minibatch = 2", 6},
    {"minibatch * rows > 8", 3},
    {"workload.minibatch * system.array.rows / 2 >= 4", 9},
    {"workload.minibatch >= system.array.rows * 2 - 4", 12},
    {"minibatch = rows / 2", 6},
    {"minibatch / (rows - 2) > 0.5", 6},
    {"minibatch - 4 != -2, rows = 4", 6},
};

START_TEST(conditions_exclude) {
  const char *const excludes[] = {good_cases[_i].text};
  const dsm_sweep_request request = {.excludes = excludes, .exclude_count = 1};
  dsm_sweep *const sweep = sweep_of(SPEC(AXES), &request);
  ck_assert_uint_eq(sweep->point_count, 18 - good_cases[_i].excluded);
  dsm_sweep_free(sweep);
}
END_TEST

typedef struct warned_case {
  const char *text;
  const char *finding;
} warned_case;

static const warned_case warned_cases[] = {
    {"workload.minibatch = 3", "--exclude: warning: expected a value that workload.minibatch has, "
                               "found \"workload.minibatch = "
                               "3\", which no point fulfils (the nearest value is 2)"},
    {"workload.minibatch != 90, system.array.rows = 4",
     "--exclude: warning: expected a value that workload.minibatch has, found \"workload.minibatch "
     "!= 90\", which every point fulfils (the nearest value is 4)"},
    {"workload = nett",
     "--exclude: warning: expected a value that workload has, found \"workload = nett\", which no "
     "point fulfils (did you mean \"net\"?)"},
    {"workload.minibatch = many", "--exclude: warning: expected a value that workload.minibatch "
                                  "has, found \"workload.minibatch = "
                                  "many\", which no point fulfils"},
    {"options.optimize = [\"hybrid\"]",
     "--exclude: warning: expected a value that options.optimize has, found \"options.optimize = "
     "[\"hybrid\"]\", which no point fulfils"},
    {"workload.minibatch < 0", ""},
    {"workload != system.array.rows, workload.minibatch = 1", ""},
};

/* What no point has is probably misspelt. */
START_TEST(conditions_without_effect) {
  const char *const excludes[] = {warned_cases[_i].text};
  const dsm_sweep_request request = {.excludes = excludes, .exclude_count = 1};
  assert_refused(SPEC(AXES), &request, DSM_OK, warned_cases[_i].finding);
  assert_refused(
      SPEC("\n\"exclude\": [\"workload = net\\u0065\", \"workload = ne, workload = tt\"]"), NULL,
      DSM_OK,
      "dir/study.json:2:13: $.exclude[0]: warning: expected a value that workload has, "
      "found \"workload = nete\", which no point fulfils (did you mean \"net\"?)\n"
      "dir/study.json:2:37: $.exclude[1]: warning: expected a value that workload has, "
      "found \"workload = ne\", which no point fulfils (did you mean \"net\"?)\n"
      "dir/study.json:2:37: $.exclude[1]: warning: expected a value that workload has, "
      "found \"workload = tt\", which no point fulfils");
}
END_TEST

START_TEST(any_of_several) {
  const char *const excludes[] = {"workload.minibatch = 1", "system.array.rows = 2"};
  const dsm_sweep_request request = {.excludes = excludes, .exclude_count = 2};
  dsm_sweep *const sweep = sweep_of(SPEC(AXES), &request);
  ck_assert_uint_eq(sweep->point_count, 6);
  dsm_sweep_free(sweep);
}
END_TEST

typedef struct refused_case {
  const char *text;
  const char *finding;
} refused_case;

static const refused_case refused_cases[] = {
    {"", "--exclude: error: expected PATH OP VALUE with one of = != < <= > >=, found \"\""},
    {"workload",
     "--exclude: error: expected PATH OP VALUE with one of = != < <= > >=, found \"workload\""},
    {"workload = net,",
     "--exclude: error: expected PATH OP VALUE with one of = != < <= > >=, found \"\""},
    {"workload.minibach = 2",
     "--exclude: error: expected a path that an axis varies, found \"workload.minibach\" (did you "
     "mean \"workload.minibatch\"?)"},
    {"workload.minibatch = system.array.row",
     "--exclude: error: expected a path that an axis varies, found \"system.array.row\" (did you "
     "mean \"system.array.rows\"?)"},
    {"workload.minibatch == 2",
     "--exclude: error: expected one of = != < <= > >=, found \"workload.minibatch == 2\""},
    {"workload.minibatch < many",
     "--exclude: error: expected numbers on both sides of <, <=, > and >=, found "
     "\"workload.minibatch < many\" (words can be compared with = and !=)"},
    {"workload.source < 3",
     "--exclude: error: expected numbers on both sides of <, <=, > and >=, found "
     "\"workload.source < 3\" (words can be compared with = and !=)"},
    {"workload.minibatch <",
     "--exclude: error: expected a value, found nothing (an empty text is \"\" in quotes)"},
    {"minibatch * row > 2", "--exclude: error: in \"minibatch * row\": expected a path of numbers "
                            "that an axis varies, found \"row\""},
    {"source * 2 = 4", "--exclude: error: in \"source * 2\": expected a path of numbers that an "
                       "axis varies, found \"source\""},
    {"minibatch * (2 > 4",
     "--exclude: error: in \"minibatch * (2\": expected \")\" or an operator at its end, found "
     "nothing"},
    {"minibatch * 2 = many",
     "--exclude: error: expected numbers on both sides of <, <=, > and >=, found \"minibatch * 2 = "
     "many\" (words can be compared with = and !=)"},
    {"options.optimize = hybrd",
     "--exclude: error: expected \"none\" or different ones of all, everything, hybrid, reuse, "
     "dysm, "
     "pipeline, per_pass, preload, hoist, spatial, tensor, expert, accumulate, shard, recompute, "
     "stages, context, divide, found "
     "\"hybrd\" (did you mean "
     "\"hybrid\"?)"},
    {"workload = net",
     "dir/study.json:1:68: $.axes: error: expected at least one point, found that the conditions "
     "exclude all 18"},
};

START_TEST(conditions_refused) {
  const char *const excludes[] = {refused_cases[_i].text};
  const dsm_sweep_request request = {.excludes = excludes, .exclude_count = 1};
  const bool is_of_spec = refused_cases[_i].finding[0] == 'd';
  assert_refused(SPEC(AXES), &request, is_of_spec ? DSM_ERROR_INVALID : DSM_ERROR_USAGE,
                 refused_cases[_i].finding);
}
END_TEST

START_TEST(places_in_the_specification) {
  assert_refused(SPEC("\n\"exclude\": [\n \"system != one\",\n \"workload < 3\"]"), NULL,
                 DSM_ERROR_INVALID,
                 "dir/study.json:4:2: $.exclude[1]: error: expected numbers on both sides of <, "
                 "<=, > and >=, found \"workload < 3\" (words can be compared with = and !=)");
}
END_TEST

Suite *suite_conditions(void) {
  Suite *const suite = suite_create("conditions");
  TCase *const cases = tcase_create("all");
  tcase_add_loop_test(cases, conditions_exclude, 0, COUNT_OF(good_cases));
  tcase_add_loop_test(cases, conditions_without_effect, 0, COUNT_OF(warned_cases));
  tcase_add_test(cases, any_of_several);
  tcase_add_loop_test(cases, conditions_refused, 0, COUNT_OF(refused_cases));
  tcase_add_test(cases, places_in_the_specification);
  suite_add_tcase(suite, cases);
  return suite;
}
