/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exhaustive.c: shortest paths over all that a memory can hold.
 *
 * What is there: of each stage nothing, its output, or what option k saves; how many backward
 * passes have run; which stages have run forward; and which output was made by the last step, for
 * only that one may be dropped by the next.
 */
#include "exhaustive.h"

#include <math.h>
#include <stdlib.h>

enum {
  L = EXHAUSTIVE_STAGES_MAX,
  HOLDINGS = 2 + EXHAUSTIVE_OPTIONS_MAX,
  STATES = 4 * 4 * 4 * 4 * 4 * (L + 1) * (L + 1) * (1 << L)
};
_Static_assert(HOLDINGS == 4, "four of each stage");

typedef struct state {
  unsigned held[L]; /* 0: nothing, 1: the output, 2 + k: what option k saves */
  unsigned backwards;
  unsigned fresh; /* stage whose output the last step made, + 1; 0: none */
  unsigned run;   /* a bit a stage */
} state;

static size_t pack(const state *of) {
  size_t code = 0;
  for (int s = 0; s < L; s++) {
    code = code * HOLDINGS + of->held[s];
  }
  return ((code * (L + 1) + of->backwards) * (L + 1) + of->fresh) * (1 << L) + of->run;
}

static state unpack(size_t code) {
  state of = {.run = (unsigned)(code % (1 << L))};
  code /= 1 << L;
  of.fresh = (unsigned)(code % (L + 1));
  code /= L + 1;
  of.backwards = (unsigned)(code % (L + 1));
  code /= L + 1;
  for (int s = L - 1; s >= 0; s--) {
    of.held[s] = (unsigned)(code % HOLDINGS);
    code /= HOLDINGS;
  }
  return of;
}

typedef struct walk {
  const dsm_remat_chain *chain;
  double budget;
  double *seconds; /* of each state */
  bool *is_queued;
  size_t *queue; /* a ring */
  size_t head;
  size_t count;
} walk;

static double error_of(const dsm_remat_chain *chain, size_t stage_plus_1) {
  return stage_plus_1 == 0 ? chain->input_error_bytes : chain->stages[stage_plus_1 - 1].error_bytes;
}

static double held_bytes(const walk *of, const state *at) {
  const dsm_remat_chain *const chain = of->chain;
  double bytes = at->backwards > 0 ? error_of(chain, chain->stage_count - at->backwards) : 0;
  for (size_t s = 0; s < chain->stage_count; s++) {
    bytes += at->held[s] == 1  ? chain->stages[s].output_bytes
             : at->held[s] > 1 ? chain->stages[s].options[at->held[s] - 2].saved_bytes
                               : 0;
  }
  return bytes;
}

/* Goes to another state, unless memory does not suffice on the way. */
static void go(walk *of, double seconds, double needed, const state *to) {
  const size_t code = pack(to);
  if (needed > of->budget || seconds >= of->seconds[code]) {
    return;
  }
  of->seconds[code] = seconds;
  if (!of->is_queued[code]) {
    of->is_queued[code] = true;
    of->queue[(of->head + of->count++) % STATES] = code;
  }
}

static void go_forward(walk *of, const state *at, double seconds, size_t s) {
  const dsm_remat_stage *const stage = &of->chain->stages[s];
  const double held = held_bytes(of, at);
  if ((s > 0 && at->held[s - 1] == 0) || at->held[s] != 0 ||
      (((at->run >> s) & 1U) != 0 && !stage->is_recomputable)) {
    return;
  }
  state to = *at;
  to.run |= 1U << s;
  to.held[s] = 1;
  to.fresh = (unsigned)s + 1;
  const double plain = held + stage->output_bytes + stage->temporary_bytes;
  go(of, seconds + stage->forward_seconds, plain, &to);
  if (s > 0 && at->fresh == s) {
    to.held[s - 1] = 0;
    go(of, seconds + stage->forward_seconds, plain, &to);
    to.held[s - 1] = at->held[s - 1];
  }
  to.fresh = 0;
  for (size_t k = 0; k < stage->option_count; k++) {
    const dsm_remat_option *const option = &stage->options[k];
    to.held[s] = 2 + (unsigned)k;
    go(of, seconds + option->forward_seconds,
       held + option->saved_bytes + option->forward_temporary_bytes, &to);
  }
}

static void go_backward(walk *of, const state *at, double seconds) {
  const size_t s = of->chain->stage_count - 1 - at->backwards;
  if (at->held[s] < 2 || (s > 0 && at->held[s - 1] == 0)) {
    return;
  }
  const dsm_remat_option *const option = &of->chain->stages[s].options[at->held[s] - 2];
  const double made = at->backwards == 0 ? of->chain->stages[s].error_bytes : 0;
  const double needed =
      held_bytes(of, at) + made + error_of(of->chain, s) + option->backward_temporary_bytes;
  state to = *at;
  to.held[s] = 0;
  to.backwards++;
  to.fresh = 0;
  if (s > 0 && at->held[s - 1] == 1) {
    to.held[s - 1] = 0;
  }
  go(of, seconds + option->backward_seconds, needed, &to);
}

static double walk_all(walk *of) {
  const state start = {.backwards = 0};
  double best = HUGE_VAL;
  go(of, 0, 0, &start);
  while (of->count > 0) {
    const size_t code = of->queue[of->head];
    const state at = unpack(code);
    const double seconds = of->seconds[code];
    of->head = (of->head + 1) % STATES;
    of->count--;
    of->is_queued[code] = false;
    if (at.backwards == of->chain->stage_count) {
      best = seconds < best ? seconds : best;
      continue;
    }
    for (size_t s = 0; s < of->chain->stage_count - at.backwards; s++) {
      go_forward(of, &at, seconds, s);
    }
    go_backward(of, &at, seconds);
  }
  return best;
}

double exhaustive_seconds(const dsm_remat_chain *chain, double budget) {
  walk of = {.chain = chain,
             .budget = budget,
             .seconds = malloc(STATES * sizeof *of.seconds),
             .is_queued = calloc(STATES, sizeof *of.is_queued),
             .queue = malloc(STATES * sizeof *of.queue)};
  for (size_t i = 0; i < STATES; i++) {
    of.seconds[i] = HUGE_VAL;
  }
  const double best = walk_all(&of);
  free(of.seconds);
  free(of.is_queued);
  free(of.queue);
  return best;
}
