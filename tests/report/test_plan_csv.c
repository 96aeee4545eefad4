/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "suites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/names.h"
#include "reading.h"
#include "subjects.h"

static const char *const dims[DSM_DIM_COUNT] = {"in", "out", "ij", "kij", "mb"};

/* docs/formats.md: CSV of a plan, and the words of transfers in their order. */
static const char *const titles[] = {
    "layer",
    "pass",
    "parallelism",
    "chip.in",
    "chip.out",
    "chip.ij",
    "chip.kij",
    "chip.mb",
    "core_split.in",
    "core_split.out",
    "core_split.ij",
    "core_split.kij",
    "core_split.mb",
    "core.in",
    "core.out",
    "core.ij",
    "core.kij",
    "core.mb",
    "array.in",
    "array.out",
    "array.ij",
    "array.kij",
    "array.mb",
    "cycles.primary",
    "cycles.overlapped",
    "cycles.overlapped_visible",
    "cycles.auxiliary",
    "cycles.non_overlapped",
    "cycles.total",
    "seconds",
    "step_share",
    "utilization",
    "bound",
    "dysm_factor",
    "output_on_chip",
    "weights_on_chip",
    "pipeline_group",
    "held_bytes",
    "invocations.first.count",
    "invocations.first.core_split.in",
    "invocations.first.core_split.out",
    "invocations.first.core_split.ij",
    "invocations.first.core_split.kij",
    "invocations.first.core_split.mb",
    "invocations.steady.count",
    "invocations.steady.core_split.in",
    "invocations.steady.core_split.out",
    "invocations.steady.core_split.ij",
    "invocations.steady.core_split.kij",
    "invocations.steady.core_split.mb",
    "invocations.write.count",
    "invocations.write.core_split.in",
    "invocations.write.core_split.out",
    "invocations.write.core_split.ij",
    "invocations.write.core_split.kij",
    "invocations.write.core_split.mb",
    "invocations.accumulate.count",
    "invocations.accumulate.core_split.in",
    "invocations.accumulate.core_split.out",
    "invocations.accumulate.core_split.ij",
    "invocations.accumulate.core_split.kij",
    "invocations.accumulate.core_split.mb",
    "transfers.fetch_input.bytes",
    "transfers.fetch_input.cycles",
    "transfers.fetch_kernel.bytes",
    "transfers.fetch_kernel.cycles",
    "transfers.fetch_shortcut.bytes",
    "transfers.fetch_shortcut.cycles",
    "transfers.write_output.bytes",
    "transfers.write_output.cycles",
    "transfers.write_deferred.bytes",
    "transfers.write_deferred.cycles",
    "transfers.save_state.bytes",
    "transfers.save_state.cycles",
    "transfers.fetch_error.bytes",
    "transfers.fetch_error.cycles",
    "transfers.fetch_fork.bytes",
    "transfers.fetch_fork.cycles",
    "transfers.fetch_state.bytes",
    "transfers.fetch_state.cycles",
    "transfers.fetch_statistics.bytes",
    "transfers.fetch_statistics.cycles",
    "transfers.write_error.bytes",
    "transfers.write_error.cycles",
    "transfers.fetch_mask.bytes",
    "transfers.fetch_mask.cycles",
    "transfers.write_gradient.bytes",
    "transfers.write_gradient.cycles",
    "transfers.partial_sum_accumulate.bytes",
    "transfers.partial_sum_accumulate.cycles",
    "transfers.sum_of_statistics.bytes",
    "transfers.sum_of_statistics.cycles",
    "transfers.layout_move.bytes",
    "transfers.layout_move.cycles",
    "transfers.rotate_x.bytes",
    "transfers.rotate_x.cycles",
    "transfers.rotate_y.bytes",
    "transfers.rotate_y.cycles",
    "transfers.hand_over_y.bytes",
    "transfers.hand_over_y.cycles",
    "transfers.sum_of_gradients_x.bytes",
    "transfers.sum_of_gradients_x.cycles",
    "transfers.sum_of_gradients_y.bytes",
    "transfers.sum_of_gradients_y.cycles",
    "transfers.broadcast_weights_x.bytes",
    "transfers.broadcast_weights_x.cycles",
    "transfers.broadcast_weights_y.bytes",
    "transfers.broadcast_weights_y.cycles",
    "transfers.weight_update.bytes",
    "transfers.weight_update.cycles",
    "transfers.relayout_x.bytes",
    "transfers.relayout_x.cycles",
    "transfers.relayout_y.bytes",
    "transfers.relayout_y.cycles",
    NULL,
};

/* A plan's CSV, read. */
typedef struct shown {
  subject made;
  csv_table table;
} shown;

static shown show(subject made) {
  char *const text = as_csv(DSM_ANSWER(plan, made.plan));
  expect_tidy(text);
  const shown result = {.made = made, .table = csv_read(text)};
  free(text);
  return result;
}

