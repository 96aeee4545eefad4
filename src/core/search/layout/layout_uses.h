/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_uses.h: which held tensors the edges of a graph touch, which layouts of these can matter,
 * what layouts cost, and what they add at least to what is still to come (section 7,
 * model.layout_move "exact").
 *
 * A layout matters only through the useful core splits of the passes that touch the tensor: those
 * that fit it, and those that do not. A layout that another one covers, because every useful split
 * that fits it fits the other too, is never better and is left out (layout_choices.c).
 */
#ifndef DSM_SEARCH_LAYOUT_LAYOUT_USES_H
#define DSM_SEARCH_LAYOUT_LAYOUT_USES_H

#include "base/growing_list.h"
#include "plan/core_layouts.h"
#include "search/hold/network_graph.h"
#include "search/variants.h"

/** A core split that is the best of an invocation for some layouts. */
typedef struct dsm__useful_split {
  double cycles; /**< of the invocation, nothing moving */
  dsm_loops split;
  uint64_t output_code; /**< what it has to divide of the output's layout (dsm__fit_code) */
  uint64_t input_code;  /**< likewise of an input's */
} dsm__useful_split;

/** A layout as its code. */
static inline uint64_t dsm__layout_code(const dsm__divisors *divisors,
                                        const dsm_core_layout *layout) {
  const uint64_t parts[4] = {layout->features, layout->ij, layout->mb, 1};
  return dsm__fit_code(divisors, parts);
}

/** What a layer reads of what is held. */
typedef struct dsm__read_layout {
  uint64_t code;
  uint64_t elements; /**< of the tensor */
} dsm__read_layout;

typedef struct dsm__read_layouts {
  const dsm__read_layout *items;
  size_t count;
} dsm__read_layouts;

/** Invocations of one kind. */
typedef struct dsm__layout_profile_part {
  double count;
  double output_move_cycles; /**< of an invocation that does not fit the output; 0: not touched */
  double input_move_cycles;  /**< likewise, where no producer's output fits */
  dsm__useful_split *splits; /**< by cycles, ascending */
  size_t split_count;
} dsm__layout_profile_part;

/** A pass. */
typedef struct dsm__layout_profile {
  dsm__layout_profile_part parts[DSM_INVOCATION_KINDS_MAX];
  unsigned part_count;
} dsm__layout_profile;

typedef struct dsm__layout_profiles {
  dsm__layout_profile *items; /**< of each variant */
  size_t count;
  uint64_t evaluations;
} dsm__layout_profiles;

/**
 * The useful splits of all variants, on up to thread_count threads; false if out of memory. To be
 * freed with dsm__layout_profiles_fini in either case. A split is useless if it costs more than the
 * cheapest one with all its moves; if it adds more than `slack_cycles` over a step; or if another
 * one costs no more and fits whatever it fits. Once the time is over, what is left has no splits.
 */
bool dsm__layout_profiles_score(dsm__layout_profiles *profiles, const dsm__variants *variants,
                                double slack_cycles, size_t thread_count);
void dsm__layout_profiles_fini(dsm__layout_profiles *profiles);

/** Layouts that a pass touches. */
typedef struct dsm__touched_layouts {
  const dsm__divisors *divisors; /**< of which they are codes */
  dsm__read_layouts inputs;
  const uint64_t *outputs; /**< different ones for the layer's output */
  size_t output_count;
} dsm__touched_layouts;

/** Cycles that layouts add to a pass over a step, for each layout of the output: with the best
 * splits for them, against the best splits of all. What is more than `most` may be anything above
 * it. `least` is scratch for as many numbers. */
void dsm__layout_profile_extras(const dsm__layout_profile *profile,
                                const dsm__touched_layouts *touched, double most, double *least,
                                double *extras);

/** A held tensor: the output of a layer, with a parallelism and a factor, as one number. */
typedef uint32_t dsm__layout_slot;

/** The layouts of a tensor that are left: indices into all layouts, ascending. */
typedef struct dsm__slot_layouts {
  const uint32_t *items;
  size_t count;
} dsm__slot_layouts;

/** What a split has to divide of a layout. */
typedef struct dsm__layout_demand {
  uint64_t code; /**< dsm__fit_code */
  dsm__layout_slot slot;
} dsm__layout_demand;

typedef struct dsm__layout_choices {
  const dsm__divisors *divisors;
  const uint64_t *layouts; /**< codes of all */
  size_t layout_count;
  dsm__deadline *deadline; /**< once it is over, tensors are left any layout */
  DSM__LIST(dsm__layout_demand) demands;
  dsm__slot_layouts *slots; /**< set by dsm__layout_choices_derive, of each slot */
} dsm__layout_choices;

