/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers with positions: attention, embeddings, transposed convolutions, and what stands on inputs
 * (docs/model.md, section 1), by hand. */
#include <stdio.h>
#include <string.h>

#include "network.h"
#include "suites.h"

/* 28 features of 6 positions: (4 + 2) * 3 of queries and keys, 2 * 5 of values. */
#define ROWS "'input': {'features': 28, 'feature': [6, 1]}, "
/* One number at each of 6 positions. */
#define NUMBERS "'input': {'features': 1, 'feature': [6, 1]}, "
#define HEADS                                                                                      \
  "'name': 'a', 'type': 'attention', 'heads': 4, 'kv_heads': 2, 'head_features': 3,"               \
  " 'value_features': 5"

/* ---- attention ---- */

/* h 4, kv 2, d 3, v 5, s 6, c 10. */
START_TEST(test_attention_is_two_grouped_products) {
  dsm_workload *const network = network_with(ROWS, "{" HEADS ", 'context': 10}");
  const dsm_layer *const score = &network->layers[0];
  const dsm_layer *const context = &network->layers[1];
  ck_assert_uint_eq(network->layer_count, 2);
  ck_assert_str_eq(score->name, "a.score");
  ck_assert_str_eq(context->name, "a.context");
  ck_assert_uint_eq(score->in, 4 * 3);
  ck_assert_uint_eq(score->out, 4 * 10);
  ck_assert_uint_eq(context->in, 4 * 10);
  ck_assert_uint_eq(context->out, 4 * 5);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_uint_eq(network->layers[i].ij, 6);
    ck_assert_uint_eq(network->layers[i].kij, 1);
    ck_assert_uint_eq(network->layers[i].groups, 4);
    ck_assert_uint_eq(network->layers[i].operand_groups, 2);
    ck_assert_uint_eq(network->layers[i].weight_elements, 0);
    ck_assert_uint_eq(network->layers[i].parameters, 0);
    ck_assert(network->layers[i].is_product && network->layers[i].has_backward);
    ck_assert(!network->layers[i].has_update);
  }
  ck_assert_uint_eq(score->input_elements, 12 * 6);
  ck_assert_uint_eq(score->output_elements, 40 * 6);
  ck_assert_uint_eq(score->stored_elements, 40 * 6);
  ck_assert_uint_eq(score->operand_elements, 2 * 3 * 10);
  ck_assert_uint_eq(score->macs, 4 * 3 * 10 * 6);
  ck_assert_uint_eq(context->input_elements, 40 * 6);
  ck_assert_uint_eq(context->output_elements, 20 * 6);
  ck_assert_uint_eq(context->operand_elements, 2 * 10 * 5);
  ck_assert_uint_eq(context->macs, 4 * 10 * 5 * 6);
  ck_assert(score->has_op[DSM_AUX_SOFTMAX] && !context->has_op[DSM_AUX_SOFTMAX]);
  dsm_workload_free(network);
}
END_TEST

/* Of 10 keys 4 are older than the queries: all are in the cache, 6 are added in a step. */
START_TEST(test_longer_context_is_a_cache) {
  dsm_workload *const network = network_with(ROWS, "{" HEADS ", 'context': 10}");
  ck_assert_uint_eq(network->layers[0].cache_elements, 2 * 3 * 10);
  ck_assert_uint_eq(network->layers[0].cache_new_elements, 2 * 3 * 6);
  ck_assert_uint_eq(network->layers[1].cache_elements, 2 * 10 * 5);
  ck_assert_uint_eq(network->layers[1].cache_new_elements, 2 * 5 * 6);
  dsm_workload_free(network);
}
END_TEST

typedef struct masked {
  const char *keys;
  uint64_t read; /* keys */
  double hidden;
} masked;

