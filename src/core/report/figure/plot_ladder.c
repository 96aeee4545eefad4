/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_ladder.c: what each of several optimizations gains (DeepSpatialMatrix, Fig. 11): groups of
 * bars, a bar a rung, of the speed-up over the first rung. The rungs are the values of one axis.
 *
 * A rate, of which more is better, is compared with the first rung at the first number of the
 * horizontal axis, as in the paper's Fig. 11 (a) to (c), where each is normalized to minibatch 256;
 * a time, which means something else at each, with the first rung at the same place.
 */
#include <math.h>
#include <string.h>

#include "report/figure/points_page.h"
#include "report/table/number_style.h"

static const double axes_height = 130;
static const char default_rungs[] = "options.optimize";
static const double label_gap = 3;
/* Above the highest bar, for its number. */
static const double number_room = 42;

bool dsm__ladder_alloc(dsm__ladder *ladder, dsm__arena *arena) {
  const dsm__chart *const chart = &ladder->chart;
  const size_t bars = chart->panel_count * chart->x.values->value_count * ladder->rung_count;
  ladder->rungs = dsm__arena_array(arena, ladder->rung_count, sizeof *ladder->rungs);
  ladder->bars = dsm__arena_array(arena, bars, sizeof *ladder->bars);
  return ladder->rungs != NULL && ladder->bars != NULL;
}

