/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_words.h: the words of designs. */
#ifndef DSM_DESIGN_DESIGN_WORDS_H
#define DSM_DESIGN_DESIGN_WORDS_H

#include "base/words.h"
#include "dsm/design.h"

extern const dsm__words dsm__way_words;

#endif
