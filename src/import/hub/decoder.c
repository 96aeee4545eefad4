/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decoder.c: decoders of tokens: an embedding, blocks that are alike, and a head. */
#include <string.h>

#include "dsm/limits.h"
#include "import/hub/hub.h"

/* Sizes that are looked at, and not only written. */
typedef struct decoder_sizes {
  uint64_t blocks, heads, kv_heads, head_features, hidden;
} decoder_sizes;

static decoder_sizes read_sizes(const dsm__hub *hub) {
  const dsm__hub_family *const family = hub->family;
  const bool has_own = family->has_kv_heads;
  decoder_sizes sizes = {.blocks = dsm__hub_size_at(hub, DSM__HUB_BLOCKS),
                         .heads = dsm__hub_size_at(hub, DSM__HUB_HEADS)};
  sizes.kv_heads = sizes.heads;
  if (has_own) {
    sizes.kv_heads = dsm__hub_kv_heads(hub, "num_key_value_heads", sizes.heads,
                                       family->kv_heads == 0 ? sizes.heads : family->kv_heads);
    sizes.head_features = dsm__hub_size_or(hub, DSM__HUB_HEAD_FEATURES, family->head_features);
  } else if (dsm__hub_chosen(hub, family->has_one_kv_head)) {
    sizes.kv_heads = 1;
  }
  sizes.hidden = dsm__hub_features_of_heads(hub, sizes.head_features == 0 ? sizes.heads : 1);
  return sizes;
}

static void write_inner(const dsm__hub *hub, uint64_t hidden) {
  enum { TIMES = 4 }; /* of what is between blocks, where families of that form say nothing */
  const uint64_t usual = TIMES * hidden;
  if (!hub->family->is_gated && dsm__hub_size_or(hub, DSM__HUB_INNER, usual) == usual) {
    dsm__hub_parameter_text(hub, "inner", "=4*hidden");
  } else {
    dsm__hub_size_parameter(hub, DSM__HUB_INNER);
  }
}

static void note_windows(const dsm__hub *hub, uint64_t sequence) {
  const char *const key = hub->family->window_of_some;
  if (dsm__hub_count_or(hub, key, DSM_SIDE_MAX, sequence) < sequence) {
    const dsm__json_node node = dsm__json_member(hub->config, key);
    dsm__import_note(hub->import, &node, DSM__HUB_WINDOW_OF_SOME);
  }
}

static void write_parameters(const dsm__hub *hub, const decoder_sizes *sizes,
                             const dsm__hub_block *block) {
  const dsm__hub_experts *const experts = &hub->family->experts;
  const uint64_t sequence = dsm__hub_sequence(hub);
  note_windows(hub, sequence);
  if (hub->family->has_learned_positions) {
    dsm__hub_note_positions(hub, sequence);
  }
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", sequence);
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY);
  if (hub->end != DSM__HUB_BASE || sizes->blocks > 1) {
    dsm__hub_parameter(hub, "blocks", sizes->blocks);
  }
  dsm__hub_parameter(hub, "hidden", sizes->hidden);
  dsm__hub_parameter(hub, "heads", sizes->heads);
  if (block->has_kv_heads) {
    dsm__hub_parameter(hub, "kv_heads", sizes->kv_heads);
  }
  if (block->has_head_features && sizes->head_features == 0) {
    dsm__hub_parameter_text(hub, "head_features", "=hidden/heads");
  } else if (block->has_head_features) {
    dsm__hub_parameter(hub, "head_features", sizes->head_features);
  }
  write_inner(hub, sizes->hidden);
  if (block->has_window) {
    dsm__hub_parameter(hub, "window", dsm__hub_count_or(hub, hub->family->window, DSM_SIDE_MAX, 1));
  }
  if (block->has_experts) {
    const uint64_t count = dsm__hub_count_or(hub, experts->key, DSM_SIDE_MAX, experts->count);
    dsm__hub_parameter(hub, "experts", count);
    dsm__hub_parameter(hub, "active_experts",
                       dsm__hub_count_or(hub, "num_experts_per_tok", count, experts->active));
  }
}

