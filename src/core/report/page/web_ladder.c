/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_ladder.c: what each optimization gains (DeepSpatialMatrix, Fig. 11). */
#include <math.h>

#include "plan/plan_internal.h"
#include "report/answer.h"
#include "report/figure/points_page.h"
#include "report/ladder.h"
#include "report/page/web.h"
#include "report/table/number_style.h"

/* ---- the figure ---- */

static dsm__rung_bar bar_of(dsm__page *page, const dsm_plan_page *subject, size_t index) {
  const dsm_plan *const plan = subject->rungs[index].plan;
  if (plan == NULL) {
    return (dsm__rung_bar){
        .is_there = true, .speedup = (double)NAN, .text = "no mapping fits", .about = ""};
  }
  const dsm__ladder_gains gains = dsm__ladder_gains_of(subject->rungs, index);
  const char *const utilization =
      dsm__page_text(page, "%s", dsm__figure_fixed(100 * plan->result.utilization, 1).text);
  return (dsm__rung_bar){
      .is_there = true,
      .speedup = gains.over_first,
      .text = dsm__page_text(page, "%sx, %s %%", dsm__figure_fixed(gains.over_first, 3).text,
                             utilization),
      .about = dsm__page_text(page, "%s: %s ms a step, utilization %s %%, %sx the rung before",
                              subject->rungs[index].name,
                              dsm__figure_digits(1e3 * plan->result.step_seconds, 5).text,
                              utilization, dsm__figure_fixed(gains.over_previous, 3).text)};
}

static void put_figure(dsm__page *page, const dsm_plan_page *subject) {
  const char *const minibatch = dsm__page_text(
      page, "minibatch %s", dsm__figure_count(subject->plan->workload->minibatch).text);
  const dsm__point_axis places = {.name = "", .texts = &minibatch, .value_count = 1};
  const dsm__point_choice choice = {.arena = page->arena};
  const char *panel = "";
  dsm__plot_maker maker = dsm__svg_begin(page->arena, DSM__WEB_WIDTH);
  dsm__ladder ladder = {.chart = {.maker = &maker,
                                  .choice = &choice,
                                  .x = dsm__scale_of_categories(&choice, &places),
                                  .y.axis = {.high = 1},
                                  .panels = &panel,
                                  .panel_count = 1},
                        .rung_count = subject->rung_count,
                        .measure = ""};
  if (!dsm__ladder_alloc(&ladder, page->arena)) {
    page->out.failed = true;
    return;
  }
  for (size_t i = 0; i < ladder.rung_count; i++) {
    const char *const name = dsm__rung_name(page, subject->rungs, i);
    ladder.rungs[i] = (dsm__rung){.name = name, .whole = name};
    ladder.bars[i] = bar_of(page, subject, i);
    ladder.chart.y.axis.high = fmax(ladder.chart.y.axis.high, ladder.bars[i].speedup);
  }
  dsm__ladder_draw(&ladder);
  dsm__web_figure(page, &maker, "ladder-figure",
                  "A bar for each rung of the ladder: its speed-up over the first. The table below "
                  "has the numbers.",
                  "Speed-up over the first rung, and utilization.");
}

/* Which of the ladder's optimizations the plan itself was made without. */
static void put_scope(dsm__page *page, const dsm_plan *plan) {
  const dsm_optimization_set all = dsm_system_optimizations(plan->system, plan->options.mode);
  const dsm__words_text missing =
      dsm__words_join(&dsm__optimization_words, all & ~plan->options.optimizations, ", ");
  if (missing.text[0] != '\0') {
    dsm__web_paragraph(page, NULL,
                       dsm__page_text(page, "This plan was made without: %s.", missing.text));
  }
}

void dsm__web_ladder(dsm__page *page, const void *of) {
  const dsm_plan_page *const subject = of;
  dsm__web_paragraph(page, NULL,
                     "The best plan with one more of this plan's optimizations each time, explored "
                     "again with its workload, system, mode and parallelisms.");
  put_scope(page, subject->plan);
  put_figure(page, subject);
  const dsm__table table =
      dsm__answer_table(page, DSM_ANSWERS(ladder, subject->rungs, subject->rung_count), 0);
  dsm__web_table(
      page, "rungs",
      "Each rung adds one optimization to those above it; gain: speed-up over the rung before.",
      &table);
}
