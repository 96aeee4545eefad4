/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/palette.h"

#include <math.h>
#include <stdio.h>

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

#define PART_OF_GROUP(group) (DSM__PART_GROUPS + (group)-1)

static const char *const part_colors[] = {
    [DSM__PART_BUSY] = "#009E73",
    [DSM__PART_ARRAY] = "#C4C4C4",
    [DSM__PART_TRANSFER] = "#0072B2",
    [DSM__PART_AUXILIARY] = "#E69F00",
    [PART_OF_GROUP(DSM_GROUP_PARTIAL_SUM)] = "#CC79A7",
    [PART_OF_GROUP(DSM_GROUP_LAYOUT_MOVE)] = "#661100",
    [PART_OF_GROUP(DSM_GROUP_ROTATION)] = "#56B4E9",
    [PART_OF_GROUP(DSM_GROUP_HAND_OVER)] = "#332288",
    [PART_OF_GROUP(DSM_GROUP_SUM_OF_GRADIENTS)] = "#D55E00",
    [PART_OF_GROUP(DSM_GROUP_BROADCAST_WEIGHTS)] = "#882255",
    [PART_OF_GROUP(DSM_GROUP_WEIGHT_UPDATE)] = "#000000",
    [PART_OF_GROUP(DSM_GROUP_RELAYOUT)] = "#F0E442",
};
_Static_assert(COUNT_OF(part_colors) == DSM__PART_COUNT, "a colour for each part");

static const char *const part_phrases[] = {
    [DSM__PART_BUSY] = "busy",
    [DSM__PART_ARRAY] = "arrays underused",
    [DSM__PART_TRANSFER] = "visible transfers",
    [DSM__PART_AUXILIARY] = "auxiliary",
    [PART_OF_GROUP(DSM_GROUP_PARTIAL_SUM)] = "partial sums",
    [PART_OF_GROUP(DSM_GROUP_LAYOUT_MOVE)] = "moves between cores",
    [PART_OF_GROUP(DSM_GROUP_ROTATION)] = "rotation",
    [PART_OF_GROUP(DSM_GROUP_HAND_OVER)] = "hand-over",
    [PART_OF_GROUP(DSM_GROUP_SUM_OF_GRADIENTS)] = "sum of gradients",
    [PART_OF_GROUP(DSM_GROUP_BROADCAST_WEIGHTS)] = "broadcast of weights",
    [PART_OF_GROUP(DSM_GROUP_WEIGHT_UPDATE)] = "weight update",
    [PART_OF_GROUP(DSM_GROUP_RELAYOUT)] = "relayout",
};
_Static_assert(COUNT_OF(part_phrases) == DSM__PART_COUNT, "a phrase for each part");

static const char *const parallelism_colors[] = {
    [DSM_PARALLELISM_DATA] = "#56B4E9",
    [DSM_PARALLELISM_MODEL] = "#E69F00",
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = "#009E73",
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = "#CC79A7",
};
_Static_assert(COUNT_OF(parallelism_colors) == DSM_PARALLELISM_COUNT,
               "a colour for each parallelism");

static const char *const pass_colors[] = {
    [DSM_PASS_FORWARD] = "#0072B2",
    [DSM_PASS_BACKWARD] = "#D55E00",
    [DSM_PASS_UPDATE] = "#009E73",
};
_Static_assert(COUNT_OF(pass_colors) == DSM_PASS_COUNT, "a colour for each pass");

static const char *const series_colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                            "#E69F00", "#56B4E9", "#000000", "#999999"};

const char *dsm__color_of_part(dsm__time_part part) {
  return part_colors[part];
}

const char *dsm__part_phrase(dsm__time_part part) {
  return part_phrases[part];
}

const char *dsm__color_of_parallelism(dsm_parallelism parallelism) {
  return parallelism_colors[parallelism];
}

const char *dsm__color_of_pass(dsm_pass pass) {
  return pass_colors[pass];
}

const char *dsm__color_of_series(size_t index) {
  return series_colors[index % COUNT_OF(series_colors)];
}

dsm__shade dsm__shade_of(double intensity) {
  /* The ends and the middle of ColorBrewer's sequential "Blues". */
  static const double stops[3][3] = {{247, 251, 255}, {107, 174, 214}, {8, 48, 107}};
  const double at = 2 * fmin(fmax(intensity, 0), 1);
  const int below = at < 1 ? 0 : 1;
  int channels[3];
  for (int c = 0; c < 3; c++) {
    const double low = stops[below][c];
    channels[c] = (int)lround(low + (at - below) * (stops[below + 1][c] - low));
  }
  dsm__shade shade = {.ink = at < 1.4 ? "#000000" : "#FFFFFF"};
  (void)snprintf(shade.color, sizeof shade.color, "#%02X%02X%02X", (unsigned)channels[0] & 0xFFU,
                 (unsigned)channels[1] & 0xFFU, (unsigned)channels[2] & 0xFFU);
  return shade;
}
