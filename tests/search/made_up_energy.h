/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * made_up_energy.h: a made-up table of energy, for tests of other objectives than time. What a pass
 * takes is drawn by the layer and by what a chip computes of it, so that it goes with no time; and
 * falls with what is held. A byte takes a drawn number of joules on each link.
 */
#ifndef DSM_TESTS_SEARCH_MADE_UP_ENERGY_H
#define DSM_TESTS_SEARCH_MADE_UP_ENERGY_H

#include "search/cost.h"

typedef struct made_up_energy {
  uint64_t seed;
} made_up_energy;

/** A pass of a layer with nothing held, and as many spatial minibatches as the factor says. */
double made_up_joules(const void *energy, const dsm_layer *layer, const dsm_machine *machine,
                      uint64_t minibatch, uint64_t dysm_factor, dsm_pass pass,
                      dsm_parallelism parallelism);

/** Of these, what is left with something held. What is read matters to no update, as in time. */
double made_up_held_share(const dsm__holding *holding, dsm_pass pass);

double made_up_exchange_joules(const void *energy, const dsm_traffic *traffic);

/** The table, which is borrowed, as a search asks it. */
dsm__energy made_up_energy_of(const made_up_energy *energy);

#endif
