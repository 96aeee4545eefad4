/* SPDX-License-Identifier: GPL-3.0-or-later */
/* phase.h: a pass of a layer for simulators of networks: computation, and one collective
 * that stands for what chips send each other. */
#ifndef DSM_EXPORT_PHASE_H
#define DSM_EXPORT_PHASE_H

#include "dsm/plan.h"

typedef enum dsm__collective {
  DSM__COLLECTIVE_NONE = 0,
  DSM__COLLECTIVE_ALL_GATHER,     /**< of features, in forward */
  DSM__COLLECTIVE_REDUCE_SCATTER, /**< of partial sums of errors, in backward */
  DSM__COLLECTIVE_ALL_REDUCE,     /**< of gradients, in update */
  DSM__COLLECTIVE_COUNT
} dsm__collective;

typedef struct dsm__export_phase {
  double cycles; /**< of computation, without what the collective stands for */
  dsm__collective collective;
  double bytes;      /**< of a chip, before the collective */
  dsm_axis_set axes; /**< along which it goes, those of one chip left out */
} dsm__export_phase;

/** That of a pass, which exists. A stage of a pipeline has some of the chips, and no collective. */
dsm__export_phase dsm__export_phase_of(const dsm_plan *plan, size_t layer, dsm_pass pass);

#endif
