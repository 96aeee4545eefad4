/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem.h: everything that a search of a network on a system works on, in one arena. */
#ifndef DSM_SEARCH_PROBLEM_H
#define DSM_SEARCH_PROBLEM_H

#include "dsm/explore.h"
#include "plan/core_layouts.h"
#include "plan/plan_internal.h"
#include "plan/recomputation.h"
#include "search/layout/layout_graph.h"

/** The roles that a layer has to have, where it is asked what the others would do then. */
typedef struct dsm__fixed_roles {
  size_t layer;
  dsm_parallelism parallelism;
} dsm__fixed_roles;

/** Which options of a layer with roles are asked for. */
typedef enum dsm__asked_options {
  DSM__OPTIONS_USEFUL, /**< those that are better in something than all others */
  DSM__OPTIONS_LEAST, /**< all, of those with the same roles the one that shares most: for bounds */
  DSM__OPTIONS_LISTED, /**< those with the same roles in all passes, whatever they take */
} dsm__asked_options;

/** What is found out on the way, by all cases of a search. */
typedef struct dsm__found {
  dsm__pipeline_groups groups; /**< once memory is short also those that are not the fastest */
  uint64_t evaluations;        /**< of building graphs */
  uint64_t role_edges;         /**< of all graphs of roles so far */
  double role_need_bytes;      /**< of a chip, at least what all mappings with roles need that were
                                    looked at in vain; 0: none were */
  bool is_need_rounded;        /**< that is not what all need: some may fit that were not found */
  bool is_memory_short;        /**< the fastest path of a graph that was searched does not fit */
  double proven_cost;          /**< what no mapping without preloading is faster than, as far as is
                                      known when the time is over */
  double stages_bound_cycles;  /**< of mappings with stages, in which no sums hide; 0: not known */
} dsm__found;

/** A search takes a problem as it is. Where one search asks another for something else, what
 * differs is written into a case (dsm__case_begin), and the problem stays. */
typedef struct dsm__problem {
  dsm__search_inputs inputs;
  dsm_machine machine;
  dsm__factors factors;
  dsm__layer_table table;
  dsm__held_lives lives;
  dsm__core_layouts layouts; /**< where the model has layouts */
  size_t layout_states_max;  /**< see dsm__layout_request; less for tests */
  size_t role_nodes_max;     /**< most that a graph of roles stores where layers may be made anew;
                                  less for tests */
  size_t role_edges_max;     /**< most of a graph of roles where they may not; less for tests */
  bool are_segments_apart;   /**< of those that are made anew none goes on with the next one */
  dsm__found *found;
  double capacity_bytes;      /**< for what layers need of a chip's memory */
  bool is_bounding_off;       /**< for tests: states that a bound shows to be useless, or that are
                                   alike, are all kept */
  bool is_holding_off;        /**< nothing is held beside roles: of stages of the step */
  bool is_case;               /**< one of many searches, that takes a part of what one may take */
  bool is_bound_all;          /**< a bound is all that is asked, in a small part of the time: no
                                   mapping is looked at */
  bool is_rough;              /**< passes by themselves count with what they take at least
                                   (dsm__pass_floor), for bounds */
  dsm__asked_options asked;   /**< of a layer with roles */
  dsm__memo *role_memo;       /**< of passes with roles, on this machine; NULL: none is kept */
  bool is_preloading_off;     /**< weights are not preloaded, whatever the options say */
  dsm__deadline deadline;     /**< in inputs, unless it is another search's */
  dsm__reductions reductions; /**< in inputs, where they are shared or hide */
  dsm__zone zones[DSM__ZONES_MAX]; /**< likewise */
  double cost_limit;               /**< see dsm__graph; 0: none */
  bool are_ties_free;              /**< what tied layers exchange is left out: a bound */
  struct dsm__kept_options *kept;  /**< of roles, for searches that share them; NULL: not kept */
  const dsm__fixed_roles *fixed;   /**< of a layer in a search of roles; NULL: of none */
  const bool *has_company;         /**< of each class (dsm__has_company); NULL: to be found */
  dsm__arena *arena;
  dsm__arena *lasting; /**< the same, but while a search is one of several, whose graphs go with it
                        */
} dsm__problem;

/** False, with a finding that begins with `where`, if a core's scratchpad is smaller than an
 * element: then nothing can be mapped. */
bool dsm__has_room_for_an_element(const dsm_workload *workload, const dsm_system *system,
                                  const char *where, dsm_diags *diags);

/** Scores all layers and groups. DSM_ERROR_USAGE, DSM_ERROR_OUT_OF_MEMORY; then nothing is to be
 * freed. */
DSM_NODISCARD dsm_status dsm__problem_init(dsm__problem *problem, const dsm_workload *workload,
                                           const dsm_system *system,
                                           const dsm_explore_options *options, dsm_diags *diags);
/** The same, with a memo (NULL: none), which is not used with several threads, and within what a
 * search that this is a part of may take (NULL: it is none). */
DSM_NODISCARD dsm_status dsm__problem_init_with(dsm__problem *problem, const dsm_workload *workload,
                                                const dsm_system *system,
                                                const dsm_explore_options *options, dsm__memo *memo,
                                                dsm__deadline *deadline, dsm_diags *diags);
/** The same on a machine that weighs cycles and joules (dsm_machine.is_weighed). */
DSM_NODISCARD dsm_status dsm__problem_init_weighed(dsm__problem *problem,
                                                   const dsm_workload *workload,
                                                   const dsm_system *system,
                                                   const dsm_explore_options *options,
                                                   const dsm_weights *weights, dsm_diags *diags);
void dsm__problem_fini(dsm__problem *problem);

/** A problem like another one, which outlives it; then what differs is written into it. What is
 * found out is shared. */
