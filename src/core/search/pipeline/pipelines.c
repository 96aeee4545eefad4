/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pipelines.c: all groups that options allow, each at its best (section 9).
 *
 * What a group costs depends on the classes of its layers in their order, on nothing before or
 * after it: no relayout is charged at its ends, and nothing is held across it. So groups of the
 * same classes are one kind and solved once; in a network of repeated blocks there are few kinds.
 * The graph of the network then takes a whole group as one edge.
 *
 * Widths are tried from the widest on. A narrower width leaves the stages more rows to share and
 * each row fewer chips, so that neither is better in general; but what is known of wider ones
 * bounds what narrower ones have to undercut, and a stage whose steps take longer than the known
 * mapping of every group that it can be in is not looked at.
 */
#include "search/pipeline/pipelines.h"

#include <math.h>
#include <string.h>

#include "base/map.h"
#include "plan/plan_internal.h"
#include "plan/tolerance.h"
#include "search/pipeline/stages.h"

/* Comparisons for all allocations of a network; then groups get their first allocation
 * and the answer a bound. */
static const uint64_t allocation_work_max = (uint64_t)1 << 29;

typedef struct finder {
  const dsm__layer_table *table;
  dsm__arena *arena;
  dsm__pipeline_groups *groups;
  dsm__stages stages;
  dsm__pipeline_group *kinds; /* a group of each kind: groups of the same layers are alike */
  size_t kind_count;
  size_t *kind_of;             /* of each item of groups */
  dsm__map index;              /* of kinds, by the classes of their layers */
  dsm__pipeline_front *fronts; /* of each item of groups, where memory is short; else NULL */
  uint64_t work_left;          /* for all allocations together */
} finder;

/* Layers of the run that begins at a layer, or more than a group may have. */
static size_t run_length(const dsm_workload *workload, size_t first) {
  size_t length = 1;
  while (length <= DSM__STAGES_MAX && dsm__pipeline_can_join(workload, first + length - 1)) {
    length++;
  }
  return length;
}

/* ---- the groups there are, by their layers ---- */

/* Has a kind of group these layers? */
static bool is_kind(const void *context, size_t index, const void *key) {
  const finder *const f = context;
  const dsm__pipeline_group *const other = &f->kinds[index];
  const dsm__pipeline_group *const group = key;
  const size_t *const class_of = f->table->distinct.class_of;
  return other->layer_count == group->layer_count &&
         memcmp(&class_of[other->first_layer], &class_of[group->first_layer],
                group->layer_count * sizeof *class_of) == 0;
}

/* Adds the group of a run. False if out of memory. */
static bool add_group(finder *f, size_t first, size_t length) {
  const dsm__pipeline_group group = {.first_layer = first, .layer_count = length};
  const size_t *const class_of = &f->table->distinct.class_of[first];
  const uint32_t hash = dsm__map_hash(length, class_of, length * sizeof *class_of);
  size_t kind = dsm__map_find(&f->index, hash, is_kind, f, &group);
  if (kind == DSM__MAP_NONE && f->kind_count == DSM__GROUPS_SOLVED_MAX) {
    f->groups->is_complete = false;
    return true;
  }
  if (kind == DSM__MAP_NONE) {
    kind = f->kind_count;
    if (!dsm__pipeline_group_init(&f->kinds[f->kind_count++], first, length, f->arena) ||
        !dsm__map_add(&f->index, hash, kind)) {
      return false;
    }
  }
  f->kind_of[f->groups->count] = kind;
  f->groups->items[f->groups->count++] = group;
  return true;
}

static const dsm_system *system_of(const finder *f) {
  return f->table->inputs->machine->system;
}

/* Lengths that a group beginning at `first` may have: at most `longest`. */
static size_t longest_group(const finder *f, size_t first) {
  const uint64_t rows = dsm__stage_rows_most(system_of(f));
  const size_t most = rows < DSM__STAGES_MAX ? (size_t)rows : DSM__STAGES_MAX;
  const size_t length = run_length(f->table->inputs->workload, first);
  return length < most ? length : most;
}

static bool is_named(const dsm_workload *workload, size_t layer_index) {
  const dsm_layer_spec *const specs = workload->specs;
  return specs[workload->layers[layer_index].spec_index].pipeline_choice == DSM_PIPELINE_NAMED;
}

/* A named group is all layers of that name, which are one run (workload/pipeline_groups.c); or
 * nothing. */
static bool is_candidate(const dsm_workload *workload, size_t first, size_t length) {
  if (!is_named(workload, first)) {
    return true;
  }
  const bool is_start = first == 0 || !dsm__pipeline_can_join(workload, first - 1);
  return is_start && length == run_length(workload, first);
}

