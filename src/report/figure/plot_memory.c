/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_memory.c: what a chip's memory holds over the step. */
#include <math.h>

#include "model/names.h"
#include "report/figure/palette.h"
#include "report/figure/plot_metrics.h"
#include "report/figure/plot_plan.h"
#include "report/memory_timeline.h"
#include "report/table/number_style.h"

static const double left_margin = 74;
static const double right_margin = 14;
static const double panel_height = 280;
/* With the whole capacity, where that is far above what is held. */
static const double overview_height = 70;
static const double overview_gap = 14;
static const double far_above = 4;
static const double axis_height = 38;
/* Columns of the data before the kinds. */
static const int kinds_column = 3;
static const char *const capacity_color = "#000000";

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm_plan *plan;
  dsm__step_timeline step;
  dsm__memory_timeline memory;
  double ms_per_cycle;
  bool has_overview;
} figure;

/* Steps end where the next one begins: a last line for the end of the last span. */
static void put_end(figure *f, dsm__text_buffer *data) {
  const double end_ms = f->plan->result.step_cycles * f->ms_per_cycle;
  const dsm__memory_use *const last = &f->memory.uses[f->memory.use_count - 1];
  dsm__plot_put_number(data, end_ms);
  dsm__plot_put_number(data, end_ms);
  for (int k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
    dsm__plot_put_number(data, last->bytes[k]);
  }
  dsm__text_puts(data, "end\t\n");
}

/* One line a span. */
static void put_data(figure *f) {
  dsm__text_buffer *const data = dsm__plot_add_data(f->maker, "spans");
  dsm__text_puts(data, "# begin ms\tend ms");
  for (int k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
    dsm__text_printf(data, "\t%s bytes", dsm__word_key(&dsm__memory_kind_words, (size_t)k));
  }
  dsm__text_puts(data, "\tpass\tname\n");
  for (size_t i = 0; i < f->memory.use_count; i++) {
    const dsm__step_span *const span = &f->step.spans[i];
    dsm__plot_put_number(data, span->begin_cycles * f->ms_per_cycle);
    dsm__plot_put_number(data, (span->begin_cycles + span->cycles) * f->ms_per_cycle);
    for (int k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
      dsm__plot_put_number(data, f->memory.uses[i].bytes[k]);
    }
    dsm__text_printf(data, "%s\t", dsm_pass_name(span->pass));
    dsm__plot_put_name(f->maker, data, f->plan->layers[span->layer].layer->name);
  }
  put_end(f, data);
}

/* The span in which most is held. */
static size_t fullest(const figure *f) {
  size_t most = 0;
  for (size_t i = 1; i < f->memory.use_count; i++) {
    most = f->memory.uses[i].total_bytes > f->memory.uses[most].total_bytes ? i : most;
  }
  return most;
}

static double put_legend(figure *f, double top, bool is_drawn) {
  dsm__legend_entry entries[DSM__MEMORY_KIND_COUNT + 1];
  size_t count = 0;
  for (int k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
    const double most = f->memory.most.bytes[k];
    if (most > 0) {
      entries[count++] = (dsm__legend_entry){
          .color = dsm__color_of_series((size_t)k),
          .text = dsm__plot_text(f->maker, "%s, at most %s",
                                 dsm__word_key(&dsm__memory_kind_words, (size_t)k),
                                 dsm__figure_scaled(most, "B").text)};
    }
  }
  const dsm__step_span *const span = &f->step.spans[fullest(f)];
  const char *const name = dsm__plot_fit(f->maker, f->plan->layers[span->layer].layer->name,
                                         DSM__SIZE_TEXT, DSM__PLOT_WIDTH / 3);
  entries[count++] = (dsm__legend_entry){
      .color = capacity_color,
      .text = dsm__plot_text(f->maker, "capacity, %s; at most %s is held, in %s of %s",
                             dsm__figure_scaled(f->plan->result.memory.capacity_bytes, "B").text,
                             dsm__figure_scaled(f->memory.most.total_bytes, "B").text,
                             dsm__word_text(&dsm__pass_words, span->pass), name)};
  const dsm__area area = {.left = 10, .top = top, .width = DSM__PLOT_WIDTH - 20};
  return dsm__plot_legend(f->maker, area, entries, count, is_drawn);
}

/* The kinds on top of each other, the sum of all first and hidden by the smaller ones, and the
 * capacity where the axis reaches it. */
static void put_panel(figure *f, dsm__area area, double high, bool is_last) {
  const double end_ms = f->plan->result.step_cycles * f->ms_per_cycle;
  const dsm__panel_axis x = {.low = 0, .high = end_ms};
  const dsm__panel_axis y = {.low = 0, .high = high};
  dsm__plot_panel(f->maker, area, x, y);
  dsm__plot_x_axis(
      f->maker, area, x,
      (dsm__axis_text){.title = is_last ? "ms of the step" : NULL, .has_no_numbers = !is_last});
  dsm__plot_y_axis(f->maker, area, y, (dsm__axis_text){.unit = "B"});
  if (is_last) {
    dsm__plot_ways(f->maker, &f->step, area);
  }
  dsm__text_printf(&f->maker->body,
                   "plot for [k=%d:%d:-1] spans using 1:(high(k)) with fillsteps lc rgb "
                   "word(colors,k-%d), \\\n"
                   "  capacity with lines lw 1.5 lc rgb '%s'\n",
                   kinds_column + DSM__MEMORY_KIND_COUNT - 1, kinds_column, kinds_column - 1,
                   capacity_color);
  dsm__plot_panel_end(f->maker);
}

static void put_functions(figure *f) {
  dsm__text_buffer *const body = &f->maker->body;
  dsm__text_puts(body, "capacity = ");
  dsm__plot_put_number(body, f->plan->result.memory.capacity_bytes);
  dsm__text_puts(body, "\ncolors = \"");
  for (size_t k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
    dsm__text_printf(body, "%s%s", k > 0 ? " " : "", dsm__color_of_series(k));
  }
  dsm__text_printf(body, "\"\nhigh(k) = (sum [i=%d:int(k)] column(i))\n", kinds_column);
}

static void put_all(figure *f) {
  const double width = DSM__PLOT_WIDTH - left_margin - right_margin;
  const double capacity = f->plan->result.memory.capacity_bytes;
  f->has_overview = capacity > far_above * f->memory.most.total_bytes;
  const double legend_top = dsm__plot_heading_height(true);
  double top = legend_top + put_legend(f, legend_top, false) + 8;
  const dsm__area overview = {left_margin, top, width, overview_height};
  top += f->has_overview ? overview_height + overview_gap : 0;
  const dsm__area area = {left_margin, top + DSM__WAYS_HEIGHT, width, panel_height};
  f->maker->height = ceil(area.top + area.height + axis_height + 4);
  put_data(f);
  put_functions(f);
  (void)dsm__plot_plan_heading(f->maker, f->plan, "what a chip's memory holds", NULL);
  (void)put_legend(f, legend_top, true);
  dsm__plot_empty_panel(f->maker);
  if (f->has_overview) {
    put_panel(f, overview, 1.15 * capacity, false);
  }
  put_panel(f, area, 1.08 * (f->has_overview ? f->memory.most.total_bytes : capacity), true);
}

void dsm__plot_memory(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {.maker = maker, .plan = plan, .ms_per_cycle = dsm__plot_ms_per_cycle(plan)};
  if (dsm__step_timeline_derive(&f.step, plan, maker->arena) &&
      dsm__memory_timeline_derive(&f.memory, &f.step, maker->arena)) {
    put_all(&f);
  } else {
    maker->body.failed = true;
  }
}
