/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * network.h: small networks for tests, written as text. In all text here a single quote stands for
 * a double one, so that JSON in C stays readable: "{'name': 'fc1', ...}".
 */
#ifndef DSM_TESTS_WORKLOAD_NETWORK_H
#define DSM_TESTS_WORKLOAD_NETWORK_H

#include "dsm/dsm.h"

/** What reading a text gave. To be freed with outcome_free. */
typedef struct outcome {
  dsm_status status;
  dsm_workload *workload; /**< NULL unless status is DSM_OK */
  dsm_diags *diags;
} outcome;

/** Reads a whole description, with overrides. */
outcome read_workload(const char *text, const dsm_override *overrides, size_t override_count);

/** Reads a network named "test" with minibatch 8 of these layers, joined by commas. `top` is more
 * top-level members, each with a comma behind it, or "". */
outcome read_network(const char *top, const char *layers);

void outcome_free(outcome *read);

/** The same for a network that must be good, else the test fails with the findings. To be freed
 * with dsm_workload_free. */
dsm_workload *network_of(const char *layers);
dsm_workload *network_with(const char *top, const char *layers);

/** Fails unless the network is refused, with its first finding at `path`. */
void expect_refused_with(const char *top, const char *layers, const char *path);
void expect_refused(const char *layers, const char *path);

/** Fails unless a layer has these producers. */
void expect_producers(const dsm_workload *workload, size_t layer, size_t count,
                      const size_t *producers);

/** Two convolutions, of which the second reads the first. */
#define CONV_A "{'name': 'a', 'type': 'conv', 'in': 1, 'out': 2, 'feature': [6, 4]}"
#define CONV_B                                                                                     \
  "{'name': 'b', 'type': 'conv', 'inputs': ['a'], 'in': 2, 'out': 3, 'feature': [6, 4]}"

/** Writes the workload and reads that again. Fails where that is refused. */
dsm_workload *written_and_read(const dsm_workload *workload);

/** Fails where the two differ in anything but addresses. */
void expect_same_workload(const dsm_workload *a, const dsm_workload *b);

#endif
