/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/stages/stage_cuts.h"

#include <math.h>
#include <string.h>

#include "plan/makespan.h"
#include "plan/step_stages.h"
#include "plan/tolerance.h"

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* ---- stages ---- */

/* What is handed over at the border before a segment, or at the end of all. */
static double given_at(const dsm__cutting *of, size_t segment) {
  return segment < of->count ? of->segments[segment].given_cycles : 0;
}

/* A stage sends outputs on and errors back; where it has nobody to send to, it waits for what it is
 * given. */
static double handing_on(const dsm__cutting *of, size_t stage, size_t first, size_t end) {
  return given_at(of, stage + 1 == of->stages ? first : end);
}

static double handing_back(const dsm__cutting *of, size_t stage, size_t first, size_t end) {
  return given_at(of, stage == 0 ? end : first);
}

static double in_flight(const dsm__cutting *of, size_t stage) {
  return (double)dsm__stored_micro_batches(false, of->stages, stage, of->micro_batches);
}

/* ---- dynamic programming ---- */

/* The best that the segments before one come to in some stages. */
typedef struct cut {
  double longest;
  double handed; /* over, for a micro-batch */
  double squares;
  size_t first; /* segment of the last stage; SIZE_MAX: there is none */
} cut;

static const cut no_cut = {HUGE_VAL, HUGE_VAL, HUGE_VAL, SIZE_MAX};

/* Where stages may be so slow and no slower, what they hand over comes first. */
static bool is_better(const cut *one, const cut *other, bool is_limited) {
  const double a[] = {is_limited ? one->handed : one->longest, one->longest, one->squares};
  const double b[] = {is_limited ? other->handed : other->longest, other->longest, other->squares};
  size_t at = 0;
  while (at < 2 && !(a[at] < b[at] || a[at] > b[at])) {
    at++;
  }
  return a[at] < b[at];
}

/* The first `end` segments in one stage more, which begins somewhere and takes `limit` at most. */
static cut best_cut(const dsm__cutting *of, const cut *fewer, size_t stage, size_t end,
                    double limit) {
  const double times = (double)of->micro_batches;
  const double flying = in_flight(of, stage);
  cut best = no_cut;
  double own = 0;
  double kept = 0;
  double transient = 0;
  for (size_t first = end; first-- > stage;) {
    const dsm__segment *const segment = &of->segments[first];
    own += (segment->forward_cycles + segment->backward_cycles) * times + segment->once_cycles;
    kept += segment->kept_bytes + segment->activation_bytes * flying;
    transient = larger(transient, segment->transient_bytes);
    if (own > limit || kept > of->capacity_bytes) {
      break; /* the last stage only grows */
    }
    const double handed = handing_on(of, stage, first, end) + handing_back(of, stage, first, end);
    const double last = own + handed * times;
    const cut one = {.longest = larger(last, fewer[first].longest),
                     .handed = fewer[first].handed + handed,
                     .squares = fewer[first].squares + last * last,
                     .first = first};
    const bool fits = kept + transient + segment->given_bytes * flying <= of->capacity_bytes;
    if (fits && last <= limit && fewer[first].first != SIZE_MAX &&
        is_better(&one, &best, isfinite(limit))) {
      best = one;
    }
  }
  return best;
}

/* Of stages that take `limit` at most; infinite: of which the slowest is fastest. Returns what it
 * takes; infinite if there are none. */
static double cut_within(const dsm__cutting *of, double limit, cut *cuts, size_t *firsts) {
  const size_t row = of->count + 1;
  cuts[0] = (cut){0, 0, 0, 0};
  for (size_t end = 1; end <= of->count; end++) {
    cuts[end] = no_cut;
  }
  for (size_t s = 1; s <= of->stages; s++) {
    for (size_t end = 0; end <= of->count; end++) {
      const bool is_asked = end >= s && (s < of->stages || end == of->count);
      cuts[s * row + end] =
          is_asked ? best_cut(of, &cuts[(s - 1) * row], s - 1, end, limit) : no_cut;
    }
  }
  const cut *const whole = &cuts[of->stages * row + of->count];
  size_t end = of->count;
  for (size_t s = of->stages; whole->first != SIZE_MAX && s > 0; s--) {
    end = cuts[s * row + end].first;
    firsts[s - 1] = end;
  }
  return whole->longest;
}

