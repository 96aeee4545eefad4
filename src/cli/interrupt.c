/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* SIGUSR1: mpirun passes it on and then leaves time, and batch systems can send it before the
 * limit. */
static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};

static atomic_bool is_noted; /* lock-free, so that a handler may set it and any thread ask */

static void note(int number) {
  (void)number;
  atomic_store(&is_noted, true);
}

static void set_all(const struct sigaction *action) {
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    (void)sigaction(signals[i], action, NULL);
  }
}

void cli_interrupt_begin(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  action.sa_flags |= (int)SA_RESETHAND;
  (void)sigemptyset(&action.sa_mask);
  atomic_store(&is_noted, false);
  set_all(&action);
}

void cli_interrupt_end(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  (void)sigemptyset(&action.sa_mask);
  set_all(&action);
}

bool cli_is_interrupted(void) {
  return atomic_load(&is_noted);
}
