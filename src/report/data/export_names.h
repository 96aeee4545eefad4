/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_names.h: names of layers for formats whose columns are divided by white space. */
#ifndef DSM_REPORT_DATA_EXPORT_NAMES_H
#define DSM_REPORT_DATA_EXPORT_NAMES_H

#include "base/arena.h"
#include "dsm/plan.h"

/** A name for each layer, in the arena: spaces become '_', and what thereby is the name of another
 * layer gets "_2", "_3" ... NULL: out of memory. */
const char **dsm__export_names(const dsm_plan *plan, dsm__arena *arena);

#endif
