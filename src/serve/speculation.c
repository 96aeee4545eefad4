/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speculation.c: speculative decoding: one decode step of K + 1 positions checks K tokens of a
 * draft. */
#include <math.h>

#include "serve/serving_instance.h"
#include "workload/workload_internal.h"

/* Leviathan et al., arXiv 2211.17192, equation 1: each token of the draft is accepted with the same
 * chance (the acceptance rate), and those behind a rejected one are lost. */
double dsm_serving_tokens_per_step(uint64_t speculated, double acceptance) {
  const double most = (double)speculated + 1;
  return acceptance < 1 ? (1 - pow(acceptance, most)) / (1 - acceptance) : most;
}

dsm_status dsm__speculation_begin(dsm__serving_request *request, dsm_diags *diags) {
  const dsm_serving_options *const options = request->options;
  dsm_workload *last = NULL;
  if (options->draft == NULL) {
    return DSM_OK;
  }
  dsm_status status =
      dsm_workload_phase(&last, options->draft, DSM_PHASE_DECODE, 1, request->end, diags);
  if (status == DSM_OK) {
    request->draft_weights_bytes = dsm__workload_weights_bytes(last);
    request->draft_cache_bytes = dsm__workload_cache_bytes(last);
    status = dsm_workload_phase(&request->draft, options->draft, DSM_PHASE_DECODE, 1,
                                request->context, diags);
  }
  dsm_workload_free(last);
  return status;
}

double dsm__draft_bytes(const dsm__instance *instance, double requests) {
  const dsm__serving_request *const of = instance->of;
  return (of->draft_weights_bytes + requests * of->draft_cache_bytes) / (double)instance->chips;
}

/* The host has no work between the steps of a draft: a server replays them together. */
dsm_status dsm__speculation_add(dsm__instance *instance, dsm__serving_batch *batch,
                                uint64_t requests) {
  dsm__serving_step *const steps_with_it[] = {&batch->step,
                                              instance->of->chunks > 0 ? &batch->chunked : NULL};
  const double steps = (double)instance->of->options->speculated_tokens;
  const double own_bytes = dsm__draft_bytes(instance, (double)requests);
  dsm__instance alone = *instance;
  dsm_workload draft = *instance->of->draft;
  dsm__serving_step one;
  draft.minibatch = requests;
  alone.system.system.step_overhead_us = 0;
  const dsm__serving_task task = {.workload = &draft,
                                  .bytes = batch->step.memory_bytes,
                                  .growth = instance->of->draft_cache_bytes /
                                            dsm__workload_cache_bytes(&draft)};
  const dsm_status status = dsm__instance_step(&alone, &one, &task);
  batch->step.fits = one.fits;
  batch->step.memory_bytes += fmax(own_bytes, one.memory_bytes);
  for (size_t i = 0; i < 2 && steps_with_it[i] != NULL; i++) {
    steps_with_it[i]->seconds += steps * one.seconds;
    steps_with_it[i]->least_seconds += steps * one.least_seconds;
  }
  return status;
}
