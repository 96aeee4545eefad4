/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launch.c: a plan as the settings with which a framework starts the training that it describes.
 *
 * A framework is rows of settings, each with the fact of the plan that it takes; plan/frameworks.c
 * has rows of what it does not run. docs/export.md names the release whose settings these are.
 *
 * Source: NVIDIA/Megatron-LM, megatron/training/arguments.py; pytorch/torchtitan,
 * torchtitan/config/job_config.py; deepspeedai/DeepSpeed, docs/_pages/config-json.md and
 * docs/_tutorials/autotp-training.md; AI-Hypercomputer/maxtext, configs/base.yml as of 2025.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/units.h"
#include "export/target.h"
#include "model/axis_words.h"
#include "model/equations.h"
#include "model/role_row.h"
#include "plan/degrees.h"
#include "plan/frameworks.h"
#include "plan/segments.h"
#include "report/data/settings.h"

/* What a framework is told of a plan. */
typedef enum fact {
  TENSOR = 0,
  PLAIN_TENSOR, /* TENSOR without SEQUENCE, or 1 */
  SEQUENCE,     /* as many as TENSOR, or 1 */
  CONTEXT,
  CONTEXT_FORM, /* 0: none, 1: keys and values go round, 2: they are gathered */
  REPLICATE,    /* chips with samples of their own, where ZERO is 0; else 1 */
  SHARD,        /* the same where it is not */
  EXPERT,
  EXPERT_REPLICATE, /* chips with samples of their own and the same experts, of whole weights */
  EXPERT_SHARD,     /* those that share them */
  PIPELINE,
  RUNS,           /* of layers, of each stage */
  SCHEDULE,       /* 0: no stages, 1: one run each, 2: several */
  PIPELINE_FIRST, /* 1: stages lie further in than chips with samples of their own */
  RUN_BLOCKS,     /* blocks of the network in a run of a stage, or 0 */
  ZERO,           /* 1 too where the weight update is shared (model.sharded_update) */
  RECOMPUTE,      /* 0: none, 1: selective, 2: full */
  MICRO_BATCHES,  /* of a step */
  STAGED_SAMPLES, /* MICRO_BATCH with stages, or 0 */
  STAGED_BATCHES, /* those that pass through stages, or 1 */
  ACCUMULATION,   /* those that do not, or 1 */
  MICRO_BATCH,    /* samples of one, of the chips that share a sample */
  LOCAL_BATCH,    /* samples of what they run before a reduction: with stages of a step */
  CHIP_BATCH,     /* samples of a chip */
  GLOBAL_BATCH,
  PRECISION, /* dsm__trained_type */
  OVERLAP,   /* 1: sums of gradients hide behind the backward pass */
  BESIDE,    /* 1: gathers and scatters of SEQUENCE hide behind products */
  FACT_COUNT
} fact;

typedef struct framework {
  dsm_as_run_by by;
  dsm__settings with;
} framework;

/* ---- frameworks ---- */

static const dsm__setting megatron_settings[] = {
    {.key = "--tensor-model-parallel-size", .of = TENSOR},
    {.key = "--sequence-parallel", .of = SEQUENCE, .above = 1, .is_flag = true},
    {.key = "--tp-comm-overlap", .of = BESIDE, .above = 0, .is_flag = true},
    {.key = "--context-parallel-size", .of = CONTEXT},
    {.key = "--cp-comm-type", .of = CONTEXT_FORM, .words = {NULL, "p2p", "all_gather"}},
    {.key = "--pipeline-model-parallel-size", .of = PIPELINE},
    {.key = "--num-virtual-stages-per-pipeline-rank", .of = RUNS, .above = 1},
    {.key = "--use-tp-pp-dp-mapping", .of = PIPELINE_FIRST, .above = 0, .is_flag = true},
    {.key = "--expert-model-parallel-size", .of = EXPERT, .above = 1},
    {.key = "--micro-batch-size", .of = MICRO_BATCH},
    {.key = "--global-batch-size", .of = GLOBAL_BATCH},
    {.key = "--use-distributed-optimizer", .of = ZERO, .above = 0, .is_flag = true},
    {.key = "--use-megatron-fsdp", .of = ZERO, .above = 1, .is_flag = true},
    {.key = "--data-parallel-sharding-strategy",
     .of = ZERO,
     .words = {NULL, NULL, "optim_grads", "optim_grads_params"}},
    {.key = "--recompute-granularity", .of = RECOMPUTE, .words = {NULL, "selective", "full"}},
    {.key = "--recompute-method", .of = RECOMPUTE, .words = {NULL, NULL, "uniform"}},
    {.key = "--recompute-num-layers", .of = RECOMPUTE, .words = {NULL, NULL, "1"}},
    {.key = "--overlap-grad-reduce", .of = OVERLAP, .above = 0, .is_flag = true},
    {.key = "--bf16", .of = PRECISION, .words = {NULL, "", NULL, ""}},
    {.key = "--fp16", .of = PRECISION, .words = {NULL, NULL, ""}},
    {.key = "--fp8-format", .of = PRECISION, .words = {NULL, NULL, NULL, "hybrid"}},
};

