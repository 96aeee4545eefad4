/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/plot_bands.h"

#include <math.h>

#include "report/figure/plot_metrics.h"

static const double right_margin = 10;
/* Most bands of a picture, and most units that a layer gets. */
static const size_t most_bands = 8;
static const double widest_pitch = 80;
/* Of names that are turned. */
static const double name_pitch = DSM__SIZE_SMALL * 1.15;
static const double longest_name = 110;
static const double dense_size = 9;
static const double name_gap = 5;

static size_t ceil_divide(size_t a, size_t b) {
  return (a + b - 1) / b;
}

static double name_size(const dsm__bands *bands) {
  return bands->is_dense ? dense_size : DSM__SIZE_SMALL;
}

static const char *name_of(dsm__plot_maker *maker, const dsm__bands *bands, size_t layer) {
  return dsm__plot_fit(maker, bands->plan->layers[layer].layer->name, name_size(bands),
                       longest_name);
}

static double widest_name(dsm__plot_maker *maker, const dsm__bands *bands) {
  double most = 0;
  for (size_t i = 0; i < bands->plan->layer_count; i += bands->name_every) {
    const char *const name = name_of(maker, bands, i);
    most = fmax(most, dsm__plot_text_width(name, name_size(bands)));
  }
  return most;
}

dsm__bands dsm__bands_layout(dsm__plot_maker *maker, const dsm_plan *plan, double left,
                             double least_pitch) {
  const size_t count = plan->layer_count;
  const double width = DSM__PLOT_WIDTH - left - right_margin;
  const double pitch_wanted = fmax(least_pitch, name_pitch);
  const size_t fitting = (size_t)floor(width / pitch_wanted);
  dsm__bands bands = {.plan = plan, .left = left};
  bands.count = ceil_divide(count, fitting);
  bands.count = bands.count > most_bands ? most_bands : bands.count;
  bands.layers_each = ceil_divide(count, bands.count);
  bands.count = ceil_divide(count, bands.layers_each);
  bands.is_dense = bands.count > 2;
  bands.pitch = fmin(widest_pitch, width / (double)bands.layers_each);
  bands.name_every = (size_t)ceil(name_pitch / bands.pitch);
  const double widest = widest_name(maker, &bands);
  bands.is_upward = bands.name_every > 1 || widest + name_gap > bands.pitch;
  bands.names_height =
      2 * name_gap + (bands.is_upward ? widest : DSM__SIZE_SMALL * DSM__LINE_PITCH);
  return bands;
}

size_t dsm__bands_first(const dsm__bands *bands, size_t band) {
  return band * bands->layers_each;
}

size_t dsm__bands_end(const dsm__bands *bands, size_t band) {
  const size_t end = (band + 1) * bands->layers_each;
  return end < bands->plan->layer_count ? end : bands->plan->layer_count;
}

double dsm__bands_width(const dsm__bands *bands, size_t band) {
  return bands->pitch * (double)(dsm__bands_end(bands, band) - dsm__bands_first(bands, band));
}

void dsm__bands_names(dsm__plot_maker *maker, const dsm__bands *bands, size_t band, double top) {
  const size_t first = dsm__bands_first(bands, band);
  const size_t end = dsm__bands_end(bands, band);
  const dsm__label_style style = {.size = name_size(bands),
                                  .anchor =
                                      bands->is_upward ? DSM__ANCHOR_RIGHT : DSM__ANCHOR_CENTER,
                                  .is_upward = bands->is_upward};
  const double y = top + name_gap + (bands->is_upward ? 0 : DSM__SIZE_SMALL / 2);
  for (size_t i = first; i < end; i += bands->name_every) {
    const double x = bands->left + bands->pitch * ((double)(i - first) + 0.5);
    dsm__plot_label(maker, (dsm__point){x, y}, style, name_of(maker, bands, i));
  }
}
