/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * remat.c: the fastest schedule of a chain within a budget.
 *
 * Three schedules are looked at: the fastest of all where the budget suffices for it, the one of
 * the dynamic programme over units of memory, and the one that needs least memory. The second is
 * best but for the rounding of sizes to units; with the third there is an answer wherever there is
 * one at all, and with all three the time never grows with the budget: a larger budget has larger
 * units, of which no size takes more.
 */
#include <math.h>
#include <stdlib.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "remat/solve.h"

void dsm_remat_options_init(dsm_remat_options *options) {
  *options = (dsm_remat_options){.slots = DSM_REMAT_SLOTS};
}

DSM__ARENA_FREE(dsm_remat_result, dsm_remat_result_free);

/* A schedule and what it comes to. */
typedef struct schedule {
  dsm__remat_steps steps;
  dsm_remat_run run;
} schedule;

/* What a request is about. */
typedef struct request {
  const dsm_remat_options *options;
  const dsm_remat_chain *chain; /* as stages are to be run: whole ones have one option */
  const dsm__remat_windows *windows;
  dsm_remat_result *result;
  dsm__arena *arena; /* for what is needed until there is an answer */
  schedule full;
  schedule smallest;
  schedule within; /* of the dynamic programme */
  dsm_diags *diags;
} request;

static dsm_status run_schedule(const dsm_remat_chain *chain, schedule *of, dsm_diags *diags) {
  return dsm_remat_simulate(&of->run, NULL, chain, of->steps.items, of->steps.count, diags);
}

/* ---- the schedules that no budget is needed for ---- */

static bool full_steps(const dsm_remat_chain *chain, dsm__remat_steps *steps, dsm__arena *arena) {
  const size_t count = chain->stage_count;
  if (!DSM__RESERVE(arena, steps->items, 2 * count)) {
    return false;
  }
  steps->count = steps->capacity = 2 * count;
  for (size_t s = 0; s < count; s++) {
    const size_t option = dsm__remat_fastest(&chain->stages[s]);
    steps->items[s] = (dsm_remat_step){DSM_REMAT_SAVE, s, option};
    steps->items[2 * count - 1 - s] = (dsm_remat_step){DSM_REMAT_BACKWARD, s, option};
  }
  return true;
}

static dsm_status find_extremes(request *of) {
  dsm_remat_result *const result = of->result;
  if (!full_steps(of->chain, &of->full.steps, of->arena) ||
      !dsm__remat_smallest(of->windows, &result->smallest_bytes, &of->smallest.steps, of->arena)) {
    return dsm__out_of_memory(of->diags);
  }
  dsm_status status = run_schedule(of->chain, &of->full, of->diags);
  if (status == DSM_OK) {
    status = run_schedule(of->chain, &of->smallest, of->diags);
  }
  result->full = of->full.run;
  return status;
}

/* ---- units ---- */

/* The largest unit of which all sizes are multiples, given one of those before; 0: of none yet. */
static double common_unit(double unit, double bytes) {
  while (bytes > 0) {
    const double rest = fmod(unit, bytes);
    unit = bytes;
    bytes = rest;
  }
  return unit;
}

static double common_unit_of(const dsm_remat_chain *chain) {
  double unit = common_unit(0, chain->input_error_bytes);
  for (size_t s = 0; s < chain->stage_count; s++) {
    const dsm_remat_stage *const stage = &chain->stages[s];
    unit = common_unit(unit, stage->output_bytes);
    unit = common_unit(unit, stage->error_bytes);
    unit = common_unit(unit, stage->temporary_bytes);
    for (size_t k = 0; k < stage->option_count; k++) {
      unit = common_unit(unit, stage->options[k].saved_bytes);
      unit = common_unit(unit, stage->options[k].forward_temporary_bytes);
      unit = common_unit(unit, stage->options[k].backward_temporary_bytes);
    }
  }
  return unit;
}

/* A budget as a number of units. */
typedef struct measure {
  double unit_bytes;
  size_t units;
} measure;

/* Nothing is rounded where the budget has few common units of all sizes. */
static measure measure_of(const dsm_remat_chain *chain, double budget_bytes, size_t slots) {
  const double common = common_unit_of(chain);
  if (common > 0 && floor(budget_bytes / common) <= (double)slots) {
    return (measure){common, (size_t)floor(budget_bytes / common)};
  }
  return (measure){budget_bytes / (double)slots, slots};
}

/* Tables of a chain in units, with what they stand on. */
typedef struct solved {
  dsm__arena *arena;
  dsm__remat_tables tables;
} solved;

