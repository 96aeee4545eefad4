/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * siblings.c: layers that make queries, keys and values of the same input are one product.
 *
 * Their weights side by side are those of one layer with the features of all, and so these layers
 * are what that one is: the plan has one primary layer for them, in the place of the first. That
 * goes for all three of an attention, or for keys and values alone, such as those of an encoder.
 *
 * They are one where a single layer can say what they do:
 *  - each is a plain product of all features, at the same positions of the same input, in one step;
 *  - it does nothing to its input but what the others do to it: the same norm (which one of them
 *    has, or an earlier layer has for all) and the same positions selected;
 *  - it does nothing to its output but add a bias, where all do, turn it by its position, or
 *    normalise each head by an rms_norm of its own;
 *  - all share their weights with other layers, or none does;
 *  - outputs and weights of all have the same bytes;
 *  - nothing but this attention reads it.
 */
#include "workload/siblings.h"

#include <string.h>

/* Queries, keys and values. */
enum { SIBLINGS_MAX = 3 };

/* Layers to be one, in order of execution. */
typedef struct siblings {
  size_t layers[SIBLINGS_MAX];
  size_t count;
} siblings;

typedef struct joining {
  dsm__resolver *r;
  size_t *uses;          /* of each primary layer: who reads it in any way */
  size_t *indices;       /* of each primary layer: where it is in the end */
  dsm__name_index names; /* of primary layers */
  siblings *found;       /* of each primary layer that is the first of siblings; else none */
  size_t gone;           /* layers that are a part of another in the end */
} joining;

/* ---- what is one ---- */

static bool has_head_norm(const dsm_layer *layer) {
  return layer->has_op[DSM_AUX_RMS_NORM] && layer->head_norm_features > 0;
}

static bool is_plain_product(const dsm_layer *layer) {
  bool has_only_known = true;
  for (int op = 0; op < DSM_AUX_OP_COUNT; op++) {
    const bool is_known = op == DSM_AUX_BIAS || op == DSM_AUX_ROTARY || op == DSM_AUX_SELECT ||
                          (op == DSM_AUX_RMS_NORM && has_head_norm(layer)) || !layer->has_op[op];
    has_only_known = has_only_known && is_known;
  }
  return has_only_known && !layer->is_product && layer->gates == 0 && layer->groups == 1 &&
         layer->kij == 1 && layer->strides == 1 && layer->timesteps == 1 && layer->experts == 0 &&
         layer->lookup_elements == 0 && layer->input_pool_window == 0 &&
         layer->shortcut_count == 0 && layer->stored_elements == layer->output_elements;
}

/* The declared layer that has the norm of what one reads; SIZE_MAX: there is no norm. */
static size_t norm_owner(const dsm__resolver *r, size_t spec_index) {
  const dsm_layer_spec *const spec = &r->workload->specs[spec_index];
  const dsm_aux *const norm = dsm__find_input_norm(spec);
  if (norm == NULL) {
    return SIZE_MAX;
  }
  return dsm__is_shared_norm(norm) ? dsm__name_index_find(&r->names, norm->from) : spec_index;
}

static bool read_the_same(const dsm__resolver *r, const dsm_layer *a, const dsm_layer *b) {
  return a->in == b->in && a->ij == b->ij && a->input_elements == b->input_elements &&
         a->has_op[DSM_AUX_SELECT] == b->has_op[DSM_AUX_SELECT] &&
         a->producer_count == b->producer_count &&
         memcmp(a->producers, b->producers, a->producer_count * sizeof a->producers[0]) == 0 &&
         norm_owner(r, a->spec_index) == norm_owner(r, b->spec_index);
}

/* So that the sum is within the bounds of a layer. */
static bool is_small(const dsm_layer *layer) {
  return layer->out <= DSM_DIMENSION_MAX / SIBLINGS_MAX &&
         layer->weight_elements <= DSM_PRODUCT_MAX / SIBLINGS_MAX &&
         layer->macs <= DSM_PRODUCT_MAX / SIBLINGS_MAX &&
         layer->output_elements <= DSM_PRODUCT_MAX / ((uint64_t)2 * SIBLINGS_MAX);
}

/* The only layer of a list; DSM_NETWORK_INPUT: it is none, or there are several. */
static size_t only_one(const size_t *list, size_t count) {
  return count == 1 ? list[0] : DSM_NETWORK_INPUT;
}

/* What an attention reads, each made by one layer; else DSM_NETWORK_INPUT. */
typedef struct readings {
  size_t query;
  size_t key;
  size_t value;
} readings;

/* Its context is the layer behind its score. */
static readings readings_of(const dsm_layer *score) {
  const dsm_layer *const context = score + 1;
  return (readings){only_one(score->producers, score->producer_count),
                    only_one(score->operands, score->operand_count),
                    only_one(context->operands, context->operand_count)};
}

static bool is_read_here_only(const joining *j, const readings *of, size_t layer) {
  const size_t here =
      (size_t)(of->query == layer) + (size_t)(of->key == layer) + (size_t)(of->value == layer);
  return j->uses[layer] == here;
}

