/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/points_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "report/table/number_style.h"

static const double tic_length = 4;
static const double small_pitch = DSM__SIZE_SMALL * DSM__LINE_PITCH;
static const double text_pitch = DSM__SIZE_TEXT * DSM__LINE_PITCH;
/* What a value that stands upright takes at most. */
static const double upright_most = 130;
/* More values than these are a range: its axis has round numbers. */
static const size_t values_most = 24;
/* Between the columns of panels. */
static const double panel_gap = 14;
/* Right of the last axes, for half of a number. */
static const double right_room = 16;
/* Of the room for a text, what is used: fonts differ. */
static const double fit_share = 0.93;
static const double least_part = 60; /* of a heading: less would say nothing */
/* How far a number below an axis may stand out. */
static const double edge_room = 12;
/* At both ends of an axis, as a part of it. */
static const double axis_margin = 0.04;

/* ---- measures ---- */

/* Results by the ends of their names, with the unit that people read. */
typedef struct unit {
  const char *ending;
  const char *name;
  double scale;
} unit;

static const unit units[] = {
    {"_seconds", "ms", 1e3}, {"_bytes", "GB", 1e-9}, {"_cycles", "Mcycles", 1e-6}};

static bool ends_in(const char *text, const char *ending) {
  const size_t length = strlen(text);
  const size_t end = strlen(ending);
  return length > end && strcmp(text + (length - end), ending) == 0;
}

dsm__measure dsm__measure_of(dsm__plot_maker *maker, const dsm_point_table *points, size_t column) {
  const char *const name = points->columns[column];
  const bool is_result = column >= dsm__points_find(points, "mode");
  if (is_result && strcmp(name, "samples_per_second") == 0) {
    return (dsm__measure){.title = "samples/s", .scale = 1, .is_more_better = true};
  }
  if (is_result && strcmp(name, "utilization") == 0) {
    return (dsm__measure){.title = name, .scale = 1, .is_more_better = true};
  }
  for (size_t u = 0; is_result && u < DSM__COUNT_OF(units); u++) {
    if (ends_in(name, units[u].ending)) {
      char shown[80] = "";
      const size_t length = strlen(name) - strlen(units[u].ending);
      for (size_t i = 0; i < length && i + 1 < sizeof shown; i++) {
        shown[i] = name[i] == '_' ? ' ' : name[i];
      }
      return (dsm__measure){.title = dsm__plot_text(maker, "%s (%s)", shown, units[u].name),
                            .scale = units[u].scale};
    }
  }
  return (dsm__measure){.title = name, .scale = 1};
}

double dsm__measured(const dsm_point_table *points, size_t row, size_t column,
                     const dsm__measure *measure) {
  const dsm_cell *const cell = dsm__point_cell(points, row, column);
  return cell->kind == DSM_CELL_NUMBER ? cell->number * measure->scale : (double)NAN;
}

/* ---- the heading ---- */

/* What all points have in common, the shorter first: the mode, networks and systems by name, and
 * values with the names of their columns. */
static const char *common_text(dsm__plot_maker *maker, const dsm_point_table *points) {
  const char *text = "";
  const size_t count = dsm__points_input_count(points);
  for (size_t i = 0; i < count; i++) {
    const size_t column = dsm__points_input_at(points, i);
    const dsm_cell *const value = dsm__points_common(points, column);
    if (value == NULL || value->kind == DSM_CELL_NONE) {
      continue; /* also of what has no column */
    }
    const bool is_of_mean =
        points->workload_count > 0 && strcmp(points->columns[column], "workload") == 0;
    if (is_of_mean || strcmp(points->columns[column], "parallelisms") == 0) {
      continue;
    }
    const bool is_word = value->kind == DSM_CELL_TEXT;
    text = dsm__plot_text(maker, "%s%s%s%s%s", text, text[0] == '\0' ? "" : ", ",
                          is_word ? "" : dsm__points_short_name(points, column), is_word ? "" : " ",
                          dsm__plot_kept(maker, dsm__points_text(maker->arena, value)));
  }
  return text;
}

