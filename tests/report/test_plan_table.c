/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "how_many.h"
#include "suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "subjects.h"

/* Half of the last decimal of a percentage, and what doubles cannot hold. */
#define ROUNDING 0.0500001
/* Wide enough for all columns of all bundled networks. */
#define WIDE 200

/* A plan's table with its lines. */
typedef struct shown {
  subject made;
  char *text;
  line_list lines;
  size_t titles; /* line of the titles */
  size_t row_count;
} shown;

static shown show(subject made) {
  shown table = {.made = made};
  table.text = as_table(DSM_ANSWER(plan, table.made.plan), unfolded_style(WIDE));
  ck_assert_ptr_nonnull(table.text);
  table.lines = lines_read(table.text);
  table.titles = lines_find(&table.lines, 0, "layer");
  while (table.lines.items[table.titles + 1 + table.row_count][0] != '\0') {
    table.row_count++;
  }
  return table;
}

static void drop(shown *table) {
  lines_free(&table->lines);
  free(table->text);
  subject_free(&table->made);
}

static double percent_in(const shown *table, size_t row, const char *title) {
  return number_of(cell_below(table->lines.items[table->titles], title,
                              table->lines.items[table->titles + 1 + row]));
}

/* ---- rows ---- */

START_TEST(test_the_parts_of_each_row_add_up_to_100) {
  shown table = show(bundled_subject(_i));
  for (size_t row = 0; row < table.row_count; row++) {
    const double sum = percent_in(&table, row, "util") + percent_in(&table, row, "array") +
                       percent_in(&table, row, "xfer") + percent_in(&table, row, "aux") +
                       percent_in(&table, row, "other");
    ck_assert_msg(fabs(sum - 100) <= 5 * ROUNDING, "%g: '%s'", sum,
                  table.lines.items[table.titles + 1 + row]);
  }
  drop(&table);
}
END_TEST

START_TEST(test_the_steps_column_adds_up_to_100) {
  shown table = show(bundled_subject(_i));
  double sum = 0;
  for (size_t row = 0; row < table.row_count; row++) {
    sum += percent_in(&table, row, "step");
  }
  ck_assert_double_eq_tol(sum, 100, ROUNDING * (double)table.row_count);
  drop(&table);
}
END_TEST

/* What a row must say, from the plan itself. */
static void expect_row(const shown *table, size_t row, const dsm_pass_plan *pass) {
  const dsm_cycles *const cycles = &pass->cycles;
  const double total = cycles->total;
  const struct {
    const char *title;
    double share;
  } wanted[] = {
      {"step", total / table->made.plan->result.step_cycles},
      {"util", pass->ideal_cycles / total},
      {"array", (cycles->primary - pass->ideal_cycles) / total},
      {"xfer", cycles->overlapped_visible / total},
      {"aux", cycles->auxiliary / total},
      {"other", cycles->non_overlapped / total},
  };
  for (int i = 0; i < COUNT_OF(wanted); i++) {
    ck_assert_msg(fabs(percent_in(table, row, wanted[i].title) - 100 * wanted[i].share) <= ROUNDING,
                  "%s is %g: '%s'", wanted[i].title, 100 * wanted[i].share,
                  table->lines.items[table->titles + 1 + row]);
  }
}

START_TEST(test_rows_show_what_the_plan_holds) {
  shown table = show(bundled_subject(_i));
  size_t row = 0;
  for (size_t l = 0; l < table.made.plan->layer_count; l++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (table.made.plan->layers[l].passes[p].exists) {
        expect_row(&table, row++, &table.made.plan->layers[l].passes[p]);
      }
    }
  }
  ck_assert_uint_eq(row, table.row_count);
  drop(&table);
}
END_TEST

/* The words in front of the numbers: " LAYER PASS PARALLELISM SPLIT ", the layer in its first row.
 */
