/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_axes.c: axes and their values, one after the other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/folder.h"
#include "base/map.h"
#include "base/number_text.h"
#include "sweep/sweep_draft.h"

/* ---- axes ---- */

bool dsm__axis_add_path(dsm__sweep_draft *draft, dsm__axis_paths *paths, const char *path,
                        dsm__origin origin) {
  paths->items[paths->count] = path;
  paths->origins[paths->count] = origin;
  if (strchr(path, '=') != NULL || !dsm__path_parse(path, &paths->kinds[paths->count])) {
    return dsm__draft_no_path(draft, origin, path);
  }
  paths->count++;
  return true;
}

dsm__axis_draft *dsm__axis_add(dsm__sweep_draft *draft, const dsm__axis_paths *paths,
                               dsm__origin origin) {
  if (draft->axis_count == DSM_SWEEP_AXES_MAX) {
    dsm__draft_error(
        draft, origin, NULL,
        "expected at most %d axes, those of workloads and systems included, found more",
        DSM_SWEEP_AXES_MAX);
    return NULL;
  }
  dsm__axis_draft *const axis = &draft->axes[draft->axis_count++];
  *axis = (dsm__axis_draft){.origin = origin, .paths = *paths};
  return axis;
}

/* Room for one more row of values; NULL, reported, if there are too many or memory is out. It
 * counts once value_count is increased. */
static dsm_axis_value *new_row(dsm__sweep_draft *draft, dsm__axis_draft *axis) {
  if (axis->value_count == DSM_SWEEP_VALUES_MAX) {
    dsm__draft_error(draft, axis->origin, NULL, "expected at most %d values, found more",
                     DSM_SWEEP_VALUES_MAX);
    return NULL;
  }
  if (!dsm__list_has_room((void *)&axis->values, axis->value_count, 1, &axis->capacity,
                          axis->paths.count * sizeof axis->values[0], false, draft->arena)) {
    (void)dsm__draft_out_of_memory(draft);
    return NULL;
  }
  return &axis->values[axis->value_count * axis->paths.count];
}

bool dsm__axis_add_row(dsm__sweep_draft *draft, dsm__axis_draft *axis, const dsm__raw_value *raws) {
  dsm_axis_value *const row = new_row(draft, axis);
  bool is_good = row != NULL;
  for (size_t p = 0; row != NULL && p < axis->paths.count; p++) {
    is_good = dsm__value_make(draft, axis->paths.kinds[p], &raws[p], &row[p]) && is_good;
  }
  axis->value_count += is_good;
  return is_good;
}

/* ---- ranges ---- */

#define WHOLE_MAX 9007199254740992.0 /* 2^53 */

/* Near enough to count as hit. */
#define RANGE_TOLERANCE 1e-9

/* To so many digits. */
static double rounded_to(double number, int digits) {
  char text[DSM__NUMBER_TEXT_SIZE];
  double rounded = number;
  const int length = snprintf(text, sizeof text, "%.*e", digits - 1, number);
  char *const point = strchr(text, 'e') == NULL ? NULL : text + (text[0] == '-' ? 2 : 1);
  if (length > 0 && point != NULL) {
    *point = '.'; /* in any locale */
    (void)dsm__text_to_double(text, strlen(text), &rounded);
  }
  return rounded;
}

/* A whole number stays what it is; of others what is beyond 15 digits is rounding. */
static double tidy(double number) {
  return fabs(number) < WHOLE_MAX && floor(number) >= number ? number : rounded_to(number, 15);
}

/* Why a range is none; NULL if it is one. */
static const char *flaw_of(dsm__range range) {
  if (range.is_spread) {
    return !(range.count >= 2 && floor(range.count) >= range.count)
               ? "a range of at least 2 numbers"
           : !(range.from < range.to) ? "a range that ends above its beginning"
                                      : NULL;
  }
  if (range.is_geometric && (range.from <= 0 || range.to <= 0)) {
    return "a geometric range from and to numbers above 0";
  }
  if (range.is_geometric && (range.step <= 0 || fabs(range.step - 1) <= 0)) {
    return "a factor above 0 that is not 1";
  }
  if (!range.is_geometric && fabs(range.step) <= 0) {
    return "a step that is not 0";
  }
  const bool is_rising = range.is_geometric ? range.step > 1 : range.step > 0;
  if (is_rising ? range.from > range.to : range.from < range.to) {
    return is_rising ? "a range that rises to its end, as its step says"
                     : "a range that falls to its end, as its step says";
  }
  return NULL;
}

