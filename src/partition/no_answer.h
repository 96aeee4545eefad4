/* SPDX-License-Identifier: GPL-3.0-or-later */
/* no_answer.h: why a question has no answer. */
#ifndef DSM_PARTITION_NO_ANSWER_H
#define DSM_PARTITION_NO_ANSWER_H

#include "partition/solver.h"

/** Of a solver that found nothing: the finding, and what it is. */
DSM_NODISCARD dsm_status dsm__report_nothing(const dsm_instance *instance,
                                             const dsm_partition_options *options,
                                             const dsm__solver_answer *solution, dsm_diags *diags);

/** Is the search to end? */
bool dsm__is_stopped(const dsm_partition_options *options);

/** Of answers that all take longer on average than they may; mean: of the nearest. */
DSM_NODISCARD dsm_status dsm__report_slow(const dsm_partition_options *options, double mean,
                                          dsm_diags *diags);

#endif
