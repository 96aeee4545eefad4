/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ladder.c: what each optimisation gains (DeepSpatialMatrix, Fig. 11). */
#include "report/ladder.h"

#include "base/json_write.h"
#include "plan/cost_json.h"
#include "plan/plan_internal.h"
#include "report/data/cells.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

/* Seconds, because the first rung's system may have another clock. */
static double seconds_of(const dsm_ladder_rung *rung) {
  return rung->plan == NULL ? 0 : rung->plan->result.step_seconds;
}

dsm__ladder_gains dsm__ladder_gains_of(const dsm_ladder_rung *rungs, size_t index) {
  const double seconds = seconds_of(&rungs[index]);
  size_t first = 0;
  while (first < index && rungs[first].plan == NULL) {
    first++;
  }
  size_t previous = index > first ? index - 1 : first;
  while (previous > first && rungs[previous].plan == NULL) {
    previous--;
  }
  if (!(seconds > 0)) {
    return (dsm__ladder_gains){.over_previous = 1, .over_first = 1};
  }
  return (dsm__ladder_gains){.over_previous = seconds_of(&rungs[previous]) / seconds,
                             .over_first = seconds_of(&rungs[first]) / seconds};
}

static const dsm__table_column ladder_columns[] = {
    {.title = "rung"},
    {.title = "system", .gap = 2, .is_name = true, .rank = 3},
    {.title = "step (ms)", .gap = 2, .is_right = true},
    {.title = "samples/s", .gap = 2, .is_right = true, .rank = 2},
    {.title = "util %", .gap = 2, .is_right = true},
    {.title = "gain", .gap = 2, .is_right = true},
    {.title = "over first", .gap = 2, .is_right = true, .rank = 1},
};

static void add_rung(dsm__table *table, const dsm_ladder_rung *rungs, size_t index) {
  const dsm_plan_result *const result = &rungs[index].plan->result;
  const dsm__ladder_gains gain = dsm__ladder_gains_of(rungs, index);
  const char *const name = rungs[index].name;
  DSM__TABLE_TEXTS(table, dsm__page_text(table->page, "%s%s", index == 0 ? "" : "+ ", name),
                   rungs[index].plan->system->name,
                   dsm__figure_digits(1e3 * result->step_seconds, 5).text,
                   dsm__figure_digits(result->samples_per_second, 4).text);
  dsm__table_add(table, dsm__style_of_utilization(result->utilization),
                 dsm__figure_percent(result->utilization).text);
  DSM__TABLE_TEXTS(table,
                   index == 0 ? ""
                              : dsm__page_text(table->page, "%sx",
                                               dsm__figure_fixed(gain.over_previous, 3).text),
                   dsm__page_text(table->page, "%sx", dsm__figure_fixed(gain.over_first, 3).text));
}

char *dsm_report_ladder_table(const dsm_ladder_rung *rungs, size_t count, dsm_table_style style) {
  dsm__page page;
  if (!dsm__page_init(&page, style)) {
    return NULL;
  }
  if (count > 0) {
    const char *const heading = dsm__page_plan_heading(&page, rungs[count - 1].plan);
    dsm__page_line(&page, DSM__STYLE_HEADING, "%s", heading);
  }
  dsm__page_break(&page);
  dsm__table table = DSM__TABLE(&page, ladder_columns);
  for (size_t i = 0; i < count; i++) {
    add_rung(&table, rungs, i);
  }
  dsm__table_print(&table);
  dsm__page_break(&page);
  dsm__page_line(&page, DSM__STYLE_FAINT,
                 "Each rung adds its optimization to those above it; gain = speed-up over the "
                 "rung before.");
  return dsm__page_finish(&page);
}

static void write_rung(dsm__json_writer *writer, const dsm_ladder_rung *rungs, size_t index) {
  const dsm_plan *const plan = rungs[index].plan;
  const dsm__ladder_gains gain = dsm__ladder_gains_of(rungs, index);
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "name", rungs[index].name);
  dsm__json_put_string(writer, "system", plan->system->name);
  dsm__json_put_word_set(writer, "optimizations", &dsm__optimization_words,
                         plan->options.optimizations);
  dsm__json_put_double(writer, "step_cycles", plan->result.step_cycles);
  dsm__json_put_double(writer, "step_seconds", plan->result.step_seconds);
  dsm__json_put_double(writer, "samples_per_second", plan->result.samples_per_second);
  dsm__json_put_double(writer, "utilization", plan->result.utilization);
  dsm__json_put_double(writer, "lower_bound_cycles", plan->result.lower_bound_cycles);
  dsm__json_put_double(writer, "gain_over_previous", gain.over_previous);
  dsm__json_put_double(writer, "gain_over_first", gain.over_first);
  dsm__json_end_object(writer);
}

char *dsm_report_ladder_json(const dsm_ladder_rung *rungs, size_t count) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-ladder/1");
  if (count > 0) {
    const dsm_plan *const plan = rungs[0].plan;
    dsm__json_put_string(&writer, "workload", plan->workload->name);
    dsm__json_put_string(&writer, "mode", dsm_mode_name(plan->options.mode));
    dsm__json_put_u64(&writer, "minibatch", plan->workload->minibatch);
  }
  dsm__json_put_array(&writer, "rungs", false);
  for (size_t i = 0; i < count; i++) {
    write_rung(&writer, rungs, i);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

char *dsm_report_ladder_csv(const dsm_ladder_rung *rungs, size_t count) {
  static const char *const titles[] = {
      "name",
      "system",
      "step_cycles",
      "step_seconds",
      "samples_per_second",
      "utilization",
      "lower_bound_cycles",
      "gain_over_previous",
      "gain_over_first",
  };
  dsm__text_buffer out = {0};
  dsm__cells csv = {.out = &out};
  dsm__cells_texts(&csv, titles, DSM__COUNT_OF(titles));
  dsm__cells_end_row(&csv);
  for (size_t i = 0; i < count; i++) {
    const dsm_plan_result *const result = &rungs[i].plan->result;
    const dsm__ladder_gains gain = dsm__ladder_gains_of(rungs, i);
    dsm__cells_text(&csv, rungs[i].name);
    dsm__cells_text(&csv, rungs[i].plan->system->name);
    dsm__cells_double(&csv, result->step_cycles);
    dsm__cells_double(&csv, result->step_seconds);
    dsm__cells_double(&csv, result->samples_per_second);
    dsm__cells_double(&csv, result->utilization);
    dsm__cells_double(&csv, result->lower_bound_cycles);
    dsm__cells_double(&csv, gain.over_previous);
    dsm__cells_double(&csv, gain.over_first);
    dsm__cells_end_row(&csv);
  }
  return dsm__text_finish(&out);
}
