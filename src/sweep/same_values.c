/* SPDX-License-Identifier: GPL-3.0-or-later */
/* same_values.c: a value of an input under two names, as a layer has by its name and by its index,
 * is one value. Varied under both, all columns but one would lie. */
#include <string.h>

#include "sweep/sweep_draft.h"

/* A path of a set or an axis, on its way through the inputs. */
typedef struct known_path {
  const char *path;
  const char *json; /* a value to go on with */
  const dsm__origin *origin;
  bool is_set;
  const char *place; /* in the input at hand */
} known_path;

typedef struct path_list {
  known_path *items;
  size_t count;
} path_list;

static void add(path_list *list, known_path path) {
  list->items[list->count++] = path;
}

/* In the order in which values are put in. False if memory is out. */
static bool collect(dsm__sweep_draft *draft, dsm__path_kind kind, path_list *list) {
  size_t capacity = draft->sets.count;
  for (size_t a = 0; a < draft->axis_count; a++) {
    capacity += draft->axes[a].path_count;
  }
  *list = (path_list){.items = dsm__arena_array(draft->arena, capacity, sizeof *list->items)};
  if (list->items == NULL) {
    return dsm__draft_out_of_memory(draft);
  }
  for (size_t s = 0; s < draft->sets.count; s++) {
    const dsm__set_draft *const set = &draft->sets.items[s];
    if (set->kind == kind) {
      add(list, (known_path){set->path, set->json, &set->origin, true, NULL});
    }
  }
  for (size_t a = 0; a < draft->axis_count; a++) {
    const dsm__axis_draft *const axis = &draft->axes[a];
    for (size_t p = 0; p < axis->path_count && axis->value_count > 0; p++) {
      if (axis->kinds[p] == kind) {
        add(list, (known_path){axis->paths[p], axis->values[p].json, &axis->path_origins[p], false,
                               NULL});
      }
    }
  }
  return true;
}

/* The input with these overrides; NULL if it does not take them. */
static dsm__json_doc *parse(dsm__sweep_draft *draft, const dsm_sweep_input *input,
                            const dsm_override *overrides, size_t count) {
  dsm__json_doc *doc = NULL;
  const dsm_status status =
      dsm__json_doc_parse(&doc, input->text, input->length, NULL, overrides, count, NULL);
  if (status == DSM_ERROR_OUT_OF_MEMORY) {
    (void)dsm__draft_out_of_memory(draft);
  }
  return doc;
}

/* Where the path of the last override leads, once those before it are put in; NULL if the input
 * does not take it. */
static const char *place_of(dsm__sweep_draft *draft, const dsm_sweep_input *input,
                            const dsm_override *overrides, size_t count) {
  dsm__json_doc *const after = parse(draft, input, overrides, count);
  dsm__json_doc *const before = after == NULL ? NULL : parse(draft, input, overrides, count - 1);
  const char *place = NULL;
  if (before != NULL) {
    dsm__text_buffer text = {0};
    dsm__json_doc_resolve(before, overrides[count - 1].path, &text);
    place = dsm__draft_take(draft, &text);
  }
  dsm__json_doc_free(before);
  dsm__json_doc_free(after);
  return place;
}

/* Finds the place of each path after the values before it, of axes their first; those that the
 * input does not take have no place in it. */
static void find_places(dsm__sweep_draft *draft, const dsm_sweep_input *input, dsm__path_kind kind,
                        const path_list *list, dsm_override *overrides) {
  size_t count = 0;
  for (size_t i = 0; i < list->count && !dsm__draft_is_stopped(draft); i++) {
    known_path *const of = &list->items[i];
    overrides[count] = (dsm_override){.path = dsm__path_below(of->path, kind), .value = of->json};
    of->place = place_of(draft, input, overrides, count + 1);
    count += of->place != NULL;
  }
}

static bool is_place_in(const char *place, const char *whole) {
  const size_t length = strlen(whole);
  return strncmp(place, whole, length) == 0 && place[length] == DSM__JSON_PLACE_SEPARATOR;
}

/* Compares a path of an axis with one before it. False after a report. */
static bool check_pair(dsm__sweep_draft *draft, const dsm_sweep_input *input,
                       const known_path *before, const known_path *of) {
  static const char hint[] = "leave one of them out";
  const bool is_spelt_so =
      strcmp(before->path, of->path) == 0 || dsm__is_whole_of(of->path, before->path);
  if (is_spelt_so || before->place == NULL || of->place == NULL) {
    return true;
  }
  if (is_place_in(before->place, of->place)) {
    return dsm__draft_error(
        draft, *of->origin, "leave one out, or make the part a later axis",
        "expected %s before %s, which in %s is a part of it, and whose value it would "
        "replace",
        of->path, before->path, input->name);
  }
  if (strcmp(before->place, of->place) != 0) {
    return true;
  }
  if (before->is_set) {
    dsm__draft_error(draft, *before->origin, hint,
                     "expected an axis or a value for all points, found both: %s and %s are the "
                     "same value in %s",
                     of->path, before->path, input->name);
  } else {
    dsm__draft_error(
        draft, *of->origin, hint,
        "expected one axis a value, found a second: %s and %s are the same value in %s", of->path,
        before->path, input->name);
  }
  return false;
}

/* One finding is enough: the others of the same pair would be about other inputs. */
static bool check_input(dsm__sweep_draft *draft, const dsm_sweep_input *input,
                        const path_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    for (size_t before = 0; before < i && !list->items[i].is_set; before++) {
      if (!check_pair(draft, input, &list->items[before], &list->items[i])) {
        return false;
      }
    }
  }
  return true;
}

static void check_kind(dsm__sweep_draft *draft, dsm__path_kind kind,
                       const dsm__input_list *inputs) {
  path_list list;
  if (!collect(draft, kind, &list) || list.count < 2) {
    return;
  }
  dsm_override *const overrides = dsm__arena_array(draft->arena, list.count, sizeof *overrides);
  if (overrides == NULL) {
    (void)dsm__draft_out_of_memory(draft);
    return;
  }
  bool is_good = true;
  for (size_t i = 0; i < inputs->count && is_good && !dsm__draft_is_stopped(draft); i++) {
    find_places(draft, &inputs->items[i], kind, &list, overrides);
    is_good = dsm__draft_is_stopped(draft) || check_input(draft, &inputs->items[i], &list);
  }
}

void dsm__same_values_check(dsm__sweep_draft *draft) {
  if (dsm__draft_status(draft) != DSM_OK) {
    return; /* a path that no input knows leads nowhere */
  }
  check_kind(draft, DSM__PATH_WORKLOAD_VALUE, &draft->inputs[DSM_DESCRIPTION_WORKLOAD]);
  check_kind(draft, DSM__PATH_SYSTEM_VALUE, &draft->inputs[DSM_DESCRIPTION_SYSTEM]);
}
