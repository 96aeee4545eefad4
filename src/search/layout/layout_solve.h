/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout_solve.h: the fastest mapping with layouts of held tensors, given the graph in which
 * nothing held moves. */
#ifndef DSM_SEARCH_LAYOUT_LAYOUT_SOLVE_H
#define DSM_SEARCH_LAYOUT_LAYOUT_SOLVE_H

#include "search/problem.h"

/**
 * Turns the answer for a free graph (layout_graph.h), whose mappings are no slower than the same
 * mappings with layouts, into the answer with layouts: the graph, the path through it, and its
 * cycles and bound. `known_cycles` is what some mapping that fits the memory takes; infinite: none
 * is known. False if out of memory.
 */
bool dsm__layouts_solve(dsm__problem *problem, double known_cycles, dsm__solution *solution);

#endif
