/* SPDX-License-Identifier: GPL-3.0-or-later */
/* families.c: the table of what is read, a row a "model_type", by the names of types. */
#include "import/hub/hub.h"

#define CLASSES(name) name "Model, " name "ForCausalLM, " name "ForSequenceClassification"

#define GPT2_KEYS                                                                                  \
  {                                                                                                \
    [DSM__HUB_SEQUENCE] = "n_positions", [DSM__HUB_BLOCKS] = "n_layer",                            \
    [DSM__HUB_HIDDEN] = "n_embd", [DSM__HUB_HEADS] = "n_head", [DSM__HUB_INNER] = "n_inner",       \
  }

#define ALWAYS                                                                                     \
  { NULL, true }

/* The parts of a Llama, which others vary. */
#define GATED_PARTS                                                                                \
  .norm = DSM__HUB_RMS_NORM, .score_dropout = "attention_dropout", .is_gated = true,               \
  .has_kv_heads = true
#define GATED_DECODER GATED_PARTS, .activation = "silu", .rotated = {"partial_rotary_factor", 1}
#define GEMMA                                                                                      \
  GATED_PARTS, .activation = "gelu", .is_tied = true, .head_features = 256,                        \
               .has_qkv_bias = {"attention_bias", false},                                          \
               .has_out_bias = {"attention_bias", false}, .rotated = {NULL, 1}

#define QWEN_WINDOW                                                                                \
  {                                                                                                \
    .key = "sliding_window", .flag = "use_sliding_window", .first = "max_window_layers",           \
    .usual_first = 28                                                                              \
  }
/* Of DeepSeek-V3: a bias, which chooses experts, of each one. */
#define LATENT_DECODER                                                                             \
  .norm = DSM__HUB_RMS_NORM, .activation = "silu", .positions = 4096, .is_gated = true,            \
  .score_dropout = "attention_dropout", .has_latent = true,                                        \
  .has_qkv_bias = {"attention_bias", false}, .has_out_bias = {"attention_bias", false}
#define DEEPSEEK_V3                                                                                \
  LATENT_DECODER,                                                                                  \
      .classes = "DeepseekV3Model, DeepseekV3ForCausalLM, DeepseekV3ForSequenceClassification",    \
      .experts = {"n_routed_experts",                                                              \
                  256,                                                                             \
                  8,                                                                               \
                  .has_own_inner = true,                                                           \
                  .shared = "n_shared_experts",                                                    \
                  .activation = "sigmoid",                                                         \
                  .has_router_bias = true}

