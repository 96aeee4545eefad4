/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_legal.c: reports decisions that are not legal where they stand in a plan's text. */
#include "plan/plan_reader.h"

static void report(const dsm__json_node *node, const char *hint, const char *message) {
  dsm__json_error(node, hint, "%s", message);
}

/* A whole split, or one of its parts. */
static void report_split(const dsm__json_node *parent, dsm_dim dim, const char *hint,
                         const char *message) {
  const dsm__json_node split = dsm__json_member(parent, "core_split");
  if (dim == DSM_DIM_COUNT) {
    report(&split, hint, message);
    return;
  }
  const dsm__json_node part = dsm__json_member(&split, dsm_dim_name(dim));
  report(&part, hint, message);
}

static void report_in_pass(const dsm__plan_reader *reader, const dsm__plan_place *place,
                           const char *hint, const char *message) {
  const dsm__json_node passes = dsm__json_member(&reader->layer_nodes[place->index], "passes");
  const dsm__json_node pass = dsm__json_member(&passes, dsm_pass_name(place->pass));
  if (place->key == DSM__KEY_PARALLELISM) {
    const dsm__json_node parallelism = dsm__json_member(&pass, "parallelism");
    report(&parallelism, hint, message);
    return;
  }
  const dsm__json_node invocations = dsm__json_member(&pass, "invocations");
  const size_t later_item = reader->later_items[place->index][place->pass];
  const bool is_later = place->part > 0 && later_item != SIZE_MAX;
  const dsm__json_node later = dsm__json_item(&invocations, is_later ? later_item : 0);
  if (place->key == DSM__KEY_KIND && is_later) {
    const dsm__json_node kind = dsm__json_member(&later, "kind");
    report(&kind, hint, message);
  } else {
    report_split(is_later ? &later : &pass, place->dim, hint, message);
  }
}

static void report_in_pipeline(const dsm__plan_reader *reader, const dsm__plan_place *place,
                               const char *key, const char *hint, const char *message) {
  const dsm__json_node group =
      dsm__json_item(&reader->pipeline_node, reader->pipeline_items[place->index]);
  const dsm__json_node node = dsm__json_member(&group, key);
  report(&node, hint, message);
}

static void report_in_layer(const dsm__plan_reader *reader, const dsm__plan_place *place,
                            const char *key, const char *hint, const char *message) {
  const dsm__json_node node = dsm__json_member(&reader->layer_nodes[place->index], key);
  report(&node, hint, message);
}

static void report_violation(void *context, const dsm__plan_place *place, const char *hint,
                             const char *message) {
  const dsm__plan_reader *const reader = context;
  switch (place->key) {
  case DSM__KEY_DYSM_FACTOR:
    report_in_layer(reader, place, "dysm_factor", hint, message);
    break;
  case DSM__KEY_OUTPUT_ON_CHIP:
    report_in_layer(reader, place, "output_on_chip", hint, message);
    break;
  case DSM__KEY_OUTPUT_LAYOUT:
    report_in_layer(reader, place, "output_layout", hint, message);
    break;
  case DSM__KEY_WEIGHTS_ON_CHIP:
    report_in_layer(reader, place, "weights_on_chip", hint, message);
    break;
  case DSM__KEY_PIPELINE_GROUP:
    report_in_layer(reader, place, "pipeline_group", hint, message);
    break;
  case DSM__KEY_ERROR_PARALLELISM:
    report_in_layer(reader, place, "error_parallelism", hint, message);
    break;
  case DSM__KEY_PARALLELISM:
  case DSM__KEY_KIND:
  case DSM__KEY_CORE_SPLIT:
    report_in_pass(reader, place, hint, message);
    break;
  case DSM__KEY_PIPELINE_LAYERS:
    report_in_pipeline(reader, place, "layers", hint, message);
    break;
  case DSM__KEY_PIPELINE_COLUMNS:
    report_in_pipeline(reader, place, "columns", hint, message);
    break;
  case DSM__KEY_PIPELINE_ROWS:
    report_in_pipeline(reader, place, "rows", hint, message);
    break;
  }
}

void dsm__plan_check_legality(dsm__plan_reader *reader) {
  const dsm__decisions decisions = {reader->layers, reader->pipelines, reader->pipeline_count};
  const dsm__candidate candidate = {
      .workload = reader->workload,
      .machine = &reader->machine,
      .options = &reader->plan.options,
      .decisions = &decisions,
      .is_known = reader->is_known,
      .is_complete = dsm__json_doc_error_count(reader->doc) == 0,
  };
  if (!dsm__legality_check(&candidate, report_violation, reader, reader->arena)) {
    dsm__json_set_out_of_memory(reader->doc);
  }
}
