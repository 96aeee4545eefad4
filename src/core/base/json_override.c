/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_doc.h"

#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"
#include "base/words.h"

/* One override on its way down the tree. nodes[0] is the root, nodes[depth] the value that has been
 * reached; `rest` is the part of the path that is still to go. */
typedef struct descent {
  dsm__json_doc *doc;
  const dsm_override *override;
  const char *rest;
  cJSON *item; /* that of nodes[depth] */
  dsm__json_node nodes[DSM__JSON_MAX_DEPTH + 1];
  size_t depth;
} descent;

/* Reports at the value reached. Unlike other findings this one is about the override, and several
 * overrides may fail at the same value: so it is not limited to one a node. */
DSM_PRINTF(3, 4)
static bool refuse(const descent *down, const char *hint, const char *format, ...) {
  char path[512];
  dsm__json_path(&down->nodes[down->depth], path, sizeof path);
  const dsm__place place = {.file = dsm__json_origin(down->override), .path = path};
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(down->doc->diags, DSM_SEVERITY_ERROR, place, hint, format, args);
  va_end(args);
  down->doc->error_count++;
  return false;
}

static bool out_of_memory(const descent *down) {
  dsm__json_set_out_of_memory(down->doc);
  return false;
}

/* ---- the value ---- */

/* Levels of nesting: 0 for a scalar. The text was checked: recursion is bounded. */
static size_t height(const cJSON *item) {
  if (!cJSON_IsArray(item) && !cJSON_IsObject(item)) {
    return 0;
  }
  size_t highest = 0;
  for (const cJSON *each = item->child; each != NULL; each = each->next) {
    const size_t each_height = height(each);
    if (each_height > highest) {
      highest = each_height;
    }
  }
  return highest + 1;
}

/* The override's value as a tree of its own: JSON if it is JSON, else a string, unless it begins
 * like JSON. *text becomes its
 * JSON text, NULL for a string. NULL after a report. */
static cJSON *parse_value(const descent *down, const char **text) {
  const char *const value = down->override->value;
  const size_t length = strlen(value);
  dsm__json_flaw flaw;
  *text = NULL;
  if (!dsm__is_utf8(value)) {
    (void)refuse(down, NULL, "expected a value in UTF-8, found \"%.64s\"", value);
    return NULL;
  }
  if (!dsm__json_text_check(value, length, &flaw)) {
    if (strchr("\"[{", value[0]) != NULL && value[0] != '\0') {
      (void)refuse(down, "what begins like JSON must be JSON", "%s", flaw.message);
      return NULL;
    }
    cJSON *const string = cJSON_CreateString(value);
    if (string == NULL) {
      (void)out_of_memory(down);
    }
    return string;
  }
  *text = dsm__arena_strndup(down->doc->arena, value, length);
  if (*text == NULL) {
    (void)out_of_memory(down);
    return NULL;
  }
  return dsm__json_doc_tree(down->doc, *text, length);
}

/* ---- the way down ---- */

/* Bytes of the path up to the first dot. */
static size_t segment_length(const char *path) {
  return strcspn(path, ".");
}

/* Does the path go through `name`? Then `name` ends at a dot or at the end of the path. */
static bool starts_with(const char *path, const char *name, size_t name_length) {
  return name_length > 0 && strncmp(path, name, name_length) == 0 &&
         (path[name_length] == '.' || path[name_length] == '\0');
}

const char *dsm__json_name_of(const cJSON *container, const cJSON *child) {
  if (cJSON_IsObject(container)) {
    return child->string;
  }
  if (!cJSON_IsObject(child)) {
    return NULL;
  }
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(child, "name");
  name = name == NULL ? cJSON_GetObjectItemCaseSensitive(child, "block") : name;
  return cJSON_IsString(name) ? name->valuestring : NULL;
}

dsm__json_match dsm__json_find_child(const cJSON *container, const char *path) {
  dsm__json_match best = {0};
  size_t index = 0;
  uint64_t wanted_index = UINT64_MAX;
  char segment[24];
  const size_t first_length = segment_length(path);
  if (cJSON_IsArray(container) && first_length < sizeof segment) {
    memcpy(segment, path, first_length);
    segment[first_length] = '\0';
    (void)dsm__text_to_u64(segment, 0, UINT64_MAX - 1, &wanted_index);
  }
  for (cJSON *each = container->child; each != NULL; each = each->next, index++) {
    const char *const name = dsm__json_name_of(container, each);
    const size_t length = name == NULL ? 0 : strlen(name);
    if (length > best.length && starts_with(path, name, length)) {
      best = (dsm__json_match){.child = each, .index = index, .length = length};
    }
    if (index == wanted_index && first_length >= best.length) {
      best = (dsm__json_match){.child = each, .index = index, .length = first_length};
    }
  }
  return best;
}

