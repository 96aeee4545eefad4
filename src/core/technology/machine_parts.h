/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_parts.h: the parts of what a machine costs, each with a list of what it lacks. */
#ifndef DSM_TECHNOLOGY_MACHINE_PARTS_H
#define DSM_TECHNOLOGY_MACHINE_PARTS_H

#include "dsm/system.h"
#include "dsm/technology.h"

/** A number that has to be stated: NaN, and noted as missing, if it is 0. `path` is static. */
double dsm__needed(dsm_machine_cost *cost, double number, const char *path);

/** Fills the areas of a chip. */
void dsm__area_of(const dsm_system *system, dsm_machine_cost *cost);

/** Fills the watts, for which the area must be there. */
void dsm__watts_of(const dsm_system *system, dsm_machine_cost *cost);

/** Bandwidth of all links of a chip along an axis, one way, GB/s. */
double dsm__axis_GBps(const dsm_network_axis *axis);

/** Hosts of a system. */
double dsm__hosts_of(const dsm_system *system);

#endif
