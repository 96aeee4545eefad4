/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "network.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buffer.h"
#include "workload/workload_internal.h"

static void use_double_quotes(char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '\'') {
      *text = '"';
    }
  }
}

outcome read_workload(const char *text, const dsm_override *overrides, size_t override_count) {
  dsm__text_buffer json = {0};
  outcome read = {.diags = dsm_diags_new(100)};
  ck_assert_ptr_nonnull(read.diags);
  dsm__text_puts(&json, text);
  ck_assert(!json.failed);
  use_double_quotes(json.text);
  read.status = dsm_workload_parse(&read.workload, json.text, json.length, "test.json", overrides,
                                   override_count, read.diags);
  dsm__text_fini(&json);
  return read;
}

outcome read_network(const char *top, const char *layers) {
  dsm__text_buffer text = {0};
  dsm__text_printf(&text,
                   "{'format': 'dsm-workload/1', 'name': 'test', 'minibatch': 8, %s"
                   "'layers': [%s]}",
                   top, layers);
  ck_assert(!text.failed);
  const outcome read = read_workload(text.text, NULL, 0);
  dsm__text_fini(&text);
  return read;
}

void outcome_free(outcome *read) {
  dsm_workload_free(read->workload);
  dsm_diags_free(read->diags);
}

static void fail_with_findings(const dsm_diags *diags) {
  char line[2048] = "no findings";
  if (dsm_diags_count(diags) > 0) {
    dsm_diag_render(dsm_diags_get(diags, 0), false, line, sizeof line);
  }
  ck_abort_msg("expected a good network: %s", line);
}

dsm_workload *network_with(const char *top, const char *layers) {
  const outcome read = read_network(top, layers);
  if (read.status != DSM_OK) {
    fail_with_findings(read.diags);
  }
  for (size_t i = 0; i < dsm_diags_count(read.diags); i++) {
    ck_assert_int_ne(dsm_diags_get(read.diags, i)->severity, DSM_SEVERITY_ERROR);
  }
  dsm_diags_free(read.diags);
  return read.workload;
}

dsm_workload *network_of(const char *layers) {
  return network_with("", layers);
}

void expect_refused_with(const char *top, const char *layers, const char *path) {
  outcome read = read_network(top, layers);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_ptr_null(read.workload);
  ck_assert_uint_ge(dsm_diags_count(read.diags), 1);
  ck_assert_str_eq(dsm_diags_get(read.diags, 0)->path, path);
  outcome_free(&read);
}

void expect_refused(const char *layers, const char *path) {
  expect_refused_with("", layers, path);
}

dsm_workload *written_and_read(const dsm_workload *workload) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_workload *again = NULL;
  dsm__workload_write(workload, &writer);
  dsm__json_finish(&writer);
  ck_assert(!text.failed);
  if (dsm_workload_parse(&again, text.text, text.length, "written.json", NULL, 0, diags) !=
      DSM_OK) {
    fail_with_findings(diags);
  }
  dsm_diags_free(diags);
  dsm__text_fini(&text);
  return again;
}

/* ---- equality ---- */

static void expect_same_text(const char *a, const char *b) {
  ck_assert_int_eq(a == NULL, b == NULL);
  if (a != NULL) {
    ck_assert_str_eq(a, b);
  }
}

static void expect_same_size(dsm_size2 a, dsm_size2 b) {
  ck_assert_uint_eq(a.rows, b.rows);
  ck_assert_uint_eq(a.columns, b.columns);
}

static void expect_same_aux(const dsm_aux *a, const dsm_aux *b) {
  ck_assert_int_eq(a->op, b->op);
  expect_same_text(a->from, b->from);
  expect_same_size(a->window, b->window);
  expect_same_size(a->stride, b->stride);
  expect_same_size(a->feature, b->feature);
  ck_assert_int_eq(a->has_feature, b->has_feature);
  ck_assert_int_eq(a->is_on_input, b->is_on_input);
}

static void expect_same_spec(const dsm_layer_spec *a, const dsm_layer_spec *b) {
  expect_same_text(a->name, b->name);
  ck_assert_int_eq(a->type, b->type);
  ck_assert_uint_eq(a->in, b->in);
  ck_assert_uint_eq(a->out, b->out);
  expect_same_size(a->feature, b->feature);
  expect_same_size(a->kernel, b->kernel);
  expect_same_size(a->stride, b->stride);
  expect_same_size(a->dilation, b->dilation);
  expect_same_size(a->padding, b->padding);
  ck_assert_int_eq(a->has_padding, b->has_padding);
  ck_assert_uint_eq(a->groups, b->groups);
  ck_assert_uint_eq(a->timesteps, b->timesteps);
  ck_assert_int_eq(a->is_bidirectional, b->is_bidirectional);
  ck_assert_int_eq(a->pipeline_choice, b->pipeline_choice);
  expect_same_text(a->pipeline_group, b->pipeline_group);
  expect_same_text(a->operand, b->operand);
  ck_assert_uint_eq(a->operand_elements, b->operand_elements);
  ck_assert_double_eq(a->element_bytes, b->element_bytes);
  ck_assert_double_eq(a->weight_bytes, b->weight_bytes);
  ck_assert_double_eq(a->cache_bytes, b->cache_bytes);
  ck_assert_uint_eq(a->input_count, b->input_count);
  for (size_t i = 0; i < a->input_count; i++) {
    expect_same_text(a->inputs[i], b->inputs[i]);
  }
  ck_assert_uint_eq(a->aux_count, b->aux_count);
  for (size_t i = 0; i < a->aux_count; i++) {
    expect_same_aux(&a->aux[i], &b->aux[i]);
  }
}

