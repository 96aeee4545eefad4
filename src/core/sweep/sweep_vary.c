/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_vary.c: axes as texts of a command line, such as "workload.minibatch=256:2048:x2". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "sweep/sweep_draft.h"

enum { SHOWN_MAX = 128 };

size_t dsm__part_length(const char *text, char separator) {
  bool is_in_string = false;
  size_t depth = 0;
  size_t at = 0;
  for (; text[at] != '\0'; at++) {
    const char c = text[at];
    if (is_in_string) {
      at += c == '\\' && text[at + 1] != '\0';
      is_in_string = c != '"';
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '[' || c == '{') {
      depth++;
    } else if ((c == ']' || c == '}') && depth > 0) {
      depth--;
    } else if (c == separator && depth == 0) {
      break;
    }
  }
  return at;
}

/* ---- paths ---- */

/* Paths that are wrong take no place, but are counted. */
static bool parse_paths(dsm__sweep_draft *draft, const char *text, size_t length, dsm__vary *vary) {
  const dsm__origin origin = {.option = vary->option};
  bool is_good = true;
  size_t count = 0;
  for (size_t at = 0; at <= length; count++) {
    const size_t colon = strcspn(text + at, ":");
    const size_t part = colon < length - at ? colon : length - at;
    const char *const path = dsm__draft_text(draft, "%.*s", (int)part, text + at);
    if (count == DSM_SWEEP_AXES_MAX) {
      return dsm__draft_error(draft, origin, NULL, "expected at most %d paths, found more",
                              DSM_SWEEP_AXES_MAX);
    }
    is_good = dsm__axis_add_path(draft, &vary->paths, path, origin) && is_good;
    at += part + 1;
  }
  return is_good;
}

void dsm__varies_parse(dsm__sweep_draft *draft) {
  const dsm_sweep_request *const request = draft->request;
  draft->varies = dsm__draft_array(draft, request->vary_count, sizeof *draft->varies);
  for (size_t i = 0; i < request->vary_count && !dsm__draft_is_stopped(draft); i++) {
    const char *const text = request->varies[i];
    const size_t length = strcspn(text, "=");
    dsm__vary vary = {.option = dsm__draft_text(draft, "--vary %.*s", (int)length, text)};
    if (length == 0 || text[length] == '\0') {
      dsm__draft_error(draft, (dsm__origin){.option = "--vary"}, NULL,
                       "expected PATH=VALUES, found \"%.*s\"", SHOWN_MAX, text);
    } else if (parse_paths(draft, text, length, &vary)) {
      vary.values = text + length + 1;
      draft->varies[draft->vary_count++] = vary;
    }
  }
}

/* ---- values ---- */

/* A:B:xF or A:B:+S, also with a falling step: A:B:-S. */
static bool parse_range(const char *text, size_t length, dsm__range *range) {
  const char *const end = text + length;
  const char *const first = memchr(text, ':', length);
  if (first == NULL) {
    return false;
  }
  const char *const second = memchr(first + 1, ':', (size_t)(end - first) - 1);
  if (second == NULL || end - second < 3 || strchr("x+-", second[1]) == NULL) {
    return false;
  }
  range->is_geometric = second[1] == 'x';
  const char *const step = second + (second[1] == '-' ? 1 : 2);
  return dsm__text_to_double(text, (size_t)(first - text), &range->from) &&
         dsm__text_to_double(first + 1, (size_t)(second - first) - 1, &range->to) &&
         dsm__text_to_double(step, (size_t)(end - step), &range->step);
}

/* A..B/N: N numbers from A to B, each as many times the one before, or, from or to 0 and below, as
 * much more. */
