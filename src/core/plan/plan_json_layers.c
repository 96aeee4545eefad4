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

/* Of invocations, three kinds record decisions: that there are steady ones, and the splits of
 * steady, accumulating and hoisted ones. Where those are not listed, they have the split of the
 * pass. */
static void take_invocations(dsm__plan_reader *reader, const dsm__json_node *pass_node,
                             size_t index, dsm_pass pass, const dsm_pass_plan *found) {
  const dsm__json_node list = dsm__json_member(pass_node, "invocations");
  dsm__layer_decision *const decision = &reader->layers[index];
  dsm_loops hoisted = found->decisions.core_split;
  unsigned seen = 0; /* kinds */
  for (size_t k = 0; k < found->invocation_count; k++) {
    const dsm_invocation *const one = &found->invocations[k];
    const bool is_steady = one->kind == DSM_INVOCATION_STEADY &&
                           reader->workload->layers[index].timesteps > 1 &&
                           !(decision->layer.is_hoisted && pass == DSM_PASS_UPDATE);
    if (one->kind < DSM_INVOCATION_KIND_COUNT && (seen & (1U << one->kind)) != 0) {
      const dsm__json_node item = dsm__json_item(&list, k);
      const dsm__json_node word = dsm__json_member(&item, "kind");
      dsm__json_error(&word, NULL, "expected each kind once, found a second \"%s\"",
                      dsm_invocation_kind_name(one->kind));
    } else if (one->kind == DSM_INVOCATION_HOISTED && decision->layer.is_hoisted) {
      reader->hoisted_items[index][pass] = k;
      hoisted = one->split;
    } else if (is_steady ||
               (one->kind == DSM_INVOCATION_ACCUMULATE && is_accumulating(reader, index, pass))) {
      decision->is_kernel_kept[pass] = is_steady;
      reader->later_items[index][pass] = k;
      decision->splits[pass][1] = one->split;
    }
    seen |= 1U << one->kind;
  }
  if (decision->layer.is_hoisted) {
    decision->splits[pass][decision->is_kernel_kept[pass] ? 2 : 1] = hoisted;
  }
}

/* False if the pass is not there, or could not be read. */
static bool take_pass(dsm__plan_reader *reader, const dsm__json_node *passes, size_t index,
                      dsm_pass pass, const dsm_pass_plan *found) {
  const dsm_mode mode = reader->plan.options.mode;
  const dsm_layer *const layer = &reader->workload->layers[index];
  dsm__layer_decision *const decision = &reader->layers[index];
  const dsm__json_node node = dsm__json_member(passes, dsm_pass_name(pass));
  if (!dsm_pass_exists(layer, mode, pass)) {
    if (dsm__json_is_present(&node)) {
      dsm__json_error(&node, NULL, "expected no %s pass of this layer in %s, found one",
                      dsm_pass_name(pass), dsm_mode_name(mode));
    }
    return true;
  }
  if (!dsm__json_require(&node, "the decisions of this pass") || !found->exists) {
    return false;
  }
  decision->layouts.of[pass] = found->decisions.parallelism;
  decision->splits[pass][0] = found->decisions.core_split;
  decision->splits[pass][1] = found->decisions.core_split;
  take_invocations(reader, &node, index, pass, found);
  if (dsm__is_product_again(&decision->layer) && pass == dsm__recomputing_pass(layer)) {
    const unsigned part = is_accumulating(reader, index, pass) ? 2 : 1;
    decision->splits[pass][part] = decision->splits[DSM_PASS_FORWARD][0];
  }
  return true;
}

/* The passes that a layer does not have get the parallelism that the model takes for them. */
static bool take_passes(dsm__plan_reader *reader, size_t index, const dsm_layer_plan *found) {
  const dsm__json_node passes = dsm__json_member(&reader->layer_nodes[index], "passes");
  if (!dsm__json_is_object(&passes)) {
    return false;
  }
  bool is_good = true;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    is_good = take_pass(reader, &passes, index, (dsm_pass)p, &found->passes[p]) && is_good;
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

static void read_layer(dsm__plan_reader *reader, size_t index) {
  const dsm__json_node *const node = &reader->layer_nodes[index];
  const dsm_layer *const layer = &reader->workload->layers[index];
  const dsm__json_node name = dsm__json_member(node, "name");
  const char *text = NULL;
  if (!dsm__record_only(node, &dsm__layer_record) ||
      !dsm__json_require(&name, "the layer's name") ||
      !dsm__json_string(&name, 1, DSM_NAME_BYTES_MAX + 8, reader->arena, &text)) {
    return;
  }
  if (strcmp(text, layer->name) != 0) {
    dsm__json_error(&name, "layers stand in order of execution",
                    "expected the layer \"%s\", found \"%s\"", layer->name, text);
    return;
  }
  dsm__layer_decision *const decision = &reader->layers[index];
  const bool is_error_good = check_error_parallelism(reader, node, index);
  dsm_layer_plan found = {.name = NULL};
  dsm__record_reader decisions = reader->decisions;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const bool exists = dsm_pass_exists(layer, reader->plan.options.mode, (dsm_pass)p);
    decisions.unwanted_members |= exists ? 0 : 1U << p;
  }
  const bool is_good = dsm__record_read(&decisions, node, &dsm__layer_record, &found);
  decision->layer = found.decisions;
  const bool has_passes = take_passes(reader, index, &found);
  if (decision->layer.error_parallelism != DSM_PARALLELISM_COUNT) {
    decision->layouts.of[DSM_PASS_BACKWARD] = decision->layer.error_parallelism;
  }
  reader->is_known[index] = is_good && is_error_good && has_passes;
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
  if (dsm__json_lacks_memory(reader->doc, !prepare(reader))) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    read_layer(reader, i);
  }
}
