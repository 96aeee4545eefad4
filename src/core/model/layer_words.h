/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layer_words.h: the numbers of a layer that the equations of its passes read, as words that can be
 * compared. Layers that agree in them cost the same to the last bit, whatever is decided for them.
 * A number that is added to a layer and read by an equation has to be among them.
 */
#ifndef DSM_MODEL_LAYER_WORDS_H
#define DSM_MODEL_LAYER_WORDS_H

#include "dsm/workload.h"

enum { DSM__LAYER_WORDS = 54 };

/** All of them, but those of tensors that fork: its fork_elements, and is_shortcut_own_input. */
void dsm__layer_words(const dsm_layer *layer, uint64_t words[DSM__LAYER_WORDS]);

#endif
