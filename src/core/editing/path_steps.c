/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * path_steps.c: no table of paths is kept. A key that no reader knows is put where the path leads:
 * the reader, which refuses it, says which keys it knows there.
 */
#include "dsm/path_steps.h"

#include <string.h>

#include "base/description.h"
#include "chain/stages_record.h"
#include "server/server_internal.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

static const char probe_key[] = "?";

/* What the walk carries. */
typedef struct walk {
  const dsm__description *row;
  const char *text;
  size_t length;
  dsm__arena *arena;
  dsm_path_visitor *visit;
  void *context;
  const char **seen; /* the children that are there */
  size_t seen_count;
  size_t seen_capacity;
  dsm_status status;
} walk;

/* Of the core. */
static const dsm__description *const rows[] = {&dsm__workload_description, &dsm__system_description,
                                               &dsm__server_description, &dsm__profile_description,
                                               &dsm__stages_description};

static const dsm__description *row_of(dsm_description kind) {
  for (size_t i = 0; i < DSM__COUNT_OF(rows); i++) {
    if (rows[i]->kind == kind) {
      return rows[i];
    }
  }
  return dsm__companion_description(kind);
}

/* Lets the reader see a document, for what it says of its keys. False if out of memory. */
static bool read_all(dsm__json_doc *doc, const dsm__description *row) {
  const dsm__json_node root = dsm__json_root(doc);
  void *const made = row->make();
  if (made != NULL) {
    row->read(made, &root);
  }
  row->discard(made);
  return made != NULL && !dsm__json_doc_is_out_of_memory(doc);
}

/* The keys that the reader knows in the object at a path, in the arena; none: it is no object, or
 * takes any key. Misplaced: the path ends in a key that is known, but not there. */
static const char *const *find_known(walk *of, const char *path, size_t *count,
                                     bool *is_misplaced) {
  *count = 0;
  *is_misplaced = false;
  const char *const probe =
      dsm__arena_printf(of->arena, "%s%s%s", path, *path == '\0' ? "" : ".", probe_key);
  if (probe == NULL) {
    of->status = DSM_ERROR_OUT_OF_MEMORY;
    return NULL;
  }
  const dsm_override override = {.path = probe, .value = "null"};
  dsm__json_doc *doc = NULL;
  dsm_status status = dsm__json_doc_parse(&doc, of->text, of->length, NULL, &override, 1, NULL);
  const char **known = NULL;
  if (status == DSM_OK && !read_all(doc, of->row)) {
    status = DSM_ERROR_OUT_OF_MEMORY;
  }
  if (status == DSM_OK) {
    *is_misplaced = dsm__json_doc_has_misplaced_override(doc);
    dsm__json_unknown unknown = dsm__json_doc_unknown_override(doc);
    if (unknown.key != NULL && strcmp(unknown.key, probe_key) != 0) {
      unknown.known_count = 0; /* the path itself is unknown */
    }
    known = dsm__arena_array(of->arena, unknown.known_count, sizeof *known);
    for (size_t i = 0; known != NULL && i < unknown.known_count; i++) {
      known[i] = dsm__arena_strdup(of->arena, unknown.known[i]);
      known = known[i] == NULL ? NULL : known;
    }
    *count = known == NULL ? 0 : unknown.known_count;
    status = known == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
  }
  of->status = status == DSM_ERROR_OUT_OF_MEMORY ? status : of->status;
  dsm__json_doc_free(doc);
  return known;
}

static void count_child(void *context, const char *name, bool is_container) {
  (void)name;
  (void)is_container;
  walk *const of = context;
  of->seen_capacity++;
}

static void visit_child(void *context, const char *name, bool is_container) {
  walk *const of = context;
  const char *const copy = dsm__arena_strdup(of->arena, name);
  if (copy == NULL || of->seen_count == of->seen_capacity) {
    of->status = DSM_ERROR_OUT_OF_MEMORY;
    return;
  }
  of->seen[of->seen_count++] = copy;
  of->visit(of->context, copy, is_container);
}

/* What is there at the path. */
static dsm_status visit_children(walk *of, const char *path) {
  dsm__json_doc *doc = NULL;
  const dsm_status status = dsm__json_doc_parse(&doc, of->text, of->length, NULL, NULL, 0, NULL);
  if (status != DSM_OK) {
    return status;
  }
  const bool is_container = dsm__json_doc_children(doc, path, count_child, of);
  of->seen = dsm__arena_array(of->arena, of->seen_capacity, sizeof *of->seen);
  if (of->seen == NULL) {
    of->status = DSM_ERROR_OUT_OF_MEMORY;
  } else if (is_container) {
    (void)dsm__json_doc_children(doc, path, visit_child, of);
  }
  dsm__json_doc_free(doc);
  return of->status;
}

static bool is_seen(const walk *of, const char *name) {
  for (size_t i = 0; i < of->seen_count; i++) {
    if (strcmp(of->seen[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* The keys that are known at the path but not there: objects among them know keys in turn. */
static dsm_status visit_others(walk *of, const char *path) {
  size_t count = 0;
  bool is_misplaced = false;
  const char *const *const known = find_known(of, path, &count, &is_misplaced);
  for (size_t i = 0; i < count && of->status == DSM_OK; i++) {
    if (is_seen(of, known[i])) {
      continue;
    }
    const char *const below =
        dsm__arena_printf(of->arena, "%s%s%s", path, *path == '\0' ? "" : ".", known[i]);
    if (below == NULL) {
      return DSM_ERROR_OUT_OF_MEMORY;
    }
    size_t below_count = 0;
    (void)find_known(of, below, &below_count, &is_misplaced);
    if (!is_misplaced) {
      of->visit(of->context, known[i], below_count > 0);
    }
  }
  const bool is_anything = of->seen_count > 0 || count > 0;
  return of->status != DSM_OK || is_anything ? of->status : DSM_ERROR_INVALID;
}

dsm_status dsm_path_steps(dsm_description kind, const char *text, size_t length, const char *path,
                          dsm_path_visitor *visit, void *context) {
  const dsm__description *const row = row_of(kind);
  if (row == NULL) {
    return DSM_ERROR_USAGE;
  }
  walk of = {.row = row,
             .text = text,
             .length = length,
             .arena = dsm__arena_new(),
             .visit = visit,
             .context = context};
  dsm_status status = of.arena == NULL ? DSM_ERROR_OUT_OF_MEMORY : visit_children(&of, path);
  if (status == DSM_OK) {
    status = visit_others(&of, path);
  }
  dsm__arena_free(of.arena);
  return status;
}
