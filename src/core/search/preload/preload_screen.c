/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_screen.c: bounds of all steps of room.
 *
 * With more room for weights, whatever is held fits no better, and no layer runs faster with the
 * same bytes of weights on chip: the scratchpad that is left falls into no fewer tiles (section 5),
 * and a kernel can stay no better (section 7). The same goes for the stages of pipeline groups,
 * which keep the cycles of the least room. So a graph of all that can be held beside the least room
 * has all mappings of every larger room too, and as long as bytes have a price instead of being
 * limited, none of them is faster there. One such graph bounds all steps: at any price, the
 * shortest path with the costs of a step, less the price of a room, bounds that room, if it is no
 * smaller than the step's. So the costs of a step bound all steps from it on; the step with the
 * least bound is narrowed down to by halves, until it has costs of its own, and mostly few steps
 * need these.
 *
 * Where no groups and no layouts are in the way, paths of the graph with the costs of a step are
 * mappings of that step, and the fastest seen lowers the limit.
 *
 * The graph itself has only the states through which a mapping can be faster than the limit in some
 * step, as far as a relaxed graph tells in the same way; so its bounds hold below the limit.
 */
#include "search/preload/preload_candidates.h"

#include <math.h>
#include <string.h>

#include "plan/tolerance.h"

/* A mapping that is best at some price: as points of bytes and cycles such mappings are the corners
 * of a convex line. */
typedef struct corner {
  double bytes;
  double cycles;
  bool is_last_before; /* the line runs straight from here to the next corner */
} corner;

enum { CORNERS_MAX = 512 };

typedef struct screen {
  const dsm__preload_screening *of;
  dsm__preload_screened *screened;
  dsm__preload_level level;
  dsm__preload_mapping mapping;
  corner corners[CORNERS_MAX]; /* by bytes, with the costs that the level has */
  size_t corner_count;
  int costs;                             /* the step whose costs those are */
  double prices[DSM__PRELOAD_STEPS + 1]; /* with which steps have their bounds */
  bool has_own_costs[DSM__PRELOAD_STEPS + 1];
  bool are_mappings; /* paths of the graph are mappings of the step whose costs they have */
  double limit;      /* cycles of the fastest mapping known, or a little more */
  int fastest;       /* the step that it was seen in; 0: none */
} screen;

static bool is_over(const screen *s) {
  return dsm__problem_is_over(s->of->problem);
}

static bool is_below_limit(const screen *s, double cycles) {
  return dsm__tie_limit(cycles) < s->limit;
}

/* Can a step have what is better than the gap lets pass? */
static bool is_hopeful(const screen *s, int step) {
  return is_below_limit(s, s->screened[step].bound * (1 + s->of->problem->inputs.options->gap));
}

static bool init_level(screen *s, const uint64_t *worthwhile, bool is_relaxed) {
  const dsm__preload_request request = {.problem = s->of->problem,
                                        .residents = s->of->residents,
                                        .factors = s->of->factors,
                                        .room_bytes = dsm__preload_room_of(s->of->problem, 1),
                                        .is_holding = is_relaxed || worthwhile != NULL,
                                        .is_relaxed = is_relaxed,
                                        .worthwhile = worthwhile};
  s->corner_count = 0;
  s->costs = 1;
  return dsm__preload_level_init(&s->level, &request) &&
         dsm__preload_mapping_init(&s->mapping, &s->level);
}

/* Sums of cycles are wrong by less than this part of them. */
static const double rounding = 1e-12;

/* ---- bounds ---- */

/* What a price says of a room. */
static dsm__preload_bound bound_of(double sum, double price, double room_bytes) {
  const double refund = price * room_bytes;
  return (dsm__preload_bound){.cycles = sum - refund - rounding * (sum + refund), .price = price};
}

/* The corner at a price; its sum of cycles and priced bytes in *sum. */
static corner find_corner(screen *s, double price, double *sum) {
  dsm__preload_find_priced(&s->level, price, &s->mapping);
  *sum = s->level.rest[0];
  return (corner){s->mapping.bytes, s->mapping.cycles, false};
}

static void begin_corners(screen *s) {
  double unused = 0;
  s->corners[0] = find_corner(s, HUGE_VAL, &unused);
  s->corners[1] = find_corner(s, 0, &unused);
  s->corner_count = s->corners[1].bytes > s->corners[0].bytes ? 2 : 1;
  s->corners[0] = s->corner_count == 2 ? s->corners[0] : s->corners[1];
}

