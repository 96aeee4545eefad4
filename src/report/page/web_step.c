/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_step.c: figures over the time of a step: what each moment is spent on, and what a chip's
 * memory holds meanwhile. */
#include "report/figure/svg.h"
#include "report/memory_timeline.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/table/number_style.h"

/* The plot inside a figure. */
static const dsm__svg_box plot = {.x = 84, .y = 12, .width = DSM__WEB_WIDTH - 96, .height = 220};

static double x_of(const dsm_plan *plan, double cycles) {
  return plot.x + plot.width * dsm__share(cycles, plan->result.step_cycles);
}

/* "conv1 forward", "conv1 forward to conv9 forward (9 passes)". */
static const char *column_name(dsm__page *page, const dsm__step_timeline *step,
                               const dsm__step_column *shown) {
  const dsm_layer_plan *const layers = step->plan->layers;
  const dsm__step_span *const first = &step->spans[shown->first];
  const dsm__step_span *const last = &step->spans[shown->first + shown->count - 1];
  const char *const begin =
      dsm__page_text(page, "%s %s", layers[first->layer].layer->name, dsm_pass_name(first->pass));
  return shown->count == 1 ? begin
                           : dsm__page_text(page, "%s to %s %s (%zu passes)", begin,
                                            layers[last->layer].layer->name,
                                            dsm_pass_name(last->pass), shown->count);
}

/* ---- axes ---- */

static void put_time_axis(dsm__page *page, const dsm_plan *plan) {
  enum { TICKS = 5 };
  const double bottom = plot.y + plot.height;
  for (int i = 0; i <= TICKS; i++) {
    const double cycles = plan->result.step_cycles * i / TICKS;
    const double x = x_of(plan, cycles);
    dsm__svg_line(&page->out, "tick", (dsm__svg_point){.x = x, .y = bottom},
                  (dsm__svg_point){.x = x, .y = bottom + 5});
    dsm__svg_text(&page->out,
                  i == 0       ? "start"
                  : i == TICKS ? "end"
                               : "middle",
                  (dsm__svg_point){.x = x, .y = bottom + 19},
                  i == 0 ? "0" : dsm__web_tick_time(page, plan, cycles, plan->result.step_cycles));
  }
}

static void put_level(dsm__page *page, double height_share, const char *text) {
  const double y = plot.y + plot.height * (1 - height_share);
  dsm__svg_line(&page->out, "grid", (dsm__svg_point){.x = plot.x, .y = y},
                (dsm__svg_point){.x = plot.x + plot.width, .y = y});
  dsm__svg_text(&page->out, "end", (dsm__svg_point){.x = plot.x - 8, .y = y + 4}, text);
}

/* ---- names of layers below the plot, where there is room ---- */

/* Columns that a name gets. */
#define NAME_WIDTH ((size_t)14)

/* Of a whole figure: the plot, the axis, and the names, which stand aslant. */
static double figure_height(const dsm_plan *plan) {
  static const double axis_height = 42;
  static const double height_per_column = 5.4;
  size_t longest = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const size_t width = dsm__display_width(plan->layers[i].layer->name);
    longest = width > longest ? width : longest;
  }
  const size_t shown = longest < NAME_WIDTH ? longest : NAME_WIDTH;
  return plot.y + plot.height + axis_height + height_per_column * (double)shown;
}

static void put_layer_names(dsm__page *page, const dsm__step_timeline *step) {
  static const double gap = 15;
  const double y = plot.y + plot.height + 34;
  double free_from = plot.x;
  for (size_t i = 0; i < step->span_count;) {
    const dsm__step_column run = dsm__step_layer_at(step, i);
    const dsm_layer *const layer = step->plan->layers[step->spans[i].layer].layer;
    const double x = x_of(step->plan, run.begin_cycles + run.cycles / 2);
    if (x >= free_from) {
      dsm__html_element(&page->out, "text", dsm__web_short_name(page, layer->name, NAME_WIDTH),
                        "class", "end", "transform",
                        dsm__page_text(page, "translate(%s %s) rotate(-50)",
                                       dsm__svg_length(x + 4).text, dsm__svg_length(y).text),
                        NULL);
      /* Where layers are narrower than their names, some of them stand for their neighbours. */
      const bool is_narrow =
          plot.width * dsm__share(run.cycles, step->plan->result.step_cycles) < gap / 2;
      free_from = x + (is_narrow ? 2 * gap : gap);
    }
    i += run.count;
  }
}

/* ---- what the time is spent on ---- */