START_TEST(test_rows_name_layer_pass_and_decisions) {
  static const char *const pass_words[] = {"fwd", "bwd", "upd"};
  shown table = show(bundled_subject(_i));
  size_t row = table.titles + 1;
  for (size_t l = 0; l < table.made.plan->layer_count; l++) {
    const dsm_layer_plan *const layer = &table.made.plan->layers[l];
    const char *name = layer->layer->name;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (!layer->passes[p].exists) {
        continue;
      }
      const char *const line = table.lines.items[row++];
      const char *const parallelism = dsm_parallelism_name(layer->passes[p].share.parallelism);
      ck_assert_int_eq(strncmp(line, name, strlen(name)), 0);
      ck_assert_msg(line[strlen(name)] == ' ', "'%s' in '%s'", name, line);
      const char *const word = line + strlen(name) + strspn(line + strlen(name), " ");
      ck_assert_int_eq(strncmp(word, pass_words[p], 3), 0);
      const char *const second = word + 3 + strspn(word + 3, " ");
      ck_assert_int_eq(strncmp(second, parallelism, strlen(parallelism)), 0);
      name = "";
    }
  }
  drop(&table);
}
END_TEST

/* ---- totals ---- */

START_TEST(test_the_parts_of_the_step_add_up_to_100) {
  shown table = show(bundled_subject(_i));
  const size_t titles = lines_find(&table.lines, table.titles, "the step goes to");
  double sum = 0;
  size_t count = 0;
  for (; table.lines.items[titles + 1 + count][0] != '\0'; count++) {
    sum += number_of(
        cell_below(table.lines.items[titles], "%", table.lines.items[titles + 1 + count]));
  }
  ck_assert_double_eq_tol(sum, 100, ROUNDING * (double)count);
  drop(&table);
}
END_TEST

/* The line of a part of the step shows a share and a bar of as many halves of a percent. */
static void expect_part(const shown *table, size_t titles, const char *name, double share) {
  const char *const line = table->lines.items[lines_find(&table->lines, titles + 1, name)];
  const double percent = number_of(cell_below(table->lines.items[titles], "%", line));
  const size_t bar = strlen(line) - strcspn(line, "#");
  ck_assert_msg(fabs(percent - 100 * share) <= ROUNDING, "%g: '%s'", 100 * share, line);
  ck_assert_msg(fabs((double)bar - 50 * share) <= 0.5000001, "'%s'", line);
}

START_TEST(test_the_parts_of_the_step_are_sums_over_the_passes) {
  shown table = show(bundled_subject(_i));
  const double step = table.made.plan->result.step_cycles;
  const size_t titles = lines_find(&table.lines, table.titles, "the step goes to");
  dsm_cycles sum = {0};
  double ideal = 0;
  double groups[DSM_GROUP_COUNT] = {0};
  for (size_t l = 0; l < table.made.plan->layer_count; l++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &table.made.plan->layers[l].passes[p];
      if (!pass->exists) {
        continue;
      }
      ideal += pass->ideal_cycles;
      sum.primary += pass->cycles.primary;
      sum.overlapped_visible += pass->cycles.overlapped_visible;
      sum.auxiliary += pass->cycles.auxiliary;
      for (int g = 0; g < DSM_GROUP_COUNT; g++) {
        groups[g] += pass->group_cycles[g];
      }
    }
  }
  expect_part(&table, titles, "useful work", ideal / step);
  expect_part(&table, titles, "array underuse", (sum.primary - ideal) / step);
  expect_part(&table, titles, "visible transfer", sum.overlapped_visible / step);
  expect_part(&table, titles, "auxiliary", sum.auxiliary / step);
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_COUNT; g++) {
    if (groups[g] > 0) {
      expect_part(&table, titles, dsm_group_name((dsm_group)g), groups[g] / step);
    }
  }
  drop(&table);
}
END_TEST

/* The text of a line behind its label. */
static const char *labelled(const shown *table, const char *label) {
  const char *const line = table->lines.items[lines_find(&table->lines, table->titles, label)];
  return line + strlen(label) + strspn(line + strlen(label), " ");
}

/* Reads a number in front of a word, and moves behind both. */
static double take_number(const char **at, const char *word) {
  char number[64];
  const size_t length = strspn(*at, "0123456789.,e+");
  ck_assert_uint_lt(length, sizeof number);
  memcpy(number, *at, length);
  number[length] = '\0';
  ck_assert_msg(strncmp(*at + length, word, strlen(word)) == 0, "'%s', not '%s'", *at, word);
  *at += length + strlen(word);
  return number_of(number);
}

