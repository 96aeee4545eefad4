/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/point.h"

#include <string.h>

#include "sweep/axis_path.h"
#include "sweep/option_words.h"

/* A point while its overrides are collected. */
typedef struct collector {
  dsm__sweep_point *point;
  dsm__arena *arena;
  const char **texts;
} collector;

/* Adds an override; `path` and `text`, which is PATH=VALUE, live as long as the point. */
static void add(collector *to, dsm__path_kind kind, const char *path, const char *value,
                const char *text) {
  dsm__sweep_point *const point = to->point;
  const dsm_override made = {.path = dsm__path_below(path, kind), .value = value, .origin = path};
  dsm__point_input *const input = &point->inputs[dsm__path_description(kind)];
  input->overrides[input->override_count++] = made;
  to->texts[point->options.override_count++] = text;
}

/* PATH=VALUE of the sweep. */
static bool add_set(collector *to, const char *text) {
  const size_t length = strcspn(text, "=");
  const char *const path = dsm__arena_strndup(to->arena, text, length);
  dsm__path_kind kind = DSM__PATH_WORKLOAD;
  if (path == NULL || !dsm__path_parse(path, &kind)) {
    return path != NULL;
  }
  add(to, kind, path, text + length + 1, text);
  return true;
}

/* What an axis says. The texts of options have been found good. */
static bool add_value(collector *to, const dsm_sweep *sweep, const char *path,
                      const dsm_axis_value *value) {
  dsm__sweep_point *const point = to->point;
  dsm__path_kind kind = DSM__PATH_WORKLOAD;
  (void)dsm__path_parse(path, &kind);
  if (dsm__path_is_input(kind)) {
    const dsm_description description = dsm__path_description(kind);
    point->inputs[description].input = description == DSM_DESCRIPTION_WORKLOAD
                                           ? &sweep->workloads[value->input]
                                           : &sweep->systems[value->input];
    return true;
  }
  if (dsm__path_option(kind) != NULL) {
    return dsm__sweep_option_parse(dsm__path_option(kind), value->text, &point->options, NULL);
  }
  const char *const said = dsm__override_text(value->json, value->text);
  const char *const text = dsm__arena_printf(to->arena, "%s=%s", path, said);
  if (text != NULL) {
    add(to, kind, path, said, text);
  }
  return text != NULL;
}

bool dsm__point_init(dsm__sweep_point *point, const dsm_sweep *sweep, size_t index,
                     dsm__arena *arena) {
  const size_t most = sweep->set_count + sweep->column_count;
  collector to = {
      .point = point, .arena = arena, .texts = dsm__arena_array(arena, most, sizeof(const char *))};
  *point = (dsm__sweep_point){.options = sweep->options};
  if (sweep->has_all_optimizations) {
    point->options.optimizations |= DSM_OPTIMIZATION_ALL;
  }
  if (to.texts == NULL || !DSM__RESERVE(arena, point->inputs[0].overrides, most) ||
      !DSM__RESERVE(arena, point->inputs[1].overrides, most)) {
    return false;
  }
  point->options.overrides = to.texts;
  point->options.override_count = 0;
  bool is_good = true;
  for (size_t s = 0; s < sweep->set_count && is_good; s++) {
    is_good = add_set(&to, sweep->sets[s]);
  }
  for (size_t c = 0; c < sweep->column_count && is_good; c++) {
    is_good = add_value(&to, sweep, sweep->columns[c].path, dsm_sweep_value(sweep, index, c));
  }
  point->has_all = dsm__has_all(point->options.optimizations);
  point->options.optimizations &= dsm_mode_possible_optimizations(point->options.mode);
  return is_good;
}
