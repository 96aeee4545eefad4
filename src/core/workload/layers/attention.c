/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attention.c: each query's products with all keys, a softmax over them, and the sum of all values
 * in these shares. It is two products of activations, grouped by heads: name.score and
 * name.context.
 *
 * Where the context is longer than the queries, the keys and values of earlier positions come from
 * a cache, and those of the queries' positions are added to it.
 */
#include <math.h>

#include "base/checked.h"
#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

enum { QUERY = 0, KEY, VALUE, PART_COUNT };

static void read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  (void)arena;
  dsm__positions_read(spec, node);
  dsm__json_required_u64(node, "heads", "the number of heads of queries", 1, DSM_SIDE_MAX,
                         &spec->heads);
  dsm__json_required_u64(node, "head_features", "the number of features of a head", 1, DSM_SIDE_MAX,
                         &spec->head_features);
  dsm__json_optional_u64(node, "kv_heads", 1, DSM_SIDE_MAX, spec->heads, &spec->kv_heads);
  dsm__json_optional_u64(node, "value_features", 1, DSM_SIDE_MAX, spec->head_features,
                         &spec->value_features);
  dsm__json_optional_u64(node, "context", 1, DSM_SIDE_MAX, 0, &spec->context);
  dsm__json_optional_u64(node, "window", 1, DSM_SIDE_MAX, 0, &spec->window);
  dsm__json_optional_bool(node, "causal", false, &spec->is_causal);
  dsm__json_optional_bool(node, "dropout", false, &spec->has_dropout);
  spec->out = spec->heads * spec->value_features;
  spec->in = spec->heads * spec->head_features +
             spec->kv_heads * (spec->head_features + spec->value_features);
  if (spec->kv_heads > 0 && spec->heads % spec->kv_heads != 0) {
    const dsm__json_node kv_heads = dsm__json_member(node, "kv_heads");
    dsm__json_error(&kv_heads, "each head of keys and values serves equally many of queries",
                    "expected a divisor of heads (%llu), found %llu",
                    (unsigned long long)spec->heads, (unsigned long long)spec->kv_heads);
  }
  if (spec->input_count > PART_COUNT) {
    const dsm__json_node inputs = dsm__json_member(node, "inputs");
    dsm__json_error(&inputs, NULL,
                    "expected [query, key, value], [query, key and value] or one layer with all "
                    "three, found %zu names",
                    spec->input_count);
  }
}

static void write(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  dsm__positions_put(writer, spec);
  dsm__json_put_u64(writer, "heads", spec->heads);
  if (is_full || spec->kv_heads != spec->heads) {
    dsm__json_put_u64(writer, "kv_heads", spec->kv_heads);
  }
  dsm__json_put_u64(writer, "head_features", spec->head_features);
  if (is_full || spec->value_features != spec->head_features) {
    dsm__json_put_u64(writer, "value_features", spec->value_features);
  }
  if (spec->context > 0) {
    dsm__json_put_u64(writer, "context", spec->context);
  }
  if (spec->window > 0) {
    dsm__json_put_u64(writer, "window", spec->window);
  }
  if (is_full || spec->is_causal) {
    dsm__json_put_bool(writer, "causal", spec->is_causal);
  }
  if (spec->has_dropout) {
    dsm__json_put_bool(writer, "dropout", true);
  }
}

/* Positions of keys and values, of which a window bounds those that are read. */
static uint64_t all_keys(const dsm_layer_spec *spec) {
  return spec->context > 0 ? spec->context : spec->feature.rows;
}

static uint64_t seen_keys(const dsm_layer_spec *spec) {
  const uint64_t all = all_keys(spec);
  const uint64_t reach = spec->window + spec->feature.rows - 1;
  return spec->window > 0 && reach < all ? reach : all;
}

/* Features of a part, as one of so many layers delivers it. */
static uint64_t features_of(const dsm_layer_spec *spec, size_t part, size_t part_count) {
  const uint64_t queries = spec->heads * spec->head_features;
  const uint64_t keys = spec->kv_heads * spec->head_features;
  const uint64_t values = spec->kv_heads * spec->value_features;
  if (part_count < PART_COUNT) {
    return part_count == 1 ? spec->in : part == QUERY ? queries : keys + values;
  }
  return part == QUERY ? queries : part == KEY ? keys : values;
}

static bool check_features(const dsm__lowering *lowering) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  static const char *const names[PART_COUNT][PART_COUNT] = {
      {"queries, keys and values"}, {"queries", "keys and values"}, {"queries", "keys", "values"}};
  const dsm__json_node inputs = dsm__layer_entry_member(lowering->layer, "inputs");
  const bool is_one = lowering->part_count == 1;
  for (size_t i = 0; i < lowering->part_count; i++) {
    const uint64_t expected = features_of(spec, i, lowering->part_count);
    const dsm__delivery *const part = &lowering->parts[i];
    if (part->features != expected) {
      dsm__json_error(&inputs,
                      is_one ? "(heads + kv_heads) * head_features + kv_heads * "
                               "value_features, or three inputs"
                             : NULL,
                      "expected %llu features of %s, found %llu", (unsigned long long)expected,
                      names[lowering->part_count - 1][i], (unsigned long long)part->features);
      return false;
    }
  }
  return true;
}

static uint64_t positions_of(const dsm__delivery *part) {
  return part->size.rows * part->size.columns;
}