static dsm_status refuse_tables(const request *of, size_t window_count, size_t slots) {
  return dsm__refuse(of->diags, DSM_ERROR_USAGE,
                     "expected tables of at most %.1f GB, found %.1f GB for %zu parts of the chain "
                     "and %zu slots: fewer slots need less",
                     (double)DSM_REMAT_TABLE_BYTES_MAX / DSM__BYTES_PER_GB,
                     (double)window_count * (double)(slots + 1) * sizeof(double) /
                         DSM__BYTES_PER_GB,
                     window_count, slots);
}

static dsm_status solve(const request *of, measure by, solved *to) {
  *to = (solved){.arena = dsm__arena_new()};
  const dsm_remat_chain *const chain =
      dsm__remat_chain_in_units(of->chain, by.unit_bytes, false, to->arena);
  const dsm__remat_windows *const windows =
      chain == NULL ? NULL : dsm__remat_windows_new(chain, to->arena);
  if (windows == NULL) {
    return dsm__out_of_memory(of->diags);
  }
  if (windows->count > DSM_REMAT_TABLE_BYTES_MAX / (sizeof(double) * (by.units + 1))) {
    return refuse_tables(of, windows->count, by.units);
  }
  return dsm__remat_tables_make(&to->tables, windows, by.units, to->arena)
             ? DSM_OK
             : dsm__out_of_memory(of->diags);
}

/* ---- within the budget ---- */

/* The schedule of the dynamic programme, where it has one; else there are no steps. */
static dsm_status search(request *of) {
  const measure by = measure_of(of->chain, of->result->budget_bytes, of->options->slots);
  solved to;
  dsm_status status = solve(of, by, &to);
  of->result->unit_bytes = by.unit_bytes;
  if (status == DSM_OK && isfinite(dsm__remat_tables_seconds(&to.tables, by.units))) {
    status = dsm__remat_tables_steps(&to.tables, by.units, &of->within.steps, of->arena)
                 ? run_schedule(of->chain, &of->within, of->diags)
                 : dsm__out_of_memory(of->diags);
  }
  dsm__arena_free(to.arena);
  return status;
}

/* Takes over the schedule that is the answer, and runs it for what is held after each step. */
static dsm_status take(const request *of, const schedule *from) {
  dsm_remat_result *const result = of->result;
  dsm_remat_step *steps = NULL;
  double *held = NULL;
  if (!DSM__RESERVE(result->arena, steps, from->steps.count) ||
      !DSM__RESERVE(result->arena, held, from->steps.count)) {
    return dsm__out_of_memory(of->diags);
  }
  for (size_t i = 0; i < from->steps.count; i++) {
    steps[i] = from->steps.items[i];
  }
  result->steps = steps;
  result->held_bytes = held;
  result->step_count = from->steps.count;
  return dsm_remat_simulate(&result->run, held, of->chain, steps, result->step_count, of->diags);
}

static dsm_status refuse_budget(const request *of) {
  return dsm__refuse(
      of->diags, DSM_ERROR_INFEASIBLE,
      "%s: expected a budget of at least %.17g bytes, which is the smallest that any "
      "schedule fits in, found %.17g",
      of->chain->name == NULL ? "chain" : of->chain->name, ceil(of->result->smallest_bytes),
      of->result->budget_bytes);
}

static dsm_status answer(request *of) {
  dsm_remat_result *const result = of->result;
  if (result->budget_bytes < result->smallest_bytes) {
    return refuse_budget(of);
  }
  if (result->budget_bytes >= of->full.run.peak_bytes) {
    return take(of, &of->full);
  }
  const dsm_status status = search(of);
  if (status != DSM_OK) {
    return status;
  }
  const bool is_found =
      of->within.steps.count > 0 && of->within.run.seconds <= of->smallest.run.seconds;
  return take(of, is_found ? &of->within : &of->smallest);
}

/* ---- over all budgets ---- */

typedef struct front {
  dsm_remat_point *points; /* room for one of each unit, and two more */
  size_t count;
} front;

static void add_point(front *to, const schedule *from) {
  to->points[to->count++] = (dsm_remat_point){from->run.peak_bytes, from->run.seconds};
}

static int by_bytes(const void *a, const void *b) {
  const dsm_remat_point *const one = a;
  const dsm_remat_point *const other = b;
  if (one->bytes != other->bytes) {
    return one->bytes < other->bytes ? -1 : 1;
  }
  return (one->seconds > other->seconds) - (one->seconds < other->seconds);
}

