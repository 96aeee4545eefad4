/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * llama.c: decoders of tokens with gated feed-forward parts, heads of keys and values that several
 * queries share, and rotary positions: Llama, Mistral, Qwen2, and Mixtral with experts.
 */
#include "dsm/limits.h"
#include "import/hub/hub.h"

typedef struct llama_choice {
  uint64_t blocks, heads, kv_heads;
  uint64_t window; /* 0: none */
  const char *activation;
  double rotated_share;
  bool has_qkv_bias;
  bool has_out_bias;
  bool has_feed_forward_bias;
  bool has_experts;
} llama_choice;

static llama_choice choose(const dsm__hub *hub, uint64_t default_kv_heads) {
  const uint64_t heads = dsm__hub_size_at(hub, DSM__HUB_HEADS, "num_attention_heads");
  const uint64_t fallback = default_kv_heads == 0 ? heads : default_kv_heads;
  return (llama_choice){.blocks = dsm__hub_size_at(hub, DSM__HUB_BLOCKS, "num_hidden_layers"),
                        .heads = heads,
                        .kv_heads = dsm__hub_kv_heads(hub, "num_key_value_heads", heads, fallback),
                        .activation = dsm__hub_activation(hub, "hidden_act", "silu"),
                        .rotated_share = dsm__hub_share(hub, "partial_rotary_factor", 1)};
}

static void write_parameters(const dsm__hub *hub, const llama_choice *choice,
                             uint64_t default_positions) {
  const uint64_t head_features = dsm__hub_count_or(hub, "head_dim", DSM_SIDE_MAX, 0);
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence",
                     dsm__hub_sequence(hub, "max_position_embeddings", default_positions));
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY, "vocab_size");
  dsm__hub_blocks_parameter(hub, choice->blocks);
  dsm__hub_parameter(hub, "hidden",
                     dsm__hub_features_of_heads(hub, "hidden_size", "num_attention_heads",
                                                head_features == 0 ? choice->heads : 1));
  dsm__hub_parameter(hub, "heads", choice->heads);
  dsm__hub_parameter(hub, "kv_heads", choice->kv_heads);
  if (head_features == 0) {
    dsm__hub_parameter_text(hub, "head_features", "=hidden/heads");
  } else {
    dsm__hub_parameter(hub, "head_features", head_features);
  }
  dsm__hub_size_parameter(hub, DSM__HUB_INNER, "intermediate_size");
  if (choice->window > 0) {
    dsm__hub_parameter(hub, "window", choice->window);
  }
  if (choice->has_experts) {
    const uint64_t experts = dsm__hub_count_or(hub, "num_local_experts", DSM_SIDE_MAX, 8);
    dsm__hub_parameter(hub, "experts", experts);
    dsm__hub_parameter(hub, "active_experts",
                       dsm__hub_count_or(hub, "num_experts_per_tok", experts, 2));
  }
}

static void write_attention(const dsm__hub *hub, const llama_choice *choice) {
  const double turned = (double)(choice->heads + choice->kv_heads);
  const double all = turned + (double)choice->kv_heads;
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "qkv",
                                        .in = "=hidden",
                                        .out = "=(heads+2*kv_heads)*head_features",
                                        .input_norm = DSM__HUB_RMS_NORM,
                                        .has_bias = choice->has_qkv_bias,
                                        .rotated_share = choice->rotated_share * turned / all});
  dsm__hub_attention_write(hub, &(dsm__hub_attention){.name = "attention",
                                                      .has_kv_heads = true,
                                                      .head_features = "=head_features",
                                                      .has_window = choice->window > 0,
                                                      .is_causal = true});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "attention_out",
                                        .in = "=heads*head_features",
                                        .out = "=hidden",
                                        .has_bias = choice->has_out_bias,
                                        .residual = "@before"});
}

