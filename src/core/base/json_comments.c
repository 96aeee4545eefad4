/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_comments.c: the key "//" of any object is a comment, a string or a list of strings, and the
 * key "$schema" at the top tells editors what a file is. Both leave the tree before it is read, so
 * that no reader need know of them.
 */
#include <string.h>

#include "base/json_doc.h"

static const char comment_key[] = "//";
static const char schema_key[] = "$schema";

static bool is_comment(const cJSON *value) {
  if (!cJSON_IsArray(value)) {
    return cJSON_IsString(value);
  }
  for (const cJSON *each = value->child; each != NULL; each = each->next) {
    if (!cJSON_IsString(each)) {
      return false;
    }
  }
  return true;
}

static void check_comment(const dsm__json_node *object, const cJSON *item) {
  if (is_comment(item)) {
    return;
  }
  const dsm__json_node node = dsm__json_child(object, item, 0);
  char found[160];
  dsm__json_error(&node, NULL, "expected a string or a list of strings, found %s",
                  cJSON_IsArray(item) ? "a list with something else"
                                      : dsm__json_found(&node, found, sizeof found));
}

static void check_schema(const dsm__json_node *object, const cJSON *item) {
  if (!cJSON_IsString(item)) {
    const dsm__json_node node = dsm__json_child(object, item, 0);
    char found[160];
    dsm__json_error(&node, NULL, "expected a string, found %s",
                    dsm__json_found(&node, found, sizeof found));
  }
}

static void take_from_object(const dsm__json_node *object, cJSON *item) {
  cJSON *next = NULL;
  const bool is_root = object->parent == NULL;
  for (cJSON *each = item->child; each != NULL; each = next) {
    next = each->next;
    const bool is_remark = strcmp(each->string, comment_key) == 0;
    if (is_remark) {
      check_comment(object, each);
      object->doc->comment = is_root ? each : object->doc->comment;
    }
    const bool is_schema = is_root && strcmp(each->string, schema_key) == 0;
    if (is_schema) {
      check_schema(object, each);
    }
    if (is_remark || is_schema) {
      /* Kept alive, as replaced values are; this allocates nothing. */
      (void)cJSON_AddItemToArray(object->doc->replaced, cJSON_DetachItemViaPointer(item, each));
    }
  }
}

const char *dsm__json_doc_comment(const dsm__json_doc *doc) {
  const cJSON *const comment = doc->comment;
  return comment == NULL          ? NULL
         : cJSON_IsArray(comment) ? cJSON_GetStringValue(comment->child)
                                  : cJSON_GetStringValue(comment);
}

void dsm__json_doc_take_comments(const dsm__json_node *node, cJSON *item) {
  if (cJSON_IsObject(item)) {
    take_from_object(node, item);
  }
  size_t index = 0;
  for (cJSON *each = item->child; each != NULL; each = each->next) {
    const dsm__json_node child = dsm__json_child(node, each, index++);
    if (each->child != NULL) {
      dsm__json_doc_take_comments(&child, each);
    }
  }
}
