/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pipeline.c: pipelines whose devices compute again.
 *
 * Direct: what a device has left beside the inputs of its micro-batches is shared equally, and all
 * of them run by one schedule. Global: one chain of all micro-batches is solved, so that those
 * whose backward pass comes first may keep more; where rounding makes it slower, the direct
 * schedules, which are among its own, stand for it. It is nested as GPipe is, and has no meaning in
 * 1F1B.
 */
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/limits.h"
#include "plan/makespan.h"
#include "remat/cut.h"

DSM__ARENA_FREE(dsm_remat_pipeline, dsm_remat_pipeline_free);

/* Units of a global chain, at most, as multiples of those of a micro-batch. */
enum { GLOBAL_SLOTS = 16 };

/* What is being made. */
typedef struct maker {
  const dsm_remat_pipeline_options *options;
  const dsm_remat_chain *chain; /* of the whole minibatch, as stages are to be run */
  dsm_remat_pipeline *pipeline;
  const size_t *firsts; /* stages of each device */
  dsm_remat_pipeline_case *cases;
  size_t case_count;
  dsm_diags *diags;
} maker;

/* A case while it is made. */
typedef struct trial {
  const maker *of;
  const dsm_remat_chain *chain; /* of one micro-batch */
  size_t micro_batches;
  dsm_remat_pipeline_case *made;
  dsm_remat_device *devices;
  double *forward; /* as dsm__makespan_times has them */
  double *backward;
  dsm__arena *arena; /* for what goes with the case */
} trial;

static size_t stage_count_of(const maker *of, size_t device) {
  const size_t end =
      device + 1 < of->pipeline->device_count ? of->firsts[device + 1] : of->chain->stage_count;
  return end - of->firsts[device];
}

/* ---- devices ---- */

/* Adds up the passes of a schedule: up to the first backward pass they are forward ones. `stages`
 * of them are of a micro-batch. */
static void add_times(const trial *of, size_t device, const dsm_remat_chain *chain,
                      const dsm_remat_result *result, size_t stages) {
  double *const forward = of->forward + device * of->micro_batches;
  double *const backward = of->backward + device * of->micro_batches;
  bool is_back = false;
  for (size_t i = 0; i < result->step_count; i++) {
    const dsm_remat_step *const step = &result->steps[i];
    const dsm_remat_stage *const stage = &chain->stages[step->stage];
    const bool is_backward = step->action == DSM_REMAT_BACKWARD;
    const double seconds = is_backward ? stage->options[step->option].backward_seconds
                           : step->action == DSM_REMAT_SAVE
                               ? stage->options[step->option].forward_seconds
                               : stage->forward_seconds;
    is_back = is_back || is_backward;
    (is_back ? backward : forward)[step->stage / stages] += seconds;
  }
}

/* What is held when the forward passes are done. */
static double held_between(const dsm_remat_result *result) {
  size_t i = 0;
  while (result->steps[i].action != DSM_REMAT_BACKWARD) {
    i++;
  }
  return result->held_bytes[i - 1];
}

static dsm_remat_options options_within(const trial *of, double budget, size_t slots) {
  dsm_remat_options options = of->of->options->remat;
  options.budget_bytes = budget;
  options.slots = slots;
  options.is_whole = false; /* the chain has one option of each stage already */
  options.wants_front = false;
  return options;
}

/* The least budget of a chain; negative if it could not be found. */
static dsm_status smallest_of(const dsm_remat_chain *chain, const trial *of, double *bytes) {
  dsm_remat_options options = options_within(of, 0, 1);
  dsm_remat_result *result = NULL;
  const dsm_status status = dsm_remat(&result, chain, &options, of->of->diags);
  *bytes = status == DSM_OK ? result->smallest_bytes : -1;
  dsm_remat_result_free(result);
  return status;
}

/* Notes that a device does not fit, and how much it would need. */
static dsm_status lack(const trial *of, double needed) {
  of->made->is_feasible = false;
  if (needed > of->made->smallest_bytes) {
    of->made->smallest_bytes = needed;
  }
  return DSM_OK;
}