/** Adds what the useful splits of a pass demand of a tensor that it touches as the layer's output,
 * or as part of its input. False if out of memory. */
bool dsm__layout_choices_add(dsm__layout_choices *choices, dsm__layout_slot slot,
                             const dsm__layout_profile *profile, bool is_output);

/** Finds the layouts that are left of slots 0 .. slot_count - 1, once all demands are there; false
 * if out of memory. */
bool dsm__layout_choices_derive(dsm__layout_choices *choices, size_t slot_count, dsm__arena *arena);

/** What is to become a graph with layouts. */
typedef struct dsm__layout_request {
  const dsm__layer_table *table;
  const dsm__held_lives *lives;
  const dsm__core_layouts *layouts;
  const dsm__network_graph *free;  /**< with holdings; nothing held moves */
  const unsigned char *is_edge_in; /**< the edges of the free graph that are wanted */
  double cost_limit;               /**< only paths that can be as fast are wanted */
  size_t states_max;               /**< see DSM__LAYOUT_STATES_MAX */
  unsigned factor_count;
} dsm__layout_request;

/** What an edge touches. */
typedef struct dsm__layout_use {
  bool is_touching;                /**< false: no layout matters to it, the rest is not set */
  dsm__layout_slot own;            /**< the layer's output, if that is held */
  size_t profiles[DSM_PASS_COUNT]; /**< of its passes; SIZE_MAX: no such pass */
} dsm__layout_use;

typedef struct dsm__layout_uses {
  const dsm__layout_request *request;
  dsm__variants variants;
  dsm__layout_profiles profiles;
  dsm__layout_choices choices;
  uint64_t *codes;           /**< of all layouts (dsm__fit_code) */
  dsm__layout_use *edges;    /**< of each edge of the free graph that is in */
  dsm__layout_slot *slot_of; /* of (layer, parallelism, factor), + 1; 0: none yet */
  size_t slot_count;
} dsm__layout_uses;

/** Finds everything; false if out of memory. To be freed with dsm__layout_uses_fini in either case.
 */
bool dsm__layout_uses_find(dsm__layout_uses *uses, const dsm__layout_request *request,
                           dsm__arena *arena);
void dsm__layout_uses_fini(dsm__layout_uses *uses);

/** The number of a held tensor: the output of a layer, with a parallelism and a factor.
 * DSM__NO_SLOT if no edge that is in touches it. */
dsm__layout_slot dsm__layout_slot_of(const dsm__layout_uses *uses, size_t layer,
                                     dsm_parallelism parallelism, unsigned factor_index);
#define DSM__NO_SLOT UINT32_MAX

/** The layouts that are left to a tensor. */
static inline dsm__slot_layouts dsm__layout_choices_of(const dsm__layout_uses *uses,
                                                       dsm__layout_slot slot) {
  return uses->choices.slots[slot];
}

/** The code of a layout. */
static inline uint64_t dsm__layout_code_at(const dsm__layout_uses *uses, dsm__layout_slot slot,
                                           size_t choice) {
  return uses->codes[uses->choices.slots[slot].items[choice]];
}

/** The divisors that codes are of. */
static inline const dsm__divisors *dsm__layout_divisors(const dsm__layout_uses *uses) {
  return &uses->request->table->splits.divisors;
}

/** Cycles that layouts add to the layer on an edge that touches them, for each layout of its
 * output, as dsm__layout_profile_extras; `scratch` is for twice as many numbers. */
void dsm__layout_extras(const dsm__layout_uses *uses, size_t edge,
                        const dsm__touched_layouts *touched, double most, double *scratch,
                        double *extras);

/** What the users of a tensor add, for each of its layouts. */
typedef struct dsm__layout_cost_to_go {
  double *by_user;  /**< [user * choices + choice]; infinite: that user never reads it */
  double *sum;      /**< of the users from `next_user` on */
  size_t next_user; /**< of its users; they are in order of execution */
} dsm__layout_cost_to_go;

typedef struct dsm__layout_bounds {
  dsm__layout_uses *uses;
  dsm__arena *arena;
  dsm__layout_cost_to_go *costs_to_go; /**< of each tensor */
  double *rest; /**< of each node: least cycles to the end, but for costs to go of what is held */
} dsm__layout_bounds;

/** Finds all bounds, in the arena; false if out of memory. */
bool dsm__layout_bounds_find(dsm__layout_bounds *bounds, dsm__layout_uses *uses, dsm__arena *arena);

/** The costs to go of a layer's output to its users from layer `boundary` on: of each of its
 * choices. */
const double *dsm__layout_cost_to_go_from(dsm__layout_bounds *bounds, dsm__layout_slot slot,
                                          size_t layer, size_t boundary);

#endif
