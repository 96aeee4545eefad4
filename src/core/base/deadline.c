/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "base/deadline.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

double dsm__seconds_now(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double dsm__machine_bytes(void) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? (double)pages * (double)page_bytes : HUGE_VAL;
}

void dsm__deadline_begin(dsm__deadline *deadline, double seconds) {
  *deadline =
      (dsm__deadline){.most_work = HUGE_VAL, .final_work = HUGE_VAL, .most_bytes = HUGE_VAL};
  deadline->until_seconds = dsm__seconds_now() + seconds;
  deadline->final_seconds = deadline->until_seconds + seconds;
}

double dsm__deadline_left(const dsm__deadline *deadline) {
  return deadline->until_seconds - dsm__seconds_now();
}

static bool is_past(double seconds) {
  return seconds < HUGE_VAL && dsm__seconds_now() >= seconds;
}

static bool is_worked(const dsm__deadline *deadline, double most_work) {
  return (double)atomic_load(&deadline->work) > most_work;
}

/* Is memory short, or is it stopped? Then no work goes on, whether it has something or not. */
static bool is_cut_off(dsm__deadline *deadline, size_t more_bytes) {
  if ((double)atomic_load(&deadline->bytes) + (double)more_bytes > deadline->most_bytes) {
    atomic_store(&deadline->was_memory_met, true);
  } else if (deadline->is_stopped != NULL && deadline->is_stopped(deadline->context)) {
    atomic_store(&deadline->was_stopped, true);
  }
  return atomic_load(&deadline->was_memory_met) || atomic_load(&deadline->was_stopped);
}

bool dsm__deadline_is_over(dsm__deadline *deadline) {
  if (deadline == NULL) {
    return false;
  }
  if (!atomic_load(&deadline->was_met) &&
      (is_cut_off(deadline, 0) || is_worked(deadline, deadline->most_work) ||
       is_past(deadline->until_seconds))) {
    atomic_store(&deadline->was_met, true);
  }
  return atomic_load(&deadline->was_met);
}

bool dsm__deadline_is_final_with(dsm__deadline *deadline, size_t more_bytes) {
  const bool is_final = deadline != NULL && (is_cut_off(deadline, more_bytes) ||
                                             is_worked(deadline, deadline->final_work) ||
                                             is_past(deadline->final_seconds));
  if (is_final) {
    atomic_store(&deadline->was_met, true);
  }
  return is_final;
}

bool dsm__deadline_is_final(dsm__deadline *deadline) {
  return dsm__deadline_is_final_with(deadline, 0);
}

bool dsm__deadline_was_met(const dsm__deadline *deadline) {
  return deadline != NULL && atomic_load(&deadline->was_met);
}
