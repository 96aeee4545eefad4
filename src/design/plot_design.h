/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_design.h: the pictures of a dsm_design. */
#ifndef DSM_DESIGN_PLOT_DESIGN_H
#define DSM_DESIGN_PLOT_DESIGN_H

#include "report/figure/plot_maker.h"

/** What is minimised over the column of the front, and the line that no design is below. */
void dsm__plot_design_front(dsm__plot_maker *maker, const void *design);

/** What the next value of each parameter, and 1 % more of each budget, saves. */
void dsm__plot_design_prices(dsm__plot_maker *maker, const void *design);
bool dsm__design_has_prices(const void *design);

#endif
