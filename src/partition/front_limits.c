/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * front_limits.c: which limits of latency a front asks for.
 *
 * The ends come first: the most throughput, and the most within the least time that a request can
 * take at all. What lies between two neighbours is a box: partitions that take longer than the
 * limit of the one, and no longer than the other, may do anything between their rates. The largest
 * box, by its area, is asked next at the limit in its middle. The answer leaves of it the box
 * before it, which ends with what the answer takes (nothing lies between that and the limit, as no
 * partition within the limit does more), and the box behind it, which begins at the limit: at most
 * half of the area. So questions go where most is unknown, and none is spent on limits between
 * which nothing changes, as evenly spaced ones would be where the tasks cannot be divided and the
 * front is a staircase. (H. W. Hamacher, C. R. Pedersen and S. Ruzika, "Finding representative
 * systems for discrete bicriterion optimization problems", Operations Research Letters 35, 2007.)
 */
#include <math.h>

#include "base/cases.h"
#include "base/diag_add.h"
#include "partition/front_internal.h"
#include "partition/instance_facts.h"

/* No partition within `low_seconds` does more than low_rho, by the gap; one that takes high_seconds
 * does high_rho. */
typedef struct box {
  dsm__open_case head; /* its bound: the area, below 0; 0: all is known */
  double low_seconds;
  double high_seconds;
  double low_rho;
  double high_rho;
} box;

typedef struct boxes {
  dsm__front_finder *finder;
  size_t last_question;
  dsm__cases cases;
} boxes;

/* False if out of memory. */
static bool open_box(boxes *among, box one) {
  const double more = 1 + among->finder->slack;
  const bool is_known =
      one.high_seconds <= one.low_seconds * more || one.high_rho <= one.low_rho * more;
  one.head.bound =
      is_known ? 0 : -(one.high_seconds - one.low_seconds) * (one.high_rho - one.low_rho);
  return dsm__cases_open(&among->cases, &one, sizeof one) != NULL;
}

/* Asks at the middle of a box, and divides it. Where nothing is found out it is given up. */
static dsm__looked divide(void *context, dsm__open_case *head) {
  boxes *const among = context;
  dsm__front_finder *const f = among->finder;
  const box *const at = (const box *)head;
  const double middle = at->low_seconds + (at->high_seconds - at->low_seconds) / 2;
  const size_t proofs = f->proofs.count;
  double rho = at->low_rho;
  double taken = at->low_seconds;
  if (dsm__front_ask(f, (dsm__front_question){DSM_OBJECTIVE_THROUGHPUT, middle, 0}, &rho)) {
    taken = f->points.items[f->points.count - 1].mean_latency_seconds;
  }
  if (f->proofs.count == proofs) {
    return DSM__LOOK_CLOSED;
  }
  return open_box(among, (box){{0}, at->low_seconds, taken, at->low_rho, rho}) &&
                 open_box(among, (box){{0}, middle, at->high_seconds, rho, at->high_rho})
             ? DSM__LOOK_DIVIDED
             : DSM__LOOK_FAILED;
}

/* Is all known, or no question left? */
static bool is_done(const void *context, double bound) {
  const boxes *const among = context;
  return !(bound < 0) || among->finder->asked_count >= among->last_question ||
         dsm__front_is_over(among->finder);
}

/* Where the objective latency has no answer, the least time is found by limits that none keeps. */
static bool can_ask_least(const dsm__front_finder *f) {
  dsm_partition_options asked = f->options->partition;
  asked.objective = DSM_OBJECTIVE_LATENCY;
  asked.latency_limit_seconds = 0;
  return dsm__check_question(f->instance, &asked, NULL) == DSM_OK;
}

/* Asks for the least time, and the most requests within it. As the limit is the least that there
 * is, what is as quick but for a rounding would be beyond it: it is longer by what is the same.
 * False: there is nothing beside. */
static bool ask_quickest(dsm__front_finder *f, double longest, double *seconds, double *rho) {
  if (!dsm__front_ask(f, (dsm__front_question){DSM_OBJECTIVE_LATENCY, 0, 0}, seconds) ||
      dsm__front_is_over(f)) {
    return false;
  }
  *seconds *= 1 + f->slack;
  return longest > *seconds &&
         dsm__front_ask(f, (dsm__front_question){DSM_OBJECTIVE_THROUGHPUT, *seconds, 0}, rho);
}

void dsm__front_ask_limits(dsm__front_finder *f, size_t last_question) {
  const dsm_front_point fastest = f->points.items[0];
  static const dsm__case_kind box_kind = {divide, is_done};
  boxes among = {f, last_question, {.arena = f->arena}};
  double least = 0;
  double least_rho = 0;
  if (dsm__front_is_over(f) ||
      (can_ask_least(f) && !ask_quickest(f, fastest.mean_latency_seconds, &least, &least_rho))) {
    return;
  }
  const box all = {{0}, least, fastest.mean_latency_seconds, least_rho, fastest.rho};
  if (!open_box(&among, all) || !dsm__cases_search(&among.cases, &box_kind, &among)) {
    f->status = dsm__out_of_memory(f->diags);
  }
}