static const masked masks[] = {
    {"", 6, 0},
    {", 'causal': true", 6, 2.5 / 6},                 /* 5, 4, 3, 2, 1, 0 of 6 keys: 15 of 36 */
    {", 'causal': true, 'context': 10", 10, 0.25},    /* 15 of 60 */
    {", 'context': 10, 'window': 3", 8, 1 - 3.0 / 8}, /* 3 and the 5 of the queries behind it */
    {", 'causal': true, 'context': 10, 'window': 3", 8, 1 - 3.0 / 8},
    {", 'context': 10, 'window': 5", 10, 0.5}, /* 5 + 5 are all */
    {", 'context': 10, 'window': 6", 10, 0.4}, /* 6 of 10 each */
    {", 'context': 10, 'window': 20", 10, 0},
    {", 'causal': true, 'context': 10, 'window': 6", 10, 1 - 35.0 / 60}, /* 5, then 5 times 6 */
    {", 'causal': true, 'window': 2", 6, 1 - 11.0 / 36},                 /* 1, then 5 times 2 */
    {", 'causal': true, 'window': 6", 6, 2.5 / 6},                       /* in nobody's way */
};

START_TEST(test_masks_hide_a_share_and_windows_bound_what_is_read) {
  char layer[256];
  (void)snprintf(layer, sizeof layer, "{" HEADS "%s}", masks[_i].keys);
  dsm_workload *const network = network_with(ROWS, layer);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_double_eq_tol(network->layers[i].hidden_share, masks[_i].hidden, 1e-15);
  }
  ck_assert_uint_eq(network->layers[0].out, 4 * masks[_i].read);
  ck_assert_uint_eq(network->layers[0].operand_elements, 2 * 3 * masks[_i].read);
  ck_assert_uint_eq(network->layers[1].operand_elements, 2 * 5 * masks[_i].read);
  dsm_workload_free(network);
}
END_TEST

/* Queries of 6 positions look at 4 of an encoder: no cache. A later layer reads the context. */
START_TEST(test_cross_attention_reads_other_positions) {
  dsm_workload *const network =
      network_with(ROWS, "{'name': 'q', 'type': 'fc', 'in': 28, 'out': 12, 'positions': 6},"
                         "{'name': 'k', 'type': 'fc', 'in': 28, 'out': 6, 'inputs': ['@input'],"
                         " 'aux': [{'op': 'select', 'positions': 4}]},"
                         "{'name': 'v', 'type': 'fc', 'in': 28, 'out': 10, 'inputs': ['@input'],"
                         " 'aux': [{'op': 'select', 'positions': 4}]},"
                         "{" HEADS ", 'inputs': ['q', 'k', 'v'], 'context': 4},"
                         "{'name': 'o', 'type': 'fc', 'in': 20, 'out': 3}");
  ck_assert_str_eq(network->layers[1].name, "k+v");
  expect_producers(network, 2, 1, (const size_t[]){0});
  expect_producers(network, 3, 1, (const size_t[]){2});
  expect_producers(network, 4, 1, (const size_t[]){3});
  ck_assert_uint_eq(network->layers[2].operand_count, 1);
  ck_assert_uint_eq(network->layers[2].operands[0], 1);
  ck_assert_uint_eq(network->layers[3].operands[0], 1);
  ck_assert_uint_eq(network->layers[2].out, 4 * 4);
  ck_assert_uint_eq(network->layers[2].cache_elements, 0);
  ck_assert_uint_eq(network->layers[3].cache_elements, 0);
  ck_assert_uint_eq(network->layers[4].ij, 6);
  dsm_workload_free(network);
}
END_TEST

/* What one layer delivers is queries, keys and values: their errors are parts of one tensor, which
 * no addition joins. */
START_TEST(test_one_layer_may_deliver_all_three) {
  dsm_workload *const network = network_with(
      ROWS, "{'name': 'qkv', 'type': 'fc', 'in': 28, 'out': 28, 'positions': 6}, {" HEADS "}");
  expect_producers(network, 1, 1, (const size_t[]){0});
  ck_assert_uint_eq(network->layers[1].operands[0], 0);
  ck_assert_uint_eq(network->layers[2].operands[0], 0);
  ck_assert_uint_eq(network->layers[1].fork_elements, 0);
  ck_assert_uint_eq(network->layers[2].fork_elements, 0);
  dsm_workload_free(network);
}
END_TEST

/* Its own dropout is of what the softmax makes. */
START_TEST(test_dropout_of_an_attention_is_of_its_scores) {
  dsm_workload *const network = network_with(ROWS, "{" HEADS ", 'dropout': true}");
  ck_assert(network->layers[0].has_op[DSM_AUX_DROPOUT]);
  ck_assert(!network->layers[1].has_op[DSM_AUX_DROPOUT]);
  ck_assert_uint_eq(network->layers[0].mask_elements, network->layers[0].output_elements);
  ck_assert_uint_eq(network->layers[1].mask_elements, 0);
  dsm_workload_free(network);
}
END_TEST

