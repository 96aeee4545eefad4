/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * points_ladder.c: the ladders that points are.
 *
 * The rungs are the values of one axis. Axes that vary together with it belong to the ladder: in
 * the bundled fig11 the first rung has a system of its own. Points that are alike in all other axes
 * are one ladder as long as their rungs go up; a lower rung begins the next.
 *
 * A rate, of which more is better, is compared with the first rung at the first number of the
 * horizontal axis, as in the paper's Fig. 11 (a) to (c), where each is normalized to minibatch 256;
 * a time, which means something else at each, with the first rung at the same place.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "report/figure/points_page.h"

static const char default_rungs[] = "options.optimize";

typedef struct figure {
  dsm__plot_maker *maker;
  dsm__point_choice *choice;
  dsm__measure measure;
  const dsm__point_axis *rungs;
  dsm__axis_list tied;  /* with the rungs */
  dsm__axis_list alike; /* the others, with x */
  dsm__point_groups panels;
  bool is_from_first; /* all bars of a panel have one base */
  dsm__ladder made;
} figure;

/* ---- which ladders there are ---- */

/* An axis that no column has: a text for each row. */
static const dsm__point_axis *made_axis(dsm__point_choice *choice, const char *name,
                                        const dsm_cell *cells) {
  const dsm_point_table table = {
      .columns = &name, .column_count = 1, .cells = cells, .row_count = choice->points.row_count};
  dsm__point_axis *const axis = dsm__arena_alloc(choice->arena, sizeof *axis);
  return axis != NULL && dsm__point_axis_make(axis, choice->arena, &table, 0) ? axis : NULL;
}

/* The rungs, the axes that vary together with them, and the horizontal axis. */
static bool choose_axes(figure *f) {
  dsm__point_choice *const choice = f->choice;
  const dsm_points_view *const view = choice->view;
  const char *const rungs = view->series == NULL ? default_rungs : view->series;
  const bool is_missing = view->series == NULL &&
                          dsm__points_find(&choice->points, rungs) == choice->points.column_count;
  if (!is_missing && !dsm__point_choice_axis(choice, "--series", rungs, &f->rungs)) {
    return false;
  }
  if (is_missing || f->rungs->value_count < 2) {
    return dsm__point_choice_refuse(choice, NULL, "--series names the column of the rungs",
                                    "a ladder needs points that differ in \"%s\"", rungs);
  }
  if ((view->x != NULL && !dsm__point_choice_axis(choice, "--x", view->x, &choice->x)) ||
      !dsm__point_choice_rest(choice, &f->rungs, 1, &f->alike) ||
      !dsm__point_choice_rest(choice, &f->rungs, 1, &f->tied)) {
    return false;
  }
  const size_t count = f->alike.count;
  f->alike.count = 0;
  f->tied.count = 0;
  for (size_t i = 0; i < count; i++) {
    const dsm__point_axis *const axis = f->alike.items[i];
    bool is_tied = false;
    if (!dsm__point_axes_tied(&is_tied, axis, f->rungs, choice->points.row_count, choice->arena)) {
      return dsm__point_choice_has(choice, false);
    }
    dsm__axis_list *const list = is_tied && axis != choice->x ? &f->tied : &f->alike;
    list->items[list->count++] = axis;
  }
  return true;
}

/* The horizontal axis: the one that is wanted, else the widest of those that are not tied. NULL if
 * out of memory. */
