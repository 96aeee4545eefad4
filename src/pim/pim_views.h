/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_views.h: figures, for either back end, and the trace of a plan of cores in memory. */
#ifndef DSM_PIM_PIM_VIEWS_H
#define DSM_PIM_PIM_VIEWS_H

#include "report/answer.h"

/** Colours of the parts of the time: the first ones of series. */
enum { DSM__PIM_PARTS = 4 };

/* Each is of a dsm_pim_plan. */

/** Where the time goes over cores: the seconds, and the shares of its parts. */
void dsm__plot_pim_breakdown(dsm__plot_maker *maker, const void *plan);

/** Cycles of an update over tasklets, with the knee. */
void dsm__plot_pim_tasklets(dsm__plot_maker *maker, const void *plan);

dsm__view dsm__put_pim_trace;

#endif
