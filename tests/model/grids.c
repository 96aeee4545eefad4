/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grids.h"

#include <math.h>

/* By hand: the roles of x, y and z. */
static const char *const roles[DSM_PARALLELISM_COUNT] = {"DDD", "MMM", "DMM", "MDM",
                                                         "DDM", "MMD", "DMD", "MDD"};

bool is_model(dsm_parallelism parallelism, unsigned axis) {
  return roles[parallelism][axis] == 'M';
}

const grid grids[GRID_COUNT] = {{2, {1, 1}},   {2, {1, 4}}, {2, {5, 1}},    {2, {4, 2}},
                                {2, {2, 3}},   {2, {3, 5}}, {2, {4, 4}},    {1, {4}},
                                {1, {5}},      {1, {1}},    {3, {2, 3, 2}}, {3, {3, 1, 4}},
                                {3, {1, 2, 3}}};

int place_along(const grid *sides, int chip, unsigned axis) {
  for (unsigned a = 0; a < axis; a++) {
    chip /= (int)sides->chips[a];
  }
  return chip % (int)sides->chips[axis];
}

double largest_of(const double axes[DSM_AXES_MAX]) {
  return fmax(axes[0], fmax(axes[1], axes[2]));
}

double sum_of(const double axes[DSM_AXES_MAX]) {
  return axes[0] + axes[1] + axes[2];
}

int model_ways(const grid *sides, dsm_parallelism parallelism) {
  int ways = 1;
  for (unsigned a = 0; a < sides->axis_count; a++) {
    ways *= is_model(parallelism, a) ? (int)sides->chips[a] : 1;
  }
  return ways;
}