/* Room for all groups. */
static bool reserve(finder *f) {
  const dsm_workload *const workload = f->table->inputs->workload;
  size_t candidates = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    candidates += dsm__layer_may(workload, i, DSM__CHOICE_GROUP) ? longest_group(f, i) : 0;
  }
  const size_t kinds = candidates < DSM__GROUPS_SOLVED_MAX ? candidates : DSM__GROUPS_SOLVED_MAX;
  return DSM__RESERVE(f->arena, f->kinds, kinds) &&
         DSM__RESERVE(f->arena, f->kind_of, candidates) &&
         DSM__RESERVE(f->arena, f->groups->items, candidates);
}

/* All groups, and the classes of layers that are a stage in one. */
static bool list_groups(finder *f) {
  const dsm_workload *const workload = f->table->inputs->workload;
  if (!reserve(f) || !dsm__stages_init(&f->stages, f->table, f->arena)) {
    return false;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    const size_t longest = dsm__layer_may(workload, i, DSM__CHOICE_GROUP) ? longest_group(f, i) : 0;
    for (size_t length = 2; length <= longest; length++) {
      if (is_candidate(workload, i, length) && !add_group(f, i, length)) {
        return false;
      }
    }
    if (dsm__pipeline_can_join(workload, i) || (i > 0 && dsm__pipeline_can_join(workload, i - 1))) {
      dsm__stages_add(&f->stages, f->table->distinct.class_of[i]);
    }
  }
  return true;
}

/* ---- the best mapping of each kind ---- */

static bool is_any_fetching(const dsm__stage_options *stages, size_t count) {
  bool is_any = false;
  for (size_t k = 0; k < count; k++) {
    for (size_t o = 0; o < stages[k].count; o++) {
      is_any = is_any || stages[k].items[o].fetching != 0;
    }
  }
  return is_any;
}

/* The best mapping of a kind on stages as wide as those that have been scored last. */
static bool solve(finder *f, dsm__pipeline_group *kind, bool may_fetch) {
  const size_t length = kind->layer_count;
  dsm__stage_options stages[DSM__STAGES_MAX];
  size_t chosen[DSM__STAGES_MAX];
  for (size_t k = 0; k < length; k++) {
    stages[k] = *dsm__stages_of(&f->stages, kind->first_layer + k, dsm__stage_place_of(k, length));
  }
  if (may_fetch && !is_any_fetching(stages, length)) {
    return true;
  }
  const dsm__row_allocation allocation = {
      .stages = stages,
      .stage_count = length,
      .rows = dsm__stage_rows_together(system_of(f), f->stages.columns),
      .timesteps = f->table->inputs->workload->layers[kind->first_layer].timesteps,
      .known_total = kind->cycles,
      .is_only_faster = may_fetch && isfinite(kind->cycles),
      .work_left = &f->work_left,
  };
  double total = 0;
  double bound = 0;
  const dsm__row_allocation_result result =
      dsm__row_allocation_find(&allocation, chosen, &total, &bound);
  if (result == DSM__ROW_ALLOCATION_EXACT || result == DSM__ROW_ALLOCATION_BOUNDED) {
    if (kind->cycles > dsm__tie_limit(total)) {
      dsm__pipeline_group_choose(kind, stages, chosen, total, f->stages.columns);
    }
    kind->bound_cycles = bound < kind->bound_cycles ? bound : kind->bound_cycles;
    f->groups->is_exact = f->groups->is_exact && result == DSM__ROW_ALLOCATION_EXACT;
  }
  return result != DSM__ROW_ALLOCATION_OUT_OF_MEMORY;
}

/*
 * A mapping of a group with a stage whose steps take longer, all passes together, is slower than
 * one that is known.
 *
 * The total of a group is at least the steps of its pipeline times the time of its slowest stage,
 * all passes together. So a stage whose passes take more than the known total divided by the steps
 * is in no faster mapping. A class is in several kinds: the weakest limit holds for it.
 */
static void limit_stages(finder *f, uint64_t rows) {
  const dsm_workload *const workload = f->table->inputs->workload;
  for (size_t s = 0; s < f->stages.count; s++) {
    f->stages.limits[s] = 0;
  }
  for (size_t g = 0; g < f->kind_count; g++) {
    const dsm__pipeline_group *const kind = &f->kinds[g];
    const double steps =
        (double)workload->layers[kind->first_layer].timesteps + (double)kind->layer_count - 1;
    for (size_t k = 0; k < kind->layer_count && kind->layer_count <= rows; k++) {
      const size_t class_index = f->table->distinct.class_of[kind->first_layer + k];
      double *const limit = &f->stages.limits[f->stages.number_of[class_index] - 1];
      *limit = fmax(*limit, kind->cycles / steps);
    }
  }
}