static dsm_status run_direct(const trial *of, size_t device, const dsm_remat_chain *part) {
  dsm_remat_device *const to = &of->devices[device];
  const double stored = (double)to->stored;
  const double inputs = (stored - 1) * part->input_bytes;
  const double budget = floor((of->of->pipeline->budget_bytes - inputs) / stored);
  double smallest = 0;
  dsm_status status = smallest_of(part, of, &smallest);
  if (status != DSM_OK) {
    return status;
  }
  if (budget < smallest || budget <= 0) {
    return lack(of, stored * ceil(smallest) + inputs);
  }
  const dsm_remat_options options = options_within(of, budget, of->of->options->remat.slots);
  dsm_remat_result *result = NULL;
  status = dsm_remat(&result, part, &options, of->of->diags);
  if (status == DSM_OK) {
    add_times(of, device, part, result, part->stage_count);
    for (size_t i = 1; i < of->micro_batches; i++) {
      of->forward[device * of->micro_batches + i] = of->forward[device * of->micro_batches];
      of->backward[device * of->micro_batches + i] = of->backward[device * of->micro_batches];
    }
    to->peak_bytes =
        result->run.peak_bytes + (stored - 1) * (part->input_bytes + held_between(result));
  }
  dsm_remat_result_free(result);
  return status;
}

/* With fewer slots where tables would be too large. */
static dsm_status solve_global(const trial *of, const dsm_remat_chain *chain,
                               dsm_remat_result **result) {
  const size_t own = of->of->options->remat.slots;
  const size_t times = of->micro_batches < GLOBAL_SLOTS ? of->micro_batches : GLOBAL_SLOTS;
  size_t slots = own * times < DSM_REMAT_SLOTS_MAX ? own * times : DSM_REMAT_SLOTS_MAX;
  dsm_status status = DSM_ERROR_USAGE;
  for (; status == DSM_ERROR_USAGE && slots >= own; slots /= 2) {
    const dsm_remat_options options = options_within(of, of->of->pipeline->budget_bytes, slots);
    status = dsm_remat(result, chain, &options, slots / 2 >= own ? NULL : of->of->diags);
  }
  return status;
}

static dsm_status run_global(const trial *of, size_t device, const dsm_remat_chain *part) {
  dsm__arena *const arena = dsm__arena_new();
  const dsm_remat_chain *const all = dsm__remat_repeated(part, of->micro_batches, arena);
  double smallest = 0;
  dsm_remat_result *result = NULL;
  dsm_status status =
      all == NULL ? dsm__out_of_memory(of->of->diags) : smallest_of(all, of, &smallest);
  if (status == DSM_OK && of->of->pipeline->budget_bytes < smallest) {
    status = lack(of, ceil(smallest));
  } else if (status == DSM_OK) {
    status = solve_global(of, all, &result);
  }
  if (all != NULL && result != NULL) {
    add_times(of, device, all, result, part->stage_count + 1);
    of->devices[device].peak_bytes = result->run.peak_bytes;
  }
  dsm_remat_result_free(result);
  dsm__arena_free(arena);
  return status;
}

/* ---- cases ---- */

static double busy_of(const trial *of, size_t device) {
  double seconds = 0;
  for (size_t i = 0; i < of->micro_batches; i++) {
    const size_t at = device * of->micro_batches + i;
    seconds += of->forward[at] + of->backward[at];
  }
  return seconds;
}

static double full_of(const trial *of, size_t device) {
  const dsm_remat_device *const at = &of->devices[device];
  const dsm_remat_chain part = dsm__remat_part(of->chain, at->first_stage, at->stage_count);
  return dsm_remat_chain_seconds(&part) * (double)of->micro_batches;
}

/* How long all devices take together, and how much of that they wait. */
static dsm_status time_case(const trial *of) {
  const size_t count = of->of->pipeline->device_count;
  double *links = NULL;
  if (!DSM__RESERVE(of->arena, links, 2 * count)) {
    return dsm__out_of_memory(of->of->diags);
  }
  double busy = 0;
  for (size_t d = 0; d < count; d++) {
    dsm_remat_device *const to = &of->devices[d];
    const dsm_remat_stage *const last = &of->chain->stages[to->first_stage + to->stage_count - 1];
    const double full = full_of(of, d);
    links[d] = last->output_bytes / of->chain->link_bytes_per_second;
    links[count + d] = last->error_bytes / of->chain->link_bytes_per_second;
    to->busy_seconds = busy_of(of, d);
    to->overhead = full > 0 ? to->busy_seconds / full - 1 : 0;
    busy += to->busy_seconds;
  }
  const dsm__makespan_times times = {.devices = count,
                                     .micro_batches = of->micro_batches,
                                     .forward = of->forward,
                                     .backward = of->backward,
                                     .output_link = links,
                                     .error_link = links + count};
  of->made->seconds = dsm__makespan(&times, of->made->order == DSM_REMAT_GPIPE);
  if (of->made->seconds < 0) {
    return dsm__out_of_memory(of->of->diags);
  }
  of->made->bubble = of->made->seconds > 0 ? 1 - busy / ((double)count * of->made->seconds) : 0;
  return DSM_OK;
}

