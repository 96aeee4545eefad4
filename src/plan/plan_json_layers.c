/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_layers.c: reads the decisions of each layer of a plan. */
#include <string.h>

#include "base/number_text.h"
#include "plan/holding.h"
#include "plan/keeping.h"
#include "plan/plan_internal.h"
#include "plan/plan_reader.h"
#include "plan/plan_record.h"

/* ---- passes ---- */

/* Are there accumulating invocations, with a split of their own? */
static bool is_accumulating(const dsm__plan_reader *reader, size_t index, dsm_pass pass) {
  return pass == DSM_PASS_UPDATE && reader->workload->layers[index].timesteps == 1 &&
         dsm__adding_updates(&reader->system->model, reader->layers[index].layer.dysm_factor,
                             reader->plan.micro_batches) > 0;
}

size_t dsm__plan_each_invocation(const dsm__json_node *pass_node, dsm__invocation_visitor *visit,
                                 void *context) {
  const dsm__json_node list = dsm__json_member(pass_node, "invocations");
  size_t count = 0;
  if (!dsm__json_is_present(&list) ||
      !dsm__json_array(&list, 0, DSM_INVOCATION_KINDS_MAX, &count)) {
    return 0;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    const dsm__json_node word = dsm__json_member(&item, "kind");
    size_t kind = 0;
    if (dsm__record_only(&item, &dsm__invocation_record) &&
        dsm__json_enum(&word, &dsm__invocation_kind_words, &kind)) {
      visit(context, &item, (dsm_invocation_kind)kind);
    }
  }
  return count;
}

/* A pass whose invocations are read. */
typedef struct pass_reader {
  dsm__plan_reader *reader;
  size_t index;
  dsm_pass pass;
  unsigned seen;     /* kinds */
  dsm_loops hoisted; /* the split of hoisted ones */
} pass_reader;

/* Of invocations, two kinds record decisions: that there are steady ones, and the splits of steady
 * and accumulating ones. Where the latter are not listed, they have the split of the pass. */
static void read_invocation(void *context, const dsm__json_node *node, dsm_invocation_kind kind) {
  pass_reader *const of = context;
  dsm__plan_reader *const reader = of->reader;
  dsm__layer_decision *const decision = &reader->layers[of->index];
  if ((of->seen & (1U << kind)) != 0) {
    const dsm__json_node word = dsm__json_member(node, "kind");
    dsm__json_error(&word, NULL, "expected each kind once, found a second \"%s\"",
                    dsm_invocation_kind_name(kind));
    return;
  }
  of->seen |= 1U << kind;
  const bool is_steady = kind == DSM_INVOCATION_STEADY &&
                         reader->workload->layers[of->index].timesteps > 1 &&
                         !(decision->layer.is_hoisted && of->pass == DSM_PASS_UPDATE);
  if (kind == DSM_INVOCATION_HOISTED && decision->layer.is_hoisted) {
    dsm_invocation found = {.count = 0};
    reader->hoisted_items[of->index][of->pass] = node->index;
    (void)dsm__record_read(&reader->decisions, node, &dsm__invocation_record, &found);
    of->hoisted = found.split;
  } else if (is_steady ||
             (kind == DSM_INVOCATION_ACCUMULATE && is_accumulating(reader, of->index, of->pass))) {
    dsm_invocation found = {.count = 0};
    decision->is_kernel_kept[of->pass] = is_steady;
    reader->later_items[of->index][of->pass] = node->index;
    (void)dsm__record_read(&reader->decisions, node, &dsm__invocation_record, &found);
    decision->splits[of->pass][1] = found.split;
  }
}

