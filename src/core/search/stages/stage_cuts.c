/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/stages/stage_cuts.h"

#include <math.h>
#include <string.h>

#include "plan/step_stages.h"
#include "plan/tolerance.h"

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* ---- stages ---- */

static size_t run_count(const dsm__cutting *of) {
  return of->of.stages * of->of.runs;
}

/* What is handed over where a run begins with a segment: the first stage's, from the last one. */
static double given_at(const dsm__cutting *of, size_t run, size_t segment) {
  if (segment == of->count) {
    return 0; /* at the end of all */
  }
  const dsm__segment *const one = &of->segments[segment];
  return one->given_cycles + (run % of->of.stages == 0 ? one->round_cycles : 0);
}

/* A run sends outputs on and errors back; where it has nobody to send to, it waits for what it is
 * given. */
static double handing_on(const dsm__cutting *of, size_t run, size_t first, size_t end) {
  const bool is_last = run + 1 == run_count(of);
  return given_at(of, is_last ? run : run + 1, is_last ? first : end);
}

static double handing_back(const dsm__cutting *of, size_t run, size_t first, size_t end) {
  return given_at(of, run == 0 ? 1 : run, run == 0 ? end : first);
}

static double in_flight(const dsm__cutting *of, size_t stage) {
  const dsm_stages stages = {
      .count = of->of.stages, .interleave = of->of.runs, .schedule = of->of.schedule};
  return dsm__stage_in_flight(&stages, stage, of->of.micro_batches);
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

/* The first `end` segments in one run more, which begins somewhere and takes `limit` at most. */
static cut best_cut(const dsm__cutting *of, const cut *fewer, size_t run, size_t end,
                    double limit) {
  const double times = (double)of->of.micro_batches;
  const double flying = in_flight(of, run % of->of.stages);
  cut best = no_cut;
  double own = 0;
  double kept = 0;
  double transient = 0;
  for (size_t first = end; first-- > run;) {
    const dsm__segment *const segment = &of->segments[first];
    own += (segment->forward_cycles + segment->backward_cycles) * times + segment->once_cycles;
    kept += segment->kept_bytes + segment->activation_bytes * flying;
    transient = larger(transient, segment->transient_bytes);
    if (own > limit || kept > of->capacity_bytes || (isinf(limit) && own > best.longest)) {
      break; /* the last run only grows */
    }
    const double handed = handing_on(of, run, first, end) + handing_back(of, run, first, end);
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

/* Of runs that take `limit` at most; infinite: of which the slowest is fastest. Returns what it
 * takes; infinite if there are none. */
static double cut_within(const dsm__cutting *of, double limit, cut *cuts, size_t *firsts) {
  const size_t row = of->count + 1;
  cuts[0] = (cut){0, 0, 0, 0};
  for (size_t end = 1; end <= of->count; end++) {
    cuts[end] = no_cut;
  }
  const size_t runs = run_count(of);
  for (size_t s = 1; s <= runs; s++) {
    for (size_t end = 0; end <= of->count; end++) {
      const bool is_asked = end >= s && (s < runs || end == of->count);
      cuts[s * row + end] =
          is_asked ? best_cut(of, &cuts[(s - 1) * row], s - 1, end, limit) : no_cut;
    }
  }
  const cut *const whole = &cuts[runs * row + of->count];
  size_t end = of->count;
  for (size_t s = runs; whole->first != SIZE_MAX && s > 0; s--) {
    end = cuts[s * row + end].first;
    firsts[s - 1] = end;
  }
  return whole->longest;
}

bool dsm__segments_cut_evenly(const dsm__cutting *of, size_t *firsts, dsm__arena *arena) {
  cut *cuts = NULL;
  if (!DSM__RESERVE(arena, cuts, (run_count(of) + 1) * (of->count + 1))) {
    return false;
  }
  (void)cut_within(of, HUGE_VAL, cuts, firsts);
  return true;
}

/* ---- the schedule ---- */

/* What a run takes, and its part of what its stage keeps. */
static void take_run(const dsm__cutting *of, const size_t *firsts, size_t run, double flying,
                     dsm__stage_cost *cost, double *kept, double *transient) {
  const size_t end = run + 1 < run_count(of) ? firsts[run + 1] : of->count;
  const double on = handing_on(of, run, firsts[run], end);
  const double back = handing_back(of, run, firsts[run], end);
  dsm__stage_cost own = {.forward = on, .backward = back, .handed = on + back};
  *kept += of->segments[firsts[run]].given_bytes * flying;
  for (size_t i = firsts[run]; i < end; i++) {
    const dsm__segment *const segment = &of->segments[i];
    own.forward += segment->forward_cycles;
    own.backward += segment->backward_cycles;
    own.update += segment->update_cycles;
    own.once += segment->once_cycles;
    *kept += segment->kept_bytes + segment->activation_bytes * flying;
    *transient = larger(*transient, segment->transient_bytes);
  }
  dsm__stage_cost_add(cost, &own);
}

/* What the step takes; infinite if a stage does not fit, negative if out of memory. */
static double step_of(const dsm__cutting *of, const size_t *firsts, dsm__stage_cost *costs) {
  for (size_t s = 0; s < of->of.stages; s++) {
    const double flying = in_flight(of, s);
    double kept = 0;
    double transient = 0;
    costs[s] = (dsm__stage_cost){.forward = 0};
    for (size_t run = s; run < run_count(of); run += of->of.stages) {
      take_run(of, firsts, run, flying, &costs[s], &kept, &transient);
    }
    if (kept + transient > of->capacity_bytes) {
      return HUGE_VAL;
    }
  }
  return dsm__stages_step_cycles(costs, &of->of);
}

/* Schedules of more passes are not asked so often; with several runs of each stage the schedule is
 * a closed form, which is asked for two ends of what moves. */
enum { PASSES_MOVED = 4096, ENDS_MOVED = 1 << 20 };

/* A step, and of equally fast ones what tells how even the stages are. */
typedef struct judged {
  double step; /* infinite: a stage does not fit; negative: out of memory */
  double squares;
} judged;

static judged judge(const dsm__cutting *of, const size_t *firsts, dsm__stage_cost *costs) {
  judged out = {step_of(of, firsts, costs), 0};
  for (size_t s = 0; s < of->of.stages; s++) {
    const double all =
        (costs[s].forward + costs[s].backward) * (double)of->of.micro_batches + costs[s].once;
    out.squares += all * all;
  }
  return out;
}

/* Of several runs the slowest stages are many: it takes several moves until the step is faster. */
static bool is_evener(const judged *one, const judged *other, bool is_wide) {
  return dsm__tie_limit(one->step) < other->step ||
         (is_wide && one->step <= other->step && dsm__tie_limit(one->squares) < other->squares);
}

static void shift(size_t *firsts, size_t first, size_t end, bool is_back) {
  for (size_t b = first; b < end; b++) {
    firsts[b] = is_back ? firsts[b] - 1 : firsts[b] + 1;
  }
}

/* Moves the borders [first, end) by a segment if that is better. False if out of memory. */
static bool move_borders_between(const dsm__cutting *of, size_t *firsts, size_t first, size_t end,
                                 bool is_back, bool is_wide, judged *best, dsm__stage_cost *costs,
                                 bool *is_moved) {
  shift(firsts, first, end, is_back);
  const judged moved = judge(of, firsts, costs);
  const bool is_better = moved.step >= 0 && is_evener(&moved, best, is_wide);
  if (!is_better) {
    shift(firsts, first, end, !is_back);
  }
  *best = is_better ? moved : *best;
  *is_moved = *is_moved || is_better;
  return moved.step >= 0;
}

/* Moves borders by a segment as long as that is better: each by itself, or any that follow each
 * other, so that a segment that a run has beside others goes to any other run. */
static bool move_borders(const dsm__cutting *of, size_t *firsts, bool is_wide, judged *best,
                         dsm__stage_cost *costs) {
  const size_t runs = run_count(of);
  bool is_moved = true;
  while (is_moved) {
    is_moved = false;
    for (size_t s = 1; s < runs; s++) {
      for (size_t end = s + 1; end <= (is_wide ? runs : s + 1); end++) {
        const size_t behind = end < runs ? firsts[end] : of->count;
        if ((firsts[s] - 1 > firsts[s - 1] &&
             !move_borders_between(of, firsts, s, end, true, is_wide, best, costs, &is_moved)) ||
            (firsts[end - 1] + 1 < behind &&
             !move_borders_between(of, firsts, s, end, false, is_wide, best, costs, &is_moved))) {
          return false;
        }
      }
    }
  }
  return true;
}

/* Each border, and of several runs of each stage then any of them. False if out of memory. */
static bool move_all(const dsm__cutting *of, size_t *firsts, double *step, dsm__stage_cost *costs) {
  const size_t runs = run_count(of);
  const bool is_wide = of->of.runs > 1 && runs * runs * of->count <= ENDS_MOVED;
  judged best = judge(of, firsts, costs);
  const bool is_good =
      best.step >= 0 && (of->of.micro_batches * runs > PASSES_MOVED ||
                         (move_borders(of, firsts, false, &best, costs) &&
                          (!is_wide || move_borders(of, firsts, true, &best, costs))));
  *step = best.step;
  return is_good;
}

/* What cuts are made of. */
typedef struct tries {
  cut *cuts; /* of the first `end` segments in s runs, at s * (count + 1) + end */
  size_t *tried;
  dsm__stage_cost *costs;
  size_t *firsts; /* of the best */
  double step;    /* of it; negative: out of memory */
} tries;

/* Runs that take `limit` at most take the place of the best if they are faster. Returns the slowest
 * of them; infinite if there are none. */
static double try_within(const dsm__cutting *of, double limit, const dsm__cutting *whole,
                         tries *out) {
  const double longest = cut_within(of, limit, out->cuts, out->tried);
  const double step = isfinite(longest) ? step_of(whole, out->tried, out->costs) : HUGE_VAL;
  if (step < 0 || !isfinite(out->step) || dsm__tie_limit(step) < out->step) {
    out->step = step;
    memcpy(out->firsts, out->tried, run_count(of) * sizeof *out->tried);
  }
  return longest;
}

/* Some limits from the least one on. */
static void try_all(const dsm__cutting *of, const dsm__cutting *whole, tries *out) {
  static const double slower[] = {1.02, 1.05, 1.1, 1.2, 1.5, 2};
  const double longest = try_within(of, HUGE_VAL, whole, out);
  for (size_t k = 0; isfinite(longest) && out->step >= 0 && k < DSM__COUNT_OF(slower); k++) {
    (void)try_within(of, longest * slower[k], whole, out);
  }
}

/* The only cut there is, or none. */
static bool cut_equally(const dsm__cutting *of, size_t *firsts, double *cycles,
                        dsm__stage_cost *costs) {
  const size_t runs = run_count(of);
  size_t run = 0;
  for (size_t i = 0; i < of->count && run < runs; i++) {
    if (of->blocks_before[i] * runs == run * of->blocks_before[of->count]) {
      firsts[run++] = i;
    }
  }
  *cycles = run == runs ? step_of(of, firsts, costs) : HUGE_VAL;
  return *cycles >= 0;
}

bool dsm__segments_cut(const dsm__cutting *of, size_t *firsts, double *cycles, dsm__arena *arena) {
  const size_t runs = run_count(of);
  tries out = {.firsts = firsts, .step = HUGE_VAL};
  if (!DSM__RESERVE(arena, out.cuts, (runs + 1) * (of->count + 1)) ||
      !DSM__RESERVE(arena, out.tried, runs) || !DSM__RESERVE(arena, out.costs, of->of.stages)) {
    return false;
  }
  if (of->blocks_before != NULL) {
    return cut_equally(of, firsts, cycles, out.costs);
  }
  try_all(of, of, &out);
  if (of->of.runs > 1 && out.step >= 0) { /* so that all runs of a stage fit */
    dsm__cutting part = *of;
    part.capacity_bytes /= (double)of->of.runs;
    try_all(&part, of, &out);
  }
  if (out.step < 0 || (isfinite(out.step) && !move_all(of, firsts, &out.step, out.costs))) {
    return false;
  }
  *cycles = out.step;
  return true;
}
