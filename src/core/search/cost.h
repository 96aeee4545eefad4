/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cost.h: what a choice costs, and the one number by which a search compares.
 *
 * Where an option of a layer, a relayout or an exchange is costed its cost is a vector. dsm__price
 * makes one number of it, which bounds, labels and fronts compare. Prices are linear: the price of
 * a sum is the sum of prices, so that a path costs what its edges cost, and the least of all paths
 * is found edge by edge. The time of a step is the price with dsm__prices_of_time().
 *
 * Another objective weighs cycles and joules, and the machine of its search has the weights
 * (dsm_machine.is_weighed): totals of invocations and of groups are prices there, so that core
 * splits are chosen by them too, and what a path costs is cycles and joules, weighed. Of energy the
 * vector tells apart what does not hide: what moves between layers takes all of its joules where
 * only some of its time counts.
 *
 * What is not a sum over the choices has no price: the time of stages is that of the slowest. There
 * prices give a bound alone: a step takes no less than the mean of its stages, (a n S + O) / p,
 * which is a price of the path through all layers (stages/stage_cases.c). Searches of what is no
 * sum know the time alone so far, and assert it (dsm__is_priced_by_time).
 */
#ifndef DSM_SEARCH_COST_H
#define DSM_SEARCH_COST_H

#include <math.h>
#include <stdbool.h>

#include "plan/holding.h"

/** What a choice costs; or, as prices, how much each of that counts. */
typedef struct dsm__cost {
  double micro;   /**< cycles of what occurs in each micro-batch: of one micro-batch in fronts, of
                       all of them on edges; infinite: cannot be chosen */
  double once;    /**< cycles of what occurs once a step */
  double latency; /**< cycles that shared collectives would add if this layer paid them in full; 0
                       where the search knows who pays */
  double joules;  /**< of what moves between layers, weighed; 0 where the machine is not weighed */
} dsm__cost;

typedef dsm__cost dsm__prices;

static inline dsm__prices dsm__prices_of_time(void) {
  return (dsm__prices){.micro = 1, .once = 1, .joules = 1};
}

/** Infinite for what cannot be chosen, also where its cycles count nothing. */
static inline double dsm__price(const dsm__prices *prices, const dsm__cost *cost) {
  return cost->micro < HUGE_VAL
             ? prices->micro * cost->micro + prices->once * cost->once +
                   prices->latency * cost->latency + prices->joules * cost->joules
             : HUGE_VAL;
}

/** Is a cost in nothing more than another one? Then it is so at any price. */
static inline bool dsm__is_cost_below(const dsm__cost *a, const dsm__cost *b) {
  return a->micro <= b->micro && a->once <= b->once && a->latency <= b->latency &&
         a->joules <= b->joules;
}

/** What traffic costs: its cycles, on a weighed machine weighed as its joules are. */
static inline dsm__cost dsm__traffic_cost(const dsm_machine *machine, const dsm_traffic *traffic) {
  const double cycles = machine->weights.cycles * dsm_group_cycles(machine, traffic);
  return (dsm__cost){.micro = cycles,
                     .joules = machine->is_weighed
                                   ? machine->weights.joules *
                                         dsm_traffic_joules(&machine->energy, traffic)
                                   : 0};
}

/** Is what is chosen compared by time alone? What occurs once a step may count otherwise. */
static inline bool dsm__is_priced_by_time(const dsm_machine *machine, const dsm__prices *prices) {
  return !machine->is_weighed && !(prices->micro < 1 || prices->micro > 1);
}

#endif
