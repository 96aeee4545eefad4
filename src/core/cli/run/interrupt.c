/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* SIGHUP: the terminal is gone. SIGUSR1: mpirun passes it on and then leaves time, and batch
 * systems can send it before the limit. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
#define SIGNAL_COUNT (sizeof signals / sizeof *signals)

static atomic_bool is_noted; /* lock-free, so that a handler may set it and any thread ask */

static void note(int number) {
  (void)number;
  atomic_store(&is_noted, true);
}

/* What they did before. */
static struct sigaction former[SIGNAL_COUNT];

/* A signal that whoever started the program wants ignored, as shells do for jobs in the background,
 * stays ignored. */
void cli_interrupt_begin(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  action.sa_flags |= (int)SA_RESETHAND;
  (void)sigemptyset(&action.sa_mask);
  atomic_store(&is_noted, false);
  for (size_t i = 0; i < SIGNAL_COUNT; i++) {
    (void)sigaction(signals[i], NULL, &former[i]);
    if (former[i].sa_handler != SIG_IGN) {
      (void)sigaction(signals[i], &action, NULL);
    }
  }
}

void cli_interrupt_end(void) {
  for (size_t i = 0; i < SIGNAL_COUNT; i++) {
    (void)sigaction(signals[i], &former[i], NULL);
  }
}

static sigset_t mask_before;

void cli_interrupt_hold(void) {
  sigset_t held;
  (void)sigemptyset(&held);
  for (size_t i = 0; i < SIGNAL_COUNT; i++) {
    (void)sigaddset(&held, signals[i]);
  }
  (void)pthread_sigmask(SIG_BLOCK, &held, &mask_before);
}

void cli_interrupt_release(void) {
  (void)pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
}

bool cli_is_interrupted(void) {
  return atomic_load(&is_noted);
}

bool cli_should_stop(void *context) {
  (void)context;
  return cli_is_interrupted();
}
