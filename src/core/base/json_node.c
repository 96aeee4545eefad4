/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_node.c: moving between the nodes of a document, and findings about them. */
#include "base/json_doc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_parameters.h"
#include "base/number_text.h"
#include "dsm/limits.h"

/* ---- moving ---- */

dsm__json_node dsm__json_root(dsm__json_doc *doc) {
  return (dsm__json_node){.doc = doc, .item = doc->root};
}

dsm__json_node dsm__json_child(const dsm__json_node *parent, const cJSON *item, size_t index) {
  return (dsm__json_node){
      .doc = parent->doc,
      .item = item,
      .parent = parent,
      .key = cJSON_IsObject(parent->item) ? item->string : NULL,
      .index = index,
  };
}

dsm__json_node dsm__json_member(const dsm__json_node *object, const char *key) {
  dsm__json_node node = {.doc = object->doc, .parent = object, .key = key};
  if (cJSON_IsObject(object->item)) {
    node.item = cJSON_GetObjectItemCaseSensitive(object->item, key);
  }
  return node;
}

dsm__json_node dsm__json_at(const dsm__json_node *object, const char *path, dsm__json_node *outer) {
  const char *const dot = strchr(path, '.');
  char key[64];
  *outer = *object;
  if (dot == NULL) {
    return dsm__json_member(object, path);
  }
  (void)snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
  *outer = dsm__json_member(object, key);
  outer->key = outer->item != NULL ? outer->item->string : "";
  return dsm__json_member(outer, dot + 1);
}

/* How many containers the node is in. */
static size_t depth_of(const dsm__json_node *node) {
  size_t depth = 0;
  for (const dsm__json_node *each = node->parent; each != NULL; each = each->parent) {
    depth++;
  }
  return depth;
}

dsm__json_node dsm__json_item(const dsm__json_node *array, size_t index) {
  dsm__json_node node = {.doc = array->doc, .parent = array, .index = index};
  const size_t depth = depth_of(array);
  if (!cJSON_IsArray(array->item) || depth > DSM__JSON_MAX_DEPTH) {
    return node;
  }
  dsm__json_cursor *const cursor = &array->doc->cursors[depth];
  const bool is_ahead = cursor->array == array->item && cursor->index <= index;
  const cJSON *item = is_ahead ? cursor->item : array->item->child;
  size_t at = is_ahead ? cursor->index : 0;
  while (item != NULL && at < index) {
    item = item->next;
    at++;
  }
  if (item != NULL) {
    *cursor = (dsm__json_cursor){.array = array->item, .item = item, .index = index};
  }
  node.item = item;
  return node;
}

dsm__json_node dsm__json_next(const dsm__json_node *item) {
  dsm__json_node node = *item;
  node.item = item->item == NULL ? NULL : item->item->next;
  node.index = item->index + 1;
  if (item->key != NULL && node.item != NULL) {
    node.key = node.item->string;
  }
  return node;
}

dsm__json_node dsm__json_first(const dsm__json_node *container) {
  if (container->item != NULL && container->item->child != NULL) {
    return dsm__json_child(container, container->item->child, 0);
  }
  return (dsm__json_node){.doc = container->doc, .parent = container, .key = ""};
}

dsm__json_node dsm__json_first_member(const dsm__json_node *object) {
  if (cJSON_IsObject(object->item) && object->item->child != NULL) {
    return dsm__json_child(object, object->item->child, 0);
  }
  return (dsm__json_node){.doc = object->doc, .parent = object, .key = ""};
}

const char *dsm__json_key(const dsm__json_node *member) {
  return member->key;
}

bool dsm__json_is_null(const dsm__json_node *node) {
  return cJSON_IsNull(node->item);
}

bool dsm__json_is_string(const dsm__json_node *node) {
  return cJSON_IsString(node->item);
}

bool dsm__json_is_object(const dsm__json_node *node) {
  return cJSON_IsObject(node->item);
}

