/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What checks, differences, figures and reports make of plans of cores in memory. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "dsm/dsm.h"
#include "subjects.h"
#include "suites.h"

typedef struct planned {
  dsm_rl_workload *workload;
  dsm_pim_system *system;
  dsm_pim_plan *plan;
} planned;

static planned make(const char *workload) {
  planned made = {.workload = bundled_workload(workload), .system = bundled_system("upmem2524")};
  ck_assert_int_eq(dsm_pim(&made.plan, made.workload, made.system, NULL, NULL), DSM_OK);
  return made;
}

static void discard(planned *made) {
  dsm_pim_plan_free(made->plan);
  dsm_rl_workload_free(made->workload);
  dsm_pim_system_free(made->system);
}

static size_t count_of(const char *text, const char *what) {
  size_t count = 0;
  for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
    count++;
  }
  return count;
}

/* ---- traces ---- */

enum { PARTS = 4, TRACKS = 2 };
static const char *const part_words[PARTS] = {"kernel", "host_to_cores", "cores_to_host",
                                              "between_cores"};

/* What the slices of a trace come to. */
typedef struct drawn {
  double seconds[TRACKS][PARTS];
  double end_microseconds[TRACKS];
  size_t slices;
} drawn;

static double number_behind(const char *line, const char *key) {
  const char *const at = strstr(line, key);
  ck_assert_msg(at != NULL, "no %s in %s", key, line);
  return strtod(at + strlen(key), NULL);
}

static void add_slice(drawn *sum, const char *line) {
  const size_t track = (size_t)number_behind(line, "\"tid\": ") - 1;
  const double begin = number_behind(line, "\"ts\": ");
  char category[32];
  ck_assert_uint_lt(track, TRACKS);
  ck_assert_double_ge(begin, sum->end_microseconds[track] - 1e-9 * begin);
  sum->end_microseconds[track] = begin + number_behind(line, "\"dur\": ");
  sum->slices++;
  for (size_t i = 0; i < PARTS; i++) {
    (void)snprintf(category, sizeof category, "\"cat\": \"%s\"", part_words[i]);
    if (strstr(line, category) != NULL) {
      sum->seconds[track][i] += number_behind(line, "\"seconds\": ");
      return;
    }
  }
  ck_abort_msg("no part: %s", line);
}

static drawn draw(const dsm_pim_plan *plan) {
  char *const text = as_trace(DSM_ANSWER(pim, plan));
  drawn sum = {.slices = 0};
  ck_assert_ptr_nonnull(text);
  for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    if (strstr(line, "\"ph\": \"X\"") != NULL) {
      add_slice(&sum, line);
    }
  }
  free(text);
  return sum;
}

static void expect_same(double found, double expected) {
  ck_assert_double_eq_tol(found, expected, 1e-9 * expected + DBL_MIN);
}

/* The first track is the training; the second that of one whose work is shared out evenly, with
 * what is left over not done. */
static void expect_training(const dsm_rl_workload *workload, const dsm_pim_system *system,
                            uint64_t cores) {
  const dsm_pim_options options = {
      .cores = &cores, .core_count = 1, .transfers = DSM_PIM_TRANSFERS_COUNT};
  dsm_rl_workload even = *workload;
  uint64_t *const work = workload->agents > 0 ? &even.agents : &even.transitions;
  const bool is_even = *work % cores == 0;
  dsm_pim_plan *plan = NULL;
  dsm_pim_cost less;
  *work -= *work % cores;
  ck_assert_int_eq(dsm_pim(&plan, workload, system, &options, NULL), DSM_OK);
  dsm_pim_predict(&less, &even, system, plan->cost.choice);
  const dsm_pim_cost *const cost = &plan->cost;
  const drawn sum = draw(plan);
  const double all[PARTS] = {cost->kernel_seconds, cost->host_to_cores_seconds,
                             cost->cores_to_host_seconds, cost->between_cores_seconds};
  for (size_t i = 0; i < PARTS; i++) {
    expect_same(sum.seconds[0][i], all[i]);
    expect_same(sum.seconds[1][i], is_even ? 0 : i == 0 ? less.kernel_seconds : all[i]);
  }
  ck_assert_double_eq_tol(sum.end_microseconds[0], 1e6 * cost->seconds, 2e-3);
  ck_assert(is_even || fabs(sum.end_microseconds[1] - sum.end_microseconds[0]) < 2e-3);
  ck_assert_uint_le(sum.slices, 2 * (2 * 1000 + 2));
  dsm_pim_plan_free(plan);
}

