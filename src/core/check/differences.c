/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences.c: walks two JSON values side by side.
 *
 * Objects are compared key by key. In lists of objects an item is found again by its name (of a
 * record its first field), if all have one of their own, else by its place, and a list of anything
 * else is one value. An object or item that only one side has is one difference, not one for each
 * value in it.
 */
#include "check/differences.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/json_write.h"
#include "check/drift.h"
#include "check/name_pairs.h"

/* ---- what a value is ---- */

typedef enum role { ASKED, DECIDED, FIGURE, UNCOMPARED } role;

static const unsigned better_flags = DSM__FIELD_LESS_IS_BETTER | DSM__FIELD_MORE_IS_BETTER;
static const unsigned decision_flags = DSM__FIELD_IS_DECISION | DSM__FIELD_IS_CHOSEN;
static const unsigned asked_flags = DSM__FIELD_IS_READ | DSM__FIELD_IS_ASKED;

static role role_of(const dsm__field *field) {
  const unsigned flags = field == NULL ? DSM__FIELD_IS_READ : field->flags;
  return (flags & DSM__FIELD_IS_ASIDE) != 0                     ? UNCOMPARED
         : (flags & decision_flags) != 0                        ? DECIDED
         : (flags & (DSM__FIELD_IS_FIGURE | better_flags)) != 0 ? FIGURE
         : (flags & asked_flags) != 0                           ? ASKED
                                                                : UNCOMPARED;
}

/* Is what a list holds decided, item by item? */
static bool is_decision(void *decided, const dsm__field *field, const void *record) {
  (void)record;
  *(bool *)decided = *(bool *)decided || role_of(field) == DECIDED;
  return true;
}

static bool are_items_decided(const dsm__field *field) {
  bool decided = role_of(field) != ASKED;
  if (field != NULL && field->type != NULL) {
    (void)dsm__record_each(field->type, NULL, is_decision, &decided);
  }
  return decided;
}

/* ---- what is found ---- */

