/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_metrics.h: how wide text is in a figure. */
#ifndef DSM_REPORT_FIGURE_PLOT_METRICS_H
#define DSM_REPORT_FIGURE_PLOT_METRICS_H

/** Units that a text takes at most, in which of the usual sans-serif fonts it ever is set. */
double dsm__plot_text_width(const char *text, double size);

#endif
