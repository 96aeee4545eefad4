/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_loss.c: where the time of each layer and pass goes (DeepSpatialMatrix, Fig. 13). */
#include <math.h>

#include "report/figure/plot_plan.h"
#include "report/table/number_style.h"

static const double left_margin = 78;
static const double strip_gap = 5;
/* Layers in a report. */
static const size_t most_layers = 100;
static const dsm__legend_entry strip_entry = {.color = DSM__COLOR_STRONG,
                                              .text = "share of the step's time"};

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm_plan *plan;
  dsm__plot_layers layers;
  dsm__bands bands;
  dsm__part_stack parts;
  double strip_height;
  double bars_height;
  dsm__panel_axis shares; /**< of the strips: percent of the step */
} figure;

/* The line of a pass, if the layer has it; its share of the step, in percent. */
static double put_line(figure *f, size_t place, dsm_pass p) {
  const dsm_layer_plan *const layer = &f->plan->layers[f->layers.items[place]];
  dsm__figure_data *const data = f->parts.stack.data;
  if (!layer->passes[p].exists) {
    return 0;
  }
  const double count = (double)f->layers.counts[place];
  const dsm__loss loss = dsm__loss_times(dsm__loss_of_pass(&layer->passes[p]), count);
  const dsm__time_parts parts = dsm__time_parts_of(&loss);
  dsm__line_begin_pass(f->maker, data, place, p);
  dsm__line_about(f->maker, data, "%s %s", f->layers.names[place], dsm_pass_name(p));
  dsm__line_number(data, loss.total);
  dsm__part_stack_put(&f->parts, &parts);
  dsm__line_end(f->maker, data, f->layers.names[place]);
  return 100 * dsm__share(loss.total, dsm__step_cycles(f->plan));
}

/* One line a pass and layer that has it; strips reach up to the largest share of the step. */
static void put_data(figure *f, const dsm__plot_passes *passes) {
  double most = 0;
  dsm__part_stack_begin(f->maker, &f->parts, f->plan, "bars", "# layer\tpass\tcycles", "\tname\n");
  for (size_t p = 0; p < passes->count; p++) {
    for (size_t i = 0; i < f->layers.count; i++) {
      most = fmax(most, put_line(f, i, passes->of[p]));
    }
  }
  f->shares = dsm__axis_round((dsm__panel_axis){.low = 0, .high = most});
}

/* How much of the step each layer's pass takes. */
static void put_strip(figure *f, const dsm__band_pass *pass, dsm__area area) {
  dsm__plot_panel(f->maker, area, pass->x, f->shares);
  dsm__plot_line(f->maker, (dsm__point){area.left - 4, area.top}, (dsm__point){area.left, area.top},
                 DSM__COLOR_GRID);
  dsm__plot_label(f->maker, (dsm__point){area.left - 6, area.top},
                  (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT},
                  dsm__plot_text(f->maker, "%s %%", dsm__figure_short(f->shares.high, 3).text));
  f->maker->back_end->sums(f->maker, &f->parts.stack, pass->lines, dsm__step_cycles(f->plan),
                           strip_entry.color);
  f->maker->back_end->panel_end(f->maker);
}

/* What of its own time goes where. */
static void put_pass(void *made, const dsm__band_pass *pass) {
  static const dsm__panel_axis percent = {.low = 0, .high = 100};
  figure *const f = made;
  dsm__area strip = pass->area;
  dsm__area bars = pass->area;
  strip.height = f->strip_height;
  bars.top += f->strip_height + strip_gap;
  bars.height = f->bars_height;
  put_strip(f, pass, strip);
  dsm__bands_names(f->maker, &f->bands, pass);
  dsm__plot_panel(f->maker, bars, pass->x, percent);
  dsm__plot_y_axis(f->maker, bars, percent, (dsm__axis_text){.unit = "%"});
  dsm__bands_title(f->maker, pass);
  f->maker->back_end->stack(f->maker, &f->parts.stack, pass->lines);
  f->maker->back_end->panel_end(f->maker);
}

/* Variables and functions of the commands. */
static void define(figure *f) {
  dsm__text_buffer *const out = &f->maker->definitions;
  dsm__plot_define_of(f->maker);
  dsm__text_puts(out, "step = ");
  dsm__plot_put_number(out, dsm__step_cycles(f->plan));
  dsm__text_puts(out, "# cycles\n");
  dsm__plot_define_stack(f->maker, &f->parts.stack);
}

void dsm__plot_loss(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {
      .maker = maker, .plan = plan, .layers = dsm__plot_layers_of(maker, plan, true, most_layers)};
  const dsm__plot_passes passes = dsm__plot_passes_of(plan);
  if (f.layers.count == 0) {
    return;
  }
  put_data(&f, &passes);
  f.bands = dsm__bands_layout(maker, plan, &f.layers, left_margin, 0);
  f.bars_height = f.bands.is_dense ? 46 : f.bands.count > 1 ? 90 : 120;
  f.strip_height = f.bands.is_dense ? 16 : 30;
  const double pass_height = f.strip_height + strip_gap + f.bars_height;
  const double gap = f.bands.is_dense ? 11 : 13; /* numbers at both of its edges */
  const double legend = dsm__part_stack_legend(maker, &f.parts, &strip_entry, false);
  const double first = dsm__plot_heading_height(maker) + legend + 10;
  maker->height = ceil(first + dsm__bands_height(&f.bands, &passes, pass_height, gap) + 4);
  define(&f);
  dsm__plot_plan_heading(maker, plan, "where the time of each layer goes", f.layers.note);
  (void)dsm__part_stack_legend(maker, &f.parts, &strip_entry, true);
  dsm__plot_empty_panel(maker);
  dsm__bands_put(&f.bands, &passes, first, pass_height, gap, put_pass, &f);
}
