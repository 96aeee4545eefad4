/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sensitivity_table.c: what a tenth more of each parameter, or less where less is better, does to a
 * step, for people. */
#include <assert.h>
#include <math.h>

#include "base/number_text.h"
#include "report/figures.h"
#include "report/page.h"
#include "report/table.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))
#define LABEL_WIDTH 13
/* Of a value that was tried: a tenth more or less than a decimal number has few digits, but for
 * rounding. */
#define TRIED_DIGITS 6
/* Paths are shortened only where all that may go is gone. */
#define PATH_WIDTH 40

static const dsm_response *response_of(const dsm_varied_parameter *parameter) {
  assert(parameter->variation_count == 1);
  return &parameter->variations[0].responses[0];
}

/* ---- numbers ---- */

/* A number as it stands in a description. */
static const char *number_text(dsm__page *page, double number) {
  char text[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(number, text);
  return dsm__page_text(page, "%s", text);
}

/* A positive number rounded to some significant digits. */
static double rounded(double number, int digits) {
  const double places = digits - 1 - floor(log10(number));
  const double scale = pow(10, fabs(places));
  return places > 0 ? round(number * scale) / scale : round(number / scale) * scale;
}

/* A number other than 0 with its sign, which is seen also of one that is too small for its digits.
 */
static const char *signed_text(dsm__page *page, double number, int decimals) {
  return dsm__page_text(page, "%s%s", number < 0 ? "-" : "+",
                        dsm__figure_fixed(fabs(number), decimals).text);
}

/* By how many percent a value is changed. */
static const char *change_text(dsm__page *page, double factor) {
  return dsm__page_text(page, "%s%s", factor < 1 ? "-" : "+",
                        dsm__figure_short(100 * fabs(factor - 1), 3).text);
}

/* ---- rows ---- */

static const dsm__column columns[] = {
    {.title = "parameter", .is_name = true, .comfort = PATH_WIDTH},
    {.title = "unit", .gap = 2, .rank = 5},
    {.title = "better", .gap = 2, .rank = 4},
    {.title = "value", .gap = 2, .is_right = true},
    {.title = "tried", .gap = 2, .is_right = true},
    {.title = "change %", .gap = 2, .is_right = true, .rank = 3},
    {.title = "step %", .gap = 2, .is_right = true},
    {.title = "elast.", .gap = 2, .is_right = true, .rank = 1},
    {.title = "util %", .gap = 2, .is_right = true, .rank = 2},
};

static bool has_effect(const dsm_response *response) {
  return response->why_not == NULL && (response->time_ratio < 1 || response->time_ratio > 1);
}

static void add_row(dsm__table *table, const dsm_varied_parameter *parameter) {
  dsm__page *const page = table->page;
  const dsm_variation *const variation = &parameter->variations[0];
  const dsm_response *const response = response_of(parameter);
  const bool is_faster = response->time_ratio < 1;
  dsm__table_add(table, DSM__TONE_PLAIN, parameter->path);
  dsm__table_add(table, DSM__TONE_PLAIN, parameter->unit);
  dsm__table_add(table, DSM__TONE_PLAIN, parameter->is_lower_better ? "less" : "more");
  dsm__table_add(table, DSM__TONE_PLAIN, number_text(page, parameter->setting.number));
  dsm__table_add(table, DSM__TONE_PLAIN,
                 number_text(page, rounded(variation->setting.number, TRIED_DIGITS)));
  dsm__table_add(table, DSM__TONE_PLAIN, change_text(page, variation->factor));
  dsm__table_add(table, is_faster ? DSM__TONE_GOOD : DSM__TONE_BAD,
                 signed_text(page, 100 * (response->time_ratio - 1), 2));
  dsm__table_add(table, DSM__TONE_PLAIN, signed_text(page, parameter->slopes[0].elasticity, 3));
  dsm__table_add(table, dsm__tone_of_utilization(response->utilization),
                 dsm__figure_percent(response->utilization).text);
}

static void put_rows(dsm__page *page, const dsm_elasticity *sensitivity) {
  dsm__table table =
      dsm__table_make(page, columns, COUNT_OF(columns), sensitivity->parameter_count);
  for (size_t p = 0; p < sensitivity->parameter_count; p++) {
    if (has_effect(response_of(&sensitivity->parameters[p]))) {
      add_row(&table, &sensitivity->parameters[p]);
    }
  }
  if (table.cell_count == 0) {
    return;
  }
  dsm__page_break(page);
  dsm__page_line(page, DSM__TONE_HEADING,
                 "10 % more of each parameter, or less where less is better, by elasticity");
  dsm__table_print(&table);
  dsm__page_break(page);
  dsm__page_line(page, DSM__TONE_FAINT,
                 "Each with the best mapping then. Counts grow to the nearest whole number, at "
                 "least by one: their steps are larger, their elasticities compare. step %: change "
                 "of the step's time; elast.: its elasticity, ln(time then / time now) / ln(tried "
                 "/ value); util %: utilization then.");
}

/* ---- the others ---- */

static void put_idle(dsm__page *page, const dsm_elasticity *sensitivity) {
  const char *list = "";
  for (size_t p = 0; p < sensitivity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &sensitivity->parameters[p];
    const dsm_response *const response = response_of(parameter);
    if (response->why_not == NULL && !has_effect(response)) {
      list = dsm__page_text(page, "%s%s%s", list, list[0] == '\0' ? "" : ", ", parameter->path);
    }
  }
  if (list[0] != '\0') {
    dsm__page_break(page);
    dsm__page_line(page, DSM__TONE_PLAIN, dsm__page_text(page, "No effect: %s.", list));
  }
}

static void put_impossible(dsm__page *page, const dsm_elasticity *sensitivity) {
  bool is_any = false;
  for (size_t p = 0; p < sensitivity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &sensitivity->parameters[p];
    const char *const why_not = response_of(parameter)->why_not;
    if (why_not == NULL) {
      continue;
    }
    if (!is_any) {
      dsm__page_break(page);
      dsm__page_line(page, DSM__TONE_PLAIN, "Not possible:");
    }
    is_any = true;
    dsm__page_line(page, DSM__TONE_PLAIN,
                   dsm__page_text(page, "- %s: %s", parameter->path, why_not));
  }
}

/* ---- all of it ---- */

static void put_now(dsm__page *page, const dsm_elasticity *sensitivity) {
  const dsm_response *const now = &sensitivity->references[0];
  const dsm_plan plan = {.workload = sensitivity->workloads[0],
                         .system = sensitivity->system,
                         .options = sensitivity->options};
  dsm__page_line(page, DSM__TONE_HEADING, dsm__page_plan_heading(page, &plan));
  dsm__page_break(page);
  dsm__page_labelled(
      page, LABEL_WIDTH, plan.options.mode == DSM_MODE_INFERENCE ? "latency" : "step time",
      dsm__page_text(page, "%s ms", dsm__figure_digits(1e3 * now->step_seconds, 5).text));
  dsm__page_labelled(
      page, LABEL_WIDTH, "utilization",
      dsm__page_text(page, "%s %%", dsm__figure_fixed(100 * now->utilization, 2).text));
}

char *dsm_report_sensitivity_table(const dsm_elasticity *sensitivity, dsm_table_style style) {
  dsm__page page;
  if (!dsm__page_init(&page, style)) {
    return NULL;
  }
  put_now(&page, sensitivity);
  put_rows(&page, sensitivity);
  put_idle(&page, sensitivity);
  put_impossible(&page, sensitivity);
  return dsm__page_finish(&page);
}