START_TEST(test_totals_are_the_plans) {
  shown table = show(bundled_subject(_i));
  const dsm_plan *const plan = table.made.plan;
  const dsm_plan_result *const result = &plan->result;
  const char *at =
      labelled(&table, plan->options.mode == DSM_MODE_INFERENCE ? "latency" : "step time");
  const double milliseconds = take_number(&at, " ms = ");
  ck_assert_double_eq_tol(milliseconds, 1e3 * result->step_seconds, 5e-5 * milliseconds);
  ck_assert_double_eq_tol(take_number(&at, " cycles at "), result->step_cycles, 0.5000001);
  ck_assert_double_eq(take_number(&at, " GHz"), plan->system->core.frequency_GHz);
  at = labelled(&table, "throughput");
  const double rate = take_number(&at, " samples/s");
  ck_assert_double_eq_tol(rate, result->samples_per_second, 5e-4 * rate);
  at = labelled(&table, "utilization");
  ck_assert_double_eq_tol(take_number(&at, " %"), 100 * result->utilization, 0.00500001);
  const bool is_optimal = result->lower_bound_cycles >= result->step_cycles * (1 - 1e-9);
  ck_assert_int_eq(strcmp(labelled(&table, "lower bound"),
                          "optimal: no mapping of the searched space is faster") == 0,
                   is_optimal);
  drop(&table);
}
END_TEST

/* A bound that contradicts the plan is shown, not hidden. */
START_TEST(test_bound_above_the_step_is_told) {
  subject made = subject_explore(&(exploration){"raider", "chip1", "1", DSM_MODE_INFERENCE});
  made.plan->result.step_cycles = 1000;
  made.plan->result.lower_bound_cycles = 1010;
  shown table = show(made);
  ck_assert_str_eq(labelled(&table, "lower bound"),
                   "1,010 cycles: above the step, so one of the two is wrong");
  drop(&table);
}
END_TEST

/* A number of bytes with a prefix, such as "35.2 MB". */
static double take_bytes(const char **at) {
  static const char prefixes[] = "BkMGT";
  double value = take_number(at, " ");
  const char *const prefix = strchr(prefixes, **at);
  ck_assert_msg(prefix != NULL, "'%s'", *at);
  for (const char *p = prefixes; p < prefix; p++) {
    value *= 1000;
  }
  *at += prefix == prefixes ? 1 : 2;
  return value;
}

START_TEST(test_memory_is_the_plans) {
  shown table = show(bundled_subject(_i));
  const dsm_plan_memory *const memory = &table.made.plan->result.memory;
  const struct {
    const char *name;
    double bytes;
  } parts[] = {
      {"activations ", memory->activations_bytes},
      {"weights ", memory->weights_bytes},
      {"weight gradients ", memory->gradients_bytes},
      {"activation gradients ", memory->errors_bytes},
      {"optimizer ", memory->optimizer_bytes},
  };
  const char *const line = labelled(&table, "chip memory");
  const char *at = line;
  ck_assert_double_eq_tol(take_bytes(&at), memory->total_bytes, 5.1e-3 * memory->total_bytes);
  ck_assert_int_eq(strncmp(at, " of ", 4), 0);
  at += 4;
  ck_assert_double_eq(take_bytes(&at), memory->capacity_bytes);
  at += strlen(" (");
  ck_assert_double_eq_tol(take_number(&at, " %): "),
                          100 * memory->total_bytes / memory->capacity_bytes, ROUNDING);
  for (int i = 0; i < COUNT_OF(parts); i++) {
    at = strstr(line, parts[i].name);
    ck_assert_int_eq(at != NULL, parts[i].bytes > 0);
    if (at == NULL) {
      continue;
    }
    at += strlen(parts[i].name);
    ck_assert_double_eq_tol(take_bytes(&at), parts[i].bytes, 5.1e-3 * parts[i].bytes);
  }
  drop(&table);
}
END_TEST

