/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h: the words of the model's enumerations. */
#ifndef DSM_MODEL_NAMES_H
#define DSM_MODEL_NAMES_H

#include "base/words.h"
#include "dsm/mapping.h"

extern const dsm__words dsm__dim_words;
extern const dsm__words dsm__mode_words;
extern const dsm__words dsm__pass_words;
extern const dsm__words dsm__parallelism_words;
extern const dsm__words dsm__link_words;
extern const dsm__words dsm__bound_words;
extern const dsm__words dsm__transfer_words;
extern const dsm__words dsm__group_words;

/** A core split as "out 2 ij 8 mb 2". */
typedef struct dsm__split_text {
  char text[160];
} dsm__split_text;

/** Loops that are not split are left out; `unsplit` if none is. */
dsm__split_text dsm__split_text_of(const dsm_loops *split, const char *unsplit);

#endif
