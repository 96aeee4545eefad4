/* SPDX-License-Identifier: GPL-3.0-or-later */
/* variants.h: passes of layers while something is held on chip, each scored once. */
#ifndef DSM_SEARCH_VARIANTS_H
#define DSM_SEARCH_VARIANTS_H

#include "base/growing_list.h"
#include "base/map.h"
#include "search/layer_table.h"

/** A pass of a class of layers, and what is held around it. No padding: compared as bytes. */
typedef struct dsm__variant_key {
  uint64_t class_index;
  uint64_t held_elements;
  uint64_t deferred_elements; /**< 0 but in forward */
  uint64_t layouts;           /**< number of what dsm__holding.layouts points to, + 1; 0: NULL */
  uint8_t pass;
  uint8_t parallelism;
  uint8_t factor_index;
  uint8_t is_input_held;
  uint8_t is_output_held;
  uint8_t is_shortcut_held;
  uint8_t is_moving_free;
  uint8_t unused; /**< 0 */
} dsm__variant_key;

typedef struct dsm__variants {
  const dsm__layer_table *table;
  DSM__LIST(dsm__variant_key) keys;
  dsm__map index; /* of the keys */
  double *cycles; /**< of each pass over a step; set by dsm__variants_score */
  DSM__LIST(const dsm_held_layouts *) layouts; /* that keys have numbers of; borrowed */
  uint64_t evaluations;
} dsm__variants;

/** An empty set; to be freed with dsm__variants_fini. */
void dsm__variants_init(dsm__variants *variants, const dsm__layer_table *table);
void dsm__variants_fini(dsm__variants *variants);

/** The index of a pass of a layer under a holding; added if it is new. SIZE_MAX if out of memory.
 */
size_t dsm__variants_add(dsm__variants *variants, size_t class_index, dsm_pass pass,
                         dsm_parallelism parallelism, unsigned factor_index,
                         const dsm__holding *holding);

/** How a layer runs by a key. */
dsm__layer_setting dsm__variant_setting(const dsm__variants *variants, const dsm__variant_key *key);

/** Scores all, on up to thread_count threads; false if out of memory. */
bool dsm__variants_score(dsm__variants *variants, size_t thread_count);

#endif
