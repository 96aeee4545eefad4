/* SPDX-License-Identifier: GPL-3.0-or-later */
/* transformer_block.c: the block that most families repeat, with what they differ in. */
#include <string.h>

#include "import/hub/hub.h"

static const char normalised_before[] = "its input is normalised once, before";

/* Queries, keys or values by themselves, as norms of heads are of the first two. */
static void write_head_product(const dsm__hub *hub, const dsm__hub_block *block, const char *name,
                               const char *out, const char *read_norm) {
  const bool is_first = strcmp(name, "query") == 0;
  const bool is_normed = strcmp(name, "value") != 0;
  dsm__hub_fc_write(hub,
                    &(dsm__hub_fc){.name = name,
                                   .in = "=hidden",
                                   .out = out,
                                   .input = "@before",
                                   .input_norm = read_norm,
                                   .input_norm_from = is_first ? NULL : "query",
                                   .has_bias = block->has_qkv_bias,
                                   .own_norm = is_normed ? block->norm : NULL,
                                   .own_features = block->has_head_norms ? "=head_features" : NULL,
                                   .rotated_share = is_normed ? block->rotated_share : 0});
}

static void write_qkv(const dsm__hub *hub, const dsm__hub_block *block, const char *read_norm) {
  const bool has_own = block->has_head_features;
  const char *const grouped =
      has_own ? "=(heads+2*kv_heads)*head_features" : "=hidden+2*kv_heads*(hidden/heads)";
  const char *const alike = has_own ? "=3*heads*head_features" : "=3*hidden";
  if (block->has_head_norms || block->has_query_norms) {
    write_head_product(hub, block, "query", "=heads*head_features", read_norm);
    write_head_product(hub, block, "key", "=kv_heads*head_features", read_norm);
    write_head_product(hub, block, "value", "=kv_heads*head_features", read_norm);
    return;
  }
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "qkv",
                                        .in = "=hidden",
                                        .out = block->has_kv_heads ? grouped : alike,
                                        .input_norm = read_norm,
                                        .has_bias = block->has_qkv_bias,
                                        .rotated_share = block->rotated_share});
}

/* Queries, of a latent or not, and the latent of keys and values, with the rotated part of keys. */
static void write_latents(const dsm__hub *hub, const dsm__hub_block *block, const char *read_norm) {
  const bool is_made = block->has_query_latent;
  if (is_made) {
    dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "query_down",
                                          .in = "=hidden",
                                          .out = "=query_latent",
                                          .input = "@before",
                                          .input_norm = read_norm,
                                          .has_bias = block->has_qkv_bias,
                                          .own_norm = block->norm});
  }
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "query",
                                        .in = is_made ? "=query_latent" : "=hidden",
                                        .out = "=heads*(head_features+rotary_features)",
                                        .input = is_made ? NULL : "@before",
                                        .input_norm = is_made ? NULL : read_norm,
                                        .rotated_share = block->rotated_share});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "latent",
                                        .in = "=hidden",
                                        .out = "=latent+rotary_features",
                                        .input = "@before",
                                        .input_norm = read_norm,
                                        .input_norm_from = is_made ? "query_down" : "query",
                                        .has_bias = block->has_qkv_bias,
                                        .own_norm = block->norm,
                                        .own_features = "=latent",
                                        .has_own_of_first = true,
                                        .rotated_share = block->latent_rotated_share});
}

static void write_attention(const dsm__hub *hub, const dsm__hub_block *block, const char *read_norm,
                            const char *sum_norm) {
  const bool has_own = block->has_head_features;
  const bool is_apart = block->has_head_norms || block->has_query_norms;
  if (block->has_latent) {
    write_latents(hub, block, read_norm);
  } else {
    write_qkv(hub, block, read_norm);
  }
  dsm__hub_attention_write(
      hub, &(dsm__hub_attention){.name = "attention",
                                 .has_kv_heads = block->has_kv_heads,
                                 .head_features = has_own ? "=head_features" : "=hidden/heads",
                                 .inputs = {is_apart || block->has_latent ? "query" : NULL,
                                            block->has_latent ? "latent" : "key",
                                            block->has_latent ? NULL : "value"},
                                 .has_window = block->has_window,
                                 .has_latent = block->has_latent,
                                 .has_sinks = block->has_sinks,
                                 .is_causal = block->is_causal});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "attention_out",
                                        .in = block->has_latent ? "=heads*value_features"
                                              : has_own         ? "=heads*head_features"
                                                                : "=hidden",
                                        .out = "=hidden",
                                        .has_bias = block->has_out_bias,
                                        .own_norm = block->has_part_norms ? block->norm : NULL,
                                        .has_dropout = block->has_dropout,
                                        .residual = "@before",
                                        .norm = sum_norm});
}

