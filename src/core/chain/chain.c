/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain.c: chains of stages: their words, what they may be, and copies in other units. */
#include "chain/chain.h"

#include <math.h>

#include "base/diag_add.h"
#include "dsm/limits.h"

static const dsm__word action_words[] = {
    [DSM_REMAT_CHECKPOINT] = {.key = "checkpoint", .text = "forward, input kept"},
    [DSM_REMAT_FORWARD] = {.key = "forward", .text = "forward, input dropped"},
    [DSM_REMAT_SAVE] = {.key = "save", .text = "forward, saved"},
    [DSM_REMAT_BACKWARD] = {.key = "backward"},
};
DSM__NAMED_WORDS(dsm__remat_action_words, "action of a schedule", action_words,
                 DSM_REMAT_ACTION_COUNT, dsm_remat_action, dsm_remat_action_name);

static const dsm__word order_words[] = {
    [DSM_REMAT_GPIPE].key = "gpipe",
    [DSM_REMAT_ONE_FORWARD_ONE_BACKWARD].key = "1f1b",
};
DSM__NAMED_WORDS(dsm__remat_order_words, "order of micro-batches", order_words,
                 DSM_REMAT_ORDER_COUNT, dsm_remat_order, dsm_remat_order_name);

static const dsm__word sharing_words[] = {
    [DSM_REMAT_DIRECT].key = "direct",
    [DSM_REMAT_GLOBAL].key = "global",
};
DSM__NAMED_WORDS(dsm__remat_sharing_words, "sharing of memory", sharing_words,
                 DSM_REMAT_SHARING_COUNT, dsm_remat_sharing, dsm_remat_sharing_name);

dsm_remat_chain *dsm__remat_chain_new(void) {
  return DSM__ARENA_OWNER(dsm_remat_chain);
}

DSM__ARENA_FREE(dsm_remat_chain, dsm_remat_chain_free);

/* ---- what they may be ---- */

static bool is_amount(double value) {
  return isfinite(value) && value >= 0;
}

static bool is_good_option(const dsm_remat_stage *stage, const dsm_remat_option *option) {
  return is_amount(option->forward_seconds) && is_amount(option->backward_seconds) &&
         is_amount(option->saved_bytes) && is_amount(option->forward_temporary_bytes) &&
         is_amount(option->backward_temporary_bytes) && option->saved_bytes >= stage->output_bytes;
}

static bool is_good_stage(const dsm_remat_stage *stage) {
  bool is_good = is_amount(stage->output_bytes) && is_amount(stage->error_bytes) &&
                 is_amount(stage->forward_seconds) && is_amount(stage->temporary_bytes) &&
                 stage->option_count >= 1 && stage->option_count <= DSM_REMAT_OPTIONS_MAX;
  for (size_t k = 0; is_good && k < stage->option_count; k++) {
    is_good = is_good_option(stage, &stage->options[k]);
  }
  return is_good;
}

dsm_status dsm__remat_chain_check(const dsm_remat_chain *chain, dsm_diags *diags) {
  if (chain->stage_count < 1 || chain->stage_count > DSM_REMAT_STAGES_MAX) {
    return dsm__refuse(diags, DSM_ERROR_INVALID, "expected a chain of 1 to %d stages, found %zu",
                       DSM_REMAT_STAGES_MAX, chain->stage_count);
  }
  if (!is_amount(chain->input_bytes) || !is_amount(chain->input_error_bytes) ||
      !is_amount(chain->budget_bytes) || !(chain->link_bytes_per_second > 0) ||
      chain->minibatch < 1) {
    return dsm__refuse(diags, DSM_ERROR_INVALID,
                       "expected sizes of 0 or more, a link faster than 0 and a minibatch of 1 or "
                       "more, found a chain without");
  }
  for (size_t s = 0; s < chain->stage_count; s++) {
    if (!is_good_stage(&chain->stages[s])) {
      return dsm__refuse(diags, DSM_ERROR_INVALID,
                         "stage %zu: expected times and sizes of 0 or more, and 1 to %d options "
                         "that each save the output at least, found others",
                         s + 1, DSM_REMAT_OPTIONS_MAX);
    }
  }
  return DSM_OK;
}

/* ---- copies ---- */

static double remat_units(double bytes, double unit_bytes) {
  double units = ceil(bytes / unit_bytes);
  /* The quotient is rounded: the product says whether it holds. */
  units -= units >= 1 && (units - 1) * unit_bytes >= bytes ? 1 : 0;
  return units * unit_bytes < bytes ? units + 1 : units;
}

