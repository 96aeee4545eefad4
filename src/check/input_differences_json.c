/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * input_differences_json.c: what was asked of two plans, compared as JSON in which every value
 * stands, defaults too.
 *
 * Objects are compared key by key. In lists of objects an item is found again by its name, if all
 * have one, else by its index, and a list of anything else is one value. An object or item that
 * only one side has is one difference, not one for each value in it.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "check/drift.h"
#include "model/names.h"
#include "pim/pim_record.h"
#include "plan/fixed_options.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "system/system_internal.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

/* ---- what was asked, as one document ---- */

enum { NOTES_MAX = 128 };

/* Whether a description states a default or leaves it out is no difference: the value is the same.
 * Only notes of people are compared. */
static void write_system(const dsm_system *system, dsm__json_writer *writer) {
  const char *paths[NOTES_MAX];
  const char *texts[NOTES_MAX];
  dsm_system noted = *system;
  noted.note_paths = paths;
  noted.note_texts = texts;
  noted.note_count = 0;
  for (size_t i = 0; i < system->note_count && i < NOTES_MAX; i++) {
    if (strcmp(system->note_texts[i], dsm__given) != 0) {
      paths[noted.note_count] = system->note_paths[i];
      texts[noted.note_count++] = system->note_texts[i];
    }
  }
  dsm__system_write(&noted, writer);
}

static void write_question(const dsm_plan *plan, dsm__json_writer *writer) {
  dsm__json_begin_object(writer, false);
  dsm__json_write_key(writer, "workload");
  dsm__workload_write_full(plan->workload, writer);
  dsm__json_write_key(writer, "system");
  write_system(plan->system, writer);
  dsm__json_put_object(writer, "options", false);
  dsm__json_put_string(writer, "mode", dsm_mode_name(plan->options.mode));
  dsm__json_write_key(writer, "optimize");
  dsm__json_write_word_set(writer, &dsm__optimization_words, plan->options.optimizations);
  dsm__json_write_key(writer, "parallelism");
  dsm__json_write_word_set(writer, &dsm__parallelism_words, plan->options.parallelisms);
  if (dsm__has_named_roles(&plan->options)) {
    static const char *const axes[DSM_AXES_MAX] = {"x", "y", "z"};
    dsm__json_put_object(writer, "roles", false);
    for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
      dsm__json_write_key(writer, axes[a]);
      dsm__json_write_word_set(writer, &dsm__role_words, plan->options.roles[a]);
    }
    dsm__json_end_object(writer);
  }
  dsm__fixed_option fixed[DSM__FIXED_OPTIONS_MAX];
  const size_t fixed_count = dsm__fixed_options(&plan->options, fixed);
  for (size_t i = 0; i < fixed_count; i++) {
    if (fixed[i].word != NULL) {
      dsm__json_put_string(writer, fixed[i].key, fixed[i].word);
    } else {
      dsm__json_put_u64(writer, fixed[i].key, fixed[i].number);
    }
  }
  if (plan->options.gap > 0) {
    dsm__json_put_double(writer, "gap", plan->options.gap);
  }
  if (plan->options.time_limit_seconds > 0) {
    dsm__json_put_double(writer, "time_limit_seconds", plan->options.time_limit_seconds);
  }
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

static void write_pim_question(const dsm_pim_plan *plan, dsm__json_writer *writer) {
  dsm__json_begin_object(writer, false);
  dsm__json_write_key(writer, "workload");
  dsm__record_write(writer, &dsm__rl_workload_record, plan->workload);
  dsm__json_write_key(writer, "system");
  dsm__record_write(writer, &dsm__pim_system_record, plan->system);
  dsm__json_write_key(writer, "options");
  dsm__record_write(writer, &dsm__pim_options_record, &plan->options);
  dsm__json_end_object(writer);
}

/* A plan of either machine. */
typedef struct asked {
  const dsm_plan *plan;
  const dsm_pim_plan *pim;
} asked;

/* NULL if out of memory. */
static dsm__json_doc *question_of(const asked *of) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__json_doc *doc = NULL;
  if (of->plan != NULL) {
    write_question(of->plan, &writer);
  } else {
    assert(of->pim != NULL);
    write_pim_question(of->pim, &writer);
  }
  if (!text.failed &&
      dsm__json_doc_parse(&doc, text.text, text.length, NULL, NULL, 0, NULL) != DSM_OK) {
    doc = NULL;
  }
  dsm__text_fini(&text);
  return doc;
}

/* ---- what is found ---- */

typedef struct link {
  dsm_input_difference difference;
  struct link *next;
} link;

typedef struct comparison {
  dsm__arena *arena;
  link *first;
  link *last;
  size_t count;
  bool has_failed; /* out of memory */
} comparison;

/* The value as JSON on one line; NULL if it is absent or memory is out. */
static const char *value_text(comparison *at, const dsm__json_node *node) {
  if (!dsm__json_is_present(node)) {
    return NULL;
  }
  dsm__text_buffer text = {0};
  dsm__json_compact(node, &text);
  const char *const copy = text.failed ? NULL : dsm__arena_strdup(at->arena, text.text);
  at->has_failed = at->has_failed || copy == NULL;
  dsm__text_fini(&text);
  return copy;
}