/* Auxiliary operations are on what the attention delivers; a loss may end it. */
START_TEST(test_operations_of_an_attention_are_behind_its_values) {
  dsm_workload *const network =
      network_with(ROWS, "{" HEADS ", 'aux': [{'op': 'dropout'}, {'op': 'cross_entropy'}]}");
  ck_assert(!network->layers[0].has_op[DSM_AUX_DROPOUT]);
  ck_assert(network->layers[1].has_op[DSM_AUX_DROPOUT]);
  ck_assert(network->layers[1].has_op[DSM_AUX_CROSS_ENTROPY]);
  ck_assert_uint_eq(network->layers[0].mask_elements, 0);
  ck_assert_uint_eq(network->layers[1].mask_elements, 20 * 6);
  dsm_workload_free(network);
}
END_TEST

/* ---- embeddings and transposed convolutions ---- */

START_TEST(test_embedding_looks_up_a_row_for_each_position) {
  dsm_workload *const network =
      network_with(NUMBERS, "{'name': 'e', 'type': 'embedding', 'vocabulary': 50, 'out': 8,"
                            " 'positions': 6, 'aux': [{'op': 'layer_norm'}]}");
  const dsm_layer *const table = &network->layers[0];
  ck_assert_uint_eq(table->in, 1);
  ck_assert_uint_eq(table->out, 8);
  ck_assert_uint_eq(table->ij, 6);
  ck_assert_uint_eq(table->input_elements, 6);
  ck_assert_uint_eq(table->output_elements, 8 * 6);
  ck_assert_uint_eq(table->weight_elements, 50 * 8);
  ck_assert_uint_eq(table->lookup_elements, 8 * 6);
  ck_assert_uint_eq(table->macs, 0);
  ck_assert_uint_eq(table->parameters, 50 * 8 + 2 * 8);
  ck_assert(!table->has_backward && table->has_update);
  dsm_workload_free(network);
}
END_TEST

/* A row for each of 6 positions is added: 6 rows more, and each sample reads twice as many. */
START_TEST(test_learned_positions_are_rows_too) {
  dsm_workload *const network =
      network_with(NUMBERS, "{'name': 'e', 'type': 'embedding', 'vocabulary': 50, 'out': 8,"
                            " 'positions': 6, 'learned_positions': true}");
  ck_assert_uint_eq(network->layers[0].weight_elements, (50 + 6) * 8);
  ck_assert_uint_eq(network->layers[0].lookup_elements, 2 * 8 * 6);
  dsm_workload_free(network);
}
END_TEST

/* No words: the 6 positions have a row each, which is looked up alone. */
START_TEST(test_positions_may_stand_alone) {
  dsm_workload *const network =
      network_with(NUMBERS, "{'name': 'e', 'type': 'embedding', 'vocabulary': 0, 'out': 8,"
                            " 'positions': 6, 'learned_positions': true}");
  ck_assert_uint_eq(network->layers[0].weight_elements, 6 * 8);
  ck_assert_uint_eq(network->layers[0].lookup_elements, 8 * 6);
  dsm_workload_free(network);
}
END_TEST

/* The input is sound of 4 bands: 5 words beside it are read by a table of their own. */
START_TEST(test_words_may_come_beside_the_input) {
  dsm_workload *const network =
      network_with("'input': {'features': 4, 'feature': [6, 1]}, ",
                   "{'name': 'c', 'type': 'conv', 'in': 4, 'out': 8, 'feature': [6, 1]},"
                   " {'name': 'e', 'type': 'embedding', 'inputs': ['@input'], 'vocabulary': 50,"
                   " 'out': 8, 'positions': 5}");
  ck_assert_uint_eq(network->layers[1].lookup_elements, 8 * 5);
  ck_assert_uint_eq(network->layers[1].input_elements, 5);
  dsm_workload_free(network);
}
END_TEST