/* ---- what loses most ---- */

static double lost(const dsm_pass_plan *pass) {
  return pass->exists ? pass->cycles.total - pass->ideal_cycles : 0;
}

/* The pass that is number `rank` (from 0) when all are sorted by what they lose, the earlier first.
 * Passes are numbered through. */
static size_t loser_of_rank(const dsm_plan *plan, size_t rank) {
  const size_t count = plan->layer_count * DSM_PASS_COUNT;
  for (size_t i = 0; i < count; i++) {
    const double own = lost(&plan->layers[i / DSM_PASS_COUNT].passes[i % DSM_PASS_COUNT]);
    size_t before = 0;
    for (size_t j = 0; j < count; j++) {
      const double other = lost(&plan->layers[j / DSM_PASS_COUNT].passes[j % DSM_PASS_COUNT]);
      before += other > own || (other >= own && j < i);
    }
    if (before == rank) {
      return i;
    }
  }
  ck_abort_msg("no loser of rank %zu", rank);
  return 0;
}

START_TEST(test_the_three_passes_that_lose_most_are_named) {
  shown table = show(bundled_subject(_i));
  const dsm_plan *const plan = table.made.plan;
  const size_t title = lines_find(&table.lines, table.titles, "Most is lost in");
  for (size_t rank = 0; rank < 3; rank++) {
    const size_t loser = loser_of_rank(plan, rank);
    const dsm_layer_plan *const layer = &plan->layers[loser / DSM_PASS_COUNT];
    const dsm_pass pass = (dsm_pass)(loser % DSM_PASS_COUNT);
    char start[256];
    (void)snprintf(start, sizeof start, "%zu. %s %s: ", rank + 1, layer->layer->name,
                   dsm_pass_name(pass));
    const char *at = table.lines.items[lines_find(&table.lines, title + 1, start)] + strlen(start);
    ck_assert_double_eq_tol(take_number(&at, " % of the step, of which "),
                            100 * lost(&layer->passes[pass]) / plan->result.step_cycles, ROUNDING);
    const double part = take_number(&at, " % goes to ");
    ck_assert_msg(part > 0 && part <= 100, "%s", at);
  }
  drop(&table);
}
END_TEST

/* A pass whose every number is chosen by hand: it loses 90 of the step's 200 cycles, 60 of them to
 * one cause. 10 of its cycles are useful work, which is not lost. */
typedef struct loser_case {
  dsm_pass pass;
  dsm_resources resources; /* 100 cycles */
  double groups[DSM_GROUP_COUNT];
  dsm_plan_transfer transfers[3];
  size_t transfer_count;
  const char *text;
} loser_case;

#define SPENT(...)                                                                                 \
  {                                                                                                \
    { __VA_ARGS__ }                                                                                \
  }

