/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/serving_instance.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "serve/step_facts.h"
#include "workload/workload_internal.h"

/* Assumptions: so many tries are enough; so few numbers are all tried. */
enum { TRIES = 4, FEW = 8 };
static const double least_step = 1.0 / 64; /* assumptions: steps are no finer than is of use, */
static const double most_step = 1.0 / 32;  /* and no coarser */

/* A number of requests whose caches do not fit what the weights leave of all chips' memory. */
static uint64_t more_than_fit(const dsm__instance *instance) {
  const dsm__serving_request *const of = instance->of;
  const dsm_workload *const network = of->decode != NULL ? of->decode : of->prefill;
  const double room = (double)instance->chips * dsm_system_usable_bytes(&instance->system) -
                      dsm__workload_weights_bytes(network);
  if (room <= 0) {
    return 1;
  }
  return of->cache_bytes * (double)instance->ceiling > room ? (uint64_t)(room / of->cache_bytes) + 1
                                                            : instance->ceiling + 1;
}

/* Takes so many bytes of each chip's memory away from a system. False: it has fewer. */
static bool take_room(dsm_system *system, const dsm_system *from, double bytes) {
  const double usable = dsm_system_usable_bytes(from);
  *system = *from;
  system->chip.memory.reserve_ratio =
      1 - (1 - from->chip.memory.reserve_ratio) * (usable - bytes) / usable;
  return bytes < usable;
}

/* The part of a step that weights which stay on chip between steps could save: as large a part of
 * the time of all weights as chips have room for. */
static double kept_share(const dsm__instance *instance, const dsm_plan *plan) {
  const dsm_machine machine = dsm_machine_for(&instance->system, DSM_MODE_INFERENCE);
  const double each = machine.has_shared_memory ? 1 : (double)instance->system.chip.cores;
  const double room = dsm_preload_room_bytes(&machine) * each * (double)instance->chips;
  const double kept = fmin(1, room / dsm__workload_weights_bytes(plan->workload));
  return kept * dsm__serving_parts_of(plan, 0).weights / dsm_plan_computing_seconds(plan);
}

/* The plan of a step. Weights stay on chip only where that can save more than its gap: the search
 * of what stays there takes most of the time. `saved` is the part of a step by which a plan that
 * was not searched for could be faster. */
static dsm_status find_plan(dsm__instance *instance, const dsm_workload *workload,
                            const dsm_system *system, dsm_plan **plan, double *saved) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  options.gap = instance->of->options->gap / 4; /* most of it is for batches between */
  options.parallelisms = instance->of->options->parallelisms;
  memcpy(options.roles, instance->of->options->roles, sizeof options.roles);
  const dsm_optimization_set all = dsm_system_optimizations(system, DSM_MODE_INFERENCE);
  options.optimizations = all & ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
  ++*instance->explorations;
  dsm_status status =
      dsm_explorer_explore(instance->explorer, plan, workload, system, &options, NULL);
  if (status == DSM_ERROR_USAGE) { /* before anything was searched: asked again, to say why */
    return dsm_explorer_explore(instance->explorer, plan, workload, system, &options,
                                instance->diags);
  }
  *saved = status == DSM_OK ? kept_share(instance, *plan) : 0;
  if (*saved > options.gap) {
    dsm_plan_free(*plan);
    *saved = 0;
    options.optimizations = all;
    status = dsm_explorer_explore(instance->explorer, plan, workload, system, &options, NULL);
  }
  return status;
}

/* Products of attentions, without starting their kernels. */
static double attention_cycles(const dsm_plan *plan) {
  const dsm_workload *const workload = plan->workload;
  double cycles = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    const dsm_pass_plan *const pass = &plan->layers[i].passes[DSM_PASS_FORWARD];
    if (layer->is_product && workload->specs[layer->spec_index].type == DSM_LAYER_ATTENTION) {
      cycles += pass->cycles.total - pass->resources.cycles[DSM_BOUND_OVERHEAD];
    }
  }
  return cycles;
}

/* A copy that owns its workload and system. */
static bool keep_plan(dsm_plan **kept, const dsm_plan *plan) {
  char *const text = dsm_plan_print(plan);
  dsm_plan_free(*kept);
  *kept = NULL;
  if (text != NULL && dsm_plan_parse(kept, text, strlen(text), "-", NULL, NULL) == DSM_OK) {
    dsm_plan_set_bound(*kept, plan->result.lower_bound_cycles, NULL);
  }
  free(text);
  return *kept != NULL;
}