/* The value as JSON on one line; NULL if it is absent or memory is out. */
static const char *value_text(dsm__differences *at, const dsm__json_node *node) {
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

static void add(dsm__differences *at, role as, const char *path, const char *a, const char *b) {
  dsm__values *const to = as == DECIDED ? &at->decisions : &at->inputs;
  at->has_failed =
      !DSM__LIST_PUSH_IN(to, at->arena, (dsm_input_difference){.path = path, .a = a, .b = b}) ||
      at->has_failed;
}

static bool is_judged(const dsm__differences *at, const char *path) {
  for (size_t i = 0; at->judged != NULL && i < DSM__JUDGED_MAX; i++) {
    if (at->judged->paths[i] != NULL && strcmp(at->judged->paths[i], path) == 0) {
      return true;
    }
  }
  return false;
}

/* 0 where it is absent; null is infinite. */
static double number_of(const dsm__json_node *node) {
  double number = 0;
  if (dsm__json_is_present(node) && dsm__json_is_null(node)) {
    return HUGE_VAL;
  }
  if (dsm__json_is_present(node)) {
    (void)dsm__json_double(node, (dsm__json_range){-1e300, 1e300, false}, &number);
  }
  return number;
}

dsm_figure_drift dsm__figure_between(const char *path, const dsm__field *field, double before,
                                     double after, double tolerance) {
  return (dsm_figure_drift){.path = path,
                            .unit = field->unit,
                            .better = (field->flags & DSM__FIELD_MORE_IS_BETTER) != 0   ? 1
                                      : (field->flags & DSM__FIELD_LESS_IS_BETTER) != 0 ? -1
                                                                                        : 0,
                            .moved = dsm__moved_between(before, after, tolerance)};
}

static void compare_figures(dsm__differences *at, const char *path, const dsm__field *field,
                            const dsm__json_node *a, const dsm__json_node *b) {
  assert(field != NULL);
  const dsm_figure_drift made =
      dsm__figure_between(path, field, number_of(a), number_of(b), at->tolerance);
  if (!made.moved.is_beyond && !is_judged(at, path)) {
    return;
  }
  at->has_failed = !DSM__LIST_PUSH_IN(&at->figures, at->arena, made) || at->has_failed;
}

/* Two machines may compute a fraction with other last bits. */
static bool are_equal_numbers(const dsm__json_node *a, const dsm__json_node *b) {
  double a_number = 0;
  double b_number = 0;
  return dsm__json_is_number(a, &a_number) && dsm__json_is_number(b, &b_number) &&
         !dsm__moved_between(a_number, b_number, 0).is_beyond;
}

static void compare_values(dsm__differences *at, const char *path, const dsm__field *field,
                           const dsm__json_node *a, const dsm__json_node *b) {
  const role as = role_of(field);
  if (as == FIGURE) {
    compare_figures(at, path, field, a, b);
    return;
  }
  const char *const a_text = value_text(at, a);
  const char *const b_text = value_text(at, b);
  const bool is_same = a_text != NULL && b_text != NULL && strcmp(a_text, b_text) == 0;
  if (!at->has_failed && !is_same && !(as == DECIDED && are_equal_numbers(a, b))) {
    add(at, as, path, a_text, b_text);
  }
}

/* ---- trees ---- */

static void compare(dsm__differences *at, const char *path, const dsm__field *field,
                    const dsm__json_node *a, const dsm__json_node *b);

/* "path.step"; "", and the comparison fails, if out of memory. */
static const char *path_below(dsm__differences *at, const char *path, const char *step) {
  const char *const below =
      dsm__arena_printf(at->arena, "%s%s%s", path, path[0] == '\0' ? "" : ".", step);
  at->has_failed = at->has_failed || below == NULL;
  return below == NULL ? "" : below;
}

/* What is behind "path.step". */
static void compare_below(dsm__differences *at, const char *path, const char *step,
                          const dsm__field *field, const dsm__json_node *a,
                          const dsm__json_node *b) {
  const char *const below = path_below(at, path, step);
  if (!at->has_failed) {
    compare(at, below, field, a, b);
  }
}

static void compare_objects(dsm__differences *at, const char *path, const dsm__json_node *a,
                            const dsm__json_node *b) {
  dsm__json_node each = dsm__json_first_member(a);
  for (; dsm__json_is_present(&each) && !at->has_failed; each = dsm__json_next(&each)) {
    const char *const key = dsm__json_key(&each);
    const dsm__json_node other = dsm__json_member(b, key);
    compare_below(at, path, key, NULL, &each, &other);
  }
  each = dsm__json_first_member(b);
  for (; dsm__json_is_present(&each) && !at->has_failed; each = dsm__json_next(&each)) {
    const char *const key = dsm__json_key(&each);
    const dsm__json_node other = dsm__json_member(a, key);
    if (!dsm__json_is_present(&other)) {
      compare_below(at, path, key, NULL, &other, &each);
    }
  }
}

/* Two objects whose fields are compared. */
typedef struct sides {
  dsm__differences *at;
  const char *path;
  const dsm__json_node *a;
  const dsm__json_node *b;
} sides;

static bool compare_field(void *context, const dsm__field *field, const void *record) {
  const sides *const of = context;
  const dsm__json_node a = dsm__json_member(of->a, field->key);
  const dsm__json_node b = dsm__json_member(of->b, field->key);
  (void)record;
  if (dsm__json_is_present(&a) || dsm__json_is_present(&b)) {
    compare_below(of->at, of->path, field->key, field, &a, &b);
  }
  return !of->at->has_failed;
}

static bool is_of(const dsm__json_node *node, const dsm__record_type *type) {
  return type->format != NULL ? dsm__document_only(node, type) : dsm__record_only(node, type);
}

static void compare_records(dsm__differences *at, const char *path, const dsm__record_type *type,
                            const dsm__json_node *a, const dsm__json_node *b) {
  sides of = {at, path, a, b};
  const bool is_a = is_of(a, type);
  if (is_of(b, type) && is_a) {
    (void)dsm__record_each(type, NULL, compare_field, &of);
  }
}

/* A struct for each word. */
static void compare_members(dsm__differences *at, const char *path, const dsm__field *field,
                            const dsm__json_node *a, const dsm__json_node *b) {
  const char *keys[DSM__WORDS_MAX];
  const size_t count = dsm__words_keys(field->words, keys);
  for (size_t w = 0; w < count && !at->has_failed; w++) {
    const dsm__json_node of_a = dsm__json_member(a, keys[w]);
    const dsm__json_node of_b = dsm__json_member(b, keys[w]);
    if (dsm__json_is_present(&of_a) && dsm__json_is_present(&of_b)) {
      compare_records(at, path_below(at, path, keys[w]), field->type, &of_a, &of_b);
    }
  }
}

/* ---- lists ---- */

/* What a list holds. */
typedef struct items {
  const dsm__json_node *list;
  dsm__json_node *nodes;
  dsm__names names;
  bool are_objects;
  bool are_named;
} items;

static bool take_key(void *key, const dsm__field *field, const void *record) {
  (void)record;
  *(const char **)key = role_of(field) == FIGURE ? "" : field->key;
  return false;
}

/* The key that tells items apart: their first, if it is no figure. */
static const char *key_of(const dsm__field *field) {
  const char *key = "name";
  if (field != NULL) {
    (void)dsm__record_each(field->type, NULL, take_key, &key);
  }
  return key;
}

/* A text as it is, anything else as JSON. */
static const char *item_name(dsm__differences *at, const dsm__json_node *node) {
  const char *const text = dsm__json_text(node);
  return text != NULL ? text : value_text(at, node);
}

/* False if out of memory. */
static bool items_of(dsm__differences *at, items *made, const dsm__field *field,
                     const dsm__json_node *list) {
  const char *const key = key_of(field);
  *made = (items){.list = list, .are_objects = true, .are_named = true};
  dsm__json_node each = dsm__json_item(list, 0);
  size_t count = 0;
  for (; dsm__json_is_present(&each); each = dsm__json_next(&each)) {
    count++;
  }
  made->nodes = dsm__arena_array(at->arena, count, sizeof *made->nodes);
  made->names.items = dsm__arena_array(at->arena, count, sizeof *made->names.items);
  if (made->nodes == NULL || made->names.items == NULL) {
    return false;
  }
  each = dsm__json_item(list, 0);
  for (; dsm__json_is_present(&each); each = dsm__json_next(&each)) {
    const dsm__json_node name = dsm__json_member(&each, key);
    const char *const text = field == NULL ? dsm__json_text(&name) : item_name(at, &name);
    made->are_objects = made->are_objects && dsm__json_is_object(&each);
    made->are_named = made->are_named && text != NULL;
    made->nodes[made->names.count] = each;
    made->names.items[made->names.count++] = text;
  }
  dsm__name_pairs own = {.count = 0};
  if (field != NULL && made->are_named &&
      !dsm__pairs_by_name(&own, made->names, made->names, at->arena)) {
    return false;
  }
  for (size_t i = 0; i < own.count; i++) {
    made->are_named = made->are_named && own.items[i].b == i;
  }
  return true;
}

/* An item, which one side may not have: of what was asked it is shown as a whole. */
static void compare_item(dsm__differences *at, const char *path, const dsm__field *field,
                         const dsm__json_node *a, const dsm__json_node *b) {
  static const char present[] = "\"present\"";
  const bool is_in_a = dsm__json_is_present(a);
  const bool is_in_b = dsm__json_is_present(b);
  if (field == NULL) {
    compare(at, path, NULL, a, b);
  } else if (is_in_a && is_in_b) {
    compare_records(at, path, field->type, a, b);
  } else if (are_items_decided(field)) {
    add(at, DECIDED, path, is_in_a ? present : NULL, is_in_b ? present : NULL);
  } else {
    add(at, ASKED, path, value_text(at, a), value_text(at, b));
  }
}

/* An item by its place. */
static dsm__json_node item_at(const items *of, size_t index) {
  return index < of->names.count ? of->nodes[index] : dsm__json_item(of->list, index);
}

/* Items that have no names of their own are known by their places. */
static void number_items(dsm__differences *at, items *of) {
  for (size_t i = 0; i < of->names.count; i++) {
    of->names.items[i] = dsm__arena_printf(at->arena, "%zu", i);
    at->has_failed = at->has_failed || of->names.items[i] == NULL;
  }
}

/* What a path calls an item: its name, but its index if the name of what was asked reads like one.
 */
static const char *step_to(dsm__differences *at, const dsm__field *field, const items *of,
                           size_t index) {
  const char *const name = of->names.items[index];
  size_t digits = 0;
  while (isdigit((unsigned char)name[digits]) != 0) {
    digits++;
  }
  if (field != NULL || digits == 0 || name[digits] != '\0') {
    return name;
  }
  const char *const step = dsm__arena_printf(at->arena, "%zu", index);
  at->has_failed = at->has_failed || step == NULL;
  return step == NULL ? "" : step;
}

/* The names in order, as a JSON list. */
static const char *order_text(dsm__differences *at, const items *of) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__json_begin_array(&writer, true);
  for (size_t i = 0; i < of->names.count; i++) {
    dsm__json_write_string(&writer, of->names.items[i]);
  }
  dsm__json_end_array(&writer);
  const char *const copy = text.failed ? NULL : dsm__arena_strdup(at->arena, text.text);
  at->has_failed = at->has_failed || copy == NULL;
  dsm__text_fini(&text);
  return copy;
}