static void put_loss_column(dsm__page *page, const dsm__step_timeline *step,
                            const dsm__step_column *shown) {
  const dsm_plan *const plan = step->plan;
  const dsm__time_parts parts = dsm__step_column_parts(step, shown);
  const char *const name = column_name(page, step, shown);
  const double x = x_of(plan, shown->begin_cycles);
  const double width = x_of(plan, shown->begin_cycles + shown->cycles) - x;
  double y = plot.y + plot.height;
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    const double share = dsm__share(parts.cycles[part], shown->cycles);
    const double height = plot.height * share;
    y -= height;
    if (height > 0.2) { /* what is lower cannot be seen */
      dsm__svg_rect(
          &page->out, dsm__web_part_class(page, part),
          (dsm__svg_box){.x = x, .y = y, .width = width, .height = height},
          dsm__page_text(page, "%s, %s: %s %s, %s", name, dsm__web_time(page, plan, shown->cycles),
                         dsm__part_phrase((dsm__time_part)part), dsm__web_percent(page, share),
                         dsm__web_time(page, plan, parts.cycles[part])));
    }
  }
}

static const char *joined_note(dsm__page *page, size_t joined) {
  return joined == 0 ? ""
                     : dsm__page_text(page,
                                      " %s %s too short to be seen %s drawn together "
                                      "with their neighbours.",
                                      dsm__figure_count(joined).text,
                                      joined == 1 ? "pass that is" : "passes that are",
                                      joined == 1 ? "is" : "are");
}

/* Draws a column. */
typedef void (*column_writer)(dsm__page *page, const dsm__step_timeline *step,
                              const dsm__memory_timeline *memory, const dsm__step_column *shown);

/* Draws all columns; returns how many spans share one. */
static size_t put_columns(dsm__page *page, const dsm__step_timeline *step,
                          const dsm__memory_timeline *memory, column_writer put) {
  const double least = step->plan->result.step_cycles * DSM__WEB_COLUMN_MIN / plot.width;
  size_t joined = 0;
  for (size_t i = 0; i < step->span_count;) {
    const dsm__step_column shown = dsm__step_column_at(step, i, least);
    put(page, step, memory, &shown);
    joined += shown.count > 1 ? shown.count : 0;
    i += shown.count;
  }
  return joined;
}

static void put_loss(dsm__page *page, const dsm__step_timeline *step,
                     const dsm__memory_timeline *memory, const dsm__step_column *shown) {
  (void)memory;
  put_loss_column(page, step, shown);
}

void dsm__web_step(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan *const plan = subject->plan;
  const dsm__loss loss = dsm__loss_of_plan(plan);
  const dsm__time_parts parts = dsm__time_parts_of(&loss);
  dsm__step_timeline step;
  if (!dsm__step_timeline_derive(&step, plan, page->arena)) {
    page->out.failed = true;
    return;
  }
  dsm__web_paragraph(page, NULL,
                     "The step from left to right, pass after pass. The width of a column is the "
                     "time of the pass, its colours are what that time is spent on: the area of a "
                     "colour is its share of the step.");
  dsm__web_figure_begin(page, "step-figure");
  dsm__web_parts_legend(page, &parts);
  dsm__web_scroll_begin(page, "Figure of the step's time");
  dsm__svg_begin(&page->out, "figure", DSM__WEB_WIDTH, figure_height(plan),
                 "A column for each pass of each layer in order of execution, stacked by what its "
                 "time goes to. The table of layers and passes has the numbers.");
  const size_t joined = put_columns(page, &step, NULL, put_loss);
  put_level(page, 0, "0 %");
  put_level(page, 0.5, "50 %");
  put_level(page, 1, "100 %");
  put_time_axis(page, plan);
  put_layer_names(page, &step);
  dsm__svg_end(&page->out);
  dsm__web_scroll_end(page);
  dsm__web_figure_end(
      page,
      dsm__page_text(page, "Point at a part for its layer, pass and time.%s%s",
                     plan->pipeline_count > 0
                         ? " Layers of a pipeline run at the same time; each is drawn with its "
                           "share of the group's time."
                         : "",
                     joined_note(page, joined)));
}

/* ---- memory ---- */

/* What a chip holds at most while the spans of a column run. */
static dsm__memory_use use_of_column(const dsm__memory_timeline *memory,
                                     const dsm__step_column *shown) {
  dsm__memory_use most = memory->uses[shown->first];
  for (size_t i = 1; i < shown->count; i++) {
    const dsm__memory_use *const use = &memory->uses[shown->first + i];
    most = use->total_bytes > most.total_bytes ? *use : most;
  }
  return most;
}