static const dsm__setting torchtitan_settings[] = {
    {.section = "training", .key = "local_batch_size", .of = LOCAL_BATCH},
    {.section = "training", .key = "global_batch_size", .of = GLOBAL_BATCH},
    {.section = "training",
     .key = "mixed_precision_param",
     .of = PRECISION,
     .words = {"\"float32\"", "\"bfloat16\"", NULL, "\"bfloat16\""}},
    {.section = "parallelism", .key = "data_parallel_replicate_degree", .of = REPLICATE},
    {.section = "parallelism", .key = "data_parallel_shard_degree", .of = SHARD},
    {.section = "parallelism",
     .key = "fsdp_reshard_after_forward",
     .of = ZERO,
     .words = {NULL, "\"never\"", "\"never\"", "\"always\""}},
    {.section = "parallelism", .key = "tensor_parallel_degree", .of = TENSOR},
    {.section = "parallelism",
     .key = "enable_async_tensor_parallel",
     .of = BESIDE,
     .words = {NULL, "true"}},
    {.section = "parallelism", .key = "context_parallel_degree", .of = CONTEXT},
    {.section = "parallelism",
     .key = "context_parallel_rotate_method",
     .of = CONTEXT_FORM,
     .words = {NULL, "\"alltoall\"", "\"allgather\""}},
    {.section = "parallelism", .key = "expert_parallel_degree", .of = EXPERT},
    {.section = "parallelism", .key = "pipeline_parallel_degree", .of = PIPELINE},
    {.section = "parallelism",
     .key = "pipeline_parallel_schedule",
     .of = SCHEDULE,
     .words = {NULL, "\"1F1B\"", "\"Interleaved1F1B\""}},
    {.section = "parallelism",
     .key = "pipeline_parallel_layers_per_stage",
     .of = RUN_BLOCKS,
     .above = 0.5},
    {.section = "parallelism",
     .key = "pipeline_parallel_microbatch_size",
     .of = STAGED_SAMPLES,
     .above = 0.5},
    {.section = "activation_checkpoint",
     .key = "mode",
     .of = RECOMPUTE,
     .words = {"\"none\"", "\"selective\"", "\"full\""}},
    {.section = "compile", .key = "enable", .of = BESIDE, .words = {NULL, "true"}},
};

static const dsm__setting deepspeed_settings[] = {
    {.key = "train_batch_size", .of = GLOBAL_BATCH},
    {.key = "train_micro_batch_size_per_gpu", .of = MICRO_BATCH},
    {.key = "gradient_accumulation_steps", .of = MICRO_BATCHES},
    {.section = "zero_optimization", .key = "stage", .of = ZERO},
    {.section = "zero_optimization",
     .key = "overlap_comm",
     .of = OVERLAP,
     .words = {"false", "true"}},
    {.section = "bf16", .key = "enabled", .of = PRECISION, .words = {"false", "true", "false"}},
    {.section = "fp16", .key = "enabled", .of = PRECISION, .words = {"false", "false", "true"}},
    {.section = "tensor_parallel", .key = "autotp_size", .of = TENSOR},
};

