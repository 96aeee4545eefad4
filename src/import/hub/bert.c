/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bert.c: encoders of tokens that normalise each sum, and the pooler of the first position. */
#include "dsm/limits.h"
#include "import/hub/hub.h"

enum { POSITIONS = 512 };
static const double dropout = 0.1;

static void write_parameters(const dsm__hub *hub) {
  const uint64_t sequence = dsm__hub_sequence(hub, "max_position_embeddings", POSITIONS);
  dsm__hub_note_positions(hub, "max_position_embeddings", POSITIONS, sequence);
  const uint64_t heads = dsm__hub_size_at(hub, DSM__HUB_HEADS, "num_attention_heads");
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", sequence);
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY, "vocab_size");
  dsm__hub_parameter(hub, "token_types",
                     dsm__hub_count_or(hub, "type_vocab_size", DSM_DIMENSION_MAX, 2));
  dsm__hub_size_parameter(hub, DSM__HUB_BLOCKS, "num_hidden_layers");
  dsm__hub_parameter(hub, "hidden",
                     dsm__hub_features_of_heads(hub, "hidden_size", "num_attention_heads", heads));
  dsm__hub_parameter(hub, "heads", heads);
  dsm__hub_size_parameter(hub, DSM__HUB_INNER, "intermediate_size");
}

static void write_embeddings(const dsm__hub *hub, bool has_dropout) {
  dsm__hub_embedding_write(hub,
                           &(dsm__hub_embedding){.name = "tokens", .vocabulary = "=vocabulary"});
  dsm__hub_embedding_write(hub, &(dsm__hub_embedding){.name = "token_types",
                                                      .vocabulary = "=token_types",
                                                      .input = "@input",
                                                      .has_learned_positions = true,
                                                      .residual = "tokens",
                                                      .norm = DSM__HUB_LAYER_NORM,
                                                      .has_dropout = has_dropout});
}

void dsm__hub_write_bert(const dsm__hub *hub) {
  const bool has_dropout = dsm__hub_share(hub, "hidden_dropout_prob", dropout) > 0;
  dsm__hub_note_score_dropout(hub, "attention_probs_dropout_prob", dropout);
  dsm__hub_note_flag(hub, "is_decoder", "is read as an encoder: attention without a mask");
  dsm__hub_note_head(hub, "BertModel", "the base model with its pooler");
  write_parameters(hub);
  dsm__hub_begin_layers(hub);
  write_embeddings(hub, has_dropout);
  dsm__hub_block_write(
      hub, &(dsm__hub_block){.name = "encoder",
                             .activation = dsm__hub_activation(hub, "hidden_act", "gelu"),
                             .normalises_sums = true,
                             .has_qkv_bias = true,
                             .has_out_bias = true,
                             .has_dropout = has_dropout});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "pooler",
                                        .in = "=hidden",
                                        .out = "=hidden",
                                        .selects_first = true,
                                        .has_bias = true,
                                        .activation = "tanh"});
  dsm__hub_end_layers(hub);
}