/* An order that differs in items that both have is a difference of the list. */
static void compare_by_name(dsm__differences *at, const char *path, const dsm__field *field,
                            const items *a, const items *b) {
  dsm__name_pairs pairs;
  size_t most = 0;
  bool is_same_order = true;
  at->has_failed = at->has_failed || !dsm__pairs_by_name(&pairs, a->names, b->names, at->arena);
  for (size_t k = 0; !at->has_failed && k < pairs.count; k++) {
    const dsm__name_pair pair = pairs.items[k];
    const char *const step =
        pair.a != SIZE_MAX ? step_to(at, field, a, pair.a) : step_to(at, field, b, pair.b);
    const dsm__json_node a_item = item_at(a, pair.a);
    const dsm__json_node b_item = item_at(b, pair.b);
    is_same_order = is_same_order && (pair.a == SIZE_MAX || pair.b == SIZE_MAX || pair.b >= most);
    most = pair.a != SIZE_MAX && pair.b != SIZE_MAX ? pair.b : most;
    compare_item(at, path_below(at, path, step), field, &a_item, &b_item);
  }
  if (!is_same_order && !are_items_decided(field) && !at->has_failed) {
    const char *const a_order = order_text(at, a);
    const char *const b_order = order_text(at, b);
    if (!at->has_failed) {
      add(at, ASKED, path, a_order, b_order);
    }
  }
}