/* False if the parallelism could not be read. */
static bool read_pass(dsm__plan_reader *reader, const dsm__json_node *passes, size_t index,
                      dsm_pass pass) {
  const dsm_mode mode = reader->plan.options.mode;
  dsm__layer_decision *const decision = &reader->layers[index];
  const dsm__json_node node = dsm__json_member(passes, dsm_pass_name(pass));
  if (!dsm_pass_exists(&reader->workload->layers[index], mode, pass)) {
    if (dsm__json_is_present(&node)) {
      dsm__json_error(&node, NULL, "expected no %s pass of this layer in %s, found one",
                      dsm_pass_name(pass), dsm_mode_name(mode));
    }
    return true;
  }
  if (!dsm__json_require(&node, "the decisions of this pass") ||
      !dsm__record_only(&node, &dsm__pass_record)) {
    return false;
  }
  dsm_pass_decisions found;
  const bool is_good =
      dsm__record_read(&reader->decisions, &node, &dsm__pass_decisions_record, &found);
  decision->layouts.of[pass] = found.parallelism;
  decision->splits[pass][0] = found.core_split;
  decision->splits[pass][1] = found.core_split;
  pass_reader invocations = {
      .reader = reader, .index = index, .pass = pass, .hoisted = found.core_split};
  (void)dsm__plan_each_invocation(&node, read_invocation, &invocations);
  if (decision->layer.is_hoisted) {
    decision->splits[pass][decision->is_kernel_kept[pass] ? 2 : 1] = invocations.hoisted;
  }
  if (decision->layer.is_recomputed &&
      pass == dsm__recomputing_pass(&reader->workload->layers[index])) {
    const unsigned part = is_accumulating(reader, index, pass) ? 2 : 1;
    decision->splits[pass][part] = decision->splits[DSM_PASS_FORWARD][0];
  }
  return is_good;
}

/* The passes that a layer does not have get the parallelism that the model takes for them. */
static bool read_passes(dsm__plan_reader *reader, const dsm__json_node *layer_node, size_t index) {
  const char *pass_names[DSM_PASS_COUNT];
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    pass_names[p] = dsm_pass_name((dsm_pass)p);
  }
  const dsm__json_node passes = dsm__json_member(layer_node, "passes");
  if (!dsm__json_require(&passes, "an object with the layer's passes") ||
      !dsm__json_object_only(&passes, pass_names, DSM_PASS_COUNT)) {
    return false;
  }
  bool is_good = true;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    is_good = read_pass(reader, &passes, index, (dsm_pass)p) && is_good;
  }
  const dsm_layer *const layer = &reader->workload->layers[index];
  dsm_parallelism *const layouts = reader->layers[index].layouts.of;
  if (!dsm_pass_exists(layer, reader->plan.options.mode, DSM_PASS_UPDATE)) {
    layouts[DSM_PASS_UPDATE] = layouts[DSM_PASS_FORWARD];
  }
  if (!dsm_pass_exists(layer, reader->plan.options.mode, DSM_PASS_BACKWARD)) {
    layouts[DSM_PASS_BACKWARD] = layouts[DSM_PASS_UPDATE];
  }
  return is_good;
}

/* ---- layers ---- */

/* False if the layer states the layout of an error that a pass of its own decides. */
static bool check_error_parallelism(const dsm__plan_reader *reader,
                                    const dsm__json_node *layer_node, size_t index) {
  const dsm__json_node node = dsm__json_member(layer_node, "error_parallelism");
  const bool is_training = reader->plan.options.mode == DSM_MODE_TRAINING;
  if (dsm__json_is_present(&node) &&
      (!is_training || reader->workload->layers[index].has_backward)) {
    dsm__json_error(&node, NULL, "expected none %s, found one",
                    is_training ? "in a layer with a backward pass" : "in inference");
    return false;
  }
  return true;
}

/* Groups are for plans that may have some. */
static bool check_group_name(const dsm__plan_reader *reader, const dsm__json_node *layer_node) {
  const dsm__json_node node = dsm__json_member(layer_node, "pipeline_group");
  if (!dsm__json_is_present(&node) || dsm__json_is_null(&node) ||
      (reader->plan.options.optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE)) != 0) {
    return true;
  }
  char found[160];
  dsm__json_error(&node, NULL, "expected null without the optimization pipeline, found %s",
                  dsm__json_found(&node, found, sizeof found));
  return false;
}

