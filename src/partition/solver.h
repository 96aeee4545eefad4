/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solver.h: the best placement of an instance, by GLPK. What it says is not to be trusted: see
 * pricing.h and dsm_partition_validate. */
#ifndef DSM_PARTITION_SOLVER_H
#define DSM_PARTITION_SOLVER_H

#include "base/arena.h"
#include "dsm/partition.h"
#include "partition/pricing.h"

typedef enum dsm__solver_outcome {
  DSM__SOLVER_FOUND = 0,  /**< something, within the gap or not */
  DSM__SOLVER_NOTHING,    /**< nothing was found before the time was over */
  DSM__SOLVER_TOO_LARGE,  /**< nothing was found, and the programme was not made */
  DSM__SOLVER_INFEASIBLE, /**< proven: there is nothing to find */
  DSM__SOLVER_OUTCOME_COUNT
} dsm__solver_outcome;

/** Values are those of the objective: requests per second, seconds, or watts. */
typedef struct dsm__solver_answer {
  dsm__solver_outcome outcome;
  bool is_heuristic;
  double bound;
  double relaxation;
  double seconds;
  dsm_partition_statistics statistics;
  dsm__placement placement; /**< in the arena; if something was found */
} dsm__solver_answer;

/** A failure of GLPK after something was found is a warning. */
dsm_status dsm__solver_run(dsm__solver_answer *solution, dsm__arena *arena,
                           const dsm_instance *instance, const dsm_partition_options *options,
                           dsm_diags *diags);

#endif