/* 5 x 3 positions of 6 features, 2 groups, a kernel of 2 x 3 at each: 10 x 3 positions of 4. */
START_TEST(test_transposed_convolution_multiplies_by_pixels_of_its_input) {
  dsm_workload *const network =
      network_with("'input': {'features': 6, 'feature': [5, 3]}, ",
                   "{'name': 't', 'type': 'conv_transpose', 'in': 6, 'out': 4, 'feature': [10, 3],"
                   " 'kernel': [2, 3], 'stride': [2, 1], 'groups': 2}");
  const dsm_layer *const layer = &network->layers[0];
  ck_assert_uint_eq(layer->ij, 5 * 3);
  ck_assert_uint_eq(layer->kij, 6);
  ck_assert_uint_eq(layer->strides, 1);
  ck_assert_uint_eq(layer->input_elements, 6 * 15);
  ck_assert_uint_eq(layer->output_elements, 4 * 30);
  ck_assert_uint_eq(layer->weight_elements, 3 * 4 * 6);
  ck_assert_uint_eq(layer->macs, 3 * 4 * 6 * 15);
  dsm_workload_free(network);
}
END_TEST

/* Where it tells the network's input, that is its feature over its stride. */
START_TEST(test_transposed_convolution_tells_the_networks_input) {
  dsm_workload *const network = network_of("{'name': 't', 'type': 'conv_transpose', 'in': 6,"
                                           " 'out': 4, 'feature': [10, 3], 'stride': [2, 1]}");
  ck_assert_uint_eq(network->input_size.rows, 5);
  ck_assert_uint_eq(network->input_size.columns, 3);
  dsm_workload_free(network);
}
END_TEST

/* (4 - 1) * 3 + 2 * (3 - 1) + 1 = 14 rows less 2 * 1 of padding: 12, 13 or 14 with padding of the
 * output, less than a stride. */
START_TEST(test_transposed_convolution_with_padding) {
  static const char *const rows[] = {"12", "13", "14"};
  char layer[256];
  (void)snprintf(layer, sizeof layer,
                 "{'name': 't', 'type': 'conv_transpose', 'in': 1, 'out': 1, 'feature': [%s, 1],"
                 " 'kernel': [3, 1], 'stride': [3, 1], 'dilation': [2, 1], 'padding': [1, 0]}",
                 rows[_i]);
  dsm_workload_free(network_with("'input': {'features': 1, 'feature': [4, 1]}, ", layer));
}
END_TEST

/* ---- positions ---- */

/* In every quantity an fc with positions is a convolution of 1 x 1 over them. */
START_TEST(test_fc_with_positions_is_a_convolution) {
  dsm_workload *const rows =
      network_with(ROWS, "{'name': 'f', 'type': 'fc', 'in': 28, 'out': 9, 'positions': 6,"
                         " 'aux': [{'op': 'layer_norm', 'on': 'input'}, {'op': 'gelu'}]}");
  dsm_workload *const grid =
      network_with(ROWS, "{'name': 'f', 'type': 'conv', 'in': 28, 'out': 9, 'feature': [6, 1],"
                         " 'aux': [{'op': 'layer_norm', 'on': 'input'}, {'op': 'gelu'}]}");
  const dsm_layer *const a = &rows->layers[0];
  const dsm_layer *const b = &grid->layers[0];
  ck_assert(a->is_convolution && b->is_convolution);
  ck_assert_uint_eq(a->ij, b->ij);
  ck_assert_uint_eq(a->strides, b->strides);
  ck_assert_uint_eq(a->input_elements, b->input_elements);
  ck_assert_uint_eq(a->output_elements, b->output_elements);
  ck_assert_uint_eq(a->stored_elements, b->stored_elements);
  ck_assert_uint_eq(a->weight_elements, b->weight_elements);
  ck_assert_uint_eq(a->macs, b->macs);
  ck_assert_uint_eq(a->parameters, b->parameters);
  ck_assert_int_eq(a->has_backward, b->has_backward);
  dsm_workload_free(grid);
  dsm_workload_free(rows);
}
END_TEST

typedef struct positioned {
  const char *layer; /* behind "f", of 9 features at 6 positions, and "g" of 2 */
  uint64_t ij;
  uint64_t read;
} positioned;