/* How many points have no result, and which is the first of them; NULL if all have one. */
static const char *missing_text(dsm__plot_maker *maker, const dsm__point_choice *choice,
                                bool has_crosses) {
  const dsm_point_table *const points = &choice->points;
  const size_t failed = dsm__points_failed(points);
  size_t row = 0;
  if (failed == 0) {
    return NULL;
  }
  while (!dsm__point_is_failed(points, row)) {
    row++;
  }
  const char *const name =
      dsm__point_label(maker->arena, choice->axes.items, choice->axes.count, row);
  return dsm__plot_text(maker, "%zu of %zu point%s %s no result%s%s%s", failed, points->row_count,
                        dsm__plural((double)points->row_count), failed == 1 ? "has" : "have",
                        has_crosses ? " (\xC3\x97)" : "",
                        failed == 1 ? ": " : ", the first: ", dsm__plot_kept(maker, name));
}

/* How much of the sweep there is, and of which networks means are; NULL if it is complete. */
static const char *recorded_text(dsm__plot_maker *maker, const dsm__point_choice *choice) {
  const size_t workloads = choice->points.workload_count;
  const size_t recorded = choice->recorded_count;
  const size_t all = choice->points.point_count;
  if (workloads > 0) {
    return dsm__plot_text(maker, "geometric means over %zu workloads; %zu of %zu systems have all",
                          workloads, recorded, all);
  }
  return recorded >= all
             ? NULL
             : dsm__plot_text(maker, "%s of %s points recorded", dsm__figure_count(recorded).text,
                              dsm__figure_count(all).text);
}

static void put_heading(const dsm__chart *chart) {
  dsm__plot_maker *const maker = chart->maker;
  const dsm__point_choice *const choice = chart->choice;
  if (maker->is_in_page) {
    return;
  }
  const char *const title = dsm__plot_text(maker, "%s: %s", choice->points.name, chart->title);
  const char *const parts[] = {recorded_text(maker, choice), chart->also,
                               missing_text(maker, choice, chart->has_crosses),
                               common_text(maker, &choice->points)};
  const double room = fit_share * (maker->width - 2 * DSM__PLOT_MARGIN);
  const char *below = "";
  for (size_t i = 0; i < DSM__COUNT_OF(parts); i++) {
    /* What comes first says what the figure lacks: a part is cut only where those before it leave
     * too little room. */
    const double left = room - dsm__plot_text_width(below, DSM__SIZE_TEXT);
    if (parts[i] != NULL && parts[i][0] != '\0' && left > least_part) {
      const char *const part =
          dsm__plot_text(maker, "%s%s", below[0] == '\0' ? "" : "; ", parts[i]);
      below =
          dsm__plot_text(maker, "%s%s", below, dsm__plot_fit(maker, part, DSM__SIZE_TEXT, left));
    }
  }
  (void)dsm__plot_heading(maker, dsm__plot_fit(maker, title, DSM__SIZE_TITLE, room), below);
}

/* ---- axes with values ---- */

/* Does each value come from the one before by a power of two? */
static bool is_doubling(const dsm__point_axis *values) {
  for (size_t v = 1; v < values->value_count; v++) {
    const double steps = log2(values->values[v].number / values->values[v - 1].number);
    if (!(fabs(steps - round(steps)) < 1e-9)) {
      return false;
    }
  }
  return true;
}

dsm__scale dsm__scale_of_categories(const dsm__point_choice *choice,
                                    const dsm__point_axis *values) {
  return (dsm__scale){.axis = {.low = -0.5, .high = (double)values->value_count - 0.5},
                      .title =
                          values->name[0] == '\0' ? NULL : choice->points.columns[values->column],
                      .values = values,
                      .is_category = true};
}

bool dsm__points_refuse_log(dsm__point_choice *choice, unsigned axes, const char *why) {
  return (choice->view->log_axes & axes) == 0 ||
         dsm__point_choice_refuse(choice, "--log", NULL, "%s", why);
}

/* What of a column has no logarithm. */
static bool refuse_values(dsm__point_choice *choice, unsigned axis, size_t column,
                          const char *found) {
  char why[256];
  (void)snprintf(why, sizeof why, "%s: expected numbers above 0 in \"%s\", found %s",
                 axis == DSM_PLOT_AXIS_X ? "x" : "y", choice->points.columns[column], found);
  return dsm__points_refuse_log(choice, axis, why);
}

