/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_ladder.c: what each optimization gains (DeepSpatialMatrix, Fig. 11). */
#include "plan/plan_internal.h"
#include "report/figure/svg.h"
#include "report/ladder.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/table/number_style.h"

static const char *rung_name(dsm__page *page, const dsm_plan_page *subject, size_t index) {
  return dsm__page_text(page, "%s%s", index == 0 ? "" : "+ ", subject->rungs[index].name);
}

/* ---- the figure ---- */

static void put_bar(dsm__page *page, const dsm_plan_page *subject, size_t index, double most) {
  static const double row_height = 26;
  static const double bar_height = 18;
  static const double names_width = 110;
  static const double room = DSM__WEB_WIDTH - 110 - 120; /* beside the names and the numbers */
  const dsm_plan *const plan = subject->rungs[index].plan;
  const dsm__ladder_gains gains = dsm__ladder_gains_of(subject->rungs, index);
  const double y = (double)index * row_height;
  const double base = y + bar_height - 4;
  dsm__svg_text(&page->out, "end", (dsm__svg_point){.x = names_width - 8, .y = base},
                rung_name(page, subject, index));
  if (plan == NULL) {
    dsm__svg_text(&page->out, "faint", (dsm__svg_point){.x = names_width, .y = base},
                  "no mapping fits");
    return;
  }
  const double width = room * dsm__share(gains.over_first, most);
  dsm__svg_rect(&page->out, "bar",
                (dsm__svg_box){.x = names_width, .y = y, .width = width, .height = bar_height},
                dsm__page_text(page, "%s: %s ms a step, utilization %s %%, %sx the rung before",
                               subject->rungs[index].name,
                               dsm__figure_digits(1e3 * plan->result.step_seconds, 5).text,
                               dsm__figure_fixed(100 * plan->result.utilization, 1).text,
                               dsm__figure_fixed(gains.over_previous, 3).text));
  dsm__svg_text(&page->out, "plain", (dsm__svg_point){.x = names_width + width + 8, .y = base},
                dsm__page_text(page, "%sx, %s %%", dsm__figure_fixed(gains.over_first, 3).text,
                               dsm__figure_fixed(100 * plan->result.utilization, 1).text));
}

static void put_figure(dsm__page *page, const dsm_plan_page *subject) {
  static const double row_height = 26;
  double most = 0;
  for (size_t i = 0; i < subject->rung_count; i++) {
    const double over_first = dsm__ladder_gains_of(subject->rungs, i).over_first;
    most = over_first > most ? over_first : most;
  }
  dsm__web_figure_begin(page, "ladder-figure");
  dsm__web_scroll_begin(page, "Bars of the ladder");
  dsm__svg_begin(&page->out, "figure", DSM__WEB_WIDTH, row_height * (double)subject->rung_count,
                 "A bar for each rung of the ladder: its speed-up over the first. The table below "
                 "has the numbers.");
  for (size_t i = 0; i < subject->rung_count; i++) {
    put_bar(page, subject, i, most);
  }
  dsm__svg_end(&page->out);
  dsm__web_scroll_end(page);
  dsm__web_figure_end(page, "Speed-up over the first rung, and utilization.");
}

/* ---- the table ---- */

static void put_row(dsm__page *page, const dsm_plan_page *subject, size_t index) {
  const dsm_plan *const plan = subject->rungs[index].plan;
  dsm__html_begin(&page->out, "tr", NULL);
  dsm__html_element(&page->out, "th", rung_name(page, subject, index), "scope", "row", NULL);
  if (plan == NULL) {
    dsm__html_element(&page->out, "td", "no mapping fits the memory of a chip", "colspan", "5",
                      NULL);
  } else {
    const dsm_plan_result *const result = &plan->result;
    const dsm__ladder_gains gains = dsm__ladder_gains_of(subject->rungs, index);
    dsm__web_number(page, result->step_seconds,
                    dsm__figure_digits(1e3 * result->step_seconds, 5).text);
    dsm__web_number(page, result->samples_per_second,
                    dsm__figure_digits(result->samples_per_second, 4).text);
    dsm__web_number(page, result->utilization, dsm__figure_percent(result->utilization).text);
    dsm__web_number(
        page, gains.over_previous,
        index == 0 ? ""
                   : dsm__page_text(page, "%sx", dsm__figure_fixed(gains.over_previous, 3).text));
    dsm__web_number(page, gains.over_first,
                    dsm__page_text(page, "%sx", dsm__figure_fixed(gains.over_first, 3).text));
  }
  dsm__html_end(&page->out, "tr");
}

static void put_table(dsm__page *page, const dsm_plan_page *subject) {
  static const dsm__web_title titles[] = {{"rung", false},     {"step (ms)", true},
                                          {"samples/s", true}, {"utilization %", true},
                                          {"gain", true},      {"over first", true}};
  dsm__web_table_begin(page, "rungs", "Table of the ladder",
                       "Each rung adds its optimization to those above it; gain: speed-up over the "
                       "rung before.",
                       titles, DSM__COUNT_OF(titles));
  for (size_t i = 0; i < subject->rung_count; i++) {
    put_row(page, subject, i);
  }
  dsm__web_table_end(page);
}

/* Which of the ladder's optimizations the plan itself was made without. */
static void put_scope(dsm__page *page, const dsm_plan *plan) {
  const dsm_optimization_set all = dsm_mode_optimizations(plan->options.mode);
  const dsm__words_text missing =
      dsm__words_join(&dsm__optimization_words, all & ~plan->options.optimizations, ", ");
  if (missing.text[0] != '\0') {
    dsm__web_paragraph(page, NULL,
                       dsm__page_text(page, "This plan was made without: %s.", missing.text));
  }
}

void dsm__web_ladder(dsm__page *page, const dsm_plan_page *subject) {
  dsm__web_paragraph(
      page, NULL,
      "The best plan with ever more of this plan's optimizations, explored anew from "
      "its workload, system, mode and parallelisms.");
  put_scope(page, subject->plan);
  put_figure(page, subject);
  put_table(page, subject);
}