/* What becomes of times, and of sizes. */
typedef struct scale {
  double time_factor;
  double size_factor;
  double unit_bytes; /* 0: sizes are not rounded */
} scale;

static double size_of(const scale *by, double bytes) {
  const double scaled = bytes * by->size_factor;
  return by->unit_bytes > 0 ? remat_units(scaled, by->unit_bytes) : scaled;
}

static dsm_remat_option option_of(const scale *by, const dsm_remat_option *from) {
  return (dsm_remat_option){.name = from->name,
                            .forward_seconds = from->forward_seconds * by->time_factor,
                            .backward_seconds = from->backward_seconds * by->time_factor,
                            .saved_bytes = size_of(by, from->saved_bytes),
                            .forward_temporary_bytes = size_of(by, from->forward_temporary_bytes),
                            .backward_temporary_bytes =
                                size_of(by, from->backward_temporary_bytes)};
}

static bool copy_stage(dsm_remat_stage *to, const dsm_remat_stage *from, const scale *by,
                       bool is_whole, dsm__arena *arena) {
  const size_t option_count = is_whole ? 1 : from->option_count;
  dsm_remat_option *options = NULL;
  if (!DSM__RESERVE(arena, options, option_count)) {
    return false;
  }
  for (size_t k = 0; k < option_count; k++) {
    options[k] = option_of(by, &from->options[k]);
  }
  *to = (dsm_remat_stage){.name = from->name,
                          .output_bytes = size_of(by, from->output_bytes),
                          .error_bytes = size_of(by, from->error_bytes),
                          .forward_seconds = from->forward_seconds * by->time_factor,
                          .temporary_bytes = size_of(by, from->temporary_bytes),
                          .is_recomputable = from->is_recomputable,
                          .options = options,
                          .option_count = option_count};
  return true;
}

static dsm_remat_chain *copy_chain(const dsm_remat_chain *chain, const scale *by, bool is_whole,
                                   dsm__arena *arena) {
  dsm_remat_chain *const copy = dsm__arena_alloc(arena, sizeof *copy);
  dsm_remat_stage *stages = NULL;
  if (copy == NULL || !DSM__RESERVE(arena, stages, chain->stage_count)) {
    return NULL;
  }
  for (size_t s = 0; s < chain->stage_count; s++) {
    if (!copy_stage(&stages[s], &chain->stages[s], by, is_whole, arena)) {
      return NULL;
    }
  }
  *copy = *chain;
  copy->input_bytes = size_of(by, chain->input_bytes);
  copy->input_error_bytes = size_of(by, chain->input_error_bytes);
  copy->stages = stages;
  copy->arena = NULL;
  return copy;
}

dsm_remat_chain *dsm__remat_chain_scaled(const dsm_remat_chain *chain, double time_factor,
                                         double size_factor, bool is_whole, dsm__arena *arena) {
  const scale by = {.time_factor = time_factor, .size_factor = size_factor};
  return copy_chain(chain, &by, is_whole, arena);
}

dsm_remat_chain *dsm__remat_chain_in_units(const dsm_remat_chain *chain, double unit_bytes,
                                           bool is_whole, dsm__arena *arena) {
  const scale by = {.time_factor = 1, .size_factor = 1, .unit_bytes = unit_bytes};
  return copy_chain(chain, &by, is_whole, arena);
}

/* ---- without a budget ---- */

static double seconds_of(const dsm_remat_option *option) {
  return option->forward_seconds + option->backward_seconds;
}

size_t dsm__remat_fastest(const dsm_remat_stage *stage) {
  size_t best = 0;
  for (size_t k = 1; k < stage->option_count; k++) {
    const dsm_remat_option *const one = &stage->options[k];
    const dsm_remat_option *const other = &stage->options[best];
    const bool is_equal = seconds_of(one) <= seconds_of(other);
    if (seconds_of(one) < seconds_of(other) ||
        (is_equal && one->saved_bytes < other->saved_bytes)) {
      best = k;
    }
  }
  return best;
}

double dsm_remat_chain_seconds(const dsm_remat_chain *chain) {
  double seconds = 0;
  for (size_t s = 0; s < chain->stage_count; s++) {
    const dsm_remat_stage *const stage = &chain->stages[s];
    seconds += seconds_of(&stage->options[dsm__remat_fastest(stage)]);
  }
  return seconds;
}