static void drop(shown *result) {
  csv_free(&result->table);
  subject_free(&result->made);
}

/* Calls `expect` on each row with its pass. */
static void for_each_row(const shown *result,
                         void (*expect)(const csv_table *table, size_t row,
                                        const dsm_layer_plan *layer, dsm_pass pass)) {
  size_t row = 0;
  for (size_t l = 0; l < result->made.plan->layer_count; l++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (result->made.plan->layers[l].passes[p].exists) {
        expect(&result->table, row++, &result->made.plan->layers[l], (dsm_pass)p);
      }
    }
  }
  ck_assert_uint_eq(row, result->table.row_count);
}

START_TEST(test_titles_are_those_of_the_contract) {
  shown result = show(bundled_subject(_i));
  expect_csv_titles(&result.table, titles);
  drop(&result);
}
END_TEST

static void expect_loops(const csv_table *table, size_t row, const char *name,
                         const dsm_loops *loops) {
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    char title[32];
    char value[32];
    (void)snprintf(title, sizeof title, "%s.%s", name, dims[d]);
    (void)snprintf(value, sizeof value, "%" PRIu64, loops->n[d]);
    ck_assert_str_eq(csv_at(table, row, title), value);
  }
}

static void expect_decisions(const csv_table *table, size_t row, const dsm_layer_plan *layer,
                             dsm_pass pass) {
  static const char *const passes[] = {"forward", "backward", "update"};
  const dsm_pass_plan *const planned = &layer->passes[pass];
  ck_assert_str_eq(csv_at(table, row, "layer"), layer->layer->name);
  ck_assert_str_eq(csv_at(table, row, "pass"), passes[pass]);
  ck_assert_str_eq(csv_at(table, row, "parallelism"),
                   dsm_parallelism_name(planned->share.parallelism));
  ck_assert_str_eq(csv_at(table, row, "bound"), dsm_bound_name(planned->bound));
  expect_loops(table, row, "chip", &planned->share.chip);
  expect_loops(table, row, "core_split", &planned->invocations[0].split);
  expect_loops(table, row, "core", &planned->invocations[0].core);
  expect_loops(table, row, "array", &planned->invocations[0].array);
}

START_TEST(test_decisions_are_the_plans) {
  shown result = show(bundled_subject(_i));
  for_each_row(&result, expect_decisions);
  drop(&result);
}
END_TEST

static void expect_cycles(const csv_table *table, size_t row, const dsm_layer_plan *layer,
                          dsm_pass pass) {
  const dsm_pass_plan *const planned = &layer->passes[pass];
  const dsm_cycles *const cycles = &planned->cycles;
  const struct {
    const char *title;
    double value;
  } wanted[] = {
      {"cycles.primary", cycles->primary},
      {"cycles.overlapped", cycles->overlapped},
      {"cycles.overlapped_visible", cycles->overlapped_visible},
      {"cycles.auxiliary", cycles->auxiliary},
      {"cycles.non_overlapped", cycles->non_overlapped},
      {"cycles.total", cycles->total},
      {"utilization", planned->utilization},
  };
  for (int i = 0; i < COUNT_OF(wanted); i++) {
    ck_assert_double_eq(csv_number_at(table, row, wanted[i].title), wanted[i].value);
  }
}

START_TEST(test_cycles_come_back_as_the_same_doubles) {
  shown result = show(bundled_subject(_i));
  for_each_row(&result, expect_cycles);
  drop(&result);
}
END_TEST

/* The JSON has no time of a pass: it follows from its cycles and the clock. */
START_TEST(test_seconds_and_shares_are_of_the_cycles_and_add_up) {
  shown result = show(bundled_subject(_i));
  const dsm_plan *const plan = result.made.plan;
  const double cycles_per_second = 1e9 * plan->system->core.frequency_GHz;
  double seconds = 0;
  double share = 0;
  for (size_t row = 0; row < result.table.row_count; row++) {
    const double cycles = csv_number_at(&result.table, row, "cycles.total");
    const double own_seconds = csv_number_at(&result.table, row, "seconds");
    const double own_share = csv_number_at(&result.table, row, "step_share");
    ck_assert_double_eq_tol(own_seconds * cycles_per_second, cycles, 1e-12 * cycles);
    ck_assert_double_eq_tol(own_share * plan->result.step_cycles, cycles, 1e-12 * cycles);
    seconds += own_seconds;
    share += own_share;
  }
  ck_assert_double_eq_tol(seconds, plan->result.step_seconds, 1e-9 * plan->result.step_seconds);
  ck_assert_double_eq_tol(share, 1, 1e-9);
  drop(&result);
}
END_TEST

/* Columns of what tied layers exchange are those of networks that have some. */
static bool is_of_tied(size_t move) {
  const dsm_transfer of = dsm__moves[move].transfer;
  return of == DSM_TRANSFER_TIED_GRADIENTS || of == DSM_TRANSFER_TIED_WEIGHTS;
}

