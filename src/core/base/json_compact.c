/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_compact.c: the canonical text of a value: equal values have equal texts. */
#include <stdlib.h>
#include <string.h>

#include "base/json_doc.h"
#include "base/json_write.h"
#include "base/order.h"

typedef struct member {
  const cJSON *item;
} member;

DSM__ORDER_OF(compare_keys, member, strcmp(a->item->string, b->item->string));

static void write_item(const cJSON *item, dsm__text_buffer *out);

static void write_string(const char *text, dsm__text_buffer *out) {
  dsm__json_writer writer = {.out = out};
  dsm__json_write_string(&writer, text);
}

static void write_object(const cJSON *object, dsm__text_buffer *out) {
  size_t count = 0;
  for (const cJSON *each = object->child; each != NULL; each = each->next) {
    count++;
  }
  member *const members = calloc(count + 1, sizeof *members);
  if (members == NULL) {
    out->failed = true;
    return;
  }
  size_t index = 0;
  for (const cJSON *each = object->child; each != NULL; each = each->next) {
    members[index++].item = each;
  }
  qsort(members, count, sizeof *members, compare_keys);
  dsm__text_puts(out, "{");
  for (size_t i = 0; i < count; i++) {
    dsm__text_puts(out, i == 0 ? "" : ",");
    write_string(members[i].item->string, out);
    dsm__text_puts(out, ":");
    write_item(members[i].item, out);
  }
  dsm__text_puts(out, "}");
  free(members);
}

static void write_list(const cJSON *list, dsm__text_buffer *out) {
  dsm__text_puts(out, "[");
  for (const cJSON *each = list->child; each != NULL; each = each->next) {
    dsm__text_puts(out, each == list->child ? "" : ",");
    write_item(each, out);
  }
  dsm__text_puts(out, "]");
}

/* Recursion no deeper than DSM__JSON_MAX_DEPTH: the text was checked for that. */
static void write_item(const cJSON *item, dsm__text_buffer *out) {
  if (cJSON_IsObject(item)) {
    write_object(item, out);
  } else if (cJSON_IsArray(item)) {
    write_list(item, out);
  } else if (cJSON_IsString(item)) {
    write_string(item->valuestring, out);
  } else if (cJSON_IsNumber(item)) {
    dsm__json_writer writer = {.out = out};
    dsm__json_write_double(&writer, item->valuedouble);
  } else {
    dsm__text_puts(out, cJSON_IsNull(item) ? "null" : cJSON_IsTrue(item) ? "true" : "false");
  }
}

void dsm__json_compact(const dsm__json_node *node, dsm__text_buffer *out) {
  write_item(node->item, out);
}
