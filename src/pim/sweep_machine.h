/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_machine.h: cores in memory as what points of a sweep are on. */
#ifndef DSM_PIM_SWEEP_MACHINE_H
#define DSM_PIM_SWEEP_MACHINE_H

#include "sweep/machine_kind.h"

extern const dsm__machine dsm__pim_machine;

/** Its columns of points; of a dsm_pim_cost. */
extern const dsm__record_type dsm__point_pim_record;

#endif
