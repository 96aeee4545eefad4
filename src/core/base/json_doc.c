/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "base/json_doc.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* ---- life cycle ---- */

/* cJSON converts numbers in the locale of the thread, which then must be C for a moment. */
cJSON *dsm__json_doc_tree(dsm__json_doc *doc, const char *text, size_t length) {
  cJSON *tree = NULL;
  const locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (c_locale != (locale_t)0) {
    const locale_t old_locale = uselocale(c_locale);
    tree = cJSON_ParseWithLengthOpts(text, length + 1, NULL, true);
    (void)uselocale(old_locale);
    freelocale(c_locale);
  }
  if (tree == NULL) { /* the text was checked: only memory can be missing */
    dsm__json_set_out_of_memory(doc);
  }
  return tree;
}

/* Copies the text, parses it, looks for duplicate keys, and takes the comments out. */
static void fill(dsm__json_doc *doc, const char *text, size_t length, const char *file,
                 bool has_no_duplicates) {
  doc->arena = dsm__arena_new();
  if (doc->arena != NULL) {
    doc->text = dsm__arena_strndup(doc->arena, text, length);
    doc->length = length;
    doc->file = file == NULL ? NULL : dsm__arena_strdup(doc->arena, file);
  }
  doc->replaced = cJSON_CreateArray();
  if (doc->text == NULL || (doc->file == NULL && file != NULL) || doc->replaced == NULL) {
    dsm__json_set_out_of_memory(doc);
    return;
  }
  doc->root = dsm__json_doc_tree(doc, doc->text, doc->length);
  if (doc->root == NULL) {
    return;
  }
  const dsm__json_node root = dsm__json_root(doc);
  if (!has_no_duplicates) {
    dsm__json_doc_check_keys(&root);
  }
  dsm__json_doc_take_comments(&root, doc->root);
}

static dsm_status report_flaw(const dsm__json_flaw *flaw, const char *text, size_t length,
                              const char *file, dsm_diags *diags) {
  dsm__place place = {.file = file};
  dsm__json_text_position(text, length, flaw->offset, &place.line, &place.column);
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL, "%s", flaw->message);
  return DSM_ERROR_INVALID;
}

/* What is no text at all; NULL: nothing of the kind. */
static const char *find_other(const char *text, size_t length, bool is_stdin) {
  static const char database[] = "SQLite format 3"; /* and the NUL behind it */
  if (length == 0) {
    return is_stdin ? "expected a JSON description, found nothing on standard input"
                    : "expected a JSON description, found an empty file";
  }
  if (length >= sizeof database && memcmp(text, database, sizeof database) == 0) {
    return is_stdin ? "expected a JSON description, found an SQLite database, which cannot come "
                      "from standard input"
                    : "expected a JSON description, found an SQLite database";
  }
  return NULL;
}

dsm_status dsm__json_doc_parse(dsm__json_doc **doc, const char *text, size_t length,
                               const char *file, const dsm_override *overrides,
                               size_t override_count, dsm_diags *diags) {
  const dsm__json_input input = {text, length, file, overrides, override_count};
  return dsm__json_doc_parse_at(doc, &input, 0, diags);
}

dsm_status dsm__json_doc_parse_at(dsm__json_doc **doc, const dsm__json_input *input, unsigned depth,
                                  dsm_diags *diags) {
  *doc = NULL;
  const char *const file = input->file;
  const char *const other =
      find_other(input->text, input->length, file != NULL && strcmp(file, "-") == 0);
  if (other != NULL) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = file}, NULL, "%s", other);
    return DSM_ERROR_INVALID;
  }
  dsm__json_flaw flaw;
  if (!dsm__json_text_check(input->text, input->length, &flaw)) {
    return report_flaw(&flaw, input->text, input->length, file, diags);
  }
  dsm__json_doc *const fresh = calloc(1, sizeof *fresh);
  if (fresh == NULL) {
    return dsm__out_of_memory(diags);
  }
  fresh->diags = diags;
  fresh->first_finding = dsm_diags_count(diags);
  fill(fresh, input->text, input->length, file, flaw.has_no_duplicates);
  const bool is_applied = !fresh->is_out_of_memory && dsm__json_doc_take_base(fresh, depth) &&
                          dsm__json_doc_take_parts(fresh, depth) &&
                          dsm__json_doc_override(fresh, input->overrides, input->override_count);
  if (is_applied && !fresh->is_out_of_memory) {
    *doc = fresh;
    return DSM_OK;
  }
  const dsm_status status = fresh->is_out_of_memory ? DSM_ERROR_OUT_OF_MEMORY : DSM_ERROR_INVALID;
  dsm__diags_sort_from(fresh->diags, fresh->first_finding);
  dsm__json_doc_free(fresh);
  return status;
}

dsm__json_doc *dsm__json_doc_bare(const char *file, dsm_diags *diags) {
  dsm__json_doc *const doc = calloc(1, sizeof *doc);
  if (doc == NULL) {
    return NULL;
  }
  doc->diags = diags;
  doc->first_finding = dsm_diags_count(diags);
  doc->arena = dsm__arena_new();
  doc->file = doc->arena == NULL || file == NULL ? NULL : dsm__arena_strdup(doc->arena, file);
  if (doc->arena == NULL || (doc->file == NULL && file != NULL)) {
    dsm__json_doc_free(doc);
    return NULL;
  }
  return doc;
}

