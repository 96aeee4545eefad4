/* SPDX-License-Identifier: GPL-3.0-or-later */
/* axis_words.h: words with the names of a system's axes, such as "data_node_model_gpu". */
#ifndef DSM_MODEL_AXIS_WORDS_H
#define DSM_MODEL_AXIS_WORDS_H

#include "base/arena.h"
#include "model/names.h"

/**
 * The words of parallelisms, links, bounds and moves for axes of these names, in the arena; the
 * keys of the lists that they stand for, which count the axes as x, y and z, are read too. NULL if
 * out of memory.
 */
const dsm__renaming *dsm__axis_words(const char *const names[DSM_AXES_MAX], unsigned count,
                                     dsm__arena *arena);

/** The same for the axes of a system: none, and *renaming NULL, in its short form, whose words are
 * those of the lists. False if out of memory. */
bool dsm__system_words(const dsm_system *system, dsm__arena *arena, const dsm__renaming **renaming);

#endif
