/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device_bound.h: a bound that looks at each device's memory, time and link at once. */
#ifndef DSM_PARTITION_DEVICE_BOUND_H
#define DSM_PARTITION_DEVICE_BOUND_H

#include "partition/solver_search.h"

/** Makes the search's bound stricter: looks, until so many seconds are left, for prices of what
 * devices have in common by which their worth is least. Nothing happens without a best answer to
 * begin with. */
dsm_status dsm__bound_by_devices(dsm__search *search, double seconds_left);

#endif
