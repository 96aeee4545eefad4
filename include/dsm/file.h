/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * file.h: files read whole, and written whole or not at all; and what a description is.
 */
#ifndef DSM_FILE_H
#define DSM_FILE_H

#include <stddef.h>

#include "dsm/diag.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** No input file may be larger (256 MiB): a plan of as many layers as a workload may have fits. */
#define DSM_FILE_BYTES_MAX ((size_t)256 << 20)

/**
 * Reads a whole file ("-": standard input) into *text, malloc'ed and NUL-terminated, to be freed
 * by the caller, its length without the NUL into *length. DSM_ERROR_IO (missing, unreadable, a
 * directory), DSM_ERROR_INVALID (over DSM_FILE_BYTES_MAX), DSM_ERROR_OUT_OF_MEMORY; then *text is
 * NULL and one finding says why.
 */
DSM_API DSM_NODISCARD dsm_status dsm_file_read(char **text, size_t *length, const char *path,
                                               dsm_diags *diags);

/** The same of a file that may have `most` bytes, at least one. */
DSM_API DSM_NODISCARD dsm_status dsm_file_read_within(char **text, size_t *length, const char *path,
                                                      size_t most, dsm_diags *diags);

/**
 * Writes a file whole or not at all: a temporary file in the same folder, flushed, synced, closed
 * and renamed. SIGINT, SIGTERM and SIGHUP to the calling thread wait meanwhile; temporary files
 * that processes left which were killed are removed. What is not a regular file (such as
 * /dev/stdout or a pipe) is written directly; of descriptors (/dev/fd/3) only those that a program
 * it runs would inherit (without FD_CLOEXEC), not those that it keeps to itself, such as that of a
 * database. An existing file keeps its permissions; a symbolic link is followed. DSM_ERROR_IO with
 * one finding on failure, and then no trace is left.
 */
DSM_API DSM_NODISCARD dsm_status dsm_file_write(const char *path, const char *text, size_t length,
                                                dsm_diags *diags);

/** A text that is to become a file of that name. */
typedef struct dsm_named_text {
  const char *name; /**< without a slash */
  const char *text; /**< NUL-terminated */
  size_t length;    /**< bytes of a text that has NULs within; 0: those before the first */
} dsm_named_text;

/**
 * Writes a folder of files whole or not at all. A new one is a temporary folder beside it, renamed
 * when all files are in it; the folder around it must exist. An existing folder must be empty, and
 * stays the one that it is: the files are written into it, and taken away again if one fails. A
 * symbolic link to it is followed. DSM_ERROR_IO with one finding on failure, and then no trace is
 * left.
 */
DSM_API DSM_NODISCARD dsm_status dsm_folder_write(const char *path, const dsm_named_text *files,
                                                  size_t file_count, dsm_diags *diags);

/** What a JSON text describes, by its `format` member. */
typedef enum dsm_description {
  DSM_DESCRIPTION_WORKLOAD = 0, /**< "dsm-workload/1" */
  DSM_DESCRIPTION_SYSTEM,       /**< "dsm-system/1" */
  DSM_DESCRIPTION_PLAN,         /**< "dsm-plan/1" */
  DSM_DESCRIPTION_SWEEP,        /**< "dsm-sweep/1" */
  DSM_DESCRIPTION_SERVER,       /**< "dsm-server/1" */
  DSM_DESCRIPTION_PROFILE,      /**< "dsm-profile/1", or the planner format (instance.h) */
  DSM_DESCRIPTION_STAGES,       /**< "dsm-stages/1" (remat.h) */
  DSM_DESCRIPTION_RL_WORKLOAD,  /**< "dsm-rl-workload/1" (pim.h) */
  DSM_DESCRIPTION_PIM_SYSTEM,   /**< "dsm-pim-system/1" (pim.h) */
  DSM_DESCRIPTION_PIM,          /**< "dsm-pim/1" (pim.h) */
  DSM_DESCRIPTION_TECHNOLOGY,   /**< "dsm-technology/1" */
  DSM_DESCRIPTION_COUNT
} dsm_description;

/**
 * Finds out what a text is. DSM_ERROR_INVALID, with findings, if it is no JSON or has no known
 * format; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_description_detect(dsm_description *description,
                                                        const char *text, size_t length,
                                                        const char *file, dsm_diags *diags);

/**
 * The comment at the top of a description, its key "//": the text, or the first of the list.
 * malloc'ed, to be freed by the caller; NULL if there is none, the text is no JSON object, or
 * memory ran out.
 */
DSM_API char *dsm_description_comment(const char *text, size_t length);

/** "workload", "system", "plan", "sweep", "server", "profile", "stages", "rl-workload",
 * "pim-system", "pim" or "technology". Never NULL. */
DSM_API const char *dsm_description_name(dsm_description description);

#ifdef __cplusplus
}
#endif

#endif
