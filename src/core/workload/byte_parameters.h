/* SPDX-License-Identifier: GPL-3.0-or-later */
/* byte_parameters.h: the numbers of bytes that a workload's description may state, as rows of one
 * table (docs/model.md, section 2). */
#ifndef DSM_WORKLOAD_BYTE_PARAMETERS_H
#define DSM_WORKLOAD_BYTE_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/workload.h"

/** Smallest and largest size of an element. */
#define DSM__ELEMENT_BYTES_MIN 0.125
#define DSM__ELEMENT_BYTES_MAX 64

typedef struct dsm__byte_parameter {
  const char *key;
  size_t offset; /**< of the field, a double, in dsm_workload */
  double min;    /**< smallest legal value */
  double max;    /**< largest legal value */
  double fallback;
  const char *unit;
  const char *source; /**< where the default comes from, or "assumption..." */
} dsm__byte_parameter;

enum { DSM__BYTE_PARAMETER_COUNT = 4 };
extern const dsm__byte_parameter dsm__byte_parameters[DSM__BYTE_PARAMETER_COUNT];

/* The field of a parameter. */
static inline double dsm__byte_parameter_get(const dsm__byte_parameter *parameter,
                                             const dsm_workload *workload) {
  return *(const double *)(const void *)((const unsigned char *)workload + parameter->offset);
}
static inline double *dsm__byte_parameter_field(const dsm__byte_parameter *parameter,
                                                dsm_workload *workload) {
  return (double *)(void *)((unsigned char *)workload + parameter->offset);
}

/* The description states the parameter: also a default is no assumption of the program then. */
void dsm__byte_parameter_set_stated(const dsm__byte_parameter *parameter, dsm_workload *workload);

/* Is it the default, which the description does not state? */
bool dsm__byte_parameter_is_assumed(const dsm__byte_parameter *parameter,
                                    const dsm_workload *workload);

#endif
