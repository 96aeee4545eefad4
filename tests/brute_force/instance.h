/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_H
#define DSM_TESTS_INSTANCE_H

/*
 * Random, valid, small inputs for the brute-force twin: a workload of 1 to 5 layers (at most
 * TWIN_MAX_LAYERS expanded), a system of up to 6 x 6 chips, and the options to explore them with.
 * The same seed makes the same texts on every machine.
 */

#include <stdint.h>

#include "twin.h"

enum { INSTANCE_TEXT_SIZE = 8192 };

typedef struct {
  uint64_t seed;
  twin_options options;
  char workload_json[INSTANCE_TEXT_SIZE]; /* dsm-workload/1 */
  char system_json[INSTANCE_TEXT_SIZE];   /* dsm-system/1 */
} instance;

/* In about a third of the instances the memory of a chip binds; in some of these nothing fits. Runs
 * the twin once. */
void instance_make(instance *out, uint64_t seed);

#endif