bool dsm__json_is_list(const dsm__json_node *node) {
  return cJSON_IsArray(node->item);
}

bool dsm__json_is_number(const dsm__json_node *node, double *number) {
  if (!cJSON_IsNumber(node->item)) {
    return false;
  }
  *number = node->item->valuedouble;
  return true;
}

const char *dsm__json_text(const dsm__json_node *node) {
  return cJSON_IsString(node->item) ? node->item->valuestring : NULL;
}

/* ---- where a node is ---- */

static bool is_plain_key(const char *key) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  static const char others[] = "0123456789-";
  const size_t first = strspn(key, letters);
  if (first == 0) {
    return false;
  }
  size_t length = first;
  while (key[length] != '\0' && (strchr(letters, key[length]) || strchr(others, key[length]))) {
    length++;
  }
  return key[length] == '\0';
}

/* Appends one step of a path; returns the new length, also beyond the buffer's end. */
static size_t append_step(const dsm__json_node *node, char *path, size_t size, size_t used) {
  char *const end = used < size ? path + used : NULL;
  const size_t room = used < size ? size - used : 0;
  int length = 0;
  if (node->parent == NULL) {
    length = snprintf(end, room, "$");
  } else if (node->key == NULL) {
    length = snprintf(end, room, "[%zu]", node->index);
  } else if (is_plain_key(node->key)) {
    length = snprintf(end, room, ".%s", node->key);
  } else {
    length = snprintf(end, room, "[\"%s\"]", node->key);
  }
  return used + (length > 0 ? (size_t)length : 0);
}

/* The nodes from the root down to `node`, at most DSM__JSON_MAX_DEPTH + 1 of them: steps below that
 * can only be absent and are left out. Returns how many there are. */
static size_t chain(const dsm__json_node *node,
                    const dsm__json_node *nodes[DSM__JSON_MAX_DEPTH + 1]) {
  size_t depth = depth_of(node);
  const dsm__json_node *each = node;
  for (; depth > DSM__JSON_MAX_DEPTH; depth--) {
    assert(each != NULL);
    each = each->parent;
  }
  for (size_t i = depth + 1; i > 0; i--) {
    assert(each != NULL); /* the depth is the number of parents */
    nodes[i - 1] = each;
    each = each->parent;
  }
  return depth + 1;
}

void dsm__json_path(const dsm__json_node *node, char *path, size_t size) {
  for (const dsm__json_node *each = node; each != NULL; each = each->parent) {
    if (cJSON_IsRaw(each->item)) {
      (void)snprintf(path, size, "%s", each->item->valuestring);
      return;
    }
  }
  const dsm__json_node *nodes[DSM__JSON_MAX_DEPTH + 1];
  const size_t count = chain(node, nodes);
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    used = append_step(nodes[i], path, size, used);
  }
}

/* How many members before this one have its key. */
static size_t occurrence(const dsm__json_node *node) {
  size_t count = 0;
  for (const cJSON *each = node->parent->item->child; each != node->item; each = each->next) {
    if (strcmp(each->string, node->key) == 0) {
      count++;
    }
  }
  return count;
}

/* The latest override that the item itself came from, or NULL. */
static const dsm__json_overridden *find_override(const dsm__json_doc *doc, const cJSON *item) {
  for (size_t i = doc->overridden.count; i > 0; i--) {
    if (doc->overridden.items[i - 1].item == item) {
      return &doc->overridden.items[i - 1];
    }
  }
  return NULL;
}

bool dsm__json_is_overridden(const dsm__json_node *node) {
  return find_override(node->doc, node->item) != NULL;
}

