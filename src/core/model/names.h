/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h: the words of the model's enumerations. */
#ifndef DSM_MODEL_NAMES_H
#define DSM_MODEL_NAMES_H

#include "base/words.h"
#include "dsm/model.h"

extern const dsm__words dsm__dim_words;
extern const dsm__words dsm__mode_words;
extern const dsm__words dsm__pass_words;
extern const dsm__words dsm__parallelism_words;
extern const dsm__words dsm__role_words;
extern const dsm__words dsm__link_words;
extern const dsm__words dsm__bound_words;
extern const dsm__words dsm__transfer_words;
extern const dsm__words dsm__group_words;
extern const dsm__words dsm__tile_words;
extern const dsm__words dsm__computing_words;

enum { DSM__MOVE_COUNT = 58 };

/** A transfer with the axis that it goes along; DSM_NO_AXIS: within the chips. */
typedef struct dsm__move {
  dsm_transfer transfer;
  unsigned axis;
} dsm__move;

/** Moves: transfers with the axis that they go along, as "rotate_x"; in the order of transfers,
 * then of axes. */
extern const dsm__words dsm__move_words;
extern const dsm__move dsm__moves[DSM__MOVE_COUNT];

/** The move that a transfer along an axis (DSM_NO_AXIS: within the chips) is, and its word. */
size_t dsm__move_of(dsm_transfer transfer, unsigned axis);
const char *dsm__move_name(dsm_transfer transfer, unsigned axis);

/** Can there be such a move on a system, where layers may have roles other than data and model? */
bool dsm__move_is_possible(size_t move, const dsm_system *system, bool has_roles);

/** A core split as "out 2 ij 8 mb 2". */
typedef struct dsm__split_text {
  char text[160];
} dsm__split_text;

/** Loops that are not split are left out; `unsplit` if none is. */
dsm__split_text dsm__split_text_of(const dsm_loops *split, const char *unsplit);

#endif
