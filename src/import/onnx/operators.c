/* SPDX-License-Identifier: GPL-3.0-or-later */
/* operators.c: the operators of ONNX that are read, a row each. */
#include "import/onnx/lowering.h"

/* What is no auxiliary operation: nothing to do, or nothing that a layer can have. */
enum { NOTHING = -1, NONE = -2 };

static const dsm__onnx_operator operators[] = {
    {"Conv", dsm__onnx_lower_conv, 0},
    {"ConvTranspose", dsm__onnx_lower_conv_transpose, 0},
    {"Gemm", dsm__onnx_lower_gemm, 0},
    {"MatMul", dsm__onnx_lower_matmul, 0},
    {"LSTM", dsm__onnx_lower_recurrent, 0},
    {"GRU", dsm__onnx_lower_recurrent, 0},
    {"RNN", dsm__onnx_lower_recurrent, 0},
    {"RotaryEmbedding", dsm__onnx_lower_rotary, 0},
    {"MaxPool", dsm__onnx_lower_pool, 0},
    {"AveragePool", dsm__onnx_lower_pool, 0},
    {"LpPool", dsm__onnx_lower_pool, 0},
    {"GlobalAveragePool", dsm__onnx_lower_global_pool, 0},
    {"GlobalMaxPool", dsm__onnx_lower_global_pool, 0},
    {"GlobalLpPool", dsm__onnx_lower_global_pool, 0},
    {"ReduceMean", dsm__onnx_lower_reduce, 0},
    {"ReduceMax", dsm__onnx_lower_reduce, 0},
    {"ReduceSum", dsm__onnx_lower_reduce, 0},
    {"BatchNormalization", dsm__onnx_lower_element, DSM_AUX_BATCH_NORM},
    {"InstanceNormalization", dsm__onnx_lower_element, DSM_AUX_LAYER_NORM},
    {"GroupNormalization", dsm__onnx_lower_element, DSM_AUX_LAYER_NORM},
    {"LayerNormalization", dsm__onnx_lower_element, DSM_AUX_LAYER_NORM},
    {"SimplifiedLayerNormalization", dsm__onnx_lower_element, DSM_AUX_RMS_NORM},
    {"RMSNormalization", dsm__onnx_lower_element, DSM_AUX_RMS_NORM},
    {"Relu", dsm__onnx_lower_element, DSM_AUX_RELU},
    {"Clip", dsm__onnx_lower_element, DSM_AUX_RELU},
    {"LeakyRelu", dsm__onnx_lower_element, DSM_AUX_RELU},
    {"PRelu", dsm__onnx_lower_element, DSM_AUX_RELU},
    {"ThresholdedRelu", dsm__onnx_lower_element, DSM_AUX_RELU},
    {"Sigmoid", dsm__onnx_lower_element, DSM_AUX_SIGMOID},
    {"HardSigmoid", dsm__onnx_lower_element, DSM_AUX_SIGMOID},
    {"Softsign", dsm__onnx_lower_element, DSM_AUX_SIGMOID},
    {"Softplus", dsm__onnx_lower_element, DSM_AUX_SIGMOID},
    {"Tanh", dsm__onnx_lower_element, DSM_AUX_TANH},
    {"Gelu", dsm__onnx_lower_element, DSM_AUX_GELU},
    {"FastGelu", dsm__onnx_lower_element, DSM_AUX_GELU},
    {"Elu", dsm__onnx_lower_element, DSM_AUX_GELU},
    {"Celu", dsm__onnx_lower_element, DSM_AUX_GELU},
    {"Selu", dsm__onnx_lower_element, DSM_AUX_GELU},
    {"Mish", dsm__onnx_lower_element, DSM_AUX_SILU},
    {"HardSwish", dsm__onnx_lower_element, DSM_AUX_SILU},
    {"Softmax", dsm__onnx_lower_element, DSM_AUX_SOFTMAX},
    {"LogSoftmax", dsm__onnx_lower_element, DSM_AUX_SOFTMAX},
    {"LRN", dsm__onnx_lower_element, NONE},
    {"LpNormalization", dsm__onnx_lower_element, NONE},
    {"MeanVarianceNormalization", dsm__onnx_lower_element, NONE},
    {"Neg", dsm__onnx_lower_element, NONE},
    {"Abs", dsm__onnx_lower_element, NONE},
    {"Sqrt", dsm__onnx_lower_element, NONE},
    {"Exp", dsm__onnx_lower_element, NONE},
    {"Log", dsm__onnx_lower_element, NONE},
    {"Erf", dsm__onnx_lower_element, NONE},
    {"Sin", dsm__onnx_lower_element, NONE},
    {"Cos", dsm__onnx_lower_element, NONE},
    {"Floor", dsm__onnx_lower_element, NONE},
    {"Ceil", dsm__onnx_lower_element, NONE},
    {"Round", dsm__onnx_lower_element, NONE},
    {"Sign", dsm__onnx_lower_element, NONE},
    {"Not", dsm__onnx_lower_element, NONE},
    {"Reciprocal", dsm__onnx_lower_element, NONE},
    {"CumSum", dsm__onnx_lower_element, NONE},
    {"Trilu", dsm__onnx_lower_element, NONE},
    {"Dropout", dsm__onnx_lower_element, NOTHING},
    {"QuantizeLinear", dsm__onnx_lower_element, NOTHING},
    {"DequantizeLinear", dsm__onnx_lower_element, NOTHING},
    {"Identity", dsm__onnx_lower_identity, 0},
    {"Cast", dsm__onnx_lower_identity, 0},
    {"CastLike", dsm__onnx_lower_identity, 0},
    {"Add", dsm__onnx_lower_binary, 0},
    {"Sub", dsm__onnx_lower_binary, 0},
    {"Mul", dsm__onnx_lower_binary, 0},
    {"Div", dsm__onnx_lower_binary, 0},
    {"Pow", dsm__onnx_lower_binary, 0},
    {"Mod", dsm__onnx_lower_binary, 0},
    {"Sum", dsm__onnx_lower_binary, 0},
    {"Min", dsm__onnx_lower_binary, 0},
    {"Max", dsm__onnx_lower_binary, 0},
    {"Mean", dsm__onnx_lower_binary, 0},
    {"Equal", dsm__onnx_lower_binary, 0},
    {"Less", dsm__onnx_lower_binary, 0},
    {"LessOrEqual", dsm__onnx_lower_binary, 0},
    {"Greater", dsm__onnx_lower_binary, 0},
    {"GreaterOrEqual", dsm__onnx_lower_binary, 0},
    {"And", dsm__onnx_lower_binary, 0},
    {"Or", dsm__onnx_lower_binary, 0},
    {"Where", dsm__onnx_lower_where, 0},
    {"Constant", dsm__onnx_lower_constant, 0},
    {"ConstantOfShape", dsm__onnx_lower_fill, 0},
    {"Range", dsm__onnx_lower_fill, 0},
    {"ReduceProd", dsm__onnx_lower_fill, 0},
    {"Shape", dsm__onnx_lower_shape, 0},
    {"Size", dsm__onnx_lower_size, 0},
    {"Reshape", dsm__onnx_lower_reshape, 0},
    {"Flatten", dsm__onnx_lower_flatten, 0},
    {"Squeeze", dsm__onnx_lower_squeeze, 0},
    {"Unsqueeze", dsm__onnx_lower_unsqueeze, 0},
    {"Transpose", dsm__onnx_lower_transpose, 0},
    {"Expand", dsm__onnx_lower_expand, 0},
    {"Tile", dsm__onnx_lower_expand, 0},
    {"Concat", dsm__onnx_lower_concat, 0},
    {"Split", dsm__onnx_lower_split, 0},
    {"Slice", dsm__onnx_lower_slice, 0},
    {"Gather", dsm__onnx_lower_gather, 0},
    {"Pad", dsm__onnx_lower_pad, 0},
    {"Resize", dsm__onnx_lower_resize, 0},
    {"Upsample", dsm__onnx_lower_resize, 0},
};

