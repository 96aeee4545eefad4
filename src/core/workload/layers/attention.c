/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attention.c: each query's products with all keys, a softmax over them, and the sum of all values
 * in these shares. It is two products of activations, grouped by heads: name.score and
 * name.context.
 *
 * Where the context is longer than the queries, the keys and values of earlier positions come from
 * a cache, and those of the queries' positions are added to it.
 *
 * With a latent (multi-head latent attention, DeepSeek-V2, arXiv 2405.04434) keys and values are
 * products of it: name.keys and name.values. Where it is all there, it is expanded to them. Where
 * earlier positions are in a cache, that has the latent alone, and the same weights are absorbed:
 * name.keys turns queries into such that multiply latents, name.values sums of latents into values.
 *
 * With chunks it is a scan (state space duality, Mamba-2, arXiv 2405.21060): an attention within
 * each chunk, and a state of keys by values that each chunk adds to and reads: name.states and
 * name.carried. Where there are earlier positions, their state is carried alone.
 */
#include <math.h>

#include "base/checked.h"
#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

enum { QUERY = 0, KEY, VALUE, PART_COUNT };

/* Features of a part, as one of so many layers delivers it. A latent stands for keys and values. */
static uint64_t features_of(const dsm_layer_spec *spec, size_t part, size_t part_count) {
  const bool is_latent = spec->latent > 0;
  const uint64_t queries = spec->heads * (spec->head_features + spec->rotary_features);
  const uint64_t keys = is_latent ? spec->rotary_features : spec->kv_heads * spec->head_features;
  const uint64_t values = is_latent ? spec->latent : spec->kv_heads * spec->value_features;
  if (part_count < PART_COUNT) {
    return part_count == 1 ? spec->in : part == QUERY ? queries : keys + values;
  }
  return part == QUERY ? queries : part == KEY ? keys : values;
}

/* Does an attention have earlier positions than it reads? */
static bool has_earlier(const dsm_layer_spec *spec) {
  return spec->context > spec->feature.rows;
}

static void read_chunk(dsm_layer_spec *spec, const dsm__json_node *node) {
  const dsm__json_node chunk = dsm__json_member(node, "chunk");
  dsm__json_optional_u64(node, "chunk", 1, DSM_SIDE_MAX, 0, &spec->chunk);
  if (spec->chunk > 0 && (!spec->is_causal || spec->window > 0 || spec->latent > 0)) {
    dsm__json_error(&chunk, NULL,
                    "expected a causal attention without \"window\" and \"latent\" beside it");
  }
}

static void read_latent(dsm_layer_spec *spec, const dsm__json_node *node) {
  const dsm__json_node rotary = dsm__json_member(node, "rotary_features");
  const dsm__json_node kv_heads = dsm__json_member(node, "kv_heads");
  dsm__json_optional_u64(node, "latent", 1, DSM_SIDE_MAX, 0, &spec->latent);
  dsm__json_optional_u64(node, "rotary_features", 1, DSM_SIDE_MAX, 0, &spec->rotary_features);
  if (spec->latent == 0 && dsm__json_is_present(&rotary)) {
    dsm__json_error(&rotary, NULL, "expected \"latent\" beside it, found none");
  } else if (spec->latent > 0 && dsm__json_is_present(&kv_heads)) {
    dsm__json_error(&kv_heads, "each head has keys and values of its own, made of the latent",
                    "expected no \"kv_heads\" beside \"latent\", found one");
  }
}

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
  dsm__json_optional_bool(node, "sinks", false, &spec->has_sinks);
  read_latent(spec, node);
  read_chunk(spec, node);
  spec->out = spec->heads * spec->value_features;
  spec->in = features_of(spec, QUERY, PART_COUNT) + features_of(spec, KEY, PART_COUNT) +
             features_of(spec, VALUE, PART_COUNT);
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
  if (spec->latent == 0 && (is_full || spec->kv_heads != spec->heads)) {
    dsm__json_put_u64(writer, "kv_heads", spec->kv_heads);
  }
  dsm__json_put_u64(writer, "head_features", spec->head_features);
  if (is_full || spec->value_features != spec->head_features) {
    dsm__json_put_u64(writer, "value_features", spec->value_features);
  }
  dsm__json_put_count(writer, "latent", spec->latent);
  dsm__json_put_count(writer, "chunk", spec->chunk);
  dsm__json_put_count(writer, "rotary_features", spec->rotary_features);
  dsm__json_put_count(writer, "context", spec->context);
  dsm__json_put_count(writer, "window", spec->window);
  if (is_full || spec->is_causal) {
    dsm__json_put_bool(writer, "causal", spec->is_causal);
  }
  dsm__json_put_flag(writer, "dropout", spec->has_dropout);
  dsm__json_put_flag(writer, "sinks", spec->has_sinks);
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

