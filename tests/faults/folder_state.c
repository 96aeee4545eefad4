/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE

#include "folder_state.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder_file {
  char *path;
  char *bytes; /* of a link where it leads; of a folder none */
  struct stat stat;
  bool is_database;
};

static folder_state *filled; /* nftw hands on no context */

static void require(bool holds, const char *path) {
  if (!holds) {
    perror(path);
    _exit(EXIT_FAILURE);
  }
}

static char *bytes_of(const char *path, const struct stat *stat) {
  const size_t size = (size_t)stat->st_size;
  char *const bytes = calloc(size + 1, 1);
  require(bytes != NULL, path);
  if (S_ISLNK(stat->st_mode)) {
    require(readlink(path, bytes, size) == (ssize_t)size, path);
  } else if (S_ISREG(stat->st_mode)) {
    const int file = open(path, O_RDONLY);
    require(file < 0 || read(file, bytes, size) == (ssize_t)size, path); /* it may be unreadable */
    (void)close(file);
  }
  return bytes;
}

static int add(const char *path, const struct stat *stat, int kind, struct FTW *place) {
  (void)kind;
  if (place->level == 0) {
    return 0;
  }
  folder_file file = {.path = strdup(path), .bytes = bytes_of(path, stat), .stat = *stat};
  /* Another process of a pipe may have made an empty file by now. */
  const bool is_empty =
      S_ISREG(stat->st_mode) && stat->st_size == 0 && strstr(path, "/.dsm-") == NULL;
  file.is_database =
      strncmp(file.bytes, "SQLite format 3", 15) == 0 || strstr(path, ".sqlite") != NULL;
  if (is_empty && !file.is_database) {
    free(file.path);
    free(file.bytes);
    return 0;
  }
  filled->files = realloc(filled->files, (filled->count + 1) * sizeof *filled->files);
  require(filled->files != NULL && file.path != NULL, path);
  filled->files[filled->count++] = file;
  return 0;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const folder_file *)a)->path, ((const folder_file *)b)->path);
}

void folder_state_read(folder_state *state) {
  *state = (folder_state){NULL, 0};
  filled = state;
  require(nftw(".", add, 16, FTW_PHYS) == 0, ".");
  if (state->count > 0) {
    qsort(state->files, state->count, sizeof *state->files, by_path);
  }
}

static bool is_same(const folder_file *a, const folder_file *b) {
  return strcmp(a->path, b->path) == 0 && a->stat.st_mode == b->stat.st_mode &&
         (S_ISDIR(a->stat.st_mode) || (a->stat.st_size == b->stat.st_size &&
                                       memcmp(a->bytes, b->bytes, (size_t)a->stat.st_size) == 0));
}

static size_t skip_databases(const folder_state *state, size_t from) {
  while (from < state->count && state->files[from].is_database) {
    from++;
  }
  return from;
}

/* A database may have some points more, whatever stopped its sweep. */
bool folder_state_equals(const folder_state *a, const folder_state *b) {
  size_t i = skip_databases(a, 0);
  size_t j = skip_databases(b, 0);
  while (i < a->count && j < b->count && is_same(&a->files[i], &b->files[j])) {
    i = skip_databases(a, i + 1);
    j = skip_databases(b, j + 1);
  }
  return i == a->count && j == b->count;
}

static bool holds(const folder_state *state, const folder_file *file) {
  const folder_file *const found =
      state->count == 0 ? NULL
                        : bsearch(file, state->files, state->count, sizeof *state->files, by_path);
  return found != NULL && is_same(found, file);
}

static void put_file(const folder_file *file) {
  if (S_ISDIR(file->stat.st_mode)) {
    require(mkdir(file->path, file->stat.st_mode) == 0, file->path);
  } else if (S_ISLNK(file->stat.st_mode)) {
    require(symlink(file->bytes, file->path) == 0, file->path);
  } else {
    const int made = open(file->path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    require(made >= 0 &&
                write(made, file->bytes, (size_t)file->stat.st_size) == file->stat.st_size &&
                fchmod(made, file->stat.st_mode) == 0 && close(made) == 0,
            file->path);
  }
}

void folder_state_put_back(const folder_state *before, const folder_state *now) {
  for (size_t i = now->count; i-- > 0;) { /* what is in a folder before it */
    if (!holds(before, &now->files[i])) {
      require(remove(now->files[i].path) == 0, now->files[i].path);
    }
  }
  for (size_t i = 0; i < before->count; i++) {
    if (!holds(now, &before->files[i])) {
      put_file(&before->files[i]);
    }
  }
}

void folder_state_fini(folder_state *state) {
  for (size_t i = 0; i < state->count; i++) {
    free(state->files[i].path);
    free(state->files[i].bytes);
  }
  free(state->files);
}
