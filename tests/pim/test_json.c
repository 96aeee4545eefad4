/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans as text: what was written is read, an edited choice is predicted anew. */
#include <stdlib.h>
#include <string.h>

#include "subjects.h"
#include "suites.h"

typedef struct written {
  dsm_rl_workload *workload;
  dsm_pim_system *system;
  char *text;
  double seconds;
} written;

static written write_plan(void) {
  written made = {.workload = bundled_workload("taxi"), .system = bundled_system("upmem2524")};
  static const uint64_t cores[] = {2500};
  dsm_pim_plan *plan = NULL;
  dsm_pim_options options;
  dsm_pim_options_init(&options);
  options.cores = cores;
  options.core_count = COUNT_OF(cores);
  ck_assert_int_eq(dsm_pim(&plan, made.workload, made.system, &options, NULL), DSM_OK);
  made.text = dsm_pim_plan_print(plan);
  made.seconds = plan->cost.seconds;
  ck_assert_ptr_nonnull(made.text);
  dsm_pim_plan_free(plan);
  return made;
}

static void discard(written *made) {
  dsm_rl_workload_free(made->workload);
  dsm_pim_system_free(made->system);
  free(made->text);
}

/* Replaces a text of the same length. */
static void edit(const written *in, const char *from, const char *to) {
  char *const at = strstr(in->text, from);
  ck_assert_ptr_nonnull(at);
  ck_assert_uint_eq(strlen(from), strlen(to));
  memcpy(at, to, strlen(to));
}

START_TEST(test_written_and_read) {
  written made = write_plan();
  dsm_pim_plan *plan = NULL;
  double recorded = 0;
  ck_assert_int_eq(
      dsm_pim_plan_parse(&plan, &recorded, made.text, strlen(made.text), "p.json", NULL), DSM_OK);
  ck_assert_double_eq(recorded, made.seconds);
  ck_assert_double_eq(plan->cost.seconds, made.seconds);
  char *const again = dsm_pim_plan_print(plan);
  ck_assert_str_eq(again, made.text);
  ck_assert_int_eq(dsm_pim_plan_compare_text(plan, made.text, strlen(made.text), "p.json", NULL),
                   DSM_OK);
  free(again);
  dsm_pim_plan_free(plan);
  discard(&made);
}
END_TEST

/* What is written again has this program's figures, whoever wrote it first. */
START_TEST(test_version_is_that_of_the_figures) {
  written made = write_plan();
  char *const version = strstr(made.text, "\"dsm_version\"");
  char *const options = strstr(made.text, "\"options\"");
  ck_assert_ptr_nonnull(version);
  memset(version, ' ', (size_t)(options - version));
  dsm_pim_plan *plan = NULL;
  dsm_pim_plan *again = NULL;
  ck_assert_int_eq(dsm_pim_plan_parse(&plan, NULL, made.text, strlen(made.text), "p.json", NULL),
                   DSM_OK);
  ck_assert_str_eq(plan->dsm_version, dsm_version());
  char *const text = dsm_pim_plan_print(plan);
  ck_assert_int_eq(dsm_pim_plan_parse(&again, NULL, text, strlen(text), "p.json", NULL), DSM_OK);
  free(text);
  dsm_pim_plan_free(plan);
  dsm_pim_plan_free(again);
  discard(&made);
}
END_TEST

START_TEST(test_edited) {
  written made = write_plan();
  dsm_pim_plan *plan = NULL;
  dsm_diags *const diags = dsm_diags_new(4);
  double recorded = 0;
  edit(&made, "\"result\": {\"cores\": 2500", "\"result\": {\"cores\": 1000");
  ck_assert_int_eq(
      dsm_pim_plan_parse(&plan, &recorded, made.text, strlen(made.text), "p.json", diags), DSM_OK);
  ck_assert_double_eq(recorded, made.seconds);
  ck_assert_double_gt(plan->cost.seconds, made.seconds);
  ck_assert_int_eq(dsm_pim_plan_compare_text(plan, made.text, strlen(made.text), "p.json", diags),
                   DSM_OK);
  dsm_pim_plan_free(plan);
  edit(&made, "\"result\": {\"cores\": 1000", "\"result\": {\"cores\": 9999");
  ck_assert_int_eq(dsm_pim_plan_parse(&plan, NULL, made.text, strlen(made.text), "p.json", diags),
                   DSM_ERROR_INVALID);
  ck_assert_ptr_null(plan);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, "$.result.cores");
  dsm_diags_clear(diags);
  edit(&made, "\"result\": {\"cores\": 9999", "\"result\": {\"cores\":    1");
  ck_assert_int_eq(dsm_pim_plan_parse(&plan, NULL, made.text, strlen(made.text), "p.json", diags),
                   DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(plan);
  dsm_diags_free(diags);
  discard(&made);
}
END_TEST

/* Changes a number, the first behind `key` behind `section`, and says what is found of the plan:
 * the severity, and the key. */
