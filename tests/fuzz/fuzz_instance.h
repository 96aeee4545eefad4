/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_instance.h: what holds of every instance. */
#ifndef DSM_TESTS_FUZZ_FUZZ_INSTANCE_H
#define DSM_TESTS_FUZZ_FUZZ_INSTANCE_H

#include "fuzz.h"

/** Checks limits, names, times above 0, and tensors that go from a task to later ones. With
 * `most` above 0 there are at most so many tasks. */
void fuzz_check_instance(const dsm_instance *instance, size_t most);

#endif
