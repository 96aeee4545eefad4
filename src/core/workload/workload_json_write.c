/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_json_write.c: writes a workload in the format "dsm-workload/1"; what has its default
 * value and was not stated is left out, unless all is to be written. */
#include "base/diag_add.h"
#include "workload/byte_parameters.h"
#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

static void write_aux(dsm__json_writer *writer, const dsm_aux *aux) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "op", dsm_aux_op_name(aux->op));
  dsm__json_put_text(writer, "from", aux->from);
  if (aux->op == DSM_AUX_MAX_POOL || aux->op == DSM_AUX_AVG_POOL) {
    dsm__size2_put(writer, "window", aux->window);
    dsm__size2_put(writer, "stride", aux->stride);
    if (aux->has_feature) {
      dsm__size2_put(writer, "feature", aux->feature);
    }
  }
  if (aux->op == DSM_AUX_SELECT) {
    dsm__json_put_u64(writer, "positions", aux->positions);
  } else if (aux->op == DSM_AUX_UPSAMPLE) {
    dsm__size2_put(writer, "factor", aux->factor);
  } else if (aux->is_on_input) { /* which these two always are */
    dsm__json_put_string(writer, "on", "input");
  }
  if (aux->op == DSM_AUX_ROTARY) {
    dsm__json_put_double(writer, "share", aux->share);
  }
  dsm__json_put_count(writer, "features", aux->features);
  dsm__json_put_count(writer, "heads", aux->heads);
  dsm__json_put_flag(writer, "given", aux->is_given);
  dsm__json_end_object(writer);
}

static void write_kind_keys(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  const dsm__layer_kind *const kind = dsm__layer_kind_of(spec->type);
  if (spec->timesteps != 1 || (is_full && kind->has_timesteps)) {
    dsm__json_put_u64(writer, "timesteps", spec->timesteps);
  }
  if (kind->write != NULL) {
    kind->write(writer, spec, is_full);
  }
}

/* Those that are stated. */
static void write_bytes(dsm__json_writer *writer, double element_bytes, double weight_bytes,
                        double cache_bytes) {
  dsm__json_put_amount(writer, "element_bytes", element_bytes);
  dsm__json_put_amount(writer, "weight_bytes", weight_bytes);
  dsm__json_put_amount(writer, "cache_bytes", cache_bytes);
}

static void write_spec(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", spec->name);
  dsm__json_put_string(writer, "type", dsm_layer_type_name(spec->type));
  const unsigned states = dsm__layer_kind_of(spec->type)->states_features;
  if ((states & DSM__STATES_IN) != 0) {
    dsm__json_put_u64(writer, "in", spec->in);
  }
  if ((states & DSM__STATES_OUT) != 0) {
    dsm__json_put_u64(writer, "out", spec->out);
  }
  if (spec->input_count > 0) {
    dsm__json_put_array(writer, "inputs", true);
    for (size_t i = 0; i < spec->input_count; i++) {
      dsm__json_write_string(writer, spec->inputs[i]);
    }
    dsm__json_end_array(writer);
  }
  write_kind_keys(writer, spec, is_full);
  write_bytes(writer, spec->element_bytes, spec->weight_bytes, spec->cache_bytes);
  dsm__types_write(&spec->types, writer);
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
  dsm__json_put_text(writer, "source", workload->source);
  dsm__json_put_u64(writer, "minibatch", workload->minibatch);
  for (size_t p = 0; p < DSM__BYTE_PARAMETER_COUNT; p++) {
    const dsm__byte_parameter *const parameter = &dsm__byte_parameters[p];
    if (is_full || !dsm__byte_parameter_is_assumed(parameter, workload)) {
      dsm__json_put_double(writer, parameter->key, dsm__byte_parameter_get(parameter, workload));
    }
  }
  write_bytes(writer, 0, workload->weight_bytes, workload->cache_bytes);
  if (workload->optimizer != DSM_OPTIMIZER_NONE) {
    dsm__json_put_string(writer, "optimizer", dsm_optimizer_name(workload->optimizer));
  }
  if (workload->normalization_group != 1) {
    dsm__json_put_u64(writer, "normalization_group", workload->normalization_group);
  }
  if (workload->element_type != DSM_ELEMENT_TYPE_ANY) {
    dsm__json_put_string(writer, "element_type", dsm_element_type_name(workload->element_type));
  }
  dsm__types_write(&workload->types, writer);
  if (workload->is_input_stated) {
    dsm__json_put_object(writer, "input", true);
    dsm__json_put_u64(writer, "features", workload->input_features);
    dsm__size2_put(writer, "feature", workload->input_size);
    dsm__json_end_object(writer);
  }
  if (workload->is_list) {
    dsm__json_put_bool(writer, "connected", false);
  }
  if (workload->dataset.samples > 0) {
    dsm__dataset_write(&workload->dataset, writer, is_full);
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

dsm_status dsm__workload_text(char **text, size_t *length, const dsm_workload *workload,
                              dsm_diags *diags) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__workload_write(workload, &writer);
  dsm__json_finish(&writer);
  *length = out.length;
  *text = dsm__text_finish(&out);
  return *text == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}
