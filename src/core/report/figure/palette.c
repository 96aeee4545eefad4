/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/palette.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"

#define PART_OF_GROUP(group) (DSM__PART_GROUPS + (group)-1)

/* A part of a time in figures. */
typedef struct part_style {
  const char *color;
  const char *text; /* of a legend */
} part_style;

static const part_style part_styles[] = {
    [DSM__PART_BUSY] = {"#009E73", "busy"},
    [DSM__PART_ARRAY] = {"#C4C4C4", "arrays underused"},
    [DSM__PART_TRANSFER] = {"#0072B2", "visible transfers"},
    [DSM__PART_AUXILIARY] = {"#E69F00", "auxiliary"},
    [PART_OF_GROUP(DSM_GROUP_PARTIAL_SUM)] = {"#CC79A7", "partial sums"},
    [PART_OF_GROUP(DSM_GROUP_LAYOUT_MOVE)] = {"#661100", "moves between cores"},
    [PART_OF_GROUP(DSM_GROUP_ROTATION)] = {"#56B4E9", "rotation"},
    [PART_OF_GROUP(DSM_GROUP_COLLECTIVE)] = {"#9C30FC", "collectives"},
    [PART_OF_GROUP(DSM_GROUP_HAND_OVER)] = {"#332288", "hand-over"},
    [PART_OF_GROUP(DSM_GROUP_SUM_OF_GRADIENTS)] = {"#D55E00", "sum of gradients"},
    [PART_OF_GROUP(DSM_GROUP_BROADCAST_WEIGHTS)] = {"#882255", "broadcast of weights"},
    [PART_OF_GROUP(DSM_GROUP_WEIGHT_UPDATE)] = {"#000000", "weight update"},
    [PART_OF_GROUP(DSM_GROUP_TIED_WEIGHTS)] = {"#AA9955", "tied weights"},
    [PART_OF_GROUP(DSM_GROUP_RELAYOUT)] = {"#F0E442", "relayout"},
    [DSM__PART_OVERHEAD] = {"#BBEEFF", "overhead"},
    [DSM__PART_RECOMPUTE] = {"#666633", "recomputation"},
    [DSM__PART_BUBBLE] = {"#66FF99", "bubble"},
    [DSM__PART_WAITING] = {"#9C78FC", "waiting for data"},
};
_Static_assert(DSM__COUNT_OF(part_styles) == DSM__PART_COUNT, "a style for each part");

static const char *const parallelism_colors[] = {
    [DSM_PARALLELISM_DATA] = "#56B4E9",
    [DSM_PARALLELISM_MODEL] = "#E69F00",
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = "#009E73",
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = "#CC79A7",
    "#F0E442",
    "#882255",
    "#117733",
    "#C4C4C4",
};
_Static_assert(DSM__COUNT_OF(parallelism_colors) == DSM_PARALLELISM_COUNT,
               "a colour for each parallelism");

/* Of parallelisms with other roles, as they come; what is beyond them has the last. */
static const char *const role_colors[DSM__ROLE_COLORS] = {
    "#332288", "#D55E00", "#AA4499", "#9C30FC", "#BBEEFF", "#661100", "#CCAA77", "#000000"};

static const char *const pass_colors[] = {
    [DSM_PASS_FORWARD] = "#0072B2",
    [DSM_PASS_BACKWARD] = "#D55E00",
    [DSM_PASS_UPDATE] = "#009E73",
};
_Static_assert(DSM__COUNT_OF(pass_colors) == DSM_PASS_COUNT, "a colour for each pass");

static const char *const series_colors[DSM__SERIES_COLORS] = {
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"};

const char *dsm__color_of_part(dsm__time_part part) {
  return part_styles[part].color;
}

const char *dsm__part_phrase(dsm__time_part part) {
  return part_styles[part].text;
}

const char *dsm__color_of_parallelism(dsm_parallelism parallelism) {
  return parallelism_colors[parallelism];
}

const char *dsm__color_of_roles(size_t index) {
  return role_colors[index < DSM__ROLE_COLORS ? index : DSM__ROLE_COLORS - 1];
}

const char *dsm__color_of_pass(dsm_pass pass) {
  return pass_colors[pass];
}

const char *dsm__color_of_series(size_t index) {
  return series_colors[index % DSM__SERIES_COLORS];
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
