/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_parts.h: the roles of stages by themselves, where those of a path do not fit. */
#ifndef DSM_SEARCH_STAGES_STAGE_PARTS_H
#define DSM_SEARCH_STAGES_STAGE_PARTS_H

#include "search/stages/stage_look.h"

/** Searches the roles of each stage that does not fit with those of at->layers, which they replace.
 * With `may_recompute` forward passes may run again; else only where nothing fits without.
 * *is_found: all were found; else the layers are of no use. False if out of memory. */
bool dsm__stage_search_parts(const dsm__looking *at, bool may_recompute, bool *is_found);

#endif