static const dsm__setting maxtext_settings[] = {
    {.key = "ici_data_parallelism", .of = EXPERT_REPLICATE},
    {.key = "ici_fsdp_parallelism", .of = EXPERT_SHARD},
    {.key = "ici_tensor_parallelism", .of = PLAIN_TENSOR},
    {.key = "ici_tensor_sequence_parallelism", .of = SEQUENCE},
    {.key = "ici_context_parallelism", .of = CONTEXT},
    {.key = "context_parallel_strategy",
     .of = CONTEXT_FORM,
     .words = {NULL, "'ring'", "'all_gather'"}},
    {.key = "ici_expert_parallelism", .of = EXPERT},
    {.key = "ici_pipeline_parallelism", .of = PIPELINE},
    {.key = "num_pipeline_microbatches", .of = STAGED_BATCHES, .above = 1},
    {.key = "num_pipeline_repeats", .of = RUNS, .above = 1},
    {.key = "gradient_accumulation_steps", .of = ACCUMULATION, .above = 1},
    {.key = "per_device_batch_size", .of = CHIP_BATCH},
    {.key = "shard_optimizer_over_data", .of = ZERO, .words = {NULL, "True"}},
    {.key = "remat_policy", .of = RECOMPUTE, .words = {"'minimal'", "'minimal'", "'full'"}},
    {.key = "dtype", .of = PRECISION, .words = {"'float32'", "'bfloat16'", NULL, "'bfloat16'"}},
    {.key = "quantization", .of = PRECISION, .words = {NULL, NULL, NULL, "'fp8'"}},
};

#define ROWS(of) .rows = of##_settings, .row_count = DSM__COUNT_OF(of##_settings)

static const framework frameworks[] = {
    [DSM_EXPORT_MEGATRON] =
        {DSM_AS_RUN_BY_MEGATRON,
         {.form = DSM__SETTINGS_ARGUMENTS,
          ROWS(megatron),
          .notes = "Ranks are ordered TP, CP, EP, DP, PP, the first innermost; with "
                   "--use-tp-pp-dp-mapping\n"
                   "PP comes before DP.\n"
                   "Recomputation in full keeps what enters each block of the network.\n"}},
    [DSM_EXPORT_TORCHTITAN] =
        {DSM_AS_RUN_BY_TORCHTITAN,
         {.form = DSM__SETTINGS_TOML,
          ROWS(torchtitan),
          .notes =
              "Sequence parallelism goes with tensor parallelism, without a setting of its own.\n"
              "Where the prediction shares the optimizer's state alone, gradients and weights are "
              "shared\n"
              "with it.\n"
              "Selective recomputation is by layers or by operations (selective_ac_option).\n"}},
    [DSM_EXPORT_DEEPSPEED] =
        {DSM_AS_RUN_BY_DEEPSPEED,
         {.form = DSM__SETTINGS_JSON,
          ROWS(deepspeed),
          .notes =
              "The program states stages (PipelineModule, num_stages), groups of experts (MoE, "
              "ep_size)\n"
              "and what is recomputed (deepspeed.checkpointing); there are no settings for "
              "them.\n"}},
    [DSM_EXPORT_MAXTEXT] =
        {DSM_AS_RUN_BY_MAXTEXT,
         {.form = DSM__SETTINGS_YAML,
          ROWS(maxtext),
          .notes =
              "ici_ is within a slice: with several slices the outermost factor goes to dcn_.\n"
              "Scores of attentions are never kept, so selective recomputation has no setting.\n"}},
};

/* ---- facts ---- */

/* What a framework has to be told of all layers alike, in the order in which it is asked. */
static const struct {
  dsm__degree_kind kind;
  const char *what;
} alike[] = {
    {DSM__DEGREE_TENSOR, "tensor parallelism"},   {DSM__DEGREE_SEQUENCE, "sequence parallelism"},
    {DSM__DEGREE_CONTEXT, "context parallelism"}, {DSM__DEGREE_DATA, "data parallelism"},
    {DSM__DEGREE_EXPERT, "expert parallelism"},   {DSM__DEGREE_ZERO, "ZeRO"},
};

