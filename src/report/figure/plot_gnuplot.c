/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_gnuplot.c: figures as commands for gnuplot, which draws what panels show from the data. */
#include "base/number_text.h"
#include "report/figure/plot_maker.h"

/* ---- definitions ---- */

void dsm__plot_define_of(dsm__plot_maker *maker) {
  dsm__text_puts(&maker->definitions, "of(pass) = strcol(2) eq pass ? column(1) : NaN\n");
}

/* The lower end of a share needs the whole, that of a sum is hidden by the boxes before it. */
void dsm__plot_define_stack(dsm__plot_maker *maker, const dsm__stack *stack) {
  dsm__text_buffer *const out = &maker->definitions;
  const int first = stack->first_column;
  dsm__text_puts(out, "colors = \"");
  for (size_t k = 0; k < stack->count; k++) {
    dsm__text_printf(out, "%s%s", k > 0 ? " " : "", stack->parts[k].color);
  }
  dsm__text_puts(out, "\"\n");
  if (stack->unit != NULL) {
    dsm__text_printf(out, "high(k) = (sum [i=%d:int(k)] column(i))\n", first);
    return;
  }
  dsm__text_puts(out, "parts = \"");
  for (size_t k = 0; k < stack->count; k++) {
    if (stack->is_used[k]) {
      dsm__text_printf(out, "%d ", (int)k + first);
    }
  }
  dsm__text_printf(out,
                   "\"\nhigh(k) = 100 * (sum [i=%d:int(k)] column(i)) / column(%d)\n"
                   "low(k) = high(k) - 100 * column(int(k)) / column(%d)\n"
                   "color(k) = word(colors,k-%d)\n",
                   first, first - 1, first - 1, first - 1);
}

void dsm__plot_define_roof(dsm__plot_maker *maker, const dsm__roof *roof, double right) {
  dsm__text_buffer *const out = &maker->definitions;
  dsm__text_puts(out, "peak = ");
  dsm__plot_put_number(out, roof->peak_flops);
  dsm__text_puts(out, "# FLOP/s of a chip\nbandwidth = ");
  dsm__plot_put_number(out, roof->bytes_per_second);
  dsm__text_puts(out, "# usable bytes/s of its memory\nright = ");
  dsm__plot_put_number(out, right);
  dsm__text_puts(out, "# where points without memory traffic are\n"
                      "roof(x) = bandwidth * x < peak ? bandwidth * x : peak\n"
                      "set samples 1000\n");
}

/* ---- what is put on the page ---- */

void dsm__plot_quote(dsm__plot_maker *maker, const char *text) {
  /* Between single quotes only these mean something to gnuplot. Doubled ones are misread by 5.4
   * where there are several, so that each is a string of its own. */
  dsm__text_puts(&maker->body, "'");
  for (const char *at = dsm__plot_clean(maker, text); *at != '\0'; at++) {
    if (*at == '\'') {
      dsm__text_puts(&maker->body, "'.\"'\".'");
    } else {
      dsm__text_append(&maker->body, at, 1);
    }
  }
  dsm__text_puts(&maker->body, "'");
}

/* A place of the page as gnuplot wants it: parts of the picture, from below. */
static void put_place(dsm__plot_maker *maker, dsm__point at) {
  dsm__text_printf(&maker->body, "screen %.6f,%.6f", at.x / maker->width, 1 - at.y / maker->height);
}

static void put_label(dsm__plot_maker *maker, dsm__point at, dsm__label_style style,
                      const char *text) {
  static const char *const anchors[] = {
      [DSM__ANCHOR_LEFT] = "left", [DSM__ANCHOR_CENTER] = "center", [DSM__ANCHOR_RIGHT] = "right"};
  dsm__text_puts(&maker->body, "set label ");
  dsm__plot_quote(maker, text);
  dsm__text_puts(&maker->body, " at ");
  put_place(maker, at);
  dsm__text_printf(&maker->body, " %s%s font ',%.4g' tc rgb '%s' front\n", anchors[style.anchor],
                   style.is_upward ? " rotate by 90" : "", style.size,
                   style.color == NULL ? DSM__COLOR_INK : style.color);
}

static void put_box(dsm__plot_maker *maker, dsm__area area, const char *color, const char *about) {
  (void)about;
  dsm__text_puts(&maker->body, "set object rectangle from ");
  put_place(maker, (dsm__point){area.left, area.top + area.height});
  dsm__text_puts(&maker->body, " to ");
  put_place(maker, (dsm__point){area.left + area.width, area.top});
  dsm__text_printf(&maker->body, " fc rgb '%s' fs solid noborder\n", color);
}

static void put_line(dsm__plot_maker *maker, dsm__point from, dsm__point to, const char *color) {
  dsm__text_puts(&maker->body, "set arrow from ");
  put_place(maker, from);
  dsm__text_puts(&maker->body, " to ");
  put_place(maker, to);
  dsm__text_printf(&maker->body, " nohead back lc rgb '%s' lw 0.75\n", color);
}

/* ---- panels ---- */

