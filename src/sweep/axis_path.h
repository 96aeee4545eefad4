/* SPDX-License-Identifier: GPL-3.0-or-later */
/* axis_path.h: what a path of an axis, such as "system.core.scratchpad_MiB", is about. */
#ifndef DSM_SWEEP_AXIS_PATH_H
#define DSM_SWEEP_AXIS_PATH_H

#include <stdbool.h>

typedef enum dsm__path_kind {
  DSM__PATH_WORKLOAD = 0,   /**< "workload": which one */
  DSM__PATH_SYSTEM,         /**< "system": which one */
  DSM__PATH_WORKLOAD_VALUE, /**< "workload.PATH" */
  DSM__PATH_SYSTEM_VALUE,   /**< "system.PATH" */
  DSM__PATH_MODE,           /**< "options.mode" */
  DSM__PATH_OPTIMIZE,       /**< "options.optimize" */
  DSM__PATH_PARALLELISM     /**< "options.parallelism" */
} dsm__path_kind;

/** The first part of paths of values in a description: "workload." and "system.". */
#define DSM__WORKLOAD_PREFIX "workload."
#define DSM__SYSTEM_PREFIX "system."

/** False if the text is no path of an axis. */
bool dsm__path_parse(const char *text, dsm__path_kind *kind);

/** The path below the root of the description, for the two kinds of values. */
const char *dsm__path_below(const char *path, dsm__path_kind kind);

#define DSM__PATH_HINT_SIZE 64

/** What was probably meant by a text that is no path; empty if nothing is near. */
void dsm__path_hint(const char *text, char hint[DSM__PATH_HINT_SIZE]);

#endif
