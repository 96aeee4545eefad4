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

static void write_parameters(const dsm__hub *hub, const gpt_form *form, uint64_t blocks,
                             bool has_kv_heads) {
  const uint64_t sequence = dsm__hub_sequence(hub, form->positions, form->default_positions);
  const uint64_t heads = dsm__hub_size_at(hub, DSM__HUB_HEADS, form->heads);
  const uint64_t hidden = dsm__hub_features_of_heads(hub, form->hidden, form->heads, heads);
  if (form->has_learned_positions) {
    dsm__hub_note_positions(hub, form->positions, form->default_positions, sequence);
  }
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", sequence);
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY, "vocab_size");
  dsm__hub_blocks_parameter(hub, blocks);
  dsm__hub_parameter(hub, "hidden", hidden);
  dsm__hub_parameter(hub, "heads", heads);
  if (has_kv_heads) {
    dsm__hub_parameter(hub, "kv_heads", 1);
  }
  const uint64_t inner = dsm__hub_count_or(hub, form->inner, DSM_DIMENSION_MAX, 4 * hidden);
  if (inner == 4 * hidden) {
    dsm__hub_parameter_text(hub, "inner", "=4*hidden");
  } else {
    dsm__hub_parameter(hub, "inner", inner);
  }
}

/* The block is made of what the form says, and of what a family has besides. */
static void write_gpt(const dsm__hub *hub, const gpt_form *form, dsm__hub_block block) {
  block.is_causal = true;
  block.activation = dsm__hub_activation(hub, form->activation, "gelu");
  block.has_dropout = dsm__hub_share(hub, form->dropout, form->default_dropout) > 0;
  const uint64_t blocks = dsm__hub_size_at(hub, DSM__HUB_BLOCKS, form->blocks);
  dsm__hub_note_score_dropout(hub, form->score_dropout, form->default_dropout);
  write_parameters(hub, form, blocks, block.has_kv_heads);
  dsm__hub_begin_layers(hub);
  dsm__hub_embedding_write(
      hub, &(dsm__hub_embedding){.name = "tokens",
                                 .vocabulary = "=vocabulary",
                                 .has_learned_positions = form->has_learned_positions,
                                 .has_dropout = dsm__hub_share(hub, form->embedding_dropout,
                                                               form->default_dropout) > 0});
  dsm__hub_decoder_write(hub, blocks, DSM__HUB_LAYER_NORM, dsm__hub_block_layers, &block);
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
  dsm__hub_note_flag(hub, "add_cross_attention", "attention to another network is left out");
  write_gpt(hub, &form,
            (dsm__hub_block){.has_kv_heads = dsm__hub_flag(hub, "multi_query", false),
                             .has_qkv_bias = true,
                             .has_out_bias = true});
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
  const bool has_bias = dsm__hub_flag(hub, "attention_bias", true);
  write_gpt(hub, &form,
            (dsm__hub_block){.has_qkv_bias = has_bias,
                             .has_out_bias = has_bias,
                             .is_parallel = dsm__hub_flag(hub, "use_parallel_residual", true),
                             .rotated_share = dsm__hub_share(hub, "rotary_pct", turned)});
}
