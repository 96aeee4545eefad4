/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *word;
  double bytes;
  const char *rates[3]; /* keys of pe.rates, of which the first that is there counts */
  bool is_narrow;
} types[TWIN_TYPE_COUNT] = {
    {"int8", 1, {"int8"}, true},
    {"fp8", 1, {"fp8"}, true},
    {"fp16", 2, {"fp16"}, false},
    {"bf16", 2, {"bf16"}, false},
    {"tf32", 4, {"tf32"}, false},
    {"fp32", 4, {"fp32"}, false},
    {"int4", 66.0 / 128, {"int4", "int8"}, true},
    {"fp4", 9.0 / 16, {"fp4", "fp8"}, true},
    {"nvfp4", 9.0 / 16, {"fp4", "fp8"}, true},
    {"mxfp4", 17.0 / 32, {"fp4", "fp8"}, true},
    {"e4m3", 1, {"fp8"}, true},
    {"e5m2", 1, {"fp8"}, true},
    {"mxfp8", 33.0 / 32, {"fp8"}, true},
};

static const char *const use_words[TWIN_USE_COUNT] = {"weights", "activations", "operands",
                                                      "cache",   "gradients",   "optimizer"};

size_t twin_type_of(const char *word) {
  size_t type = 0;
  while (type < TWIN_TYPE_COUNT && strcmp(types[type].word, word) != 0) {
    type++;
  }
  return type;
}

double twin_type_bytes(const size_t type) {
  return types[type].bytes;
}

void twin_read_rates(double rates[TWIN_TYPE_COUNT], const cJSON *pe) {
  const cJSON *const stated = twin_member(pe, "rates");
  for (size_t type = 0; type < TWIN_TYPE_COUNT; type++) {
    rates[type] = 0;
    for (size_t i = 0; i < 3 && types[type].rates[i] != NULL && rates[type] <= 0; i++) {
      const bool is_optional = strchr(types[type].rates[i], '4') != NULL;
      rates[type] = twin_number(stated, types[type].rates[i], is_optional ? 0 : 1);
    }
  }
}

void twin_read_uses(size_t uses[TWIN_USE_COUNT], const cJSON *object) {
  const cJSON *const stated = twin_member(object, "types");
  for (size_t use = 0; use < TWIN_USE_COUNT; use++) {
    uses[use] = stated == NULL ? TWIN_TYPE_COUNT : twin_type_of(twin_text(stated, use_words[use]));
  }
}

double twin_bytes_of_use(const size_t uses[TWIN_USE_COUNT], const twin_use use,
                         const double bytes) {
  return uses[use] < TWIN_TYPE_COUNT ? twin_type_bytes(uses[use]) : bytes;
}

static size_t first_type(const size_t a, const size_t b) {
  return a < TWIN_TYPE_COUNT ? a : b;
}

static size_t read_type(const twin_workload *workload, const twin_node *node) {
  const size_t *const own = node->uses;
  const size_t *const all = workload->uses;
  const size_t one = workload->element_type;
  const bool is_of_products =
      one < TWIN_TYPE_COUNT && types[one].is_narrow && types[one].bytes < workload->element_bytes;
  if (node->kind == TWIN_EMBEDDING) {
    return TWIN_TYPE_COUNT;
  }
  if (twin_is_product(node)) {
    return first_type(own[TWIN_USE_OPERANDS],
                      first_type(own[TWIN_USE_ACTIVATIONS], all[TWIN_USE_ACTIVATIONS]));
  }
  return first_type(
      own[TWIN_USE_OPERANDS],
      first_type(all[TWIN_USE_OPERANDS], is_of_products ? one : all[TWIN_USE_ACTIVATIONS]));
}

/* Each thing that it reads was made by a norm, or it has one on its input. */
static bool follows_norm(const twin_workload *workload, const twin_node *node) {
  bool is_normed = node->inputs.count > 0;
  for (size_t i = 0; i < node->inputs.count; i++) {
    const int made = node->inputs.layers[i];
    is_normed = is_normed && made != TWIN_NETWORK_INPUT && twin_has_norm(&workload->nodes[made]);
  }
  return is_normed || node->has_input_layer_norm || node->has_input_rms_norm;
}

void twin_derive_types(twin_workload *workload) {
  for (size_t i = 0; i < workload->node_count; i++) {
    twin_node *const node = &workload->nodes[i];
    const twin_node *const owner =
        node->is_tied ? &workload->nodes[node->tied.layers[0]] : node; /* of the weights */
    const bool multiplies_weights = !twin_is_product(node) && node->kind != TWIN_EMBEDDING;
    node->read_type = read_type(workload, node);
    const bool is_typed = node->read_type < TWIN_TYPE_COUNT;
    const double read = is_typed ? twin_type_bytes(node->read_type) : node->in_bytes;
    const bool has_type = owner->uses[TWIN_USE_WEIGHTS] < TWIN_TYPE_COUNT ||
                          workload->uses[TWIN_USE_WEIGHTS] < TWIN_TYPE_COUNT;
    node->casts_input = is_typed && node->kind != TWIN_LSTM && read < node->in_bytes &&
                        !follows_norm(workload, node);
    node->casts_error = is_typed && node->kind != TWIN_LSTM && read < node->out_bytes;
    node->casts_weights = is_typed && multiplies_weights && read < node->weight_bytes;
    node->widens_weights = has_type && multiplies_weights && node->weight_bytes < read;
    node->made_bytes = node->out_bytes;
  }
}

twin_node twin_as_read(const twin_context *context, const twin_node *node,
                       const twin_pass_kind pass) {
  const twin_workload *const workload = context->workload;
  twin_node as = *node;
  const bool is_typed = node->read_type < TWIN_TYPE_COUNT;
  if (is_typed) {
    const double read = twin_type_bytes(node->read_type);
    const bool is_cached = context->inference && node->cache_elements > 0;
    as.in_bytes = pass == TWIN_BACKWARD ? node->in_bytes : fmin(read, node->in_bytes);
    as.out_bytes = pass == TWIN_FORWARD ? node->out_bytes : fmin(read, node->out_bytes);
    as.weight_bytes = fmin(read, node->weight_bytes);
    as.operand_bytes = is_cached ? node->operand_bytes : fmin(read, node->operand_bytes);
  }
  if (pass == TWIN_UPDATE && (is_typed || workload->uses[TWIN_USE_GRADIENTS] < TWIN_TYPE_COUNT)) {
    as.weight_bytes = workload->gradient_bytes;
  }
  return as;
}

bool twin_casts_input(const twin_context *context, const twin_node *node,
                      const twin_pass_kind pass) {
  return pass == TWIN_FORWARD && node->casts_input &&
         !twin_reads_fused_score(context->system, node);
}

bool twin_casts_error(const twin_context *context, const twin_node *node,
                      const twin_pass_kind pass) {
  const bool is_done = twin_has_backward(node) ? pass == TWIN_BACKWARD : pass == TWIN_UPDATE;
  return is_done && node->casts_error && !twin_is_fused_score(context->system, node);
}