/* The last corner that takes no more than the room. */
static size_t corner_within(const screen *s, double room_bytes) {
  size_t within = 0;
  while (within + 1 < s->corner_count &&
         s->corners[within + 1].bytes <= dsm__capacity_limit(room_bytes)) {
    within++;
  }
  return within;
}

/* The best bound of a step with the costs at hand: at the price at which the corners on both sides
 * of the room are equally good. Where these are not next to each other on the line, another one is
 * found between them. */
static dsm__preload_bound find_bound(screen *s, int step) {
  const double room = dsm__preload_room_of(s->of->problem, step);
  s->level.room_bytes = room;
  if (s->corner_count == 0) {
    begin_corners(s);
  }
  for (;;) {
    const size_t within = corner_within(s, room);
    corner *const below = &s->corners[within];
    const corner *const above = below + 1;
    if (within + 1 == s->corner_count) {
      return bound_of(below->cycles, 0, room);
    }
    const double price = (below->cycles - above->cycles) / (above->bytes - below->bytes);
    const double crossing = below->cycles + price * below->bytes;
    if (below->is_last_before) {
      return bound_of(crossing * (1 - rounding), price, room);
    }
    double sum = 0;
    const corner between = find_corner(s, price, &sum);
    const bool is_new = between.bytes > below->bytes && between.bytes < above->bytes;
    if (!is_new || sum >= crossing * (1 - rounding) || s->corner_count == CORNERS_MAX) {
      below->is_last_before = sum >= crossing * (1 - rounding);
      return bound_of(sum, price, room);
    }
    memmove(below + 2, below + 1, (s->corner_count - within - 1) * sizeof *below);
    below[1] = between;
    s->corner_count++;
  }
}

static uint64_t *new_worthwhile(const screen *s) {
  const size_t boundaries = s->of->problem->inputs.workload->layer_count + 1;
  return dsm__arena_array(s->of->problem->arena, boundaries * DSM_PARALLELISM_COUNT,
                          sizeof(uint64_t));
}

/* Steps that are looked at together in the relaxed graph: what holds for the last holds for all. */
enum { STRIDE = 4 };
_Static_assert(DSM__PRELOAD_STEPS % STRIDE == 0, "the last step is looked at");

/* Where holding can pay in any step, by the relaxed graph of the first. */
static bool screen_relaxed(screen *s, uint64_t *worthwhile, bool *is_any) {
  bool is_done = init_level(s, NULL, true);
  *is_any = false;
  for (int step = STRIDE; is_done && !is_over(s) && step <= DSM__PRELOAD_STEPS; step += STRIDE) {
    const dsm__preload_bound bound = find_bound(s, step);
    bool is_one = false;
    is_done = !is_below_limit(s, bound.cycles) ||
              dsm__preload_worthwhile(&s->level, &bound, s->limit, worthwhile, &is_one);
    *is_any = *is_any || is_one;
  }
  return is_done;
}

/* Raises the bound of a step to what corners say of it, without looking for more. */
static void raise_bound(screen *s, int step) {
  const double room = dsm__preload_room_of(s->of->problem, step);
  for (size_t i = 0; i < s->corner_count; i++) {
    const corner *const one = &s->corners[i];
    dsm__preload_bound bound = {.cycles = 0};
    if (i + 1 == s->corner_count) {
      bound = bound_of(one->cycles, 0, room);
    } else if (one->is_last_before) {
      const double price = (one->cycles - one[1].cycles) / (one[1].bytes - one->bytes);
      bound = bound_of((one->cycles + price * one->bytes) * (1 - rounding), price, room);
    }
    if (bound.cycles > s->screened[step].bound) {
      s->screened[step].bound = bound.cycles;
      s->prices[step] = bound.price;
    }
  }
}

/* Raises the bound of a step to the best with the costs at hand. */
static void join_bound(screen *s, int step) {
  const dsm__preload_bound bound = find_bound(s, step);
  if (bound.cycles > s->screened[step].bound) {
    s->screened[step].bound = bound.cycles;
    s->prices[step] = bound.price;
  }
}

/* Lowers the limit to the last mapping found with the costs of a step, after giving it the room. A
 * mapping as fast as that is still below the limit: it is to be found again. False if out of
 * memory. */
