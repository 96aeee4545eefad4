/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine_flags.c: an answer as the settings with which an engine serves it. An engine has rows of
 * settings, and rows of what it does not run; docs/export.md names the releases.
 *
 * Source: vllm-project/vllm, vllm/engine/arg_utils.py; sgl-project/sglang,
 * docs/advanced_features/server_arguments.md; NVIDIA/TensorRT-LLM, tensorrt_llm/commands/serve.py
 * and tensorrt_llm/llmapi/llm_args.py, as of 2025.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/export.h"
#include "report/data/export_files.h"
#include "report/data/settings.h"
#include "serve/step_facts.h"

/* Facts of an answer that settings state. */
enum {
  ALL = 0,      /* chips of an instance */
  TENSOR,       /* of attentions */
  DATA,         /* of attentions */
  HAS_DATA,     /* 1: DATA is above 1 */
  IS_MIXED,     /* 1: TENSOR is, too */
  CONTEXT,      /* of attentions */
  SAME,         /* chips whose attentions do the same */
  PIPELINE,     /* 1: serving has no stages */
  EXPERT,       /* of experts; 0: there are none */
  SHARED,       /* TP of experts; 0: likewise */
  EXPERT_FORM,  /* 0: no experts, 1: TP of all chips, 2: EP of all, 3: both, 4: another */
  REQUESTS,     /* that run together */
  OWN_REQUESTS, /* of those that share requests */
  POSITIONS,    /* of a request at its end */
  STEP_TOKENS,  /* of a step at most */
  CHUNK,        /* of a prompt, beside decodes; 0: prompts are prefilled whole */
  CHUNKED,      /* 1: in chunks */
  REUSE,        /* 1: prompts are found in the cache */
  MEMORY,       /* share of it that is used */
  PRECISION,    /* 0: 32 bits, 1: bf16, 2: fp16, 3: another */
  WEIGHTS,      /* 0: as activations, 1: fp8, 2: another */
  CACHE,        /* 0: as activations, 1: fp8, 2: its other form, 3: another */
  TOKENS,       /* of an answer */
  FACT_COUNT
};

#define MOST 9e15
static const char no_context[] = "has no setting for CP as it is here";
static const char no_copies[] = "has no chips that all compute the same";
static const char no_tokens[] = "is started to generate, and this answer has no tokens";
static const char no_precision[] = "computes in bf16, fp16 or 32 bits";
static const char no_cache[] = "keeps its cache as activations are, or in fp8";
static const char no_experts[] = "shares experts among all chips of an instance";
#define USUAL_REFUSALS                                                                             \
  {CONTEXT, 2, MOST, no_context}, {SAME, 2, MOST, no_copies}, {TOKENS, 0, 0, no_tokens},           \
      {PRECISION, 3, 3, no_precision}, {CACHE, 3, 3, no_cache}, {                                  \
    EXPERT_FORM, 4, 4, no_experts                                                                  \
  }

static const dsm__setting vllm_rows[] = {
    {.key = "--tensor-parallel-size", .of = TENSOR},
    {.key = "--pipeline-parallel-size", .of = PIPELINE},
    {.key = "--data-parallel-size", .of = DATA, .above = 1},
    {.key = "--enable-expert-parallel", .of = EXPERT_FORM, .words = {NULL, NULL, ""}},
    {.key = "--max-num-seqs", .of = OWN_REQUESTS},
    {.key = "--max-num-batched-tokens", .of = STEP_TOKENS},
    {.key = "--max-model-len", .of = POSITIONS},
    {.key = "--gpu-memory-utilization", .of = MEMORY},
    {.key = "--dtype", .of = PRECISION, .words = {"float32", "bfloat16", "float16"}},
    {.key = "--quantization", .of = WEIGHTS, .words = {NULL, "fp8"}},
    {.key = "--kv-cache-dtype", .of = CACHE, .words = {NULL, "fp8", "fp8_e5m2"}},
    {.key = "--no-enable-chunked-prefill", .of = CHUNKED, .words = {""}},
    {.key = "--enable-chunked-prefill", .of = CHUNKED, .words = {NULL, ""}},
    {.key = "--no-enable-prefix-caching", .of = REUSE, .words = {""}},
    {.key = "--enable-prefix-caching", .of = REUSE, .words = {NULL, ""}},
};
static const dsm__setting_refusal vllm_refusals[] = {
    USUAL_REFUSALS,
    {EXPERT_FORM, 3, 3, "shares experts by EP or by TP, and this answer does both"},
};

