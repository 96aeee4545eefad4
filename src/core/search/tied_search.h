/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tied_search.h: mappings in which layers share the weights of another one, whose cut of them
 * decides what all of them exchange (section 5); around a search that weighs each layer by itself.
 */
#ifndef DSM_SEARCH_TIED_SEARCH_H
#define DSM_SEARCH_TIED_SEARCH_H

#include "base/cases.h"
#include "search/problem.h"

/** Ways to cut a table that are told apart: a part of gradients and of weights along each axis. */
enum { DSM__TABLE_CUTS_MAX = 64 };

/** Ways in which the owner of a table may cut it. */
typedef struct dsm__tied_cuts {
  size_t owner; /**< its layer */
  const dsm__table_cut *cuts;
  size_t count;
} dsm__tied_cuts;

/** The search that is asked for each case. */
typedef struct dsm__tied_finder {
  /** Finds the fastest mapping in which layers cut their weights as the problem's inputs fix, and
   * tied ones pay for owners whose cut is known. Paths beyond the limit need not be found. False if
   * out of memory. */
  bool (*find)(const dsm__problem *problem, const void *context, double cost_limit,
               dsm__graph_answer *answer, dsm__decisions *decisions);
  /** The different ways in which a layer may cut its weights, once something was found:
   * cuts[0 .. DSM__TABLE_CUTS_MAX), how many. */
  size_t (*cuts_of)(const dsm__problem *problem, size_t layer_index, dsm__table_cut *cuts);
  /** Raises bounds of mappings with each of the cuts, as far as those within a finite limit go,
   * once something was found; the rank is what is likely the fastest's time. NULL: nothing is known
   * of a cut. False if out of memory. */
  bool (*bound_cuts)(const dsm__problem *problem, const void *context, double cost_limit,
                     const dsm__tied_cuts *cuts, dsm__open_case **bounds);
  const void *context;
  size_t searches_max; /**< cases that are looked at: 0: as many as the network's size allows */
} dsm__tied_finder;

/** Adds the cut of some parallelisms to cuts[0 .. count) unless it is there; how many there are. */
size_t dsm__tied_add_cut(const dsm_layer *layer, const dsm_machine *machine,
                         const dsm_pass_layouts *layouts, dsm__table_cut *cuts, size_t count);

/** How a layer may cut its weights with data and model, in each pass: as cuts_of above. */
size_t dsm__tied_word_cuts(const dsm__problem *problem, size_t layer_index, dsm__table_cut *cuts);

/** Does a search ask for what tied layers exchange? */
bool dsm__tied_is_asked(const dsm__problem *problem);

/** The fastest mapping that fits, whatever the cuts, with all that tied layers exchange, and what
 * no mapping is faster than. Without tied layers, or where the problem leaves out what they
 * exchange, what the finder finds. False if out of memory. */
bool dsm__tied_search(const dsm__problem *problem, const dsm__tied_finder *finder,
                      double cost_limit, dsm__graph_answer *answer, dsm__decisions *decisions);

#endif
