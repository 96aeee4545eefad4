/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * design.h: the best machine for a budget, with a proof (docs/design.md).
 *
 * Parameters of a system have ranges; a budget is a limit of a column, such as a price that is
 * defined by an expression; the design wanted is the one on which a suite of networks has the least
 * of a column, such as its step time. A design is explored, and since times never grow with rates
 * and capacities, the bound of one exploration is that of a whole box of designs.
 */
#ifndef DSM_DESIGN_H
#define DSM_DESIGN_H

#include "dsm/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DSM_DESIGN_PARAMETERS_MAX 16 /**< that are varied */
#define DSM_DESIGN_LISTED 10         /**< best designs that are listed */
#define DSM_DESIGN_FRONT_MAX 16      /**< steps of a front */

/** What more of a parameter does to times. */
typedef enum dsm_way {
  DSM_WAY_NEITHER = 0,  /**< now this, now that: all of its values are enumerated */
  DSM_WAY_NEVER_SLOWER, /**< a rate, a capacity */
  DSM_WAY_NEVER_FASTER, /**< a latency, an overhead */
  DSM_WAY_COUNT
} dsm_way;

/** The word of the formats, such as "never_slower". Never NULL. */
DSM_API const char *dsm_way_name(dsm_way way);

/** How far a search is. */
typedef struct dsm_design_progress {
  double value; /**< of the best design so far; infinite: none */
  double bound; /**< no design is better */
  size_t explorations;
  size_t boxes; /**< that are open */
} dsm_design_progress;

/** What is asked. */
typedef struct dsm_design_request {
  const char *const *networks; /**< such as "resnet50", and "bert_base@0.5" of half the weight */
  size_t network_count;
  const char *system;
  dsm_sweep_request question; /**< `varies` of parameters of the system, such as
                                   "core.scratchpad_MiB=0.5..8/16", `sets`, and options; its
                                   workloads and systems are not looked at */
  const char *const *defines; /**< NAME=EXPRESSION, of paths of parameters, columns, and names
                                   defined before */
  size_t define_count;
  const char *const *budgets; /**< COLUMN<=NUMBER, COLUMN an expression too */
  size_t budget_count;
  const char *minimize; /**< a column or an expression; NULL: step_seconds */
  const char *pareto;   /**< a column or an expression over which the front is wanted; NULL:
                             none */
  const dsm_sweep_source *source; /**< finds networks and system */
  double gap;                     /**< ends when no design is better by more than this share */
  double time_limit_seconds;      /**< 0: none */
  size_t exploration_limit;       /**< 0: none; the same on any machine */
  size_t memory_limit_bytes;      /**< of what the search keeps; 0: none */
  bool wants_plans;               /**< of each network on the best design */
  size_t thread_count;            /**< the answer is the same for any number */
  const char *store;              /**< database of explored points, made or gone on with; NULL: none
                                   */
  void (*report)(void *context, const dsm_design_progress *progress); /**< NULL: none */
  void *context;
} dsm_design_request;

/** A parameter that is varied. */
typedef struct dsm_design_parameter {
  const char *path;
  const char *unit;
  dsm_way way;
  const char *value; /**< of the best design */
  const char *own;   /**< of the system as it is */
  const char *least; /**< of the values tried */
  const char *most;
  size_t value_count;
  bool is_at_limit; /**< the best design has the best value that was allowed */
  double gain;      /**< what the next better value alone does to the quantity, budgets aside, as a
                         share of it; 0: there is none, or it does nothing */
} dsm_design_parameter;

/** A budget. */
typedef struct dsm_design_budget {
  const char *text;
  double limit;
  double value;    /**< of the best design; with several networks the largest */
  double least;    /**< no design has less */
  bool is_binding; /**< no parameter could have its next better value */
  double price;    /**< what one more unit of the budget saves of the quantity, from designs beside
                        the best one; 0: nothing is known to */
} dsm_design_budget;

/** A network of the suite. */
typedef struct dsm_design_network {
  const char *name;
  double weight;
  double step_seconds; /**< on the best design */
  double own_seconds;  /**< on the system as it is; 0: it cannot run there */
  double gap;          /**< that the exploration of the best design leaves */
  double value;        /**< of what is minimised */
  const char *plan;    /**< on the best design (JSON); NULL: it was not asked for */
} dsm_design_network;

/** A design that was evaluated. */
typedef struct dsm_design_choice {
  const char *const *values; /**< of each parameter */
  double value;              /**< of what is minimised */
  double share;              /**< how much worse than the best, as a share of it */
  const double *spent;       /**< of each budget */
  const double *seconds;     /**< of each network */
} dsm_design_choice;

/** A step of the front: what the best design takes of the column, and what no design beats. */
typedef struct dsm_design_step {
  double most;  /**< of the column that was allowed; infinite: any */
  double spent; /**< by the best design within that; with several networks the largest */
  double value; /**< of what is minimised */
  double bound; /**< no design within that has less */
  const char *const *values; /**< of each parameter */
} dsm_design_step;

/** The best design. */
typedef struct dsm_design {
  const char *system;
  const char *minimize;
  const dsm_design_parameter *parameters;
  size_t parameter_count;
  const dsm_design_budget *budgets;
  size_t budget_count;
  const dsm_design_network *networks;
  size_t network_count;
  const dsm_design_choice *choices; /**< the best designs that differ, the best first */
  size_t choice_count;
  const char *pareto;           /**< the column of the front; NULL: none was asked for */
  const dsm_design_step *front; /**< the best first, each next one takes less */
  size_t front_count;
  double value;       /**< of what is minimised: with several networks their weighted geometric mean
                       */
  double own_value;   /**< of the system as it is; 0: it cannot run */
  bool is_own_within; /**< the system as it is keeps the budgets */
  double bound;       /**< no design has less */
  double gap;         /**< value over bound, less 1 */
  uint64_t designs;   /**< how many there are */
  size_t explorations;  /**< of a network on a design */
  size_t boxes;         /**< that were looked at */
  bool is_stopped;      /**< a limit ended the search before the gap was met */
  const char *question; /**< the sweep (JSON) of which each exploration is a point */

  struct dsm__arena *arena; /**< private */
} dsm_design;

/**
 * Finds the best design. *design belongs to the caller. DSM_ERROR_USAGE: the request is at fault;
 * DSM_ERROR_INVALID: a description is; DSM_ERROR_INFEASIBLE: no design keeps the budgets, or no
 * network can run; DSM_ERROR_IO; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_design_find(dsm_design **design,
                                                 const dsm_design_request *request,
                                                 dsm_diags *diags);
/** Frees a design; NULL is fine. */
DSM_API void dsm_design_free(dsm_design *design);

#ifdef __cplusplus
}
#endif

#endif
