/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/workload.h"

#include <string.h>

#include "workload/workload_internal.h"

const char *const dsm__layer_type_names[] = {
    [DSM_LAYER_CONV] = "conv",
    [DSM_LAYER_FC] = "fc",
    [DSM_LAYER_LSTM] = "lstm",
    [DSM_LAYER_MATMUL] = "matmul",
};
_Static_assert(sizeof dsm__layer_type_names / sizeof dsm__layer_type_names[0] ==
                   DSM_LAYER_TYPE_COUNT,
               "a name for each layer type");

const char *const dsm__aux_op_names[] = {
    [DSM_AUX_BIAS] = "bias",
    [DSM_AUX_RESIDUAL] = "residual",
    [DSM_AUX_RELU] = "relu",
    [DSM_AUX_SIGMOID] = "sigmoid",
    [DSM_AUX_TANH] = "tanh",
    [DSM_AUX_GELU] = "gelu",
    [DSM_AUX_MAX_POOL] = "max_pool",
    [DSM_AUX_AVG_POOL] = "avg_pool",
    [DSM_AUX_SOFTMAX] = "softmax",
    [DSM_AUX_BATCH_NORM] = "batch_norm",
    [DSM_AUX_LAYER_NORM] = "layer_norm",
};
_Static_assert(sizeof dsm__aux_op_names / sizeof dsm__aux_op_names[0] == DSM_AUX_OP_COUNT,
               "a name for each auxiliary operation");

const char *dsm_layer_type_name(dsm_layer_type type) {
  return dsm__layer_type_names[type];
}

const char *dsm_aux_op_name(dsm_aux_op op) {
  return dsm__aux_op_names[op];
}

dsm_workload *dsm__workload_new(void) {
  dsm__arena *const arena = dsm__arena_new();
  if (arena == NULL) {
    return NULL;
  }
  dsm_workload *const workload = dsm__arena_alloc(arena, sizeof *workload);
  if (workload == NULL) {
    dsm__arena_free(arena);
    return NULL;
  }
  workload->arena = arena;
  return workload;
}

void dsm_workload_free(dsm_workload *workload) {
  if (workload != NULL) {
    dsm__arena_free(workload->arena);
  }
}

size_t dsm_workload_find_layer(const dsm_workload *workload, const char *name) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (strcmp(workload->layers[i].name, name) == 0) {
      return i;
    }
  }
  return SIZE_MAX;
}
