/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lstm.c: a recurrent cell with four gates, in one direction or in both. */
#include "workload/layers/layer_kind.h"

static void read_lstm(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  dsm__json_optional_bool(node, "bidirectional", false, &spec->is_bidirectional);
  const dsm__json_node group = dsm__json_member(node, "pipeline_group");
  if (dsm__json_is_null(&group)) {
    spec->pipeline_choice = DSM_PIPELINE_NEVER;
  } else if (dsm__json_is_present(&group)) {
    spec->pipeline_choice = DSM_PIPELINE_NAMED;
    dsm__json_name(&group, DSM_NAME_BYTES_MAX, arena, &spec->pipeline_group);
  }
}

static void write_lstm(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  if (is_full || spec->is_bidirectional) {
    dsm__json_put_bool(writer, "bidirectional", spec->is_bidirectional);
  }
  if (spec->pipeline_choice == DSM_PIPELINE_NAMED) {
    dsm__json_put_string(writer, "pipeline_group", spec->pipeline_group);
  } else if (spec->pipeline_choice == DSM_PIPELINE_NEVER) {
    dsm__json_write_key(writer, "pipeline_group");
    dsm__json_write_null(writer);
  }
}

static size_t primary_count(const dsm_layer_spec *spec) {
  return spec->is_bidirectional ? 2 : 1;
}

/* All four gates from the input and the hidden units; what the backward pass needs beside the
 * output: the gates and the cell. */
static void lower_direction(const dsm_layer_spec *spec, dsm_layer *primary) {
  static const uint64_t gates = 4;
  *primary = dsm__loops_of_features(spec->in + spec->out, gates * spec->out);
  primary->gates = gates;
  primary->timesteps = spec->timesteps;
  primary->state_elements = (gates + 1) * spec->out;
}

static void lower(const dsm__lowering *lowering, dsm_layer *primaries) {
  static const char *const directions[] = {"fwd", "bwd"};
  const dsm_layer_spec *const spec = lowering->layer->spec;
  for (size_t i = 0; i < primary_count(spec); i++) {
    lower_direction(spec, &primaries[i]);
    primaries[i].name = directions[i];
  }
}

const dsm__layer_kind dsm__lstm_kind = {
    .states_features = DSM__STATES_IN | DSM__STATES_OUT,
    .read = read_lstm,
    .write = write_lstm,
    .has_timesteps = true,
    .starts_backward = true,
    .lower = lower,
    .primary_count = primary_count,
};
