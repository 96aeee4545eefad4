/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_base.c: a description may name another one as its "base". What it does not state itself
 * comes from there: objects are joined member by member, and so are items that stand at the same
 * place of two lists and have the same name; any other value is the description's own.
 */
#define _POSIX_C_SOURCE 200809L

#include <assert.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_doc.h"
#include "base/words.h"
#include "dsm/limits.h"
#include "dsm/lookup.h"

enum { BASES_MAX = 8, PATH_SIZE = 4096 /* of a file */, PATH_TEXT_SIZE = 256 };

static const char base_key[] = "base";
static const char notes_key[] = "notes";
static const char name_key[] = "name";

/* Members at the top that each description has for itself. */
static const char *const for_itself[] = {"format", "name", "source", "notes", "base"};

/* The kinds of documents that may have a base. */
static const struct kind {
  const char *format;
  const char *name;
  const char *folder; /* of those that are installed */
} kinds[] = {{"dsm-system/1", "system", "systems"},
             {"dsm-technology/1", "technology", "technologies"}};

/* Members at the top that may be the name of a description of a kind of its own, or an object that
 * has it as its base. */
static const struct part {
  const char *format; /* of what the member is of */
  const char *key;
  const struct kind *kind;
} parts[] = {{"dsm-system/1", "technology", &kinds[1]}};

/* Members that say the same in two ways: who states one of a form has nothing of the other. */
static const char *const forms[][2] = {{"axes", "topology"},
                                       {"axes", "chips_x"},
                                       {"axes", "chips_y"},
                                       {"axes", "link_bandwidth_x_GBps"},
                                       {"axes", "link_bandwidth_y_GBps"}};

/* A document that takes values of its base. */
typedef struct joining {
  dsm__json_doc *doc;
  const dsm__json_doc *base;
} joining;