static const dsm__point_axis *find_x(const figure *f) {
  dsm__point_choice *const choice = f->choice;
  if (choice->view->x != NULL) {
    return choice->x;
  }
  const dsm__point_axis *best = NULL;
  for (size_t i = 0; i < f->alike.count; i++) {
    best = dsm__point_axis_wider(best, f->alike.items[i]);
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
  assert(f->rungs != NULL); /* they are chosen first */
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
static bool make_panels(figure *f) {
  dsm__point_choice *const choice = f->choice;
  const dsm_cell *const names = name_ladders(f);
  const dsm__point_axis *const ladders = names == NULL ? NULL : made_axis(choice, "ladder", names);
  const dsm__point_axis **const taken =
      dsm__arena_array(choice->arena, f->tied.count + 2, sizeof(const dsm__point_axis *));
  if (!dsm__point_choice_has(choice, ladders != NULL && taken != NULL)) {
    return false;
  }
  assert(ladders != NULL && taken != NULL);
  size_t count = 0;
  taken[count++] = f->rungs;
  taken[count++] = choice->x;
  for (size_t i = 0; i < f->tied.count; i++) {
    taken[count++] = f->tied.items[i];
  }
  if (!dsm__point_choice_rest(choice, taken, count, &choice->panels)) {
    return false;
  }
  if (ladders->value_count > 1) {
    choice->panels.items[choice->panels.count++] = ladders;
  }
  return dsm__point_choice_has(
      choice, dsm__point_groups_make(&f->panels, choice->arena, choice->panels.items,
                                     choice->panels.count, choice->points.row_count));
}

/* ---- bars ---- */

static bool check_counts(const figure *f) {
  const size_t bars = f->choice->x->value_count * f->rungs->value_count;
  const size_t most_bars = 200;
  return dsm__point_choice_panels(f->choice, f->panels.count, "ladders") &&
         dsm__point_choice_count(f->choice, bars, most_bars, "bars of a ladder");
}

/* "hybrid+reuse" after "hybrid" is "+ reuse". */
static const char *rung_name(const figure *f, size_t rung) {
  const char *const text = f->rungs->texts[rung];
  const char *const before = rung == 0 ? "" : f->rungs->texts[rung - 1];
  const size_t length = strlen(before);
  const bool is_more = length > 0 && strncmp(text, before, length) == 0 && text[length] == '+';
  return is_more ? dsm__plot_text(f->maker, "+ %s", text + length + 1) : text;
}

/* Panels and rungs by name, and bars without speed-ups; false if out of memory. */
static bool begin_ladder(figure *f) {
  const dsm__point_choice *const choice = f->choice;
  dsm__ladder *const made = &f->made;
  *made = (dsm__ladder){.measure = f->measure.title,
                        .x = dsm__category_scale_of(choice->x),
                        .rung_count = f->rungs->value_count,
                        .panel_count = f->panels.count};
  if (!dsm__ladder_alloc(made, choice->arena)) {
    return false;
  }
  for (size_t panel = 0; panel < made->panel_count; panel++) {
    made->panels[panel] = dsm__points_panel_name(f->maker, choice, f->panels.example[panel]);
  }
  for (size_t r = 0; r < made->rung_count; r++) {
    made->rungs[r] = (dsm__rung){.name = rung_name(f, r), .whole = f->rungs->texts[r]};
  }
  for (size_t row = 0; row < choice->points.row_count; row++) {
    const double value = dsm__measured(&choice->points, row, choice->result, &f->measure);
    *dsm__ladder_bar(&f->made, f->panels.of_row[row], choice->x->of_row[row],
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
    bar->speedup = !(bar->value > 0)           ? (double)NAN
                   : f->measure.is_more_better ? bar->value / base
                                               : base / bar->value;
    bar->text = isnan(bar->speedup) ? "no result" : NULL;
    dsm__result_range_add(range, bar->speedup);
  }
}

/* All speed-ups, and the axis that has them. */
static bool find_speedups(figure *f) {
  dsm__result_range range = {.is_any = false};
  dsm__panel_axis *const y = &f->made.y;
  dsm__result_range_add(&range, 1);
  for (size_t panel = 0; panel < f->made.panel_count; panel++) {
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
  const char *const place = f->choice->x->texts[0];
  const char *const from = f->made.rungs[0].name;
  const char *const column = f->choice->points.columns[f->choice->result];
  return f->is_from_first ? dsm__plot_text(f->maker, "speed-up (%s) over %s at %s %s", column, from,
                                           f->choice->x->name, place)
                          : dsm__plot_text(f->maker, "speed-up (%s) over %s", column, from);
}

bool dsm__plot_ladder(dsm__plot_maker *maker, dsm__point_choice *choice) {
  figure f = {.maker = maker, .choice = choice};
  if (!dsm__point_choice_result(choice, "--y", choice->view->y) ||
      !dsm__points_refuse_log(choice, DSM_PLOT_AXIS_X,
                              "x: the places of a ladder are divided evenly") ||
      !choose_axes(&f)) {
    return false;
  }
  choice->x = find_x(&f);
  if (!dsm__point_choice_has(choice, choice->x != NULL) || !make_panels(&f) || !check_counts(&f)) {
    return false;
  }
  f.measure = dsm__measure_of(maker, &choice->points, choice->result);
  f.is_from_first = f.measure.is_more_better && choice->x->is_number;
  if (!dsm__point_choice_has(choice, begin_ladder(&f))) {
    return false;
  }
  f.made.title = title_of(&f);
  if (!find_speedups(&f)) {
    return false;
  }
  dsm__ladder_draw(maker, choice, &f.made);
  return true;
}
