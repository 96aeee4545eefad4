/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * value_paths.c: paths of values, checked against the inputs.
 *
 * A path that no input knows is a mistake, and not the trouble of single points. A value of an
 * input under two names, as a layer has by its name and by its index, is one value: varied under
 * both, all columns but one would lie.
 */
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_draft.h"

/* Of the many findings that a value may cause, those about its path come first. */
enum { FINDINGS_MAX = 64 };

dsm__said_paths dsm__paths_collect(dsm__sweep_draft *draft, unsigned kinds) {
  size_t capacity = draft->sets.count;
  for (size_t a = 0; a < draft->axis_count; a++) {
    capacity += draft->axes[a].paths.count;
  }
  dsm__said_paths list = {.items = dsm__draft_array(draft, capacity, sizeof *list.items)};
  if (list.items == NULL) {
    return list;
  }
  for (size_t s = 0; s < draft->sets.count; s++) {
    if ((kinds & 1U << draft->sets.items[s].kind) != 0) {
      list.items[list.count++] = draft->sets.items[s];
    }
  }
  for (size_t a = 0; a < draft->axis_count; a++) {
    const dsm__axis_draft *const axis = &draft->axes[a];
    for (size_t p = 0; p < axis->paths.count; p++) {
      if ((kinds & 1U << axis->paths.kinds[p]) != 0) {
        list.items[list.count++] =
            (dsm__said_path){.kind = axis->paths.kinds[p],
                             .path = axis->paths.items[p],
                             .json = axis->value_count > 0 ? axis->values[p].json : NULL,
                             .origin = axis->paths.origins[p]};
      }
    }
  }
  return list;
}

/* ---- is it known? ---- */

/* What is wrong with a path, in the input that was tried first. */
typedef struct flaw {
  const char *message;
  const char *hint;
} flaw;

static void note_flaw(dsm__sweep_draft *draft, flaw *found, const char *message, const char *hint) {
  if (found->message == NULL) {
    found->message = dsm__draft_text(draft, "%s", message);
    found->hint = dsm__draft_text(draft, "%s", hint);
  }
}

/* Lets the reader of the input see all of it, and says whether it knows the key. */
static bool read_all(dsm__sweep_draft *draft, dsm__json_doc *doc, dsm__path_kind kind,
                     flaw *found) {
  const dsm__json_node root = dsm__json_root(doc);
  const char *name = NULL;
  if (!dsm__input_read(draft, dsm__path_description(kind), &root, &name) ||
      dsm__json_doc_is_out_of_memory(doc)) {
    (void)dsm__draft_out_of_memory(draft);
  }
  const dsm__json_unknown unknown = dsm__json_doc_unknown_override(doc);
  if (unknown.key == NULL) {
    return true;
  }
  note_flaw(draft, found, dsm__draft_text(draft, "unknown key \"%.128s\"", unknown.key),
            unknown.hint);
  return false;
}

/* Does the input know the path, with these overrides, of which the last is the trial? */
static bool is_known_with(dsm__sweep_draft *draft, const dsm_sweep_input *input,
                          dsm__path_kind kind, const dsm_override *overrides, size_t count,
                          flaw *found) {
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  if (diags == NULL) {
    return dsm__draft_out_of_memory(draft);
  }
  dsm__json_doc *doc = NULL;
  bool is_known = false;
  const dsm_status status =
      dsm__json_doc_parse(&doc, input->text, input->length, input->file, overrides, count, diags);
  if (status == DSM_OK) {
    is_known = read_all(draft, doc, kind, found);
  } else if (status == DSM_ERROR_OUT_OF_MEMORY) {
    (void)dsm__draft_out_of_memory(draft);
  } else if (dsm_diags_count(diags) > 0) {
    const dsm_diag *const diag = dsm_diags_get(diags, 0);
    note_flaw(draft, found, diag->message, diag->hint);
  }
  dsm__json_doc_free(doc);
  dsm_diags_free(diags);
  return is_known;
}

/* Alone, or after the values for all points, which may make what the path leads through. */
static bool is_known_in(dsm__sweep_draft *draft, const dsm__said_path *of,
                        const dsm_sweep_input *input, flaw *found) {
  const dsm_override last = {.path = dsm__path_below(of->path, of->kind), .value = of->json};
  if (is_known_with(draft, input, of->kind, &last, 1, found)) {
    return true;
  }
  dsm_override *const overrides = dsm__draft_array(draft, draft->sets.count + 1, sizeof *overrides);
  if (overrides == NULL) {
    return false;
  }
  size_t count = 0;
  for (size_t s = 0; s < draft->sets.count; s++) {
    const dsm__said_path *const set = &draft->sets.items[s];
    if (set->kind == of->kind && set->path != of->path) {
      overrides[count++] =
          (dsm_override){.path = dsm__path_below(set->path, set->kind), .value = set->json};
    }
  }
  overrides[count] = last;
  return count > 0 && is_known_with(draft, input, of->kind, overrides, count + 1, found);
}

