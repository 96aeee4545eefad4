/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * t5.c: an encoder, and a decoder that also attends to it. Both read one embedding, which has the
 * weights of both. The encoder ends with a norm that all blocks of the decoder read, so its last
 * block stands apart, as does the decoder's first, which reads the embedding.
 */
#include <string.h>

#include "dsm/limits.h"
#include "import/hub/hub.h"

typedef struct t5_choice {
  const char *activation;
  uint64_t blocks, decoder_blocks;
  bool has_dropout;
  bool is_gated;
} t5_choice;

/* "relu", or "gated-" and an activation. */
static void choose_activation(const dsm__hub *hub, t5_choice *choice) {
  static const char gated[] = "gated-";
  const dsm__json_node node = dsm__hub_member(hub, "feed_forward_proj");
  const char *const text = dsm__json_text(&node);
  choice->activation = "relu";
  if (!dsm__json_is_present(&node)) {
    return;
  }
  choice->is_gated = text != NULL && strncmp(text, gated, sizeof gated - 1) == 0;
  const char *const word = text == NULL ? "" : text + (choice->is_gated ? sizeof gated - 1 : 0);
  if (strcmp(word, "gelu") == 0 || strcmp(word, "silu") == 0) {
    choice->activation = strcmp(word, "gelu") == 0 ? "gelu" : "silu";
  } else if (strcmp(word, "relu") != 0) {
    char found[64];
    dsm__json_error(&node, NULL,
                    "expected relu, gelu or silu, or one of these behind gated-, found %s",
                    dsm__json_found(&node, found, sizeof found));
  }
}

static void write_parameters(const dsm__hub *hub, const t5_choice *choice) {
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", dsm__hub_sequence(hub));
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY);
  if (choice->blocks > 1) {
    dsm__hub_parameter(hub, "blocks", choice->blocks);
  }
  if (choice->decoder_blocks > 1) {
    dsm__hub_parameter(hub, "decoder_blocks", choice->decoder_blocks);
  }
  dsm__hub_size_parameter(hub, DSM__HUB_HIDDEN);
  dsm__hub_size_parameter(hub, DSM__HUB_HEADS);
  dsm__hub_size_parameter(hub, DSM__HUB_HEAD_FEATURES);
  dsm__hub_size_parameter(hub, DSM__HUB_INNER);
}

/* The products before an attention. What reads the stream of a block reads its norm. */
static void write_product(const dsm__hub *hub, const char *name, const char *out, const char *input,
                          const char *norm) {
  dsm__hub_fc_write(
      hub, &(dsm__hub_fc){
               .name = name, .in = "=hidden", .out = out, .input = input, .input_norm = norm});
}

static void write_out(const dsm__hub *hub, const t5_choice *choice, const char *name,
                      const char *before) {
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = name,
                                        .in = "=heads*head_features",
                                        .out = "=hidden",
                                        .has_dropout = choice->has_dropout,
                                        .residual = before});
}

static void write_self(const dsm__hub *hub, const t5_choice *choice, bool is_causal,
                       const char *before) {
  write_product(hub, "qkv", "=3*heads*head_features", before, DSM__HUB_RMS_NORM);
  dsm__hub_attention_write(hub, &(dsm__hub_attention){.name = "attention",
                                                      .head_features = "=head_features",
                                                      .is_causal = is_causal});
  write_out(hub, choice, "attention_out", before);
}

static void write_cross(const dsm__hub *hub, const t5_choice *choice) {
  write_product(hub, "query", "=heads*head_features", NULL, DSM__HUB_RMS_NORM);
  write_product(hub, "key", "=heads*head_features", "encoder_end", NULL);
  write_product(hub, "value", "=heads*head_features", "encoder_end", NULL);
  dsm__hub_attention_write(hub, &(dsm__hub_attention){.name = "cross",
                                                      .head_features = "=head_features",
                                                      .inputs = {"query", "key", "value"}});
  write_out(hub, choice, "cross_out", "attention_out");
}

static void write_feed_forward(const dsm__hub *hub, const t5_choice *choice, const char *before,
                               const char *norm) {
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = choice->is_gated ? "gate" : "ff1",
                                        .in = "=hidden",
                                        .out = "=inner",
                                        .input_norm = DSM__HUB_RMS_NORM,
                                        .activation = choice->activation,
                                        .has_dropout = choice->has_dropout && !choice->is_gated});
  if (choice->is_gated) {
    dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff1",
                                          .in = "=hidden",
                                          .out = "=inner",
                                          .input = before,
                                          .multiply = "gate",
                                          .has_dropout = choice->has_dropout,
                                          .comment = "its input is normalised once, before"});
  }
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff2",
                                        .in = "=inner",
                                        .out = "=hidden",
                                        .has_dropout = choice->has_dropout,
                                        .residual = before,
                                        .norm = norm});
}

static void write_encoder(const dsm__hub *hub, const t5_choice *choice, const char *name,
                          const char *repeat, const char *norm) {
  dsm__hub_begin_block(hub, name, repeat);
  write_self(hub, choice, false, "@before");
  write_feed_forward(hub, choice, "attention_out", norm);
  dsm__hub_end_block(hub);
}

static void write_decoder(const dsm__hub *hub, const t5_choice *choice, const char *name,
                          const char *repeat, const char *before) {
  dsm__hub_begin_block(hub, name, repeat);
  write_self(hub, choice, true, before);
  write_cross(hub, choice);
  write_feed_forward(hub, choice, "cross_out", NULL);
  dsm__hub_end_block(hub);
}

static void note_relative_positions(const dsm__hub *hub) {
  const dsm__json_node node = dsm__hub_member(hub, "relative_attention_num_buckets");
  dsm__import_note(hub->import, &node,
                   "what scores get for the distance of positions is left out: a table of heads "
                   "times buckets%s",
                   hub->end == DSM__HUB_BASE ? "" : " in either half");
}

void dsm__hub_write_t5(const dsm__hub *hub) {
  t5_choice choice = {.has_dropout = dsm__hub_has_dropout(hub, hub->family->dropout)};
  choice.blocks = dsm__hub_size_at(hub, DSM__HUB_BLOCKS);
  const bool is_encoder = hub->end == DSM__HUB_BASE;
  choice.decoder_blocks =
      is_encoder ? 0 : dsm__hub_count_or(hub, "num_decoder_layers", DSM_LAYERS_MAX, choice.blocks);
  choose_activation(hub, &choice);
  note_relative_positions(hub);
  dsm__hub_note_score_dropout(hub, hub->family->dropout);
  write_parameters(hub, &choice);
  dsm__hub_begin_layers(hub);
  dsm__hub_embedding_write(hub, &(dsm__hub_embedding){.name = "tokens",
                                                      .vocabulary = "=vocabulary",
                                                      .has_dropout = choice.has_dropout});
  if (choice.blocks > 1) {
    write_encoder(hub, &choice, "encoder", "=blocks-1", NULL);
  }
  write_encoder(hub, &choice, "encoder_end", NULL, DSM__HUB_RMS_NORM);
  if (!is_encoder) {
    write_decoder(hub, &choice, "decoder_start", NULL, "tokens");
  }
  if (choice.decoder_blocks > 1) {
    write_decoder(hub, &choice, "decoder", "=decoder_blocks-1", "@before");
  }
  dsm__hub_head_write(hub);
  dsm__hub_end_layers(hub);
}
