/* SPDX-License-Identifier: GPL-3.0-or-later */
/* element_types.h: the table of the types of elements. */
#ifndef DSM_BASE_ELEMENT_TYPES_H
#define DSM_BASE_ELEMENT_TYPES_H

#include "base/words.h"
#include "dsm/element_type.h"

extern const dsm__words dsm__element_type_words;
extern const dsm__words dsm__use_words;

typedef struct dsm__element_type_row {
  double bits;
  dsm_element_type rate;  /**< the key of pe.rates that it has */
  dsm_element_type wider; /**< to which it is widened on a machine that has no such rate */
  double block;           /**< elements that share a scale; 0: none */
  double scale_bytes;
} dsm__element_type_row;

extern const dsm__element_type_row dsm__element_type_rows[DSM_ELEMENT_TYPE_COUNT];

/** Has a type fewer bits than 16, and fewer bytes than activations have? Then a workload's
 * element_type is that of operands and weights alone. */
static inline bool dsm__is_narrow(dsm_element_type type, double element_bytes) {
  return type != DSM_ELEMENT_TYPE_ANY && dsm__element_type_rows[type].bits < 16 &&
         dsm_element_type_bytes(type) < element_bytes;
}

#endif
