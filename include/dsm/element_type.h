/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * element_type.h: the types of elements that arrays may take at rates of their own.
 */
#ifndef DSM_ELEMENT_TYPE_H
#define DSM_ELEMENT_TYPE_H

/** The type of a workload's elements. */
typedef enum dsm_element_type {
  DSM_ELEMENT_TYPE_ANY = 0, /**< not stated: by the bytes of an element */
  DSM_ELEMENT_TYPE_INT8,
  DSM_ELEMENT_TYPE_FP8,
  DSM_ELEMENT_TYPE_FP16,
  DSM_ELEMENT_TYPE_BF16,
  DSM_ELEMENT_TYPE_TF32,
  DSM_ELEMENT_TYPE_FP32,
  DSM_ELEMENT_TYPE_COUNT
} dsm_element_type;

#endif