const dsm__onnx_operator *dsm__onnx_operator_of(const dsm__onnx_node *node) {
  const bool is_own = node->domain.length == 0 || dsm__span_is(node->domain, "ai.onnx") ||
                      dsm__span_is(node->domain, "com.microsoft");
  for (size_t i = 0; is_own && i < DSM__COUNT_OF(operators); i++) {
    if (dsm__span_is(node->op, operators[i].op)) {
      return &operators[i];
    }
  }
  return NULL;
}

/* Operators whose work is counted as that of another one. */
static const char *const counted_as_others[] = {"Elu",
                                                "Celu",
                                                "Selu",
                                                "Mish",
                                                "HardSwish",
                                                "Softsign",
                                                "Softplus",
                                                "GroupNormalization",
                                                "InstanceNormalization",
                                                NULL};

void dsm__onnx_lower_element(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  const int op = dsm__onnx_operator_of(node)->number;
  dsm__onnx_value *const input = dsm__onnx_input(of->graph, node, 0);
  dsm__onnx_shape shape;
  if (!dsm__onnx_need_shape(of, node, 0, &shape)) {
    return;
  }
  if (input->kind == DSM__ONNX_CONSTANT || op == NOTHING) {
    dsm__onnx_pass(of, node, &shape);
    return;
  }
  if (op == NONE) {
    dsm__onnx_pass(of, node, &shape);
    dsm__onnx_remark_on(of->graph, node, "is left out: no layer can have it");
    return;
  }
  if (dsm__span_is_any(node->op, counted_as_others)) {
    dsm__onnx_remark_on(of->graph, node,
                        "is counted as an operation on elements that is much like it");
  }
  dsm__onnx_apply(of, node, input, dsm__onnx_output(of->graph, node, 0), (dsm_aux_op)op);
}