/* Times that differ by less come of the order in which they were added up. */
static const double equal_times = 1 - 1e-12;

/* Leaves the points that none with less memory is as fast as. */
static void keep_best(front *of) {
  size_t kept = 0;
  qsort(of->points, of->count, sizeof *of->points, by_bytes);
  for (size_t i = 0; i < of->count; i++) {
    if (kept == 0 || of->points[i].seconds < equal_times * of->points[kept - 1].seconds) {
      of->points[kept++] = of->points[i];
    }
  }
  of->count = kept;
}

/* The schedules at all budgets at which the time falls. */
static dsm_status collect(const request *of, const solved *from, size_t units, front *to) {
  double before = HUGE_VAL;
  for (size_t m = 1; m <= units; m++) {
    const double seconds = dsm__remat_tables_seconds(&from->tables, m);
    if (seconds < equal_times * before) {
      dsm__arena *const arena = dsm__arena_new();
      schedule one = {0};
      const bool is_made = dsm__remat_tables_steps(&from->tables, m, &one.steps, arena);
      const dsm_status status =
          is_made ? run_schedule(of->chain, &one, of->diags) : dsm__out_of_memory(of->diags);
      dsm__arena_free(arena);
      if (status != DSM_OK) {
        return status;
      }
      add_point(to, &one);
      before = seconds;
    }
  }
  return DSM_OK;
}

static dsm_status find_front(request *of) {
  dsm_remat_result *const result = of->result;
  front to = {0};
  if (!DSM__RESERVE(result->arena, to.points, of->options->slots + 2)) {
    return dsm__out_of_memory(of->diags);
  }
  add_point(&to, &of->full);
  add_point(&to, &of->smallest);
  dsm_status status = DSM_OK;
  if (of->full.run.peak_bytes > 0) {
    const measure by = measure_of(of->chain, of->full.run.peak_bytes, of->options->slots);
    solved from;
    status = solve(of, by, &from);
    status = status == DSM_OK ? collect(of, &from, by.units, &to) : status;
    dsm__arena_free(from.arena);
  }
  keep_best(&to);
  result->points = to.points;
  result->point_count = to.count;
  return status;
}

/* ---- the request ---- */

static dsm_status check_options(const dsm_remat_options *options, dsm_diags *diags) {
  if (!isfinite(options->budget_bytes) || options->budget_bytes < 0) {
    return dsm__refuse(diags, DSM_ERROR_INVALID, "expected a budget above 0 bytes, found %g",
                       options->budget_bytes);
  }
  if (options->slots < 1 || options->slots > DSM_REMAT_SLOTS_MAX) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected 1 to %d slots, found %zu",
                       DSM_REMAT_SLOTS_MAX, options->slots);
  }
  return DSM_OK;
}

static double budget_of(const request *of) {
  const double own = of->chain->budget_bytes;
  return of->options->budget_bytes > 0 ? of->options->budget_bytes
         : own > 0                     ? own
                                       : of->full.run.peak_bytes;
}

static dsm_status serve(request *of) {
  dsm_remat_result *const result = of->result;
  of->chain = of->options->is_whole
                  ? dsm__remat_chain_scaled(result->chain, 1, 1, true, result->arena)
                  : result->chain;
  of->windows = of->chain == NULL ? NULL : dsm__remat_windows_new(of->chain, result->arena);
  if (of->windows == NULL) {
    return dsm__out_of_memory(of->diags);
  }
  dsm_status status = find_extremes(of);
  if (status == DSM_OK) {
    result->budget_bytes = budget_of(of);
    status = answer(of);
  }
  return status == DSM_OK && of->options->wants_front ? find_front(of) : status;
}

dsm_status dsm_remat(dsm_remat_result **result, const dsm_remat_chain *chain,
                     const dsm_remat_options *options, dsm_diags *diags) {
  dsm_remat_options defaults;
  dsm_remat_options_init(&defaults);
  *result = NULL;
  request of = {.options = options == NULL ? &defaults : options, .diags = diags};
  dsm_status status = dsm__remat_chain_check(chain, diags);
  if (status == DSM_OK) {
    status = check_options(of.options, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  of.result = DSM__ARENA_OWNER(dsm_remat_result);
  if (of.result == NULL) {
    return dsm__out_of_memory(diags);
  }
  of.result->chain = chain;
  of.arena = dsm__arena_new();
  status = serve(&of);
  dsm__arena_free(of.arena);
  if (status != DSM_OK) {
    dsm_remat_result_free(of.result);
    return status;
  }
  *result = of.result;
  return DSM_OK;
}
