/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/stages/stage_cuts.h"

#include <math.h>

#include "plan/makespan.h"

/* The best that the segments before one come to in some stages. */
typedef struct cut {
  double longest;
  double squares;
  size_t first; /* segment of the last stage; SIZE_MAX: there is none */
} cut;

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* What is handed over at the border before a segment, or at the end of a stage. */
static double given_at(const dsm__cutting *of, size_t segment) {
  return segment < of->count ? of->segments[segment].given_cycles : 0;
}

/* A stage sends outputs on and errors back; where it has nobody to send to, it waits for what it is
 * given. */
static double handing_over(const dsm__cutting *of, size_t stage, size_t first, size_t end) {
  const bool is_last = stage + 1 == of->stages;
  return given_at(of, is_last ? first : end) + given_at(of, stage == 0 ? end : first);
}

/* The first `end` segments in one stage more, which begins somewhere. */
static cut best_cut(const dsm__cutting *of, const cut *fewer, size_t stage, size_t end) {
  const double times = (double)of->micro_batches;
  const double in_flight =
      (double)dsm__stored_micro_batches(false, of->stages, stage, of->micro_batches);
  cut best = {HUGE_VAL, HUGE_VAL, SIZE_MAX};
  double own = 0;
  double kept = 0;
  double transient = 0;
  for (size_t first = end; first-- > stage;) {
    const dsm__segment *const segment = &of->segments[first];
    own += segment->micro_cycles * times + segment->once_cycles;
    kept += segment->kept_bytes + segment->activation_bytes * in_flight;
    transient = larger(transient, segment->transient_bytes);
    const double last = own + handing_over(of, stage, first, end) * times;
    const double longest = larger(last, fewer[first].longest);
    const double squares = fewer[first].squares + last * last;
    const bool fits = kept + transient + segment->given_bytes * in_flight <= of->capacity_bytes;
    if (own > best.longest || kept > of->capacity_bytes) {
      break; /* the last stage only grows */
    }
    if (fits && fewer[first].first != SIZE_MAX &&
        (longest < best.longest || (!(longest > best.longest) && squares < best.squares))) {
      best = (cut){longest, squares, first};
    }
  }
  return best;
}

bool dsm__segments_cut(const dsm__cutting *of, size_t *firsts, bool *is_found, dsm__arena *arena) {
  const size_t row = of->count + 1;
  cut *cuts = NULL; /* of the first `end` segments in s stages, at s * row + end */
  if (!DSM__RESERVE(arena, cuts, (of->stages + 1) * row)) {
    return false;
  }
  for (size_t end = 1; end <= of->count; end++) {
    cuts[end] = (cut){HUGE_VAL, HUGE_VAL, SIZE_MAX};
  }
  for (size_t s = 1; s <= of->stages; s++) {
    for (size_t end = 0; end <= of->count; end++) {
      cuts[s * row + end] = end < s || (s == of->stages && end < of->count)
                                ? (cut){HUGE_VAL, HUGE_VAL, SIZE_MAX}
                                : best_cut(of, &cuts[(s - 1) * row], s - 1, end);
    }
  }
  size_t end = of->count;
  *is_found = cuts[of->stages * row + end].first != SIZE_MAX;
  for (size_t s = of->stages; *is_found && s > 0; s--) {
    end = cuts[s * row + end].first;
    firsts[s - 1] = end;
  }
  return true;
}
