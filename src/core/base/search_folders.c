/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "dsm/lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a path that is cut or put together here. */
enum { PATH_SIZE = 4096 };

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool dsm_is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static void add_folder(dsm_folders *folders, const char *path, size_t length) {
  if (length == 0 || folders->count == DSM_FOLDERS_MAX) {
    return;
  }
  folders->items[folders->count] = strndup(path, length);
  if (folders->items[folders->count] == NULL) {
    folders->is_out_of_memory = true;
  } else {
    folders->count++;
  }
}

void dsm_folders_add_environment(dsm_folders *folders) {
  const char *at = getenv("DSM_PATH");
  while (at != NULL && *at != '\0') {
    const size_t length = strcspn(at, ":");
    add_folder(folders, at, length);
    at += length + (at[length] == ':' ? 1 : 0);
  }
}

/* Writes the folder of the program's folder. The program's own path has no links in it, so it is
 * found by cutting. False where the system does not tell the path. */
static bool find_own_prefix(char prefix[PATH_SIZE]) {
  const ssize_t length = readlink("/proc/self/exe", prefix, PATH_SIZE - 1);
  if (length <= 0) {
    return false;
  }
  prefix[length] = '\0';
  for (int level = 0; level < 2; level++) {
    char *const slash = strrchr(prefix, '/');
    if (slash != NULL) {
      *slash = '\0';
    }
  }
  return true;
}

void dsm_folders_add_installed(dsm_folders *folders, const char *kind) {
  char prefix[PATH_SIZE];
  char folder[PATH_SIZE + 64];
  bool is_beside = false;
  if (find_own_prefix(prefix)) {
    (void)snprintf(folder, sizeof folder, "%s/share/dsm/%s", prefix, kind);
    is_beside = is_folder(folder);
  }
  if (!is_beside) {
    (void)snprintf(folder, sizeof folder, DSM_DATADIR "/%s", kind);
  }
  add_folder(folders, folder, strlen(folder));
}

void dsm_folders_free(dsm_folders *folders) {
  for (size_t i = 0; i < folders->count; i++) {
    free(folders->items[i]);
  }
  *folders = (dsm_folders){.count = 0};
}

bool dsm_folder_has(const char *folder, const char *name, char *path, size_t size) {
  static const char *const endings[] = {"", ".json"};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    const int length = snprintf(path, size, "%s/%s%s", folder, name, endings[i]);
    if (length > 0 && (size_t)length < size && dsm_is_file(path)) {
      return true;
    }
  }
  return false;
}