static const char *name_of(const framework *to) {
  return dsm__word_text(&dsm__as_run_by_words, to->by);
}

/* Always false. The nearest plan is one of a search as the framework runs it; NULL: there is none.
 */
DSM_PRINTF(3, 4)
static bool refuse(dsm_diags *diags, const framework *nearest, const char *format, ...) {
  va_list args;
  char hint[96];
  va_start(args, format);
  (void)snprintf(hint, sizeof hint,
                 "dsm explore PLAN --as-run-by %s finds the nearest plan that it can run",
                 nearest == NULL ? "" : dsm_as_run_by_name(nearest->by));
  dsm__diags_vadd(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = NULL},
                  nearest == NULL ? NULL : hint, format, args);
  va_end(args);
  return false;
}

/* The roles along axes with several chips, of all layers or of the products of attentions. */
static dsm_role_set roles_of(const dsm_plan *plan, bool of_attentions) {
  const dsm_network *const network = &plan->system->system;
  dsm_role_set roles = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const bool is_asked =
          layer->passes[p].exists && (!of_attentions || dsm__has_own_groups(layer->layer));
      for (unsigned a = 0; is_asked && a < network->axis_count; a++) {
        const dsm_role role = dsm_parallelism_role(layer->passes[p].decisions.parallelism, a);
        roles |= network->axes[a].chips > 1 ? 1U << (unsigned)role : 0;
      }
    }
  }
  return roles;
}

/* Do chips share features by passing parts of them on, which no framework does? */
static bool passes_features_on(const dsm_plan *plan) {
  const dsm_role_set roles = roles_of(plan, false);
  bool passes = false;
  for (int r = 0; r < DSM_ROLE_COUNT; r++) {
    const dsm__weight_cut cut = dsm__role_rows[r].cut;
    passes = passes || ((roles >> (unsigned)r & 1U) != 0 &&
                        (cut == DSM__WEIGHT_CUT_OUT || cut == DSM__WEIGHT_CUT_IN) &&
                        !dsm__role_has((dsm_role)r, DSM__ROLE_OPENS | DSM__ROLE_CLOSES));
  }
  return passes;
}

/* CONTEXT_FORM. */
static unsigned context_form(const dsm_plan *plan) {
  const dsm_role_set roles = roles_of(plan, true);
  unsigned found = 0;
  for (int r = 0; r < DSM_ROLE_COUNT; r++) {
    const bool is_there = (roles >> (unsigned)r & 1U) != 0;
    found |= is_there && dsm__role_has((dsm_role)r, DSM__ROLE_TURNS_OPERANDS) ? 1U : 0;
    found |= is_there && dsm__role_has((dsm_role)r, DSM__ROLE_GATHERS_OPERANDS) ? 2U : 0;
  }
  return found;
}

/* Frameworks give each stage equally many blocks of the network. */
static bool has_equal_stages(const dsm_plan *plan, const framework *to, dsm_diags *diags) {
  const dsm_stages *const stages = &plan->stages;
  size_t least = SIZE_MAX;
  size_t most = 0;
  for (size_t r = 0; stages->count > 1 && r < stages->run_count; r++) {
    const size_t first = stages->first_layers[r];
    const size_t end = r + 1 < stages->run_count ? stages->first_layers[r + 1] : plan->layer_count;
    size_t blocks = 0;
    for (size_t i = first; i < end; i++) {
      blocks += dsm__begins_block(plan->workload, i) ? 1 : 0;
    }
    least = blocks < least ? blocks : least;
    most = blocks > most ? blocks : most;
    if (first > 0 && !dsm__begins_block(plan->workload, first)) {
      return refuse(diags, to, "%s cuts stages between blocks of the network, and one begins at %s",
                    name_of(to), plan->layers[first].layer->name);
    }
  }
  return stages->count < 2 || least == most ||
         refuse(diags, to, "%s gives each stage equally many blocks, and these have %zu to %zu",
                name_of(to), least, most);
}

