/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factors.h: the DySM factors among which the search may choose (section 8). */
#ifndef DSM_SEARCH_FACTORS_H
#define DSM_SEARCH_FACTORS_H

#include "dsm/plan.h"

/** Factor number k is 2^k. */
enum { DSM__FACTORS_MAX = 64 };

typedef struct dsm__factors {
  unsigned count;      /**< of factors that some layer may use, at least 1 */
  bool is_uniform;     /**< one factor for all convolutions, 1 for the rest */
  unsigned conv_index; /**< that one */
} dsm__factors;

static inline uint64_t dsm__factor_of(unsigned index) {
  return (uint64_t)1 << index;
}

/** The factors that options, machine and minibatch leave; conv_index is 0. */
dsm__factors dsm__factors_derive(const dsm_workload *workload, const dsm_machine *machine,
                                 const dsm_explore_options *options);

/** May a layer use factor number `index`? */
bool dsm__factor_is_allowed(const dsm__factors *factors, const dsm_layer *layer, unsigned index);

#endif
