/* SPDX-License-Identifier: GPL-3.0-or-later */
/* feasibility.h: what can be said without a solver about an instance that has no solution. */
#ifndef DSM_PARTITION_FEASIBILITY_H
#define DSM_PARTITION_FEASIBILITY_H

#include "dsm/partition.h"

/** DSM_ERROR_USAGE: the options ask for what the instance does not give (energy without power, a
 * limit that is no number). */
dsm_status dsm__check_question(const dsm_instance *instance, const dsm_partition_options *options,
                               dsm_diags *diags);

/** DSM_ERROR_INFEASIBLE if a task can be stored nowhere (a finding each), or all tasks together are
 * larger than all memories. */
dsm_status dsm__check_room(const dsm_instance *instance, const dsm_partition_options *options,
                           dsm_diags *diags);

#endif
