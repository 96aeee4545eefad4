/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wording.h: decisions in words, in which they are compared and shown. */
#ifndef DSM_CHECK_WORDING_H
#define DSM_CHECK_WORDING_H

#include "dsm/check.h"

/** Holds the longest: a pipeline group with its name, a split with five numbers. */
#define DSM__WORDING_SIZE 512

/** A decision in words. */
typedef struct dsm__wording {
  bool is_unknown; /**< not recorded: not to be compared */
  double fraction; /**< of weights_on_chip, which two machines may compute with other last bits */
  char text[DSM__WORDING_SIZE];
} dsm__wording;

/** A decision of a layer, or of a pass of it that exists. */
dsm__wording dsm__decision_wording(const dsm_recorded_layer *layer, dsm_pass pass,
                                   dsm_compared decision);

/** Is it the same decision? Fractions may differ by rounding. */
bool dsm__is_same_wording(const dsm__wording *a, const dsm__wording *b);

#endif