/* ---- the schedule ---- */

/* What the step takes; infinite if a stage does not fit, negative if out of memory. */
static double step_of(const dsm__cutting *of, const size_t *firsts, dsm__stage_cost *costs) {
  for (size_t s = 0; s < of->stages; s++) {
    const size_t end = s + 1 < of->stages ? firsts[s + 1] : of->count;
    const double flying = in_flight(of, s);
    double need = of->segments[firsts[s]].given_bytes * flying;
    double transient = 0;
    costs[s] = (dsm__stage_cost){.forward = handing_on(of, s, firsts[s], end),
                                 .backward = handing_back(of, s, firsts[s], end)};
    for (size_t i = firsts[s]; i < end; i++) {
      const dsm__segment *const segment = &of->segments[i];
      costs[s].forward += segment->forward_cycles;
      costs[s].backward += segment->backward_cycles;
      costs[s].once += segment->once_cycles;
      need += segment->kept_bytes + segment->activation_bytes * flying;
      transient = larger(transient, segment->transient_bytes);
    }
    if (need + transient > of->capacity_bytes) {
      return HUGE_VAL;
    }
  }
  return dsm__stages_step_cycles(costs, of->stages, of->micro_batches);
}

/* Schedules of more passes are not asked so often. */
enum { PASSES_MOVED = 4096 };

/* Moves borders by a segment as long as the step is faster. */
static bool move_borders(const dsm__cutting *of, size_t *firsts, double step,
                         dsm__stage_cost *costs) {
  bool is_moved = of->micro_batches * of->stages <= PASSES_MOVED;
  while (is_moved) {
    is_moved = false;
    for (size_t s = 1; s < of->stages; s++) {
      const size_t before = firsts[s];
      const size_t end = s + 1 < of->stages ? firsts[s + 1] : of->count;
      const size_t others[] = {before - 1, before + 1};
      for (size_t k = 0; k < 2; k++) {
        if (others[k] <= firsts[s - 1] || others[k] >= end) {
          continue;
        }
        const size_t now = firsts[s];
        firsts[s] = others[k];
        const double moved = step_of(of, firsts, costs);
        if (moved < 0) {
          return false;
        }
        const bool is_faster = dsm__tie_limit(moved) < step;
        firsts[s] = is_faster ? others[k] : now;
        step = is_faster ? moved : step;
        is_moved = is_moved || is_faster;
      }
    }
  }
  return true;
}

bool dsm__segments_cut(const dsm__cutting *of, size_t *firsts, bool *is_found, dsm__arena *arena) {
  static const double slower[] = {1.02, 1.05, 1.1, 1.2, 1.5, 2};
  cut *cuts = NULL; /* of the first `end` segments in s stages, at s * (count + 1) + end */
  size_t *tried = NULL;
  dsm__stage_cost *costs = NULL;
  if (!DSM__RESERVE(arena, cuts, (of->stages + 1) * (of->count + 1)) ||
      !DSM__RESERVE(arena, tried, of->stages) || !DSM__RESERVE(arena, costs, of->stages)) {
    return false;
  }
  const double longest = cut_within(of, HUGE_VAL, cuts, firsts);
  *is_found = isfinite(longest);
  double step = *is_found ? step_of(of, firsts, costs) : 0;
  for (size_t k = 0; *is_found && step >= 0 && k < sizeof slower / sizeof *slower; k++) {
    (void)cut_within(of, longest * slower[k], cuts, tried);
    const double other = step_of(of, tried, costs);
    if (other < 0) {
      return false;
    }
    if (dsm__tie_limit(other) < step) {
      step = other;
      memcpy(firsts, tried, of->stages * sizeof *tried);
    }
  }
  return step >= 0 && (!*is_found || move_borders(of, firsts, step, costs));
}
