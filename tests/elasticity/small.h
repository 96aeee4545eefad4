/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * small.h: a network of one layer on one chip, whose time is easily computed by hand.
 *
 * An fc of 64 x 64 for one sample, 2 bytes an element, in inference. Memory carries 128 bytes of
 * input, 8192 of weights and 128 of output, 8448 in all. The array takes 4 x 4 features at once,
 * 256 blocks of one cycle each; it starts at once.
 */
#ifndef DSM_TESTS_ELASTICITY_SMALL_H
#define DSM_TESTS_ELASTICITY_SMALL_H

#include "dsm/dsm.h"

/** Its memory carries a byte a cycle: a step takes 8448 cycles. With values replaced. */
dsm_system *small_system(const dsm_override *overrides, size_t count);

dsm_workload *small_network(const dsm_override *overrides, size_t count);

/** A request for one network with these options of inference; without paths all are varied. */
dsm_elasticity_request small_request(const dsm_system *system, const dsm_workload *const *workloads,
                                     size_t workload_count);

/** Derived; fails the test if that does not work. */
dsm_elasticity *derived(const dsm_elasticity_request *request);

/** The parameter of a path; fails the test if there is none. */
const dsm_varied_parameter *parameter_at(const dsm_elasticity *elasticity, const char *path);

/** Bundled descriptions. */
dsm_system *bundled_system(const char *name);
dsm_workload *bundled_workload(const char *name);

#endif