bool dsm__scale_of_values(dsm__scale *scale, dsm__point_choice *choice,
                          const dsm__point_axis *values) {
  *scale = dsm__scale_of_categories(choice, values);
  if (!values->is_number) {
    return refuse_values(choice, DSM_PLOT_AXIS_X, values->column, "words");
  }
  const size_t count = values->value_count;
  const double low = values->values[0].number;
  const double high = values->values[count - 1].number;
  const bool is_wanted = (choice->view->log_axes & DSM_PLOT_AXIS_X) != 0;
  const bool spans_much = (count > 2 && is_doubling(values)) || high / low > 100;
  if (low > 0 && (is_wanted || (count > 1 && spans_much))) {
    const double factor = high > low ? pow(high / low, axis_margin) : 2;
    scale->axis = (dsm__panel_axis){low / factor, high * factor, true};
  } else if (count > 1) {
    /* Half of each first: their difference may be larger than any number. */
    const double pad = 2 * axis_margin * (high / 2 - low / 2);
    scale->axis = (dsm__panel_axis){low - pad, high + pad, false};
  }
  scale->is_category = count < 2 && !scale->axis.is_log;
  return low > 0 || refuse_values(choice, DSM_PLOT_AXIS_X, values->column, values->texts[0]);
}

double dsm__scale_position(const dsm__scale *scale, size_t value) {
  return scale->is_category ? (double)value : scale->values->values[value].number;
}

static bool shows_values(const dsm__scale *scale) {
  return scale->values != NULL && (scale->is_category || scale->values->value_count <= values_most);
}

/* The title of an axis that is so long: the whole name of a column, or its last word if that does
 * not fit. */
static const char *title_of(dsm__plot_maker *maker, const dsm__scale *scale, double room) {
  const bool is_short = scale->title == NULL || scale->values == NULL ||
                        dsm__plot_text_width(scale->title, DSM__SIZE_TEXT) <= room;
  return is_short ? scale->title : dsm__plot_fit(maker, scale->values->name, DSM__SIZE_TEXT, room);
}

static double widest(const dsm__scale *scale) {
  double most = 0;
  for (size_t v = 0; v < scale->values->value_count; v++) {
    most = fmax(most, dsm__plot_text_width(scale->values->texts[v], DSM__SIZE_SMALL));
  }
  return most;
}

/* Words that do not fit beside each other stand upright. Numbers that do not are left out. */
static bool is_upright(const dsm__scale *scale, double width) {
  return !scale->values->is_number && scale->values->value_count > 0 &&
         widest(scale) + 6 > width / (double)scale->values->value_count;
}

/* What the values take below an axis that is `width` wide. */
static double x_room(const dsm__scale *scale, double width) {
  const bool upright = scale->values != NULL && is_upright(scale, width);
  return tic_length + (upright ? fmin(widest(scale), upright_most) + 4 : small_pitch) + 4;
}

static void put_x_values(dsm__plot_maker *maker, dsm__area area, const dsm__scale *scale) {
  const bool upright = is_upright(scale, area.width);
  const double bottom = area.top + area.height;
  const double gap = upright ? DSM__SIZE_SMALL * 1.15 : 6;
  const char *const *const texts =
      dsm__plot_fit_all(maker, scale->values->texts, scale->values->value_count, DSM__SIZE_SMALL,
                        upright ? upright_most : area.width);
  double taken = -HUGE_VAL; /* up to where there are labels */
  for (size_t v = 0; v < scale->values->value_count; v++) {
    const double share = dsm__axis_share(&scale->axis, dsm__scale_position(scale, v));
    const double x = area.left + area.width * share;
    const double half = upright ? 0 : dsm__plot_text_width(texts[v], DSM__SIZE_SMALL) / 2;
    if (!scale->is_category) {
      dsm__plot_line(maker, (dsm__point){x, bottom + tic_length}, (dsm__point){x, area.top},
                     DSM__COLOR_GRID);
    }
    /* Long ones at the ends stay near the panel. */
    const double from = fmax(area.left - edge_room + half, x);
    const double middle = fmax(fmin(from, area.left + area.width + edge_room - half), half);
    if (middle - half < taken + gap) {
      continue;
    }
    taken = middle + half;
    const double y = bottom + tic_length + (upright ? 0 : small_pitch / 2);
    dsm__plot_label(maker, (dsm__point){middle, y},
                    (dsm__label_style){.size = DSM__SIZE_SMALL,
                                       .anchor = upright ? DSM__ANCHOR_RIGHT : DSM__ANCHOR_CENTER,
                                       .is_upward = upright},
                    texts[v]);
  }
}

