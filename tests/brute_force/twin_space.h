/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_SPACE_H
#define DSM_TESTS_TWIN_SPACE_H

/* Which mappings are admissible: the rules of sections 3, 7, 8, 9 and 11, all but the memory. */

#include <stdint.h>

#include "twin_cost.h"

enum { TWIN_MAX_FACTORS = 8 };

typedef struct {
  twin_context context;
  twin_options options;
  bool allowed[TWIN_MAX_LAYERS][TWIN_PARALLELISM_COUNT];
  size_t factor_count; /* DySM: of layers that may have one */
  size_t factors[TWIN_MAX_FACTORS];
  bool is_holdable[TWIN_MAX_LAYERS]; /* it has a user, and one timestep in its whole life */
  size_t last_use[TWIN_MAX_LAYERS];  /* of the output; the layer itself where nobody uses it */
} twin_space;

bool twin_parallelism_is_allowed(const twin_system *system, const twin_node *node,
                                 twin_parallelism parallelism, twin_options options);

twin_space twin_space_make(const twin_context *context, twin_options options);

/* May the passes of a layer differ? */
bool twin_passes_may_differ(const twin_space *space);

/* May the input products of a layer outside groups be hoisted? */
bool twin_may_hoist(const twin_space *space, size_t layer);

bool twin_factor_is_allowed(const twin_space *space, size_t layer, size_t factor);

/* Bit j: the output of layer j, made before `layer`, is on chip while `layer` runs. Looks at
 * nothing from `layer` on. */
uint32_t twin_live_held(const twin_space *space, const twin_mapping *mapping, size_t layer);

/* Bytes of a chip: the live held outputs, and the layer's own if it is held. */
double twin_held_bytes(const twin_space *space, const twin_mapping *mapping, size_t layer);

/* What must fit the scratchpads of a chip beside the streaming buffers: the held bytes, and the
 * output before a pool. */
double twin_holding_bytes(const twin_space *space, const twin_mapping *mapping, size_t layer);

/* Section 7: may a layer find its kernel on chip in later timesteps? */
bool twin_keeps_kernel(const twin_space *space, size_t layer);

/* May the stages of a group be so many chips wide? */
bool twin_columns_are_allowed(const twin_system *system, size_t columns);

/* Rows in all, where the system is cut into strips of so many columns that are put end to end. */
double twin_chain_rows(const twin_system *system, size_t columns);

bool twin_is_in_group(const twin_mapping *mapping, size_t layer);

/* May these layers be a group at all? */
bool twin_group_is_allowed(const twin_space *space, size_t first, size_t count);

/*
 * The rule that a layer outside groups breaks, given the layers before it; NULL if none. Passes
 * after `last_pass` are not looked at.
 */
const char *twin_layer_fault(const twin_space *space, const twin_mapping *mapping, size_t layer,
                             twin_pass_kind last_pass);

/* The same for a group of the mapping, given the layers before it. */
const char *twin_group_fault(const twin_space *space, const twin_mapping *mapping,
                             const twin_group *group);

const char *twin_mapping_fault(const twin_space *space, const twin_mapping *mapping);

#endif
