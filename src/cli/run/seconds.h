/* SPDX-License-Identifier: GPL-3.0-or-later */
/* seconds.h: how long something takes. */
#ifndef DSM_CLI_RUN_SECONDS_H
#define DSM_CLI_RUN_SECONDS_H

/** Seconds since some moment that stays the same. */
double cli_seconds_now(void);

#endif
