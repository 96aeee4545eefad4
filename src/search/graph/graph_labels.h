/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph_labels.h: all partial paths that can become the fastest path that fits. */
#ifndef DSM_SEARCH_GRAPH_GRAPH_LABELS_H
#define DSM_SEARCH_GRAPH_GRAPH_LABELS_H

#include "search/graph/graph_limited.h"
#include "search/graph/graph_relax.h"

/** What follows a node: its own bytes left out. */
typedef dsm__graph_sums dsm__graph_label;

typedef struct dsm__graph_label_list {
  dsm__graph_label *labels; /**< by cycles, ascending */
  size_t count;
} dsm__graph_label_list;

typedef struct dsm__graph_labels {
  dsm__graph_relaxed *relaxed; /**< bounds, and the incumbent, which becomes better on the way */
  dsm__graph_effort effort;
  double limit;                 /**< of cycles */
  double work_limit;            /**< of the work of relaxed */
  dsm__graph_label_list *lists; /**< of each node */
  dsm__graph_label *pool;       /**< all labels of the lists */
  size_t pool_capacity;
  size_t pool_count;
  dsm__graph_label *scratch;   /**< candidates of one node */
  dsm__graph_label *staircase; /**< for dominance */
  size_t scratch_capacity;
} dsm__graph_labels;

/** False if out of memory; dsm__graph_labels_free in any case. */
bool dsm__graph_labels_begin(dsm__graph_labels *l, dsm__graph_relaxed *relaxed,
                             dsm__graph_effort effort);
void dsm__graph_labels_free(dsm__graph_labels *l);

/** Makes the labels of all paths that dsm__graph_relax looked at, fit, and take at most so many
 * cycles, or equally many. False if there are too many, or it takes too much work. */
bool dsm__graph_labels_make(dsm__graph_labels *l, double cycles);

/** Least cycles of a path that fits by its labels; infinite if there is none. */
double dsm__graph_labels_best(const dsm__graph_labels *l);

/** Writes the first of the paths that fit and take at most `limit` cycles, and of these count most,
 * into the scratch path of `relaxed`. False if rounding leaves no such path. */
bool dsm__graph_labels_walk(dsm__graph_labels *l, double limit);

#endif
