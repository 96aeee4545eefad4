/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_HAND_H
#define DSM_TESTS_HAND_H

/* Machines simple enough to work out the twin's numbers by hand: one MAC a core, so that a block of
 * weights is one weight, exponentials for nothing, four auxiliary passes a cycle, and nothing slow
 * but what a case says. */

#include "twin.h"

enum { HAND_TEXT_SIZE = 2048 };

typedef struct {
  double startup_cycles;
  double scratchpad_bytes;
  double streaming_bytes;
  double memory_bytes_per_cycle;
  int cores;               /* 0: 1 */
  double core_link_cycles; /* a byte; 0: next to none */
  int chips_x;             /* 0: 1 */
  int chips_y;
  double link_bytes_per_cycle; /* along Y; along X as many as anyone wants */
  const char *model;           /* members of the system's `model`, NULL: none */
} hand_machine;

extern unsigned hand_failures;

void hand_expect(const char *what, double found, double expected);

void hand_machine_write(char text[HAND_TEXT_SIZE], const hand_machine *machine);

/* The optimum; a failure if there is none. */
twin_result hand_explore(const char *workload, const hand_machine *machine, twin_options options);

#endif