static const dsm__setting sglang_rows[] = {
    {.key = "--tensor-parallel-size", .of = ALL},
    {.key = "--pipeline-parallel-size", .of = PIPELINE},
    {.key = "--data-parallel-size", .of = DATA, .above = 1},
    {.key = "--enable-dp-attention", .of = HAS_DATA, .words = {NULL, ""}},
    {.key = "--expert-parallel-size", .of = EXPERT, .above = 1},
    {.key = "--max-running-requests", .of = REQUESTS},
    {.key = "--max-prefill-tokens", .of = STEP_TOKENS},
    {.key = "--chunked-prefill-size", .of = CHUNKED, .words = {"-1"}},
    {.key = "--chunked-prefill-size", .of = CHUNK, .above = 0.5},
    {.key = "--enable-mixed-chunk", .of = CHUNKED, .words = {NULL, ""}},
    {.key = "--context-length", .of = POSITIONS},
    {.key = "--mem-fraction-static", .of = MEMORY},
    {.key = "--dtype", .of = PRECISION, .words = {"float32", "bfloat16", "float16"}},
    {.key = "--quantization", .of = WEIGHTS, .words = {NULL, "fp8"}},
    {.key = "--kv-cache-dtype", .of = CACHE, .words = {NULL, "fp8_e4m3", "fp8_e5m2"}},
    {.key = "--disable-radix-cache", .of = REUSE, .words = {""}},
};
static const dsm__setting_refusal sglang_refusals[] = {USUAL_REFUSALS};

#define IN_CACHE .section = "kv_cache_config"
static const dsm__setting tensorrt_llm_rows[] = {
    {.key = "tensor_parallel_size", .of = ALL},
    {.key = "pipeline_parallel_size", .of = PIPELINE},
    {.key = "enable_attention_dp", .of = HAS_DATA, .words = {"false", "true"}},
    {.key = "moe_expert_parallel_size", .of = EXPERT, .above = 0.5},
    {.key = "moe_tensor_parallel_size", .of = SHARED, .above = 0.5},
    {.key = "max_batch_size", .of = OWN_REQUESTS},
    {.key = "max_num_tokens", .of = STEP_TOKENS},
    {.key = "max_seq_len", .of = POSITIONS},
    {.key = "dtype", .of = PRECISION, .words = {"float32", "bfloat16", "float16"}},
    {.key = "enable_chunked_prefill", .of = CHUNKED, .words = {"false", "true"}},
    {IN_CACHE, .key = "free_gpu_memory_fraction", .of = MEMORY},
    {IN_CACHE, .key = "enable_block_reuse", .of = REUSE, .words = {"false", "true"}},
    {IN_CACHE, .key = "dtype", .of = CACHE, .words = {"auto", "fp8"}},
};
static const dsm__setting_refusal tensorrt_llm_refusals[] = {
    USUAL_REFUSALS,
    {IS_MIXED, 1, 1, "shares attentions by TP or by DP, and this answer does both"},
    {CACHE, 2, 2, "keeps its cache as activations are, or in fp8 of the form e4m3"},
};

