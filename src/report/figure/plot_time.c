/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_time.c: what each moment of a step is spent on: the width of a column is the time of its
 * pass, so that the area of a colour is its share of the step. */
#include <math.h>

#include "report/figure/plot_plan.h"
#include "report/table/number_style.h"

static const double left_margin = 58;
static const double right_margin = 14;
static const double panel_height = 260;
static const double axis_height = 40;
static const double longest_name = 110;
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
  size_t joined; /* passes that share a column */
} figure;

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
    f->joined += column.count > 1 ? column.count : 0;
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
static double put_layers(figure *f, dsm__area area, bool is_drawn) {
  const dsm__step_timeline *const step = &f->step;
  const double step_cycles = f->plan->result.step_cycles;
  const dsm__label_style style = {
      .size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT, .is_upward = true};
  double free_from = area.left;
  double longest = 0;
  for (size_t i = 0; i < step->span_count;) {
    const dsm__step_column run = dsm__step_layer_at(step, i);
    const dsm_layer *const layer = f->plan->layers[step->spans[i].layer].layer;
    const double middle = dsm__share(run.begin_cycles + run.cycles / 2, step_cycles);
    const double x = area.left + area.width * middle;
    if (x >= free_from) {
      const char *const name =
          dsm__plot_fit_apart(f->maker, layer->name, DSM__SIZE_SMALL, longest_name);
      longest = fmax(longest, dsm__plot_text_width(name, DSM__SIZE_SMALL));
      if (is_drawn) {
        dsm__plot_label(f->maker, (dsm__point){x, area.top + area.height + axis_height}, style,
                        name);
      }
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
  dsm__plot_panel(f->maker, area, x, percent);
  dsm__plot_x_axis(f->maker, area, x, (dsm__axis_text){.title = "ms of the step"});
  dsm__plot_y_axis(f->maker, area, percent, (dsm__axis_text){.unit = "%"});
  dsm__plot_ways(f->maker, &f->step, area);
  (void)put_layers(f, area, true);
  put_columns(f);
  dsm__plot_panel_end(f->maker);
}

void dsm__plot_time(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {.maker = maker, .plan = plan};
  if (!dsm__step_timeline_derive(&f.step, plan, maker->arena)) {
    maker->body.failed = true;
    return;
  }
  look_at_columns(&f);
  const double legend = dsm__parts_legend(maker, &f.used, NULL, false);
  const double first = dsm__plot_heading_height(maker) + legend + 4 + DSM__WAYS_HEIGHT;
  const dsm__area area = panel_area(&f, first);
  maker->height = ceil(first + panel_height + axis_height + put_layers(&f, area, false) + 8);
  dsm__plot_plan_heading(maker, plan, "what the time of a step is spent on",
                         dsm__plot_joined_text(maker, f.joined));
  (void)dsm__parts_legend(maker, &f.used, NULL, true);
  dsm__plot_empty_panel(maker);
  put_panel(&f, area);
}
