/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_unroll.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

typedef struct {
  const cJSON *parameters;
  const char *rest;
} reading;

static double read_sum(reading *r);

static double value_of(const cJSON *item, const cJSON *parameters) {
  if (!cJSON_IsString(item)) {
    return item->valuedouble;
  }
  reading r = {parameters, item->valuestring + 1};
  return read_sum(&r);
}

static char next(reading *r) {
  while (*r->rest == ' ') {
    r->rest++;
  }
  return *r->rest;
}

static double read_value(reading *r) {
  double value = 0;
  const char first = next(r);
  if (first == '-') {
    r->rest++;
    return -read_value(r);
  }
  if (first == '(') {
    r->rest++;
    value = read_sum(r);
    (void)next(r);
    r->rest++; /* the one that closes */
  } else if (isdigit((unsigned char)first)) {
    char *end = NULL;
    value = strtod(r->rest, &end);
    r->rest = end;
  } else {
    char name[64] = "";
    size_t length = 0;
    while ((isalnum((unsigned char)*r->rest) || *r->rest == '_') && length + 1 < sizeof name) {
      name[length++] = *r->rest++;
    }
    value = value_of(cJSON_GetObjectItemCaseSensitive(r->parameters, name), r->parameters);
  }
  return value;
}

static double read_product(reading *r) {
  double value = read_value(r);
  for (char op = next(r); op == '*' || op == '/'; op = next(r)) {
    r->rest++;
    const double right = read_value(r);
    value = op == '*' ? value * right : value / right;
  }
  return value;
}

static double read_sum(reading *r) {
  double value = read_product(r);
  for (char op = next(r); op == '+' || op == '-'; op = next(r)) {
    r->rest++;
    const double right = read_product(r);
    value += op == '+' ? right : -right;
  }
  return value;
}

static void write_numbers(cJSON *item, const cJSON *parameters) {
  if (cJSON_IsString(item) && item->valuestring[0] == '=') {
    item->valuedouble = value_of(item, parameters);
    free(item->valuestring);
    item->valuestring = NULL;
    item->type = cJSON_Number;
  }
  for (cJSON *each = item->child; each != NULL; each = each->next) {
    write_numbers(each, parameters);
  }
}

/* ---- blocks ---- */

/* Gives a text of a list its new name. */
typedef const char *renaming(const cJSON *layers, const char *context, const char *name);

static const char *text_of(const cJSON *object, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static void rename_one(cJSON *item, const cJSON *layers, const char *context, renaming *rename) {
  if (cJSON_IsString(item)) {
    const char *const name = rename(layers, context, item->valuestring);
    if (name != item->valuestring) {
      (void)cJSON_SetValuestring(item, name);
    }
  }
}

/* All names that layers use, but not their own. */
static void rename_uses(cJSON *layers, const char *context, renaming *rename) {
  cJSON *layer = NULL;
  cJSON_ArrayForEach(layer, layers) {
    cJSON *each = NULL;
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(layer, "inputs")) {
      rename_one(each, layers, context, rename);
    }
    cJSON_ArrayForEach(each, cJSON_GetObjectItemCaseSensitive(layer, "aux")) {
      rename_one(cJSON_GetObjectItemCaseSensitive(each, "from"), layers, context, rename);
    }
    rename_one(cJSON_GetObjectItemCaseSensitive(layer, "operand"), layers, context, rename);
  }
}

enum { NAME_SIZE = 256 };
static char renamed[NAME_SIZE];

/* A layer of the list: behind the prefix. */
static const char *with_prefix(const cJSON *layers, const char *prefix, const char *name) {
  const cJSON *layer = NULL;
  cJSON_ArrayForEach(layer, layers) {
    if (strcmp(text_of(layer, "name"), name) == 0) {
      (void)snprintf(renamed, sizeof renamed, "%s%s", prefix, name);
      return renamed;
    }
  }
  return name;
}

static const char *with_before(const cJSON *layers, const char *before, const char *name) {
  (void)layers;
  return strcmp(name, "@before") == 0 ? before : name;
}

/* The block: the last layer that has its name in front. */
static const char *with_last(const cJSON *layers, const char *block, const char *name) {
  const char *last = name;
  const size_t length = strlen(block);
  const cJSON *layer = NULL;
  cJSON_ArrayForEach(layer, layers) {
    const char *const own = text_of(layer, "name");
    const bool is_of_block = strncmp(own, block, length) == 0 && own[length] == '.';
    last = strcmp(name, block) == 0 && is_of_block ? own : last;
  }
  return last;
}

static cJSON *unroll_list(const cJSON *items);

static void add_repetition(cJSON *made, const cJSON *block, const int number) {
  char prefix[NAME_SIZE];
  (void)snprintf(prefix, sizeof prefix, "%s.%d.", text_of(block, "block"), number);
  cJSON *const inner = unroll_list(cJSON_GetObjectItemCaseSensitive(block, "layers"));
  rename_uses(inner, prefix, with_prefix);
  const int count = cJSON_GetArraySize(made);
  if (count > 0) {
    rename_uses(inner, text_of(cJSON_GetArrayItem(made, count - 1), "name"), with_before);
  }
  while (inner->child != NULL) {
    cJSON *const layer = cJSON_DetachItemFromArray(inner, 0);
    char name[2 * NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s%s", prefix, text_of(layer, "name"));
    (void)cJSON_SetValuestring(cJSON_GetObjectItemCaseSensitive(layer, "name"), name);
    (void)cJSON_AddItemToArray(made, layer);
  }
  cJSON_Delete(inner);
}

/* The layers of a list; what comes before its first is "@before" still. */
static cJSON *unroll_list(const cJSON *items) {
  cJSON *const made = cJSON_CreateArray();
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, items) {
    const cJSON *const repeat = cJSON_GetObjectItemCaseSensitive(item, "repeat");
    if (text_of(item, "block") == NULL) {
      (void)cJSON_AddItemToArray(made, cJSON_Duplicate(item, true));
      continue;
    }
    for (int i = 0; i < (repeat == NULL ? 1 : (int)repeat->valuedouble); i++) {
      add_repetition(made, item, i);
    }
  }
  cJSON_ArrayForEach(item, items) {
    if (text_of(item, "block") != NULL) {
      rename_uses(made, text_of(item, "block"), with_last);
    }
  }
  return made;
}

void twin_unroll(cJSON *workload) {
  write_numbers(workload, cJSON_GetObjectItemCaseSensitive(workload, "parameters"));
  cJSON *const layers = unroll_list(cJSON_GetObjectItemCaseSensitive(workload, "layers"));
  rename_uses(layers, "@input", with_before);
  (void)cJSON_ReplaceItemInObjectCaseSensitive(workload, "layers", layers);
}