static bool check_features(const dsm__lowering *lowering) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  static const char *const names[PART_COUNT][PART_COUNT] = {
      {"queries, keys and values"}, {"queries", "keys and values"}, {"queries", "keys", "values"}};
  const dsm__json_node inputs = dsm__layer_entry_member(lowering->layer, "inputs");
  const bool is_one = lowering->part_count == 1;
  if (spec->latent > 0 && lowering->part_count != 2) {
    dsm__json_error(&inputs, NULL, "expected [query, latent] of an attention with a latent");
    return false;
  }
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
  const bool is_step = spec->chunk > 0 && has_earlier(spec);
  return is_step ? 1 : spec->latent > 0 || spec->chunk > 0 ? 4 : 2;
}

static dsm_layer product_of(const dsm_layer_spec *spec, uint64_t in, uint64_t out) {
  dsm_layer product = dsm__loops_of_features(spec->heads * in, spec->heads * out);
  product.is_product = true;
  product.ij = spec->feature.rows;
  product.groups = spec->heads;
  product.operand_groups = spec->kv_heads;
  product.operand_elements = spec->kv_heads * in * out;
  product.hidden_share = hidden_share(spec);
  product.attention = (dsm_attention_shape){.key_features = spec->head_features,
                                            .value_features = spec->value_features,
                                            .window = spec->window,
                                            .is_causal = spec->is_causal};
  product.has_update = false;
  return product;
}

/* Score and context. */
static void lower_products(const dsm_layer_spec *spec, bool is_cached, dsm_layer *primaries) {
  const uint64_t keys = seen_keys(spec);
  primaries[0] = product_of(spec, spec->head_features, keys);
  primaries[0].name = "score";
  primaries[0].has_op[DSM_AUX_SOFTMAX] = true;
  primaries[0].has_op[DSM_AUX_DROPOUT] = spec->has_dropout;
  primaries[0].is_score = true;
  primaries[0].sinks = spec->has_sinks ? spec->heads : 0;
  primaries[1] = product_of(spec, keys, spec->value_features);
  primaries[1].name = "context";
  primaries[1].reads_score = true;
  if (is_cached) {
    const uint64_t added = spec->kv_heads * spec->feature.rows;
    primaries[0].cache_elements = spec->kv_heads * spec->head_features * keys;
    primaries[1].cache_elements = spec->kv_heads * spec->value_features * keys;
    primaries[0].cache_new_elements = added * spec->head_features;
    primaries[1].cache_new_elements = added * spec->value_features;
  }
}

/* A product with the weights that make keys, or values, of a latent. */
static dsm_layer latent_product(const char *name, uint64_t in, uint64_t out, uint64_t positions) {
  dsm_layer product = dsm__loops_of_features(in, out);
  product.name = name;
  product.ij = positions;
  product.is_convolution = positions > 1;
  return product;
}

/* Keys have a part of the latent, and one that is the same for all heads. */
static void lower_expanded(const dsm_layer_spec *spec, uint64_t positions, dsm_layer *primaries) {
  dsm_layer_spec expanded = *spec;
  expanded.head_features += spec->rotary_features;
  primaries[0] = latent_product("keys", spec->latent, spec->heads * spec->head_features, positions);
  primaries[1] = latent_product("values", spec->latent, spec->out, positions);
  lower_products(&expanded, false, &primaries[2]);
}

/* Both products read the same latents, each the share that it has of all features: they are one
 * kernel, which reads them once. */
static void share_latents(const dsm_layer_spec *spec, dsm_layer products[2]) {
  const uint64_t features = spec->head_features + spec->value_features;
  const uint64_t all = spec->head_features * seen_keys(spec);
  const uint64_t added = spec->head_features * spec->feature.rows;
  products[0].cache_elements = all * spec->head_features / features;
  products[1].cache_elements = all - products[0].cache_elements;
  products[0].cache_new_elements = added * spec->head_features / features;
  products[1].cache_new_elements = added - products[0].cache_new_elements;
  for (size_t i = 0; i < 2; i++) {
    products[i].operand_elements = products[i].cache_elements;
    products[i].attention.has_values_in_keys = true;
  }
}

