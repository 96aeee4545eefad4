/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.h: jobs that tests ask of. */
#ifndef DSM_TESTS_STORAGE_JOBS_H
#define DSM_TESTS_STORAGE_JOBS_H

#include "dsm/limits.h"
#include "dsm/storage.h"

/** 100 samples of 10 bytes at 8 samples a second (D = 80 bytes/s), fast storage of 500 bytes at 160
 * bytes/s, a capacity tier of 20 bytes/s: numbers to do by hand. Two mini-epochs of 250 bytes fit,
 * so that there are 4; EB1 = 80, and 80/20 = 4 times leave no stall. */
dsm_storage_job job_by_hand(void);

/** A job of a few mini-epochs, from a seed; some stall, some are bound by fast storage. */
dsm_storage_job job_drawn(uint64_t *state);

/** A number between two, from a seed. */
double number_drawn(uint64_t *state, double least, double most);

#endif
