/* SPDX-License-Identifier: GPL-3.0-or-later */
/* asked_batches.c: batches that the user asks for, on all chips, in place of the front. */
#include <math.h>

#include "serve/search.h"

static double most_together(const dsm__serving_search *s, uint64_t running) {
  return fmin((double)s->request.prefill_most, (double)running);
}

/* A benchmark begins with all requests at once, and prefills as many together as it may. On average
 * a first token waits for half of these prefills, and later tokens wait for the other half. */
static void begin_run(const dsm__serving_search *s, const dsm__instance *instance,
                      const dsm__serving_batch *batch, dsm_serving_point *point) {
  if (!(s->to->options.waves > 0) || s->request.decode == NULL) {
    return;
  }
  const double first = 1 / s->to->options.waves;
  const double running = (double)batch->requests;
  const double together = most_together(s, batch->requests);
  const double later = (double)s->to->options.output_tokens - 1;
  const double steps = later / s->to->tokens_per_step;
  const double prefill = dsm__instance_prefill_of(instance, together).seconds;
  const double prefills = running / together;
  const double ttft = (prefills + 1) / 2 * prefill;
  const double request = prefills * prefill + steps * batch->step.seconds;
  const double served = 1 / point->chip_requests_per_second;
  point->ttft_seconds += first * (ttft - point->ttft_seconds);
  point->request_seconds += first * (request - point->request_seconds);
  point->tpot_seconds = (point->request_seconds - point->ttft_seconds) / later;
  point->user_tokens_per_second = 1 / point->tpot_seconds;
  point->chip_requests_per_second =
      1 / (served + first * (request * (double)instance->chips / running - served));
  point->chip_tokens_per_second =
      (double)s->to->options.output_tokens * point->chip_requests_per_second;
}

/* The point of a batch. Requests that do not fit wait until others end. */
static dsm_status add_asked(dsm__serving_search *s, uint64_t requests, dsm_serving_point *point) {
  dsm__instance *const instance = &s->instances.items[0];
  const dsm__serving_batch *batch = NULL;
  const uint64_t running = requests < instance->most ? requests : instance->most;
  dsm_status status = dsm__serving_explore(s, 0, running, &batch);
  if (status == DSM_OK && s->to->options.waves > 0) {
    status = dsm__instance_explore_prefill(instance, most_together(s, running));
  }
  if (status != DSM_OK) {
    return status;
  }
  if (batch == NULL) { /* the tries were too few: one that is known, with at most as many */
    batch = &instance->batches.items[0];
    for (size_t i = 1; i < instance->batches.count && batch[1].requests <= running; i++) {
      batch++;
    }
  }
  *point = dsm__serving_point_of(s, instance, (size_t)(batch - instance->batches.items));
  begin_run(s, instance, batch, point);
  const double waiting = (double)(requests > batch->requests ? requests - batch->requests : 0) /
                         (double)instance->chips / point->chip_requests_per_second;
  point->ttft_seconds += waiting;
  point->request_seconds += waiting;
  point->requests = requests;
  s->to->reached_gap = fmax(s->to->reached_gap, point->gap);
  return DSM_OK;
}

dsm_status dsm__serving_find_asked(dsm__serving_search *s) {
  const dsm_serving_options *const options = s->asked;
  dsm_serving_point *const points =
      dsm__arena_array(s->arena, options->request_count, sizeof *points);
  dsm__instance *const instance = &s->instances.items[0];
  *instance = s->instances.items[s->instances.count - 1]; /* all chips */
  s->instances.count = 1;
  const uint64_t ceiling = instance->ceiling;
  instance->ceiling = 0;
  for (size_t i = 0; i < options->request_count; i++) {
    const uint64_t tried = options->requests[i] < ceiling ? options->requests[i] : ceiling;
    instance->ceiling = tried > instance->ceiling ? tried : instance->ceiling;
  }
  dsm_status status = points == NULL ? DSM_ERROR_OUT_OF_MEMORY
                                     : dsm__instance_provision(instance, options->gap / 2);
  for (size_t i = 0; status == DSM_OK && instance->most > 0 && i < options->request_count; i++) {
    status = add_asked(s, options->requests[i], &points[i]);
    s->to->best =
        i == 0 || points[i].chip_requests_per_second > s->to->best.chip_requests_per_second
            ? points[i]
            : s->to->best;
    s->to->point_count = i + 1;
  }
  s->to->points = points;
  return status;
}
