/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_row.h: what a role is, a row of roles.c for each: its word, the layouts before and after it,
 * what it cuts, what the chips of its axis exchange, and which tensors it reads and makes (section
 * 3). Others ask a row for what they need of it, and name no role.
 */
#ifndef DSM_MODEL_ROLE_ROW_H
#define DSM_MODEL_ROLE_ROW_H

#include "dsm/role.h"
#include "dsm/workload.h"

/** The role of layers along an axis where they have no other: every layer can have it. */
#define DSM__ROLE_DEFAULT DSM_ROLE_DATA
/** The role whose word messages show as an example. */
#define DSM__ROLE_EXAMPLE DSM_ROLE_COLUMN

/** What chips exchange because of their role: sets of these. */
typedef enum dsm__role_exchange {
  DSM__ROLE_GATHERS_INPUT = 1,   /**< from positions; its error is scattered among them */
  DSM__ROLE_REDUCES_ERROR = 2,   /**< of a whole input, all-reduced */
  DSM__ROLE_REDUCES_OUTPUT = 4,  /**< all-reduced */
  DSM__ROLE_SCATTERS_OUTPUT = 8, /**< among positions; its error is gathered */
  DSM__ROLE_SHIFTS_ROWS = 16,    /**< halos */
  DSM__ROLE_SENDS_TOKENS = 32,   /**< to their experts and back */
  DSM__ROLE_SUMS_GRADIENTS = 64, /**< of weights that all chips have, or parts of them */
  DSM__ROLE_TURNS_OPERANDS =
      128, /**< keys and values of an attention; their errors are scattered */
  DSM__ROLE_GATHERS_OPERANDS = 256, /**< likewise, before the product */
  DSM__ROLE_OPENS = DSM__ROLE_GATHERS_INPUT | DSM__ROLE_REDUCES_ERROR,     /**< column-like */
  DSM__ROLE_CLOSES = DSM__ROLE_REDUCES_OUTPUT | DSM__ROLE_SCATTERS_OUTPUT, /**< row-like */
  /** What it reads is brought once for all layers that read the same. */
  DSM__ROLE_SHARES_INPUT = DSM__ROLE_OPENS | DSM__ROLE_SENDS_TOKENS
} dsm__role_exchange;

/** Where tensors lie along an axis: sets of these. */
enum { DSM__SIDE_OUTSIDE = 1, DSM__SIDE_INSIDE = 2, DSM__SIDE_EXPERTS = 4 };

/** Where a role leaves what a layer makes. */
typedef enum dsm__made_side {
  DSM__MADE_OUTSIDE = 0,
  DSM__MADE_INSIDE,
  DSM__MADE_AS_READ,     /**< inside if what it reads is */
  DSM__MADE_WITH_EXPERTS /**< where layers of the same experts read it alone; else outside */
} dsm__made_side;

/** How a role cuts weights along its axis. */
typedef enum dsm__weight_cut {
  DSM__WEIGHT_CUT_NONE = 0,
  DSM__WEIGHT_CUT_OUT,
  DSM__WEIGHT_CUT_IN,
  DSM__WEIGHT_CUT_GROUP
} dsm__weight_cut;

typedef struct dsm__role_row {
  dsm_layout input;
  dsm_layout output;
  unsigned divides; /**< bits of dsm_divided */
  dsm__weight_cut cut;
  unsigned exchanges; /**< a set of dsm__role_exchange */
  unsigned reads;     /**< a set of sides */
  dsm__made_side makes;
  dsm_role of_attention; /**< what it is of an attention's products; DSM__ROLE_DEFAULT: itself */
  dsm_role_group group;
  /** Why a layer cannot have it, in words after "expected no ROLE in"; NULL: any can. */
  const char *(*why_not)(const dsm_layer *layer);
} dsm__role_row;

extern const dsm__role_row dsm__role_rows[DSM_ROLE_COUNT];

/** Does a role exchange some of these? */
static inline bool dsm__role_has(dsm_role role, unsigned exchanges) {
  return (dsm__role_rows[role].exchanges & exchanges) != 0;
}

/** Do words of parallelisms, as data_x_model_y, name a role? */
static inline bool dsm__role_is_of_words(dsm_role role) {
  return dsm__role_rows[role].group == DSM_ROLE_GROUP_WORDS;
}

/** What a role is of a layer: of an attention's products some have another name. */
static inline dsm_role dsm__role_of_layer(const dsm_layer *layer, dsm_role role) {
  const dsm_role own = dsm__role_rows[role].of_attention;
  return layer->operand_groups > 0 && own != DSM__ROLE_DEFAULT ? own : role;
}

/** Are two roles of one group, between the same layouts? */
static inline bool dsm__are_forms_of_one(dsm_role a, dsm_role b) {
  return dsm__role_rows[a].group == dsm__role_rows[b].group &&
         dsm__role_rows[a].input == dsm__role_rows[b].input &&
         dsm__role_rows[a].output == dsm__role_rows[b].output;
}

/** Why a layer cannot have a role, in words after "expected no ROLE in"; NULL: it can. */
const char *dsm__role_why_not(const dsm_layer *layer, dsm_role role);

/** The first role of the table before and after which tensors have a layout. */
dsm_role dsm__role_lying(dsm_layout layout);

/** The roles of a group. */
dsm_role_set dsm__roles_of(dsm_role_group group);

#endif
