/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/residents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
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
  return run->setting.layer->weight_elements > 0;
}

/* The better of keeping the kernel over timesteps or not. */
static dsm__resident resident_of(const dsm__resident_run *run, const invocations *first,
                                 double cycles, double bytes, double fraction, size_t split) {
  dsm__resident resident = {bytes, first->count * cycles, fraction, split, false};
  const double kept = first->count_before * cycles + run->steady_cycles;
  if (run->can_keep_kernel && kept <= dsm__equal_to(resident.cycles)) {
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

static dsm__resident score_none(scorer *s, size_t split, dsm_invocation_cost *cost) {
  *cost = dsm_invocation_score(&s->none.work, &s->splits->items[split]);
  s->evaluations++;
  return resident_of(s->run, &s->none, cost->total, 0, 0, split);
}

/* With as much on chip as helps: no faster is possible with this split. */
static dsm__resident score_needed(scorer *s, size_t split) {
  const dsm_loops *const loops = &s->splits->items[split];
  const double fraction = dsm_resident_fraction_needed(&s->none.work, loops);
  const double cycles = dsm_invocation_score(&s->all.work, loops).total;
  const double bytes = fraction * dsm_core_kernel_bytes(&s->none.work, loops);
  s->evaluations++;
  return resident_of(s->run, &s->all, cycles, bytes, fraction, split);
}

static int compare_residents(const void *left, const void *right) {
  const dsm__resident *const a = left;
  const dsm__resident *const b = right;
  if (a->bytes < b->bytes || a->bytes > b->bytes) {
    return a->bytes < b->bytes ? -1 : 1;
  }
  if (a->cycles < b->cycles || a->cycles > b->cycles) {
    return a->cycles < b->cycles ? -1 : 1;
  }
  return (a->split > b->split) - (a->split < b->split);
}

/* Is b on or above the line from a to c? */
static bool is_above(const dsm__resident *a, const dsm__resident *b, const dsm__resident *c) {
  return (b->cycles - a->cycles) * (c->bytes - a->bytes) >=
         (c->cycles - a->cycles) * (b->bytes - a->bytes);
}

/* Keeps points that no other is better than in both respects, by bytes; how many they are. */
static size_t reduce_to_ends(dsm__resident *points, size_t count) {
  qsort(points, count, sizeof *points, compare_residents);
  size_t kept = 1;
  for (size_t i = 1; i < count; i++) {
    if (points[i].cycles < points[kept - 1].cycles) {
      points[kept++] = points[i];
    }
  }
  return kept;
}

/* Copies the lower left convex hull of such points; how many it has. */
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

/* Fills points (room for 2 * (splits->count + 1)) with the ends of a run, then with its hull. */
static void find_ends(dsm__resident_run *run, const dsm__core_splits *splits, dsm__resident *points,
                      uint64_t *evaluations) {
  scorer s = scorer_of(run, splits);
  size_t count = 1;
  points[0] = (dsm__resident){.cycles = HUGE_VAL};
  for (size_t i = 0; i < splits->count; i++) {
    if (!dsm__is_within_parts(&run->candidates, &splits->items[i])) {
      continue;
    }
    dsm_invocation_cost cost;
    const dsm__resident none = score_none(&s, i, &cost);
    points[0] = none.cycles < points[0].cycles ? none : points[0];
    if (has_weights(run) && cost.overlapped_visible > 0) {
      points[count] = score_needed(&s, i);
      count += points[count].cycles < none.cycles && points[count].bytes > 0;
    }
  }
  *evaluations += s.evaluations;
  run->end_count = reduce_to_ends(points, count);
  run->hull_count = copy_hull(points, run->end_count, points + run->end_count);
}

/* ---- all runs ---- */

/* What the tasks share; each writes its own run and uses its worker's rooms. */
typedef struct job {
  dsm__residents *residents;
  dsm__resident **points; /* of each worker */
  uint64_t *evaluations;
  bool *is_out_of_memory;
} job;

/* The steady invocations, and which splits are candidates. */
static void open_run(dsm__resident_run *run, const dsm__residents *residents,
                     uint64_t *evaluations) {
  const bool may_keep = dsm__has_optimization(residents->inputs, DSM_OPTIMIZATION_REUSE) &&
                        dsm_kernel_can_be_kept(run->setting.layer, run->setting.machine);
  const dsm__parts parts =
      dsm__pass_parts(&run->setting, DSM_PASS_FORWARD, run->parallelism, may_keep);
  dsm_pass_work work =
      dsm__part_work(&run->setting, DSM_PASS_FORWARD, run->parallelism, &parts.items[0]);
  run->candidates = dsm__candidate_parts(residents->splits, run->setting.layer, &work.share);
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

static void run_task(void *context, size_t task, size_t worker) {
  const job *const j = context;
  dsm__residents *const residents = j->residents;
  dsm__resident_run *const run = residents->runs[residents->scored + task];
  dsm__resident *const points = j->points[worker];
  if (dsm__deadline_is_over(residents->inputs->deadline)) { /* the run is not used any more */
    points[0] = points[1] = (dsm__resident){.cycles = 0};
    run->end_count = run->hull_count = 1;
  } else {
    open_run(run, residents, &j->evaluations[worker]);
    find_ends(run, residents->splits, points, &j->evaluations[worker]);
  }
  const size_t count = run->end_count + run->hull_count;
  run->ends = dsm__arena_array(residents->workers[worker], count, sizeof run->ends[0]);
  if (run->ends == NULL) {
    j->is_out_of_memory[worker] = true;
    return;
  }
  memcpy(run->ends, points, count * sizeof run->ends[0]);
  run->hull = run->ends + run->end_count;
}

/* The rooms of all workers, in an arena. */
static bool prepare(job *j, size_t workers, dsm__arena *arena) {
  const size_t splits = j->residents->splits->count;
  j->points = dsm__arena_array(arena, workers, sizeof(void *));
  j->evaluations = dsm__arena_array(arena, workers, sizeof j->evaluations[0]);
  j->is_out_of_memory = dsm__arena_array(arena, workers, sizeof j->is_out_of_memory[0]);
  bool is_ready = j->points != NULL && j->evaluations != NULL && j->is_out_of_memory != NULL;
  for (size_t w = 0; is_ready && w < workers; w++) {
    j->points[w] = dsm__arena_array(arena, 2 * (splits + 1), sizeof j->points[w][0]);
    is_ready = j->points[w] != NULL;
  }
  return is_ready;
}

bool dsm__residents_init(dsm__residents *residents, const dsm__layer_table *table) {
  *residents = (dsm__residents){.inputs = table->inputs, .splits = &table->splits};
  residents->worker_count = dsm__parallel_workers(table->inputs->options->thread_count);
  residents->kinds = dsm__resident_kinds_new();
  residents->arena = dsm__arena_new();
  residents->workers = calloc(residents->worker_count, sizeof(void *));
  bool is_ready =
      residents->kinds != NULL && residents->arena != NULL && residents->workers != NULL;
  for (size_t w = 0; is_ready && w < residents->worker_count; w++) {
    residents->workers[w] = dsm__arena_new();
    is_ready = residents->workers[w] != NULL;
  }
  return is_ready;
}

void dsm__residents_fini(dsm__residents *residents) {
  for (size_t w = 0; residents->workers != NULL && w < residents->worker_count; w++) {
    dsm__arena_free(residents->workers[w]);
  }
  free(residents->workers);
  free(residents->runs);
  dsm__resident_kinds_free(residents->kinds);
  dsm__arena_free(residents->arena);
  *residents = (dsm__residents){.count = 0};
}

static bool add_run(dsm__residents *residents, const dsm__layer_setting *setting,
                    dsm_parallelism parallelism) {
  if (residents->count == residents->capacity) {
    const size_t capacity = residents->capacity == 0 ? 256 : 2 * residents->capacity;
    dsm__resident_run **const grown = realloc(residents->runs, capacity * sizeof(void *));
    if (grown == NULL) {
      return false;
    }
    residents->runs = grown;
    residents->capacity = capacity;
  }
  dsm__resident_run *const run = dsm__arena_alloc(residents->arena, sizeof *run);
  if (run == NULL) {
    return false;
  }
  run->setting = *setting;
  run->setting.machine = residents->inputs->machine;
  run->parallelism = parallelism;
  residents->runs[residents->count++] = run;
  return true;
}

size_t dsm__residents_add(dsm__residents *residents, const dsm__resident_query *query) {
  dsm__layer_setting setting =
      dsm__open_setting(query->table->inputs, dsm__class_layer(query->table, query->class_index),
                        dsm__factor_of(query->factor_index));
  setting.holding = *query->holding;
  const dsm__kind_query of = {.table = query->table,
                              .setting = &setting,
                              .class_index = query->class_index,
                              .parallelism = query->parallelism,
                              .factor_index = query->factor_index};
  const size_t number = dsm__resident_kinds_find(residents->kinds, &of);
  if (number == residents->count && !add_run(residents, &setting, query->parallelism)) {
    return SIZE_MAX;
  }
  return number;
}

bool dsm__residents_score(dsm__residents *residents) {
  const size_t new_count = residents->count - residents->scored;
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
  residents->scored = residents->count;
  dsm__arena_free(arena);
  return is_done;
}

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

/* A split with so many bytes: as much of the weights as they hold, but no more than help. */
static dsm__resident score_within(scorer *s, size_t split, double bytes) {
  dsm_invocation_cost cost;
  const dsm__resident none = score_none(s, split, &cost);
  if (!has_weights(s->run) || cost.overlapped_visible <= 0 || bytes <= 0) {
    return none;
  }
  const dsm__resident needed = score_needed(s, split);
  if (needed.bytes <= bytes) {
    return needed.cycles < none.cycles ? needed : none;
  }
  const dsm_loops *const loops = &s->splits->items[split];
  const double fraction = bytes / dsm_core_kernel_bytes(&s->none.work, loops);
  if (fraction >= needed.fraction) { /* by rounding */
    return needed;
  }
  const invocations some = invocations_of(s->run, fraction);
  s->evaluations++;
  return resident_of(s->run, &some, dsm_invocation_score(&some.work, loops).total, bytes, fraction,
                     split);
}

dsm__resident dsm__resident_within(const dsm__resident_run *run, const dsm__core_splits *splits,
                                   double bytes, uint64_t *evaluations) {
  scorer s = scorer_of(run, splits);
  dsm__resident best = run->hull[0];
  for (size_t i = 0; i < splits->count; i++) {
    if (!dsm__is_within_parts(&run->candidates, &splits->items[i])) {
      continue;
    }
    const dsm__resident one = score_within(&s, i, bytes);
    if (one.cycles < best.cycles || (one.cycles <= best.cycles && one.bytes < best.bytes)) {
      best = one;
    }
  }
  *evaluations += s.evaluations;
  return best;
}

dsm__resident dsm__resident_replicated(const dsm__resident_run *run, const dsm__core_splits *splits,
                                       uint64_t replication, uint64_t *evaluations) {
  const uint64_t cores = run->setting.machine->system->chip.cores;
  const scorer s = scorer_of(run, splits);
  dsm__resident best = {.cycles = HUGE_VAL};
  for (size_t i = 0; i < splits->count; i++) {
    const uint64_t *const k = splits->items[i].n;
    const uint64_t parts = k[DSM_DIM_IN] * k[DSM_DIM_OUT] * k[DSM_DIM_KIJ];
    if (parts * replication < cores || !dsm__is_within_parts(&run->candidates, &splits->items[i])) {
      continue;
    }
    const double cycles = dsm_invocation_score(&s.all.work, &splits->items[i]).total;
    const double bytes = dsm_core_kernel_bytes(&s.all.work, &splits->items[i]);
    const dsm__resident one = resident_of(run, &s.all, cycles, bytes, 1, i);
    if (one.cycles < best.cycles || (one.cycles <= best.cycles && one.bytes < best.bytes)) {
      best = one;
    }
    ++*evaluations;
  }
  return best;
}
