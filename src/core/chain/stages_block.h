/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages_block.h: stages that are told as operations. */
#ifndef DSM_CHAIN_STAGES_BLOCK_H
#define DSM_CHAIN_STAGES_BLOCK_H

#include "chain/block.h"
#include "chain/stages_record.h"

/** Reports what is wrong with the names of operations, in their list, and with what reads what. */
void dsm__stages_check_operations(const dsm__json_node *list, const dsm__stages_entry *entry);

/** Stages made of operations, each once: equal ones share their options. */
typedef struct dsm__stages_blocks {
  dsm__arena *arena;
  struct dsm__stages_made *items;
  size_t count;
  double work; /**< that each may take */
} dsm__stages_blocks;

/** Makes room for those of all entries; false if out of memory. */
bool dsm__stages_blocks_begin(dsm__stages_blocks *blocks, const dsm__stages_document *stages);

/** The stage that an entry with operations is, with an error of some bytes before it, but for its
 * name; false if out of memory. */
bool dsm__stages_block_stage(dsm__stages_blocks *blocks, const dsm__stages_entry *entry,
                             double error_before, dsm_remat_stage *stage);

#endif
