/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_network.h: networks of 5 to 14 layers with branches, concatenations, residuals, pools and
 * operands, on small systems where holding pays sometimes. The same seed gives the same case.
 */
#ifndef DSM_TESTS_SEARCH_RANDOM_NETWORK_H
#define DSM_TESTS_SEARCH_RANDOM_NETWORK_H

#include "dsm/dsm.h"

typedef struct random_case {
  dsm_workload *workload;
  dsm_system *system;
} random_case;

/** To be freed with random_case_free. */
random_case random_case_make(uint64_t seed);
/** With another memory of a chip. */
random_case random_case_make_with(uint64_t seed, double capacity_bytes);
/** Held tensors move among the cores, and some of the other refined equations of a layer hold. */
void random_case_refine(random_case *made, uint64_t seed);
void random_case_free(random_case *made);

#endif
