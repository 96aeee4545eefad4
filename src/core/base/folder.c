/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/growing_list.h"
#include "base/order.h"

static bool is_wanted(const char *name, const char *suffix) {
  const size_t length = strlen(name);
  const size_t suffix_length = strlen(suffix);
  return name[0] != '.' && length > suffix_length &&
         strcmp(name + length - suffix_length, suffix) == 0;
}

static int compare_names(const void *left, const void *right) {
  const char *const *const a = left;
  const char *const *const b = right;
  return strcmp(*a, *b);
}

/* Names in the order of the file system. */
typedef struct name_list {
  dsm__arena *arena;
  const char **items;
  size_t count;
  size_t capacity;
} name_list;

static bool add_name(name_list *list, const char *name) {
  if (!DSM__LIST_RESERVE_IN(list, 1, list->arena)) {
    return false;
  }
  const char *const copy = dsm__arena_strdup(list->arena, name);
  list->items[list->count] = copy;
  list->count += copy != NULL;
  return copy != NULL;
}

static dsm_status read_names(name_list *list, DIR *folder, const char *path, const char *suffix,
                             size_t most, dsm_diags *diags) {
  for (;;) {
    errno = 0;
    const struct dirent *const entry = readdir(folder);
    if (entry == NULL) {
      return errno == 0 ? DSM_OK : dsm__system_error(path, "cannot read the folder", errno, diags);
    }
    if (!is_wanted(entry->d_name, suffix)) {
      continue;
    }
    if (list->count == most) {
      dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = path}, NULL,
                     "expected a folder with at most %zu files *%s, found more", most, suffix);
      return DSM_ERROR_INVALID;
    }
    if (!add_name(list, entry->d_name)) {
      return dsm__out_of_memory(diags);
    }
  }
}

dsm_status dsm__folder_list(const char *const **names, size_t *count, const char *path,
                            const char *suffix, size_t most, dsm__arena *arena, dsm_diags *diags) {
  *names = NULL;
  *count = 0;
  DIR *const folder = opendir(path);
  if (folder == NULL) {
    return dsm__system_error(path, "cannot read the folder", errno, diags);
  }
  name_list list = {.arena = arena};
  const dsm_status status = read_names(&list, folder, path, suffix, most, diags);
  (void)closedir(folder); /* nothing was written: nothing can be lost */
  if (status != DSM_OK) {
    return status;
  }
  dsm__sort(list.items, list.count, sizeof *list.items, compare_names);
  *names = list.items;
  *count = list.count;
  return DSM_OK;
}
