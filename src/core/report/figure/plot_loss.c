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
  dsm__parts_used used;
  double strip_height;
  double bars_height;
  dsm__panel_axis shares; /**< of the strips: percent of the step */
} figure;

/* The pass of a layer that is shown, of all layers that it stands for; NULL: it has none. */
static const dsm_pass_plan *find_pass(const figure *f, size_t place, dsm_pass p, dsm__loss *loss) {
  const dsm_pass_plan *const pass = &f->plan->layers[f->layers.items[place]].passes[p];
  if (!pass->exists) {
    return NULL;
  }
  *loss = dsm__loss_times(dsm__loss_of_pass(pass), (double)f->layers.counts[place]);
  return pass;
}

/* Which parts there are; strips reach up to the largest share of the step. */
static void look_at_passes(figure *f, const dsm__plot_passes *passes) {
  double most = 0;
  dsm__loss loss;
  for (size_t p = 0; p < passes->count; p++) {
    for (size_t i = 0; i < f->layers.count; i++) {
      if (find_pass(f, i, passes->of[p], &loss) != NULL) {
        const dsm__time_parts parts = dsm__time_parts_of(&loss);
        dsm__parts_use(&f->used, &parts);
        most = fmax(most, 100 * dsm__share(loss.total, dsm__step_cycles(f->plan)));
      }
    }
  }
  f->shares = dsm__axis_round((dsm__panel_axis){.low = 0, .high = most});
}

static const char *about(const figure *f, size_t place, dsm_pass pass) {
  return dsm__plot_text(f->maker, "%s %s", f->layers.names[place], dsm_pass_name(pass));
}

/* How much of the step each layer's pass takes. */
static void put_strip(figure *f, const dsm__band_pass *pass, dsm__area area) {
  dsm__plot_panel(f->maker, area, pass->x, f->shares);
  dsm__plot_line(f->maker, (dsm__point){area.left - 4, area.top}, (dsm__point){area.left, area.top},
                 DSM__COLOR_GRID);
  dsm__plot_label(f->maker, (dsm__point){area.left - 6, area.top},
                  (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT},
                  dsm__plot_text(f->maker, "%s %%", dsm__figure_short(f->shares.high, 3).text));
  for (size_t i = pass->first; i < pass->end; i++) {
    dsm__loss loss;
    if (find_pass(f, i, *pass->pass, &loss) != NULL) {
      const double percent = 100 * loss.total / dsm__step_cycles(f->plan);
      dsm__mark_box(f->maker, dsm__bands_place(i), (dsm__panel_axis){.high = percent},
                    strip_entry.color,
                    dsm__plot_text(f->maker, "%s: %s %% of the step", about(f, i, *pass->pass),
                                   dsm__figure_short(percent, 3).text));
    }
  }
  dsm__plot_panel_end(f->maker);
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
  for (size_t i = pass->first; i < pass->end; i++) {
    dsm__loss loss;
    if (find_pass(f, i, *pass->pass, &loss) != NULL) {
      const dsm__time_parts parts = dsm__time_parts_of(&loss);
      dsm__parts_put(f->maker, dsm__bands_place(i), &parts, loss.total, about(f, i, *pass->pass));
    }
  }
  dsm__plot_panel_end(f->maker);
}

void dsm__plot_loss(dsm__plot_maker *maker, const dsm_plan *plan) {
  figure f = {
      .maker = maker, .plan = plan, .layers = dsm__plot_layers_of(maker, plan, true, most_layers)};
  const dsm__plot_passes passes = dsm__plot_passes_of(plan);
  if (f.layers.count == 0) {
    return;
  }
  look_at_passes(&f, &passes);
  f.bands = dsm__bands_layout(maker, &f.layers, left_margin, 0);
  f.bars_height = f.bands.is_dense ? 46 : f.bands.count > 1 ? 90 : 120;
  f.strip_height = f.bands.is_dense ? 16 : 30;
  const double pass_height = f.strip_height + strip_gap + f.bars_height;
  const double gap = f.bands.is_dense ? 11 : 13; /* numbers at both of its edges */
  const double first = dsm__parts_legend(maker, &f.used, &strip_entry) + 10;
  dsm__plot_plan_heading(maker, plan, "where the time of each layer goes", f.layers.note);
  dsm__bands_put(maker, &f.bands, &passes, first, pass_height, gap, put_pass, &f);
}
