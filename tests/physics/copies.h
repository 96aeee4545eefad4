/* SPDX-License-Identifier: GPL-3.0-or-later */
/* copies.h: several copies of a network, one after the other. */
#ifndef DSM_TESTS_PHYSICS_COPIES_H
#define DSM_TESTS_PHYSICS_COPIES_H

#include "dsm/dsm.h"

/** The network of a plan twice; both copies read the network's input. To be freed. */
dsm_workload *copies_side_by_side(const dsm_plan *plan);

/** A random network whose output has the shape of its input, which only its first layer reads:
 * `count` copies, each reading what the one before makes. In training the first layer is an lstm,
 * so that all copies have the same passes. The same seed makes the same network. To be freed. */
dsm_workload *copies_in_a_chain(uint64_t seed, dsm_mode mode, int count);

#endif
