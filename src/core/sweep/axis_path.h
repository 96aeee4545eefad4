/* SPDX-License-Identifier: GPL-3.0-or-later */
/* axis_path.h: what a path of an axis, such as "system.core.scratchpad_MiB", is about. */
#ifndef DSM_SWEEP_AXIS_PATH_H
#define DSM_SWEEP_AXIS_PATH_H

#include <stdbool.h>

#include "dsm/file.h"
#include "sweep/option_words.h"

typedef enum dsm__path_kind {
  DSM__PATH_WORKLOAD = 0,   /**< "workload": which one */
  DSM__PATH_SYSTEM,         /**< "system": which one */
  DSM__PATH_WORKLOAD_VALUE, /**< "workload.PATH" */
  DSM__PATH_SYSTEM_VALUE,   /**< "system.PATH" */
  DSM__PATH_OPTION,         /**< "options.KEY": this, plus which one it is of dsm__sweep_options */
} dsm__path_kind;

/** Does the path choose a workload or a system? */
static inline bool dsm__path_is_input(dsm__path_kind kind) {
  return kind == DSM__PATH_WORKLOAD || kind == DSM__PATH_SYSTEM;
}

/** Is it that of a value in one? */
static inline bool dsm__path_is_value(dsm__path_kind kind) {
  return kind == DSM__PATH_WORKLOAD_VALUE || kind == DSM__PATH_SYSTEM_VALUE;
}

/** What a path of either sort is about. */
static inline dsm_description dsm__path_description(dsm__path_kind kind) {
  return kind == DSM__PATH_WORKLOAD || kind == DSM__PATH_WORKLOAD_VALUE ? DSM_DESCRIPTION_WORKLOAD
                                                                        : DSM_DESCRIPTION_SYSTEM;
}

/** The option of a path; NULL for other paths. */
static inline const dsm__sweep_option *dsm__path_option(dsm__path_kind kind) {
  return kind < DSM__PATH_OPTION ? NULL : &dsm__sweep_options[kind - DSM__PATH_OPTION];
}

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
