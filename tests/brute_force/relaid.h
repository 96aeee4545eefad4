/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_RELAID_H
#define DSM_TESTS_RELAID_H

/* A plan that holds outputs, once more, with other layouts of them (model.layout_move "exact") and
 * the core splits as they were: then much moves. */

#include "dsm/dsm.h"
#include "instance.h"

typedef struct {
  double libdsm; /* step cycles */
  double twin;
} relaid_cycles;

/* Are there layouts in the plan to change? */
bool relaid_has_layouts(const dsm_plan *plan);

/* Random layouts, of the plan's outputs and the mapping's, and what both sides make of them; false
 * if one of them finds fault. `mapping` is the plan's. */
bool relaid_compare(relaid_cycles *out, dsm_plan *plan, twin_mapping *mapping,
                    const instance *given, instance_random *random, dsm_diags *diags);

#endif
