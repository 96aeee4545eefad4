/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_costs.h: what layers with roles take while something is held on chip, each way scored once;
 * and what a chip has of held tensors. */
#ifndef DSM_SEARCH_ROLES_HELD_COSTS_H
#define DSM_SEARCH_ROLES_HELD_COSTS_H

#include "base/map.h"
#include "search/layer_search.h"
#include "search/roles/role_graph.h"
#include "search/roles/role_states.h"

/** Layouts along all axes as a number: two bits for each. */
enum { DSM__HELD_CODES = 1 << 2 * DSM_AXES_MAX };

/** What is held around a layer with an option, and of what of it is asked. No padding: compared as
 * bytes. */
typedef struct dsm__held_way {
  double held_bytes; /**< of a chip, while it runs */
  double deferred_bytes;
  uint32_t row; /**< of the options of its class */
  uint32_t option;
  uint8_t factor_index;
  uint8_t is_input_held;
  uint8_t is_output_held;
  uint8_t is_shortcut_held;
  uint8_t is_moving_free; /**< for bounds from below */
  uint8_t part;           /**< 0: all of the layer; a pass + 1 */
  uint8_t unused[2];      /**< 0 */
} dsm__held_way;
_Static_assert(sizeof(dsm__held_way) == 32, "no padding");

/** A way and what it takes. */
typedef struct dsm__held_score {
  dsm__held_way way;
  double cost;
} dsm__held_score;

/** The front of core splits of a pass: what is held changes nothing about it. */
typedef struct dsm__held_front {
  dsm__held_way way; /**< with nothing held */
  dsm_loops *splits; /**< in the arena */
  size_t count;
  bool is_found;   /**< else only its evaluations may be known, */
  bool is_counted; /**< and are among the problem's */
} dsm__held_front;

typedef struct dsm__held_costs {
  const dsm__role_space *space;
  double element_bytes;
  unsigned factor_count;
  bool *can_hold; /**< each layer's output, whatever the roles */
  DSM__LIST(dsm__held_score) scores;
  dsm__map index; /**< of these */
  DSM__LIST(dsm__held_front) fronts;
  dsm__arena *arena;       /**< of their splits */
  dsm__split_front latest; /**< that was found */
  dsm__map front_index;
  const dsm__held_share **shares; /**< of each kind of layer, once asked for: of its output, by
                                       factor and layouts */
  bool is_out_of_memory;
} dsm__held_costs;

/** Begins; ends with dsm__held_costs_fini in any case. False if out of memory. */
bool dsm__held_costs_init(dsm__held_costs *costs, const dsm__role_space *space);
void dsm__held_costs_fini(dsm__held_costs *costs);

/** May a layer run so while something is held? */
bool dsm__held_factor_is_open(const dsm__held_costs *costs, size_t layer_index, unsigned factor);

/** What a layer costs, once a step too. */
double dsm__held_cost(dsm__held_costs *costs, size_t layer_index, dsm__held_way way);

/** The same of a whole layer; infinite where what is held does not fit. */
double dsm__held_fitting_cost(dsm__held_costs *costs, size_t layer_index, dsm__held_way way);

/** How a layer runs in a way. */
dsm__layer_setting dsm__held_setting(const dsm__held_costs *costs, size_t layer_index,
                                     const dsm__held_way *way);

/** What a chip has of a layer's output with layouts of a number. */
dsm__held_share dsm__held_share_at(dsm__held_costs *costs, size_t layer_index, unsigned factor,
                                   unsigned code);

/** The number of layouts. */
unsigned dsm__held_code(const dsm__held_costs *costs, const dsm_layouts *layouts);

/** Of what the layer k + 1 before a state made, where that is not with its experts. */
unsigned dsm__held_code_of(const dsm__held_costs *costs, const dsm__role_state *state, unsigned k);

#endif
