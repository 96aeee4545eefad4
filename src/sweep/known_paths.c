/* SPDX-License-Identifier: GPL-3.0-or-later */
/* known_paths.c: a path that no input knows is a mistake, and not the trouble of single points. */
#include <stdlib.h>

#include "sweep/sweep_draft.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

/* Of the many findings that a value may cause, those about its path come first. */
enum { FINDINGS_MAX = 64 };

/* A path and a value to try it with. */
typedef struct trial {
  dsm__path_kind kind;
  const char *path;
  const char *json;
  dsm__origin origin;
} trial;

/* What is wrong with a path, in the input that was tried first. */
typedef struct flaw {
  const char *message;
  const char *hint;
} flaw;

static void note_flaw(dsm__sweep_draft *draft, flaw *found, const char *message, const char *hint) {
  if (found->message != NULL) {
    return;
  }
  found->message = dsm__arena_strdup(draft->arena, message);
  found->hint = dsm__arena_strdup(draft->arena, hint);
  if (found->message == NULL || found->hint == NULL) {
    (void)dsm__draft_out_of_memory(draft);
  }
}

/* Lets the reader of the input see all of it, and says whether it knows the key. */
static bool read_all(dsm__sweep_draft *draft, dsm__json_doc *doc, dsm__path_kind kind,
                     flaw *found) {
  const dsm__json_node root = dsm__json_root(doc);
  dsm_workload *const workload = kind == DSM__PATH_WORKLOAD_VALUE ? dsm__workload_new() : NULL;
  dsm_system *const system = kind == DSM__PATH_SYSTEM_VALUE ? dsm__system_new() : NULL;
  if (workload != NULL) {
    dsm__workload_read(workload, &root);
  } else if (system != NULL) {
    dsm__system_read(system, &root, false);
  }
  if ((workload == NULL && system == NULL) || dsm__json_doc_is_out_of_memory(doc)) {
    (void)dsm__draft_out_of_memory(draft);
  }
  dsm_workload_free(workload);
  dsm_system_free(system);
  const dsm__json_unknown unknown = dsm__json_doc_unknown_override(doc);
  if (unknown.key == NULL) {
    return true;
  }
  const char *const message =
      dsm__arena_printf(draft->arena, "unknown key \"%.128s\"", unknown.key);
  if (message == NULL) {
    return dsm__draft_out_of_memory(draft);
  }
  note_flaw(draft, found, message, unknown.hint);
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
static bool is_known_in(dsm__sweep_draft *draft, const trial *of, const dsm_sweep_input *input,
                        flaw *found) {
  const dsm_override last = {.path = dsm__path_below(of->path, of->kind), .value = of->json};
  if (is_known_with(draft, input, of->kind, &last, 1, found)) {
    return true;
  }
  dsm_override *const overrides =
      dsm__arena_array(draft->arena, draft->sets.count + 1, sizeof *overrides);
  if (overrides == NULL) {
    return dsm__draft_out_of_memory(draft);
  }
  size_t count = 0;
  for (size_t s = 0; s < draft->sets.count; s++) {
    const dsm__set_draft *const set = &draft->sets.items[s];
    if (set->kind == of->kind && set->path != of->path) {
      overrides[count++] =
          (dsm_override){.path = dsm__path_below(set->path, set->kind), .value = set->json};
    }
  }
  overrides[count] = last;
  return count > 0 && is_known_with(draft, input, of->kind, overrides, count + 1, found);
}

static void check(dsm__sweep_draft *draft, const trial *of) {
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
  for (size_t s = 0; s < draft->sets.count; s++) {
    const dsm__set_draft *const set = &draft->sets.items[s];
    check(draft, &(trial){set->kind, set->path, set->json, set->origin});
  }
  for (size_t a = 0; a < draft->axis_count; a++) {
    const dsm__axis_draft *const axis = &draft->axes[a];
    for (size_t p = 0; p < axis->path_count && axis->value_count > 0; p++) {
      if (dsm__path_is_value(axis->kinds[p])) {
        check(draft, &(trial){axis->kinds[p], axis->paths[p], axis->values[p].json,
                              axis->path_origins[p]});
      }
    }
  }
}