START_TEST(test_trace) {
  static const uint64_t cores[] = {1, 7, 250, 885, 2000, 2524};
  dsm_pim_system *const system = bundled_system("upmem2524");
  dsm_rl_workload *const lake = bundled_workload("frozen_lake");
  dsm_rl_workload *const agents = bundled_workload("frozen_lake_2000_agents");
  dsm_rl_workload often = *lake;
  often.episodes = 2500;
  often.synchronization_period = 1;
  for (size_t i = 0; i < COUNT_OF(cores); i++) {
    expect_training(lake, system, cores[i]);
    expect_training(&often, system, cores[i]);
    if (cores[i] <= agents->agents) {
      expect_training(agents, system, cores[i]);
    }
  }
  dsm_rl_workload_free(lake);
  dsm_rl_workload_free(agents);
  dsm_pim_system_free(system);
}
END_TEST

/* ---- checks and differences ---- */

static dsm_comparison *compare(const dsm_pim_plan *before, const dsm_pim_plan *after,
                               double tolerance) {
  char *const texts[] = {dsm_pim_plan_print(before), dsm_pim_plan_print(after)};
  dsm_document documents[2];
  dsm_comparison *made = NULL;
  for (int i = 0; i < 2; i++) {
    ck_assert_ptr_nonnull(texts[i]);
    documents[i] = (dsm_document){texts[i], strlen(texts[i]), "plan.json"};
  }
  ck_assert_int_eq(
      dsm_answer_compare(&made, &dsm_answer_pim, &documents[0], &documents[1], tolerance, NULL),
      DSM_OK);
  free(texts[0]);
  free(texts[1]);
  return made;
}

START_TEST(test_check) {
  planned made = make("taxi");
  dsm_pim_plan recorded = *made.plan;
  char *const text = dsm_pim_plan_print(made.plan);
  const dsm_document document = {text, strlen(text), "plan.json"};
  dsm_answer now;
  ck_assert_int_eq(dsm_answer_ask(&now, &dsm_answer_pim, &document, NULL, 0, NULL), DSM_OK);
  free(text);
  dsm_comparison *comparison = compare(&recorded, now.of, DSM_TOLERANCE_DEFAULT);
  ck_assert_int_eq(comparison->verdict, DSM_VERDICT_OK);
  ck_assert_str_eq(comparison->figures[0].path, "result.seconds");
  dsm_comparison_free(comparison);
  recorded.cost.seconds /= 2;
  recorded.cost.kernel_seconds /= 2;
  recorded.cost.choice.transfers = DSM_PIM_SERIAL;
  comparison = compare(&recorded, now.of, DSM_TOLERANCE_DEFAULT);
  ck_assert_int_eq(comparison->verdict, DSM_VERDICT_REGRESSED);
  ck_assert_str_eq(comparison->format, "dsm-pim/1");
  ck_assert_double_eq(comparison->figures[0].moved.after, made.plan->cost.seconds);
  ck_assert_str_eq(comparison->figures[1].path, "result.kernel_seconds");
  ck_assert_double_eq(comparison->figures[1].moved.change, 1);
  ck_assert_uint_eq(comparison->beyond_count, 2);
  ck_assert_uint_eq(comparison->decision_count, 1);
  ck_assert_str_eq(comparison->decisions[0].path, "result.transfers");
  ck_assert_str_eq(comparison->decisions[0].a, "\"serial\"");
  dsm_comparison_free(comparison);
  comparison = compare(now.of, &recorded, DSM_TOLERANCE_DEFAULT);
  ck_assert_int_eq(comparison->verdict, DSM_VERDICT_IMPROVED);
  dsm_comparison_free(comparison);
  dsm_answer_free(&now);
  discard(&made);
}
END_TEST

