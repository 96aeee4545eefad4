/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_figures.c: the sections that are a figure of the plan, drawn as `dsm plot` describes it. */
#include <string.h>

#include "report/figure/plot_plan.h"
#include "report/memory_timeline.h"
#include "report/page/web.h"
#include "report/table/number_style.h"
#include "report/table/plan_table.h"

typedef void figure_maker(dsm__plot_maker *maker, const dsm_plan *plan);

/* What a figure leaves out, as a sentence after its caption. */
static const char *note_after(dsm__page *page, const dsm__plot_maker *maker, const char *caption) {
  const char *const note = maker->note == NULL ? "" : maker->note;
  const size_t length = strlen(note);
  return dsm__page_text(page, "%s%s%s%s", caption, length == 0 ? "" : " ", note,
                        length == 0 || note[length - 1] == '.' ? "" : ".");
}

static void put_figure(dsm__page *page, const dsm_plan *plan, figure_maker *make, const char *name,
                       const char *label, const char *caption) {
  dsm__plot_maker maker = dsm__svg_begin(page->arena, DSM__WEB_WIDTH);
  maker.is_unfolded = page->style.is_unfolded;
  make(&maker, plan);
  dsm__web_figure(page, &maker, name, label, note_after(page, &maker, caption));
}

void dsm__web_step(dsm__page *page, const dsm_plan_page *subject) {
  dsm__web_paragraph(page, NULL,
                     "The step from left to right, pass after pass. The width of a column is the "
                     "time of the pass, and its colours show what that time is spent on: the area "
                     "of a colour is its share of the step. Equal layers share a column, which is "
                     "as wide as all of them take.");
  put_figure(page, subject->plan, dsm__plot_time, "step-figure",
             "A column for each pass of each layer in order of execution (equal layers share one), "
             "stacked by what its time goes to. The table of layers and passes has the numbers.",
             dsm__page_text(page, "Point at a part for its layer, pass and time.%s",
                            subject->plan->pipeline_count > 0
                                ? " Layers of a pipeline run at the same time; each is drawn with "
                                  "its share of the group's time."
                                : ""));
}

void dsm__web_losses(dsm__page *page, const dsm_plan_page *subject) {
  dsm__web_paragraph(page, NULL,
                     "What the time of each pass of each layer is spent on; all but the first "
                     "colour is lost. The bars above show the pass's share of the step.");
  put_figure(
      page, subject->plan, dsm__plot_loss, "loss-figure",
      "A bar for each pass of each layer, divided by what its time goes to, and above it one "
      "for its share of the step. The table of layers and passes has the numbers.",
      "Point at a part for its layer, pass and share.");
}

void dsm__web_roofline(dsm__page *page, const dsm_plan_page *subject) {
  dsm__web_paragraph(page, NULL,
                     "Each pass of each layer, by its work for each byte between chip and memory. "
                     "The line is the most that a chip's memory and arrays allow; a point far "
                     "below it is bound by something else. Equal layers are one point.");
  put_figure(page, subject->plan, dsm__plot_roofline, "roofline-figure",
             "A point for each pass of each layer: FLOP/s of a chip over FLOP for each byte of "
             "memory traffic, under the roof of the chip. The table of layers and passes has the "
             "numbers.",
             "Point at one for its layer and pass.");
}

/* The capacity is checked against a bound from above (docs/model.md, section 12). */
static const char *bound_note(dsm__page *page, double most, double total) {
  static const double least_difference = 1e-3; /* that three digits can show */
  return most < total * (1 - least_difference)
             ? dsm__page_text(
                   page,
                   " The %s of the summary are more: they add the largest activation gradients to "
                   "all activations, though the two need not be in memory at the same time.",
                   dsm__figure_scaled(total, "B").text)
             : "";
}

void dsm__web_memory(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan_memory *const memory = &subject->plan->result.memory;
  dsm__step_timeline step;
  dsm__memory_timeline held;
  if (!dsm__step_timeline_derive(&step, subject->plan, page->arena) ||
      !dsm__memory_timeline_derive(&held, &step, page->arena)) {
    page->out.failed = true;
    return;
  }
  const double most = held.most.total_bytes;
  dsm__web_paragraph(
      page, NULL,
      "What the memory of a chip holds while each pass runs, over the time of the step.");
  put_figure(page, subject->plan, dsm__plot_memory, "memory-figure",
             "A column for each pass in order of execution, stacked by what a chip's memory holds.",
             dsm__page_text(page, "The most at a time is %s, %s of a chip's capacity of %s%s.%s",
                            dsm__figure_scaled(most, "B").text,
                            dsm__web_percent(page, dsm__share(most, memory->capacity_bytes)),
                            dsm__figure_scaled(memory->capacity_bytes, "B").text,
                            dsm__page_reserve(page, subject->plan->system),
                            bound_note(page, most, memory->total_bytes)));
}

void dsm__web_storage(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan *const plan = subject->plan;
  dsm__web_paragraph(page, NULL,
                     dsm__page_text(page, "The data set: %s.", dsm__plan_storage_line(page, plan)));
  put_figure(page, plan, dsm__plot_supply, "storage-figure",
             "Samples a second, and what is read from the capacity tier, over the times that each "
             "mini-epoch is trained on.",
             "The upright line is the least whole factor without a stall.");
  put_figure(page, plan, dsm__plot_mini_epochs, "mini-epochs-figure",
             "A row of bars for the loading of mini-epochs, and one for the training on them.",
             "Point at a bar for its mini-epoch and time.");
  put_figure(
      page, plan, dsm__plot_io_roofline, "io-roofline-figure",
      "FLOP/s of the system over FLOP for each byte of the data set, under the roofs of both "
      "tiers, with the network.",
      "Point at the network for its rate where each sample is read once.");
}
