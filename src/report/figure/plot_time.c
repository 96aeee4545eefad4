/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_time.c: what each moment of a step is spent on: the width of a column is the time of its
 * pass, so that the area of a colour is its share of the step. */
#include <math.h>

#include "report/figure/plot_metrics.h"
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

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm_plan *plan;
  dsm__step_timeline step;
  dsm__used_parts used;
  size_t joined; /* passes that share a column */
} figure;

static dsm__area panel_area(double top) {
  return (dsm__area){.left = left_margin,
                     .top = top,
                     .width = DSM__PLOT_WIDTH - left_margin - right_margin,
                     .height = panel_height};
}

/* The last pass of a column: "forward\tconv1", and of several also the first. */
static void put_names(figure *f, dsm__text_buffer *data, const dsm__step_column *column) {
  const dsm__step_span *const first = &f->step.spans[column->first];
  const dsm__step_span *const last = first + (column->count - 1);
  dsm__text_printf(data, "%zu\t%s\t", column->count, dsm_pass_name(first->pass));
  const char *const begin = f->plan->layers[first->layer].layer->name;
  const char *const end = f->plan->layers[last->layer].layer->name;
  dsm__plot_put_name(f->maker, data,
                     column->count == 1 ? begin
                                        : dsm__plot_text(f->maker, "%s to %s %s", begin, end,
                                                         dsm_pass_name(last->pass)));
}

/* One line a column. */
static void put_data(figure *f) {
  dsm__text_buffer *const data = dsm__plot_add_data(f->maker, "columns");
  const double least = f->plan->result.step_cycles * least_width / panel_area(0).width;
  const double ms = dsm__plot_ms_per_cycle(f->plan);
  dsm__text_puts(data, "# begin ms\tend ms\tcycles");
  dsm__plot_name_parts(data);
  dsm__text_puts(data, "\tpasses\tpass\tname\n");
  for (size_t i = 0; i < f->step.span_count;) {
    const dsm__step_column column = dsm__step_column_at(&f->step, i, least);
    const dsm__time_parts parts = dsm__step_column_parts(&f->step, &column);
    dsm__plot_put_number(data, column.begin_cycles * ms);
    dsm__plot_put_number(data, (column.begin_cycles + column.cycles) * ms);
    dsm__plot_put_number(data, column.cycles);
    dsm__plot_put_parts(data, &parts, &f->used);
    put_names(f, data, &column);
    f->joined += column.count > 1 ? column.count : 0;
    i += column.count;
  }
}

static double put_legend(figure *f, double top, bool is_drawn) {
  dsm__legend_entry entries[DSM__PART_COUNT];
  const size_t count = dsm__plot_part_entries(&f->used, entries);
  const dsm__area area = {.left = 10, .top = top, .width = DSM__PLOT_WIDTH - 20};
  return dsm__plot_legend(f->maker, area, entries, count, is_drawn);
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
      const char *const name = dsm__plot_fit(f->maker, layer->name, DSM__SIZE_SMALL, longest_name);
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
  dsm__text_puts(&f->maker->body,
                 "plot for [k in parts] columns using (($1+$2)/2):(0):1:2:(low(k)):(high(k)) with "
                 "boxxyerror lc rgb color(k)\n");
  dsm__plot_panel_end(f->maker);
}

/* What the figure does not show; NULL if it shows all. */
static const char *joined_text(const figure *f) {
  return f->joined == 0 ? NULL
                        : dsm__plot_text(f->maker, "%s short passes are joined",
                                         dsm__figure_count(f->joined).text);
}

void dsm__plot_time(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {.maker = maker, .plan = plan};
  if (!dsm__step_timeline_derive(&f.step, plan, maker->arena)) {
    maker->body.failed = true;
    return;
  }
  put_data(&f);
  const double legend_top = dsm__plot_heading_height(true);
  const double first = legend_top + put_legend(&f, legend_top, false) + 4 + DSM__WAYS_HEIGHT;
  const dsm__area area = panel_area(first);
  maker->height = ceil(first + panel_height + axis_height + put_layers(&f, area, false) + 8);
  dsm__plot_define_parts(maker, &f.used);
  (void)dsm__plot_plan_heading(maker, plan, "what the time of a step is spent on", joined_text(&f));
  (void)put_legend(&f, legend_top, true);
  dsm__plot_empty_panel(maker);
  put_panel(&f, area);
}