static void expect_same_indices(const size_t *a, size_t a_count, const size_t *b, size_t b_count) {
  ck_assert_uint_eq(a_count, b_count);
  for (size_t i = 0; i < a_count; i++) {
    ck_assert_uint_eq(a[i], b[i]);
  }
}

static void expect_same_graph(const dsm_layer *a, const dsm_layer *b) {
  expect_same_indices(a->producers, a->producer_count, b->producers, b->producer_count);
  expect_same_indices(a->shortcuts, a->shortcut_count, b->shortcuts, b->shortcut_count);
  expect_same_indices(a->operands, a->operand_count, b->operands, b->operand_count);
  ck_assert_int_eq(a->has_backward, b->has_backward);
  ck_assert_int_eq(a->has_update, b->has_update);
  ck_assert_uint_eq(a->last_use, b->last_use);
  ck_assert_uint_eq(a->last_operand_use, b->last_operand_use);
  ck_assert_uint_eq(a->carried_elements, b->carried_elements);
  ck_assert_uint_eq(a->live_elements, b->live_elements);
  ck_assert_uint_eq(a->error_pair_elements, b->error_pair_elements);
  ck_assert_uint_eq(a->fork_elements, b->fork_elements);
  ck_assert_int_eq(a->is_shortcut_own_input, b->is_shortcut_own_input);
}

static void expect_same_layer(const dsm_layer *a, const dsm_layer *b) {
  expect_same_text(a->name, b->name);
  ck_assert_int_eq(a->is_convolution, b->is_convolution);
  ck_assert_int_eq(a->is_product, b->is_product);
  ck_assert_uint_eq(a->gates, b->gates);
  ck_assert_uint_eq(a->spec_index, b->spec_index);
  ck_assert_uint_eq(a->in, b->in);
  ck_assert_uint_eq(a->out, b->out);
  ck_assert_uint_eq(a->ij, b->ij);
  ck_assert_uint_eq(a->kij, b->kij);
  ck_assert_uint_eq(a->groups, b->groups);
  ck_assert_uint_eq(a->timesteps, b->timesteps);
  ck_assert_uint_eq(a->input_elements, b->input_elements);
  ck_assert_uint_eq(a->output_elements, b->output_elements);
  ck_assert_uint_eq(a->stored_elements, b->stored_elements);
  ck_assert_uint_eq(a->stored_size, b->stored_size);
  ck_assert_mem_eq(&a->bytes, &b->bytes, sizeof a->bytes);
  ck_assert_uint_eq(a->state_elements, b->state_elements);
  ck_assert_uint_eq(a->operand_elements, b->operand_elements);
  ck_assert_uint_eq(a->weight_elements, b->weight_elements);
  ck_assert_uint_eq(a->macs, b->macs);
  ck_assert_uint_eq(a->parameters, b->parameters);
  for (int op = 0; op < DSM_AUX_OP_COUNT; op++) {
    ck_assert_int_eq(a->has_op[op], b->has_op[op]);
  }
  ck_assert_uint_eq(a->pool_window, b->pool_window);
  ck_assert_uint_eq(a->input_pool_window, b->input_pool_window);
  ck_assert_uint_eq(a->input_pool_elements, b->input_pool_elements);
  expect_same_graph(a, b);
}

void expect_same_workload(const dsm_workload *a, const dsm_workload *b) {
  expect_same_text(a->name, b->name);
  expect_same_text(a->source, b->source);
  ck_assert_uint_eq(a->minibatch, b->minibatch);
  ck_assert_double_eq(a->element_bytes, b->element_bytes);
  ck_assert_double_eq(a->gradient_bytes, b->gradient_bytes);
  ck_assert_double_eq(a->partial_sum_bytes, b->partial_sum_bytes);
  ck_assert_double_eq(a->optimizer_bytes_per_weight, b->optimizer_bytes_per_weight);
  ck_assert_uint_eq(a->stated_bytes, b->stated_bytes);
  ck_assert_int_eq(a->is_input_stated, b->is_input_stated);
  ck_assert_uint_eq(a->input_features, b->input_features);
  expect_same_size(a->input_size, b->input_size);
  ck_assert_uint_eq(a->input_elements, b->input_elements);
  ck_assert_uint_eq(a->input_timesteps, b->input_timesteps);
  ck_assert_uint_eq(a->input_last_use, b->input_last_use);
  ck_assert_uint_eq(a->weights, b->weights);
  ck_assert_uint_eq(a->parameters, b->parameters);
  ck_assert_uint_eq(a->forward_macs, b->forward_macs);
  ck_assert_double_eq(a->activation_bytes, b->activation_bytes);
  ck_assert_uint_eq(a->spec_count, b->spec_count);
  for (size_t i = 0; i < a->spec_count; i++) {
    expect_same_spec(&a->specs[i], &b->specs[i]);
  }
  ck_assert_uint_eq(a->layer_count, b->layer_count);
  for (size_t i = 0; i < a->layer_count; i++) {
    expect_same_layer(&a->layers[i], &b->layers[i]);
  }
}

void expect_producers(const dsm_workload *workload, size_t layer, size_t count,
                      const size_t *producers) {
  ck_assert_uint_eq(workload->layers[layer].producer_count, count);
  for (size_t i = 0; i < count; i++) {
    ck_assert_uint_eq(workload->layers[layer].producers[i], producers[i]);
  }
}