static void compare_lists(dsm__differences *at, const char *path, const dsm__field *field,
                          const dsm__json_node *a, const dsm__json_node *b) {
  items a_items;
  items b_items;
  if (!items_of(at, &a_items, field, a) || !items_of(at, &b_items, field, b)) {
    at->has_failed = true;
  } else if (!a_items.are_objects || !b_items.are_objects) {
    compare_values(at, path, field, a, b);
  } else {
    if (!a_items.are_named || !b_items.are_named) {
      number_items(at, &a_items);
      number_items(at, &b_items);
    }
    compare_by_name(at, path, field, &a_items, &b_items);
  }
}

/* Recursion no deeper than the formats of workloads and systems, and the records of documents. */
static void compare(dsm__differences *at, const char *path, const dsm__field *field,
                    const dsm__json_node *a, const dsm__json_node *b) {
  const bool are_objects = dsm__json_is_object(a) && dsm__json_is_object(b);
  const bool are_lists = dsm__json_is_list(a) && dsm__json_is_list(b);
  const dsm__record_type *const type = field == NULL ? NULL : field->type;
  const bool is_untyped = type == NULL && role_of(field) == ASKED;
  if (are_objects && type != NULL && field->kind == DSM__FIELD_MEMBERS) {
    compare_members(at, path, field, a, b);
  } else if (are_objects && type != NULL) {
    compare_records(at, path, type, a, b);
  } else if (role_of(field) == UNCOMPARED) {
    return;
  } else if (are_objects && is_untyped) {
    compare_objects(at, path, a, b);
  } else if (are_lists && (is_untyped || type != NULL)) {
    compare_lists(at, path, type == NULL ? NULL : field, a, b);
  } else {
    compare_values(at, path, field, a, b);
  }
}

void dsm__find_differences(dsm__differences *found, const dsm__record_type *type,
                           const dsm__json_node *a, const dsm__json_node *b) {
  if (type != NULL) {
    compare_records(found, "", type, a, b);
  } else {
    compare(found, "", NULL, a, b);
  }
}

/* ---- documents ---- */

/* The figures that decide of a document. */
static dsm__judged judged_of(const dsm__judged *judged, const dsm__record_type *type,
                             const dsm__json_node *root) {
  if (judged->by == NULL) {
    return *judged;
  }
  const dsm__field *const field = dsm__record_field(type, judged->by, NULL);
  const dsm__json_node word = dsm__json_member(root, judged->by);
  size_t value = 0;
  return dsm__json_enum(&word, field->words, &value) && value < DSM__JUDGED_MAX
             ? (dsm__judged){.paths = {judged->paths[value]}}
             : (dsm__judged){.by = NULL};
}

