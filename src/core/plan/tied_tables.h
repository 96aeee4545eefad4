/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tied_tables.h: layers that share the weights of another one, and how that one cuts them (section
 * 5). */
#ifndef DSM_PLAN_TIED_TABLES_H
#define DSM_PLAN_TIED_TABLES_H

#include "model/tied_table.h"
#include "plan/plan_internal.h"

/** Does some layer share the weights of another one? */
bool dsm__has_tied_layers(const dsm_workload *workload);

/** The layer whose weights a tied one shares; SIZE_MAX: it is not tied. */
size_t dsm__tie_owner(const dsm_workload *workload, size_t index);

/** How a tied layer sees a cut of its owner: the outputs of the one may be the inputs of the other,
 * as the words of an embedding are the outputs of an fc. */
dsm__table_cut dsm__owner_cut_seen(const dsm_workload *workload, size_t owner, size_t index,
                                   dsm__table_cut cut);

/** How the owner of a tied layer cuts its weights, as that layer sees it. Not known, so that they
 * exchange nothing: of layers that are not tied; where one of them is in a pipeline group (A), or
 * they are in two stages, which have weights of their own (section 8). */
dsm__table_cut dsm__owner_cut_of(const dsm_workload *workload, const dsm_machine *machine,
                                 const dsm__decisions *decisions, size_t index);

#endif