#define ROWS(of)                                                                                   \
  .rows = of##_rows, .row_count = DSM__COUNT_OF(of##_rows), .refusals = of##_refusals,             \
  .refusal_count = DSM__COUNT_OF(of##_refusals)

typedef struct engine {
  dsm_export_target target;
  const char *file;
  dsm__settings of;
} engine;

static const engine engines[] = {
    {DSM_EXPORT_VLLM,
     "vllm_args.txt",
     {.name = "vLLM",
      ROWS(vllm),
      .notes = "Start it with: vllm serve MODEL $(cat vllm_args.txt)\n"
               "Where attentions are shared by DP, --max-num-seqs is of each of their parts.\n"
               "--quantization fp8 is for weights of 16 bits; leave it out where they are stored "
               "in fp8.\n"}},
    {DSM_EXPORT_TENSORRT_LLM,
     "trtllm.yml",
     {.name = "TensorRT-LLM",
      .form = DSM__SETTINGS_YAML,
      ROWS(tensorrt_llm),
      .notes = "Start it with: trtllm-serve MODEL --config trtllm.yml\n"
               "(--extra_llm_api_options in older releases).\n"
               "Where attentions are shared by DP, max_batch_size is of each of their parts.\n"
               "The type of weights is that of the checkpoint.\n"
               "free_gpu_memory_fraction is of what weights leave: the memory that is used is a "
               "little less.\n"}},
    {DSM_EXPORT_SGLANG,
     "sglang_args.txt",
     {.name = "SGLang",
      ROWS(sglang),
      .notes = "Start it with: python -m sglang.launch_server --model-path MODEL "
               "$(cat sglang_args.txt)\n"
               "--mem-fraction-static leaves out activations: lower it where memory runs out.\n"
               "--quantization fp8 is for weights of 16 bits; leave it out where they are stored "
               "in fp8.\n"}},
};

/* ---- facts ---- */

static double form_of(const dsm_serving_shares *experts, uint64_t chips) {
  if (experts->tensor == 0) {
    return 0;
  }
  return experts->tensor == chips                     ? 1
         : experts->expert == chips                   ? 2
         : experts->expert * experts->tensor == chips ? 3
                                                      : 4;
}

static double precision_of(dsm_element_type type) {
  return type == DSM_ELEMENT_TYPE_FP32 || type == DSM_ELEMENT_TYPE_TF32 ? 0
         : type == DSM_ELEMENT_TYPE_BF16                                ? 1
         : type == DSM_ELEMENT_TYPE_FP16                                ? 2
                                                                        : 3;
}

/* 0: the type of activations, 1 and 2: a form of fp8, 3: another. */
static double narrow_of(dsm_element_type type, dsm_element_type activations) {
  return type == activations                                             ? 0
         : type == DSM_ELEMENT_TYPE_FP8 || type == DSM_ELEMENT_TYPE_E4M3 ? 1
         : type == DSM_ELEMENT_TYPE_E5M2                                 ? 2
                                                                         : 3;
}

static void fill_facts(double facts[FACT_COUNT], const dsm_serving *serving) {
  const dsm_serving_engine *const told = &serving->engine;
  const dsm_serving_shares *const attention = &told->ways.attention;
  const dsm_serving_shares *const experts = &told->ways.experts;
  const double data = (double)attention->data;
  const double tensor = (double)attention->tensor;
  const double prompts =
      (double)serving->options.prefill_batch * (double)serving->options.input_tokens;
  const double chunk = (double)serving->options.chunk_tokens;
  const double decoded = (double)told->requests * ((double)serving->options.speculated_tokens + 1);
  const double found[FACT_COUNT] = {
      [ALL] = (double)told->chips,
      [TENSOR] = tensor,
      [DATA] = data,
      [HAS_DATA] = data > 1 ? 1 : 0,
      [IS_MIXED] = data > 1 && tensor > 1 ? 1 : 0,
      [CONTEXT] = (double)attention->context,
      [SAME] = (double)told->chips / fmax(1, data * tensor * (double)attention->context),
      [PIPELINE] = 1,
      [EXPERT] = (double)experts->expert,
      [SHARED] = (double)experts->tensor,
      [EXPERT_FORM] = form_of(experts, told->chips),
      [REQUESTS] = (double)told->requests,
      [OWN_REQUESTS] = ceil((double)told->requests / fmax(1, data)),
      [POSITIONS] = (double)told->positions,
      [STEP_TOKENS] =
          chunk > 0 ? chunk + decoded : fmax(fmax((double)told->positions, decoded), prompts),
      [CHUNK] = chunk,
      [CHUNKED] = chunk > 0 ? 1 : 0,
      [REUSE] = serving->cached_tokens > 0 ? 1 : 0,
      [MEMORY] = told->memory_ratio,
      [PRECISION] = precision_of(told->activations),
      [WEIGHTS] = narrow_of(told->weights, told->activations),
      [CACHE] = told->cache == DSM_ELEMENT_TYPE_ANY ? 0 : narrow_of(told->cache, told->activations),
      [TOKENS] = (double)serving->options.output_tokens,
  };
  memcpy(facts, found, sizeof found);
}

/* ---- files ---- */

static void write_notes(dsm__text_buffer *out, const dsm_serving *serving, const engine *to,
                        const char *split) {
  const dsm_serving_engine *const told = &serving->engine;
  const dsm_serving_fleet *const fleet = &serving->fleet;
  const bool has_fleet = fleet->instances > 0;
  const dsm_serving_point *const best = &serving->best;
  const double tpot = has_fleet ? fleet->state.tpot_seconds : best->tpot_seconds;
  dsm__text_printf(out, "%s, for %s\n\n", serving->name, to->of.name);
  dsm__text_printf(out, "Instances: %" PRIu64 ", each of %" PRIu64 " chip%s (%s)%s%s\n",
                   told->instances, told->chips, told->chips == 1 ? "" : "s", told->instance,
                   told->chips == 1 ? "" : ": ", told->chips == 1 ? "" : split);
  dsm__text_printf(out, "Predicted: TTFT %.4g ms, ",
                   1e3 * (has_fleet ? fleet->state.ttft_seconds : best->ttft_seconds));
  if (!isnan(tpot)) {
    dsm__text_printf(out, "TPOT %.4g ms, ", 1e3 * tpot);
  }
  dsm__text_printf(out, "%.4g tokens/s of each chip\n",
                   has_fleet ? (double)serving->options.output_tokens * serving->options.rate /
                                   (double)fleet->chips
                             : best->chip_tokens_per_second);
  dsm__text_printf(out, "Types: weights %s, activations %s, cache %s\n\n",
                   dsm_element_type_name(told->weights), dsm_element_type_name(told->activations),
                   dsm_element_type_name(told->cache));
  dsm__text_puts(out, to->of.notes);
  dsm__text_puts(out, "No setting says how layers other than attentions and experts are shared: "
                      "the engine\nshares them as it shares attentions. One split is for prefills "
                      "and decode steps alike.\n");
  if (told->instances > 1) {
    dsm__text_puts(out, "Each instance is an engine of its own, with a router before them.\n");
  }
  if (serving->options.speculated_tokens > 0) {
    dsm__text_printf(out,
                     "These settings have no tokens that are made ahead: the prediction has "
                     "%" PRIu64 ", made by %s.\n",
                     serving->options.speculated_tokens,
                     serving->draft != NULL ? serving->draft : "heads of the network");
  }
  if (serving->apart.prefill_instance != NULL) {
    dsm__text_puts(out, "Prefill and decode on instances of their own are two engines: these "
                        "settings are\nof instances that do both.\n");
  }
}

dsm_status dsm_export_serving(dsm_export **made, const dsm_serving *serving,
                              dsm_export_target target, dsm_diags *diags) {
  const engine *to = engines;
  double facts[FACT_COUNT];
  *made = NULL;
  while (to < engines + DSM__COUNT_OF(engines) && to->target != target) {
    to++;
  }
  if (to == engines + DSM__COUNT_OF(engines)) {
    return dsm__refuse(
        diags, DSM_ERROR_USAGE,
        "an answer of serving is for an engine: expected vllm, tensorrt-llm or sglang");
  }
  fill_facts(facts, serving);
  const dsm__setting_refusal *const refused = dsm__settings_refuse(&to->of, facts);
  if (refused != NULL) {
    return dsm__refuse(diags, DSM_ERROR_INFEASIBLE, "%s %s", to->of.name, refused->reason);
  }
  dsm_export *const out = DSM__ARENA_OWNER(dsm_export);
  const char *const split =
      out == NULL ? NULL : dsm__serving_ways_text(&serving->engine.ways, out->arena);
  dsm_status status = split == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  for (int file = 0; file < 2 && status == DSM_OK; file++) {
    dsm__text_buffer text = {0};
    if (file == 0) {
      dsm__settings_write(&text, &to->of, facts);
    } else {
      write_notes(&text, serving, to, split);
    }
    status = dsm__export_add(out, file == 0 ? to->file : "notes.txt",
                             text.failed ? NULL : text.text, text.length, diags);
    dsm__text_fini(&text);
  }
  return dsm__export_finish(made, out, status);
}
