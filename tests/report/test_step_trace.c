/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A step's trace read back: slices of a track follow each other inside their passes, and what they
 * say adds up to what the plan says.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "model/names.h"
#include "subjects.h"
#include "suites.h"

enum { TRACK_COUNT = 8, PASSES = 1, ARRAYS = 2, SPECIAL = 3 };

static const char *const track_names[TRACK_COUNT] = {
    NULL, "passes", "arrays", "special function units", "memory bus", "ring", "X links", "Y links",
};
static const int track_of_link[DSM_LINK_COUNT] = {
    [DSM_LINK_MEMORY] = 4, [DSM_LINK_RING] = 5, [DSM_LINK_AXIS] = 6, [DSM_LINK_AXIS + 1] = 7};

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

static cJSON *read_trace(const dsm_plan *plan) {
  char *const text = as_trace(DSM_ANSWER(plan, plan));
  ck_assert_ptr_nonnull(text);
  cJSON *const trace = cJSON_Parse(text);
  ck_assert_ptr_nonnull(trace);
  free(text);
  return trace;
}

static const cJSON *events_of(const cJSON *trace) {
  const cJSON *const events = cJSON_GetObjectItemCaseSensitive(trace, "traceEvents");
  ck_assert(cJSON_IsArray(events));
  return events;
}

static bool is_phase(const cJSON *event, const char *phase) {
  return strcmp(text_at(event, "ph"), phase) == 0;
}

static int track_of(const cJSON *event) {
  const double track = number_at(event, "tid");
  ck_assert(track >= 1 && track < TRACK_COUNT);
  return (int)track;
}

/* A time in whole nanoseconds, as viewers take it. */
static double nanoseconds_at(const cJSON *event, const char *key) {
  const double nanoseconds = number_at(event, key) * 1000;
  ck_assert_double_le(fabs(nanoseconds - round(nanoseconds)), 1e-6 * (1 + fabs(nanoseconds)));
  return round(nanoseconds);
}

static const cJSON *arguments_of(const cJSON *event) {
  return cJSON_GetObjectItemCaseSensitive(event, "args");
}

static void expect_near(double value, double expected) {
  ck_assert_double_le(fabs(value - expected), 1e-9 * fabs(expected));
}

START_TEST(test_tracks_have_names_and_places) {
  const subject made = bundled_subject(_i);
  cJSON *const trace = read_trace(made.plan);
  int named_count = 0;
  int placed_count = 0;
  const cJSON *event;
  cJSON_ArrayForEach(event, events_of(trace)) {
    ck_assert_double_eq(number_at(event, "pid"), 1);
    if (!is_phase(event, "M")) {
      continue;
    }
    const char *const kind = text_at(event, "name");
    if (strcmp(kind, "thread_name") == 0) {
      ck_assert_str_eq(text_at(arguments_of(event), "name"), track_names[track_of(event)]);
      named_count++;
    } else if (strcmp(kind, "thread_sort_index") == 0) {
      ck_assert_double_eq(number_at(arguments_of(event), "sort_index"), track_of(event));
      placed_count++;
    } else {
      ck_assert_str_eq(kind, "process_name");
    }
  }
  ck_assert_int_eq(named_count, TRACK_COUNT - 1);
  ck_assert_int_eq(placed_count, TRACK_COUNT - 1);
  cJSON_Delete(trace);
}
END_TEST

/* Slices of a track do not overlap, lie in the slice of their pass, and last as long as they say.
 */
START_TEST(test_slices_fit) {
  const subject made = bundled_subject(_i);
  cJSON *const trace = read_trace(made.plan);
  const double frequency_GHz = made.system->core.frequency_GHz;
  double end_of_track[TRACK_COUNT] = {0};
  double pass_begin = 0;
  const cJSON *event;
  cJSON_ArrayForEach(event, events_of(trace)) {
    if (!is_phase(event, "X")) {
      continue;
    }
    const int track = track_of(event);
    const double begin = nanoseconds_at(event, "ts");
    const double end = begin + nanoseconds_at(event, "dur");
    ck_assert_double_ge(begin, end_of_track[track]);
    if (track == PASSES) {
      ck_assert_double_eq(begin, end_of_track[PASSES]);
      pass_begin = begin;
    } else {
      ck_assert_double_ge(begin, pass_begin);
      ck_assert_double_le(end, end_of_track[PASSES]);
    }
    end_of_track[track] = end;
    const double cycles = number_at(arguments_of(event), "cycles");
    ck_assert_double_gt(cycles, 0);
    ck_assert_double_le(fabs(end - begin - cycles / frequency_GHz), 1.001);
  }
  ck_assert_double_le(fabs(end_of_track[PASSES] - made.plan->result.step_cycles / frequency_GHz),
                      0.501);
  cJSON_Delete(trace);
}
END_TEST

START_TEST(test_components_add_up_to_the_step) {
  const subject made = bundled_subject(_i);
  cJSON *const trace = read_trace(made.plan);
  double of_track[TRACK_COUNT] = {0};
  const cJSON *event;
  cJSON_ArrayForEach(event, events_of(trace)) {
    if (is_phase(event, "X")) {
      of_track[track_of(event)] += number_at(arguments_of(event), "cycles");
    }
  }
  const dsm_cycles *const cycles = &made.plan->result.cycles;
  expect_near(of_track[PASSES], cycles->total);
  expect_near(of_track[ARRAYS], cycles->primary);
  expect_near(of_track[SPECIAL], cycles->auxiliary);
  cJSON_Delete(trace);
}
END_TEST

