/* SPDX-License-Identifier: GPL-3.0-or-later */
/* windows.h: how kernels and pools slide over the sides of an image, from attributes of nodes. */
#ifndef DSM_IMPORT_ONNX_WINDOWS_H
#define DSM_IMPORT_ONNX_WINDOWS_H

#include "import/onnx/lowering.h"

/** Most sides of an image. */
#define DSM__ONNX_SIDES 2

/** A kernel or pool along a side. */
typedef struct dsm__onnx_slide {
  uint64_t input;
  uint64_t output;
  uint64_t window;
  uint64_t stride;
  uint64_t dilation;
  uint64_t before; /**< padding */
  uint64_t after;
} dsm__onnx_slide;

/** The sides of a node: those of an image with one are [length, 1]. */
typedef struct dsm__onnx_slides {
  unsigned count;
  dsm__onnx_slide sides[DSM__ONNX_SIDES];
} dsm__onnx_slides;

/** Reads attributes of a node whose input has the shape [samples, features, sides...]; `window` are
 * the sizes of the kernel, NULL: kernel_shape has them. What is wrong is reported. */
bool dsm__onnx_read_slides(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           const dsm__onnx_shape *input, const uint64_t *window,
                           dsm__onnx_slides *slides);

/** The outputs of a convolution or pool along each side; false, reported, where a window does not
 * fit. */
bool dsm__onnx_slide_outputs(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                             dsm__onnx_slides *slides);

/** Rows and columns of a member of each side. */
#define DSM__ONNX_SIZE2(slides, member)                                                            \
  ((dsm_size2){(slides)->sides[0].member, (slides)->sides[1].member})

#endif
