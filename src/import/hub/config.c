/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config.c: the keys of a configuration, typed and bounded. */
#include <string.h>

#include "dsm/limits.h"
#include "import/hub/hub.h"

/* Of a model that can read more, as many positions are assumed. */
enum { SEQUENCE_BOUND = 8192 };

dsm__json_node dsm__hub_member(const dsm__hub *hub, const char *key) {
  dsm__hub_reads *const reads = hub->reads;
  bool is_new = reads != NULL && reads->count < DSM__COUNT_OF(reads->keys);
  for (size_t i = 0; is_new && i < reads->count; i++) {
    is_new = strcmp(reads->keys[i], key) != 0;
  }
  if (is_new) {
    reads->keys[reads->count++] = key;
  }
  return dsm__json_member(hub->config, key);
}

/* A member; what is null is left to the program that wrote it, as if it were not there. */
static dsm__json_node member_of(const dsm__hub *hub, const char *key) {
  if (key == NULL) {
    return (dsm__json_node){.item = NULL};
  }
  dsm__json_node node = dsm__hub_member(hub, key);
  if (dsm__json_is_null(&node)) {
    node.item = NULL;
  }
  return node;
}

/* The parameter of each size, the key where a family has no other, what it is, and its bound. */
static const struct {
  const char *name;
  const char *key;
  const char *meaning;
  uint64_t max;
} size_rows[DSM__HUB_SIZE_COUNT] = {
    [DSM__HUB_SEQUENCE] = {"sequence", "max_position_embeddings", "the positions of a sample",
                           DSM_SIDE_MAX},
    [DSM__HUB_VOCABULARY] = {"vocabulary", "vocab_size", "the size of the vocabulary",
                             DSM_DIMENSION_MAX},
    [DSM__HUB_BLOCKS] = {"blocks", "num_hidden_layers", "the number of blocks", DSM_LAYERS_MAX},
    [DSM__HUB_HIDDEN] = {"hidden", "hidden_size", "the features between blocks", DSM_DIMENSION_MAX},
    [DSM__HUB_HEADS] = {"heads", "num_attention_heads", "the number of heads", DSM_SIDE_MAX},
    [DSM__HUB_HEAD_FEATURES] = {"head_features", "head_dim", "the features of a head",
                                DSM_SIDE_MAX},
    [DSM__HUB_INNER] = {"inner", "intermediate_size", "the features inside a feed-forward part",
                        DSM_DIMENSION_MAX},
    [DSM__HUB_EXPERT_INNER] = {"expert_inner", "moe_intermediate_size",
                               "the features inside an expert", DSM_DIMENSION_MAX},
};

static const char *key_of(const dsm__hub *hub, dsm__hub_size size) {
  const char *const own = hub->family->keys[size];
  return own == NULL ? size_rows[size].key : own;
}

uint64_t dsm__hub_size_at(const dsm__hub *hub, dsm__hub_size size) {
  const dsm__json_node node = member_of(hub, key_of(hub, size));
  uint64_t value = 1;
  return dsm__json_require(&node, size_rows[size].meaning) &&
                 dsm__json_u64(&node, 1, size_rows[size].max, &value)
             ? value
             : 1;
}

uint64_t dsm__hub_size_or(const dsm__hub *hub, dsm__hub_size size, uint64_t fallback) {
  return dsm__hub_count_or(hub, key_of(hub, size), size_rows[size].max, fallback);
}

void dsm__hub_size_parameter(const dsm__hub *hub, dsm__hub_size size) {
  dsm__hub_parameter(hub, size_rows[size].name, dsm__hub_size_at(hub, size));
}

uint64_t dsm__hub_count_or(const dsm__hub *hub, const char *key, uint64_t max, uint64_t fallback) {
  const dsm__json_node node = member_of(hub, key);
  uint64_t value = fallback;
  return dsm__json_is_present(&node) && !dsm__json_u64(&node, 1, max, &value) ? 1 : value;
}

uint64_t dsm__hub_place_or(const dsm__hub *hub, const char *key, uint64_t fallback) {
  const dsm__json_node node = member_of(hub, key);
  uint64_t value = fallback;
  return dsm__json_is_present(&node) && !dsm__json_u64(&node, 0, DSM_LAYERS_MAX, &value) ? 0
                                                                                         : value;
}

bool dsm__hub_has(const dsm__hub *hub, const char *key) {
  const dsm__json_node node = member_of(hub, key);
  return dsm__json_is_present(&node);
}

/* ---- heads ---- */

/* What was wrong was reported, and is 1. */
static void check_divisor(const dsm__hub *hub, const char *key, uint64_t value, const char *of,
                          uint64_t whole) {
  if (whole > 1 && whole % value != 0) {
    const dsm__json_node node = member_of(hub, key);
    dsm__json_error(&node, NULL, "expected a divisor of %s (%llu), found %llu", of,
                    (unsigned long long)whole, (unsigned long long)value);
  }
}

uint64_t dsm__hub_features_of_heads(const dsm__hub *hub, uint64_t heads) {
  const uint64_t features = dsm__hub_size_at(hub, DSM__HUB_HIDDEN);
  check_divisor(hub, key_of(hub, DSM__HUB_HEADS), heads, key_of(hub, DSM__HUB_HIDDEN), features);
  return features;
}

uint64_t dsm__hub_kv_heads(const dsm__hub *hub, const char *key, uint64_t heads,
                           uint64_t fallback) {
  const uint64_t kv_heads = dsm__hub_count_or(hub, key, DSM_SIDE_MAX, fallback);
  check_divisor(hub, key, kv_heads, "the number of heads", heads);
  return kv_heads;
}