static const positioned readers[] = {
    {"'in': 9, 'inputs': ['f']", 6, 9 * 6},
    {"'in': 54, 'positions': 1, 'inputs': ['f']", 1, 54},
    {"'in': 11, 'inputs': ['f', 'g']", 6, 11 * 6},
    {"'in': 66, 'positions': 1, 'inputs': ['f', 'g']", 1, 66},
    {"'in': 9, 'inputs': ['f'], 'aux': [{'op': 'select', 'positions': 2}]", 2, 9 * 2},
    {"'in': 9, 'inputs': ['f'], 'aux': [{'op': 'select', 'positions': 1}]", 1, 9},
    /* a pool takes what it leaves as features of one position: 2 of [3, 1] */
    {"'in': 18, 'inputs': ['f'], 'aux': [{'op': 'avg_pool', 'on': 'input', 'window': [3, 1]}]", 1,
     18},
};

START_TEST(test_fc_has_the_positions_of_what_it_reads) {
  char layers[512];
  (void)snprintf(layers, sizeof layers,
                 "{'name': 'f', 'type': 'fc', 'in': 28, 'out': 9, 'positions': 6},"
                 "{'name': 'g', 'type': 'fc', 'in': 9, 'out': 2},"
                 "{'name': 'r', 'type': 'fc', 'out': 4, %s}",
                 readers[_i].layer);
  dsm_workload *const network = network_with(ROWS, layers);
  ck_assert_uint_eq(network->layers[1].ij, 6);
  ck_assert_uint_eq(network->layers[2].ij, readers[_i].ij);
  ck_assert_uint_eq(network->layers[2].macs, readers[_i].ij * 4 * network->layers[2].in);
  if (strstr(readers[_i].layer, "pool") == NULL) {
    ck_assert_uint_eq(network->layers[2].input_elements, readers[_i].read);
  }
  dsm_workload_free(network);
}
END_TEST

/* ---- operations ---- */

/* 7 outputs of 6 positions, of which 0.3 are turned: 12.6, the nearest whole number. A
 * normalisation of the input keeps a copy of 28 * 6, and has a number or two for each of 28
 * features. */
START_TEST(test_what_operations_work_on_and_keep) {
  dsm_workload *const network =
      network_with(ROWS, "{'name': 'f', 'type': 'fc', 'in': 28, 'out': 7, 'positions': 6,"
                         " 'aux': [{'op': 'rotary', 'share': 0.3}, {'op': 'dropout'},"
                         " {'op': 'rms_norm', 'on': 'input'}]}");
  const dsm_layer *const layer = &network->layers[0];
  ck_assert_uint_eq(layer->rotated_elements, 13);
  ck_assert_uint_eq(layer->mask_elements, 42);
  ck_assert_uint_eq(layer->input_op_elements, 28 * 6);
  ck_assert_uint_eq(layer->parameters, 28 * 7 + 28);
  dsm_workload_free(network);
}
END_TEST

/* 28 features of 6 x 1, twice as many rows and three times as many columns: 28 * 12 * 3. */
START_TEST(test_upsample_grows_the_input_of_its_layer_alone) {
  dsm_workload *const network =
      network_with(ROWS, "{'name': 'c', 'type': 'conv', 'in': 28, 'out': 2, 'feature': [12, 3],"
                         " 'aux': [{'op': 'upsample', 'factor': [2, 3]}]},"
                         "{'name': 'd', 'type': 'conv', 'in': 28, 'out': 2, 'feature': [6, 1],"
                         " 'inputs': ['@input']}");
  ck_assert_uint_eq(network->layers[0].upsampled_elements, 28 * 36);
  ck_assert_uint_eq(network->layers[0].ij, 36);
  ck_assert_uint_eq(network->layers[0].input_elements, 28 * 6);
  ck_assert_uint_eq(network->layers[1].upsampled_elements, 0);
  dsm_workload_free(network);
}
END_TEST

/* A product has a shortcut, as a residual has. */
START_TEST(test_multiply_reads_a_shortcut) {
  dsm_workload *const network =
      network_with(ROWS, "{'name': 'g', 'type': 'fc', 'in': 28, 'out': 9, 'positions': 6},"
                         "{'name': 'u', 'type': 'fc', 'in': 28, 'out': 9, 'positions': 6,"
                         " 'inputs': ['@input'], 'aux': [{'op': 'multiply', 'from': 'g'}]}");
  ck_assert_uint_eq(network->layers[1].shortcut_count, 1);
  ck_assert_uint_eq(network->layers[1].shortcuts[0], 0);
  ck_assert(network->layers[1].has_op[DSM_AUX_MULTIPLY]);
  ck_assert_uint_eq(network->layers[0].last_use, 1);
  dsm_workload_free(network);
}
END_TEST