/* Does a framework run what a plan asks of it? */
static bool is_within_limits(const dsm__degrees *degrees, const dsm_plan *plan, const framework *to,
                             dsm_diags *diags) {
  const uint64_t tensor = degrees->of[DSM__DEGREE_TENSOR].most;
  const uint64_t sequence = degrees->of[DSM__DEGREE_SEQUENCE].most;
  const unsigned context = context_form(plan);
  const bool is_in_turn = plan->stages.count < 2 || plan->stages.schedule == DSM_SCHEDULE_1F1B;
  const dsm_shard_level level = (dsm_shard_level)(degrees->of[DSM__DEGREE_ZERO].most + 1);
  const unsigned of_workload = DSM__ASKED_TYPE(dsm__trained_type_of(plan->workload)) |
                               (plan->options.mode == DSM_MODE_TRAINING ? 0 : DSM__ASKED_INFERENCE);
  const unsigned asked =
      of_workload | dsm__asked_level(plan->system, level) |
      (sequence > 1 ? DSM__ASKED_USE(DSM__USE_SEQUENCE) : 0) |
      (tensor > sequence ? DSM__ASKED_USE(DSM__USE_TENSOR) : 0) |
      ((context & 1U) != 0 ? DSM__ASKED_USE(DSM__USE_CONTEXT) : 0) |
      ((context & 2U) != 0 ? DSM__ASKED_USE(DSM__USE_GATHER_CONTEXT) : 0) |
      (degrees->of[DSM__DEGREE_EXPERT].most > 1 ? DSM__ASKED_USE(DSM__USE_EXPERT) : 0) |
      (degrees->interleave > 1 ? DSM__ASKED_RUNS : 0) | (is_in_turn ? 0 : DSM__ASKED_ZERO_BUBBLE);
  const dsm__framework_limit *const limit = dsm__framework_limit_of(to->by, asked);
  const bool is_of_workload = limit != NULL && (limit->asked & ~of_workload) == 0;
  return limit == NULL ||
         refuse(diags, is_of_workload ? NULL : to, "%s %s", name_of(to), limit->reason);
}

/* Do stages lie further in than an axis whose chips have samples of their own? */
static bool is_inside_data(const dsm__degrees *degrees, const dsm_plan *plan) {
  const dsm__degree *const data = &degrees->of[DSM__DEGREE_DATA];
  const dsm_network *const network = &plan->system->system;
  bool is_inside = false;
  for (unsigned a = plan->stages.axis + 1; a < network->axis_count; a++) {
    for (size_t d = 0; d < data->axis_count; d++) {
      is_inside = is_inside || strcmp(data->axes[d], dsm__axis_name(network, a)) == 0;
    }
  }
  return is_inside;
}

/* Does a plan do in all layers what one setting says? If not, reports what a framework does not
 * do. */
static bool is_of_one_setting(const dsm__degrees *degrees, const dsm_plan *plan,
                              const framework *to, dsm_diags *diags) {
  for (size_t i = 0; i < DSM__COUNT_OF(alike); i++) {
    const dsm__degree *const of = &degrees->of[alike[i].kind];
    if (of->least != of->most) {
      return refuse(diags, to,
                    "%s has one degree of %s for all layers, and here it is %" PRIu64
                    " to %" PRIu64,
                    name_of(to), alike[i].what, of->least, of->most);
    }
  }
  if (passes_features_on(plan)) {
    return refuse(diags, to,
                  "%s shares features by columns and rows of weights, and layers of this plan "
                  "pass them on from chip to chip",
                  name_of(to));
  }
  if (degrees->of[DSM__DEGREE_REPLICATED].most > 1) {
    return refuse(diags, to, "chips of this plan all compute the same, which %s does not do",
                  name_of(to));
  }
  if (strcmp(degrees->recompute, "operations") == 0) {
    return refuse(diags, to,
                  "%s has no setting that keeps all products and makes the operations "
                  "on them anew",
                  name_of(to));
  }
  if (strcmp(degrees->recompute, "mixed") == 0) {
    return refuse(diags, to, "%s recomputes alike in all blocks, and this plan in some",
                  name_of(to));
  }
  const uint64_t data = degrees->of[DSM__DEGREE_DATA].most;
  if (degrees->micro_batch_samples % data != 0) {
    return refuse(diags, to,
                  "the %" PRIu64 " samples of a micro-batch are no multiple of the %" PRIu64
                  " chips with samples of their own",
                  degrees->micro_batch_samples, data);
  }
  return is_within_limits(degrees, plan, to, diags) && has_equal_stages(plan, to, diags);
}