static void put_range(dsm__plot_maker *maker, char letter, const dsm__panel_axis *axis) {
  char low[DSM__NUMBER_TEXT_SIZE];
  char high[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(axis->low, low);
  (void)dsm__double_to_text(axis->high, high);
  dsm__text_printf(&maker->body, "%s logscale %c; set %crange [%s:%s]\n",
                   axis->is_log ? "set" : "unset", letter, letter, low, high);
}

static void begin_panel(dsm__plot_maker *maker) {
  const dsm__area area = maker->panel.area;
  dsm__text_printf(&maker->body, "set lmargin at screen %.6f; set rmargin at screen %.6f\n",
                   area.left / maker->width, (area.left + area.width) / maker->width);
  dsm__text_printf(&maker->body, "set tmargin at screen %.6f; set bmargin at screen %.6f\n",
                   1 - area.top / maker->height, 1 - (area.top + area.height) / maker->height);
  put_range(maker, 'x', &maker->panel.x);
  put_range(maker, 'y', &maker->panel.y);
}

static void end_panel(dsm__plot_maker *maker) {
  dsm__text_puts(&maker->body, "unset label; unset object; unset arrow\n\n");
}

/* ---- what panels show ---- */

const char *dsm__plot_every(dsm__plot_maker *maker, dsm__line_range range) {
  return range.count == 0 ? " every ::0::0"
                          : dsm__plot_text(maker, " every ::%zu::%zu", range.first,
                                           range.first + range.count - 1);
}

static void put_sums(dsm__plot_maker *maker, const dsm__stack *stack, dsm__line_range range,
                     double whole, const char *color) {
  (void)whole; /* the variable "step" */
  dsm__text_printf(&maker->body,
                   "plot %s%s using (of('%s')):(0):($1-0.42):($1+0.42):(0):(100*$3/step) with "
                   "boxxyerror lc rgb '%s'\n",
                   stack->data->name, dsm__plot_every(maker, range), dsm_pass_name(*range.pass),
                   color);
}

static void put_stack(dsm__plot_maker *maker, const dsm__stack *stack, dsm__line_range range) {
  dsm__text_buffer *const body = &maker->body;
  const char *const name = stack->data->name;
  if (stack->unit != NULL) {
    /* Steps: the sum of all parts first, hidden by the smaller ones. */
    dsm__text_printf(body,
                     "plot for [k=%d:%d:-1] %s using 1:(high(k)) with fillsteps lc rgb "
                     "word(colors,k-%d), \\\n"
                     "  capacity with lines lw 1.5 lc rgb '%s'\n",
                     stack->first_column + (int)stack->count - 1, stack->first_column, name,
                     stack->first_column - 1, DSM__COLOR_INK);
    return;
  }
  dsm__text_printf(body, "plot for [k in parts] %s", name);
  if (range.pass == NULL) {
    dsm__text_puts(body, " using (($1+$2)/2):(0):1:2");
  } else {
    dsm__text_printf(body, "%s using (of('%s')):(0):($1-0.42):($1+0.42)",
                     dsm__plot_every(maker, range), dsm_pass_name(*range.pass));
  }
  dsm__text_puts(body, ":(low(k)):(high(k)) with boxxyerror lc rgb color(k)\n");
}

static void put_bars(dsm__plot_maker *maker, const dsm__bars *bars) {
  for (size_t k = 0; k < bars->count; k++) {
    dsm__text_printf(&maker->body, "%s%s index %zu using 1:2:(%.6g) with boxes lc rgb '%s'",
                     k == 0 ? "plot " : ", \\\n     ", bars->data->name, bars->first + k,
                     bars->width, bars->parts[k].color);
  }
  dsm__text_puts(&maker->body, "\n");
}

static void put_curves(dsm__plot_maker *maker, const dsm__figure_data *data,
                       const dsm__curve *curves, size_t count) {
  for (size_t k = 0; k < count; k++) {
    dsm__text_printf(&maker->body, "%s%s using 1:%d with lines lw 1.5 lc rgb '%s'",
                     k == 0 ? "plot " : ", \\\n     ", data->name, curves[k].column,
                     curves[k].color);
  }
  /* A line that is outside its panel: gnuplot draws labels only together with something. */
  dsm__text_puts(&maker->body, count == 0 ? "plot 2\n" : "\n");
}

static void put_points(dsm__plot_maker *maker, const dsm__figure_data *data, dsm_pass pass,
                       const dsm__roof *roof) {
  (void)roof; /* defined before */
  const char *const name = dsm_pass_name(pass);
  dsm__text_printf(&maker->body,
                   "plot roof(x) with lines lw 1.2 lc rgb '%s', \\\n"
                   "  %s using (of('%s') > 0 && $%d <= 0 ? right : $%d/$%d):(of('%s') > 0 ? $%d : "
                   "NaN) with points pt 7 ps 0.75 lc rgb '%s'\n",
                   DSM__COLOR_INK, data->name, name, DSM__COLUMN_BYTES, DSM__COLUMN_FLOP,
                   DSM__COLUMN_BYTES, name, DSM__COLUMN_FLOPS, dsm__color_of_pass(pass));
}

const dsm__back_end dsm__gnuplot = {
    .label = put_label,
    .box = put_box,
    .line = put_line,
    .panel = begin_panel,
    .stack = put_stack,
    .sums = put_sums,
    .bars = put_bars,
    .curves = put_curves,
    .points = put_points,
    .panel_end = end_panel,
};
