/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/network.h"

#include <math.h>
#include <stdlib.h>

#include "search/limited.h"
#include "search/trellis.h"

/* A choice by its transient bytes, for the smallest need. */
typedef struct candidate {
  double transient_bytes;
  size_t stage;
  int parallelism;
} candidate;

static int compare_candidates(const void *left, const void *right) {
  const candidate *const a = left;
  const candidate *const b = right;
  if (a->transient_bytes < b->transient_bytes || a->transient_bytes > b->transient_bytes) {
    return a->transient_bytes < b->transient_bytes ? -1 : 1;
  }
  if (a->stage != b->stage) {
    return a->stage < b->stage ? -1 : 1;
  }
  return a->parallelism - b->parallelism;
}

static size_t list_candidates(const dsm__network *network, candidate *candidates) {
  size_t count = 0;
  for (size_t s = 0; s < network->stage_count; s++) {
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      const dsm__choice *const choice = &network->stages[s].choices[p];
      if (isfinite(choice->cycles)) {
        candidates[count++] = (candidate){choice->transient_bytes, s, p};
      }
    }
  }
  qsort(candidates, count, sizeof candidates[0], compare_candidates);
  return count;
}

/* The sequence of smallest need whose transients are at most `ceiling`. */
static void least_kept_sequence(const dsm__network *network, double ceiling,
                                dsm_parallelism *sequence) {
  for (size_t s = 0; s < network->stage_count; s++) {
    const dsm__choice *const choices = network->stages[s].choices;
    double least = HUGE_VAL;
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      if (isfinite(choices[p].cycles) && choices[p].transient_bytes <= ceiling &&
          choices[p].kept_bytes < least) {
        least = choices[p].kept_bytes;
        sequence[s] = (dsm_parallelism)p;
      }
    }
  }
}

/*
 * Smallest of sum(kept) + max(transient) over all sequences: for each possible value of the largest
 * transient, in ascending order, every stage takes its least kept bytes among the choices within
 * it. The sum is kept up to date, so this costs a sort.
 */
static bool find_smallest_need(const dsm__network *network, dsm__arena *arena,
                               dsm_parallelism *sequence, double *smallest_need) {
  const size_t stage_count = network->stage_count;
  candidate *const candidates =
      dsm__arena_array(arena, stage_count * DSM_PARALLELISM_COUNT, sizeof *candidates);
  double *const least_kept = dsm__arena_array(arena, stage_count, sizeof *least_kept);
  if (candidates == NULL || least_kept == NULL) {
    return false;
  }
  for (size_t s = 0; s < stage_count; s++) {
    least_kept[s] = HUGE_VAL;
  }
  const size_t count = list_candidates(network, candidates);
  size_t open_stages = stage_count;
  double kept = 0;
  double ceiling = HUGE_VAL;
  *smallest_need = HUGE_VAL;
  for (size_t i = 0; i < count; i++) {
    const candidate *const c = &candidates[i];
    const double own = network->stages[c->stage].choices[c->parallelism].kept_bytes;
    if (own < least_kept[c->stage]) {
      const bool is_first = !isfinite(least_kept[c->stage]);
      kept += is_first ? own : own - least_kept[c->stage];
      open_stages -= is_first ? 1 : 0;
      least_kept[c->stage] = own;
    }
    if (open_stages == 0 && kept + c->transient_bytes < *smallest_need) {
      *smallest_need = kept + c->transient_bytes;
      ceiling = c->transient_bytes;
    }
  }
  least_kept_sequence(network, ceiling, sequence);
  *smallest_need = dsm__sequence_bytes(network, sequence);
  return true;
}

bool dsm__network_search(const dsm__network *network, dsm__arena *arena, dsm_parallelism *sequence,
                         dsm__network_answer *answer) {
  dsm__row *const rest = dsm__arena_array(arena, network->stage_count, sizeof *rest);
  dsm__row *const before = dsm__arena_array(arena, network->stage_count, sizeof *before);
  if (rest == NULL || before == NULL) {
    return false;
  }
  *answer = (dsm__network_answer){.is_feasible = true};
  dsm__trellis_rest(network, 0, rest);
  dsm__trellis_best(network, 0, rest, sequence);
  if (dsm__sequence_bytes(network, sequence) <= network->capacity_bytes) {
    /* The path was built from the back; the bound is computed from the front. */
    const size_t last = network->stage_count - 1;
    dsm__trellis_before(network, 0, before);
    answer->cycles = dsm__sequence_cycles(network, sequence);
    answer->lower_bound_cycles = HUGE_VAL;
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      const double cycles = before[last].at[p] + network->stages[last].choices[p].cycles;
      answer->lower_bound_cycles = fmin(answer->lower_bound_cycles, cycles);
    }
    return true;
  }
  if (!find_smallest_need(network, arena, sequence, &answer->smallest_need_bytes)) {
    return false;
  }
  if (answer->smallest_need_bytes > network->capacity_bytes) {
    answer->is_feasible = false;
    return true;
  }
  return dsm__limited_search(network, arena, sequence, answer);
}

bool dsm__network_through(const dsm__network *network, dsm__arena *arena, double *through) {
  dsm__row *const rest = dsm__arena_array(arena, network->stage_count, sizeof *rest);
  dsm__row *const before = dsm__arena_array(arena, network->stage_count, sizeof *before);
  if (rest == NULL || before == NULL) {
    return false;
  }
  dsm__trellis_rest(network, 0, rest);
  dsm__trellis_before(network, 0, before);
  for (size_t s = 0; s < network->stage_count; s++) {
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      through[s * DSM_PARALLELISM_COUNT + (size_t)p] =
          before[s].at[p] + network->stages[s].choices[p].cycles + rest[s].at[p];
    }
  }
  return true;
}