static void write_feed_forward(const dsm__hub *hub, const llama_choice *choice,
                               const char *end_norm) {
  const bool has_bias = choice->has_feed_forward_bias;
  const bool has_experts = choice->has_experts;
  if (has_experts) {
    dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "router",
                                          .in = "=hidden",
                                          .out = "=experts",
                                          .input_norm = DSM__HUB_RMS_NORM,
                                          .activation = "softmax"});
  }
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "gate",
                                        .in = "=hidden",
                                        .out = "=inner",
                                        .input = has_experts ? "attention_out" : NULL,
                                        .input_norm = has_experts ? NULL : DSM__HUB_RMS_NORM,
                                        .has_bias = has_bias,
                                        .activation = choice->activation,
                                        .has_experts = has_experts});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "up",
                                        .in = "=hidden",
                                        .out = "=inner",
                                        .input = "attention_out",
                                        .has_bias = has_bias,
                                        .multiply = "gate",
                                        .has_experts = has_experts,
                                        .comment = "its input is normalised once, before"});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "down",
                                        .in = "=inner",
                                        .out = "=hidden",
                                        .has_bias = has_bias,
                                        .residual = "attention_out",
                                        .norm = end_norm,
                                        .has_experts = has_experts});
}

static void write_layers(const dsm__hub *hub, const void *of, const char *end_norm) {
  write_attention(hub, of);
  write_feed_forward(hub, of, end_norm);
}

static void write_decoder(const dsm__hub *hub, const llama_choice *choice,
                          uint64_t default_positions) {
  dsm__hub_note_score_dropout(hub, "attention_dropout", 0);
  write_parameters(hub, choice, default_positions);
  dsm__hub_begin_layers(hub);
  dsm__hub_embedding_write(hub,
                           &(dsm__hub_embedding){.name = "tokens", .vocabulary = "=vocabulary"});
  dsm__hub_decoder_write(hub, choice->blocks, DSM__HUB_RMS_NORM, write_layers, choice);
  dsm__hub_head_write(hub, DSM__HUB_RMS_NORM, false);
  dsm__hub_end_layers(hub);
}

enum { LLAMA_POSITIONS = 2048, MISTRAL_POSITIONS = 4096 * 32, QWEN2_POSITIONS = 32768 };
enum { MISTRAL_KV_HEADS = 8, QWEN2_KV_HEADS = 32 };

void dsm__hub_write_llama(const dsm__hub *hub) {
  llama_choice choice = choose(hub, 0);
  choice.has_qkv_bias = dsm__hub_flag(hub, "attention_bias", false);
  choice.has_out_bias = choice.has_qkv_bias;
  choice.has_feed_forward_bias = dsm__hub_flag(hub, "mlp_bias", false);
  write_decoder(hub, &choice, LLAMA_POSITIONS);
}

void dsm__hub_write_mistral(const dsm__hub *hub) {
  llama_choice choice = choose(hub, MISTRAL_KV_HEADS);
  choice.window = dsm__hub_count_or(hub, "sliding_window", DSM_SIDE_MAX, 0);
  write_decoder(hub, &choice, MISTRAL_POSITIONS);
}

void dsm__hub_write_mixtral(const dsm__hub *hub) {
  llama_choice choice = choose(hub, MISTRAL_KV_HEADS);
  choice.window = dsm__hub_count_or(hub, "sliding_window", DSM_SIDE_MAX, 0);
  choice.has_experts = true;
  if (hub->end == DSM__HUB_BASE) { /* behind experts each would have the last norm */
    const dsm__json_node node = dsm__json_member(hub->config, "architectures");
    dsm__json_error(&node, NULL,
                    "expected experts with a head that normalises, found MixtralModel");
  }
  write_decoder(hub, &choice, MISTRAL_POSITIONS);
}

void dsm__hub_write_qwen2(const dsm__hub *hub) {
  llama_choice choice = choose(hub, QWEN2_KV_HEADS);
  choice.has_qkv_bias = true;
  dsm__hub_note_flag(hub, "use_sliding_window",
                     "attention is to all positions: the window of some blocks is left out");
  write_decoder(hub, &choice, QWEN2_POSITIONS);
}
