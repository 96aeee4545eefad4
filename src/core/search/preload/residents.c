/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/preload/residents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "model/equations.h"
#include "plan/tolerance.h"
#include "search/layer_search.h"

/* The first invocations of a run with a fraction of the weights on chip. */
typedef struct invocations {
  dsm_pass_work work;
  double count;        /* without steady invocations */
  double count_before; /* those that steady ones follow */
} invocations;

static invocations invocations_of(const dsm__resident_run *run, double fraction) {
  dsm__layer_setting setting = run->setting;
  setting.resident_fraction = fraction;
  const dsm__parts parts = dsm__pass_parts(&setting, DSM_PASS_FORWARD, run->parallelism, false);
  const double count = (double)parts.items[0].count;
  return (invocations){
      .work = dsm__part_work(&setting, DSM_PASS_FORWARD, run->parallelism, &parts.items[0]),
      .count = count,
      .count_before = count / (double)setting.layer->timesteps,
  };
}

static bool has_weights(const dsm__resident_run *run) {
  return run->setting.layer->weight_elements > 0 && run->setting.layer->lookup_elements == 0;
}

/* The better of keeping the kernel over timesteps or not. */
static dsm__resident resident_of(const dsm__resident_run *run, const invocations *first,
                                 double cycles, double bytes, double fraction, size_t split) {
  dsm__resident resident = {bytes, first->count * cycles, fraction, split, false};
  const double kept = first->count_before * cycles + run->steady_cycles;
  if (run->can_keep_kernel && kept <= dsm__tie_limit(resident.cycles)) {
    resident.cycles = kept;
    resident.is_kernel_kept = true;
  }
  return resident;
}

/* What the scoring of a run's splits needs again and again. */
typedef struct scorer {
  const dsm__resident_run *run;
  const dsm__core_splits *splits;
  invocations none; /* nothing on chip */
  invocations all;
  uint64_t evaluations;
} scorer;

static scorer scorer_of(const dsm__resident_run *run, const dsm__core_splits *splits) {
  return (scorer){run, splits, invocations_of(run, 0), invocations_of(run, 1), 0};
}

/* With a part on chip: the last is as much as helps, and no faster is possible with this split. */
static dsm__resident score_break(scorer *s, size_t split, double fraction, bool is_last,
                                 double all_cycles) {
  const dsm_loops *const loops = &s->splits->items[split];
  const double bytes = fraction * dsm_kept_kernel_bytes(&s->none.work, loops);
  if (is_last) {
    return resident_of(s->run, &s->all, all_cycles, bytes, fraction, split);
  }
  const invocations some = invocations_of(s->run, fraction);
  s->evaluations++;
  return resident_of(s->run, &some, dsm_invocation_score(&some.work, loops).total, bytes, fraction,
                     split);
}

/* Is b on or above the line from a to c? */
static bool is_above(const dsm__resident *a, const dsm__resident *b, const dsm__resident *c) {
  return (b->cycles - a->cycles) * (c->bytes - a->bytes) >=
         (c->cycles - a->cycles) * (b->bytes - a->bytes);
}

/* Adds a point to points that no other is better than in both respects, by bytes, unless one of
 * them is as good in both; how many they are then. What comes first stays, of equals. */
static size_t add_end(dsm__resident *ends, size_t count, const dsm__resident *point) {
  size_t low = 0; /* ends before it take no more bytes */
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    *(ends[middle].bytes <= point->bytes ? &low : &high) =
        ends[middle].bytes <= point->bytes ? middle + 1 : middle;
  }
  if (low > 0 && ends[low - 1].cycles <= point->cycles) {
    return count;
  }
  if (low > 0 && ends[low - 1].bytes >= point->bytes) {
    low--; /* as many bytes, and slower */
  }
  size_t after = low;
  while (after < count && ends[after].cycles >= point->cycles) {
    after++;
  }
  memmove(ends + low + 1, ends + after, (count - after) * sizeof *ends);
  ends[low] = *point;
  return count - (after - low) + 1;
}

/*
 * Copies the lower left convex hull of such points; how many it has.
 *
 * Points come by bytes, each faster than the one before; a point above the line between its
 * neighbours is on no hull (Andrew's monotone chain).
 */
static size_t copy_hull(const dsm__resident *ends, size_t count, dsm__resident *hull) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    while (kept > 1 && is_above(&hull[kept - 2], &hull[kept - 1], &ends[i])) {
      kept--;
    }
    hull[kept++] = ends[i];
  }
  return kept;
}

/* Where the straight line along a fall is after so many bytes. A fall lies nowhere below it, since
 * it becomes ever steeper. */
static double chord_at(const dsm__resident_fall *fall, double bytes) {
  return fall->from_cycles -
         (fall->from_cycles - fall->needed.cycles) *
             ((bytes - fall->from_bytes) / (fall->needed.bytes - fall->from_bytes));
}