/* How often the step goes into the range, as a real number. */
static double steps_of(dsm__range range) {
  return range.is_spread      ? range.count - 1
         : range.is_geometric ? (log(range.to) - log(range.from)) / log(range.step)
                              : (range.to - range.from) / range.step;
}

static double range_value(dsm__range range, size_t index) {
  const double steps = (double)index;
  const double number =
      range.is_geometric ? range.from * pow(range.step, steps) : range.from + steps * range.step;
  const bool is_end =
      fabs(number - range.to) <= RANGE_TOLERANCE * fabs(range.is_geometric ? range.to : range.step);
  return is_end             ? range.to
         : !range.is_spread ? tidy(number)
         : index == 0       ? range.from
                            : rounded_to(number, 4); /* nobody builds parts to more */
}

static bool complain_of_range(dsm__sweep_draft *draft, dsm__range range, dsm__origin origin,
                              const char *expected) {
  char from[DSM__NUMBER_TEXT_SIZE];
  char to[DSM__NUMBER_TEXT_SIZE];
  char step[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(range.from, from);
  (void)dsm__double_to_text(range.to, to);
  (void)dsm__double_to_text(range.is_spread ? range.count : range.step, step);
  const char *const by = range.is_spread ? "count" : range.is_geometric ? "factor" : "step";
  return dsm__draft_error(draft, origin, NULL, "expected %s, found from %s to %s with %s %s",
                          expected, from, to, by, step);
}

bool dsm__axis_add_range(dsm__sweep_draft *draft, dsm__axis_draft *axis, dsm__range range,
                         dsm__origin origin) {
  const char *const flaw = flaw_of(range);
  if (flaw != NULL) {
    return complain_of_range(draft, range, origin, flaw);
  }
  const double steps = floor(steps_of(range) + RANGE_TOLERANCE);
  if (!(steps < DSM_SWEEP_VALUES_MAX)) {
    char expected[64];
    (void)snprintf(expected, sizeof expected, "a range of at most %d values", DSM_SWEEP_VALUES_MAX);
    return complain_of_range(draft, range, origin, expected);
  }
  axis->is_spread = axis->is_spread || range.is_spread;
  for (size_t i = 0; i <= (size_t)steps; i++) {
    const dsm__raw_value raw = dsm__raw_from_number(draft, range_value(range, i), origin);
    if (!dsm__axis_add_row(draft, axis, &raw)) {
      return false;
    }
  }
  return true;
}

/* ---- folders ---- */

/* folder/name, with one slash between. */
static const char *join(dsm__sweep_draft *draft, const char *folder, const char *name) {
  const size_t length = strlen(folder);
  const bool has_slash = length == 0 || folder[length - 1] == '/';
  return dsm__draft_text(draft, "%s%s%s", folder, has_slash ? "" : "/", name);
}

static bool add_file(dsm__sweep_draft *draft, dsm__axis_draft *axis, const char *name,
                     dsm__origin origin) {
  const dsm_description kind = dsm__path_description(axis->paths.kinds[0]);
  size_t input = 0;
  dsm_axis_value *const row = new_row(draft, axis);
  if (row == NULL || !dsm__input_by_name(draft, kind, name, NULL, origin, &input)) {
    return false;
  }
  *row = dsm__value_of_input(draft, kind, input);
  axis->value_count++;
  return true;
}

bool dsm__axis_add_folder(dsm__sweep_draft *draft, dsm__axis_draft *axis, const char *folder,
                          const char *base, dsm__origin origin) {
  if (axis->paths.count != 1 || !dsm__path_is_input(axis->paths.kinds[0])) {
    return dsm__draft_error(
        draft, origin, NULL,
        "expected a folder only for the path workload or system, found it for %s",
        axis->paths.items[0]);
  }
  const bool is_relative = base != NULL && folder[0] != '/';
  const char *const path = is_relative ? join(draft, base, folder) : folder;
  const char *const *names = NULL;
  size_t count = 0;
  if (dsm__draft_is_stopped(draft)) {
    return false;
  }
  const dsm_status status = dsm__folder_list(&names, &count, path, ".json", DSM_SWEEP_VALUES_MAX,
                                             draft->arena, draft->diags);
  dsm__draft_note(draft, status);
  if (status == DSM_OK && count == 0) {
    dsm__draft_error(draft, origin, NULL, "expected a folder with files *.json, found none in %s",
                     path);
  }
  bool is_good = status == DSM_OK && count > 0;
  for (size_t i = 0; i < count; i++) {
    is_good = add_file(draft, axis, join(draft, path, names[i]), origin) && is_good;
  }
  return is_good;
}

/* ---- checks ---- */

/* Has a row of an axis these values? */
static bool has_values(const void *context, size_t index, const void *key) {
  const dsm__axis_draft *const axis = context;
  const dsm_axis_value *const wanted = key;
  const dsm_axis_value *const row = &axis->values[index * axis->paths.count];
  bool is_same = true;
  for (size_t p = 0; p < axis->paths.count && is_same; p++) {
    is_same = strcmp(row[p].json, wanted[p].json) == 0;
  }
  return is_same;
}

/* A value that comes twice would make every point with it twice. */
static void check_values(dsm__sweep_draft *draft, const dsm__axis_draft *axis) {
  dsm__map rows = {0};
  for (size_t v = 0; v < axis->value_count && !dsm__draft_is_stopped(draft); v++) {
    const dsm_axis_value *const row = &axis->values[v * axis->paths.count];
    uint32_t hash = 0;
    for (size_t p = 0; p < axis->paths.count; p++) {
      hash = dsm__map_hash(hash, row[p].json, strlen(row[p].json));
    }
    if (dsm__map_find(&rows, hash, has_values, axis, row) != DSM__MAP_NONE) {
      dsm__draft_error(draft, axis->origin, NULL, "expected each value once, found %s%.64s twice",
                       axis->paths.count > 1 ? "values that begin with " : "", row[0].text);
      break;
    }
    if (!dsm__map_add(&rows, hash, v)) {
      (void)dsm__draft_out_of_memory(draft);
    }
  }
  dsm__map_fini(&rows);
}

bool dsm__is_whole_of(const char *path, const char *other) {
  const size_t length = strlen(path);
  return strncmp(path, other, length) == 0 && other[length] == '.';
}

/* Values are put in one after the other, those for all points first. A whole that is put in after
 * its part takes the part's value away, and the point would not be what its row says. */
static void check_path(dsm__sweep_draft *draft, const dsm__said_path *before, size_t count,
                       const dsm__said_path *of) {
  static const char hint[] = "leave one of them out";
  const char *part = NULL;
  bool is_varied_before = false;
  for (size_t i = 0; i < count; i++) {
    is_varied_before =
        is_varied_before || (!before[i].is_set && strcmp(before[i].path, of->path) == 0);
    if (part == NULL && dsm__path_is_value(of->kind) && /* inputs are chosen before */
        dsm__is_whole_of(of->path, before[i].path)) {
      part = before[i].path;
    }
  }
  if (is_varied_before) {
    dsm__draft_error(draft, of->origin,
                     dsm__path_is_input(of->kind) ? "a list of workloads or systems is an axis too"
                                                  : NULL,
                     "expected one axis a path, found %s a second time", of->path);
  }
  if (of->kind >= DSM__PATH_OPTION && draft->is_stated[of->kind - DSM__PATH_OPTION]) {
    dsm__draft_error(draft, of->origin, hint,
                     "expected %s as an axis or as an option for all points, found both", of->path);
  }
  for (size_t i = 0; i < count; i++) {
    if (before[i].is_set && strcmp(before[i].path, of->path) == 0) {
      dsm__draft_error(draft, before[i].origin, hint,
                       "expected %s as an axis or as a value for all points, found both", of->path);
    }
  }
  if (part != NULL) {
    dsm__draft_error(draft, of->origin, "leave one out, or make the part a later axis",
                     "expected %s before its part %s, whose value it would replace", of->path,
                     part);
  }
}

void dsm__axes_check(dsm__sweep_draft *draft) {
  const dsm__said_paths all = dsm__paths_collect(draft, ~0U);
  size_t at = draft->sets.count;
  for (size_t a = 0; a < draft->axis_count && all.count > 0; a++) {
    for (size_t p = 0; p < draft->axes[a].paths.count; p++, at++) {
      check_path(draft, all.items, at, &all.items[at]);
    }
    check_values(draft, &draft->axes[a]);
  }
}