/* Those of a plan that is of one setting. */
static void fill_facts(double facts[FACT_COUNT], const dsm__degrees *degrees,
                       const dsm_plan *plan) {
  const uint64_t tensor = degrees->of[DSM__DEGREE_TENSOR].most;
  const uint64_t sequence = degrees->of[DSM__DEGREE_SEQUENCE].most;
  const uint64_t data = degrees->of[DSM__DEGREE_DATA].most;
  const bool shares_update = plan->system->model.sharded_update && data > 1;
  const uint64_t decided = degrees->of[DSM__DEGREE_ZERO].most;
  const uint64_t zero = decided == 0 && shares_update ? 1 : decided;
  const uint64_t pipeline = degrees->of[DSM__DEGREE_PIPELINE].most;
  const uint64_t own_samples = degrees->micro_batch_samples / data;
  const double micro_batch = (double)own_samples;
  const double micro_batches = (double)degrees->micro_batches;
  const double context = (double)degrees->of[DSM__DEGREE_CONTEXT].most;
  const double expert = (double)degrees->of[DSM__DEGREE_EXPERT].most;
  const double shard = zero > 0 ? (double)data : 1;
  const bool has_stages = pipeline > 1;
  const size_t run_blocks =
      has_stages ? dsm__block_count(plan->workload) / plan->stages.run_count : 0;
  const double local_batch = micro_batch * (has_stages ? micro_batches : 1);
  const double found[FACT_COUNT] = {
      [TENSOR] = (double)tensor,
      [PLAIN_TENSOR] = sequence > 1 ? 1 : (double)tensor,
      [SEQUENCE] = (double)sequence,
      [CONTEXT] = context,
      [CONTEXT_FORM] = context_form(plan),
      [REPLICATE] = zero > 0 ? 1 : (double)data,
      [SHARD] = shard,
      [EXPERT] = expert,
      [EXPERT_REPLICATE] = zero > 1 ? 1 : (double)data / expert,
      [EXPERT_SHARD] = zero > 1 ? (double)data / expert : 1,
      [PIPELINE] = (double)pipeline,
      [RUNS] = (double)degrees->interleave,
      [SCHEDULE] = !has_stages               ? 0
                   : degrees->interleave > 1 ? 2
                                             : 1,
      [PIPELINE_FIRST] = has_stages && is_inside_data(degrees, plan) ? 1 : 0,
      [RUN_BLOCKS] = (double)run_blocks,
      [ZERO] = (double)zero,
      [RECOMPUTE] = strcmp(degrees->recompute, "full") == 0        ? 2
                    : strcmp(degrees->recompute, "selective") == 0 ? 1
                                                                   : 0,
      [MICRO_BATCHES] = micro_batches,
      [STAGED_SAMPLES] = has_stages ? micro_batch : 0,
      [STAGED_BATCHES] = has_stages ? micro_batches : 1,
      [ACCUMULATION] = has_stages ? 1 : micro_batches,
      [MICRO_BATCH] = micro_batch,
      [LOCAL_BATCH] = local_batch,
      [CHIP_BATCH] = local_batch / ((double)tensor * context * (double)pipeline),
      [GLOBAL_BATCH] = (double)plan->workload->minibatch,
      [PRECISION] = dsm__trained_type_of(plan->workload),
      [OVERLAP] = plan->system->model.overlapped_reduction ? 1 : 0,
      [BESIDE] = sequence > 1 && plan->system->model.overlapped_collectives > 0 ? 1 : 0,
  };
  memcpy(facts, found, sizeof found);
}

