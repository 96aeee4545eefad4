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

/* Those of a family with a latent, which have no other names. */
typedef struct latent_sizes {
  uint64_t head_features, rotary, value_features, latent, query;
} latent_sizes;

static latent_sizes read_latent(const dsm__hub *hub) {
  return (latent_sizes){dsm__hub_count_or(hub, "qk_nope_head_dim", DSM_SIDE_MAX, 128),
                        dsm__hub_count_or(hub, "qk_rope_head_dim", DSM_SIDE_MAX, 64),
                        dsm__hub_count_or(hub, "v_head_dim", DSM_SIDE_MAX, 128),
                        dsm__hub_count_or(hub, "kv_lora_rank", DSM_SIDE_MAX, 512),
                        dsm__hub_count_or(hub, "q_lora_rank", DSM_SIDE_MAX, 0)};
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

static void write_latent_parameters(const dsm__hub *hub, const dsm__hub_block *block) {
  const latent_sizes sizes = read_latent(hub);
  dsm__hub_parameter(hub, "head_features", sizes.head_features);
  dsm__hub_parameter(hub, "rotary_features", sizes.rotary);
  dsm__hub_parameter(hub, "value_features", sizes.value_features);
  if (block->has_query_latent) {
    dsm__hub_parameter(hub, "query_latent", sizes.query);
  }
  dsm__hub_parameter(hub, "latent", sizes.latent);
}

static void write_parameters(const dsm__hub *hub, const decoder_sizes *sizes,
                             const dsm__hub_block *block) {
  const dsm__hub_experts *const experts = &hub->family->experts;
  const dsm__hub_kinds kinds = dsm__hub_blocks_kinds(hub, sizes->blocks);
  const uint64_t sequence = dsm__hub_sequence(hub);
  if (hub->family->has_learned_positions) {
    dsm__hub_note_positions(hub, sequence);
  }
  dsm__hub_begin_parameters(hub);
  dsm__hub_parameter(hub, "sequence", sequence);
  dsm__hub_size_parameter(hub, DSM__HUB_VOCABULARY);
  if (kinds.are_alike && (hub->end != DSM__HUB_BASE || sizes->blocks > 1)) {
    dsm__hub_parameter(hub, "blocks", sizes->blocks);
  }
  dsm__hub_parameter(hub, "hidden", sizes->hidden);
  dsm__hub_parameter(hub, "heads", sizes->heads);
  if (block->has_kv_heads) {
    dsm__hub_parameter(hub, "kv_heads", sizes->kv_heads);
  }
  if (block->has_latent) {
    write_latent_parameters(hub, block);
  } else if (block->has_head_features && sizes->head_features == 0) {
    dsm__hub_parameter_text(hub, "head_features", "=hidden/heads");
  } else if (block->has_head_features) {
    dsm__hub_parameter(hub, "head_features", sizes->head_features);
  }
  if (!experts->has_own_inner || kinds.has_plain_part) {
    write_inner(hub, sizes->hidden);
  }
  if (block->has_window) {
    dsm__hub_parameter(hub, "window",
                       dsm__hub_count_or(hub, hub->family->window.key, DSM_SIDE_MAX, 1));
  }
  if (block->has_experts) {
    const uint64_t count = dsm__hub_count_or(hub, experts->key, DSM_SIDE_MAX, experts->count);
    dsm__hub_parameter(hub, "experts", count);
    dsm__hub_parameter(hub, "active_experts",
                       dsm__hub_count_or(hub, "num_experts_per_tok", count, experts->active));
    if (experts->has_own_inner) {
      dsm__hub_size_parameter(hub, DSM__HUB_EXPERT_INNER);
    }
    if (block->has_shared) {
      dsm__hub_parameter(hub, "shared_experts",
                         dsm__hub_count_or(hub, experts->shared, DSM_SIDE_MAX, 1));
    }
  }
}

/* Of what one product makes, or of queries and keys where these are products of their own. */
static double rotated_share(const dsm__hub *hub, const decoder_sizes *sizes) {
  const dsm__hub_family *const family = hub->family;
  const latent_sizes latent = read_latent(hub);
  if (family->has_latent) {
    return (double)latent.rotary / (double)(latent.head_features + latent.rotary);
  }
  const double turned = (double)(sizes->heads + sizes->kv_heads);
  const double all = turned + (double)sizes->kv_heads;
  const uint64_t of_head = sizes->hidden / sizes->heads;
  double share = dsm__hub_share(hub, family->rotated.key, family->rotated.fallback);
  if (family->rotated_features.key != NULL) {
    share = (double)dsm__hub_count_or(hub, family->rotated_features.key, of_head,
                                      family->rotated_features.fallback) /
            (double)of_head;
  }
  return dsm__hub_chosen(hub, family->has_head_norms) || family->has_query_norms
             ? share
             : share * turned / all;
}

static dsm__hub_block choose_block(const dsm__hub *hub, const decoder_sizes *sizes) {
  const dsm__hub_family *const family = hub->family;
  const dsm__hub_experts *const experts = &family->experts;
  const latent_sizes latent = read_latent(hub);
  const dsm__hub_kinds kinds = dsm__hub_blocks_kinds(hub, sizes->blocks);
  return (dsm__hub_block){
      .norm = family->norm,
      .activation = dsm__hub_activation(hub),
      .rotated_share = rotated_share(hub, sizes),
      .has_head_features = family->has_kv_heads || family->has_latent,
      .has_kv_heads = family->has_kv_heads || sizes->kv_heads != sizes->heads,
      .latent_rotated_share = (double)latent.rotary / (double)(latent.latent + latent.rotary),
      .has_window = kinds.has_window,
      .has_latent = family->has_latent,
      .has_query_latent = latent.query > 0,
      .has_experts = kinds.has_experts,
      .has_shared = kinds.has_experts && dsm__hub_has(hub, experts->shared),
      .has_sinks = family->has_sinks,
      .has_router_bias = experts->has_router_bias,
      .router = experts->activation == NULL ? "softmax" : experts->activation,
      .expert_inner = experts->has_own_inner ? "=expert_inner" : "=inner",
      .is_gated = family->is_gated,
      .is_causal = true,
      .is_parallel = dsm__hub_chosen(hub, family->is_parallel),
      .has_one_norm = dsm__hub_chosen(hub, family->has_one_norm),
      .has_head_norms = dsm__hub_chosen(hub, family->has_head_norms),
      .has_query_norms = family->has_query_norms,
      .has_part_norms = family->has_part_norms,
      .reads_plain = family->reads_plain,
      .has_qkv_bias = dsm__hub_chosen(hub, family->has_qkv_bias),
      .has_out_bias = dsm__hub_chosen(hub, family->has_out_bias),
      .has_inner_bias = dsm__hub_chosen(hub, family->has_inner_bias),
      .has_dropout = dsm__hub_has_dropout(hub, family->dropout),
  };
}

/* Behind experts each of them would have the norm, and a part has one norm. */
static void refuse_end(const dsm__hub *hub, const dsm__hub_block *block) {
  const dsm__json_node node = dsm__hub_member(hub, "architectures");
  if (hub->end == DSM__HUB_BASE && (block->has_experts || block->has_part_norms)) {
    dsm__json_error(&node, NULL,
                    "expected a class with a head, which has the norm behind the last block, found "
                    "%.*s",
                    (int)strcspn(hub->family->classes, ","), hub->family->classes);
  }
}

/* Layers that predict words further on stand beside the network. */
static void note_predictors(const dsm__hub *hub) {
  const dsm__json_node node = dsm__hub_member(hub, "num_nextn_predict_layers");
  if (hub->family->has_latent && dsm__hub_place_or(hub, "num_nextn_predict_layers", 0) > 0) {
    dsm__import_note(hub->import, &node, "the layers that predict further tokens are left out");
  }
}

void dsm__hub_write_decoder(const dsm__hub *hub) {
  const decoder_sizes sizes = read_sizes(hub);
  const dsm__hub_block block = choose_block(hub, &sizes);
  refuse_end(hub, &block);
  note_predictors(hub);
  write_parameters(hub, &sizes, &block);
  dsm__hub_begin_layers(hub);
  dsm__hub_embedding_write(
      hub, &(dsm__hub_embedding){.name = "tokens",
                                 .vocabulary = "=vocabulary",
                                 .has_learned_positions = hub->family->has_learned_positions,
                                 .has_dropout =
                                     dsm__hub_has_dropout(hub, hub->family->embedding_dropout)});
  dsm__hub_blocks_write(hub, &block, sizes.blocks);
  dsm__hub_head_write(hub);
  dsm__hub_end_layers(hub);
}