/* Are these and the queries what one layer would deliver? Keys that are the values too are not. */
static bool is_all_of_one(const joining *j, const siblings *of, size_t query,
                          const dsm_layer *score) {
  uint64_t features = j->r->layers[query].out;
  for (size_t i = 0; i < of->count; i++) {
    features += j->r->layers[of->layers[i]].out;
  }
  return features == j->r->workload->specs[score->spec_index].in;
}

static bool have_equal_bytes(const dsm_layer *a, const dsm_layer *b) {
  const dsm_layer_bytes *const x = &a->bytes;
  const dsm_layer_bytes *const y = &b->bytes;
  return x->input == y->input && x->output == y->output && x->operand == y->operand &&
         x->shortcut == y->shortcut && x->fork == y->fork && x->weights == y->weights &&
         x->cache == y->cache && a->casts.operands == b->casts.operands &&
         a->casts.are_weights_typed == b->casts.are_weights_typed;
}

static bool are_siblings(const joining *j, const readings *of, size_t one, size_t other) {
  const dsm_layer *const a = &j->r->layers[one];
  const dsm_layer *const b = &j->r->layers[other];
  return is_read_here_only(j, of, one) && is_read_here_only(j, of, other) && is_plain_product(a) &&
         is_plain_product(b) && a->is_convolution == b->is_convolution &&
         a->is_tied == b->is_tied && a->has_op[DSM_AUX_BIAS] == b->has_op[DSM_AUX_BIAS] &&
         have_equal_bytes(a, b) && read_the_same(j->r, a, b) && is_small(a) && is_small(b);
}

static void add_in_order(siblings *of, size_t layer) {
  size_t at = of->count++;
  for (; at > 0 && of->layers[at - 1] > layer; at--) {
    of->layers[at] = of->layers[at - 1];
  }
  of->layers[at] = layer;
}

/* Those of an attention. Keys and values may be one layer as they are. */
static void find_siblings(joining *j, const dsm_layer *score) {
  const readings of = readings_of(score);
  siblings found = {.count = 0};
  if (of.key == DSM_NETWORK_INPUT || of.value == DSM_NETWORK_INPUT) {
    return;
  }
  if (of.key != of.value && !are_siblings(j, &of, of.key, of.value)) {
    return;
  }
  add_in_order(&found, of.key);
  if (of.key != of.value) {
    add_in_order(&found, of.value);
  }
  if (of.query != of.key && of.query != DSM_NETWORK_INPUT &&
      are_siblings(j, &of, of.query, of.key) && is_all_of_one(j, &found, of.query, score)) {
    add_in_order(&found, of.query);
  }
  if (found.count > 1) {
    j->found[found.layers[0]] = found;
    j->gone += found.count - 1;
  }
}

static void count_uses(joining *j, const size_t *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (list[i] != DSM_NETWORK_INPUT) {
      j->uses[list[i]]++;
    }
  }
}

/* ---- what it is ---- */

/* Bytes of the names' first words that all share, each with its full stop. */
static size_t shared_prefix(const dsm_layer *parts, size_t count) {
  size_t shared = 0;
  for (size_t i = 0; parts[0].name[i] != '\0'; i++) {
    for (size_t p = 1; p < count; p++) {
      if (parts[p].name[i] != parts[0].name[i]) {
        return shared;
      }
    }
    shared = parts[0].name[i] == '.' ? i + 1 : shared;
  }
  return shared;
}

/* "encoder.0.query+key+value"; that of the first where this would be long, or could be that of
 * another layer. */
static const char *name_of(const joining *j, const dsm_layer *parts, size_t count) {
  const size_t shared = shared_prefix(parts, count);
  const char *name = parts[0].name;
  bool is_clear = strchr(name, '+') == NULL;
  for (size_t i = 1; i < count && name != NULL; i++) {
    is_clear = is_clear && strchr(parts[i].name, '+') == NULL;
    name = dsm__arena_printf(j->r->workload->arena, "%s+%s", name, parts[i].name + shared);
  }
  if (name == NULL) {
    return NULL;
  }
  is_clear = is_clear && strlen(name) <= DSM_NAME_BYTES_MAX &&
             dsm__name_index_find(&j->names, name) == SIZE_MAX &&
             dsm__name_index_find(&j->r->names, name) == SIZE_MAX;
  return is_clear ? name : parts[0].name;
}

/* Where any has a norm of its heads, the others' elements have none. */
static void add_head_norm(dsm_layer *sum, const dsm_layer *part) {
  const bool sum_has = has_head_norm(sum);
  const bool part_has = has_head_norm(part);
  if (sum_has != part_has) {
    sum->unnormed_elements += sum_has ? part->output_elements : sum->output_elements;
  }
  sum->head_norm_features += part->head_norm_features;
  sum->kept_results += part->kept_results;
  sum->has_op[DSM_AUX_RMS_NORM] = sum_has || part_has;
}