static bool read_decisions(dsm__plan_reader *reader, const dsm__json_node *node, size_t index) {
  dsm_layer_decisions *const decisions = &reader->layers[index].layer;
  const bool may_have_group = check_group_name(reader, node);
  const bool is_error_good = check_error_parallelism(reader, node, index);
  const bool is_good =
      dsm__record_read(&reader->decisions, node, &dsm__decisions_record, decisions);
  decisions->pipeline_group = may_have_group ? decisions->pipeline_group : NULL;
  return is_good && is_error_good;
}

static void read_layer(dsm__plan_reader *reader, size_t index) {
  const dsm__json_node *const node = &reader->layer_nodes[index];
  const dsm__json_node name = dsm__json_member(node, "name");
  const char *text = NULL;
  if (!dsm__record_only(node, &dsm__layer_record) ||
      !dsm__json_require(&name, "the layer's name") ||
      !dsm__json_string(&name, 1, DSM_NAME_BYTES_MAX + 8, reader->arena, &text)) {
    return;
  }
  if (strcmp(text, reader->workload->layers[index].name) != 0) {
    dsm__json_error(&name, "layers stand in order of execution",
                    "expected the layer \"%s\", found \"%s\"", reader->workload->layers[index].name,
                    text);
    return;
  }
  const bool is_good = read_decisions(reader, node, index);
  const bool has_passes = read_passes(reader, node, index);
  const dsm__layer_decision *const decision = &reader->layers[index];
  if (decision->layer.error_parallelism != DSM_PARALLELISM_COUNT) {
    reader->layers[index].layouts.of[DSM_PASS_BACKWARD] = decision->layer.error_parallelism;
  }
  reader->is_known[index] = is_good && has_passes;
}

static bool prepare(dsm__plan_reader *reader) {
  const size_t count = reader->workload->layer_count;
  reader->layers = dsm__arena_array(reader->arena, count, sizeof reader->layers[0]);
  reader->is_known = dsm__arena_array(reader->arena, count, sizeof reader->is_known[0]);
  reader->later_items = dsm__arena_array(reader->arena, count, sizeof reader->later_items[0]);
  reader->hoisted_items = dsm__arena_array(reader->arena, count, sizeof reader->hoisted_items[0]);
  dsm__json_node *const nodes = dsm__arena_array(reader->arena, count, sizeof *nodes);
  if (reader->layers == NULL || reader->is_known == NULL || reader->later_items == NULL ||
      reader->hoisted_items == NULL || nodes == NULL) {
    return false;
  }
  dsm__json_node item = dsm__json_item(&reader->layers_node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    reader->layers[i] = dsm__layer_decision_none();
    nodes[i] = item;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      reader->later_items[i][p] = SIZE_MAX;
      reader->hoisted_items[i][p] = SIZE_MAX;
    }
  }
  reader->layer_nodes = nodes;
  return true;
}

void dsm__plan_read_layers(dsm__plan_reader *reader) {
  reader->decisions = (dsm__record_reader){.arena = reader->arena,
                                           .wanted = DSM__FIELD_IS_DECISION,
                                           .most_parts = reader->system->chip.cores,
                                           .renaming = reader->renaming};
  const size_t expected = reader->workload->layer_count;
  size_t count = 0;
  if (!dsm__json_array(&reader->layers_node, 0, 2 * (size_t)DSM_LAYERS_MAX, &count)) {
    return;
  }
  if (count != expected) {
    dsm__json_error(&reader->layers_node, NULL, "expected the workload's %zu layer%s, found %zu",
                    expected, dsm__plural((double)expected), count);
    return;
  }
  if (!prepare(reader)) {
    dsm__json_set_out_of_memory(reader->doc);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    read_layer(reader, i);
  }
}
