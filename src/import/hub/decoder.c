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
    sizes.head_features = dsm__hub_size_or(hub, DSM__HUB_HEAD_FEATURES, 0);
  } else if (dsm__hub_chosen(hub, family->has_one_kv_head)) {
    sizes.kv_heads = 1;
  }
  sizes.hidden = dsm__hub_features_of_heads(hub, sizes.head_features == 0 ? sizes.heads : 1);
  return sizes;
}

static void write_inner(const dsm__hub *hub, uint64_t hidden) {
  enum { TIMES = 4 }; /* of what is between blocks, where families of that form say nothing */
  const uint64_t usual = TIMES * hidden;
  if (hub->family->is_gated) {
    dsm__hub_size_parameter(hub, DSM__HUB_INNER);
  } else if (dsm__hub_size_or(hub, DSM__HUB_INNER, usual) == usual) {
    dsm__hub_parameter_text(hub, "inner", "=4*hidden");
  } else {
    dsm__hub_size_parameter(hub, DSM__HUB_INNER);
  }
}

static void write_parameters(const dsm__hub *hub, const decoder_sizes *sizes,
                             const dsm__hub_block *block) {
  const dsm__hub_experts *const experts = &hub->family->experts;
  const uint64_t sequence = dsm__hub_sequence(hub);
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

static dsm__hub_block choose_block(const dsm__hub *hub, const decoder_sizes *sizes) {
  const dsm__hub_family *const family = hub->family;
  const double turned = (double)(sizes->heads + sizes->kv_heads);
  const double all = turned + (double)sizes->kv_heads;
  return (dsm__hub_block){
      .norm = family->norm,
      .activation = dsm__hub_activation(hub),
      .rotated_share =
          dsm__hub_share(hub, family->rotated.key, family->rotated.fallback) * turned / all,
      .has_head_features = family->has_kv_heads,
      .has_kv_heads = family->has_kv_heads || sizes->kv_heads != sizes->heads,
      .has_window = dsm__hub_count_or(hub, family->window, DSM_SIDE_MAX, 0) > 0,
      .has_experts = family->experts.key != NULL,
      .is_gated = family->is_gated,
      .is_causal = true,
      .is_parallel = dsm__hub_chosen(hub, family->is_parallel),
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

/* Behind experts each of them would have the norm. */
static void refuse_end(const dsm__hub *hub, const dsm__hub_block *block) {
  const dsm__json_node node = dsm__json_member(hub->config, "architectures");
  if (hub->end == DSM__HUB_BASE && block->has_experts) {
    dsm__json_error(&node, NULL, "expected experts with a head that normalises, found %.*s",
                    (int)strcspn(hub->family->classes, ","), hub->family->classes);
  }
}

void dsm__hub_write_decoder(const dsm__hub *hub) {
  const decoder_sizes sizes = read_sizes(hub);
  const dsm__hub_block block = choose_block(hub, &sizes);
  refuse_end(hub, &block);
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
