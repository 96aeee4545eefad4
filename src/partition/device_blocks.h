/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * device_blocks.h: the programme taken apart by devices.
 *
 * Most rows speak of one device: its time, its memory, its link, what it stores. Few tie devices
 * together: each task runs as often as the others, what is received was sent. With a price y_r for
 * each of those, what a device is worth is a programme of its own, and for any prices
 *
 *   goal <= sum over devices of the most that each is worth + what the priced rows allow,
 *
 * where each device's most is over whole tasks (Dantzig and Wolfe, "Decomposition principle for
 * linear programs", Operations Research 8, 1960). The linear relaxation lets a device store a part
 * of everything and send nothing; here it cannot.
 */
#ifndef DSM_PARTITION_DEVICE_BLOCKS_H
#define DSM_PARTITION_DEVICE_BLOCKS_H

#include "partition/solver_search.h"

/** A device, or several equal ones. */
typedef struct dsm__block {
  size_t device;     /**< the first */
  size_t count;      /**< how many it stands for */
  glp_prob *problem; /**< NULL: it can run nothing */
  size_t *columns;   /**< [k]: of the programme; GLPK's k + 1 */
  size_t column_count;
  double worth;    /**< at the last prices: most that one of them is worth, or more */
  bool has_values; /**< something was found at the last prices */
  double *values;  /**< [k]: what that is */
} dsm__block;

typedef struct dsm__blocks {
  dsm__search *search;
  dsm__block *blocks;
  size_t block_count;
  size_t *block_of; /**< [device] */
  size_t *rows;     /**< [r]: rows that are priced, of the programme */
  size_t row_count;
  size_t *first;       /**< [column]: its entries in priced rows begin here; one more at the end */
  dsm__entry *entries; /**< by column; row: r */
} dsm__blocks;

/** False: out of memory. The problems are GLPK's, freed with its environment. */
bool dsm__blocks_make(dsm__blocks *blocks, dsm__search *search);

/** The bound at these prices [r], in the programme's goal (always maximised); infinite where a
 * device could not be solved. Leaves each device's worth and values. Prices of the wrong sign are
 * set to 0. */
double dsm__blocks_price(dsm__blocks *blocks, double *prices);

#endif
