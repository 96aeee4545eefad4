/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_layers.c: reads the decisions of each layer of a plan. */
#include <string.h>

#include "base/number_text.h"
#include "plan/plan_internal.h"
#include "plan/plan_reader.h"

/* ---- passes ---- */

/* Are there accumulating invocations, with a split of their own? */
static bool is_accumulating(const dsm__plan_reader *reader, size_t index, dsm_pass pass) {
  return pass == DSM_PASS_UPDATE && reader->workload->layers[index].timesteps == 1 &&
         reader->layers[index].dysm_factor > 1 && reader->system->model.dysm_accumulate_in_memory;
}

/* Of invocations, two kinds record decisions: that there are steady ones, and the splits of steady
 * and accumulating ones. Where the latter are not listed, they have the split of the pass. */
static void read_invocation(dsm__plan_reader *reader, const dsm__json_node *node, size_t index,
                            dsm_pass pass, unsigned *seen) {
  dsm__layer_decision *const decision = &reader->layers[index];
  const dsm__json_node word = dsm__json_member(node, "kind");
  size_t kind = 0;
  if (!dsm__plan_invocation_only(node) ||
      !dsm__json_enum(&word, &dsm__invocation_kind_words, &kind)) {
    return;
  }
  if ((*seen & (1U << kind)) != 0) {
    dsm__json_error(&word, NULL, "expected each kind once, found a second \"%s\"",
                    dsm_invocation_kind_name((dsm_invocation_kind)kind));
    return;
  }
  *seen |= 1U << kind;
  const bool is_steady =
      kind == DSM_INVOCATION_STEADY && reader->workload->layers[index].timesteps > 1;
  if (is_steady || (kind == DSM_INVOCATION_ACCUMULATE && is_accumulating(reader, index, pass))) {
    decision->is_kernel_kept[pass] = is_steady;
    reader->later_items[index][pass] = node->index;
    dsm__plan_read_split(node, reader->system->chip.cores, &decision->splits[pass][1]);
  }
}

static void read_invocations(dsm__plan_reader *reader, const dsm__json_node *pass_node,
                             size_t index, dsm_pass pass) {
  const dsm__json_node node = dsm__json_member(pass_node, "invocations");
  size_t count = 0;
  unsigned seen = 0;
  if (!dsm__json_is_present(&node) ||
      !dsm__json_array(&node, 0, DSM_INVOCATION_KINDS_MAX, &count)) {
    return;
  }
  dsm__json_node item = dsm__json_item(&node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    read_invocation(reader, &item, index, pass, &seen);
  }
}

/* False if the parallelism could not be read. */
static bool read_pass(dsm__plan_reader *reader, const dsm__json_node *passes, size_t index,
                      dsm_pass pass) {
  const dsm_mode mode = reader->options.mode;
  dsm__layer_decision *const decision = &reader->layers[index];
  const dsm__json_node node = dsm__json_member(passes, dsm_pass_name(pass));
  if (!dsm_pass_exists(&reader->workload->layers[index], mode, pass)) {
    if (dsm__json_is_present(&node)) {
      dsm__json_error(&node, NULL, "expected no %s pass of this layer in %s, found one",
                      dsm_pass_name(pass), dsm_mode_name(mode));
    }
    return true;
  }
  if (!dsm__json_require(&node, "the decisions of this pass") || !dsm__plan_pass_only(&node)) {
    return false;
  }
  const dsm__json_node parallelism = dsm__json_member(&node, "parallelism");
  const bool is_good = dsm__plan_read_parallelism(&parallelism, &decision->layouts.of[pass]);
  dsm__plan_read_split(&node, reader->system->chip.cores, &decision->splits[pass][0]);
  decision->splits[pass][1] = decision->splits[pass][0];
  read_invocations(reader, &node, index, pass);
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
  if (!dsm_pass_exists(layer, reader->options.mode, DSM_PASS_UPDATE)) {
    layouts[DSM_PASS_UPDATE] = layouts[DSM_PASS_FORWARD];
  }
  if (!dsm_pass_exists(layer, reader->options.mode, DSM_PASS_BACKWARD)) {
    layouts[DSM_PASS_BACKWARD] = layouts[DSM_PASS_UPDATE];
  }
  return is_good;
}

/* ---- layers ---- */

static bool read_error_parallelism(dsm__plan_reader *reader, const dsm__json_node *layer_node,
                                   size_t index) {
  const dsm__json_node node = dsm__json_member(layer_node, "error_parallelism");
  if (!dsm__json_is_present(&node)) {
    return true;
  }
  const bool is_training = reader->options.mode == DSM_MODE_TRAINING;
  if (!is_training || reader->workload->layers[index].has_backward) {
    dsm__json_error(&node, NULL, "expected none %s, found one",
                    is_training ? "in a layer with a backward pass" : "in inference");
    return false;
  }
  return dsm__plan_read_parallelism(&node, &reader->layers[index].layouts.of[DSM_PASS_BACKWARD]);
}

