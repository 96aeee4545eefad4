/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_comments.c: the key "//" of any object is a comment, a string or a list of strings. Comments
 * leave the tree before it is read, so that no reader need know of them.
 */
#include <string.h>

#include "base/json_doc.h"

static const char comment_key[] = "//";

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

static void take_from_object(const dsm__json_node *object, cJSON *item) {
  cJSON *next = NULL;
  for (cJSON *each = item->child; each != NULL; each = next) {
    next = each->next;
    if (strcmp(each->string, comment_key) == 0) {
      check_comment(object, each);
      /* Kept alive, as replaced values are; this allocates nothing. */
      (void)cJSON_AddItemToArray(object->doc->replaced, cJSON_DetachItemViaPointer(item, each));
    }
  }
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