static bool make_room(trial *of) {
  const size_t count = of->of->pipeline->device_count;
  return DSM__RESERVE(of->of->pipeline->arena, of->devices, count) &&
         DSM__RESERVE(of->arena, of->forward, count * of->micro_batches) &&
         DSM__RESERVE(of->arena, of->backward, count * of->micro_batches);
}

static dsm_status run_devices(trial *of) {
  const maker *const whole = of->of;
  dsm_status status = DSM_OK;
  for (size_t d = 0; status == DSM_OK && d < whole->pipeline->device_count; d++) {
    dsm_remat_device *const to = &of->devices[d];
    to->first_stage = whole->firsts[d];
    to->stage_count = stage_count_of(whole, d);
    to->stored = dsm__stored_micro_batches(of->made->order == DSM_REMAT_GPIPE,
                                           whole->pipeline->device_count, d, of->micro_batches);
    const dsm_remat_chain part = dsm__remat_part(of->chain, to->first_stage, to->stage_count);
    status =
        of->made->sharing == DSM_REMAT_GLOBAL ? run_global(of, d, &part) : run_direct(of, d, &part);
  }
  return status;
}

static dsm_status make_case(maker *of, const dsm_remat_chain *chain, size_t micro_batches,
                            dsm_remat_order order, dsm_remat_sharing sharing) {
  dsm_remat_pipeline_case *const made = &of->cases[of->case_count++];
  trial one = {.of = of,
               .chain = chain,
               .micro_batches = micro_batches,
               .made = made,
               .arena = dsm__arena_new()};
  *made = (dsm_remat_pipeline_case){
      .micro_batches = micro_batches, .order = order, .sharing = sharing, .is_feasible = true};
  dsm_status status = make_room(&one) ? run_devices(&one) : dsm__out_of_memory(of->diags);
  if (status == DSM_OK && made->is_feasible) {
    status = time_case(&one);
  }
  made->devices = one.devices;
  dsm__arena_free(one.arena);
  return status;
}

/* The direct schedules are among those of the global chain. */
static void take_better(const dsm_remat_pipeline_case *direct, dsm_remat_pipeline_case *global) {
  if (direct->is_feasible && (!global->is_feasible || direct->seconds < global->seconds)) {
    *global = *direct;
    global->sharing = DSM_REMAT_GLOBAL;
  }
}

/* Does a chain of all micro-batches of each device have few enough stages? */
static bool has_global(const maker *of, size_t micro_batches) {
  size_t longest = 0;
  for (size_t d = 0; d < of->pipeline->device_count; d++) {
    const size_t count = stage_count_of(of, d);
    longest = count > longest ? count : longest;
  }
  return micro_batches * (longest + 1) - 1 <= DSM_REMAT_STAGES_MAX;
}

static dsm_status make_cases(maker *of, const dsm_remat_chain *chain, size_t micro_batches) {
  dsm_status status = make_case(of, chain, micro_batches, DSM_REMAT_GPIPE, DSM_REMAT_DIRECT);
  if (status == DSM_OK && has_global(of, micro_batches)) {
    status = make_case(of, chain, micro_batches, DSM_REMAT_GPIPE, DSM_REMAT_GLOBAL);
    take_better(&of->cases[of->case_count - 2], &of->cases[of->case_count - 1]);
  }
  return status == DSM_OK ? make_case(of, chain, micro_batches, DSM_REMAT_ONE_FORWARD_ONE_BACKWARD,
                                      DSM_REMAT_DIRECT)
                          : status;
}

static dsm_status make_cases_of(maker *of, size_t micro_batches) {
  dsm__arena *const arena = dsm__arena_new();
  const double part = 1 / (double)micro_batches;
  const dsm_remat_chain *const chain = dsm__remat_chain_scaled(of->chain, part, part, false, arena);
  const dsm_status status =
      chain == NULL ? dsm__out_of_memory(of->diags) : make_cases(of, chain, micro_batches);
  dsm__arena_free(arena);
  return status;
}

/* ---- the request ---- */

static uint64_t most_micro_batches(const dsm_remat_chain *chain) {
  const uint64_t most = DSM_REMAT_MICRO_BATCHES_MAX;
  return chain->minibatch < most ? chain->minibatch : most;
}

