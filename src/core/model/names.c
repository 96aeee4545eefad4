/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.c: the words of the formats for the model's enumerations. */
#include "model/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "dsm/model.h"
#include "model/axis_words.h"

/* Of a system; a part of words. */
#define AXIS_NAME "[a-z][a-z0-9]{0,15}"

static const dsm__word dim_words[] = {
    [DSM_DIM_IN].key = "in",   [DSM_DIM_OUT].key = "out", [DSM_DIM_IJ].key = "ij",
    [DSM_DIM_KIJ].key = "kij", [DSM_DIM_MB].key = "mb",
};
DSM__NAMED_WORDS(dsm__dim_words, "loop", dim_words, DSM_DIM_COUNT, dsm_dim, dsm_dim_name);

static const dsm__word mode_words[] = {
    [DSM_MODE_TRAINING].key = "training",
    [DSM_MODE_INFERENCE].key = "inference",
};
DSM__NAMED_WORDS(dsm__mode_words, "mode", mode_words, DSM_MODE_COUNT, dsm_mode, dsm_mode_name);
DSM__PARSED_WORDS(dsm__mode_words, dsm_mode, dsm_mode_parse);

static const dsm__word pass_words[] = {
    [DSM_PASS_FORWARD] = {"forward", NULL, "fwd"},
    [DSM_PASS_BACKWARD] = {"backward", NULL, "bwd"},
    [DSM_PASS_UPDATE] = {"update", "weight update", "upd"},
};
DSM__NAMED_WORDS(dsm__pass_words, "pass", pass_words, DSM_PASS_COUNT, dsm_pass, dsm_pass_name);

static const dsm__word parallelism_words[] = {
    [DSM_PARALLELISM_DATA].key = "data",
    [DSM_PARALLELISM_MODEL].key = "model",
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = {"data_x_model_y", NULL, "DxMy"},
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = {"model_x_data_y", NULL, "MxDy"},
    /* On three axes the two before are of z as of the axis that shares the features. */
    {"data_x_data_y_model_z", NULL, "DDM"},
    {"model_x_model_y_data_z", NULL, "MMD"},
    {"data_x_model_y_data_z", NULL, "DMD"},
    {"model_x_data_y_data_z", NULL, "MDD"},
};
const dsm__words dsm__parallelism_words = {
    .what = "parallelism",
    .items = parallelism_words,
    .count = DSM_PARALLELISM_COUNT,
    .pattern = "^((data|model)_" AXIS_NAME "(_(data|model)_" AXIS_NAME "){1,2}|" AXIS_NAME
               "=[a-z_]+(," AXIS_NAME "=[a-z_]+){0,2})$",
    .made = &dsm__role_made_words,
};
_Static_assert(sizeof parallelism_words == DSM_PARALLELISM_COUNT * sizeof(dsm__word),
               "a word for each parallelism");

const char *dsm_parallelism_name(dsm_parallelism parallelism) {
  return dsm__word_key(&dsm__parallelism_words, (size_t)parallelism);
}

DSM__PARSED_WORDS(dsm__parallelism_words, dsm_parallelism, dsm_parallelism_parse);

/* Words in place of those of axes, and of that of the cores' link. */
#define OR_LABEL(name, word) "|" word
#define LINK_NAME "^(link_" AXIS_NAME DSM_INTERCONNECT_LABELS(OR_LABEL) ")$"

static const dsm__word link_words[] = {
    [DSM_LINK_AXIS].key = "link_x",
    [DSM_LINK_AXIS + 1].key = "link_y",
    [DSM_LINK_AXIS + 2].key = "link_z",
    [DSM_LINK_MEMORY].key = "memory",
    [DSM_LINK_RING].key = "ring",
    [DSM_LINK_CORES].key = "core_links",
    [DSM_LINK_SHARED].key = "shared_memory",
    [DSM_LINK_AUXILIARY_MEMORY].key = "auxiliary_memory",
};
DSM__AXIS_WORDS(dsm__link_words, "link", link_words, DSM_LINK_COUNT, dsm_link, dsm_link_name,
                LINK_NAME);