static void expect_transfers(const csv_table *table, size_t row, const dsm_layer_plan *layer,
                             dsm_pass pass) {
  const dsm_pass_plan *const planned = &layer->passes[pass];
  const dsm_system two_axes = {.system = {.axis_count = 2}}; /* as all bundled systems */
  for (size_t t = 0; t < DSM__MOVE_COUNT; t++) {
    if (!dsm__move_is_possible(t, &two_axes, false) || is_of_tied(t)) {
      continue;
    }
    const char *const name = dsm__word_key(&dsm__move_words, t);
    char bytes[80];
    char cycles[80];
    const dsm_plan_transfer *first = NULL; /* on the first link that it uses */
    (void)snprintf(bytes, sizeof bytes, "transfers.%s.bytes", name);
    (void)snprintf(cycles, sizeof cycles, "transfers.%s.cycles", name);
    for (size_t i = 0; i < planned->transfer_count; i++) {
      const dsm_plan_transfer *const transfer = &planned->transfers[i];
      if (dsm__move_of(transfer->transfer, transfer->axis) == t &&
          (first == NULL || transfer->link < first->link)) {
        first = transfer;
      }
    }
    if (first == NULL) {
      ck_assert_str_eq(csv_at(table, row, bytes), "");
      ck_assert_str_eq(csv_at(table, row, cycles), "");
    } else {
      ck_assert_double_eq(csv_number_at(table, row, bytes), first->bytes);
      ck_assert_double_eq(csv_number_at(table, row, cycles), first->cycles);
    }
  }
}

START_TEST(test_transfers_are_those_on_their_first_link) {
  shown result = show(bundled_subject(_i));
  for_each_row(&result, expect_transfers);
  drop(&result);
}
END_TEST

#define NETWORK_NAMED(name)                                                                        \
  "{ \"format\": \"dsm-workload/1\", \"name\": \"n\", \"minibatch\": 8, \"layers\": ["             \
  "{ \"name\": \"" name "\", \"type\": \"fc\", \"in\": 8, \"out\": 8 } ] }"

/* JSON as written in the workload, and the name that it means. */
static const struct {
  const char *workload;
  const char *name;
} named[] = {
    {NETWORK_NAMED("a,b"), "a,b"},
    {NETWORK_NAMED("\\\"quoted\\\""), "\"quoted\""},
    {NETWORK_NAMED(",\\\","), ",\","},
    {NETWORK_NAMED("größe 網路"), "größe 網路"},
    {NETWORK_NAMED("back\\\\slash"), "back\\slash"},
};

START_TEST(test_names_come_back_from_their_quotes) {
  shown result = show(subject_explore_text(named[_i].workload, "chip1"));
  ck_assert_uint_eq(result.table.row_count, 2); /* forward and update */
  ck_assert_str_eq(csv_at(&result.table, 0, "layer"), named[_i].name);
  ck_assert_str_eq(csv_at(&result.table, 1, "layer"), named[_i].name);
  drop(&result);
}
END_TEST

static const char *const refused[] = {
    NETWORK_NAMED("a\\nb"),
    NETWORK_NAMED("a\\rb"),
    NETWORK_NAMED("a\\tb"),
};

START_TEST(test_names_with_line_ends_are_refused) {
  dsm_workload *workload = NULL;
  ck_assert_int_eq(
      dsm_workload_parse(&workload, refused[_i], strlen(refused[_i]), "text", NULL, 0, NULL),
      DSM_ERROR_INVALID);
}
END_TEST

Suite *suite_plan_csv(void) {
  Suite *const suite = suite_create("plan_csv");
  const int count = BUNDLED_EXPLORATION_COUNT;
  TCase *const bundled = tcase_create("bundled");
  tcase_add_unchecked_fixture(bundled, bundled_set_up, NULL);
  tcase_set_timeout(bundled, 60);
  tcase_add_loop_test(bundled, test_titles_are_those_of_the_contract, 0, count);
  tcase_add_loop_test(bundled, test_decisions_are_the_plans, 0, count);
  tcase_add_loop_test(bundled, test_cycles_come_back_as_the_same_doubles, 0, count);
  tcase_add_loop_test(bundled, test_seconds_and_shares_are_of_the_cycles_and_add_up, 0, count);
  tcase_add_loop_test(bundled, test_transfers_are_those_on_their_first_link, 0, count);
  suite_add_tcase(suite, bundled);
  TCase *const names = tcase_create("names");
  tcase_add_loop_test(names, test_names_come_back_from_their_quotes, 0, COUNT_OF(named));
  tcase_add_loop_test(names, test_names_with_line_ends_are_refused, 0, COUNT_OF(refused));
  suite_add_tcase(suite, names);
  return suite;
}
