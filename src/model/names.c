/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.c: the words of the formats for the model's enumerations. */
#include <string.h>

#include "dsm/mapping.h"
#include "dsm/model.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const char *const dim_names[] = {
    [DSM_DIM_IN] = "in",   [DSM_DIM_OUT] = "out", [DSM_DIM_IJ] = "ij",
    [DSM_DIM_KIJ] = "kij", [DSM_DIM_MB] = "mb",
};
_Static_assert(COUNT_OF(dim_names) == DSM_DIM_COUNT, "a name for each loop");

static const char *const mode_names[] = {
    [DSM_MODE_TRAINING] = "training",
    [DSM_MODE_INFERENCE] = "inference",
};
_Static_assert(COUNT_OF(mode_names) == DSM_MODE_COUNT, "a name for each mode");

static const char *const pass_names[] = {
    [DSM_PASS_FORWARD] = "forward",
    [DSM_PASS_BACKWARD] = "backward",
    [DSM_PASS_UPDATE] = "update",
};
_Static_assert(COUNT_OF(pass_names) == DSM_PASS_COUNT, "a name for each pass");

static const char *const parallelism_names[] = {
    [DSM_PARALLELISM_DATA] = "data",
    [DSM_PARALLELISM_MODEL] = "model",
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = "data_x_model_y",
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = "model_x_data_y",
};
_Static_assert(COUNT_OF(parallelism_names) == DSM_PARALLELISM_COUNT, "a name for each parallelism");

static const char *const link_names[] = {
    [DSM_LINK_X] = "link_x",
    [DSM_LINK_Y] = "link_y",
    [DSM_LINK_MEMORY] = "memory",
    [DSM_LINK_RING] = "ring",
};
_Static_assert(COUNT_OF(link_names) == DSM_LINK_COUNT, "a name for each link");

static const char *const bound_names[] = {
    [DSM_BOUND_COMPUTE] = "compute", [DSM_BOUND_LINK_X] = "link_x",
    [DSM_BOUND_LINK_Y] = "link_y",   [DSM_BOUND_MEMORY] = "memory",
    [DSM_BOUND_RING] = "ring",       [DSM_BOUND_AUXILIARY] = "auxiliary",
    [DSM_BOUND_STARTUP] = "startup", [DSM_BOUND_SCRATCHPAD] = "scratchpad",
};
_Static_assert(COUNT_OF(bound_names) == DSM_BOUND_COUNT, "a name for each bound");

static const char *const transfer_names[] = {
    [DSM_TRANSFER_FETCH_INPUT] = "fetch_input",
    [DSM_TRANSFER_FETCH_KERNEL] = "fetch_kernel",
    [DSM_TRANSFER_FETCH_SHORTCUT] = "fetch_shortcut",
    [DSM_TRANSFER_WRITE_OUTPUT] = "write_output",
    [DSM_TRANSFER_WRITE_DEFERRED] = "write_deferred",
    [DSM_TRANSFER_SAVE_STATE] = "save_state",
    [DSM_TRANSFER_FETCH_ERROR] = "fetch_error",
    [DSM_TRANSFER_FETCH_FORK] = "fetch_fork",
    [DSM_TRANSFER_FETCH_STATE] = "fetch_state",
    [DSM_TRANSFER_FETCH_STATISTICS] = "fetch_statistics",
    [DSM_TRANSFER_WRITE_ERROR] = "write_error",
    [DSM_TRANSFER_FETCH_MASK] = "fetch_mask",
    [DSM_TRANSFER_WRITE_GRADIENT] = "write_gradient",
    [DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE] = "partial_sum_accumulate",
    [DSM_TRANSFER_SUM_OF_STATISTICS] = "sum_of_statistics",
    [DSM_TRANSFER_LAYOUT_MOVE] = "layout_move",
    [DSM_TRANSFER_ROTATE_X] = "rotate_x",
    [DSM_TRANSFER_ROTATE_Y] = "rotate_y",
    [DSM_TRANSFER_HAND_OVER_Y] = "hand_over_y",
    [DSM_TRANSFER_SUM_OF_GRADIENTS_X] = "sum_of_gradients_x",
    [DSM_TRANSFER_SUM_OF_GRADIENTS_Y] = "sum_of_gradients_y",
    [DSM_TRANSFER_BROADCAST_WEIGHTS_X] = "broadcast_weights_x",
    [DSM_TRANSFER_BROADCAST_WEIGHTS_Y] = "broadcast_weights_y",
    [DSM_TRANSFER_WEIGHT_UPDATE] = "weight_update",
    [DSM_TRANSFER_RELAYOUT_X] = "relayout_x",
    [DSM_TRANSFER_RELAYOUT_Y] = "relayout_y",
};
_Static_assert(COUNT_OF(transfer_names) == DSM_TRANSFER_COUNT, "a name for each transfer");

static const char *const group_names[] = {
    [DSM_GROUP_STREAM] = "stream",
    [DSM_GROUP_PARTIAL_SUM] = "partial_sum",
    [DSM_GROUP_LAYOUT_MOVE] = "layout_move",
    [DSM_GROUP_ROTATION] = "rotation",
    [DSM_GROUP_HAND_OVER] = "hand_over",
    [DSM_GROUP_SUM_OF_GRADIENTS] = "sum_of_gradients",
    [DSM_GROUP_BROADCAST_WEIGHTS] = "broadcast_weights",
    [DSM_GROUP_WEIGHT_UPDATE] = "weight_update",
    [DSM_GROUP_RELAYOUT] = "relayout",
};
_Static_assert(COUNT_OF(group_names) == DSM_GROUP_COUNT, "a name for each group");

const char *dsm_dim_name(dsm_dim dim) {
  return dim_names[dim];
}

const char *dsm_mode_name(dsm_mode mode) {
  return mode_names[mode];
}

const char *dsm_pass_name(dsm_pass pass) {
  return pass_names[pass];
}

const char *dsm_parallelism_name(dsm_parallelism parallelism) {
  return parallelism_names[parallelism];
}

const char *dsm_link_name(dsm_link link) {
  return link_names[link];
}

const char *dsm_bound_name(dsm_bound bound) {
  return bound_names[bound];
}

const char *dsm_transfer_name(dsm_transfer transfer) {
  return transfer_names[transfer];
}

const char *dsm_group_name(dsm_group group) {
  return group_names[group];
}

/* Index of text among names, or count. */
static size_t find_name(const char *text, const char *const *names, size_t count) {
  size_t i = 0;
  while (i < count && strcmp(text, names[i]) != 0) {
    i++;
  }
  return i;
}

bool dsm_mode_parse(const char *text, dsm_mode *mode) {
  const size_t found = find_name(text, mode_names, DSM_MODE_COUNT);
  if (found == DSM_MODE_COUNT) {
    return false;
  }
  *mode = (dsm_mode)found;
  return true;
}

bool dsm_parallelism_parse(const char *text, dsm_parallelism *parallelism) {
  const size_t found = find_name(text, parallelism_names, DSM_PARALLELISM_COUNT);
  if (found == DSM_PARALLELISM_COUNT) {
    return false;
  }
  *parallelism = (dsm_parallelism)found;
  return true;
}