static const dsm__word bound_words[] = {
    [DSM_BOUND_COMPUTE].key = "compute",
    [DSM_BOUND_AXIS].key = "link_x",
    [DSM_BOUND_AXIS + 1].key = "link_y",
    [DSM_BOUND_AXIS + 2].key = "link_z",
    [DSM_BOUND_MEMORY].key = "memory",
    [DSM_BOUND_RING].key = "ring",
    [DSM_BOUND_CORES].key = "core_links",
    [DSM_BOUND_SHARED].key = "shared_memory",
    [DSM_BOUND_AUXILIARY].key = "auxiliary",
    [DSM_BOUND_STARTUP].key = "startup",
    [DSM_BOUND_SCRATCHPAD].key = "scratchpad",
    [DSM_BOUND_LATENCY].key = "latency",
    [DSM_BOUND_AUXILIARY_MEMORY].key = "auxiliary_memory",
    [DSM_BOUND_OVERHEAD].key = "overhead",
    [DSM_BOUND_BUBBLE].key = "bubble",
};
DSM__AXIS_WORDS(dsm__bound_words, "bound", bound_words, DSM_BOUND_COUNT, dsm_bound, dsm_bound_name,
                LINK_NAME);

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
    [DSM_TRANSFER_SPILL_SUMS].key = "spill_sums",
    [DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE].key = "partial_sum_accumulate",
    [DSM_TRANSFER_SUM_OF_STATISTICS].key = "sum_of_statistics",
    [DSM_TRANSFER_LAYOUT_MOVE].key = "layout_move",
    [DSM_TRANSFER_ROTATE].key = "rotate",
    [DSM_TRANSFER_ROTATE_OUTPUT].key = "rotate_output",
    [DSM_TRANSFER_ALL_GATHER].key = "all_gather",
    [DSM_TRANSFER_REDUCE_SCATTER].key = "reduce_scatter",
    [DSM_TRANSFER_ALL_REDUCE].key = "all_reduce",
    [DSM_TRANSFER_ALL_TO_ALL].key = "all_to_all",
    [DSM_TRANSFER_HALO].key = "halo",
    [DSM_TRANSFER_HAND_OVER].key = "hand_over",
    [DSM_TRANSFER_SUM_OF_GRADIENTS].key = "sum_of_gradients",
    [DSM_TRANSFER_BROADCAST_WEIGHTS].key = "broadcast_weights",
    [DSM_TRANSFER_WEIGHT_UPDATE].key = "weight_update",
    [DSM_TRANSFER_TIED_GRADIENTS].key = "tied_gradients",
    [DSM_TRANSFER_TIED_WEIGHTS].key = "tied_weights",
    [DSM_TRANSFER_RELAYOUT].key = "relayout",
    [DSM_TRANSFER_AUXILIARY_TRAFFIC].key = "auxiliary_traffic",
};
DSM__NAMED_WORDS(dsm__transfer_words, "transfer", transfer_words, DSM_TRANSFER_COUNT, dsm_transfer,
                 dsm_transfer_name);

/* Rows of a transfer along each of the axes. */
#define ALONG(transfer)                                                                            \
  {transfer, 0}, {transfer, 1}, {                                                                  \
    transfer, 2                                                                                    \
  }
#define KEYS_ALONG(key_)                                                                           \
  {.key = key_ "_x"}, {.key = key_ "_y"}, {                                                        \
    .key = key_ "_z"                                                                               \
  }

