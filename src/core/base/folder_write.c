/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/files.h"
#include "dsm/file.h"

static dsm_status has_files(const char *path, dsm_diags *diags) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = path}, NULL,
                 "expected a new or an empty folder, found one that has files");
  return DSM_ERROR_IO;
}

static dsm_status cannot_make(const char *path, int error, dsm_diags *diags) {
  return error == ENOTEMPTY || error == EEXIST
             ? has_files(path, diags)
             : dsm__system_error(path, "cannot make the folder", error, diags);
}

/* Where the folder really is: links are followed, slashes at the end fall away. NULL with errno. */
static char *resolve(const char *path, dsm__arena *arena) {
  char real[PATH_MAX];
  const bool exists = realpath(path, real) != NULL;
  if (!exists && errno != ENOENT) {
    return NULL;
  }
  const char *const name = exists ? real : path;
  size_t length = strlen(name);
  while (length > 1 && name[length - 1] == '/') {
    length--;
  }
  char *const target = dsm__arena_strndup(arena, name, length);
  errno = target == NULL ? ENOMEM : 0;
  return target;
}

/* A new folder beside the target, held by *holder. NULL with errno. */
static char *make_temporary(const char *target, int *holder, dsm__arena *arena) {
  const mode_t all = S_IRWXU | S_IRWXG | S_IRWXO; /* the umask takes away what it must */
  const char *const slash = strrchr(target, '/');
  const int prefix = slash == NULL ? 0 : (int)(slash - target) + 1;
  for (int i = 0; i < DSM__TEMPORARIES_MAX; i++) {
    char base[DSM__TEMPORARY_NAME_SIZE];
    dsm__temporary_name(base, i);
    char *const name = dsm__arena_printf(arena, "%.*s%s", prefix, target, base);
    if (name == NULL) {
      errno = ENOMEM;
      return NULL;
    }
    const bool is_made = mkdir(name, all) == 0;
    if (is_made && dsm__temporary_hold(holder, name)) {
      return name;
    }
    if (errno != EEXIST) {
      const int error = errno;
      (void)(is_made && rmdir(name) == 0);
      errno = error;
      return NULL;
    }
  }
  return NULL;
}

/* Writes a file into `place`; a finding names the folder where it is to be. */
static dsm_status write_file(const char *place, const char *folder, const dsm_named_text *file,
                             dsm__arena *arena, dsm_diags *diags) {
  const char *const path = dsm__arena_printf(arena, "%s/%s", place, file->name);
  const char *const shown = dsm__arena_printf(arena, "%s/%s", folder, file->name);
  dsm_diags *const own = dsm_diags_new(1);
  dsm_status status = DSM_ERROR_OUT_OF_MEMORY;
  if (path != NULL && shown != NULL && own != NULL) {
    const size_t length = file->length > 0 ? file->length : strlen(file->text);
    status = dsm_file_write(path, file->text, length, own);
  }
  if (status == DSM_ERROR_IO && dsm_diags_count(own) > 0) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = shown}, NULL, "%s",
                   dsm_diags_get(own, 0)->message);
  } else if (status != DSM_OK) {
    status = dsm__out_of_memory(diags);
  }
  dsm_diags_free(own);
  return status;
}

/* Leaves no trace. Its paths are not from the arena: what failed may be memory. */
static void remove_files(const char *place, const dsm_named_text *files, size_t file_count) {
  for (size_t i = 0; i < file_count; i++) {
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", place, files[i].name);
    if (length > 0 && (size_t)length < sizeof path) {
      (void)unlink(path);
    }
  }
}

/* Writes all files into `place`, or none. */
static dsm_status write_files(const char *place, const char *folder, const dsm_named_text *files,
                              size_t file_count, dsm__arena *arena, dsm_diags *diags) {
  for (size_t i = 0; i < file_count; i++) {
    const dsm_status status = write_file(place, folder, &files[i], arena, diags);
    if (status != DSM_OK) {
      remove_files(place, files, i);
      return status;
    }
  }
  return DSM_OK;
}

static dsm_status check_empty(const char *folder, const char *path, dsm_diags *diags) {
  DIR *const open_folder = opendir(folder);
  if (open_folder == NULL) {
    return dsm__system_error(path, "cannot read the folder", errno, diags);
  }
  size_t count = 0;
  errno = 0;
  for (const struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  }
  const int error = errno;
  (void)closedir(open_folder);
  if (error != 0) {
    return dsm__system_error(path, "cannot read the folder", error, diags);
  }
  return count > 0 ? has_files(path, diags) : DSM_OK;
}

/* A folder that is there stays the one that it is: it may be where somebody works, be mounted, or
 * have permissions of its own. */
static dsm_status fill(const char *folder, const char *path, const dsm_named_text *files,
                       size_t file_count, dsm__arena *arena, dsm_diags *diags) {
  const char *const inside = dsm__arena_printf(arena, "%s/", folder);
  if (inside == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm__temporaries_clear(inside);
  const dsm_status status = check_empty(folder, path, diags);
  return status == DSM_OK ? write_files(folder, path, files, file_count, arena, diags) : status;
}

static dsm_status make(const char *target, const char *path, const dsm_named_text *files,
                       size_t file_count, dsm__arena *arena, dsm_diags *diags) {
  int holder = -1;
  char *const temporary = make_temporary(target, &holder, arena);
  if (temporary == NULL) {
    return cannot_make(path, errno == EEXIST ? EBUSY : errno, diags);
  }
  dsm_status status = write_files(temporary, path, files, file_count, arena, diags);
  if (status == DSM_OK && rename(temporary, target) != 0) {
    status = cannot_make(path, errno, diags);
    remove_files(temporary, files, file_count);
  }
  if (status != DSM_OK) {
    (void)rmdir(temporary);
  }
  if (holder >= 0) {
    (void)close(holder);
  }
  return status;
}

static dsm_status write_target(const char *path, const dsm_named_text *files, size_t file_count,
                               dsm__arena *arena, dsm_diags *diags) {
  const char *const target = resolve(path, arena);
  if (target == NULL) {
    return cannot_make(path, errno, diags);
  }
  dsm__temporaries_clear(target);
  struct stat info;
  if (stat(target, &info) != 0) {
    return make(target, path, files, file_count, arena, diags);
  }
  return S_ISDIR(info.st_mode) ? fill(target, path, files, file_count, arena, diags)
                               : cannot_make(path, ENOTDIR, diags);
}

dsm_status dsm_folder_write(const char *path, const dsm_named_text *files, size_t file_count,
                            dsm_diags *diags) {
  dsm__arena *const arena = dsm__arena_new();
  if (arena == NULL) {
    return dsm__out_of_memory(diags);
  }
  sigset_t before;
  dsm__signals_hold(&before); /* all files or none */
  const dsm_status status = write_target(path, files, file_count, arena, diags);
  dsm__signals_release(&before);
  dsm__arena_free(arena);
  return status;
}