/* ---- what is not stated of a matmul ---- */

/* All that "k" delivers in a timestep: 4 features of 6 positions. */
START_TEST(test_operand_elements_are_those_of_the_operand) {
  dsm_workload *const network =
      network_with(ROWS, "{'name': 'k', 'type': 'fc', 'in': 28, 'out': 4, 'positions': 6},"
                         "{'name': 'm', 'type': 'matmul', 'in': 24, 'out': 5, 'operand': 'k'}");
  ck_assert_uint_eq(network->layers[1].operand_elements, 4 * 6);
  dsm_workload_free(network);
}
END_TEST

/* ---- timesteps without recurrence ---- */

typedef struct warned {
  const char *layers;
  size_t warnings;
} warned;

static const warned timed[] = {
    {"{'name': 'f', 'type': 'fc', 'in': 4, 'out': 5}", 0},
    {"{'name': 'f', 'type': 'fc', 'in': 4, 'out': 5, 'timesteps': 3}", 1},
    {"{'name': 'f', 'type': 'fc', 'in': 4, 'out': 5, 'timesteps': 3},"
     "{'name': 'g', 'type': 'fc', 'in': 5, 'out': 5, 'timesteps': 3}",
     1},
    {"{'name': 'l', 'type': 'lstm', 'in': 4, 'out': 5, 'timesteps': 3},"
     "{'name': 'g', 'type': 'fc', 'in': 5, 'out': 5, 'timesteps': 3}",
     0},
};

START_TEST(test_timesteps_without_recurrence_are_warned_of_once) {
  outcome read = read_network("", timed[_i].layers);
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(read.diags), timed[_i].warnings);
  if (timed[_i].warnings > 0) {
    const dsm_diag *const warning = dsm_diags_get(read.diags, 0);
    ck_assert_int_eq(warning->severity, DSM_SEVERITY_WARNING);
    ck_assert_str_eq(warning->path, "$.layers[0].timesteps");
    ck_assert_ptr_nonnull(strstr(warning->hint, "positions"));
  }
  outcome_free(&read);
}
END_TEST

/* ---- what is refused ---- */

typedef struct refusal {
  const char *layers;
  const char *path;
} refusal;

#define F "{'name': 'f', 'type': 'fc', 'in': 28, 'out': 12, 'positions': 6}"
#define OF_F(rest) F ", {'name': 'g', 'type': 'fc', 'in': 12, 'out': 12, " rest "}"

