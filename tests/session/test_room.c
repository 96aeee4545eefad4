/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session says what the functions below it say. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"

#define WORKLOAD DSM_SOURCE_DIR "/workloads/vgg16.json"
#define SYSTEM DSM_SOURCE_DIR "/systems/torus64.json"

static dsm_session *new_session(void) {
  dsm_session *const session = dsm_session_new();
  ck_assert_ptr_nonnull(session);
  return session;
}

static void set(dsm_session *session, const char *option, const char *value) {
  ck_assert_msg(dsm_session_set(session, option, value) == DSM_OK, "%s %s: %s", option, value,
                dsm_session_finding(session, 0));
}

static void explore(dsm_session *session) {
  ck_assert_int_eq(dsm_session_load(session, WORKLOAD, SYSTEM), DSM_OK);
  ck_assert_int_eq(dsm_session_explore(session), DSM_OK);
}

static void refused(const char *option, const char *value, const char *why) {
  dsm_session *const session = new_session();
  ck_assert_int_eq(dsm_session_set(session, option, value), DSM_ERROR_USAGE);
  ck_assert_ptr_nonnull(strstr(dsm_session_finding(session, 0), why));
  ck_assert_ptr_null(dsm_session_finding(session, 1));
  dsm_session_free(session);
}

START_TEST(says_what_explore_says) {
  dsm_workload *workload = NULL;
  dsm_system *system = NULL;
  dsm_plan *plan = NULL;
  dsm_explore_options options;
  const dsm_override minibatch = {.path = "minibatch", .value = "64"};
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  options.gap = 0.01;
  options.optimizations =
      DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);
  ck_assert_int_eq(dsm_workload_load(&workload, WORKLOAD, &minibatch, 1, NULL), DSM_OK);
  ck_assert_int_eq(dsm_system_load(&system, SYSTEM, NULL, 0, NULL), DSM_OK);
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);

  dsm_session *const session = new_session();
  set(session, "mode", "inference");
  set(session, "gap", "1%");
  set(session, "optimize", "hybrid,reuse");
  set(session, "minibatch", "64");
  explore(session);
  double cycles = 0;
  ck_assert(dsm_session_number(session, "step_cycles", &cycles));
  ck_assert_double_eq(cycles, plan->result.step_cycles);
  ck_assert_uint_eq(dsm_session_plan(session)->workload->minibatch, 64);
  ck_assert_str_eq(dsm_session_plan(session)->options.overrides[0], "workload.minibatch=64");
  dsm_session_free(session);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

START_TEST(sets_values_of_both_inputs) {
  dsm_session *const session = new_session();
  set(session, "set", "workload.element_bytes=4");
  set(session, "set", "system.core.scratchpad_MiB=2");
  ck_assert_int_eq(dsm_session_load(session, WORKLOAD, SYSTEM), DSM_OK);
  set(session, "parallelism", "data");
  ck_assert_int_eq(dsm_session_explore(session), DSM_OK);
  const dsm_plan *const plan = dsm_session_plan(session);
  ck_assert_double_eq(plan->system->core.scratchpad_MiB, 2);
  ck_assert_uint_eq(plan->options.override_count, 2);
  ck_assert_uint_eq(plan->options.parallelisms, DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA));
  dsm_session_free(session);
}
END_TEST

START_TEST(refuses_what_is_no_option) {
  refused("gapp", "1%", "unknown option 'gapp' (did you mean 'gap'?)");
  refused("gap", "2", "gap: expected a ratio from 0 to below 1");
  refused("mode", "trainig", "mode: expected training or inference, found 'trainig'");
  refused("optimize", "hybrid,reus", "found 'reus'");
  refused("stages", "1.5", "stages: expected a whole number from 1 to 1048576, found '1.5'");
  refused("threads", "0", "threads: expected a whole number from 1 to 256, found '0'");
  refused("time-limit", "-1", "time-limit: expected a number from 0 to 31536000, found '-1'");
  refused("set", "server.name=1", "set: expected workload.PATH=VALUE or system.PATH=VALUE");
  refused("set", "workload.=1", "set: expected workload.PATH=VALUE");
  refused("set", "workload.minibatch", "set: expected workload.PATH=VALUE");
}
END_TEST

