/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_memory.c: what a chip's memory holds over the step. */
#include <math.h>

#include "model/names.h"
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
/* In a report narrower columns are drawn together. */
static const double least_width = 2;

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm_plan *plan;
  dsm__step_timeline step;
  dsm__memory_timeline memory;
  dsm__legend_entry kinds[DSM__MEMORY_KIND_COUNT];
  size_t joined; /* passes that share a column */
} figure;

/* What is held at most while the spans of a column run. */
static const dsm__memory_use *use_of(const figure *f, const dsm__step_column *column) {
  const dsm__memory_use *most = &f->memory.uses[column->first];
  for (size_t i = 1; i < column->count; i++) {
    const dsm__memory_use *const use = &f->memory.uses[column->first + i];
    most = use->total_bytes > most->total_bytes ? use : most;
  }
  return most;
}

static double panel_width(const figure *f) {
  return f->maker->width - left_margin - right_margin;
}

/* Narrower columns of a report are drawn together. */
static dsm__step_column column_at(const figure *f, size_t span) {
  return dsm__step_column_at(
      &f->step, span,
      f->maker->is_in_page ? f->plan->result.step_cycles * least_width / panel_width(f) : 0);
}

/* What is held during a column, the kinds on top of each other. */
static void put_column(figure *f, const dsm__step_column *column) {
  const double ms = dsm__plot_ms_per_cycle(f->plan);
  /* In a picture columns overlap by one of its points: else each of their edges is a faint line. */
  const double point = f->plan->result.step_cycles / (2 * panel_width(f));
  const dsm__panel_axis x = {
      .low = column->begin_cycles * ms,
      .high = (column->begin_cycles + column->cycles + (f->maker->is_in_page ? 0 : point)) * ms};
  const dsm__memory_use *const use = use_of(f, column);
  const char *const about = dsm__plot_column_text(f->maker, &f->step, column);
  double low = 0;
  for (int k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
    if (use->bytes[k] > 0) {
      dsm__mark_box(f->maker, x, (dsm__panel_axis){.low = low, .high = low + use->bytes[k]},
                    f->kinds[k].color,
                    dsm__plot_text(f->maker, "%s: %s, %s", about, f->kinds[k].text,
                                   dsm__figure_scaled(use->bytes[k], "B").text));
      low += use->bytes[k];
    }
  }
}

/* The span in which most is held. */
static size_t fullest(const figure *f) {
  size_t most = 0;
  for (size_t i = 1; i < f->memory.use_count; i++) {
    most = f->memory.uses[i].total_bytes > f->memory.uses[most].total_bytes ? i : most;
  }
  return most;
}

static double put_legend(figure *f) {
  dsm__legend_entry entries[DSM__MEMORY_KIND_COUNT + 1];
  size_t count = 0;
  for (int k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
    const double most = f->memory.most.bytes[k];
    if (most > 0) {
      entries[count++] =
          (dsm__legend_entry){.color = f->kinds[k].color,
                              .text = dsm__plot_text(f->maker, "%s, at most %s", f->kinds[k].text,
                                                     dsm__figure_scaled(most, "B").text)};
    }
  }
  const dsm__step_span *const span = &f->step.spans[fullest(f)];
  const char *const name =
      dsm__plot_fit(f->maker, dsm__step_name(&f->step, span), DSM__SIZE_TEXT, f->maker->width / 3);
  entries[count++] = (dsm__legend_entry){
      .color = DSM__COLOR_INK,
      .text = dsm__plot_text(f->maker, "capacity, %s; at most %s is held, in %s of %s",
                             dsm__figure_scaled(f->plan->result.memory.capacity_bytes, "B").text,
                             dsm__figure_scaled(f->memory.most.total_bytes, "B").text,
                             dsm__word_text(&dsm__pass_words, span->pass), name)};
  return dsm__plot_legend(f->maker, entries, count);
}

/* The kinds on top of each other, and the capacity where the axis reaches it. */
static void put_panel(figure *f, dsm__area area, double high, bool is_last) {
  const double capacity = f->plan->result.memory.capacity_bytes;
  const double end_ms = f->plan->result.step_cycles * dsm__plot_ms_per_cycle(f->plan);
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
  for (size_t i = 0; i < f->memory.use_count;) {
    const dsm__step_column column = column_at(f, i);
    put_column(f, &column);
    f->joined += is_last && column.count > 1 ? column.count : 0;
    i += column.count;
  }
  if (capacity < high) {
    const dsm__point line[] = {{x.low, capacity}, {x.high, capacity}};
    dsm__mark_curve(f->maker, line, DSM__COUNT_OF(line),
                    &(dsm__look){.color = DSM__COLOR_INK, .width = 1.5}, "capacity");
  }
  dsm__plot_panel_end(f->maker);
}

static void put_all(figure *f) {
  const double width = panel_width(f);
  const double capacity = f->plan->result.memory.capacity_bytes;
  const double most = f->memory.most.total_bytes;
  const bool has_overview = capacity > far_above * most;
  for (size_t k = 0; k < DSM__MEMORY_KIND_COUNT; k++) {
    f->kinds[k] = (dsm__legend_entry){.color = dsm__color_of_series(k),
                                      .text = dsm__word_text(&dsm__memory_kind_words, k)};
  }
  double top = put_legend(f) + 8;
  const dsm__area overview = {left_margin, top, width, overview_height};
  top += has_overview ? overview_height + overview_gap : 0;
  const dsm__area area = {left_margin, top + DSM__WAYS_HEIGHT, width, panel_height};
  f->maker->height = ceil(area.top + area.height + axis_height + 4);
  if (has_overview) {
    put_panel(f, overview, 1.15 * capacity, false);
  }
  put_panel(f, area, 1.08 * (has_overview ? most : capacity), true);
  dsm__plot_plan_heading(f->maker, f->plan, "what a chip's memory holds",
                         dsm__plot_joined_text(f->maker, f->joined));
}

void dsm__plot_memory(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {.maker = maker, .plan = plan};
  if (dsm__step_timeline_derive(&f.step, plan, maker->arena) &&
      dsm__memory_timeline_derive(&f.memory, &f.step, maker->arena)) {
    put_all(&f);
  } else {
    maker->body.failed = true;
  }
}