static void step_to(descent *down, dsm__json_match found) {
  down->nodes[down->depth + 1] =
      dsm__json_child(&down->nodes[down->depth], found.child, found.index);
  down->depth++;
  down->item = found.child;
  down->rest += found.length;
  if (*down->rest == '.') {
    down->rest++;
  }
}

static bool refuse_item(const descent *down) {
  size_t count = 0;
  for (const cJSON *each = down->item->child; each != NULL; each = each->next) {
    count++;
  }
  const char **const names = dsm__arena_array(down->doc->arena, count, sizeof *names);
  if (names == NULL) {
    return out_of_memory(down);
  }
  size_t index = 0;
  for (const cJSON *each = down->item->child; each != NULL; each = each->next) {
    names[index++] = dsm__json_name_of(down->item, each);
  }
  const int length = (int)segment_length(down->rest);
  char wanted[128];
  (void)snprintf(wanted, sizeof wanted, "%.*s", length, down->rest);
  char hint[200];
  (void)dsm__nearest_hint(wanted, names, count, hint, sizeof hint);
  return refuse(down, hint, "expected an index below %zu or the name of an item, found \"%s\"",
                count, wanted);
}

/* Adds the member that the path names next, up to a dot, and goes there. */
static bool step_to_new(descent *down, cJSON *child) {
  const size_t length = segment_length(down->rest);
  const char *const key = dsm__arena_strndup(down->doc->arena, down->rest, length);
  if (key == NULL || child == NULL || !cJSON_AddItemToObject(down->item, key, child)) {
    cJSON_Delete(child);
    return out_of_memory(down);
  }
  step_to(down, (dsm__json_match){.child = child, .length = length});
  return true;
}

static void note_overridden(descent *down, const char *text) {
  dsm__json_doc *const doc = down->doc;
  doc->overridden.items[doc->overridden.count++] = (dsm__json_overridden){
      .item = down->item,
      .origin = dsm__json_origin(down->override),
      .text = text,
      .length = text == NULL ? 0 : strlen(text),
  };
}

/* Gives the value reached the content of `fresh`, whose own becomes the old content, and keeps that
 * until the document is freed. The place in the tree and the key stay. */
static void exchange(const descent *down, cJSON *fresh) {
  cJSON *const place = down->item;
  const cJSON old = *place;
  place->type = fresh->type;
  place->child = fresh->child;
  place->valuestring = fresh->valuestring;
  place->valueint = fresh->valueint;
  place->valuedouble = fresh->valuedouble;
  fresh->type = old.type;
  fresh->child = old.child;
  fresh->valuestring = old.valuestring;
  fresh->valueint = old.valueint;
  fresh->valuedouble = old.valuedouble;
  (void)cJSON_AddItemToArray(down->doc->replaced, fresh); /* allocates nothing: cannot fail */
}

/* Goes down to the last value of the path that exists. False after a report. */
static bool descend(descent *down) {
  while (*down->rest != '\0') {
    if (!cJSON_IsObject(down->item) && !cJSON_IsArray(down->item)) {
      char found[160];
      return refuse(down, NULL, "expected an object or a list above \"%.*s\", found %s",
                    (int)segment_length(down->rest), down->rest,
                    dsm__json_found(&down->nodes[down->depth], found, sizeof found));
    }
    const dsm__json_match found = dsm__json_find_child(down->item, down->rest);
    if (found.child == NULL && cJSON_IsArray(down->item)) {
      return refuse_item(down);
    }
    if (found.child == NULL) {
      return true;
    }
    step_to(down, found);
  }
  return true;
}

/* How many members the rest of the path would make; names between dots. */
static size_t count_segments(const char *path) {
  size_t count = *path == '\0' ? 0 : 1;
  for (; *path != '\0'; path++) {
    count += *path == '.';
  }
  return count;
}

/* A path such as "a.b": not empty, no empty part. A name with dots may begin or end with them, or
 * have two in a row, but only in what exists; so this is asked of the part to be made. */
static bool is_well_formed(const char *path) {
  const size_t length = strlen(path);
  return length == 0 || (path[0] != '.' && path[length - 1] != '.' && strstr(path, "..") == NULL);
}

