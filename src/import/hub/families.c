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
#define GATED_DECODER                                                                              \
  .norm = DSM__HUB_RMS_NORM, .activation = "silu", .score_dropout = "attention_dropout",           \
  .is_gated = true, .has_kv_heads = true, .rotated = {"partial_rotary_factor", 1}

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
        .type = "llama",
        .classes = CLASSES("Llama"),
        .positions = 2048,
        .has_qkv_bias = {"attention_bias", false},
        .has_out_bias = {"attention_bias", false},
        .has_inner_bias = {"mlp_bias", false},
    },
    {
        GATED_DECODER,
        .type = "mistral",
        .classes = CLASSES("Mistral"),
        .positions = 131072,
        .kv_heads = 8,
        .window = "sliding_window",
    },
    {
        GATED_DECODER,
        .type = "mixtral",
        .classes = CLASSES("Mixtral"),
        .positions = 131072,
        .kv_heads = 8,
        .window = "sliding_window",
        .experts = {"num_local_experts", 8, 2},
    },
    {
        GATED_DECODER,
        .type = "qwen2",
        .classes = CLASSES("Qwen2"),
        .positions = 32768,
        .kv_heads = 32,
        .has_qkv_bias = ALWAYS,
        .left_out = {"use_sliding_window",
                     "attention is to all positions: the window of some blocks is left out"},
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
