/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * path_steps.c: no table of paths is kept. A key that no reader knows is put where the path leads:
 * the reader, which refuses it, says which keys it knows there.
 */
#include "dsm/path_steps.h"

#include <string.h>

#include "base/json_read.h"
#include "chain/stages_record.h"
#include "pim/pim_record.h"
#include "server/instance_internal.h"
#include "server/server_internal.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

static const char probe_key[] = "?";

/* What the walk carries. */
typedef struct walk {
  dsm_description kind;
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

/* Lets a reader see a document, for what it says of its keys. False if out of memory. */
typedef bool look(const dsm__json_node *root);

/* NOLINTBEGIN(bugprone-macro-parentheses): a type stands bare there. */
#define LOOK(name, type, make, read, discard)                                                      \
  static bool look_at_##name(const dsm__json_node *root) {                                         \
    type *const made = make();                                                                     \
    if (made == NULL) {                                                                            \
      return false;                                                                                \
    }                                                                                              \
    read(made, root);                                                                              \
    discard(made);                                                                                 \
    return true;                                                                                   \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

static void read_system(dsm_system *system, const dsm__json_node *root) {
  dsm__system_read(system, root, false);
}

LOOK(workload, dsm_workload, dsm__workload_new, dsm__workload_read, dsm_workload_free)
LOOK(system, dsm_system, dsm__system_new, read_system, dsm_system_free)
LOOK(server, dsm_server, dsm__server_new, dsm__server_read, dsm_server_free)
LOOK(profile, dsm_instance, dsm__instance_new, dsm__profile_read, dsm_instance_free)
LOOK(stages, dsm_remat_chain, dsm__remat_chain_new, dsm__stages_read, dsm_remat_chain_free)
LOOK(rl_workload, dsm_rl_workload, dsm__rl_workload_new, dsm__rl_workload_read,
     dsm_rl_workload_free)
LOOK(pim_system, dsm_pim_system, dsm__pim_system_new, dsm__pim_system_read, dsm_pim_system_free)

static look *const looks[DSM_DESCRIPTION_COUNT] = {
    [DSM_DESCRIPTION_WORKLOAD] = look_at_workload,
    [DSM_DESCRIPTION_SYSTEM] = look_at_system,
    [DSM_DESCRIPTION_SERVER] = look_at_server,
    [DSM_DESCRIPTION_PROFILE] = look_at_profile,
    [DSM_DESCRIPTION_STAGES] = look_at_stages,
    [DSM_DESCRIPTION_RL_WORKLOAD] = look_at_rl_workload,
    [DSM_DESCRIPTION_PIM_SYSTEM] = look_at_pim_system,
};

static bool read_all(dsm__json_doc *doc, dsm_description kind) {
  const dsm__json_node root = dsm__json_root(doc);
  return looks[kind](&root) && !dsm__json_doc_is_out_of_memory(doc);
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
  if (status == DSM_OK && !read_all(doc, of->kind)) {
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
  if (kind >= DSM_DESCRIPTION_COUNT || looks[kind] == NULL) {
    return DSM_ERROR_USAGE;
  }
  walk of = {.kind = kind,
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
