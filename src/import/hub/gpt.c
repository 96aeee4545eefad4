/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpt.c: decoders of tokens that normalise what attention and feed-forward parts read: GPT-2, whose
 * positions are learned, and GPT-NeoX, which turns queries and keys, and whose parts may both read
 * what a block reads.
 */
#include "dsm/limits.h"
#include "import/hub/hub.h"

typedef struct gpt_form {
  const char *hidden, *blocks, *heads, *inner, *positions; /* keys */
  const char *dropout, *embedding_dropout, *score_dropout, *activation;
  double default_dropout;
  uint64_t default_positions;
  bool has_learned_positions;
  bool is_tied; /* by default */
} gpt_form;

/* What a configuration says of how its layers are made. */
typedef struct gpt_choice {
  bool has_dropout;
  bool has_attention_bias;
  bool is_parallel;
  double rotated_share;
  const char *activation;
} gpt_choice;

static void write_parameters(const dsm__hub *hub, const gpt_form *form) {
  const uint64_t sequence = dsm__hub_sequence(hub, form->positions, form->default_positions);
  const uint64_t heads = dsm__hub_count(hub, form->heads, "the number of heads", DSM_SIDE_MAX);
  const uint64_t hidden = dsm__hub_features_of_heads(hub, form->hidden, form->heads, heads);
  if (form->has_learned_positions) {
    dsm__hub_note_positions(hub, form->positions, form->default_positions, sequence);
  }
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", sequence);
  dsm__hub_parameter(
      hub, "vocabulary",
      dsm__hub_count(hub, "vocab_size", "the size of the vocabulary", DSM_DIMENSION_MAX));
  dsm__hub_parameter(hub, "blocks",
                     dsm__hub_count(hub, form->blocks, "the number of blocks", DSM_LAYERS_MAX));
  dsm__hub_parameter(hub, "hidden", hidden);
  dsm__hub_parameter(hub, "heads", heads);
  const uint64_t inner = dsm__hub_count_or(hub, form->inner, DSM_DIMENSION_MAX, 4 * hidden);
  if (inner == 4 * hidden) {
    dsm__hub_parameter_text(hub, "inner", "=4*hidden");
  } else {
    dsm__hub_parameter(hub, "inner", inner);
  }
}

static void write_block(const dsm__hub *hub, const gpt_choice *choice) {
  dsm__hub_begin_block(hub, "decoder", "=blocks");
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "qkv",
                                        .in = "=hidden",
                                        .out = "=3*hidden",
                                        .input_norm = DSM__HUB_LAYER_NORM,
                                        .has_bias = choice->has_attention_bias,
                                        .rotated_share = choice->rotated_share * 2 / 3});
  dsm__hub_attention_write(hub, &(dsm__hub_attention){.name = "attention",
                                                      .head_features = "=hidden/heads",
                                                      .is_causal = true});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "attention_out",
                                        .in = "=hidden",
                                        .out = "=hidden",
                                        .has_bias = choice->has_attention_bias,
                                        .has_dropout = choice->has_dropout,
                                        .residual = "@before"});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff1",
                                        .in = "=hidden",
                                        .out = "=inner",
                                        .input = choice->is_parallel ? "@before" : NULL,
                                        .input_norm = DSM__HUB_LAYER_NORM,
                                        .has_bias = true,
                                        .activation = choice->activation});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff2",
                                        .in = "=inner",
                                        .out = "=hidden",
                                        .has_bias = true,
                                        .has_dropout = choice->has_dropout,
                                        .residual = "attention_out"});
  dsm__hub_end_block(hub);
}

static void write_gpt(const dsm__hub *hub, const gpt_form *form, const gpt_choice *choice) {
  dsm__hub_note_score_dropout(hub, form->score_dropout, form->default_dropout);
  write_parameters(hub, form);
  dsm__hub_begin_layers(hub);
  dsm__hub_embedding_write(
      hub, &(dsm__hub_embedding){.name = "tokens",
                                 .vocabulary = "=vocabulary",
                                 .has_learned_positions = form->has_learned_positions,
                                 .has_dropout = dsm__hub_share(hub, form->embedding_dropout,
                                                               form->default_dropout) > 0});
  write_block(hub, choice);
  dsm__hub_head_write(hub, DSM__HUB_LAYER_NORM, form->is_tied);
  dsm__hub_end_layers(hub);
}

void dsm__hub_write_gpt2(const dsm__hub *hub) {
  static const gpt_form form = {.hidden = "n_embd",
                                .blocks = "n_layer",
                                .heads = "n_head",
                                .inner = "n_inner",
                                .positions = "n_positions",
                                .dropout = "resid_pdrop",
                                .embedding_dropout = "embd_pdrop",
                                .score_dropout = "attn_pdrop",
                                .activation = "activation_function",
                                .default_dropout = 0.1,
                                .default_positions = 1024,
                                .has_learned_positions = true,
                                .is_tied = true};
  const gpt_choice choice = {.has_dropout =
                                 dsm__hub_share(hub, form.dropout, form.default_dropout) > 0,
                             .has_attention_bias = true,
                             .activation = dsm__hub_activation(hub, form.activation, "gelu")};
  dsm__hub_note_flag(hub, "add_cross_attention", "attention to another network is left out");
  write_gpt(hub, &form, &choice);
}

void dsm__hub_write_gpt_neox(const dsm__hub *hub) {
  static const double turned = 0.25;
  static const gpt_form form = {.hidden = "hidden_size",
                                .blocks = "num_hidden_layers",
                                .heads = "num_attention_heads",
                                .inner = "intermediate_size",
                                .positions = "max_position_embeddings",
                                .dropout = "hidden_dropout",
                                .embedding_dropout = "hidden_dropout",
                                .score_dropout = "attention_dropout",
                                .activation = "hidden_act",
                                .default_dropout = 0,
                                .default_positions = 2048};
  const gpt_choice choice = {.has_dropout =
                                 dsm__hub_share(hub, form.dropout, form.default_dropout) > 0,
                             .has_attention_bias = dsm__hub_flag(hub, "attention_bias", true),
                             .is_parallel = dsm__hub_flag(hub, "use_parallel_residual", true),
                             .rotated_share = dsm__hub_share(hub, "rotary_pct", turned),
                             .activation = dsm__hub_activation(hub, form.activation, "gelu")};
  write_gpt(hub, &form, &choice);
}
