/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layer_list.h: the layers of a workload as its description lists them: one by one, or in blocks
 * that stand for their layers several times.
 */
#ifndef DSM_WORKLOAD_LAYER_LIST_H
#define DSM_WORKLOAD_LAYER_LIST_H

#include "workload/builder.h"

/** Blocks in each other. */
#define DSM__BLOCK_DEPTH_MAX 8

struct dsm__layer_list;

/** A layer, or a block of layers. */
typedef struct dsm__list_item {
  dsm__json_node node;
  const char *name;                    /**< NULL: it is wrong, which was reported */
  const struct dsm__layer_list *block; /**< what a block repeats; NULL: a layer */
  uint64_t repeat;                     /**< of a block */
  dsm_layer_spec spec;                 /**< of a layer, its names as they are written */
  bool is_wrong;                       /**< a layer by itself, which was reported */
} dsm__list_item;

/** All of it is in the workload's arena: nodes refer to their parents there. */
typedef struct dsm__layer_list {
  dsm__json_node node;
  dsm__list_item *items;
  size_t count;
} dsm__layer_list;

/** What all lists have together. */
typedef struct dsm__layer_lists {
  dsm__layer_list top;
  size_t declared;      /**< layers and blocks as they are written */
  uint64_t layer_count; /**< layers of all repetitions */
  uint64_t input_count; /**< names of inputs in blocks, of all repetitions */
  bool has_blocks;
  bool is_unusable; /**< blocks are wrong, so that what they would make is not known */
} dsm__layer_lists;

/** Reads all of them, each layer once; findings are the document's. */
void dsm__layer_lists_read(dsm__layer_lists *lists, dsm__arena *arena, const dsm__json_node *node);

/** Puts the layers of all repetitions into the builder, with their full names and those of what
 * they read. False: memory was out, which was noted. */
bool dsm__layer_lists_unroll(const dsm__layer_lists *lists, dsm__workload_builder *builder);

#endif
