/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * front_rates.c: which rates a front asks the least energy at.
 *
 * From below: evenly spaced rates up to the most. A partition that leaves all devices and links
 * some time can be run faster as it is, up to where one is full, and then takes no more energy a
 * request, but less idle power: it is beaten by itself. So the next question after such an answer,
 * at r, is at that rate, f. What lies between is left out: at a rate q there, a partition takes h +
 * I / q, with I the idle watts and h no less than the answer's, as it could be run at r; so it
 * takes more than the answer does at f. Where unused devices are off, I may be larger for another
 * partition, and it need not; then the bounds of the points (front_bounds.c) say how much better it
 * can be.
 */
#include <math.h>

#include "partition/front_internal.h"

static double most_used(const dsm_partition *partition) {
  double most = 0;
  for (size_t j = 0; j < partition->instance->device_count; j++) {
    most = fmax(most, fmax(partition->uses[j].time_fraction, partition->uses[j].link_fraction));
  }
  for (size_t r = 0; r < partition->carrier_count; r++) {
    most = fmax(most, partition->carriers[r].time_fraction);
  }
  return most;
}

/* The rate at which the last answer is run as fast as it can be. */
static double full_rate(const dsm__front_finder *f) {
  const dsm_front_point *const point = &f->points.items[f->points.count - 1];
  const double used = most_used(point->partition);
  return used > 0 ? point->rho / used : HUGE_VAL;
}

void dsm__front_ask_rates(dsm__front_finder *f, double limit_seconds, double most,
                          size_t last_question) {
  const double last = most / (1 + f->slack / 2); /* the most, within the gap, has an answer */
  double rate = 0;
  double full = 0;
  while (f->asked_count < last_question && !dsm__front_is_over(f) && rate < last) {
    const size_t left = last_question - f->asked_count;
    const bool has_time = full > rate * (1 + f->slack);
    rate = has_time && left > 1 ? fmin(full, last) : rate + (last - rate) / (double)left;
    double joules = 0;
    const bool is_found = dsm__front_ask(
        f, (dsm__front_question){DSM_OBJECTIVE_ENERGY, limit_seconds, rate}, &joules);
    full = is_found ? full_rate(f) : 0;
  }
}