dsm__rung_bar *dsm__ladder_bar(const dsm__ladder *ladder, size_t panel, size_t place, size_t rung) {
  const size_t group = panel * ladder->chart.x.values->value_count + place;
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

static const char *color_of(size_t rung) {
  return rung == 0 ? "#999999" : dsm__color_of_series((rung - 1) % 7);
}

/* The colours and names of the rungs; where their legend ends. */
static double put_legend(const dsm__ladder *ladder) {
  dsm__plot_maker *const maker = ladder->chart.maker;
  dsm__legend_entry *const entries =
      dsm__arena_array(maker->arena, ladder->rung_count, sizeof *entries);
  const char **const names = dsm__arena_array(maker->arena, ladder->rung_count, sizeof *names);
  const double room = maker->width - 2 * DSM__PLOT_MARGIN;
  if (entries == NULL || names == NULL) {
    maker->body.failed = true;
    return 0;
  }
  for (size_t r = 0; r < ladder->rung_count; r++) {
    names[r] = ladder->rungs[r].name;
  }
  const char *const *const fitted =
      dsm__plot_fit_all(maker, names, ladder->rung_count, DSM__SIZE_TEXT, room - 20);
  for (size_t r = 0; r < ladder->rung_count; r++) {
    entries[r] = (dsm__legend_entry){.color = color_of(r), .text = fitted[r]};
  }
  return dsm__plot_legend(maker, entries, ladder->rung_count);
}

/* From bar to bar, as a part of the distance of places. */
static double bar_pitch(const dsm__ladder *ladder) {
  return 1 / ((double)ladder->rung_count + 1);
}

/* ---- the picture ---- */

/* What a bar says above it: level where bars are wide enough, else its number alone and upright. */
static void put_number(const dsm__ladder *ladder, dsm__area area, double position,
                       const dsm__rung_bar *bar) {
  dsm__plot_maker *const maker = ladder->chart.maker;
  const dsm__scale *const scale = &ladder->chart.x;
  const dsm__panel_axis *const y = &ladder->chart.y.axis;
  const double pitch = area.width * bar_pitch(ladder) / (double)scale->values->value_count;
  const double x = area.left + area.width * dsm__axis_share(&scale->axis, position);
  const bool is_known = !isnan(bar->speedup);
  const dsm__figure number = dsm__figure_digits(is_known ? bar->speedup : 0, 3);
  const char *const text = bar->text == NULL ? number.text : bar->text;
  const double share = is_known ? dsm__axis_share(y, bar->speedup) : 0;
  const double top = area.top + area.height * (1 - share) - label_gap;
  dsm__label_style style = {.size = DSM__SIZE_SMALL, .color = is_known ? NULL : DSM__COLOR_FAINT};
  if (dsm__plot_text_width(text, DSM__SIZE_SMALL) + 2 < pitch) {
    style.anchor = DSM__ANCHOR_CENTER;
    dsm__plot_label(maker, (dsm__point){x, top - DSM__SIZE_SMALL / 2}, style, text);
  } else if (DSM__SIZE_SMALL * 1.15 < pitch) {
    style.is_upward = true;
    dsm__plot_label(maker, (dsm__point){x, top}, style, is_known ? number.text : text);
  } else if (!is_known) {
    dsm__points_cross(maker, (dsm__point){x, area.top + area.height - 5});
  }
}

/* What a bar is: what a page says of it, else its result. */
static const char *about(const dsm__ladder *ladder, size_t place, size_t rung,
                         const dsm__rung_bar *bar) {
  return bar->about != NULL
             ? bar->about
             : dsm__plot_text(ladder->chart.maker, "%s, %s: %s %s", ladder->rungs[rung].whole,
                              ladder->chart.x.values->texts[place],
                              dsm__figure_short(bar->value, 6).text, ladder->measure);
}

static void put_bars(void *made, size_t panel, dsm__area area) {
  const dsm__ladder *const ladder = made;
  const size_t places = ladder->chart.x.values->value_count;
  const double middle = ((double)ladder->rung_count - 1) / 2;
  const double half = 0.43 * bar_pitch(ladder);
  for (size_t i = 0; i < ladder->rung_count * places; i++) {
    const size_t rung = i / places;
    const size_t place = i % places;
    const dsm__rung_bar *const bar = dsm__ladder_bar(ladder, panel, place, rung);
    const double position = (double)place + ((double)rung - middle) * bar_pitch(ladder);
    if (bar->is_there) {
      put_number(ladder, area, position, bar);
    }
    if (bar->is_there && !isnan(bar->speedup)) {
      dsm__mark_box(ladder->chart.maker,
                    (dsm__panel_axis){.low = position - half, .high = position + half},
                    (dsm__panel_axis){.low = ladder->chart.y.axis.low, .high = bar->speedup},
                    color_of(rung), about(ladder, place, rung, bar));
    }
  }
}

void dsm__ladder_draw(dsm__ladder *ladder) {
  dsm__chart *const chart = &ladder->chart;
  const double bars = (double)chart->x.values->value_count * ((double)ladder->rung_count + 1);
  chart->y.axis = with_room(chart->y.axis);
  chart->y.title = "speed-up";
  chart->height = axes_height;
  chart->least_width = fmax(12 * bars, 150);
  chart->top = put_legend(ladder) + 6;
  dsm__chart_lay_out(chart);
  dsm__chart_draw(chart, put_bars, ladder);
}

/* ---- the ladders that points are ---- */

typedef struct figure {
  dsm__ladder made;
  dsm__point_choice *choice;
  const dsm__point_axis *rungs;
  bool is_from_first; /* all bars of a panel have one base */
} figure;

/* The rungs, panels, and the horizontal axis. */
static bool choose_axes(figure *f, const char *rungs) {
  dsm__point_choice *const choice = f->choice;
  const size_t column = dsm__points_find(&choice->points, rungs);
  const bool is_default = choice->view->series == NULL;
  const bool is_there = column < choice->points.column_count;
  if ((is_default && !is_there) ||
      (is_there && dsm__points_common(&choice->points, column) != NULL)) {
    return dsm__point_choice_refuse(choice, NULL, "--series names the column of the rungs",
                                    "a ladder needs points that differ in \"%s\"", rungs);
  }
  if (!dsm__point_choice_axes(choice, DSM__POINTS_BARS, rungs)) {
    return false;
  }
  const size_t most_bars = 200;
  f->rungs = choice->series.items[0];
  return (choice->series.count == 1 ||
          dsm__point_choice_refuse(choice, "--series", NULL,
                                   "expected the column of the rungs of "
                                   "a ladder, found \"%s\"",
                                   rungs)) &&
         dsm__point_choice_count(choice, choice->x->value_count * f->rungs->value_count, most_bars,
                                 "bars of a ladder");
}

/* "hybrid+reuse" after "hybrid" is "+ reuse". */
static const char *rung_name(const figure *f, size_t rung) {
  const char *const text = f->rungs->texts[rung];
  const char *const before = rung == 0 ? "" : f->rungs->texts[rung - 1];
  const size_t length = strlen(before);
  const bool is_more = length > 0 && strncmp(text, before, length) == 0 && text[length] == '+';
  return is_more ? dsm__plot_text(f->made.chart.maker, "+ %s", text + length + 1) : text;
}

/* Rungs by name, and bars without speed-ups; false if out of memory. */
static bool begin_ladder(figure *f) {
  const dsm__point_choice *const choice = f->choice;
  const dsm__measure *const measure = &f->made.chart.measure;
  f->made.measure = measure->title;
  f->made.chart.x = dsm__scale_of_categories(choice, choice->x);
  f->made.rung_count = f->rungs->value_count;
  if (!dsm__ladder_alloc(&f->made, choice->arena)) {
    return false;
  }
  for (size_t r = 0; r < f->made.rung_count; r++) {
    f->made.rungs[r] = (dsm__rung){.name = rung_name(f, r), .whole = f->rungs->texts[r]};
  }
  for (size_t row = 0; row < choice->points.row_count; row++) {
    const double value = dsm__measured(&choice->points, row, choice->result, measure);
    *dsm__ladder_bar(&f->made, choice->of_panels.of_row[row], choice->x->of_row[row],
                     f->rungs->of_row[row]) = (dsm__rung_bar){
        .is_there = true,
        .value = value > 0 ? value : (double)NAN}; /* of others nothing is a multiple */
  }
  return true;
}

/* What the bars of a place are compared with; NAN if there is nothing. */
static double base_of(const figure *f, size_t panel, size_t place) {
  const size_t end = f->is_from_first ? f->choice->x->value_count : place + 1;
  for (size_t i = f->is_from_first ? 0 : place; i < end; i++) {
    const double value = dsm__ladder_bar(&f->made, panel, i, 0)->value;
    if (value > 0) {
      return value;
    }
  }
  return (double)NAN;
}

/* Compares the bars of a panel's place with their base. */
static void compare_bars(figure *f, size_t panel, size_t place, dsm__result_range *range) {
  const double base = base_of(f, panel, place);
  for (size_t r = 0; r < f->made.rung_count; r++) {
    dsm__rung_bar *const bar = dsm__ladder_bar(&f->made, panel, place, r);
    bar->speedup = !(bar->value > 0)                      ? (double)NAN
                   : f->made.chart.measure.is_more_better ? bar->value / base
                                                          : base / bar->value;
    bar->text = isnan(bar->speedup) ? "no result" : NULL;
    dsm__result_range_add(range, bar->speedup);
  }
}

/* All speed-ups, and the axis that has them. */
static bool find_speedups(figure *f) {
  dsm__result_range range = {.is_any = false};
  dsm__panel_axis *const y = &f->made.chart.y.axis;
  dsm__result_range_add(&range, 1);
  for (size_t panel = 0; panel < f->made.chart.panel_count; panel++) {
    for (size_t place = 0; place < f->choice->x->value_count; place++) {
      compare_bars(f, panel, place, &range);
    }
  }
  const bool is_good =
      (f->choice->view->log_axes & DSM_PLOT_AXIS_Y) == 0 ||
      dsm__result_axis_choose(y, f->choice, &range, DSM_PLOT_AXIS_Y, f->choice->result);
  y->high = range.most;
  return is_good;
}

static const char *title_of(const figure *f) {
  dsm__plot_maker *const maker = f->made.chart.maker;
  const dsm__point_axis *const x = f->choice->x;
  const char *const from = f->made.rungs[0].name;
  const char *const column = f->choice->points.columns[f->choice->result];
  return f->is_from_first ? dsm__plot_text(maker, "speed-up (%s) over %s at %s %s", column, from,
                                           x->name, x->texts[0])
                          : dsm__plot_text(maker, "speed-up (%s) over %s", column, from);
}

bool dsm__plot_ladder(dsm__plot_maker *maker, dsm__point_choice *choice) {
  figure f = {.choice = choice};
  if (!dsm__point_choice_result(choice, "--y", choice->view->y) ||
      !dsm__points_refuse_log(choice, DSM_PLOT_AXIS_X,
                              "x: the places of a ladder are divided evenly") ||
      !choose_axes(&f, choice->view->series == NULL ? default_rungs : choice->view->series) ||
      !dsm__chart_begin(&f.made.chart, maker, choice)) {
    return false;
  }
  f.is_from_first = f.made.chart.measure.is_more_better && choice->x->is_number;
  if (!dsm__point_choice_has(choice, begin_ladder(&f)) || !find_speedups(&f)) {
    return false;
  }
  f.made.chart.title = title_of(&f);
  dsm__ladder_draw(&f.made);
  return true;
}