/* The horizontal axis of a panel, with its title below the lowest. */
static void put_x_axis(const dsm__chart *chart, dsm__area area, bool is_lowest) {
  dsm__plot_maker *const maker = chart->maker;
  const char *const title = is_lowest ? title_of(maker, &chart->x, area.width) : NULL;
  if (!shows_values(&chart->x)) {
    dsm__plot_x_axis(maker, area, chart->x.axis, (dsm__axis_text){.title = title});
    return;
  }
  put_x_values(maker, area, &chart->x);
  if (title != NULL) {
    const double y = area.top + area.height + x_room(&chart->x, area.width) - 4 + text_pitch / 2;
    dsm__plot_label(maker, (dsm__point){area.left + area.width / 2, y},
                    (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER},
                    dsm__plot_fit(maker, title, DSM__SIZE_TEXT, area.width));
  }
}

static double y_values_room(const dsm__scale *scale) {
  return DSM__PLOT_MARGIN + text_pitch + 4 + fmin(widest(scale) / fit_share, upright_most) +
         tic_length;
}

/* The values and the title at the left of a panel. */
static void put_y_values(dsm__plot_maker *maker, dsm__area area, const dsm__scale *scale) {
  const char *const *const texts =
      dsm__plot_fit_all(maker, scale->values->texts, scale->values->value_count, DSM__SIZE_SMALL,
                        fit_share * upright_most);
  double taken = HUGE_VAL; /* from where on there are labels, from below */
  for (size_t v = 0; v < scale->values->value_count; v++) {
    const double share = dsm__axis_share(&scale->axis, dsm__scale_position(scale, v));
    const double y = area.top + area.height * (1 - share);
    if (y + DSM__SIZE_SMALL * 1.15 > taken) {
      continue;
    }
    taken = y;
    dsm__plot_label(maker, (dsm__point){area.left - tic_length, y},
                    (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT},
                    texts[v]);
  }
  const double x = area.left - y_values_room(scale) + DSM__PLOT_MARGIN + text_pitch / 2;
  dsm__plot_label(
      maker, (dsm__point){x, area.top + area.height / 2},
      (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER, .is_upward = true},
      dsm__plot_fit(maker, title_of(maker, scale, area.height), DSM__SIZE_TEXT, area.height));
}

/* How the numbers of results are written: "20 M". */
static dsm__axis_text result_text(const dsm__scale *scale) {
  return (dsm__axis_text){.title = scale->title, .unit = scale->axis.high >= 1e7 ? "" : NULL};
}

static double y_room(const dsm__chart *chart) {
  return chart->y.values != NULL
             ? y_values_room(&chart->y)
             : DSM__PLOT_MARGIN / 2 + dsm__plot_y_axis_room(chart->maker, chart->height,
                                                            chart->y.axis, result_text(&chart->y));
}

/* The vertical axis of a panel, with its numbers and title unless the panel at its left has them.
 */
static void put_y_axis(const dsm__chart *chart, dsm__area area, bool is_left) {
  if (chart->y.values == NULL) {
    dsm__axis_text text = result_text(&chart->y);
    text.title = is_left ? text.title : NULL;
    text.has_no_numbers = !is_left;
    dsm__plot_y_axis(chart->maker, area, chart->y.axis, text);
  } else if (is_left) {
    put_y_values(chart->maker, area, &chart->y);
  }
}

void dsm__points_cross(dsm__plot_maker *maker, dsm__point at) {
  if (maker->is_in_page) {
    dsm__plot_label(maker, at,
                    (dsm__label_style){.size = DSM__SIZE_SMALL,
                                       .anchor = DSM__ANCHOR_CENTER,
                                       .color = DSM__COLOR_FAINT},
                    "\xC3\x97");
    return;
  }
  dsm__text_printf(
      &maker->body,
      "set label '' at screen %.6g/W,1-%.6g/H point pt 2 ps 0.7 lc rgb '#555555' front\n", at.x,
      at.y);
}

/* ---- axes of results ---- */

void dsm__result_range_add(dsm__result_range *range, double value) {
  if (isnan(value)) {
    return;
  }
  range->least = range->is_any ? fmin(range->least, value) : value;
  range->most = range->is_any ? fmax(range->most, value) : value;
  range->is_any = true;
}

dsm__panel_axis dsm__result_axis(const dsm__result_range *range) {
  if (range->is_any && range->least > 0 && range->most / range->least > 1000) {
    return dsm__axis_round(
        (dsm__panel_axis){.low = range->least, .high = range->most, .is_log = true});
  }
  return dsm__axis_round(
      (dsm__panel_axis){.low = fmin(range->least, 0), .high = fmax(range->most, 0)});
}