/* ---- flags and shares ---- */

bool dsm__hub_flag(const dsm__hub *hub, const char *key, bool fallback) {
  const dsm__json_node node = member_of(hub, key);
  bool value = fallback;
  return dsm__json_is_present(&node) && !dsm__json_bool(&node, &value) ? fallback : value;
}

bool dsm__hub_chosen(const dsm__hub *hub, dsm__hub_choice choice) {
  return dsm__hub_flag(hub, choice.key, choice.fallback);
}

double dsm__hub_share(const dsm__hub *hub, const char *key, double fallback) {
  const dsm__json_node node = member_of(hub, key);
  const dsm__json_range range = {.min = 0, .max = 1};
  double value = fallback;
  return dsm__json_is_present(&node) && !dsm__json_double(&node, range, &value) ? fallback : value;
}

/* ---- activations ---- */

static const dsm__word activation_rows[] = {
    {.key = "gelu", .text = "gelu"},
    {.key = "gelu_new", .text = "gelu"},
    {.key = "gelu_fast", .text = "gelu"},
    {.key = "gelu_python", .text = "gelu"},
    {.key = "gelu_pytorch_tanh", .text = "gelu"},
    {.key = "relu", .text = "relu"},
    {.key = "silu", .text = "silu"},
    {.key = "swish", .text = "silu"},
    {.key = "tanh", .text = "tanh"},
    {.key = "sigmoid", .text = "sigmoid"},
};

const char *dsm__hub_activation(const dsm__hub *hub) {
  static const dsm__words words = {
      .what = "activation", .items = activation_rows, .count = DSM__COUNT_OF(activation_rows)};
  const char *const key = hub->family->activation_key;
  const char *const fallback = hub->family->activation;
  const dsm__json_node node = member_of(hub, key == NULL ? "hidden_act" : key);
  size_t which = 0;
  if (!dsm__json_is_present(&node)) {
    return fallback;
  }
  return dsm__json_enum(&node, &words, &which) ? activation_rows[which].text : fallback;
}

/* ---- positions ---- */

/* The most positions that a model reads. */
static uint64_t most_positions(const dsm__hub *hub) {
  return dsm__hub_count_or(hub, key_of(hub, DSM__HUB_SEQUENCE), DSM_DIMENSION_MAX,
                           hub->family->positions);
}

uint64_t dsm__hub_sequence(const dsm__hub *hub) {
  const dsm__json_node node = member_of(hub, key_of(hub, DSM__HUB_SEQUENCE));
  const uint64_t most = most_positions(hub);
  const uint64_t given = dsm__import_dimension(hub->import, "sequence", sizeof "sequence" - 1);
  if (given > most) {
    dsm__import_note(hub->import, &node, "the sequence is given as %llu, and the model reads %llu",
                     (unsigned long long)given, (unsigned long long)most);
  } else if (given == 0 && most > SEQUENCE_BOUND) {
    dsm__import_note(hub->import, &node,
                     "the sequence is assumed to be %d: --dimension sequence=N says another",
                     SEQUENCE_BOUND);
  }
  return given > 0 ? given : most < SEQUENCE_BOUND ? most : SEQUENCE_BOUND;
}

void dsm__hub_note_positions(const dsm__hub *hub, uint64_t sequence) {
  const dsm__json_node node = member_of(hub, key_of(hub, DSM__HUB_SEQUENCE));
  if (most_positions(hub) > sequence) {
    dsm__import_note(hub->import, &node, "of the table of positions %llu rows are counted",
                     (unsigned long long)sequence);
  }
}

/* ---- what is left out ---- */

bool dsm__hub_has_dropout(const dsm__hub *hub, const char *key) {
  return key != NULL && dsm__hub_share(hub, key, hub->family->default_dropout) > 0;
}

void dsm__hub_note_score_dropout(const dsm__hub *hub, const char *key) {
  if (dsm__hub_has_dropout(hub, key)) {
    const dsm__json_node node = member_of(hub, key);
    dsm__import_note(hub->import, &node, "dropout of an attention's scores is left out");
  }
}

void dsm__hub_note_left_out(const dsm__hub *hub) {
  const dsm__hub_note *const note = &hub->family->left_out;
  if (dsm__hub_flag(hub, note->key, false)) {
    const dsm__json_node node = member_of(hub, note->key);
    dsm__import_note(hub->import, &node, "%s", note->text);
  }
  if (hub->family->note != NULL) {
    dsm__import_note(hub->import, hub->config, "%s", hub->family->note);
  }
}

void dsm__hub_refuse_flags(const dsm__hub *hub) {
  for (size_t i = 0; i < DSM__COUNT_OF(hub->family->refused); i++) {
    const char *const key = hub->family->refused[i];
    if (dsm__hub_flag(hub, key, false)) {
      const dsm__json_node node = member_of(hub, key);
      dsm__json_error(&node, NULL, "expected false: with it this is another network");
    }
  }
}

/* ---- classes ---- */

uint64_t dsm__hub_classes(const dsm__hub *hub) {
  const dsm__json_node labels = dsm__hub_member(hub, "id2label");
  uint64_t count = 0;
  for (dsm__json_node each = dsm__json_first_member(&labels); dsm__json_is_present(&each);
       each = dsm__json_next(&each)) {
    count++;
  }
  return count > 0 ? count : dsm__hub_count_or(hub, "num_labels", DSM_DIMENSION_MAX, 2);
}
