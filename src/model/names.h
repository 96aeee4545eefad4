/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h: the words of the model's enumerations. */
#ifndef DSM_MODEL_NAMES_H
#define DSM_MODEL_NAMES_H

#include "base/words.h"

extern const dsm__words dsm__dim_words;
extern const dsm__words dsm__mode_words;
extern const dsm__words dsm__pass_words;
extern const dsm__words dsm__parallelism_words;
extern const dsm__words dsm__link_words;
extern const dsm__words dsm__bound_words;
extern const dsm__words dsm__transfer_words;
extern const dsm__words dsm__group_words;

#endif
