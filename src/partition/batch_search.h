/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch_search.h: which batch each device runs, where there are several to choose from. */
#ifndef DSM_PARTITION_BATCH_SEARCH_H
#define DSM_PARTITION_BATCH_SEARCH_H

#include "partition/solver.h"

/** Whether a device has several sizes to choose from. */
bool dsm__has_batch_choice(const dsm_instance *instance);

/** dsm_partition_solve where a device has several sizes to choose from. */
DSM_NODISCARD dsm_status dsm__search_batches(dsm_partition **partition,
                                             const dsm_instance *instance,
                                             const dsm_partition_options *options,
                                             dsm_diags *diags);

/** dsm_partition_solve at the batches that devices have. bound may be NULL: proven of the objective
 * also where no answer was found, then infinite (throughput above, else below 0) if nothing is; and
 * 0 requests a second, or infinitely much, where there is no answer. */
DSM_NODISCARD dsm_status dsm__solve_at_batches(dsm_partition **partition, double *bound,
                                               const dsm__question *question, dsm_diags *diags);

/** Sets bound, relaxation (which is no worse), gap and state of an answer. */
void dsm__set_bounds(dsm_partition *partition, double bound, double relaxation);

#endif
