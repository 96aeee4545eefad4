/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_loss.c: where the time of each layer and pass goes (DeepSpatialMatrix, Fig. 13). */
#include <math.h>

#include "model/names.h"
#include "report/figure/palette.h"
#include "report/figure/plot_bands.h"
#include "report/figure/plot_plan.h"
#include "report/loss.h"
#include "report/table/number_style.h"

static const double left_margin = 78;
static const char *const strip_color = "#444444";
static const char *const tic_color = "#DDDDDD";
static const double strip_gap = 5;

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm_plan *plan;
  dsm__bands bands;
  dsm__plot_passes passes;
  dsm__used_parts used;
  double strip_height;
  double bars_height;
  double pass_gap;
  dsm__panel_axis shares; /**< of the strips: percent of the step */
} figure;

static void put_line(figure *f, dsm__text_buffer *data, size_t layer, dsm_pass p) {
  const dsm_pass_plan *const pass = &f->plan->layers[layer].passes[p];
  if (!pass->exists) {
    return;
  }
  const dsm__loss loss = dsm__loss_of_pass(pass);
  const dsm__time_parts parts = dsm__time_parts_of(&loss);
  dsm__plot_put_pass(data, layer, p);
  dsm__plot_put_number(data, loss.total);
  dsm__plot_put_parts(data, &parts, &f->used);
  dsm__plot_put_name(f->maker, data, f->plan->layers[layer].layer->name);
}

/* One line a pass and layer that has it. */
static void put_data(figure *f) {
  dsm__text_buffer *const data = dsm__plot_add_data(f->maker, "bars");
  dsm__text_puts(data, "# layer\tpass\tcycles");
  dsm__plot_name_parts(data);
  dsm__text_puts(data, "\tname\n");
  for (size_t p = 0; p < f->passes.count; p++) {
    for (size_t i = 0; i < f->plan->layer_count; i++) {
      put_line(f, data, i, f->passes.of[p]);
    }
  }
}

/* The largest share of the step. */
static void choose_shares(figure *f) {
  double most = 0;
  for (size_t i = 0; i < f->plan->layer_count; i++) {
    for (size_t p = 0; p < f->passes.count; p++) {
      const dsm_pass_plan *const pass = &f->plan->layers[i].passes[f->passes.of[p]];
      const double cycles = pass->exists ? pass->cycles.total : 0;
      most = fmax(most, dsm__share(cycles, f->plan->result.step_cycles));
    }
  }
  f->shares = dsm__axis_round((dsm__panel_axis){.low = 0, .high = 100 * most});
}

static double put_legend(figure *f, double top, bool is_drawn) {
  dsm__legend_entry entries[DSM__PART_COUNT + 1];
  size_t count = dsm__plot_part_entries(&f->used, entries);
  entries[count++] = (dsm__legend_entry){.color = strip_color, .text = "share of the step's time"};
  const dsm__area area = {.left = 10, .top = top, .width = DSM__PLOT_WIDTH - 20};
  return dsm__plot_legend(f->maker, area, entries, count, is_drawn);
}

static double pass_height(const figure *f) {
  return f->strip_height + strip_gap + f->bars_height;
}

static double band_height(const figure *f) {
  return (double)f->passes.count * (pass_height(f) + f->pass_gap) - f->pass_gap +
         f->bands.names_height;
}

/* How much of the step each layer's pass takes. */
static void put_strip(figure *f, dsm_pass pass, dsm__area area, dsm__panel_axis layers,
                      const char *every) {
  dsm__plot_panel(f->maker, area, layers, f->shares);
  dsm__plot_line(f->maker, (dsm__point){area.left - 4, area.top}, (dsm__point){area.left, area.top},
                 tic_color);
  dsm__plot_label(f->maker, (dsm__point){area.left - 6, area.top},
                  (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT},
                  dsm__plot_text(f->maker, "%s %%", dsm__figure_short(f->shares.high, 3).text));
  dsm__text_printf(&f->maker->body,
                   "plot bars%s using (of('%s')):(0):($1-0.42):($1+0.42):(0):(100*$3/step) with "
                   "boxxyerror lc rgb '%s'\n",
                   every, dsm_pass_name(pass), strip_color);
  dsm__plot_panel_end(f->maker);
}