static dsm_severity find_edited(const written *made, const char *section, const char *key) {
  char *const digit = strstr(strstr(made->text, section), key) + strlen(key);
  const size_t length = strlen(made->text);
  const char before = *digit;
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_pim_plan *plan = NULL;
  *digit = before == '9' ? '8' : '9';
  if (dsm_pim_plan_parse(&plan, NULL, made->text, length, "p.json", diags) == DSM_OK) {
    ck_assert_int_eq(dsm_pim_plan_compare_text(plan, made->text, length, "p.json", diags), DSM_OK);
  }
  ck_assert_msg(dsm_diags_count(diags) == 1, "%s of %s is taken as it was edited", key, section);
  const dsm_severity severity = dsm_diags_get(diags, 0)->severity;
  dsm_pim_plan_free(plan);
  dsm_diags_free(diags);
  *digit = before;
  return severity;
}

/* Seconds that are not the sum of their parts are refused; other numbers than the choice comes to
 * are noted. */
START_TEST(test_edited_numbers) {
  static const struct {
    const char *section;
    const char *key;
    dsm_severity severity;
  } numbers[] = {{"\"result\"", "\"seconds\": ", DSM_SEVERITY_ERROR},
                 {"\"result\"", "\"kernel_seconds\": ", DSM_SEVERITY_ERROR},
                 {"\"result\"", "\"host_to_cores_seconds\": ", DSM_SEVERITY_ERROR},
                 {"\"result\"", "\"between_cores_seconds\": ", DSM_SEVERITY_ERROR},
                 {"\"result\"", "\"joules\": ", DSM_SEVERITY_NOTE},
                 {"\"result\"", "\"core_bytes\": ", DSM_SEVERITY_NOTE},
                 {"\"update\"", "\"int32_mul\": ", DSM_SEVERITY_NOTE},
                 {"\"update\"", "\"cycles\": ", DSM_SEVERITY_NOTE},
                 {"\"roofline\"", "\"intensity\": ", DSM_SEVERITY_NOTE},
                 {"\"fewest_cores\"", ": ", DSM_SEVERITY_NOTE},
                 {"\"knee_tasklets\"", ": ", DSM_SEVERITY_NOTE},
                 {"\"over_cores\"", "\"seconds\": ", DSM_SEVERITY_NOTE},
                 {"\"over_tasklets\"", "\"kernel_seconds\": ", DSM_SEVERITY_NOTE}};
  written made = write_plan();
  for (size_t i = 0; i < COUNT_OF(numbers); i++) {
    ck_assert_int_eq(find_edited(&made, numbers[i].section, numbers[i].key), numbers[i].severity);
  }
  discard(&made);
}
END_TEST

START_TEST(test_question) {
  static const dsm_override overrides[] = {{.path = "workload.episodes", .value = "100"},
                                           {.path = "system.cores", .value = "10"}};
  written made = write_plan();
  dsm_pim_plan *question = NULL;
  ck_assert_int_eq(dsm_pim_question_parse(&question, made.text, strlen(made.text), "p.json",
                                          overrides, COUNT_OF(overrides), NULL),
                   DSM_OK);
  ck_assert_uint_eq(question->workload->episodes, 100);
  ck_assert_uint_eq(question->system->cores, 10);
  ck_assert_double_eq(question->cost.seconds, made.seconds);
  ck_assert_uint_eq(question->curve_count, 0);
  dsm_pim_plan_free(question);
  discard(&made);
}
END_TEST

/* What words are called. */
START_TEST(test_words) {
  ck_assert_str_eq(dsm_rl_algorithm_name(DSM_RL_SARSA), "sarsa");
  ck_assert_str_eq(dsm_rl_element_name(DSM_RL_FLOAT32), "float32");
  ck_assert_str_eq(dsm_rl_constants_name(DSM_RL_DOUBLE), "double");
  ck_assert_str_eq(dsm_rl_sampling_name(DSM_RL_STRIDED), "strided");
  ck_assert_str_eq(dsm_pim_operation_name(DSM_PIM_FLOAT64_MUL), "float64_mul");
  ck_assert_str_eq(dsm_pim_transfers_name(DSM_PIM_PARALLEL), "parallel");
  ck_assert_str_eq(dsm_pim_bound_name(DSM_PIM_MEMORY), "memory");
  ck_assert_str_eq(dsm_pim_objective_name(DSM_PIM_LEAST_ENERGY), "energy");
}
END_TEST

Suite *suite_json(void) {
  Suite *const suite = suite_create("json");
  TCase *const tests = tcase_create("json");
  tcase_add_test(tests, test_written_and_read);
  tcase_add_test(tests, test_version_is_that_of_the_figures);
  tcase_add_test(tests, test_edited);
  tcase_add_test(tests, test_edited_numbers);
  tcase_add_test(tests, test_question);
  tcase_add_test(tests, test_words);
  suite_add_tcase(suite, tests);
  return suite;
}