bool dsm__result_axis_choose(dsm__panel_axis *chosen, dsm__point_choice *choice,
                             const dsm__result_range *range, unsigned axis, size_t column) {
  *chosen = dsm__result_axis(range);
  const bool is_wanted = (choice->view->log_axes & axis) != 0;
  if (is_wanted && range->is_any && range->least > 0) {
    *chosen = dsm__axis_round(
        (dsm__panel_axis){.low = range->least, .high = range->most, .is_log = true});
    return true;
  }
  char found[32] = "none";
  if (range->is_any) {
    (void)snprintf(found, sizeof found, "%g", range->least);
  }
  return refuse_values(choice, axis, column, found);
}

/* ---- charts ---- */

bool dsm__chart_begin(dsm__chart *chart, dsm__plot_maker *maker, dsm__point_choice *choice) {
  const size_t count = choice->of_panels.count;
  *chart = (dsm__chart){.maker = maker,
                        .choice = choice,
                        .has_crosses = true,
                        .measure = dsm__measure_of(maker, &choice->points, choice->result),
                        .panels = dsm__arena_array(maker->arena, count, sizeof *chart->panels),
                        .panel_count = count};
  bool is_good = chart->panels != NULL;
  for (size_t panel = 0; is_good && panel < count; panel++) {
    chart->panels[panel] = dsm__point_label(maker->arena, choice->panels.items,
                                            choice->panels.count, choice->of_panels.example[panel]);
    is_good = chart->panels[panel] != NULL;
  }
  chart->y.title = chart->measure.title;
  return dsm__point_choice_has(choice, is_good);
}

/* How many columns of axes that are at least so wide there is room for. */
static size_t columns_that_fit(double room, double min_width) {
  const double fit = floor((room + panel_gap) / (min_width + panel_gap));
  return fit < 1 ? 1 : (size_t)fit;
}

static double panel_pitch(const dsm__chart *chart) {
  return chart->top_room + chart->height + chart->bottom_room;
}

void dsm__chart_lay_out(dsm__chart *chart) {
  const dsm__axis_list *const panels = &chart->choice->panels;
  const size_t count = chart->panel_count;
  if (!(chart->top_room > 0)) {
    chart->top_room = count > 1 ? text_pitch + 4 : 6;
  }
  chart->left_room = y_room(chart);
  const double room = chart->maker->width - right_room - chart->left_room;
  const double least_width = fmin(chart->least_width, room - 14);
  chart->bottom_room = x_room(&chart->x, least_width);
  const size_t last = panels->count > 1 ? panels->items[panels->count - 1]->value_count : 0;
  const size_t most = columns_that_fit(room, least_width);
  const size_t rows_at_least = (count + most - 1) / most;
  const bool is_table = last > 1 && last <= most && count % last == 0;
  chart->columns = is_table ? last : (count + rows_at_least - 1) / rows_at_least;
  const size_t rows = (count + chart->columns - 1) / chart->columns;
  const double columns = (double)chart->columns;
  chart->axes_width = (room - panel_gap * (columns - 1)) / columns;
  chart->maker->height =
      ceil(chart->top + (double)rows * panel_pitch(chart) + text_pitch + DSM__PLOT_MARGIN / 2);
}

static void put_panel(const dsm__chart *chart, size_t panel, dsm__panel_writer *put, void *figure) {
  dsm__plot_maker *const maker = chart->maker;
  const size_t row = panel / chart->columns;
  const size_t column = panel % chart->columns;
  const char *const title = chart->panels[panel];
  const dsm__area area = {.left =
                              chart->left_room + (double)column * (chart->axes_width + panel_gap),
                          .top = chart->top + (double)row * panel_pitch(chart) + chart->top_room,
                          .width = chart->axes_width,
                          .height = chart->height};
  dsm__plot_panel(maker, area, chart->x.axis, chart->y.axis);
  if (title[0] != '\0') {
    dsm__plot_label(maker, (dsm__point){area.left, area.top - text_pitch / 2 - 1},
                    (dsm__label_style){.size = DSM__SIZE_TEXT},
                    dsm__plot_fit_apart(maker, title, DSM__SIZE_TEXT, fit_share * area.width));
  }
  put_y_axis(chart, area, column == 0);
  put_x_axis(chart, area, panel + chart->columns >= chart->panel_count);
  put(figure, panel, area);
  dsm__plot_panel_end(maker);
}

void dsm__chart_draw(dsm__chart *chart, dsm__panel_writer *put, void *figure) {
  for (size_t panel = 0; panel < chart->panel_count; panel++) {
    put_panel(chart, panel, put, figure);
  }
  put_heading(chart);
}
