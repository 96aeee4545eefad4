/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_pim.h: figures of a plan of cores in memory, for either back end. */
#ifndef DSM_REPORT_FIGURE_PLOT_PIM_H
#define DSM_REPORT_FIGURE_PLOT_PIM_H

#include "dsm/pim.h"
#include "report/figure/plot_maker.h"

/** Colours of the parts of the time: the first ones of series. */
enum { DSM__PIM_PARTS = 4 };

/* Each is of a dsm_pim_plan. */

/** Where the time goes over cores: the seconds, and the shares of its parts. */
void dsm__plot_pim_breakdown(dsm__plot_maker *maker, const void *plan);

/** Cycles of an update over tasklets, with the knee. */
void dsm__plot_pim_tasklets(dsm__plot_maker *maker, const void *plan);

#endif
