/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_ladder.c: what each of several optimizations gains: groups of bars, a bar a rung, of the
 * speed-up over the first rung.
 *
 * The rungs are the values of one axis. Axes that vary together with it belong to the ladder: in
 * the bundled fig11 the first rung has a system of its own. Points that are alike in all other axes
 * are one ladder as long as their rungs go up; a lower rung begins the next.
 *
 * A rate, of which more is better, is compared with the first rung at the first number of the
 * horizontal axis, as in the paper's Fig. 11 (a) to (c), where each is normalized to minibatch 256;
 * a time, which means something else at each, with the first rung at the same place.
 */
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "report/figure/points_page.h"
#include "report/table/number_style.h"

static const double axes_height = 130;
static const double label_gap = 3;
static const double none_known = -1;
static const char default_rungs[] = "options.optimize";

typedef struct figure {
  dsm__plot_maker *maker;
  dsm__point_choice *choice;
  dsm__measure measure;
  const dsm__point_axis *rungs;
  dsm__axis_list tied;  /* with the rungs */
  dsm__axis_list alike; /* the others, with x */
  dsm__value_scale x;
  dsm__panel_axis y; /* of speed-ups */
  dsm__point_groups panels;
  double *values; /* of panel, place and rung: in its measure; NAN: no result, none_known: none */
  const char **rung_names;
  bool is_from_first; /* all bars of a panel have one base */
  dsm__panel_grid grid;
} figure;

static double *value_at(const figure *f, size_t panel, size_t place, size_t rung) {
  return &f->values[(panel * f->choice->x->value_count + place) * f->rungs->value_count + rung];
}

/* ---- which ladders there are ---- */

/* An axis that no column has: a text for each row. */
static const dsm__point_axis *made_axis(dsm__point_choice *choice, const char *name,
                                        const dsm_cell *cells) {
  const dsm_point_table table = {
      .columns = &name, .column_count = 1, .cells = cells, .row_count = choice->points.row_count};
  dsm__point_axis *const axis = dsm__arena_alloc(choice->arena, sizeof *axis);
  return axis != NULL && dsm__point_axis_make(axis, choice->arena, &table, 0) ? axis : NULL;
}

static dsm_status report_no_rungs(const char *rungs, dsm_diags *diags) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0},
                 "--series names the column of the rungs",
                 "a ladder needs points that differ in \"%s\"", rungs);
  return DSM_ERROR_USAGE;
}

