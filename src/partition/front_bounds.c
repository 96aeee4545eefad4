/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * front_bounds.c: which points of a front are beaten, and what is proven of the others.
 *
 * A bound of an objective of a point holds for all partitions that are no worse than the point in
 * the other objectives. It follows from the proofs of all questions:
 *
 *  - A partition that takes no longer than a limit does no more requests than what is proven of
 * that limit, or of a longer one.
 *  - One that does q requests a second can be run at a lower rate r as it is, with all its rates
 *    lower by r / q: all constraints are kept, and a request takes as long. By the proof at r it
 *    then takes at least the bound B_r. What it takes beside idle power is the same for a request
 * at both rates, so that at q it takes at least B_r - I (1 / r - 1 / q), with I the idle watts of
 *    all devices, or less where some are off. That falls with q up to the next rate that was asked
 *    at, where another proof begins: between two of them the least is at the end.
 *  - If by these nothing within a limit is as good in requests and joules, what is as good takes
 *    longer than the limit; and no request is quicker than the least of the objective latency.
 *
 * Where batches wait to be full, which is longer at lower rates, and a limit may count that,
 * nothing is said of other rates than those that were asked at.
 */
#include <math.h>
#include <stdlib.h>

#include "partition/front_internal.h"

/* Relative: what answers may exceed a limit by, and bounds be wrong by, from rounding. */
static const double close = 1e-6;

/* ---- which are beaten ---- */

/* Whether q is no worse than p in anything, within the gap. */
static bool covers(const dsm__front_finder *f, const dsm_front_point *q, const dsm_front_point *p) {
  const double more = 1 + f->slack;
  const unsigned objectives = f->options->objectives;
  return q->rho * more >= p->rho &&
         (!dsm__front_has(objectives, DSM_OBJECTIVE_LATENCY) ||
          q->mean_latency_seconds <= p->mean_latency_seconds * more) &&
         (!dsm__front_has(objectives, DSM_OBJECTIVE_ENERGY) ||
          q->joules_per_request <= p->joules_per_request * more);
}

static int by_rate(const void *a, const void *b) {
  const dsm_front_point *const x = a;
  const dsm_front_point *const y = b;
  return x->rho != y->rho ? (x->rho > y->rho ? -1 : 1)
         : x->mean_latency_seconds != y->mean_latency_seconds
             ? (x->mean_latency_seconds < y->mean_latency_seconds ? -1 : 1)
         : x->joules_per_request != y->joules_per_request
             ? (x->joules_per_request < y->joules_per_request ? -1 : 1)
             : 0;
}

/* Of points that are the same within the gap the first one stays. */
void dsm__front_sift(dsm__front_finder *f) {
  dsm_front_point *const points = f->points.items;
  const size_t count = f->points.count;
  size_t kept = 0;
  qsort(points, count, sizeof *points, by_rate);
  for (size_t p = 0; p < count; p++) {
    bool is_beaten = false;
    for (size_t q = 0; q < count && !is_beaten; q++) {
      is_beaten = q != p && points[q].partition != NULL && covers(f, &points[q], &points[p]) &&
                  (q < p || !covers(f, &points[p], &points[q]));
    }
    if (is_beaten) {
      dsm_partition_free(points[p].partition);
      points[p].partition = NULL;
    }
  }
  for (size_t p = 0; p < count; p++) {
    if (points[p].partition != NULL) {
      points[kept++] = points[p];
    }
  }
  f->points.count = kept;
}

/* ---- what is proven ---- */

/* Whether a proof holds for all that takes no longer than so many seconds. */
static bool holds(const dsm__front_proof *proof, double seconds) {
  return proof->limit_seconds * (1 + close) >= seconds;
}

