/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layers.c: layers of transformers as lines of a description, with names in place of numbers. */
#include "import/hub/hub.h"

void dsm__hub_begin_parameters(const dsm__hub *hub) {
  dsm__json_put_object(hub->writer, "parameters", false);
  if (hub->end == DSM__HUB_CLASSES) {
    dsm__hub_parameter(hub, "classes", dsm__hub_classes(hub));
  }
}

void dsm__hub_parameter(const dsm__hub *hub, const char *name, uint64_t value) {
  dsm__json_put_u64(hub->writer, name, value);
}

void dsm__hub_parameter_text(const dsm__hub *hub, const char *name, const char *expression) {
  dsm__json_put_string(hub->writer, name, expression);
}

void dsm__hub_begin_layers(const dsm__hub *hub) {
  dsm__json_end_object(hub->writer);
  dsm__json_put_array(hub->writer, "layers", false);
}

void dsm__hub_end_layers(const dsm__hub *hub) {
  dsm__json_end_array(hub->writer);
}

void dsm__hub_begin_block(const dsm__hub *hub, const char *name, const char *repeat) {
  dsm__json_begin_object(hub->writer, false);
  dsm__json_put_string(hub->writer, "block", name);
  dsm__json_put_text(hub->writer, "repeat", repeat);
  dsm__json_put_array(hub->writer, "layers", false);
}

void dsm__hub_end_block(const dsm__hub *hub) {
  dsm__json_end_array(hub->writer);
  dsm__json_end_object(hub->writer);
}

static void begin_layer(const dsm__hub *hub, const char *name, const char *type) {
  dsm__json_begin_object(hub->writer, true);
  dsm__json_put_string(hub->writer, "name", name);
  dsm__json_put_string(hub->writer, "type", type);
}

static void put_inputs(const dsm__hub *hub, const char *const *names, size_t count) {
  if (names[0] == NULL) {
    return;
  }
  dsm__json_put_array(hub->writer, "inputs", true);
  for (size_t i = 0; i < count && names[i] != NULL; i++) {
    dsm__json_write_string(hub->writer, names[i]);
  }
  dsm__json_end_array(hub->writer);
}

/* ---- operations ---- */

void dsm__hub_op_write(const dsm__hub *hub, const char *op, const char *key, const char *value) {
  dsm__json_begin_object(hub->writer, true);
  dsm__json_put_string(hub->writer, "op", op);
  dsm__json_put_text(hub->writer, key, value);
  dsm__json_end_object(hub->writer);
}

/* The operation where its name, or its operand, is there. */
static void put_named(const dsm__hub *hub, const char *op) {
  if (op != NULL) {
    dsm__hub_op_write(hub, op, NULL, NULL);
  }
}

static void put_of(const dsm__hub *hub, const char *op, const char *from) {
  if (from != NULL) {
    dsm__hub_op_write(hub, op, "from", from);
  }
}

static void put_rotary(const dsm__hub *hub, double share) {
  dsm__json_begin_object(hub->writer, true);
  dsm__json_put_string(hub->writer, "op", "rotary");
  if (share < 1) {
    dsm__json_put_double(hub->writer, "share", share);
  }
  dsm__json_end_object(hub->writer);
}

static void put_select(const dsm__hub *hub) {
  dsm__json_begin_object(hub->writer, true);
  dsm__json_put_string(hub->writer, "op", "select");
  dsm__json_put_u64(hub->writer, "positions", 1);
  dsm__json_end_object(hub->writer);
}

static void put_input_norm(const dsm__hub *hub, const dsm__hub_fc *fc) {
  dsm__json_begin_object(hub->writer, true);
  dsm__json_put_string(hub->writer, "op", fc->input_norm);
  dsm__json_put_string(hub->writer, "on", "input");
  dsm__json_put_text(hub->writer, "from", fc->input_norm_from);
  dsm__json_end_object(hub->writer);
}

static void put_own_norm(const dsm__hub *hub, const dsm__hub_fc *fc) {
  dsm__json_begin_object(hub->writer, true);
  dsm__json_put_string(hub->writer, "op", fc->own_norm);
  dsm__json_put_text(hub->writer, "features", fc->own_features);
  if (fc->has_own_of_first) {
    dsm__json_put_u64(hub->writer, "heads", 1);
  }
  dsm__json_end_object(hub->writer);
}

static bool has_aux(const dsm__hub_fc *fc) {
  return fc->input_norm != NULL || fc->own_norm != NULL || fc->activation != NULL ||
         fc->residual != NULL || fc->multiply != NULL || fc->norm != NULL ||
         fc->rotated_share > 0 || fc->selects_first || fc->has_bias || fc->has_dropout;
}

