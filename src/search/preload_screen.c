/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_screen.c: bounds of all steps of room.
 *
 * With more room for weights, whatever is held fits no better, and no layer runs faster with the
 * same bytes of weights on chip: the scratchpad that is left falls into no fewer tiles (section 5),
 * and a kernel can stay no better (section 7). So a graph of all that can be held beside the least
 * room has all mappings of every larger room too, and as long as bytes have a price instead of
 * being limited, none of them is faster there. One such graph, narrowed step by step, bounds all
 * steps: at any price, the shortest path with the costs of a smaller room, less the price of the
 * larger one. Prices that were found for one step mostly exclude the next ones too.
 *
 * The graph itself has only the states through which a mapping can be faster than the limit in some
 * step, as far as a relaxed graph tells in the same way; so its bounds hold below the limit.
 */
#include "search/preload_screen.h"

#include <math.h>

#include "plan/tolerance.h"

/* The length of the shortest path at a price. */
typedef struct priced {
  double price;
  double cycles;
} priced;

typedef struct screen {
  const dsm__preload_screening *of;
  dsm__preload_screened *screened;
  dsm__preload_level level;
  dsm__preload_mapping below;
  dsm__preload_mapping above;
  dsm__preload_mapping scratch;
  priced known[DSM__PRELOAD_STEPS]; /* with the costs that the level has */
  size_t known_count;
  int costs; /* the step whose costs those are */
} screen;

static double room_of(const screen *s, int step) {
  return dsm_preload_room_bytes(&s->of->problem->machine) / DSM__PRELOAD_STEPS * step;
}

static bool is_below_limit(const screen *s, double cycles) {
  return dsm__equal_to(cycles) < s->of->limit;
}

static bool init_level(screen *s, const uint64_t *worthwhile, bool is_relaxed) {
  const dsm__preload_request request = {.problem = s->of->problem,
                                        .residents = s->of->residents,
                                        .factors = s->of->factors,
                                        .room_bytes = room_of(s, 1),
                                        .is_holding = is_relaxed || worthwhile != NULL,
                                        .is_relaxed = is_relaxed,
                                        .worthwhile = worthwhile};
  s->known_count = 0;
  s->costs = 1;
  return dsm__preload_level_init(&s->level, &request) &&
         dsm__preload_mapping_init(&s->below, &s->level) &&
         dsm__preload_mapping_init(&s->above, &s->level) &&
         dsm__preload_mapping_init(&s->scratch, &s->level);
}

/* The best bound of a step with the costs at hand. */
static dsm__preload_bound find_bound(screen *s, int step) {
  dsm__preload_bound bound;
  s->level.room_bytes = room_of(s, step);
  dsm__preload_bound_find(&s->level, &s->below, &s->above, &s->scratch, &bound);
  return bound;
}

static uint64_t *new_worthwhile(const screen *s) {
  const size_t boundaries = s->of->problem->inputs.workload->layer_count + 1;
  return dsm__arena_array(s->of->problem->arena, boundaries * DSM_PARALLELISM_COUNT,
                          sizeof(uint64_t));
}

/* Where holding can pay in any step, by the relaxed graph of the first. */
static bool screen_relaxed(screen *s, uint64_t *worthwhile, bool *is_any) {
  bool is_done = init_level(s, NULL, true);
  *is_any = false;
  for (int step = 1; is_done && step <= DSM__PRELOAD_STEPS; step++) {
    const dsm__preload_bound bound = find_bound(s, step);
    bool is_one = false;
    is_done = dsm__preload_worthwhile(&s->level, &bound, s->of->limit, worthwhile, &is_one);
    *is_any = *is_any || is_one;
  }
  return is_done;
}

/* What the prices that are known say of a step. */
static double known_bound(const screen *s, int step) {
  double best = 0;
  for (size_t i = 0; i < s->known_count; i++) {
    const double refund = s->known[i].price * room_of(s, step);
    /* The sums are wrong by less than 1e-12 each. */
    best = fmax(best, s->known[i].cycles - refund - 1e-12 * (s->known[i].cycles + refund));
  }
  return best;
}

/* With the costs of the step itself, if those of a smaller one leave hope. */
static bool screen_step(screen *s, int step) {
  dsm__preload_screened *const one = &s->screened[step];
  one->bound = known_bound(s, step);
  if (!is_below_limit(s, one->bound)) {
    return true;
  }
  if (s->costs < step) {
    s->known_count = 0;
    s->costs = step;
    if (!dsm__preload_level_narrow(&s->level, s->of->residents, room_of(s, step))) {
      return false;
    }
  }
  const dsm__preload_bound bound = find_bound(s, step);
  dsm__preload_set_price(&s->level, bound.price);
  s->known[s->known_count++] = (priced){bound.price, s->level.rest[0]};
  one->bound = fmax(one->bound, bound.cycles);
  if (!is_below_limit(s, one->bound)) {
    return true;
  }
  bool is_any = false;
  one->worthwhile = new_worthwhile(s);
  return one->worthwhile != NULL &&
         dsm__preload_worthwhile(&s->level, &bound, s->of->limit, one->worthwhile, &is_any);
}

static bool screen_steps(screen *s, const uint64_t *worthwhile) {
  bool is_done = init_level(s, worthwhile, false);
  if (is_done && s->level.network.is_cut) {
    return true;
  }
  for (int step = 1; is_done && step <= DSM__PRELOAD_STEPS; step++) {
    is_done = screen_step(s, step);
  }
  return is_done;
}

static void close_level(screen *s, uint64_t *evaluations) {
  *evaluations += s->level.problem.evaluations;
  dsm__preload_level_fini(&s->level);
}

bool dsm__preload_screen(const dsm__preload_screening *screening, dsm__preload_screened *screened,
                         uint64_t *evaluations) {
  const dsm__problem *const problem = screening->problem;
  if (problem->is_bounding_off || problem->groups.count > 0) {
    return true;
  }
  screen s = {.of = screening, .screened = screened};
  uint64_t *const worthwhile = new_worthwhile(&s);
  bool is_any = false;
  bool is_done = worthwhile != NULL;
  if (is_done && screening->is_holding) {
    is_done = screen_relaxed(&s, worthwhile, &is_any);
    close_level(&s, evaluations);
  }
  if (is_done) {
    is_done = screen_steps(&s, is_any ? worthwhile : NULL);
    close_level(&s, evaluations);
  }
  return is_done;
}
