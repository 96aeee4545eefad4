/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recall.h: answers about passes of layers, from the memo where it has them. */
#ifndef DSM_SEARCH_RECALL_H
#define DSM_SEARCH_RECALL_H

#include "search/layer_table.h"

/** A pass of a layer of a class, as it is run. */
typedef struct dsm__recalled_pass {
  const dsm__layer_table *table;
  size_t class_index;
  const dsm__layer_setting *setting;
  dsm_pass pass;
  dsm_parallelism parallelism;
} dsm__recalled_pass;

/** dsm__best_pass_find with the table's core splits, of which only some are looked at once the time
 * is over; the kernel may stay where the options have reuse. Kept for later. */
dsm__best_pass dsm__recall_best_pass(const dsm__recalled_pass *of);
/** The same of dsm__least_pass_find. */
dsm__best_pass dsm__recall_least_pass(const dsm__recalled_pass *of);

/** What was kept of a kind of score; false if nothing was. */
bool dsm__recall_score(const dsm__recalled_pass *of, dsm__memo_kind kind, dsm__memo_score *score);

/** Keeps a score of which nothing was kept. */
void dsm__keep_score(const dsm__recalled_pass *of, dsm__memo_kind kind, dsm__memo_score score);

#endif
