/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/plot_maker.h"

#include <math.h>

/* Side of a square, in units. */
static const double side = 1;
/* Around a text. */
static const double padding = 1;
/* From a point to the nearest edge of a text; the farther ones get a line. */
static const double distances[] = {6, 14, 24, 36, 50, 66, 84};

/* Directions in the order in which they are preferred: right, left, above, below, and between. */
static const dsm__point directions[] = {{1, 0},       {-1, 0},      {0, -1},      {0, 1},
                                        {0.7, -0.7},  {0.7, 0.7},   {-0.7, -0.7}, {-0.7, 0.7},
                                        {0.9, -0.4},  {0.9, 0.4},   {0.4, 0.9},   {-0.4, 0.9},
                                        {-0.9, -0.4}, {-0.4, -0.9}, {0.4, -0.9},  {-0.9, 0.4}};

/* Squares from first to before end. */
typedef struct squares {
  size_t first_column;
  size_t end_column;
  size_t first_row;
  size_t end_row;
} squares;

static size_t bounded(double value, size_t most) {
  return value <= 0 ? 0 : value >= (double)most ? most : (size_t)value;
}

static squares squares_of(const dsm__places *places, dsm__area area) {
  const double left = (area.left - places->area.left) / side;
  const double top = (area.top - places->area.top) / side;
  return (squares){.first_column = bounded(floor(left), places->columns),
                   .end_column = bounded(ceil(left + area.width / side), places->columns),
                   .first_row = bounded(floor(top), places->rows),
                   .end_row = bounded(ceil(top + area.height / side), places->rows)};
}

bool dsm__places_init(dsm__places *places, dsm__area area, dsm__arena *arena) {
  *places = (dsm__places){.area = area,
                          .columns = (size_t)ceil(area.width / side),
                          .rows = (size_t)ceil(area.height / side)};
  places->uses = dsm__arena_array(arena, places->columns * places->rows, 1);
  return places->uses != NULL;
}

static void take(dsm__places *places, dsm__area area, dsm__place_use use) {
  const squares all = squares_of(places, area);
  for (size_t row = all.first_row; row < all.end_row; row++) {
    for (size_t column = all.first_column; column < all.end_column; column++) {
      places->uses[row * places->columns + column] |= (unsigned char)use;
    }
  }
}

void dsm__places_take(dsm__places *places, dsm__point from, dsm__point to, double around,
                      dsm__place_use use) {
  /* A point may be infinitely far away, where a difference is no number and 0 is greater. */
  const dsm__area area = {.left = fmin(from.x, to.x) - around,
                          .top = fmin(from.y, to.y) - around,
                          .width = fmax(0, fabs(to.x - from.x)) + 2 * around,
                          .height = fmax(0, fabs(to.y - from.y)) + 2 * around};
  places->has_less = places->has_less || use == DSM__PLACE_LESS;
  take(places, area, use);
}

/* Is all of a rectangle in the area, and without these uses? */
static bool are_free(const dsm__places *places, dsm__area area, unsigned uses) {
  const dsm__area *const whole = &places->area;
  if (area.left < whole->left || area.top < whole->top ||
      area.left + area.width > whole->left + whole->width ||
      area.top + area.height > whole->top + whole->height) {
    return false;
  }
  const squares all = squares_of(places, area);
  for (size_t row = all.first_row; row < all.end_row; row++) {
    for (size_t column = all.first_column; column < all.end_column; column++) {
      if ((places->uses[row * places->columns + column] & uses) != 0) {
        return false;
      }
    }
  }
  return true;
}

/* A box of that width and height beside a point. */
static dsm__area beside(dsm__point point, dsm__point direction, double distance, double width,
                        double height) {
  const double x = point.x + direction.x * distance;
  const double y = point.y + direction.y * distance;
  return (dsm__area){.left = direction.x > 0   ? x
                             : direction.x < 0 ? x - width
                                               : x - width / 2,
                     .top = direction.y > 0   ? y
                            : direction.y < 0 ? y - height
                                              : y - height / 2,
                     .width = width,
                     .height = height};
}

/* Squares of a line, but for its beginning in the point itself. */
typedef enum line_use { LINE_IS_FREE, LINE_TAKE } line_use;
static bool walk_line(dsm__places *places, dsm__point from, dsm__point to, line_use use) {
  const double length = hypot(to.x - from.x, to.y - from.y);
  const size_t steps = length > distances[0] ? (size_t)ceil((length - distances[0]) / side) : 0;
  for (size_t step = 0; step < steps; step++) {
    const double at = distances[0] + side * (double)step;
    const dsm__area dot = {.left = from.x + (to.x - from.x) * at / length,
                           .top = from.y + (to.y - from.y) * at / length,
                           .width = side / 2,
                           .height = side / 2};
    if (use == LINE_TAKE) {
      take(places, dot, DSM__PLACE_LABEL);
    } else if (!are_free(places, dot, DSM__PLACE_LABEL)) {
      return false;
    }
  }
  return true;
}

static double clamp(double value, double low, double extent) {
  return fmin(fmax(value, low), low + extent);
}

/* Where a text goes. */
typedef struct spot {
  dsm__area box;
  dsm__point near; /* what of it is nearest to its point */
  bool is_far;     /* so that it needs a line to its point */
} spot;

/* Room for a text that is over none of these uses; false if there is none. */
static bool find(dsm__places *places, spot *found, dsm__point point, double width, unsigned uses) {
  const double height = 1.2 * DSM__SIZE_SMALL;
  for (size_t r = 0; r < DSM__COUNT_OF(distances); r++) {
    for (size_t d = 0; d < DSM__COUNT_OF(directions); d++) {
      const dsm__area box = beside(point, directions[d], distances[r], width, height);
      const dsm__point near = {clamp(point.x, box.left, width), clamp(point.y, box.top, height)};
      if (are_free(places, box, uses) && (r == 0 || walk_line(places, point, near, LINE_IS_FREE))) {
        *found = (spot){.box = box, .near = near, .is_far = r > 0};
        return true;
      }
    }
  }
  return false;
}

bool dsm__places_label(dsm__places *places, dsm__plot_maker *maker, dsm__point point,
                       const char *text) {
  const unsigned uses = DSM__PLACE_POINT | DSM__PLACE_LABEL;
  const double width = dsm__plot_text_width(text, DSM__SIZE_SMALL) + 2 * padding;
  spot found;
  if (!find(places, &found, point, width, uses | DSM__PLACE_LESS) &&
      !(places->has_less && find(places, &found, point, width, uses))) {
    return false;
  }
  take(places, found.box, DSM__PLACE_LABEL);
  (void)walk_line(places, point, found.near, LINE_TAKE);
  if (found.is_far) {
    dsm__plot_line(maker, point, found.near, DSM__COLOR_LEADER);
  }
  dsm__plot_label(maker,
                  (dsm__point){found.box.left + padding, found.box.top + found.box.height / 2},
                  (dsm__label_style){.size = DSM__SIZE_SMALL}, text);
  return true;
}