/* Of what one product makes, or of queries and keys where these are products of their own. */
static double rotated_share(const dsm__hub *hub, const decoder_sizes *sizes) {
  const dsm__hub_family *const family = hub->family;
  const double turned = (double)(sizes->heads + sizes->kv_heads);
  const double all = turned + (double)sizes->kv_heads;
  const uint64_t of_head = sizes->hidden / sizes->heads;
  double share = dsm__hub_share(hub, family->rotated.key, family->rotated.fallback);
  if (family->rotated_features.key != NULL) {
    share = (double)dsm__hub_count_or(hub, family->rotated_features.key, of_head,
                                      family->rotated_features.fallback) /
            (double)of_head;
  }
  return family->has_head_norms || family->has_query_norms ? share : share * turned / all;
}

static dsm__hub_block choose_block(const dsm__hub *hub, const decoder_sizes *sizes) {
  const dsm__hub_family *const family = hub->family;
  return (dsm__hub_block){
      .norm = family->norm,
      .activation = dsm__hub_activation(hub),
      .rotated_share = rotated_share(hub, sizes),
      .has_head_features = family->has_kv_heads,
      .has_kv_heads = family->has_kv_heads || sizes->kv_heads != sizes->heads,
      .has_window = dsm__hub_count_or(hub, family->window, DSM_SIDE_MAX, 0) > 0,
      .has_experts = family->experts.key != NULL,
      .is_gated = family->is_gated,
      .is_causal = true,
      .is_parallel = dsm__hub_chosen(hub, family->is_parallel),
      .has_one_norm = dsm__hub_chosen(hub, family->has_one_norm),
      .has_head_norms = family->has_head_norms,
      .has_query_norms = family->has_query_norms,
      .has_part_norms = family->has_part_norms,
      .reads_plain = family->reads_plain,
      .has_qkv_bias = dsm__hub_chosen(hub, family->has_qkv_bias),
      .has_out_bias = dsm__hub_chosen(hub, family->has_out_bias),
      .has_inner_bias = dsm__hub_chosen(hub, family->has_inner_bias),
      .has_dropout = dsm__hub_has_dropout(hub, family->dropout),
  };
}

/* Of a base model, which has no head that could normalise what it reads, the last block stands
 * apart: it ends with the norm. */
static void write_blocks(const dsm__hub *hub, const dsm__hub_block *block, uint64_t blocks) {
  const bool is_base = hub->end == DSM__HUB_BASE;
  if (!is_base || blocks > 1) {
    dsm__hub_block_write(hub, block, "decoder", is_base ? "=blocks-1" : "=blocks", NULL);
  }
  if (is_base) {
    dsm__hub_block_write(hub, block, "decoder_end", NULL, block->norm);
  }
}

/* Behind experts each of them would have the norm, and a part has one norm. */
static void refuse_end(const dsm__hub *hub, const dsm__hub_block *block) {
  const dsm__json_node node = dsm__json_member(hub->config, "architectures");
  if (hub->end == DSM__HUB_BASE && (block->has_experts || block->has_part_norms)) {
    dsm__json_error(&node, NULL,
                    "expected a class with a head, which has the norm behind the last block, found "
                    "%.*s",
                    (int)strcspn(hub->family->classes, ","), hub->family->classes);
  }
}

/* Some families have experts in some blocks. */
static void refuse_plain_blocks(const dsm__hub *hub) {
  const dsm__json_node step = dsm__json_member(hub->config, "decoder_sparse_step");
  const dsm__json_node plain = dsm__json_member(hub->config, "mlp_only_layers");
  const bool is_sparse = dsm__hub_count_or(hub, "decoder_sparse_step", DSM_LAYERS_MAX, 1) > 1;
  const dsm__json_node first = dsm__json_item(&plain, 0);
  if (is_sparse || dsm__json_is_present(&first)) {
    dsm__json_error(is_sparse ? &step : &plain, NULL, "expected experts in all blocks");
  }
}

void dsm__hub_write_decoder(const dsm__hub *hub) {
  const decoder_sizes sizes = read_sizes(hub);
  const dsm__hub_block block = choose_block(hub, &sizes);
  refuse_end(hub, &block);
  if (block.has_experts) {
    refuse_plain_blocks(hub);
  }
  write_parameters(hub, &sizes, &block);
  dsm__hub_begin_layers(hub);
  dsm__hub_embedding_write(
      hub, &(dsm__hub_embedding){.name = "tokens",
                                 .vocabulary = "=vocabulary",
                                 .has_learned_positions = hub->family->has_learned_positions,
                                 .has_dropout =
                                     dsm__hub_has_dropout(hub, hub->family->embedding_dropout)});
  write_blocks(hub, &block, sizes.blocks);
  dsm__hub_head_write(hub);
  dsm__hub_end_layers(hub);
}