static const loser_case loser_cases[] = {
    {.resources = SPENT([DSM_BOUND_COMPUTE] = 70, [DSM_BOUND_MEMORY] = 20, [DSM_BOUND_RING] = 10),
     .text = "array underuse (an array takes 16 x 64 features, gets 3 x 64)."},
    {.pass = DSM_PASS_BACKWARD,
     .resources = SPENT([DSM_BOUND_COMPUTE] = 70, [DSM_BOUND_AUXILIARY] = 30),
     .text = "array underuse (an array takes 16 x 64 features, gets 64 x 3)."},
    /* useful work is hidden behind the transfers: 70 - 10 */
    {.resources = SPENT([DSM_BOUND_MEMORY] = 70, [DSM_BOUND_AUXILIARY] = 30),
     .transfers = {{DSM_TRANSFER_FETCH_INPUT, DSM_NO_AXIS, DSM_GROUP_STREAM, DSM_LINK_MEMORY, 1, 40,
                    NULL},
                   {DSM_TRANSFER_FETCH_KERNEL, DSM_NO_AXIS, DSM_GROUP_STREAM, DSM_LINK_MEMORY, 1,
                    50, NULL},
                   {DSM_TRANSFER_ROTATE, 0, DSM_GROUP_STREAM, DSM_LINK_AXIS, 1, 80, NULL}},
     .transfer_count = 3,
     .text =
         "transfers that take longer than the computation (most of it fetch_kernel on memory)."},
    {.resources =
         SPENT([DSM_BOUND_COMPUTE] = 30, [DSM_BOUND_RING] = 10, [DSM_BOUND_AUXILIARY] = 60),
     .text = "auxiliary operations."},
    {.resources = SPENT([DSM_BOUND_COMPUTE] = 40, [DSM_BOUND_STARTUP] = 60),
     .text = "starting the arrays (1 time, at 1,000 cycles)."},
    {.resources = SPENT([DSM_BOUND_COMPUTE] = 40, [DSM_BOUND_SCRATCHPAD] = 60),
     .text = "loading weights into the arrays."},
    {.resources = SPENT([DSM_BOUND_COMPUTE] = 40, [DSM_BOUND_AXIS + 1] = 60),
     .groups = {[DSM_GROUP_SUM_OF_GRADIENTS] = 60},
     .transfers = {{DSM_TRANSFER_SUM_OF_GRADIENTS, 0, DSM_GROUP_SUM_OF_GRADIENTS, DSM_LINK_AXIS, 1,
                    20, NULL},
                   {DSM_TRANSFER_SUM_OF_GRADIENTS, 1, DSM_GROUP_SUM_OF_GRADIENTS, DSM_LINK_AXIS + 1,
                    1, 60, NULL},
                   {DSM_TRANSFER_BROADCAST_WEIGHTS, 0, DSM_GROUP_BROADCAST_WEIGHTS, DSM_LINK_AXIS,
                    1, 90, NULL}},
     .transfer_count = 3,
     .text = "summing weight gradients over chips (sum_of_gradients_y on link_y)."},
    /* two groups on the ring, neither of which is as long as computation */
    {.resources = SPENT([DSM_BOUND_COMPUTE] = 40, [DSM_BOUND_RING] = 60),
     .groups = {[DSM_GROUP_SUM_OF_GRADIENTS] = 35, [DSM_GROUP_BROADCAST_WEIGHTS] = 25},
     .transfers = {{DSM_TRANSFER_SUM_OF_GRADIENTS, 0, DSM_GROUP_SUM_OF_GRADIENTS, DSM_LINK_RING, 1,
                    35, NULL},
                   {DSM_TRANSFER_BROADCAST_WEIGHTS, 0, DSM_GROUP_BROADCAST_WEIGHTS, DSM_LINK_RING,
                    1, 25, NULL}},
     .transfer_count = 2,
     .text = "ring, mostly summing weight gradients over chips (sum_of_gradients_x on ring)."},
    {.resources = SPENT([DSM_BOUND_COMPUTE] = 40, [DSM_BOUND_AXIS + 1] = 60),
     .groups = {[DSM_GROUP_HAND_OVER] = 60},
     .transfers = {{DSM_TRANSFER_HAND_OVER, 1, DSM_GROUP_HAND_OVER, DSM_LINK_AXIS + 1, 1, 60,
                    NULL}},
     .transfer_count = 1,
     .text = "handing over to the next stage of the pipeline (hand_over_y on link_y)."},
};

START_TEST(test_the_cause_of_a_loss_is_its_largest_part) {
  const loser_case *const hand = &loser_cases[_i];
  subject made = subject_explore(&(exploration){"raider", "chip1", "1", DSM_MODE_INFERENCE});
  dsm_layer layer = *made.plan->layers[0].layer;
  layer.name = "made";
  dsm_layer_plan one = {.layer = &layer, .pipeline = DSM_NO_PIPELINE};
  one.passes[hand->pass] =
      (dsm_pass_plan){.exists = true,
                      .invocations = {{.count = 1, .array = {.n = {3, 64, 1, 1, 1}}}},
                      .invocation_count = 1,
                      .share = {.model_ways = 1},
                      .cycles = {.total = 100},
                      .resources = hand->resources,
                      .ideal_cycles = 10,
                      .transfers = hand->transfers,
                      .transfer_count = hand->transfer_count};
  memcpy(one.passes[hand->pass].group_cycles, hand->groups, sizeof hand->groups);
  dsm_plan plan = *made.plan;
  plan.layers = &one;
  plan.layer_count = 1;
  plan.result.step_cycles = 200;
  char *const text = as_table(DSM_ANSWER(plan, &plan), plain_style(WIDE));
  char expected[256];
  (void)snprintf(expected, sizeof expected,
                 "1. made %s: 45.0 %% of the step, of which 67 %% goes to %s\n", /* 60 of 90 */
                 dsm_pass_name(hand->pass), hand->text);
  ck_assert_msg(strstr(text, expected) != NULL, "%s\nis not in\n%s", expected, text);
  free(text);
  subject_free(&made);
}
END_TEST