const dsm__hub_family dsm__hub_families[] = {
    {
        .type = "bert",
        .classes = "BertModel, BertForMaskedLM, BertForSequenceClassification",
        .put = dsm__hub_write_bert,
        .builds_base = true,
        .positions = 512,
        .activation = "gelu",
        .dropout = "hidden_dropout_prob",
        .score_dropout = "attention_probs_dropout_prob",
        .default_dropout = 0.1,
        .has_learned_positions = true,
        .left_out = {"is_decoder", "is read as an encoder: attention without a mask"},
    },
    {
        GATED_DECODER,
        .type = "cohere",
        .classes = "CohereModel, CohereForCausalLM",
        .positions = 8192,
        .is_tied = true,
        .has_qkv_bias = {"attention_bias", false},
        .has_out_bias = {"attention_bias", false},
        .is_parallel = ALWAYS,
        .has_one_norm = ALWAYS,
        .refused = {"use_qk_norm"},
        .note = "norms, which have a mean and no bias, are read as rms_norm",
    },
    {
        LATENT_DECODER,
        .type = "deepseek_v2",
        .classes = CLASSES("DeepseekV2"),
        .experts = {"n_routed_experts", 64, 6, .has_own_inner = true, .shared = "n_shared_experts"},
    },
    {
        DEEPSEEK_V3,
        .type = "deepseek_v3",
    },
    {
        .type = "falcon",
        .classes = CLASSES("Falcon"),
        .keys = {[DSM__HUB_INNER] = "ffn_hidden_size"},
        .positions = 2048,
        .norm = DSM__HUB_LAYER_NORM,
        .activation_key = "activation",
        .activation = "gelu",
        .dropout = "hidden_dropout",
        .score_dropout = "attention_dropout",
        .is_tied = true,
        .has_one_kv_head = {"multi_query", true},
        .has_qkv_bias = {"bias", false},
        .has_out_bias = {"bias", false},
        .has_inner_bias = {"bias", false},
        .is_parallel = {"parallel_attn", true},
        .has_one_norm = {"parallel_attn", true},
        .rotated = {NULL, 1},
        .left_out = {"alibi", "queries and keys are turned in place of biases of scores"},
        .refused = {"new_decoder_architecture"},
    },
    {
        GEMMA,
        .type = "gemma",
        .classes = CLASSES("Gemma"),
        .positions = 8192,
        .kv_heads = 16,
    },
    {
        GEMMA,
        .type = "gemma2",
        .classes = CLASSES("Gemma2"),
        .positions = 8192,
        .kv_heads = 4,
        .activation_key = "hidden_activation",
        .has_part_norms = true,
        .window = {"sliding_window", .usual_period = 2},
    },
    {
        GEMMA,
        .type = "gemma3_text",
        .classes = "Gemma3TextModel, Gemma3ForCausalLM, Gemma3TextForSequenceClassification",
        .positions = 131072,
        .kv_heads = 4,
        .activation_key = "hidden_activation",
        .has_head_norms = ALWAYS,
        .has_part_norms = true,
        .window = {"sliding_window", .period = "sliding_window_pattern", .usual_period = 6},
    },
    {
        GATED_PARTS,
        .type = "glm4_moe",
        .classes = CLASSES("Glm4Moe"),
        .positions = 131072,
        .activation = "silu",
        .kv_heads = 8,
        .has_qkv_bias = {"attention_bias", false},
        .has_head_norms = {"use_qk_norm", false},
        .rotated = {"partial_rotary_factor", 0.5},
        .experts = {"n_routed_experts", 128, 8, .has_own_inner = true, .shared = "n_shared_experts",
                    .activation = "sigmoid", .has_router_bias = true},
    },
    {
        .type = "gpt2",
        .classes = "GPT2Model, GPT2LMHeadModel, GPT2ForSequenceClassification",
        .keys = GPT2_KEYS,
        .positions = 1024,
        .norm = DSM__HUB_LAYER_NORM,
        .activation_key = "activation_function",
        .activation = "gelu",
        .dropout = "resid_pdrop",
        .embedding_dropout = "embd_pdrop",
        .score_dropout = "attn_pdrop",
        .default_dropout = 0.1,
        .has_learned_positions = true,
        .is_tied = true,
        .has_one_kv_head = {"multi_query", false},
        .has_qkv_bias = ALWAYS,
        .has_out_bias = ALWAYS,
        .has_inner_bias = ALWAYS,
        .left_out = {"add_cross_attention", "attention to another network is left out"},
    },
    {
        .type = "gpt_neox",
        .classes = CLASSES("GPTNeoX"),
        .positions = 2048,
        .norm = DSM__HUB_LAYER_NORM,
        .activation = "gelu",
        .dropout = "hidden_dropout",
        .embedding_dropout = "hidden_dropout",
        .score_dropout = "attention_dropout",
        .has_qkv_bias = {"attention_bias", true},
        .has_out_bias = {"attention_bias", true},
        .has_inner_bias = ALWAYS,
        .is_parallel = {"use_parallel_residual", true},
        .rotated = {"rotary_pct", 0.25},
    },
    {
        GATED_DECODER,
        .type = "gpt_oss",
        .classes = CLASSES("GptOss"),
        .positions = 131072,
        .kv_heads = 8,
        .head_features = 64,
        .has_qkv_bias = {"attention_bias", true},
        .has_out_bias = {"attention_bias", true},
        .has_inner_bias = ALWAYS,
        .has_sinks = true,
        .window = {"sliding_window", .usual_period = 2},
        .experts = {"num_local_experts", 128, 4, .has_router_bias = true},
    },
    {
        .type = "gptj",
        .classes = CLASSES("GPTJ"),
        .keys = GPT2_KEYS,
        .positions = 2048,
        .norm = DSM__HUB_LAYER_NORM,
        .activation_key = "activation_function",
        .activation = "gelu",
        .dropout = "resid_pdrop",
        .embedding_dropout = "embd_pdrop",
        .score_dropout = "attn_pdrop",
        .has_inner_bias = ALWAYS,
        .is_parallel = ALWAYS,
        .has_one_norm = ALWAYS,
        .has_head_bias = true,
        .rotated_features = {"rotary_dim", 64},
    },
    {
        DEEPSEEK_V3,
        .type = "kimi_k2",
    },
    {
        GATED_DECODER,
        .type = "llama",
        .classes = CLASSES("Llama"),
        .positions = 2048,
        .has_qkv_bias = {"attention_bias", false},
        .has_out_bias = {"attention_bias", false},
        .has_inner_bias = {"mlp_bias", false},
    },
    {
        .type = "mamba2",
        .classes = "Mamba2Model, Mamba2ForCausalLM",
        .put = dsm__hub_write_mamba2,
        .positions = 8192,
        .norm = DSM__HUB_RMS_NORM,
    },
    {
        GATED_DECODER,
        .type = "mistral",
        .classes = CLASSES("Mistral"),
        .positions = 131072,
        .kv_heads = 8,
        .window = {"sliding_window", .flag = NULL},
    },
    {
        GATED_DECODER,
        .type = "mixtral",
        .classes = CLASSES("Mixtral"),
        .positions = 131072,
        .kv_heads = 8,
        .window = {"sliding_window", .flag = NULL},
        .experts = {"num_local_experts", 8, 2, .has_own_inner = false},
    },
    {
        GATED_DECODER,
        .type = "olmo2",
        .classes = "Olmo2Model, Olmo2ForCausalLM",
        .positions = 2048,
        .has_qkv_bias = {"attention_bias", false},
        .has_out_bias = {"attention_bias", false},
        .has_query_norms = true,
        .has_part_norms = true,
        .reads_plain = true,
    },
    {
        .type = "phi",
        .classes = CLASSES("Phi"),
        .positions = 2048,
        .norm = DSM__HUB_LAYER_NORM,
        .activation = "gelu",
        .dropout = "resid_pdrop",
        .embedding_dropout = "embd_pdrop",
        .score_dropout = "attention_dropout",
        .has_kv_heads = true,
        .has_qkv_bias = ALWAYS,
        .has_out_bias = ALWAYS,
        .has_inner_bias = ALWAYS,
        .is_parallel = ALWAYS,
        .has_one_norm = ALWAYS,
        .has_head_bias = true,
        .rotated = {"partial_rotary_factor", 0.5},
        .refused = {"qk_layernorm"},
    },
    {
        GATED_DECODER,
        .type = "phi3",
        .classes = CLASSES("Phi3"),
        .positions = 4096,
        .dropout = "resid_pdrop",
        .embedding_dropout = "embd_pdrop",
        .window = {"sliding_window", .flag = NULL},
    },
    {
        GATED_DECODER,
        .type = "qwen2",
        .classes = CLASSES("Qwen2"),
        .positions = 32768,
        .kv_heads = 32,
        .has_qkv_bias = ALWAYS,
        .window = QWEN_WINDOW,
    },
    {
        GATED_DECODER,
        .type = "qwen3",
        .classes = CLASSES("Qwen3"),
        .positions = 32768,
        .kv_heads = 32,
        .head_features = 128,
        .has_qkv_bias = {"attention_bias", false},
        .has_out_bias = {"attention_bias", false},
        .has_head_norms = ALWAYS,
        .window = QWEN_WINDOW,
    },
    {
        GATED_DECODER,
        .type = "qwen3_moe",
        .classes = CLASSES("Qwen3Moe"),
        .positions = 32768,
        .kv_heads = 4,
        .has_qkv_bias = {"attention_bias", false},
        .has_out_bias = {"attention_bias", false},
        .has_head_norms = ALWAYS,
        .experts = {"num_experts", 128, 8, .has_own_inner = true},
        .window = QWEN_WINDOW,
    },
    {
        .type = "stablelm",
        .classes = CLASSES("StableLm"),
        .positions = 4096,
        .norm = DSM__HUB_LAYER_NORM,
        .activation = "silu",
        .dropout = "hidden_dropout",
        .score_dropout = "attention_dropout",
        .is_gated = true,
        .has_kv_heads = true,
        .has_qkv_bias = {"use_qkv_bias", false},
        .rotated = {"partial_rotary_factor", 0.25},
        .refused = {"qk_layernorm", "use_parallel_residual"},
    },
    {
        .type = "starcoder2",
        .classes = CLASSES("Starcoder2"),
        .positions = 4096,
        .norm = DSM__HUB_LAYER_NORM,
        .activation = "gelu",
        .dropout = "residual_dropout",
        .embedding_dropout = "embedding_dropout",
        .score_dropout = "attention_dropout",
        .is_tied = true,
        .has_kv_heads = true,
        .kv_heads = 2,
        .has_qkv_bias = {"use_bias", true},
        .has_out_bias = {"use_bias", true},
        .has_inner_bias = {"use_bias", true},
        .rotated = {NULL, 1},
        .window = {"sliding_window", .flag = NULL},
    },
    {
        .type = "t5",
        .classes = "T5EncoderModel, T5ForConditionalGeneration",
        .put = dsm__hub_write_t5,
        .keys = {[DSM__HUB_SEQUENCE] = "n_positions",
                 [DSM__HUB_BLOCKS] = "num_layers",
                 [DSM__HUB_HIDDEN] = "d_model",
                 [DSM__HUB_HEADS] = "num_heads",
                 [DSM__HUB_HEAD_FEATURES] = "d_kv",
                 [DSM__HUB_INNER] = "d_ff"},
        .positions = 512,
        .norm = DSM__HUB_RMS_NORM,
        .dropout = "dropout_rate",
        .default_dropout = 0.1,
        .is_tied = true,
    },
    {
        .type = "vit",
        .classes = "ViTModel, ViTForImageClassification",
        .put = dsm__hub_write_vit,
        .builds_base = true,
        .norm = DSM__HUB_LAYER_NORM,
        .activation = "gelu",
        .dropout = "hidden_dropout_prob",
        .score_dropout = "attention_probs_dropout_prob",
    },
};
const size_t dsm__hub_family_count = DSM__COUNT_OF(dsm__hub_families);