/* The operand of a choice that goes on: scores, or else what is as large as the result, or else an
 * input that is spread over it. NULL: there is none. */
static dsm__onnx_value *chosen_of(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                  const dsm__onnx_shape *shapes, uint64_t elements) {
  enum { OPERANDS = 3, OF_INPUTS = 1, LARGE = 2, SCORES = 3 };
  dsm__onnx_value *chosen = NULL;
  int best = 0;
  for (size_t i = OPERANDS; i-- > 0;) {
    dsm__onnx_value *const one = dsm__onnx_input(of->graph, node, i);
    const dsm__onnx_view *const view = dsm__onnx_view_of(of, one);
    uint64_t own = 0;
    const bool is_large = dsm__onnx_elements(&shapes[i], &own) && own == elements;
    const int worth = view == NULL                   ? 0
                      : is_large                     ? (view->scores != NULL ? SCORES : LARGE)
                      : dsm__onnx_is_of_inputs(view) ? OF_INPUTS
                                                     : 0;
    chosen = worth > best || (worth == LARGE && best == LARGE) ? one : chosen;
    best = worth > best ? worth : best;
  }
  return chosen;
}

/* Chooses between two operands: that with a layer behind it goes on. */
void dsm__onnx_lower_where(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_shape shapes[3];
  dsm__onnx_shape two;
  dsm__onnx_shape all;
  uint64_t elements = 0;
  for (size_t i = 0; i < 3; i++) {
    if (!dsm__onnx_need_shape(of, node, i, &shapes[i])) {
      return;
    }
  }
  if (!dsm__onnx_broadcast(&shapes[0], &shapes[1], &two) ||
      !dsm__onnx_broadcast(&two, &shapes[2], &all) || !dsm__onnx_elements(&all, &elements)) {
    dsm__onnx_error(of->graph, node, "expected operands whose shapes fit each other, found others");
    return;
  }
  const dsm__onnx_value *const chosen = chosen_of(of, node, shapes, elements);
  if (chosen == NULL) {
    dsm__onnx_error(of->graph, node, "expected an operand as large as the result, found none");
  } else if (chosen->view->scores != NULL) {
    dsm__onnx_mask_scores(of, node, chosen, &all);
  } else {
    dsm__onnx_remark_on(of->graph, node, "is left out: no layer can have it");
    dsm__onnx_make(of, dsm__onnx_output(of->graph, node, 0), &all,
                   dsm__onnx_view_through(of, chosen));
  }
}

/* Of constants it is one, which is found before; of others its shape is not known. */
void dsm__onnx_lower_fill(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_error(of->graph, node,
                  "expected inputs that are constant or made of shapes, found "
                  "others");
}
