/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/interleave.h"

/*
 * Source: section 8; Narayanan et al. 2021, section 2.2. Symbols: v = 1, or p divides n: groups of
 * p micro-batches pass a run before they pass the stage's next one. Limits: v = 1: always.
 */
bool dsm__is_interleaved_well(const dsm__interleaving *of) {
  return of->runs <= 1 || of->micro_batches % of->stages == 0;
}

/*
 * Source: section 8; Narayanan et al. 2021. Symbols: min(n v, 2 (p - i) + (v - 1) p + 1) at stage i
 * of p, from 1. Limits: the last stage: (v - 1) p + 1; few micro-batches: all their runs.
 */
size_t dsm__interleaved_in_flight(const dsm__interleaving *of, size_t stage) {
  const size_t all = of->micro_batches * of->runs;
  const size_t ahead = 2 * (of->stages - 1 - stage) + (of->runs - 1) * of->stages + 1;
  return all < ahead ? all : ahead;
}

/*
 * Source: section 8; Narayanan et al. 2021 (a bubble of (p - 1) / v n for equal stages). Symbols: c
 * and h of a stage for a micro-batch; a run takes its part of c + h/v, n max(c + h) + (sum(c + h/v)
 * - that of the largest) / v. Limits: v = 1: n max + (sum - max); one stage: n of it.
 */
double dsm__interleaved_cycles(const dsm__interleaving *of, const dsm__interleaved_cost *costs) {
  const double runs = (double)of->runs;
  double most = 0;
  double shortened = 0; /* of the largest */
  double sum = 0;
  for (size_t s = 0; s < of->stages; s++) {
    const double all = costs[s].own + costs[s].handed;
    const double once = costs[s].own + costs[s].handed / runs;
    sum += once;
    shortened = all > most ? once : shortened;
    most = all > most ? all : most;
  }
  return (double)of->micro_batches * most + (sum - shortened) / runs;
}

/*
 * Source: section 13. Symbols: S = cycles of all layers for a micro-batch: n x + (S - x) / v, x >=
 * S / p the largest stage, is at least n S / p + S (p - 1) / (p v). Limits: one stage: 0.
 */
double dsm__interleaved_waiting(const dsm__interleaving *of) {
  const double stages = (double)of->stages;
  return (stages - 1) / (stages * (double)of->runs);
}

/* ---- the schedule ---- */

/* A pass of a stage: of one of its runs, counted over all stages, and a micro-batch. */
typedef struct pass {
  size_t run;
  size_t micro_batch;
} pass;

/* The k-th forward pass of a stage: micro-batches in groups of as many as stages. Back it is the
 * last run first. */
static pass pass_at(const dsm__interleaving *of, size_t stage, size_t k, bool is_back) {
  const size_t group = of->stages * of->runs;
  const size_t turn = k % group / of->stages;
  return (pass){.run = (is_back ? of->runs - 1 - turn : turn) * of->stages + stage,
                .micro_batch = k / group * of->stages + k % of->stages};
}

typedef struct running {
  const dsm__interleaving *of;
  const double *forward;
  const double *backward;
  double *forward_ends; /* of run and micro-batch; negative: it has not run */
  double *backward_ends;
  size_t *forwards; /* of each stage: how many have run */
  size_t *backwards;
  double *free_at; /* of each stage */
} running;

/* When what a pass needs is there; negative: it is not. */
static double ready_at(const running *r, pass of, bool is_back) {
  const size_t count = r->of->micro_batches;
  const size_t at = of.run * count + of.micro_batch;
  if (!is_back) {
    return of.run == 0 ? 0 : r->forward_ends[at - count];
  }
  return of.run + 1 == r->of->stages * r->of->runs ? r->forward_ends[at]
                                                   : r->backward_ends[at + count];
}

/* A stage goes forward as long as it may keep what that makes, and then backward and forward in
 * turn. Runs its next pass, if it can. */
static bool run_next(running *r, size_t stage) {
  const size_t all = r->of->micro_batches * r->of->runs;
  const size_t kept = r->forwards[stage] - r->backwards[stage];
  const bool is_back =
      r->forwards[stage] == all || kept == dsm__interleaved_in_flight(r->of, stage);
  if (r->backwards[stage] == all) {
    return false;
  }
  const pass next =
      pass_at(r->of, stage, is_back ? r->backwards[stage] : r->forwards[stage], is_back);
  const double ready = ready_at(r, next, is_back);
  if (ready < 0) {
    return false;
  }
  const double start = ready > r->free_at[stage] ? ready : r->free_at[stage];
  const double end = start + (is_back ? r->backward : r->forward)[next.run];
  const size_t at = next.run * r->of->micro_batches + next.micro_batch;
  (is_back ? r->backward_ends : r->forward_ends)[at] = end;
  (is_back ? r->backwards : r->forwards)[stage]++;
  r->free_at[stage] = end;
  return true;
}

bool dsm__interleaved_schedule(const dsm__interleaving *of, const double *forward,
                               const double *backward, dsm__arena *arena, dsm__schedule *schedule) {
  const size_t count = of->stages * of->runs * of->micro_batches;
  running r = {.of = of, .forward = forward, .backward = backward};
  if (!DSM__RESERVE(arena, r.forward_ends, count) || !DSM__RESERVE(arena, r.backward_ends, count) ||
      !DSM__RESERVE(arena, r.forwards, of->stages) ||
      !DSM__RESERVE(arena, r.backwards, of->stages) ||
      !DSM__RESERVE(arena, r.free_at, of->stages)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    r.forward_ends[i] = r.backward_ends[i] = -1;
  }
  bool is_moved = true;
  while (is_moved) {
    is_moved = false;
    for (size_t s = 0; s < of->stages; s++) {
      while (run_next(&r, s)) {
        is_moved = true;
      }
    }
  }
  *schedule = (dsm__schedule){r.forward_ends, r.backward_ends};
  return true;
}
