/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chunked_pass.c: chunked prefill. X(b, C) is the time of one pass that decodes for b requests and
 * works on C tokens of a prompt beside them.
 *
 * All products but those of attentions see b + C rows and nothing else. They are those of a prefill
 * of b + C tokens, the body, which is explored: weights are read once, and collectives, overheads
 * and operations count once. Its attentions are the chunk's: a chunk of C tokens that ends at
 * context e has C (e - C/2) pairs of queries and keys, b + C tokens that end at e' have
 * (b + C) (e' - (b + C)/2), and e' is such that both are equal (at least b + C: first chunks have a
 * little more). Windows are narrower by C / (b + C) likewise. The last layer makes logits for b + 1
 * rows.
 *
 * What is left are the attentions of the b decodes, each with its own keys. These lie where the
 * decode step's plan has them, so the pass takes as long for them as that plan does, but for the
 * starts of kernels: kernels of today take chunks and decodes in one launch. Attentions of decodes
 * mostly read memory and those of a chunk mostly compute, but one runs after the other, so the
 * times add. The bound of the pass is that of the body plus that time.
 */
#include <math.h>

#include "serve/serving_instance.h"
#include "workload/workload_internal.h"

static uint64_t chunks_of(uint64_t all, uint64_t each) {
  return (all + each - 1) / each;
}

void dsm__chunks_begin(dsm__serving_request *request) {
  const uint64_t fresh = request->new_tokens;
  request->chunks = chunks_of(fresh, request->options->chunk_tokens);
  request->chunk_tokens = chunks_of(fresh, request->chunks);
}

/* Context of the body, with which it has as many pairs as a chunk at the mean context of chunks. */
static uint64_t context_of(const dsm__serving_request *request, uint64_t rows) {
  const double chunk = (double)request->chunk_tokens;
  const double fresh = (double)request->new_tokens;
  const double cached = (double)(request->options->input_tokens - request->new_tokens);
  const double all = (double)rows;
  const double end = cached + (fresh + chunk) / 2;
  const double context = all / 2 + chunk * (end - chunk / 2) / all;
  return context > all ? (uint64_t)ceil(context) : rows;
}

/* Makes the last layer work on so many positions. */
static dsm_status pick_positions(dsm_workload **body, dsm__arena *arena, uint64_t positions) {
  dsm_workload changed = **body;
  dsm_layer_spec *const specs = dsm__arena_array(arena, changed.spec_count, sizeof *specs);
  const size_t last = changed.spec_count - 1;
  if (changed.specs[last].aux_count == 0 || changed.specs[last].aux[0].op != DSM_AUX_SELECT) {
    return DSM_OK;
  }
  dsm_aux *const aux = dsm__arena_array(arena, changed.specs[last].aux_count, sizeof *aux);
  if (specs == NULL || aux == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i <= last; i++) {
    specs[i] = changed.specs[i];
  }
  for (size_t i = 0; i < specs[last].aux_count; i++) {
    aux[i] = specs[last].aux[i];
  }
  aux[0].positions = positions;
  specs[last].aux = aux;
  specs[last].feature.rows = positions;
  changed.specs = specs;
  dsm_workload *made = NULL;
  const dsm_status status = dsm__workload_reread(&made, &changed, NULL);
  if (status == DSM_OK) {
    dsm_workload_free(*body);
    *body = made;
  }
  return status;
}

static dsm_status make_body(dsm_workload **made, const dsm__serving_request *request,
                            uint64_t requests) {
  const uint64_t decoded = requests * (request->options->speculated_tokens + 1);
  const uint64_t rows = decoded + request->chunk_tokens;
  const double share = (double)request->chunk_tokens / (double)rows;
  dsm_workload changed = *request->network;
  dsm__arena *const arena = dsm__arena_new();
  dsm_layer_spec *const specs =
      arena == NULL ? NULL : dsm__arena_array(arena, changed.spec_count, sizeof *specs);
  dsm_status status = specs == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
  if (status == DSM_OK) {
    for (size_t i = 0; i < changed.spec_count; i++) {
      specs[i] = changed.specs[i];
      specs[i].window = (uint64_t)ceil(share * (double)specs[i].window);
    }
    changed.specs = specs;
    status = dsm_workload_phase(made, &changed, DSM_PHASE_PREFILL, rows, context_of(request, rows),
                                NULL);
  }
  if (status == DSM_OK) {
    (*made)->minibatch = 1;
    status = pick_positions(made, arena, decoded + 1);
  }
  dsm__arena_free(arena);
  return status;
}

dsm_status dsm__chunks_explore(dsm__instance *instance, dsm__serving_step *step, uint64_t requests,
                               double decode_attention_seconds) {
  const dsm__serving_request *const of = instance->of;
  dsm_workload *body = NULL;
  *step = (dsm__serving_step){.fits = false};
  dsm_status status = make_body(&body, of, requests);
  if (status == DSM_OK) {
    const double caches = ((double)requests + 1) * of->cache_bytes;
    const dsm__serving_task task = {.workload = body,
                                    .requests = (double)requests + 1,
                                    .bytes = fmax(0, caches - dsm__workload_cache_bytes(body)) /
                                                 (double)instance->chips +
                                             dsm__draft_bytes(instance, (double)requests + 1),
                                    .growth = 1};
    status = dsm__instance_step(instance, step, &task);
    step->memory_bytes += task.bytes;
    step->seconds += decode_attention_seconds;
    step->least_seconds += decode_attention_seconds;
  }
  dsm_workload_free(body);
  return status;
}