static int direction_of_figure(const dsm_figure_drift *figure) {
  const bool is_more = figure->moved.after > figure->moved.before;
  return !figure->moved.is_beyond ? 0 : is_more ? figure->better : -figure->better;
}

/* Where no figure decides: the direction in which all went that moved. */
static int common_direction(const dsm__differences *found) {
  bool is_better = false;
  bool is_worse = false;
  for (size_t k = 0; k < found->figures.count; k++) {
    const int direction = direction_of_figure(&found->figures.items[k]);
    is_better = is_better || direction > 0;
    is_worse = is_worse || direction < 0;
  }
  return (is_better ? 1 : 0) - (is_worse ? 1 : 0);
}

/* The first figure of those that decide that moved; 0: none has. */
static int direction_of(const dsm__differences *found) {
  if (found->judged->paths[0] == NULL) {
    return common_direction(found);
  }
  for (size_t i = 0; i < DSM__JUDGED_MAX && found->judged->paths[i] != NULL; i++) {
    for (size_t k = 0; k < found->figures.count; k++) {
      const dsm_figure_drift *const figure = &found->figures.items[k];
      if (figure->moved.is_beyond && strcmp(figure->path, found->judged->paths[i]) == 0) {
        return direction_of_figure(figure);
      }
    }
  }
  return 0;
}

static void take(dsm_comparison *made, const dsm__differences *found) {
  const int direction = direction_of(found);
  made->inputs = found->inputs.items;
  made->input_count = found->inputs.count;
  made->decisions = found->decisions.items;
  made->decision_count = found->decisions.count;
  made->figures = found->figures.items;
  made->figure_count = found->figures.count;
  for (size_t i = 0; i < made->figure_count; i++) {
    made->beyond_count += made->figures[i].moved.is_beyond ? 1 : 0;
  }
  made->verdict = direction < 0   ? DSM_VERDICT_REGRESSED
                  : direction > 0 ? DSM_VERDICT_IMPROVED
                  : made->input_count + made->decision_count + made->beyond_count > 0
                      ? DSM_VERDICT_CHANGED
                      : DSM_VERDICT_OK;
}

static dsm_status compare_docs(dsm_comparison *made, const dsm__record_type *type,
                               const dsm__judged *judged, dsm__json_doc *a, dsm__json_doc *b,
                               dsm_diags *diags) {
  const dsm__json_node a_root = dsm__json_root(a);
  const dsm__json_node b_root = dsm__json_root(b);
  const dsm__judged decides = judged_of(judged, type, &a_root);
  dsm__differences found = {.arena = made->arena, .tolerance = made->tolerance, .judged = &decides};
  dsm__find_differences(&found, type, &a_root, &b_root);
  take(made, &found);
  const dsm_status status = dsm__json_doc_finish(a);
  const dsm_status other = dsm__json_doc_finish(b);
  if (status == DSM_OK && other == DSM_OK && found.has_failed) {
    return dsm__out_of_memory(diags);
  }
  return status != DSM_OK ? status : other;
}

dsm_status dsm__compare_documents(dsm_comparison **made, const dsm__record_type *type,
                                  const dsm__judged *judged, const dsm_document *a,
                                  const dsm_document *b, double tolerance, dsm_diags *diags) {
  dsm__json_doc *a_doc = NULL;
  dsm__json_doc *b_doc = NULL;
  dsm_comparison *const comparison = DSM__ARENA_OWNER(dsm_comparison);
  *made = NULL;
  if (comparison == NULL) {
    return dsm__out_of_memory(diags);
  }
  comparison->format = type->format;
  comparison->tolerance = tolerance;
  dsm_status status = dsm__json_doc_parse(&a_doc, a->text, a->length, a->file, NULL, 0, diags);
  if (status == DSM_OK) {
    status = dsm__json_doc_parse(&b_doc, b->text, b->length, b->file, NULL, 0, diags);
  }
  if (status == DSM_OK) {
    status = compare_docs(comparison, type, judged, a_doc, b_doc, diags);
  }
  dsm__json_doc_free(a_doc);
  dsm__json_doc_free(b_doc);
  if (status != DSM_OK) {
    dsm_comparison_free(comparison);
    return status;
  }
  *made = comparison;
  return DSM_OK;
}

DSM__ARENA_FREE(dsm_comparison, dsm_comparison_free);
