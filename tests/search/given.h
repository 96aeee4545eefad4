/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * given.h: small networks and systems for tests, written as text. A single quote in it stands for a
 * double one.
 */
#ifndef DSM_TESTS_SEARCH_GIVEN_H
#define DSM_TESTS_SEARCH_GIVEN_H

#include "dsm/dsm.h"

/** A network of these layers, joined by commas; fails the test with the findings if it is bad. */
dsm_workload *given_network(const char *minibatch, const char *layers);

/** A torus of 2 x 2 chips with 4 small cores each, where memory is dear and holding pays; with
 * values replaced. */
dsm_system *given_system(const dsm_override *overrides, size_t count);

#endif