/* The most requests per second of what takes no longer. */
static double most_within(const dsm__front_finder *f, double seconds) {
  double least = HUGE_VAL;
  for (size_t k = 0; k < f->proofs.count; k++) {
    const dsm__front_proof *const proof = &f->proofs.items[k];
    if (proof->objective == DSM_OBJECTIVE_THROUGHPUT && holds(proof, seconds)) {
      least = fmin(least, proof->bound);
    }
  }
  return least;
}

static bool is_of_energy(const dsm__front_finder *f, const dsm__front_proof *proof,
                         double seconds) {
  return proof->objective == DSM_OBJECTIVE_ENERGY && holds(proof, seconds) &&
         (!f->has_batches || isinf(proof->limit_seconds));
}

/* The next rate above `from` of which there is a proof of energy, at most `most`. */
static double next_rate(const dsm__front_finder *f, double seconds, double from, double most) {
  double next = most;
  for (size_t k = 0; k < f->proofs.count; k++) {
    const dsm__front_proof *const proof = &f->proofs.items[k];
    if (is_of_energy(f, proof, seconds) && proof->rate > from) {
      next = fmin(next, proof->rate);
    }
  }
  return fmax(next, from);
}

/* The least joules of what takes no longer, at rates between two that are neighbours. */
static double least_between(const dsm__front_finder *f, double seconds, double from, double to) {
  double least = 0;
  for (size_t k = 0; k < f->proofs.count; k++) {
    const dsm__front_proof *const proof = &f->proofs.items[k];
    if (is_of_energy(f, proof, seconds) && proof->rate <= from) {
      least = fmax(least, proof->bound - f->idle_watts * (1 / proof->rate - 1 / to));
    }
  }
  return least;
}

/* What partitions can be that take no longer than so many seconds, do no fewer requests and take no
 * more joules: the most requests per second, 0 where there are none; and of those that may take
 * more joules the least. */
typedef struct reach {
  double rho;
  double joules;
} reach;

static reach reach_of(const dsm__front_finder *f, double seconds, double rho, double joules) {
  const double most = most_within(f, seconds);
  reach found = {.rho = 0, .joules = HUGE_VAL};
  double from = rho;
  bool is_end = most * (1 + close) < rho;
  while (!is_end) {
    const double to = next_rate(f, seconds, from, most);
    const double least = least_between(f, seconds, from, to);
    found.joules = fmin(found.joules, least);
    found.rho = least <= joules * (1 + close) ? to : found.rho;
    is_end = to >= most || to == from;
    from = to;
  }
  return found;
}

/* Within a limit within which nothing can be as good a point is not reached. */
static double least_seconds(const dsm__front_finder *f, double rho, double joules) {
  double most = 0;
  for (size_t k = 0; k < f->proofs.count; k++) {
    const dsm__front_proof *const proof = &f->proofs.items[k];
    if (proof->objective == DSM_OBJECTIVE_LATENCY) {
      most = fmax(most, proof->bound);
    } else if (proof->objective == DSM_OBJECTIVE_THROUGHPUT && proof->limit_seconds > most &&
               !(reach_of(f, proof->limit_seconds, rho, joules).rho > 0)) {
      most = proof->limit_seconds;
    }
  }
  return most;
}

void dsm__front_bound(const dsm__front_finder *f, dsm_front_point *point) {
  const unsigned objectives = f->options->objectives;
  const bool has_latency = dsm__front_has(objectives, DSM_OBJECTIVE_LATENCY);
  const double rho = point->required_rho > 0 ? point->required_rho : point->rho;
  const double joules = point->joules_per_request;
  const reach found = reach_of(f, has_latency ? point->mean_latency_seconds : 0, rho, joules);
  point->rho_bound = fmax(found.rho, point->rho);
  if (has_latency) {
    point->latency_bound_seconds = fmin(least_seconds(f, rho, joules), point->mean_latency_seconds);
  }
  if (dsm__front_has(objectives, DSM_OBJECTIVE_ENERGY)) {
    point->joules_bound = fmin(found.joules, joules);
  }
}
