/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made_points.h"

#include <assert.h>
#include <string.h>

static const char *const columns[MADE_POINTS_COLUMNS] = {
    "point",
    "status",
    "reason",
    "workload",
    "system",
    "workload.minibatch",
    "options.optimize",
    "system.core.scratchpad_MiB",
    "mode",
    "utilization",
    "step_seconds",
    "samples_per_second",
    "memory_bytes",
};

static dsm_cell number(double value) {
  return (dsm_cell){.kind = DSM_CELL_NUMBER, .number = value};
}

static dsm_cell word(const char *text) {
  return (dsm_cell){.kind = DSM_CELL_TEXT, .text = text};
}

void made_points_init(made_points *made) {
  memset(made, 0, sizeof *made);
  memcpy(made->columns, columns, sizeof columns);
  made->table = (dsm_point_table){.name = "made",
                                  .columns = made->columns,
                                  .column_count = MADE_POINTS_COLUMNS,
                                  .cells = made->cells,
                                  .point_count = MADE_POINTS_MAX};
}

void made_points_add(made_points *made, const char *workload, const char *system, double minibatch,
                     const char *optimize, double scratchpad, double rate) {
  const size_t row = made->table.row_count++;
  dsm_cell *const cells = &made->cells[row * MADE_POINTS_COLUMNS];
  const bool is_ok = rate > 0;
  assert(row < MADE_POINTS_MAX);
  cells[0] = number((double)row);
  cells[1] = word(is_ok ? "ok" : "infeasible");
  cells[3] = word(workload);
  cells[4] = word(system);
  cells[5] = number(minibatch);
  cells[6] = word(optimize);
  cells[7] = number(scratchpad);
  if (!is_ok) {
    cells[2] = word("it needs 9 GB of the 8 GB that there are");
    return;
  }
  cells[8] = word("training");
  cells[9] = number(rate / 1e6);
  cells[10] = number(minibatch / rate);
  cells[11] = number(rate);
  cells[12] = number(1e6 * minibatch);
}

void made_points_product(made_points *made) {
  static const char *const workloads[] = {"vgg16", "gnmt"};
  static const char *const systems[] = {"torus64", "refined"};
  static const double minibatches[] = {256, 512, 1024};
  static const char *const optimizations[] = {"none", "hybrid", "all"};
  static const double scratchpads[] = {0.5, 1, 2, 4};
  made_points_init(made);
  for (size_t i = 0; i < (size_t)2 * 2 * 3 * 3 * 4; i++) {
    made_points_add(made, workloads[i / 72], systems[i / 36 % 2], minibatches[i / 12 % 3],
                    optimizations[i / 4 % 3], scratchpads[i % 4], 1000 + (double)i);
  }
}

void made_points_ladder(made_points *made) {
  static const char *const systems[] = {"symmetric",         "torus64", "torus64",
                                        "refined_symmetric", "refined", "refined"};
  static const char *const rungs[] = {"none", "hybrid", "hybrid+reuse"};
  made_points_init(made);
  for (size_t i = 0; i < 12; i++) {
    const double minibatch = i < 6 ? 256 : 512;
    const double rate = 100 * (double)(1 + i % 3) * (i < 6 ? 1 : 1.5);
    made_points_add(made, "vgg16", systems[i % 6], minibatch, rungs[i % 3], 1, rate);
  }
}
