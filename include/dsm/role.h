/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * role.h: what the chips along an axis of the system share of a layer (docs/model.md, section 3).
 *
 * Along an axis a stored tensor has a *layout*: which of its sides is cut over the chips. A *role*
 * says what the chips of an axis compute of a layer, how its tensors lie before and after, and how
 * its weights are cut. Each is a row of one table.
 */
#ifndef DSM_ROLE_H
#define DSM_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a stored tensor lies along an axis. */
typedef enum dsm_layout {
  DSM_LAYOUT_SAMPLES = 0, /**< D: samples are cut */
  DSM_LAYOUT_POSITIONS,   /**< S: positions are cut, rows first */
  DSM_LAYOUT_FEATURES,    /**< F: features are cut: channels, heads */
  DSM_LAYOUT_WHOLE,       /**< N: every chip of the axis has it */
  DSM_LAYOUT_COUNT
} dsm_layout;

/** What the chips along an axis do of a layer, in the order in which equal mappings are preferred.
 */
typedef enum dsm_role {
  DSM_ROLE_DATA = 0,      /**< samples of their own */
  DSM_ROLE_SPATIAL,       /**< positions of their own, with a halo of the input */
  DSM_ROLE_MODEL,         /**< output features of their own; inputs turn */
  DSM_ROLE_MODEL_OUT,     /**< input features of their own; outputs turn as partial sums */
  DSM_ROLE_COLUMN,        /**< output features of their own, of a whole input */
  DSM_ROLE_ROW,           /**< input features of their own; outputs are all-reduced */
  DSM_ROLE_GATHER_COLUMN, /**< as column, of an input that is gathered from positions */
  DSM_ROLE_ROW_SCATTER,   /**< as row; outputs are scattered by positions */
  DSM_ROLE_HEADS,         /**< groups of their own */
  DSM_ROLE_EXPERT,  /**< experts of their own, to which tokens go and from which they return */
  DSM_ROLE_WHOLE,   /**< all of them do everything */
  DSM_ROLE_CONTEXT, /**< of an attention, positions of their own; keys and values turn past them */
  DSM_ROLE_GATHER_CONTEXT, /**< likewise; keys and values are gathered first */
  DSM_ROLE_COUNT
} dsm_role;

/** Groups of roles. An optimization allows each group but the first, which needs none. */
typedef enum dsm_role_group {
  DSM_ROLE_GROUP_WORDS = 0, /**< as the words of parallelisms name them */
  DSM_ROLE_GROUP_SPATIAL,
  DSM_ROLE_GROUP_TENSOR,
  DSM_ROLE_GROUP_EXPERT,
  DSM_ROLE_GROUP_CONTEXT
} dsm_role_group;

/** A set of roles: bit r stands for role r. */
typedef unsigned dsm_role_set;

/** What a role can divide among the chips of its axis. */
typedef enum dsm_divided {
  DSM_DIVIDED_SAMPLES = 0, /**< mb */
  DSM_DIVIDED_POSITIONS,   /**< ij */
  DSM_DIVIDED_IN,          /**< input features that a feature iteration handles */
  DSM_DIVIDED_OUT,         /**< output features */
  DSM_DIVIDED_GROUPS,      /**< with the features of each */
  DSM_DIVIDED_IN_TURNS,    /**< a chip works on all input features, which turn, one part a turn */
  DSM_DIVIDED_OUT_TURNS,   /**< a chip works for all output features, which turn as sums */
  DSM_DIVIDED_INPUT,       /**< features of the input as the passes use it */
  DSM_DIVIDED_RAW,         /**< features of the output as computed, before pooling */
  DSM_DIVIDED_STORED,      /**< features of the output as stored */
  DSM_DIVIDED_WEIGHTS,
  DSM_DIVIDED_COUNT
} dsm_divided;

/** The layout of a layer's input along an axis of a role. */
DSM_API dsm_layout dsm_role_input_layout(dsm_role role);
/** The layout of a layer's stored output. */
DSM_API dsm_layout dsm_role_output_layout(dsm_role role);
/** Does a role divide something? */
DSM_API bool dsm_role_divides(dsm_role role, dsm_divided what);

/** The word of the formats, such as "gather_column". Never NULL. */
DSM_API const char *dsm_role_name(dsm_role role);
/** The word read back, exactly; false if the text is none. */
DSM_API bool dsm_role_parse(const char *text, dsm_role *role);

#ifdef __cplusplus
}
#endif

#endif