static void check(dsm__sweep_draft *draft, const dsm__said_path *of) {
  const dsm_description kind = dsm__path_description(of->kind);
  const dsm__input_list *const list = &draft->inputs[kind];
  flaw found = {0};
  bool is_known = list->count == 0;
  for (size_t i = 0; i < list->count && !is_known && !dsm__draft_is_stopped(draft); i++) {
    is_known = is_known_in(draft, of, &list->items[i], &found);
  }
  if (!is_known && !dsm__draft_is_stopped(draft)) {
    dsm__draft_error(draft, of->origin, found.hint, "no %s has %s: %s", dsm_description_name(kind),
                     of->path, found.message == NULL ? "it cannot be set" : found.message);
  }
}

void dsm__paths_check(dsm__sweep_draft *draft) {
  const dsm__said_paths list =
      dsm__paths_collect(draft, 1U << DSM__PATH_WORKLOAD_VALUE | 1U << DSM__PATH_SYSTEM_VALUE);
  for (size_t i = 0; i < list.count; i++) {
    if (list.items[i].json != NULL) {
      check(draft, &list.items[i]);
    }
  }
}

/* ---- is it another's? ---- */

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

/* Finds the place of each path after the values before it, of axes their first; those that the
 * input does not take have no place in it. */
static void find_places(dsm__sweep_draft *draft, const dsm_sweep_input *input, dsm__path_kind kind,
                        const dsm__said_paths *list, dsm_override *overrides) {
  dsm__json_doc *before = parse(draft, input, overrides, 0);
  size_t count = 0;
  for (size_t i = 0; i < list->count && before != NULL; i++) {
    dsm__said_path *const of = &list->items[i];
    overrides[count] = (dsm_override){.path = dsm__path_below(of->path, kind), .value = of->json};
    dsm__json_doc *const after =
        of->json == NULL ? NULL : parse(draft, input, overrides, count + 1);
    of->place = NULL;
    if (after != NULL) {
      dsm__text_buffer text = {0};
      dsm__json_doc_resolve(before, overrides[count++].path, &text);
      of->place = dsm__draft_take(draft, &text);
      dsm__json_doc_free(before);
      before = after;
    }
  }
  dsm__json_doc_free(before);
}

static bool is_place_in(const char *place, const char *whole) {
  const size_t length = strlen(whole);
  return strncmp(place, whole, length) == 0 && place[length] == DSM__JSON_PLACE_SEPARATOR;
}

/* Compares a path of an axis with one before it. False after a report. */
static bool check_pair(dsm__sweep_draft *draft, const dsm_sweep_input *input,
                       const dsm__said_path *before, const dsm__said_path *of) {
  static const char hint[] = "leave one of them out";
  const bool is_spelt_so =
      strcmp(before->path, of->path) == 0 || dsm__is_whole_of(of->path, before->path);
  if (is_spelt_so || before->place == NULL || of->place == NULL) {
    return true;
  }
  if (is_place_in(before->place, of->place)) {
    return dsm__draft_error(
        draft, of->origin, "leave one out, or make the part a later axis",
        "expected %s before %s, which in %s is a part of it, and whose value it would "
        "replace",
        of->path, before->path, input->name);
  }
  if (strcmp(before->place, of->place) != 0) {
    return true;
  }
  if (before->is_set) {
    dsm__draft_error(draft, before->origin, hint,
                     "expected an axis or a value for all points, found both: %s and %s are the "
                     "same value in %s",
                     of->path, before->path, input->name);
  } else {
    dsm__draft_error(
        draft, of->origin, hint,
        "expected one axis a value, found a second: %s and %s are the same value in %s", of->path,
        before->path, input->name);
  }
  return false;
}

/* One finding is enough: the others of the same pair would be about other inputs. */
static bool check_input(dsm__sweep_draft *draft, const dsm_sweep_input *input,
                        const dsm__said_paths *list) {
  for (size_t i = 0; i < list->count; i++) {
    for (size_t before = 0; before < i && !list->items[i].is_set; before++) {
      if (!check_pair(draft, input, &list->items[before], &list->items[i])) {
        return false;
      }
    }
  }
  return true;
}

static void check_kind(dsm__sweep_draft *draft, dsm__path_kind kind) {
  const dsm__input_list *const inputs = &draft->inputs[dsm__path_description(kind)];
  const dsm__said_paths list = dsm__paths_collect(draft, 1U << kind);
  if (list.count < 2) {
    return;
  }
  dsm_override *const overrides = dsm__draft_array(draft, list.count, sizeof *overrides);
  if (overrides == NULL) {
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
  check_kind(draft, DSM__PATH_WORKLOAD_VALUE);
  check_kind(draft, DSM__PATH_SYSTEM_VALUE);
}
