/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * element_type.h: the types of elements, and what a network uses each for.
 */
#ifndef DSM_ELEMENT_TYPE_H
#define DSM_ELEMENT_TYPE_H

#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The type of elements. */
typedef enum dsm_element_type {
  DSM_ELEMENT_TYPE_ANY = 0, /**< not stated: by the bytes of an element */
  DSM_ELEMENT_TYPE_INT8,
  DSM_ELEMENT_TYPE_FP8,
  DSM_ELEMENT_TYPE_FP16,
  DSM_ELEMENT_TYPE_BF16,
  DSM_ELEMENT_TYPE_TF32, /**< stored as fp32 */
  DSM_ELEMENT_TYPE_FP32,
  DSM_ELEMENT_TYPE_INT4,  /**< 128 share a scale of 2 bytes */
  DSM_ELEMENT_TYPE_FP4,   /**< 16 share a scale of a byte */
  DSM_ELEMENT_TYPE_NVFP4, /**< the same */
  DSM_ELEMENT_TYPE_MXFP4, /**< 32 share a scale of a byte */
  DSM_ELEMENT_TYPE_E4M3,  /**< fp8 with 4 bits of exponent */
  DSM_ELEMENT_TYPE_E5M2,  /**< fp8 with 5 */
  DSM_ELEMENT_TYPE_MXFP8, /**< 32 share a scale of a byte */
  DSM_ELEMENT_TYPE_COUNT
} dsm_element_type;

/** What elements are used for (docs/model.md, section 2). */
typedef enum dsm_use {
  DSM_USE_WEIGHTS = 0, /**< as they are stored */
  DSM_USE_ACTIVATIONS, /**< likewise, and their errors */
  DSM_USE_OPERANDS,    /**< what products read */
  DSM_USE_CACHE,       /**< keys and values of earlier positions */
  DSM_USE_GRADIENTS,   /**< of weights */
  DSM_USE_OPTIMIZER,   /**< momenta */
  DSM_USE_COUNT
} dsm_use;

/** A type for each use; any: it is not stated. */
typedef struct dsm_types {
  dsm_element_type of[DSM_USE_COUNT];
} dsm_types;

/** Bytes of an element with its part of the scale that a block of them shares: (bits + 8 * bytes of
 * the scale / elements of the block) / 8. 0: any. */
DSM_API double dsm_element_type_bytes(dsm_element_type type);

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_element_type_name(dsm_element_type type);

#ifdef __cplusplus
}
#endif

#endif
