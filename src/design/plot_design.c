/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_design.c: the front with the line that no design is below, and what more of anything buys.
 */
#include "design/plot_design.h"

#include <math.h>
#include <string.h>

#include "dsm/design.h"
#include "report/table/number_style.h"

static const double left_margin = 74;
static const double right_margin = 32;
static const double axis_height = 40;

static void put_heading(dsm__plot_maker *maker, const dsm_design *design, const char *what) {
  if (!maker->is_in_page) {
    dsm__plot_heading(maker, dsm__plot_text(maker, "Designs of %s: %s", design->system, what),
                      dsm__plot_text(maker, "best: %s %s, proven within %s %%", design->minimize,
                                     dsm__figure_digits(design->value, 5).text,
                                     dsm__figure_fixed(100 * design->gap, 2).text));
  }
}

/* ---- the front ---- */

/* What holds of a step holds up to where the step before begins. */
static void put_stairs(dsm__plot_maker *maker, const dsm_design *design, double end,
                       bool is_bound) {
  const size_t count = design->front_count;
  dsm__point *const stairs = dsm__arena_array(maker->arena, 2 * count, sizeof *stairs);
  const dsm__look found = {.color = dsm__color_of_series(0), .width = 1.5};
  const dsm__look proven = {.color = DSM__COLOR_STRONG, .width = 1, .dash = 2};
  maker->body.failed = maker->body.failed || stairs == NULL;
  for (size_t i = 0; i < count && !maker->body.failed; i++) {
    const dsm_design_step *const step = &design->front[i];
    const dsm_design_step *const next = i + 1 < count ? step + 1 : step;
    const double value = is_bound ? step->bound : step->value;
    const double from = is_bound && next != step ? next->most : step->spent;
    const double to = i == 0 ? end : is_bound ? step->most : design->front[i - 1].spent;
    stairs[2 * i] = (dsm__point){to, value};
    stairs[2 * i + 1] = (dsm__point){from, value};
  }
  if (!maker->body.failed) {
    dsm__mark_curve(maker, stairs, 2 * count, is_bound ? &proven : &found,
                    is_bound ? "no design is below" : "best found");
  }
}

static void put_steps(dsm__plot_maker *maker, const dsm_design *design) {
  static const double side = 5;
  for (size_t i = 0; i < design->front_count; i++) {
    const dsm_design_step *const step = &design->front[i];
    const dsm__point at = dsm__plot_place(maker, step->spent, step->value);
    dsm__plot_box(maker, (dsm__area){at.x - side / 2, at.y - side / 2, side, side},
                  dsm__color_of_series(0),
                  dsm__plot_text(maker, "%s %s: %s %s, at least %s", design->pareto,
                                 dsm__figure_digits(step->spent, 5).text, design->minimize,
                                 dsm__figure_digits(step->value, 5).text,
                                 dsm__figure_digits(step->bound, 5).text));
  }
}

void dsm__plot_design_front(dsm__plot_maker *maker, const void *of) {
  static const double height = 260;
  const dsm_design *const design = of;
  const dsm__legend_entry legend[] = {{dsm__color_of_series(0), "best found"},
                                      {DSM__COLOR_STRONG, "no design is below"}};
  dsm__panel_axis x = {.low = HUGE_VAL, .high = -HUGE_VAL};
  dsm__panel_axis y = {.low = HUGE_VAL, .high = -HUGE_VAL};
  for (size_t i = 0; i < design->front_count; i++) {
    const dsm_design_step *const step = &design->front[i];
    x = (dsm__panel_axis){.low = fmin(x.low, step->spent), .high = fmax(x.high, step->spent)};
    y = (dsm__panel_axis){.low = fmin(y.low, step->bound), .high = fmax(y.high, step->value)};
  }
  x = dsm__axis_round(x);
  y = dsm__axis_round(y);
  put_heading(maker, design, dsm__plot_text(maker, "%s over %s", design->minimize, design->pareto));
  const double top = dsm__plot_legend(maker, legend, DSM__COUNT_OF(legend)) + 12;
  const dsm__area area = {left_margin, top, maker->width - left_margin - right_margin, height};
  maker->height = ceil(top + height + axis_height + 4);
  dsm__plot_panel(maker, area, x, y);
  dsm__plot_x_axis(maker, area, x, (dsm__axis_text){.title = design->pareto});
  dsm__plot_y_axis(maker, area, y, (dsm__axis_text){.title = design->minimize});
  put_stairs(maker, design, x.high, true);
  put_stairs(maker, design, x.high, false);
  put_steps(maker, design);
  dsm__plot_panel_end(maker);
}

/* ---- what more buys ---- */

/* Share that a budget of a hundredth more saves. */
static double saved_by(const dsm_design *design, const dsm_design_budget *budget) {
  static const double hundredth = 0.01;
  return hundredth * budget->price * fabs(budget->limit) / design->value;
}

bool dsm__design_has_prices(const void *of) {
  const dsm_design *const design = of;
  bool has = false;
  for (size_t d = 0; d < design->parameter_count; d++) {
    has = has || design->parameters[d].gain > 0;
  }
  return has;
}

static void put_bar(dsm__plot_maker *maker, const char *name, double share, double most,
                    double *top, const char *color) {
  static const double bar = 15;
  static const double pitch = 22;
  static const double name_width = 250;
  static const double number_width = 60;
  const double room = maker->width - name_width - number_width - right_margin;
  const char *const text = dsm__plot_text(maker, "%s %%", dsm__figure_fixed(100 * share, 3).text);
  const double width = most > 0 ? room * share / most : 0;
  dsm__plot_label(maker, (dsm__point){name_width - 6, *top + bar / 2},
                  (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT},
                  dsm__plot_fit_apart(maker, name, DSM__SIZE_SMALL, name_width - 12));
  if (width > 0) {
    dsm__plot_box(maker, (dsm__area){name_width, *top, width, bar}, color,
                  dsm__plot_text(maker, "%s: %s", name, text));
  }
  dsm__plot_label(maker, (dsm__point){name_width + width + 6, *top + bar / 2},
                  (dsm__label_style){.size = DSM__SIZE_SMALL}, text);
  *top += pitch;
}

void dsm__plot_design_prices(dsm__plot_maker *maker, const void *of) {
  const dsm_design *const design = of;
  const dsm__legend_entry legend[] = {
      {dsm__color_of_series(0), "the next value of a parameter, budgets aside"},
      {dsm__color_of_series(1), "1 % more of a budget"}};
  double most = 0;
  for (size_t d = 0; d < design->parameter_count; d++) {
    most = fmax(most, design->parameters[d].gain);
  }
  for (size_t b = 0; b < design->budget_count; b++) {
    most = fmax(most, saved_by(design, &design->budgets[b]));
  }
  put_heading(maker, design, "what more buys");
  double top = dsm__plot_legend(maker, legend, DSM__COUNT_OF(legend)) + 12;
  for (size_t d = 0; d < design->parameter_count; d++) {
    put_bar(maker, design->parameters[d].path, design->parameters[d].gain, most, &top,
            legend[0].color);
  }
  for (size_t b = 0; b < design->budget_count; b++) {
    put_bar(maker, design->budgets[b].text, saved_by(design, &design->budgets[b]), most, &top,
            legend[1].color);
  }
  maker->height = ceil(top + 4);
}
