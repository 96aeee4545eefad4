/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/onnx/lowering.h"

void dsm__onnx_lower_node(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_error(of->graph, node, "expected an operator that is known, found %.*s",
                  (int)(node->op.length < 80 ? node->op.length : 80), node->op.bytes);
}

void dsm__onnx_lowering_finish(dsm__onnx_lowering *of) {
  (void)of;
}