static void write_plain_part(const dsm__hub *hub, const dsm__hub_block *block, const char *before,
                             const char *read_norm, const char *sum_norm) {
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff1",
                                        .in = "=hidden",
                                        .out = "=inner",
                                        .input = before,
                                        .input_norm = read_norm,
                                        .has_bias = block->has_inner_bias,
                                        .activation = block->activation,
                                        .comment = block->has_one_norm ? normalised_before : NULL});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "ff2",
                                        .in = "=inner",
                                        .out = "=hidden",
                                        .has_bias = block->has_inner_bias,
                                        .has_dropout = block->has_dropout,
                                        .residual = "attention_out",
                                        .norm = sum_norm});
}

/* Experts that all positions use, which are one part: it adds to what the others make. */
static void write_shared_part(const dsm__hub *hub, const dsm__hub_block *block, const char *read) {
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "shared_gate",
                                        .in = "=hidden",
                                        .out = "=shared_experts*expert_inner",
                                        .input = read,
                                        .activation = block->activation,
                                        .comment = normalised_before});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "shared_up",
                                        .in = "=hidden",
                                        .out = "=shared_experts*expert_inner",
                                        .input = read,
                                        .multiply = "shared_gate",
                                        .comment = normalised_before});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "shared_down",
                                        .in = "=shared_experts*expert_inner",
                                        .out = "=hidden",
                                        .residual = "down"});
}

static void write_gated_part(const dsm__hub *hub, const dsm__hub_block *block, const char *before,
                             const char *read_norm, const char *sum_norm) {
  const bool has_experts = block->has_experts;
  const char *const read = before == NULL ? "attention_out" : before;
  const char *const inner = has_experts ? block->expert_inner : "=inner";
  if (has_experts) {
    dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "router",
                                          .in = "=hidden",
                                          .out = "=experts",
                                          .input = before,
                                          .input_norm = read_norm,
                                          .activation = block->router,
                                          .has_bias = block->has_router_bias,
                                          .is_bias_last = true});
  }
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "gate",
                                        .in = "=hidden",
                                        .out = inner,
                                        .input = has_experts ? read : before,
                                        .input_norm = has_experts ? NULL : read_norm,
                                        .has_bias = block->has_inner_bias,
                                        .activation = block->activation,
                                        .comment = block->has_one_norm ? normalised_before : NULL,
                                        .has_experts = has_experts});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "up",
                                        .in = "=hidden",
                                        .out = inner,
                                        .input = read,
                                        .has_bias = block->has_inner_bias,
                                        .multiply = "gate",
                                        .has_experts = has_experts,
                                        .comment = normalised_before});
  dsm__hub_fc_write(hub, &(dsm__hub_fc){.name = "down",
                                        .in = inner,
                                        .out = "=hidden",
                                        .has_bias = block->has_inner_bias,
                                        .own_norm = block->has_part_norms ? block->norm : NULL,
                                        .has_dropout = block->has_dropout,
                                        .residual = "attention_out",
                                        .norm = sum_norm,
                                        .has_experts = has_experts});
  if (has_experts && block->has_shared) {
    write_shared_part(hub, block, read);
  }
}

void dsm__hub_block_write(const dsm__hub *hub, const dsm__hub_block *block, const char *name,
                          const char *repeat, const char *end_norm) {
  const char *const read_norm = block->normalises_sums || block->reads_plain ? NULL : block->norm;
  const char *const part_norm = block->has_one_norm ? NULL : read_norm;
  const char *const sum_norm = block->normalises_sums ? block->norm : NULL;
  const char *const before = block->is_parallel ? "@before" : NULL;
  const char *const last_norm = sum_norm == NULL ? end_norm : sum_norm;
  dsm__hub_begin_block(hub, name, repeat);
  write_attention(hub, block, read_norm, sum_norm);
  if (block->is_gated) {
    write_gated_part(hub, block, before, part_norm, last_norm);
  } else {
    write_plain_part(hub, block, before, part_norm, last_norm);
  }
  dsm__hub_end_block(hub);
}