/* Transfers with the axis that they go along. */
const dsm__move dsm__moves[DSM__MOVE_COUNT] = {
    {DSM_TRANSFER_FETCH_INPUT, DSM_NO_AXIS},
    {DSM_TRANSFER_FETCH_KERNEL, DSM_NO_AXIS},
    {DSM_TRANSFER_FETCH_SHORTCUT, DSM_NO_AXIS},
    {DSM_TRANSFER_WRITE_OUTPUT, DSM_NO_AXIS},
    {DSM_TRANSFER_WRITE_DEFERRED, DSM_NO_AXIS},
    {DSM_TRANSFER_SAVE_STATE, DSM_NO_AXIS},
    {DSM_TRANSFER_FETCH_ERROR, DSM_NO_AXIS},
    {DSM_TRANSFER_FETCH_FORK, DSM_NO_AXIS},
    {DSM_TRANSFER_FETCH_STATE, DSM_NO_AXIS},
    {DSM_TRANSFER_FETCH_STATISTICS, DSM_NO_AXIS},
    {DSM_TRANSFER_WRITE_ERROR, DSM_NO_AXIS},
    {DSM_TRANSFER_FETCH_MASK, DSM_NO_AXIS},
    {DSM_TRANSFER_WRITE_GRADIENT, DSM_NO_AXIS},
    {DSM_TRANSFER_SPILL_SUMS, DSM_NO_AXIS},
    {DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE, DSM_NO_AXIS},
    {DSM_TRANSFER_SUM_OF_STATISTICS, DSM_NO_AXIS},
    {DSM_TRANSFER_LAYOUT_MOVE, DSM_NO_AXIS},
    ALONG(DSM_TRANSFER_ROTATE),
    ALONG(DSM_TRANSFER_ROTATE_OUTPUT),
    ALONG(DSM_TRANSFER_ALL_GATHER),
    ALONG(DSM_TRANSFER_REDUCE_SCATTER),
    ALONG(DSM_TRANSFER_ALL_REDUCE),
    ALONG(DSM_TRANSFER_ALL_TO_ALL),
    ALONG(DSM_TRANSFER_HALO),
    ALONG(DSM_TRANSFER_HAND_OVER),
    ALONG(DSM_TRANSFER_SUM_OF_GRADIENTS),
    ALONG(DSM_TRANSFER_BROADCAST_WEIGHTS),
    {DSM_TRANSFER_WEIGHT_UPDATE, DSM_NO_AXIS},
    ALONG(DSM_TRANSFER_TIED_GRADIENTS),
    ALONG(DSM_TRANSFER_TIED_WEIGHTS),
    ALONG(DSM_TRANSFER_RELAYOUT),
    {DSM_TRANSFER_AUXILIARY_TRAFFIC, DSM_NO_AXIS},
};
/* clang-format off */
static const dsm__word move_words[] = { /* a transfer a row */
    {.key = "fetch_input"},
    {.key = "fetch_kernel"},
    {.key = "fetch_shortcut"},
    {.key = "write_output"},
    {.key = "write_deferred"},
    {.key = "save_state"},
    {.key = "fetch_error"},
    {.key = "fetch_fork"},
    {.key = "fetch_state"},
    {.key = "fetch_statistics"},
    {.key = "write_error"},
    {.key = "fetch_mask"},
    {.key = "write_gradient"},
    {.key = "spill_sums"},
    {.key = "partial_sum_accumulate"},
    {.key = "sum_of_statistics"},
    {.key = "layout_move"},
    KEYS_ALONG("rotate"),
    KEYS_ALONG("rotate_output"),
    KEYS_ALONG("all_gather"),
    KEYS_ALONG("reduce_scatter"),
    KEYS_ALONG("all_reduce"),
    KEYS_ALONG("all_to_all"),
    KEYS_ALONG("halo"),
    KEYS_ALONG("hand_over"),
    KEYS_ALONG("sum_of_gradients"),
    KEYS_ALONG("broadcast_weights"),
    {.key = "weight_update"},
    KEYS_ALONG("tied_gradients"),
    KEYS_ALONG("tied_weights"),
    KEYS_ALONG("relayout"),
    {.key = "auxiliary_traffic"},
};
/* clang-format on */
DSM__WORDS_OF(
    dsm__move_words, "transfer", move_words, DSM__MOVE_COUNT,
    "^(rotate|rotate_output|all_gather|reduce_scatter|all_reduce|all_to_all|halo|hand_over|"
    "sum_of_gradients|broadcast_weights|tied_gradients|tied_weights|relayout)(_" AXIS_NAME ")?$");

size_t dsm__move_of(dsm_transfer transfer, unsigned axis) {
  size_t move = 0;
  while (move + 1 < DSM__MOVE_COUNT &&
         (dsm__moves[move].transfer != transfer || dsm__moves[move].axis != axis)) {
    move++;
  }
  return move;
}

const char *dsm__move_name(dsm_transfer transfer, unsigned axis) {
  return dsm__word_key(&dsm__move_words, dsm__move_of(transfer, axis));
}

