/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "explored.h"

#include <check.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

explored explore_bundled(const char *workload, const char *system, const char *minibatch,
                         const dsm_explore_options *options) {
  char path[512];
  explored made = {0};
  const dsm_override override = {"minibatch", minibatch, NULL};
  snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, workload);
  ck_assert_int_eq(dsm_workload_load(&made.workload, path, &override, 1, NULL), DSM_OK);
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, system);
  ck_assert_int_eq(dsm_system_load(&made.system, path, NULL, 0, NULL), DSM_OK);
  ck_assert_int_eq(dsm_explore(&made.plan, made.workload, made.system, options, NULL), DSM_OK);
  return made;
}

void explored_free(explored *made) {
  dsm_plan_free(made->plan);
  dsm_system_free(made->system);
  dsm_workload_free(made->workload);
  *made = (explored){0};
}

/* ---- edits ---- */

/* A step of a path: its name, or its number in a list. */
static cJSON *child_of(cJSON *parent, const char *step) {
  if (!cJSON_IsArray(parent)) {
    return cJSON_GetObjectItemCaseSensitive(parent, step);
  }
  int index = 0;
  ck_assert_uint_eq(strspn(step, "0123456789"), strlen(step));
  for (const char *digit = step; *digit != '\0'; digit++) {
    index = 10 * index + (*digit - '0');
  }
  return cJSON_GetArrayItem(parent, index);
}

static void make_edit(cJSON *root, const edit *change) {
  char step[64];
  const char *rest = change->path;
  cJSON *parent = NULL;
  cJSON *item = root;
  while (*rest != '\0') {
    const size_t length = strcspn(rest, ".");
    ck_assert_uint_lt(length, sizeof step);
    memcpy(step, rest, length);
    step[length] = '\0';
    rest += length + (rest[length] == '.');
    ck_assert_msg(item != NULL, "nothing at %s", change->path);
    parent = item;
    item = child_of(parent, step);
  }
  ck_assert_msg(item != NULL || cJSON_IsObject(parent), "nothing at %s", change->path);
  if (change->value == NULL) {
    ck_assert_ptr_nonnull(item);
    cJSON_Delete(cJSON_DetachItemViaPointer(parent, item));
    return;
  }
  cJSON *const value = cJSON_Parse(change->value);
  ck_assert_ptr_nonnull(value);
  if (item == NULL) {
    ck_assert(cJSON_AddItemToObject(parent, step, value));
  } else if (cJSON_IsObject(parent)) {
    ck_assert(cJSON_ReplaceItemInObjectCaseSensitive(parent, step, value));
  } else {
    ck_assert(cJSON_ReplaceItemViaPointer(parent, item, value));
  }
}

char *edited(const char *text, const edit *edits, size_t edit_count) {
  cJSON *const root = cJSON_Parse(text);
  ck_assert_ptr_nonnull(root);
  for (size_t i = 0; i < edit_count; i++) {
    make_edit(root, &edits[i]);
  }
  char *const result = cJSON_Print(root);
  ck_assert_ptr_nonnull(result);
  cJSON_Delete(root);
  return result;
}

/* Recursion as deep as a plan is nested. */
static void reverse_keys(cJSON *item) {
  for (cJSON *each = item->child; each != NULL; each = each->next) {
    reverse_keys(each);
  }
  if (!cJSON_IsObject(item)) {
    return;
  }
  cJSON *const reversed = cJSON_CreateObject();
  ck_assert_ptr_nonnull(reversed);
  while (item->child != NULL) {
    cJSON *const last = item->child->prev; /* the first knows the last */
    ck_assert(cJSON_AddItemToObject(reversed, last->string, cJSON_Duplicate(last, true)));
    cJSON_Delete(cJSON_DetachItemViaPointer(item, last));
  }
  item->child = reversed->child;
  reversed->child = NULL;
  cJSON_Delete(reversed);
}

char *with_reversed_keys(const char *text) {
  cJSON *const root = cJSON_Parse(text);
  ck_assert_ptr_nonnull(root);
  reverse_keys(root);
  char *const result = cJSON_Print(root);
  ck_assert_ptr_nonnull(result);
  cJSON_Delete(root);
  return result;
}

reading read_plan(const char *text) {
  reading read = {.diags = dsm_diags_new(100)};
  ck_assert_ptr_nonnull(read.diags);
  read.status = dsm_plan_parse(&read.plan, text, strlen(text), "plan.json",
                               &read.recorded_step_cycles, read.diags);
  return read;
}

void reading_free(reading *read) {
  dsm_plan_free(read->plan);
  dsm_diags_free(read->diags);
  *read = (reading){0};
}
