/* SPDX-License-Identifier: GPL-3.0-or-later */
/* planner_graph.h: the one description without `format`. */
#ifndef DSM_PLAN_PLANNER_GRAPH_H
#define DSM_PLAN_PLANNER_GRAPH_H

#include "base/json_read.h"

/** Is this the planner format of msr-fiddle/dnn-partitioning? It has no `format`, but nodes or a
 * number of accelerators. */
bool dsm__is_planner_graph(const dsm__json_node *root);

#endif
