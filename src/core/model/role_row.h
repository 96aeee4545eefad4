/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_row.h: what a role is, a row of roles.c for each: layouts, what it cuts, and what the chips
 * of its axis exchange (section 3).
 */
#ifndef DSM_MODEL_ROLE_ROW_H
#define DSM_MODEL_ROLE_ROW_H

#include "dsm/role.h"

/** What chips exchange because of their role: sets of these. */
typedef enum dsm__role_exchange {
  DSM__ROLE_GATHERS_INPUT = 1,   /**< from positions; its error is scattered among them */
  DSM__ROLE_REDUCES_ERROR = 2,   /**< of a whole input, all-reduced */
  DSM__ROLE_REDUCES_OUTPUT = 4,  /**< all-reduced */
  DSM__ROLE_SCATTERS_OUTPUT = 8, /**< among positions; its error is gathered */
  DSM__ROLE_SHIFTS_ROWS = 16,    /**< halos, and of an attention keys and values that turn */
  DSM__ROLE_SENDS_TOKENS = 32,   /**< to their experts and back */
  DSM__ROLE_SUMS_GRADIENTS = 64, /**< of weights that all chips have, or parts of them */
  DSM__ROLE_OPENS = DSM__ROLE_GATHERS_INPUT | DSM__ROLE_REDUCES_ERROR,    /**< column-like */
  DSM__ROLE_CLOSES = DSM__ROLE_REDUCES_OUTPUT | DSM__ROLE_SCATTERS_OUTPUT /**< row-like */
} dsm__role_exchange;

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
} dsm__role_row;

extern const dsm__role_row dsm__role_rows[DSM_ROLE_COUNT];

/** Does a role exchange some of these? */
static inline bool dsm__role_has(dsm_role role, unsigned exchanges) {
  return (dsm__role_rows[role].exchanges & exchanges) != 0;
}

#endif
