/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * path_steps.h: where paths of overrides (`--set`) can go. For programs that help to write such
 * paths, as the completion of a shell does.
 */
#ifndef DSM_PATH_STEPS_H
#define DSM_PATH_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/file.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Takes the name of one step, valid during the call; `leads_on`: there are steps below it (which
 * is not said of lists of plain values, that are better set whole). */
typedef void dsm_path_visitor(void *context, const char *name, bool leads_on);

/**
 * Visits what may follow `path` (without a dot at its end; empty: the root) in the path of an
 * override of a description: of an object the keys that its reader knows at that place, those that
 * are there first; of a list the names of its items, or their indices where they have none. What
 * the reader knows may depend on other values, such as the type of a layer, so the description
 * itself is asked: text[0 .. length). Some of its values may be bad. `kind` is
 * DSM_DESCRIPTION_WORKLOAD, _SYSTEM, _SERVER, _PROFILE, _STAGES, _RL_WORKLOAD or _PIM_SYSTEM, else
 * DSM_ERROR_USAGE. DSM_ERROR_INVALID, and no visit, if the text is no JSON or the path leads to no
 * object or list; DSM_ERROR_OUT_OF_MEMORY, perhaps after some visits. Time: that of reading the
 * description, for each key that is not there.
 */
DSM_API DSM_NODISCARD dsm_status dsm_path_steps(dsm_description kind, const char *text,
                                                size_t length, const char *path,
                                                dsm_path_visitor *visit, void *context);

#ifdef __cplusplus
}
#endif

#endif
