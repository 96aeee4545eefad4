/* SPDX-License-Identifier: GPL-3.0-or-later */
/* front_internal.h: the parts of the search of a front: questions (front.c), which limits of
 * latency (front_limits.c) and which rates (front_rates.c) are asked for, and what follows from the
 * answers (front_bounds.c). */
#ifndef DSM_PARTITION_FRONT_INTERNAL_H
#define DSM_PARTITION_FRONT_INTERNAL_H

#include "base/arena.h"
#include "base/deadline.h"
#include "base/growing_list.h"
#include "dsm/partition_front.h"

/** What a question has proven of all partitions whose requests take at most a limit on average. */
typedef struct dsm__front_proof {
  dsm_objective_kind objective;
  double limit_seconds; /**< infinite: any time */
  double rate;          /**< energy: at so many requests per second */
  double bound; /**< throughput: they do no more; 0: there are none. Energy: they take no less;
                     infinite: there are none. Latency: none is quicker */
} dsm__front_proof;

typedef struct dsm__front_finder {
  const dsm_instance *instance;
  const dsm_front_options *options;
  dsm_diags *diags;
  dsm_diags *later; /**< what is said of all questions but the first */
  dsm__arena *arena;
  dsm__deadline deadline;
  double idle_watts;     /**< of all devices */
  bool has_batches;      /**< a device may run more than one request together */
  double slack;          /**< relative: what is nearer is the same */
  size_t question_count; /**< at most */
  size_t asked_count;
  size_t unanswered_count;
  dsm_status status; /**< of what ends the search */
  DSM__LIST(dsm_front_point) points;
  DSM__LIST(dsm__front_proof) proofs;
} dsm__front_finder;

/** What is asked: of the objective throughput or energy the answer becomes a point. */
typedef struct dsm__front_question {
  dsm_objective_kind objective;
  double limit_seconds; /**< 0: any time */
  double rate;          /**< of the objective energy */
} dsm__front_question;

/** Is a front of an objective? */
static inline bool dsm__front_has(unsigned objectives, dsm_objective_kind objective) {
  return (objectives & 1U << objective) != 0;
}

/** Whether no question is to be asked any more. */
bool dsm__front_is_over(const dsm__front_finder *f);

/** Asks. *value is that of the objective; false: there is no answer, or status says why all ends.
 * With an answer that is a point, that is the last one of points. */
bool dsm__front_ask(dsm__front_finder *f, dsm__front_question question, double *value);

/** Asks for the least time of a request, and for the most throughput within limits, until so many
 * questions were asked. The first point, without a limit of its own, is there. */
void dsm__front_ask_limits(dsm__front_finder *f, size_t last_question);

/** Asks for the least energy within a limit of latency (0: any time) at rates up to the most that
 * there are within it, until so many questions were asked. */
void dsm__front_ask_rates(dsm__front_finder *f, double limit_seconds, double most,
                          size_t last_question);

/** Takes those out that are beaten, and puts the others in order. */
void dsm__front_sift(dsm__front_finder *f);

/** What is proven of a point: the bounds of its objectives. */
void dsm__front_bound(const dsm__front_finder *f, dsm_front_point *point);

#endif
