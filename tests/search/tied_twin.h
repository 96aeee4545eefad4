/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tied_twin.h: what a layer exchanges with the one whose weights it shares, and what it keeps of
 * them, by rules written a second time; how much a collective takes is asked of the model. */
#ifndef DSM_TESTS_SEARCH_TIED_TWIN_H
#define DSM_TESTS_SEARCH_TIED_TWIN_H

#include "dsm/dsm.h"

/** Cycles of a layer, with the roles of all; 0 where it has weights of its own. */
double tied_twin_cycles(const dsm_workload *workload, const dsm_machine *machine, size_t layer,
                        const dsm_roles *roles);

/** Bytes of a chip, likewise. */
double tied_twin_bytes(const dsm_workload *workload, const dsm_machine *machine, dsm_mode mode,
                       size_t layer, const dsm_roles *roles);

/** Does a layer share its weights with another one? */
bool tied_twin_has_table(const dsm_workload *workload, size_t layer);

#endif
