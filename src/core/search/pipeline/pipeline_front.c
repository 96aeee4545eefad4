/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pipeline_front.c: a group's memory is the largest of its stages' in both respects, kept and for a
 * while. So the fastest mapping with less than so much of each is the fastest of the ways to run
 * the stages that need less, and the limits that matter are needs of such ways.
 *
 * With a limit on what is kept, limits on the other need fall from none to where no mapping is
 * left, each to the need of the mapping found before: in between that one stays the fastest. Then
 * the limit on what is kept falls to the most that any of these keeps: in between all of them stay
 * what they are.
 */
#include "search/pipeline/pipelines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_list.h"
#include "plan/plan_internal.h"

enum { SOLVED_MAX = 1 << 10 }; /* limits tried for a group and a width */

/* A way to run a stage, with what it needs. */
typedef struct candidate {
  dsm__stage_option option;
  double kept_bytes;
  double transient_bytes;
} candidate;

typedef struct fronting {
  const dsm__pipeline_group *group;
  const dsm__stages *stages;
  uint64_t *work_left;
  dsm__arena *arena;
  candidate *candidates[DSM__STAGES_MAX];
  size_t counts[DSM__STAGES_MAX];
  dsm__stage_option *allowed[DSM__STAGES_MAX]; /* scratch: those within the limits */
  dsm__pipeline_front *front;
} fronting;

dsm_layer_memory dsm__pipeline_stage_memory(const dsm__layer_table *table, size_t layer_index,
                                            uint64_t columns, uint64_t rows,
                                            dsm_parallelism parallelism) {
  const dsm__search_inputs *const inputs = table->inputs;
  dsm__stage stage;
  dsm__stage_init(&stage, inputs->machine->system, inputs->machine->mode, columns, rows);
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  return dsm_layer_memory_derive(&inputs->workload->layers[layer_index], &stage.machine,
                                 inputs->workload, inputs->options->mode, &layouts);
}

/*
 * Does a candidate make another superfluous, whatever the limits?
 *
 * Less of rows, memory and all times: a mapping with the second stays one, no slower and needing no
 * more, with the first in its place.
 */
static bool is_as_good(const candidate *a, const candidate *b) {
  bool is_good = a->option.rows <= b->option.rows && a->kept_bytes <= b->kept_bytes &&
                 a->transient_bytes <= b->transient_bytes &&
                 a->option.times.once <= b->option.times.once;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    is_good = is_good && a->option.times.step[p] <= b->option.times.step[p];
  }
  return is_good;
}

/* Removes the superfluous ones; of equals the later. They stay in order of rows. */
static size_t reduce(candidate *candidates, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    bool is_needed = true;
    for (size_t k = 0; k < count && is_needed; k++) {
      const bool is_equal = is_as_good(&candidates[i], &candidates[k]);
      is_needed = k == i || !is_as_good(&candidates[k], &candidates[i]) || (is_equal && k > i);
    }
    candidates[i].option.times.once += is_needed ? 0 : HUGE_VAL;
  }
  for (size_t i = 0; i < count; i++) {
    if (isfinite(candidates[i].option.times.once)) {
      candidates[kept++] = candidates[i];
    }
  }
  return kept;
}

/* The ways to run a stage of the group. False if out of memory. */
static bool list_candidates(fronting *f, size_t stage) {
  const dsm__stages *const stages = f->stages;
  const size_t layer = f->group->first_layer + stage;
  const size_t most = dsm__stages_list_max(stages);
  f->candidates[stage] = malloc(most * sizeof *f->candidates[stage]);
  f->allowed[stage] = malloc(most * sizeof *f->allowed[stage]);
  if (f->candidates[stage] == NULL || f->allowed[stage] == NULL) {
    return false;
  }
  const size_t count = dsm__stages_list(
      stages, layer, dsm__stage_place_of(stage, f->group->layer_count), true, f->allowed[stage]);
  for (size_t i = 0; i < count; i++) {
    const dsm__stage_option *const option = &f->allowed[stage][i];
    const dsm_layer_memory memory = dsm__pipeline_stage_memory(
        stages->table, layer, stages->columns, option->rows, option->parallelism);
    f->candidates[stage][i] =
        (candidate){*option, dsm__kept_bytes(&memory), memory.transient_bytes};
  }
  f->counts[stage] = reduce(f->candidates[stage], count);
  return true;
}

/* What a mapping may need: less than this of each. */
typedef struct limits {
  double kept_bytes;
  double transient_bytes;
} limits;

/* The ways of the stages within limits: those that keep all weights, or all of them. */
static void allow(const fronting *f, limits below, bool may_fetch, dsm__stage_options *options) {
  for (size_t s = 0; s < f->group->layer_count; s++) {
    size_t count = 0;
    for (size_t i = 0; i < f->counts[s]; i++) {
      const candidate *const one = &f->candidates[s][i];
      if (one->kept_bytes < below.kept_bytes && one->transient_bytes < below.transient_bytes &&
          (may_fetch || one->option.fetching == 0)) {
        f->allowed[s][count++] = one->option;
      }
    }
    options[s] = (dsm__stage_options){f->allowed[s], count};
  }
}