/* A copy of the texts that are not NULL; NULL if out of memory. */
static const char *const *copy_texts(dsm__arena *arena, const char *const *texts, size_t *count) {
  const char **const copies = dsm__arena_array(arena, *count, sizeof *copies);
  size_t copied = 0;
  for (size_t i = 0; copies != NULL && i < *count; i++) {
    if (texts[i] != NULL) {
      copies[copied] = dsm__arena_strdup(arena, texts[i]);
      if (copies[copied++] == NULL) {
        return NULL;
      }
    }
  }
  *count = copied;
  return copies;
}

void dsm__json_note_unknown(const dsm__json_node *member, const char *hint,
                            const char *const *known, size_t known_count) {
  dsm__json_doc *const doc = member->doc;
  if (doc->unknown.key != NULL || !dsm__json_is_overridden(member)) {
    return;
  }
  dsm__json_unknown unknown = {.key = dsm__arena_strdup(doc->arena, member->key),
                               .hint = dsm__arena_strdup(doc->arena, hint),
                               .known_count = known_count};
  unknown.known = copy_texts(doc->arena, known, &unknown.known_count);
  if (unknown.key == NULL || unknown.hint == NULL || unknown.known == NULL) {
    dsm__json_set_out_of_memory(doc);
    return;
  }
  doc->unknown = unknown;
}

void dsm__json_misplaced(const dsm__json_node *member, const char *where) {
  dsm__json_error(member, NULL, "expected no \"%s\" in %s, found one", member->key, where);
  if (dsm__json_is_overridden(member)) {
    member->doc->has_misplaced_override = true;
  }
}

bool dsm__json_doc_has_misplaced_override(const dsm__json_doc *doc) {
  return doc->has_misplaced_override;
}

dsm__json_unknown dsm__json_doc_unknown_override(const dsm__json_doc *doc) {
  return doc->unknown;
}

/* A present node as steps in the text that it came from. */
typedef struct text_path {
  const char *text; /* NULL: it is written nowhere */
  size_t length;
  const char *origin; /* of the override that the value comes from; NULL: the file */
  dsm__json_step steps[DSM__JSON_MAX_DEPTH + 1];
  size_t step_count;
} text_path;

/* Finding a place reads the text, again for each finding: in a large file only the first ones have
 * a line. False if there is no more of that. */
static bool may_search(dsm__json_doc *doc) {
  static const size_t most = (size_t)1 << 30;
  doc->searched_bytes += doc->length;
  return doc->searched_bytes <= most;
}

static text_path path_in_text(const dsm__json_node *node) {
  const dsm__json_node *nodes[DSM__JSON_MAX_DEPTH + 1];
  const size_t count = chain(node, nodes);
  text_path path = {.text = node->doc->text, .length = node->doc->length};
  for (size_t i = 0; i < count; i++) {
    const dsm__json_overridden *const override = find_override(node->doc, nodes[i]->item);
    if (override != NULL) {
      path.text = override->text;
      path.length = override->length;
      path.origin = override->origin;
      path.step_count = 0;
    } else if (i > 0) {
      const bool is_member = nodes[i]->key != NULL;
      path.steps[path.step_count++] = (dsm__json_step){
          .key = nodes[i]->key, .index = is_member ? occurrence(nodes[i]) : nodes[i]->index};
    }
  }
  return path;
}

dsm__place dsm__json_place(const dsm__json_node *node) {
  const dsm__json_node *present = node;
  while (present->item == NULL && present->parent != NULL) {
    present = present->parent;
  }
  if (node->doc->text == NULL || !may_search(node->doc)) {
    return (dsm__place){.file = node->doc->file};
  }
  const text_path path = path_in_text(present);
  if (path.origin != NULL) {
    return (dsm__place){.file = path.origin};
  }
  dsm__place place = {.file = node->doc->file};
  const size_t offset = dsm__json_text_locate(path.text, path.length, path.steps, path.step_count);
  dsm__json_text_position(path.text, path.length, offset, &place.line, &place.column);
  return place;
}

