/* SPDX-License-Identifier: GPL-3.0-or-later */
/* deadline.h: a time, an amount of work and one of memory, at which work is to end with what it
 * has. */
#ifndef DSM_BASE_DEADLINE_H
#define DSM_BASE_DEADLINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct dsm__deadline {
  double until_seconds; /**< by a clock that only runs forward; infinite: no limit */
  double final_seconds; /**< likewise: work ends then with nothing, where it has nothing */
  double most_work;     /**< that is counted: past it work ends as at the first time, */
  double final_work;    /**< and past this as at the second one; the same on any machine */
  double most_bytes;    /**< that are counted; work that needs more ends, as at both times */
  bool (*is_stopped)(
      void *context); /**< says whether to end at once, likewise; NULL: nobody does */
  void *context;
  atomic_size_t bytes;        /**< that are counted now: of arenas (arena.h) */
  atomic_size_t work;         /**< that is counted so far */
  atomic_bool was_met;        /**< some work ended because of it, */
  atomic_bool was_memory_met; /**< of its memory, */
  atomic_bool was_stopped;    /**< or of what is_stopped said */
} dsm__deadline;

/** Seconds by a clock that only runs forward, since some moment of the past. */
double dsm__seconds_now(void);

/** How much memory the machine has; infinite: that is not known. */
double dsm__machine_bytes(void);

/** Begins so many seconds, from now on: work that has nothing by then has as long again. Infinite:
 * no limit. Of work and memory there is none, and nobody stops it. */
void dsm__deadline_begin(dsm__deadline *deadline, double seconds);

/** Counts work that was done, by one thread alone where there is a limit to it. NULL: nobody does.
 */
static inline void dsm__deadline_add_work(dsm__deadline *deadline, size_t work) {
  if (deadline != NULL) {
    atomic_fetch_add(&deadline->work, work);
  }
}

/** Seconds until it is over; below 0 after that. */
double dsm__deadline_left(const dsm__deadline *deadline);

/** Is it over? Then work ends, and the deadline was met; for good. NULL: never. From any thread. */
bool dsm__deadline_is_over(dsm__deadline *deadline);

/** Is it over also for work that has nothing? For good. NULL: never. `more_bytes`: of the work that
 * are not counted. */
bool dsm__deadline_is_final_with(dsm__deadline *deadline, size_t more_bytes);
bool dsm__deadline_is_final(dsm__deadline *deadline);

/** Did any work end because of it? NULL: none. */
bool dsm__deadline_was_met(const dsm__deadline *deadline);

/** Where an arena counts its bytes; NULL: nowhere. */
static inline atomic_size_t *dsm__deadline_bytes(dsm__deadline *deadline) {
  return deadline != NULL ? &deadline->bytes : NULL;
}

#endif
