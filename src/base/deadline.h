/* SPDX-License-Identifier: GPL-3.0-or-later */
/* deadline.h: a time at which work is to end with what it has. */
#ifndef DSM_BASE_DEADLINE_H
#define DSM_BASE_DEADLINE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct dsm__deadline {
  double until_seconds; /**< by a clock that only runs forward */
  atomic_bool was_met;  /**< some work ended because of it */
  bool is_strict;       /**< work also ends with nothing, where it has nothing by then */
} dsm__deadline;

/** Seconds by a clock that only runs forward, since some moment of the past. */
double dsm__seconds_now(void);

/** Begins so many seconds, from now on. */
void dsm__deadline_begin(dsm__deadline *deadline, double seconds);

/** Seconds until it is over; below 0 after that. */
double dsm__deadline_left(const dsm__deadline *deadline);

/** Is it over? Then work ends, and the deadline was met; for good. NULL: never. From any thread. */
bool dsm__deadline_is_over(dsm__deadline *deadline);

/** Is it over, and strict? NULL: never. */
bool dsm__deadline_is_final(dsm__deadline *deadline);

/** Did any work end because of it? NULL: none. */
bool dsm__deadline_was_met(const dsm__deadline *deadline);

#endif
