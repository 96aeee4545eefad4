/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tied_table.h: weights that two layers share, and what they exchange (section 5). */
#ifndef DSM_MODEL_TIED_TABLE_H
#define DSM_MODEL_TIED_TABLE_H

#include "dsm/model.h"

/** What a chip of an axis has of a layer's weights. */
typedef enum dsm__table_part {
  DSM__TABLE_SHARED = 0, /**< all, as have the others, for samples or positions of its own */
  DSM__TABLE_IN,         /**< those of some inputs */
  DSM__TABLE_OUT,        /**< those of some outputs */
  DSM__TABLE_WHOLE       /**< all, as have the others, which do the same work */
} dsm__table_part;

/** The part along each axis, as a dsm__table_part: of gradients behind the update pass, and of
 * weights as forward and backward use them. */
typedef struct dsm__table_cut {
  bool is_known; /**< else nothing is said */
  uint8_t gradients[DSM_AXES_MAX];
  uint8_t weights[DSM_AXES_MAX];
} dsm__table_cut;

/** How a layer cuts its weights. Source: the table of section 3. Limits: an axis of one chip:
 * shared. */
dsm__table_cut dsm__table_cut_of(const dsm_layer *layer, const dsm_machine *machine,
                                 const dsm_pass_layouts *layouts);

/** The same, seen from a layer whose inputs are that one's outputs. */
dsm__table_cut dsm__table_transposed(dsm__table_cut cut);

/** Are two cuts the same? */
bool dsm__table_is_cut_alike(const dsm__table_cut *a, const dsm__table_cut *b);

/** Collectives one after the other, of which those that nothing asks for have no bytes: gradients
 * from the tied layer to the one that has the weights are reduce-scattered, passed by an
 * all-to-all, all-reduced and all-gathered; weights come back by an all-to-all and an all-gather.
 */
enum { DSM__TABLE_GRADIENT_MOVES = 4, DSM__TABLE_MOVES = 6 };

/** What moves once a step between the two parts of a table. */
typedef struct dsm__table_exchange {
  dsm_traffic moves[DSM__TABLE_MOVES]; /**< those of gradients first */
} dsm__table_exchange;

/**
 * What a tied layer exchanges with the layer that has its weights. Source: section 5, tied tables.
 * Symbols: along each axis a reduce-scatter and an all-gather where the owner cuts and the tied
 * layer does not, two all-to-all where both do in other ways, and where each chip of the owner has
 * all for the same work an all-reduce or all-gather of gradients. `owner` as the tied layer sees
 * it. Limits: equal cuts, an owner that sums: nothing; not known: nothing.
 */
dsm__table_exchange dsm__table_exchange_derive(const dsm_layer *layer, const dsm_machine *machine,
                                               dsm_precision precision, const dsm__table_cut *owner,
                                               const dsm__table_cut *own);

/**
 * Adds to the memory of a tied layer what it has of the table beside what the owner has. Source:
 * section 12. Symbols: w_el/n_weights * Bk where weights are exchanged, * Bg where anything is, by
 * the parallelism of forward. Limits: nothing exchanged: nothing.
 */
void dsm__add_table_copy(dsm_layer_memory *memory, const dsm_layer *layer,
                         const dsm_machine *machine, const dsm_workload *workload, dsm_mode mode,
                         const dsm_pass_layouts *layouts, const dsm__table_cut *owner);

#endif
