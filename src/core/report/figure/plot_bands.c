/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_bands.c: layers side by side, in bands. */
#include <math.h>

#include "model/names.h"
#include "report/figure/plot_plan.h"

static const double right_margin = 10;
/* Most bands of a picture, and most units that a layer gets. */
static const size_t most_bands = 8;
static const double widest_pitch = 80;
/* Of names that are turned. */
static const double name_pitch = DSM__SIZE_SMALL * 1.15;
static const double longest_name = 150; /* "24 x encoder.0..23.context" */
static const double dense_size = 9;
static const double name_gap = 5;

static size_t ceil_divide(size_t a, size_t b) {
  return (a + b - 1) / b;
}

static double name_size(const dsm__bands *bands) {
  return bands->is_dense ? dense_size : DSM__SIZE_SMALL;
}

static double widest_name(const dsm__bands *bands) {
  double most = 0;
  for (size_t i = 0; i < bands->layers->count; i += bands->name_every) {
    most = fmax(most, dsm__plot_text_width(bands->names[i], name_size(bands)));
  }
  return most;
}

dsm__bands dsm__bands_layout(dsm__plot_maker *maker, const dsm__plot_layers *layers, double left,
                             double least_pitch) {
  const size_t count = layers->count;
  const double width = maker->width - left - right_margin;
  const double pitch_wanted = fmax(least_pitch, name_pitch);
  const size_t fitting = (size_t)floor(width / pitch_wanted);
  dsm__bands bands = {.layers = layers, .left = left};
  bands.count = ceil_divide(count, fitting);
  bands.count = bands.count > most_bands ? most_bands : bands.count;
  bands.layers_each = ceil_divide(count, bands.count);
  bands.count = ceil_divide(count, bands.layers_each);
  bands.is_dense = bands.count > 2;
  bands.pitch = fmin(widest_pitch, width / (double)bands.layers_each);
  bands.name_every = (size_t)ceil(name_pitch / bands.pitch);
  bands.names = dsm__plot_fit_all(maker, layers->names, count, name_size(&bands), longest_name);
  const double widest = widest_name(&bands);
  bands.is_upward = bands.name_every > 1 || widest + name_gap > bands.pitch;
  bands.names_height =
      2 * name_gap + (bands.is_upward ? widest : DSM__SIZE_SMALL * DSM__LINE_PITCH);
  return bands;
}

dsm__panel_axis dsm__bands_place(size_t layer) {
  static const double half = 0.42;
  return (dsm__panel_axis){.low = (double)layer + 1 - half, .high = (double)layer + 1 + half};
}

void dsm__bands_put(dsm__plot_maker *maker, const dsm__bands *bands, const dsm__plot_passes *passes,
                    double top, double pass_height, double gap, dsm__band_writer *put,
                    void *figure) {
  const double height = (double)passes->count * (pass_height + gap) - gap + bands->names_height;
  maker->height = ceil(top + (double)bands->count * height + 4);
  for (size_t band = 0; band < bands->count; band++) {
    const size_t first = band * bands->layers_each;
    const size_t next = first + bands->layers_each;
    const size_t end = next < bands->layers->count ? next : bands->layers->count;
    double y = top + (double)band * height;
    for (size_t p = 0; p < passes->count; p++) {
      const double width = bands->pitch * (double)(end - first);
      const dsm__band_pass pass = {.pass = &passes->of[p],
                                   .area = {bands->left, y, width, pass_height},
                                   .x = {.low = 0.5 + (double)first, .high = 0.5 + (double)end},
                                   .first = first,
                                   .end = end,
                                   .is_last = p + 1 == passes->count};
      put(figure, &pass);
      y += pass_height + gap;
    }
  }
}

void dsm__bands_names(dsm__plot_maker *maker, const dsm__bands *bands, const dsm__band_pass *pass) {
  const size_t end = pass->is_last ? pass->end : pass->first;
  const dsm__label_style style = {.size = name_size(bands),
                                  .anchor =
                                      bands->is_upward ? DSM__ANCHOR_RIGHT : DSM__ANCHOR_CENTER,
                                  .is_upward = bands->is_upward};
  const double top = pass->area.top + pass->area.height;
  const double y = top + name_gap + (bands->is_upward ? 0 : DSM__SIZE_SMALL / 2);
  for (size_t i = pass->first; i < end; i += bands->name_every) {
    const double x = bands->left + bands->pitch * ((double)(i - pass->first) + 0.5);
    dsm__plot_label(maker, (dsm__point){x, y}, style, bands->names[i]);
  }
}

void dsm__bands_title(dsm__plot_maker *maker, const dsm__band_pass *pass) {
  dsm__plot_label(
      maker, (dsm__point){16, pass->area.top + pass->area.height / 2},
      (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER, .is_upward = true},
      dsm__word_text(&dsm__pass_words, *pass->pass));
}