static dsm_status check(const dsm_remat_chain *chain, const dsm_remat_pipeline_options *options,
                        dsm_diags *diags) {
  const dsm_status status = dsm__remat_chain_check(chain, diags);
  const double budget = options->remat.budget_bytes;
  if (status != DSM_OK) {
    return status;
  }
  if (options->devices < 1 || options->devices > chain->stage_count) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected 1 to %zu devices, one for each stage of the chain at most, found "
                       "%zu",
                       chain->stage_count, options->devices);
  }
  if (options->micro_batches > DSM_REMAT_MICRO_BATCHES_MAX ||
      (options->micro_batches > 0 && chain->minibatch % options->micro_batches != 0)) {
    return dsm__refuse(
        diags, DSM_ERROR_USAGE,
        "expected micro-batches that divide the minibatch of %llu, at most %d, found "
        "%llu",
        (unsigned long long)chain->minibatch, DSM_REMAT_MICRO_BATCHES_MAX,
        (unsigned long long)options->micro_batches);
  }
  if (!(budget > 0 || (budget == 0 && chain->budget_bytes > 0)) || !isfinite(budget)) {
    return dsm__refuse(diags, DSM_ERROR_INVALID,
                       "expected a budget above 0 bytes for each device of a pipeline, found %g",
                       budget);
  }
  return DSM_OK;
}

static dsm_status refuse_all(const maker *of) {
  double smallest = HUGE_VAL;
  for (size_t i = 0; i < of->case_count; i++) {
    const double one = of->cases[i].smallest_bytes;
    smallest = one < smallest ? one : smallest;
  }
  return dsm__refuse(
      of->diags, DSM_ERROR_INFEASIBLE,
      "expected a budget of at least %.17g bytes a device, which is the smallest that "
      "any of these pipelines fits in, found %.17g",
      smallest, of->pipeline->budget_bytes);
}

static dsm_status choose_best(maker *of) {
  size_t best = of->case_count;
  for (size_t i = 0; i < of->case_count; i++) {
    if (of->cases[i].is_feasible &&
        (best == of->case_count || of->cases[i].seconds < of->cases[best].seconds)) {
      best = i;
    }
  }
  of->pipeline->cases = of->cases;
  of->pipeline->case_count = of->case_count;
  of->pipeline->best = best;
  return best == of->case_count ? refuse_all(of) : DSM_OK;
}

static bool prepare(maker *of, const dsm_remat_chain *chain) {
  dsm__arena *const arena = of->pipeline->arena;
  const size_t most = (size_t)most_micro_batches(chain);
  size_t *firsts = NULL;
  of->chain =
      of->options->remat.is_whole ? dsm__remat_chain_scaled(chain, 1, 1, true, arena) : chain;
  if (of->chain == NULL || !DSM__RESERVE(arena, firsts, of->options->devices) ||
      !DSM__RESERVE(arena, of->cases, 3 * most) ||
      !dsm__remat_cut(of->chain, of->options->devices, firsts)) {
    return false;
  }
  of->firsts = firsts;
  of->pipeline->chain = chain;
  of->pipeline->device_count = of->options->devices;
  of->pipeline->budget_bytes =
      of->options->remat.budget_bytes > 0 ? of->options->remat.budget_bytes : chain->budget_bytes;
  return true;
}

static dsm_status make_all(maker *of) {
  const uint64_t wanted = of->options->micro_batches;
  const uint64_t most = most_micro_batches(of->chain);
  dsm_status status = DSM_OK;
  for (uint64_t m = 1; status == DSM_OK && m <= most; m++) {
    if (wanted == 0 ? of->chain->minibatch % m == 0 : m == wanted) {
      status = make_cases_of(of, (size_t)m);
    }
  }
  return status == DSM_OK ? choose_best(of) : status;
}

dsm_status dsm_remat_pipeline_make(dsm_remat_pipeline **pipeline, const dsm_remat_chain *chain,
                                   const dsm_remat_pipeline_options *options, dsm_diags *diags) {
  *pipeline = NULL;
  dsm_status status = check(chain, options, diags);
  if (status != DSM_OK) {
    return status;
  }
  maker of = {.options = options, .diags = diags};
  of.pipeline = DSM__ARENA_OWNER(dsm_remat_pipeline);
  status = of.pipeline != NULL && prepare(&of, chain) ? make_all(&of) : dsm__out_of_memory(diags);
  if (status != DSM_OK) {
    dsm_remat_pipeline_free(of.pipeline);
    return status;
  }
  *pipeline = of.pipeline;
  return DSM_OK;
}
