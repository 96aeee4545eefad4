/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_page.c: the page on a plan: its sections, in order. */
#include <string.h>

#include "report/answer.h"
#include "report/figure/plot_plan.h"
#include "report/memory_timeline.h"
#include "report/page/web.h"
#include "report/table/number_style.h"
#include "report/table/plan_table.h"

typedef struct document {
  dsm_plan_page of; /* first: sections that are put take it alone */
  const char *title;
  const char *subtitle;
  const char *held;     /* what the memory of a chip holds at most */
  const char *data_set; /* NULL: it has none, or no storage */
  bool has_pipelines;
} document;

DSM__OWN_RECORD(shown_record, document, false, "A plan with what a page says of it.",
                DSM__SAID(TEXT, document, title), DSM__SAID(TEXT, document, subtitle),
                DSM__SAID(TEXT, document, held), DSM__SAID(TEXT, document, data_set),
                DSM__SAID(FLAG, document, has_pipelines));

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

static const char *held_text(dsm__page *page, const dsm_plan *plan) {
  const dsm_plan_memory *const memory = &plan->result.memory;
  dsm__step_timeline step;
  dsm__memory_timeline held;
  if (!dsm__step_timeline_derive(&step, plan, page->arena) ||
      !dsm__memory_timeline_derive(&held, &step, page->arena)) {
    page->out.failed = true;
    return "";
  }
  const double most = held.most.total_bytes;
  return dsm__page_text(page, "The most at a time is %s, %s of a chip's capacity of %s%s.%s",
                        dsm__figure_scaled(most, "B").text,
                        dsm__web_percent(page, dsm__share(most, memory->capacity_bytes)),
                        dsm__figure_scaled(memory->capacity_bytes, "B").text,
                        dsm__page_reserve(page, plan->system),
                        bound_note(page, most, memory->total_bytes));
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_plan_page *const of = answer->of;
  const dsm_plan *const plan = of->plan;
  page->renaming = plan->renaming;
  const char *const heading = dsm__page_plan_heading(page, plan);
  const char *const data_set = dsm__plan_storage_line(page, plan);
  const char *const title =
      dsm__page_text(page, "%s on %s", plan->workload->name, plan->system->name);
  /* The heading is the title, then ": " and the rest. */
  const size_t title_length = strlen(title) + 2;
  *(document *)to = (document){
      .of = *of,
      .title = title,
      .subtitle = strlen(heading) > title_length ? heading + title_length : heading,
      .held = held_text(page, plan),
      .data_set = data_set[0] == '\0' ? NULL : data_set,
      .has_pipelines = plan->pipeline_count > 0,
  };
}

static const dsm_plan *plan_of(const void *of) {
  return ((const document *)of)->of.plan;
}

/* A figure, as `dsm plot` describes it. */
#define DRAWN(figure)                                                                              \
  static void draw_##figure(dsm__plot_maker *maker, const void *of) {                              \
    dsm__plot_##figure(maker, plan_of(of));                                                        \
  }
DRAWN(time)
DRAWN(loss)
DRAWN(roofline)
DRAWN(memory)
DRAWN(supply)
DRAWN(mini_epochs)
DRAWN(io_roofline)

static int part_count(const void *of) {
  const bool waits = plan_of(of)->result.storage.waiting_seconds > 0;
  return waits ? DSM__PART_COUNT : dsm__part_count(plan_of(of));
}

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", .put = dsm__web_summary},
    {.id = "ladder",
     .title = "What each optimization gains",
     .when = {DSM__IF(document, of.rung_count)},
     .put = dsm__web_ladder},
    {.id = "step",
     .title = "Where the time of the step goes",
     .heading = "The step from left to right, pass after pass. The width of a column is the time "
                "of the pass, and its colours show what that time is spent on: the area of a "
                "colour is its share of the step. Equal layers share a column, which is as wide "
                "as all of them take."},
    {.id = "step",
     .draw = draw_time,
     .label = "A column for each pass of each layer in order of execution (equal layers share "
              "one), stacked by what its time goes to. The table of layers and passes has the "
              "numbers.",
     .caption = "Point at a part for its layer, pass and time.{has_pipelines? Layers of a "
                "pipeline run at the same time; each is drawn with its share of the group's "
                "time.|}"},
    {.id = "losses",
     .title = "What layers and passes lose",
     .heading = "What the time of each pass of each layer is spent on; all but the first colour "
                "is lost. The bars above show the pass's share of the step."},
    {.id = "loss",
     .draw = draw_loss,
     .label = "A bar for each pass of each layer, divided by what its time goes to, and above it "
              "one for its share of the step. The table of layers and passes has the numbers.",
     .caption = "Point at a part for its layer, pass and share."},
    {.id = "elasticity",
     .title = "What the time of the step depends on",
     .when = {DSM__IF(document, of.elasticity)},
     .put = dsm__web_elasticity},
    {.id = "roofline",
     .title = "Roofline",
     .heading = "Each pass of each layer, by its work for each byte between chip and memory. The "
                "line is the most that a chip's memory and arrays allow; a point far below it is "
                "bound by something else. Equal layers are one point."},
    {.id = "roofline",
     .draw = draw_roofline,
     .label = "A point for each pass of each layer: FLOP/s of a chip over FLOP for each byte of "
              "memory traffic, under the roof of the chip. The table of layers and passes has the "
              "numbers.",
     .caption = "Point at one for its layer and pass."},
    {.id = "memory",
     .title = "Memory over the step",
     .heading = "What the memory of a chip holds while each pass runs, over the time of the "
                "step."},
    {.id = "memory",
     .draw = draw_memory,
     .label = "A column for each pass in order of execution, stacked by what a chip's memory "
              "holds.",
     .caption = "{held}"},
    {.id = "storage",
     .title = "Reading the data set",
     .when = {DSM__IF(document, data_set)},
     .heading = "The data set: {data_set}."},
    {.id = "storage",
     .draw = draw_supply,
     .label = "Samples a second, and what is read from the capacity tier, over the times that "
              "each mini-epoch is trained on.",
     .caption = "The upright line is the least whole factor without a stall."},
    {.id = "mini-epochs",
     .draw = draw_mini_epochs,
     .label = "A row of bars for the loading of mini-epochs, and one for the training on them.",
     .caption = "Point at a bar for its mini-epoch and time."},
    {.id = "io-roofline",
     .draw = draw_io_roofline,
     .label = "FLOP/s of the system over FLOP for each byte of the data set, under the roofs of "
              "both tiers, with the network.",
     .caption = "Point at the network for its rate where each sample is read once."},
    {.id = "layers", .title = "Layers and passes", .put = dsm__web_layers},
    {.id = "assumptions", .title = "Assumptions of the model", .put = dsm__web_assumptions},
    {.id = "inputs", .title = "Inputs", .put = dsm__web_inputs},
    {.id = "reproduce", .title = "Make it again", .put = dsm__web_commands},
};

static const dsm__layout layout = {.type = &shown_record,
                                   .heading = "{title}",
                                   .subtitle = "{subtitle}",
                                   .series = 1,
                                   .part_count = part_count,
                                   .has_leaders = true,
                                   DSM__SECTIONS(sections)};

const dsm_answer_kind dsm_answer_plan_page = {.fill = fill, .layout = &layout};