/* Keys and values of all positions, or of the queries', with those before in a cache. */
static bool check_positions(const dsm__lowering *lowering) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const dsm__json_node inputs = dsm__layer_entry_member(lowering->layer, "inputs");
  const uint64_t queries = spec->feature.rows;
  if (lowering->part_count == 1 && all_keys(spec) < queries) {
    const dsm__json_node context = dsm__layer_entry_member(lowering->layer, "context");
    dsm__json_error(&context, "one layer delivers a key for each query",
                    "expected a context of at least the %llu positions, found %llu",
                    (unsigned long long)queries, (unsigned long long)all_keys(spec));
    return false;
  }
  for (size_t i = 0; i < lowering->part_count; i++) {
    const uint64_t positions = positions_of(&lowering->parts[i]);
    const bool is_query = i == QUERY;
    const bool is_cached = all_keys(spec) > queries && positions == queries;
    if (positions != (is_query ? queries : all_keys(spec)) && !(!is_query && is_cached)) {
      dsm__json_error(&inputs,
                      is_query ? NULL : "state \"context\" where keys have other positions",
                      "expected %llu positions of %s, found %llu",
                      (unsigned long long)(is_query ? queries : all_keys(spec)),
                      is_query ? "queries" : "keys and values", (unsigned long long)positions);
      return false;
    }
  }
  const dsm__delivery *const parts = lowering->parts;
  if (lowering->part_count == PART_COUNT &&
      positions_of(&parts[KEY]) != positions_of(&parts[VALUE])) {
    dsm__json_error(&inputs, NULL, "expected values of as many positions as keys, %llu, found %llu",
                    (unsigned long long)positions_of(&parts[KEY]),
                    (unsigned long long)positions_of(&parts[VALUE]));
    return false;
  }
  return true;
}

static bool check_context(const dsm__lowering *lowering) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  if (!spec->is_causal || all_keys(spec) >= spec->feature.rows) {
    return true;
  }
  const dsm__json_node context = dsm__layer_entry_member(lowering->layer, "context");
  dsm__json_error(&context, "a causal query sees the keys up to its own position",
                  "expected a context of at least the %llu positions, found %llu",
                  (unsigned long long)spec->feature.rows, (unsigned long long)all_keys(spec));
  return false;
}

static bool check(const dsm__lowering *lowering) {
  return check_features(lowering) && check_positions(lowering) && check_context(lowering);
}

/* Of C keys in all the i-th of s queries, from 1, sees C - s + i with a causal mask, and of these
 * or of all no more than a window: the first ones, whose window is not full, those behind them w.
 * The sum over the queries. */
static double visible_keys(const dsm_layer_spec *spec) {
  const double queries = (double)spec->feature.rows;
  const double all = (double)all_keys(spec);
  const double window = spec->window > 0 ? fmin((double)spec->window, all) : all;
  if (!spec->is_causal) {
    return queries * window;
  }
  const double before = all - queries;
  const double growing = fmax(0, fmin(window - before, queries));
  return growing * before + growing * (growing + 1) / 2 + (queries - growing) * window;
}

static double hidden_share(const dsm_layer_spec *spec) {
  const double pairs = (double)spec->feature.rows * (double)seen_keys(spec);
  return (pairs - visible_keys(spec)) / pairs;
}

static size_t primary_count(const dsm_layer_spec *spec) {
  (void)spec;
  return 2;
}

static dsm_layer product_of(const dsm_layer_spec *spec, uint64_t in, uint64_t out) {
  dsm_layer product = dsm__loops_of_features(spec->heads * in, spec->heads * out);
  product.is_product = true;
  product.ij = spec->feature.rows;
  product.groups = spec->heads;
  product.operand_groups = spec->kv_heads;
  product.operand_elements = spec->kv_heads * in * out;
  product.hidden_share = hidden_share(spec);
  product.attention = (dsm_attention_shape){spec->head_features, spec->value_features, spec->window,
                                            spec->is_causal};
  product.has_update = false;
  return product;
}

static void lower(const dsm__lowering *lowering, dsm_layer *primaries) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const uint64_t keys = seen_keys(spec);
  const bool is_cached = all_keys(spec) > spec->feature.rows &&
                         lowering->parts[lowering->part_count - 1].size.rows *
                                 lowering->parts[lowering->part_count - 1].size.columns ==
                             spec->feature.rows;
  primaries[0] = product_of(spec, spec->head_features, keys);
  primaries[0].has_op[DSM_AUX_SOFTMAX] = true;
  primaries[0].has_op[DSM_AUX_DROPOUT] = spec->has_dropout;
  primaries[0].is_score = true;
  primaries[1] = product_of(spec, keys, spec->value_features);
  primaries[1].reads_score = true;
  if (is_cached) {
    const uint64_t added = spec->kv_heads * spec->feature.rows;
    primaries[0].cache_elements = spec->kv_heads * spec->head_features * keys;
    primaries[1].cache_elements = spec->kv_heads * spec->value_features * keys;
    primaries[0].cache_new_elements = added * spec->head_features;
    primaries[1].cache_new_elements = added * spec->value_features;
  }
}

const dsm__layer_kind dsm__attention_kind = {
    .read = read,
    .write = write,
    .keeps_positions = true,
    .reads_parts = true,
    .starts_backward = true,
    .check = check,
    .lower = lower,
    .primary_count = primary_count,
    .suffixes = {"score", "context"},
    .first_output = 1,
};
