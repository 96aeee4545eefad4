/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drawn_energy.h: technologies that are drawn, for tests of other objectives than time: energies
 * that go with no bandwidth, so that what is fast is not what takes few joules. */
#ifndef DSM_TESTS_SEARCH_DRAWN_ENERGY_H
#define DSM_TESTS_SEARCH_DRAWN_ENERGY_H

#include "dsm/dsm.h"

/** Gives a system a technology: none of its energies is above 8 pJ. */
void drawn_energy_set(dsm_system *system, uint64_t seed);

/** Weights of cycles, and of pJ of each chip, which are as many as bytes. */
dsm_weights drawn_weights(double of_cycles, double of_pJ);

/** What a plan takes with these weights, by its own sums: of the step, and of its passes' joules.
 */
double drawn_price(const dsm_plan *plan, const dsm_weights *weights);

#endif
