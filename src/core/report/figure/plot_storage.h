/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_storage.h: figures of what storage delivers, for either back end. */
#ifndef DSM_REPORT_FIGURE_PLOT_STORAGE_H
#define DSM_REPORT_FIGURE_PLOT_STORAGE_H

#include "dsm/storage.h"
#include "report/figure/plot_plan.h"

/** An answer that is drawn. */
typedef struct dsm__stored {
  const dsm_storage_result *result;
  const dsm_plan *plan; /**< of which it is; NULL: it was asked for by itself */
} dsm__stored;

/* Each makes its figure, whatever of it fails. */
typedef void dsm__stored_plot(dsm__plot_maker *maker, const dsm__stored *of);
dsm__stored_plot dsm__plot_stored_factors;
dsm__stored_plot dsm__plot_stored_mini_epochs;
dsm__stored_plot dsm__plot_stored_roofline; /**< of an answer that has roofs */

#endif
