/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batched_instance.h: small random problems in which devices have sizes of batches to choose from.
 */
#ifndef DSM_TESTS_PARTITION_BATCHED_INSTANCE_H
#define DSM_TESTS_PARTITION_BATCHED_INSTANCE_H

#include "small_instance.h"

enum { BATCHED_SIZES = 3, BATCHED_CELLS = SMALL_TASKS * SMALL_DEVICES };

/** Points into itself: not to be copied. */
typedef struct batched_instance {
  small_instance s;
  dsm_batch_time times[BATCHED_CELLS][BATCHED_SIZES];
  dsm_batch_table tables[BATCHED_CELLS];
} batched_instance;

/** small_random, with times of batches: larger ones take mostly, not always, less time a request.
 * All devices have power. */
void batched_random(batched_instance *made, uint64_t seed);

/** The same at chosen sizes, [j] of which number: a plain instance but for the memory of
 * activations.
 */
void batched_choose(small_instance *plain, const batched_instance *of, uint64_t seed,
                    const size_t *chosen);

/** The next choice; false: it was the last. */
bool batched_next(const batched_instance *of, size_t *chosen);

#endif
