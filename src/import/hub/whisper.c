/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whisper.c: sound goes through two convolutions and an encoder; a decoder of words attends to what
 * that makes. Frames of sound are the network's input, and words come beside it. All blocks of the
 * decoder read the encoder's last norm, so its last block stands apart.
 */
#include <inttypes.h>

#include "dsm/limits.h"
#include "import/hub/hub.h"

typedef struct whisper_choice {
  const char *activation;
  uint64_t blocks, decoder_blocks;
  bool has_dropout;
} whisper_choice;

/* Sizes of the decoder that a description with one of each has no room for. */
static void expect_same(const dsm__hub *hub, const char *key, uint64_t max, uint64_t encoder) {
  const uint64_t decoder = dsm__hub_count_or(hub, key, max, encoder);
  if (decoder != encoder) {
    const dsm__json_node node = dsm__hub_member(hub, key);
    dsm__json_error(&node, NULL, "expected that of the encoder, %" PRIu64 ", found %" PRIu64,
                    encoder, decoder);
  }
}

static void write_parameters(const dsm__hub *hub, const whisper_choice *choice) {
  const uint64_t heads = dsm__hub_size_at(hub, DSM__HUB_HEADS);
  expect_same(hub, "decoder_attention_heads", DSM_SIDE_MAX, heads);
  expect_same(hub, "decoder_ffn_dim", DSM_DIMENSION_MAX, dsm__hub_size_at(hub, DSM__HUB_INNER));
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", dsm__hub_sequence(hub));
  dsm__hub_parameter(hub, "sound",
                     dsm__hub_count_or(hub, "max_source_positions", DSM_SIDE_MAX / 2, 1500));
  dsm__hub_parameter(hub, "bands", dsm__hub_count_or(hub, "num_mel_bins", DSM_SIDE_MAX, 80));
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY);
  if (choice->blocks > 1) {
    dsm__hub_parameter(hub, "blocks", choice->blocks);
  }
  if (choice->decoder_blocks > 1 || hub->end != DSM__HUB_BASE) {
    dsm__hub_parameter(hub, "decoder_blocks", choice->decoder_blocks);
  }
  dsm__hub_parameter(hub, "hidden", dsm__hub_features_of_heads(hub, heads));
  dsm__hub_parameter(hub, "heads", heads);
  dsm__hub_size_parameter(hub, DSM__HUB_INNER);
}

/* The second convolution halves the frames. */
static void write_sound(const dsm__hub *hub, const whisper_choice *choice) {
  dsm__hub_conv conv = {.name = "conv1",
                        .in = "=bands",
                        .out = "=hidden",
                        .kernel = "=3",
                        .padding = "=1",
                        .positions = "=2*sound",
                        .activation = choice->activation,
                        .has_bias = true};
  dsm__hub_conv_write(hub, &conv);
  conv.name = "conv2";
  conv.in = "=hidden";
  conv.stride = "=2";
  conv.positions = "=sound";
  dsm__hub_conv_write(hub, &conv);
  dsm__hub_embedding_write(hub, &(dsm__hub_embedding){.name = "moments",
                                                      .input = "@input",
                                                      .vocabulary = "=0",
                                                      .positions = "=sound",
                                                      .has_learned_positions = true,
                                                      .residual = "conv2",
                                                      .has_dropout = choice->has_dropout});
}

/* What an attention is made of: its queries and its keys. */
typedef struct attention_names {
  const char *query, *key, *value, *attention, *out;
} attention_names;

static const attention_names self_names = {"query", "key", "value", "attention", "attention_out"};
static const attention_names cross_names = {"cross_query", "cross_key", "cross_value", "cross",
                                            "cross_out"};

/* Keys alone have no bias. Keys and values are of the block's input, whose norm the query has, or
 * of what the encoder made. */
static void write_attention(const dsm__hub *hub, const whisper_choice *choice, bool is_cross,
                            bool is_causal) {
  const attention_names *const names = is_cross ? &cross_names : &self_names;
  dsm__hub_fc part = {.name = names->query,
                      .in = "=hidden",
                      .out = "=hidden",
                      .input_norm = DSM__HUB_LAYER_NORM,
                      .has_bias = true};
  dsm__hub_fc_write(hub, &part);
  part.name = names->key;
  part.input = is_cross ? "encoder_end" : "@before";
  part.input_norm = is_cross ? NULL : DSM__HUB_LAYER_NORM;
  part.input_norm_from = is_cross ? NULL : names->query;
  part.has_bias = false;
  dsm__hub_fc_write(hub, &part);
  part.name = names->value;
  part.has_bias = true;
  dsm__hub_fc_write(hub, &part);
  dsm__hub_attention_write(hub,
                           &(dsm__hub_attention){.name = names->attention,
                                                 .head_features = "=hidden/heads",
                                                 .inputs = {names->query, names->key, names->value},
                                                 .context = is_cross ? "=sound" : NULL,
                                                 .is_causal = is_causal});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = names->out,
                                        .in = "=hidden",
                                        .out = "=hidden",
                                        .has_bias = true,
                                        .has_dropout = choice->has_dropout,
                                        .residual = is_cross ? self_names.out : "@before"});
}

static void write_block(const dsm__hub *hub, const whisper_choice *choice, bool is_decoder,
                        const char *name, const char *repeat, const char *end_norm) {
  dsm__hub_begin_block(hub, name, repeat);
  write_attention(hub, choice, false, is_decoder);
  if (is_decoder) {
    write_attention(hub, choice, true, false);
  }
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff1",
                                        .in = "=hidden",
                                        .out = "=inner",
                                        .input_norm = DSM__HUB_LAYER_NORM,
                                        .has_bias = true,
                                        .activation = choice->activation});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff2",
                                        .in = "=inner",
                                        .out = "=hidden",
                                        .has_bias = true,
                                        .has_dropout = choice->has_dropout,
                                        .residual = is_decoder ? cross_names.out : self_names.out,
                                        .norm = end_norm});
  dsm__hub_end_block(hub);
}

void dsm__hub_write_whisper(const dsm__hub *hub) {
  const bool is_base = hub->end == DSM__HUB_BASE;
  whisper_choice choice = {.activation = dsm__hub_activation(hub),
                           .has_dropout = dsm__hub_has_dropout(hub, hub->family->dropout)};
  choice.blocks = dsm__hub_size_at(hub, DSM__HUB_BLOCKS);
  choice.decoder_blocks = dsm__hub_count_or(hub, "decoder_layers", DSM_LAYERS_MAX, choice.blocks);
  dsm__hub_note_score_dropout(hub, hub->family->score_dropout);
  write_parameters(hub, &choice);
  dsm__hub_begin_layers(hub);
  write_sound(hub, &choice);
  if (choice.blocks > 1) {
    write_block(hub, &choice, false, "encoder", "=blocks-1", NULL);
  }
  write_block(hub, &choice, false, "encoder_end", NULL, DSM__HUB_LAYER_NORM);
  dsm__hub_embedding_write(hub, &(dsm__hub_embedding){.name = "tokens",
                                                      .input = "@input",
                                                      .vocabulary = "=vocabulary",
                                                      .has_learned_positions = true,
                                                      .has_dropout = choice.has_dropout});
  if (!is_base || choice.decoder_blocks > 1) {
    write_block(hub, &choice, true, "decoder", is_base ? "=decoder_blocks-1" : "=decoder_blocks",
                NULL);
  }
  if (is_base) {
    write_block(hub, &choice, true, "decoder_end", NULL, DSM__HUB_LAYER_NORM);
  }
  dsm__hub_head_write(hub);
  dsm__hub_end_layers(hub);
}