/* What of its own time goes where. */
static void put_bars(figure *f, dsm_pass pass, dsm__area area, dsm__panel_axis layers,
                     const char *every) {
  static const dsm__panel_axis percent = {.low = 0, .high = 100};
  dsm__plot_panel(f->maker, area, layers, percent);
  dsm__plot_y_axis(f->maker, area, percent, (dsm__axis_text){.unit = "%"});
  const double middle = area.top + (area.height - f->strip_height - strip_gap) / 2;
  dsm__plot_label(
      f->maker, (dsm__point){16, middle},
      (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER, .is_upward = true},
      dsm__word_text(&dsm__pass_words, pass));
  dsm__text_printf(&f->maker->body,
                   "plot for [k in parts] bars%s using (of('%s')):(0):($1-0.42):($1+0.42):"
                   "(low(k)):(high(k)) with boxxyerror lc rgb color(k)\n",
                   every, dsm_pass_name(pass));
  dsm__plot_panel_end(f->maker);
}

/* All passes of a band, and the names below. */
static void put_band(figure *f, size_t band, double top) {
  const dsm__panel_axis layers = {.low = 0.5 + (double)dsm__bands_first(&f->bands, band),
                                  .high = 0.5 + (double)dsm__bands_end(&f->bands, band)};
  const double width = dsm__bands_width(&f->bands, band);
  double y = top;
  for (size_t p = 0; p < f->passes.count; p++) {
    const char *const every =
        dsm__plot_every(f->maker, f->plan, f->passes.of[p], dsm__bands_first(&f->bands, band),
                        dsm__bands_end(&f->bands, band));
    const dsm__area strip = {f->bands.left, y, width, f->strip_height};
    const dsm__area bars = {f->bands.left, y + f->strip_height + strip_gap, width, f->bars_height};
    put_strip(f, f->passes.of[p], strip, layers, every);
    if (p + 1 == f->passes.count) {
      dsm__bands_names(f->maker, &f->bands, band, bars.top + bars.height);
    }
    put_bars(f, f->passes.of[p], bars, layers, every);
    y += pass_height(f) + f->pass_gap;
  }
}

/* Variables and functions of the commands. */
static void put_variables(figure *f) {
  dsm__text_buffer *const body = &f->maker->body;
  dsm__plot_define_of(f->maker);
  dsm__text_puts(body, "step = ");
  dsm__plot_put_number(body, f->plan->result.step_cycles);
  dsm__text_puts(body, "# cycles\n");
  dsm__plot_define_parts(f->maker, &f->used);
}

void dsm__plot_loss(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {.maker = maker, .plan = plan, .passes = dsm__plot_passes_of(plan)};
  choose_shares(&f);
  put_data(&f);
  f.bands = dsm__bands_layout(maker, plan, left_margin, 0);
  f.bars_height = f.bands.is_dense ? 46 : f.bands.count > 1 ? 90 : 120;
  f.strip_height = f.bands.is_dense ? 16 : 30;
  f.pass_gap = f.bands.is_dense ? 11 : 13; /* numbers at both of its edges */
  const double first = dsm__plot_heading_height(true) + put_legend(&f, 0, false) + 10;
  maker->height = ceil(first + (double)f.bands.count * band_height(&f) + 4);
  put_variables(&f);
  const double top = dsm__plot_plan_heading(maker, plan, "where the time of each layer goes", NULL);
  (void)put_legend(&f, top, true);
  dsm__plot_empty_panel(maker);
  for (size_t band = 0; band < f.bands.count; band++) {
    put_band(&f, band, first + (double)band * band_height(&f));
  }
}
