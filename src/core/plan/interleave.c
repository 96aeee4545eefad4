/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/interleave.h"

static const dsm__word words[] = {
    [DSM_SCHEDULE_1F1B].key = "1f1b", [DSM_SCHEDULE_ZERO_BUBBLE].key = "zero_bubble"};
DSM__NAMED_WORDS(dsm__schedule_words, "schedule", words, DSM_SCHEDULE_COUNT, dsm_schedule,
                 dsm_schedule_name);

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

/* A stage takes n x at least, whatever it fills its waiting with. */
double dsm__least_waiting(const dsm__interleaving *of) {
  return of->schedule == DSM_SCHEDULE_ZERO_BUBBLE ? 0 : 1 / (double)of->runs;
}

/*
 * Source: section 13. Symbols: S = cycles of all layers for a micro-batch: n x + (S - x) / v, x >=
 * S / p the largest stage, is at least n S / p + S (p - 1) / (p v). Limits: one stage: 0.
 */
double dsm__interleaved_waiting(const dsm__interleaving *of) {
  const double stages = (double)of->stages;
  return (stages - 1) / stages * dsm__least_waiting(of);
}
