/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stddef.h>

#include "report/figure/plot_maker.h"
#include "report/table/number_style.h"

/* Tics of an axis: values first * step^i of a logarithmic one, first + step * i of another. */
typedef struct tics {
  double first;
  double step;
  size_t count;
} tics;

#define tic_length 4.0

/* The smallest of 1, 2, 5 times a power of ten that is at least `value`. */
static double round_up(double value) {
  const double power = pow(10, floor(log10(value)));
  const double digit = value / power;
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/* As many tics as there is room for `most`. */
static tics choose_tics(const dsm__panel_axis *axis, size_t most) {
  const size_t gaps = most < 2 ? 1 : most - 1;
  const double slack = 1e-9;
  if (axis->is_log) {
    const double decades = log10(axis->high / axis->low);
    const double every = fmax(1, ceil((decades - slack) / (double)gaps));
    const double first = ceil(log10(axis->low) - slack);
    const double last = floor(log10(axis->high) + slack);
    return (tics){.first = pow(10, first),
                  .step = pow(10, every),
                  .count = last < first ? 0 : (size_t)floor((last - first) / every + slack) + 1};
  }
  const double extent = axis->high - axis->low;
  const double step = round_up(extent / (double)gaps);
  const double first = step * ceil(axis->low / step - slack);
  return (tics){
      .first = first,
      .step = step,
      .count = first > axis->high ? 0 : (size_t)floor((axis->high - first) / step + slack) + 1};
}

static double tic_value(const dsm__panel_axis *axis, tics all, size_t index) {
  return axis->is_log ? all.first * pow(all.step, (double)index)
                      : all.first + all.step * (double)index;
}

dsm__panel_axis dsm__axis_round(dsm__panel_axis axis) {
  if (axis.is_log) {
    const double low = pow(10, floor(log10(axis.low)));
    const double high = pow(10, ceil(log10(axis.high)));
    return (dsm__panel_axis){.low = low, .high = high > low ? high : 10 * low, .is_log = true};
  }
  const double extent = axis.high > axis.low ? axis.high - axis.low : fmax(fabs(axis.high), 1);
  const double step = round_up(extent / 8);
  const double low = step * floor(axis.low / step);
  const double high = step * ceil(axis.high / step);
  return (dsm__panel_axis){.low = low, .high = high > low ? high : low + step};
}

double dsm__axis_share(const dsm__panel_axis *axis, double value) {
  return axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                      : (value - axis->low) / (axis->high - axis->low);
}

/* The number at a tic. Values of a linear axis that are 0 but for rounding are 0. */
static const char *tic_text(dsm__plot_maker *maker, const dsm__panel_axis *axis, double value,
                            const char *unit) {
  const double extent = axis->high - axis->low;
  const double shown = !axis->is_log && fabs(value) < 1e-9 * extent ? 0 : value;
  if (unit != NULL && shown >= 1) {
    return dsm__plot_text(maker, "%s", dsm__figure_scaled(shown, unit).text);
  }
  if (shown >= 0 && (shown >= 1e-4 || shown <= 0) && shown < 1e7) {
    return dsm__plot_text(maker, "%s%s%s", dsm__figure_short(shown, 4).text,
                          unit == NULL || unit[0] == '\0' ? "" : " ", unit == NULL ? "" : unit);
  }
  return dsm__plot_text(maker, "%.4g%s%s", shown, unit == NULL ? "" : " ",
                        unit == NULL ? "" : unit);
}

/* The widest number of some tics. */
static double widest(dsm__plot_maker *maker, const dsm__panel_axis *axis, tics all,
                     const char *unit) {
  double most = 0;
  for (size_t i = 0; i < all.count; i++) {
    const char *const text = tic_text(maker, axis, tic_value(axis, all, i), unit);
    most = fmax(most, dsm__plot_text_width(text, DSM__SIZE_SMALL));
  }
  return most;
}

void dsm__plot_x_axis(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis axis,
                      dsm__axis_text text) {
  size_t most = 9;
  tics all = choose_tics(&axis, most);
  while (most > 2 && 1.3 * widest(maker, &axis, all, text.unit) * (double)all.count > area.width) {
    most--;
    all = choose_tics(&axis, most);
  }
  const double bottom = area.top + area.height;
  const double number_y = bottom + tic_length + DSM__SIZE_SMALL * DSM__LINE_PITCH / 2;
  for (size_t i = 0; i < all.count; i++) {
    const double value = tic_value(&axis, all, i);
    const double x = area.left + area.width * dsm__axis_share(&axis, value);
    dsm__plot_line(maker, (dsm__point){x, bottom + tic_length}, (dsm__point){x, area.top},
                   DSM__COLOR_GRID);
    if (!text.has_no_numbers) {
      dsm__plot_label(maker, (dsm__point){x, number_y},
                      (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_CENTER},
                      tic_text(maker, &axis, value, text.unit));
    }
  }
  if (text.title != NULL) {
    const double y = number_y + (DSM__SIZE_SMALL + DSM__SIZE_TEXT) * DSM__LINE_PITCH / 2;
    dsm__plot_label(maker, (dsm__point){area.left + area.width / 2, y},
                    (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER},
                    dsm__plot_fit(maker, text.title, DSM__SIZE_TEXT, area.width));
  }
}

static tics choose_y_tics(const dsm__panel_axis *axis, double height) {
  const double pitch = 2 * DSM__SIZE_SMALL;
  const size_t room = (size_t)(height / pitch);
  return choose_tics(axis, room < 9 ? room : 9);
}

/* From a panel to the right end of its numbers, and from their left end to the middle of the
 * title. */
static const double number_gap = tic_length + 2;
static const double title_gap = DSM__SIZE_TEXT;

double dsm__plot_y_axis_room(dsm__plot_maker *maker, double height, dsm__panel_axis axis,
                             dsm__axis_text text) {
  const tics all = choose_y_tics(&axis, height);
  const double numbers = number_gap + widest(maker, &axis, all, text.unit);
  return text.title == NULL ? numbers : numbers + title_gap + DSM__SIZE_TEXT * DSM__LINE_PITCH / 2;
}

void dsm__plot_y_axis(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis axis,
                      dsm__axis_text text) {
  const tics all = choose_y_tics(&axis, area.height);
  const double number_x = area.left - number_gap;
  for (size_t i = 0; i < all.count; i++) {
    const double value = tic_value(&axis, all, i);
    const double y = area.top + area.height * (1 - dsm__axis_share(&axis, value));
    dsm__plot_line(maker, (dsm__point){area.left - tic_length, y},
                   (dsm__point){area.left + area.width, y}, DSM__COLOR_GRID);
    if (!text.has_no_numbers) {
      dsm__plot_label(maker, (dsm__point){number_x, y},
                      (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT},
                      tic_text(maker, &axis, value, text.unit));
    }
  }
  if (text.title != NULL) {
    const double x = number_x - widest(maker, &axis, all, text.unit) - title_gap;
    dsm__plot_label(
        maker, (dsm__point){x, area.top + area.height / 2},
        (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER, .is_upward = true},
        dsm__plot_fit(maker, text.title, DSM__SIZE_TEXT, area.height));
  }
}