/* Are so many bytes on a fall, before its end? */
static bool is_on_fall(const dsm__resident_fall *fall, double bytes) {
  return bytes >= fall->from_bytes && bytes < fall->needed.bytes;
}

/* What the scoring of a run is written to: room for the points and falls of each split, and for two
 * points more. */
typedef struct scratch {
  dsm__resident *points; /* ends, then the hull */
  dsm__resident_fall *falls;
} scratch;

/* What the splits of a run come to. */
typedef struct scored {
  dsm__resident none; /* the fastest with nothing on chip */
  size_t end_count;   /* with something on chip */
  size_t fall_count;
} scored;

/* The falls of a split, one after the other, each of which becomes ever steeper. */
static void add_falls(scorer *s, const dsm__resident *none, double all_cycles, const scratch *to,
                      scored *found) {
  const dsm_resident_breaks breaks =
      dsm_resident_breaks_derive(&s->none.work, &s->splits->items[none->split]);
  dsm__resident from = *none;
  for (unsigned b = 0; b < breaks.count; b++) {
    const dsm__resident one =
        score_break(s, none->split, breaks.fractions[b], b + 1 == breaks.count, all_cycles);
    if (one.cycles < from.cycles && one.bytes > from.bytes) {
      to->falls[found->fall_count++] = (dsm__resident_fall){one, from.bytes, from.cycles};
      found->end_count = add_end(to->points + 1, found->end_count, &one);
      from = one;
    }
  }
}

/*
 * Scores all splits: their ends are in points[1] and behind. A split that is slower with all
 * weights on chip than another with none is nowhere the best.
 *
 * More on chip never makes an invocation slower (section 10), so that a split with all of its
 * weights on chip bounds it with any part; one that is slower so than the fastest with nothing is
 * beaten by that everywhere.
 */
static scored score_splits(scorer *s, const scratch *to) {
  const dsm__resident_run *const run = s->run;
  scored found = {.none = {.cycles = HUGE_VAL}};
  double least = HUGE_VAL; /* of one invocation */
  for (size_t i = 0; i < s->splits->count; i++) {
    const dsm_loops *const loops = &s->splits->items[i];
    if (!dsm__is_within_parts(&run->candidates, loops)) {
      continue;
    }
    s->evaluations++;
    const double all = dsm__invocation_total_within(&s->all.work, loops, least);
    if (all > least) {
      continue;
    }
    const dsm_invocation_cost cost = dsm_invocation_score(&s->none.work, loops);
    const dsm__resident none = resident_of(run, &s->none, cost.total, 0, 0, i);
    s->evaluations++;
    least = fmin(least, cost.total);
    found.none = none.cycles < found.none.cycles ? none : found.none;
    if (has_weights(run) && cost.overlapped_visible > 0) {
      add_falls(s, &none, all, to, &found);
    }
  }
  return found;
}

/* Finds the ends of a run, its hull, and its falls, in the scratch. */
static void find_ends(dsm__resident_run *run, const dsm__core_splits *splits, const scratch *to,
                      uint64_t *evaluations) {
  scorer s = scorer_of(run, splits);
  const scored found = score_splits(&s, to);
  size_t useless = 0; /* not faster than nothing on chip: cycles fall as bytes rise */
  while (useless < found.end_count && to->points[1 + useless].cycles >= found.none.cycles) {
    useless++;
  }
  *evaluations += s.evaluations;
  run->ends = to->points + useless;
  run->ends[0] = found.none;
  run->end_count = 1 + found.end_count - useless;
  run->hull = to->points + 1 + found.end_count;
  run->hull_count = copy_hull(run->ends, run->end_count, run->hull);
  run->falls = to->falls;
  run->fall_count = found.fall_count;
}

/* ---- all runs ---- */

/* What the tasks share; each writes its own run and uses its worker's rooms. */
typedef struct job {
  dsm__residents *residents;
  scratch *scratches; /* of each worker */
  uint64_t *evaluations;
  bool *is_out_of_memory;
} job;

/* The steady invocations, and which splits are candidates. */
static void open_run(dsm__resident_run *run, const dsm__residents *residents,
                     uint64_t *evaluations) {
  const bool may_keep = dsm__may_choose(residents->inputs->options, DSM__CHOICE_KERNEL) &&
                        dsm_kernel_can_be_kept(run->setting.layer, run->setting.machine);
  const dsm__parts parts =
      dsm__pass_parts(&run->setting, DSM_PASS_FORWARD, run->parallelism, may_keep);
  dsm_pass_work work =
      dsm__part_work(&run->setting, DSM_PASS_FORWARD, run->parallelism, &parts.items[0]);
  run->candidates = dsm__candidate_parts(residents->splits, &work.share);
  if (may_keep) {
    work = dsm__part_work(&run->setting, DSM_PASS_FORWARD, run->parallelism, &parts.items[1]);
    const dsm__best_split steady = dsm__best_split_find(&work, residents->splits, true);
    *evaluations += steady.evaluations;
    run->can_keep_kernel = steady.is_found;
    run->steady_split = steady.split;
    run->steady_cycles =
        steady.is_found ? (double)parts.items[1].count * steady.cost.total : HUGE_VAL;
  }
}

