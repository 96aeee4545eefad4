/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_ladder.c: what each of several optimizations gains (DeepSpatialMatrix, Fig. 11): groups of
 * bars, a bar a rung, of the speed-up over the first rung.
 */
#include <math.h>

#include "report/figure/points_page.h"
#include "report/table/number_style.h"

static const double axes_height = 130;
static const double label_gap = 3;
/* Above the highest bar, for its number. */
static const double number_room = 42;

typedef struct figure {
  dsm__plot_maker *maker;
  const dsm__point_choice *choice;
  const dsm__ladder *ladder;
  dsm__legend_entry *legend; /* of the rungs */
  dsm__panel_axis y;
  dsm__panel_grid grid;
} figure;

bool dsm__ladder_alloc(dsm__ladder *ladder, dsm__arena *arena) {
  const size_t bars = ladder->panel_count * ladder->x.values->value_count * ladder->rung_count;
  ladder->panels = dsm__arena_array(arena, ladder->panel_count, sizeof *ladder->panels);
  ladder->rungs = dsm__arena_array(arena, ladder->rung_count, sizeof *ladder->rungs);
  ladder->bars = dsm__arena_array(arena, bars, sizeof *ladder->bars);
  return ladder->panels != NULL && ladder->rungs != NULL && ladder->bars != NULL;
}

dsm__rung_bar *dsm__ladder_bar(const dsm__ladder *ladder, size_t panel, size_t place, size_t rung) {
  const size_t group = panel * ladder->x.values->value_count + place;
  return &ladder->bars[group * ladder->rung_count + rung];
}

/* ---- where things are ---- */

/* The axis with room for the numbers above the bars. */
static dsm__panel_axis with_room(dsm__panel_axis axis) {
  const double share = 1 - number_room / axes_height;
  if (axis.is_log) {
    axis.high = axis.low * pow(fmax(axis.high, 2 * axis.low) / axis.low, 1 / share);
  } else {
    axis.high /= share;
  }
  return axis;
}

static dsm__legend_entry *legend_of(dsm__plot_maker *maker, const dsm__ladder *ladder) {
  dsm__legend_entry *const entries =
      dsm__arena_array(maker->arena, ladder->rung_count, sizeof *entries);
  const char **const names = dsm__arena_array(maker->arena, ladder->rung_count, sizeof *names);
  const double room = maker->width - 2 * DSM__PLOT_MARGIN;
  if (entries == NULL || names == NULL) {
    return NULL;
  }
  for (size_t r = 0; r < ladder->rung_count; r++) {
    names[r] = ladder->rungs[r].name;
  }
  const char *const *const fitted =
      dsm__plot_fit_all(maker, names, ladder->rung_count, DSM__SIZE_TEXT, room - 20);
  for (size_t r = 0; r < ladder->rung_count; r++) {
    entries[r] = (dsm__legend_entry){
        .color = r == 0 ? "#999999" : dsm__color_of_series((r - 1) % 7), .text = fitted[r]};
  }
  return entries;
}

static double put_legend(const figure *f, bool is_drawn) {
  return dsm__plot_legend(f->maker, dsm__plot_heading_height(f->maker), f->legend,
                          f->ladder->rung_count, is_drawn);
}

static void lay_out(figure *f) {
  const dsm__ladder *const ladder = f->ladder;
  const double left_room = dsm__points_y_room(f->maker, f->y, axes_height);
  const double bars = (double)ladder->x.values->value_count * ((double)ladder->rung_count + 1);
  const double min_width = fmin(fmax(12 * bars, 150), f->maker->width - left_room - 30);
  const dsm__panel_grid wanted = {
      .top = dsm__plot_heading_height(f->maker) + put_legend(f, false) + 6,
      .left_room = left_room,
      .bottom_room = dsm__value_tics_room(&ladder->x, min_width),
  };
  f->grid = dsm__panel_grid_make(f->maker, f->choice, ladder->panel_count, wanted, min_width,
                                 axes_height);
}

/* From bar to bar, as a part of the distance of places. */
static double bar_pitch(const dsm__ladder *ladder) {
  return 1 / ((double)ladder->rung_count + 1);
}

static double bar_position(const dsm__ladder *ladder, size_t place, size_t rung) {
  const double middle = ((double)ladder->rung_count - 1) / 2;
  return (double)place + ((double)rung - middle) * bar_pitch(ladder);
}

