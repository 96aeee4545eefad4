/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interrupt.h: ending a long run early but cleanly: SIGINT, SIGTERM, SIGHUP and SIGUSR1 only
 * ask for it, or wait until what belongs together is written. */
#ifndef DSM_CLI_RUN_INTERRUPT_H
#define DSM_CLI_RUN_INTERRUPT_H

#include <stdbool.h>

/** From now on these signals are noted, but for those that are ignored; the second of a kind does
 * what it does by default. */
void cli_interrupt_begin(void);

/** From now on these signals do what they did before. */
void cli_interrupt_end(void);

/** From now on these signals wait. */
void cli_interrupt_hold(void);

/** Those that waited come now. */
void cli_interrupt_release(void);

/** Was one noted? May be asked by any thread. */
bool cli_is_interrupted(void);

/** The same, as long runs ask it; `context` is not used. */
bool cli_should_stop(void *context);

#endif
