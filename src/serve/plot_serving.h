/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_serving.h: figures of an answer of serving, which begins what they are given. */
#ifndef DSM_SERVE_PLOT_SERVING_H
#define DSM_SERVE_PLOT_SERVING_H

#include "report/figure/plot_maker.h"

/** A chip's tokens over a user's, a line an instance; of an answer that has both. */
void dsm__plot_serving_front(dsm__plot_maker *maker, const void *serving);

/** What a token takes over the requests of the best instance, by what it goes to. */
void dsm__plot_serving_steps(dsm__plot_maker *maker, const void *serving);

/** Does an answer have tokens? */
bool dsm__serving_has_tokens(const void *serving);

#endif
