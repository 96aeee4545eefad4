/* SPDX-License-Identifier: GPL-3.0-or-later */
/* descriptors.h: standard input, output and error, whatever the caller left open. */
#ifndef DSM_CLI_RUN_DESCRIPTORS_H
#define DSM_CLI_RUN_DESCRIPTORS_H

#include <stdbool.h>

/**
 * Makes sure that descriptors 0 to 2 are open, so that no file of ours gets one of these numbers
 * and what is printed ends in it. One that was closed can be neither read nor written afterwards,
 * as before. The first thing that a program does. False if they cannot be opened.
 */
bool cli_occupy_standard_descriptors(void);

#endif