START_TEST(test_diff) {
  planned a = make("taxi");
  dsm_rl_workload other = *a.workload;
  dsm_pim_plan *plan = NULL;
  other.element_type = DSM_RL_FLOAT32;
  ck_assert_int_eq(dsm_pim(&plan, &other, a.system, NULL, NULL), DSM_OK);
  dsm_comparison *const comparison = compare(a.plan, plan, 0);
  ck_assert_uint_eq(comparison->input_count, 1);
  ck_assert_str_eq(comparison->inputs[0].path, "workload.element_type");
  ck_assert_double_eq(comparison->figures[0].moved.before, a.plan->cost.seconds);
  ck_assert_double_eq(comparison->figures[0].moved.after, plan->cost.seconds);
  const dsm_diffed of = {.a_file = "a.json", .b_file = "b.json", .comparison = comparison};
  char *const json = as_json(DSM_ANSWER(diff, &of));
  ck_assert_ptr_nonnull(strstr(json, "\"workload.element_type\""));
  free(json);
  dsm_comparison_free(comparison);
  dsm_pim_plan_free(plan);
  discard(&a);
}
END_TEST

/* ---- figures and reports ---- */

START_TEST(test_figures) {
  planned made = make("frozen_lake");
  dsm_plot *plot = NULL;
  static const char *const words[] = {"breakdown", "tasklets"};
  const size_t marks[] = {made.plan->curve_count, made.plan->tasklet_curve_count};
  for (size_t f = 0; f < 2; f++) {
    ck_assert_str_eq(dsm_answer_figure_name(&dsm_answer_pim, f), words[f]);
    ck_assert_int_eq(dsm_plot_answer(&plot, DSM_ANSWER(pim, made.plan), f, NULL), DSM_OK);
    const size_t points = marks[f];
    ck_assert_uint_ge(count_of(plot->body, "set object rectangle"), points);
    ck_assert_double_gt(plot->height, 200);
    dsm_plot_free(plot);
  }
  ck_assert_ptr_null(dsm_answer_figure_name(&dsm_answer_pim, 2));
  discard(&made);
}
END_TEST

START_TEST(test_reports) {
  planned made = make("taxi");
  char *const table = as_table(DSM_ANSWER(pim, made.plan), (dsm_table_style){.width = 80});
  char *const csv = as_csv(DSM_ANSWER(pim, made.plan));
  char *const json = as_json(DSM_ANSWER(pim, made.plan));
  char *const page = as_page(DSM_ANSWER(pim, made.plan));
  ck_assert_ptr_nonnull(strstr(table, "taxi on upmem2524: "));
  ck_assert_uint_eq(count_of(csv, "\n"), made.plan->curve_count + 1);
  ck_assert_ptr_nonnull(strstr(json, "\"dsm-pim/1\""));
  ck_assert_uint_eq(count_of(page, "<svg"), 2);
  ck_assert_uint_eq(count_of(page, "<section"), count_of(page, "</section>"));
  ck_assert_ptr_null(strstr(page, "http://"));
  free(table);
  free(csv);
  free(json);
  free(page);
  discard(&made);
}
END_TEST

/* One core, one tasklet: a curve of one point has figures too. */
START_TEST(test_smallest) {
  planned made = make("frozen_lake");
  dsm_pim_system single = *made.system;
  dsm_pim_plan *plan = NULL;
  single.cores = 1;
  single.tasklets = 1;
  ck_assert_int_eq(dsm_pim(&plan, made.workload, &single, NULL, NULL), DSM_OK);
  for (size_t f = 0; f < 2; f++) {
    dsm_plot *plot = NULL;
    ck_assert_int_eq(dsm_plot_answer(&plot, DSM_ANSWER(pim, plan), f, NULL), DSM_OK);
    ck_assert_ptr_null(strstr(plot->body, "nan"));
    ck_assert_ptr_null(strstr(plot->body, "inf"));
    dsm_plot_free(plot);
  }
  char *const page = as_page(DSM_ANSWER(pim, plan));
  ck_assert_ptr_nonnull(page);
  free(page);
  dsm_pim_plan_free(plan);
  discard(&made);
}
END_TEST

Suite *suite_reports(void) {
  Suite *const suite = suite_create("reports");
  TCase *const tests = tcase_create("reports");
  tcase_add_test(tests, test_check);
  tcase_add_test(tests, test_diff);
  tcase_add_test(tests, test_figures);
  tcase_add_test(tests, test_reports);
  tcase_add_test(tests, test_smallest);
  tcase_add_test(tests, test_trace);
  suite_add_tcase(suite, tests);
  return suite;
}
