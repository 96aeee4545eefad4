/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/trellis.h"

#include <math.h>

#include "plan/tolerance.h"

unsigned dsm__role_change(dsm_parallelism before, dsm_parallelism after) {
  const dsm_axis_roles from = dsm_parallelism_roles(before);
  const dsm_axis_roles to = dsm_parallelism_roles(after);
  return (from.x != to.x ? 1U : 0U) | (from.y != to.y ? 2U : 0U);
}

void dsm__trellis_rest(const dsm__network *network, double cycles_per_byte, dsm__row *rest) {
  rest[network->stage_count - 1] = (dsm__row){{0}};
  for (size_t s = network->stage_count - 1; s-- > 0;) {
    const dsm__network_stage *const next = &network->stages[s + 1];
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      double least = HUGE_VAL;
      for (int q = 0; q < DSM_PARALLELISM_COUNT; q++) {
        const double price = dsm__move_cycles(next, p, q) +
                             dsm__priced(&next->choices[q], cycles_per_byte) + rest[s + 1].at[q];
        least = price < least ? price : least;
      }
      rest[s].at[p] = least;
    }
  }
}

void dsm__trellis_before(const dsm__network *network, double cycles_per_byte, dsm__row *before) {
  before[0] = (dsm__row){{0}};
  for (size_t s = 1; s < network->stage_count; s++) {
    const dsm__network_stage *const previous = &network->stages[s - 1];
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      double least = HUGE_VAL;
      for (int q = 0; q < DSM_PARALLELISM_COUNT; q++) {
        const double price = before[s - 1].at[q] +
                             dsm__priced(&previous->choices[q], cycles_per_byte) +
                             dsm__move_cycles(&network->stages[s], q, p);
        least = price < least ? price : least;
      }
      before[s].at[p] = least;
    }
  }
}

double dsm__trellis_best(const dsm__network *network, double cycles_per_byte, const dsm__row *rest,
                         dsm_parallelism *sequence) {
  double best = HUGE_VAL;
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const double price =
        dsm__priced(&network->stages[0].choices[p], cycles_per_byte) + rest[0].at[p];
    best = price < best ? price : best;
  }
  if (sequence == NULL) {
    return best;
  }
  /* Walk forward; at each stage the first parallelism from which the best can still be reached. */
  const double limit = dsm__equal_to(best);
  double spent = 0;
  for (size_t s = 0; s < network->stage_count; s++) {
    const dsm__network_stage *const stage = &network->stages[s];
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      const double move = s == 0 ? 0 : dsm__move_cycles(stage, (int)sequence[s - 1], p);
      const double here = spent + move + dsm__priced(&stage->choices[p], cycles_per_byte);
      if (here + rest[s].at[p] <= limit) {
        sequence[s] = (dsm_parallelism)p;
        spent = here;
        break;
      }
    }
  }
  return best;
}

double dsm__sequence_bytes(const dsm__network *network, const dsm_parallelism *sequence) {
  double kept = 0;
  double transient = 0;
  for (size_t s = 0; s < network->stage_count; s++) {
    const dsm__choice *const choice = &network->stages[s].choices[sequence[s]];
    kept += choice->kept_bytes;
    transient = choice->transient_bytes > transient ? choice->transient_bytes : transient;
  }
  return kept + transient;
}

double dsm__sequence_cycles(const dsm__network *network, const dsm_parallelism *sequence) {
  double cycles = 0;
  for (size_t s = 0; s < network->stage_count; s++) {
    const dsm__network_stage *const stage = &network->stages[s];
    cycles += stage->choices[sequence[s]].cycles;
    if (s > 0) {
      cycles += dsm__move_cycles(stage, (int)sequence[s - 1], (int)sequence[s]);
    }
  }
  return cycles;
}