static void lower_absorbed(const dsm_layer_spec *spec, dsm_layer *primaries) {
  const uint64_t latents = spec->heads * spec->latent;
  dsm_layer_spec absorbed = *spec;
  absorbed.kv_heads = 1;
  absorbed.head_features = spec->latent + spec->rotary_features;
  absorbed.value_features = spec->latent;
  primaries[0] =
      latent_product("keys", spec->heads * spec->head_features, latents, spec->feature.rows);
  primaries[3] = latent_product("values", latents, spec->out, spec->feature.rows);
  primaries[0].groups = spec->heads;
  primaries[3].groups = spec->heads;
  lower_products(&absorbed, true, &primaries[1]);
  share_latents(&absorbed, &primaries[1]);
}

/* A product with states of keys by values, without a softmax. */
static dsm_layer state_product(const dsm_layer_spec *spec, const char *name, uint64_t in,
                               uint64_t rows) {
  dsm_layer product = product_of(spec, in, spec->value_features);
  product.name = name;
  product.ij = rows;
  product.hidden_share = 0;
  product.attention = (dsm_attention_shape){.is_causal = false};
  return product;
}

/* Each chunk is as heads of its own: what it makes itself, what it adds to the state, and what it
 * reads of that. States are read and written once as they are handed on. */
static void lower_scan(const dsm_layer_spec *spec, dsm_layer *primaries) {
  const uint64_t rows = spec->chunk < spec->feature.rows ? spec->chunk : spec->feature.rows;
  const uint64_t chunks = (spec->feature.rows + rows - 1) / rows;
  const dsm_attention_shape none = {.is_causal = false};
  dsm_layer_spec each = *spec;
  each.heads *= chunks;
  each.kv_heads *= chunks;
  each.feature.rows = rows;
  each.context = 0;
  primaries[0] = state_product(&each, "states", rows, spec->head_features);
  primaries[0].has_op[DSM_AUX_COPY] = true;
  lower_products(&each, false, &primaries[1]);
  primaries[1].attention = none; /* a product each: the values of one score fill many tiles */
  primaries[2].attention = none;
  primaries[3] = state_product(&each, "carried", spec->head_features, rows);
}

/* One kernel, which reads the state and writes it anew. */
static void lower_step(const dsm_layer_spec *spec, dsm_layer *primary) {
  *primary = state_product(spec, NULL, spec->head_features, spec->feature.rows);
  primary->cache_elements = primary->operand_elements;
  primary->cache_new_elements = primary->operand_elements;
}

static void lower(const dsm__lowering *lowering, dsm_layer *primaries) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const uint64_t delivered = positions_of(&lowering->parts[lowering->part_count - 1]);
  const bool is_cached = all_keys(spec) > spec->feature.rows && delivered == spec->feature.rows;
  if (spec->chunk > 0 && has_earlier(spec)) {
    lower_step(spec, primaries);
  } else if (spec->chunk > 0) {
    lower_scan(spec, primaries);
  } else if (spec->latent == 0) {
    lower_products(spec, is_cached, primaries);
  } else if (is_cached) {
    lower_absorbed(spec, primaries);
  } else {
    lower_expanded(spec, delivered, primaries);
  }
}

#define PART(part) (1U << (part))
#define MADE(primary) (1U << (DSM__MADE + (primary)))

/* Of the rotated part of keys nothing is said: it is a small one of what keys are made of. */
static const dsm__links *links(const dsm_layer *primary) {
  static const dsm__links plain[] = {{PART(QUERY), PART(KEY)}, {MADE(0), PART(VALUE)}};
  static const dsm__links expanded[] = {
      {PART(KEY), 0}, {PART(KEY), 0}, {PART(QUERY), MADE(0)}, {MADE(2), MADE(1)}};
  static const dsm__links absorbed[] = {
      {PART(QUERY), 0}, {PART(QUERY) | MADE(0), PART(KEY)}, {MADE(1), PART(KEY)}, {MADE(2), 0}};
  static const dsm__links scan[] = {{PART(KEY), PART(VALUE)},
                                    {PART(QUERY), PART(KEY)},
                                    {MADE(1), PART(VALUE)},
                                    {PART(QUERY) | MADE(2), MADE(0)}};
  static const dsm__links step[] = {{PART(QUERY), PART(VALUE)}};
  if (primary[0].is_product && !primary[0].is_score) {
    return primary[0].cache_elements > 0 ? step : scan;
  }
  return primary[0].is_score ? plain : primary[1].is_score ? absorbed : expanded;
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
    .ends_with_output = true,
    .links = links,
};
