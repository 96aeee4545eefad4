/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_list.c: what can be had by name: bundled descriptions, and those of $DSM_PATH. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/input_files.h"
#include "cli/parse/lookup.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

typedef struct entry {
  char *name;
  char *about; /* NULL: nothing */
  cli_input_file loaded;
} entry;

/* The descriptions found so far, in the order in which names are looked up. */
typedef struct found {
  const cli_arguments *arguments;
  const char *kind; /* NULL: any */
  entry *entries;
  size_t room;
  size_t count;
  dsm_listed *items; /* of all entries, once all are found */
  bool failed;       /* out of memory */
} found;

/* A name stands for the first that is found. */
static bool is_hidden(const found *all, const char *name, dsm_description kind) {
  for (size_t i = 0; i < all->count; i++) {
    if (strcmp(all->entries[i].name, name) == 0 && all->entries[i].loaded.kind == kind) {
      return true;
    }
  }
  return false;
}

static bool is_wanted(const found *all, const cli_input_file *loaded, const char *name) {
  const dsm_description kind = loaded->kind;
  return loaded->is_detected && (cli_bundled_kinds() & 1U << kind) != 0 &&
         (all->kind == NULL || strcmp(all->kind, dsm_description_name(kind)) == 0) &&
         !is_hidden(all, name, kind);
}

/* The comment at the top of a file; malloc'ed, NULL if there is none. */
static char *read_about(const char *path) {
  char *text = NULL;
  size_t length = 0;
  const bool is_read = dsm_file_read(&text, &length, path, NULL) == DSM_OK;
  char *const about = is_read ? dsm_description_comment(text, length) : NULL;
  free(text);
  return about;
}

static void take(found *all, const char *name, cli_input_file *loaded) {
  char *const copy = strdup(name);
  if (copy == NULL) {
    all->failed = true;
    cli_input_file_fini(loaded);
    return;
  }
  all->entries[all->count++] =
      (entry){.name = copy, .about = read_about(loaded->path), .loaded = *loaded};
}

static void visit(void *context, const char *name, const char *folder) {
  found *const all = context;
  const size_t size = strlen(folder) + strlen(name) + sizeof "/.json";
  char *const path = all->failed ? NULL : calloc(size, 1);
  if (path == NULL) {
    all->failed = true;
    return;
  }
  (void)snprintf(path, size, "%s/%s.json", folder, name);
  cli_input_file loaded = cli_load(all->arguments, path, DSM_DESCRIPTION_COUNT, NULL);
  if (!is_wanted(all, &loaded, name) || all->count == all->room) {
    cli_input_file_fini(&loaded);
  } else if (loaded.status == DSM_OK) {
    take(all, name, &loaded);
  } else {
    cli_note(all->arguments, "%s is left out: 'dsm validate %s' says what is wrong with it", path,
             path);
    all->failed = loaded.status == DSM_ERROR_OUT_OF_MEMORY;
    cli_input_file_fini(&loaded);
  }
  free(path);
}

static void count_name(void *context, const char *name, const char *folder) {
  (void)name;
  (void)folder;
  (*(size_t *)context)++;
}

/* Files that come between counting and looking are left out. */
static void find_all(found *all) {
  cli_visit_names(cli_bundled_kinds(), count_name, &all->room);
  all->entries = calloc(all->room + 1, sizeof *all->entries);
  all->failed = all->entries == NULL;
  cli_visit_names(cli_bundled_kinds(), visit, all);
}

static void list_items(found *all) {
  all->items = calloc(all->count + 1, sizeof *all->items);
  all->failed = all->failed || all->items == NULL;
  for (size_t i = 0; i < all->count && !all->failed; i++) {
    const cli_input_file *const loaded = &all->entries[i].loaded;
    all->items[i] = (dsm_listed){.name = all->entries[i].name,
                                 .about = all->entries[i].about,
                                 .what = cli_described(loaded, loaded->path)};
  }
}

cli_exit cli_run_list(const cli_arguments *arguments) {
  const char *const kind = arguments->operand_count == 0 ? NULL : arguments->operands[0];
  if (kind != NULL && !cli_is_word(cli_list_word, kind)) {
    return cli_complain_of_kind(arguments, kind);
  }
  found all = {.arguments = arguments, .kind = kind};
  const bool has_answers = kind == NULL || strcmp(kind, CLI_LIST_ANSWERS) == 0;
  if (kind == NULL || !has_answers) {
    find_all(&all);
  }
  list_items(&all);
  const dsm_listing listing = {
      .items = all.items, .item_count = all.count, .has_answers = has_answers};
  const cli_exit outcome =
      all.failed ? cli_out_of_memory() : cli_put_answer(arguments, DSM_ANSWER(list, &listing));
  for (size_t i = 0; i < all.count; i++) {
    free(all.entries[i].name);
    free(all.entries[i].about);
    cli_input_file_fini(&all.entries[i].loaded);
  }
  free(all.items);
  free(all.entries);
  return outcome;
}
