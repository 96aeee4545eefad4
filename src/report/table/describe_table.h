/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_table.h: the parts of a description that are about a system, a server, a profile, a
 * sweep or a chain, for people. */
#ifndef DSM_REPORT_TABLE_DESCRIBE_TABLE_H
#define DSM_REPORT_TABLE_DESCRIBE_TABLE_H

#include "report/table/text_page.h"

/** The kernel of a layer: "3x3", with a stride "3x3 /2", with groups "3x3 g32"; "" if it has none.
 */
const char *dsm__describe_kernel(dsm__page *page, const dsm_layer_spec *spec);

/** Appends where the figures of a description are from, unless source is NULL, and an empty line.
 */
void dsm__describe_source(dsm__page *page, const char *source);

/** Operations per second that a device can do at most, 2 for a MAC; 0: its times are given. */
double dsm__device_peak_flops(const dsm_device *device);

/** Appends a server: its devices. */
void dsm__describe_server(dsm__page *page, const dsm_server *server);

/** Appends a profile: its tasks in sum, and its devices. */
void dsm__describe_profile(dsm__page *page, const dsm_instance *profile);

/** Tasks of a profile that a device can run, and the weights of all. */
size_t dsm__runnable_tasks(const dsm_instance *profile, size_t device);
double dsm__all_weights(const dsm_instance *profile);

/** Appends a chain: its stages, equal neighbours as one. */
void dsm__describe_chain(dsm__page *page, const dsm_remat_chain *chain);

/** "frozen_lake on upmem2524: 885 of 2,524 cores, 12 tasklets, ... 1.736 s, 486 J". */
const char *dsm__pim_heading(dsm__page *page, const dsm_pim_plan *plan);
/** What stands behind the colon of that, without the time. */
const char *dsm__pim_choice_text(dsm__page *page, const dsm_pim_plan *plan);
/** Appends the heading as a line. */
void dsm__pim_put_best(dsm__page *page, const dsm_pim_plan *plan);

/** Append a table of values, and cores in memory. */
void dsm__describe_rl(dsm__page *page, const dsm_rl_workload *workload);
void dsm__describe_pim(dsm__page *page, const dsm_pim_system *system);

/** Appends a sweep: how many points it has, and its axes. */
void dsm__describe_sweep(dsm__page *page, const dsm_sweep *sweep);

#endif