void dsm__case_begin(dsm__problem *one, const dsm__problem *of);

/** What is found out from here on is not shared, but kept in `found`. */
void dsm__case_find_apart(dsm__problem *one, dsm__found *found);

/** A new arena that counts as memory of the search; NULL if out of memory. */
dsm__arena *dsm__problem_arena(const dsm__problem *problem);

/** dsm__plan_make of what was asked for, which counts as work of the search. */
DSM_NODISCARD dsm_status dsm__problem_predict(const dsm__problem *problem,
                                              const dsm__decisions *decisions, dsm_plan **plan,
                                              dsm_diags *diags);

/** Tells a plan what it is worth to the problem's search, where that is not its cycles. */
void dsm__problem_price(const dsm__problem *problem, dsm_plan *plan);

/** dsm_explorer_new with another limit to what is kept, for tests. */
dsm_explorer *dsm__explorer_new_with(size_t memo_bytes_max);

/** The work of a search without a time limit: options of layers that are looked at out of a state,
 * and what takes as long (about 30 ns); about a minute. */
#define DSM__WORK_MAX ((double)(1U << 31))

/** What an edge of a graph, or a mapping that is scored, takes of it. */
enum { DSM__WORK_OF_EDGE = 8, DSM__WORK_OF_SCORE = 16, DSM__WORK_OF_PREDICTED_LAYER = 256 };

/** The answer of a search. */
typedef struct dsm__solution {
  dsm__network_graph network; /**< in which the path was found */
  dsm__graph_path path;
  dsm__graph_answer answer; /**< not feasible: the path needs least memory */
  dsm__factors factors;     /**< with the uniform one that is best */
  /** Decisions with preloaded weights, if they are faster than the path; NULL: those along it. */
  const dsm__decisions *preloading;
} dsm__solution;

/** Finds the fastest path of the solution's network that fits, and its answer; false if out of
 * memory. */
bool dsm__problem_search(const dsm__problem *problem, dsm__solution *solution);

/** Is the time over? Then what has been begun is given up. */
static inline bool dsm__problem_is_over(const dsm__problem *problem) {
  return dsm__deadline_is_over(problem->inputs.deadline);
}

/** May a search choose which layers run their forward pass again? */
static inline bool dsm__recomputation_is_open(const dsm__problem *problem) {
  const dsm_explore_options *const options = problem->inputs.options;
  return dsm__may_choose(problem->inputs.options, DSM__CHOICE_RECOMPUTED) &&
         !dsm__is_recomputation_fixed(options->recomputation);
}

/** What of a layer is asked to be made anew? */
static inline dsm__again dsm__asked_again(const dsm__problem *problem, size_t layer_index) {
  const dsm__distinct *const distinct = &problem->table.distinct;
  return distinct->asked_again[distinct->class_of[layer_index]];
}

/** Is that anything of any layer? */
bool dsm__is_any_recomputation_asked(const dsm__problem *problem);

/** May a segment that ends with some layer go on with the next one where it runs again? */
bool dsm__may_any_go_on(const dsm__problem *problem);

/** Finds the fastest mapping, as far as gap and time limit demand; false if out of memory. */
bool dsm__problem_solve(const dsm__problem *problem, dsm__solution *solution);

/** The graph in which a layer has all its choices, with the uniform factor of `factors` if there is
 * one; the table's choices are then those for it. False if out of memory. */
bool dsm__problem_explain(const dsm__problem *problem, const dsm__factors *factors,
                          size_t layer_index, dsm__network_graph *network);

/** The decisions along a path; false if out of memory. */
bool dsm__problem_decide(const dsm__problem *problem, const dsm__network_graph *network,
                         const dsm__graph_path *path, dsm__decisions *decisions);

/** What is to become a graph with layouts, of the edges of a free graph that are in. */
dsm__layout_request dsm__layout_request_of(const dsm__problem *problem,
                                           const dsm__network_graph *free,
                                           const unsigned char *is_edge_in, double cost_limit,
                                           size_t states_max);

/**
 * Turns the answer for a free graph (layout_graph.h), whose mappings are no slower than the same
 * mappings with layouts, into the answer with layouts: the graph, the path through it, and its
 * cost and bound. `known_cost` is what some mapping that fits the memory costs; infinite: none
 * is known. False if out of memory.
 */
bool dsm__layout_solve(const dsm__problem *problem, double known_cost, dsm__solution *solution);

/** Improves a feasible solution without preloading: sets solution->preloading if weights on chip
 * make the network faster, and lowers the bound to what holds for all mappings. False if out of
 * memory. */
bool dsm__problem_solve_preload(const dsm__problem *problem, dsm__solution *solution);

/** dsm_explore for plans that are faster than a limit, whose limits of time and of work (at most
 * `most_work`) end it even where nothing was found by then (explore.c). */
dsm_status dsm__explore_strictly(dsm_plan **plan, const dsm_workload *workload,
                                 const dsm_system *system, const dsm_explore_options *options,
                                 double cost_limit, double most_work, bool *is_stopped);

/** dsm_explore with another limit of work, for tests (explore.c). */
dsm_status dsm__explore_with_work(dsm_plan **plan, const dsm_workload *workload,
                                  const dsm_system *system, const dsm_explore_options *options,
                                  double most_work, dsm_diags *diags);

/** The first plan that dsm_explore finds, however long that takes (explore.c). */
dsm_status dsm__explore_hastily(dsm_plan **plan, const dsm_workload *workload,
                                const dsm_system *system, const dsm_explore_options *options);

/** What comes of dsm_explore with memory without end: DSM_OK where there is a mapping then
 * (explore.c). */
dsm_status dsm__explore_with_room(const dsm_workload *workload, const dsm_system *system,
                                  const dsm_explore_options *options);

#endif
