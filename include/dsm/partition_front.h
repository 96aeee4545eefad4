/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * partition_front.h: partitions that are best in several objectives at once.
 *
 * A server that does more requests a second has each take longer, or takes more energy for it. A
 * front has the partitions of which none is beaten by another in all that is asked: throughput,
 * and mean latency, energy or both. It is found by questions of one objective each, with limits on
 * the others (epsilon constraints), which dsm_partition_solve answers with a proof:
 *
 *  - throughput: no partition whose requests take at most the limit of latency does more;
 *  - energy: no partition at the required throughput, within the limit of latency, takes less.
 *
 * A point of a front is the answer to such a question. From the proofs of all of them follows for
 * each objective of a point what no partition is better than that is no worse in the others.
 */
#ifndef DSM_PARTITION_FRONT_H
#define DSM_PARTITION_FRONT_H

#include "dsm/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most questions of a front. */
#define DSM_FRONT_QUESTIONS_MAX 200

/** What a front is of. */
typedef struct dsm_front_options {
  /** What each partition keeps. Of it the objective and the required throughput are not looked at;
   * the time limit is of all questions together, the gap is that of each. A limit of latency holds
   * for all points. is_stopped and report are told by each question in its turn. */
  dsm_partition_options partition;
  unsigned objectives;   /**< bits, 1 << a dsm_objective_kind: throughput, and latency or energy or
                              both */
  size_t question_count; /**< at most, from 3 to DSM_FRONT_QUESTIONS_MAX; with all objectives from
                            5; 0: 12, with all objectives 36 */
  /** Told before each question, the first is 0: how many there are at most, and what is asked. By
   * the thread of the caller; NULL: nobody. `context` is that of `partition`. */
  void (*begin_question)(void *context, size_t question, size_t question_count,
                         dsm_objective_kind objective);
} dsm_front_options;

/** The only place of their defaults: throughput and latency. */
DSM_API void dsm_front_options_init(dsm_front_options *options);

/** A partition of a front. A bound of an objective is what no partition is better than that is no
 * worse in the other objectives. */
typedef struct dsm_front_point {
  dsm_objective_kind objective; /**< of its question: throughput or energy */
  double latency_limit_seconds; /**< of its question; 0: any time */
  double required_rho;          /**< of its question, requests per second; 0: as many as possible */
  double bound;               /**< of its question alone: requests per second or joules a request */
  double gap;                 /**< of its question: |bound - answer| / |answer| */
  dsm_solution_status status; /**< of its question */
  double rho;                 /**< requests per second; more is better */
  double rho_bound;           /**< requests per second; infinite: nothing is proven */
  double mean_latency_seconds;  /**< as of dsm_partition; less is better */
  double latency_bound_seconds; /**< 0: nothing is known, or latency is no objective */
  double joules_per_request;    /**< less is better; 0: a device that is used has no power */
  double joules_bound;          /**< 0: nothing is known, or energy is no objective */
  bool is_rho_bound;            /**< as is_bound of dsm_partition */
  bool is_mean_bound;           /**< as of dsm_partition */
  dsm_partition *partition;     /**< of the front; NULL where the front was read from a file */
} dsm_front_point;

/** A front. */
typedef struct dsm_front {
  const char *name;         /**< of the instance */
  unsigned objectives;      /**< bits, as asked for */
  double gap;               /**< that was asked for */
  size_t question_count;    /**< that were asked */
  size_t unanswered_count;  /**< of them: no partition was found, and none was ruled out */
  bool is_over;             /**< the time limit came before all questions were asked */
  bool was_stopped;         /**< is_stopped said so before */
  double seconds;           /**< by the clock */
  dsm_front_point *points;  /**< requests per second falling; none is beaten by another by more than
                                 the gap */
  size_t point_count;       /**< at least 1 */
  struct dsm__arena *arena; /**< private */
} dsm_front;

/**
 * Finds a front. *front belongs to the caller; its partitions borrow the instance. Where the time
 * is over, or is_stopped says so, the front has the points that were found by then; each has its
 * bound. DSM_ERROR_USAGE: other objectives, too many or too few questions, or what
 * dsm_partition_solve refuses of one of them; else, if no question has an answer, what it says of
 * the first one.
 */
DSM_API DSM_NODISCARD dsm_status dsm_front_find(dsm_front **front, const dsm_instance *instance,
                                                const dsm_front_options *options, dsm_diags *diags);
/** Frees a front; NULL is fine. */
DSM_API void dsm_front_free(dsm_front *front);

#ifdef __cplusplus
}
#endif

#endif
