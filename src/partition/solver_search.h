/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solver_search.h: what the parts of the search share. Inside a session only. */
#ifndef DSM_PARTITION_SOLVER_SEARCH_H
#define DSM_PARTITION_SOLVER_SEARCH_H

#include <glpk.h>

#include "partition/assignment.h"
#include "partition/programme.h"
#include "partition/solver.h"

/** A decision: whether a task is stored on (latency: placed on) a device, or the device is on. */
typedef struct dsm__choice {
  size_t task; /**< task_count: none, the device as a whole */
  size_t device;
  int column;  /**< of GLPK */
  int rate;    /**< column of x_ij, or of o_j */
  double need; /**< bytes */
} dsm__choice;

/** A choice that a relaxation makes in part. */
typedef struct dsm__wish {
  double rate;
  size_t choice;
} dsm__wish;

typedef struct dsm__search {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  dsm__arena *arena;
  dsm__solver_answer *solution;
  dsm__assignment assignment; /**< found without a programme */
  bool has_assignment;

  dsm__programme programme; /**< tight */
  dsm__programme_form form; /**< of it */
  glp_prob *problem;
  dsm__choice *choices;
  size_t choice_count;
  double begin;       /**< by a clock that only runs forward */
  double sign;        /**< 1 to maximise, -1 to minimise */
  double gap;         /**< relative, at least what GLPK can tell apart */
  double bound;       /**< proven, value of the objective */
  bool is_infeasible; /**< proven */
  bool has_best;
  bool is_improved;  /**< the best was not found by initial assignments and dives */
  double best;       /**< value of the objective */
  double *values;    /**< [1 + column] of the best, as GLPK wants it */
  bool *is_chosen;   /**< [choice] of the best */
  bool *trial;       /**< [choice] */
  dsm__wish *wishes; /**< [choice] scratch */
  double *used;      /**< [device] bytes, scratch */
  double *keys;      /**< [task] order of a draw, scratch */
  bool *is_freed;    /**< [task] of a neighbourhood, scratch; devices, [task_count], always are */
  double tree_bound; /**< of the tree being searched */
  size_t nodes_left; /**< of the tree being searched */
  bool is_whole;     /**< the tree being searched is the whole one */
  uint64_t random;   /**< state of the generator that draws neighbourhoods */
  bool is_offered;   /**< the best was offered to GLPK in this tree */
  bool is_small;     /**< one tree is likely to settle the programme */

  double *lean_values; /**< [1 + column]: as good as the best within the gap, with less */
  bool has_lean;
  int steps_max; /**< of the simplex method on a problem, in all; 0: any number */
} dsm__search;

/** Outcome of a linear or mixed programme. */
typedef enum dsm__solved {
  DSM__SOLVED_OPTIMAL = 0,
  DSM__SOLVED_INFEASIBLE,
  DSM__SOLVED_UNKNOWN /**< limits, or trouble */
} dsm__solved;

/** Seconds since the begin. */
double dsm__search_passed(const dsm__search *search);

/** Seconds left, at least 0. */
double dsm__search_left(const dsm__search *search);

/** Does who asked want no more than there is? Then no time is left either. */
bool dsm__search_is_stopped(const dsm__search *search);

/** Lists the choices of the programme, with room for the best. DSM_OK or OUT_OF_MEMORY. */
dsm_status dsm__search_list_choices(dsm__search *search);

/** Whether the assignment is better than the best of the programme. */
bool dsm__search_is_assigned(const dsm__search *search);

/** The better of the two into the solution. DSM_OK or OUT_OF_MEMORY. */
dsm_status dsm__search_hand_over(dsm__search *search);

/** Loads a programme into a new problem, rows that order equal devices without a bound; NULL: out
 * of memory. */
glp_prob *dsm__search_load(dsm__search *search, const dsm__programme *programme);

/** Sets bounds of a column, or of a row, by their kind. */
void dsm__search_bound(glp_prob *problem, int column, double lower, double upper);
void dsm__search_bound_row(glp_prob *problem, int row, double lower, double upper);

/** Solves the linear relaxation of the problem as it stands. */
dsm__solved dsm__search_relax(dsm__search *search, glp_prob *problem);

/** Value of the objective of the programme at the problem's linear optimum. */
double dsm__search_value(const dsm__search *search);

/** Frees all choices again. */
void dsm__search_release(dsm__search *search);

/** Solves with all choices as in `trial`; takes the optimum. */
void dsm__search_try(dsm__search *search, const bool *trial);

/** Solves with all stored that the relaxation uses, as far as it fits; takes the optimum. */
void dsm__search_store_used(dsm__search *search);

/** Rounds the relaxation of the problem as it stands, the largest rates first, some at a time, each
 * time solving again: `trial` is what is stored then, which stays fixed. OPTIMAL: all is decided.
 */
dsm__solved dsm__search_dive_on(dsm__search *search);

/** Does that with all free, and takes the optimum. */
void dsm__search_dive(dsm__search *search);

/** Branch and cut over the choices as they are bounded now, at most node_count nodes (0: until the
 * time is over); if is_whole, the whole tree, beginning with the best. INFEASIBLE: there is
 * nothing. */
dsm__solved dsm__search_branch(dsm__search *search, size_t node_count, double seconds);

/** Improves the best by freeing some tasks at a time. */
void dsm__search_neighbours(dsm__search *search);

/** Looks for fewer copies, less traffic and shorter ways than the best has (lean_values).
 * OUT_OF_MEMORY, or OK. */
dsm_status dsm__search_make_lean(dsm__search *search);

/** Whether the best is within the gap. */
bool dsm__search_is_done(const dsm__search *search);

#endif
