/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * energy.h: the energy of what a machine computes and moves (docs/energy.md).
 *
 * All functions are pure. Energies are joules, volumes are bytes.
 */
#ifndef DSM_ENERGY_H
#define DSM_ENERGY_H

#include <stdbool.h>

#include "dsm/element_type.h"
#include "dsm/status.h"
#include "dsm/traffic.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What takes energy, in the order in which its parts are added up. */
typedef enum dsm_energy_part {
  DSM_ENERGY_COMPUTE = 0, /**< products, in the arrays or the vector units */
  DSM_ENERGY_VECTOR,      /**< auxiliary operations */
  DSM_ENERGY_SCRATCHPAD,  /**< operands and sums of the arrays, read and written in scratchpads */
  DSM_ENERGY_CORES,       /**< bytes between the cores of a chip, and to and from them */
  DSM_ENERGY_SHARED,      /**< bytes of the shared memory */
  DSM_ENERGY_MEMORY,      /**< bytes of the external memory */
  DSM_ENERGY_LINKS,       /**< bytes between chips */
  DSM_ENERGY_STATIC,      /**< power that flows whatever the chips do, over the time of the step */
  DSM_ENERGY_PART_COUNT
} dsm_energy_part;

/** Joules by what takes them. Lower is better. */
typedef struct dsm_joules {
  double of[DSM_ENERGY_PART_COUNT];
} dsm_joules;

/** What each thing that the model counts takes, of a chip. */
typedef struct dsm_energy_rates {
  bool is_known;                             /**< the system names a technology */
  double mac_joules[DSM_ELEMENT_TYPE_COUNT]; /**< a product and sum, by the type multiplied */
  double vector_joules;                      /**< an element that an operation passes over */
  double scratchpad_joules;                  /**< a byte read or written */
  double link_joules[DSM_LINK_COUNT];        /**< a byte that a link of the ledger carries */
} dsm_energy_rates;

/** How much cycles and joules count where a search compares by another number than time. */
typedef struct dsm_weights {
  double cycles; /**< of a cycle of the step */
  double joules; /**< of a joule of each chip */
} dsm_weights;

/** Joules that the bytes of a chip's links take. */
DSM_API double dsm_traffic_joules(const dsm_energy_rates *rates, const dsm_traffic *traffic);

/** Adds to *sum what these bytes take, `times` over, by the parts of the links. */
DSM_API void dsm_joules_add_traffic(dsm_joules *sum, const dsm_energy_rates *rates,
                                    const dsm_traffic *traffic, double times);

/** Adds `times` as much of one energy to another. */
DSM_API void dsm_joules_add(dsm_joules *sum, const dsm_joules *more, double times);

/** All parts but the static one, in order. */
DSM_API double dsm_joules_dynamic(const dsm_joules *joules);

/** All parts, in order. */
DSM_API double dsm_joules_total(const dsm_joules *joules);

/** The word of the formats, such as "memory". Never NULL. */
DSM_API const char *dsm_energy_part_name(dsm_energy_part part);

#ifdef __cplusplus
}
#endif

#endif
