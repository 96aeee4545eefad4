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

static bool is_candidate(const dsm__resident_run *run, const dsm_pass_work *work,
                         const dsm_loops *split) {
  return run->is_any_split || dsm_split_is_valid(run->setting.layer, &work->share, split);
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
    if (!is_candidate(run, &s.none.work, &splits->items[i])) {
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

/* What the tasks share; each writes its own run and uses its worker's rooms. */
typedef struct job {
  dsm__residents *residents;
  const dsm__variants *variants;
  dsm__resident **points; /* of each worker */
  double **totals;
  size_t *pool_used;
  size_t *pool_room;
  size_t *start; /* of each run, in its worker's pool */
  size_t *worker_of;
  uint64_t *evaluations;
  bool *is_out_of_memory; /* of each worker */
} job;

static dsm__resident_run open_run(const dsm__variants *variants, const dsm__variant_key *key,
                                  double *totals, uint64_t *evaluations) {
  const dsm__layer_table *const table = variants->table;
  dsm__resident_run run = {
      .setting = dsm__open_setting(table->inputs, dsm__class_layer(table, key->class_index),
                                   dsm__factor_of(key->factor_index)),
      .parallelism = (dsm_parallelism)key->parallelism,
  };
  run.setting.holding = dsm__variant_holding(variants, key);
  const bool may_keep = dsm__has_optimization(table->inputs, DSM_OPTIMIZATION_REUSE) &&
                        dsm_kernel_can_be_kept(run.setting.layer, run.setting.machine);
  const dsm__parts parts =
      dsm__pass_parts(&run.setting, DSM_PASS_FORWARD, run.parallelism, may_keep);
  dsm_pass_work work =
      dsm__part_work(&run.setting, DSM_PASS_FORWARD, run.parallelism, &parts.items[0]);
  run.is_any_split = !dsm__core_splits_any_valid(&table->splits, run.setting.layer, &work.share);
  if (may_keep) {
    work = dsm__part_work(&run.setting, DSM_PASS_FORWARD, run.parallelism, &parts.items[1]);
    const dsm__best_split steady = dsm__best_split_find(&work, &table->splits, true, totals);
    *evaluations += steady.evaluations;
    run.can_keep_kernel = steady.is_found;
    run.steady_split = steady.split;
    run.steady_cycles =
        steady.is_found ? (double)parts.items[1].count * steady.cost.total : HUGE_VAL;
  }
  return run;
}

static void run_task(void *context, size_t task, size_t worker) {
  const job *const j = context;
  const dsm__layer_table *const table = j->residents->table;
  dsm__resident_run *const run = &j->residents->runs[task];
  *run =
      open_run(j->variants, &j->variants->keys[task], j->totals[worker], &j->evaluations[worker]);
  find_ends(run, &table->splits, j->points[worker], &j->evaluations[worker]);
  const size_t count = run->end_count + run->hull_count;
  j->worker_of[task] = worker;
  j->start[task] = j->pool_used[worker];
  const size_t used = j->pool_used[worker] + count;
  if (used > j->pool_room[worker]) {
    const size_t room = 2 * used + 256;
    dsm__resident *const pool = realloc(j->residents->pools[worker], room * sizeof *pool);
    if (pool == NULL) {
      j->is_out_of_memory[worker] = true;
      return;
    }
    j->residents->pools[worker] = pool;
    j->pool_room[worker] = room;
  }
  memcpy(j->residents->pools[worker] + j->pool_used[worker], j->points[worker],
         count * sizeof(dsm__resident));
  j->pool_used[worker] = used;
}

/* The rooms of all workers, in an arena. */
static bool prepare(job *j, size_t workers, dsm__arena *arena) {
  const size_t splits = j->residents->table->splits.count;
  const size_t count = j->residents->count;
  j->points = dsm__arena_array(arena, workers, sizeof(void *));
  j->totals = dsm__arena_array(arena, workers, sizeof j->totals[0]);
  j->pool_used = dsm__arena_array(arena, workers, sizeof j->pool_used[0]);
  j->pool_room = dsm__arena_array(arena, workers, sizeof j->pool_room[0]);
  j->start = dsm__arena_array(arena, count, sizeof j->start[0]);
  j->worker_of = dsm__arena_array(arena, count, sizeof j->worker_of[0]);
  j->evaluations = dsm__arena_array(arena, workers, sizeof j->evaluations[0]);
  j->is_out_of_memory = dsm__arena_array(arena, workers, sizeof j->is_out_of_memory[0]);
  bool is_ready = j->points != NULL && j->totals != NULL && j->pool_used != NULL &&
                  j->pool_room != NULL && j->start != NULL && j->worker_of != NULL &&
                  j->evaluations != NULL && j->is_out_of_memory != NULL;
  for (size_t w = 0; is_ready && w < workers; w++) {
    j->points[w] = dsm__arena_array(arena, 2 * (splits + 1), sizeof j->points[w][0]);
    j->totals[w] = dsm__arena_array(arena, splits, sizeof j->totals[w][0]);
    is_ready = j->points[w] != NULL && j->totals[w] != NULL;
  }
  return is_ready;
}

static bool score_all(job *j, size_t workers, dsm__arena *arena) {
  dsm__residents *const residents = j->residents;
  if (!prepare(j, workers, arena)) {
    return false;
  }
  dsm__parallel_for(workers, residents->count, run_task, j);
  bool is_ready = true;
  for (size_t w = 0; w < workers; w++) {
    residents->evaluations += j->evaluations[w];
    is_ready = is_ready && !j->is_out_of_memory[w];
  }
  for (size_t i = 0; is_ready && i < residents->count; i++) {
    dsm__resident_run *const run = &residents->runs[i];
    run->ends = residents->pools[j->worker_of[i]] + j->start[i];
    run->hull = run->ends + run->end_count;
  }
  return is_ready;
}

bool dsm__residents_score(dsm__residents *residents, const dsm__variants *variants) {
  const size_t workers = dsm__parallel_workers(variants->table->inputs->options->thread_count);
  *residents = (dsm__residents){.table = variants->table, .count = variants->count};
  residents->runs = calloc(variants->count + 1, sizeof residents->runs[0]);
  residents->pools = calloc(workers, sizeof(void *));
  residents->pool_count = residents->pools == NULL ? 0 : workers;
  dsm__arena *const arena = dsm__arena_new();
  job j = {.residents = residents, .variants = variants};
  const bool is_ready = residents->runs != NULL && residents->pools != NULL && arena != NULL &&
                        score_all(&j, workers, arena);
  dsm__arena_free(arena);
  return is_ready;
}

void dsm__residents_fini(dsm__residents *residents) {
  for (size_t w = 0; w < residents->pool_count; w++) {
    free(residents->pools[w]);
  }
  free(residents->pools);
  free(residents->runs);
  *residents = (dsm__residents){.table = residents->table};
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
    if (!is_candidate(run, &s.none.work, &splits->items[i])) {
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
    if (parts * replication < cores || !is_candidate(run, &s.none.work, &splits->items[i])) {
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
