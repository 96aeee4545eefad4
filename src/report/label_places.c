/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/label_places.h"

#include <stdint.h>

/* Half the side of the square that a point takes. */
static const double mark = 3.5;

/* Where a label may stand: its middle is `across` half widths and `along` half heights from the
 * point, and so many units further. */
typedef struct offset {
  double across;
  double along;
  double distance;
} offset;

static const offset offsets[] = {
    {1, 0, 6},    {1, -1, 4},  {1, 1, 4},   {-1, 0, 6},  {-1, -1, 4},  {-1, 1, 4},
    {0, -1, 6},   {0, 1, 6},   {1, -1, 14}, {1, 1, 14},  {-1, -1, 14}, {-1, 1, 14},
    {0, -1, 16},  {0, 1, 16},  {1, 0, 18},  {-1, 0, 18}, {1, -1, 24},  {1, 1, 24},
    {-1, -1, 24}, {-1, 1, 24}, {0, -1, 28}, {0, 1, 28},  {1, 0, 30},   {-1, 0, 30},
};
#define OFFSET_COUNT (sizeof offsets / sizeof *offsets)
static const double far_distance = 10;

static bool covers(const dsm__area *first, const dsm__area *second) {
  return first->left < second->left + second->width && second->left < first->left + first->width &&
         first->top < second->top + second->height && second->top < first->top + first->height;
}

static dsm__area around(dsm__point at) {
  return (dsm__area){at.x - mark, at.y - mark, 2 * mark, 2 * mark};
}

static bool is_inside(const dsm__area *place, const dsm__area *area) {
  return place->left >= area->left + 1 && place->top >= area->top + 1 &&
         place->left + place->width <= area->left + area->width - 1 &&
         place->top + place->height <= area->top + area->height - 1;
}

static dsm__area place_at(const dsm__labelled *point, offset from, double height) {
  const double x = point->at.x + from.across * (point->width / 2 + from.distance);
  const double y = point->at.y + from.along * (height / 2 + from.distance);
  return (dsm__area){x - point->width / 2, y - height / 2, point->width, height};
}

/* Does it cover a labelled point or a label that has its place? */
static bool is_taken(const dsm__area *place, const dsm__labelled *points, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const dsm__area point = around(points[i].at);
    if (covers(place, &point) || (points[i].is_placed && covers(place, &points[i].place))) {
      return true;
    }
  }
  return false;
}

static size_t count_covered(const dsm__area *place, const dsm__point *others, size_t count) {
  size_t covered = 0;
  for (size_t i = 0; i < count; i++) {
    const dsm__area point = around(others[i]);
    covered += covers(place, &point) ? 1 : 0;
  }
  return covered;
}

void dsm__place_labels(dsm__labelled *points, size_t count, const dsm__point *others,
                       size_t other_count, dsm__area area, double height) {
  for (size_t i = 0; i < count; i++) {
    size_t least = SIZE_MAX;
    for (size_t o = 0; o < OFFSET_COUNT && least > 0; o++) {
      const dsm__area place = place_at(&points[i], offsets[o], height);
      if (!is_inside(&place, &area) || is_taken(&place, points, count)) {
        continue;
      }
      const size_t covered = count_covered(&place, others, other_count);
      if (covered < least) {
        least = covered;
        points[i].place = place;
        points[i].is_far = offsets[o].distance > far_distance;
      }
    }
    points[i].is_placed = least < SIZE_MAX;
  }
}
