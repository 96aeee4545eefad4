/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace against the documented fields of the Trace Event Format: name, cat, ph, ts, pid, tid,
 * args; dur of complete events; names of processes and threads by metadata events.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "made_partition.h"
#include "suites.h"

static dsm_dispatch *simulation;
static cJSON *trace;
static const cJSON *events;

static void set_up(void) {
  simulation = made_simulation(50);
  ck_assert_ptr_nonnull(simulation);
}

static void read_trace(void) {
  char *const text = as_trace(DSM_ANSWER(dispatch, simulation));
  ck_assert_ptr_nonnull(text);
  trace = cJSON_Parse(text);
  ck_assert_ptr_nonnull(trace);
  free(text);
  events = cJSON_GetObjectItemCaseSensitive(trace, "traceEvents");
  ck_assert(cJSON_IsArray(events));
}

static void tear_down(void) {
  cJSON_Delete(trace);
  dsm_dispatch_free(simulation);
}

static double number_at(const cJSON *object, const char *key) {
  const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsNumber(value), "%s is no number", key);
  return value->valuedouble;
}

static const char *text_at(const cJSON *object, const char *key) {
  const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsString(value), "%s is no text", key);
  return value->valuestring;
}

/* What the metadata says of a thread or process; NULL if nothing. */
static const char *name_of(const char *kind, double pid, double tid) {
  const cJSON *event = NULL;
  cJSON_ArrayForEach(event, events) {
    if (strcmp(text_at(event, "ph"), "M") == 0 && strcmp(text_at(event, "name"), kind) == 0 &&
        fabs(number_at(event, "pid") - pid) < 0.5 &&
        (strcmp(kind, "process_name") == 0 || fabs(number_at(event, "tid") - tid) < 0.5)) {
      return text_at(cJSON_GetObjectItem(event, "args"), "name");
    }
  }
  return NULL;
}

START_TEST(test_the_whole) {
  read_trace();
  const char *const unit = text_at(trace, "displayTimeUnit");
  ck_assert(strcmp(unit, "ms") == 0 || strcmp(unit, "ns") == 0);
  const cJSON *const other = cJSON_GetObjectItem(trace, "otherData");
  ck_assert_str_eq(text_at(other, "format"), "dsm-trace/1");
  ck_assert_str_eq(text_at(other, "instance"), "net on pair");
}
END_TEST

/* Metadata, then the events in order, with the fields that each must have. */
START_TEST(test_every_event) {
  read_trace();
  const dsm_instance *const instance = simulation->partition->instance;
  size_t v = 0;
  const cJSON *event = NULL;
  cJSON_ArrayForEach(event, events) {
    const cJSON *const args = cJSON_GetObjectItemCaseSensitive(event, "args");
    ck_assert(cJSON_IsObject(args));
    const double pid = number_at(event, "pid");
    const double tid = number_at(event, "tid");
    if (strcmp(text_at(event, "ph"), "M") == 0) {
      ck_assert(!cJSON_HasObjectItem(event, "ts") && v == 0);
      continue;
    }
    const dsm_dispatch_event *const meant = &simulation->events[v++];
    ck_assert_str_eq(text_at(event, "ph"), "X");
    ck_assert_str_eq(text_at(event, "name"), instance->tasks[meant->task].name);
    ck_assert_str_eq(text_at(event, "cat"), meant->is_transfer ? "transfer" : "task");
    ck_assert_str_eq(name_of("process_name", pid, tid), instance->devices[meant->device].name);
    ck_assert_str_eq(name_of("thread_name", pid, tid), meant->is_transfer ? "link" : "tasks");
    ck_assert_double_eq_tol(number_at(event, "ts"), 1e6 * meant->begin_seconds, 6e-4);
    ck_assert_double_eq_tol(number_at(event, "dur"),
                            1e6 * (meant->end_seconds - meant->begin_seconds), 1.1e-3);
    ck_assert_double_eq(number_at(args, "request"), (double)meant->request);
    ck_assert_double_eq(number_at(args, "task"), (double)meant->task);
    const bool has_target = meant->is_transfer && meant->target < instance->device_count;
    ck_assert_int_eq(cJSON_HasObjectItem(args, "to"), has_target);
    if (has_target) {
      ck_assert_str_eq(text_at(args, "to"), instance->devices[meant->target].name);
    }
  }
  ck_assert_uint_eq(v, simulation->event_count);
}
END_TEST

/* A viewer takes whole nanoseconds of a double, cutting off the rest: then too nothing overlaps,
 * and what follows without a gap does so. */
static void expect_no_overlap(void) {
  int64_t free_at[4][4] = {{0}};
  size_t v = 0;
  double end_before[4][4] = {{0}};
  const cJSON *event = NULL;
  cJSON_ArrayForEach(event, events) {
    if (strcmp(text_at(event, "ph"), "X") != 0) {
      continue;
    }
    const size_t pid = (size_t)number_at(event, "pid");
    const size_t tid = (size_t)number_at(event, "tid");
    ck_assert(pid < 4 && tid < 4);
    const int64_t begin = (int64_t)(number_at(event, "ts") * 1000);
    ck_assert_int_ge(begin, free_at[pid][tid]);
    const dsm_dispatch_event *const meant = &simulation->events[v++];
    if (meant->begin_seconds <= end_before[pid][tid]) {
      ck_assert_int_eq(begin, free_at[pid][tid]);
    }
    free_at[pid][tid] = begin + (int64_t)(number_at(event, "dur") * 1000);
    end_before[pid][tid] = meant->end_seconds;
  }
}

START_TEST(test_no_overlap) {
  read_trace();
  expect_no_overlap();
}
END_TEST

/* The same with times that are no whole nanoseconds. */
START_TEST(test_no_overlap_of_crooked_times) {
  dsm_dispatch_event *const crooked = calloc(4000, sizeof *crooked);
  ck_assert_ptr_nonnull(crooked);
  double now = 0;
  for (size_t v = 0; v < 4000; v++) {
    crooked[v].begin_seconds = now;
    now += 1e-9 * (1 + (double)(v * v % 977)) / 7;
    crooked[v].end_seconds = now;
  }
  simulation->events = crooked;
  simulation->event_count = 4000;
  read_trace();
  expect_no_overlap();
  free(crooked);
}
END_TEST

START_TEST(test_nothing_recorded) {
  simulation->event_count = 0;
  read_trace();
  const cJSON *event = NULL;
  cJSON_ArrayForEach(event, events) {
    ck_assert_str_eq(text_at(event, "ph"), "M");
  }
}
END_TEST

Suite *suite_dispatch_trace(void) {
  Suite *const suite = suite_create("dispatch_trace");
  TCase *const tests = tcase_create("dispatch_trace");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, test_the_whole);
  tcase_add_test(tests, test_every_event);
  tcase_add_test(tests, test_no_overlap);
  tcase_add_test(tests, test_no_overlap_of_crooked_times);
  tcase_add_test(tests, test_nothing_recorded);
  suite_add_tcase(suite, tests);
  return suite;
}
