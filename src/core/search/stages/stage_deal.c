/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stage_deal.c: cuts of which no stage takes more than a limit.
 *
 * With p stages of v runs each, run r begins at segment r + e_r, where e_r tells how many segments
 * the runs before it have beside one each: from 0 to E, and never fewer than the run before. Stage
 * j has the runs j, j + p, .. A state before stage j is e_j, e_(j + p), .., and it is reached if
 * the stages before take no more than the limit. Behind the last stage each round ends where the
 * next one begins, so that for each choice of these places there are few states: e_(j + i p) is
 * between those of round i and of the next. Over all choices they are (E + 2v - 1 over E).
 */
#include "search/stages/stage_deal.h"

#include <string.h>

#include "base/arena.h"

enum { STATES_MAX = 1 << 16 };

typedef struct dealing {
  const dsm__deal *of;
  size_t spare;   /* E */
  size_t *begins; /* e of each round's first run, and E */
  size_t *spared; /* of a state, by each round */
  bool *is_here;  /* states that are reached before a stage, */
  bool *is_next;  /* and before the next one */
  size_t stage;
} dealing;

/* States of all choices. */
static double states_of(const dsm__deal *of, size_t spare) {
  double states = 1;
  for (size_t k = 1; k <= spare && states <= STATES_MAX; k++) {
    states *= (double)(k + 2 * of->runs - 1) / (double)k;
  }
  return states;
}

/* A run sends outputs on and errors back; where it has nobody to send to, it waits for what it is
 * given. */
static double run_takes(const dsm__deal *of, size_t run, size_t first, size_t end) {
  const bool is_last = run + 1 == of->stages * of->runs;
  const double back = run > 0 && run % of->stages == 0 ? of->round[first] : 0;
  const double on = !is_last && (run + 1) % of->stages == 0 ? of->round[end] : 0;
  return of->taken[end] - of->taken[first] + of->given[run == 0 ? end : first] + back +
         of->given[is_last ? first : end] + on;
}

/* All states behind the stage, from a round on; the state before it is in `spared`. */
static void reach(const dealing *d, size_t round, size_t state, double taken) {
  const dsm__deal *const of = d->of;
  if (round == of->runs) {
    d->is_next[state] = true;
    return;
  }
  const size_t run = round * of->stages + d->stage;
  const size_t first = run + d->spared[round];
  const size_t radix = d->begins[round + 1] - d->begins[round] + 1;
  for (size_t e = d->spared[round]; e <= d->begins[round + 1]; e++) {
    const size_t end = run + 1 + e;
    const double with = taken + run_takes(of, run, first, end);
    if (taken + of->taken[end] - of->taken[first] > of->most) {
      break; /* the run only grows */
    }
    if (with <= of->most) {
      reach(d, round + 1, state * radix + e - d->begins[round], with);
    }
  }
}

/* With rounds that begin where they do. */
static bool is_dealt(dealing *d) {
  const size_t runs = d->of->runs;
  size_t states = 1;
  for (size_t i = 0; i < runs; i++) {
    states *= d->begins[i + 1] - d->begins[i] + 1;
  }
  bool is_any = true;
  memset(d->is_here, 0, states * sizeof(bool));
  d->is_here[0] = true;
  for (d->stage = 0; d->stage < d->of->stages && is_any; d->stage++) {
    bool *const here = d->is_here;
    memset(d->is_next, 0, states * sizeof(bool));
    for (size_t state = 0; state < states; state++) {
      size_t rest = state;
      for (size_t i = runs; here[state] && i-- > 0;) {
        const size_t radix = d->begins[i + 1] - d->begins[i] + 1;
        d->spared[i] = d->begins[i] + rest % radix;
        rest /= radix;
      }
      if (here[state]) {
        reach(d, 0, 0, 0);
      }
    }
    is_any = memchr(d->is_next, true, states * sizeof(bool)) != NULL;
    d->is_here = d->is_next;
    d->is_next = here;
  }
  return is_any && d->is_here[states - 1];
}

/* Wherever the rounds from one on begin. */
static bool is_any_dealt(dealing *d, size_t round) {
  bool is_any = round == d->of->runs && is_dealt(d);
  for (size_t e = d->begins[round - 1]; round < d->of->runs && e <= d->spare && !is_any; e++) {
    d->begins[round] = e;
    is_any = is_any_dealt(d, round + 1);
  }
  return is_any;
}

bool dsm__may_be_dealt(const dsm__deal *of, bool *is_good) {
  dealing d = {.of = of, .spare = of->count - of->stages * of->runs};
  if (states_of(of, d.spare) > STATES_MAX) {
    return true;
  }
  dsm__arena *const arena = dsm__arena_new();
  *is_good =
      DSM__RESERVE(arena, d.begins, of->runs + 1) && DSM__RESERVE(arena, d.spared, of->runs) &&
      DSM__RESERVE(arena, d.is_here, STATES_MAX) && DSM__RESERVE(arena, d.is_next, STATES_MAX);
  if (*is_good) {
    d.begins[of->runs] = d.spare;
  }
  const bool is_any = *is_good && is_any_dealt(&d, 1);
  dsm__arena_free(arena);
  return is_any;
}