static bool parse_spread(const char *text, size_t length, dsm__range *range) {
  const char *const end = text + length;
  const char *dots = text;
  while (dots + 1 < end && strncmp(dots, "..", 2) != 0) {
    dots++;
  }
  const char *const slash = memchr(text, '/', length);
  double count = 0;
  if (slash == NULL || dots + 2 > slash ||
      !dsm__text_to_double(text, (size_t)(dots - text), &range->from) ||
      !dsm__text_to_double(dots + 2, (size_t)(slash - dots) - 2, &range->to) ||
      !dsm__text_to_double(slash + 1, (size_t)(end - slash) - 1, &count)) {
    return false;
  }
  range->is_spread = true;
  range->count = count;
  range->is_geometric = range->from > 0 && range->to > 0;
  const double steps = count > 1 ? count - 1 : 1;
  range->step = range->is_geometric ? exp(log(range->to / range->from) / steps)
                                    : (range->to - range->from) / steps;
  return true;
}

/* The name of an input is a text also where it looks like a number. */
static bool raw_value(dsm__sweep_draft *draft, dsm__path_kind kind, const char *text, size_t length,
                      dsm__origin origin, dsm__raw_value *raw) {
  if (!dsm__path_is_input(kind) || length == 0 || text[0] == '"') {
    return dsm__raw_from_text(draft, text, length, origin, raw);
  }
  const char *const name = dsm__draft_text(draft, "%.*s", (int)length, text);
  *raw = (dsm__raw_value){.origin = origin, .json = name, .text = name};
  return true;
}

static void add_value(dsm__sweep_draft *draft, dsm__axis_draft *axis, const char *text,
                      size_t length) {
  const dsm__origin origin = axis->origin;
  const dsm__path_kind kind = axis->paths.kinds[0];
  const bool is_input = dsm__path_is_input(kind);
  dsm__range range = {.is_spread = false};
  if (is_input && length > 0 && text[length - 1] == '/') {
    const char *const folder = dsm__draft_text(draft, "%.*s", (int)length, text);
    (void)dsm__axis_add_folder(draft, axis, folder, NULL, origin);
    return;
  }
  if (!is_input && (parse_range(text, length, &range) || parse_spread(text, length, &range))) {
    (void)dsm__axis_add_range(draft, axis, range, origin);
    return;
  }
  if (!is_input && dsm__part_length(text, ':') < length) {
    dsm__draft_error(draft, origin, "a text with a colon needs double quotes",
                     "expected a range FROM:TO:xFACTOR or FROM:TO:+STEP, found \"%.*s\"",
                     length < SHOWN_MAX ? (int)length : SHOWN_MAX, text);
    return;
  }
  dsm__raw_value raw;
  if (raw_value(draft, kind, text, length, origin, &raw)) {
    (void)dsm__axis_add_row(draft, axis, &raw);
  }
}

/* One value for each path, with colons between. */
static void add_row(dsm__sweep_draft *draft, dsm__axis_draft *axis, const char *text,
                    size_t length) {
  const dsm__axis_paths *const paths = &axis->paths;
  dsm__raw_value raws[DSM_SWEEP_AXES_MAX];
  size_t count = 0;
  for (size_t at = 0; at <= length; count++) {
    const size_t colon = dsm__part_length(text + at, ':');
    const size_t part = colon < length - at ? colon : length - at;
    if (count < paths->count &&
        !raw_value(draft, paths->kinds[count], text + at, part, axis->origin, &raws[count])) {
      return;
    }
    at += part + 1;
  }
  if (count != paths->count) {
    dsm__draft_error(draft, axis->origin, NULL,
                     "expected %zu values joined by colons, found \"%.*s\"", paths->count,
                     length < SHOWN_MAX ? (int)length : SHOWN_MAX, text);
    return;
  }
  (void)dsm__axis_add_row(draft, axis, raws);
}

void dsm__vary_read(dsm__sweep_draft *draft, dsm__vary *vary) {
  dsm__axis_draft *const axis =
      dsm__axis_add(draft, &vary->paths, (dsm__origin){.option = vary->option});
  vary->is_used = true;
  for (const char *text = vary->values; axis != NULL && !dsm__draft_is_stopped(draft); text++) {
    const size_t length = dsm__part_length(text, ',');
    if (axis->paths.count == 1) {
      add_value(draft, axis, text, length);
    } else {
      add_row(draft, axis, text, length);
    }
    text += length;
    if (*text == '\0') {
      return;
    }
  }
}
