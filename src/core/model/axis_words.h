/* SPDX-License-Identifier: GPL-3.0-or-later */
/* axis_words.h: words with the names of a system's axes, such as "data_node_model_gpu", and with
 * what it calls the link of its cores. */
#ifndef DSM_MODEL_AXIS_WORDS_H
#define DSM_MODEL_AXIS_WORDS_H

#include "base/arena.h"
#include "model/names.h"

/**
 * The words of parallelisms for axes of these names, in the arena: those of roles, "node=row", are
 * read, and written once noted. Where the names are the system's own (`are_named`), those of data
 * and model, links, bounds and moves have them too; the keys of the lists that they stand for,
 * which count the axes as x, y and z, are read as well. The link of the cores is called as `chip`
 * says; NULL: as its kind. NULL if out of memory.
 */
dsm__renaming *dsm__axis_words(const char *const names[DSM_AXES_MAX], unsigned count,
                               bool are_named, const dsm_chip *chip, dsm__arena *arena);

/** A copy in an arena, which notes words by itself; of NULL, the words of axes x, y and z. NULL if
 * out of memory. */
dsm__renaming *dsm__axis_words_copy(const dsm__renaming *of, dsm__arena *arena);

/** The words for the axes and the cores of a system; *renaming is NULL if an axis has no name.
 * False if out of memory. */
bool dsm__system_words(const dsm_system *system, dsm__arena *arena, dsm__renaming **renaming);

/** The name of an axis: that which the system states, NULL where a reader has told that it is
 * missing, or x, y or z. */
const char *dsm__axis_name(const dsm_network *network, unsigned axis);

/** Words of roles of axes x, y and z. */
extern const dsm__made_words dsm__role_made_words;

/** From now on a parallelism with roles has its word; false if out of memory. */
bool dsm__note_parallelism(dsm__renaming *renaming, dsm_parallelism parallelism, dsm__arena *arena);

#endif