/* Makes the members that are missing on the way and puts the value at the end. Takes `value`. */
static bool put_value(descent *down, cJSON *value, const char *text) {
  const char *const last_dot = strrchr(down->rest, '.');
  const bool is_new = *down->rest != '\0';
  bool is_top = true;
  while (last_dot != NULL && down->rest <= last_dot) {
    if (!step_to_new(down, cJSON_CreateObject())) {
      cJSON_Delete(value);
      return false;
    }
    if (is_top) {
      note_overridden(down, NULL);
    }
    is_top = false;
  }
  if (is_new && !step_to_new(down, value)) {
    return false;
  }
  if (!is_new) {
    exchange(down, value);
  }
  note_overridden(down, text);
  dsm__json_doc_check_keys(&down->nodes[down->depth]);
  dsm__json_doc_take_comments(&down->nodes[down->depth], down->item);
  return true;
}

static bool apply(descent *down) {
  const char *const path = down->override->path;
  if (*path == '\0') {
    return refuse(down, NULL, "expected a path such as core.clock_hz, found an empty one");
  }
  if (!descend(down)) {
    return false;
  }
  const bool ends_in_dot = *down->rest == '\0' && path[strlen(path) - 1] == '.';
  if (!is_well_formed(down->rest) || ends_in_dot) {
    return refuse(down, NULL, "expected names joined by single dots, found \"%.128s\"", path);
  }
  const char *text = NULL;
  cJSON *const value = parse_value(down, &text);
  if (value == NULL) {
    return false;
  }
  if (down->depth + count_segments(down->rest) + height(value) > DSM__JSON_MAX_DEPTH) {
    cJSON_Delete(value);
    return refuse(down, NULL, "expected at most %d levels of nesting, found more",
                  DSM__JSON_MAX_DEPTH);
  }
  return put_value(down, value, text);
}

void dsm__json_doc_resolve(dsm__json_doc *doc, const char *path, dsm__text_buffer *place) {
  descent down = {
      .doc = doc, .override = &(dsm_override){.path = path}, .rest = path, .item = doc->root};
  down.nodes[0] = dsm__json_root(doc);
  while ((cJSON_IsObject(down.item) || cJSON_IsArray(down.item)) && *down.rest != '\0') {
    const dsm__json_match found = dsm__json_find_child(down.item, down.rest);
    if (found.child == NULL) {
      break;
    }
    step_to(&down, found);
    const dsm__json_node *const node = &down.nodes[down.depth];
    if (node->key == NULL) {
      dsm__text_printf(place, "%c%zu", DSM__JSON_PLACE_SEPARATOR, node->index);
    } else {
      dsm__text_printf(place, "%c%s", DSM__JSON_PLACE_SEPARATOR, node->key);
    }
  }
  while (*down.rest != '\0') {
    const size_t length = segment_length(down.rest);
    dsm__text_printf(place, "%c", DSM__JSON_PLACE_SEPARATOR);
    dsm__text_append(place, down.rest, length);
    down.rest += length + (down.rest[length] == '.');
  }
}

bool dsm__json_doc_children(dsm__json_doc *doc, const char *path, dsm__json_child_visitor *visit,
                            void *context) {
  const cJSON *at = doc->root;
  while (*path != '\0') {
    const dsm__json_match found = dsm__json_find_child(at, path);
    if (found.child == NULL) {
      return false;
    }
    at = found.child;
    path += found.length;
    path += *path == '.';
  }
  size_t index = 0;
  for (const cJSON *each = at->child; each != NULL; each = each->next, index++) {
    char number[24];
    (void)snprintf(number, sizeof number, "%zu", index);
    const char *const name = dsm__json_name_of(at, each);
    const bool is_rich_list = cJSON_IsArray(each) && each->child != NULL &&
                              (cJSON_IsObject(each->child) || cJSON_IsArray(each->child));
    visit(context, name == NULL ? number : name, cJSON_IsObject(each) || is_rich_list);
  }
  return cJSON_IsObject(at) || cJSON_IsArray(at);
}

bool dsm__json_doc_override(dsm__json_doc *doc, const dsm_override *overrides, size_t count) {
  bool are_applied = true;
  for (size_t i = 0; i < count && !doc->is_out_of_memory; i++) {
    /* Of each override the value is noted, and the topmost object made for it. */
    if (dsm__json_lacks_memory(doc, !DSM__LIST_RESERVE_IN(&doc->overridden, 2, doc->arena))) {
      return false;
    }
    descent down = {
        .doc = doc, .override = &overrides[i], .rest = overrides[i].path, .item = doc->root};
    down.nodes[0] = dsm__json_root(doc);
    are_applied = apply(&down) && dsm__json_doc_take_parts(doc, 0) && are_applied;
  }
  return are_applied;
}