/* ---- the picture ---- */

/* What a bar says above it: level where bars are wide enough, else its number alone and upright. */
static void put_number(const figure *f, dsm__area area, double position, const dsm__rung_bar *bar) {
  const dsm__value_scale *const scale = &f->ladder->x;
  const double pitch = area.width * bar_pitch(f->ladder) / (double)scale->values->value_count;
  const double x = area.left + area.width * dsm__axis_share(&scale->axis, position);
  const bool is_known = !isnan(bar->speedup);
  const dsm__figure number = dsm__figure_digits(is_known ? bar->speedup : 0, 3);
  const char *const text = bar->text == NULL ? number.text : bar->text;
  const double share = is_known ? dsm__axis_share(&f->y, bar->speedup) : 0;
  const double top = area.top + area.height * (1 - share) - label_gap;
  dsm__label_style style = {.size = DSM__SIZE_SMALL, .color = is_known ? NULL : DSM__COLOR_FAINT};
  if (dsm__plot_text_width(text, DSM__SIZE_SMALL) + 2 < pitch) {
    style.anchor = DSM__ANCHOR_CENTER;
    dsm__plot_label(f->maker, (dsm__point){x, top - DSM__SIZE_SMALL / 2}, style, text);
  } else if (DSM__SIZE_SMALL * 1.15 < pitch) {
    style.is_upward = true;
    dsm__plot_label(f->maker, (dsm__point){x, top}, style, is_known ? number.text : text);
  } else if (!is_known) {
    dsm__points_cross(f->maker, (dsm__point){x, area.top + area.height - 5});
  }
}

/* What a bar is: what a page says of it, else its result. */
static const char *about(const figure *f, size_t place, size_t rung, const dsm__rung_bar *bar) {
  return bar->about != NULL
             ? bar->about
             : dsm__plot_text(f->maker, "%s, %s: %s %s", f->ladder->rungs[rung].whole,
                              f->ladder->x.values->texts[place],
                              dsm__figure_short(bar->value, 6).text, f->ladder->measure);
}

static void put_bars(const figure *f, size_t panel, size_t rung, dsm__area area) {
  const double half = 0.43 * bar_pitch(f->ladder);
  for (size_t place = 0; place < f->ladder->x.values->value_count; place++) {
    const dsm__rung_bar *const bar = dsm__ladder_bar(f->ladder, panel, place, rung);
    const double position = bar_position(f->ladder, place, rung);
    if (bar->is_there) {
      put_number(f, area, position, bar);
    }
    if (bar->is_there && !isnan(bar->speedup)) {
      dsm__mark_box(f->maker, (dsm__panel_axis){.low = position - half, .high = position + half},
                    (dsm__panel_axis){.low = f->y.low, .high = bar->speedup}, f->legend[rung].color,
                    about(f, place, rung, bar));
    }
  }
}

static void put_panel(const figure *f, size_t panel) {
  const dsm__ladder *const ladder = f->ladder;
  const dsm__area area = dsm__panel_area(&f->grid, panel);
  const char *const title = ladder->panels[panel];
  dsm__points_panel(f->maker, area, ladder->x.axis, f->y, title);
  dsm__points_y_axis(f->maker, &f->grid, panel, f->y, "speed-up");
  dsm__points_x_axis(f->maker, f->choice, &f->grid, panel, &ladder->x);
  for (size_t r = 0; r < ladder->rung_count; r++) {
    put_bars(f, panel, r, area);
  }
  dsm__plot_panel_end(f->maker);
}

void dsm__ladder_draw(dsm__plot_maker *maker, const dsm__point_choice *choice,
                      const dsm__ladder *ladder) {
  figure f = {.maker = maker,
              .choice = choice,
              .ladder = ladder,
              .legend = legend_of(maker, ladder),
              .y = with_room(ladder->y)};
  if (f.legend == NULL) {
    maker->body.failed = true;
    return;
  }
  lay_out(&f);
  dsm__points_heading(maker, choice, ladder->title, NULL, true);
  (void)put_legend(&f, true);
  dsm__plot_empty_panel(maker);
  for (size_t panel = 0; panel < ladder->panel_count; panel++) {
    put_panel(&f, panel);
  }
}