/* Moves what was found from the scratch to the worker's arena; false if out of memory. */
static bool keep_ends(dsm__resident_run *run, dsm__arena *arena) {
  const size_t count = run->end_count + run->hull_count;
  dsm__resident *const points = dsm__arena_array(arena, count, sizeof *points);
  dsm__resident_fall *const falls = dsm__arena_array(arena, run->fall_count, sizeof *falls);
  if (points == NULL || falls == NULL) {
    return false;
  }
  memcpy(points, run->ends, count * sizeof *points);
  memcpy(falls, run->falls, run->fall_count * sizeof *falls);
  run->ends = points;
  run->hull = points + run->end_count;
  run->falls = falls;
  return true;
}

static void run_task(void *context, size_t task, size_t worker) {
  const job *const j = context;
  dsm__residents *const residents = j->residents;
  dsm__resident_run *const run = residents->runs.items[residents->scored + task];
  const scratch *const to = &j->scratches[worker];
  if (dsm__deadline_is_over(residents->inputs->deadline)) { /* the run is not used any more */
    to->points[0] = to->points[1] = (dsm__resident){.cycles = 0};
    run->ends = run->hull = to->points;
    run->end_count = run->hull_count = 1;
    run->falls = to->falls;
    run->fall_count = 0;
  } else {
    open_run(run, residents, &j->evaluations[worker]);
    find_ends(run, residents->splits, to, &j->evaluations[worker]);
  }
  j->is_out_of_memory[worker] =
      !keep_ends(run, residents->workers[worker]) || j->is_out_of_memory[worker];
}

/* The rooms of all workers, in an arena. */
static bool prepare(job *j, size_t workers, dsm__arena *arena) {
  const size_t splits = j->residents->splits->count;
  const size_t breaks =
      j->residents->inputs->machine->has_shared_memory ? DSM_RESIDENT_BREAKS_MAX : 1;
  j->scratches = dsm__arena_array(arena, workers, sizeof *j->scratches);
  j->evaluations = dsm__arena_array(arena, workers, sizeof j->evaluations[0]);
  j->is_out_of_memory = dsm__arena_array(arena, workers, sizeof j->is_out_of_memory[0]);
  bool is_ready = j->scratches != NULL && j->evaluations != NULL && j->is_out_of_memory != NULL;
  for (size_t w = 0; is_ready && w < workers; w++) {
    scratch *const one = &j->scratches[w];
    one->points = dsm__arena_array(arena, 2 * (breaks * splits + 1), sizeof one->points[0]);
    one->falls = dsm__arena_array(arena, breaks * splits, sizeof one->falls[0]);
    is_ready = one->points != NULL && one->falls != NULL;
  }
  return is_ready;
}

bool dsm__residents_init(dsm__residents *residents, const dsm__layer_table *table) {
  *residents = (dsm__residents){.inputs = table->inputs, .splits = &table->splits};
  residents->worker_count = dsm__parallel_workers(table->inputs->options->thread_count);
  residents->kinds = dsm__resident_kinds_new();
  residents->arena = dsm__arena_new_counted(dsm__deadline_bytes(table->inputs->deadline));
  residents->workers = calloc(residents->worker_count, sizeof(void *));
  bool is_ready =
      residents->kinds != NULL && residents->arena != NULL && residents->workers != NULL;
  for (size_t w = 0; is_ready && w < residents->worker_count; w++) {
    residents->workers[w] = dsm__arena_new_counted(dsm__deadline_bytes(table->inputs->deadline));
    is_ready = residents->workers[w] != NULL;
  }
  return is_ready;
}

void dsm__residents_fini(dsm__residents *residents) {
  for (size_t w = 0; residents->workers != NULL && w < residents->worker_count; w++) {
    dsm__arena_free(residents->workers[w]);
  }
  free(residents->workers);
  free(residents->runs.items);
  dsm__resident_kinds_free(residents->kinds);
  dsm__arena_free(residents->arena);
  *residents = (dsm__residents){.scored = 0};
}

static bool add_run(dsm__residents *residents, const dsm__layer_setting *setting,
                    dsm_parallelism parallelism) {
  dsm__resident_run *const run = dsm__arena_alloc(residents->arena, sizeof *run);
  if (run == NULL || !DSM__LIST_RESERVE(&residents->runs, 1)) {
    return false;
  }
  run->setting = *setting;
  run->setting.machine = residents->inputs->machine;
  run->parallelism = parallelism;
  residents->runs.items[residents->runs.count++] = run;
  return true;
}

