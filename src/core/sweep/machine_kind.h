/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_kind.h: whether an input of a sweep is for cores in memory: a workload that is a table of
 * values, a system of such cores. */
#ifndef DSM_SWEEP_MACHINE_KIND_H
#define DSM_SWEEP_MACHINE_KIND_H

#include "base/json_read.h"
#include "dsm/sweep.h"

/** By its format. */
bool dsm__is_for_pim(const dsm__json_node *description);

/** The same of an input, which is JSON without spaces. */
bool dsm__is_input_for_pim(const dsm_sweep_input *input);

#endif
