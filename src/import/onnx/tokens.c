/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tokens.c: rows that stand beside the patches of an image, such as a class token.
 *
 * Nothing joins positions in a workload. A layer that cuts the network's input into patches is an
 * fc over these; with a few rows more, such as of a class, it is one over as many positions more,
 * and a table of these rows is added to all of them.
 */
#include "import/onnx/lowering.h"
#include "workload/workload_internal.h"

static dsm__workload_builder *builder_of(const dsm__onnx_lowering *of) {
  return &of->graph->import->builder;
}

/* Does the only layer so far cut all of the network's input into patches? */
static bool cuts_patches(const dsm__onnx_lowering *of, const dsm_layer_spec *spec) {
  const dsm_workload *const workload = builder_of(of)->workload;
  const dsm_size2 image = workload->input_size;
  return of->layers.count == 1 && spec->type == DSM_LAYER_CONV && spec->groups == 1 &&
         spec->kernel.rows == spec->stride.rows && spec->kernel.columns == spec->stride.columns &&
         spec->dilation.rows == 1 && spec->dilation.columns == 1 &&
         spec->feature.rows * spec->kernel.rows == image.rows &&
         spec->feature.columns * spec->kernel.columns == image.columns;
}

/* The layer becomes an fc over so many positions. */
static void flatten_patches(dsm__onnx_lowering *of, dsm_layer_spec *spec, uint64_t positions) {
  dsm_workload *const workload = builder_of(of)->workload;
  dsm__onnx_layer *const layer = &of->layers.items[0];
  spec->type = DSM_LAYER_FC;
  spec->in *= spec->kernel.rows * spec->kernel.columns;
  spec->kernel = spec->stride = (dsm_size2){1, 1};
  spec->padding = (dsm_size2){0, 0};
  spec->has_padding = false;
  spec->has_positions = true;
  spec->feature = (dsm_size2){positions, 1};
  layer->size = spec->feature;
  layer->elements = of->samples * positions * spec->out;
  workload->input_features = spec->in;
  workload->input_size = spec->feature;
}

static void add_table(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                      const dsm__onnx_shape *shape, uint64_t tokens) {
  const char **const inputs = dsm__arena_array(builder_of(of)->workload->arena, 1, sizeof *inputs);
  dsm_layer_spec *const spec =
      inputs == NULL ? NULL : dsm__onnx_add_declared(of, node, DSM_LAYER_EMBEDDING);
  if (spec == NULL) {
    return;
  }
  const dsm_layer_spec *const patches = &builder_of(of)->layers.items[0].spec;
  inputs[0] = DSM__INPUT_NAME;
  spec->inputs = inputs;
  spec->input_count = 1;
  spec->in = patches->in;
  spec->out = patches->out;
  spec->vocabulary = tokens;
  spec->has_positions = true;
  spec->feature = patches->feature;
  dsm__onnx_layer *const layer = &of->layers.items[of->layers.count - 1];
  layer->aux[layer->aux_count++] = (dsm_aux){.op = DSM_AUX_RESIDUAL, .from = patches->name};
  dsm__onnx_deliver(of, node, dsm__onnx_output(of->graph, node, 0), shape);
}

bool dsm__onnx_join_token(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          const dsm__onnx_value *value, int axis, const dsm__onnx_shape *shape) {
  enum { ROWS_RANK = 3, TOKENS_MAX = 8 };
  const dsm__onnx_layer *const layer = dsm__onnx_view_layer(of, value->view);
  dsm__onnx_shape before;
  if (layer == NULL || shape->rank != ROWS_RANK || axis != 1 ||
      !dsm__onnx_shape_of(value, &before)) {
    return false;
  }
  dsm_layer_spec *const spec = &builder_of(of)->layers.items[0].spec;
  if (!cuts_patches(of, spec) || before.dims[0] != of->samples ||
      before.dims[1] != spec->feature.rows * spec->feature.columns || before.dims[2] != spec->out ||
      shape->dims[1] > before.dims[1] + TOKENS_MAX || shape->dims[1] > DSM_SIDE_MAX ||
      spec->in * spec->kernel.rows * spec->kernel.columns > DSM_DIMENSION_MAX) {
    return false;
  }
  dsm__onnx_remark_on(of->graph, node, "joins tokens, whose places are patches more");
  flatten_patches(of, spec, shape->dims[1]);
  add_table(of, node, shape, shape->dims[1] - before.dims[1]);
  return true;
}