static dsm_status explore(dsm__instance *instance, dsm__serving_step *step,
                          const dsm__serving_task *task, const dsm_system *system,
                          double *cache_bytes) {
  dsm_plan *plan = NULL;
  double saved = 0;
  const dsm_status status = find_plan(instance, task->workload, system, &plan, &saved);
  if (status != DSM_OK) {
    return status;
  }
  if (instance->kept != NULL && !keep_plan(instance->kept, plan)) {
    dsm_plan_free(plan);
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  const dsm_plan_result *const result = &plan->result;
  const double least = result->lower_bound_cycles / result->step_cycles;
  const double seconds = dsm_plan_computing_seconds(plan);
  const double host =
      (system->system.step_overhead_us + system->system.request_overhead_us * task->requests) /
      DSM__US_PER_SECOND;
  const double bound_share = result->resources.cycles[result->bound] / result->step_cycles;
  const char *const bound_name = dsm_plan_bound_name(plan, result->bound);
  *cache_bytes = result->memory.cache_bytes;
  *step = (dsm__serving_step){
      .fits = true,
      .seconds = seconds + host,
      .least_seconds = seconds * fmin(1, least) * (1 - saved) + host,
      .attention_seconds = seconds * attention_cycles(plan) / result->step_cycles,
      .memory_bytes = result->memory.total_bytes,
      .bound =
          host > seconds * bound_share ? "host" : dsm__arena_strdup(instance->arena, bound_name),
      .ways = dsm__serving_ways_of(plan),
      .parts = dsm__serving_parts_of(plan, host)};
  dsm_plan_free(plan);
  step->split = dsm__serving_ways_text(&step->ways, instance->arena);
  return step->bound == NULL || step->split == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

/* A step beside `bytes` of a chip that others take. Its own cache grows by a factor until its
 * requests end, and room is kept for that: first as if all chips had equal parts of the cache, then
 * also as much as the last plan was short of. */
dsm_status dsm__instance_step(dsm__instance *instance, dsm__serving_step *step,
                              const dsm__serving_task *task) {
  const dsm_workload *const workload = task->workload;
  const double usable = dsm_system_usable_bytes(&instance->system);
  const double grown = task->growth - 1;
  double taken = task->bytes + grown * (double)workload->minibatch *
                                   dsm__workload_cache_bytes(workload) / (double)instance->chips;
  dsm_status status = DSM_OK;
  *step = (dsm__serving_step){.fits = false};
  for (int i = 0; i < TRIES && status == DSM_OK && !step->fits; i++) {
    dsm_system system;
    double cache = 0;
    if (!take_room(&system, &instance->system, taken)) {
      return DSM_OK;
    }
    status = explore(instance, step, task, &system, &cache);
    if (status == DSM_OK) {
      step->memory_bytes += grown * cache;
      const double over = step->memory_bytes + task->bytes - usable;
      step->fits = over <= usable * 1e-12; /* but for what sums are rounded by */
      taken += fmax(0, over);
    }
  }
  return status == DSM_ERROR_INFEASIBLE ? DSM_OK : status;
}

/* Keeps it in its place. */
static const dsm__serving_batch *keep(dsm__serving_batches *list, dsm__serving_batch batch,
                                      dsm__arena *arena) {
  if (!DSM__LIST_RESERVE_IN(list, 1, arena)) {
    return NULL;
  }
  dsm__serving_batch *const items = list->items;
  size_t i = list->count++;
  for (; i > 0 && items[i - 1].requests > batch.requests; i--) {
    items[i] = items[i - 1];
  }
  items[i] = batch;
  return &items[i];
}

static const dsm__serving_batch *find(const dsm__serving_batches *list, uint64_t requests) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].requests == requests) {
      return &list->items[i];
    }
  }
  return NULL;
}