static const refusal refusals[] = {
    {"{'name': 'a', 'type': 'attention', 'heads': 4, 'kv_heads': 3, 'head_features': 2}",
     "$.layers[0].kv_heads"},
    {"{'name': 'a', 'type': 'attention', 'heads': 4, 'head_features': 2}", "$.layers[0]"},
    {F ", {'name': 'a', 'type': 'attention', 'heads': 4, 'head_features': 3,"
       " 'inputs': ['f', 'f']}",
     "$.layers[1].inputs"},
    {F ", {'name': 'a', 'type': 'attention', 'heads': 4, 'head_features': 3,"
       " 'inputs': ['f', 'f', 'f', 'f']}",
     "$.layers[1].inputs"},
    {F ", {'name': 'a', 'type': 'attention', 'heads': 4, 'head_features': 3,"
       " 'inputs': ['f', 'f', '@input']}",
     "$.layers[1].inputs"},
    {"{" HEADS ", 'context': 5}", "$.layers[0].context"},
    {F ", {'name': 'k', 'type': 'fc', 'in': 12, 'out': 12,"
       " 'aux': [{'op': 'select', 'positions': 3}]},"
       "{'name': 'a', 'type': 'attention', 'heads': 4, 'head_features': 3,"
       " 'inputs': ['f', 'k', 'k'], 'context': 3, 'causal': true}",
     "$.layers[2].context"},
    {F ", {'name': 'k', 'type': 'fc', 'in': 12, 'out': 12,"
       " 'aux': [{'op': 'select', 'positions': 3}]},"
       "{'name': 'a', 'type': 'attention', 'heads': 4, 'head_features': 3,"
       " 'inputs': ['k', 'f', 'k'], 'context': 6}",
     "$.layers[2].inputs"},
    {F ", {'name': 'k', 'type': 'fc', 'in': 12, 'out': 12,"
       " 'aux': [{'op': 'select', 'positions': 3}]},"
       "{'name': 'a', 'type': 'attention', 'heads': 4, 'head_features': 3,"
       " 'inputs': ['f', 'k', 'k']}",
     "$.layers[2].inputs"},
    {"{" HEADS ", 'positions': 5}", "$.layers[0]"},
    {"{" HEADS ", 'timesteps': 5}", "$.layers[0].timesteps"},
    {"{" HEADS ", 'in': 28}", "$.layers[0].in"},
    {"{" HEADS ", 'out': 20}", "$.layers[0].out"},
    {"{" HEADS "}, {'name': 'a.score', 'type': 'fc', 'in': 120, 'out': 2, 'positions': 1}",
     "$.layers[0].name"},
    {OF_F("'positions': 5"), "$.layers[1].positions"},
    {OF_F("'aux': [{'op': 'select', 'positions': 7}]"), "$.layers[1].aux[0].positions"},
    {OF_F("'aux': [{'op': 'select', 'positions': 2, 'on': 'output'}]"), "$.layers[1].aux[0].on"},
    {OF_F("'aux': [{'op': 'multiply', 'from': 'f'}, {'op': 'residual', 'from': 'f'}]"),
     "$.layers[1].aux[1]"},
    {OF_F("'aux': [{'op': 'layer_norm', 'on': 'input'}, {'op': 'rms_norm', 'on': 'input'}]"),
     "$.layers[1].aux[1]"},
    {OF_F("'aux': [{'op': 'rotary', 'share': 0}]"), "$.layers[1].aux[0].share"},
    {OF_F("'aux': [{'op': 'relu', 'share': 0.5}]"), "$.layers[1].aux[0].share"},
    {OF_F("'aux': [{'op': 'relu', 'features': 2}]"), "$.layers[1].aux[0].features"},
    {OF_F("'aux': [{'op': 'rms_norm', 'features': 0}]"), "$.layers[1].aux[0].features"},
    {OF_F("'aux': [{'op': 'rms_norm', 'features': 7}]"), "$.layers[1].aux[0].features"},
    {OF_F("'aux': [{'op': 'rms_norm', 'features': 2, 'on': 'input'}]"),
     "$.layers[1].aux[0].features"},
    {OF_F("'aux': [{'op': 'rms_norm', 'features': 2}, {'op': 'layer_norm'}]"),
     "$.layers[1].aux[0].features"},
    {"{" HEADS ", 'aux': [{'op': 'rms_norm', 'features': 5}]}", "$.layers[0].aux[0].features"},
    {OF_F("'aux': [{'op': 'upsample', 'factor': [2, 1]}]"), "$.layers[1].aux[0]"},
    {F ", {'name': 'g', 'type': 'fc', 'in': 24, 'out': 12, 'positions': 6,"
       " 'aux': [{'op': 'max_pool', 'on': 'input', 'window': [3, 1]}]}",
     "$.layers[1].positions"},
    {F ", {'name': 'g', 'type': 'fc', 'in': 24, 'out': 12, 'aux': [{'op': 'max_pool', 'on':"
       " 'input', 'window': [3, 1]}, {'op': 'select', 'positions': 1}]}",
     "$.layers[1]"},
    {"{'name': 'c', 'type': 'conv', 'in': 28, 'out': 12, 'feature': [6, 1],"
     " 'aux': [{'op': 'select', 'positions': 2}]}",
     "$.layers[0].aux[0]"},
    {"{'name': 'c', 'type': 'conv', 'in': 28, 'out': 12, 'feature': [6, 1], 'positions': 2}",
     "$.layers[0].positions"},
    {"{'name': 'c', 'type': 'conv_transpose', 'in': 28, 'out': 12, 'feature': [13, 1],"
     " 'stride': [2, 1]}",
     "$.layers[0].feature"},
    {"{'name': 'c', 'type': 'conv_transpose', 'in': 28, 'out': 12, 'feature': [12, 1],"
     " 'stride': [2, 1], 'aux': [{'op': 'max_pool', 'window': [2, 1]}]}",
     "$.layers[0].aux[0]"},
    {"{'name': 'e', 'type': 'embedding', 'vocabulary': 9, 'out': 2, 'positions': 6}",
     "$.layers[0].positions"},
    {"{'name': 'e', 'type': 'embedding', 'vocabulary': 9, 'out': 2}", "$.layers[0]"},
    {"{'name': 'e', 'type': 'embedding', 'vocabulary': 0, 'out': 2, 'positions': 168}",
     "$.layers[0].vocabulary"},
    {"{'name': 'e', 'type': 'embedding', 'out': 2, 'positions': 168}", "$.layers[0].vocabulary"},
    /* 2^20 positions of 2^31 - 1 features and as many outputs */
    {"{'name': 'e', 'type': 'embedding', 'vocabulary': 2147483647, 'out': 2147483647,"
     " 'positions': 168}",
     "$.layers[0]"},
};

