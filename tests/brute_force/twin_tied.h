/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_TIED_H
#define DSM_TESTS_TWIN_TIED_H

/* Weights that a layer shares with another one, which has another part of them (section 5). */

#include "twin_reductions.h"

/* What a tied layer exchanges once a step with the one that has its weights; 0 of others. */
double twin_tied_cycles(const twin_context *context, const twin_summed_layer *layers, size_t layer);

/* What it keeps of the table beside that one. */
double twin_tied_bytes(const twin_context *context, const twin_summed_layer *layers, size_t layer);

#endif
