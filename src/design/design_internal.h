/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_internal.h: designs, boxes of designs, and what is known of them. */
#ifndef DSM_DESIGN_DESIGN_INTERNAL_H
#define DSM_DESIGN_DESIGN_INTERNAL_H

#include "base/arena.h"
#include "base/deadline.h"
#include "base/definition.h"
#include "base/expression.h"
#include "base/growing_list.h"
#include "base/map.h"
#include "dsm/design.h"
#include "dsm/sweep_store.h"
#include "plan/step_energy.h"
#include "sweep/evaluator.h"
#include "system/system_internal.h"

enum { DSM__DIMENSIONS_MAX = DSM_DESIGN_PARAMETERS_MAX };

/** The index of the value of each parameter: a design. */
typedef struct dsm__corner {
  uint32_t at[DSM__DIMENSIONS_MAX];
} dsm__corner;

/** A parameter that is varied. */
typedef struct dsm__dimension {
  const dsm__parameter *parameter;
  const dsm_axis_value *values;
  double *numbers; /**< of values: of a flag 0 or 1, of a word its index */
  uint32_t count;
  uint32_t own; /**< the system's own */
  dsm_way way;
  uint64_t stride; /**< in the product */
} dsm__dimension;

/** All designs from one corner to another, both with. */
typedef struct dsm__box {
  dsm__corner low;
  dsm__corner high;
  double bound;                           /**< no design of it has less of what is minimised */
  double slopes[DSM__DIMENSIONS_MAX];     /**< a step worse of a parameter: what it does to the
                                               logarithm of the bound, about */
  uint32_t measured[DSM__DIMENSIONS_MAX]; /**< how wide it was when that was measured; 0: never */
  bool is_asked;                          /**< its best corner was explored */
  uint64_t number;                        /**< of equal bounds the first goes first */
} dsm__box;

/** An expression that has a limit. */
typedef struct dsm__limit {
  const char *name; /**< as it is written */
  const char *expression;
  double most;
} dsm__limit;

/** What is asked, made ready. */
typedef struct dsm__question {
  dsm__arena *arena;
  dsm_sweep *sweep;
  dsm_system *system; /**< as it is */
  dsm__dimension dimensions[DSM__DIMENSIONS_MAX];
  size_t dimension_count;
  double *weights; /**< of networks, of sum 1 */
  size_t network_count;
  dsm__definition *defines;
  size_t define_count;
  dsm__limit *budgets;
  size_t budget_count;         /**< there is room for one more */
  const char *pareto;          /**< expression; NULL: none */
  const char *minimize;        /**< expression */
  dsm_aim aims[DSM_AIM_COUNT]; /**< objectives that bound its columns; plans are those of the first
                                */
  size_t aim_count;
  bool has_prices;         /**< a step has dollars */
  uint64_t network_stride; /**< points of a network with an objective */
} dsm__question;

/** What is known of a network on designs. */
typedef struct dsm__times {
  dsm__interval of[DSM_AIM_COUNT]; /**< by objective: seconds, joules, their product, dollars of the
                                        plan that the question asks for */
  double samples;                  /**< of a step; 0: not known */
  double ideal;                    /**< seconds at the peak rate; likewise */
} dsm__times;

/** The system of a design, which is not to be freed; its values may break rules. */
dsm_system dsm__system_of(const dsm__question *question, const dsm__corner *corner);

/** Makes a question ready (design_question.c). */
DSM_NODISCARD dsm_status dsm__question_init(dsm__question *question,
                                            const dsm_design_request *request, dsm_diags *diags);
void dsm__question_fini(dsm__question *question);

/** The range of an expression over a box, of a network about whose times is known what `times`
 * says; NULL: nothing (design_columns.c). */
dsm__interval dsm__range_of(const dsm__question *question, const char *expression,
                            const dsm__corner *low, const dsm__corner *high,
                            const dsm__times *times);

/** Why an expression is none: reports; false then. */
bool dsm__expression_check(const dsm__question *question, const char *what, const char *expression,
                           dsm_diags *diags);

/** The point of the sweep that a network is on the design at a place, with an objective. */
uint64_t dsm__point_of(const dsm__question *question, uint64_t place, size_t network, size_t aim);

/** The objectives whose columns a text names, itself or through definitions: a bit for each. */
unsigned dsm__aims_in(const dsm_design_request *request, const char *text);

/** Is there one but time? */
static inline bool dsm__has_energy_aims(const dsm__question *question) {
  return question->aim_count > 1 || question->aims[0] != DSM_AIM_TIME;
}

/** What each second of a step adds to an objective, on the machine of a corner: watts that are
 * always drawn, dollars of a second; of time 0. */
void dsm__seconds_count(const dsm__question *question, const dsm__corner *corner,
                        double counts[DSM_AIM_COUNT]);

/** What was found, without what bounds say. */
dsm__times dsm__times_found(const dsm__times *times);