size_t dsm__residents_add(dsm__residents *residents, const dsm__resident_query *query,
                          dsm__resident_place *place) {
  dsm__layer_setting setting =
      dsm__open_setting(query->table->inputs, dsm__class_layer(query->table, query->class_index),
                        dsm__factor_of(query->factor_index));
  setting.holding = *query->holding;
  const dsm__kind_query of = {.table = query->table,
                              .setting = &setting,
                              .class_index = query->class_index,
                              .parallelism = query->parallelism,
                              .factor_index = query->factor_index,
                              .most_preloaded_bytes = dsm_preload_room_bytes(setting.machine)};
  const size_t number = dsm__resident_kinds_find(residents->kinds, &of, place);
  if (number == residents->runs.count && !add_run(residents, &setting, query->parallelism)) {
    return SIZE_MAX;
  }
  return number;
}

size_t dsm__residents_known(const dsm__residents *residents, const dsm__resident_place *place,
                            double preloaded_bytes) {
  return dsm__resident_kinds_known(residents->kinds, residents->inputs->machine, place,
                                   preloaded_bytes);
}

bool dsm__residents_score(dsm__residents *residents) {
  const size_t new_count = residents->runs.count - residents->scored;
  if (new_count == 0) {
    return true;
  }
  dsm__arena *const arena = dsm__arena_new();
  job j = {.residents = residents};
  const size_t workers = residents->worker_count < new_count ? residents->worker_count : new_count;
  bool is_done = arena != NULL && prepare(&j, workers, arena);
  if (is_done) {
    dsm__parallel_for(workers, new_count, run_task, &j);
  }
  for (size_t w = 0; is_done && w < workers; w++) {
    residents->evaluations += j.evaluations[w];
    is_done = !j.is_out_of_memory[w];
  }
  residents->scored = residents->runs.count;
  dsm__arena_free(arena);
  return is_done;
}

/* The hull is convex and nothing lies below it, so what it says between two points is a bound of
 * any part. */
double dsm__resident_promise(const dsm__resident_run *run, double bytes) {
  const dsm__resident *const hull = run->hull;
  size_t after = 1;
  while (after < run->hull_count && hull[after].bytes <= bytes) {
    after++;
  }
  if (after == run->hull_count) {
    return hull[after - 1].cycles;
  }
  const double part = (bytes - hull[after - 1].bytes) / (hull[after].bytes - hull[after - 1].bytes);
  return hull[after - 1].cycles + part * (hull[after].cycles - hull[after - 1].cycles);
}

/* The last end that takes no more bytes. */
static const dsm__resident *end_within(const dsm__resident_run *run, double bytes) {
  size_t within = 0;
  while (within + 1 < run->end_count && run->ends[within + 1].bytes <= bytes) {
    within++;
  }
  return &run->ends[within];
}

double dsm__resident_least(const dsm__resident_run *run, double bytes) {
  double least = end_within(run, bytes)->cycles;
  for (size_t i = 0; i < run->fall_count; i++) {
    if (is_on_fall(&run->falls[i], bytes)) {
      least = fmin(least, chord_at(&run->falls[i], bytes));
    }
  }
  return least;
}

/* A part of what a fall needs. */
static dsm__resident score_part(const dsm__resident_run *run, const dsm__core_splits *splits,
                                const dsm__resident_fall *fall, double bytes,
                                uint64_t *evaluations) {
  const size_t split = fall->needed.split;
  const dsm_loops *const loops = &splits->items[split];
  const invocations none = invocations_of(run, 0);
  const double fraction = bytes / dsm_kept_kernel_bytes(&none.work, loops);
  if (fraction >= fall->needed.fraction) { /* by rounding */
    return fall->needed;
  }
  const invocations some = invocations_of(run, fraction);
  ++*evaluations;
  return resident_of(run, &some, dsm_invocation_score(&some.work, loops).total, bytes, fraction,
                     split);
}

/* Ends within the bytes are exact; falls that end beyond them are scored at these bytes, if their
 * chord, which bounds them from below, leaves hope. A little is taken off the chord for rounding.
 */
dsm__resident dsm__resident_within(const dsm__resident_run *run, const dsm__core_splits *splits,
                                   double bytes, uint64_t *evaluations) {
  dsm__resident best = *end_within(run, bytes);
  for (size_t i = 0; i < run->fall_count && bytes > 0; i++) {
    const dsm__resident_fall *const fall = &run->falls[i];
    if (is_on_fall(fall, bytes) && chord_at(fall, bytes) * (1 - 1e-12) < best.cycles) {
      const dsm__resident one = score_part(run, splits, fall, bytes, evaluations);
      best = one.cycles < best.cycles ? one : best;
    }
  }
  return best;
}
