/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain_block.c: the block that most families repeat, with what they differ in. */
#include "import/hub/hub.h"

static void write_attention(const dsm__hub *hub, const dsm__hub_block *block, const char *read_norm,
                            const char *sum_norm) {
  enum { PARTS = 3, TURNED = 2 }; /* of queries, keys and values the first two */
  const bool has_own = block->has_head_features;
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "qkv",
                                        .in = "=hidden",
                                        .out = has_own ? "=3*heads*head_features"
                                               : block->has_kv_heads
                                                   ? "=hidden+2*kv_heads*(hidden/heads)"
                                                   : "=3*hidden",
                                        .input_norm = read_norm,
                                        .has_bias = block->has_qkv_bias,
                                        .rotated_share = block->rotated_share * TURNED / PARTS});
  dsm__hub_attention_write(
      hub, &(dsm__hub_attention){.name = "attention",
                                 .has_kv_heads = block->has_kv_heads,
                                 .head_features = has_own ? "=head_features" : "=hidden/heads",
                                 .is_causal = block->is_causal});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "attention_out",
                                        .in = has_own ? "=heads*head_features" : "=hidden",
                                        .out = "=hidden",
                                        .has_bias = block->has_out_bias,
                                        .has_dropout = block->has_dropout,
                                        .residual = "@before",
                                        .norm = sum_norm});
}

static void write_feed_forward(const dsm__hub *hub, const dsm__hub_block *block,
                               const char *read_norm, const char *sum_norm) {
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff1",
                                        .in = "=hidden",
                                        .out = "=inner",
                                        .input = block->is_parallel ? "@before" : NULL,
                                        .input_norm = read_norm,
                                        .has_bias = true,
                                        .activation = block->activation});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff2",
                                        .in = "=inner",
                                        .out = "=hidden",
                                        .has_bias = true,
                                        .has_dropout = block->has_dropout,
                                        .residual = "attention_out",
                                        .norm = sum_norm});
}

void dsm__hub_block_layers(const dsm__hub *hub, const void *of, const char *end_norm) {
  const dsm__hub_block *const block = of;
  const char *const read_norm = block->normalises_sums ? NULL : DSM__HUB_LAYER_NORM;
  const char *const sum_norm = block->normalises_sums ? DSM__HUB_LAYER_NORM : NULL;
  write_attention(hub, block, read_norm, sum_norm);
  write_feed_forward(hub, block, read_norm, sum_norm == NULL ? end_norm : sum_norm);
}

void dsm__hub_block_write(const dsm__hub *hub, const dsm__hub_block *block) {
  dsm__hub_begin_block(hub, block->name, "=blocks");
  dsm__hub_block_layers(hub, block, NULL);
  dsm__hub_end_block(hub);
}