START_TEST(test_contradictions_are_refused) {
  expect_refused_with(ROWS, refusals[_i].layers, refusals[_i].path);
}
END_TEST

/* An attention of 2^20 heads of queries over 2^20 keys has 2^40 scores for each of 2^20 positions.
 */
START_TEST(test_too_many_scores_are_refused) {
  expect_refused_with("'input': {'features': 3145728, 'feature': [1048576, 1]}, ",
                      "{'name': 'a', 'type': 'attention', 'heads': 1048576, 'head_features': 1}",
                      "$.layers[0]");
}
END_TEST

/* A list of layers has nobody to tell of an operand. */
START_TEST(test_a_list_states_operand_elements) {
  expect_refused_with("'connected': false, ",
                      "{'name': 'm', 'type': 'matmul', 'in': 4, 'out': 5, 'operand': '@input'}",
                      "$.layers[0].operand_elements");
}
END_TEST

Suite *suite_positions(void) {
  Suite *const suite = suite_create("positions");
  TCase *const attention = tcase_create("attention");
  tcase_add_test(attention, test_attention_is_two_grouped_products);
  tcase_add_test(attention, test_longer_context_is_a_cache);
  tcase_add_loop_test(attention, test_masks_hide_a_share_and_windows_bound_what_is_read, 0,
                      COUNT_OF(masks));
  tcase_add_test(attention, test_cross_attention_reads_other_positions);
  tcase_add_test(attention, test_one_layer_may_deliver_all_three);
  tcase_add_test(attention, test_operations_of_an_attention_are_behind_its_values);
  tcase_add_test(attention, test_dropout_of_an_attention_is_of_its_scores);
  suite_add_tcase(suite, attention);
  TCase *const others = tcase_create("others");
  tcase_add_test(others, test_embedding_looks_up_a_row_for_each_position);
  tcase_add_test(others, test_learned_positions_are_rows_too);
  tcase_add_test(others, test_positions_may_stand_alone);
  tcase_add_test(others, test_words_may_come_beside_the_input);
  tcase_add_test(others, test_transposed_convolution_multiplies_by_pixels_of_its_input);
  tcase_add_test(others, test_transposed_convolution_tells_the_networks_input);
  tcase_add_loop_test(others, test_transposed_convolution_with_padding, 0, 3);
  tcase_add_test(others, test_fc_with_positions_is_a_convolution);
  tcase_add_loop_test(others, test_fc_has_the_positions_of_what_it_reads, 0, COUNT_OF(readers));
  suite_add_tcase(suite, others);
  TCase *const operations = tcase_create("operations");
  tcase_add_test(operations, test_what_operations_work_on_and_keep);
  tcase_add_test(operations, test_upsample_grows_the_input_of_its_layer_alone);
  tcase_add_test(operations, test_multiply_reads_a_shortcut);
  tcase_add_test(operations, test_operand_elements_are_those_of_the_operand);
  tcase_add_loop_test(operations, test_timesteps_without_recurrence_are_warned_of_once, 0,
                      COUNT_OF(timed));
  suite_add_tcase(suite, operations);
  TCase *const refused = tcase_create("refused");
  tcase_add_loop_test(refused, test_contradictions_are_refused, 0, COUNT_OF(refusals));
  tcase_add_test(refused, test_too_many_scores_are_refused);
  tcase_add_test(refused, test_a_list_states_operand_elements);
  suite_add_tcase(suite, refused);
  return suite;
}