void dsm__json_number_text(const dsm__json_node *node, char *text, size_t size) {
  const text_path path = may_search(node->doc) ? path_in_text(node) : (text_path){0};
  size_t length = 0;
  size_t offset = 0;
  if (path.text != NULL) {
    offset = dsm__json_text_scalar(path.text, path.length, path.steps, path.step_count, &length);
  }
  if (length > 0 && length < size) {
    memcpy(text, path.text + offset, length);
    text[length] = '\0';
    return;
  }
  char number[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(node->item->valuedouble, number);
  (void)snprintf(text, size, "%s", number);
}

/* ---- one finding a node ---- */

/* A hash of an absent child's key or index. */
static uint64_t hash_child(uint64_t seed, const dsm__json_node *node) {
  return node->key != NULL ? dsm__hash(seed, node->key, strlen(node->key))
                           : dsm__hash(~seed, &node->index, sizeof node->index);
}

/* True the first time it is called for a node. */
static bool mark_node(const dsm__json_node *node) {
  dsm__json_doc *const doc = node->doc;
  dsm__json_mark mark = {.item = node->item};
  if (node->item == NULL) {
    const dsm__json_node *present = node;
    for (; present->item == NULL && present->parent != NULL; present = present->parent) {
      mark.child = hash_child(mark.child, present);
    }
    mark.item = present->item;
    mark.child |= 1; /* never that of the present node itself */
  }
  const uint32_t hash = dsm__map_hash(0, &mark, sizeof mark);
  if (dsm__map_find_in(&doc->mark_index, hash, doc->marks.items, sizeof mark, &mark, sizeof mark) !=
      DSM__MAP_NONE) {
    return false;
  }
  if (dsm__json_lacks_memory(doc, !DSM__LIST_RESERVE(&doc->marks, 1) ||
                                      !dsm__map_add(&doc->mark_index, hash, doc->marks.count))) {
    return true;
  }
  doc->marks.items[doc->marks.count++] = mark;
  return true;
}

/* The hint, behind whose finding it is, and before what its expressions are. */
static void fill_hint(const dsm__json_node *node, const char *hint, char *text, size_t size) {
  const char *const subject = node->doc->subject;
  size_t used = 0;
  text[0] = '\0';
  if (subject != NULL) {
    used = (size_t)snprintf(text, size, "in \"%.*s\"", DSM_NAME_BYTES_MAX, subject);
  }
  if (hint != NULL && hint[0] != '\0') {
    (void)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", hint);
  }
  dsm__json_append_evaluated(node, text, size);
}

DSM_PRINTF(4, 0)
static void report(const dsm__json_node *node, dsm_severity severity, const char *hint,
                   const char *format, va_list args) {
  const dsm__json_doc *const doc = node->doc;
  char path[512] = "";
  char fuller_hint[512] = "";
  dsm__place place = {0};
  if (dsm__json_doc_keeps_findings(doc)) {
    place = dsm__json_place(node);
    dsm__json_path(node, path, sizeof path);
    place.path = path;
    fill_hint(node, hint, fuller_hint, sizeof fuller_hint);
  }
  dsm__diags_vadd(doc->diags, severity, place, fuller_hint, format, args);
}

void dsm__json_vfinding(const dsm__json_node *node, dsm_severity severity, const char *hint,
                        const char *format, va_list args) {
  if (severity == DSM_SEVERITY_ERROR) {
    if (!mark_node(node)) {
      return;
    }
    node->doc->error_count++;
  }
  report(node, severity, hint, format, args);
}

void dsm__json_error(const dsm__json_node *node, const char *hint, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__json_vfinding(node, DSM_SEVERITY_ERROR, hint, format, args);
  va_end(args);
}

void dsm__json_warning(const dsm__json_node *node, const char *hint, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__json_vfinding(node, DSM_SEVERITY_WARNING, hint, format, args);
  va_end(args);
}

void dsm__json_note(const dsm__json_node *node, const char *hint, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__json_vfinding(node, DSM_SEVERITY_NOTE, hint, format, args);
  va_end(args);
}
