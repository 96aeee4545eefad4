/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/workload.h"

#include <string.h>

#include "workload/workload_internal.h"

static const dsm__word layer_type_words[] = {
    [DSM_LAYER_CONV].key = "conv",
    [DSM_LAYER_FC].key = "fc",
    [DSM_LAYER_LSTM].key = "lstm",
    [DSM_LAYER_MATMUL].key = "matmul",
    [DSM_LAYER_ATTENTION].key = "attention",
    [DSM_LAYER_EMBEDDING].key = "embedding",
    [DSM_LAYER_CONV_TRANSPOSE].key = "conv_transpose",
};
DSM__NAMED_WORDS(dsm__layer_type_words, "type of layer", layer_type_words, DSM_LAYER_TYPE_COUNT,
                 dsm_layer_type, dsm_layer_type_name);

static const dsm__word aux_op_words[] = {
    [DSM_AUX_BIAS].key = "bias",
    [DSM_AUX_RESIDUAL].key = "residual",
    [DSM_AUX_RELU].key = "relu",
    [DSM_AUX_SIGMOID].key = "sigmoid",
    [DSM_AUX_TANH].key = "tanh",
    [DSM_AUX_GELU].key = "gelu",
    [DSM_AUX_MAX_POOL].key = "max_pool",
    [DSM_AUX_AVG_POOL].key = "avg_pool",
    [DSM_AUX_SOFTMAX].key = "softmax",
    [DSM_AUX_BATCH_NORM].key = "batch_norm",
    [DSM_AUX_LAYER_NORM].key = "layer_norm",
    [DSM_AUX_CROSS_ENTROPY].key = "cross_entropy",
    [DSM_AUX_RMS_NORM].key = "rms_norm",
    [DSM_AUX_SILU].key = "silu",
    [DSM_AUX_MULTIPLY].key = "multiply",
    [DSM_AUX_DROPOUT].key = "dropout",
    [DSM_AUX_ROTARY].key = "rotary",
    [DSM_AUX_SELECT].key = "select",
    [DSM_AUX_UPSAMPLE].key = "upsample",
    [DSM_AUX_COPY].key = "copy",
    [DSM_AUX_SPLIT].key = "split",
};
static const dsm__word other_aux_ops[] = {[DSM_AUX_SILU].key = "swish"};
DSM__NAMED_WORDS_WITH(dsm__aux_op_words, "auxiliary operation", aux_op_words, DSM_AUX_OP_COUNT,
                      dsm_aux_op, dsm_aux_op_name, other_aux_ops);

static const dsm__word optimizer_words[] = {
    [DSM_OPTIMIZER_NONE].key = "none",
    [DSM_OPTIMIZER_SGD].key = "sgd",
    [DSM_OPTIMIZER_LARS].key = "lars",
    [DSM_OPTIMIZER_ADAM].key = "adam",
    [DSM_OPTIMIZER_ADAM_MIXED].key = "adam_mixed",
};
static const dsm__word other_optimizers[] = {[DSM_OPTIMIZER_SGD].key = "momentum"};
DSM__NAMED_WORDS_WITH(dsm__optimizer_words, "optimizer", optimizer_words, DSM_OPTIMIZER_COUNT,
                      dsm_optimizer, dsm_optimizer_name, other_optimizers);

dsm_workload *dsm__workload_new(void) {
  return DSM__ARENA_OWNER(dsm_workload);
}

DSM__ARENA_FREE(dsm_workload, dsm_workload_free);

size_t dsm_workload_find_layer(const dsm_workload *workload, const char *name) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (strcmp(workload->layers[i].name, name) == 0) {
      return i;
    }
  }
  return SIZE_MAX;
}

bool dsm_workload_layer_is_of(const dsm_workload *workload, size_t index, const char *name) {
  const dsm_layer *const layer = &workload->layers[index];
  bool is_of = strcmp(workload->specs[layer->spec_index].name, name) == 0;
  for (size_t i = 0; i < layer->part_count && !is_of; i++) {
    is_of = strcmp(workload->specs[layer->parts[i].spec_index].name, name) == 0;
  }
  return is_of;
}