/*
 * Rows that a stage of a width may have: every other stage has one at least.
 *
 * No stage of a group can have all rows, as there are two stages at least.
 */
static uint64_t stage_rows(const dsm_system *system, uint64_t columns) {
  const uint64_t others = dsm__stage_rows_together(system, columns) - 1;
  uint64_t rows = dsm__stage_rows_max(system);
  rows = rows < others ? rows : others;
  return rows < DSM__ROWS_MAX ? rows : DSM__ROWS_MAX;
}

/*
 * All kinds on stages as wide as those that have been scored last. First with weights kept wherever
 * that is not slower in a pass; then with every choice, of which only what is faster than that is
 * looked for, so that the limits are narrow.
 *
 * Which passes fetch weights in each timestep multiplies the options of a stage by up to eight.
 * Keeping is mostly best, so that its answer comes first and leaves little to look for; what is
 * found after it is strictly faster, so that of equals weights are kept.
 */
static bool solve_kinds(finder *f, bool may_fetch) {
  const uint64_t together = dsm__stage_rows_together(system_of(f), f->stages.columns);
  limit_stages(f, together);
  if (!dsm__stages_place(&f->stages, may_fetch)) {
    return false;
  }
  for (size_t g = 0; g < f->kind_count; g++) {
    if (dsm__deadline_is_over(f->table->inputs->deadline)) {
      f->groups->is_complete = false;
      return true;
    }
    if (f->kinds[g].layer_count <= together && !solve(f, &f->kinds[g], may_fetch)) {
      return false;
    }
  }
  return true;
}

static void lift_limits(finder *f) {
  for (size_t s = 0; s < f->stages.count; s++) {
    f->stages.limits[s] = HUGE_VAL;
  }
}

/* The fronts of all groups, on stages as wide as those that have been scored last. */
static bool extend_fronts(finder *f) {
  const uint64_t together = dsm__stage_rows_together(system_of(f), f->stages.columns);
  lift_limits(f);
  for (size_t g = 0; g < f->groups->count; g++) {
    const dsm__pipeline_group *const group = &f->groups->items[g];
    if (dsm__deadline_is_over(f->table->inputs->deadline)) {
      f->groups->is_complete = false;
      return true;
    }
    if (group->layer_count <= together &&
        !dsm__pipeline_front_extend(&f->fronts[g], group, &f->stages, &f->work_left, f->arena)) {
      return false;
    }
  }
  return true;
}

/* All kinds on stages of a width, of at most so many rows. */
static bool solve_width(finder *f, uint64_t columns, uint64_t rows) {
  if (f->fronts == NULL) {
    limit_stages(f, dsm__stage_rows_together(system_of(f), columns));
  } else {
    lift_limits(f); /* what is slower may need less */
  }
  dsm__stages_score(&f->stages, columns, rows);
  const bool may_keep = dsm__may_choose(f->table->inputs->options, DSM__CHOICE_KERNEL);
  return solve_kinds(f, false) && (!may_keep || solve_kinds(f, true)) &&
         (f->fronts == NULL || extend_fronts(f));
}

/* The next narrower width that stages can have; 0: none. */
static uint64_t narrower(const dsm_system *system, uint64_t columns) {
  do {
    columns--;
  } while (columns > 0 && !dsm__stage_can_be_wide(system, columns));
  return columns;
}

/* All kinds, on the widest stages first: a narrower one must be faster. */
static bool solve_all(finder *f) {
  const dsm_system *const system = system_of(f);
  const uint64_t rows_max = dsm__stage_rows_max(system);
  const uint64_t most = rows_max < DSM__ROWS_MAX ? rows_max : DSM__ROWS_MAX;
  uint64_t left = DSM__STAGES_SCORED_MAX / f->stages.count; /* of each class: 1 or more */
  if (!dsm__stages_reserve(&f->stages, most < left ? most : left, f->arena)) {
    return false;
  }
  for (uint64_t columns = dsm__stage_columns_max(system); columns > 0;
       columns = narrower(system, columns)) {
    const uint64_t wanted = stage_rows(system, columns);
    const uint64_t rows = wanted < left ? wanted : left;
    f->groups->is_complete = f->groups->is_complete && rows == wanted;
    left -= rows;
    if (rows > 0 && !solve_width(f, columns, rows)) {
      return false;
    }
  }
  f->groups->evaluations = f->stages.evaluations;
  return true;
}

/* ---- all of it ---- */

