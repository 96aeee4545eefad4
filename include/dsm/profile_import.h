/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * profile_import.h: times of layers in the files of profilers, as a profile (docs/import.md).
 *
 * ONNX Runtime's profile, trtexec's, traces of the PyTorch profiler and CSV are recognised by what
 * they hold. The layers that all devices have are the tasks; what a device has beside them counts
 * with the task before it.
 */
#ifndef DSM_PROFILE_IMPORT_H
#define DSM_PROFILE_IMPORT_H

#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A file of a profiler. */
typedef struct dsm_profile_file {
  const char *device; /**< which it was timed on, "DEVICE@BATCH" for times of so many requests
                           together; NULL: as its rows say, or else as the file is called */
  const char *path;   /**< for findings */
  const char *bytes;
  size_t length;
} dsm_profile_file;

/** What such an import may be told. */
typedef struct dsm_profile_import_options {
  const dsm_workload *workload; /**< whose layers are the tasks, with its sizes and connections;
                                     borrowed. NULL: the files tell sizes, and the tasks are a chain
                                     in the order in which they ran */
  uint64_t batch;               /**< samples of a request of the workload; 1 by default */
  bool is_strict;               /**< what does not match is an error, not a note */
} dsm_profile_import_options;

/** The only place of their defaults. */
DSM_API void dsm_profile_import_options_init(dsm_profile_import_options *options);

/**
 * Reads files, of one device or several, and writes a profile in the format "dsm-profile/1". Of a
 * layer that was timed in several runs the median counts; files of one device are further runs.
 * *text, malloc'ed and NUL-terminated, is to be freed by the caller; `options` may be NULL.
 * DSM_ERROR_INVALID, with findings: a file is broken or of no such format, no layer is timed on
 * every device, or sizes are told by none and there is no workload; DSM_ERROR_USAGE: the workload
 * does not take the batch; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_profile_import(char **text, const dsm_profile_file *files,
                                                    size_t file_count,
                                                    const dsm_profile_import_options *options,
                                                    dsm_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
