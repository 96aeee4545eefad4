/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/serving_instance.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "workload/workload_internal.h"

enum { TRIES = 4, FIRST_STEPS = 32 }; /* assumptions: so many are enough, and fine enough */

/* A number of requests whose caches are larger than what weights leave of all chips' memory. */
static uint64_t more_than_fit(const dsm__instance *instance) {
  const dsm__serving_request *const of = instance->of;
  const dsm_workload *const network = of->decode != NULL ? of->decode : of->prefill;
  const double room = (double)instance->chips * dsm_system_usable_bytes(&instance->system) -
                      dsm__workload_weights_bytes(network);
  if (room <= 0) {
    return 1;
  }
  return of->cache_bytes * DSM_SERVING_BATCH_MAX > room ? (uint64_t)(room / of->cache_bytes) + 1
                                                        : DSM_SERVING_BATCH_MAX + 1;
}

/* The same system with so many bytes of each chip's memory taken. False: it has not so many. */
static bool take_room(dsm_system *system, const dsm_system *from, double bytes) {
  const double usable = dsm_system_usable_bytes(from);
  *system = *from;
  system->chip.memory.reserve_ratio =
      1 - (1 - from->chip.memory.reserve_ratio) * (usable - bytes) / usable;
  return bytes < usable;
}

static dsm_status explore(dsm__instance *instance, dsm__serving_step *step,
                          const dsm_workload *workload, const dsm_system *system,
                          double *cache_bytes) {
  dsm_explore_options options;
  dsm_plan *plan = NULL;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  options.gap = instance->of->options->gap / 4; /* most of it is for batches between */
  options.optimizations = dsm_system_optimizations(system, DSM_MODE_INFERENCE);
  options.parallelisms = instance->of->options->parallelisms;
  memcpy(options.roles, instance->of->options->roles, sizeof options.roles);
  ++*instance->explorations;
  const dsm_status status =
      dsm_explorer_explore(instance->explorer, &plan, workload, system, &options, NULL);
  if (status != DSM_OK) {
    return status;
  }
  const dsm_plan_result *const result = &plan->result;
  const double least = result->lower_bound_cycles / result->step_cycles;
  const double seconds = dsm_plan_computing_seconds(plan);
  const double host = (system->system.step_overhead_us +
                       system->system.request_overhead_us * (double)workload->minibatch) /
                      DSM__US_PER_SECOND;
  const double bound_share = result->resources.cycles[result->bound] / result->step_cycles;
  const char *const bound_name = dsm_plan_bound_name(plan, result->bound);
  *cache_bytes = result->memory.cache_bytes;
  *step = (dsm__serving_step){.fits = true,
                              .seconds = seconds + host,
                              .least_seconds = seconds * fmin(1, least) + host,
                              .memory_bytes = result->memory.total_bytes,
                              .bound = host > seconds * bound_share
                                           ? "host"
                                           : dsm__arena_strdup(instance->arena, bound_name)};
  dsm_plan_free(plan);
  return step->bound == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

/* A step beside `bytes` a chip that others take. Its own cache grows by a factor until its requests
 * end, and room is kept for that: first as if all chips had equal parts of the cache, then as much
 * as the last plan was short of. */
static dsm_status explore_beside(dsm__instance *instance, dsm__serving_step *step,
                                 const dsm_workload *workload, double bytes, double growth) {
  const double usable = dsm_system_usable_bytes(&instance->system);
  const double grown = growth - 1;
  double taken = bytes + grown * (double)workload->minibatch * dsm__workload_cache_bytes(workload) /
                             (double)instance->chips;
  dsm_status status = DSM_OK;
  *step = (dsm__serving_step){.fits = false};
  for (int i = 0; i < TRIES && status == DSM_OK && !step->fits; i++) {
    dsm_system system;
    double cache = 0;
    if (!take_room(&system, &instance->system, taken)) {
      return DSM_OK;
    }
    status = explore(instance, step, workload, &system, &cache);
    if (status == DSM_OK) {
      step->memory_bytes += grown * cache;
      const double over = step->memory_bytes + bytes - usable;
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
    const dsm_status status =
        explore_beside(instance, &made.step, &decode, 0, instance->of->growth);
    if (status != DSM_OK || !made.step.fits) {
      return status;
    }
  }
  *batch = keep(&instance->batches, made, instance->arena);
  return *batch == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

double dsm__serving_together(const dsm__serving_request *of, uint64_t requests) {
  const double most = (double)of->options->prefill_batch;
  if (of->decode == NULL) {
    return most;
  }
  const double ended = (double)requests / ((double)of->options->output_tokens - 1);
  const double together = of->is_batch_asked ? most : fmax(1, ended / -expm1(-ended));
  return fmin(together, fmin(most, (double)requests));
}

/* Numbers of requests whose prefills are explored: powers of 2, and the most. */
static uint64_t number_below(const dsm__serving_request *of, double together) {
  uint64_t number = 1;
  while (2 * (double)number <= together) {
    number *= 2;
  }
  return together >= (double)of->options->prefill_batch ? of->options->prefill_batch : number;
}

static uint64_t number_above(const dsm__serving_request *of, double together) {
  const uint64_t below = number_below(of, together);
  const uint64_t most = of->options->prefill_batch;
  return (double)below >= together ? below : 2 * below < most ? 2 * below : most;
}

/* A prefill beside the caches of so many requests. */
static dsm_status explore_prefill(dsm__instance *instance, dsm__serving_batch *prefill,
                                  uint64_t beside) {
  const double caches = (double)beside * instance->of->cache_bytes / (double)instance->chips;
  dsm_workload workload = *instance->of->prefill;
  workload.minibatch = prefill->requests;
  const dsm_status status = explore_beside(instance, &prefill->step, &workload, caches, 1);
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
  const dsm_status status = explore_number(instance, number_below(instance->of, together));
  return status != DSM_OK ? status : explore_number(instance, number_above(instance->of, together));
}

dsm__serving_step dsm__instance_prefill_of(const dsm__instance *instance, double together) {
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
  if (*fits) {
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

dsm_status dsm__instance_provision(dsm__instance *instance, double share) {
  uint64_t low = 0;
  dsm_status status = DSM_OK;
  const uint64_t too_many = more_than_fit(instance);
  instance->too_many = instance->too_many < too_many ? instance->too_many : too_many;
  /* Most often nearly all fit that there is room for: steps down are small until some fit. */
  uint64_t next = instance->too_many - 1;
  while (status == DSM_OK && next > low) {
    bool fits = false;
    status = try_most(instance, next, &fits);
    if (fits) {
      low = next;
    } else {
      instance->too_many = next;
    }
    const uint64_t left = instance->too_many - 1 - low;
    const bool is_near = low > 0 && (double)left <= share * (double)low;
    const uint64_t step = low > 0 ? left / 2 : left / FIRST_STEPS;
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
