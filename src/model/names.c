/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.c: the words of the formats for the model's enumerations. */
#include "model/names.h"

#include "dsm/mapping.h"
#include "dsm/model.h"

static const dsm__word dim_words[] = {
    [DSM_DIM_IN].key = "in",   [DSM_DIM_OUT].key = "out", [DSM_DIM_IJ].key = "ij",
    [DSM_DIM_KIJ].key = "kij", [DSM_DIM_MB].key = "mb",
};
DSM__WORDS(dsm__dim_words, "loop", dim_words, DSM_DIM_COUNT);

static const dsm__word mode_words[] = {
    [DSM_MODE_TRAINING].key = "training",
    [DSM_MODE_INFERENCE].key = "inference",
};
DSM__WORDS(dsm__mode_words, "mode", mode_words, DSM_MODE_COUNT);

static const dsm__word pass_words[] = {
    [DSM_PASS_FORWARD].key = "forward",
    [DSM_PASS_BACKWARD].key = "backward",
    [DSM_PASS_UPDATE].key = "update",
};
DSM__WORDS(dsm__pass_words, "pass", pass_words, DSM_PASS_COUNT);

static const dsm__word parallelism_words[] = {
    [DSM_PARALLELISM_DATA].key = "data",
    [DSM_PARALLELISM_MODEL].key = "model",
    [DSM_PARALLELISM_DATA_X_MODEL_Y].key = "data_x_model_y",
    [DSM_PARALLELISM_MODEL_X_DATA_Y].key = "model_x_data_y",
};
DSM__WORDS(dsm__parallelism_words, "parallelism", parallelism_words, DSM_PARALLELISM_COUNT);

static const dsm__word link_words[] = {
    [DSM_LINK_X].key = "link_x",
    [DSM_LINK_Y].key = "link_y",
    [DSM_LINK_MEMORY].key = "memory",
    [DSM_LINK_RING].key = "ring",
};
DSM__WORDS(dsm__link_words, "link", link_words, DSM_LINK_COUNT);

static const dsm__word bound_words[] = {
    [DSM_BOUND_COMPUTE].key = "compute", [DSM_BOUND_LINK_X].key = "link_x",
    [DSM_BOUND_LINK_Y].key = "link_y",   [DSM_BOUND_MEMORY].key = "memory",
    [DSM_BOUND_RING].key = "ring",       [DSM_BOUND_AUXILIARY].key = "auxiliary",
    [DSM_BOUND_STARTUP].key = "startup", [DSM_BOUND_SCRATCHPAD].key = "scratchpad",
};
DSM__WORDS(dsm__bound_words, "bound", bound_words, DSM_BOUND_COUNT);

static const dsm__word transfer_words[] = {
    [DSM_TRANSFER_FETCH_INPUT].key = "fetch_input",
    [DSM_TRANSFER_FETCH_KERNEL].key = "fetch_kernel",
    [DSM_TRANSFER_FETCH_SHORTCUT].key = "fetch_shortcut",
    [DSM_TRANSFER_WRITE_OUTPUT].key = "write_output",
    [DSM_TRANSFER_WRITE_DEFERRED].key = "write_deferred",
    [DSM_TRANSFER_SAVE_STATE].key = "save_state",
    [DSM_TRANSFER_FETCH_ERROR].key = "fetch_error",
    [DSM_TRANSFER_FETCH_FORK].key = "fetch_fork",
    [DSM_TRANSFER_FETCH_STATE].key = "fetch_state",
    [DSM_TRANSFER_FETCH_STATISTICS].key = "fetch_statistics",
    [DSM_TRANSFER_WRITE_ERROR].key = "write_error",
    [DSM_TRANSFER_FETCH_MASK].key = "fetch_mask",
    [DSM_TRANSFER_WRITE_GRADIENT].key = "write_gradient",
    [DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE].key = "partial_sum_accumulate",
    [DSM_TRANSFER_SUM_OF_STATISTICS].key = "sum_of_statistics",
    [DSM_TRANSFER_LAYOUT_MOVE].key = "layout_move",
    [DSM_TRANSFER_ROTATE_X].key = "rotate_x",
    [DSM_TRANSFER_ROTATE_Y].key = "rotate_y",
    [DSM_TRANSFER_HAND_OVER_Y].key = "hand_over_y",
    [DSM_TRANSFER_SUM_OF_GRADIENTS_X].key = "sum_of_gradients_x",
    [DSM_TRANSFER_SUM_OF_GRADIENTS_Y].key = "sum_of_gradients_y",
    [DSM_TRANSFER_BROADCAST_WEIGHTS_X].key = "broadcast_weights_x",
    [DSM_TRANSFER_BROADCAST_WEIGHTS_Y].key = "broadcast_weights_y",
    [DSM_TRANSFER_WEIGHT_UPDATE].key = "weight_update",
    [DSM_TRANSFER_RELAYOUT_X].key = "relayout_x",
    [DSM_TRANSFER_RELAYOUT_Y].key = "relayout_y",
};
DSM__WORDS(dsm__transfer_words, "transfer", transfer_words, DSM_TRANSFER_COUNT);

static const dsm__word group_words[] = {
    [DSM_GROUP_STREAM].key = "stream",
    [DSM_GROUP_PARTIAL_SUM].key = "partial_sum",
    [DSM_GROUP_LAYOUT_MOVE].key = "layout_move",
    [DSM_GROUP_ROTATION].key = "rotation",
    [DSM_GROUP_HAND_OVER].key = "hand_over",
    [DSM_GROUP_SUM_OF_GRADIENTS].key = "sum_of_gradients",
    [DSM_GROUP_BROADCAST_WEIGHTS].key = "broadcast_weights",
    [DSM_GROUP_WEIGHT_UPDATE].key = "weight_update",
    [DSM_GROUP_RELAYOUT].key = "relayout",
};
DSM__WORDS(dsm__group_words, "group", group_words, DSM_GROUP_COUNT);

const char *dsm_dim_name(dsm_dim dim) {
  return dsm__word_key(&dsm__dim_words, dim);
}

const char *dsm_mode_name(dsm_mode mode) {
  return dsm__word_key(&dsm__mode_words, mode);
}

const char *dsm_pass_name(dsm_pass pass) {
  return dsm__word_key(&dsm__pass_words, pass);
}

const char *dsm_parallelism_name(dsm_parallelism parallelism) {
  return dsm__word_key(&dsm__parallelism_words, parallelism);
}

const char *dsm_link_name(dsm_link link) {
  return dsm__word_key(&dsm__link_words, link);
}

const char *dsm_bound_name(dsm_bound bound) {
  return dsm__word_key(&dsm__bound_words, bound);
}

const char *dsm_transfer_name(dsm_transfer transfer) {
  return dsm__word_key(&dsm__transfer_words, transfer);
}

const char *dsm_group_name(dsm_group group) {
  return dsm__word_key(&dsm__group_words, group);
}

bool dsm_mode_parse(const char *text, dsm_mode *mode) {
  size_t found = 0;
  const bool is_found = dsm__words_find(&dsm__mode_words, text, &found);
  if (is_found) {
    *mode = (dsm_mode)found;
  }
  return is_found;
}

bool dsm_parallelism_parse(const char *text, dsm_parallelism *parallelism) {
  size_t found = 0;
  const bool is_found = dsm__words_find(&dsm__parallelism_words, text, &found);
  if (is_found) {
    *parallelism = (dsm_parallelism)found;
  }
  return is_found;
}