/* Writes an allocation down, with what it needs. False if out of memory. */
static bool write_down(const fronting *f, const dsm__stage_options *options, const size_t *chosen,
                       double cycles, dsm__pipeline_group *out) {
  if (!dsm__pipeline_group_init(out, f->group->first_layer, f->group->layer_count, f->arena)) {
    return false;
  }
  dsm__pipeline_group_choose(out, options, chosen, cycles, f->stages->columns);
  out->bound_cycles = cycles;
  dsm__pipeline_group_derive_memory(out, f->stages->table);
  return true;
}

/* The fastest mapping within limits; infinite cycles: none. As in pipelines.c, what fetches
 * weights that it could keep is looked for only where that is faster. False if out of memory. */
static bool find_within(fronting *f, limits below, dsm__pipeline_group *found) {
  const dsm__stages *const stages = f->stages;
  dsm__stage_options options[DSM__STAGES_MAX];
  size_t chosen[DSM__STAGES_MAX];
  dsm__row_allocation allocation = {
      .stages = options,
      .stage_count = f->group->layer_count,
      .rows = dsm__stage_rows_together(stages->table->inputs->machine->system, stages->columns),
      .timesteps = stages->table->inputs->workload->layers[f->group->first_layer].timesteps,
      .known_total = HUGE_VAL,
      .work_left = f->work_left,
  };
  *found = (dsm__pipeline_group){.cycles = HUGE_VAL};
  for (int may_fetch = 0; may_fetch < 2; may_fetch++) {
    double total = 0;
    double bound = 0;
    allow(f, below, may_fetch != 0, options);
    const dsm__row_allocation_result result =
        dsm__row_allocation_find(&allocation, chosen, &total, &bound);
    f->front->is_exact = f->front->is_exact && result != DSM__ROW_ALLOCATION_BOUNDED;
    const bool is_found =
        result == DSM__ROW_ALLOCATION_EXACT || result == DSM__ROW_ALLOCATION_BOUNDED;
    if (result == DSM__ROW_ALLOCATION_OUT_OF_MEMORY ||
        (is_found && total < allocation.known_total &&
         !write_down(f, options, chosen, total, found))) {
      return false;
    }
    allocation.known_total = found->cycles;
    allocation.is_only_faster = isfinite(found->cycles);
  }
  return true;
}

/*
 * Each round of the inner limit ends, since the limit on transient bytes is below the need of the
 * mapping found; each round of the outer one, since the limit on kept bytes is the most that any of
 * the inner mappings keeps. Limits are strict, so that every mapping found is new, and the needs of
 * finitely many ways are finitely many.
 */
static bool find_all(fronting *f) {
  limits below = {HUGE_VAL, HUGE_VAL};
  double most_kept = 0;
  unsigned solved = 0;
  while (below.kept_bytes > 0) {
    dsm__pipeline_group found;
    if (++solved > SOLVED_MAX || dsm__deadline_is_over(f->stages->table->inputs->deadline)) {
      f->front->is_exact = false;
      return true;
    }
    if (!find_within(f, below, &found)) {
      return false;
    }
    if (isfinite(found.cycles)) {
      if (!dsm__pipeline_front_add(f->front, &found, f->arena)) {
        return false;
      }
      most_kept = fmax(most_kept, found.kept_bytes);
      below.transient_bytes = found.transient_bytes;
    } else {
      below = (limits){most_kept, HUGE_VAL};
      most_kept = 0;
    }
  }
  return true;
}

bool dsm__pipeline_front_extend(dsm__pipeline_front *front, const dsm__pipeline_group *group,
                                const dsm__stages *stages, uint64_t *work_left, dsm__arena *arena) {
  fronting f = {
      .group = group, .stages = stages, .work_left = work_left, .arena = arena, .front = front};
  bool is_done = true;
  for (size_t s = 0; s < group->layer_count && is_done; s++) {
    is_done = list_candidates(&f, s);
  }
  is_done = is_done && find_all(&f);
  for (size_t s = 0; s < group->layer_count; s++) {
    free(f.candidates[s]);
    free(f.allowed[s]);
  }
  return is_done;
}

bool dsm__pipeline_front_add(dsm__pipeline_front *front, const dsm__pipeline_group *mapping,
                             dsm__arena *arena) {
  for (size_t i = 0; i < front->count; i++) {
    const dsm__pipeline_group *const one = &front->items[i];
    if (one->cycles <= mapping->cycles && one->kept_bytes <= mapping->kept_bytes &&
        one->transient_bytes <= mapping->transient_bytes) {
      return true;
    }
  }
  if (!DSM__LIST_RESERVE_IN(front, 1, arena)) {
    return false;
  }
  front->items[front->count++] = *mapping;
  return true;
}
