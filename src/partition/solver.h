/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solver.h: the best placement of an instance, by GLPK. What it says is not to be trusted: a
 * placement is priced again without it, and checked by dsm_partition_validate. */
#ifndef DSM_PARTITION_SOLVER_H
#define DSM_PARTITION_SOLVER_H

#include "base/arena.h"
#include "dsm/diag.h"
#include "dsm/partition.h"

/* ---- from rates to an answer ---- */

/** Rates and copies as a solver gives them: x_ij a second, c_tj / o_t a second (results after the
 * tensors). Both are changed: cleaned, balanced and, for throughput, scaled to keep (1) and (6)
 * exactly. */
typedef struct dsm__placement {
  double *rates;  /**< [i * m + j] */
  double *copies; /**< [t * m + j] */
  double *moved;  /**< [(t * m + j) * m + k]; NULL where who receives matters not */
} dsm__placement;

/**
 * Fills partition's rho, latency, joules, objective, rates, is_stored, sent and uses from a
 * placement; instance, options and arena are set. The arrays of the placement are copied. False:
 * out of memory.
 */
bool dsm__price(dsm_partition *partition, dsm__placement placement);

/* ---- the best placement of an instance, by GLPK ---- */

typedef enum dsm__solver_outcome {
  DSM__SOLVER_FOUND = 0,  /**< something, within the gap or not */
  DSM__SOLVER_NOTHING,    /**< nothing was found before the time was over */
  DSM__SOLVER_TOO_LARGE,  /**< nothing was found, and the programme was not made */
  DSM__SOLVER_INFEASIBLE, /**< proven: there is nothing to find */
  DSM__SOLVER_TOO_SLOW    /**< proven: no request keeps the limit of latency */
} dsm__solver_outcome;

/** Values are those of the objective: requests per second, seconds, or watts. */
typedef struct dsm__solver_answer {
  dsm__solver_outcome outcome;
  bool is_heuristic;
  double bound;
  double relaxation;
  double seconds;
  dsm_partition_statistics statistics;
  double least_latency;     /**< seconds of the fastest request that was found, without waiting, if
                               no other way to keep the limit was; else 0 */
  dsm__placement placement; /**< in the arena; if something was found */
  dsm__placement lean; /**< as good within the gap, with fewer copies or less traffic; no rates:
                            there is none */
} dsm__solver_answer;

/** What is asked, with a batch for each device. */
typedef struct dsm__question {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  double rho_most; /**< no answer has more requests a second; infinite: nothing is known */
  bool is_relaxed; /**< devices have of several sizes the best of each: the least batch and the
                      least times. An answer need not be one */
} dsm__question;

/**
 * A failure of GLPK after something was found is a warning. With batches and a limit of latency the
 * limit is kept by what (13) counts, which is less than requests take (programme_latency.c).
 */
dsm_status dsm__solver_run(dsm__solver_answer *solution, dsm__arena *arena,
                           const dsm__question *question, dsm_diags *diags);

/* ---- GLPK behind a wall ---- */

/** What is done with GLPK. It must own nothing but GLPK's objects and an arena's: it may be left at
 * any call of GLPK. */
typedef dsm_status dsm__solver_body(void *context);

/** Whether what is there by now is worth having. */
typedef bool dsm__has_answer(const void *context);

/** Calls body(context) in a session. DSM_ERROR_IO with a finding if GLPK gave up or cannot be used,
 * DSM_ERROR_OUT_OF_MEMORY, or what body says. If GLPK gave up (also for lack of memory) but
 * has_answer (may be NULL) says that there is an answer: DSM_OK with a warning. */
dsm_status dsm__solver_session(dsm__solver_body *body, dsm__has_answer *has_answer, void *context,
                               dsm_diags *diags);

#endif