START_TEST(test_a_plan_without_loss_has_no_losers) {
  subject made = subject_explore(&(exploration){"raider", "chip1", "1", DSM_MODE_INFERENCE});
  dsm_layer_plan one = {.layer = made.plan->layers[0].layer, .pipeline = DSM_NO_PIPELINE};
  one.passes[DSM_PASS_FORWARD] = (dsm_pass_plan){
      .exists = true, .cycles = {.primary = 10, .total = 10}, .ideal_cycles = 10, .utilization = 1};
  dsm_plan plan = *made.plan;
  plan.layers = &one;
  plan.layer_count = 1;
  char *const text = as_table(DSM_ANSWER(plan, &plan), plain_style(WIDE));
  expect_tidy(text);
  ck_assert_ptr_null(strstr(text, "Most is lost in"));
  free(text);
  subject_free(&made);
}
END_TEST

/* ---- form ---- */

START_TEST(test_no_line_is_wider_than_the_page) {
  subject made = bundled_subject(_i);
  for (size_t width = 40; width <= 200; width += HOW_MANY(1, 1, 16)) {
    char *const text = as_table(DSM_ANSWER(plan, made.plan), plain_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
  subject_free(&made);
}
END_TEST

START_TEST(test_colour_adds_only_escapes) {
  subject made = bundled_subject(_i);
  for (size_t width = 40; width <= 200; width += 40) {
    expect_same_without_color(
        as_table(DSM_ANSWER(plan, made.plan), (dsm_table_style){.width = width, .color = true}),
        as_table(DSM_ANSWER(plan, made.plan), plain_style(width)));
  }
  subject_free(&made);
}
END_TEST

/* Rows of a network whose names are UTF-8 and long. At 40 columns a name keeps
 * 40 - (1 + 4 + 2 + 4 + 2 + 4 + 2 + 4) = 17 columns, at the least 8. */
START_TEST(test_names_in_utf8_are_shortened_by_columns) {
  static const char workload[] =
      "{ \"format\": \"dsm-workload/1\", \"name\": \"n\", \"minibatch\": 64, \"layers\": ["
      "{ \"name\": \"ストライド畳み込み層のとても長い名前です\", \"type\": \"fc\", \"in\": 64,"
      "  \"out\": 64 },"
      "{ \"name\": \"größere Schicht mit Umlauten äöü\", \"type\": \"fc\", \"in\": 64,"
      "  \"out\": 64 } ] }";
  subject made = subject_explore_text(workload, "torus16");
  for (size_t width = 40; width <= 200; width++) {
    char *const text = as_table(DSM_ANSWER(plan, made.plan), plain_style(width));
    line_list lines = lines_read(text);
    const size_t titles = lines_find(&lines, 0, "layer");
    for (size_t i = titles; lines.items[i][0] != '\0'; i++) {
      ck_assert_msg(columns_of(lines.items[i]) <= width, "%zu: '%s'", width, lines.items[i]);
    }
    const char *const pass = strstr(lines.items[titles + 1], " fwd ");
    ck_assert_ptr_nonnull(pass);
    *(lines.items[titles + 1] + (pass - lines.items[titles + 1])) = '\0';
    ck_assert_uint_ge(columns_of(lines.items[titles + 1]), 8);
    lines_free(&lines);
    free(text);
  }
  subject_free(&made);
}
END_TEST

/* Short words for the hybrids come with their explanation, long words without. */
START_TEST(test_abbreviations_are_explained_where_they_are_used) {
  subject made = subject_explore(&(exploration){"vgg16", "torus64", "256", DSM_MODE_TRAINING});
  char *const narrow = as_table(DSM_ANSWER(plan, made.plan), plain_style(80));
  char *const wide = as_table(DSM_ANSWER(plan, made.plan), plain_style(WIDE));
  ck_assert_ptr_nonnull(strstr(narrow, " DxMy "));
  ck_assert_ptr_nonnull(strstr(narrow, "\npar.: DxMy = data_x_model_y, MxDy = model_x_data_y.\n"));
  ck_assert_ptr_nonnull(strstr(wide, " data_x_model_y "));
  ck_assert_ptr_null(strstr(wide, "DxMy"));
  free(narrow);
  free(wide);
  subject_free(&made);
}
END_TEST

/* A bound that is not reached says how far off the step is at most: 110 / 100 is 10 %. */
START_TEST(test_a_bound_below_the_step_tells_the_gap) {
  subject made = subject_explore(&(exploration){"raider", "chip1", "1", DSM_MODE_INFERENCE});
  made.plan->result.lower_bound_cycles = made.plan->result.step_cycles / 1.1;
  char *text = as_table(DSM_ANSWER(plan, made.plan), plain_style(WIDE));
  ck_assert_ptr_nonnull(strstr(text, " cycles: the step is at most 10.0 % above the optimum\n"));
  free(text);
  made.plan->result.lower_bound_cycles = 0; /* a loaded plan without one */
  text = as_table(DSM_ANSWER(plan, made.plan), plain_style(WIDE));
  ck_assert_ptr_null(strstr(text, "lower bound"));
  free(text);
  subject_free(&made);
}
END_TEST

Suite *suite_plan_table(void) {
  Suite *const suite = suite_create("plan_table");
  const int count = BUNDLED_EXPLORATION_COUNT;
  TCase *const rows = tcase_create("rows");
  tcase_add_unchecked_fixture(rows, bundled_set_up, NULL);
  tcase_add_loop_test(rows, test_the_parts_of_each_row_add_up_to_100, 0, count);
  tcase_add_loop_test(rows, test_the_steps_column_adds_up_to_100, 0, count);
  tcase_add_loop_test(rows, test_rows_show_what_the_plan_holds, 0, count);
  tcase_add_loop_test(rows, test_rows_name_layer_pass_and_decisions, 0, count);
  suite_add_tcase(suite, rows);
  TCase *const totals = tcase_create("totals");
  tcase_add_unchecked_fixture(totals, bundled_set_up, NULL);
  tcase_add_loop_test(totals, test_the_parts_of_the_step_add_up_to_100, 0, count);
  tcase_add_loop_test(totals, test_the_parts_of_the_step_are_sums_over_the_passes, 0, count);
  tcase_add_test(totals, test_bound_above_the_step_is_told);
  tcase_add_loop_test(totals, test_totals_are_the_plans, 0, count);
  tcase_add_loop_test(totals, test_memory_is_the_plans, 0, count);
  tcase_add_loop_test(totals, test_the_three_passes_that_lose_most_are_named, 0, count);
  tcase_add_loop_test(totals, test_the_cause_of_a_loss_is_its_largest_part, 0,
                      COUNT_OF(loser_cases));
  tcase_add_test(totals, test_a_plan_without_loss_has_no_losers);
  tcase_add_test(totals, test_a_bound_below_the_step_tells_the_gap);
  suite_add_tcase(suite, totals);
  TCase *const form = tcase_create("form");
  tcase_add_unchecked_fixture(form, bundled_set_up, NULL);
  tcase_set_timeout(form, 60);
  tcase_add_loop_test(form, test_no_line_is_wider_than_the_page, 0, count);
  tcase_add_loop_test(form, test_colour_adds_only_escapes, 0, count);
  tcase_add_test(form, test_names_in_utf8_are_shortened_by_columns);
  tcase_add_test(form, test_abbreviations_are_explained_where_they_are_used);
  suite_add_tcase(suite, form);
  return suite;
}