/* What a trace says of one transfer of a pass on a link. */
typedef struct seen {
  double bytes;
  double cycles;
} seen;

static int word_index(const char *word, const char *(*name)(int), int count) {
  for (int i = 0; i < count; i++) {
    if (strcmp(name(i), word) == 0) {
      return i;
    }
  }
  ck_abort_msg("unknown word %s", word);
  return 0;
}

static const char *pass_word(int pass) {
  return dsm_pass_name((dsm_pass)pass);
}

static const char *transfer_word(int transfer) {
  return dsm__word_key(&dsm__move_words, (size_t)transfer);
}

static int link_of_track(int track) {
  for (int link = 0; link < DSM_LINK_COUNT; link++) {
    if (track_of_link[link] == track) {
      return link;
    }
  }
  return -1;
}

static size_t place_of(size_t layer, int pass, int transfer, int link) {
  return ((layer * DSM_PASS_COUNT + (size_t)pass) * DSM__MOVE_COUNT + (size_t)transfer) *
             DSM_LINK_COUNT +
         (size_t)link;
}

/* All of them, by place_of. */
static seen *see_transfers(const dsm_plan *plan, const cJSON *events) {
  seen *const found = calloc(place_of(plan->layer_count, 0, 0, 0), sizeof *found);
  ck_assert_ptr_nonnull(found);
  const cJSON *event;
  cJSON_ArrayForEach(event, events) {
    const int link = is_phase(event, "X") ? link_of_track(track_of(event)) : -1;
    if (link < 0) {
      continue;
    }
    const cJSON *const arguments = arguments_of(event);
    const size_t layer = dsm_workload_find_layer(plan->workload, text_at(arguments, "layer"));
    const int pass = word_index(text_at(arguments, "pass"), pass_word, DSM_PASS_COUNT);
    const int transfer = word_index(text_at(arguments, "transfer"), transfer_word, DSM__MOVE_COUNT);
    const bool is_stream =
        strcmp(text_at(arguments, "group"), dsm_group_name(DSM_GROUP_STREAM)) == 0;
    ck_assert_str_eq(text_at(event, "cat"), is_stream ? "overlapped" : "not_overlapped");
    seen *const one = &found[place_of(layer, pass, transfer, link)];
    one->bytes += number_at(arguments, "bytes");
    one->cycles += number_at(arguments, "cycles");
  }
  return found;
}

/* In a pipeline all bytes are there, but the cycles are a share of what each transfer takes. */
START_TEST(test_transfers_are_those_of_the_plan) {
  const subject made = bundled_subject(_i);
  cJSON *const trace = read_trace(made.plan);
  seen *const found = see_transfers(made.plan, events_of(trace));
  for (size_t l = 0; l < made.plan->layer_count; l++) {
    const dsm_layer_plan *const layer = &made.plan->layers[l];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      for (size_t t = 0; t < layer->passes[p].transfer_count; t++) {
        const dsm_plan_transfer *const transfer = &layer->passes[p].transfers[t];
        const size_t place = place_of(l, p, (int)dsm__move_of(transfer->transfer, transfer->axis),
                                      (int)transfer->link);
        expect_near(found[place].bytes, transfer->bytes);
        if (layer->pipeline == DSM_NO_PIPELINE) {
          expect_near(found[place].cycles, transfer->cycles);
        }
      }
    }
  }
  free(found);
  cJSON_Delete(trace);
}
END_TEST

/* The counters of memory: one for each pass, when it begins, and their most is what the plan says.
 */
START_TEST(test_memory_is_counted) {
  const subject made = bundled_subject(_i);
  cJSON *const trace = read_trace(made.plan);
  double most_activations = 0;
  double counted_at = -1;
  size_t difference = 0;
  const cJSON *event;
  cJSON_ArrayForEach(event, events_of(trace)) {
    if (is_phase(event, "C")) {
      const double activations = number_at(arguments_of(event), "activations");
      most_activations = activations > most_activations ? activations : most_activations;
      expect_near(number_at(arguments_of(event), "weights"),
                  made.plan->result.memory.weights_bytes);
      counted_at = nanoseconds_at(event, "ts");
      difference++;
    } else if (is_phase(event, "X") && track_of(event) == PASSES) {
      ck_assert_double_eq(counted_at, nanoseconds_at(event, "ts"));
      difference--;
    }
  }
  ck_assert_uint_eq(difference, 0);
  expect_near(most_activations, made.plan->result.memory.activations_bytes);
  cJSON_Delete(trace);
}
END_TEST

Suite *suite_step_trace(void) {
  Suite *const suite = suite_create("step_trace");
  TCase *const bundled = tcase_create("bundled");
  tcase_add_unchecked_fixture(bundled, bundled_set_up, NULL);
  tcase_add_loop_test(bundled, test_tracks_have_names_and_places, 0, 1);
  tcase_add_loop_test(bundled, test_slices_fit, 0, BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(bundled, test_components_add_up_to_the_step, 0, BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(bundled, test_memory_is_counted, 0, BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(bundled, test_transfers_are_those_of_the_plan, 0, BUNDLED_EXPLORATION_COUNT);
  suite_add_tcase(suite, bundled);
  return suite;
}
