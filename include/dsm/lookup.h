/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * lookup.h: the folders in which descriptions are found by name.
 */
#ifndef DSM_LOOKUP_H
#define DSM_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** No more folders are looked through. */
#define DSM_FOLDERS_MAX 64

/** Folders in the order in which they are looked through; all zero is empty. */
typedef struct dsm_folders {
  char *items[DSM_FOLDERS_MAX]; /**< of `count` folders; theirs, freed with them */
  size_t count;
  bool is_out_of_memory; /**< a folder is missing from the list */
} dsm_folders;

/** Adds the folders of $DSM_PATH, which colons part. */
DSM_API void dsm_folders_add_environment(dsm_folders *folders);

/**
 * Adds the folder of files that are installed with the program, such as "systems" or "templates":
 * share/dsm beside the folder of the running program, so that an installation can be moved; where
 * that has none, the one that dsm was built to be installed in.
 */
DSM_API void dsm_folders_add_installed(dsm_folders *folders, const char *kind);

/** Frees the folders; the list is empty then. */
DSM_API void dsm_folders_free(dsm_folders *folders);

/** Is a file, and no folder, at the path? */
DSM_API bool dsm_is_file(const char *path);

/** Writes folder/name to `path`, or folder/name.json if only that is a file. False if neither is,
 * or if there is no room for it in the `size` bytes. */
DSM_API bool dsm_folder_has(const char *folder, const char *name, char *path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
