/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_script.c: a figure's texts put together for gnuplot. */
#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/plot.h"
#include "report/data/records.h"
#include "report/table/text_page.h"

static const dsm__word form_words[] = {
    [DSM_PLOT_SVG].key = "svg", [DSM_PLOT_PNG].key = "png", [DSM_PLOT_PDF].key = "pdf"};
DSM__NAMED_WORDS(dsm__plot_form_words, "form of a picture", form_words, DSM_PLOT_FORM_COUNT,
                 dsm_plot_form, dsm_plot_form_name);

static const dsm__word figure_words[] = {
    [DSM_PLAN_FIGURE_LOSS].key = "loss",
    [DSM_PLAN_FIGURE_SPLITS].key = "splits",
    [DSM_PLAN_FIGURE_TIME].key = "time",
    [DSM_PLAN_FIGURE_ROOFLINE].key = "roofline",
    [DSM_PLAN_FIGURE_MEMORY].key = "memory",
    [DSM_PLAN_FIGURE_STORAGE].key = "storage",
    [DSM_PLAN_FIGURE_MINI_EPOCHS].key = "mini_epochs",
    [DSM_PLAN_FIGURE_IO_ROOFLINE].key = "io_roofline",
};
DSM__NAMED_WORDS(dsm__plan_figure_words, "figure of a plan", figure_words, DSM_PLAN_FIGURE_COUNT,
                 dsm_plan_figure, dsm_plan_figure_name);
DSM__PARSED_WORDS(dsm__plan_figure_words, dsm_plan_figure, dsm_plan_figure_parse);

/* What PNG has of a unit, so that text is sharp; and points of PDF. */
static const double png_pixels = 2;
static const double inches = 1.0 / 108;
/* Fonts of pngcairo and pdfcairo are 4/3 as large as their size says, in pixels or points. */
static const double font_scale = 0.75;
/* So that their points are as large as those of svg. */
static const double png_point_scale = 2.2;
static const double pdf_point_scale = 0.85;

static void put_terminal(dsm__text_buffer *out, const dsm_plot *plot, dsm_plot_form form) {
  if (form == DSM_PLOT_PNG) {
    dsm__text_printf(out, "set terminal pngcairo size %.0f,%.0f font 'Sans,11' fontscale %.4g ",
                     png_pixels * plot->width, png_pixels * plot->height, png_pixels * font_scale);
    dsm__text_printf(out, "linewidth %.4g pointscale %.4g ", png_pixels, png_point_scale);
  } else if (form == DSM_PLOT_PDF) {
    dsm__text_printf(out, "set terminal pdfcairo size %.4fin,%.4fin font 'Sans,11' fontscale %.4g ",
                     inches * plot->width, inches * plot->height, 72 * inches * font_scale);
    dsm__text_printf(out, "linewidth %.4g pointscale %.4g ", 2 * 72 * inches, pdf_point_scale);
  } else {
    dsm__text_printf(out, "set terminal svg size %.0f,%.0f font 'sans-serif,11' ", plot->width,
                     plot->height);
  }
  dsm__text_puts(out, "noenhanced background rgb 'white'\n");
}

static void put_head(dsm__text_buffer *out, const dsm_plot *plot, dsm_plot_form form) {
  dsm__text_printf(out, "# %s\n# Made by dsm for gnuplot 5.4 or later.\n", plot->title);
  dsm__text_puts(out, "set encoding utf8\n");
  put_terminal(out, plot, form);
}

static void put_body(dsm__text_buffer *out, const dsm_plot *plot) {
  dsm__text_printf(out, "W = %.4f; H = %.4f\n", plot->width, plot->height);
  dsm__text_puts(out, "set datafile separator \"\\t\"\n"
                      "set style fill solid noborder\n"
                      "set border 15 lw 0.6 lc rgb '#444444'\n"
                      "unset key; unset xtics; unset ytics\n"
                      "set multiplot\n\n");
  dsm__text_puts(out, plot->body);
  dsm__text_puts(out, "unset multiplot\n");
}

char *dsm_plot_script(const dsm_plot *plot, const char *name, dsm_plot_form form) {
  dsm__text_buffer out = {0};
  put_head(&out, plot, form);
  if (name != NULL) {
    dsm__text_printf(&out, "set output '%s.%s'\n", name, dsm_plot_form_name(form));
  }
  if (plot->marks[0] != '\0') {
    dsm__text_puts(&out, "$marks << END_OF_DATA\n");
    dsm__text_puts(&out, plot->marks);
    dsm__text_puts(&out, "END_OF_DATA\n");
  }
  put_body(&out, plot);
  dsm__text_puts(&out, name == NULL ? "" : "unset output\n");
  return dsm__text_finish(&out);
}

DSM__ARENA_FREE(dsm_plot, dsm_plot_free);
