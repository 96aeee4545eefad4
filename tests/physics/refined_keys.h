/* SPDX-License-Identifier: GPL-3.0-or-later */
/* refined_keys.h: the refinements of torus64_refined, given to other systems. */
#ifndef DSM_TESTS_PHYSICS_REFINED_KEYS_H
#define DSM_TESTS_PHYSICS_REFINED_KEYS_H

#include "physics.h"

/** Gives a system the refinements of a set, one or some of them by the seed. */
void refined_keys_apply(dsm_system *system, physics_set set, uint64_t seed);

#endif