/* All options of a search are there, and take what is at the ends of their ranges. */
START_TEST(takes_each_option) {
  dsm_session *const session = new_session();
  size_t count = 0;
  for (const char *name; (name = dsm_session_option(count)) != NULL; count++) {
    const dsm_search_option *const option = dsm_search_option_find(name);
    if (option == NULL) {
      continue;
    }
    ck_assert_ptr_eq(option, dsm_search_option_get(count));
    if (option->reading == DSM_SEARCH_WORD) {
      for (size_t i = 0; option->word(i) != NULL; i++) {
        set(session, name, option->word(i));
      }
    } else if (option->reading == DSM_SEARCH_RATIO) {
      set(session, name, "0");
      set(session, name, "99.9%");
    } else if (option->reading == DSM_SEARCH_WORDS) {
      set(session, name, "all");
    } else {
      char text[64];
      (void)snprintf(text, sizeof text, "%.0f", option->least);
      set(session, name, text);
      (void)snprintf(text, sizeof text, "%.0f", option->most);
      set(session, name, text);
    }
  }
  ck_assert_uint_eq(count, 19);
  ck_assert_ptr_null(dsm_session_option(count + 1));
  ck_assert_ptr_null(dsm_session_option(SIZE_MAX));
  dsm_session_free(session);
}
END_TEST

START_TEST(prints_and_saves_and_loads_again) {
  dsm_session *const session = new_session();
  dsm_session *const again = new_session();
  double before = 0;
  double after = 0;
  explore(session);
  ck_assert(dsm_session_number(session, "step_seconds", &before));
  ck_assert(!dsm_session_number(session, "steps", &after));
  static const char *const forms[] = {"table", "json", "csv", "trace"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char *const text = dsm_session_print(session, forms[i]);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "conv1_1"));
    dsm_text_free(text);
  }
  ck_assert_ptr_null(dsm_session_print(session, "junit"));
  char path[] = "dsm-session-test.json";
  ck_assert_int_eq(dsm_session_save(session, path), DSM_OK);
  ck_assert_int_eq(dsm_session_load_plan(again, path), DSM_OK);
  ck_assert(dsm_session_number(again, "step_seconds", &after));
  ck_assert_double_eq(before, after);
  (void)remove(path);
  dsm_session_free(again);
  dsm_session_free(session);
}
END_TEST

START_TEST(says_what_is_missing) {
  dsm_session *const session = new_session();
  double value = 0;
  ck_assert_int_eq(dsm_session_explore(session), DSM_ERROR_USAGE);
  ck_assert_ptr_nonnull(strstr(dsm_session_finding(session, 0), "no workload and system"));
  ck_assert_int_eq(dsm_session_save(session, "none.json"), DSM_ERROR_USAGE);
  ck_assert_ptr_null(dsm_session_print(session, "json"));
  ck_assert_ptr_null(dsm_session_plan(session));
  ck_assert(!dsm_session_number(session, "step_seconds", &value));
  ck_assert_int_eq(dsm_session_load(session, "no such file", SYSTEM), DSM_ERROR_IO);
  ck_assert_int_eq(dsm_session_explore(session), DSM_ERROR_USAGE);
  dsm_session_free(session);
  dsm_session_free(NULL);
  dsm_text_free(NULL);
}
END_TEST

int main(void) {
  Suite *const suite = suite_create("session");
  TCase *const tests = tcase_create("session");
  tcase_add_test(tests, says_what_explore_says);
  tcase_add_test(tests, sets_values_of_both_inputs);
  tcase_add_test(tests, refuses_what_is_no_option);
  tcase_add_test(tests, takes_each_option);
  tcase_add_test(tests, prints_and_saves_and_loads_again);
  tcase_add_test(tests, says_what_is_missing);
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  SRunner *const runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
