/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config.c: the keys of a configuration, typed and bounded. */
#include "dsm/limits.h"
#include "import/hub/hub.h"

/* Of a model that can read more, as many positions are assumed. */
enum { SEQUENCE_BOUND = 8192 };

/* A member; what is null is left to the program that wrote it, as if it were not there. */
static dsm__json_node member_of(const dsm__hub *hub, const char *key) {
  dsm__json_node node = dsm__json_member(hub->config, key);
  if (dsm__json_is_null(&node)) {
    node.item = NULL;
  }
  return node;
}

/* The parameter of each size, what it is, and its bound. */
static const struct {
  const char *name;
  const char *meaning;
  uint64_t max;
} size_rows[DSM__HUB_SIZE_COUNT] = {
    [DSM__HUB_SEQUENCE] = {"sequence", "the positions of a sample", DSM_SIDE_MAX},
    [DSM__HUB_VOCABULARY] = {"vocabulary", "the size of the vocabulary", DSM_DIMENSION_MAX},
    [DSM__HUB_BLOCKS] = {"blocks", "the number of blocks", DSM_LAYERS_MAX},
    [DSM__HUB_HIDDEN] = {"hidden", "the features between blocks", DSM_DIMENSION_MAX},
    [DSM__HUB_HEADS] = {"heads", "the number of heads", DSM_SIDE_MAX},
    [DSM__HUB_HEAD_FEATURES] = {"head_features", "the features of a head", DSM_SIDE_MAX},
    [DSM__HUB_INNER] = {"inner", "the features inside a feed-forward part", DSM_DIMENSION_MAX},
};

uint64_t dsm__hub_size_at(const dsm__hub *hub, dsm__hub_size size, const char *key) {
  const dsm__json_node node = member_of(hub, key);
  uint64_t value = 1;
  return dsm__json_require(&node, size_rows[size].meaning) &&
                 dsm__json_u64(&node, 1, size_rows[size].max, &value)
             ? value
             : 1;
}

void dsm__hub_size_parameter(const dsm__hub *hub, dsm__hub_size size, const char *key) {
  dsm__hub_parameter(hub, size_rows[size].name, dsm__hub_size_at(hub, size, key));
}

uint64_t dsm__hub_count_or(const dsm__hub *hub, const char *key, uint64_t max, uint64_t fallback) {
  const dsm__json_node node = member_of(hub, key);
  uint64_t value = fallback;
  return dsm__json_is_present(&node) && !dsm__json_u64(&node, 1, max, &value) ? 1 : value;
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

uint64_t dsm__hub_features_of_heads(const dsm__hub *hub, const char *key, const char *heads_key,
                                    uint64_t heads) {
  const uint64_t features = dsm__hub_size_at(hub, DSM__HUB_HIDDEN, key);
  check_divisor(hub, heads_key, heads, key, features);
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

const char *dsm__hub_activation(const dsm__hub *hub, const char *key, const char *fallback) {
  static const dsm__words words = {
      .what = "activation", .items = activation_rows, .count = DSM__COUNT_OF(activation_rows)};
  const dsm__json_node node = member_of(hub, key);
  size_t which = 0;
  if (!dsm__json_is_present(&node)) {
    return fallback;
  }
  return dsm__json_enum(&node, &words, &which) ? activation_rows[which].text : fallback;
}

/* ---- positions ---- */

uint64_t dsm__hub_sequence(const dsm__hub *hub, const char *key, uint64_t fallback) {
  const dsm__json_node node = member_of(hub, key);
  const uint64_t most = dsm__hub_count_or(hub, key, DSM_DIMENSION_MAX, fallback);
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

void dsm__hub_note_positions(const dsm__hub *hub, const char *key, uint64_t fallback,
                             uint64_t sequence) {
  const dsm__json_node node = member_of(hub, key);
  const uint64_t rows = dsm__hub_count_or(hub, key, DSM_DIMENSION_MAX, fallback);
  if (rows > sequence) {
    dsm__import_note(hub->import, &node, "of the table of positions %llu rows are counted",
                     (unsigned long long)sequence);
  }
}

/* ---- what is left out ---- */

void dsm__hub_note_score_dropout(const dsm__hub *hub, const char *key, double fallback) {
  if (dsm__hub_share(hub, key, fallback) > 0) {
    const dsm__json_node node = member_of(hub, key);
    dsm__import_note(hub->import, &node, "dropout of an attention's scores is left out");
  }
}

void dsm__hub_note_flag(const dsm__hub *hub, const char *key, const char *note) {
  if (dsm__hub_flag(hub, key, false)) {
    const dsm__json_node node = member_of(hub, key);
    dsm__import_note(hub->import, &node, "%s", note);
  }
}

/* ---- classes ---- */

uint64_t dsm__hub_classes(const dsm__hub *hub) {
  const dsm__json_node labels = dsm__json_member(hub->config, "id2label");
  uint64_t count = 0;
  for (dsm__json_node each = dsm__json_first_member(&labels); dsm__json_is_present(&each);
       each = dsm__json_next(&each)) {
    count++;
  }
  return count > 0 ? count : dsm__hub_count_or(hub, "num_labels", DSM_DIMENSION_MAX, 2);
}