static void put_aux(const dsm__hub *hub, const dsm__hub_fc *fc) {
  if (!has_aux(fc)) {
    return;
  }
  dsm__json_put_array(hub->writer, "aux", true);
  if (fc->input_norm != NULL) {
    put_input_norm(hub, fc);
  }
  if (fc->selects_first) {
    put_select(hub);
  }
  put_named(hub, fc->has_bias && !fc->is_bias_last ? "bias" : NULL);
  if (fc->own_norm != NULL) {
    put_own_norm(hub, fc);
  }
  if (fc->rotated_share > 0) {
    put_rotary(hub, fc->rotated_share);
  }
  put_named(hub, fc->activation);
  put_named(hub, fc->has_bias && fc->is_bias_last ? "bias" : NULL);
  put_of(hub, "multiply", fc->multiply);
  put_named(hub, fc->has_dropout ? "dropout" : NULL);
  put_of(hub, "residual", fc->residual);
  put_named(hub, fc->norm);
  dsm__json_end_array(hub->writer);
}

/* ---- layers ---- */

void dsm__hub_fc_write(const dsm__hub *hub, const dsm__hub_fc *fc) {
  begin_layer(hub, fc->name, "fc");
  dsm__json_put_string(hub->writer, "in", fc->in);
  dsm__json_put_string(hub->writer, "out", fc->out);
  put_inputs(hub, &fc->input, 1);
  dsm__json_put_text(hub->writer, "positions", fc->positions);
  dsm__json_put_text(hub->writer, "tied_to", fc->tied_to);
  dsm__json_put_text(hub->writer, "experts", fc->has_experts ? "=experts" : NULL);
  dsm__json_put_text(hub->writer, "active_experts", fc->has_experts ? "=active_experts" : NULL);
  put_aux(hub, fc);
  dsm__json_put_text(hub->writer, "//", fc->comment);
  dsm__json_end_object(hub->writer);
}

/* Of rows, which positions are; there is one column. */
static void put_rows(const dsm__hub *hub, const char *key, const char *rows, uint64_t columns) {
  if (rows != NULL) {
    dsm__json_put_array(hub->writer, key, true);
    dsm__json_write_string(hub->writer, rows);
    dsm__json_write_u64(hub->writer, columns);
    dsm__json_end_array(hub->writer);
  }
}

void dsm__hub_conv_write(const dsm__hub *hub, const dsm__hub_conv *conv) {
  const dsm__hub_fc operations = {.activation = conv->activation, .has_bias = conv->has_bias};
  begin_layer(hub, conv->name, "conv");
  dsm__json_put_string(hub->writer, "in", conv->in);
  dsm__json_put_string(hub->writer, "out", conv->out);
  dsm__json_put_text(hub->writer, "groups", conv->groups);
  put_rows(hub, "kernel", conv->kernel, 1);
  put_rows(hub, "stride", conv->stride, 1);
  put_rows(hub, "padding", conv->padding, 0);
  put_rows(hub, "feature", conv->positions, 1);
  put_aux(hub, &operations);
  dsm__json_end_object(hub->writer);
}

void dsm__hub_embedding_write(const dsm__hub *hub, const dsm__hub_embedding *embedding) {
  const dsm__hub_fc operations = {.residual = embedding->residual,
                                  .norm = embedding->norm,
                                  .has_dropout = embedding->has_dropout};
  begin_layer(hub, embedding->name, "embedding");
  if (embedding->vocabulary == NULL) {
    dsm__json_put_u64(hub->writer, "vocabulary", 1);
  }
  dsm__json_put_text(hub->writer, "vocabulary", embedding->vocabulary);
  dsm__json_put_string(hub->writer, "out", "=hidden");
  dsm__json_put_string(hub->writer, "positions",
                       embedding->positions == NULL ? "=sequence" : embedding->positions);
  dsm__json_put_flag(hub->writer, "learned_positions", embedding->has_learned_positions);
  put_inputs(hub, &embedding->input, 1);
  put_aux(hub, &operations);
  dsm__json_end_object(hub->writer);
}

void dsm__hub_attention_write(const dsm__hub *hub, const dsm__hub_attention *attention) {
  begin_layer(hub, attention->name, "attention");
  dsm__json_put_string(hub->writer, "heads", "=heads");
  dsm__json_put_text(hub->writer, "kv_heads", attention->has_kv_heads ? "=kv_heads" : NULL);
  dsm__json_put_string(hub->writer, "head_features", attention->head_features);
  dsm__json_put_text(hub->writer, "value_features",
                     attention->has_latent ? "=value_features" : NULL);
  dsm__json_put_text(hub->writer, "latent", attention->has_latent ? "=latent" : NULL);
  dsm__json_put_text(hub->writer, "rotary_features",
                     attention->has_latent ? "=rotary_features" : NULL);
  dsm__json_put_text(hub->writer, "context", attention->context);
  dsm__json_put_text(hub->writer, "window", attention->has_window ? "=window" : NULL);
  dsm__json_put_flag(hub->writer, "causal", attention->is_causal);
  dsm__json_put_flag(hub->writer, "sinks", attention->has_sinks);
  put_inputs(hub, attention->inputs, 3);
  dsm__json_end_object(hub->writer);
}