static void add(comparison *at, const char *path, const char *a, const char *b) {
  link *const made = dsm__arena_alloc(at->arena, sizeof *made);
  const char *const copy = dsm__arena_strdup(at->arena, path);
  if (made == NULL || copy == NULL) {
    at->has_failed = true;
    return;
  }
  made->difference = (dsm_input_difference){.path = copy, .a = a, .b = b};
  if (at->last == NULL) {
    at->first = made;
  } else {
    at->last->next = made;
  }
  at->last = made;
  at->count++;
}

static void compare_values(comparison *at, const char *path, const dsm__json_node *a,
                           const dsm__json_node *b) {
  const char *const a_text = value_text(at, a);
  const char *const b_text = value_text(at, b);
  const bool is_same = a_text != NULL && b_text != NULL && strcmp(a_text, b_text) == 0;
  if (!at->has_failed && !is_same) {
    add(at, path, a_text, b_text);
  }
}

/* ---- trees ---- */

static void compare(comparison *at, const char *path, const dsm__json_node *a,
                    const dsm__json_node *b);

/* What is behind "path.step". */
static void compare_below(comparison *at, const char *path, const char *step,
                          const dsm__json_node *a, const dsm__json_node *b) {
  const char *const below =
      dsm__arena_printf(at->arena, "%s%s%s", path, path[0] == '\0' ? "" : ".", step);
  if (below == NULL) {
    at->has_failed = true;
    return;
  }
  compare(at, below, a, b);
}

static void compare_objects(comparison *at, const char *path, const dsm__json_node *a,
                            const dsm__json_node *b) {
  dsm__json_node each = dsm__json_first_member(a);
  for (; dsm__json_is_present(&each) && !at->has_failed; each = dsm__json_next(&each)) {
    const char *const key = dsm__json_key(&each);
    const dsm__json_node other = dsm__json_member(b, key);
    compare_below(at, path, key, &each, &other);
  }
  each = dsm__json_first_member(b);
  for (; dsm__json_is_present(&each) && !at->has_failed; each = dsm__json_next(&each)) {
    const char *const key = dsm__json_key(&each);
    const dsm__json_node other = dsm__json_member(a, key);
    if (!dsm__json_is_present(&other)) {
      compare_below(at, path, key, &other, &each);
    }
  }
}

/* ---- lists ---- */

/* What a list holds. */
typedef struct items {
  const dsm__json_node *list;
  dsm__json_node *nodes;
  const char **names; /* of the items, in order */
  dsm__name_index index;
  size_t count;
  bool are_objects;
  bool are_named;
} items;

/* False if out of memory. */
static bool items_of(items *made, const dsm__json_node *list, dsm__arena *arena) {
  *made = (items){.list = list, .are_objects = true, .are_named = true};
  dsm__json_node each = dsm__json_item(list, 0);
  for (; dsm__json_is_present(&each); each = dsm__json_next(&each)) {
    made->count++;
  }
  made->nodes = dsm__arena_array(arena, made->count, sizeof *made->nodes);
  made->names = dsm__arena_array(arena, made->count, sizeof *made->names);
  made->index.entries = dsm__arena_array(arena, made->count, sizeof(dsm__name_entry));
  if (made->nodes == NULL || made->names == NULL || made->index.entries == NULL) {
    return false;
  }
  each = dsm__json_item(list, 0);
  for (size_t i = 0; i < made->count; i++, each = dsm__json_next(&each)) {
    const dsm__json_node name = dsm__json_member(&each, "name");
    made->nodes[i] = each;
    made->are_objects = made->are_objects && dsm__json_is_object(&each);
    made->names[i] = dsm__json_text(&name);
    made->are_named = made->are_named && made->names[i] != NULL;
    made->index.entries[i] = (dsm__name_entry){made->names[i] == NULL ? "" : made->names[i], i};
  }
  made->index.count = made->count;
  dsm__name_index_sort(&made->index);
  return true;
}

/* An item by its place. */
static dsm__json_node item_at(const items *of, size_t index) {
  return index < of->count ? of->nodes[index] : dsm__json_item(of->list, index);
}

static void compare_by_index(comparison *at, const char *path, const items *a, const items *b) {
  const size_t count = a->count > b->count ? a->count : b->count;
  for (size_t i = 0; i < count && !at->has_failed; i++) {
    const char *const step = dsm__arena_printf(at->arena, "%zu", i);
    const dsm__json_node a_item = item_at(a, i);
    const dsm__json_node b_item = item_at(b, i);
    at->has_failed = step == NULL;
    if (step != NULL) {
      compare_below(at, path, step, &a_item, &b_item);
    }
  }
}

