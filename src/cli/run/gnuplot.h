/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gnuplot.h: gnuplot as a program outside, which makes pictures of scripts. */
#ifndef DSM_CLI_RUN_GNUPLOT_H
#define DSM_CLI_RUN_GNUPLOT_H

#include <stddef.h>

#include "cli/run/exit_code.h"
#include "dsm/plot.h"

/**
 * Runs gnuplot with a script on its standard input; what it writes to its standard output becomes
 * *picture, malloc'ed, to be freed by the caller. On failure (it is not installed, complains, makes
 * nothing or what does not begin as `form` does, or takes too long) that was printed, and *picture
 * is NULL.
 */
cli_exit cli_gnuplot_run(const char *script, dsm_plot_form form, char **picture, size_t *length);

#endif
