/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_json_write.c: writes a workload in the format "dsm-workload/1"; what has its default
 * value and was not stated is left out, unless all is to be written. */
#include "workload/byte_parameters.h"
#include "workload/workload_internal.h"

static void put_size2(dsm__json_writer *writer, const char *key, dsm_size2 size) {
  dsm__json_put_array(writer, key, true);
  dsm__json_write_u64(writer, size.rows);
  dsm__json_write_u64(writer, size.columns);
  dsm__json_end_array(writer);
}

static void put_size2_unless_one(dsm__json_writer *writer, const char *key, dsm_size2 size,
                                 bool is_full) {
  if (is_full || size.rows != 1 || size.columns != 1) {
    put_size2(writer, key, size);
  }
}

static void write_aux(dsm__json_writer *writer, const dsm_aux *aux) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "op", dsm_aux_op_name(aux->op));
  if (aux->from != NULL) {
    dsm__json_put_string(writer, "from", aux->from);
  }
  if (aux->op == DSM_AUX_MAX_POOL || aux->op == DSM_AUX_AVG_POOL) {
    put_size2(writer, "window", aux->window);
    put_size2(writer, "stride", aux->stride);
    if (aux->has_feature) {
      put_size2(writer, "feature", aux->feature);
    }
    if (aux->is_on_input) {
      dsm__json_put_string(writer, "on", "input");
    }
  }
  dsm__json_end_object(writer);
}

static void write_type_keys(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  if (spec->type == DSM_LAYER_CONV) {
    put_size2(writer, "feature", spec->feature);
    put_size2_unless_one(writer, "kernel", spec->kernel, is_full);
    put_size2_unless_one(writer, "stride", spec->stride, is_full);
    put_size2_unless_one(writer, "dilation", spec->dilation, is_full);
    if (spec->has_padding) {
      put_size2(writer, "padding", spec->padding);
    }
    if (is_full || spec->groups != 1) {
      dsm__json_put_u64(writer, "groups", spec->groups);
    }
  }
  if (spec->timesteps != 1 || (is_full && spec->type != DSM_LAYER_CONV)) {
    dsm__json_put_u64(writer, "timesteps", spec->timesteps);
  }
  if (spec->is_bidirectional || (is_full && spec->type == DSM_LAYER_LSTM)) {
    dsm__json_put_bool(writer, "bidirectional", spec->is_bidirectional);
  }
  if (spec->pipeline_choice == DSM_PIPELINE_NAMED) {
    dsm__json_put_string(writer, "pipeline_group", spec->pipeline_group);
  } else if (spec->pipeline_choice == DSM_PIPELINE_NEVER) {
    dsm__json_write_key(writer, "pipeline_group");
    dsm__json_write_null(writer);
  }
  if (spec->operand != NULL) {
    dsm__json_put_string(writer, "operand", spec->operand);
    dsm__json_put_u64(writer, "operand_elements", spec->operand_elements);
  }
}

static void write_spec(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", spec->name);
  dsm__json_put_string(writer, "type", dsm_layer_type_name(spec->type));
  dsm__json_put_u64(writer, "in", spec->in);
  dsm__json_put_u64(writer, "out", spec->out);
  if (spec->input_count > 0) {
    dsm__json_put_array(writer, "inputs", true);
    for (size_t i = 0; i < spec->input_count; i++) {
      dsm__json_write_string(writer, spec->inputs[i]);
    }
    dsm__json_end_array(writer);
  }
  write_type_keys(writer, spec, is_full);
  if (spec->aux_count > 0) {
    dsm__json_put_array(writer, "aux", true);
    for (size_t i = 0; i < spec->aux_count; i++) {
      write_aux(writer, &spec->aux[i]);
    }
    dsm__json_end_array(writer);
  }
  dsm__json_end_object(writer);
}

static void write_workload(const dsm_workload *workload, dsm__json_writer *writer, bool is_full) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "format", "dsm-workload/1");
  dsm__json_put_string(writer, "name", workload->name);
  if (workload->source != NULL) {
    dsm__json_put_string(writer, "source", workload->source);
  }
  dsm__json_put_u64(writer, "minibatch", workload->minibatch);
  for (size_t p = 0; p < DSM__BYTE_PARAMETER_COUNT; p++) {
    const dsm__byte_parameter *const parameter = &dsm__byte_parameters[p];
    if (is_full || !dsm__byte_parameter_is_assumed(parameter, workload)) {
      dsm__json_put_double(writer, parameter->key, dsm__byte_parameter_get(parameter, workload));
    }
  }
  if (workload->optimizer != DSM_OPTIMIZER_NONE) {
    dsm__json_put_string(writer, "optimizer", dsm_optimizer_name(workload->optimizer));
  }
  if (workload->normalization_group != 1) {
    dsm__json_put_u64(writer, "normalization_group", workload->normalization_group);
  }
  if (workload->element_type != DSM_ELEMENT_TYPE_ANY) {
    dsm__json_put_string(writer, "element_type", dsm_element_type_name(workload->element_type));
  }
  if (workload->is_input_stated) {
    dsm__json_put_object(writer, "input", true);
    dsm__json_put_u64(writer, "features", workload->input_features);
    put_size2(writer, "feature", workload->input_size);
    dsm__json_end_object(writer);
  }
  dsm__json_put_array(writer, "layers", false);
  for (size_t i = 0; i < workload->spec_count; i++) {
    write_spec(writer, &workload->specs[i], is_full);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

void dsm__workload_write(const dsm_workload *workload, dsm__json_writer *writer) {
  write_workload(workload, writer, false);
}

void dsm__workload_write_full(const dsm_workload *workload, dsm__json_writer *writer) {
  write_workload(workload, writer, true);
}
