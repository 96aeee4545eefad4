/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folded_name.h: what several layers are called together. */
#ifndef DSM_REPORT_FOLDED_NAME_H
#define DSM_REPORT_FOLDED_NAME_H

#include "report/folding.h"

/**
 * One name for layers, such as "encoder.0..23.qkv" where they differ in one number, which is a
 * range or up to three of them ("conv_1,3..5"), and "stage*.block*.conv" where they differ in
 * several. Up to three such names, or plain ones, follow each other: "conv_a, fc_b",
 * "enc0.{fwd,bwd}"; of more the first has the count of the others beside it: "conv3a, +5 like it".
 * Of one layer it is its name. NULL if out of memory.
 */
const char *dsm__folded_name(dsm__arena *arena, const char *const *names, size_t count);

/** That of the lines of a row, of which each has a name. */
const char *dsm__fold_row_name_of(dsm__arena *arena, const char *const *names,
                                  const dsm__folding *folding, size_t row);

/** That of the layers of a row of a plan. */
const char *dsm__fold_row_name(dsm__arena *arena, const dsm_plan *plan, const dsm__folding *folding,
                               size_t row);

#endif