/* The value of a labelled node is of a type that no text has, and holds the label. */
dsm__json_node dsm__json_labelled(dsm__json_doc *doc, const char *label) {
  cJSON *const item = dsm__arena_alloc(doc->arena, sizeof *item);
  if (item != NULL) {
    item->type = cJSON_Raw;
    item->valuestring = dsm__arena_strdup(doc->arena, label);
  }
  if (dsm__json_lacks_memory(doc, item == NULL || item->valuestring == NULL)) {
    return (dsm__json_node){.doc = doc};
  }
  return (dsm__json_node){.doc = doc, .item = item};
}

void dsm__json_doc_free(dsm__json_doc *doc) {
  if (doc == NULL) {
    return;
  }
  cJSON_Delete(doc->replaced);
  cJSON_Delete(doc->root);
  dsm__arena_free(doc->arena);
  free(doc->marks.items);
  dsm__map_fini(&doc->mark_index);
  free(doc);
}

size_t dsm__json_doc_error_count(const dsm__json_doc *doc) {
  return doc->error_count;
}

void dsm__json_doc_set_subject(dsm__json_doc *doc, const char *subject) {
  doc->subject = subject;
}

const char *dsm__json_doc_file(const dsm__json_doc *doc) {
  return doc->file;
}

bool dsm__json_doc_is_out_of_memory(const dsm__json_doc *doc) {
  return doc->is_out_of_memory;
}

void dsm__json_note_out_of_memory(dsm__json_doc *doc) {
  doc->error_count += !doc->is_out_of_memory;
  doc->is_out_of_memory = true;
}

void dsm__json_set_out_of_memory(dsm__json_doc *doc) {
  if (!doc->is_out_of_memory) {
    (void)dsm__out_of_memory(doc->diags);
  }
  dsm__json_note_out_of_memory(doc);
}

bool dsm__json_doc_keeps_findings(const dsm__json_doc *doc) {
  return doc->diags != NULL && dsm_diags_dropped(doc->diags) == 0;
}

dsm_status dsm__json_doc_finish(dsm__json_doc *doc) {
  dsm__diags_sort_from(doc->diags, doc->first_finding);
  if (doc->is_out_of_memory) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  return doc->error_count > 0 ? DSM_ERROR_INVALID : DSM_OK;
}

/* ---- duplicate keys ---- */

typedef struct member {
  const cJSON *item;
  size_t position;
} member;

/* By key, then by position. */
DSM__ORDER_OF(compare_by_key, member,
              dsm__order_then(strcmp(a->item->string, b->item->string),
                              dsm__order_whole(a->position, b->position)));

DSM__ORDER_OF(compare_by_position, member, dsm__order_whole(a->position, b->position));

/* Moves the members whose key came before to the front, in order of position; returns how many. */
static size_t pick_duplicates(member *members, size_t count) {
  qsort(members, count, sizeof *members, compare_by_key);
  size_t duplicate_count = 0;
  const char *last_key = NULL;
  for (size_t i = 0; i < count; i++) {
    const member each = members[i];
    if (last_key != NULL && strcmp(last_key, each.item->string) == 0) {
      members[duplicate_count++] = each;
    }
    last_key = each.item->string;
  }
  qsort(members, duplicate_count, sizeof *members, compare_by_position);
  return duplicate_count;
}

static void report_duplicate(const dsm__json_node *object, const cJSON *item) {
  const dsm__json_node node = dsm__json_child(object, item, 0);
  if (!dsm__json_doc_keeps_findings(node.doc)) {
    dsm__json_error(&node, NULL, "duplicate key");
    return;
  }
  const dsm__json_node first = dsm__json_member(object, node.key);
  const dsm__place place = dsm__json_place(&first);
  char hint[64] = "";
  if (place.line > 0) {
    (void)snprintf(hint, sizeof hint, "the first one is on line %zu", place.line);
  }
  dsm__json_error(&node, hint, "duplicate key \"%s\"", node.key);
}

/* What the walk over all objects carries: the document and a place to sort members, reused. */
typedef struct key_walk {
  dsm__json_doc *doc;
  member *members;
  size_t capacity;
} key_walk;

static size_t count_children(const cJSON *item) {
  size_t count = 0;
  for (const cJSON *each = item->child; each != NULL; each = each->next) {
    count++;
  }
  return count;
}

static void check_object(key_walk *walk, const dsm__json_node *object) {
  const size_t count = count_children(object->item);
  if (count < 2) {
    return;
  }
  if (count > walk->capacity) {
    member *const grown = calloc(count, sizeof *grown);
    if (grown == NULL) {
      dsm__json_set_out_of_memory(walk->doc);
      return;
    }
    free(walk->members);
    walk->members = grown;
    walk->capacity = count;
  }
  size_t position = 0;
  for (const cJSON *each = object->item->child; each != NULL; each = each->next) {
    walk->members[position] = (member){.item = each, .position = position};
    position++;
  }
  const size_t duplicate_count = pick_duplicates(walk->members, count);
  for (size_t i = 0; i < duplicate_count; i++) {
    report_duplicate(object, walk->members[i].item);
  }
}

/* Recursion no deeper than DSM__JSON_MAX_DEPTH: the text was checked for that. */
static void check_tree(key_walk *walk, const dsm__json_node *node) {
  if (cJSON_IsObject(node->item)) {
    check_object(walk, node);
  }
  size_t index = 0;
  for (const cJSON *each = node->item->child; each != NULL; each = each->next) {
    const dsm__json_node child = dsm__json_child(node, each, index++);
    if (each->child != NULL) {
      check_tree(walk, &child);
    }
  }
}

void dsm__json_doc_check_keys(const dsm__json_node *node) {
  key_walk walk = {.doc = node->doc};
  check_tree(&walk, node);
  free(walk.members);
}
