/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "base/deadline.h"

#include <stddef.h>
#include <time.h>

double dsm__seconds_now(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void dsm__deadline_begin(dsm__deadline *deadline, double seconds) {
  deadline->until_seconds = dsm__seconds_now() + seconds;
  atomic_init(&deadline->was_met, false);
}

double dsm__deadline_left(const dsm__deadline *deadline) {
  return deadline->until_seconds - dsm__seconds_now();
}

bool dsm__deadline_is_over(dsm__deadline *deadline) {
  if (deadline == NULL) {
    return false;
  }
  if (!atomic_load(&deadline->was_met) && dsm__seconds_now() < deadline->until_seconds) {
    return false;
  }
  atomic_store(&deadline->was_met, true);
  return true;
}

bool dsm__deadline_is_final(dsm__deadline *deadline) {
  return deadline != NULL && deadline->is_strict && dsm__deadline_is_over(deadline);
}

bool dsm__deadline_was_met(const dsm__deadline *deadline) {
  return deadline != NULL && atomic_load(&deadline->was_met);
}
