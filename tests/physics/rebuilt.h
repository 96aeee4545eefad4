/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rebuilt.h: the traffic of a plan, gathered again from its decisions: transfer by transfer and
 * link by link from the model's public functions, by rules of sections 5 to 11 written down here a
 * second time.
 */
#ifndef DSM_TESTS_PHYSICS_REBUILT_H
#define DSM_TESTS_PHYSICS_REBUILT_H

#include "dsm/dsm.h"

/** The torus on which a layer runs: a part of the system's in a pipeline. */
dsm_system rebuilt_torus(const dsm_plan *plan, size_t layer);

/** What a pass of a layer moves, and how long that takes. */
typedef struct rebuilt_pass {
  double bytes[DSM_TRANSFER_COUNT][DSM_NO_AXIS + 1][DSM_LINK_COUNT]; /**< by axis, over the step */
  double group_cycles[DSM_GROUP_COUNT]; /**< over the step, without handing over */
  double cycles;                        /**< of the pass over the step, likewise */
  double once_cycles;                   /**< of these, what occurs once a step */
  double first_cycles;                  /**< of an invocation of the first kind */
  double last_cycles;                   /**< and of the last kind: steady, where there is one */
  double hand_over_cycles;              /**< of one hand-over; 0 without */
} rebuilt_pass;

/** Of a pass that exists. Layers of a pipeline have no relayouts. */
rebuilt_pass rebuilt_pass_of(const dsm_plan *plan, size_t layer, dsm_pass pass);

#endif
