/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/element_types.h"

/*
 * Types of blocks: OCP Microscaling Formats (MX) Specification 1.0, 2023; of nvfp4 NVIDIA's; of
 * int4 AWQ, J. Lin et al., arXiv 2306.00978, groups of 128 with a half-precision scale.
 * name, word, bits, key of pe.rates, wider, elements of a block, bytes of its scale
 */
#define TYPES(ROW)                                                                                 \
  ROW(ANY, "any", 0, ANY, ANY, 0, 0)                                                               \
  ROW(INT8, "int8", 8, INT8, FP16, 0, 0)                                                           \
  ROW(FP8, "fp8", 8, FP8, FP16, 0, 0)                                                              \
  ROW(FP16, "fp16", 16, FP16, FP16, 0, 0)                                                          \
  ROW(BF16, "bf16", 16, BF16, BF16, 0, 0)                                                          \
  ROW(TF32, "tf32", 32, TF32, FP32, 0, 0)                                                          \
  ROW(FP32, "fp32", 32, FP32, FP32, 0, 0)                                                          \
  ROW(INT4, "int4", 4, INT4, INT8, 128, 2)                                                         \
  ROW(FP4, "fp4", 4, FP4, FP8, 16, 1)                                                              \
  ROW(NVFP4, "nvfp4", 4, FP4, FP8, 16, 1)                                                          \
  ROW(MXFP4, "mxfp4", 4, FP4, FP8, 32, 1)                                                          \
  ROW(E4M3, "e4m3", 8, FP8, FP16, 0, 0)                                                            \
  ROW(E5M2, "e5m2", 8, FP8, FP16, 0, 0)                                                            \
  ROW(MXFP8, "mxfp8", 8, FP8, FP16, 32, 1)

#define WORD(name, word, ...) [DSM_ELEMENT_TYPE_##name].key = (word),
static const dsm__word type_words[] = {TYPES(WORD)};
DSM__NAMED_WORDS(dsm__element_type_words, "type of elements", type_words, DSM_ELEMENT_TYPE_COUNT,
                 dsm_element_type, dsm_element_type_name);

#define FACTS(name, word, bits, rate, wider, block, scale_bytes)                                   \
  [DSM_ELEMENT_TYPE_##                                                                             \
      name] = {bits, DSM_ELEMENT_TYPE_##rate, DSM_ELEMENT_TYPE_##wider, block, scale_bytes},
const dsm__element_type_row dsm__element_type_rows[DSM_ELEMENT_TYPE_COUNT] = {TYPES(FACTS)};

static const dsm__word use_words[] = {
    [DSM_USE_WEIGHTS].key = "weights",     [DSM_USE_ACTIVATIONS].key = "activations",
    [DSM_USE_OPERANDS].key = "operands",   [DSM_USE_CACHE].key = "cache",
    [DSM_USE_GRADIENTS].key = "gradients", [DSM_USE_OPTIMIZER].key = "optimizer",
};
DSM__WORDS(dsm__use_words, "use of elements", use_words, DSM_USE_COUNT);

double dsm_element_type_bytes(dsm_element_type type) {
  const dsm__element_type_row *const row = &dsm__element_type_rows[type];
  return row->bits / 8 + (row->block > 0 ? row->scale_bytes / row->block : 0);
}
