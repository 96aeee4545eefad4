/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_time.c: what the time of a step is spent on: the width of a column is the time of its pass,
 * or of that of equal layers, so that the area of a colour is its share of the step. */
#include <math.h>
#include <stdint.h>

#include "report/figure/plot_plan.h"
#include "report/table/number_style.h"

static const double left_margin = 58;
static const double right_margin = 14;
static const double panel_height = 260;
static const double axis_height = 40;
static const double longest_name = 140;
static const double name_pitch = DSM__SIZE_SMALL * 1.15;
/* What is narrower is drawn together with its neighbours. */
static const double least_width = 1;
static const double least_width_in_page = 2;

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm_plan *plan;
  dsm__step_timeline step;
  double least_cycles; /* of a column */
  dsm__parts_used used;
  size_t joined;  /* passes that share a column because they are short */
  bool is_folded; /* are there equal layers that share one? */
} figure;

/* Gives a column to the passes of equal layers, where the first of them runs: it takes the time of
 * all. False if out of memory. */
static bool fold(figure *f) {
  dsm__step_timeline *const step = &f->step;
  dsm__arena *const arena = f->maker->arena;
  const size_t layer_count = f->plan->layer_count;
  const dsm__plot_layers layers = dsm__plot_layers_of(f->maker, f->plan, true, layer_count);
  dsm__step_span *spans;
  size_t *place_of;
  if (layers.count == 0 || !DSM__RESERVE(arena, spans, step->span_count) ||
      !DSM__RESERVE(arena, place_of, layer_count)) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    place_of[i] = SIZE_MAX;
  }
  for (size_t place = 0; place < layers.count; place++) {
    place_of[layers.items[place]] = place;
  }
  size_t count = 0;
  double end_cycles = 0;
  for (size_t i = 0; i < step->span_count; i++) {
    const size_t place = place_of[step->spans[i].layer];
    if (place != SIZE_MAX) {
      dsm__step_span *const span = &spans[count++];
      *span = step->spans[i];
      span->layer_count = layers.counts[place];
      span->name = layers.names[place];
      span->begin_cycles = end_cycles;
      span->cycles *= (double)span->layer_count;
      end_cycles += span->cycles;
    }
  }
  f->is_folded = count < step->span_count;
  step->spans = spans;
  step->span_count = count;
  return true;
}

static dsm__area panel_area(const figure *f, double top) {
  return (dsm__area){.left = left_margin,
                     .top = top,
                     .width = f->maker->width - left_margin - right_margin,
                     .height = panel_height};
}

static void look_at_columns(figure *f) {
  const double width = f->maker->is_in_page ? least_width_in_page : least_width;
  f->least_cycles = f->plan->result.step_cycles * width / panel_area(f, 0).width;
  for (size_t i = 0; i < f->step.span_count;) {
    const dsm__step_column column = dsm__step_column_at(&f->step, i, f->least_cycles);
    const dsm__time_parts parts = dsm__step_column_parts(&f->step, &column);
    dsm__parts_use(&f->used, &parts);
    f->joined += column.count > 1 ? column.pass_count : 0;
    i += column.count;
  }
}

static void put_columns(figure *f) {
  const double ms = dsm__plot_ms_per_cycle(f->plan);
  for (size_t i = 0; i < f->step.span_count;) {
    const dsm__step_column column = dsm__step_column_at(&f->step, i, f->least_cycles);
    const dsm__time_parts parts = dsm__step_column_parts(&f->step, &column);
    const dsm__panel_axis x = {.low = column.begin_cycles * ms,
                               .high = (column.begin_cycles + column.cycles) * ms};
    dsm__parts_put(f->maker, x, &parts, column.cycles,
                   dsm__plot_column_text(f->maker, &f->step, &column));
    i += column.count;
  }
}

/* Names of layers below the middle of their passes, of as many as there is room for; the height of
 * the longest. */
static double put_layers(figure *f, dsm__area area) {
  const dsm__step_timeline *const step = &f->step;
  const double step_cycles = f->plan->result.step_cycles;
  const dsm__label_style style = {
      .size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT, .is_upward = true};
  double free_from = area.left;
  double longest = 0;
  for (size_t i = 0; i < step->span_count;) {
    const dsm__step_column run = dsm__step_layer_at(step, i);
    const double middle = dsm__share(run.begin_cycles + run.cycles / 2, step_cycles);
    const double x = area.left + area.width * middle;
    if (x >= free_from) {
      const char *const name = dsm__plot_fit_apart(f->maker, dsm__step_name(step, &step->spans[i]),
                                                   DSM__SIZE_SMALL, longest_name);
      longest = fmax(longest, dsm__plot_text_width(name, DSM__SIZE_SMALL));
      dsm__plot_label(f->maker, (dsm__point){x, area.top + area.height + axis_height}, style, name);
      /* Where layers are narrower than their names, some of them stand for their neighbours. */
      free_from = x + name_pitch;
    }
    i += run.count;
  }
  return longest;
}

static void put_panel(figure *f, dsm__area area) {
  const double end_ms = f->plan->result.step_cycles * dsm__plot_ms_per_cycle(f->plan);
  const dsm__panel_axis x = {.low = 0, .high = end_ms};
  const dsm__panel_axis percent = {.low = 0, .high = 100};
  const char *const title =
      f->is_folded ? "ms of the step, equal layers side by side" : "ms of the step";
  dsm__plot_panel(f->maker, area, x, percent);
  dsm__plot_x_axis(f->maker, area, x, (dsm__axis_text){.title = title});
  dsm__plot_y_axis(f->maker, area, percent, (dsm__axis_text){.unit = "%"});
  dsm__plot_ways(f->maker, &f->step, area);
  f->maker->height = ceil(area.top + panel_height + axis_height + put_layers(f, area) + 8);
  put_columns(f);
  dsm__plot_panel_end(f->maker);
}

void dsm__plot_time(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {.maker = maker, .plan = plan};
  if (!dsm__step_timeline_derive(&f.step, plan, maker->arena) || !fold(&f)) {
    maker->body.failed = true;
    return;
  }
  look_at_columns(&f);
  const double first = dsm__parts_legend(maker, &f.used, NULL) + 4 + DSM__WAYS_HEIGHT;
  dsm__plot_plan_heading(maker, plan, "what the time of a step is spent on",
                         dsm__plot_joined_text(maker, f.joined));
  put_panel(&f, panel_area(&f, first));
}
