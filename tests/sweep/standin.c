/* SPDX-License-Identifier: GPL-3.0-or-later */
/* standin.c: points of sweeps by hand. */
#include <string.h>

#include "sweep/point.h"

static bool take(dsm__point *point, dsm_override *overrides, size_t *count, const char *text,
                 const dsm_axis_value *value) {
  (void)point;
  overrides[(*count)++] = (dsm_override){.path = text, .value = value->json};
  return true;
}

static void set_option(dsm_explore_options *options, const char *path, const char *text) {
  if (strcmp(path, "options.mode") == 0) {
    (void)dsm_mode_parse(text, &options->mode);
    options->optimizations &= dsm_mode_optimizations(options->mode);
  } else if (strcmp(path, "options.parallelism") == 0) {
    dsm_parallelism one;
    options->parallelisms = dsm_parallelism_parse(text, &one) ? DSM_PARALLELISM_BIT(one) : 0;
  } else {
    dsm_optimization one;
    options->optimizations = dsm_optimization_parse(text, &one) ? DSM_OPTIMIZATION_BIT(one)
                             : strcmp(text, "none") == 0        ? 0
                                                         : dsm_mode_optimizations(options->mode);
  }
}

bool dsm__point_init(dsm__point *point, const dsm_sweep *sweep, size_t index, dsm__arena *arena) {
  const size_t count = sweep->axis_count;
  dsm_override *const of_workload = dsm__arena_array(arena, count, sizeof *of_workload);
  dsm_override *const of_system = dsm__arena_array(arena, count, sizeof *of_system);
  const char **const texts = dsm__arena_array(arena, count, sizeof *texts);
  *point = (dsm__point){
      .workload_overrides = of_workload, .system_overrides = of_system, .options = sweep->options};
  size_t text_count = 0;
  for (size_t c = 0; c < sweep->column_count; c++) {
    uint64_t rest = sweep->products[index];
    for (size_t a = count; a-- > c + 1;) {
      rest /= sweep->axes[a].value_count;
    }
    const dsm_axis_value *const value = &sweep->axes[c].values[rest % sweep->axes[c].value_count];
    const char *const path = sweep->columns[c].path;
    if (c == 0) {
      point->workload = &sweep->workloads[value->input];
    } else if (c == 1) {
      point->system = &sweep->systems[value->input];
    } else if (strncmp(path, "options.", 8) == 0) {
      set_option(&point->options, path, value->text);
    } else if (strncmp(path, "workload.", 9) == 0) {
      (void)take(point, of_workload, &point->workload_override_count, path + 9, value);
    } else {
      (void)take(point, of_system, &point->system_override_count, path + 7, value);
    }
    if (c > 1 && strncmp(path, "options.", 8) != 0) {
      texts[text_count++] = dsm__arena_printf(arena, "%s=%s", path, value->text);
    }
  }
  point->options.overrides = texts;
  point->options.override_count = text_count;
  return true;
}