static void add_part(dsm_layer *sum, const dsm_layer *part) {
  add_head_norm(sum, part);
  sum->out += part->out;
  sum->output_elements += part->output_elements;
  sum->stored_elements += part->stored_elements;
  sum->weight_elements += part->weight_elements;
  sum->macs += part->macs;
  sum->parameters += part->parameters;
  sum->given_norms += part->given_norms;
  sum->rotated_elements += part->rotated_elements;
  sum->has_op[DSM_AUX_ROTARY] = sum->has_op[DSM_AUX_ROTARY] || part->has_op[DSM_AUX_ROTARY];
}

/* The norm of the input, if they have it, is the first one's: what `from` names comes earlier. */
static bool join(const joining *j, const siblings *of, dsm_layer *out) {
  const dsm_layer *const layers = j->r->layers;
  dsm_layer *const parts = dsm__arena_array(j->r->workload->arena, of->count, sizeof *parts);
  if (parts == NULL) {
    return false;
  }
  for (size_t i = 0; i < of->count; i++) {
    parts[i] = layers[of->layers[i]];
  }
  dsm_layer sum = parts[0];
  for (size_t i = 1; i < of->count; i++) {
    add_part(&sum, &parts[i]);
  }
  sum.parts = parts;
  sum.part_count = of->count;
  sum.name = name_of(j, parts, of->count);
  *out = sum;
  return sum.name != NULL;
}

/* ---- the graph behind it ---- */

/* The same layers by their new indices, with one in place of its parts. Lists may be those of
 * several layers, so that they stay as they are. */
static bool renumber(const joining *j, const size_t **list, size_t count) {
  size_t *const fresh = dsm__arena_array(j->r->workload->arena, count, sizeof *fresh);
  for (size_t i = 0; fresh != NULL && i < count; i++) {
    const size_t old = (*list)[i];
    fresh[i] = old == DSM_NETWORK_INPUT ? old : j->indices[old];
  }
  *list = fresh;
  return fresh != NULL || count == 0;
}

static bool renumber_all(const joining *j) {
  bool is_good = true;
  for (size_t i = 0; i < j->r->layer_count && is_good; i++) {
    dsm_layer *const layer = &j->r->layers[i];
    is_good = renumber(j, &layer->producers, layer->producer_count) &&
              renumber(j, &layer->shortcuts, layer->shortcut_count) &&
              renumber(j, &layer->operands, layer->operand_count);
  }
  return is_good;
}

/* Where each layer is in the end; that of a part is where its siblings are. */
static void number(const joining *j) {
  size_t next = 0;
  for (size_t i = 0; i < j->r->layer_count; i++) {
    j->indices[i] = SIZE_MAX;
  }
  for (size_t i = 0; i < j->r->layer_count; i++) {
    const siblings *const of = &j->found[i];
    j->indices[i] = j->indices[i] == SIZE_MAX ? next++ : j->indices[i];
    for (size_t s = 1; s < of->count; s++) {
      j->indices[of->layers[s]] = j->indices[i];
    }
  }
}

/* Joins what was found, and leaves no gaps. */
static bool compact(const joining *j) {
  dsm_layer *const layers = j->r->layers;
  size_t kept = 0;
  for (size_t i = 0; i < j->r->layer_count; i++) {
    if (j->found[i].count > 0 && !join(j, &j->found[i], &layers[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < j->r->layer_count; i++) {
    if (j->indices[i] == kept) {
      layers[kept++] = layers[i];
    }
  }
  j->r->layer_count = kept;
  return true;
}

static bool index_names(joining *j) {
  const size_t count = j->r->layer_count;
  j->names.entries = dsm__arena_array(j->r->workload->arena, count, sizeof j->names.entries[0]);
  for (size_t i = 0; j->names.entries != NULL && i < count; i++) {
    j->names.entries[j->names.count++] = (dsm__name_entry){j->r->layers[i].name, i};
  }
  dsm__name_index_sort(&j->names);
  return j->names.entries != NULL;
}

static bool has_attention(const dsm__resolver *r) {
  for (size_t i = 0; i < r->layer_count; i++) {
    if (r->layers[i].is_score) {
      return true;
    }
  }
  return false;
}

bool dsm__siblings_join(dsm__resolver *r) {
  dsm__arena *const arena = r->workload->arena;
  const size_t count = r->layer_count;
  joining j = {.r = r};
  if (r->workload->is_list || !has_attention(r)) {
    return true;
  }
  j.uses = dsm__arena_array(arena, count, sizeof *j.uses);
  j.indices = dsm__arena_array(arena, count, sizeof *j.indices);
  j.found = dsm__arena_array(arena, count, sizeof *j.found);
  if (j.uses == NULL || j.indices == NULL || j.found == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const dsm_layer *const layer = &r->layers[i];
    count_uses(&j, layer->producers, layer->producer_count);
    count_uses(&j, layer->shortcuts, layer->shortcut_count);
    count_uses(&j, layer->operands, layer->operand_count);
  }
  for (size_t i = 0; i < count; i++) {
    if (r->layers[i].is_score) {
      find_siblings(&j, &r->layers[i]);
    }
  }
  if (j.gone == 0) {
    return true;
  }
  number(&j);
  return index_names(&j) && compact(&j) && renumber_all(&j);
}
