/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_legal.c: reports decisions that are not legal where they stand in a plan's text. */
#include <string.h>

#include "plan/plan_reader.h"

/* In a pass, or where that lists later invocations with a split of their own, in these. */
static void report_in_pass(const dsm__plan_reader *reader, const dsm__plan_place *place,
                           const char *hint, const char *message) {
  const dsm__json_node passes = dsm__json_member(&reader->layer_nodes[place->index], "passes");
  const dsm__json_node pass = dsm__json_member(&passes, dsm_pass_name(place->pass));
  const dsm__json_node invocations = dsm__json_member(&pass, "invocations");
  const dsm__layer_decision *const decision = &reader->layers[place->index];
  const unsigned hoisted_part = decision->is_kernel_kept[place->pass] ? 2 : 1;
  const bool is_hoisted = decision->layer.is_hoisted && place->part == hoisted_part;
  const size_t later_item = is_hoisted ? reader->hoisted_items[place->index][place->pass]
                                       : reader->later_items[place->index][place->pass];
  const dsm__json_node later = dsm__json_item(&invocations, later_item);
  const bool is_later = place->part > 0 && later_item != SIZE_MAX;
  const dsm__json_node node = dsm__json_member(is_later ? &later : &pass, place->key);
  const bool is_part = strcmp(place->key, "core_split") == 0 && place->dim != DSM_DIM_COUNT;
  const dsm__json_node part = dsm__json_member(&node, is_part ? dsm_dim_name(place->dim) : "");
  dsm__json_error(is_part ? &part : &node, hint, "%s", message);
}

static void report_violation(void *context, const dsm__plan_place *place, const char *hint,
                             const char *message) {
  const dsm__plan_reader *const reader = context;
  if (place->record == &dsm__plan_record) {
    const dsm__json_node node = dsm__json_member(&reader->root, place->key);
    dsm__json_error(&node, hint, "%s", message);
    return;
  }
  if (place->record == &dsm__step_stages_record) {
    const dsm__json_node stages = dsm__json_member(&reader->root, "stages");
    const dsm__json_node list = dsm__json_member(&stages, place->key);
    const dsm__json_node item = dsm__json_item(&list, place->index);
    dsm__json_error(place->index == SIZE_MAX ? &list : &item, hint, "%s", message);
    return;
  }
  if (place->record != &dsm__decisions_record && place->record != &dsm__pipeline_record) {
    report_in_pass(reader, place, hint, message);
    return;
  }
  const bool is_group = place->record == &dsm__pipeline_record;
  const dsm__json_node group =
      dsm__json_item(&reader->pipeline_node, is_group ? reader->pipeline_items[place->index] : 0);
  const dsm__json_node node =
      dsm__json_member(is_group ? &group : &reader->layer_nodes[place->index], place->key);
  dsm__json_error(&node, hint, "%s", message);
}

void dsm__plan_check_legality(dsm__plan_reader *reader) {
  reader->decided = (dsm__decisions){reader->layers, reader->pipelines, reader->pipeline_count,
                                     reader->plan.micro_batches, reader->plan.stages};
  reader->candidate = (dsm__candidate){
      .workload = reader->workload,
      .machine = &reader->machine,
      .options = &reader->plan.options,
      .decisions = &reader->decided,
      .is_known = reader->is_known,
      .is_complete = dsm__json_doc_error_count(reader->doc) == 0,
      .renaming = reader->renaming,
  };
  if (!dsm__legality_check(&reader->candidate, report_violation, reader, reader->arena)) {
    dsm__json_set_out_of_memory(reader->doc);
  }
}