/* The facts of a plan that any framework could run; false: none could, which was reported. */
static bool find_facts(double facts[FACT_COUNT], const dsm_plan *plan, const framework *to,
                       dsm_diags *diags) {
  dsm__degrees degrees;
  (void)dsm__degrees_derive(&degrees, plan);
  if (!is_of_one_setting(&degrees, plan, to, diags)) {
    return false;
  }
  fill_facts(facts, &degrees, plan);
  return true;
}

static bool can_start(const dsm_plan *plan, const framework *to, dsm_diags *diags) {
  double facts[FACT_COUNT];
  return find_facts(facts, plan, to, diags);
}

/* ---- files ---- */

static void write_settings(dsm__text_buffer *out, const dsm_plan *plan, const framework *to) {
  double facts[FACT_COUNT];
  if (find_facts(facts, plan, to, NULL)) { /* it was asked before */
    dsm__settings_write(out, &to->with, facts);
  }
}

/* Each parallelism of more than one chip, with its axes. */
static void put_degrees(dsm__text_buffer *out, const dsm_plan *plan) {
  static const char *const words[] = {
      [DSM__DEGREE_TENSOR] = "TP",  [DSM__DEGREE_SEQUENCE] = "SP", [DSM__DEGREE_CONTEXT] = "CP",
      [DSM__DEGREE_DATA] = "DP",    [DSM__DEGREE_EXPERT] = "EP",   [DSM__DEGREE_REPLICATED] = NULL,
      [DSM__DEGREE_PIPELINE] = "PP"};
  dsm__degrees degrees;
  (void)dsm__degrees_derive(&degrees, plan);
  for (size_t k = 0; k < DSM__COUNT_OF(words); k++) {
    const dsm__degree *const of = &degrees.of[k];
    if (words[k] == NULL || of->most == 1) {
      continue;
    }
    dsm__text_printf(out, " %s %" PRIu64 " on", words[k], of->most);
    for (size_t a = 0; a < of->axis_count; a++) {
      dsm__text_printf(out, " %s", of->axes[a]);
    }
    dsm__text_puts(out, ";");
  }
}

static void write_notes(dsm__text_buffer *out, const dsm_plan *plan, const framework *to) {
  const dsm_network *const network = &plan->system->system;
  double facts[FACT_COUNT];
  if (!find_facts(facts, plan, to, NULL)) {
    return;
  }
  dsm__text_printf(out, "%s on %s, for %s\n\n", plan->workload->name, plan->system->name,
                   name_of(to));
  dsm__text_puts(out, "Axes of chips, the innermost first:");
  for (unsigned a = 0; a < network->axis_count; a++) {
    dsm__text_printf(out, " %s %" PRIu64, dsm__axis_name(network, a), network->axes[a].chips);
  }
  dsm__text_puts(out, "\nAlong them:");
  put_degrees(out, plan);
  dsm__text_printf(out, "\nPredicted: %.6g ms a step, %.6g GB of a chip's %.6g GB\n\n",
                   plan->result.step_seconds * 1e3,
                   plan->result.memory.total_bytes / DSM__BYTES_PER_GB,
                   plan->result.memory.capacity_bytes / DSM__BYTES_PER_GB);
  dsm__text_puts(out, "No setting says how passes are split among the cores of a chip; that is\n"
                      "left to the framework's kernels.\n");
  dsm__text_puts(out, to->with.notes);
}

/* ---- targets ---- */

#define TARGET(of, row)                                                                            \
  bool dsm__##of##_can_express(const dsm_plan *plan, dsm_diags *diags) {                           \
    return can_start(plan, &frameworks[row], diags);                                               \
  }                                                                                                \
  void dsm__##of##_write(dsm__text_buffer *out, const dsm_plan *plan) {                            \
    write_settings(out, plan, &frameworks[row]);                                                   \
  }                                                                                                \
  void dsm__##of##_write_notes(dsm__text_buffer *out, const dsm_plan *plan) {                      \
    write_notes(out, plan, &frameworks[row]);                                                      \
  }
TARGET(megatron, DSM_EXPORT_MEGATRON)
TARGET(torchtitan, DSM_EXPORT_TORCHTITAN)
TARGET(deepspeed, DSM_EXPORT_DEEPSPEED)
TARGET(maxtext, DSM_EXPORT_MAXTEXT)
