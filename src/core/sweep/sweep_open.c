/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_open.c: the axes of a sweep of which not all points are evaluated. */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "sweep/sweep_draft.h"
#include "system/system_internal.h"

/* What the sweep's first system has at the path of an axis; false if it is none of its parameters.
 */
static bool own_value(dsm__sweep_draft *draft, const dsm_system *system,
                      const dsm__axis_draft *axis, const dsm__parameter *parameter,
                      dsm__raw_value *raw) {
  char text[DSM__NUMBER_TEXT_SIZE];
  if (parameter == NULL) {
    return false;
  }
  const char *const said =
      dsm__parameter_text(parameter, dsm__parameter_number(parameter, system), text);
  return dsm__raw_from_text(draft, said, strlen(said), axis->origin, raw);
}

/* NULL: it has no such parameter. */
static const dsm__parameter *parameter_of(const dsm__axis_draft *axis) {
  const char *const path = dsm__path_below(axis->paths.items[0], axis->paths.kinds[0]);
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (strcmp(dsm__parameters[p].path, path) == 0) {
      return &dsm__parameters[p];
    }
  }
  return NULL;
}

static bool is_same(const dsm_axis_value *one, const dsm_axis_value *other) {
  return one->is_number && other->is_number ? dsm__order(one->number, other->number) == 0
                                            : strcmp(one->json, other->json) == 0;
}

/* Counts that were computed are the nearest whole numbers, each once. */
static void make_whole(dsm__sweep_draft *draft, dsm__axis_draft *axis) {
  size_t count = 0;
  for (size_t v = 0; v < axis->value_count; v++) {
    const dsm__raw_value raw =
        dsm__raw_from_number(draft, round(axis->values[v].number), axis->origin);
    dsm_axis_value whole;
    if (!dsm__value_make(draft, axis->paths.kinds[0], &raw, &whole)) {
      return;
    }
    if (count == 0 || !is_same(&axis->values[count - 1], &whole)) {
      axis->values[count++] = whole;
    }
  }
  axis->value_count = count;
}

static void add_own(dsm__sweep_draft *draft, const dsm_system *system, dsm__axis_draft *axis) {
  const dsm__parameter *const parameter = parameter_of(axis);
  dsm__raw_value raw;
  dsm_axis_value own;
  if (axis->is_spread && parameter != NULL && parameter->kind == DSM__PARAMETER_COUNT) {
    make_whole(draft, axis);
  }
  if (!own_value(draft, system, axis, parameter, &raw) ||
      !dsm__value_make(draft, axis->paths.kinds[0], &raw, &own)) {
    return;
  }
  for (size_t v = 0; v < axis->value_count; v++) {
    if (is_same(&axis->values[v], &own)) {
      return;
    }
  }
  (void)dsm__axis_add_row(draft, axis, &raw);
}

DSM__ORDER_OF(by_number, dsm_axis_value, dsm__order(a->number, b->number));

static void sort(dsm__axis_draft *axis) {
  bool is_of_numbers = true;
  for (size_t v = 0; v < axis->value_count; v++) {
    is_of_numbers = is_of_numbers && axis->values[v].is_number;
  }
  if (is_of_numbers) {
    dsm__sort(axis->values, axis->value_count, sizeof axis->values[0], by_number);
  }
}

void dsm__axes_complete(dsm__sweep_draft *draft) {
  const dsm__input_list *const systems = &draft->inputs[DSM_DESCRIPTION_SYSTEM];
  dsm_system *system = NULL;
  if (!draft->is_open || systems->count == 0) {
    return;
  }
  dsm__draft_note(draft, dsm_system_parse(&system, systems->items[0].text, systems->items[0].length,
                                          systems->items[0].file, NULL, 0, draft->diags));
  for (size_t a = 0; system != NULL && a < draft->axis_count; a++) {
    dsm__axis_draft *const axis = &draft->axes[a];
    if (axis->paths.count == 1 && axis->paths.kinds[0] == DSM__PATH_SYSTEM_VALUE) {
      add_own(draft, system, axis);
      sort(axis);
    }
  }
  dsm_system_free(system);
}