/* The rungs, the axes that vary together with them, and the horizontal axis. */
static dsm_status choose_axes(figure *f, dsm_diags *diags) {
  dsm__point_choice *const choice = f->choice;
  const dsm_points_view *const view = choice->view;
  const char *const rungs = view->series == NULL ? default_rungs : view->series;
  if (view->series == NULL &&
      dsm__points_find(&choice->points, rungs) == choice->points.column_count) {
    return report_no_rungs(rungs, diags);
  }
  dsm_status status = dsm__point_choice_axis(choice, "--series", rungs, &f->rungs, diags);
  if (status == DSM_OK && f->rungs->value_count < 2) {
    status = report_no_rungs(rungs, diags);
  }
  if (status == DSM_OK && view->x != NULL) {
    status = dsm__point_choice_axis(choice, "--x", view->x, &choice->x, diags);
  }
  if (status == DSM_OK) {
    status = dsm__point_choice_rest(choice, &f->rungs, 1, &f->alike, diags);
  }
  if (status == DSM_OK) {
    status = dsm__point_choice_rest(choice, &f->rungs, 1, &f->tied, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  const size_t count = f->alike.count;
  f->alike.count = 0;
  f->tied.count = 0;
  for (size_t i = 0; i < count; i++) {
    const dsm__point_axis *const axis = f->alike.items[i];
    bool is_tied = false;
    if (!dsm__point_axes_tied(&is_tied, axis, f->rungs, choice->points.row_count, choice->arena)) {
      return dsm__out_of_memory(diags);
    }
    dsm__axis_list *const list = is_tied && axis != choice->x ? &f->tied : &f->alike;
    list->items[list->count++] = axis;
  }
  return DSM_OK;
}

/* The horizontal axis: the one that is wanted, else of those that are not tied one with numbers
 * before one with words, then that with the most values. NULL if out of memory. */
static const dsm__point_axis *find_x(const figure *f) {
  dsm__point_choice *const choice = f->choice;
  if (choice->view->x != NULL) {
    return choice->x;
  }
  const dsm__point_axis *best = NULL;
  for (size_t i = 0; i < f->alike.count; i++) {
    const dsm__point_axis *const axis = f->alike.items[i];
    if (best == NULL || (axis->is_number && !best->is_number) ||
        (axis->is_number == best->is_number && axis->value_count > best->value_count)) {
      best = axis;
    }
  }
  if (best != NULL) {
    return best;
  }
  dsm_cell *const cells = dsm__arena_array(choice->arena, choice->points.row_count, sizeof *cells);
  return cells == NULL ? NULL : made_axis(choice, "", cells);
}

/* The ladder of each row as a text: what the rows of its highest rung are on the tied axes. */
static dsm_cell *name_ladders(const figure *f) {
  const dsm__point_choice *const choice = f->choice;
  const size_t row_count = choice->points.row_count;
  dsm__point_groups alike;
  if (!dsm__point_groups_make(&alike, choice->arena, f->alike.items, f->alike.count, row_count)) {
    return NULL;
  }
  size_t *const last = dsm__arena_array(choice->arena, alike.count, sizeof *last);
  dsm_cell *const cells = dsm__arena_array(choice->arena, row_count, sizeof *cells);
  if (last == NULL || cells == NULL) {
    return NULL;
  }
  /* From the end, so that the highest rung comes first. `last` is one more than the row of the
   * highest rung of the ladder that a group is in, with the row above it in the text's place. */
  for (size_t row = row_count; row-- > 0;) {
    const size_t group = alike.of_row[row];
    const size_t above = last[group];
    const bool is_next = above > 0 && f->rungs->of_row[row] < f->rungs->of_row[above - 1];
    const char *const text =
        is_next ? cells[above - 1].text
                : dsm__point_label(choice->arena, f->tied.items, f->tied.count, row);
    if (text == NULL) {
      return NULL;
    }
    cells[row] = (dsm_cell){.kind = DSM_CELL_TEXT, .text = text};
    last[group] = row + 1;
  }
  return cells;
}

/* Ladders make panels, with all other axes. */
static dsm_status make_panels(figure *f, dsm_diags *diags) {
  dsm__point_choice *const choice = f->choice;
  const dsm_cell *const names = name_ladders(f);
  const dsm__point_axis *const ladders = names == NULL ? NULL : made_axis(choice, "ladder", names);
  if (ladders == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm__point_axis **const taken =
      dsm__arena_array(choice->arena, f->tied.count + 2, sizeof(const dsm__point_axis *));
  if (taken == NULL) {
    return dsm__out_of_memory(diags);
  }
  size_t count = 0;
  taken[count++] = f->rungs;
  taken[count++] = choice->x;
  for (size_t i = 0; i < f->tied.count; i++) {
    taken[count++] = f->tied.items[i];
  }
  const dsm_status status = dsm__point_choice_rest(choice, taken, count, &choice->panels, diags);
  if (status != DSM_OK) {
    return status;
  }
  if (ladders->value_count > 1) {
    choice->panels.items[choice->panels.count++] = ladders;
  }
  if (!dsm__point_groups_make(&f->panels, choice->arena, choice->panels.items, choice->panels.count,
                              choice->points.row_count)) {
    return dsm__out_of_memory(diags);
  }
  return DSM_OK;
}

/* ---- bars ---- */

static dsm_status check_counts(const figure *f, dsm_diags *diags) {
  const size_t bars = f->choice->x->value_count * f->rungs->value_count;
  const size_t most_bars = 200;
  const dsm_status status =
      dsm__points_check_count(f->panels.count, DSM__PANELS_MAX, "ladders", diags);
  return status == DSM_OK ? dsm__points_check_count(bars, most_bars, "bars of a ladder", diags)
                          : status;
}

static bool find_values(figure *f) {
  const dsm__point_choice *const choice = f->choice;
  const size_t count = f->panels.count * choice->x->value_count * f->rungs->value_count;
  f->values = dsm__arena_array(choice->arena, count, sizeof *f->values);
  f->rung_names = dsm__arena_array(choice->arena, f->rungs->value_count, sizeof *f->rung_names);
  if (f->values == NULL || f->rung_names == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    f->values[i] = none_known;
  }
  for (size_t row = 0; row < choice->points.row_count; row++) {
    const double value = dsm__measured(&choice->points, row, choice->result, &f->measure);
    *value_at(f, f->panels.of_row[row], choice->x->of_row[row], f->rungs->of_row[row]) =
        value > 0 ? value : (double)NAN; /* of anything else nothing is a multiple */
  }
  return true;
}

/* What the bars of a place are compared with; NAN if there is nothing. */
static double base_of(const figure *f, size_t panel, size_t place) {
  const double own = *value_at(f, panel, place, 0);
  if (!f->is_from_first) {
    return own > 0 ? own : (double)NAN;
  }
  for (size_t first = 0; first < f->choice->x->value_count; first++) {
    const double value = *value_at(f, panel, first, 0);
    if (value > 0) {
      return value;
    }
  }
  return (double)NAN;
}

/* The speed-up of a bar; NAN if it has none. */
static double speedup(const figure *f, size_t panel, size_t place, size_t rung) {
  const double value = *value_at(f, panel, place, rung);
  const double base = base_of(f, panel, place);
  if (!(value > 0)) {
    return (double)NAN;
  }
  return f->measure.is_more_better ? value / base : base / value;
}

/* "hybrid+reuse" after "hybrid" is "+ reuse". */
static void name_rungs(figure *f) {
  for (size_t r = 0; r < f->rungs->value_count; r++) {
    const char *const text = f->rungs->texts[r];
    const char *const before = r == 0 ? "" : f->rungs->texts[r - 1];
    const size_t length = strlen(before);
    const bool is_more = length > 0 && strncmp(text, before, length) == 0 && text[length] == '+';
    f->rung_names[r] = is_more ? dsm__plot_text(f->maker, "+ %s", text + length + 1) : text;
  }
}

static const char *rung_color(size_t rung) {
  return rung == 0 ? "#999999" : dsm__color_of_series((rung - 1) % 7);
}

/* ---- the picture ---- */

static double put_legend(figure *f, bool is_drawn) {
  dsm__legend_entry *const entries =
      dsm__arena_array(f->choice->arena, f->rungs->value_count, sizeof *entries);
  if (entries == NULL) {
    f->maker->body.failed = true;
    return 0;
  }
  const double room = f->maker->width - 2 * DSM__PLOT_MARGIN;
  for (size_t r = 0; r < f->rungs->value_count; r++) {
    entries[r] = (dsm__legend_entry){
        .color = rung_color(r),
        .text = dsm__plot_fit(f->maker, f->rung_names[r], DSM__SIZE_TEXT, room - 20)};
  }
  return dsm__plot_legend(f->maker, dsm__plot_heading_height(f->maker), entries,
                          f->rungs->value_count, is_drawn);
}

/* From bar to bar, as a part of the distance of places. */
static double bar_pitch(const figure *f) {
  return 1 / ((double)f->rungs->value_count + 1);
}

static double bar_position(const figure *f, size_t place, size_t rung) {
  const double middle = ((double)f->rungs->value_count - 1) / 2;
  return (double)place + ((double)rung - middle) * bar_pitch(f);
}

/* The number of a bar above it, where bars are wide enough for one. */
static void put_number(figure *f, dsm__area area, dsm__panel_axis y, double position,
                       double value) {
  const double pitch = area.width * bar_pitch(f) / (double)f->choice->x->value_count;
  const double x = area.left + area.width * dsm__axis_share(&f->x.axis, position);
  const bool is_known = !isnan(value);
  const dsm__figure number = dsm__figure_digits(is_known ? value : 0, 3);
  const char *const text = is_known ? number.text : "no result";
  const double width = dsm__plot_text_width(text, DSM__SIZE_SMALL);
  const double share = is_known ? dsm__axis_share(&y, value) : 0;
  const double top = area.top + area.height * (1 - share) - label_gap;
  dsm__label_style style = {.size = DSM__SIZE_SMALL, .color = is_known ? NULL : "#555555"};
  dsm__point at = {x, top};
  if (width + 2 < pitch) {
    style.anchor = DSM__ANCHOR_CENTER;
    at.y -= DSM__SIZE_SMALL / 2;
  } else if (DSM__SIZE_SMALL * 1.15 < pitch) {
    style.is_upward = true;
  } else {
    if (!is_known) {
      dsm__points_cross(f->maker, (dsm__point){x, area.top + area.height - 5});
    }
    return;
  }
  dsm__plot_label(f->maker, at, style, dsm__plot_text(f->maker, "%s", text));
}

static void put_bars(figure *f, dsm__text_buffer *data, size_t panel, size_t rung, dsm__area area,
                     dsm__panel_axis y) {
  for (size_t place = 0; place < f->choice->x->value_count; place++) {
    const double value = *value_at(f, panel, place, rung);
    const double bar = speedup(f, panel, place, rung);
    const bool is_recorded = value != none_known;
    const double position = bar_position(f, place, rung);
    if (is_recorded) {
      put_number(f, area, y, position, bar);
    }
    dsm__plot_put_number(data, position);
    dsm__plot_put_number(data, bar);
    dsm__plot_put_number(data, is_recorded ? value : (double)NAN);
    dsm__plot_put_name(f->maker, data, f->choice->x->texts[place]);
  }
}

/* From and up to which speed-up panels go, with room for the numbers above the bars. */
static dsm_status choose_speedups(figure *f, dsm_diags *diags) {
  const double room = 42 / axes_height;
  dsm__result_range range = {.is_any = false};
  dsm__result_range_add(&range, 1);
  for (size_t panel = 0; panel < f->panels.count; panel++) {
    for (size_t place = 0; place < f->choice->x->value_count; place++) {
      for (size_t r = 0; r < f->rungs->value_count; r++) {
        dsm__result_range_add(&range, speedup(f, panel, place, r));
      }
    }
  }
  if ((f->choice->view->log_axes & DSM_PLOT_AXIS_Y) == 0) {
    f->y = (dsm__panel_axis){.low = 0, .high = range.most / (1 - room)};
    return DSM_OK;
  }
  const dsm_status status =
      dsm__result_axis_choose(&f->y, f->choice, &range, DSM_PLOT_AXIS_Y, f->choice->result, diags);
  f->y.high = f->y.low * pow(fmax(range.most, 2 * f->y.low) / f->y.low, 1 / (1 - room));
  return status;
}

static void put_panel(figure *f, dsm__text_buffer *data, size_t panel) {
  dsm__text_buffer *const body = &f->maker->body;
  const dsm__area area = dsm__panel_area(&f->grid, panel);
  const char *const title = dsm__points_panel_name(f->maker, f->choice, f->panels.example[panel]);
  dsm__points_panel(f->maker, area, f->x.axis, f->y, title);
  dsm__points_y_axis(f->maker, &f->grid, panel, f->y, "speed-up");
  dsm__points_x_axis(f->maker, f->choice, &f->grid, panel, &f->x);
  const size_t count = f->rungs->value_count;
  for (size_t r = 0; r < count; r++) {
    dsm__points_block(
        f->maker, data, title,
        dsm__plot_text(f->maker, "%s%s", title[0] == '\0' ? "" : ": ", f->rungs->texts[r]));
    put_bars(f, data, panel, r, area, f->y);
  }
  for (size_t r = 0; r < count; r++) {
    dsm__text_printf(body, "%sbars index %zu using 1:2:(%.6g) with boxes lc rgb '%s'",
                     r == 0 ? "plot " : ", \\\n     ", panel * count + r, 0.86 * bar_pitch(f),
                     rung_color(r));
  }
  dsm__text_puts(body, "\n");
  f->maker->back_end->panel_end(f->maker);
}

static const char *ladder_title(const figure *f) {
  const char *const place = f->choice->x->texts[0];
  const char *const from = f->rung_names[0];
  const char *const column = f->choice->points.columns[f->choice->result];
  return f->is_from_first ? dsm__plot_text(f->maker, "speed-up (%s) over %s at %s %s", column, from,
                                           f->choice->x->name, place)
                          : dsm__plot_text(f->maker, "speed-up (%s) over %s", column, from);
}

static void lay_out(figure *f) {
  const double left_room = dsm__points_y_room(f->maker, f->y, axes_height);
  const double bars = (double)f->choice->x->value_count * ((double)f->rungs->value_count + 1);
  const double min_width = fmin(fmax(12 * bars, 150), f->maker->width - left_room - 30);
  const dsm__panel_grid wanted = {
      .top = dsm__plot_heading_height(f->maker) + put_legend(f, false) + 6,
      .left_room = left_room,
      .bottom_room = dsm__value_tics_room(&f->x, min_width),
  };
  f->grid =
      dsm__panel_grid_make(f->maker, f->choice, f->panels.count, wanted, min_width, axes_height);
}

static void draw(figure *f) {
  name_rungs(f);
  lay_out(f);
  dsm__points_heading(f->maker, f->choice, ladder_title(f), NULL, true);
  (void)put_legend(f, true);
  dsm__plot_empty_panel(f->maker);
  dsm__text_buffer *const data = dsm__plot_add_data(f->maker, "bars");
  dsm__text_puts(data, "# columns: place on the horizontal axis, speed-up, ");
  dsm__plot_put_name(f->maker, data, f->measure.title);
  for (size_t panel = 0; panel < f->panels.count; panel++) {
    put_panel(f, data, panel);
  }
}

dsm_status dsm__plot_ladder(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags) {
  figure f = {.maker = maker, .choice = choice};
  dsm_status status = dsm__point_choice_result(choice, "--y", choice->view->y, diags);
  if (status == DSM_OK) {
    status = dsm__points_refuse_log(choice, DSM_PLOT_AXIS_X,
                                    "x: the places of a ladder are divided evenly", diags);
  }
  if (status == DSM_OK) {
    status = choose_axes(&f, diags);
  }
  choice->x = status == DSM_OK ? find_x(&f) : NULL;
  if (choice->x == NULL) {
    return status == DSM_OK ? dsm__out_of_memory(diags) : status;
  }
  status = make_panels(&f, diags);
  if (status == DSM_OK) {
    status = check_counts(&f, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  f.measure = dsm__measure_of(maker, &choice->points, choice->result);
  f.x = dsm__category_scale_of(choice->x);
  f.is_from_first = f.measure.is_more_better && choice->x->is_number;
  if (!find_values(&f)) {
    return dsm__out_of_memory(diags);
  }
  status = choose_speedups(&f, diags);
  if (status == DSM_OK) {
    draw(&f);
  }
  return status;
}