/** Of all networks: the weighted geometric mean of the low ends of what is minimised. */
double dsm__objective_low(const dsm__question *question, const dsm__corner *low,
                          const dsm__corner *high, const dsm__times *times);

/** May some design of a box keep all budgets? `times`: of each network; NULL: not known. */
bool dsm__may_keep(const dsm__question *question, const dsm__corner *low, const dsm__corner *high,
                   const dsm__times *times);

/** Takes values off the ends of a box with which no design keeps the budgets; false: none is left.
 */
bool dsm__box_contract(const dsm__question *question, dsm__box *box);

/** No design of a box is faster than this one. All values of parameters that are enumerated must be
 * one. */
dsm__corner dsm__best_corner(const dsm__question *question, const dsm__box *box);

/* ---- what was explored (design_answers.c) ---- */

/** A design that was explored. */
typedef struct dsm__answer {
  uint64_t place; /**< in the product, of one network */
  dsm__corner corner;
  dsm__times *times; /**< of each network: from its bound to what was found; both infinite: it
                          cannot run; from 0: its values break a rule */
  double value;      /**< of what is minimised; infinite: it cannot run, or breaks a budget */
  double low;        /**< no mapping has less */
  double counts[DSM_AIM_COUNT]; /**< of a second, on its machine */
} dsm__answer;

typedef struct dsm__answers {
  const dsm__question *question;
  dsm__arena *arena;
  DSM__LIST(dsm__answer) list;
  dsm__map map;
  dsm__evaluator **evaluators; /**< one a thread */
  size_t thread_count;
  dsm_store *store;          /**< or NULL */
  dsm_point_table *recorded; /**< what the database had; or NULL */
  dsm__map recorded_map;     /**< from points to its rows */
  dsm_status put_status;     /**< of the database */
  dsm_point_result *results; /**< of each thread */
  size_t explorations;
  size_t wanted; /**< from here on answers are still to be found */
  dsm_diags *diags;
} dsm__answers;

DSM_NODISCARD dsm_status dsm__answers_init(dsm__answers *answers, const dsm__question *question,
                                           const dsm_design_request *request, dsm_diags *diags);
void dsm__answers_fini(dsm__answers *answers);

/** Asks for a design, unless it was; false if out of memory. */
bool dsm__answers_want(dsm__answers *answers, const dsm__corner *corner);

/** What designs are worth under the budgets of now. */
DSM_NODISCARD dsm_status dsm__answers_judge(dsm__answers *answers);

/** Of an expression on an explored design: with several networks the largest. */
double dsm__spent_of(const dsm__question *question, const char *expression,
                     const dsm__answer *answer);

/** Explores all that is wanted, on all threads. */
DSM_NODISCARD dsm_status dsm__answers_find(dsm__answers *answers);

/** What was found of a design; NULL: it was not asked. */
const dsm__answer *dsm__answer_of(const dsm__answers *answers, const dsm__corner *corner);

/** What is known of each network on the designs of a box: from explored designs that are at least
 * as good as its best corner. */
void dsm__answers_bound(const dsm__answers *answers, const dsm__box *box, dsm__times *times);

/* ---- the search (design_search.c) ---- */

/** A step of the front. */
typedef struct dsm__step {
  double most;
  double bound;
  size_t best; /**< index of the answer */
} dsm__step;

typedef struct dsm__search {
  dsm__question *question;
  const dsm_design_request *request;
  dsm__answers *answers;
  dsm__arena *arena;
  DSM__LIST(dsm__box) boxes; /**< a heap: the least bound first */
  uint64_t number;
  size_t best;  /**< index of the best answer; SIZE_MAX: none */
  double cut;   /**< least bound of all boxes that are done */
  double bound; /**< no design has less */
  size_t box_count;
  bool is_stopped;
  dsm__times *times;  /**< scratch: of each network */
  const double *work; /**< of each network: seconds at the peak rate times that; 0: not known */
  dsm__deadline deadline;
  DSM__LIST(dsm__step) front;
} dsm__search;

/** Of all designs. */
dsm__box dsm__box_of_all(const dsm__question *question);

DSM_NODISCARD dsm_status dsm__search_run(dsm__search *search, dsm_diags *diags);

/** The same search of all boxes anew, under the budgets of now, with all that was explored. */
DSM_NODISCARD dsm_status dsm__search_again(dsm__search *search, dsm_diags *diags);

/** The steps of the front, after a search (design_front.c). */
DSM_NODISCARD dsm_status dsm__front_find(dsm__search *search, dsm_diags *diags);

/** What it found; DSM_ERROR_INFEASIBLE, with why, if there is no such design (design_answer.c). */
DSM_NODISCARD dsm_status dsm__design_make(dsm_design *made, const dsm__search *search,
                                          const dsm_design_request *request, dsm_diags *diags);

#endif