static bool lower_limit(screen *s, int step) {
  s->level.room_bytes = dsm__preload_room_of(s->of->problem, step);
  if (!s->are_mappings || !dsm__preload_fits_memory(&s->level, &s->mapping)) {
    return true;
  }
  if (!dsm__preload_fill(&s->level, &s->mapping)) {
    return false;
  }
  const double cycles = dsm__tie_limit(dsm__tie_limit(dsm__tie_limit(s->mapping.cycles)));
  if (cycles < s->limit) {
    s->limit = cycles;
    s->fastest = step;
  }
  return true;
}

/* Gives the level the costs of a step; false if out of memory. */
static bool take_costs(screen *s, int step) {
  if (s->costs == step) {
    return true;
  }
  s->corner_count = 0;
  s->costs = step;
  return dsm__preload_level_resize(&s->level, s->of->residents,
                                   dsm__preload_room_of(s->of->problem, step));
}

/* Bounds a step with its own costs, and those behind it, up to the next that has its own. */
static bool screen_step(screen *s, int step) {
  if (!take_costs(s, step)) {
    return false;
  }
  s->has_own_costs[step] = true;
  if (is_over(s)) { /* the costs are not all there */
    return true;
  }
  join_bound(s, step);
  if (!lower_limit(s, step)) {
    return false;
  }
  int last = step;
  while (last < DSM__PRELOAD_STEPS && !s->has_own_costs[last + 1]) {
    last++;
  }
  join_bound(s, last);
  for (int c = step + 1; c <= last; c++) {
    raise_bound(s, c);
  }
  return true;
}

/* On the way to the step with the least bound that has no costs of its own: half way from the last
 * one before it that has. 0: no such step can have anything faster. */
static int next_step(const screen *s) {
  int least = 0;
  for (int c = 1; c <= DSM__PRELOAD_STEPS; c++) {
    if (!s->has_own_costs[c] && is_hopeful(s, c) &&
        (least == 0 || s->screened[c].bound < s->screened[least].bound)) {
      least = c;
    }
  }
  int before = least;
  while (before > 0 && !s->has_own_costs[before]) {
    before--;
  }
  return least == 0 ? 0 : before + (least - before + 1) / 2;
}

/* Tells where holding can pay in a step that is left. */
static bool find_worthwhile(screen *s, int step) {
  dsm__preload_screened *const one = &s->screened[step];
  const dsm__preload_bound bound = {.cycles = one->bound, .price = s->prices[step]};
  one->worthwhile = new_worthwhile(s);
  if (one->worthwhile == NULL || !take_costs(s, step)) {
    return false;
  }
  s->level.room_bytes = dsm__preload_room_of(s->of->problem, step);
  return dsm__preload_worthwhile(&s->level, &bound, s->limit, one->worthwhile, &one->is_any);
}

static bool screen_steps(screen *s, const uint64_t *worthwhile) {
  bool is_done = init_level(s, worthwhile, false);
  const dsm__pipeline_groups *const groups = &s->level.found.groups;
  if (is_done && (s->level.network.is_cut || !groups->is_exact || !groups->is_complete)) {
    return true;
  }
  s->are_mappings = groups->count == 0 && !dsm__has_layouts(s->of->problem->machine.system);
  for (int step = 1; is_done && !is_over(s) && step != 0; step = next_step(s)) {
    is_done = screen_step(s, step);
  }
  for (int step = DSM__PRELOAD_STEPS; is_done && !is_over(s) && step > 0; step--) {
    if (s->has_own_costs[step] && (is_hopeful(s, step) || step == s->fastest)) {
      is_done = find_worthwhile(s, step);
    }
  }
  return is_done;
}

static void close_level(screen *s, uint64_t *evaluations) {
  *evaluations += s->level.found.evaluations;
  dsm__preload_level_fini(&s->level);
}

bool dsm__preload_screen(const dsm__preload_screening *screening, dsm__preload_screened *screened,
                         uint64_t *evaluations) {
  const dsm__problem *const problem = screening->problem;
  if (problem->is_bounding_off) {
    return true;
  }
  screen s = {.of = screening, .screened = screened, .limit = screening->limit};
  uint64_t *const worthwhile = new_worthwhile(&s);
  bool is_any = false;
  bool is_done = worthwhile != NULL;
  if (is_done && screening->is_holding) {
    is_done = screen_relaxed(&s, worthwhile, &is_any);
    close_level(&s, evaluations);
  }
  if (is_done) {
    is_done = is_over(&s) || screen_steps(&s, is_any ? worthwhile : NULL);
    close_level(&s, evaluations);
  }
  return is_done;
}