static cJSON *member_of(const cJSON *object, const char *key) {
  return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

static bool is_for_itself(const char *key) {
  bool is_one = false;
  for (size_t i = 0; i < DSM__COUNT_OF(for_itself); i++) {
    is_one = is_one || strcmp(for_itself[i], key) == 0;
  }
  return is_one;
}

/* Are both objects, the items of lists only if they have one name? */
static bool are_joined(const cJSON *container, const cJSON *own, const cJSON *other) {
  const char *const name = dsm__json_name_of(container, own);
  const char *const other_name = dsm__json_name_of(container, other);
  return cJSON_IsObject(own) && cJSON_IsObject(other) && name != NULL && other_name != NULL &&
         strcmp(name, other_name) == 0;
}

/* Does an object state otherwise what a member would say? */
static bool says_otherwise(const cJSON *own, const char *key) {
  bool does = false;
  for (size_t f = 0; f < DSM__COUNT_OF(forms); f++) {
    does = does || (strcmp(forms[f][0], key) == 0 && member_of(own, forms[f][1]) != NULL) ||
           (strcmp(forms[f][1], key) == 0 && member_of(own, forms[f][0]) != NULL);
  }
  return does;
}

/* ---- joining ---- */

/* Moves a member of the base, which came from the file `origin`, to the description. */
static void adopt(joining *with, cJSON *own, cJSON *base, cJSON *member, const char *origin) {
  dsm__json_doc *const doc = with->doc;
  if (dsm__json_lacks_memory(doc, !DSM__LIST_RESERVE_IN(&doc->overridden, 1, doc->arena))) {
    return;
  }
  (void)cJSON_AddItemToArray(own, cJSON_DetachItemViaPointer(base, member)); /* keeps its key */
  doc->overridden.items[doc->overridden.count++] =
      (dsm__json_overridden){.item = member, .origin = origin};
}

/* The file that a value of the base came from, which may be that of a base of its own; else that of
 * what it is in. */
static const char *origin_of(const joining *with, const cJSON *value, const char *around) {
  const dsm__json_doc *const base = with->base;
  for (size_t i = 0; i < base->overridden.count; i++) {
    if (base->overridden.items[i].item == value) {
      return dsm__arena_strdup(with->doc->arena, base->overridden.items[i].origin);
    }
  }
  return around;
}

static void join_objects(joining *with, cJSON *own, cJSON *base, const char *origin, bool is_root);

/* Recursion no deeper than DSM__JSON_MAX_DEPTH: both texts were checked for that. */
static void join_members(joining *with, cJSON *container, cJSON *own, cJSON *base,
                         const char *origin) {
  origin = origin_of(with, base, origin);
  if (are_joined(container, own, base)) {
    join_objects(with, own, base, origin, false);
  } else if (cJSON_IsArray(own) && cJSON_IsArray(base)) {
    cJSON *other = base->child;
    for (cJSON *each = own->child; each != NULL && other != NULL; each = each->next) {
      join_members(with, own, each, other, origin);
      other = other->next;
    }
  }
}

static void join_objects(joining *with, cJSON *own, cJSON *base, const char *origin, bool is_root) {
  cJSON *next = NULL;
  for (cJSON *each = base->child; each != NULL; each = next) {
    next = each->next;
    cJSON *const mine = member_of(own, each->string);
    if ((is_root && is_for_itself(each->string)) || says_otherwise(own, each->string)) {
      continue;
    }
    if (mine == NULL) {
      adopt(with, own, base, each, origin_of(with, each, origin));
    } else if (member_of(mine, base_key) == NULL) { /* else it stands on another one */
      join_members(with, own, mine, each, origin);
    }
  }
}

/* ---- notes ---- */

/* Does a note of the base tell of something that the description has not stated otherwise? */
static bool holds_still(const cJSON *own, const cJSON *base, const char *path) {
  while (*path != '\0' && own != NULL) {
    const dsm__json_match mine = dsm__json_find_child(own, path);
    const dsm__json_match other = dsm__json_find_child(base, path);
    if (cJSON_IsArray(own) &&
        (mine.child == NULL || other.child == NULL || !are_joined(own, mine.child, other.child))) {
      return false;
    }
    if (other.child != NULL && other.child->string != NULL &&
        says_otherwise(own, other.child->string)) {
      return false;
    }
    own = mine.child;
    base = other.child;
    path += mine.length;
    path += *path == '.' ? 1 : 0;
  }
  return own == NULL;
}

/* To be called before the values are joined. */
static void join_notes(joining *with, cJSON *own, cJSON *base, const char *origin) {
  cJSON *const of_base = member_of(base, notes_key);
  cJSON *notes = member_of(own, notes_key);
  if (!cJSON_IsObject(of_base) || (notes != NULL && !cJSON_IsObject(notes))) {
    return;
  }
  notes = notes == NULL ? cJSON_AddObjectToObject(own, notes_key) : notes;
  if (dsm__json_lacks_memory(with->doc, notes == NULL)) {
    return;
  }
  cJSON *next = NULL;
  for (cJSON *each = of_base->child; each != NULL; each = next) {
    next = each->next;
    if (member_of(notes, each->string) == NULL && holds_still(own, base, each->string)) {
      adopt(with, notes, of_base, each, origin_of(with, each, origin));
    }
  }
}

/* ---- what the description states itself ---- */

static void list_own(const cJSON *object, const char *prefix, bool is_item, dsm__text_buffer *list);

/* A value that is no object: a list of things with names goes by these. */
static void list_value(const cJSON *value, const char *path, dsm__text_buffer *list) {
  bool is_named = cJSON_IsArray(value);
  for (const cJSON *each = value->child; each != NULL; each = each->next) {
    is_named = is_named && cJSON_IsObject(each) && dsm__json_name_of(value, each) != NULL;
  }
  if (!is_named) {
    dsm__text_printf(list, "%s%s", list->length > 0 ? ", " : "", path);
    return;
  }
  for (const cJSON *each = value->child; each != NULL; each = each->next) {
    char below[PATH_TEXT_SIZE];
    (void)snprintf(below, sizeof below, "%.120s.%.120s.", path, dsm__json_name_of(value, each));
    list_own(each, below, true, list);
  }
}

static void list_own(const cJSON *object, const char *prefix, bool is_item,
                     dsm__text_buffer *list) {
  for (const cJSON *each = object->child; each != NULL; each = each->next) {
    char path[PATH_TEXT_SIZE];
    (void)snprintf(path, sizeof path, "%s%s", prefix, each->string);
    if ((*prefix == '\0' && is_for_itself(path)) ||
        (is_item && strcmp(each->string, "name") == 0)) {
      continue;
    }
    if (cJSON_IsObject(each)) {
      const size_t length = strlen(path);
      (void)snprintf(path + length, sizeof path - length, ".");
      list_own(each, path, false, list);
    } else {
      list_value(each, path, list);
    }
  }
}

/* Keeps what users are told of where values come from. */
static void remember(dsm__json_doc *doc, const char *name, const dsm__json_doc *base) {
  dsm__text_buffer own = {0};
  dsm__text_buffer names = {0};
  list_own(doc->root, "", false, &own);
  dsm__text_puts(&own, ""); /* so that there is a text */
  dsm__text_puts(&names, name);
  if (base->base != NULL) {
    dsm__text_printf(&names, ", %s", base->base);
  }
  doc->own = own.failed ? NULL : dsm__arena_strdup(doc->arena, own.text);
  doc->base = names.failed ? NULL : dsm__arena_strdup(doc->arena, names.text);
  if (doc->own == NULL || doc->base == NULL) {
    dsm__json_set_out_of_memory(doc);
  }
  dsm__text_fini(&own);
  dsm__text_fini(&names);
}

const char *dsm__json_doc_base(const dsm__json_doc *doc, const char **own) {
  *own = doc->own;
  return doc->base;
}

/* ---- finding and reading ---- */

/* A pipe, a terminal or a device is no description, and may never end. */
static bool is_regular(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The hint at a name that no file has: the description that was probably meant, else what lists
 * them. */
static void hint_name(const char *name, const struct kind *kind, const dsm_folders *folders,
                      char *hint, size_t size) {
  (void)snprintf(hint, size, "'dsm list %s' shows which there are", kind->name);
  for (size_t i = 0; i < folders->count; i++) {
    DIR *const folder = opendir(folders->items[i]);
    const struct dirent *entry = folder == NULL ? NULL : readdir(folder);
    char best[NAME_MAX + 1] = "";
    for (; entry != NULL; entry = readdir(folder)) {
      char stem[NAME_MAX + 1];
      const char *const dot = strrchr(entry->d_name, '.');
      const char *const words[] = {best[0] == '\0' ? NULL : best, stem};
      if (dot != NULL && strcmp(dot, ".json") == 0) {
        (void)snprintf(stem, sizeof stem, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        if (dsm__nearest(name, words, DSM__COUNT_OF(words)) == stem) {
          memcpy(best, stem, sizeof best);
        }
      }
    }
    if (folder != NULL) {
      (void)closedir(folder);
    }
    if (best[0] != '\0') {
      (void)snprintf(hint, size, "did you mean \"%.64s\"?", best);
      return;
    }
  }
}

/* Beside the description, in $DSM_PATH, or among those that are installed. False after a report. */
static bool find_file(const dsm__json_node *node, const struct kind *kind, char path[PATH_SIZE]) {
  const char *const name = node->item->valuestring;
  const char *const file = node->doc->file == NULL ? "" : node->doc->file;
  const char *const slash = strrchr(file, '/');
  char beside[PATH_SIZE];
  (void)snprintf(beside, sizeof beside, "%.*s", slash == NULL ? 1 : (int)(slash - file),
                 slash == NULL ? "." : file);
  dsm_folders folders = {.count = 0};
  bool is_found =
      name[0] == '/' ? dsm_is_file(name) : dsm_folder_has(beside, name, path, PATH_SIZE);
  if (name[0] == '/') {
    (void)snprintf(path, PATH_SIZE, "%s", name);
  } else if (strchr(name, '/') == NULL) {
    dsm_folders_add_environment(&folders);
    dsm_folders_add_installed(&folders, kind->folder);
  }
  for (size_t i = 0; i < folders.count && !is_found; i++) {
    is_found = dsm_folder_has(folders.items[i], name, path, PATH_SIZE);
  }
  if (folders.is_out_of_memory) {
    dsm__json_set_out_of_memory(node->doc);
  } else if (!is_found || !is_regular(path)) {
    char hint[96];
    hint_name(name, kind, &folders, hint, sizeof hint);
    dsm__json_error(node, hint, "expected the name of a %s, found no file of \"%.200s\"",
                    kind->name, name);
  }
  dsm_folders_free(&folders);
  return is_found && is_regular(path) && !node->doc->is_out_of_memory;
}

/* The document in the file; NULL after a report. */
static dsm__json_doc *read_base(const dsm__json_node *node, const struct kind *kind,
                                const char *path, unsigned depth) {
  dsm__json_doc *const doc = node->doc;
  dsm__json_doc *base = NULL;
  char *text = NULL;
  size_t length = 0;
  if (depth == BASES_MAX) {
    dsm__json_error(node, "does one of them stand on itself?",
                    "expected at most %d descriptions that stand on one another, found more",
                    BASES_MAX);
    return NULL;
  }
  dsm_status status = dsm_file_read(&text, &length, path, doc->diags);
  if (status == DSM_OK) {
    const dsm__json_input input = {.text = text, .length = length, .file = path};
    status = dsm__json_doc_parse_at(&base, &input, depth + 1, doc->diags);
  }
  free(text);
  doc->error_count += status == DSM_OK ? base->error_count : 1; /* which were reported there */
  if (status == DSM_ERROR_OUT_OF_MEMORY) {
    dsm__json_note_out_of_memory(doc);
  }
  const cJSON *const format = status == DSM_OK ? member_of(base->root, "format") : NULL;
  if (status == DSM_OK &&
      (!cJSON_IsString(format) || strcmp(format->valuestring, kind->format) != 0)) {
    dsm__json_error(node, NULL, "expected the name of a %s, but %s is none", kind->name, path);
    dsm__json_doc_free(base);
    return NULL;
  }
  return base;
}

/* Takes the values that the base has into an object of the document. What is left of it stays until
 * the document is freed: no address comes twice. */
static void join(dsm__json_doc *doc, cJSON *own, dsm__json_doc *base, const char *path) {
  joining with = {.doc = doc, .base = base};
  const char *const origin = dsm__arena_strdup(doc->arena, path);
  if (dsm__json_lacks_memory(doc, origin == NULL)) {
    return;
  }
  join_notes(&with, own, base->root, origin);
  join_objects(&with, own, base->root, origin, true);
  cJSON *const name =
      own == doc->root || member_of(own, name_key) != NULL ? NULL : member_of(base->root, name_key);
  if (name != NULL) { /* a part is called as what it stands on */
    adopt(&with, own, base->root, name, origin);
  }
  (void)cJSON_AddItemToArray(doc->replaced, base->root);
  (void)cJSON_AddItemToArray(doc->replaced, base->replaced);
  base->root = NULL;
  base->replaced = NULL;
}

/* A name becomes an object in its place; the text stays in what is kept of replaced values. */
static bool make_object(dsm__json_doc *doc, cJSON *item) {
  cJSON *const kept = cJSON_CreateObject();
  if (dsm__json_lacks_memory(doc, kept == NULL)) {
    return false;
  }
  kept->type = item->type;
  kept->valuestring = item->valuestring;
  item->type = cJSON_Object;
  item->valuestring = NULL;
  (void)cJSON_AddItemToArray(doc->replaced, kept);
  return true;
}

/* Reads the description that a member names, and takes its values into an object. NULL after a
 * report. */
static dsm__json_doc *take(dsm__json_doc *doc, const dsm__json_node *node, const struct kind *kind,
                           unsigned depth, cJSON *own) {
  char path[PATH_SIZE];
  const char *name = NULL;
  assert(own != NULL);
  if (!dsm__json_string(node, 1, DSM_NAME_BYTES_MAX, doc->arena, &name) ||
      !find_file(node, kind, path)) {
    return NULL;
  }
  const char *const shown = strncmp(path, "./", 2) == 0 ? path + 2 : path;
  dsm__json_doc *const base = read_base(node, kind, shown, depth);
  if (base == NULL) {
    return NULL;
  }
  if (cJSON_IsString(own) && !make_object(doc, own)) {
    dsm__json_doc_free(base);
    return NULL;
  }
  if (own == doc->root) {
    remember(doc, name, base);
  }
  join(doc, own, base, shown);
  cJSON *const member = member_of(own, base_key);
  if (member != NULL) {
    (void)cJSON_AddItemToArray(doc->replaced, cJSON_DetachItemViaPointer(own, member));
  }
  return base;
}

bool dsm__json_doc_take_base(dsm__json_doc *doc, unsigned depth) {
  const dsm__json_node root = dsm__json_root(doc);
  const dsm__json_node node = dsm__json_member(&root, base_key);
  const cJSON *const format = member_of(doc->root, "format");
  const struct kind *kind = NULL;
  for (size_t k = 0; k < DSM__COUNT_OF(kinds) && cJSON_IsString(format); k++) {
    kind = strcmp(kinds[k].format, format->valuestring) == 0 ? &kinds[k] : kind;
  }
  if (kind == NULL || !dsm__json_is_present(&node)) {
    return true;
  }
  dsm__json_doc *const base = take(doc, &node, kind, depth, doc->root);
  dsm__json_doc_free(base);
  return base != NULL && !doc->is_out_of_memory;
}

bool dsm__json_doc_take_parts(dsm__json_doc *doc, unsigned depth) {
  const dsm__json_node root = dsm__json_root(doc);
  const cJSON *const format = member_of(doc->root, "format");
  bool is_taken = true;
  for (size_t p = 0; p < DSM__COUNT_OF(parts) && cJSON_IsString(format); p++) {
    const dsm__json_node node = dsm__json_member(&root, parts[p].key);
    cJSON *const item = member_of(doc->root, parts[p].key);
    const dsm__json_node base = dsm__json_member(&node, base_key);
    const bool is_name = cJSON_IsString(item);
    if (strcmp(parts[p].format, format->valuestring) == 0 &&
        (is_name || dsm__json_is_present(&base))) {
      dsm__json_doc *const taken = take(doc, is_name ? &node : &base, parts[p].kind, depth, item);
      is_taken = is_taken && taken != NULL;
      dsm__json_doc_free(taken);
    }
  }
  return is_taken && !doc->is_out_of_memory;
}