static void put_memory_column(dsm__page *page, const dsm__step_timeline *step,
                              const dsm__memory_timeline *memory, const dsm__step_column *shown) {
  const dsm_plan *const plan = step->plan;
  const dsm__memory_use use = use_of_column(memory, shown);
  const char *const name = column_name(page, step, shown);
  const double x = x_of(plan, shown->begin_cycles);
  const double width = x_of(plan, shown->begin_cycles + shown->cycles) - x;
  double y = plot.y + plot.height;
  for (int kind = 0; kind < DSM__MEMORY_KIND_COUNT; kind++) {
    const double height = plot.height * dsm__share(use.bytes[kind], memory->most.total_bytes);
    y -= height;
    if (height > 0.2) { /* what is lower cannot be seen */
      dsm__svg_rect(&page->out, dsm__page_text(page, "memory-%d", kind),
                    (dsm__svg_box){.x = x, .y = y, .width = width, .height = height},
                    dsm__page_text(page, "%s: %s %s of %s", name,
                                   dsm__word_key(&dsm__memory_kind_words, (size_t)kind),
                                   dsm__figure_scaled(use.bytes[kind], "B").text,
                                   dsm__figure_scaled(use.total_bytes, "B").text));
    }
  }
}

static void put_memory_legend(dsm__page *page, const dsm__memory_timeline *memory) {
  dsm__html_begin(&page->out, "ul", "class", "legend", NULL);
  for (int kind = 0; kind < DSM__MEMORY_KIND_COUNT; kind++) {
    if (memory->most.bytes[kind] > 0) {
      dsm__web_legend_entry(page, dsm__page_text(page, "memory-%d", kind),
                            dsm__page_text(page, "%s, at most %s",
                                           dsm__word_key(&dsm__memory_kind_words, (size_t)kind),
                                           dsm__figure_scaled(memory->most.bytes[kind], "B").text));
    }
  }
  dsm__html_end(&page->out, "ul");
}

/* The capacity is checked against a bound from above (docs/model.md, section 12). */
static const char *bound_note(dsm__page *page, const dsm__memory_timeline *memory, double total) {
  static const double least_difference = 1e-3; /* that three digits can show */
  return memory->most.total_bytes < total * (1 - least_difference)
             ? dsm__page_text(page,
                              " The %s of the summary add the largest errors to all activations, "
                              "though these need not be there at the same time.",
                              dsm__figure_scaled(total, "B").text)
             : "";
}

static void put_memory_figure(dsm__page *page, const dsm__step_timeline *step,
                              const dsm__memory_timeline *memory) {
  const double most = memory->most.total_bytes;
  const double capacity = step->plan->result.memory.capacity_bytes;
  dsm__web_figure_begin(page, "memory-figure");
  put_memory_legend(page, memory);
  dsm__web_scroll_begin(page, "Figure of memory over the step");
  dsm__svg_begin(&page->out, "figure", DSM__WEB_WIDTH, figure_height(step->plan),
                 "A column for each pass in order of execution, stacked by what a chip's memory "
                 "holds.");
  const size_t joined = put_columns(page, step, memory, put_memory_column);
  put_level(page, 0, "0");
  put_level(page, 0.5, dsm__page_text(page, "%s", dsm__figure_scaled(most / 2, "B").text));
  put_level(page, 1, dsm__page_text(page, "%s", dsm__figure_scaled(most, "B").text));
  put_time_axis(page, step->plan);
  put_layer_names(page, step);
  dsm__svg_end(&page->out);
  dsm__web_scroll_end(page);
  dsm__web_figure_end(
      page, dsm__page_text(page, "The most at a time is %s, %s of a chip's capacity of %s.%s%s",
                           dsm__figure_scaled(most, "B").text,
                           dsm__web_percent(page, dsm__share(most, capacity)),
                           dsm__figure_scaled(capacity, "B").text,
                           bound_note(page, memory, step->plan->result.memory.total_bytes),
                           joined_note(page, joined)));
}

void dsm__web_memory(dsm__page *page, const dsm_plan_page *subject) {
  dsm__step_timeline step;
  dsm__memory_timeline memory;
  if (!dsm__step_timeline_derive(&step, subject->plan, page->arena) ||
      !dsm__memory_timeline_derive(&memory, &step, page->arena)) {
    page->out.failed = true;
    return;
  }
  dsm__web_paragraph(page, NULL,
                     "What the memory of a chip holds while each pass runs, over the same time.");
  put_memory_figure(page, &step, &memory);
}