/* What a path calls an item: its name, but its index if the name reads like one. */
static const char *step_to(comparison *at, const items *of, size_t index) {
  const char *const name = of->names[index];
  size_t digits = 0;
  while (isdigit((unsigned char)name[digits]) != 0) {
    digits++;
  }
  if (digits == 0 || name[digits] != '\0') {
    return name;
  }
  const char *const step = dsm__arena_printf(at->arena, "%zu", index);
  at->has_failed = at->has_failed || step == NULL;
  return step == NULL ? "" : step;
}

/* The names in order, as a JSON list. */
static const char *order_text(comparison *at, const items *of) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__json_begin_array(&writer, true);
  for (size_t i = 0; i < of->count; i++) {
    dsm__json_write_string(&writer, of->names[i]);
  }
  dsm__json_end_array(&writer);
  const char *const copy = text.failed ? NULL : dsm__arena_strdup(at->arena, text.text);
  at->has_failed = at->has_failed || copy == NULL;
  dsm__text_fini(&text);
  return copy;
}

/* An order that differs in items that both have is a difference of the list. */
static void compare_by_name(comparison *at, const char *path, const items *a, const items *b) {
  size_t most = 0;
  bool is_same_order = true;
  for (size_t i = 0; i < a->count && !at->has_failed; i++) {
    const size_t index = dsm__name_index_find(&b->index, a->names[i]);
    const dsm__json_node other = item_at(b, index == SIZE_MAX ? b->count : index);
    if (index != SIZE_MAX) {
      is_same_order = is_same_order && index >= most;
      most = index;
    }
    compare_below(at, path, step_to(at, a, i), &a->nodes[i], &other);
  }
  for (size_t i = 0; i < b->count && !at->has_failed; i++) {
    if (dsm__name_index_find(&a->index, b->names[i]) == SIZE_MAX) {
      const dsm__json_node none = item_at(a, a->count);
      compare_below(at, path, step_to(at, b, i), &none, &b->nodes[i]);
    }
  }
  if (!is_same_order && !at->has_failed) {
    const char *const a_order = order_text(at, a);
    const char *const b_order = order_text(at, b);
    if (!at->has_failed) {
      add(at, path, a_order, b_order);
    }
  }
}

static void compare_lists(comparison *at, const char *path, const dsm__json_node *a,
                          const dsm__json_node *b) {
  items a_items;
  items b_items;
  if (!items_of(&a_items, a, at->arena) || !items_of(&b_items, b, at->arena)) {
    at->has_failed = true;
  } else if (!a_items.are_objects || !b_items.are_objects) {
    compare_values(at, path, a, b);
  } else if (a_items.are_named && b_items.are_named) {
    compare_by_name(at, path, &a_items, &b_items);
  } else {
    compare_by_index(at, path, &a_items, &b_items);
  }
}

/* Recursion no deeper than the formats of workloads and systems. */
static void compare(comparison *at, const char *path, const dsm__json_node *a,
                    const dsm__json_node *b) {
  if (dsm__json_is_object(a) && dsm__json_is_object(b)) {
    compare_objects(at, path, a, b);
  } else if (dsm__json_is_list(a) && dsm__json_is_list(b)) {
    compare_lists(at, path, a, b);
  } else {
    compare_values(at, path, a, b);
  }
}

/* ---- the whole ---- */

static bool list_all(const comparison *found, dsm__arena *arena, const dsm_input_difference **list,
                     size_t *count) {
  dsm_input_difference *const all = dsm__arena_array(arena, found->count, sizeof *all);
  if (found->has_failed || all == NULL) {
    return false;
  }
  *count = 0;
  for (const link *each = found->first; each != NULL; each = each->next) {
    all[(*count)++] = each->difference;
  }
  *list = all;
  return true;
}

static bool list_differences(asked a, asked b, dsm__arena *arena, const dsm_input_difference **list,
                             size_t *count) {
  dsm__json_doc *const a_doc = question_of(&a);
  dsm__json_doc *const b_doc = a_doc == NULL ? NULL : question_of(&b);
  comparison found = {.arena = arena, .has_failed = b_doc == NULL};
  if (b_doc != NULL) {
    const dsm__json_node a_root = dsm__json_root(a_doc);
    const dsm__json_node b_root = dsm__json_root(b_doc);
    compare(&found, "", &a_root, &b_root);
    found.has_failed = found.has_failed || dsm__json_doc_is_out_of_memory(a_doc) ||
                       dsm__json_doc_is_out_of_memory(b_doc);
  }
  dsm__json_doc_free(a_doc);
  dsm__json_doc_free(b_doc);
  return list_all(&found, arena, list, count);
}

bool dsm__input_differences(const dsm_plan *a, const dsm_plan *b, dsm__arena *arena,
                            const dsm_input_difference **list, size_t *count) {
  return list_differences((asked){.plan = a}, (asked){.plan = b}, arena, list, count);
}

bool dsm__pim_input_differences(const dsm_pim_plan *a, const dsm_pim_plan *b, dsm__arena *arena,
                                const dsm_input_difference **list, size_t *count) {
  return list_differences((asked){.pim = a}, (asked){.pim = b}, arena, list, count);
}
