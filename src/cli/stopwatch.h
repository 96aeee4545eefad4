/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stopwatch.h: how long something took, for --verbose. */
#ifndef DSM_CLI_STOPWATCH_H
#define DSM_CLI_STOPWATCH_H

/** Seconds since some time in the past; only differences mean something. */
double cli_seconds_now(void);

#endif
