/* SPDX-License-Identifier: GPL-3.0-or-later */
/* auxiliary_work.c: what a primary layer does beside its loops, from what is declared. */
#include <math.h>

#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

const dsm_aux *dsm__find_op(const dsm_layer_spec *spec, dsm_aux_op op) {
  for (size_t i = 0; i < spec->aux_count; i++) {
    if (spec->aux[i].op == op) {
      return &spec->aux[i];
    }
  }
  return NULL;
}

/* What the gradient of an operation needs of what it works on: what it reads or what it makes. */
typedef enum needed { NEEDS_NOTHING = 0, NEEDS_INPUT, NEEDS_OUTPUT } needed;

typedef struct need {
  needed what;
  bool is_of_activation; /* which some frameworks make anew */
} need;

static const need needs[DSM_AUX_OP_COUNT] = {
    [DSM_AUX_RELU] = {NEEDS_OUTPUT, true},       [DSM_AUX_SIGMOID] = {NEEDS_OUTPUT, true},
    [DSM_AUX_TANH] = {NEEDS_OUTPUT, true},       [DSM_AUX_GELU] = {NEEDS_INPUT, true},
    [DSM_AUX_SILU] = {NEEDS_INPUT, true},        [DSM_AUX_MULTIPLY] = {NEEDS_INPUT, true},
    [DSM_AUX_SOFTMAX] = {NEEDS_OUTPUT, false},   [DSM_AUX_MAX_POOL] = {NEEDS_INPUT, false},
    [DSM_AUX_BATCH_NORM] = {NEEDS_INPUT, false}, [DSM_AUX_LAYER_NORM] = {NEEDS_INPUT, false},
    [DSM_AUX_RMS_NORM] = {NEEDS_INPUT, false},
};

/* Between two operations on the output lies a result, which the one has made and the other reads:
 * it is kept once, for whoever needs it. The last one makes the output, which is kept anyway. */
static void derive_kept_results(const dsm_layer_spec *spec, dsm_layer *out) {
  const dsm_aux *const pool = dsm__find_pool(spec, false);
  need made = {NEEDS_NOTHING, false};
  uint64_t elements = out->output_elements;
  for (size_t i = 0; i < spec->aux_count && out->gates == 0; i++) {
    const dsm_aux *const aux = &spec->aux[i];
    const need own = needs[aux->op];
    if (aux->is_on_input) {
      continue;
    }
    const bool is_made = made.what == NEEDS_OUTPUT;
    const bool is_read = own.what == NEEDS_INPUT;
    if ((is_made && !made.is_of_activation) || (is_read && !own.is_of_activation)) {
      out->kept_results += elements;
    } else if (is_made || is_read) {
      out->kept_activations += elements;
    }
    made = own;
    elements = aux == pool ? out->stored_elements : elements;
  }
}

static dsm_pooled_rows pooled_rows(const dsm_aux *pool, uint64_t results) {
  const uint64_t window = pool->window.rows;
  const uint64_t stride = pool->stride.rows;
  return (dsm_pooled_rows){results, stride, window > stride ? window - stride : 0};
}

/* What an operation adds to its layer. */
static void take_op(const dsm_aux *aux, dsm_layer *out) {
  if (aux->is_given) {
    out->given_norms +=
        (aux->op == DSM_AUX_LAYER_NORM ? 2 : 1) * (aux->is_on_input ? out->in : out->out);
  }
  if (dsm__is_input_norm(aux)) {
    out->has_input_op[aux->op] = true;
    out->input_op_elements = out->input_elements;
    return;
  }
  out->has_second_bias = out->has_second_bias || (aux->op == DSM_AUX_BIAS && out->has_op[aux->op]);
  out->has_op[aux->op] = true;
  out->head_norm_features += aux->features;
  if (aux->heads > 0) {
    out->unnormed_elements =
        out->output_elements / out->out * (out->out - aux->heads * aux->features);
  }
}

const char *dsm__auxiliary_derive(const dsm__lowering *lowering, dsm_layer *out) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const dsm_aux *const output_pool = dsm__find_pool(spec, false);
  const dsm_aux *const input_pool = dsm__find_pool(spec, true);
  const dsm_aux *const rotary = dsm__find_op(spec, DSM_AUX_ROTARY);
  for (size_t i = 0; i < spec->aux_count; i++) {
    if (!dsm__is_shared_norm(&spec->aux[i])) { /* that is counted where the other layer reads */
      take_op(&spec->aux[i], out);
    }
  }
  derive_kept_results(spec, out);
  if (rotary != NULL) {
    out->rotated_elements = (uint64_t)round(rotary->share * (double)out->output_elements);
  }
  if (output_pool != NULL) {
    out->pool_window = output_pool->window.rows * output_pool->window.columns;
    out->pooled = pooled_rows(output_pool, lowering->stored.rows);
  }
  const dsm_size2 worked = lowering->input;
  if (out->has_op[DSM_AUX_UPSAMPLE] &&
      !dsm__bounded_product(&out->upsampled_elements, spec->in, lowering->upsampled.rows,
                            lowering->upsampled.columns, 1)) {
    return "results of the upsample on the input";
  }
  if (input_pool != NULL) {
    out->input_pool_window = input_pool->window.rows * input_pool->window.columns;
    out->input_pooled = pooled_rows(input_pool, worked.rows);
    const uint64_t features = dsm__layer_kind_of(spec->type)->reads_positions
                                  ? spec->in
                                  : spec->in / (worked.rows * worked.columns);
    if (!dsm__bounded_product(&out->input_pool_elements, features, worked.rows, worked.columns,
                              1)) {
      return "results of the pool on the input";
    }
  }
  return NULL;
}