bool dsm__pipeline_group_init(dsm__pipeline_group *group, size_t first_layer, size_t layer_count,
                              dsm__arena *arena) {
  *group = (dsm__pipeline_group){
      .first_layer = first_layer,
      .layer_count = layer_count,
      .cycles = HUGE_VAL,
      .bound_cycles = HUGE_VAL,
      .rows = dsm__arena_array(arena, layer_count, sizeof group->rows[0]),
      .parallelisms = dsm__arena_array(arena, layer_count, sizeof group->parallelisms[0]),
      .fetching = dsm__arena_array(arena, layer_count, sizeof group->fetching[0])};
  return group->rows != NULL && group->parallelisms != NULL && group->fetching != NULL;
}

void dsm__pipeline_group_choose(dsm__pipeline_group *group, const dsm__stage_options *stages,
                                const size_t *chosen, double cycles, uint64_t columns) {
  group->cycles = cycles;
  group->columns = columns;
  for (size_t k = 0; k < group->layer_count; k++) {
    const dsm__stage_option *const option = &stages[k].items[chosen[k]];
    group->rows[k] = option->rows;
    group->parallelisms[k] = option->parallelism;
    group->fetching[k] = option->fetching;
  }
}

void dsm__pipeline_group_derive_memory(dsm__pipeline_group *group, const dsm__layer_table *table) {
  group->kept_bytes = 0;
  group->transient_bytes = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    const dsm_layer_memory memory = dsm__pipeline_stage_memory(
        table, group->first_layer + k, group->columns, group->rows[k], group->parallelisms[k]);
    group->kept_bytes = fmax(group->kept_bytes, dsm__kept_bytes(&memory));
    group->transient_bytes = fmax(group->transient_bytes, memory.transient_bytes);
  }
}

/* Every group gets the mapping of its kind; those that have none are dropped. */
static void hand_out(finder *f) {
  size_t kept = 0;
  for (size_t g = 0; g < f->groups->count; g++) {
    const size_t first = f->groups->items[g].first_layer;
    dsm__pipeline_group group = f->kinds[f->kind_of[g]];
    group.first_layer = first;
    if (isfinite(group.cycles)) {
      dsm__pipeline_group_derive_memory(&group, f->table);
      f->groups->items[kept++] = group;
    }
  }
  f->groups->count = kept;
}

/*
 * Every group gets the mapping of its kind, and after it those of its front.
 *
 * The fastest stands first, so that of equally fast mappings of a group the graph takes it; one of
 * the front that is no faster and needs no less than one before it is dropped.
 */
static bool hand_out_fronts(finder *f) {
  const size_t groups = f->groups->count;
  size_t count = 0;
  for (size_t g = 0; g < groups; g++) {
    count += 1 + f->fronts[g].count;
    f->groups->is_exact = f->groups->is_exact && f->fronts[g].is_exact;
  }
  dsm__pipeline_group *const items = dsm__arena_array(f->arena, count, sizeof *items);
  if (items == NULL) {
    return false;
  }
  count = 0;
  for (size_t g = 0; g < groups; g++) {
    dsm__pipeline_front all = {.items = &items[count], .capacity = 1 + f->fronts[g].count};
    dsm__pipeline_group fastest = f->kinds[f->kind_of[g]];
    fastest.first_layer = f->groups->items[g].first_layer;
    if (isfinite(fastest.cycles)) {
      dsm__pipeline_group_derive_memory(&fastest, f->table);
      all.items[all.count++] = fastest;
    }
    for (size_t i = 0; i < f->fronts[g].count; i++) {
      (void)dsm__pipeline_front_add(&all, &f->fronts[g].items[i], f->arena); /* there is room */
    }
    count += all.count;
  }
  f->groups->items = items;
  f->groups->count = count;
  return true;
}

/* The best mapping of all groups that have been listed. */
static bool solve_groups(finder *f, bool is_memory_short) {
  if (is_memory_short) {
    if (!DSM__RESERVE(f->arena, f->fronts, f->groups->count)) {
      return false;
    }
    for (size_t g = 0; g < f->groups->count; g++) {
      f->fronts[g].is_exact = true;
    }
  }
  if (!solve_all(f)) {
    return false;
  }
  if (is_memory_short) {
    return hand_out_fronts(f);
  }
  hand_out(f);
  return true;
}

bool dsm__pipeline_groups_find(dsm__pipeline_groups *groups, const dsm__layer_table *table,
                               bool is_memory_short, dsm__arena *arena) {
  finder f = {.table = table, .arena = arena, .groups = groups, .work_left = allocation_work_max};
  *groups = (dsm__pipeline_groups){.is_complete = true, .is_exact = true};
  if (!dsm__may_choose(table->inputs->options, DSM__CHOICE_GROUP)) {
    return true;
  }
  const bool is_listed = list_groups(&f);
  dsm__map_fini(&f.index);
  return is_listed && (groups->count == 0 || solve_groups(&f, is_memory_short));
}