bool dsm__move_is_possible(size_t move, const dsm_system *system, bool has_roles) {
  const dsm__move *const of = &dsm__moves[move];
  const bool is_of_roles =
      of->transfer >= DSM_TRANSFER_ROTATE_OUTPUT && of->transfer <= DSM_TRANSFER_HALO;
  const bool is_of_statistics =
      of->transfer == DSM_TRANSFER_ALL_REDUCE && system->model.feature_statistics;
  if (is_of_roles && !has_roles && !is_of_statistics) {
    return false;
  }
  const unsigned axis_count = system->system.axis_count;
  const bool is_last_alone = of->transfer == DSM_TRANSFER_HAND_OVER; /* stages stand along it */
  if (of->transfer == DSM_TRANSFER_AUXILIARY_TRAFFIC) {
    return system->model.auxiliary_traffic != DSM_AUXILIARY_TRAFFIC_NONE;
  }
  if (of->transfer == DSM_TRANSFER_SPILL_SUMS) {
    return system->model.tiling == DSM_TILING_BLOCKED;
  }
  return of->axis == DSM_NO_AXIS ||
         (of->axis < axis_count && (!is_last_alone || of->axis + 1 == axis_count));
}

static const dsm__word group_words[] = {
    [DSM_GROUP_STREAM] = {"stream", "transfers that computation does not hide", NULL},
    [DSM_GROUP_PARTIAL_SUM] = {"partial_sum", "adding up partial sums between cores", "sums"},
    [DSM_GROUP_LAYOUT_MOVE] = {"layout_move", "moving held tensors between cores", "move"},
    [DSM_GROUP_ROTATION] = {"rotation", "rotating activation gradients between chips", "rotate"},
    [DSM_GROUP_COLLECTIVE] = {"collective", "gathering, scattering and summing between chips",
                              "collective"},
    [DSM_GROUP_HAND_OVER] = {"hand_over", "handing over to the next stage of the pipeline",
                             "handover"},
    [DSM_GROUP_SUM_OF_GRADIENTS] = {"sum_of_gradients", "summing weight gradients over chips",
                                    "reduce"},
    [DSM_GROUP_BROADCAST_WEIGHTS] = {"broadcast_weights", "broadcasting weights to chips", "bcast"},
    [DSM_GROUP_WEIGHT_UPDATE] = {"weight_update", "updating weights in memory", "update"},
    [DSM_GROUP_TIED_WEIGHTS] = {"tied_weights", "exchanging what tied layers share", "tied"},
    [DSM_GROUP_RELAYOUT] = {"relayout", "relayout between parallelisms", NULL},
    [DSM_GROUP_OVERHEAD] = {"overhead", "starting kernels", "start"},
    [DSM_GROUP_ISSUE] = {"issue", "waiting for kernels to be issued", NULL},
    [DSM_GROUP_RECOMPUTE] = {"recompute", "recomputing what is not kept", "again"},
    [DSM_GROUP_BUBBLE] = {"bubble", "waiting for other stages of the pipeline", NULL},
    [DSM_GROUP_AUXILIARY] = {"auxiliary", "what auxiliary operations read and write", "aux"},
};
DSM__NAMED_WORDS(dsm__group_words, "group", group_words, DSM_GROUP_COUNT, dsm_group,
                 dsm_group_name);

static const dsm__word computing_words[] = {
    [DSM_COMPUTING_ARRAY].key = "array",
    [DSM_COMPUTING_FEATURES].key = "features",
    [DSM_COMPUTING_SAMPLES].key = "samples",
    [DSM_COMPUTING_VECTOR_UNIT].key = "vector_unit",
};
DSM__NAMED_WORDS(dsm__computing_words, "way to compute", computing_words, DSM_COMPUTING_COUNT,
                 dsm_computing, dsm_computing_name);

static const dsm__word tile_words[] = {
    [DSM_TILE_ROWS].key = "rows",
    [DSM_TILE_COLUMNS].key = "columns",
    [DSM_TILE_PARTS].key = "parts",
};
DSM__WORDS(dsm__tile_words, "member of a tile", tile_words, DSM_TILE_MEMBER_COUNT);

dsm__split_text dsm__split_text_of(const dsm_loops *split, const char *unsplit) {
  dsm__split_text made;
  size_t used = 0;
  (void)snprintf(made.text, sizeof made.text, "%s", unsplit);
  for (size_t d = 0; d < DSM_DIM_COUNT; d++) {
    if (split->n[d] != 1 && used < sizeof made.text) {
      const int wrote =
          snprintf(made.text + used, sizeof made.text - used, "%s%s %" PRIu64, used > 0 ? " " : "",
                   dsm__word_key(&dsm__dim_words, d), split->n[d]);
      used += wrote > 0 ? (size_t)wrote : 0;
    }
  }
  return made;
}