static bool read_group_name(dsm__plan_reader *reader, const dsm__json_node *layer_node,
                            size_t index) {
  const dsm__json_node node = dsm__json_member(layer_node, "pipeline_group");
  const char *name = NULL;
  if (!dsm__json_is_present(&node) || dsm__json_is_null(&node)) {
    return true;
  }
  if ((reader->options.optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE)) == 0) {
    char found[160];
    dsm__json_error(&node, NULL, "expected null without the optimization pipeline, found %s",
                    dsm__json_found(&node, found, sizeof found));
    return true;
  }
  if (!dsm__json_name(&node, DSM__GROUP_NAME_BYTES_MAX, reader->arena, &name)) {
    return false;
  }
  reader->group_names[index] = name;
  return true;
}

/* How a held output lies in the cores. Parts that cannot be read stay 0. */
static bool read_output_layout(dsm__plan_reader *reader, const dsm__json_node *layer_node,
                               size_t index) {
  static const char *const known[] = {"features", "ij", "mb"};
  dsm_core_layout *const layout = &reader->layers[index].output_layout;
  uint64_t *const parts[] = {&layout->features, &layout->ij, &layout->mb};
  const dsm__json_node node = dsm__json_member(layer_node, "output_layout");
  if (!dsm__json_is_present(&node)) {
    return true;
  }
  bool is_good = dsm__json_object_only(&node, known, DSM__COUNT_OF(known));
  for (size_t i = 0; is_good && i < DSM__COUNT_OF(known); i++) {
    const dsm__json_node part = dsm__json_member(&node, known[i]);
    is_good = dsm__json_u64(&part, 1, reader->system->chip.cores, parts[i]) && is_good;
  }
  return is_good;
}

static bool read_layer_decisions(dsm__plan_reader *reader, const dsm__json_node *node,
                                 size_t index) {
  dsm__layer_decision *const decision = &reader->layers[index];
  const dsm__json_node factor = dsm__json_member(node, "dysm_factor");
  const dsm__json_node output = dsm__json_member(node, "output_on_chip");
  const dsm__json_node weights = dsm__json_member(node, "weights_on_chip");
  bool is_good = !dsm__json_is_present(&factor) ||
                 dsm__json_u64(&factor, 1, DSM_DIMENSION_MAX, &decision->dysm_factor);
  is_good =
      (!dsm__json_is_present(&output) || dsm__json_bool(&output, &decision->is_output_held)) &&
      is_good;
  is_good =
      (!dsm__json_is_present(&weights) ||
       dsm__json_double(&weights, (dsm__json_range){0, 1, false}, &decision->weights_on_chip)) &&
      is_good;
  is_good = read_output_layout(reader, node, index) && is_good;
  return read_group_name(reader, node, index) && is_good;
}

static void read_layer(dsm__plan_reader *reader, size_t index) {
  const dsm__json_node *const node = &reader->layer_nodes[index];
  const dsm__json_node name = dsm__json_member(node, "name");
  const char *text = NULL;
  if (!dsm__plan_layer_only(node) || !dsm__json_require(&name, "the layer's name") ||
      !dsm__json_string(&name, 1, DSM_NAME_BYTES_MAX + 8, reader->arena, &text)) {
    return;
  }
  if (strcmp(text, reader->workload->layers[index].name) != 0) {
    dsm__json_error(&name, "layers stand in order of execution",
                    "expected the layer \"%s\", found \"%s\"", reader->workload->layers[index].name,
                    text);
    return;
  }
  const bool is_good = read_layer_decisions(reader, node, index);
  const bool has_passes = read_passes(reader, node, index);
  reader->is_known[index] = read_error_parallelism(reader, node, index) && is_good && has_passes;
}

static bool prepare(dsm__plan_reader *reader) {
  const size_t count = reader->workload->layer_count;
  reader->layers = dsm__arena_array(reader->arena, count, sizeof reader->layers[0]);
  reader->is_known = dsm__arena_array(reader->arena, count, sizeof reader->is_known[0]);
  reader->group_names = dsm__arena_array(reader->arena, count, sizeof reader->group_names[0]);
  reader->later_items = dsm__arena_array(reader->arena, count, sizeof reader->later_items[0]);
  dsm__json_node *const nodes = dsm__arena_array(reader->arena, count, sizeof *nodes);
  if (reader->layers == NULL || reader->is_known == NULL || reader->group_names == NULL ||
      reader->later_items == NULL || nodes == NULL) {
    return false;
  }
  dsm__json_node item = dsm__json_item(&reader->layers_node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    reader->layers[i] = dsm__layer_decision_none();
    nodes[i] = item;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      reader->later_items[i][p] = SIZE_MAX;
    }
  }
  reader->layer_nodes = nodes;
  return true;
}

void dsm__plan_read_layers(dsm__plan_reader *reader) {
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
