/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bert.c: encoders of tokens that normalise each sum, and what reads the last of them. */
#include <string.h>

#include "dsm/limits.h"
#include "import/hub/hub.h"

static void write_parameters(const dsm__hub *hub) {
  const uint64_t sequence = dsm__hub_sequence(hub);
  dsm__hub_note_positions(hub, sequence);
  const uint64_t heads = dsm__hub_size_at(hub, DSM__HUB_HEADS);
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", sequence);
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY);
  dsm__hub_parameter(hub, "token_types",
                     dsm__hub_count_or(hub, "type_vocab_size", DSM_DIMENSION_MAX, 2));
  dsm__hub_size_parameter(hub, DSM__HUB_BLOCKS);
  dsm__hub_parameter(hub, "hidden", dsm__hub_features_of_heads(hub, heads));
  dsm__hub_parameter(hub, "heads", heads);
  dsm__hub_size_parameter(hub, DSM__HUB_INNER);
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

/* Positions are a table, or else tables of distances in each block. */
static void refuse_distances(const dsm__hub *hub) {
  const dsm__json_node node = dsm__hub_member(hub, "position_embedding_type");
  const char *const text = dsm__json_text(&node);
  if (text != NULL && strcmp(text, "absolute") != 0) {
    char found[64];
    dsm__json_error(&node, NULL, "expected \"absolute\" positions, found %s",
                    dsm__json_found(&node, found, sizeof found));
  }
}

/* The words that are hidden are found by the embedding's weights, behind a product of their own;
 * classes by the pooler of the first position. */
static void write_end(const dsm__hub *hub, const char *activation) {
  const bool has_words = hub->end == DSM__HUB_MAIN;
  const bool is_tied = dsm__hub_flag(hub, "tie_word_embeddings", true);
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = has_words ? "transform" : "pooler",
                                        .in = "=hidden",
                                        .out = "=hidden",
                                        .selects_first = !has_words,
                                        .has_bias = true,
                                        .activation = has_words ? activation : "tanh",
                                        .norm = has_words ? DSM__HUB_LAYER_NORM : NULL});
  if (hub->end != DSM__HUB_BASE) {
    dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = has_words ? "head" : "classifier",
                                          .in = "=hidden",
                                          .out = has_words ? "=vocabulary" : "=classes",
                                          .tied_to = has_words && is_tied ? "tokens" : NULL,
                                          .has_bias = true});
  }
}

void dsm__hub_write_bert(const dsm__hub *hub) {
  const bool has_dropout = dsm__hub_has_dropout(hub, hub->family->dropout);
  const char *const activation = dsm__hub_activation(hub);
  refuse_distances(hub);
  write_parameters(hub);
  dsm__hub_begin_layers(hub);
  write_embeddings(hub, has_dropout);
  dsm__hub_block_write(hub,
                       &(dsm__hub_block){.norm = DSM__HUB_LAYER_NORM,
                                         .activation = activation,
                                         .normalises_sums = true,
                                         .has_qkv_bias = true,
                                         .has_out_bias = true,
                                         .has_inner_bias = true,
                                         .has_dropout = has_dropout},
                       "encoder", "=blocks", NULL);
  write_end(hub, activation);
  dsm__hub_end_layers(hub);
}
