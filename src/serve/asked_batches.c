/* SPDX-License-Identifier: GPL-3.0-or-later */
/* asked_batches.c: batches that the user asks for, on all chips, in place of the front. */
#include <math.h>

#include "serve/search.h"

static double most_together(const dsm__serving_search *s, uint64_t running) {
  return fmin((double)s->request.prefill_most, (double)running);
}

/* A benchmark in place of a run without a beginning. */
static dsm_serving_state run_of(const dsm__serving_search *s, const dsm__instance *instance,
                                const dsm__serving_batch *batch) {
  const double running = (double)batch->requests;
  const double together = most_together(s, batch->requests);
  const dsm_serving_times times = {.output_tokens = s->to->options.output_tokens,
                                   .prefill_seconds =
                                       dsm__instance_prefill_of(instance, together).seconds,
                                   .prefill_batch = together,
                                   .decode = {&running, &batch->step.seconds, 1},
                                   .tokens_per_step = s->to->tokens_per_step};
  return dsm_serving_benchmark(&times, running, s->to->options.waves);
}

/* Requests that do not fit wait until others end. In a benchmark only those whose inputs do not fit
 * wait for their first tokens: the others begin, and wait between later ones, as engines preempt
 * them. */
static void set_times(const dsm__serving_search *s, const dsm__instance *instance,
                      const dsm__serving_batch *batch, dsm_serving_point *point) {
  const dsm_serving_options *const options = &s->to->options;
  const double chips = (double)instance->chips;
  const double fit = (double)batch->requests;
  const double asked = fmax((double)point->requests, fit);
  double begun = fit;
  if (options->waves > 0 && s->request.decode != NULL) {
    const dsm_serving_state run = run_of(s, instance, batch);
    const double grown = (double)s->request.end / (double)options->input_tokens;
    begun = fmin(asked, fmax(fit, floor(grown * (double)instance->most)));
    point->chip_requests_per_second = run.requests_per_second / chips;
    point->chip_tokens_per_second =
        (double)options->output_tokens * point->chip_requests_per_second;
    point->ttft_seconds = run.ttft_seconds;
    point->request_seconds = run.request_seconds;
    point->tpot_seconds = run.tpot_seconds;
  }
  const double each = 1 / chips / point->chip_requests_per_second;
  point->ttft_seconds += (asked - begun) * each;
  point->request_seconds += (asked - fit) * each;
  point->tpot_seconds += (begun - fit) * each / ((double)options->output_tokens - 1);
  point->million_dollars = dsm__serving_million_dollars(s, point->chip_tokens_per_second);
  point->user_tokens_per_second = isnan(point->tpot_seconds) ? 0 : 1 / point->tpot_seconds;
}

/* The point of a batch. */
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
  point->requests = requests;
  set_times(s, instance, batch, point);
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