dsm_status dsm__instance_explore(dsm__instance *instance, uint64_t requests,
                                 const dsm__serving_batch **batch) {
  const dsm_workload *const of = instance->of->decode;
  dsm__serving_batch made = {.requests = requests, .step.fits = of == NULL};
  *batch = find(&instance->batches, requests);
  if (*batch != NULL || requests >= instance->too_many) {
    return DSM_OK;
  }
  if (of != NULL) {
    dsm_workload decode = *of;
    decode.minibatch = requests;
    const dsm__serving_task task = {.workload = &decode,
                                    .requests = (double)requests,
                                    .bytes = dsm__draft_bytes(instance, (double)requests),
                                    .growth = instance->of->growth};
    dsm_status status = dsm__instance_step(instance, &made.step, &task);
    if (status == DSM_OK && made.step.fits && instance->of->chunks > 0) {
      status = dsm__chunks_explore(instance, &made.chunked, requests - 1,
                                   made.step.attention_seconds * (double)(requests - 1) /
                                       (double)requests);
      made.step.fits = made.chunked.fits;
    }
    if (status == DSM_OK && made.step.fits && instance->of->draft != NULL) {
      status = dsm__speculation_add(instance, &made, requests);
    }
    if (status != DSM_OK || !made.step.fits) {
      return status;
    }
  }
  *batch = keep(&instance->batches, made, instance->arena);
  return *batch == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

double dsm__serving_together(const dsm__serving_request *of, uint64_t requests) {
  const double most = (double)of->prefill_most;
  if (of->decode == NULL) {
    return most;
  }
  const double ended = (double)requests / ((double)of->options->output_tokens - 1);
  const double together = of->is_batch_asked ? most : fmax(1, ended / -expm1(-ended));
  return fmin(together, fmin(most, (double)requests));
}

/* Prefills are explored for powers of 2, and for the most requests. */
static uint64_t number_below(const dsm__serving_request *of, double together) {
  uint64_t number = 1;
  while (2 * (double)number <= together) {
    number *= 2;
  }
  return together >= (double)of->prefill_most ? of->prefill_most : number;
}

static uint64_t number_above(const dsm__serving_request *of, double together) {
  const uint64_t below = number_below(of, together);
  const uint64_t most = of->prefill_most;
  return (double)below >= together ? below : 2 * below < most ? 2 * below : most;
}

/* A prefill beside the caches of so many requests. */
static dsm_status explore_prefill(dsm__instance *instance, dsm__serving_batch *prefill,
                                  uint64_t beside) {
  const double caches = (double)beside * instance->of->cache_bytes / (double)instance->chips +
                        dsm__draft_bytes(instance, (double)beside);
  dsm_workload workload = *instance->of->prefill;
  workload.minibatch = prefill->requests;
  const dsm__serving_task task = {&workload, (double)workload.minibatch, caches, 1};
  const dsm_status status = dsm__instance_step(instance, &prefill->step, &task);
  prefill->step.memory_bytes += caches;
  return status;
}

static dsm_status explore_number(dsm__instance *instance, uint64_t requests) {
  dsm__serving_batch made = {.requests = requests};
  if (find(&instance->prefills, requests) != NULL) {
    return DSM_OK;
  }
  const dsm_status status = explore_prefill(instance, &made, instance->most);
  if (status != DSM_OK) {
    return status;
  }
  if (!made.step.fits) { /* the tries were too few: that of the most takes no less */
    made.step = instance->prefills.items[instance->prefills.count - 1].step;
  }
  return keep(&instance->prefills, made, instance->arena) == NULL ? DSM_ERROR_OUT_OF_MEMORY
                                                                  : DSM_OK;
}

dsm_status dsm__instance_explore_prefill(dsm__instance *instance, double together) {
  if (instance->of->chunks > 0) {
    return DSM_OK;
  }
  const dsm_status status = explore_number(instance, number_below(instance->of, together));
  return status != DSM_OK ? status : explore_number(instance, number_above(instance->of, together));
}

dsm__serving_step dsm__instance_prefill_of(const dsm__instance *instance, double together) {
  if (instance->of->chunks > 0) {
    return (dsm__serving_step){.fits = true};
  }
  const dsm__serving_batch *const below =
      find(&instance->prefills, number_below(instance->of, together));
  const dsm__serving_batch *const above =
      find(&instance->prefills, number_above(instance->of, together));
  assert(below != NULL && above != NULL);
  dsm__serving_step step = below->step;
  if (above != below) {
    const double part =
        (together - (double)below->requests) / ((double)above->requests - (double)below->requests);
    step.seconds += part * (above->step.seconds - below->step.seconds);
    step.least_seconds += part * (above->step.least_seconds - below->step.least_seconds);
    step.memory_bytes = fmax(below->step.memory_bytes, above->step.memory_bytes);
  }
  return step;
}

/* Does a batch fit, and a prefill beside it? */
static dsm_status try_most(dsm__instance *instance, uint64_t requests, bool *fits) {
  const dsm__serving_batch *batch = NULL;
  dsm_status status = dsm__instance_explore(instance, requests, &batch);
  *fits = status == DSM_OK && batch != NULL;
  if (*fits && instance->of->chunks == 0) {
    dsm__serving_batch prefill = {
        .requests = number_above(instance->of, dsm__serving_together(instance->of, requests))};
    status = explore_prefill(instance, &prefill, requests);
    *fits = status == DSM_OK && prefill.step.fits;
    if (*fits) {
      instance->prefills.count = 0; /* beside fewer */
      status = keep(&instance->prefills, prefill, instance->arena) == NULL ? DSM_ERROR_OUT_OF_MEMORY
                                                                           : DSM_OK;
    }
  }
  return status;
}

dsm_status dsm__instance_provision_as(dsm__instance *instance, const dsm__instance *like) {
  dsm__serving_batch prefill = {
      .requests = number_above(instance->of, dsm__serving_together(instance->of, like->most))};
  instance->most = like->most;
  instance->too_many = like->too_many;
  if (instance->of->chunks > 0) {
    return DSM_OK;
  }
  const dsm_status status = explore_prefill(instance, &prefill, like->most);
  if (status != DSM_OK || !prefill.step.fits) {
    instance->most = 0;
    return status;
  }
  return keep(&instance->prefills, prefill, instance->arena) == NULL ? DSM_ERROR_OUT_OF_MEMORY
                                                                     : DSM_OK;
}

dsm_status dsm__instance_provision(dsm__instance *instance, double share) {
  /* Where the first one is that fits it is near enough. */
  const double first_step = fmin(fmax(share / (1 + share), least_step), most_step);
  const dsm__serving_batch *one = NULL;
  uint64_t low = 0;
  dsm_status status = DSM_OK;
  instance->too_many = more_than_fit(instance);
  int failed = 0;
  bool is_doubtful = false;
  /* Mostly nearly all requests fit that there is room for: go down in small steps until some fit.
   */
  uint64_t next = instance->too_many - 1;
  while (status == DSM_OK && next > low) {
    bool fits = false;
    status = try_most(instance, next, &fits);
    if (fits) {
      low = next;
    } else {
      instance->too_many = next;
      failed++;
    }
    const uint64_t left = instance->too_many - 1 - low;
    const bool is_near = low > 0 && (double)left <= share * (double)low;
    if (status == DSM_OK && low == 0 && failed == 2) { /* where not one fits mostly none do */
      status = dsm__instance_explore(instance, 1, &one);
      is_doubtful = one == NULL;
    }
    const bool is_halved = low > 0 || (is_doubtful && left > FEW);
    const uint64_t step = is_halved ? left / 2 : (uint64_t)(first_step * (double)left);
    next = is_near ? low : instance->too_many - 1 - step;
  }
  instance->most = low;
  while (instance->batches.count > 0 &&
         instance->batches.items[instance->batches.count - 1].requests > low) {
    instance->batches.count--; /* no room for a prefill beside it */
  }
  for (size_t i = 0; status == DSM_OK && i < instance->batches.count; i++) {
    status = dsm__instance_explore_prefill(
        instance, dsm__serving_together(instance->of, instance->batches.items[i].requests));
  }
  return status;
}

dsm_status dsm__instance_plan(dsm__instance *instance, uint64_t requests, dsm_plan **plan) {
  const bool has_decode = instance->of->decode != NULL;
  dsm_workload network = *(has_decode ? instance->of->decode : instance->of->prefill);
  dsm__serving_step step;
  network.minibatch = requests;
  instance->kept = plan;
  const dsm__serving_task task = {.workload = &network,
                                  .requests = (double)requests,
                                  .bytes =
                                      has_decode ? dsm__draft_bytes(instance, (double)requests) : 0,
                                  .growth = has_decode ? instance->of->growth : 1};
  dsm_status status = dsm__instance_step(instance, &step, &task);
  status = status == DSM_OK && !step.fits ? DSM_ERROR_INFEASIBLE : status;
  if (status != DSM_OK) {
    dsm_plan_free(*plan);
    *plan = NULL;
  }
  return status;
}
