/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_serving.h: figures of an answer of serving. Each gets a struct that begins with it. */
#ifndef DSM_SERVE_PLOT_SERVING_H
#define DSM_SERVE_PLOT_SERVING_H

#include "report/figure/plot_maker.h"

/** Draws tokens of a chip over those of a user, a line for each instance; the answer has both. */
void dsm__plot_serving_front(dsm__plot_maker *maker, const void *serving);

/** Draws where the time of a token goes, over the batches of the best instance. */
void dsm__plot_serving_steps(dsm__plot_maker *maker, const void *serving);

/** Does an answer have tokens? */
bool dsm__serving_has_tokens(const void *serving);

#endif
